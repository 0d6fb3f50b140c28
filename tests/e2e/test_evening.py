"""An arbiter's whole evening: games full of offences at emulated devices, Mosquitto between daemon and arbiter.

Incidents come from play; the arbiter confirms, dismisses, penalises and corrects, players claim, games end in all ways.
The journal tells it again exactly: a recorded game, replayed, says what the arbiter has heard, with every answer.
"""

import json
import re
import subprocess

import brokers
import live
import pytest
from evening import ENVELOPE, Done, Evening
from evening_games import GAMES
from refusals import WITH_A_GAME, WITHOUT_A_GAME

TABLE = "bughouse/table/1"


@pytest.fixture(scope="module")
def evening(binary, tmp_path_factory):
    """A hall with a table and its arbiter."""
    hall = Evening(binary, tmp_path_factory.mktemp("evening"))
    try:
        hall.start()
        yield hall
    finally:
        hall.close()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_games_of_the_evening(evening, game):
    (table,) = evening.plays
    begins = len(table.arbiter.told())
    table.play(game.script)
    assert table.arbiter.told()[begins:] == [line.strip() for line in game.told.splitlines()]


def test_what_is_malformed_hostile_or_late_changes_nothing(evening):
    (table,) = evening.plays
    table.play("anew go @started 500ms e2- e4P . w . stop @paused 500ms")
    table.arbiter.refuse(*WITH_A_GAME)
    table.play('?resign{"by":"a"} @ended')
    table.arbiter.refuse(*WITHOUT_A_GAME)


def test_a_repeated_command_is_answered_again(evening):
    (table,) = evening.plays
    asks = [("undo", '{"board":"A","transaction":"r1"}'), ("penalty", '{"kind":"warning","seat":"a","transaction":2}')]
    for verb, payload in asks:
        (first,) = table.arbiter.ask_raw((verb, payload))
        before = table.arbiter.now()
        (again,) = table.arbiter.ask_raw((verb, payload))
        same = lambda answer: {key: answer[key] for key in answer if key not in ENVELOPE}  # noqa: E731
        assert same(first) == same(again) and table.arbiter.now() == before, f"{verb}: {again}"
    table.done.append(Done("penalty", {"kind": "warning", "seat": "a"}, "2", None))


def test_the_plain_form_is_answered_on_a_topic_of_the_verb(evening):
    (table,) = evening.plays
    topic, message = f"{TABLE}/arbiter/request/penalty", {"kind": "warning", "seat": "b", "transaction": "plain"}
    publish = ["mosquitto_pub", *live.at(evening.broker.port, brokers.login("arbiter")), "-V", "311", "-q", "1"]
    subprocess.run([*publish, "-t", topic, "-m", json.dumps(message)], check=True, timeout=10)
    at = f"{TABLE}/arbiter/response/penalty"
    look = lambda: [json.loads(m.payload) for m in table.arbiter.heard() if m.topic == at]  # noqa: E731
    (answer,) = table.arbiter.wait_for("plain answer", look)
    assert (answer["status"], answer["transaction"]) == ("ok", "plain")
    table.done.append(Done("penalty", {"kind": "warning", "seat": "b"}, "plain", None))


def test_every_verb_and_every_penalty_is_carried_out(evening):
    (table,) = evening.plays
    known = table.arbiter.ask("fly", {})["error"]["message"]
    verbs = re.search(r"one of (.+), found", known)[1].split(", ")
    assert set(verbs) == {done.verb for done in table.done}, known
    penalties = re.search(r"one of (.+), found", table.arbiter.ask("penalty", {})["error"]["message"])[1].split(", ")
    assert set(penalties) == {done.data["kind"] for done in table.done if done.verb == "penalty"}


def test_the_journal_tells_it_again(evening, bughoused, tmp_path):
    (table,) = evening.plays
    heard, answers = table.arbiter.events(), table.arbiter.answers()
    assert evening.daemon.stop() == 0, evening.daemon.output()
    games = [event["game"] for event in heard if event["type"] == "game-started"]
    for game in games:
        again = retold(bughoused, evening, game, tmp_path)
        of_game = [event for event in again if event.get("game") == game]
        assert of_game == [event for event in heard if event["game"] == game]
    # the last capture has the whole evening
    assert [event for event in again if event["type"] != "response"] == heard
    assert [without_type(line) for line in again if line["type"] == "response"] == answers
    check_rulings(table, heard)
    records = [record for game in GAMES for record in game.records]
    assert [record_of(bughoused, evening, game) for game in games][: len(records)] == records


def retold(bughoused, hall, game, folder):
    """What the recorded game says when it is replayed, as everybody may hear it."""
    capture = folder / f"{game}.jsonl"
    exported = bughoused("export", game, "--format", "capture", "--data", hall.folder / "data", "-o", capture)
    assert exported.returncode == 0, exported.stderr
    again = bughoused("replay", capture)
    assert again.returncode == 0, again.stderr
    lines = [json.loads(line) for line in again.stdout.splitlines()]
    for line in lines:
        for move in [line, *line.get("moves", [])]:
            move.pop("stands", None)  # WBN 9.5
    return lines


def without_type(line):
    """The answer in a line of a replay."""
    return {key: line[key] for key in line if key != "type"}


def check_rulings(table, heard):
    """What was carried out was told to the arbiter once, in order; buttons say whose they are."""
    rulings = [event for event in heard if event["type"] == "ruling"]
    asked = [(event["verb"], event["data"], event.get("transaction")) for event in rulings if "by" not in event]
    done = [(done.verb, done.data, done.transaction) for done in table.done]
    assert asked == [entry for index, entry in enumerate(done) if not entry[2] or entry not in done[:index]]
    buttons = [(event["by"], event["verb"]) for event in rulings if "by" in event]
    assert buttons == [("A", "draw-offer"), ("a", "draw-offer"), ("a", "resign")]


def record_of(bughoused, hall, game):
    """The moves and the end of a record, without times."""
    exported = bughoused("export", game, "--format", "bpgn", "--data", hall.folder / "data")
    assert exported.returncode == 0, exported.stderr
    moves = exported.stdout.strip().rpartition("]\n\n")[2]
    return " ".join(re.sub(r"\{[\d.]+\}", "", moves).split())


def test_the_journal_tells_who_asked(binary, bughoused, tmp_path):
    hall = Evening(binary, tmp_path, broker="embedded")
    try:
        hall.start()
        (table,) = hall.plays
        table.play('go @started ?penalty{"kind":"warning","seat":"b"} A!resign @ended ?result{"result":"0-1"} @ended')
        heard = table.arbiter.events()
        assert hall.daemon.stop() == 0, hall.daemon.output()
        assert [event for event in retold(bughoused, hall, "last", tmp_path) if event["type"] != "response"] == heard
    finally:
        hall.close()
    rulings = [(event["verb"], event["by"]) for event in heard if event["type"] == "ruling"]
    assert rulings == [("penalty", "arbiter"), ("resign", "A"), ("result", "arbiter")]

"""Silence (WBN 9.5): who may read what is open hears nothing of incidents while a game runs, unless they are announced.

Two tables of one daemon with Mosquitto are played by the same script, full of offences: one announces illegal moves. A
client without a password takes everything that it is given.
"""

import json
import re
import threading

import brokers
import pytest
from evening import Arbiter, Evening, Reader

# Words that only incidents have.
TELLING = """incident illegal stands not-passed passed hidden concealed foreign premove without-move claim arbiter
    ruling penalty wrong lapsed dismissed decisive warning evidence restricted frozen""".split()
# What an announced illegal move may say of itself.
ANNOUNCED = ["incident", "illegal", "stands", "claim", "lapsed", "decisive", "evidence"]
KINDS = """arbiter-called clock-without-move concealed foreign-piece hidden-drop illegal-move moved-while-frozen
    not-passed premove restricted-piece-used wrong-claim""".split()
SCRIPT = """go @started 400ms a=q...
    e2- e5P . w @illegal-move d7- d6p . b @lapsed ?claim{"kind":"illegal-move","by":"a"}=lapsed
    e5- d6- d6P . w . c7- d6- d6p . b b1- c3N . w @not-passed ?confirm{"incident":"$not-passed"} @claimed
    b=p... 500ms b=.... @concealed ?claim{"kind":"concealed","by":"arbiter"} @claimed b=p...
    ?invisible{"seat":"b","piece":"P"} @foreign-piece a=.... B:w 1s B:b @clock-without-move
    B:e7- B:e5p 2s B:e2- B:e4P . B:w 1s B:b @premove
    ?claim{"kind":"checkmate","by":"B"}=wrong-claim @wrong-claim ?dismiss{"incident":"$wrong-claim"} @dismissed
    ?penalty{"kind":"freeze","seat":"B","seconds":60} B:d3P . B:w @moved-while-frozen
    b=.... B:e6p . B:b @restricted-piece-used ?penalty{"kind":"points","seat":"b","points":-1}
    b!claim @claimed~moved-while-frozen a!arbiter @arbiter-called
    ?claim{"kind":"repetition","by":"a"}=wrong-claim @wrong-claim
    h7- h6p . b a2- a5P . w @illegal-move ?correct{"board":"A","ply":6,"move":"h7h5"} h6- h5p @corrected"""


@pytest.fixture(scope="module")
def hall(binary, tmp_path_factory):
    """A hall with two tables after the same offences, the second of which announces illegal moves; games are on."""
    tables = ("", 'announce = ["illegal-move"]')
    hall = Evening(binary, tmp_path_factory.mktemp("silence"), "open-mosquitto", tables)
    try:
        hall.open = hall.read(Reader, hall.broker.port, brokers.login("public"), ["#"])
        hall.start()
        play = lambda table: hall.failed.append(failure(table.play, SCRIPT))  # noqa: E731
        hall.failed = []
        threads = [threading.Thread(target=play, args=[table]) for table in hall.plays]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert hall.failed == [None, None]
        yield hall
    finally:
        hall.close()


def failure(act, *args):
    """What went wrong, in words."""
    try:
        act(*args)
    except AssertionError as error:
        return str(error)
    return None


def text(message):
    """All of a message: topic, payload and properties."""
    return f"{message.topic} {message.payload.decode()} {json.dumps(message.properties.json())}"


def of_table(hall, number):
    """What a client without a password has been given of a table."""
    return [message for message in hall.open.heard() if message.topic.startswith(f"bughouse/table/{number}/")]


def test_the_games_are_full_of_incidents(hall):
    for table in hall.plays:
        told = {event["kind"] for event in table.arbiter.events() if event["type"] == "incident"}
        assert told >= set(KINDS), told
        assert not [event for event in table.arbiter.events() if event["type"] == "game-ended"]


def test_the_words_are_those_of_incidents(hall):
    """A leak would be found: every word is in what the arbiter hears."""
    heard = " ".join(text(message) for message in hall.plays[0].arbiter.heard())
    assert not [word for word in TELLING if word not in heard]


def test_a_client_without_a_password_hears_what_is_open(hall):
    topics = {message.topic.removeprefix("bughouse/") for message in hall.open.heard()}
    assert "node/e2e/state" in topics
    closed = [topic for topic in topics if not re.match(r"node/e2e/state$|table/[12]/(live|public)/", topic)]
    assert not closed, closed
    for feed in ("live", "public"):
        for leaf in ("event", "state", "bfen", "bpgn", "board/a/fen", "board/a/clock"):
            assert f"table/1/{feed}/{leaf}" in topics


@pytest.mark.parametrize("feed", ["live", "public"])
def test_nobody_hears_of_incidents_that_are_not_announced(hall, feed):
    mine = [message for message in of_table(hall, 1) if f"/{feed}/" in message.topic]
    assert [message for message in mine if message.topic.endswith("/bpgn")]
    for message in mine:
        telling = [word for word in TELLING if word in text(message)]
        assert not telling, f"{telling} in {text(message)}"


@pytest.mark.parametrize("feed", ["live", "public"])
@pytest.mark.parametrize("number", [1, 2])
def test_no_gap_tells_of_an_incident(hall, number, feed):
    topic = f"bughouse/table/{number}/{feed}/event"
    seqs = [json.loads(message.payload)["seq"] for message in of_table(hall, number) if message.topic == topic]
    assert len(seqs) > 30 and seqs == list(range(seqs[0], seqs[0] + len(seqs)))


@pytest.mark.parametrize("feed", ["live", "public"])
def test_an_announced_kind_and_no_other_is_for_everybody(hall, feed):
    mine = [message for message in of_table(hall, 2) if f"/{feed}/" in message.topic]
    told = [json.loads(message.payload) for message in mine if message.topic.endswith("/incident")]
    assert [(event["kind"], event["seat"], event["state"]) for event in told] == [
        ("illegal-move", "A", "open"),
        ("illegal-move", "A", "lapsed"),
        ("illegal-move", "A", "open"),
    ]
    moves = [json.loads(message.payload) for message in mine if message.topic.endswith("/event")]
    assert [move["san"] for move in moves if move.get("stands")] == ["e5", "a5"]
    for message in mine:
        telling = [word for word in TELLING if word in text(message) and word not in ANNOUNCED]
        assert not telling, f"{telling} in {text(message)}"

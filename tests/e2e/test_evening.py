"""An arbiter's evening by commands: the daemon on emulated devices, Mosquitto between it and the arbiter.

The journal tells it again: the recorded capture, replayed, says to the arbiter what the arbiter has heard.
"""

import json
import subprocess

import brokers
import live
import pytest
from hall import GAME_SECONDS_MAX, Hall

TABLE = "bughouse/table/1"
INCIDENTS = f"{TABLE}/arbiter/incident"
ANSWER_SECONDS = 10


class Evening(Hall):
    """A hall with an arbiter in it."""

    def ask(self, verb, transaction=None, **data):
        """Asks over MQTT 5 with a response topic; the answer."""
        payload = {"data": data, **({"transaction": transaction} if transaction else {})}
        return self.ask_raw(verb, json.dumps(payload))

    def as_arbiter(self):
        """Where a client finds the broker."""
        return live.at(self.broker.port, brokers.login("arbiter"))

    def ask_raw(self, verb, payload):
        """The same with any payload."""
        command = ["mosquitto_rr", *self.as_arbiter(), "-V", "5", "-q", "1"]
        topics = ["-t", f"{TABLE}/arbiter/request/{verb}", "-e", f"{TABLE}/arbiter/response/e2e"]
        command += [*topics, "-m", payload, "-W", str(ANSWER_SECONDS)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, f"{verb}: {done.stderr}"
        return json.loads(done.stdout)

    def told(self, kind):
        """What the arbiter has heard of a kind of incident."""
        heard = [m.payload for m in self.arbiter.messages() if m.topic == INCIDENTS and not m.retained]
        return [event for event in heard if event.get("kind") == kind]

    def code(self, verb, **data):
        """The code of a refusal."""
        answer = self.ask(verb, **data)
        assert answer["status"] == "error", answer
        assert "expected" in answer["error"]["message"] and "found" in answer["error"]["message"], answer
        return answer["error"]["code"]


@pytest.fixture(scope="module")
def evening(binary, short_file, tmp_path_factory):
    """A hall in which an arbiter has had a long evening."""
    hall = Evening(binary, short_file, tmp_path_factory.mktemp("evening"))
    try:
        hall.arbiter = hall.subscribe("5", [INCIDENTS, f"{TABLE}/live/event"], role="arbiter")
        hall.plain = hall.subscribe("311", [f"{TABLE}/arbiter/response/#"], role="arbiter")
        hall.start()
        live.wait_for("the game", lambda: len(hall.arbiter.moves()) >= 3, GAME_SECONDS_MAX)
        yield hall
    finally:
        hall.close()


def test_the_evening(evening, bughoused, tmp_path):
    hall = evening
    assert hall.ask("players", A="Ann", a="Ben", B="Cid", b="Dee")["status"] == "ok"
    assert hall.ask("pause")["status"] == "ok"
    assert hall.ask("resume")["status"] == "ok"

    # a wrong claim counts as an illegal move; the arbiter dismisses it
    assert hall.code("claim", kind="checkmate", by="A") == "wrong-claim"
    (wrong,) = live.wait_for("the incident", lambda: hall.told("wrong-claim"))
    assert (wrong["state"], wrong["law"], wrong["seat"]) == ("open", "WBN", "A")
    state = hall.json(f"{TABLE}/arbiter/state")
    assert wrong["id"] in [incident["id"] for incident in state["incidents"] if incident["state"] == "open"]
    assert hall.ask("dismiss", incident=wrong["id"])["status"] == "ok"
    live.wait_for("the dismissal", lambda: hall.told("wrong-claim")[-1]["state"] == "dismissed")

    # penalties, offers, restrictions; a repeated transaction acts once
    first = hall.ask("penalty", transaction="p1", kind="points", seat="A", points=-0.5)
    again = hall.ask("penalty", transaction="p1", kind="points", seat="A", points=-0.5)
    assert (first["status"], again["status"], again["data"]) == ("ok", "ok", first["data"])
    assert hall.ask("penalty", kind="freeze", seat="b", seconds=1)["status"] == "ok"
    assert hall.ask("invisible", seat="b", piece="N")["status"] == "ok"
    assert hall.ask("visible", seat="b", piece="N")["status"] == "ok"
    assert hall.ask("draw-offer", by="A")["status"] == "ok"

    # the record is put right: the move that was played, once more
    move = hall.arbiter.moves()[0]
    assert hall.ask("correct", board=move["board"], ply=move["ply"], move=move["move"])["status"] == "ok"
    corrections = lambda: [event for event in hall.arbiter.events() if event["type"] == "correction"]  # noqa: E731
    assert live.wait_for("the correction", corrections)[0]["board"] == move["board"]
    assert hall.code("correct", board=move["board"], ply=999, move="e4") == "bad-data"

    # malformed, hostile and late commands: an error with what was expected, nothing changed
    for verb, payload in [("claim", "not json"), ("claim", "[1,2]"), ("penalty", '{"seat": {"a": []}}'), ("fly", "{}")]:
        answer = hall.ask_raw(verb, payload)
        assert answer["status"] == "error" and answer["error"]["message"], answer
    assert hall.code("confirm", incident=wrong["id"]) == "decided"
    assert hall.code("confirm", incident=99_999) == "no-such-incident"
    assert hall.code("declare", seat="A", promotion="K") == "bad-data"

    # the plain form answers on a topic of its own
    message = json.dumps({"transaction": "plain", "kind": "warning", "seat": "a"})
    publish = ["mosquitto_pub", *hall.as_arbiter(), "-V", "311"]
    subprocess.run([*publish, "-t", f"{TABLE}/arbiter/request/penalty", "-m", message], check=True, timeout=10)
    plain = lambda: [m.payload for m in hall.plain.messages() if m.payload.get("transaction") == "plain"]  # noqa: E731
    assert live.wait_for("the plain answer", plain)[0]["status"] == "ok"

    # a result, changed after the end
    assert hall.ask("resign", by="a")["status"] == "ok"
    ends = lambda: [event for event in hall.arbiter.events() if event["type"] == "game-ended"]  # noqa: E731
    end = live.wait_for("the end", ends)[0]
    assert (end["result"], end["reason"], end["by"]) == ("1-0", "resigns", "a")
    assert end["half_points"] == {"white_a": 1, "black_a": 0}
    assert hall.code("resign", by="a") == "no-game"
    assert hall.ask("result", result="1/2-1/2", reason="agreed")["status"] == "ok"
    assert live.wait_for("the other end", lambda: ends()[1:])[0]["result"] == "1/2-1/2"
    check_journal(hall, bughoused, tmp_path, end["game"])


def check_journal(hall, bughoused, tmp_path, game):
    """What the arbiter heard is what the recorded game says when it is replayed."""
    heard = [m.payload for m in hall.arbiter.messages() if m.topic == INCIDENTS and m.payload["game"] == game]
    assert hall.daemon.stop() == 0, hall.daemon.output()
    capture = tmp_path / "game.jsonl"
    exported = bughoused("export", game, "--format", "capture", "--data", hall.folder / "data")
    assert exported.returncode == 0, exported.stderr
    capture.write_text(exported.stdout)
    again = bughoused("replay", capture)
    assert again.returncode == 0, again.stderr
    lines = [json.loads(line) for line in again.stdout.splitlines()]
    told = [line for line in lines if line["type"] in ("incident", "ruling") and line["game"] == game]
    assert [(event["type"], event.get("kind"), event.get("verb"), event["t"]) for event in told] == [
        (event["type"], event.get("kind"), event.get("verb"), event["t"]) for event in heard
    ]
    assert len([event for event in told if event["type"] == "ruling"]) >= 11
    bpgn = bughoused("export", game, "--format", "bpgn", "--data", hall.folder / "data").stdout
    assert "agreed} 1/2-1/2" in bpgn and '[WhiteA "Ann"]' not in bpgn, bpgn

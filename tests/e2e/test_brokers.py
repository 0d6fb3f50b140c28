"""`bughoused run` on emulated devices with every broker: the same game, the same messages, the same promises."""

import json
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import bpgn
import brokers
import live
import pytest
import replay
import truth
from hall import GAME_SECONDS_MAX, NODE, Hall

OUTAGE_SECONDS = 4
RECORD_SECONDS_MAX = 60
EVENTS = "bughouse/table/1/live/event"
LEAVES = ("state", "bfen", "bpgn", "board/a/fen", "board/b/fen", "board/a/clock", "board/b/clock")
CHANNELS = {
    "arbiter-state", "bfen", "board-clock", "board-fen", "bpgn", "device-state", "event", "missed-events",
    "node-health", "node-info", "node-state", "state",
}  # fmt: skip


def play(hall, plies):
    """Plays the game, looks at what is retained, and stops the daemon."""
    if not hall.broker.external:
        hall.start()
    readers = {protocol: hall.subscribe(protocol, [EVENTS, NODE]) for protocol in hall.broker.protocols}
    if hall.broker.external:
        hall.start()
    hall.wait_for_moves(readers[hall.broker.protocols[-1]], plies)
    tree = "bughouse/table/1/live"
    hall.kept = {leaf: hall.retained(f"{tree}/{leaf}") for leaf in LEAVES}
    hall.filtered = is_found_by_filter(hall, f"{tree}/state", "bughouse/table/+/live/state")
    hall.online = hall.json(NODE)
    hall.missed = hall.ask_display(f"{tree}/request/events", {"from_seq": 3}, f"{tree}/response/events")
    hall.code = hall.daemon.stop(signal.SIGTERM)
    hall.offline = hall.json(NODE) if hall.broker.external else hall.online | {"state": "stopping"}
    hall.readers = readers
    return hall


def is_found_by_filter(hall, topic, wanted):
    """Whether a filter gives what the topic keeps. A clock may tick between the two looks: then both look again."""
    return any(json.loads(hall.next(wanted)) == hall.json(topic) for _ in range(5))


def break_off(hall, plies):
    """Plays the game while the broker is away for some seconds in the middle of it."""
    protocol = hall.broker.protocols[-1]
    reader = hall.subscribe(protocol, [EVENTS], session="e2e-outage")
    hall.start()
    live.wait_for("some moves", lambda: len(reader.moves()) >= 4, GAME_SECONDS_MAX)
    hall.broker.stop()
    time.sleep(OUTAGE_SECONDS)
    hall.broker.start()
    seqs = lambda: {event["seq"] for event in reader.events() if event["type"] == "move"}  # noqa: E731
    live.wait_for("all moves", lambda: len(seqs()) >= plies, GAME_SECONDS_MAX)
    return reader.events()


@contextmanager
def on_each(names, open_hall, use):
    """One hall a broker, all used at once: the halls, and what came of their use, by name."""
    opened = {}

    def one(name):
        opened[name] = open_hall(name)
        return use(opened[name])

    with ThreadPoolExecutor(len(names)) as pool:
        came = {name: pool.submit(one, name) for name in names}
    try:
        yield opened, came
    finally:
        for hall in opened.values():
            hall.close()


@pytest.fixture(scope="module")
def halls(binary, short_file, short_game, tmp_path_factory):
    """The game played on every broker at once, by name: a hall, or what went wrong."""
    folder = tmp_path_factory.mktemp("brokers")
    plies = len(short_game.plies)
    open_hall = lambda name: Hall(binary, short_file, folder, name)  # noqa: E731
    with on_each(brokers.NAMES, open_hall, lambda hall: play(hall, plies)) as (_, games):
        yield games


@pytest.fixture(scope="module", params=brokers.NAMES)
def played(halls, request):
    """The hall of one broker, after the game."""
    return halls[request.param].result()


def words(text):
    """Seats and moves of a text with one game."""
    (game,) = bpgn.read(text)
    return [(ply.seat, ply.san) for ply in game.plies]


def test_every_move_is_published_once_in_order(played, short_game):
    for reader in played.readers.values():
        events = reader.events()
        game = truth.as_told(short_game, events)
        truth.check_envelope(events)
        truth.check_moves(events, game)
        truth.check_clocks(events, game)
        assert len([event for event in events if event["type"] == "game-started"]) == 1


def test_what_a_display_missed_is_told_again(played):
    events = played.missed["data"]["events"]
    heard = [event for event in played.readers[played.broker.protocols[-1]].events() if event["seq"] >= 3]
    assert played.missed["status"] == "ok" and len(events) > 20
    assert events == heard[: len(events)]
    assert played.missed["data"]["next_seq"] == events[-1]["seq"] + 1


def test_all_protocol_versions_carry_the_same(played):
    first, *others = (reader.moves() for reader in played.readers.values())
    assert all(first == other for other in others)


def test_every_message_keeps_the_contract(played):
    assert not played.witness.wrong, played.witness.wrong[0]
    assert played.witness.kinds >= CHANNELS, CHANNELS - played.witness.kinds
    assert played.witness.count > 200


def test_the_retained_state_is_that_of_the_end(played, short_game):
    final = truth.moves_of(short_game)[-1]
    state = json.loads(played.kept["state"])
    assert replay.plain_bfen(state["bfen"]) == final["bfen"]
    assert replay.plain_bfen(played.kept["bfen"]) == final["bfen"]
    assert sum(board["plies"] for board in state["boards"]) == len(short_game.plies)
    assert state["seq"] >= played.readers[played.broker.protocols[-1]].moves()[-1]["seq"]


def test_a_display_that_comes_late_sees_the_table(played):
    assert played.filtered


def test_the_retained_record_reads_back_to_the_game(played, short_game):
    game = truth.as_told(short_game, played.readers[played.broker.protocols[-1]].events())
    assert words(played.kept["bpgn"]) == [(ply.seat, ply.san) for ply in game.plies]


def test_simple_displays_find_a_fen_and_a_clock_for_each_board(played, short_game):
    boards = truth.moves_of(short_game)[-1]["bfen"].split(" | ")
    for letter, bfen in zip("ab", boards, strict=True):
        fen = played.kept[f"board/{letter}/fen"].split()
        assert fen[0].split("[")[0] == "/".join(bfen.split()[0].split("/")[:8])
        clock = json.loads(played.kept[f"board/{letter}/clock"])
        assert 0 < clock["white_ms"] <= 180_000 and 0 < clock["black_ms"] <= 180_000


def test_the_node_tells_when_it_comes_and_goes(played):
    assert played.online["state"] == "online"
    assert played.offline["state"] in ("stopping", "offline")
    assert played.online["session"] == played.offline["session"]
    assert played.code == 0, played.daemon.output()


def test_the_journal_has_the_game(bughoused, played, short_game):
    data = played.folder / "data"
    listed = bughoused("games", "--data", data, "--json")
    assert listed.returncode == 0, listed.stderr
    games = [json.loads(line) for line in listed.stdout.splitlines()]
    games = games[0] if len(games) == 1 and isinstance(games[0], list) else games
    (game,) = games
    exported = bughoused("export", game["id"], "--format", "bpgn", "--data", data)
    assert exported.returncode == 0, exported.stderr
    assert words(exported.stdout) == words(played.kept["bpgn"])


def test_the_recorded_bytes_replay_to_what_was_published(bughoused, played, tmp_path):
    data = played.folder / "data"
    game = played.readers[played.broker.protocols[-1]].moves()[0]["game"]
    capture = tmp_path / "game.jsonl"
    exported = bughoused("export", game, "--format", "capture", "--data", data)
    assert exported.returncode == 0, exported.stderr
    capture.write_text(exported.stdout)
    again = bughoused("replay", capture)
    assert again.returncode == 0, again.stderr
    moves = [event for event in map(json.loads, again.stdout.splitlines()) if event["type"] == "move"]
    told = [(move["seat"], move["move"], replay.plain_bfen(move["bfen"])) for move in moves]
    heard = played.readers[played.broker.protocols[-1]].moves()
    assert told == [(move["seat"], move["move"], replay.plain_bfen(move["bfen"])) for move in heard]


@pytest.fixture(scope="module")
def outages(binary, short_file, short_game, tmp_path_factory):
    """The game on every external broker at once, each broken off in its middle: the events of one reader by broker."""
    folder = tmp_path_factory.mktemp("outages")
    plies = len(short_game.plies)
    open_hall = lambda name: Hall(binary, short_file, folder, name)  # noqa: E731
    with on_each(brokers.EXTERNAL, open_hall, lambda hall: break_off(hall, plies)) as outages:
        yield outages


@pytest.mark.parametrize("name", brokers.EXTERNAL)
def test_a_broker_that_goes_away_and_comes_back_loses_nothing(outages, short_game, name):
    events = outages[1][name].result()
    once = {}
    for event in events:
        assert once.setdefault(event["seq"], event) == event, "the same number for two events"
    # QoS 1 may repeat what was on its way when the line was cut; repeated or not, nothing comes before its time first.
    assert list(once) == sorted(once)
    heard = list(once.values())
    truth.check_envelope(heard)
    truth.check_moves(heard, truth.as_told(short_game, heard))


@pytest.mark.parametrize("name", brokers.EXTERNAL)
def test_the_last_will_speaks_for_a_killed_daemon(outages, name):
    hall, _ = outages[0][name], outages[1][name].result()
    reader = hall.subscribe(hall.broker.protocols[-1], [NODE])
    states = lambda: [m.payload for m in reader.messages() if m.topic == NODE]  # noqa: E731
    live.wait_for("online", lambda: any(state["state"] == "online" for state in states()))
    hall.daemon.stop(signal.SIGKILL)
    live.wait_for("offline", lambda: states()[-1]["state"] == "offline")
    assert states()[-1]["session"] == states()[0]["session"]


def test_a_broker_that_is_not_there_stops_nobody(binary, short_file, bughoused, tmp_path):
    play = [binary, "simulate", short_file, "--human", "clean", "--seed", "4"]
    simulator = live.Process(play, tmp_path / "simulate.log")
    mqtt = f'broker = "mqtt://127.0.0.1:{live.free_port()}"'
    config = live.configuration(tmp_path, mqtt, live.free_port(), live.ports_of(simulator))
    daemon = live.Process([binary, "run", "--config", config], tmp_path / "daemon.log")

    def recorded():
        listed = bughoused("games", "--data", tmp_path / "data", "--json")
        return listed.returncode == 0 and listed.stdout.strip() not in ("", "[]")

    try:
        live.wait_for("a recorded game", recorded, RECORD_SECONDS_MAX)
        assert daemon.process.poll() is None, daemon.output()
        assert "127.0.0.1" in daemon.output(), "the log names the broker that does not answer"
    finally:
        assert daemon.stop() == 0, daemon.output()
        simulator.stop()

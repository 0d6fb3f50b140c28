"""`bughoused run` on emulated devices with Mosquitto as its broker."""

import json
import signal
import time

import bpgn
import live
import pytest
import replay
import truth

GAME_SECONDS_MAX = 180
QUIET_SECONDS = 3
OUTAGE_SECONDS = 4
RECORD_SECONDS_MAX = 60
EVENTS = "bughouse/table/1/live/event"
NODE = "bughouse/node/e2e/state"


class Hall:
    """A broker, emulated devices and the daemon between them."""

    def __init__(self, binary, game, folder):
        self.binary, self.folder = binary, folder
        self.broker = live.Mosquitto(folder)
        self.subscribers = []
        self.simulator = live.Process(
            [binary, "simulate", game, "--human", "clean", "--seed", "3"], folder / "simulate.log"
        )
        ports = live.ports_of(self.simulator)
        mqtt = f'broker = "mqtt://127.0.0.1:{self.broker.port}"'
        self.config = live.configuration(folder, mqtt, live.free_port(), ports)

    def subscribe(self, protocol, topics, session=None):
        """Another reader, ready before the daemon starts."""
        log = self.folder / f"subscriber-{len(self.subscribers)}.log"
        subscriber = live.Subscriber(self.broker.port, protocol, topics, live.READY_TOPIC, log, session)
        self.subscribers.append(subscriber)
        return subscriber

    def start(self):
        """Starts the daemon."""
        self.daemon = live.Process([self.binary, "run", "--config", self.config], self.folder / "daemon.log")

    def wait_for_moves(self, subscriber, count):
        """Waits until that many moves have come, then for what should not come any more."""
        live.wait_for(f"{count} moves", lambda: len(subscriber.moves()) >= count, GAME_SECONDS_MAX)
        try:
            live.wait_for("a move too many", lambda: len(subscriber.moves()) > count, QUIET_SECONDS)
        except AssertionError:
            return
        raise AssertionError(f"more than {count} moves")

    def close(self):
        """Ends everything."""
        processes = [self.daemon] if hasattr(self, "daemon") else []
        for process in [*processes, self.simulator, *(s.process for s in self.subscribers), self.broker.server]:
            process.stop()


@pytest.fixture
def hall(binary, short_file, tmp_path):
    """An open hall whose daemon has not been started."""
    opened = Hall(binary, short_file, tmp_path)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def played(binary, short_file, short_game, tmp_path_factory):
    """A hall in which one game was played and the daemon was stopped; with what was retained just before."""
    opened = Hall(binary, short_file, tmp_path_factory.mktemp("hall"))
    try:
        readers = {protocol: opened.subscribe(protocol, [EVENTS, NODE]) for protocol in live.PROTOCOLS}
        opened.start()
        opened.wait_for_moves(readers["5"], len(short_game.plies))
        tree = "bughouse/table/1/live"
        leaves = ("state", "bfen", "bpgn", "board/a/fen", "board/b/fen", "board/a/clock", "board/b/clock")
        opened.retained = {leaf: live.retained(opened.broker.port, f"{tree}/{leaf}") for leaf in leaves}
        opened.online = json.loads(live.retained(opened.broker.port, NODE))
        opened.code = opened.daemon.stop(signal.SIGTERM)
        opened.offline = json.loads(live.retained(opened.broker.port, NODE))
        opened.readers = readers
        yield opened
    finally:
        opened.close()


def words(text):
    """Seats and moves of a text with one game."""
    (game,) = bpgn.read(text)
    return [(ply.seat, ply.san) for ply in game.plies]


@pytest.mark.parametrize("protocol", live.PROTOCOLS)
def test_every_move_is_published_once_in_order(played, short_game, protocol):
    events = played.readers[protocol].events()
    truth.check_envelope(events)
    truth.check_moves(events, short_game)
    truth.check_clocks(events, short_game)
    assert len([event for event in events if event["type"] == "game-started"]) == 1


def test_both_protocol_versions_carry_the_same(played):
    first, second = (played.readers[protocol].moves() for protocol in live.PROTOCOLS)
    assert first == second


def test_the_retained_state_is_that_of_the_end(played, short_game):
    final = truth.moves_of(short_game)[-1]
    state = json.loads(played.retained["state"])
    assert replay.plain_bfen(state["bfen"]) == final["bfen"]
    assert replay.plain_bfen(played.retained["bfen"]) == final["bfen"]
    assert sum(board["plies"] for board in state["boards"]) == len(short_game.plies)
    assert state["seq"] >= played.readers["5"].moves()[-1]["seq"]


def test_the_retained_record_reads_back_to_the_game(played, short_game):
    assert words(played.retained["bpgn"]) == [(ply.seat, ply.san) for ply in short_game.plies]


def test_simple_displays_find_a_fen_and_a_clock_for_each_board(played, short_game):
    boards = truth.moves_of(short_game)[-1]["bfen"].split(" | ")
    for letter, bfen in zip("ab", boards, strict=True):
        fen = played.retained[f"board/{letter}/fen"].split()
        assert fen[0].split("[")[0] == "/".join(bfen.split()[0].split("/")[:8])
        clock = json.loads(played.retained[f"board/{letter}/clock"])
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
    assert words(exported.stdout) == words(played.retained["bpgn"])


def test_the_recorded_bytes_replay_to_what_was_published(bughoused, played, tmp_path):
    data = played.folder / "data"
    game = played.readers["5"].moves()[0]["game"]
    capture = tmp_path / "game.jsonl"
    exported = bughoused("export", game, "--format", "capture", "--data", data)
    assert exported.returncode == 0, exported.stderr
    capture.write_text(exported.stdout)
    again = bughoused("replay", capture)
    assert again.returncode == 0, again.stderr
    moves = [event for event in map(json.loads, again.stdout.splitlines()) if event["type"] == "move"]
    told = [(move["seat"], move["move"], replay.plain_bfen(move["bfen"])) for move in moves]
    assert told == [
        (move["seat"], move["move"], replay.plain_bfen(move["bfen"])) for move in played.readers["5"].moves()
    ]


def test_the_last_will_speaks_for_a_killed_daemon(hall):
    reader = hall.subscribe("5", [NODE])
    hall.start()
    states = lambda: [m.payload for m in reader.messages() if m.topic == NODE]  # noqa: E731
    live.wait_for("online", lambda: any(state["state"] == "online" for state in states()))
    hall.daemon.stop(signal.SIGKILL)
    live.wait_for("offline", lambda: states()[-1]["state"] == "offline")
    assert states()[-1]["session"] == states()[0]["session"]


def test_a_broker_that_goes_away_and_comes_back_loses_nothing(hall, short_game):
    reader = hall.subscribe("5", [EVENTS], session="e2e-outage")
    hall.start()
    live.wait_for("some moves", lambda: len(reader.moves()) >= 4, GAME_SECONDS_MAX)
    hall.broker.stop()
    time.sleep(OUTAGE_SECONDS)
    hall.broker.start()
    seqs = lambda: {event["seq"] for event in reader.events() if event["type"] == "move"}  # noqa: E731
    live.wait_for("all moves", lambda: len(seqs()) >= len(short_game.plies), GAME_SECONDS_MAX)
    once = {}
    for event in reader.events():
        assert once.setdefault(event["seq"], event) == event, "the same number for two events"
    # QoS 1 may repeat what was on its way when the line was cut; repeated or not, nothing comes before its time first.
    assert list(once) == sorted(once)
    truth.check_envelope(list(once.values()))
    truth.check_moves(list(once.values()), short_game)


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

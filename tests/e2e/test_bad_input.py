"""What people get wrong: each is answered by a line that says where and what to do, and an exit code."""

import json
import os
import pty

import brokers
import live
import pytest

TYPO = """
[node]
id = "e2e"
data_dir = "data"

[mqtt]
brocker = "embedded"

[[table]]
id = "1"
"""


def test_a_typo_in_the_configuration_is_found_and_mended(bughoused, tmp_path):
    file = tmp_path / "typo.toml"
    file.write_text(TYPO)
    checked = bughoused("check", file)
    assert checked.returncode == 78
    told = checked.stdout + checked.stderr
    assert "typo.toml:7" in told and "brocker" in told and "broker" in told.replace("brocker", "")
    assert bughoused("run", "--config", file).returncode == 78


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ('ruleset = "wbn-9.99"', "wbn-9.99"),
        ('time_control = "five minutes"', "five minutes"),
        ('settle = "fast"', "fast"),
        ("ruleset = 3", "ruleset"),
    ],
)
def test_a_wrong_value_is_named_with_its_place(bughoused, tmp_path, line, wrong):
    file = tmp_path / "wrong.toml"
    file.write_text(f'[node]\nid = "e2e"\ndata_dir = "data"\n\n[[table]]\nid = "1"\n{line}\n')
    checked = bughoused("check", file)
    told = checked.stdout + checked.stderr
    assert checked.returncode == 78, told
    assert "wrong.toml:7" in told and wrong in told


def test_a_configuration_that_is_not_there_is_named(bughoused, tmp_path):
    done = bughoused("run", "--config", tmp_path / "absent.toml")
    assert done.returncode in (69, 78)
    assert "absent.toml" in done.stderr


@pytest.mark.parametrize("command", ["demo", "simulate"])
def test_a_damaged_game_is_refused_with_its_place(bughoused, tmp_path, command):
    file = tmp_path / "damaged.bpgn"
    file.write_text('[Event "x"]\n\n1A. e4 {1.0} 1a. e5 {never closed\n')
    more = ["--once"] if command == "demo" else ["--human", "clean", "--seed", "1", "--capture", tmp_path / "x.jsonl"]
    done = bughoused(command, file, *more)
    assert done.returncode == 65, done.stderr
    assert "damaged.bpgn" in done.stderr and "panicked" not in done.stderr


@pytest.mark.parametrize("text", ["", "no capture at all\n", '{"capture":2}\n', '{"capture":1,"started":"x"}\n'])
def test_a_file_that_is_no_capture_is_refused(bughoused, tmp_path, text):
    file = tmp_path / "bad.jsonl"
    file.write_text(text)
    done = bughoused("replay", file)
    assert done.returncode == 65, done.stderr
    assert "bad.jsonl" in done.stderr and "panicked" not in done.stderr


def test_a_capture_that_breaks_off_is_replayed_as_far_as_it_goes(bughoused, data, tmp_path):
    whole = (data / "captures/clean-31-0000.jsonl").read_text()
    file = tmp_path / "torn.jsonl"
    file.write_text(whole[: len(whole) // 2])
    lines = file.read_text().count("\n") + 1
    done = bughoused("replay", file)
    assert done.returncode == 65 and f"torn.jsonl: line {lines}:" in done.stderr, done.stderr
    assert '"type":"move"' in done.stdout
    assert "panicked" not in done.stderr


@pytest.mark.parametrize("bfen", ["", "x", "9/8/8/8/8/8/8/8 w - -", "rnbqkbnr/pppppppp/8/8 w - -"])
def test_a_position_that_is_none_is_refused(bughoused, bfen):
    done = bughoused("perft", bfen, "1")
    assert done.returncode == 65, done.stdout
    assert done.stderr.strip() and "panicked" not in done.stderr


def test_an_unknown_command_is_a_usage_error(bughoused):
    assert bughoused("frobnicate").returncode == 2


@pytest.fixture
def silent_terminal():
    """A port that is there and never answers."""
    master, slave = pty.openpty()
    yield os.ttyname(slave)
    os.close(master)
    os.close(slave)


def test_ports_that_are_missing_or_silent_are_told_and_stop_nobody(binary, silent_terminal, tmp_path):
    broker = brokers.Mosquitto(tmp_path)
    ports = {"board-a": "/dev/serial/by-id/not-there", "board-b": silent_terminal, "trays": "/dev/null"}
    config = live.configuration(tmp_path, broker.mqtt, live.free_port(), ports)
    daemon = live.Process([binary, "run", "--config", config], tmp_path / "daemon.log")
    try:
        topic = "bughouse/table/1/device/{}/state".format
        state = lambda name: json.loads(live.retained(broker.port, topic(name), brokers.login("arbiter")))  # noqa: E731
        live.wait_for("the first states", lambda: live.listens(broker.port) and "board-a" in daemon.output())
        live.wait_for("silence on board B", lambda: state("board-b")["link"] == "silent")
        assert state("board-a")["link"] == "down"
        assert state("trays")["link"] == "down"
        assert daemon.process.poll() is None
        assert "/dev/serial/by-id/not-there" in daemon.output()
    finally:
        assert daemon.stop() == 0, daemon.output()
        broker.close()

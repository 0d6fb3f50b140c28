"""Processes of a live run: brokers and subscribers of another maker, and what they read.

Ports are free ones, processes end with the test, and nothing waits longer than a named number of seconds.
"""

import json
import os
import random
import re
import signal
import socket
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

START_SECONDS_MAX = 20
STOP_SECONDS_MAX = 10
POLL_SECONDS = 0.05
PORTS = random.sample(range(20_000, 32_000), 2_000)
PORTS_LOCK = threading.Lock()
READY_TOPIC = "bughouse/e2e/ready"
PROTOCOLS = ("311", "5")
# Packages put the server where only root's path looks.
SERVER_PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])


def free_port() -> int:
    """A TCP port that nobody listens on, below those that the system gives to outgoing connections; each only once.

    Some brokers need many seconds until they take theirs: meanwhile it must not go to a client or to another broker.
    """
    while True:
        with PORTS_LOCK, socket.socket() as probe:
            port = PORTS.pop()
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def wait_for(what: str, condition, seconds: float = START_SECONDS_MAX):
    """The first true answer of `condition`; AssertionError after `seconds`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if answer := condition():
            return answer
        time.sleep(POLL_SECONDS)
    raise AssertionError(f"waited {seconds} s for {what}")


def listens(port: int) -> bool:
    """Whether a connection to the port is accepted."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Process:
    """A program in the background, its output in a file."""

    def __init__(self, command: list, log: Path, **more):
        self.log = log
        with log.open("w") as out:
            self.process = subprocess.Popen(
                list(map(str, command)), stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, **more
            )

    def output(self) -> str:
        """What it wrote until now."""
        return self.log.read_text(errors="replace")

    def find(self, pattern: str) -> str:
        """Waits until the pattern's first group stands in the output."""

        def look():
            found = re.search(pattern, self.output())
            assert found or self.process.poll() is None, f"ended early:\n{self.output()}"
            return found

        return wait_for(f"{pattern!r} in {self.log}", look)[1]

    def wait(self, seconds: float) -> int:
        """The exit code, once it ends by itself."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {seconds} s:\n{self.output()}") from None

    def stop(self, with_signal=signal.SIGTERM) -> int:
        """Asks it to end, kills it if it does not, and answers the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(with_signal)
            try:
                self.process.wait(STOP_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode


def at(port: int, login: tuple[str, str] | None = None) -> list[str]:
    """Where a client of Mosquitto's finds the broker, and who it is."""
    return ["-h", "127.0.0.1", "-p", str(port), *(["-u", login[0], "-P", login[1]] if login else [])]


@dataclass(frozen=True)
class Message:
    """What a subscriber got."""

    topic: str
    retained: bool
    payload: dict


class Subscriber:
    """mosquitto_sub on some topics with JSON payloads; ready once `marker`, a retained topic, has arrived."""

    def __init__(
        self,
        port: int,
        protocol: str,
        topics: list[str],
        marker: str,
        log: Path,
        session: str | None = None,
        login: tuple[str, str] | None = None,
    ):
        command = ["mosquitto_sub", *at(port, login), "-V", protocol, "-q", "1", "-F", "%t\t%r\t%p"]
        for topic in [*topics, marker]:
            command += ["-t", topic]
        if session:
            command += ["-i", session, "--disable-clean-session"]
            command += ["-x", "3600"] if protocol == "5" else []
        self.process = Process(command, log)
        wait_for(f"a first message on {marker}", lambda: "\t1\t" in self.process.output())

    def messages(self) -> list[Message]:
        """Everything until now. A last line that is still being written is left for the next call."""
        lines = self.process.output().splitlines(keepends=True)
        split = [line.rstrip("\n").split("\t", 2) for line in lines if line.endswith("\n") and line.count("\t") >= 2]
        return [Message(topic, retained == "1", json.loads(payload)) for topic, retained, payload in split]

    def events(self) -> list[dict]:
        """The event stream."""
        return [message.payload for message in self.messages() if message.topic.endswith("/live/event")]

    def moves(self) -> list[dict]:
        """The completed moves."""
        return [event for event in self.events() if event["type"] == "move"]

    def stop(self) -> None:
        """Ends it."""
        self.process.stop()


def retained(port: int, topic: str, login: tuple[str, str] | None = None) -> str:
    """The retained payload of a topic, as a new subscriber gets it."""
    command = ["mosquitto_sub", *at(port, login), "-V", "311", "-t", topic, "-C", "1", "-W", "10", "-F", "%r %p"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=START_SECONDS_MAX)
    assert done.returncode == 0, f"nothing retained on {topic}: {done.stderr}"
    flag, payload = done.stdout.split(" ", 1)
    assert flag == "1", f"{topic} is not retained"
    return payload.removesuffix("\n")


def ports_of(simulator: Process) -> dict[str, str]:
    """Device name to pseudo-terminal, as `simulate` prints them."""

    def look():
        found, name = {}, None
        for word in re.findall(r"board-a|board-b|trays|/dev/pts/\d+", simulator.output()):
            if word.startswith("/dev/"):
                found.setdefault(name, word)
            name = word
        found.pop(None, None)
        assert simulator.process.poll() is None, f"simulate ended early:\n{simulator.output()}"
        return found if len(found) == 3 else None

    return wait_for("three pseudo-terminals", look)


def table(ports: dict[str, str], name: str = "1", more: str = "") -> str:
    """What a configuration says of a table on these ports."""
    boards = "".join(
        f"""
        [[table.device]]
        name = "board-{letter.lower()}"
        driver = "dgt"
        port = "{ports[f"board-{letter.lower()}"]}"
        board = "{letter}"
        clock = true
        """
        for letter in "AB"
    )
    return f"""
        [[table]]
        id = "{name}"
        time_control = "180+0"
        {more}
        {boards}
        [[table.device]]
        name = "trays"
        driver = "bslp"
        port = "{ports["trays"]}"
        pockets = ["A", "a", "B", "b"]
    """


def configuration(folder: Path, mqtt: str, web_port: int, tables: dict[str, str] | str, more: str = "") -> Path:
    """A configuration of one table on these ports, or of what `table` has written."""
    tables = tables if isinstance(tables, str) else table(tables)
    text = f"""
        [node]
        id = "e2e"
        data_dir = "{folder / "data"}"
        [mqtt]
        {mqtt}
        {more}
        [web]
        listen = "127.0.0.1:{web_port}"
        {tables}
    """
    path = folder / "bughoused.toml"
    path.write_text("\n".join(line.strip() for line in text.splitlines()))
    return path

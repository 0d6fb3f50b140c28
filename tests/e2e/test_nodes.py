"""Several nodes on one broker, and tables that come and go with the configuration."""

import json
import signal
import subprocess

import brokers
import live
import pytest

ABSENT = {name: "/dev/serial/by-id/none-" + name for name in ("board-a", "board-b", "trays")}


class Node:
    """A daemon without devices."""

    def __init__(self, binary, broker, name, tables):
        self.folder, self.broker, self.name = broker.folder / name, broker, name
        self.folder.mkdir()
        self.web, self.config = live.free_port(), None
        self.write(tables)
        self.process = live.Process([binary, "run", "--config", self.config], self.folder / "daemon.log")

    def write(self, tables):
        """Writes a configuration with these tables and their time controls."""
        self.config = live.configuration(self.folder, self.broker.mqtt, self.web, ABSENT)
        head, table = self.config.read_text().replace('"e2e"', f'"{self.name}"').split("[[table]]", 1)
        # Ports are each table's own.
        for id, terms in tables.items():
            own = table.replace('id = "1"', f'id = "{id}"').replace("180+0", terms).replace("none", f"none-{id}")
            head += f"[[table]]{own}"
        self.config.write_text(head)

    def reload(self):
        """SIGHUP."""
        self.process.process.send_signal(signal.SIGHUP)


def state(broker, table):
    """What the broker keeps of a table; none if nothing."""
    topic = f"bughouse/table/{table}/live/state"
    command = ["mosquitto_sub", *live.at(broker.port, brokers.login("arbiter")), "-t", topic, "-C", "1", "-W", "1"]
    done = subprocess.run(command, capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout.strip() else None


def ask(broker, table, verb):
    """All answers that come to one request."""
    listen = ["mosquitto_sub", *live.at(broker.port, brokers.login("arbiter")), "-W", "3"]
    listen += ["-t", f"bughouse/table/{table}/arbiter/response/{verb}", "-t", live.READY_TOPIC, "-F", "%t %p"]
    listener = subprocess.Popen(listen, stdout=subprocess.PIPE, text=True)
    assert live.READY_TOPIC in listener.stdout.readline()
    publish = ["mosquitto_pub", *live.at(broker.port, brokers.login("arbiter"))]
    subprocess.run([*publish, "-t", f"bughouse/table/{table}/arbiter/request/{verb}", "-m", "{}"], check=True)
    answers = [json.loads(line.split(" ", 1)[1]) for line in listener.communicate()[0].splitlines()]
    return [(answer["status"], answer["session"]) for answer in answers]


@pytest.fixture
def broker(tmp_path):
    """Mosquitto."""
    started = brokers.Mosquitto(tmp_path)
    yield started
    started.close()


def test_two_nodes_share_a_broker_and_not_their_tables(binary, broker):
    nodes = [Node(binary, broker, "north", {"1": "180+0"}), Node(binary, broker, "south", {"2": "300+0"})]
    try:
        states = [live.wait_for("the tables", lambda table=table: state(broker, table)) for table in "12"]
        assert states[0]["session"] != states[1]["session"]
        assert [one["time_control"] for one in states] == ["180+0", "300+0"]
        for table, own in zip("12", states, strict=True):
            assert ask(broker, table, "new-game") == [("ok", own["session"])], "one node answers, the right one"
        nodes[0].process.stop(signal.SIGKILL)
        kept = lambda: live.retained(broker.port, "bughouse/node/north/state", brokers.login("display"))  # noqa: E731
        live.wait_for("north's will", lambda: json.loads(kept())["state"] == "offline")
        assert ask(broker, "2", "abort") == [("ok", states[1]["session"])]
    finally:
        for node in nodes:
            node.process.stop()


def test_tables_come_and_go_with_the_configuration(binary, broker):
    node = Node(binary, broker, "north", {"1": "180+0", "2": "180+0"})
    try:
        live.wait_for("the tables", lambda: state(broker, "1") and state(broker, "2"))
        node.write({"2": "300+0", "3": "180+0"})
        node.reload()
        live.wait_for("the new table", lambda: state(broker, "3"))
        live.wait_for("the changed table", lambda: state(broker, "2")["time_control"] == "300+0")
        live.wait_for("the table that is taken out", lambda: state(broker, "1") is None)
        assert [status for status, _ in ask(broker, "3", "new-game")] == ["ok"]
        assert ask(broker, "1", "new-game") == [], "nobody speaks for a table that is not there"
        node.config.write_text("[[tabel]]\n")
        node.reload()
        node.process.find(r"(the configuration that is in use stays)")
        assert [status for status, _ in ask(broker, "2", "new-game")] == ["ok"]
        assert state(broker, "3")["status"] == "playing"
    finally:
        assert node.process.stop() == 0, node.process.output()

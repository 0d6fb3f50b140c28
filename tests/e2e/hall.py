"""A broker, emulated devices and the daemon between them."""

import json
import subprocess

import brokers
import contract
import live

GAME_SECONDS_MAX = 180
QUIET_SECONDS = 3
NODE = "bughouse/node/e2e/state"


class Hall:
    """One table on one broker. A witness hears everything, and fails the test on what breaks the contract."""

    def __init__(self, binary, game, folder, broker="mosquitto", seed=3):
        self.binary = binary
        self.broker = brokers.start(broker, folder, binary)
        self.folder = self.broker.folder
        self.subscribers = []
        self.witness = self.daemon = self.simulator = None
        try:
            self.set_up(game, seed)
        except BaseException:
            self.close()
            raise

    def set_up(self, game, seed):
        """Devices, a configuration that names them, and the witness."""
        self.simulator = live.Process(
            [self.binary, "simulate", game, "--human", "clean", "--seed", seed], self.folder / "simulate.log"
        )
        ports = live.ports_of(self.simulator)
        self.config = live.configuration(
            self.folder, self.broker.mqtt, live.free_port(), ports, more=self.broker.more
        )
        if self.broker.external:
            self.watch()

    def watch(self):
        """The witness comes in."""
        self.witness = contract.Witness(
            contract.Contract(self.binary), self.broker.port, brokers.login("arbiter"), self.broker.protocols[-1]
        )
        live.wait_for("the witness", lambda: self.witness.ready)

    def subscribe(self, protocol, topics, session=None, role="display"):
        """Another reader, ready as soon as the broker knows it."""
        log = self.folder / f"subscriber-{len(self.subscribers)}.log"
        marker = live.READY_TOPIC if self.broker.external else NODE
        role = role if not self.broker.external else "node" if role == "display" else role
        login = brokers.login(role)
        subscriber = live.Subscriber(self.broker.port, protocol, topics, marker, log, session, login)
        self.subscribers.append(subscriber)
        return subscriber

    def start(self):
        """Starts the daemon."""
        self.daemon = live.Process([self.binary, "run", "--config", self.config], self.folder / "daemon.log")
        if not self.broker.external:
            live.wait_for("the daemon's broker", lambda: live.listens(self.broker.port))
            self.watch()

    def retained(self, topic):
        """What the broker keeps on a topic."""
        return live.retained(self.broker.port, topic, brokers.login("arbiter"))

    def next(self, topic):
        """The first message that matches, kept by the broker or not."""
        command = ["mosquitto_sub", *live.at(self.broker.port, brokers.login("arbiter")), "-V", "311", "-t", topic]
        done = subprocess.run([*command, "-C", "1", "-W", "10"], capture_output=True, text=True, timeout=20)
        assert done.returncode == 0, f"nothing on {topic}: {done.stderr}"
        return done.stdout

    def ask_display(self, topic, question, answer):
        """What comes on a topic when a display asks."""
        subscriber = self.subscribe(self.broker.protocols[0], [answer])
        who = live.at(self.broker.port, brokers.login("display"))
        asked = ["mosquitto_pub", *who, "-V", "311", "-q", "1", "-t", topic, "-m", json.dumps(question)]
        subprocess.run(asked, check=True, timeout=20)
        answers = lambda: [one.payload for one in subscriber.messages() if one.topic == answer]  # noqa: E731
        live.wait_for(f"an answer on {answer}", answers)
        return answers()[0]

    def wait_for_moves(self, subscriber, count):
        """Waits until that many moves have come, then for what should not come any more."""
        live.wait_for(f"{count} moves", lambda: len(subscriber.moves()) >= count, GAME_SECONDS_MAX)
        try:
            live.wait_for("a move too many", lambda: len(subscriber.moves()) > count, QUIET_SECONDS)
        except AssertionError:
            return
        raise AssertionError(f"more than {count} moves")

    def close(self):
        """Ends everything, then says what the witness found."""
        for process in [self.daemon, self.simulator, *(s.process for s in self.subscribers)]:
            if process:
                process.stop()
        try:
            if self.witness:
                self.witness.close()
        finally:
            self.broker.close()

    def json(self, topic):
        """A retained JSON message."""
        return json.loads(self.retained(topic))

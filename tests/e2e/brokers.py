"""Brokers that carry the suite: the embedded one and real programs of other makers, each with the shipped settings.

Every one knows the same four roles. `mqtt` is what the daemon's configuration says of it; the embedded broker lives in
the daemon itself.
"""

import base64
import hashlib
import json
import os
import subprocess
from pathlib import Path

import live

ROOT = Path(__file__).resolve().parent.parent.parent
SHIPPED = ROOT / "examples/brokers"
PASSWORDS = {"node": "node-e2e", "arbiter": "arbiter-e2e", "display": "display-e2e", "public": "public"}
RABBITMQ = Path("/usr/lib/rabbitmq/lib")
RABBITMQ_SECONDS_MAX = 90


def login(role: str) -> tuple[str, str] | None:
    """User and password of a role; none for the anonymous one."""
    return None if role == "public" else (role, PASSWORDS[role])


def shipped(name: str) -> str:
    """A file of `examples/brokers`."""
    return (SHIPPED / name).read_text()


def replaced(text: str, *pairs: tuple[str, str]) -> str:
    """The text with each pair's first part, which must be there, replaced by the second."""
    for old, new in pairs:
        assert old in text, f"expected {old!r} in the shipped file"
        text = text.replace(old, new)
    return text


def secret(path: Path, text: str) -> Path:
    """A file that only we may read."""
    path.touch(mode=0o600)
    path.write_text(text + "\n")
    return path


class Broker:
    """What all of them have."""

    name = ""
    protocols = ("311",)
    external = True

    def __init__(self, folder: Path):
        self.folder = folder / self.name
        self.folder.mkdir(exist_ok=True)
        self.port = live.free_port()
        password = secret(self.folder / "node.password", PASSWORDS["node"])
        self.mqtt = f'broker = "mqtt://127.0.0.1:{self.port}"\nuser = "node"\npassword_file = "{password}"'
        self.more = ""
        self.write()
        self.start()

    def write(self) -> None:
        """Writes its settings."""

    def start(self) -> None:
        """Starts it, or starts it again, and leaves a retained marker for subscribers."""
        self.launch()
        live.wait_for(f"{self.name} to listen", self.listens, RABBITMQ_SECONDS_MAX)
        publish = ["mosquitto_pub", "-h", "127.0.0.1", "-p", str(self.port), "-V", "311", "-q", "1", "-r"]
        user = ["-u", "node", "-P", PASSWORDS["node"]]
        command = [*publish, *user, "-t", live.READY_TOPIC, "-m", "{}"]
        told = lambda: subprocess.run(command, capture_output=True, timeout=20).returncode == 0  # noqa: E731
        live.wait_for(f"{self.name} to take a message", told, RABBITMQ_SECONDS_MAX)

    def listens(self) -> bool:
        """Whether it is there; an early end is told with its log."""
        ended = self.server.process.poll() is not None
        assert not ended, f"{self.name} ended:\n{self.server.output()}"
        return live.listens(self.port)

    def launch(self) -> None:
        """Starts the program as `self.server`."""
        raise NotImplementedError

    def stop(self) -> None:
        """Ends it in order, so that it writes what it remembers."""
        self.server.stop()

    close = stop


class Mosquitto(Broker):
    """Eclipse Mosquitto."""

    name = "mosquitto"
    protocols = ("311", "5")

    def write(self) -> None:
        self.config = self.folder / "mosquitto.conf"
        passwords = self.folder / "passwd"
        passwords.write_text("".join(f"{role}:{word}\n" for role, word in PASSWORDS.items() if role != "public"))
        subprocess.run(["mosquitto_passwd", "-U", passwords], check=True)
        acl = self.folder / "acl"
        acl.write_text(shipped("mosquitto.acl"))
        text = replaced(
            shipped("mosquitto.conf"),
            ("/etc/mosquitto/bughouse.passwd", str(passwords)),
            ("/etc/mosquitto/bughouse.acl", str(acl)),
            ("listener 1883 127.0.0.1", f"listener {self.port} 127.0.0.1"),
        )
        user = "user root\n" if os.geteuid() == 0 else ""
        self.config.write_text(f"{text}persistence_location {self.folder}/\n{user}")

    def launch(self) -> None:
        environment = {**os.environ, "PATH": live.SERVER_PATH}
        self.server = live.Process(["mosquitto", "-c", self.config], self.folder / "mosquitto.log", env=environment)


class OpenMosquitto(Mosquitto):
    """The same where anybody may read what is live, as its access list proposes."""

    def write(self) -> None:
        super().write()
        acl = self.folder / "acl"
        opened = ("topic read bughouse/table/+/live/#\n", "topic write bughouse/table/+/live/request/events\n")
        acl.write_text(replaced(acl.read_text(), *((f"# {line}", line) for line in opened)))


class Nats(Broker):
    """NATS with JetStream and its MQTT listener."""

    name = "nats"

    def write(self) -> None:
        self.config = self.folder / "nats.conf"
        text = replaced(
            shipped("nats.conf"),
            ('listen: "127.0.0.1:4222"', f'listen: "127.0.0.1:{live.free_port()}"'),
            ('listen: "127.0.0.1:1883"', f'listen: "127.0.0.1:{self.port}"'),
            ("/var/lib/nats", str(self.folder / "store")),
        )
        self.config.write_text(text)

    def launch(self) -> None:
        words = {f"{role.upper()}_PASSWORD": word for role, word in PASSWORDS.items()}
        environment = {**os.environ, "PATH": live.SERVER_PATH, **words}
        self.server = live.Process(["nats-server", "-c", self.config], self.folder / "nats.log", env=environment)


class RabbitMq(Broker):
    """RabbitMQ with its MQTT plugin, and a port mapper of its own."""

    name = "rabbitmq"

    def write(self) -> None:
        # It gives retained messages to exact topics only.
        self.mqtt += '\nrefresh = "2s"'
        definitions = json.loads(shipped("rabbitmq.json"))
        for user in definitions["users"]:
            salt = os.urandom(4)
            digest = hashlib.sha256(salt + PASSWORDS[user["name"]].encode()).digest()
            user["password_hash"] = base64.b64encode(salt + digest).decode()
        file = self.folder / "bughouse.json"
        file.write_text(json.dumps(definitions))
        text = replaced(
            shipped("rabbitmq.conf"),
            ("127.0.0.1:1883", f"127.0.0.1:{self.port}"),
            ("/etc/rabbitmq/bughouse.json", str(file)),
        )
        (self.folder / "rabbitmq.conf").write_text(text + "log.console = true\nlog.file = false\n")
        (self.folder / "enabled_plugins").write_text("[rabbitmq_mqtt].\n")
        mapper = live.free_port()
        self.environment = {
            **os.environ,
            "HOME": str(self.folder),
            "RABBITMQ_NODENAME": f"bughoused{self.port}@localhost",
            "RABBITMQ_MNESIA_BASE": str(self.folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(self.folder / "log"),
            "RABBITMQ_CONFIG_FILE": str(self.folder / "rabbitmq.conf"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "enabled_plugins"),
            "RABBITMQ_DIST_PORT": str(live.free_port()),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+S 1",
            "ERL_EPMD_PORT": str(mapper),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
        }
        command = ["epmd", "-port", mapper, "-address", "127.0.0.1"]
        self.mapper = live.Process(command, self.folder / "epmd.log")

    def launch(self) -> None:
        programs = sorted(RABBITMQ.glob("rabbitmq_server-*/sbin/rabbitmq-server"))
        assert programs, f"expected rabbitmq-server below {RABBITMQ}; apt install rabbitmq-server"
        self.server = live.Process([programs[-1]], self.folder / "rabbitmq.log", env=self.environment)

    def close(self) -> None:
        self.server.stop()
        self.mapper.stop()


class Embedded:
    """The broker inside the daemon: starts and ends with it. The arbiter's password is hashed."""

    name = "embedded"
    protocols = ("311", "5")
    external = False

    def __init__(self, folder: Path, binary: Path):
        self.folder = folder / self.name
        self.folder.mkdir(exist_ok=True)
        self.port = live.free_port()
        typed = PASSWORDS["arbiter"]
        hashed = subprocess.run([binary, "password"], input=typed, capture_output=True, text=True, check=True).stdout
        arbiter = secret(self.folder / "arbiter.password", hashed.strip())
        display = secret(self.folder / "display.password", PASSWORDS["display"])
        self.mqtt = f'broker = "embedded"\nlisten = "127.0.0.1:{self.port}"'
        self.more = f'[auth]\narbiter_password_file = "{arbiter}"\ndisplay_password_file = "{display}"'

    def stop(self) -> None:
        """It ends with the daemon."""

    close = stop


NAMES = ("embedded", "mosquitto", "rabbitmq", "nats")
EXTERNAL = NAMES[1:]


def start(name: str, folder: Path, binary: Path):
    """A broker of this name, running unless it is the embedded one."""
    makers = {"mosquitto": Mosquitto, "open-mosquitto": OpenMosquitto, "rabbitmq": RabbitMq, "nats": Nats}
    return Embedded(folder, binary) if name == "embedded" else makers[name](folder)

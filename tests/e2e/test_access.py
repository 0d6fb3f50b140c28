"""Who may read and write what, against the real brokers with the shipped settings; and encrypted connections.

What counts is what arrives: brokers differ in how they say no, some acknowledge what they then drop.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import brokers
import live
import paho.mqtt.client as mqtt
import pytest

ROLES = ("node", "arbiter", "display", "public")
PUBLIC = ("table/1/public/state", "table/1/public/event", "table/1/public/board/a/clock", "node/n/state")
LIVE = ("table/1/live/state", "table/1/live/event", "table/1/live/board/b/fen", "table/1/live/bpgn")
ASK = "table/1/live/request/events"
SECRET = (
    "table/1/arbiter/state", "table/1/arbiter/incident", "table/1/arbiter/request/claim",
    "table/1/arbiter/response/claim", "table/1/device/board-a/state", "node/n/info", "node/n/health", "node/n/log",
    "ctl/republish",
)  # fmt: skip
TOPICS = (*PUBLIC, *LIVE, ASK, *SECRET)
FILTERS = ("#", "+/+/+/+/+", "table/#", "table/+/arbiter/#", "$SYS/#", "table/1/+/state")
MAY_READ = {"node": {*TOPICS}, "arbiter": {*TOPICS}, "display": {*PUBLIC, *LIVE, ASK}, "public": {*PUBLIC}}
REQUESTS = {"table/1/arbiter/request/claim", "ctl/republish", ASK}
MAY_WRITE = {"node": {*TOPICS}, "arbiter": REQUESTS, "display": {ASK}, "public": set()}
QUIET_SECONDS = 1
SECONDS_MAX = 20


class Client:
    """One MQTT 3.1.1 client, which every broker understands."""

    def __init__(self, port, role, filters=()):
        self.heard, self.answers, self.connected = set(), 0, threading.Event()
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv311)
        if login := brokers.login(role):
            self.client.username_pw_set(*login)
        self.client.on_connect = lambda *_: self.connected.set()
        self.client.on_subscribe = self.on_subscribe
        self.client.on_disconnect = self.on_subscribe  # some hang up on who asks for too much
        self.client.on_message = self.on_message
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        assert self.connected.wait(SECONDS_MAX), role
        for wanted in filters:
            self.client.subscribe(wanted if wanted.startswith("$") else f"bughouse/{wanted}", 1)
        live.wait_for(f"answers to {role}", lambda: self.answers >= len(filters))

    def on_subscribe(self, *_):
        """Granted or not."""
        self.answers += 1

    def on_message(self, client, userdata, message):
        """Notes topic and text."""
        self.heard.add((message.topic, message.payload.decode()))

    def write(self, topic, text):
        """Publishes below the prefix."""
        self.client.publish(f"bughouse/{topic}", text, 1)

    def close(self):
        """Ends it."""
        self.client.disconnect()
        self.client.loop_stop()


def clients(port, role, filters):
    """A client for each list of filters: one that is thrown out takes no other with it."""
    with ThreadPoolExecutor(len(filters)) as pool:
        return list(pool.map(lambda wanted: Client(port, role, wanted), filters))


def close(opened):
    """Ends all of them."""
    with ThreadPoolExecutor(len(opened)) as pool:
        list(pool.map(Client.close, opened))


@pytest.fixture(scope="module")
def running(binary, tmp_path_factory):
    """All brokers with no table on them; the embedded one in a daemon whose table has no devices."""
    folder = tmp_path_factory.mktemp("access")
    with ThreadPoolExecutor(len(brokers.NAMES)) as pool:
        started = dict(zip(brokers.NAMES, pool.map(lambda n: brokers.start(n, folder, binary), brokers.NAMES)))
    embedded = started["embedded"]
    ports = {name: "/dev/serial/by-id/none-" + name for name in ("board-a", "board-b", "trays")}
    config = live.configuration(embedded.folder, embedded.mqtt, live.free_port(), ports, more=embedded.more)
    daemon = live.Process([binary, "run", "--config", config], embedded.folder / "daemon.log")
    live.wait_for("the daemon's broker", lambda: live.listens(embedded.port))
    yield started
    daemon.stop()
    for broker in started.values():
        broker.close()


@pytest.fixture(params=brokers.NAMES)
def broker(running, request):
    """One of them."""
    return running[request.param]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", brokers.EXTERNAL)
def test_a_role_hears_what_it_may_and_nothing_else(running, name, role):
    """On the embedded broker only its own daemon may write: that case is a test in Rust."""
    broker = running[name]
    single = clients(broker.port, role, [[topic] for topic in TOPICS])
    wide = clients(broker.port, role, [[one] for one in FILTERS])
    node = Client(broker.port, "node")
    try:
        text = f"for {role}"
        for topic in TOPICS:
            node.write(topic, text)
        expected = {(f"bughouse/{topic}", text) for topic in MAY_READ[role]}
        heard = lambda clients: {one for client in clients for one in client.heard if one[1] == text}  # noqa: E731
        live.wait_for("all that it may hear", lambda: heard(single) >= expected)
        time.sleep(QUIET_SECONDS)
        assert heard(single) == expected
        assert heard(wide) <= expected, "a wide filter opens nothing"
    finally:
        close([*single, *wide, node])


@pytest.mark.parametrize(
    ("name", "role"), [(name, role) for name in brokers.NAMES for role in ROLES if (name, role) != ("embedded", "node")]
)
def test_a_role_writes_what_it_may_and_nothing_else(running, name, role):
    """The password of the embedded broker's node is new with every start and nobody else's."""
    broker = running[name]
    reader = Client(broker.port, "node" if broker.external else "arbiter", ["#"])
    writers = clients(broker.port, role, [[] for _ in TOPICS])
    try:
        text = f'{{"from":"{role}"}}'
        for client, topic in zip(writers, TOPICS, strict=True):
            client.write(topic, text)
        expected = {f"bughouse/{topic}" for topic in MAY_WRITE[role]}
        heard = lambda: {topic for topic, payload in reader.heard if payload == text}  # noqa: E731
        live.wait_for("all that it may write", lambda: heard() >= expected)
        time.sleep(QUIET_SECONDS)
        assert heard() == expected
    finally:
        close([*writers, reader])


@pytest.mark.parametrize("user", [("arbiter", "wrong"), ("node", ""), ("nobody", "x")])
def test_a_wrong_password_opens_nothing(broker, user):
    answers = []
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv311)
    client.username_pw_set(*user)
    client.on_connect = lambda c, u, flags, code, properties: answers.append(code)
    client.on_disconnect = lambda c, u, flags, code, properties: answers.append(code)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    live.wait_for("a refusal", lambda: answers)
    client.disconnect()
    client.loop_stop()
    assert answers[0].is_failure, answers

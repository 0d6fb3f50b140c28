"""A table at which a script plays, and an arbiter who hears everything and asks for verbs.

Beside the steps of `desk`, a script has: `@WORDS` waits until the arbiter is told of an event that begins with these
words, `?verb{…}` asks with this data, `?verb#7{…}` under this transaction, `?verb{…}=code` is refused with this code.
`~` is a space there, and `"$kind"` the number of the last incident of that kind.
"""

import json
import re
import threading
import time
import uuid
from collections import namedtuple

import brokers
import live
import paho.mqtt.client as mqtt
from desk import SETTLED_SECONDS, Desk
from hall import Hall
from paho.mqtt.packettypes import PacketTypes

TABLE_TOPIC = "bughouse/table"
ANSWER_SECONDS = 10
TOLD_SECONDS = 15
# Hands are given less time than at a real table: the evening is short.
GRACES = 'lift_grace = "1s"\npass_grace = "500ms"'
# Refusals that call the arbiter, or count against who asked (WBN 3.4, 7.12d).
HEARD = ("wrong-claim", "not-seen")
# What time alone changes.
PASSING = ("v", "session", "t", "time")
# Envelope of an answer; what is left stands in a replay, too.
ENVELOPE = ("v", "session", "table", "game", "t", "time")

# Verb, transaction, data, code.
ASKS = re.compile(r"\?([\w-]+)(?:#(\w+))?(\{.*\})(?:=([\w-]+))?")

Heard = namedtuple("Heard", "topic payload properties retain")
Done = namedtuple("Done", "verb data transaction answer")


class Reader:
    """A client that remembers all that it is given: topic, payload, and properties as text."""

    def __init__(self, port, login, topics):
        self.messages, self.came, self.ready = [], threading.Condition(), threading.Event()
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        if login:
            self.client.username_pw_set(*login)
        self.client.on_connect = lambda client, *_: client.subscribe([(topic, 1) for topic in topics])
        self.client.on_subscribe = lambda *_: self.ready.set()
        self.client.on_message = self.on_message
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        assert self.ready.wait(ANSWER_SECONDS), "no subscription"

    def on_message(self, client, userdata, message):
        """Keeps it."""
        with self.came:
            self.messages.append(Heard(message.topic, message.payload, message.properties, message.retain))
            self.came.notify_all()

    def heard(self):
        """All until now."""
        with self.came:
            return list(self.messages)

    def wait_for(self, what, look, seconds=ANSWER_SECONDS):
        """The first true answer of `look`, tried at every message."""
        end = time.monotonic() + seconds
        while not (found := look()):
            with self.came:
                assert self.came.wait(min(1, max(0, end - time.monotonic()))) or time.monotonic() < end, f"no {what}"
        return found

    def close(self):
        """Ends it."""
        self.client.disconnect()
        self.client.loop_stop()


class Arbiter(Reader):
    """The arbiter of one table."""

    def __init__(self, port, table="1"):
        self.topic = f"{TABLE_TOPIC}/{table}"
        self.feeds = (f"{self.topic}/arbiter/incident", f"{self.topic}/live/event")
        answers = f"{self.topic}/arbiter/response/#"
        super().__init__(port, brokers.login("arbiter"), [*self.feeds, f"{self.topic}/arbiter/state", answers])

    def events(self):
        """Events of both feeds in the order in which they came."""
        return [json.loads(message.payload) for message in self.heard() if message.topic in self.feeds]

    def told(self):
        """Incidents, ends and corrections in words."""
        return [words for event in self.events() if (words := in_words(event))]

    def answers(self):
        """All answers in order, as a table gives them; what never reached the table is left out."""
        topic = f"{self.topic}/arbiter/response/"
        answers = [json.loads(message.payload) for message in self.heard() if message.topic.startswith(topic)]
        return [{key: a[key] for key in a if key not in ENVELOPE} for a in answers if "t" in a]

    def states(self):
        """What was retained for the arbiter, one after the other."""
        topic = f"{self.topic}/arbiter/state"
        return [json.loads(message.payload) for message in self.heard() if message.topic == topic]

    def state(self, since=0):
        """The last one, told at `since` or later."""
        look = lambda: [state for state in self.states()[-1:] if state["t"] >= since]  # noqa: E731
        return timeless(self.wait_for("arbiter's state", look)[0])

    def ask_raw(self, *asked):
        """Publishes requests, verb and payload each, as they are; their answers."""
        marks = [uuid.uuid4().bytes for _ in asked]
        for (verb, payload), mark in zip(asked, marks, strict=True):
            properties = mqtt.Properties(PacketTypes.PUBLISH)
            properties.ResponseTopic, properties.CorrelationData = f"{self.topic}/arbiter/response/e2e", mark
            self.client.publish(f"{self.topic}/arbiter/request/{verb}", payload, 1, properties=properties)

        def look():
            found = {getattr(message.properties, "CorrelationData", None): message.payload for message in self.heard()}
            return all(mark in found for mark in marks) and [json.loads(found[mark]) for mark in marks]

        return self.wait_for(f"answer to {asked}"[:200], look)

    def now(self):
        """The arbiter's state and all events but those of the clocks."""
        return self.heard_by(self.ask("fly", {}))

    def heard_by(self, answer):
        """The same when this answer came."""
        return self.state(answer["t"]), [event for event in self.events() if event["type"] != "clock"]

    def ask(self, verb, data, transaction=None):
        """Asks for a verb; the answer."""
        payload = {"data": data, **({"transaction": transaction} if transaction else {})}
        return self.ask_raw((verb, json.dumps(payload)))[0]

    def refuse(self, *cases):
        """Verbs with a payload and a code: each is refused, says what was expected, and changes nothing."""
        state, events = self.now()
        told = len(self.states())
        *answers, last = self.ask_raw(*(case[:2] for case in cases), ("fly", ""))
        for (verb, payload, code), answer in zip(cases, answers, strict=True):
            asked = f"{verb} {payload[:100]!r}"
            assert answer["status"] == "error" and answer["error"]["code"] == code, f"{asked}: {answer}"
            assert re.search(r"expected .+(found|: )", answer["error"]["message"]), answer
        if code not in HEARD:
            assert self.heard_by(last) == (state, events), f"{cases[0]}…: {self.events()[len(events) :]}"
            for after in map(timeless, self.states()[told:]):
                assert after == state, {key: (state[key], after[key]) for key in state if state[key] != after[key]}


def timeless(state):
    """The arbiter's state without what time alone changes."""
    return {**state, "boards": [{**board, "clock": None} for board in state["boards"]], **dict.fromkeys(PASSING)}


def in_words(event):
    """As `tests/it/referee` has it: `illegal-move A decisive geometry`, `lapsed paused`, `ended 1-0 a resigns`."""
    match event["type"]:
        case "incident" if event["state"] == "open":
            return f"{event['kind']} {event['seat'] or '-'} {event['grade']} {event['reason']}".rstrip()
        case "incident":
            return f"{event['state']} {event['kind']}"
        case "game-ended":
            return f"ended {event['result']} {event['by']} {event['reason']}"
        case "game-started":
            return "started"
        case "correction":
            moves = " ".join(move["san"] for move in event["moves"])
            return f"corrected {event['board']} {moves}".rstrip()
    return None


class Play:
    """One table with its arbiter, played by scripts."""

    def __init__(self, desk, arbiter):
        self.desk, self.arbiter = desk, arbiter
        # Places in what was told that scripts have waited for, and where this script's begin.
        self.awaited, self.begins = set(), 0
        # What was carried out: verb and data, in order.
        self.done = []

    def play(self, script):
        """Does all of it."""
        self.begins = len(self.arbiter.told())
        for word in script.split():
            if word[0] == "@":
                self.wait(word[1:].replace("~", " "))
            elif word[0] == "?":
                self.ask(*ASKS.fullmatch(word).groups())
            else:
                self.desk.step(word)

    def wait(self, words):
        """Waits for something told since the script began that begins so and was not waited for."""

        def look():
            told = enumerate(self.arbiter.told())
            begin = (n for n, line in told if n >= self.begins and n not in self.awaited and line.startswith(words))
            return [*begin][:1]

        try:
            self.awaited |= {*self.arbiter.wait_for(words, look, TOLD_SECONDS)}
        except AssertionError as error:
            raise AssertionError(f"{error} in {self.arbiter.told()[self.begins :]}") from None

    def incident(self, kind):
        """The number of the last one."""
        return [event["id"] for event in self.arbiter.events() if event.get("kind") == kind][-1]

    def ask(self, verb, transaction, data, code):
        """Asks; what is carried out is remembered."""
        data = re.sub(r'"\$([\w-]+)"', lambda kind: str(self.incident(kind[1])), data.replace("~", " "))
        if code:
            self.arbiter.refuse((verb, data, code))
            return
        answer = self.arbiter.ask(verb, json.loads(data), transaction)
        assert answer["status"] == "ok", f"{verb} {data}: {answer}"
        self.done.append(Done(verb, json.loads(data), transaction, answer.get("data")))


class Evening(Hall):
    """A hall with one table, or several, each with hands and an arbiter."""

    def __init__(self, binary, folder, broker="mosquitto", tables=("",)):
        self.settings, self.desks, self.plays, self.readers = tables, [], [], []
        super().__init__(binary, None, folder, broker)

    def set_up(self, game, seed):
        """Devices, a configuration that names them, and the witness."""
        self.desks = [Desk() for _ in self.settings]
        tables = [
            live.table(desk.ports, str(number), f"{GRACES}\n{more}")
            for number, (desk, more) in enumerate(zip(self.desks, self.settings, strict=True), 1)
        ]
        web, more = live.free_port(), self.broker.more
        self.config = live.configuration(self.folder, self.broker.mqtt, web, "".join(tables), more)
        if self.broker.external:
            self.watch()

    def start(self):
        """Starts the daemon; arbiters take their seats."""
        super().start()
        for number, desk in enumerate(self.desks, 1):
            self.plays.append(Play(desk, self.read(Arbiter, self.broker.port, str(number))))
            live.wait_for("a daemon at all devices", desk.attended)
        time.sleep(SETTLED_SECONDS)

    def read(self, make, *args):
        """A reader that is closed with the hall."""
        self.readers.append(make(*args))
        return self.readers[-1]

    def close(self):
        """Ends everything."""
        for reader in self.readers:
            reader.close()
        super().close()
        for desk in self.desks:
            desk.close()

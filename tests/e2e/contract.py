"""Every message on the bus against the AsyncAPI document that the program prints.

A `Witness` hears everything that a broker carries below the prefix and remembers what breaks the contract.
"""

import json
import re
import subprocess
from datetime import datetime

import jsonschema
import paho.mqtt.client as mqtt

CONNECT_SECONDS_MAX = 20
PREFIX = "bughouse/"
# Levels that parameters of addresses stand for.
LEVELS = {"feed": "(?:live|public)"}


class Contract:
    """The channels with their payload schemas."""

    def __init__(self, binary):
        printed = subprocess.run([binary, "schema", "asyncapi"], capture_output=True, text=True, check=True).stdout
        self.document = json.loads(printed)
        self.channels = []
        for name, channel in self.document["channels"].items():
            level = lambda found: LEVELS.get(found[1], "[^/]+")  # noqa: E731
            pattern = re.sub(r"\\\{(\w+)\\\}", level, re.escape(channel["address"].removeprefix("{prefix}/")))
            self.channels.append((re.compile(pattern), name))
        self.validators = {}

    def channel(self, topic):
        """Name of a topic's channel."""
        place = topic.removeprefix(PREFIX)
        names = [name for pattern, name in self.channels if pattern.fullmatch(place)]
        assert len(names) == 1, f"{topic}: expected one channel, found {names}"
        return names[0]

    def validator(self, name):
        """What a channel's payload must be. Fields that nobody told of are not allowed in the outermost object."""
        if name not in self.validators:
            payload = self.document["components"]["messages"][name]["payload"]
            schema = {**payload, "components": self.document["components"]}
            if "$ref" in payload:
                schema["unevaluatedProperties"] = False
            self.validators[name] = jsonschema.Draft202012Validator(schema)
        return self.validators[name]

    def check(self, topic, payload: bytes, properties=None, retain=False):
        """AssertionError or ValidationError where a message is not as promised; `properties` of MQTT 5 where known."""
        name = self.channel(topic)
        message = self.document["components"]["messages"][name]
        if message["contentType"].startswith("text/"):
            assert isinstance(payload.decode(), str)
        else:
            value = json.loads(payload)
            self.validator(name).validate(value)
            if isinstance(value, dict) and "time" in value:
                datetime.fromisoformat(value["time"])
        if properties is not None:
            self.check_properties(name, message, properties, retain)

    def check_properties(self, name, message, properties, retain):
        """Content type, payload format, expiry, CloudEvents."""
        found = properties.json()
        assert found.get("ContentType") == message["contentType"], f"{name}: content type in {found}"
        assert found.get("PayloadFormatIndicator") == 1, f"{name}: payload format in {found}"
        expires = "expiry" in self.document["operations"][name].get("description", "")
        assert ("MessageExpiryInterval" in found) == expires, f"{name}: expiry in {found}"
        user = dict(found.get("UserProperty", []))
        if "traits" in message and not (name == "node-state" and "id" not in user):
            headers = self.document["components"]["messageTraits"]["cloudEvent"]["headers"]
            own = {key: value for key, value in user.items() if not key.startswith("x-")}
            jsonschema.Draft202012Validator(headers).validate(own)


class Witness:
    """A subscriber to everything."""

    def __init__(self, contract, port, login, version="5", prefix="bughouse"):
        self.contract, self.wrong, self.count, self.kinds, self.ready = contract, [], 0, set(), False
        self.v5 = version == "5"
        protocol = mqtt.MQTTv5 if self.v5 else mqtt.MQTTv311
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=protocol)
        if login:
            self.client.username_pw_set(*login)
        self.client.on_connect = lambda client, *_: client.subscribe(f"{prefix}/#", 1)
        self.client.on_subscribe = self.on_subscribe
        self.client.on_message = self.on_message
        self.client.reconnect_delay_set(1, 2)
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def on_subscribe(self, client, userdata, mid, codes, properties):
        """Granted or not."""
        self.ready = not codes[0].is_failure

    def on_message(self, client, userdata, message):
        """Judges one message."""
        # What is asked of the node is others' doing, and tests ask for nonsense; an empty payload takes a topic back.
        asked = "/request/" in message.topic or message.topic.endswith("/ctl/republish")
        if asked or not message.payload or message.topic == "bughouse/e2e/ready":
            return
        self.count += 1
        try:
            self.kinds.add(self.contract.channel(message.topic))
            self.contract.check(message.topic, message.payload, message.properties if self.v5 else None, message.retain)
        except Exception as error:  # whatever it is, the test has to tell it
            self.wrong.append(f"{message.topic}: {type(error).__name__}: {str(error)[:600]}\n{message.payload[:300]!r}")

    def close(self):
        """Ends it and fails on what was wrong."""
        self.client.disconnect()
        self.client.loop_stop()
        assert not self.wrong, f"{len(self.wrong)} of {self.count} messages break the contract:\n" + self.wrong[0]

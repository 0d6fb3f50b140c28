"""The schemas that the program prints: standard validators read them, and they tell right from wrong."""

import json
import tomllib

import jsonschema
import pytest

ROOT_CONFIGURATION = "systemd/bughoused.toml"


@pytest.fixture(scope="module")
def schema(bughoused):
    """A document by name."""

    def printed(name):
        done = bughoused("schema", name)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return printed


@pytest.mark.parametrize("name", ["config", "events"])
def test_the_schemas_are_schemas(schema, name):
    jsonschema.Draft202012Validator.check_schema(schema(name))


def test_the_shipped_configuration_is_valid_and_a_misspelt_one_is_not(schema, data):
    validator = jsonschema.Draft202012Validator(schema("config"))
    text = (data.parent.parent / ROOT_CONFIGURATION).read_text()
    validator.validate(tomllib.loads(text))
    validator.validate(tomllib.loads(text.replace("#: ", "")))
    mistakes = {"data_dir": "data-dir", 'driver = "dgt"': 'driver = "dgd"', 'board = "A"': 'board = "I"'}
    for right, wrong in mistakes.items():
        assert right in text
        assert not validator.is_valid(tomllib.loads(text.replace(right, wrong))), wrong


def test_recorded_events_are_valid_and_damaged_ones_are_not(schema, bughoused, data):
    validator = jsonschema.Draft202012Validator(schema("events"))
    replayed = bughoused("replay", data / "captures/human-32-0000.jsonl")
    events = [json.loads(line) for line in replayed.stdout.splitlines()]
    events = [event for event in events if "seq" in event]
    assert len(events) > 100
    for event in events:
        validator.validate(event)
    move = next(event for event in events if event["type"] == "move")
    assert not validator.is_valid({key: value for key, value in move.items() if key != "bfen"})
    assert not validator.is_valid(move | {"board": "Z"})
    assert not validator.is_valid(move | {"type": "leap"})

"""Games through capture files: another simulator's clean captures, and our own for the whole corpus."""

import json

import pytest
import truth

CLEAN = [f"clean-31-{number:04}" for number in range(8)]
GAMES = 105


def events_of(process) -> list[dict]:
    """The JSON lines of a finished `replay`."""
    assert process.returncode == 0, process.stderr
    return [json.loads(line) for line in process.stdout.splitlines()]


@pytest.mark.parametrize("name", CLEAN)
def test_clean_captures_of_another_maker_come_out_exactly(bughoused, data, name):
    played = json.loads((data / f"captures/{name}.truth.json").read_text())["moves"]
    events = events_of(bughoused("replay", data / f"captures/{name}.jsonl"))
    moves = [event for event in events if event["type"] == "move"]
    keys = ("board", "seat", "ply", "move")
    expected = [(move["board"], move["seat"], move["ply"], move["uci"]) for move in played]
    assert [tuple(move[key] for key in keys) for move in moves] == expected
    for move, want in zip(moves, played, strict=True):
        for side in ("white_ms", "black_ms"):
            told = f"{want['seat']} {want['san']}: {want['clock']}, found {move['clock']}"
            assert abs(move["clock"][side] - want["clock"][side]) <= truth.CLOCK_MS_MAX, told
    assert not [event for event in events if event["type"] == "correction"]


@pytest.mark.parametrize("number", range(1, GAMES + 1))
def test_the_corpus_comes_out_of_our_own_captures(bughoused, data, tmp_path, number):
    game = truth.games(data / "games.bpgn")[number - 1]
    file, capture = tmp_path / "game.bpgn", tmp_path / "game.jsonl"
    file.write_text(truth.text_of(data / "games.bpgn", number - 1))
    made = bughoused("simulate", file, "--human", "clean", "--seed", number, "--capture", capture)
    assert made.returncode == 0, made.stderr
    events = events_of(bughoused("replay", capture))
    truth.check_moves(events, game)
    truth.check_clocks(events, game)


def test_a_replay_gives_the_same_bytes_again(bughoused, data):
    capture = data / "captures/human-32-0000.jsonl"
    first, second = (bughoused("replay", capture) for _ in range(2))
    assert first.returncode == 0, first.stderr
    assert first.stdout and first.stdout == second.stdout


def test_the_number_of_jobs_changes_nothing(bughoused, data, tmp_path):
    captures = sorted((data / "captures").glob("*.jsonl"))
    written = []
    for jobs in (1, 2, 5):
        folder = tmp_path / str(jobs)
        done = bughoused("replay", *captures, "--out", folder, "--jobs", jobs)
        assert done.returncode == 0, done.stderr
        written.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert len(written[0]) == len(captures) and all(written[0].values())
    assert written[0] == written[1] == written[2]


def test_the_same_seed_makes_the_same_capture(bughoused, short_file, tmp_path):
    made = []
    for seed in (5, 5, 6):
        capture = tmp_path / f"{len(made)}.jsonl"
        done = bughoused("simulate", short_file, "--human", "clean", "--seed", seed, "--capture", capture)
        assert done.returncode == 0, done.stderr
        made.append(capture.read_bytes())
    assert made[0] == made[1] != made[2]

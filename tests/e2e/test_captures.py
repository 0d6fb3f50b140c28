"""Games through capture files: another simulator's clean captures, and our own."""

import json

import pytest
import truth

CLEAN = [f"clean-31-{number:04}" for number in range(8)]
# The whole corpus goes this way inside the Rust tests; here it is about the commands.
GAMES = range(1, 106, 13)
# A board tells of its clock's lever up to so much later than the press.
LEVER_US_MAX = 300_000


def events_of(process) -> list[dict]:
    """The JSON lines of a finished `replay`."""
    assert process.returncode == 0, process.stderr
    return [json.loads(line) for line in process.stdout.splitlines()]


@pytest.mark.parametrize("name", CLEAN)
def test_clean_captures_of_another_maker_come_out_exactly(bughoused, data, name):
    played = json.loads((data / f"captures/{name}.truth.json").read_text())["moves"]
    events = events_of(bughoused("replay", data / f"captures/{name}.jsonl"))
    moves = {(move["board"], move["ply"]): move for move in events if move["type"] == "move"}
    truths = {(move["board"], move["ply"]): move for move in played}
    assert sorted(moves) == sorted(truths)
    for place, want in truths.items():
        assert (moves[place]["seat"], moves[place]["move"]) == (want["seat"], want["uci"]), place
        for side in ("white_ms", "black_ms"):
            told = f"{place}: {want['clock']}, found {moves[place]['clock']}"
            assert abs(moves[place]["clock"][side] - want["clock"][side]) <= truth.CLOCK_MS_MAX, told
    check_order([(place, truths[place]["press"]) for place in moves])
    assert not [event for event in events if event["type"] == "correction"]


def check_order(presses):
    """In order on each board; across the boards too, but for presses closer together than a lever is reported."""
    for index, (place, pressed) in enumerate(presses):
        for before, earlier in presses[:index]:
            slack = LEVER_US_MAX if place[0] != before[0] else 0
            assert earlier - pressed <= slack, f"{before} came before {place}, pressed {earlier - pressed} us later"


@pytest.mark.parametrize("number", GAMES)
def test_games_come_out_of_our_own_captures(bughoused, data, tmp_path, number):
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

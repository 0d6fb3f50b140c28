"""`bughoused trace` against python-chess and pyffish: seeded random games, every ply."""

import json
import multiprocessing
import subprocess

import pytest
import random_games

GAMES = 2000
# Games handed to one process of bughoused.
BATCH = 100


def compare(binary: str, first: int) -> dict:
    """One batch of games: how many plies of each sort agreed. Any difference is an error."""
    games = [random_games.play(seed) for seed in range(first, first + BATCH)]
    lines = "".join(game.line() + "\n" for game in games)
    process = subprocess.run([binary, "trace"], input=lines, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    found = [json.loads(line) for line in process.stdout.splitlines()]
    seen = {"plies": 0, "legal": 0, "captures": 0, "drops": 0, "checks": 0, "mates": 0}
    for seed, (game, traced) in enumerate(zip(games, found, strict=True), start=first):
        for index, (want, got) in enumerate(zip(game.plies, traced["plies"], strict=True), start=1):
            place = f"seed {seed}, ply {index}, {want.seat}:{want.uci}"
            assert len(got["legal"]) == len(set(got["legal"])), place
            assert set(got["legal"]) == want.legal, f"{place}: {sorted(want.legal ^ set(got['legal']))}"
            assert (got["san"], got["over"]) == (want.san, want.over), place
            seen["plies"] += 1
            seen["legal"] += len(want.legal)
            seen["captures"] += want.over is not None
            seen["drops"] += "@" in want.uci
            seen["checks"] += want.san.endswith("+")
            seen["mates"] += want.san.endswith("#")
        assert traced["bfen"] == game.bfen, f"seed {seed}"
    return seen


@pytest.fixture(scope="module")
def seen(binary) -> dict:
    """All batches, on all cores."""
    with multiprocessing.Pool() as pool:
        parts = pool.starmap(compare, [(str(binary), first) for first in range(0, GAMES, BATCH)])
    return {key: sum(part[key] for part in parts) for key in parts[0]}


def test_every_ply_agrees_and_everything_occurs(seen):
    print(seen)
    assert seen["plies"] > 0.9 * GAMES * random_games.PLIES_MAX
    for key in ("captures", "drops", "checks"):
        assert seen[key] > 0, key


def test_what_cannot_be_played_is_named_with_its_line(binary):
    for line, told in [("A:e2e5", "a legal move"), ("a:e7e5", "has the move"), ("e2e4", "a seat and a move")]:
        process = subprocess.run([binary, "trace"], input=f"A:e2e4\n{line}\n", capture_output=True, text=True, check=False)
        assert process.returncode == 65
        assert "line 2" in process.stderr and told in process.stderr

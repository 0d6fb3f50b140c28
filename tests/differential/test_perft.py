"""`bughoused perft` against python-chess and pyffish on positions with pockets (`tests/data/perft.txt`)."""

from pathlib import Path

import fairy
import pyffish
import pytest
import two_boards

POSITIONS = Path(__file__).resolve().parent.parent / "data/perft.txt"


def read(path: Path) -> list[tuple[str, dict[int, int]]]:
    """BFENs with the node counts by depth."""
    entries = []
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            bfen, *counts = line.split(" ;D")
            entries.append((bfen, {int(depth): int(nodes) for depth, nodes in map(str.split, counts)}))
    return entries


ENTRIES = read(POSITIONS)
CASES = [pytest.param(bfen, counts, id=bfen.replace(" ", "_")) for bfen, counts in ENTRIES]


def fairy_perft(fen: str, depth: int) -> int:
    """Counts by Fairy-Stockfish, without promotions that wbn-1.00 does not know."""
    moves = [move for move in pyffish.legal_moves(fairy.VARIANT, fen, []) if move[4:] not in ("r", "b")]
    if depth == 1:
        return len(moves)
    return sum(fairy_perft(pyffish.get_fen(fairy.VARIANT, fen, [move]), depth - 1) for move in moves)


def test_there_are_positions_enough():
    assert len(ENTRIES) >= 60
    assert all(min(counts) == 1 and max(counts) in (2, 3) for _, counts in ENTRIES)


@pytest.mark.parametrize(("bfen", "counts"), CASES)
def test_the_file_says_what_two_libraries_count(bfen, counts):
    board = two_boards.board_from_bfen(bfen)
    assert {depth: two_boards.perft(board, depth) for depth in counts} == counts
    assert {depth: fairy_perft(board.fen(), depth) for depth in (1, 2)} == {depth: counts[depth] for depth in (1, 2)}


@pytest.mark.parametrize(("bfen", "counts"), CASES)
def test_bughoused_counts_the_same(bughoused, bfen, counts):
    for depth, nodes in counts.items():
        process = bughoused("perft", bfen, depth)
        assert process.returncode == 0, process.stderr
        assert process.stdout.splitlines()[-1] == f"nodes {nodes}", f"depth {depth}"


def test_one_board_of_two_can_be_chosen(bughoused):
    first, second = (bfen for bfen, _ in ENTRIES[:2])
    for board, (_, counts) in zip("AB", ENTRIES[:2], strict=True):
        process = bughoused("perft", f"{first} | {second}", 1, "--board", board)
        assert process.returncode == 0, process.stderr
        assert process.stdout.splitlines()[-1] == f"nodes {counts[1]}"

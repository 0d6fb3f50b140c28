"""`bughoused trace` against python-chess and pyffish from the positions of `tests/data/perft.txt`.

Every legal move of every position: the set that they form, how each is written, the man that goes over, and the board
that it leaves. The differences that the laws explain are those of `random_games.py`.
"""

import json
import multiprocessing
import subprocess

import fairy
import pyffish
import pytest
import random_games
import test_perft
import two_boards

# The other board of the table.
BOARD_B = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
ENTRIES = [bfen for bfen, _ in test_perft.ENTRIES]


def judge(bfen: str) -> list[dict]:
    """What both libraries say of each legal move; they have to agree."""
    board = two_boards.board_from_bfen(bfen)
    fen = board.fen()
    moves = sorted(two_boards.moves_of_wbn(board), key=str)
    legal = {str(move) for move in moves}
    other = {text for text in pyffish.legal_moves(fairy.VARIANT, fen, []) if text[4:] not in ("r", "b")}
    assert legal == other, f"{fen}: {sorted(legal ^ other)}"
    return [one_move(bfen, fen, move) | {"legal": legal} for move in moves]


def one_move(bfen: str, fen: str, move) -> dict:
    """One move under both libraries."""
    board, second = two_boards.board_from_bfen(bfen), fairy.Board()
    second.fen = fen
    seat = "A" if board.turn else "a"
    san = random_games.plain(board.san(move))
    assert random_games.plain(pyffish.get_san(fairy.VARIANT, fen, str(move))) == san, f"{fen}: {move}"
    over = second.push(str(move))
    board.push(move)
    assert bool(over) == bool(board.captured), f"{fen}: {move}"
    assert board.bfen().rsplit(" ", 1)[0] == second.bfen(), f"{fen}: {move}"
    mark = ("#" if board.mate() else "+") if board.is_check() else ""
    over = random_games.receiver(seat) + over if over else None
    return {"seat": seat, "uci": str(move), "san": san + mark, "over": over, "bfen": board.bfen()}


@pytest.fixture(scope="module")
def judged() -> dict[str, list[dict]]:
    """All positions, on all cores."""
    with multiprocessing.Pool() as pool:
        return dict(zip(ENTRIES, pool.map(judge, ENTRIES, chunksize=1), strict=True))


@pytest.mark.parametrize("bfen", [pytest.param(bfen, id=bfen.replace(" ", "_")) for bfen in ENTRIES])
def test_every_move_of_a_position_agrees(binary, judged, bfen):
    wanted = judged[bfen]
    lines = "".join(f"{bfen} | {BOARD_B} ; {want['seat']}:{want['uci']}\n" for want in wanted)
    process = subprocess.run([binary, "trace"], input=lines, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    for want, line in zip(wanted, process.stdout.splitlines(), strict=True):
        traced = json.loads(line)
        (ply,) = traced["plies"]
        assert set(ply["legal"]) == want["legal"], want["uci"]
        bfen_after = traced["bfen"].split(" | ")[0]
        assert (ply["san"], ply["over"], bfen_after) == (want["san"], want["over"], want["bfen"]), want["uci"]

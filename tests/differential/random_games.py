"""Seeded random games on two boards, played under python-chess and pyffish at once.

A game is a list of plies with what both libraries say before each: the set of legal moves, the SAN, the man that goes
over. Where the laws differ from the libraries the difference is undone here, and listed:

- wbn-1.00 promotes to queen and knight only (WBN 5.7); the libraries to rook and bishop too.
- a captured man goes to the partner's pocket (WBN 1.6); python-chess puts it into the capturer's.
- mate considers men that may still come (WBN 1.5); the libraries look at the pocket as it is.
- a pawn's drop is written `P@e4` (WBN E11); python-chess writes `@e4`.
"""

import random
from dataclasses import dataclass

import chess
import fairy
import pyffish
import two_boards

PLIES_MAX = 40
# Random play alone seldom captures; this share of the moves does where it can.
CAPTURES = 0.4


@dataclass(frozen=True)
class Ply:
    """One ply: who moved, the move, and what was known of it."""

    seat: str
    uci: str
    legal: frozenset[str]
    san: str
    over: str | None


@dataclass(frozen=True)
class Game:
    """A whole game with its last position."""

    plies: list[Ply]
    bfen: str

    def line(self) -> str:
        """As `bughoused trace` reads it."""
        return " ".join(f"{ply.seat}:{ply.uci}" for ply in self.plies)


class Second(fairy.Board):
    """A board of pyffish that keeps quiet moves back: each of its calls costs milliseconds, with one move or many."""

    def __init__(self):
        super().__init__()
        self.moves: list[str] = []
        self.sans: list[str] = []

    def legal(self) -> set[str]:
        return set(pyffish.legal_moves(fairy.VARIANT, self.fen, self.moves))

    def move(self, uci: str, san: str, captures: bool) -> str | None:
        """Plays a move that the other library wrote like this."""
        if captures:
            self.settle()
            assert plain(pyffish.get_san(fairy.VARIANT, self.fen, uci)) == san, f"{self.fen}: {uci}"
            return self.push(uci)
        self.moves.append(uci)
        self.sans.append(san)
        return None

    def receive(self, man: str) -> None:
        self.settle()
        super().receive(man)

    def settle(self) -> None:
        """Plays the quiet moves, and compares how both libraries write them."""
        if self.moves:
            sans = [plain(san) for san in pyffish.get_san_moves(fairy.VARIANT, self.fen, self.moves)]
            assert sans == self.sans, f"{self.fen}: {sans} / {self.sans}"
            self.fen = pyffish.get_fen(fairy.VARIANT, self.fen, self.moves)
            self.moves, self.sans = [], []


def play(seed: int) -> Game:
    """The random game with this seed."""
    chance = random.Random(seed)
    ours, theirs = two_boards.Table(), {name: Second() for name in two_boards.BOARDS}
    plies = []
    for _ in range(PLIES_MAX):
        name = chance.choice(two_boards.BOARDS)
        board = ours.boards[name]
        moves = sorted(two_boards.moves_of_wbn(board), key=str)
        if not moves:
            break
        captures = [move for move in moves if board.is_capture(move)]
        move = chance.choice(captures if captures and chance.random() < CAPTURES else moves)
        plies.append(one_ply(ours, theirs, name, move, moves))
    for name, second in theirs.items():
        second.settle()
        assert ours.boards[name].bfen().rsplit(" ", 1)[0] == second.bfen(), f"seed {seed}"
    return Game(plies, ours.bfen())


def one_ply(ours: two_boards.Table, theirs: dict[str, Second], name: str, move: chess.Move, moves: list) -> Ply:
    """Plays a move under both libraries; they have to agree on everything."""
    board = ours.boards[name]
    seat = name if board.turn else name.lower()
    legal = frozenset(map(str, moves))
    other = {text for text in theirs[name].legal() if text[4:] not in ("r", "b")}
    assert legal == other, f"{board.fen()}: {sorted(legal ^ other)}"
    san = plain(board.san(move))
    over = theirs[name].move(str(move), san, board.is_capture(move))
    if over:
        theirs["B" if name == "A" else "A"].receive(over)
    ours.push(seat, move)
    assert bool(over) == bool(board.captured), f"{board.fen()}: {over}"
    mark = ("#" if board.mate() else "+") if board.is_check() else ""
    return Ply(seat, str(move), legal, san + mark, receiver(seat) + over if over else None)


def plain(san: str) -> str:
    """SAN without marks, drops of pawns with their letter."""
    san = san.rstrip("+#")
    return "P" + san if san.startswith("@") else san


def receiver(seat: str) -> str:
    """The partner of a seat."""
    return {"A": "b", "a": "B", "B": "a", "b": "A"}[seat]

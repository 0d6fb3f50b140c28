"""Bughouse on two boards by pyffish (Fairy-Stockfish), a second referee beside `two_boards.py`.

Fairy-Stockfish plays one board of bughouse with the holdings in the FEN. What crosses over is worked out here from the
placements before and after a move, so that nothing is shared with python-chess either.
"""

import re

import pyffish

VARIANT = "bughouse"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1"
FEN = re.compile(r"([^\[]*)\[([^\]]*)\] (\S) (\S+) (\S+) (.*)")
HOLDINGS = "QRBNPqrbnp"


class Board:
    """One board as a FEN."""

    def __init__(self):
        self.fen = START

    def legal(self) -> set[str]:
        """All legal moves as UCI."""
        return set(pyffish.legal_moves(VARIANT, self.fen, []))

    def push(self, uci: str) -> str | None:
        """Plays a move; answers the man that goes over to the partner, as its own FEN letter."""
        before = men(self.fen)
        self.fen = pyffish.get_fen(VARIANT, self.fen, [uci])
        gone = None
        if "@" not in uci and len(men(self.fen)) < len(before):
            square = uci[2:4] if uci[2:4] in before else uci[2] + uci[1]  # the latter en passant
            gone = before[square]
        if gone and gone.endswith("~"):
            return "P" if gone.isupper() else "p"
        return gone

    def receive(self, man: str) -> None:
        """Puts a man into the pocket of its colour."""
        placement, holdings, rest = self.fen.replace("[", "]").split("]")
        self.fen = f"{placement}[{holdings}{man}]{rest}"

    def bfen(self) -> str:
        """Placement, holdings, side and castling: what Fairy-Stockfish writes as bughouse does."""
        placement, holdings, side, castling, _, _ = FEN.fullmatch(self.fen).groups()
        holdings = "".join(sorted(holdings, key=HOLDINGS.index))
        return f"{placement}{'/' + holdings if holdings else ''} {side} {castling}"


class Table:
    """Two boards whose captured men cross over."""

    def __init__(self):
        self.boards = {"A": Board(), "B": Board()}

    def push(self, seat: str, uci: str) -> None:
        """Plays a legal move of this seat and hands over what it captures."""
        name = seat.upper()
        captured = self.boards[name].push(uci)
        if captured:
            self.boards["B" if name == "A" else "A"].receive(captured)


def men(fen: str) -> dict[str, str]:
    """Square to FEN letter, with `~` behind promoted men."""
    found = {}
    for rank, row in zip("87654321", FEN.fullmatch(fen)[1].split("/"), strict=True):
        file = 0
        for letter, mark in re.findall(r"([a-zA-Z]|\d)(~?)", row):
            if letter.isdigit():
                file += int(letter)
            else:
                found["abcdefgh"[file] + rank] = letter + mark
                file += 1
    return found

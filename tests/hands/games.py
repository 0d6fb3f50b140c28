"""What is played: scripts of legal bughouse games, random ones and real ones.

In:   a random generator, the rate of offences, whether knights can be declared; or BPGN text.
Out:  a list of `Ply` in an order in which they are legal; each player plays the own ones in this order.
Knows nothing of: hands, time, sensors.

The rules of one board are those of python-chess for crazyhouse; what is captured goes to the partner.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import chess
import chess.variant

from world import PARTNER

REAL = Path(__file__).parent / "data" / "games.bpgn"
MOVE = re.compile(r"(\d+)([AaBb])\.\s*([^\s{]+)")


@dataclass
class Ply:
    """One move of a seat. `number` counts on its board from 1."""

    board: str
    seat: str
    number: int
    move: chess.Move
    san: str
    victim: int | None = None
    castling: bool = False
    mate: bool = False
    illegal: str | None = None
    others: list = field(default_factory=list)

    @property
    def uci(self):
        return self.move.uci()

    @property
    def knight(self):
        return self.move.promotion == chess.KNIGHT

    @property
    def drop(self):
        return chess.piece_symbol(self.move.drop).upper() if self.move.drop else None


class Match:
    """Both boards with pockets that the partner fills."""

    def __init__(self):
        self.boards = {name: chess.variant.CrazyhouseBoard() for name in "AB"}
        self.pockets = {seat: Counter() for seat in "AaBb"}
        self.plies = []

    def seat_to_move(self, name):
        return name if self.boards[name].turn else name.lower()

    def ready(self, name):
        """The board, with the pockets filled in."""
        board = self.boards[name]
        for white in (True, False):
            seat = name if white else name.lower()
            board.pockets[white] = chess.variant.CrazyhousePocket("".join(self.pockets[seat].elements()))
        return board

    def legal(self, name):
        return list(self.ready(name).legal_moves)

    def play(self, name, move, illegal=None):
        """Plays a move and returns its ply."""
        board, seat = self.ready(name), self.seat_to_move(name)
        san = board.san(move) if illegal is None else move.uci()
        castling, victim = board.is_castling(move), self._victim(board, move)
        ply = Ply(name, seat, board.ply() + 1, move, san, victim, castling, illegal=illegal)
        ply.others = [other for other in board.legal_moves if other != move and not other.drop]
        if move.drop:
            self.pockets[seat][chess.piece_symbol(move.drop)] -= 1
        elif victim is not None:
            taken = "p" if board.promoted & chess.BB_SQUARES[victim] else board.piece_at(victim).symbol().lower()
            self.pockets[PARTNER[seat]][taken] += 1
        board.push(move)
        ply.mate = self.is_mate(name)
        self.plies.append(ply)
        return ply

    def is_mate(self, name):
        """Mate, also against every drop that might still come."""
        board = self.ready(name)
        if not board.is_check():
            return False
        board.pockets[board.turn] = chess.variant.CrazyhousePocket("pnbrq")
        return not any(board.legal_moves)

    @staticmethod
    def _victim(board, move):
        if move.drop or board.is_castling(move):
            return None
        if board.is_en_passant(move):
            return chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
        return move.to_square if board.piece_at(move.to_square) else None


def random_game(rng, plies=70, offences=0.0, knights=True):
    """A random game with many captures, drops, checks, castlings and promotions, one in five of these to a knight."""
    match = Match()
    while len(match.plies) < plies:
        name = rng.choice("AB")
        move, illegal = _illegal_move(match, name, rng) if rng.random() < offences else (None, None)
        move = move or _random_move(match, name, rng, knights)
        if move is None:
            if match.legal("A") or match.legal("B"):
                continue
            break
        if match.play(name, move, illegal).mate:
            break
    return match.plies


def real_games(path=REAL):
    """The games of a BPGN file."""
    texts = re.split(r"(?=\[Event )", path.read_text(encoding="utf-8"))
    return [_read(text) for text in texts if MOVE.search(text)]


def _read(text):
    match = Match()
    moves = re.sub(r"\[[^\]]*\]", "", text)
    for _, seat, san in MOVE.findall(moves):
        name = seat.upper()
        if match.play(name, match.ready(name).parse_san(san)).mate:
            break
    return match.plies


def _random_move(match, name, rng, knights):
    board, moves = match.ready(name), match.legal(name)
    promotions = (None, chess.QUEEN, chess.KNIGHT) if knights else (None, chess.QUEEN)
    moves = [move for move in moves if move.promotion in promotions and not _takes_king(board, move)]
    if not moves:
        return None
    return rng.choices(moves, [_weight(board, move) for move in moves])[0]


def _weight(board, move):
    if move.drop:
        return 1.0 + 2.0 * board.gives_check(move)
    if board.is_castling(move):
        return 40.0
    if move.promotion:
        return 24.0 if move.promotion == chess.QUEEN else 6.0
    if board.is_en_passant(move):
        return 40.0
    weight = 8.0 if board.is_capture(move) else 1.5
    if board.piece_type_at(move.from_square) == chess.KING:
        weight *= 0.25
    return weight * (2.0 if board.gives_check(move) else 1.0)


def _illegal_move(match, name, rng):
    """A move against the rules that leaves both kings on the board, and its reason."""
    board = match.ready(name)
    moves = {
        "leaves-king-in-check": [move for move in board.pseudo_legal_moves if not board.is_legal(move)],
        "geometry": [move for move in _crooked(board) if not _king_hangs(board, move)],
    }
    reason = rng.choice(sorted(moves))
    playable = [move for move in moves[reason] if _plain(board, move) and _goes_on(board, move)]
    return (rng.choice(playable), reason) if playable else (None, None)


def _crooked(board):
    """Moves of pieces to empty squares that they do not reach."""
    for square, piece in board.piece_map().items():
        if piece.color != board.turn or piece.piece_type in (chess.PAWN, chess.KING):
            continue
        for target in chess.SQUARES:
            move = chess.Move(square, target)
            if square != target and not board.piece_at(target) and not board.is_pseudo_legal(move):
                yield move


def _plain(board, move):
    return not (move.drop or move.promotion or board.is_castling(move) or board.is_capture(move))


def _goes_on(board, move):
    after = board.copy(stack=False)
    after.push(move)
    return any(not _takes_king(after, reply) for reply in after.legal_moves)


def _king_hangs(board, move):
    after = board.copy(stack=False)
    after.push(move)
    return after.is_attacked_by(after.turn, after.king(not after.turn))


def _takes_king(board, move):
    return not move.drop and board.piece_type_at(move.to_square) == chess.KING

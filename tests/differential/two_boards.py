"""Bughouse on two boards by python-chess, as a referee that shares nothing with the Rust code.

python-chess knows Crazyhouse: one board, captured men go to the capturer. Here they leave for the partner instead, in
their own colour, promoted men as pawns (WBN 1.6, 5.7). Mate considers drops that may still come (WBN 1.5).
"""

import chess
import chess.variant

# Men of one kind and colour in all sets of a table of two boards.
MEN = {chess.PAWN: 16, chess.KNIGHT: 4, chess.BISHOP: 4, chess.ROOK: 4, chess.QUEEN: 2}
HOLDINGS = "QRBNP"
BACK_RANKS = chess.BB_RANK_1 | chess.BB_RANK_8
BOARDS = "AB"
# Rule set wbn-1.00 lets a pawn become a queen or a knight only (WBN 5.7).
PROMOTIONS = (None, chess.QUEEN, chess.KNIGHT)


class Board(chess.variant.CrazyhouseBoard):
    """One board: as in Crazyhouse, but what is captured leaves. `captured` is the last move's booty or None."""

    captured: chess.PieceType | None = None

    def push(self, move: chess.Move) -> None:
        self.captured = None
        super().push(move)

    def _push_capture(self, move, capture_square, piece_type, was_promoted):
        # python-chess's own hook for variants; called once for every capture, en passant included.
        self.captured = chess.PAWN if was_promoted else piece_type

    def mate(self) -> bool:
        """Check, no move, and no man that may still come could be put in between."""
        if not self.is_check() or any(self.legal_moves):
            return False
        return not any(self._parries(kind) for kind in MEN if self._may_come(kind))

    def _may_come(self, kind: chess.PieceType) -> bool:
        """Whether not all men of this kind stand on this board already, promoted men being pawns."""
        own = self.occupied_co[self.turn]
        promoted = own & self.promoted
        here = chess.popcount(own & ~promoted & self.pieces_mask(kind, self.turn))
        if kind == chess.PAWN:
            here += chess.popcount(promoted)
        return here < MEN[kind]

    def _parries(self, kind: chess.PieceType) -> bool:
        """Whether a man of this kind on some empty square ends the check."""
        for square in chess.SquareSet(~self.occupied & chess.BB_ALL):
            if kind == chess.PAWN and chess.BB_SQUARES[square] & BACK_RANKS:
                continue
            trial = chess.Board(None)
            for at, man in self.piece_map().items():
                trial.set_piece_at(at, man)
            trial.set_piece_at(square, chess.Piece(kind, self.turn))
            trial.turn = self.turn
            if not trial.is_check():
                return True
        return False

    def bfen(self) -> str:
        """Placement with `~`, holdings, side, castling, e.p.; the e.p. square only when a legal capture exists."""
        hands = [self.holdings(color) for color in chess.COLORS]
        holdings = "".join(hands)
        placement = self.board_fen(promoted=True) + ("/" + holdings if holdings else "")
        ep = chess.square_name(self.ep_square) if self.has_legal_en_passant() else "-"
        return f"{placement} {'w' if self.turn else 'b'} {self.castling_xfen()} {ep}"

    def holdings(self, color: chess.Color) -> str:
        """The pocket of one side, sorted QRBNP, as FEN letters."""
        letters = str(self.pockets[color]).upper()
        text = "".join(letter * letters.count(letter) for letter in HOLDINGS)
        return text if color else text.lower()


class Table:
    """Two boards whose captured men cross over."""

    def __init__(self):
        self.boards = {name: Board() for name in BOARDS}

    def push(self, seat: str, move: chess.Move) -> None:
        """Plays a legal move of this seat and hands over what it captures."""
        name = seat.upper()
        board = self.boards[name]
        color = board.turn
        board.push(move)
        if board.captured is not None:
            partner = self.boards["B" if name == "A" else "A"]
            partner.pockets[not color].add(board.captured)

    def on_turn(self, seat: str) -> bool:
        """Whether this seat is to move on its board."""
        return self.boards[seat.upper()].turn == seat.isupper()

    def mated(self) -> list[str]:
        """Boards where the side to move is mated."""
        return [name for name in BOARDS if self.boards[name].mate()]

    def bfen(self) -> str:
        """Both boards."""
        return " | ".join(self.boards[name].bfen() for name in BOARDS)


def result_of_mate(name: str, board: Board) -> str:
    """BPGN's result: `1-0` is a win of White on A and Black on B."""
    white_a_loses = (name == "A") == board.turn
    return "0-1" if white_a_loses else "1-0"


def board_from_bfen(bfen: str) -> Board:
    """One board from `placement/holdings side castling ep …`."""
    placement, side, castling, ep, *_ = bfen.split()
    ranks = placement.split("/")
    fen = "/".join(ranks[:8]) + f"[{''.join(ranks[8:])}] {side} {castling} {ep} 0 1"
    return Board(fen)


def moves_of_wbn(board: Board) -> list[chess.Move]:
    """Legal moves by rule set wbn-1.00."""
    return [move for move in board.legal_moves if move.promotion in PROMOTIONS]


def perft(board: Board, depth: int) -> int:
    """Number of legal sequences of `depth` plies."""
    moves = moves_of_wbn(board)
    if depth == 1:
        return len(moves)
    nodes = 0
    for move in moves:
        board.push(move)
        nodes += perft(board, depth - 1)
        board.pop()
    return nodes

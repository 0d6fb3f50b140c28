//! Playing a move on one board. Nothing is checked: also an illegal move that stands is played.

use shakmaty::{EnPassantMode, Move, Position};

use super::{
    BoardPosition,
    position::{castles_of, king_home},
};
use crate::types::{Bitboard, CastlingSide, Color, Piece, Rank, Role, Square};

impl BoardPosition {
    /// Plays the move and answers the man that goes over, in the colour it had.
    pub fn play(&mut self, m: Move) -> Option<Piece> {
        let color = self.turn;
        let over = self.captured_square(m).and_then(|square| self.capture(square));
        self.ep = passed_over(m, color).filter(|square| !self.board.occupied().contains(*square));
        self.place(m, color);
        self.turn = !color;
        self.plies = self.plies.saturating_add(1);
        over
    }

    /// Takes the man off a square and answers it as it goes over.
    fn capture(&mut self, square: Square) -> Option<Piece> {
        let role = self.kind_when_captured(square)?;
        let man = self.board.remove_piece_at(square)?;
        self.promoted.discard(square);
        self.resting.discard(square);
        self.castles.discard_rook(square);
        self.king_left(square, man);
        Some(Piece { role, ..man })
    }

    /// Rights to castle belong to the king on its home square.
    fn king_left(&mut self, square: Square, man: Piece) {
        if man.role == Role::King && square == king_home(man.color) {
            self.castles.discard_color(man.color);
            self.unmoved_kings.discard(square);
        }
    }

    /// Where the captured man stands.
    pub fn captured_square(&self, m: Move) -> Option<Square> {
        match m {
            Move::EnPassant { from, to } => Some(Square::from_coords(to.file(), from.rank())),
            Move::Normal { to, .. } | Move::Put { to, .. } => self.board.occupied().contains(to).then_some(to),
            Move::Castle { .. } => None,
        }
    }

    fn place(&mut self, m: Move, color: Color) {
        match m {
            Move::Normal { from, to, promotion, .. } => self.step(from, to, promotion),
            Move::EnPassant { from, to } => self.step(from, to, None),
            Move::Castle { king, rook } => self.castle(king, rook, color),
            Move::Put { role, to } => {
                self.take_from_pocket(color, role);
                self.board.set_piece_at(to, role.of(color));
                if role == Role::Rook && self.rules.castle_with_dropped_rook {
                    self.regain_castling(to, color);
                }
                let home = to.rank() == color.fold_wb(Rank::Second, Rank::Seventh);
                if role == Role::Pawn && home && !self.rules.dropped_pawn_steps_two {
                    self.resting.add(to);
                }
            }
        }
    }

    /// A man goes from square to square, in its own colour, whoever moved it.
    fn step(&mut self, from: Square, to: Square, promotion: Option<Role>) {
        let Some(man) = self.board.remove_piece_at(from) else { return };
        match man.role {
            Role::King => self.king_left(from, man),
            Role::Rook => self.castles.discard_rook(from),
            _ => {}
        }
        let promoted = self.promoted.remove(from) || promotion.is_some();
        self.resting.discard(from);
        self.board.set_piece_at(to, promotion.unwrap_or(man.role).of(man.color));
        self.promoted.set(to, promoted);
    }

    fn castle(&mut self, king: Square, rook: Square, color: Color) {
        let side = CastlingSide::from_queen_side(rook < king);
        for square in [king, rook, side.king_to(color), side.rook_to(color)] {
            self.board.discard_piece_at(square);
            self.promoted.discard(square);
        }
        self.board.set_piece_at(side.king_to(color), Role::King.of(color));
        self.board.set_piece_at(side.rook_to(color), Role::Rook.of(color));
        self.castles.discard_color(color);
        self.unmoved_kings.discard(king_home(color));
    }

    /// Some rule sets let a rook that was dropped on its home square castle when the king has not moved (FIDE-ext 3.5).
    fn regain_castling(&mut self, to: Square, color: Color) {
        let home = [Square::A1, Square::H1, Square::A8, Square::H8].contains(&to)
            && to.rank() == color.fold_wb(Rank::First, Rank::Eighth);
        if home && self.unmoved_kings.contains(king_home(color)) {
            let mut setup = self.to_setup(EnPassantMode::Always);
            setup.castling_rights |= Bitboard::from_square(to);
            self.castles = castles_of(&setup);
        }
    }
}

/// The square that a double step passes over; no pawn steps over a man.
fn passed_over(m: Move, color: Color) -> Option<Square> {
    match m {
        Move::Normal { role: Role::Pawn, from, to, .. }
            if from.rank() == color.fold_wb(Rank::Second, Rank::Seventh)
                && from.offset(color.fold_wb(16, -16)) == Some(to) =>
        {
            from.offset(color.fold_wb(8, -8))
        }
        _ => None,
    }
}

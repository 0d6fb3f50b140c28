//! Playing a move on one board. Nothing is checked: also an illegal move that stands is played.

use shakmaty::{Castles, CastlingMode, EnPassantMode, Move, Position};

use super::BoardPosition;
use crate::types::{Bitboard, CastlingSide, Color, Piece, Rank, Role, Square};

impl BoardPosition {
    /// Plays the move and answers the man that goes over, in the colour it had.
    pub fn play(&mut self, m: Move) -> Option<Piece> {
        let color = self.turn;
        let captured = self.captured_square(m);
        let over = captured.and_then(|square| {
            Some(Piece { color: self.board.color_at(square)?, role: self.kind_when_captured(square)? })
        });
        if let Some(square) = captured {
            self.board.discard_piece_at(square);
            self.promoted.discard(square);
            self.castles.discard_rook(square);
        }
        self.ep = passed_over(m, color);
        self.place(m, color);
        self.turn = !color;
        self.plies = self.plies.saturating_add(1);
        over
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
            Move::Normal { role, from, to, promotion, .. } => {
                match role {
                    Role::King => self.castles.discard_color(color),
                    Role::Rook => self.castles.discard_rook(from),
                    _ => {}
                }
                let promoted = self.promoted.remove(from) || promotion.is_some();
                self.board.discard_piece_at(from);
                self.board.set_piece_at(to, promotion.unwrap_or(role).of(color));
                self.promoted.set(to, promoted);
            }
            Move::EnPassant { from, to } => {
                self.board.discard_piece_at(from);
                self.board.set_piece_at(to, Role::Pawn.of(color));
            }
            Move::Castle { king, rook } => self.castle(king, rook, color),
            Move::Put { role, to } => {
                self.take_from_pocket(color, role);
                self.board.set_piece_at(to, role.of(color));
                self.regain_castling(role, to, color);
            }
        }
    }

    fn castle(&mut self, king: Square, rook: Square, color: Color) {
        let side = CastlingSide::from_queen_side(rook < king);
        self.board.discard_piece_at(king);
        self.board.discard_piece_at(rook);
        self.board.set_piece_at(side.king_to(color), Role::King.of(color));
        self.board.set_piece_at(side.rook_to(color), Role::Rook.of(color));
        self.castles.discard_color(color);
    }

    /// Some rule sets let a dropped rook castle when the king has not moved. Whether it has is known as long as the
    /// other right is there; the king's home square is what rights are kept on.
    fn regain_castling(&mut self, role: Role, to: Square, color: Color) {
        let home = [Square::A1, Square::H1, Square::A8, Square::H8].contains(&to)
            && to.rank() == color.fold_wb(Rank::First, Rank::Eighth);
        if self.rules.castle_with_dropped_rook && role == Role::Rook && home && self.castles.has_color(color) {
            let mut setup = self.to_setup(EnPassantMode::Always);
            setup.castling_rights |= Bitboard::from_square(to);
            self.castles = Castles::from_setup(&setup, CastlingMode::Standard).unwrap_or_else(|valid| valid);
        }
    }
}

/// The square that a double step passes over.
fn passed_over(m: Move, color: Color) -> Option<Square> {
    match m {
        Move::Normal { role: Role::Pawn, from, to, .. } if from.distance(to) == 2 && from.file() == to.file() => {
            from.offset(color.fold_wb(8, -8))
        }
        _ => None,
    }
}

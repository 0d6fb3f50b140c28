//! Whether one move is legal (WBN 5), without a list of all moves.
//!
//! The answer is that of the list: a move is legal exactly if [`BoardPosition::legal_moves`] has it. Tests hold them
//! against each other in any position under every rule set.

use shakmaty::{Move, attacks};

use super::BoardPosition;
use crate::types::{Bitboard, CastlingSide, Role, Square};

impl BoardPosition {
    /// Whether this move is legal here.
    pub fn is_legal(&self, m: Move) -> bool {
        match m {
            Move::Put { role, to } => *self.pocket(self.turn).get(role) > 0 && self.is_legal_drop(role, to),
            Move::Normal { role, from, capture, to, promotion } => {
                self.board.role_at(from) == Some(role)
                    && self.board.role_at(to) == capture
                    && self.promotes_rightly(role, to, promotion)
                    && self.reaches(role, from, to)
                    && self.king_is_safe_after(role, from, to)
            }
            Move::EnPassant { .. } => self.legal_en_passant().any(|legal| legal == m),
            Move::Castle { king, rook } => self.legal_castling(CastlingSide::from_queen_side(rook < king)) == Some(m),
        }
    }

    /// Whether a man of this kind could be dropped here if the side to move had it.
    pub fn is_legal_drop(&self, role: Role, to: Square) -> bool {
        let squares = Bitboard::from_square(to) & self.rules.drop_squares(self.turn, role) & !self.board.occupied();
        squares.any() && self.allowed_drops(role, squares & self.parry_squares()).any()
    }

    /// Whether a kind is named exactly if a pawn promotes, and is one that the rule set allows (WBN 5.7).
    fn promotes_rightly(&self, role: Role, to: Square, promotion: Option<Role>) -> bool {
        let promotes = role == Role::Pawn && Self::is_last_rank(self.turn, to) && self.rules.promotions[0].is_some();
        match promotion {
            Some(kind) => promotes && self.rules.may_promote_to(kind),
            None => !promotes,
        }
    }

    /// Whether a man of the side to move gets from one square to the other, its king's safety not considered.
    fn reaches(&self, role: Role, from: Square, to: Square) -> bool {
        let ours = self.board.by_color(self.turn);
        if !ours.contains(from) || (ours | self.untouchable()).contains(to) {
            return false;
        }
        let occupied = self.board.occupied();
        let reach = match role {
            Role::Pawn if occupied.contains(to) => attacks::pawn_attacks(self.turn, from),
            Role::Pawn => self.pawn_steps(self.turn, from, occupied),
            _ => attacks::attacks(from, role.of(self.turn), occupied),
        };
        reach.contains(to)
    }

    /// Whether the king that must be safe is so after a man has gone from one square to another.
    fn king_is_safe_after(&self, role: Role, from: Square, to: Square) -> bool {
        let Some(king) = self.royal() else { return true };
        let king = if role == Role::King { to } else { king };
        let occupied = self.board.occupied().without(from).with(to);
        self.attackers(king, !self.turn, occupied).without(to).is_empty()
    }
}

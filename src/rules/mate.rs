//! Mate by potential drop (WBN 1.5).

use super::BoardPosition;
use crate::types::{Role, Square};

/// Men of one kind and colour in one set.
pub const fn men_of_a_kind(role: Role) -> usize {
    match role {
        Role::Pawn => 8,
        Role::Knight | Role::Bishop | Role::Rook => 2,
        Role::Queen | Role::King => 1,
    }
}

impl BoardPosition {
    /// Whether the side to move is checkmated at a table of `boards` boards: in check, no board move, and no man that
    /// may still arrive could be dropped to parry (WBN 1.5).
    pub fn is_mate(&self, boards: usize) -> bool {
        self.checkers().any() && !self.has_board_move() && self.parrying_drop(boards).is_none()
    }

    /// A potential drop that parries the check, if any.
    pub fn parrying_drop(&self, boards: usize) -> Option<(Role, Square)> {
        let squares = self.parry_squares() & !self.board.occupied();
        [Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::Pawn]
            .into_iter()
            .filter(|role| self.may_arrive(*role, boards))
            .find_map(|role| Some((role, (squares & self.rules.drop_squares(self.turn, role)).first()?)))
    }

    /// Whether a man of this kind is, or may come, into the pocket of the side to move: not when all of its colour in
    /// all sets stand on its own board already, promoted men counted as pawns.
    pub fn may_arrive(&self, role: Role, boards: usize) -> bool {
        let ours = self.board.by_color(self.turn);
        let promoted = ours & self.promoted;
        let standing = match role {
            Role::Pawn => (self.board.pawns() & ours) | promoted,
            _ => (self.board.by_role(role) & ours).without(promoted),
        };
        standing.count() < men_of_a_kind(role) * boards
    }
}

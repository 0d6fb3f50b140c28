//! Whether a man that seems dropped, or to stand for a pawn that promotes, was carried there from another square.
//!
//! In: a drop or a promotion, what is missing on the board, what left the trays. Out: whether a man of the board is
//! likelier to be the one that was moved. Whether it may go there by the laws it does not ask where nothing tells which
//! man stands there.

use super::{Hand, Node, Search, may_go};
use crate::{
    rules::Move,
    types::{Bitboard, Instant, Kinds, Role, Square},
};

impl Search<'_> {
    /// Whether a man that seems dropped left no tray while one of the board's was in the air that is likelier to be the
    /// one that was moved: it goes there, or, where nobody saw the man, it had left its square when the clock was
    /// pressed.
    pub(super) fn carried(&self, m: Move, parent: &Node, index: usize, seen: bool) -> bool {
        let Move::Put { role, to } = m else {
            let away = |role| self.came_from_the_board(role, m.to(), parent, index);
            return m.promotion().is_some_and(away) && !self.evidence.gap;
        };
        let (placement, board) = (self.evidence.placement, parent.position.board());
        let man = role.of(parent.position.turn());
        if placement.kinds(to) == Kinds::OCCUPIED {
            return self.walked(role, to, parent, index);
        }
        let taken = |hand: &Hand| *hand.men.get(role) > 0 || hand.unknown > 0;
        if self.evidence.lifted.get(man.color).as_ref().is_none_or(taken) {
            return false;
        }
        let since = self.evidence.since[index % 2];
        let left = |until: Instant| move |from: &Square| (since..=until).contains(&placement.changed(*from));
        let missing = parent.mismatch.missing & board.by_color(man.color);
        match self.evidence.presses.get(index) {
            Some(press) if !seen => missing.into_iter().any(|from| left(*press)(&from)),
            _ => self.came_from_the_board(role, to, parent, index),
        }
    }

    /// Whether such a man stands there, and one like it left a square in this turn from which it goes there.
    fn came_from_the_board(&self, role: Role, to: Square, parent: &Node, index: usize) -> bool {
        let (placement, board) = (self.evidence.placement, parent.position.board());
        let man = role.of(parent.position.turn());
        if placement.kinds(to) != Kinds::only(man) {
            return false;
        }
        let since = self.evidence.since[index % 2];
        // Something else may stand on its square by now.
        let away = parent.mismatch.any() & board.by_piece(man);
        let left = |from: &Square| {
            let left = self.left(*from, Kinds::only(man));
            left.is_some_and(|left| (since..=placement.changed(to)).contains(&left))
        };
        away.into_iter().filter(left).any(|from| may_go(man, from, to, board.occupied()))
    }

    /// The same where it is only felt that something stands there: nobody has a man in hand or on its way, and some
    /// man, of whichever player, left its square in this turn before that came, and has not come back.
    fn walked(&self, role: Role, to: Square, parent: &Node, index: usize) -> bool {
        let placement = self.evidence.placement;
        let hand = self.evidence.lifted.get(parent.position.turn()).as_ref();
        let empty = |hand: &Hand| hand.count() == 0 && (hand.alone || hand.lies(role));
        let since = self.evidence.since[index % 2];
        let left = |from: Square| {
            placement.kinds(from) == Kinds::EMPTY && (since..=placement.changed(to)).contains(&placement.changed(from))
        };
        let alone = parent.mismatch.foreign == Bitboard::from(to);
        hand.is_some_and(empty) && alone && parent.mismatch.missing.into_iter().any(left)
    }
}

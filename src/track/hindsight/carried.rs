//! Whether a man was carried where it may not go, though its player might have dropped one of its kind there.
//!
//! In: a man that was put down, a square that was left before. Out: whether it may be that one. Where such a man was
//! taken from the tray lately, that one was dropped; a man that stands beside its square was knocked there.

use super::{Node, Teller};
use crate::{
    sense::Reading,
    types::{Instant, Kinds, MS, SECOND, Square},
};

/// How long a man is on its way from one square to another.
const CARRY_US: i64 = 1500 * MS;
/// How long a man may be in the hand between the tray and the board.
const HAND_US: i64 = 20 * SECOND;
/// How much later than a man that was put down a tray may tell that it has left.
const TRAY_LATE_US: i64 = SECOND;

impl Teller<'_> {
    /// Whether the man that was put down may be the one that had left a square before, by what the squares showed until
    /// some instant.
    pub(super) fn was_carried(&self, node: &Node, from: Square, put: &Reading, until: Instant) -> bool {
        let left = self.log.last(from, until).filter(|left| left.kinds == Kinds::EMPTY);
        let soon = left.is_some_and(|left| (0..CARRY_US).contains(&(put.since - left.since)));
        let far = from.distance(put.square) > 1; // WBN 6.4
        soon && far && !self.account.blind.contains(from) && !self.was_taken(node, put)
    }

    /// Whether such a man was taken from the tray lately.
    fn was_taken(&self, node: &Node, put: &Reading) -> bool {
        let role = put.kinds.single().flatten().map(|man| man.role);
        let hand = node.hands.get(node.position.turn()).as_ref();
        let taken = hand.zip(role).map(|(hand, role)| *hand.taken.get(role));
        taken.is_some_and(|taken| (put.since + -HAND_US..put.since + TRAY_LATE_US).contains(&taken))
    }
}

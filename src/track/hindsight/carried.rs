//! Whether a man was carried where it may not go, though its player might have dropped one of its kind there.
//!
//! In: a man that was put down, a square that was left before. Out: whether it may be that one. What speaks for the
//! drop is that the man was taken from the tray, or that the other one was knocked over: it stands again, or beside.

use super::{Node, Teller};
use crate::{
    sense::Reading,
    track::SCAN_US,
    types::{Instant, Kinds, MS, SECOND, Square},
};

/// How long a man is on its way from one square to another.
const CARRY_US: i64 = 1500 * MS;
/// How long a man may be in the hand between the tray and the board.
const HAND_US: i64 = 20 * SECOND;
/// How much later than a man that was put down a tray may tell that it has left.
const TRAY_LATE_US: i64 = SECOND;

impl Teller<'_> {
    /// Whether the man that was put down may be the one that had left a square before.
    pub(super) fn was_carried(&self, node: &Node, from: Square, put: &Reading, late: Instant) -> bool {
        let left = self.log.last(from, late).filter(|left| left.kinds == Kinds::EMPTY);
        let left = left.filter(|left| (0..CARRY_US).contains(&(put.since - left.since)));
        let left = left.filter(|_| !self.account.blind.contains(from) && !self.was_taken(node, put));
        left.is_some_and(|left| !self.stands_again(from, &left, put))
    }

    /// Whether such a man was taken from the tray lately.
    fn was_taken(&self, node: &Node, put: &Reading) -> bool {
        let role = put.kinds.single().flatten().map(|man| man.role);
        let hand = node.hands.get(node.position.turn()).as_ref();
        let taken = hand.zip(role).map(|(hand, role)| *hand.taken.get(role));
        taken.is_some_and(|taken| (put.since + -HAND_US..put.since + TRAY_LATE_US).contains(&taken))
    }

    /// Whether such a man has come to the square that was left, or to one beside, where nothing had stood.
    fn stands_again(&self, from: Square, left: &Reading, put: &Reading) -> bool {
        let placement = self.log.placement;
        let beside = |square: &Square| *square != put.square && square.distance(from) <= 1;
        Square::ALL.into_iter().filter(beside).any(|square| {
            let since = if square == from { left.since + 1 } else { left.since + -SCAN_US };
            let mut since = placement.readings(square).take_while(|reading| reading.since >= since);
            since.any(|reading| reading.kinds.meets(put.kinds))
        })
    }
}

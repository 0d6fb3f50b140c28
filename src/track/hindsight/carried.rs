//! Whether a man was carried where it may not go, though its player might have dropped one of its kind there.
//!
//! In: a man that was put down, a square that was left before. Out: whether it may be that one. Where such a man was
//! taken from the tray lately, that one was dropped; a man that stands beside its square was knocked there.

use super::{Node, Teller};
use crate::{
    sense::Reading,
    track::{ADJUSTS_US, search::Hand},
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

    /// Whether what is felt to have come to a square was in no hand, while a man of the player's had left its square in
    /// this turn and has not come back.
    pub(super) fn is_from_nobody(&self, node: &Node, to: Square, came: Instant) -> bool {
        let empty = |hand: &Hand| hand.count() == 0 && hand.alone;
        let hand = node.hands.get(node.position.turn()).as_ref();
        let left = |from: Square| {
            let left = self.log.last(from, came).filter(|last| last.kinds == Kinds::EMPTY);
            let stays = |left: &Reading| left.until > came + ADJUSTS_US;
            from != to && left.is_some_and(|left| left.since >= node.since[0] && stays(&left))
        };
        let own = node.position.board().by_color(node.position.turn());
        hand.is_some_and(empty) && own.into_iter().any(left)
    }

    /// Whether such a man was taken from the tray lately.
    fn was_taken(&self, node: &Node, put: &Reading) -> bool {
        let role = put.kinds.single().flatten().map(|man| man.role);
        let hand = node.hands.get(node.position.turn()).as_ref();
        let lately = |taken: Instant| (put.since + -HAND_US..put.since + TRAY_LATE_US).contains(&taken);
        let taken = hand.zip(role).map(|(hand, role)| [*hand.taken.get(role), *hand.before.get(role)]);
        taken.is_some_and(|taken| taken.into_iter().any(lately))
    }
}

//! Men that a hand knocked over before, or that stand beside their squares for long: none of them is the next move.
//!
//! In: a ply. Out: whether its man stood there before it could have been moved there. It does not know what else may
//! have been played.

use super::{Evidence, Node, Search};
use crate::{
    notation::uci,
    rules::Move,
    track::AT_PRESS_US,
    types::{Instant, Kinds, MS, Square},
};

/// By how much the squares of a man that knocks another one over and of that one are read apart.
const KNOCKED_US: i64 = 100 * MS;
/// How long it takes at least to put a man up again that was knocked over.
const PUT_UP_US: i64 = 350 * MS;

impl Search<'_> {
    /// Whether a ply's man stood there when its player pressed the clock for the ply before; or was knocked beside its
    /// square by the other player's hand, or by the own one, and stood there before its turn.
    pub(super) fn was_knocked(&self, m: Move, parent: &Node, index: usize) -> bool {
        let placement = self.evidence.placement;
        let left = m.from().filter(|from| placement.kinds(*from) == Kinds::EMPTY);
        let Some(from) = left.filter(|_| index < 2 && !self.evidence.gap) else { return false };
        let (to, own) = (uci::destination(m), self.evidence.pressed[index % 2]);
        // Where only that is felt that something stands there, it may be another man.
        let stands = ![Kinds::EMPTY, Kinds::OCCUPIED].contains(&placement.kinds(to));
        let stood = placement.changed(to) + AT_PRESS_US < own && placement.changed(from) < own;
        let beside =
            from.distance(to) == 1 && (self.by_the_other(from, to, index) || self.by_the_own(from, to, parent));
        stands && !matches!(m, Move::Castle { .. }) && (stood || beside)
    }

    /// Whether a man left its square as the other player's came, and stood beside it when that one pressed the clock.
    fn by_the_other(&self, from: Square, to: Square, index: usize) -> bool {
        let Evidence { placement, rest_since, pressed: [_, pressed], .. } = self.evidence;
        let put_up = placement.changed(from) + PUT_UP_US <= placement.changed(to);
        index == 0
            && put_up
            && (placement.changed(from) - rest_since).abs() < KNOCKED_US
            && placement.changed(to) < pressed
            && rest_since != Instant::LONG_AGO
    }

    /// Whether a man left its square with its player's last ply, or before, and stood beside it when the other player
    /// had replied. A press tells that it was moved.
    fn by_the_own(&self, from: Square, to: Square, parent: &Node) -> bool {
        let placement = self.evidence.placement;
        let index = parent.line.len();
        let since = self.evidence.since[index % 2];
        let reply = parent.line.last().map(|reply| placement.changed(uci::destination(*reply)));
        let replied = reply.unwrap_or(self.evidence.rest_since);
        let unpressed = self.evidence.presses.len() <= index && since != Instant::LONG_AGO;
        unpressed && placement.changed(to) < replied && placement.changed(from) < since + KNOCKED_US
    }
}

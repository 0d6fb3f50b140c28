//! Men that their own player's hand knocked over, which no clock tells from the next move.
//!
//! In: a ply that nobody pressed the clock for. Out: whether its man was only put back beside its square.

use super::{Node, Search};
use crate::{
    notation::uci,
    rules::Move,
    types::{Instant, Kinds, MS},
};

/// How much later than the man of the own ply one beside it is read to have left its square, if that knocked it over.
const KNOCKED_US: i64 = 100 * MS;

impl Search<'_> {
    /// Whether a ply's man left its square as its player made the last ply, or before, and stood beside it when the
    /// other player had replied.
    pub(super) fn was_knocked(&self, m: Move, parent: &Node, index: usize) -> bool {
        let placement = self.evidence.placement;
        let Some(from) = m.from().filter(|from| placement.kinds(*from) == Kinds::EMPTY) else { return false };
        let to = uci::destination(m);
        let since = self.evidence.since[index % 2];
        let replied = match parent.line.last() {
            _ if index > 1 || since == Instant::LONG_AGO || self.evidence.gap => return false,
            None => self.evidence.rest_since,
            Some(reply) => placement.changed(uci::destination(*reply)),
        };
        let unpressed = self.evidence.presses.len() <= index;
        let beside = from.distance(to) == 1 && !matches!(m, Move::Castle { .. });
        unpressed && beside && placement.changed(to) < replied && placement.changed(from) < since + KNOCKED_US
    }
}

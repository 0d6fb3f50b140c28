//! Men that are captured by the next ply of a line: whether they were there to be captured.
//!
//! In: a line, what squares show and showed. Out: whether the captor can have taken the man of the ply before. It
//! weighs nothing.

use super::{CAUGHT_US, Node, Search};
use crate::{
    notation::uci,
    rules::Move,
    track::CARRIED_US,
    types::{Instant, Kinds, Square},
};

impl Search<'_> {
    /// Whether the man that a ply captures would have been seen where it stood: it was pressed for long before, or its
    /// captor has stood there since before it may have come.
    pub(super) fn had_no_room(&self, m: Move, parent: &Node, index: usize) -> bool {
        let Some(before) = index.checked_sub(1) else { return false };
        let came = self.evidence.placement.changed(uci::destination(m));
        let long = self.evidence.presses.get(before).is_some_and(|pressed| came - *pressed > CAUGHT_US);
        let free = parent.line.last().is_some_and(|last| !last.is_capture());
        long || free && came < self.evidence.since[before % 2]
    }

    /// Whether the captor of the last ply's man came before that man had left the square that it came from.
    pub(super) fn caught_sooner(&self, m: Move, parent: &Node, since: Instant) -> bool {
        let Some(last) = parent.line.last().filter(|last| m.is_capture() && uci::destination(**last) == m.to()) else {
            return false;
        };
        let Some(from) = last.from().filter(|_| !self.evidence.gap) else { return false };
        let turn = parent.position.turn();
        let (captor, caught) = (Kinds::only(m.role().of(turn)), Kinds::only(last.role().of(!turn)));
        let came = self.evidence.placement.readings(m.to()).find(|now| now.kinds == captor && now.since >= since);
        self.left(from, caught).zip(came).is_some_and(|(left, came)| came.since + CARRIED_US < left)
    }

    /// Whether only that is felt that something stands where a ply captured the last ply's man, and has been since one
    /// of the two came: nothing tells that the other one did.
    pub(super) fn was_replaced(&self, m: Move, parent: &Node) -> bool {
        let Some((last, index)) = parent.line.last().zip(parent.line.len().checked_sub(1)) else { return false };
        let mut readings = self.evidence.placement.readings(m.to());
        let felt = readings.next().is_some_and(|now| now.kinds == Kinds::OCCUPIED);
        let since = self.evidence.since[index % 2];
        let once = readings.next().is_some_and(|before| before.kinds == Kinds::EMPTY && before.since < since);
        m.is_capture() && uci::destination(*last) == m.to() && !last.is_capture() && felt && once
    }

    /// When such a man left a square last, at the earliest; something else may have passed over it since.
    pub(super) fn left(&self, from: Square, man: Kinds) -> Option<Instant> {
        let readings = self.evidence.placement.readings(from);
        let mut pairs = readings.zip(self.evidence.placement.readings(from).skip(1));
        let left = pairs.find(|(then, before)| then.kinds == Kinds::EMPTY && before.kinds == man);
        left.map(|(left, _)| left.begun)
    }
}

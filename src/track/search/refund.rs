//! What a man was charged too much that nobody saw where it went.
//!
//! In: a line whose last man was absent, the next ply. Out: by how much less its absence costs if that captures it.

use super::{Node, Search, victim};
use crate::{
    notation::uci,
    rules::Move,
    track::{AT_PRESS_US, TAKES_US, cost},
    types::{Kinds, Piece},
};

impl Search<'_> {
    /// What the absence of the parent's man was charged too much if there was time for the next move to capture it
    /// where it was to stand, and its player had not taken it back.
    pub(super) fn refund(&self, parent: &Node, m: Move, index: usize) -> (&'static str, u32) {
        match refund(parent, m) {
            _ if self.had_no_room(m, parent, index) => ("", 0),
            ("NEVER" | "TAKEN", _) if self.showed_another(parent, index) => ("", 0),
            ("ABSENT", _) if self.was_taken_back(m) => ("", 0),
            refund => refund,
        }
    }

    /// Whether the square where nobody saw the last ply's man showed another one of its player's when the clock was
    /// pressed.
    fn showed_another(&self, parent: &Node, index: usize) -> bool {
        let Some((last, before)) = parent.line.last().zip(index.checked_sub(1)) else { return false };
        let Some(press) = self.evidence.presses.get(before) else { return false };
        let (since, by) = (self.evidence.since[before % 2], !parent.position.turn());
        let other = |man: Piece| man.color == by && man.role != last.promotion().unwrap_or(last.role());
        self.evidence.placement.told_of(uci::destination(*last), other, since, [*press + -AT_PRESS_US, *press])
    }

    /// Whether the square of the man that a ply captures was empty for longer than a capture takes before the captor
    /// left its own: rather its player had taken it back.
    fn was_taken_back(&self, m: Move) -> bool {
        let placement = self.evidence.placement;
        let Some(from) = m.from().filter(|from| placement.kinds(*from) == Kinds::EMPTY) else { return false };
        let left = placement.changed(from);
        let mut readings = placement.readings(victim(m)).filter(|reading| reading.since < left);
        readings.next().is_some_and(|reading| reading.kinds == Kinds::EMPTY && left - reading.since > TAKES_US)
    }
}

/// What the absence of the parent's man was charged too much if the next move captures it where it was to stand.
fn refund(parent: &Node, m: Move) -> (&'static str, u32) {
    let caught = parent.line.last().filter(|last| uci::destination(**last) == victim(m) && m.is_capture());
    let unseen = if m.is_en_passant() { cost::CAUGHT_PASSING } else { cost::CAUGHT };
    match (caught, parent.absence) {
        (Some(Move::Put { .. }), cost::NEVER) => ("NEVER", cost::NEVER - cost::CAUGHT_DROP),
        (Some(_), cost::NEVER) => ("NEVER", cost::NEVER - unseen),
        (Some(_), cost::TAKEN) => ("TAKEN", cost::TAKEN - unseen),
        (Some(_), cost::ABSENT) => ("ABSENT", cost::ABSENT - cost::ABSENT_CAUGHT),
        _ => ("", 0),
    }
}

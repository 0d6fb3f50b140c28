//! What a man was charged too much that nobody saw where it went.
//!
//! In: a line whose last man was absent, the next ply. Out: by how much less its absence costs if that captures it. It
//! does not know whether there was time for it.

use super::{Node, victim};
use crate::{notation::uci, rules::Move, track::cost};

/// What the absence of the parent's man was charged too much if the next move captures it where it was to stand.
pub fn refund(parent: &Node, m: Move) -> (&'static str, u32) {
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

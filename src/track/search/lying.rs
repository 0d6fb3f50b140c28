//! Promoted men that lie on their sides, where no sensor feels them (WBN 5.7).
//!
//! In: a ply of such a man. Out: whether it has risen or lies on, and what that costs.

use super::{Evidence, Node, Search};
use crate::{
    notation::uci,
    rules::Move,
    track::{SCAN_US, cost, explain::named},
    types::{Kinds, Role, Square},
};

impl Search<'_> {
    /// What it costs that a ply's man lay on its side, by name.
    pub(super) fn lain(&self, m: Move, parent: &Node, index: usize) -> (&'static str, u32) {
        match () {
            () if self.lies_on(m, parent, index) => named!(LIES_ON),
            () if self.had_lain(m, parent, index) => named!(RISEN),
            () => ("", 0),
        }
    }

    /// Whether a ply's man lay on its side and lies where it went, so that nothing was felt of it.
    pub(super) fn lies_on(&self, m: Move, parent: &Node, index: usize) -> bool {
        self.had_lain(m, parent, index) && self.feels_nothing(uci::destination(m), index)
    }

    /// Whether a ply's man lay on its side where no sensor felt it: its square has shown nothing since before.
    fn had_lain(&self, m: Move, parent: &Node, index: usize) -> bool {
        let promoted = m.from().filter(|from| parent.position.promoted().contains(*from));
        let lay = |from: Square| self.feels_nothing(from, index) || self.never_felt(m, parent, index);
        !self.evidence.gap && promoted.is_some_and(lay)
    }

    /// Whether a square became empty as its promoted man came, or as the man was taken that had stood there.
    fn never_felt(&self, m: Move, parent: &Node, index: usize) -> bool {
        let Some(from) = m.from() else { return false };
        let Evidence { placement, since, .. } = self.evidence;
        let left = placement.changed(from);
        let stood = placement.kinds_at(from, left + -1);
        let by = parent.position.turn();
        let own = [Role::Pawn, m.role()].into_iter().any(|role| stood.allows(Some(role.of(by))));
        placement.kinds(from) == Kinds::EMPTY && left < since[index % 2] + SCAN_US && !own
    }

    fn feels_nothing(&self, square: Square, index: usize) -> bool {
        let Evidence { placement, since, .. } = self.evidence;
        placement.kinds(square) == Kinds::EMPTY && placement.changed(square) < since[index % 2]
    }
}

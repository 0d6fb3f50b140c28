//! One seat's pocket tray: slots to counts by kind.

use crate::{
    rules::Pocket,
    types::{Color, Kinds, Piece},
};

/// Slots that a tray may have.
const SLOTS_MAX: usize = 256;

/// One channel of a tray unit.
#[derive(Clone, Debug)]
pub struct TraySense {
    owner: Color,
    slots: Vec<Kinds>,
    seen: Pocket,
}

/// Men that came to or left a tray.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrayChange {
    /// More than before of each kind.
    pub added: Pocket,
    /// Fewer than before.
    pub removed: Pocket,
}

impl TraySense {
    /// An empty tray of a player of this colour.
    pub fn new(owner: Color) -> TraySense {
        TraySense { owner, slots: Vec::new(), seen: Pocket::default() }
    }

    /// These men were there when the tray was looked at last.
    pub fn remember(&mut self, seen: Pocket) {
        self.seen = seen;
    }

    /// Men that are certainly there.
    pub fn seen(&self) -> &Pocket {
        &self.seen
    }

    /// What each slot says.
    pub fn slots(&self) -> &[Kinds] {
        &self.slots
    }

    /// All slots at once; what changed.
    pub fn snapshot(&mut self, slots: Vec<Kinds>) -> Option<TrayChange> {
        self.slots = slots;
        self.slots.truncate(SLOTS_MAX);
        self.recount()
    }

    /// One slot; what changed.
    pub fn slot(&mut self, slot: u16, kinds: Kinds) -> Option<TrayChange> {
        let slot = usize::from(slot);
        if slot >= SLOTS_MAX {
            return None;
        }
        if slot >= self.slots.len() {
            self.slots.resize(slot + 1, Kinds::EMPTY);
        }
        self.slots[slot] = kinds;
        self.recount()
    }

    fn recount(&mut self) -> Option<TrayChange> {
        let mut seen = Pocket::default();
        for man in self.slots.iter().filter_map(|kinds| kinds.single().flatten()) {
            if self.holds(man) {
                *seen.get_mut(man.role) += 1;
            }
        }
        let before = std::mem::replace(&mut self.seen, seen);
        let change = TrayChange {
            added: seen.zip(before).map(|(now, before)| now.saturating_sub(before)),
            removed: before.zip(seen).map(|(before, now)| before.saturating_sub(now)),
        };
        (change != TrayChange::default()).then_some(change)
    }

    /// A pocket's men have the seat's own colour.
    fn holds(&self, man: Piece) -> bool {
        man.color == self.owner && man.role != crate::types::Role::King
    }
}

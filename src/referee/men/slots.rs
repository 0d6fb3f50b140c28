//! Which slots of a tray show a man, and since when.
//!
//! In: what trays show, one view after the other. Out: slots that a kind of man has come to or left, and how long it
//! lies there. Men of a kind are alike, slots are not.

use crate::types::{Instant, Piece};

/// Slots that are told apart; those beyond are only counted.
pub const SLOTS_MAX: usize = 64;

/// Slots by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slots(u64);

impl Slots {
    /// With one more.
    pub fn insert(&mut self, slot: usize) {
        if slot < SLOTS_MAX {
            self.0 |= 1 << slot;
        }
    }

    /// Takes one out, if it is among them.
    pub fn take(&mut self, slot: u8) -> bool {
        let with = self.0;
        self.0 &= !1_u64.checked_shl(slot.into()).unwrap_or(0);
        with != self.0
    }

    /// Takes the first one out.
    pub fn take_first(&mut self) -> Option<u8> {
        let first = self.iter().next()?;
        self.take(first);
        Some(first)
    }

    /// Those that are not among others.
    pub fn without(self, others: Slots) -> Slots {
        Slots(self.0 & !others.0)
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether it is among them.
    pub fn contains(self, slot: u8) -> bool {
        let mut rest = self;
        rest.take(slot)
    }

    fn iter(self) -> impl Iterator<Item = u8> {
        let first = |slots: u64| (slots != 0).then_some(slots);
        std::iter::successors(first(self.0), move |slots| first(slots & (slots - 1)))
            .map(|slots| slots.trailing_zeros() as u8)
    }
}

/// Slots by colour and kind of the man in them, in the order of [`crate::types::Role::ALL`].
pub type SlotsByPiece = [[Slots; 6]; 2];

/// The slots that show a man.
pub fn of(by_piece: &SlotsByPiece, piece: Piece) -> Slots {
    by_piece[piece.color as usize][piece.role as usize - 1]
}

/// What one tray shows, and since when.
#[derive(Clone, Debug)]
pub struct Tray {
    slots: SlotsByPiece,
    since: [Instant; SLOTS_MAX],
}

impl Default for Tray {
    fn default() -> Tray {
        Tray { slots: SlotsByPiece::default(), since: [Instant::LONG_AGO; SLOTS_MAX] }
    }
}

/// Slots that a man came to, and others that it left.
#[derive(Clone, Copy, Debug)]
pub struct Changed {
    pub came: Slots,
    pub left: Slots,
}

impl Tray {
    /// One kind of man lies in these slots now: which changed.
    pub fn show(&mut self, piece: Piece, now: Slots, at: Instant) -> Changed {
        let shown = &mut self.slots[piece.color as usize][piece.role as usize - 1];
        let before = std::mem::replace(shown, now);
        let changed = Changed { came: now.without(before), left: before.without(now) };
        changed.came.iter().for_each(|slot| self.since[usize::from(slot)] = at);
        changed
    }

    /// The slots that show such a man.
    pub fn slots(&self, piece: Piece) -> Vec<u8> {
        of(&self.slots, piece).iter().collect()
    }

    /// Since when the man lies there that came last.
    pub fn since(&self, piece: Piece) -> Option<Instant> {
        of(&self.slots, piece).iter().map(|slot| self.since[usize::from(slot)]).max()
    }
}

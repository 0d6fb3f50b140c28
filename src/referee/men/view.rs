//! What a tray shows at one time, by kinds of men.
//!
//! In: what may lie in each slot. Out: how many men of a kind lie there and where, what those slots may hold that do
//! not say, and whether a man may have lain there lately. It knows nothing of whose men those are.

use super::{EXCHANGE_US, slots::SlotsByPiece};
use crate::types::{Color, Instant, Kinds, Piece, Role};

/// What one tray shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrayView {
    /// Men by colour and kind, in the order of [`Role::ALL`].
    counts: [[u8; 6]; 2],
    /// Where those are.
    pub(super) slots: SlotsByPiece,
    /// Slots that say nothing, or only that something is there.
    pub unclear: u8,
    /// What may lie in those.
    pub(super) open: Kinds,
}

impl Default for TrayView {
    fn default() -> TrayView {
        TrayView { counts: Default::default(), slots: Default::default(), unclear: 0, open: Kinds::EMPTY }
    }
}

impl TrayView {
    /// What the slots of a tray show.
    pub fn of(slots: &[Kinds]) -> TrayView {
        let mut view = TrayView::default();
        for (slot, kinds) in slots.iter().enumerate() {
            match kinds.single() {
                Some(None) => {}
                Some(Some(piece)) => {
                    let (color, role) = (piece.color as usize, piece.role as usize - 1);
                    view.counts[color][role] += 1;
                    view.slots[color][role].insert(slot);
                }
                None => {
                    view.unclear = view.unclear.saturating_add(1);
                    view.open = view.open.or(*kinds);
                }
            }
        }
        view
    }

    pub(super) fn count(&self, piece: Piece) -> u8 {
        self.counts[piece.color as usize][piece.role as usize - 1]
    }

    pub(super) fn pieces() -> impl Iterator<Item = Piece> {
        Color::ALL.into_iter().flat_map(|color| Role::ALL.map(|role| Piece { color, role }))
    }
}

/// What may lie in slots of a tray that do not say what they hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    now: Kinds,
    /// Until the last change, and when that was.
    before: (Kinds, Instant),
}

impl Open {
    /// Nothing.
    pub(super) const NONE: Open = Open { now: Kinds::EMPTY, before: (Kinds::EMPTY, Instant::LONG_AGO) };

    pub(super) fn change(&mut self, open: Kinds, at: Instant) {
        if open != self.now {
            *self = Open { now: open, before: (self.now, at) };
        }
    }

    /// Whether a man may be seen there that was captured now.
    pub(super) fn shows(&self, man: Piece, at: Instant) -> bool {
        let (before, until) = self.before;
        self.now.allows(Some(man)) || before.allows(Some(man)) && until + EXCHANGE_US >= at
    }
}

//! What a line costs at least, before it is weighed.
//!
//! In: a line and one more ply, or how many plies. Out: a cost that no such line is below. What is too dear by that
//! need not be weighed.

use super::{Node, Ply, Search};
use crate::{track::cost, types::Bitboard};

/// What a line of so many plies costs at least, whatever is seen.
pub fn least(plies: usize) -> u32 {
    cost::PLY * plies as u32
}

impl Search<'_> {
    /// A line that costs so much is neither the best nor one of its rivals, or of no use. All count where they are to
    /// be noted.
    pub(super) fn enough(&self, best: &Node) -> u32 {
        if self.evidence.noting { u32::MAX } else { self.evidence.most.min(best.cost + cost::MARGIN) }
    }

    /// What a line costs at least with one more ply: what it brings for good, and what it leaves as it is.
    pub(super) fn floor(&self, parent: &Node, ply: &Ply) -> u32 {
        let len = parent.line.len();
        let still = self.evidence.still;
        let open = |squares: Bitboard| squares & !ply.squares;
        let (missing, foreign) = (open(parent.mismatch.missing), open(parent.mismatch.foreign));
        let [away, strangers] = [missing, foreign].map(|squares| (squares & !still).count() as u32);
        // Each man that should not be there may be one of those that are missing.
        let stray = if still.is_empty() { cost::PREMOVE } else { 0 };
        let kept = self.kept(&parent.line);
        let kept = kept + usize::from(kept == len && self.evidence.before.get(len) == Some(&ply.played));
        let given_up = if (missing | foreign).is_empty() { 0 } else { self.evidence.before.len() - kept };
        ply.spent
            + least(len + 1)
            + cost::MISSING * away.saturating_sub(strangers)
            + stray * strangers
            + cost::GIVE_UP_MADE * given_up as u32
            + cost::PRESS * self.evidence.presses.len().saturating_sub(len + 1) as u32
    }
}

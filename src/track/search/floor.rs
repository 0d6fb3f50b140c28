//! What a line costs at least, before it is weighed.
//!
//! In: a line and one more ply, or how many plies. Out: a cost that no such line is below. What is too dear by that
//! need not be weighed.

use super::{
    Node, Search, squares_of,
    stray::{man_reading, may_read, may_stray},
};
use crate::{
    notation::uci,
    rules::Move,
    track::cost,
    types::{Bitboard, Piece, Square},
};

/// What a line's wrong squares cost as long as no ply touches them.
pub(super) struct Rest {
    /// Men that have been missing for long.
    lacking: Bitboard,
    /// Men of the line that were not seen where they went.
    unseen: Bitboard,
    /// What is spared if missing men are those that should not be there: by their own squares.
    from: Spared,
    /// The same by the squares where they should not be.
    to: Spared,
}

/// By how much less men cost at most, by squares.
struct Spared {
    each: [u8; 64],
    sum: u32,
}

impl Spared {
    const NOTHING: Spared = Spared { each: [0; 64], sum: 0 };

    fn raise(&mut self, square: Square, spared: u32) {
        let each = &mut self.each[usize::from(square)];
        let more = spared.saturating_sub(u32::from(*each));
        *each += more as u8;
        self.sum += more;
    }

    fn without(&self, squares: Bitboard) -> u32 {
        self.sum - squares.into_iter().map(|square| u32::from(self.each[usize::from(square)])).sum::<u32>()
    }
}

/// What is spared at most if a missing man is one that should not be there.
const PAIRED: u32 = cost::FOREIGN + cost::MISSING - cost::PREMOVE;

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

    /// What the wrong squares of a line cost after one more ply of the other player.
    pub(super) fn rest(&self, parent: &Node) -> Rest {
        let still = self.evidence.still;
        let missing = parent.mismatch.missing & !parent.position.promoted();
        let arrivals = parent.line[self.kept(&parent.line)..].iter().map(|m| uci::destination(*m));
        let unseen = arrivals.collect::<Bitboard>() & missing;
        let lacking = missing & !still & self.evidence.gone;
        let mut rest = Rest { lacking, unseen, from: Spared::NOTHING, to: Spared::NOTHING };
        // A man that was wrong before may cost less.
        let foreign = if still.is_empty() { parent.mismatch.foreign } else { Bitboard::EMPTY };
        for to in foreign {
            let kinds = self.evidence.placement.kinds(to);
            for from in parent.mismatch.missing & may_read(&parent.position, kinds) {
                let man = man_reading(&parent.position, from, kinds);
                let stray = |man: Piece| may_stray(man, from, to, man.color == parent.position.turn());
                let spared = man.map_or(0, |man| (cost::FOREIGN + cost::MISSING).saturating_sub(stray(man)));
                rest.from.raise(from, spared);
                rest.to.raise(to, spared);
            }
        }
        rest
    }

    /// What a line costs at least with one more ply, beside what that brings for good.
    pub(super) fn floor(&self, parent: &Node, m: Move, rest: &Rest) -> u32 {
        let touched = squares_of(m);
        let len = parent.line.len();
        let still = self.evidence.still;
        let open = |squares: Bitboard| squares & !touched;
        let (missing, foreign) = (open(parent.mismatch.missing), open(parent.mismatch.foreign));
        let foreign = foreign | self.stays_wrong(parent, m) & parent.mismatch.foreign;
        let [away, strangers] = [missing, foreign].map(|squares| (squares & !still).count() as u32);
        // Where men were wrong before, each that should not be there may be one of those that are missing.
        let apart = match still.is_empty() {
            true => cost::MISSING * away + cost::FOREIGN * strangers,
            false => cost::MISSING * away.saturating_sub(strangers),
        };
        let spared = rest.from.without(parent.mismatch.missing & touched);
        let spared = spared.min(rest.to.without(parent.mismatch.foreign & !foreign));
        let kept = self.kept(&parent.line);
        let kept = kept + usize::from(kept == len && self.evidence.before.get(len) == Some(&m));
        let (absent, more) = self.absent(parent, m, foreign, kept <= len);
        let given_up = if (missing | foreign).is_empty() { 0 } else { self.evidence.before.len() - kept };
        // A drop takes one man out of a hand, a capture explains one that came to a tray.
        let explained = match m {
            Move::Put { .. } => cost::IN_HAND,
            m if m.is_capture() => cost::OWED,
            _ => 0,
        };
        parent.hands.saturating_sub(explained)
            + least(len + 1)
            + (cost::LACKING - cost::MISSING) * (missing & rest.lacking).count() as u32
            + self.evidence.unseen * (missing & rest.unseen).count() as u32
            + absent
            + apart.saturating_sub(spared + more)
            + cost::GIVE_UP_MADE * given_up as u32
            + cost::PRESS * self.evidence.presses.len().saturating_sub(len + 1) as u32
    }

    /// Squares of a ply on which what should not stand there stands still.
    fn stays_wrong(&self, parent: &Node, m: Move) -> Bitboard {
        let placement = self.evidence.placement;
        if matches!(m, Move::Castle { .. }) || !self.evidence.aliases.is_empty() {
            return Bitboard::EMPTY;
        }
        let left = m.from().map_or(Bitboard::EMPTY, Bitboard::from) & !placement.allows_empty();
        let man = m.promotion().unwrap_or(m.role()).of(parent.position.turn());
        let came = Bitboard::from(m.to()) & !placement.allows_empty() & !placement.allows(man);
        if self.may_read_as_pawn(parent, m) { left } else { left | came }
    }

    /// What the man of a ply costs at least that is missing where it goes, and by how much less at most if it stands on
    /// one of these squares.
    fn absent(&self, parent: &Node, m: Move, foreign: Bitboard, given_up: bool) -> (u32, u32) {
        let placement = self.evidence.placement;
        if matches!(m, Move::Castle { .. }) || self.may_read_as_pawn(parent, m) {
            return (0, 2 * PAIRED);
        }
        let man = m.promotion().unwrap_or(m.role()).of(parent.position.turn());
        let missing = placement.allows_empty() & !placement.allows(man) & !self.evidence.blind;
        if !missing.contains(m.to()) {
            return (0, 0);
        }
        let unseen = if given_up { self.evidence.unseen } else { 0 };
        let elsewhere = (placement.allows(man) & foreign).any();
        let known = self.evidence.still.contains(m.to());
        (if known { unseen } else { cost::MISSING + unseen }, if elsewhere { PAIRED } else { 0 })
    }

    /// Whether the man of a ply may stand there as a pawn.
    fn may_read_as_pawn(&self, parent: &Node, m: Move) -> bool {
        m.promotion().is_some() || m.from().is_some_and(|from| parent.position.promoted().contains(from))
    }
}

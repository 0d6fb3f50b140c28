//! Plies that no sensor has shown, and to which other squares their men may have gone.
//!
//! In: a ply, what its square and others have shown since. Out: the moves of the same man to squares that
//! have shown as little. Which of them explains what was played later is asked elsewhere (`lookback`).

use super::{
    SCAN_US,
    board::BoardTrack,
    past::{Past, reread, reread_from},
    search,
    seen::Seen,
};
use crate::{
    notation::uci,
    rules::{BoardPosition, Move},
    sense::Placement,
    types::{Instant, Kinds, Role, Square},
};

/// Latest plies that are asked: longer ago squares no longer remember what they showed.
const PLIES: usize = 40;
/// Squares that are named where nobody saw where a man went.
const ALIKE_MAX: usize = 8;

impl BoardTrack {
    /// Whether the man of some ply may stand elsewhere, because nobody saw where it went.
    pub(super) fn is_in_the_dark(&self, placement: &Placement) -> bool {
        let first = self.past.len().saturating_sub(PLIES);
        (first..self.past.len())
            .any(|index| self.was_scanned(index, placement) && self.is_unseen(index, placement, true))
    }

    /// Where else the man of the ply at `index` may have gone if no sensor has shown it where it is said to have stood.
    pub(super) fn elsewhere(&self, index: usize, seen: &Seen<'_>) -> Vec<Move> {
        let coming = !self.was_scanned(index, seen.placement);
        if index + PLIES < self.past.len() || self.is_guess(index) || !self.is_unseen(index, seen.placement, coming) {
            return Vec::new();
        }
        let Past { before, played, completed_at, .. } = &self.past[index];
        let shows_nothing = |to: Square| seen.placement.kinds_at(to, *completed_at) == Kinds::EMPTY;
        let same = |m: &Move| m.from() == played.from() && m.role() == played.role() && m.promotion().is_none();
        let other = |m: &Move| m != played && same(m) && shows_nothing(uci::destination(*m));
        before.legal_moves().into_iter().filter(other).collect()
    }

    /// Where else the man of a ply that is being completed may have gone if nobody saw where it went.
    pub(super) fn alike(&self, position: &BoardPosition, played: Move, seen: &Seen<'_>) -> Vec<Move> {
        let shows = |m: Move| {
            self.showed_lately(position, m, seen.placement)
                || !seen.placement.allows_empty().contains(uci::destination(m))
        };
        if shows(played) || played.promotion().is_some() {
            return Vec::new();
        }
        let same = |m: &Move| *m != played && m.from() == played.from() && m.role() == played.role();
        let other = |m: &Move| same(m) && !shows(*m) && !self.rivals.contains(m);
        position.legal_moves().into_iter().filter(other).take(ALIKE_MAX).collect()
    }

    /// The same of a man that the line has moved on since.
    pub(super) fn alike_before(
        &self,
        position: &BoardPosition,
        (played, completed_at): (Move, Instant),
        placement: &Placement,
    ) -> Vec<Move> {
        let seen = self.showed_lately(position, played, placement);
        if seen && !BoardTrack::was_passing(played, completed_at, placement) {
            return Vec::new();
        }
        let later: Vec<Move> = self.line.iter().map(|later| later.played).collect();
        let others = BoardTrack::moved_on(position, (played, completed_at), &later, placement);
        others.into_iter().filter(|m| !self.rivals.contains(m)).collect()
    }

    /// Whether the man of a ply is a pawn that is not seen where it went when its clock is pressed: it may have been on
    /// its way two steps ahead when it was seen there.
    pub(super) fn was_passing(played: Move, completed_at: Instant, placement: &Placement) -> bool {
        let pawn = played.role() == Role::Pawn && played.from().is_some();
        pawn && placement.kinds_at(uci::destination(played), completed_at) == Kinds::EMPTY
    }

    /// Whether the man of a ply that is being completed was seen where it went.
    fn showed_lately(&self, position: &BoardPosition, played: Move, placement: &Placement) -> bool {
        let before = self.past.len().checked_sub(2).and_then(|index| self.past.get(index));
        let since = before.map_or(Instant::LONG_AGO, |past| past.made_at);
        let man = played.role().of(position.turn());
        placement.showed(uci::destination(played), man, since, Instant(i64::MAX))
    }

    /// Where else the man of a ply that nobody saw arrive may have gone, if `later` plies moved it on from there, or
    /// took a pawn that may have gone two steps, in passing.
    pub(super) fn moved_on(
        before: &BoardPosition,
        (played, completed_at): (Move, Instant),
        later: &[Move],
        placement: &Placement,
    ) -> Vec<Move> {
        let said = uci::destination(played);
        let moves_on = |m: &Move| m.from() == Some(said);
        let takes = |m: &Move| m.is_capture() && m.to() == said;
        if played.promotion().is_some() || !later.iter().any(|m| moves_on(m) || takes(m)) {
            return Vec::new();
        }
        let same = |m: &Move| *m != played && m.from() == played.from() && m.role() == played.role();
        let shows_nothing = |m: &Move| placement.kinds_at(uci::destination(*m), completed_at) == Kinds::EMPTY;
        let goes_on = |m: &Move| {
            let mut position = before.clone();
            position.play(*m);
            for next in later {
                if moves_on(next) {
                    return reread_from(&position, *next, uci::destination(*m)).is_some();
                }
                match reread(&position, *next) {
                    Some(again) if takes(next) => return matches!(again, Move::EnPassant { .. }),
                    Some(again) => position.play(again),
                    None => return false,
                };
            }
            false
        };
        let others = before.legal_moves().into_iter().filter(same).filter(shows_nothing).filter(goes_on);
        others.take(ALIKE_MAX).collect()
    }

    /// Whether no sensor has shown the man of the ply at `index` on its square since it was completed, nor, if asked,
    /// on its way there.
    fn is_unseen(&self, index: usize, placement: &Placement, coming: bool) -> bool {
        let Past { before, played, completed_at, .. } = &self.past[index];
        if played.promotion().is_some() || matches!(played, Move::Castle { .. }) {
            return false;
        }
        let to = uci::destination(*played);
        let until = self.next_touch(index).map_or(Instant(i64::MAX), |next| next.completed_at);
        let came = index.checked_sub(2).map_or(Instant::LONG_AGO, |last| self.past[last].made_at);
        let since = if coming { came } else { *completed_at };
        let promoted = played.from().is_some_and(|from| before.promoted().contains(from));
        let showed = |role: Role| placement.showed(to, role.of(before.turn()), since, until);
        let remembered = placement.readings(to).any(|reading| reading.since <= *completed_at);
        remembered && !showed(played.role()) && !(promoted && showed(Role::Pawn))
    }

    /// Whether the man of the ply at `index` stood on its square for a whole scan.
    fn was_scanned(&self, index: usize, placement: &Placement) -> bool {
        let scanned = self.past[index].completed_at + SCAN_US;
        self.next_touch(index).is_none_or(|next| begun(next, placement) >= scanned)
    }

    /// The first later ply that touches the square to which the one at `index` went.
    fn next_touch(&self, index: usize) -> Option<&Past> {
        let to = uci::destination(self.past[index].played);
        self.past[index + 1..].iter().find(|later| search::squares_of(later.played).contains(to))
    }
}

/// When a ply may have begun: whoever captures may take the man off as soon as the captor is in hand.
fn begun(ply: &Past, placement: &Placement) -> Instant {
    let lifted = ply.played.from().map(|from| placement.since_at(from, ply.made_at));
    lifted.map_or(ply.made_at, |lifted| lifted.min(ply.made_at))
}

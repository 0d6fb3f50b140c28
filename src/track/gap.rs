//! What was played while presses were lost, or while nobody heard of a board at all.
//!
//! In: that it was so; then what the board shows and whose time runs. Out: the presses that must have been. What nobody
//! watched is not read anew by hindsight: it would hold moves against men that were not looked at (`guess`).

use super::{Completion, Press, REST_US, board::BoardTrack, guess::Guess, hindsight, search::Arriving, seen::Seen};
use crate::{
    rules::{BoardPosition, Move, Pocket},
    sense::Placement,
    types::{Bitboard, Color, Instant, MS, Role},
};

/// A reply that stands so long with everything explained was played, even if no press was seen.
const MISSED_US: i64 = 2500 * MS;
/// Men that lie in the trays of a board's players, or have left them, and are in no known pocket: another board has
/// sent them while nobody watched.
pub(super) fn sent(position: &BoardPosition, seen: &Seen<'_>, arriving: &mut Arriving) {
    let known = arriving.apply(position);
    for color in Color::ALL {
        let Some(lying) = seen.lying.get(color) else { continue };
        let lifted = seen.lifted.get(color).map_or_else(Pocket::default, |hand| hand.men);
        for role in Role::ALL {
            let held = lying.get(role).saturating_add(*lifted.get(role));
            (*known.pocket(color).get(role)..held).for_each(|_| arriving.add(color, role));
        }
    }
}

impl BoardTrack {
    /// Presses were lost.
    pub(super) fn lose_presses(&mut self) {
        self.unwatched &= self.gap;
        self.gap = true;
    }

    /// Nobody heard of the board's men nor of its clock until now: what it shows is not known until all of it is told.
    pub(super) fn lose_sight(&mut self, at: Instant) {
        (self.gap, self.unwatched, self.clock_ran) = (true, true, None);
        self.guess = Guess::lost(at);
        self.deaf.clear();
    }

    /// Whether a drop's man is in the pocket of the confirmed game, as far as that is known.
    pub(super) fn has(&self, position: &BoardPosition, m: Move) -> bool {
        match m {
            Move::Put { role, .. } => self.pockets_unknown || *position.pocket(position.turn()).get(role) > 0,
            _ => true,
        }
    }

    /// The daemon was away: what is not completed is looked for anew.
    pub(super) fn reopen(&mut self, completion: Completion) {
        self.line.clear();
        self.rivals.clear();
        self.presses.clear();
        self.heard.clear();
        self.ended_at = None;
        self.given = self.past.len();
        (self.clock_turn, self.clock_stopped, self.clock_ran) = (None, false, None);
        self.completion = completion;
        // It is told at the first look, which is waited for.
        (self.gap, self.unwatched, self.guess) = (true, true, Guess::default());
        self.deaf.clear();
    }

    /// Whether plies may have been played that nobody watched.
    pub(super) fn is_unwatched(&self) -> bool {
        self.gap && self.unwatched
    }

    /// After a gap, or where no clock tells: squares that have shown the same for so long that a man missing there is
    /// in no hand.
    pub(super) fn gone(&self, placement: &Placement, at: Instant) -> Bitboard {
        match self.is_unwatched() || self.completion != Completion::Clock {
            true => placement.unchanged_since(at + -hindsight::GONE_US),
            false => Bitboard::EMPTY,
        }
    }

    /// When plies count whose presses nobody saw: the clock was out of sight, or went there and back between two
    /// messages.
    pub(super) fn gap_due(&self) -> Option<Instant> {
        let read = self.clock_turn.is_some()
            && !self.awaits_sight()
            && self.completion == Completion::Clock
            && self.presses.is_empty();
        // The lever of a clock that is stopped may have sprung; whose time was seen to run tells who had pressed.
        let stopped = self.clock_stopped && (self.clock_ran.is_none() || self.clock_ran != self.clock_turn);
        match self.line.as_slice() {
            _ if !read || stopped => None,
            [_, reply, ..] if self.unexplained.is_empty() => Some(reply.made_at + MISSED_US),
            [_] if self.gap => Some(self.changed_at + REST_US),
            _ => None,
        }
    }

    /// As many plies were completed as bring the turn to where the clock has it.
    pub(super) fn close_gap(&mut self, turn: Color) {
        let odd = usize::from(self.clock_turn != Some(turn));
        let plies = if self.gap { self.line.len() } else { self.line.len().min(2) };
        let completed = if plies % 2 == odd { plies } else { plies - 1 };
        self.gap &= completed > 0;
        for (index, ply) in self.line.iter().take(completed).enumerate() {
            let by = if index % 2 == 0 { turn } else { !turn };
            self.presses.push_back(Press { by, at: ply.made_at, clock: None });
        }
    }
}

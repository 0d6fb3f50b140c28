//! A clock whose sides were mistaken for each other: its first word was lost, or a lever bounced when it was started.
//!
//! In: plies as presses complete them. Out: whether each press seems to complete the ply before the one that it was
//! pressed for. Then the players' sides are the other way round, and so is every press that was heard: what was
//! completed is told again with its times. Which side is whose is `sense`'s.

use super::{
    Completed, Press, Revision,
    board::{BoardTrack, LATE_US, LinePly},
    past::Past,
};
use crate::types::{BoardId, ClockTimes, Color, Instant};

/// Plies in a row that were completed by the press after their own: players who are ahead of the clock so long would
/// both have to be, at every move.
const LATE_PLIES: usize = 6;

impl BoardTrack {
    /// Notes whether a ply was completed one press late: it had been made before the press before, and the reply to it
    /// before its own.
    pub(super) fn note_lateness(&mut self, ply: &LinePly, press: Option<&Press>) {
        let Some(press) = press else { return };
        let before = self.heard.iter().rev().find(|heard| heard.at < press.at);
        // In a scramble a press that was not heard puts all others behind for a while.
        if before.is_some_and(|before| press.at - before.at < LATE_US) {
            return;
        }
        let made = before.is_some_and(|before| before.by != press.by && ply.made_at <= before.at);
        let replied = self.line.first().is_some_and(|reply| reply.made_at <= press.at);
        self.late_plies = if made && replied { self.late_plies + 1 } else { 0 };
    }

    /// Whether the sides of the clock seem to be the other way round.
    pub fn clock_is_turned(&self) -> bool {
        self.late_plies >= LATE_PLIES
    }

    /// The sides were mistaken: every press was the other player's. The last one waits for the ply under way; those
    /// before completed other plies than was told. Answers the plies with their times.
    pub fn turn_clock(&mut self, board: BoardId, turn: Color) -> Option<Revision> {
        self.late_plies = 0;
        for press in &mut self.heard {
            (press.by, press.clock) = (!press.by, press.clock.map(turned));
        }
        let mut after = Instant::LONG_AGO;
        let moves: Vec<Completed> =
            (self.given..self.past.len()).map(|index| self.told_again(board, index, &mut after)).collect();
        self.toggles.iter_mut().for_each(|(by, _)| *by = !*by);
        self.presses = self.heard.back().copied().filter(|press| press.by == turn).into_iter().collect();
        self.looked_back = None;
        self.reviewed = self.reviewed.min(self.past.len().saturating_sub(1));
        (!moves.is_empty()).then_some(Revision { board, from: self.given, moves })
    }

    /// A completed ply with its own press: the first of its player `after` that of the ply before it, once the ply had
    /// been made and before its player made the next one. It keeps the time that it has if none is left.
    fn told_again(&mut self, board: BoardId, index: usize, after: &mut Instant) -> Completed {
        let next = self.past.get(index + 2).map_or(Instant(i64::MAX), |next| next.made_at);
        let past = &mut self.past[index];
        past.clock = past.clock.map(turned);
        let own = |press: &&Press| press.by == past.before.turn() && press.at > *after;
        let made = |press: &&Press| past.made_at <= press.at + LATE_US && press.at < next;
        if let Some(own) = self.heard.iter().filter(own).find(made) {
            (past.completed_at, past.clock) = (own.at, own.clock);
        }
        *after = past.completed_at;
        let Past { played, made_at, completed_at, clock, illegal, rivals, .. } = past.clone();
        Completed { board, played, made_at, completed_at, clock, illegal, rivals }
    }
}

/// The times of a clock whose sides were mistaken.
fn turned(ClockTimes { white_ms, black_ms }: ClockTimes) -> ClockTimes {
    ClockTimes { white_ms: black_ms, black_ms: white_ms }
}

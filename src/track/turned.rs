//! A clock whose sides were mistaken for each other: its first word was lost, or a lever bounced when it was started.
//!
//! In: plies as presses complete them. Out: whether each press seems to complete the ply before the one that it was
//! pressed for. Then the players' sides are the other way round, and so is every press that was heard. Which side is
//! whose is `sense`'s.

use super::{
    Press,
    board::{BoardTrack, LinePly},
};
use crate::types::Color;

/// Plies in a row that were completed by the press after their own: players who are ahead of the clock so long would
/// both have to be, at every move.
const LATE_PLIES: usize = 6;

impl BoardTrack {
    /// Notes whether a ply was completed one press late: it had been made before the press before, and the reply to it
    /// before its own.
    pub(super) fn note_lateness(&mut self, ply: &LinePly, press: Option<&Press>) {
        let Some(press) = press else { return };
        let before = self.heard.iter().rev().find(|heard| heard.at < press.at);
        let made = before.is_some_and(|before| before.by != press.by && ply.made_at <= before.at);
        let replied = self.line.first().is_some_and(|reply| reply.made_at <= press.at);
        self.late_plies = if made && replied { self.late_plies + 1 } else { 0 };
    }

    /// Whether the sides of the clock seem to be the other way round.
    pub fn clock_is_turned(&self) -> bool {
        self.late_plies >= LATE_PLIES
    }

    /// The sides were mistaken: every press was the other player's. The last one waits for the ply under way.
    pub fn turn_clock(&mut self, turn: Color) {
        self.late_plies = 0;
        self.heard.iter_mut().for_each(|press| press.by = !press.by);
        self.toggles.iter_mut().for_each(|(by, _)| *by = !*by);
        self.presses = self.heard.back().copied().filter(|press| press.by == turn).into_iter().collect();
        self.looked_back = None;
        self.reviewed = self.reviewed.min(self.past.len().saturating_sub(1));
    }
}

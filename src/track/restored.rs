//! A completed illegal move that was taken back: the men stand as before it, and the time of its player runs again.
//!
//! In: the last completed ply, whose time runs, what the board shows. Out: a [`Revision`] without that ply; its player
//! moves again. Who asked for that, and whether a claim was made, it does not know.

use super::{Revision, board::BoardTrack, past::Past, seen::Seen};
use crate::{
    notation::uci,
    rules::Move,
    types::{Bitboard, BoardId},
};

impl BoardTrack {
    /// Whether the last ply was illegal and its player's time runs again.
    pub(super) fn may_be_restored(&self) -> bool {
        let last = self.past.last().filter(|_| self.past.len() > self.given);
        let again = |last: &Past| self.clock_turn == Some(last.before.turn()) && !self.clock_stopped;
        last.is_some_and(|last| !last.illegal.is_empty() && again(last))
    }

    /// Whether what looks like a drop is the man of an illegal ply whose player's time runs again: nobody dropped it,
    /// the clock was pressed back.
    pub(super) fn pressed_back_on(&self, m: Move) -> bool {
        let stands = |last: &Past| uci::destination(last.played) == uci::destination(m);
        m.from().is_none() && self.may_be_restored() && self.past.last().is_some_and(stands)
    }

    /// Takes the last ply from the record if it is illegal and the board shows what stood before it. What was pressed
    /// meanwhile was no move, and nothing before it is read anew.
    pub(super) fn take_back(&mut self, board: BoardId, seen: &Seen<'_>) -> Option<Revision> {
        let last = self.past.last().filter(|_| self.may_be_restored())?;
        let mismatch = seen.placement.mismatch(&last.before).any() & !self.blind;
        let aliased: Bitboard = self.aliases.iter().map(|alias| alias.square).collect();
        if (mismatch & !aliased).any() {
            return None;
        }
        self.past.pop();
        let from = self.past.len();
        self.forget_from(from);
        self.given = from;
        self.line.clear();
        self.rivals.clear();
        self.presses.clear();
        self.heard.clear();
        Some(Revision { board, from, moves: Vec::new(), narrow: false })
    }
}

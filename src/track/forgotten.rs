//! An illegal reply that nobody pressed the clock for, and the legal ply before it: the presses of both were forgotten.
//!
//! In: a single press, when neither legal plies nor an illegal move of its player explain the board well. Out: the two
//! presses that nobody heard, if a legal ply, an illegal reply and a legal ply explain it better. The plies are
//! completed by those as all others are: nobody is accused here.

use super::{
    SCAN_US,
    board::BoardTrack,
    cost,
    illegal::{self, Illegal},
    presses::FORGOTTEN_US,
    search::Evidence,
    seen::Seen,
};
use crate::{
    notation::uci,
    rules::{BoardPosition, Move},
    types::{Instant, Kinds, MS},
};

/// Legal plies that are tried before an illegal reply.
const FIRSTS_MAX: usize = 8;
/// So long after it came a man has stood on its square when its player might have pressed.
const STOOD_US: i64 = 150 * MS;

/// Two plies that nobody pressed for.
struct Forgotten {
    first: Move,
    made_at: Instant,
    /// When the man of the illegal reply stood on its square.
    replied_at: Instant,
    cost: u32,
}

impl BoardTrack {
    /// Adds the presses of two plies before the press that waits; whether there are such.
    pub(super) fn add_forgotten_illegal(&mut self, position: &BoardPosition, seen: &Seen<'_>, at: Instant) -> bool {
        let Some(press) = self.presses.front().copied().filter(|press| press.by == position.turn()) else {
            return false;
        };
        if self.presses.len() > 1 || self.gap || !self.may_be_forgotten(press) || !self.is_trusted() {
            return false;
        }
        // A line that leaves a second move of the player open accuses, too.
        let accuses = self.second_move(position, seen).map_or(0, |_| cost::ILLEGAL);
        let least = self.cost + accuses;
        let least = self.illegal(position, seen).map_or(least, |found| found.cost.min(least));
        let found = self.forgotten_before(position, seen, press.at).filter(|found| found.cost + cost::REREAD <= least);
        let Some(Forgotten { first, made_at, replied_at, .. }) = found else { return false };
        self.push_forgotten(press.by, press, [made_at, replied_at]);
        self.show_first(position, first, seen, at);
        true
    }

    /// The legal ply and the illegal reply that explain the board best with the press at that time.
    fn forgotten_before(&self, position: &BoardPosition, seen: &Seen<'_>, press: Instant) -> Option<Forgotten> {
        let turn = position.turn();
        let since = self.past.last().map_or(self.began, |last| last.made_at);
        let firsts = position.legal_moves().into_iter().filter_map(|first| {
            let man = Kinds::only(first.role().of(turn));
            let stood = seen.placement.readings(uci::destination(first)).find(|reading| {
                let long = reading.until.min(press) - reading.since >= SCAN_US;
                reading.kinds == man && reading.since > since && long
            });
            stood.filter(|stood| press - stood.since >= FORGOTTEN_US).map(|stood| (first, stood.since))
        });
        let replies = |first: (Move, Instant)| self.illegal_reply(position, seen, press, first);
        firsts.take(FIRSTS_MAX).filter_map(replies).min_by_key(|found| found.cost)
    }

    /// The illegal reply to a ply that explains the board best.
    fn illegal_reply(
        &self,
        position: &BoardPosition,
        seen: &Seen<'_>,
        press: Instant,
        (first, made_at): (Move, Instant),
    ) -> Option<Forgotten> {
        let placement = seen.placement;
        let mut after = position.clone();
        after.play(first);
        let came = placement.mismatch(&after).foreign.into_iter().filter(|square| {
            let man = placement.kinds(*square).single().flatten();
            man.is_some_and(|man| man.color == after.turn()) && placement.changed(*square) > made_at
        });
        let replied = came.map(|square| placement.changed(square) + STOOD_US).filter(|at| *at < press);
        let before = self.evidence(seen, 0);
        let found = replied.filter_map(|replied_at| {
            let evidence = Evidence {
                presses: &[replied_at, press],
                since: [before.since[1], made_at],
                rest_since: made_at,
                pressed: [before.pressed[1], made_at],
                ..before
            };
            let certain =
                |reply: &Illegal| reply.own && reply.answers && !reply.contested && !reply.coming && !reply.open;
            let reply = illegal::explain(&after, evidence).filter(certain)?;
            let cost = reply.cost + cost::PLY + 2 * cost::UNPRESSED;
            Some(Forgotten { first, made_at, replied_at, cost })
        });
        found.min_by_key(|found| found.cost)
    }
}

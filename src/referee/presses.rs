//! Presses of one board's clock that no completed move explains (WBN 7.7).
//!
//! In: presses, completed moves, placements. Out: drafts of incidents, when nothing explains a press better: a bounce
//! of the lever, a press that was owed for a move that was completed without one, a record that was read anew. It does
//! not know why a move was completed.

use std::collections::VecDeque;

use arrayvec::ArrayVec;
use serde_json::json;

use super::{
    asked::Asked,
    board::{BoardSight, SCAN_US, names},
    docket::{Draft, Window},
    incident::Grade,
    kind::Kind,
};
use crate::types::{Bitboard, ByColor, ClockTimes, Color, Instant, MS, SECOND};

/// A press that is taken back so soon is a bounce of the lever.
const BOUNCE_US: i64 = 350 * MS;
/// Nobody presses so soon after the other player.
const REPLY_US: i64 = 60 * MS;
/// How long a press may wait for its move.
const PRESS_US: i64 = 3 * SECOND;
/// A press that nothing explains for so long is given up: the board says something else.
const PRESS_GIVEN_UP_US: i64 = 15 * SECOND;
/// Who presses back so late has not replied: the board would show it.
const PRESSED_BACK_US: i64 = SECOND;
/// How much later than a move was completed its press may be heard of.
const HEARD_LATE_US: i64 = SECOND;
/// How long a press may be owed.
const OWED_US: i64 = 6 * SECOND;
/// Presses that a player may owe.
const OWED_MAX: usize = 4;
/// Presses that may wait.
const WAITING_MAX: usize = 8;
/// Presses that are remembered.
const HEARD_MAX: usize = 16;

/// A press that no completed move has explained yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unanswered {
    by: Color,
    at: Instant,
    due: Instant,
    clock: ClockTimes,
    /// Men of the other side stood elsewhere than the game has them.
    others_displaced: Bitboard,
    /// What the player may have asked for by it.
    asked: Option<Asked>,
    /// The other side pressed back.
    back: Option<Back>,
    /// It was pressed back, and the move came with a later press.
    certain: bool,
}

impl Unanswered {
    /// When it is told of. Also one that is certain waits as long as any: the record may be read anew meanwhile.
    fn told_at(&self) -> Instant {
        self.due.max(self.at + PRESS_US)
    }
}

/// A press of the other side while one waits. It is one of its own as soon as that one is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Back {
    at: Instant,
    clock: ClockTimes,
    others_displaced: Bitboard,
    asked: Option<Asked>,
}

/// A press that was heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Heard {
    by: Color,
    at: Instant,
    /// A move was completed with it.
    used: bool,
    /// It was owed since then.
    paid: Option<Instant>,
}

/// What is known of the presses of one board.
#[derive(Clone, Debug, Default)]
pub struct Presses {
    waiting: Vec<Unanswered>,
    heard: VecDeque<Heard>,
    /// Moves that were completed without a press, which may come yet: the opponent replied first, or somebody reminded
    /// the player.
    owed: ByColor<ArrayVec<Instant, OWED_MAX>>,
    /// Where men of the player to move stood that the game has elsewhere, when the turn began.
    strays: Bitboard,
}

impl Presses {
    /// Whether no press waits for its move.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The first press of a player that waits.
    pub fn first(&self, by: Color) -> Option<Instant> {
        self.waiting.iter().filter(|press| press.by == by && press.back.is_none()).map(|press| press.at).min()
    }

    /// Whether a player pressed since some instant for what nothing has explained yet.
    pub fn waits(&self, by: Color, since: Instant) -> bool {
        self.waiting.iter().any(|press| press.by == by && press.at >= since)
    }

    /// A player pressed. One who presses back a press without a move has made none. `completed` tells whether a move
    /// was completed then, `asked` what the press may ask for if it has no move.
    pub fn press(
        &mut self,
        by: Color,
        at: Instant,
        (clock, asked): (ClockTimes, Option<Asked>),
        sight: BoardSight<'_>,
        completed: impl Fn(Instant) -> bool,
    ) {
        let last = self.heard.iter().rfind(|heard| heard.by == by).map(|heard| heard.at);
        if let Some(last) = last.filter(|last| at - *last < BOUNCE_US) {
            return self.bounced(by, last, completed);
        }
        if self.heard.len() == HEARD_MAX {
            self.heard.pop_front();
        }
        let paid = self.pays(by, at);
        self.heard.push_back(Heard { by, at, used: paid.is_some(), paid });
        if paid.is_some() {
            return;
        }
        let others_displaced =
            sight.misplaced().into_iter().filter(|(man, _, _)| man.color != by).map(|(_, _, to)| to).collect();
        let back = Back { at, clock, others_displaced, asked };
        if let Some(open) = self.waiting.iter_mut().find(|open| open.by != by && open.back.is_none()) {
            open.back = Some(back);
            return;
        }
        // The man of the move went back to where the game has it: the record is wrong, or a hand was.
        if (self.strays & !sight.foreign()).any() {
            return;
        }
        self.wait(by, back);
    }

    /// A press waits for its move.
    fn wait(&mut self, by: Color, Back { at, clock, others_displaced, asked }: Back) {
        if self.waiting.len() < WAITING_MAX {
            let due = at + PRESS_US;
            let (back, certain) = (None, false);
            self.waiting.push(Unanswered { by, at, due, clock, others_displaced, asked, back, certain });
        }
    }

    /// The lever sprang back after a press and came down again: the first press is the one, and what came between was
    /// none, so that a move which was completed with it is to be pressed for yet.
    fn bounced(&mut self, by: Color, first: Instant, completed: impl Fn(Instant) -> bool) {
        self.waiting.retain(|press| press.by == by || press.at < first);
        for press in self.waiting.iter_mut().filter(|press| press.by == by && press.at == first) {
            press.back = None;
        }
        let owed = self.owed.get_mut(by.other());
        self.heard.retain(|heard| {
            let between = heard.by != by && heard.at > first;
            if between && completed(heard.at) && !owed.is_full() {
                owed.push(heard.at);
            }
            !between
        });
    }

    /// Since when a press is owed that this one may be.
    fn pays(&mut self, by: Color, at: Instant) -> Option<Instant> {
        let owed = self.owed.get_mut(by);
        owed.retain(|since| at - *since <= OWED_US);
        owed.pop_at(0)
    }

    /// A move was completed that was made at `made`: its press is explained, and so are those before it. False if
    /// nobody pressed for it.
    pub fn completed(&mut self, by: Color, made: Instant, at: Instant) -> bool {
        let own = self.waiting.iter().find(|press| press.by == by && press.at <= at + HEARD_LATE_US);
        let back = own.and_then(|press| press.back.filter(|back| back.at > press.at.max(at)));
        // Nobody replies so soon. A press so soon after another one, when nothing had been made, which did not last was
        // the lever that sprang back after the other one and came down again.
        let soon =
            |at: Instant| self.heard.iter().any(|heard| heard.by != by && (1..BOUNCE_US).contains(&(at - heard.at)));
        let springs = |press: &Unanswered, back: Back| {
            let lasted = back.at - press.at;
            lasted < REPLY_US || lasted < BOUNCE_US && made > press.at && soon(press.at)
        };
        let (reply, sprang) = match (own, back) {
            (Some(press), Some(back)) if springs(press, back) => (None, true),
            (_, reply) => (reply, false),
        };
        let own = own.map(|press| press.at);
        let until = own.map_or(at, |press| press.max(at));
        let pressed = self.use_press(by, at) || own.is_some();
        // The press of this move was taken for one that was owed: that one may come yet, but not for longer.
        let paid = self.heard.iter().find(|heard| heard.by == by && heard.at == at).and_then(|heard| heard.paid);
        let owes = !pressed && !self.came_late(by, at);
        let owed = self.owed.get_mut(by);
        if (owes || sprang) && !owed.is_full() {
            owed.push(paid.unwrap_or(at));
        }
        // Both moves were found late: the press back was the one of the reply, unless that has one of its own.
        let own = |at: Instant| self.heard.iter().any(|heard| heard.by == by && heard.at == at);
        let late = |press: &Unanswered, back: Back| back.at < at && back.at - press.at >= PRESSED_BACK_US;
        let answers =
            |press: &Unanswered| press.by != by && !press.back.is_some_and(|back| late(press, back) && own(at));
        self.waiting.retain(|press| !press.certain || at > press.due || !answers(press));
        self.waiting.retain_mut(|press| {
            let taken_back = press.back.is_some_and(|back| back.at - press.at >= BOUNCE_US && back.at <= at);
            // The man stood there when the player pressed first: that was for it.
            let stood = press.by == by && made <= press.at + SCAN_US;
            let without = press.at < at && taken_back && !stood;
            if without {
                press.due = press.due.min(at + SCAN_US);
                press.certain = true;
            }
            press.certain || press.at > until || without
        });
        if let Some(reply) = reply {
            self.wait(by.other(), reply);
        }
        pressed
    }

    /// A move was completed without a press, as is found out late: whether a press that waits is the one that is owed.
    fn came_late(&mut self, by: Color, at: Instant) -> bool {
        let owed = |press: &Unanswered| press.by == by && !press.certain && (1..=OWED_US).contains(&(press.at - at));
        let Some(index) = self.waiting.iter().position(owed) else { return false };
        let Unanswered { at: pressed, back, .. } = self.waiting.remove(index);
        for heard in self.heard.iter_mut().filter(|heard| heard.by == by && heard.at == pressed) {
            (heard.used, heard.paid) = (true, Some(at));
        }
        if let Some(back) = back {
            self.wait(by.other(), back);
        }
        true
    }

    /// The press that completed a move, if there was one: the one at its instant, else one near it.
    fn use_press(&mut self, by: Color, at: Instant) -> bool {
        let near = |heard: &Heard| heard.by == by && !heard.used && (heard.at - at).abs() <= HEARD_LATE_US;
        let exact = self.heard.iter().position(|heard| heard.by == by && heard.at == at && !heard.used);
        let Some(index) = exact.or_else(|| self.heard.iter().position(near)) else { return false };
        for heard in self.heard.iter_mut().take(index + 1).filter(|heard| heard.by == by) {
            heard.used = true;
        }
        true
    }

    /// A turn begins: where the player's men stand that the game has elsewhere.
    pub fn turn(&mut self, sight: BoardSight<'_>) {
        self.strays = sight.foreign_of(sight.turn());
    }

    /// The record was read anew: what speaks against it no more speaks against nobody.
    pub fn revised(&mut self) {
        self.waiting.clear();
        self.strays = Bitboard::EMPTY;
    }

    /// When something may have to be told.
    pub fn deadline(&self) -> Option<Instant> {
        self.waiting.iter().map(Unanswered::told_at).min()
    }

    /// Tells what nothing has explained in time.
    pub fn look(&mut self, sight: BoardSight<'_>, now: Instant) -> Vec<Draft> {
        let mut drafts = Vec::new();
        let (rests, heard) = (sight.rests(), &self.heard);
        self.waiting.retain_mut(|press| {
            let bounced = press.back.is_some_and(|back| back.at - press.at < BOUNCE_US);
            if bounced || now - press.at > PRESS_GIVEN_UP_US {
                return false;
            }
            if press.told_at() > now {
                return true;
            }
            let displaced = press.others_displaced.any();
            if !press.certain && press.by != sight.turn() {
                return false; // its move was completed by an earlier press
            }
            // A man came in its player's turn and stands where the record does not know it: that may be the move.
            let turn = heard.iter().rfind(|other| other.by != press.by && other.at < press.at);
            let turn = turn.map_or(Instant::LONG_AGO, |other| other.at)..=press.at + SCAN_US;
            let unknown =
                || sight.foreign_of(press.by).into_iter().any(|to| turn.contains(&sight.placement.changed(to)));
            let waits = if press.certain { unknown() } else { !rests && !displaced };
            if waits {
                press.due = now + SECOND; // a hand is at work
                return true;
            }
            drafts.push(without_move(press, sight));
            false
        });
        drafts
    }
}

fn without_move(press: &Unanswered, sight: BoardSight<'_>) -> Draft {
    let seat = sight.board.seat(press.by);
    let displaced = press.others_displaced.any();
    let evidence = json!({
        "pressed_at": press.at, "pressed_back_at": press.back.map(|back| back.at), "clock": press.clock,
        "displaced": names(press.others_displaced),
    });
    let draft = Draft::of(Kind::ClockWithoutMove, seat, evidence);
    if let Some(asked) = press.asked {
        return Draft { citation: Some(asked.citation()), ..draft.grade(Grade::Note).reason(asked.as_str()) };
    }
    let draft = draft.claimable(sight.claimants(seat.opponent()), Window::Game);
    match displaced {
        false => draft,
        true => Draft { citation: Some(Kind::Displaced.citation(sight.rules)), ..draft.grade(Grade::Note) },
    }
}

#[cfg(test)]
mod tests;

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
use crate::types::{BoardId, ClockTimes, Color};

/// Plies that were completed by the press after their own, and none between that was not: players who are ahead of the
/// clock so long would both have to be, at every move.
const LATE_PLIES: usize = 6;
/// The same in the first plies of a game if White may have pressed before the clock was first read.
const FIRST_LATE_PLIES: usize = 3;
/// Plies that a game begins with.
const FIRST_PLIES: usize = 8;

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
        // The reply may be read after its press is heard.
        self.late_plies = if made { self.late_plies + usize::from(replied) } else { 0 };
    }

    /// Whether the sides of the clock seem to be the other way round; `late`: it was first seen to run when a man had
    /// been moved.
    pub fn clock_is_turned(&self, late: bool) -> bool {
        let first = late && self.past.len() <= FIRST_PLIES;
        self.late_plies >= if first { FIRST_LATE_PLIES } else { LATE_PLIES }
    }

    /// Whether the board's first move was made in the other player's time, who then pressed the clock.
    pub fn began_in_others_time(&self, turn: Color) -> bool {
        let [first] = &self.line[..] else { return false };
        let pressed = self.heard.back().is_some_and(|press| press.by != turn && first.made_at <= press.at);
        pressed && self.past.is_empty()
    }

    /// The sides were mistaken: every press was the other player's. The last one waits for the ply under way; those
    /// before completed other plies than was told. Answers the plies with their times; `late`: the first one's press
    /// came before the clock was read.
    pub fn turn_clock(&mut self, board: BoardId, turn: Color, late: bool) -> Option<Revision> {
        self.late_plies = 0;
        for press in &mut self.heard {
            (press.by, press.clock) = (!press.by, press.clock.map(turned));
        }
        let own = self.own_presses(usize::from(late && self.given == 0));
        let moves = (self.given..self.past.len()).zip(own).map(|(index, own)| self.told_again(board, index, own));
        let moves: Vec<Completed> = moves.collect();
        self.toggles.iter_mut().for_each(|(by, _)| *by = !*by);
        self.presses = self.heard.back().copied().filter(|press| press.by == turn).into_iter().collect();
        self.looked_back = None;
        self.reviewed = self.reviewed.min(self.past.len().saturating_sub(1));
        (!moves.is_empty()).then_some(Revision { board, from: self.given, moves, narrow: false })
    }

    /// The presses of the completed plies, where they are known: those of the first `unheard` ones were not.
    fn own_presses(&self, unheard: usize) -> Vec<Option<Press>> {
        let past = &self.past[self.given.min(self.past.len())..];
        let beside = |(index, past)| if index < unheard { None } else { self.beside_recorded(past) };
        let mut own: Vec<Option<Press>> = past.iter().enumerate().map(beside).collect();
        for index in unheard..own.len() {
            let between = |press: &&Press| {
                past.get(index + 2).is_none_or(|next| press.at <= next.made_at + LATE_US)
                    && own[..index].iter().flatten().all(|before| before.at < press.at)
                    && own[index..].iter().flatten().all(|after| press.at < after.at)
            };
            let mut open = self.heard.iter().filter(|press| is_of(press, &past[index])).filter(between);
            let only = open.next().filter(|_| open.next().is_none()).copied();
            own[index] = own[index].or(only);
        }
        own
    }

    /// The press before the one by which a ply is recorded, or the one after it if the ply had not been made by then.
    /// Of a ply that was recorded when it was made, and pressed for at once, it is that one itself.
    fn beside_recorded(&self, past: &Past) -> Option<Press> {
        let recorded = self.heard.iter().position(|press| press.at == past.completed_at)?;
        let before = recorded.checked_sub(1).and_then(|before| self.heard.get(before));
        let beside = [self.heard.get(recorded), before, before.and(self.heard.get(recorded + 1))];
        beside.into_iter().flatten().find(|press| is_of(press, past)).copied()
    }

    /// A completed ply with its own press. One that is recorded by the press of another ply was completed when it was
    /// made, as far as is known.
    fn told_again(&mut self, board: BoardId, index: usize, own: Option<Press>) -> Completed {
        let past = &mut self.past[index];
        let others = self.heard.iter().any(|press| press.at == past.completed_at);
        (past.completed_at, past.clock) = match own {
            Some(own) => (own.at, own.clock),
            None if others => (past.made_at.min(past.completed_at), None),
            None => (past.completed_at, past.clock.map(turned)),
        };
        let Past { played, made_at, completed_at, clock, illegal, rivals, .. } = past.clone();
        Completed { board, played, made_at, completed_at, clock, illegal, rivals }
    }
}

/// Whether a press may be that of a ply: its player's, once it had been made.
fn is_of(press: &Press, past: &Past) -> bool {
    press.by == past.before.turn() && past.made_at <= press.at + LATE_US
}

/// The times of a clock whose sides were mistaken.
fn turned(ClockTimes { white_ms, black_ms }: ClockTimes) -> ClockTimes {
    ClockTimes { white_ms: black_ms, black_ms: white_ms }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        notation::uci,
        rules::{BoardPosition, RuleSet},
        track::Completion,
        types::{Instant, MS},
    };

    /// Plies `made>recorded` of knights that go to and fro, presses of White and Black as they were once the sides are
    /// put right, and when each ply is told to have been completed; all in ms, `-` where no press is known. Those of
    /// the first `unheard` plies came before the clock was read.
    fn check_unheard(unheard: usize, plies: &str, presses: &str, expect: &str) {
        let mut track = BoardTrack::new(Completion::Clock);
        let mut position = BoardPosition::new(RuleSet::WBN_1_00.moves);
        let ms = |text: &str| Instant(text.parse::<i64>().unwrap() * MS);
        for (ply, text) in plies.split_whitespace().zip(["g1f3", "g8f6", "f3g1", "f6g8"].into_iter().cycle()) {
            let (made, recorded) = ply.split_once('>').unwrap();
            let completed = Completed {
                board: BoardId::A,
                played: uci::read(text, &position).unwrap(),
                made_at: ms(made),
                completed_at: ms(recorded),
                clock: None,
                illegal: Vec::new(),
                rivals: Vec::new(),
            };
            track.past.push(Past::new(&position, &completed, Vec::new()));
            position.play(completed.played);
        }
        track.heard = presses
            .split_whitespace()
            .map(|press| Press { by: Color::from_white(press.starts_with('w')), at: ms(&press[1..]), clock: None })
            .collect();
        let own = track.own_presses(unheard);
        let told: Vec<String> =
            own.iter().map(|own| own.map_or("-".into(), |own| (own.at.micros() / MS).to_string())).collect();
        assert_eq!(told.join(" "), expect, "{plies}");
    }

    fn check(plies: &str, presses: &str, expect: &str) {
        check_unheard(0, plies, presses, expect);
    }

    #[test]
    fn a_ply_that_was_pressed_for_before_the_clock_was_read_has_no_press() {
        // White's second press was for nothing: it is not that of the first ply
        check("1000>1500 2500>3100", "b1200 w1500 b3100", "1500 3100");
        check_unheard(1, "1000>1500 2500>3100", "b1200 w1500 b3100", "- 3100");
    }

    #[test]
    fn plies_that_are_late_all_the_time_tell_that_the_sides_are_mistaken() {
        let turned = |late_plies: usize, late: bool| {
            let mut track = BoardTrack::new(Completion::Clock);
            track.late_plies = late_plies;
            track.clock_is_turned(late)
        };
        assert_eq!([2, 3].map(|plies| turned(plies, true)), [false, true]);
        assert_eq!([5, 6].map(|plies| turned(plies, false)), [false, true]);
    }

    #[test]
    fn every_ply_gets_the_press_of_its_own_player() {
        // the press before the recorded one
        check("1000>2100 2000>3100 3000>4100", "w1100 b2100 w3100 b4100", "1100 2100 3100");
        // the one after it: the ply had been recorded by the press for the one before, and one that none recorded
        check("1000>1000 2000>2000 2100>2200", "w1100 b2200 w3100 b3600", "1100 2200 3100");
        // the very same
        check("1000>1100 2000>2100", "w1100 b2100", "1100 2100");
        // the clock was first read after the first press: that of the player's next ply is not its own
        check("1000>2100 2000>3100 3000>4100 4000>5100", "b2100 w3100 b4100 w5100", "- 2100 3100 4100");
        // nor is one that came after its player's next move, where nothing else is known
        check("1000>1000 2000>2000 3000>3000 4000>4000", "w9000", "- - 9000 -");
    }
}

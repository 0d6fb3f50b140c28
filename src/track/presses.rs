//! The presses of a board's clock: what waits for its ply, what bounced, what was forgotten or for nothing.
//!
//! In: movements of the lever, and when it was stopped. Out: presses in the order of the plies that they complete. It
//! reads of squares only when those changed that nothing explains: what was made is the line's.

use super::{
    AT_PRESS_US, Press,
    board::{BoardTrack, LATE_US, PRESSES_MAX},
    seen::Seen,
};
use crate::{
    rules::{BoardPosition, Game, Pocket},
    types::{BoardId, ClockTimes, Color, Instant, MS, Square},
};

/// Last movements of the lever that are remembered.
const TOGGLES_MAX: usize = 2;
/// Presses that are remembered.
const HEARD_MAX: usize = 32;
/// A lever that goes there and back again and there within this time may have bounced.
const BOUNCE_US: i64 = 350 * MS;
/// The same, as late as its messages may be read, where nothing was played.
const LATE_BOUNCE_US: i64 = 500 * MS;
/// The lever of a clock that is being stopped is back so soon if it sprang.
const SPRINGS_US: i64 = 300 * MS;
/// So fast nobody plays at all.
const FASTEST_US: i64 = 150 * MS;
/// Nobody presses so soon after the other player, if no man stands there to be pressed for.
const REPLY_US: i64 = 60 * MS;
/// Nor so soon before, unless the other player had a man there to press for.
const UP_US: i64 = 90 * MS;
/// Who is pressed against so soon plays in a scramble.
const SCRAMBLE_US: i64 = 450 * MS;
/// Pairs of forgotten presses before one that was heard. Men that went to and fro would be told without end.
const FORGOTTEN_MAX: usize = 4;
/// A reply that stood so long before a press of the other player was made without one: the press was forgotten.
pub(super) const FORGOTTEN_US: i64 = 600 * MS;

impl BoardTrack {
    pub fn press(&mut self, turn: Color, press: Press) {
        if self.bounces(turn, press) {
            let bounced = self.toggles.pop_back();
            if self.heard.back().map(|last| (last.by, last.at)) == bounced {
                self.heard.pop_back();
            }
            if self.presses.back().map(|last| (last.by, last.at)) == bounced {
                self.presses.pop_back();
            }
            return;
        }
        self.toggles.push_back((press.by, press.at));
        if self.toggles.len() > TOGGLES_MAX {
            self.toggles.pop_front();
        }
        if self.presses.len() == PRESSES_MAX {
            self.presses.pop_front();
        }
        self.presses.push_back(press);
        if self.heard.len() == HEARD_MAX {
            self.heard.pop_front();
        }
        self.heard.push_back(press);
    }

    /// Whether the lever has been there, and back for a moment in which nobody can have pressed for a man: nobody plays
    /// so fast, or the player who pressed first has moved none since.
    fn bounces(&self, turn: Color, press: Press) -> bool {
        let mut toggles = self.toggles.iter().rev();
        let (Some((other, up)), Some((by, before))) = (toggles.next(), toggles.next()) else { return false };
        let answered = self.past.last().is_some_and(|past| past.completed_at == *up);
        // Plies of the line that the first two presses are for.
        let pressed = match () {
            () if turn == *other => 1,
            () if answered => 0,
            () => 2,
        };
        let (replied, made) = (self.line.len() >= pressed, self.line.len() > pressed);
        let whole = press.at - *before;
        let soon = *up - *before < REPLY_US || press.at - *up < UP_US && !answered;
        // In a scramble boards are read later than clocks are pressed.
        let scramble = self.heard.iter().any(|heard| heard.at < *before && *before - heard.at < SCRAMBLE_US);
        let for_nothing = if replied && !answered { !scramble } else { soon };
        *by == press.by && (whole < FASTEST_US || whole < BOUNCE_US && !made && for_nothing)
    }

    /// Forgets the first two presses if they came with the one before them, and no man of either is seen: the lever
    /// sprang back, and its messages were read late.
    pub(super) fn forget_bounce(&mut self) -> bool {
        let bounce = self.bounce(LATE_BOUNCE_US);
        if let Some([up, down]) = bounce {
            self.presses.drain(..2);
            self.heard.retain(|heard| heard.at != up && heard.at != down);
        }
        bounce.is_some()
    }

    /// Whether the lever may have sprung for the first press: the other player, who had pressed just before, presses
    /// again at once.
    pub(super) fn may_have_bounced(&self) -> bool {
        self.bounce(BOUNCE_US).is_some()
    }

    /// The first two presses if they and the one before them, of the same player as the second, came within this time.
    fn bounce(&self, within: i64) -> Option<[Instant; 2]> {
        let mut presses = self.presses.iter();
        let (up, down) = presses.next().zip(presses.next())?;
        let before = self.heard.iter().rfind(|heard| heard.at < up.at).filter(|before| before.by == down.by)?;
        (up.by != down.by && down.at - before.at < within).then_some([up.at, down.at])
    }

    /// The lever of a clock that was stopped just now is back: what came with the stop was no press.
    pub(super) fn spring_back(&mut self, by: Color, at: Instant) {
        let last = self.presses.back().filter(|press| press.by == by && at - press.at < SPRINGS_US);
        if let Some(sprang) = last.map(|press| press.at) {
            self.presses.pop_back();
            self.heard.retain(|heard| heard.at != sprang);
        }
    }

    pub fn stopped(&mut self, game: &Game, board: BoardId, clock: Option<ClockTimes>, at: Instant) {
        let mut after = game.board(board).clone();
        let turn = after.turn();
        let mates = self.line.iter().position(|ply| {
            after.play(ply.played);
            after.is_mate(game.len())
        });
        let Some(before) = mates.filter(|_| self.presses.is_empty()) else { return };
        // What was made before the mate was pressed, and pressed back, between two messages of the clock.
        let unheard = self.line[..before].iter().enumerate().map(|(index, ply)| {
            let by = if index % 2 == 0 { turn } else { !turn };
            Press { by, at: ply.made_at, clock: None }
        });
        self.presses.extend(unheard);
        self.ended_at = Some((at, clock));
    }

    /// A press by the side that is not to move is a bounce of the lever, or the sign of a press that was not seen; two
    /// that nothing explains for long cancel; one that comes long after the player's second move tells of both.
    pub(super) fn sort_presses(&mut self, turn: Color, at: Instant) {
        while let Some(front) = self.presses.front().copied().filter(|press| press.by != turn) {
            if self.gap && self.line.get(1).is_some_and(|reply| reply.made_at <= front.at) {
                self.presses.push_front(Press { by: turn, at: self.line[0].made_at.min(front.at), ..front });
                return;
            }
            self.presses.pop_front();
        }
        while self.presses.len() >= 2 && self.pressed_for_nothing(at) {
            self.presses.drain(..2);
        }
        self.add_forgotten(turn, at);
        if self.gap_due().is_some_and(|due| at >= due) {
            self.close_gap(turn);
        }
    }

    /// Whether the first press came when nothing had been played, and was pressed back.
    fn pressed_for_nothing(&self, at: Instant) -> bool {
        let Some(press) = self.presses.front() else { return false };
        let late = press.at + LATE_US;
        match self.line.first() {
            // Of a board that nobody has looked at yet nothing is known.
            None if self.began > press.at => false,
            // Men that stand elsewhere since before were not moved for it, nor those that were touched later. One that
            // was lifted in this turn may have gone to a square that feels nothing.
            None => {
                let before = self.changed_at < press.at && !self.lifted_in_turn;
                (self.unexplained.is_empty() || before || !self.moved_for_press) && at >= late
            }
            Some(first) => self.line.len() == 1 && first.made_at > late,
        }
    }

    /// Notes whether squares that nothing explains may have changed for the first press, or for an answer to it: if the
    /// player has taken a man from the tray, which may stand where nothing has shown it, all may.
    pub(super) fn note_movers(&mut self, position: &BoardPosition, seen: &Seen<'_>) {
        let (turn, placement) = (position.turn(), seen.placement);
        let began = self.past.last().map_or(self.began, |past| past.completed_at);
        let held = seen.lifted.get(turn).is_some_and(|hand| hand.unknown > 0 || hand.men != Pocket::default());
        let late = self.first_press().map(|press| press + LATE_US);
        let since = |square: &Square| placement.changed(*square) > began;
        let until = |square: Square| late.is_some_and(|late| placement.changed(square) <= late);
        let others = |square: Square| {
            let man = placement.kinds(square).single().flatten().or(position.board().piece_at(square));
            man.is_some_and(|man| man.color != turn)
        };
        self.lifted_in_turn = self.in_air.into_iter().any(|square| since(&square));
        let moved = |square: Square| until(square) || others(square);
        self.moved_for_press = held || self.unexplained.into_iter().filter(since).any(moved);
    }

    fn add_forgotten(&mut self, turn: Color, at: Instant) {
        let (Some(press), [first, reply, second, ..]) = (self.presses.front().copied(), self.line.as_slice()) else {
            return;
        };
        let stood = !reply.covered && press.at - reply.made_at >= FORGOTTEN_US;
        let unpressed = stood || press.at - second.made_at >= AT_PRESS_US;
        // Where a man that has stood there for long is said to have moved, an illegal move is looked for first.
        let long = self.past.last().is_some_and(|last| first.made_at < last.made_at);
        let unpressed = unpressed && (!self.made_up || !long || at >= press.at + LATE_US);
        if self.presses.len() == 1 && (unpressed || self.gap) && self.may_be_forgotten(press) {
            let stood = [first.made_at, reply.made_at];
            self.push_forgotten(turn, press, stood);
        }
    }

    /// Whether a pair of forgotten presses more may be added before one that was heard.
    pub(super) fn may_be_forgotten(&self, press: Press) -> bool {
        self.forgotten.0 != press.at || self.forgotten.1 < FORGOTTEN_MAX
    }

    /// Adds two presses before one that was heard: of the player to move, and of the other one.
    pub(super) fn push_forgotten(&mut self, turn: Color, press: Press, [first, reply]: [Instant; 2]) {
        let pairs = if self.forgotten.0 == press.at { self.forgotten.1 } else { 0 };
        self.forgotten = (press.at, pairs + 1);
        let forgotten = |by, at: Instant| Press { by, at: at.min(press.at), ..press };
        self.presses.push_front(forgotten(!turn, reply));
        self.presses.push_front(forgotten(turn, first));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        rules::{Move, RuleSet},
        sense::Placement,
        track::{Completion, Hand, board::LinePly},
        types::{ByColor, Kinds, Role},
    };

    #[test]
    fn a_lever_that_springs_as_the_clock_is_stopped_presses_nothing() {
        let open = |pressed: i64, back: i64, by: Color| {
            let mut track = BoardTrack::new(Completion::Clock);
            track.press(Color::White, Press { by: Color::White, at: Instant(pressed * MS), clock: None });
            track.spring_back(by, Instant(back * MS));
            (track.presses.len(), track.heard.len())
        };
        assert_eq!(open(5000, 5090, Color::White), (0, 0));
        assert_eq!(open(5000, 5300, Color::White), (1, 1), "the lever was moved later");
        assert_eq!(open(5000, 5090, Color::Black), (1, 1), "it was not back");
    }

    #[test]
    fn men_that_go_to_and_fro_have_no_end_of_forgotten_presses() {
        let press = |at: i64| Press { by: Color::White, at: Instant(at * MS), clock: None };
        let ply = |from, to| LinePly {
            played: Move::Normal { role: Role::Bishop, from, capture: None, to, promotion: None },
            made_at: Instant(1000 * MS),
            covered: false,
            captured: None,
        };
        let mut track = BoardTrack::new(Completion::Clock);
        let (here, there) = (Square::C6, Square::B7);
        track.line.extend([ply(here, there), ply(Square::D1, Square::E1), ply(there, here)]);
        // Every pair completes two plies, and the same line explains the board again.
        let mut pairs = |at: i64| {
            track.presses = [press(at)].into();
            let added = |_: &usize| {
                track.add_forgotten(Color::White, Instant(at * MS));
                track.presses.len() > 1 && track.presses.drain(..2).count() == 2
            };
            (0..100).take_while(added).count()
        };
        assert_eq!(pairs(3000), FORGOTTEN_MAX);
        assert_eq!(pairs(9000), FORGOTTEN_MAX, "those of another press are counted for themselves");
    }

    #[test]
    fn what_is_touched_after_a_press_was_not_moved_for_it_but_an_answer_is_one() {
        let start = BoardPosition::new(RuleSet::WBN_1_00.moves);
        let (press, late) = (5000, 5000 + LATE_US / MS);
        let (own, other) = (Square::G1, Square::G8);
        let moved = |changes: &[(Square, i64)], held: Pocket| {
            let mut placement = Placement::default();
            let mut track = BoardTrack::new(Completion::Clock);
            track.began = Instant(1000 * MS);
            for (square, at) in changes {
                placement.set(*square, Kinds::EMPTY, Instant(*at * MS));
                track.unexplained.add(*square);
            }
            track.presses = [Press { by: Color::White, at: Instant(press * MS), clock: None }].into();
            let hand = Hand { men: held, ..Hand::default() };
            let lifted = ByColor { white: Some(hand), black: None };
            let seen = Seen {
                placement: &placement,
                lifted,
                arrived: ByColor::default(),
                lying: ByColor::default(),
                slots: ByColor::default(),
                others_unheard: false,
                may_garble: false,
            };
            track.note_movers(&start, &seen);
            track.moved_for_press
        };
        let none = Pocket::default();
        let pawn = Pocket { pawn: 1, ..none };
        assert!(!moved(&[], none));
        assert!(!moved(&[(own, 900)], none), "before the turn");
        assert!(moved(&[(own, press - 1000)], none));
        assert!(moved(&[(own, late)], none), "read late");
        assert!(!moved(&[(own, late + 1)], none));
        assert!(moved(&[(own, late + 1)], pawn), "a man is out of the tray");
        assert!(moved(&[(other, late + 1)], none), "the other player has answered");
    }
}

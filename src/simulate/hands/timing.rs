//! When a motion begins and when the clock is pressed.

use rand::Rng;

use crate::{
    rules::Reason,
    simulate::world::Action,
    types::{Instant, MS, Seat},
};

use super::{Hands, Millis, Profile, Spent, habit::Habit, motion::Motion, profile::draw};

/// A move that took longer on the record's clock is not answered before the press: its player thinks.
const QUICK: i64 = 1200 * MS;
/// How long a player with a made move waits for the right to press before it would have been made later.
const PATIENCE: i64 = 1500 * MS;
/// From a man that comes where nobody expected it to the first touch of the man that captures it, at least, in ms:
/// nobody sees and chooses faster.
const NOTICED: Millis = 180..=260;
/// How long before the opponent's move a premove may be made.
const PREMOVE: i64 = 3000 * MS;
/// From the opponent's press to the press of one whose move is made, in ms.
const AT_ONCE: Millis = 40..=160;
/// How long a man that is taken from the tray early is held, in ms.
const HELD: Millis = 500..=4000;
/// The lever is up for a moment, in ms.
const BOUNCE: Millis = 20..=60;

/// When a move is made.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// The first touch.
    pub first: Instant,
    /// The press.
    pub press: Instant,
    /// When the man for a drop leaves the tray, if that is not part of the motion.
    pub lifted: Option<Instant>,
    /// A press without a move, and its undoing by the opponent.
    pub empty: Option<(Instant, Instant)>,
}

impl Hands<'_> {
    /// Chooses the times of a move: after the own thinking time, the own hands, the dropped man's arrival and the
    /// press before in the record. `held` is when the partner handed the man over.
    pub(super) fn timing(
        &mut self,
        index: usize,
        spent: Spent,
        motion: &mut Motion,
        pace: &Profile,
        held: Option<Instant>,
    ) -> Timing {
        let ply = &self.plies[index];
        let seat = ply.seat;
        let board = self.boards[seat.board.index()];
        let (react, notice) = (draw(&mut self.rng, &pace.react), draw(&mut self.rng, &pace.notice));
        let settle = self.settle(index, motion, pace);
        let apart = self.draw(|profile| &profile.apart);
        let empty = if self.forced == Some(Habit::PressEmpty) { 1000..=2000 } else { 400..=1200 };
        let pause = if board.paused == 0 && self.shows(Habit::PressEmpty) { draw(&mut self.rng, &empty) } else { 0 };
        let lies = motion.from_slot.map(|slot| self.marks.slot(seat, slot) + notice);
        let ready = [Some(self.players[seat.index()].busy), lies, held].into_iter().flatten().max().unwrap_or_default();
        let (last, last_board) = self.last;
        let in_order = if last_board == Some(seat.board) { last } else { last + apart };
        let earliest = in_order.max(board.since + spent.used + pause + board.paused);
        let (duration, mut empty) = (motion.duration(), None);
        let early = self.early(index, spent, react).map(|at| {
            let first = self.marks.clear(motion, at.max(ready));
            let at_once = board.since + draw(&mut self.rng, &AT_ONCE);
            (first, (first + duration + settle).max(at_once).max(earliest))
        });
        let patient = |(first, press): &(Instant, Instant)| board.forgotten || *press - *first - duration < PATIENCE;
        let (first, press) = early.filter(patient).unwrap_or_else(|| {
            let press = (board.since.max(ready) + react + duration + settle).max(earliest);
            let first = self.marks.clear(motion, press + -(settle + duration));
            (first, first + duration + settle)
        });
        if first < board.made {
            motion.tags.push(Habit::Premove.name());
            self.allow("premove", ply, first);
        } else if first < board.since {
            motion.tags.push(Habit::QuickReply.name());
        }
        if pause > 0 && first - board.since > pause + 500 * MS {
            motion.tags.push(Habit::PressEmpty.name());
            let at = board.since + self.rng.random_range(200 * MS..first - board.since - pause - 200 * MS);
            self.allow("clock-without-move", ply, at);
            empty = Some((at, at + pause));
        }
        let lifted = self.lifted_early(seat, motion, first, notice);
        Timing { first, press, lifted, empty }
    }

    /// From the last touch to the press, sometimes forgotten.
    fn settle(&mut self, index: usize, motion: &mut Motion, pace: &Profile) -> i64 {
        let board = self.plies[index].seat.board;
        let next_here = self.plies.get(index + 1).is_some_and(|next| next.seat.board == board);
        if next_here && self.shows(Habit::PressedFor) {
            motion.tags.push(Habit::PressedFor.name());
            return draw(&mut self.rng, &(1200..=2500));
        }
        if self.shows(Habit::Forgotten) {
            motion.tags.push(Habit::Forgotten.name());
            return draw(&mut self.rng, &(1500..=4000));
        }
        draw(&mut self.rng, &pace.press)
    }

    /// When a motion begins that does not wait for the opponent's press.
    fn early(&mut self, index: usize, spent: Spent, react: i64) -> Option<Instant> {
        let ply = &self.plies[index];
        if ply.illegal == Some(Reason::NotYourPiece) {
            // Nobody takes a man of the opponent's for an own one while the opponent's hand is at it.
            return None;
        }
        let board = self.boards[ply.seat.board.index()];
        let before = self.plies[..index].iter().rfind(|before| before.seat.board == ply.seat.board)?;
        let noticed = if ply.answers_unexpected(before) { draw(&mut self.rng, &NOTICED) } else { 0 };
        if board.forgotten {
            return Some(board.made + react.max(noticed));
        }
        if spent.used > QUICK {
            return None;
        }
        if ply.is_independent_of(before) && self.shows(Habit::Premove) {
            let begin = (board.before + react).max(self.players[ply.seat.index()].busy).max(board.made + -PREMOVE);
            if begin < board.made {
                return Some(begin + self.rng.random_range(0..board.made - begin));
            }
        }
        self.shows(Habit::QuickReply).then(|| board.made + noticed.max(react / 2))
    }

    /// When the man for a drop is taken out of the tray, if long before.
    fn lifted_early(&mut self, seat: Seat, motion: &mut Motion, first: Instant, notice: i64) -> Option<Instant> {
        let slot = motion.from_slot?;
        if !self.shows(Habit::EarlyLift) {
            return None;
        }
        let lies = self.marks.slot(seat, slot) + notice;
        let at = (first + -draw(&mut self.rng, &HELD)).max(lies).max(self.players[seat.index()].busy);
        (at < first).then(|| {
            motion.tags.push(Habit::EarlyLift.name());
            at
        })
    }

    /// The running time up to the press is that of the record.
    pub(super) fn run_clock(&mut self, seat: Seat, spent: Spent, timing: &Timing) {
        let super::Board { since, paused, .. } = self.boards[seat.board.index()];
        let Some((empty, back)) = timing.empty else {
            return self.act(since, Action::Lag(seat.board, timing.press - since - spent.used - paused));
        };
        let used = spent.used.min(empty - since);
        self.act(since, Action::Lag(seat.board, empty - since - used));
        self.act(empty, Action::Press { seat, bonus: 0 });
        self.act(empty, Action::Lag(seat.board, back - empty));
        self.act(back, Action::Press { seat: seat.opponent(), bonus: 0 });
        self.act(back, Action::Lag(seat.board, timing.press - back - (spent.used - used)));
    }

    /// The press; the lever may spring back. Answers when it rests.
    pub(super) fn press(&mut self, seat: Seat, spent: Spent, timing: &Timing, motion: &mut Motion) -> Instant {
        self.act(timing.press, Action::Press { seat, bonus: spent.bonus });
        if !self.shows(Habit::Bounce) {
            return timing.press;
        }
        motion.tags.push(Habit::Bounce.name());
        let up = timing.press + draw(&mut self.rng, &BOUNCE);
        let down = up + draw(&mut self.rng, &BOUNCE);
        self.act(timing.press, Action::Lag(seat.board, up - timing.press));
        self.act(up, Action::Press { seat: seat.opponent(), bonus: 0 });
        self.act(up, Action::Lag(seat.board, down - up));
        self.act(down, Action::Press { seat, bonus: 0 });
        down
    }
}

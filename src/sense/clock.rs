//! Clocks by colour, in milliseconds.
//!
//! A DGT clock sends whole seconds, up to a second late. The display shows a second until it is used up, so a shown `s`
//! means more than `s - 1` and at most `s` seconds. Within that, the milliseconds are carried on from arrival to
//! arrival; they never contradict what is shown.

use serde::{Deserialize, Serialize};

use super::ClockFrame;
use crate::types::{ByColor, ClockTimes, Color, Instant, MS};

/// A side of a clock as seen from its front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The left display.
    Left,
    /// The right display.
    Right,
}

impl Side {
    /// The other side.
    pub const fn other(self) -> Side {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }
}

/// Silence after which a running clock may be lost: it shows another second every second.
const SILENT_AFTER_US: i64 = 3500 * MS;

/// A lever that is pushed when clocks are started may spring back and forth for so long.
const SPRINGS_US: i64 = 300 * MS;

/// One board's clock.
#[derive(Clone, Debug)]
pub struct ClockSense {
    white: Option<Side>,
    fixed: bool,
    /// When the running side was taken for White's.
    began: Option<Instant>,
    /// Another side was taken for White's soon after that.
    sprung: bool,
    /// It was first seen to run when a man had been moved.
    late: bool,
    last: Option<(Instant, ClockFrame)>,
    faces: [Face; 2],
}

/// One display with its estimate.
#[derive(Clone, Copy, Debug, Default)]
struct Face {
    shown_ms: i64,
    whole_seconds: bool,
    /// Time left at `anchor`.
    estimate_us: i64,
    anchor: Instant,
}

/// A clock as the table sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockView {
    /// Times left.
    pub times: ClockTimes,
    /// Whose time runs.
    pub running: Option<Color>,
    /// Whose time runs or would run if the clock were started.
    pub to_move: Option<Color>,
}

impl ClockSense {
    /// A clock at whose `white` side White sits, or to be found.
    pub fn new(white: Option<Side>) -> ClockSense {
        ClockSense {
            white,
            fixed: white.is_some(),
            began: None,
            sprung: false,
            late: false,
            last: None,
            faces: [Face::default(); 2],
        }
    }

    /// The side at which White sits, once it is known.
    pub fn white(&self) -> Option<Side> {
        self.white
    }

    /// White sits at this side, as an earlier start found out.
    pub fn remember(&mut self, white: Side) {
        self.white.get_or_insert(white);
    }

    /// White's clock runs first (WBN 7.5): the running side is White's.
    pub fn first_run(&mut self, at: Instant) {
        if let (false, Some(side)) = (self.fixed, self.running_side()) {
            (self.white, self.began) = (Some(side), Some(at));
        }
        self.late = false;
    }

    /// The same, when a man has been moved already: White may have pressed before the clock was first read.
    pub fn first_run_late(&mut self, at: Instant) {
        self.first_run(at);
        self.late = !self.fixed;
    }

    /// The clock runs, and its sides are those that were known.
    pub fn sides_stay(&mut self) {
        self.late = false;
    }

    /// Whether the clock was first seen to run when a man had been moved, and its sides were not put right since.
    pub fn ran_late(&self) -> bool {
        self.late
    }

    /// The other side runs though nobody has moved a man: if that comes so soon after the start, the lever sprang, and
    /// the running side is White's.
    pub fn springs(&mut self, at: Instant) {
        let soon = self.began.is_some_and(|began| at - began < SPRINGS_US);
        if soon && self.running_side() != self.white {
            self.first_run(at);
            self.sprung = !self.fixed;
        }
    }

    /// Whether what was taken for a lever that springs may have been a press for nothing, by which sides are mistaken.
    pub fn may_be_turned(&self) -> bool {
        self.sprung
    }

    /// White sits at the other side than was thought; false if the configuration says where.
    pub fn turn(&mut self) -> bool {
        self.white = if self.fixed { self.white } else { self.white.map(Side::other) };
        (self.sprung, self.late) = (false, false);
        !self.fixed
    }

    /// Whether a time runs.
    pub fn is_running(&self) -> bool {
        self.last.is_some_and(|(_, frame)| frame.running)
    }

    fn running_side(&self) -> Option<Side> {
        self.last.and_then(|(_, frame)| frame.to_move.filter(|_| frame.running))
    }

    /// Takes a frame in; true if it shows something else than the last.
    pub fn frame(&mut self, frame: ClockFrame, at: Instant) -> bool {
        let running = self.running_side();
        let stood = self.last.is_some_and(|(_, last)| !last.running);
        for side in [Side::Left, Side::Right] {
            let shown = if side == Side::Left { frame.left_ms } else { frame.right_ms };
            // A clock that stands is given time by setting it: nothing is left of the second that was shown before.
            let first = self.last.is_none() || stood && shown > self.faces[side as usize].shown_ms;
            self.faces[side as usize].show(shown, frame.whole_seconds, running == Some(side), first, at);
        }
        let changed = self.last.is_none_or(|(_, last)| last != frame);
        self.last = Some((at, frame));
        changed
    }

    /// The clock is gone.
    pub fn lost(&mut self) -> bool {
        self.last.take().is_some()
    }

    /// When a running clock that says nothing more may be gone.
    pub fn silent_at(&self) -> Option<Instant> {
        self.last.filter(|(_, frame)| frame.running).map(|(at, _)| at + SILENT_AFTER_US)
    }

    /// The clock at `at`; none while there is none.
    pub fn view(&self, at: Instant) -> Option<ClockView> {
        let (_, frame) = self.last?;
        let white = self.white.unwrap_or(Side::Left);
        let color = |side: Side| Color::from_white(side == white);
        let ms = |side: Side| self.faces[side as usize].at(at, self.running_side() == Some(side)).div_euclid(MS);
        Some(ClockView {
            times: ClockTimes { white_ms: ms(white), black_ms: ms(white.other()) },
            running: self.running_side().filter(|_| self.white.is_some()).map(color),
            to_move: frame.to_move.filter(|_| self.white.is_some()).map(color),
        })
    }

    /// Whether a player's display is at zero.
    pub fn flags(&self) -> ByColor<bool> {
        let white = self.white.unwrap_or(Side::Left);
        let down = |side: Side| self.last.is_some() && self.faces[side as usize].shown_ms <= 0;
        ByColor { white: down(white), black: down(white.other()) }
    }
}

impl Face {
    /// Bounds of the time left in microseconds that the display allows.
    fn bounds(&self) -> (i64, i64) {
        let high = self.shown_ms * MS;
        let low = if self.whole_seconds && self.shown_ms > 0 { high - 999 * MS } else { high };
        (low, high)
    }

    fn at(&self, at: Instant, running: bool) -> i64 {
        let passed = if running { (at - self.anchor).max(0) } else { 0 };
        let (low, high) = self.bounds();
        (self.estimate_us - passed).clamp(low.min(high), high)
    }

    fn show(&mut self, shown_ms: i64, whole_seconds: bool, running: bool, first: bool, at: Instant) {
        let passed = if running && !first { (at - self.anchor).max(0) } else { 0 };
        let carried = self.estimate_us - passed;
        self.shown_ms = shown_ms;
        self.whole_seconds = whole_seconds;
        let (low, high) = self.bounds();
        self.estimate_us = match carried {
            _ if first || !whole_seconds => high,
            early if early < low && !running => early + (low - early + 999_999) / 1_000_000 * 1_000_000, // increment
            carried => carried,
        }
        .clamp(low, high);
        self.anchor = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::SECOND;

    fn frame(left: i64, right: i64, running: bool, side: Side) -> ClockFrame {
        let whole = |seconds: i64| seconds * 1000;
        ClockFrame { left_ms: whole(left), right_ms: whole(right), whole_seconds: true, running, to_move: Some(side) }
    }

    #[test]
    fn milliseconds_are_carried_between_whole_seconds() {
        let mut clock = ClockSense::new(None);
        clock.frame(frame(300, 300, false, Side::Right), Instant(0));
        clock.frame(frame(300, 300, true, Side::Right), Instant(SECOND));
        clock.first_run(Instant::ZERO);
        assert_eq!(clock.white(), Some(Side::Right));
        clock.frame(frame(300, 299, true, Side::Right), Instant(SECOND * 2 + 100 * MS));
        clock.frame(frame(300, 299, true, Side::Left), Instant(SECOND * 2 + 700 * MS));
        let view = clock.view(Instant(SECOND * 3)).unwrap();
        assert_eq!(view.running, Some(Color::Black));
        assert_eq!(view.times, ClockTimes { white_ms: 298_300, black_ms: 299_700 });
    }

    #[test]
    fn sides_that_were_mistaken_are_turned_unless_they_are_configured() {
        let mut clock = ClockSense::new(None);
        clock.frame(frame(300, 299, true, Side::Left), Instant(0));
        clock.first_run(Instant::ZERO);
        assert!(clock.turn());
        assert_eq!(clock.view(Instant(0)).unwrap().running, Some(Color::Black));
        let mut clock = ClockSense::new(Some(Side::Left));
        assert!(!clock.turn());
        assert_eq!(clock.white(), Some(Side::Left));
    }

    #[test]
    fn a_clock_that_was_read_late_is_so_until_its_sides_are_known() {
        let late = |configured: Option<Side>, next: fn(&mut ClockSense)| {
            let mut clock = ClockSense::new(configured);
            clock.frame(frame(300, 299, true, Side::Left), Instant(0));
            clock.first_run_late(Instant(0));
            next(&mut clock);
            clock.ran_late()
        };
        assert!(late(None, |_| ()));
        assert!(!late(Some(Side::Left), |_| ()));
        assert!(!late(None, |clock| clock.first_run(Instant(SECOND))), "another game");
        assert!(!late(None, ClockSense::sides_stay), "a position with Black to move");
        assert!(!late(None, |clock| _ = clock.turn()));
    }

    #[test]
    fn a_lever_that_springs_at_the_start_tells_white_where_it_comes_to_rest() {
        let white_after = |springs: &[(Side, i64)]| {
            let mut clock = ClockSense::new(None);
            for (index, (side, ms)) in springs.iter().enumerate() {
                clock.frame(frame(300, 300, true, *side), Instant(*ms * MS));
                if index == 0 { clock.first_run(Instant(*ms * MS)) } else { clock.springs(Instant(*ms * MS)) }
            }
            clock.white()
        };
        use Side::{Left, Right};
        assert_eq!(white_after(&[(Left, 0)]), Some(Left));
        assert_eq!(white_after(&[(Left, 0), (Right, 120)]), Some(Right));
        assert_eq!(white_after(&[(Left, 0), (Right, 250), (Left, 400)]), Some(Left));
        assert_eq!(white_after(&[(Left, 0), (Right, 300)]), Some(Left), "a press without a move");
        let mut configured = ClockSense::new(Some(Left));
        configured.frame(frame(300, 300, true, Right), Instant(0));
        configured.first_run(Instant(0));
        configured.springs(Instant(100 * MS));
        assert_eq!(configured.white(), Some(Left));
    }

    #[test]
    fn an_increment_keeps_the_fraction() {
        let mut clock = ClockSense::new(Some(Side::Left));
        clock.frame(frame(60, 60, true, Side::Left), Instant(0));
        clock.frame(frame(58, 60, true, Side::Left), Instant(SECOND * 2 + 200 * MS));
        clock.frame(frame(60, 60, true, Side::Right), Instant(SECOND * 2 + 500 * MS));
        clock.frame(frame(60, 60, true, Side::Right), Instant(SECOND * 2 + 600 * MS));
        let times = clock.view(Instant(SECOND * 2 + 600 * MS)).unwrap().times;
        assert!((59_001..=60_000).contains(&times.white_ms), "{times:?}");
        assert_eq!(times.black_ms, 59_900);
    }

    #[test]
    fn a_clock_that_is_set_anew_shows_whole_seconds() {
        let mut clock = ClockSense::new(Some(Side::Left));
        clock.frame(frame(60, 60, true, Side::Left), Instant(0));
        clock.frame(frame(60, 60, true, Side::Right), Instant(700 * MS));
        clock.frame(frame(60, 60, false, Side::Right), Instant(1200 * MS));
        let times = |clock: &ClockSense| clock.view(Instant(9 * SECOND)).unwrap().times;
        assert_eq!(times(&clock), ClockTimes { white_ms: 59_300, black_ms: 59_500 }, "it stands");
        clock.frame(frame(90, 60, false, Side::Left), Instant(9 * SECOND));
        assert_eq!(times(&clock), ClockTimes { white_ms: 90_000, black_ms: 59_500 });
        clock.frame(frame(90, 62, true, Side::Left), Instant(9 * SECOND));
        assert_eq!(times(&clock), ClockTimes { white_ms: 90_000, black_ms: 62_000 });
    }

    #[test]
    fn estimates_never_contradict_the_second_shown() {
        let mut clock = ClockSense::new(Some(Side::Left));
        clock.frame(frame(10, 10, true, Side::Left), Instant(0));
        let late = clock.view(Instant(5 * SECOND)).unwrap().times;
        assert_eq!(late.white_ms, 9_001);
        clock.frame(frame(0, 10, true, Side::Left), Instant(10 * SECOND));
        assert_eq!(clock.view(Instant(11 * SECOND)).unwrap().times.white_ms, 0);
        assert_eq!(clock.flags(), ByColor { white: true, black: false });
    }
}

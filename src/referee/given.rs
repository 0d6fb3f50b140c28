//! What a clock gives with presses, against the time control (WBN 7.11).
//!
//! In: displays before and after presses. Out: whether a clock that should give an increment gives none, or gives more
//! than it should. One press tells little: seconds are whole, and messages come late.

use super::clock::time_of;
use crate::{
    sense::ClockView,
    types::{Color, Instant, MS, SECOND, StepMode, TimeControl},
};

/// Displays that lie further apart tell nothing of what a press between them gave.
const FRESH_US: i64 = 3 * SECOND / 2;
/// Presses before a clock is said to give nothing.
const PRESSES: i64 = 8;
/// What no display makes of nothing: so much more than the increment came with a press.
const MORE_MS: i64 = 1_200;
/// Presses with more, and of how many at most, before a clock is said to give too much.
const MORE: i64 = 4;
const OF: i64 = 2;

/// What presses have given.
#[derive(Clone, Debug, Default)]
pub struct Given {
    presses: i64,
    /// What they gave at most, in ms.
    most: i64,
    /// After how many more was shown than the increment makes.
    more: i64,
}

/// What is wrong with a clock: the word, how many presses tell it, and what they gave at most, in ms.
pub type Wrong = (&'static str, i64, i64);

impl Given {
    /// A display after another one. Only increments are added up: what a clock gives back of the time that was used
    /// does not show.
    pub fn show(
        &mut self,
        (since, before): (Instant, ClockView),
        (at, shown): (Instant, ClockView),
        control: TimeControl,
    ) -> Option<Wrong> {
        let by = before.running.filter(|by| shown.running == Some(by.other()))?;
        if control.mode != StepMode::Increment || !(1..=FRESH_US).contains(&(at - since)) {
            return None;
        }
        let (step, gain) = (control.step / MS, gain(before, shown, by));
        self.presses += 1;
        self.most += gain + (at - since) / MS;
        self.more += i64::from(gain >= step + MORE_MS);
        if step > 0 && self.presses >= PRESSES && self.most < self.presses * step / 2 {
            return Some(("time-not-given", self.presses, self.most));
        }
        let too_much = self.more >= MORE && self.more * OF >= self.presses;
        too_much.then_some(("time-given", self.presses, self.most))
    }
}

/// How much more time a player shows.
fn gain(before: ClockView, shown: ClockView, by: Color) -> i64 {
    time_of(shown.times, by) - time_of(before.times, by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::ClockTimes;

    /// A game at a clock that gives `gives` ms, whose display is heard so many ms before each press; what is told.
    fn told(control: &str, gives: i64, heard: i64, presses: i64) -> Option<&'static str> {
        let mut given = Given::default();
        let control: TimeControl = control.parse().unwrap();
        let mut left = [180_000; 2];
        (0..presses).find_map(|press| {
            let color = Color::from_white(press % 2 == 0);
            let shown = |left: [i64; 2], running: Color| {
                let whole = |ms: i64| (ms + 999) / 1000 * 1000;
                let times = ClockTimes { white_ms: whole(left[0]), black_ms: whole(left[1]) };
                ClockView { times, running: Some(running), to_move: Some(running) }
            };
            let before = shown(left, color);
            let index = usize::from(color == Color::Black);
            left[index] += gives - heard;
            let at = Instant(press * 5 * SECOND);
            let after = shown(left, color.other());
            left[index] -= 1_700; // thought before the next press
            given.show((at, before), (at + heard * MS, after), control).map(|(word, ..)| word)
        })
    }

    #[test]
    fn a_clock_gives_what_the_time_control_says() {
        // WBN 7.11
        for heard in [50, 300, 900] {
            for (control, gives) in [("180+0", 0), ("180+2", 2_000), ("180+1", 1_000), ("180+5", 5_000)] {
                assert_eq!(told(control, gives, heard, 200), None, "{control} {gives} {heard}");
            }
            assert_eq!(told("180+2", 0, heard, 20), Some("time-not-given"), "{heard}");
            assert_eq!(told("180+5", 0, heard, 20), Some("time-not-given"), "{heard}");
            assert_eq!(told("180+0", 3_000, heard, 20), Some("time-given"), "{heard}");
            assert_eq!(told("180+2", 5_000, heard, 20), Some("time-given"), "{heard}");
            // what comes back of the used time is not known
            for control in ["180b2", "180d2"] {
                assert_eq!(told(control, 0, heard, 200), None, "{control}");
            }
        }
        assert_eq!(told("180+2", 0, 300, 7), None, "too soon to say");
        // displays that went down by more than the time between their messages
        assert_eq!(told("180+0", -400, 50, 200), None, "nothing is to be given");
        assert_eq!(told("180+2", 0, 2_000, 200), None, "heard too seldom");
    }
}

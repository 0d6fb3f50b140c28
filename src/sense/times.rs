//! Which times of a DGT clock are believed: nothing protects what it tells against garbling.
//!
//! In: what the clock tells, message by message. Out: the same, a face put right that only one wrong bit explains; or
//! nothing, if it tells of a press with times that no clock can show. It knows no time control: time may be given with
//! any press.

use crate::{
    types::{Instant, SECOND},
    wire::dgt::{ClockReading, Face},
};

/// A running clock may tell of its times so much later than it shows them, in seconds.
const CLOCK_LATE_S: i64 = 5;
/// No press adds more to a time, in seconds.
const BONUS_MAX_S: i64 = 120;

/// What a clock has told.
#[derive(Debug, Default)]
pub struct BelievedTimes {
    /// The times that were believed last, and those that were doubted since.
    last: Option<Times>,
    doubted: Option<Times>,
    /// The times of the last message, and the last ones that followed on such without time given: no bit was wrong.
    said: Option<Times>,
    firm: Option<Times>,
}

/// Times that a clock showed at some instant.
#[derive(Clone, Copy, Debug)]
struct Times {
    at: Instant,
    reading: ClockReading,
}

impl Times {
    /// Whether a clock that ran may tell this so much later: a garbled message tells of a press with times that none
    /// shows.
    fn lead_to(&self, later: &Times) -> bool {
        let sides = [(self.reading.left, later.reading.left), (self.reading.right, later.reading.right)];
        let may_follow = |(before, after)| self.may_show(before, after, later.at);
        !self.reading.running || self.lever() == later.lever() || sides.into_iter().all(may_follow)
    }

    fn lever(&self) -> (bool, bool) {
        (self.reading.running, self.reading.right_high)
    }

    /// Whether a face of a clock that ran may show this at some later time.
    fn may_show(&self, before: Face, after: Face, at: Instant) -> bool {
        let passed = (at - self.at) / SECOND + CLOCK_LATE_S;
        let change = i64::from(after.seconds) - i64::from(before.seconds);
        (-passed..=BONUS_MAX_S).contains(&change)
    }

    /// Whether a clock that ran may tell this later without any time given to it.
    fn runs_to(&self, later: &Times) -> bool {
        let sides = [(self.reading.left, later.reading.left), (self.reading.right, later.reading.right)];
        sides.into_iter().all(|(before, after)| self.runs_down(before, after, later.at))
    }

    fn runs_down(&self, before: Face, after: Face, at: Instant) -> bool {
        after.seconds <= before.seconds && self.may_show(before, after, at)
    }

    /// What a clock that runs on tells later, faces that it cannot show put right if one wrong bit explains them. Time
    /// is given with presses alone: there is none if this is what was told last, and the lever is as it was.
    fn put_right(&self, later: &Times, last: bool) -> Times {
        let mut reading = later.reading;
        if self.reading.running && reading.running {
            let may_be = if last && self.lever() == later.lever() { Times::runs_down } else { Times::may_show };
            reading.left = self.face_put_right(self.reading.left, reading.left, later.at, may_be);
            reading.right = self.face_put_right(self.reading.right, reading.right, later.at, may_be);
        }
        Times { reading, ..*later }
    }

    fn face_put_right(
        &self,
        before: Face,
        after: Face,
        at: Instant,
        may_be: impl Fn(&Times, Face, Face, Instant) -> bool,
    ) -> Face {
        if may_be(self, before, after, at) || after.flag_blocked || after.flag_shown {
            return after;
        }
        let right = after.with_a_bit_wrong().filter(|face| self.runs_down(before, *face, at));
        right.max_by_key(|face| face.seconds).unwrap_or(after)
    }
}

impl BelievedTimes {
    /// What is believed of what the clock tells at some instant: it follows from what it told, or from what was
    /// doubted. None if it is doubted; a clock that runs tells its times again every second.
    pub fn told(&mut self, at: Instant, reading: ClockReading) -> Option<ClockReading> {
        let times = Times { at, reading };
        let said = self.said.replace(times);
        // A clock that stands may be set; it is not while it is set going.
        let stands = |before: &Times| !before.reading.running && !times.reading.running;
        let follows = |before: &Times| stands(before) || before.runs_to(&times);
        let firm = self.firm.iter().chain(&said).any(follows);
        let last = |firm: &Times| said.is_some_and(|said| said.at == firm.at);
        let put_right = |firm: Times| firm.put_right(&times, last(&firm));
        let times = if firm { times } else { self.firm.map_or(times, put_right) };
        if firm || self.firm.is_none() {
            self.firm = Some(times);
        }
        let follow = |before: &Option<Times>| before.as_ref().is_none_or(|before| before.lead_to(&times));
        let believed = follow(&self.last) || self.doubted.is_some() && follow(&self.doubted);
        if believed {
            (self.last, self.doubted) = (Some(times), None);
        } else {
            self.doubted = Some(times);
        }
        believed.then_some(times.reading)
    }
}

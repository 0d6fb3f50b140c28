//! Durations and time controls as people write them.
//!
//! In: `400ms`, `5s`, `300+0`, `180d2`, `180b2`. Out: integer microseconds. Which bounds make sense for a setting is
//! decided where the setting is.

use std::{fmt, str::FromStr};

use super::{MS, SECOND};

/// The longest duration that is read: one day in microseconds.
pub const DURATION_MAX: i64 = 86_400 * SECOND;
/// The longest main time: ten hours in seconds.
pub const BASE_SECONDS_MAX: i64 = 36_000;
/// The longest increment or delay: ten minutes in seconds.
pub const STEP_SECONDS_MAX: i64 = 600;

/// The text is no duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a duration up to a day with its unit: 400ms, 5s, 2min")]
pub struct ParseDurationError;

/// Microseconds of a duration such as `400ms`, `5s` or `2min`.
pub fn parse_duration(text: &str) -> Result<i64, ParseDurationError> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let unit = match unit {
        "ms" => MS,
        "s" => SECOND,
        "min" => 60 * SECOND,
        _ => return Err(ParseDurationError),
    };
    let number: i64 = number.parse().map_err(|_| ParseDurationError)?;
    number.checked_mul(unit).filter(|micros| *micros <= DURATION_MAX).ok_or(ParseDurationError)
}

/// Main time and what is given for every move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// Main time in microseconds.
    pub base: i64,
    /// What is given for a move, in microseconds.
    pub step: i64,
    /// How it is given.
    pub mode: StepMode,
}

/// How time is given for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepMode {
    /// Added after the move: `300+2`.
    Increment,
    /// The clock waits before it runs: `180d2`.
    Delay,
    /// What was used, up to the step, is added after the move: `180b2`.
    Bronstein,
}

impl StepMode {
    /// The sign between main time and step.
    pub const fn sign(self) -> char {
        match self {
            StepMode::Increment => '+',
            StepMode::Delay => 'd',
            StepMode::Bronstein => 'b',
        }
    }
}

/// The text is no time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected whole seconds with an increment (300+0), a delay (180d2) or a Bronstein delay (180b2), up to \
     {BASE_SECONDS_MAX} s and {STEP_SECONDS_MAX} s"
)]
pub struct ParseTimeControlError;

impl FromStr for TimeControl {
    type Err = ParseTimeControlError;

    fn from_str(text: &str) -> Result<TimeControl, ParseTimeControlError> {
        let seconds = |text: &str, max: i64| {
            let digits = !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_digit());
            text.parse().ok().filter(|seconds: &i64| digits && *seconds <= max).ok_or(ParseTimeControlError)
        };
        let modes = [StepMode::Increment, StepMode::Delay, StepMode::Bronstein];
        let split = modes.iter().find_map(|mode| Some((mode, text.split_once(mode.sign())?)));
        let (mode, (base, step)) = split.ok_or(ParseTimeControlError)?;
        let (base, step) = (seconds(base, BASE_SECONDS_MAX)?, seconds(step, STEP_SECONDS_MAX)?);
        if base + step == 0 {
            return Err(ParseTimeControlError);
        }
        Ok(TimeControl { base: base * SECOND, step: step * SECOND, mode: *mode })
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.base / SECOND, self.mode.sign(), self.step / SECOND)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit() {
        let cases =
            [("400ms", 400 * MS), ("5s", 5 * SECOND), ("0s", 0), ("2min", 120 * SECOND), ("1440min", DURATION_MAX)];
        for (text, micros) in cases {
            assert_eq!(parse_duration(text), Ok(micros), "{text}");
        }
        for text in
            ["", "5", "s", "5 s", "-5s", "1.5s", "5S", "1441min", "99999999999999999999s", "9223372036854775807s", "5š"]
        {
            assert_eq!(parse_duration(text), Err(ParseDurationError), "{text}");
        }
    }

    #[test]
    fn time_controls_of_all_modes_round_trip() {
        for text in ["300+0", "180d2", "180b2", "0+5", "36000+600"] {
            assert_eq!(text.parse::<TimeControl>().map(|control| control.to_string()).as_deref(), Ok(text));
        }
        assert_eq!("180b2".parse::<TimeControl>().map(|control| control.step), Ok(2 * SECOND));
        for text in
            ["", "300", "300+", "+3", "0+0", "5:00+0", "300+-1", "300++1", "36001+0", "300+601", "300 + 0", "300x2"]
        {
            assert_eq!(text.parse::<TimeControl>(), Err(ParseTimeControlError), "{text}");
        }
    }
}

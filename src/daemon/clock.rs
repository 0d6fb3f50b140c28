//! The only clock: monotonic time since the node was started, and the wall-clock time of that moment.
//!
//! In: nothing. Out: [`Instant`]s for the tables, deadlines for the runtime, names that are new with every start.
#![allow(clippy::disallowed_methods, reason = "this is the place where time and chance enter")]

use std::time::Duration;

use jiff::Timestamp;

use crate::types::Instant;

/// Time since one moment. Copies tell the same time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    opened: tokio::time::Instant,
    started: Timestamp,
    speed: u32,
}

impl Clock {
    /// A clock that begins now.
    pub fn start() -> Clock {
        Clock::fast(1)
    }

    /// A clock that begins now and goes so many times as fast as time: for emulated devices that do, too.
    pub fn fast(speed: u32) -> Clock {
        Clock { opened: std::time::Instant::now().into(), started: Timestamp::now(), speed: speed.max(1) }
    }

    /// Time since the start.
    pub fn now(&self) -> Instant {
        let elapsed = std::time::Instant::now().saturating_duration_since(self.opened.into_std());
        Instant(i64::try_from(elapsed.as_micros()).unwrap_or(i64::MAX).saturating_mul(self.speed.into()))
    }

    /// When the runtime must wake to be there at `at`.
    pub fn deadline(&self, at: Instant) -> tokio::time::Instant {
        self.opened + Duration::from_micros(u64::try_from(at.micros()).unwrap_or(0).div_ceil(self.speed.into()))
    }

    /// How long it is until `at`; nothing when that has passed.
    pub fn until(&self, at: Instant) -> Duration {
        Duration::from_micros(u64::try_from(at - self.now()).unwrap_or(0))
    }

    /// Wall-clock time of the start in microseconds since 1970 UTC.
    pub fn started_us(&self) -> i64 {
        self.started.as_microsecond()
    }

    /// `at` as RFC 3339 in UTC with milliseconds.
    pub fn rfc3339(&self, at: Instant) -> String {
        let time = Timestamp::from_microsecond(self.started_us().saturating_add(at.micros())).unwrap_or(self.started);
        format!("{time:.3}")
    }

    /// A name for this start: when it was, and eight digits by chance, so that no two are the same.
    pub fn session_name(&self) -> String {
        format!("{}-{:08x}", self.started.strftime("%Y%m%dT%H%M%SZ"), rand::random::<u32>())
    }
}

/// What makes the hash of a password differ from that of the same password elsewhere.
pub fn salt() -> [u8; 16] {
    rand::random()
}

/// A password that nobody can guess: 128 bits.
pub fn password() -> String {
    format!("{:032x}", rand::random::<u128>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_is_when_the_clock_says_so() {
        let clock = Clock::start();
        let at = Instant(1_500_000);
        assert_eq!(clock.deadline(at) - clock.deadline(Instant::ZERO), Duration::from_micros(1_500_000));
        let fast = Clock::fast(3);
        assert_eq!(fast.deadline(at) - fast.deadline(Instant::ZERO), Duration::from_micros(500_000));
        let time = clock.rfc3339(at);
        assert!(time.len() == 24 && time.ends_with('Z'), "{time}");
    }
}

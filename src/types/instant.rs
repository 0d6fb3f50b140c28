//! Time in the core: integer microseconds since the table was opened.
//!
//! An [`Instant`] is data. It comes in with every input and goes out with every event; the core never asks for it.

use std::{fmt, ops};

use serde::{Deserialize, Serialize};

/// One millisecond in microseconds.
pub const MS: i64 = 1_000;
/// One second in microseconds.
pub const SECOND: i64 = 1_000_000;

/// Microseconds since the table was opened.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct Instant(pub i64);

impl Instant {
    /// The opening of the table.
    pub const ZERO: Instant = Instant(0);
    /// Before everything that a table can know of, also of what it went through before it was opened again.
    pub const LONG_AGO: Instant = Instant(i64::MIN / 4);

    /// Microseconds since the table was opened.
    pub const fn micros(self) -> i64 {
        self.0
    }
}

impl ops::Add<i64> for Instant {
    type Output = Instant;

    /// Later by `micros` microseconds.
    fn add(self, micros: i64) -> Instant {
        Instant(self.0.saturating_add(micros))
    }
}

impl ops::Sub for Instant {
    type Output = i64;

    /// Microseconds from `earlier` to `self`.
    fn sub(self, earlier: Instant) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for Instant {
    /// Seconds with three decimals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03} s", self.0 / SECOND, (self.0 % SECOND).abs() / MS)
    }
}

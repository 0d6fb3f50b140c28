//! Bytes and frames: one file per protocol, parse and emit.
//!
//! In: bytes of a serial line in any cuts. Out: messages, and counts of what was rejected and why. The simulator emits
//! the same messages through the same code. Nothing here knows chess rules, time or which board a line belongs to.

pub mod bslp;
pub mod dgt;

use std::collections::BTreeMap;

/// Counts of rejected input by reason. Reasons are fixed words of this crate, so the map is bounded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rejects(BTreeMap<&'static str, u64>);

impl Rejects {
    /// Counts one more for this reason.
    pub fn count(&mut self, reason: &'static str) {
        *self.0.entry(reason).or_default() += 1;
    }

    /// Reasons in alphabetical order with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.0.iter().map(|(reason, count)| (*reason, *count))
    }

    /// How many for this reason.
    pub fn of(&self, reason: &str) -> u64 {
        self.0.get(reason).copied().unwrap_or(0)
    }

    /// All rejects together.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }
}

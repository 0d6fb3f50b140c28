//! How much is weighed: what a board that is lost would cost is bounded.
//!
//! In: every ply that is held against its stretch of time. Out: how many lines are followed, and how long it is rested
//! before plies are read anew again. It counts work and knows no clock: the same input weighs the same everywhere.

use std::cell::Cell;

use super::Teller;
use crate::types::Instant;

/// Plies that one account weighs before it follows few lines: more than any board needs that is not lost.
const WEIGHED_MAX: usize = 60_000;
/// Lines that it follows then.
const FEW: usize = 8;
/// Plies that may be weighed without a rest, and how long each one beyond them is rested for, in µs: several times
/// what weighing it takes.
const WEIGHED_AT_ONCE: usize = 60_000;
const REST_US: i64 = 10;

/// Plies that were weighed.
#[derive(Debug, Default)]
pub struct Effort(Cell<usize>);

impl Effort {
    /// How many so far.
    pub(super) fn weighed(&self) -> usize {
        self.0.get()
    }

    /// One more.
    pub(super) fn weigh(&self) {
        self.0.set(self.0.get() + 1);
    }

    /// Does not count what is weighed in it.
    pub(super) fn aside<T>(&self, weigh: impl FnOnce() -> T) -> T {
        let weighed = self.weighed();
        let told = weigh();
        self.0.set(weighed);
        told
    }

    /// Until when it is rested after them.
    pub fn rest(&self, at: Instant) -> Instant {
        at + self.weighed().saturating_sub(WEIGHED_AT_ONCE) as i64 * REST_US
    }
}

impl Teller<'_> {
    /// Lines that are kept after a press.
    pub(super) fn lines(&self) -> usize {
        let tired = self.log.effort.weighed() - self.weighed_before > WEIGHED_MAX;
        if tired { FEW } else { self.account.lines }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::SECOND;

    fn rested_for(weighed: usize) -> i64 {
        Effort(Cell::new(weighed)).rest(Instant(SECOND)) - Instant(SECOND)
    }

    #[test]
    fn what_weighs_much_is_rested_for() {
        assert_eq!(rested_for(WEIGHED_AT_ONCE), 0);
        assert_eq!(rested_for(WEIGHED_AT_ONCE + 50_000), SECOND / 2);
    }
}

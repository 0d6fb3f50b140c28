//! How much later than another square a board may tell of one: sensors are read one after another.
//!
//! In: completed plies of men whose squares tell only that something stands there. Out: by how long a man may seem to
//! have come before it left. Unknown until some plies have told: then the slowest board that there is.

use super::SCAN_US;
use crate::{
    rules::Move,
    sense::Placement,
    types::{Instant, Kinds, MS},
};

/// Plies that tell how fast a board is.
const PLIES: usize = 16;
/// No board is known to be faster.
const LEAST_US: i64 = 30 * MS;

/// What the plies of a board have told of its pace.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    plies: usize,
    /// The longest by which a man came before it left, in µs.
    longest: i64,
}

impl Pace {
    /// A man went from one square to another that was empty.
    pub fn note(&mut self, played: Move, completed_at: Instant, placement: &Placement) {
        let Move::Normal { from, to, capture: None, .. } = played else { return };
        let last = |square| placement.readings(square).find(|reading| reading.since <= completed_at);
        let (Some(left), Some(came)) = (last(from), last(to)) else { return };
        let lag = left.since - came.since;
        if left.kinds == Kinds::EMPTY && came.kinds == Kinds::OCCUPIED && lag.abs() <= SCAN_US {
            self.plies += 1;
            self.longest = self.longest.max(lag);
        }
    }

    /// By how long a man may have come before it left, in µs.
    pub fn slack(self) -> i64 {
        if self.plies < PLIES { SCAN_US } else { (2 * self.longest + LEAST_US).min(SCAN_US) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Role, Square};

    /// The slack after so many plies whose men came so much before they left, in ms.
    fn check(plies: usize, lag: i64, expect: i64) {
        let mut pace = Pace::default();
        let (from, to) = (Square::E2, Square::E4);
        let played = Move::Normal { role: Role::Pawn, from, capture: None, to, promotion: None };
        for ply in 1..=plies as i64 {
            let at = Instant(ply * 1000 * MS);
            let mut placement = Placement::default();
            placement.set(to, Kinds::OCCUPIED, at + -lag * MS);
            placement.set(from, Kinds::EMPTY, at);
            pace.note(played, at + 500 * MS, &placement);
        }
        assert_eq!(pace.slack(), expect * MS, "{plies} plies, {lag} ms");
    }

    #[test]
    fn plies_tell_how_fast_a_board_is() {
        check(PLIES - 1, 0, SCAN_US / MS);
        check(PLIES, 0, 30);
        check(PLIES, -200, 30); // it takes the hand a while
        check(PLIES, 60, 150);
        check(PLIES, 250, SCAN_US / MS);
        check(PLIES, 400, SCAN_US / MS); // no hand and no board does that: it says nothing
    }
}

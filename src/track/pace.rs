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
const PLIES: usize = 8;
/// No board is known to be faster.
const LEAST_US: i64 = 30 * MS;

/// What the plies of a board have told of its pace.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    plies: usize,
    /// The two longest by which a man came before it left, in µs, the longer one first.
    longest: [i64; 2],
}

impl Pace {
    /// A man went from one square to another.
    pub fn note(&mut self, played: Move, completed_at: Instant, placement: &Placement) {
        let Move::Normal { from, to, .. } = played else { return };
        let last = |square| placement.readings(square).find(|reading| reading.since <= completed_at);
        let (Some(left), Some(came)) = (last(from), last(to)) else { return };
        let lag = left.since - came.since;
        if left.kinds == Kinds::EMPTY && came.kinds == Kinds::OCCUPIED && lag.abs() <= SCAN_US {
            self.plies += 1;
            let [longest, second] = self.longest;
            self.longest = [longest.max(lag), second.max(lag.min(longest))];
        }
    }

    /// By how long a man may have come before it left, in µs. The longest of all may have been of a wrong ply.
    pub fn slack(self) -> i64 {
        let [_, second] = self.longest;
        if self.plies < PLIES { SCAN_US } else { (2 * second + LEAST_US).min(SCAN_US) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Role, Square};

    /// The slack after so many plies whose men came so much before they left, in ms.
    fn check(plies: usize, lag: i64, expect: i64) {
        check_each(&vec![lag; plies], expect);
    }

    /// The same, each by its own time.
    fn check_each(lags: &[i64], expect: i64) {
        let mut pace = Pace::default();
        let (from, to) = (Square::E2, Square::E4);
        let played = Move::Normal { role: Role::Pawn, from, capture: None, to, promotion: None };
        for (ply, lag) in lags.iter().enumerate() {
            let at = Instant((ply as i64 + 1) * 1000 * MS);
            let mut placement = Placement::default();
            placement.set(to, Kinds::OCCUPIED, at + -lag * MS);
            placement.set(from, Kinds::EMPTY, at);
            pace.note(played, at + 500 * MS, &placement);
        }
        assert_eq!(pace.slack(), expect * MS, "{lags:?} ms");
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

    #[test]
    fn a_wrong_ply_tells_nothing() {
        check_each(&[0, 0, 0, 250, 0, 0, 0, 0], 30);
        check_each(&[250, 0, 0, 60, 0, 0, 40, 0], 150);
    }
}

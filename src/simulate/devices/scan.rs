//! A scan: cells are felt one after another, round and round.
//!
//! Because a cell is felt only when its turn comes, a man that moved can be on two cells within one round, and be
//! placed before it is removed.

use crate::types::Instant;

/// Visits cell 0, 1, … at equal steps, again and again from `origin` on.
#[derive(Clone, Copy, Debug)]
pub struct Scan {
    origin: Instant,
    period: i64,
    cells: i64,
}

impl Scan {
    /// A scan of `cells` cells in `period` µs.
    pub fn new(origin: Instant, period: i64, cells: usize) -> Scan {
        Scan { origin, period, cells: cells as i64 }
    }

    /// The first visit of a cell after `after`.
    pub fn visit(&self, cell: usize, after: Instant) -> Instant {
        let first = self.origin + self.period * cell as i64 / self.cells;
        let rounds = (after - first).div_euclid(self.period) + 1;
        first + self.period * rounds.max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_visited_in_order_and_again_each_round() {
        let scan = Scan::new(Instant(1000), 640, 64);
        assert_eq!(scan.visit(0, Instant(0)), Instant(1000));
        assert_eq!(scan.visit(0, Instant(1000)), Instant(1640));
        assert_eq!(scan.visit(63, Instant(1000)), Instant(1630));
        assert_eq!(scan.visit(5, Instant(999_999)).micros() % 640, (1000 + 50) % 640);
        let visits: Vec<Instant> = (0..64).map(|cell| scan.visit(cell, Instant(5479))).collect();
        assert!(visits.is_sorted(), "from the end of a round on all are visited in order");
    }
}

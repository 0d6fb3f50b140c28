//! When each square and each slot was last touched: no hand touches one before another has left it.

use crate::{
    simulate::world::{Action, SLOTS},
    types::{BoardId, Instant, MS, Seat, Square},
};

use super::motion::Motion;

/// Between two touches of one square.
const APART: i64 = 20 * MS;

/// Last touches of everything.
#[derive(Clone, Debug)]
pub struct Marks {
    squares: Vec<[Instant; 64]>,
    slots: Vec<[Instant; SLOTS]>,
}

impl Marks {
    /// Nothing was touched.
    pub fn new(boards: usize) -> Marks {
        Marks { squares: vec![[Instant::ZERO; 64]; boards], slots: vec![[Instant::ZERO; SLOTS]; boards * 2] }
    }

    /// When a square was last touched.
    pub fn square(&self, board: BoardId, square: Square) -> Instant {
        self.squares[board.index()][square as usize]
    }

    /// When a slot was last touched.
    pub fn slot(&self, seat: Seat, slot: usize) -> Instant {
        self.slots[seat.index()][slot]
    }

    /// Notes a touch.
    pub fn set(&mut self, action: &Action, at: Instant) {
        let mark = match *action {
            Action::Lift(board, square) | Action::Place(board, square, _) | Action::Lay(board, square, _) => {
                &mut self.squares[board.index()][square as usize]
            }
            Action::LiftSlot(seat, slot) | Action::PlaceSlot(seat, slot, _) => &mut self.slots[seat.index()][slot],
            _ => return,
        };
        *mark = at.max(*mark);
    }

    /// The first instant from `first` on at which a motion finds all that it touches left alone.
    pub fn clear(&self, motion: &Motion, first: Instant) -> Instant {
        let end = motion.duration();
        let after = motion.after.iter().map(|(at, action)| (end + at, action));
        let touches = motion.touches.iter().map(|(at, action)| (*at, action)).chain(after);
        let free = touches.filter_map(|(at, action)| match *action {
            Action::Lift(board, square) | Action::Place(board, square, _) | Action::Lay(board, square, _) => {
                Some(self.square(board, square) + (APART - at))
            }
            Action::LiftSlot(seat, slot) => Some(self.slot(seat, slot) + (APART - at)),
            _ => None,
        });
        free.max().map_or(first, |free| free.max(first))
    }
}

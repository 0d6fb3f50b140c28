//! Devices that feel the [`World`] and speak their protocol, as pure machines in emulated time.
//!
//! In: bytes of a host, and the world as it is now. Out: chunks of bytes with the instant at which they arrive at the
//! host. Whoever runs a device steps to every instant that [`Device::next`] names and to every change of the world, so
//! that a device never has to look back. What the men and clocks mean is not known here.

mod bslp;
mod dgt;
pub mod faults;
mod levels;
mod line;
mod scan;
mod senses;

pub use bslp::{BslpMake, BslpUnit, Serves};
pub use dgt::{DgtBoard, DgtMake};

use rand::Rng as _;
use rand_chacha::ChaCha8Rng;

use crate::{
    sense::Calibration,
    types::{BoardId, Instant, SECOND, Square},
};

use self::{
    faults::{Fault, Faults, Span},
    levels::Levels,
    senses::Senses,
};
use super::{
    Stream, rng,
    world::{ManId, World},
};

/// Where a device is put.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// The table when it is switched on.
    pub world: &'a World,
    /// Decides everything that is left to chance.
    pub seed: u64,
    /// Tells devices of one seed apart.
    pub index: usize,
    /// What may be broken.
    pub faults: &'a Faults,
    /// When it may break.
    pub span: Span,
}

impl Site<'_> {
    fn rng(&self) -> ChaCha8Rng {
        rng(self.seed, Stream::Device(self.index))
    }

    /// Chance for what is broken, apart from all else.
    fn fault_rng(&self) -> ChaCha8Rng {
        rng(self.seed, Stream::Faults(self.index))
    }

    /// The cells of a board.
    fn board_senses(&self, board: BoardId) -> Senses {
        let man = |square: Square| Some((self.world.id(board, square), self.world.at(board, square)?));
        let men: Vec<(ManId, _)> = Square::ALL.into_iter().filter_map(man).collect();
        Senses::new(self.faults, 64, &men, self.span, &mut self.fault_rng())
    }

    /// How cells measure, apart from all else.
    fn levels(&self, cells: usize) -> Levels {
        Levels::new(cells, self.span, &mut rng(self.seed, Stream::Faults(self.index | LEVELS)))
    }

    /// When a clock is not heard.
    fn clock_out(&self) -> Option<ClockOut> {
        let mut rng = rng(self.seed, Stream::Faults(self.index | CLOCK));
        if self.faults.happens(Fault::ClockLost, &mut rng) {
            return Some(ClockOut { from: self.span.draw(&mut rng), until: None });
        }
        if !self.faults.happens(Fault::ClockAway, &mut rng) {
            return None;
        }
        let from = self.span.draw(&mut rng);
        Some(ClockOut { from, until: Some(from + rng.random_range(CLOCK_AWAY_US)) })
    }
}

/// A stretch of time in which a clock is not heard.
#[derive(Clone, Copy, Debug)]
struct ClockOut {
    from: Instant,
    /// None: to the end.
    until: Option<Instant>,
}

impl ClockOut {
    fn covers(&self, at: Instant) -> bool {
        at >= self.from && self.until.is_none_or(|until| at < until)
    }
}

/// For how long a clock is away that comes back.
const CLOCK_AWAY_US: std::ops::Range<i64> = 5 * SECOND..25 * SECOND;

/// Tells a device's clock, and how its cells measure, from what is broken.
const CLOCK: usize = 1 << 16;
const LEVELS: usize = 1 << 17;

/// Bytes on their way to the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Arrival of the last byte.
    pub at: Instant,
    /// What arrives.
    pub bytes: Vec<u8>,
}

/// An emulated device.
pub trait Device {
    /// Takes bytes of the host in.
    fn input(&mut self, at: Instant, bytes: &[u8]);

    /// When it has something to do next, if the world stays as it was when it last ran.
    fn next(&self) -> Option<Instant>;

    /// Does all that is due by `at`, the world having been as it is since the last call, and appends what arrives.
    fn run_until(&mut self, at: Instant, world: &World, out: &mut Vec<Chunk>);

    /// Switched off and on again: everything forgotten that a host had asked for.
    fn restart(&mut self, at: Instant, world: &World);

    /// Whether a host has asked it to tell what changes.
    fn streaming(&self) -> bool;

    /// What its levels mean, as somebody found who calibrated it; none if it does not measure levels.
    fn calibration(&self) -> Option<Calibration> {
        None
    }

    /// What is particular to it, for the truth.
    fn make(&self) -> serde_json::Value;

    /// Bytes of the host that it ignored or had no room for.
    fn ignored(&self) -> u64;
}

#[cfg(test)]
mod tests;

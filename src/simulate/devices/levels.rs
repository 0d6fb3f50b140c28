//! How strongly the cells of one device feel the magnets of men.
//!
//! In: the man on a cell and the time. Out: its level. P, N, B, R, Q, K have magnets of six strengths, Black's turned
//! over. No cell is made like another: each adds something and multiplies by something; both were measured when the
//! device was calibrated. Since then each cell drifts, and every reading is noisy.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::{
    sense::{
        Calibration,
        calibration::{CellCalibration, GAIN_ONE},
    },
    types::{Color, Instant, Piece, Role},
};

use super::faults::Span;

/// Levels of P, N, B, R, Q, K are so many apart.
const STEP: i32 = 80;
/// What one reading may be off.
const NOISE: std::ops::RangeInclusive<i32> = -10..=10;
/// What a cell adds.
const OFFSET: std::ops::RangeInclusive<i32> = -12..=12;
/// What a cell multiplies by, in per mille.
const GAIN: std::ops::RangeInclusive<i32> = 985..=1_015;
/// How far a cell drifts in the course of a game.
const DRIFT: std::ops::RangeInclusive<i32> = -15..=15;
/// A device tells a level again that has drifted so far.
const TELL: i32 = 4;

#[derive(Clone, Copy, Debug)]
struct Cell {
    offset: i32,
    gain: i32,
    drift: i32,
    /// Its last reading, and the drift in it.
    level: i32,
    told: i32,
}

/// The cells of one device.
#[derive(Clone, Debug)]
pub struct Levels {
    cells: Vec<Cell>,
    span: Span,
}

impl Levels {
    /// Cells as they were made.
    pub fn new(cells: usize, span: Span, rng: &mut ChaCha8Rng) -> Levels {
        let mut cell = || Cell {
            offset: rng.random_range(OFFSET),
            gain: rng.random_range(GAIN),
            drift: rng.random_range(DRIFT),
            level: 0,
            told: 0,
        };
        Levels { cells: (0..cells).map(|_| cell()).collect(), span }
    }

    /// The last reading of a cell.
    pub fn of(&self, cell: usize) -> i32 {
        self.cells[cell].level
    }

    /// Reads a cell.
    pub fn measure(&mut self, cell: usize, man: Option<Piece>, at: Instant, rng: &mut ChaCha8Rng) {
        let told = self.drift(cell, at);
        let cell = &mut self.cells[cell];
        cell.told = told;
        cell.level = cell.offset + strength(man) * cell.gain / GAIN_ONE + told + rng.random_range(NOISE);
    }

    /// Cells that have drifted since they were read.
    pub fn drifted(&self, at: Instant) -> Vec<usize> {
        let far = |cell: &usize| (self.drift(*cell, at) - self.cells[*cell].told).abs() >= TELL;
        (0..self.cells.len()).filter(far).collect()
    }

    fn drift(&self, cell: usize, at: Instant) -> i32 {
        let whole = (self.span.to - self.span.from).max(1);
        let gone = (at - self.span.from).clamp(0, whole);
        (i64::from(self.cells[cell].drift) * gone / whole) as i32
    }

    /// What a calibration finds, with so many cells a channel.
    pub fn calibration(&self, cells: usize) -> Calibration {
        let men = Color::ALL.into_iter().flat_map(|color| Role::ALL.map(|role| Piece { color, role }));
        let cell = |(index, cell): (usize, &Cell)| CellCalibration {
            channel: (index / cells) as u8,
            cell: (index % cells) as u16,
            offset: cell.offset,
            gain: cell.gain,
        };
        Calibration {
            empty: 0,
            men: men.map(|man| (man.char(), strength(Some(man)))).collect(),
            cell: self.cells.iter().enumerate().map(cell).collect(),
        }
    }
}

/// The level of a man in the middle of a cell.
fn strength(man: Option<Piece>) -> i32 {
    man.map_or(0, |man| man.color.fold_wb(1, -1) * STEP * man.role as i32)
}

//! Calibration values of a device that measures levels.
//!
//! In: what a file or a capture says. Out: plain data that a [`Book`](super::Book) reads levels by. How the values were
//! measured is not known here.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::types::Piece;

/// Levels and offsets lie between this and its negative.
pub const LEVEL_MAX: i32 = 1_000_000;
/// Gains in per mille lie between these.
pub const GAIN_MIN: i32 = 100;
/// The largest gain.
pub const GAIN_MAX: i32 = 10_000;
/// Gain of a cell that measures what the device measures on the whole.
pub const GAIN_ONE: i32 = 1_000;

/// What the levels of one device mean.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Level of an empty cell.
    #[serde(default)]
    pub empty: i32,
    /// Level of each man by its letter: `PNBRQK` are White's, `pnbrqk` Black's. Men that are left out never stand
    /// there.
    pub men: BTreeMap<char, i32>,
    /// Cells that measure otherwise than the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cell: Vec<CellCalibration>,
}

/// A cell that measures otherwise: it tells `offset + gain × level`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellCalibration {
    /// Channel, from 0.
    #[serde(default)]
    pub channel: u8,
    /// Cell of the channel, from 0.
    pub cell: u16,
    /// What it tells too much.
    #[serde(default)]
    pub offset: i32,
    /// In per mille.
    #[serde(default = "gain_one")]
    pub gain: i32,
}

fn gain_one() -> i32 {
    GAIN_ONE
}

impl Calibration {
    /// What is wrong with the values: the key, and a message.
    ///
    /// # Errors
    /// The first value that cannot be.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let level = |level: i32| (-LEVEL_MAX..=LEVEL_MAX).contains(&level);
        let far = |found: i32| format!("expected a level between -{LEVEL_MAX} and {LEVEL_MAX}, found {found}");
        if !level(self.empty) {
            return Err(("empty", far(self.empty)));
        }
        if self.men.is_empty() {
            return Err(("men", "expected levels of men by their letters, found none".into()));
        }
        for (letter, found) in &self.men {
            if Piece::from_char(*letter).is_none() {
                return Err(("men", format!("expected one of the letters PNBRQKpnbrqk, found {letter:?}")));
            }
            if !level(*found) {
                return Err(("men", far(*found)));
            }
        }
        for cell in &self.cell {
            if !level(cell.offset) {
                return Err(("cell.offset", far(cell.offset)));
            }
            if !(GAIN_MIN..=GAIN_MAX).contains(&cell.gain) {
                let found = cell.gain;
                let message = format!("expected a gain between {GAIN_MIN} and {GAIN_MAX} per mille, found {found}");
                return Err(("cell.gain", message));
            }
        }
        Ok(())
    }

    /// The level of an empty cell and of each man.
    pub fn levels(&self) -> impl Iterator<Item = (i64, Option<Piece>)> + '_ {
        let men =
            self.men.iter().filter_map(|(letter, level)| Some((i64::from(*level), Some(Piece::from_char(*letter)?))));
        std::iter::once((i64::from(self.empty), None)).chain(men)
    }
}

//! Which man a raw reading is: tags and levels, learnt from boards that are set up.
//!
//! In: what each cell of a device measures. Out: [`Kinds`]. A tag names one man of the table wherever it goes, on
//! every board and tray. Levels differ from device to device: calibration values tell what they mean, or else each
//! board's men at home do. Every cell drifts: what it tells too much is followed while it tells clearly what stands
//! there.

use std::collections::BTreeMap;

use super::calibration::{Calibration, GAIN_ONE};
use crate::{
    rules::{BoardPosition, RuleSet},
    types::{Kinds, Piece, Square},
};

/// What a cell measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raw {
    /// The tag of the man, 0 for none.
    Tag(u64),
    /// A signed level.
    Level(i32),
}

/// Tags that are remembered: all men of eight sets.
const TAGS_MAX: usize = 256;
/// A level so near the middle between two men, as a share of their distance, may be either.
const DOUBT: i64 = 8;
/// Drift is counted in so many parts of a level.
const DRIFT_UNIT: i64 = 16;
/// One of so many parts of what a cell tells too much counts as drift, the others as noise.
const DRIFT_SHARE: i64 = 8;
/// Cells whose drift is followed.
const CELLS_MAX: usize = 16 * 64;

/// What the tags and levels of a table mean.
#[derive(Clone, Debug, Default)]
pub struct Book {
    tags: BTreeMap<u64, Piece>,
    /// Level of an empty cell and of each man, in order of the level.
    levels: Vec<(i64, Option<Piece>)>,
    /// The levels are calibrated: nothing is learnt.
    calibrated: bool,
    cells: BTreeMap<Cell, Bias>,
}

/// A channel of a device and one of its cells.
pub type Cell = (u8, u16);

/// What a cell tells beside the level.
#[derive(Clone, Copy, Debug)]
struct Bias {
    offset: i64,
    /// In per mille.
    gain: i64,
    /// What came to the offset since, in [`DRIFT_UNIT`]ths.
    drift: i64,
}

impl Default for Bias {
    fn default() -> Bias {
        Bias { offset: 0, gain: i64::from(GAIN_ONE), drift: 0 }
    }
}

impl Book {
    /// What calibration values tell.
    pub fn calibrated(calibration: &Calibration) -> Book {
        let mut levels: Vec<_> = calibration.levels().collect();
        levels.sort_by_key(|(level, _)| *level);
        let bias = |cell: &super::calibration::CellCalibration| {
            let (offset, gain) = (i64::from(cell.offset), i64::from(cell.gain.max(1)));
            ((cell.channel, cell.cell), Bias { offset, gain, drift: 0 })
        };
        let cells = calibration.cell.iter().take(CELLS_MAX).map(bias).collect();
        Book { levels, calibrated: true, cells, ..Book::default() }
    }

    /// Whether the levels have calibration values.
    pub fn is_calibrated(&self) -> bool {
        self.calibrated
    }

    /// Learns from a board in reading order if it looks like the set-up, which may be turned by 180°; true if something
    /// was learnt.
    pub fn learn(&mut self, cells: &[Option<Raw>], turned: bool) -> bool {
        let Some(cells) = cells.get(..64).and_then(|cells| cells.iter().copied().collect::<Option<Vec<Raw>>>()) else {
            return false;
        };
        let start = BoardPosition::new(RuleSet::WBN_1_00.moves);
        let men: Vec<(Raw, Option<Piece>)> =
            (0..64).zip(cells).map(|(cell, raw)| (raw, start.board().piece_at(home(cell, turned)))).collect();
        self.learn_tags(&men) || self.learn_levels(&men)
    }

    fn learn_tags(&mut self, men: &[(Raw, Option<Piece>)]) -> bool {
        let fits = |(raw, man): &(Raw, Option<Piece>)| matches!(raw, Raw::Tag(tag) if (*tag != 0) == man.is_some());
        let before = self.tags.len();
        if !men.iter().all(fits) || before + 32 > TAGS_MAX {
            return false;
        }
        let mut changed = false;
        for (raw, man) in men {
            if let (Raw::Tag(tag), Some(man)) = (raw, man) {
                changed |= self.tags.insert(*tag, *man) != Some(*man);
            }
        }
        changed
    }

    /// Empty cells must lie apart from all men.
    fn learn_levels(&mut self, men: &[(Raw, Option<Piece>)]) -> bool {
        let mut sums: BTreeMap<Option<char>, (i64, i64, Option<Piece>)> = BTreeMap::new();
        for (raw, man) in men {
            let Raw::Level(level) = raw else { return false };
            let sum = sums.entry(man.map(Piece::char)).or_insert((0, 0, *man));
            *sum = (sum.0 + i64::from(*level), sum.1 + 1, *man);
        }
        let mut levels: Vec<_> = sums.into_values().map(|(sum, count, man)| (sum / count, man)).collect();
        levels.sort_unstable_by_key(|(level, _)| *level);
        let distinct = levels.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let changed = distinct && !self.calibrated && levels != self.levels;
        if changed {
            self.levels = levels;
        }
        changed
    }

    /// Takes a fresh reading of a cell in: what it tells beside the level of one man, or of none, is noise and drift.
    pub fn follow(&mut self, cell: Cell, raw: Raw) {
        let Raw::Level(level) = raw else { return };
        let known = self.cells.get(&cell).copied().unwrap_or_default();
        let level = known.level(level);
        let Some(stands) = self.near(level).single() else { return };
        let Some((meant, _)) = self.levels.iter().find(|(_, man)| *man == stands) else { return };
        if self.cells.len() < CELLS_MAX || self.cells.contains_key(&cell) {
            let drift = known.drift + (level - meant) * DRIFT_UNIT / DRIFT_SHARE;
            self.cells.insert(cell, Bias { drift, ..known });
        }
    }

    /// What a reading of a cell may be: a tag that nobody knows is some man, a level between two men either.
    pub fn kinds(&self, cell: Cell, raw: Raw) -> Kinds {
        match raw {
            Raw::Tag(0) => Kinds::EMPTY,
            Raw::Tag(tag) => self.tags.get(&tag).map_or(Kinds::OCCUPIED, |man| Kinds::only(*man)),
            Raw::Level(level) => self.near(self.cells.get(&cell).copied().unwrap_or_default().level(level)),
        }
    }

    fn near(&self, level: i64) -> Kinds {
        let mut near: Vec<(i64, Option<Piece>)> =
            self.levels.iter().map(|(known, man)| ((known - level).abs(), *man)).collect();
        near.sort_by_key(|(distance, _)| *distance);
        match near.as_slice() {
            [] => Kinds::ANY,
            [(first, man), (second, other), ..] if (second - first) * DOUBT < second + first => {
                [*man, *other].into_iter().collect()
            }
            [(_, man), ..] => Kinds::exactly(*man),
        }
    }
}

impl Bias {
    /// The level without what is the cell's own.
    fn level(self, told: i32) -> i64 {
        (i64::from(told) - self.offset - self.drift / DRIFT_UNIT) * i64::from(GAIN_ONE) / self.gain
    }
}

fn home(cell: u32, turned: bool) -> Square {
    square(if turned { 63 - cell } else { cell })
}

/// The square of a cell in reading order from a8.
fn square(cell: u32) -> Square {
    Square::new((7 - cell / 8) * 8 + cell % 8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Color, Role};

    fn set_up(raw: impl Fn(u32, Option<Piece>) -> Raw) -> Vec<Option<Raw>> {
        let start = BoardPosition::new(RuleSet::WBN_1_00.moves);
        (0..64).map(|cell| Some(raw(cell, start.board().piece_at(square(cell))))).collect()
    }

    fn level(cell: u32, man: Option<Piece>) -> Raw {
        let noise = i32::try_from(cell % 7).unwrap_or(0) - 3;
        let height = |man: Piece| 100 * man.role as i32 * man.color.fold_wb(1, -1);
        Raw::Level(man.map_or(0, height) + noise)
    }

    #[test]
    fn tags_are_learnt_where_the_men_stand_at_home() {
        let mut book = Book::default();
        let cells = set_up(|cell, man| Raw::Tag(if man.is_some() { 0xa0 + u64::from(cell) } else { 0 }));
        assert!(book.learn(&cells, false));
        assert!(!book.learn(&cells, false), "nothing new");
        assert_eq!(book.kinds((0, 0), Raw::Tag(0xa0 + 60)), Kinds::only(Role::King.of(Color::White)));
        assert_eq!(book.kinds((0, 0), Raw::Tag(1)), Kinds::OCCUPIED);
        assert!(!book.learn(&cells[..63], false));
        assert!(book.learn(&cells, true));
        assert_eq!(book.kinds((0, 0), Raw::Tag(0xa0 + 60)), Kinds::only(Role::Queen.of(Color::Black)));
    }

    #[test]
    fn levels_are_the_nearest_man_or_two() {
        let mut book = Book::default();
        assert_eq!(book.kinds((0, 0), Raw::Level(5)), Kinds::ANY);
        assert!(book.learn(&set_up(level), false));
        assert_eq!(book.kinds((0, 0), Raw::Level(205)), Kinds::only(Role::Knight.of(Color::White)));
        assert_eq!(book.kinds((0, 0), Raw::Level(-610)), Kinds::only(Role::King.of(Color::Black)));
        assert_eq!(book.kinds((0, 0), Raw::Level(2)), Kinds::EMPTY);
        let either = book.kinds((0, 0), Raw::Level(351));
        assert!(either.allows(Some(Role::Bishop.of(Color::White))) && either.allows(Some(Role::Rook.of(Color::White))));
    }

    fn calibration(cells: Vec<crate::sense::calibration::CellCalibration>) -> Calibration {
        let men = "PNBRQKpnbrqk".chars().zip([1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6]);
        Calibration { empty: 0, men: men.map(|(man, level)| (man, 80 * level)).collect(), cell: cells }
    }

    #[test]
    fn calibrated_cells_tell_offset_and_gain() {
        let cell = crate::sense::calibration::CellCalibration { channel: 1, cell: 3, offset: 30, gain: 1_100 };
        let book = Book::calibrated(&calibration(vec![cell]));
        let king = Kinds::only(Role::King.of(Color::White));
        assert_eq!(book.kinds((1, 3), Raw::Level(558)), king, "30 + 1.1 × 480");
        assert_eq!(book.kinds((1, 3), Raw::Level(34)), Kinds::EMPTY);
        assert_eq!(book.kinds((0, 3), Raw::Level(480)), king);
        assert!(!Book::calibrated(&calibration(Vec::new())).learn(&set_up(level), false), "nothing is learnt");
    }

    #[test]
    fn drift_is_followed() {
        let mut book = Book::calibrated(&calibration(Vec::new()));
        for drift in 0..60 {
            for noise in [-12, 9, 0, 12, -9] {
                book.follow((0, 0), Raw::Level(drift + noise));
            }
        }
        assert_eq!(book.kinds((0, 0), Raw::Level(60)), Kinds::EMPTY, "60 is nearer to a pawn at first");
        assert_eq!(book.kinds((0, 1), Raw::Level(60)), Kinds::only(Role::Pawn.of(Color::White)));
    }

    #[test]
    fn values_that_cannot_be_are_refused() {
        let wrong = |change: fn(&mut Calibration)| {
            let mut calibration = calibration(vec![serde_json::from_str(r#"{"cell":1}"#).unwrap()]);
            assert_eq!(calibration.check(), Ok(()));
            change(&mut calibration);
            calibration.check().unwrap_err().0
        };
        assert_eq!(wrong(|c| c.empty = i32::MAX), "empty");
        assert_eq!(wrong(|c| c.men.clear()), "men");
        assert_eq!(wrong(|c| c.men.extend([('x', 1)])), "men");
        assert_eq!(wrong(|c| c.men.extend([('k', i32::MIN)])), "men");
        assert_eq!(wrong(|c| c.cell[0].offset = i32::MAX), "cell.offset");
        assert_eq!(wrong(|c| c.cell[0].gain = 0), "cell.gain");
    }
}

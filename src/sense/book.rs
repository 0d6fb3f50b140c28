//! Which man a raw reading is: tags and levels, learnt from boards that are set up.
//!
//! In: what each cell of a device measures. Out: [`Kinds`]. A tag names one man of the table wherever it goes, on
//! every board and tray. Levels differ from device to device: each board's men at home tell how its sensors read them.

use std::collections::BTreeMap;

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

/// What the tags and levels of a table mean.
#[derive(Clone, Debug, Default)]
pub struct Book {
    tags: BTreeMap<u64, Piece>,
    /// Level of an empty cell and of each man, in order of the level.
    levels: Vec<(i64, Option<Piece>)>,
}

impl Book {
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
        let changed = distinct && levels != self.levels;
        if changed {
            self.levels = levels;
        }
        changed
    }

    /// What a reading may be: a tag that nobody knows is some man, a level between two men either.
    pub fn kinds(&self, raw: Raw) -> Kinds {
        match raw {
            Raw::Tag(0) => Kinds::EMPTY,
            Raw::Tag(tag) => self.tags.get(&tag).map_or(Kinds::OCCUPIED, |man| Kinds::only(*man)),
            Raw::Level(level) => self.near(i64::from(level)),
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
        assert_eq!(book.kinds(Raw::Tag(0xa0 + 60)), Kinds::only(Role::King.of(Color::White)));
        assert_eq!(book.kinds(Raw::Tag(1)), Kinds::OCCUPIED);
        assert!(!book.learn(&cells[..63], false));
        assert!(book.learn(&cells, true));
        assert_eq!(book.kinds(Raw::Tag(0xa0 + 60)), Kinds::only(Role::Queen.of(Color::Black)));
    }

    #[test]
    fn levels_are_the_nearest_man_or_two() {
        let mut book = Book::default();
        assert_eq!(book.kinds(Raw::Level(5)), Kinds::ANY);
        assert!(book.learn(&set_up(level), false));
        assert_eq!(book.kinds(Raw::Level(205)), Kinds::only(Role::Knight.of(Color::White)));
        assert_eq!(book.kinds(Raw::Level(-610)), Kinds::only(Role::King.of(Color::Black)));
        assert_eq!(book.kinds(Raw::Level(2)), Kinds::EMPTY);
        let either = book.kinds(Raw::Level(351));
        assert!(either.allows(Some(Role::Bishop.of(Color::White))) && either.allows(Some(Role::Rook.of(Color::White))));
    }
}

//! What the cells of one device feel of the men that stand on them.
//!
//! In: the man on a cell. Out: the man that the cell feels, which is another or none where something is broken. A
//! device without faults feels what is there.

use rand::{Rng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;

use crate::{
    simulate::world::ManId,
    types::{Color, Instant, MS, Piece, Role, SECOND},
};

use super::faults::{Fault, Faults, Span};

/// How long a man is not felt, in µs.
const FLICKER: std::ops::RangeInclusive<i64> = 20 * MS..=600 * MS;

/// A moment in which a cell feels nothing.
#[derive(Clone, Copy, Debug)]
struct Flicker {
    cell: usize,
    from: Instant,
    to: Instant,
}

/// The cells of one device.
#[derive(Clone, Debug)]
pub struct Senses {
    faults: Faults,
    broken: bool,
    /// A cell that feels nothing from an instant on.
    dead: Option<(usize, Instant)>,
    /// A cell that misses every second man.
    dark: Option<usize>,
    /// A man that is always taken for another.
    wrong: Option<(ManId, Piece)>,
    /// In order of time.
    flickers: Vec<Flicker>,
}

impl Senses {
    /// Cells of which some will be broken; `ids` are men that may be taken for others.
    pub fn new(faults: &Faults, cells: usize, ids: &[(ManId, Piece)], span: Span, rng: &mut ChaCha8Rng) -> Senses {
        let mut senses =
            Senses { faults: faults.clone(), broken: false, dead: None, dark: None, wrong: None, flickers: Vec::new() };
        if *faults == Faults::default() {
            return senses;
        }
        senses.broken = true;
        senses.dead = faults.happens(Fault::DeadSquare, rng).then(|| (rng.random_range(0..cells), span.draw(rng)));
        senses.dark = faults.happens(Fault::DarkSquare, rng).then(|| rng.random_range(0..cells));
        if faults.happens(Fault::WrongMan, rng) {
            senses.wrong = ids.choose(rng).map(|(id, man)| (*id, other(*man, rng)));
        }
        let mut second = span.from;
        while second < span.to {
            if faults.happens(Fault::Flicker, rng) {
                let from = second + rng.random_range(0..SECOND);
                let to = from + rng.random_range(FLICKER);
                senses.flickers.push(Flicker { cell: rng.random_range(0..cells), from, to });
            }
            second = second + SECOND;
        }
        senses
    }

    /// What a cell feels of the man that stands on it.
    pub fn feel(&self, cell: usize, man: Option<Piece>, id: ManId, at: Instant) -> Option<Piece> {
        if !self.broken {
            return man;
        }
        let man = man?;
        let dead = self.dead.is_some_and(|(dead, from)| dead == cell && at >= from);
        let missed = self.dark == Some(cell) && id % 2 == 1;
        if dead || missed || self.flickers(cell, at) {
            return None;
        }
        Some(self.wrong.filter(|(wrong, _)| *wrong == id).map_or(man, |(_, taken_for)| taken_for))
    }

    fn flickers(&self, cell: usize, at: Instant) -> bool {
        let begun = self.flickers.partition_point(|flicker| flicker.from <= at);
        self.flickers[..begun].iter().rev().take(4).any(|flicker| flicker.cell == cell && at < flicker.to)
    }

    /// Whether all cells always feel what is there.
    pub fn are_sound(&self) -> bool {
        !self.broken
    }

    /// When a cell may feel something else although nothing moves.
    pub fn next_change(&self, after: Instant) -> Option<Instant> {
        if !self.broken {
            return None;
        }
        let begun = self.flickers.partition_point(|flicker| flicker.from <= after);
        let ends = self.flickers[begun.saturating_sub(4)..begun].iter().map(|flicker| flicker.to);
        let begins = self.flickers.get(begun).map(|flicker| flicker.from);
        let dead = self.dead.map(|(_, from)| from);
        ends.chain(begins).chain(dead).filter(|at| *at > after).min()
    }

    /// A cell that feels a man newly may tell another one for a moment.
    pub fn read(&self, felt: Option<Piece>, rng: &mut ChaCha8Rng) -> Option<Piece> {
        match felt {
            Some(man) if self.broken && self.faults.happens(Fault::WrongKind, rng) => Some(other(man, rng)),
            _ => felt,
        }
    }

    /// What is broken, for the truth.
    pub fn broken(&self) -> serde_json::Value {
        serde_json::json!({
            "dead": self.dead.map(|(cell, from)| (cell, from.micros())),
            "dark": self.dark,
            "wrong": self.wrong.map(|(id, man)| (id, man.char())),
            "flickers": self.flickers.len(),
        })
    }
}

/// Another man.
fn other(man: Piece, rng: &mut ChaCha8Rng) -> Piece {
    let colors = [Color::White, Color::Black].into_iter();
    let men: Vec<Piece> = colors.flat_map(|color| Role::ALL.map(|role| Piece { color, role })).collect();
    let others: Vec<Piece> = men.into_iter().filter(|other| *other != man).collect();
    others.choose(rng).copied().unwrap_or(man)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    const KNIGHT: Piece = Piece { color: Color::White, role: Role::Knight };

    fn senses(fault: &str) -> (Senses, ChaCha8Rng) {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let span = Span { from: Instant(0), to: Instant(100 * SECOND) };
        let faults = Faults::named(fault).unwrap();
        (Senses::new(&faults, 64, &[(7, KNIGHT)], span, &mut rng), rng)
    }

    /// Cells on which a man with this id is not felt as what it is at an instant.
    fn wrong(senses: &Senses, id: ManId, seconds: i64) -> usize {
        let felt = |cell: &usize| senses.feel(*cell, Some(KNIGHT), id, Instant(seconds * SECOND));
        (0..64).filter(|cell| felt(cell) != Some(KNIGHT)).count()
    }

    #[test]
    fn what_is_broken_is_felt_wrongly_and_nothing_else() {
        for (fault, id, expect) in
            [("none", 7, 0), ("dead-square", 7, 1), ("dark-square", 7, 1), ("dark-square", 8, 0), ("wrong-man", 7, 64)]
        {
            assert_eq!(wrong(&senses(fault).0, id, 100), expect, "{fault}");
        }
        assert_eq!(wrong(&senses("wrong-man").0, 8, 100), 0);
        assert_eq!(senses("wrong-man").0.feel(3, None, 7, Instant(0)), None, "nothing is nothing");
    }

    #[test]
    fn flickers_begin_and_end() {
        let (senses, _) = senses("flicker");
        let (mut at, mut felt) = (Instant(0), Vec::new());
        while let Some(next) = senses.next_change(at) {
            felt.push((0..64).filter(|cell| senses.flickers(*cell, next)).count());
            at = next;
        }
        assert!(felt.len() > 10 && felt.contains(&1) && felt.last() == Some(&0), "{felt:?}");
    }

    #[test]
    fn a_wrong_kind_is_told_now_and_then() {
        let (senses, mut rng) = senses("wrong-kind");
        let wrong = (0..1000).filter(|_| senses.read(Some(KNIGHT), &mut rng) != Some(KNIGHT)).count();
        assert!((10..200).contains(&wrong), "{wrong}");
    }
}

//! What the squares of a board showed over stretches of time.
//!
//! In: the readings that a placement keeps. Out: for a stretch, all that each square showed in it, to be compared with
//! what stood there by some line of plies.

use std::{cell::RefCell, collections::BTreeMap};

use super::{Effort, LATE_US};
use crate::{
    notation::uci,
    rules::{BoardPosition, Move},
    sense::{Placement, Reading},
    track::{CARRIED_US, SCAN_US, search},
    types::{Bitboard, Instant, Kinds, MS, Piece, Role, Square},
};

/// A man that stood so long on a square did not only pass.
pub const BRIEF_US: i64 = 300 * MS;

/// How long after its press a man may be put down.
const LANDS_US: i64 = 1200 * MS;

/// What each square may show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Squares([Kinds; 64]);

impl Squares {
    /// What the squares may show in a position: a promoted man also as a pawn (WBN 5.7).
    pub fn of(position: &BoardPosition) -> Squares {
        let mut squares = Squares([Kinds::EMPTY; 64]);
        squares.update(position, position.board().occupied());
        squares
    }

    /// The squares after a ply that has led to `position` and touched some of them.
    pub fn after(mut self, position: &BoardPosition, touched: Bitboard) -> Squares {
        self.update(position, touched);
        self
    }

    /// The same after a legal ply that is not played yet; `standing`: what may be seen of its man.
    pub fn played(mut self, m: Move, standing: Kinds) -> Squares {
        search::squares_of(m).into_iter().for_each(|square| self.0[usize::from(square)] = Kinds::EMPTY);
        self.0[usize::from(uci::destination(m))] = standing;
        if let (Some(to), Some(Some(king))) = (search::castled_rook(m), standing.single()) {
            self.0[usize::from(to)] = Kinds::only(Role::Rook.of(king.color));
        }
        self
    }

    fn update(&mut self, position: &BoardPosition, touched: Bitboard) {
        for square in touched {
            let man = position.board().piece_at(square);
            let pawn = man.filter(|_| position.promoted().contains(square));
            let pawn = pawn.map(|man| Kinds::only(Piece { role: Role::Pawn, ..man }));
            let kinds = man.map_or(Kinds::EMPTY, Kinds::only);
            self.0[usize::from(square)] = pawn.map_or(kinds, |pawn| kinds.or(pawn));
        }
    }

    /// What one square may show.
    pub fn at(&self, square: Square) -> Kinds {
        self.0[usize::from(square)]
    }

    /// Squares that have nothing in common.
    pub fn apart(&self, other: &Squares) -> Bitboard {
        all_squares(|index| !self.0[index].meets(other.0[index]))
    }

    /// Squares that may show something which they may not show by another one.
    pub fn beyond(&self, other: &Squares) -> Bitboard {
        all_squares(|index| self.0[index].or(other.0[index]) != other.0[index])
    }

    /// Squares that may show anything but that they are empty.
    pub fn felt(&self) -> Bitboard {
        all_squares(|index| self.0[index] != Kinds::EMPTY)
    }
}

/// Squares by their index: eight answers at a time become the bits of a byte.
fn all_squares(is: impl Fn(usize) -> bool) -> Bitboard {
    const GATHERS: u64 = 0x0102_0408_1020_4080;
    let answers: [u8; 64] = std::array::from_fn(|index| u8::from(is(index)));
    let (ranks, _) = answers.as_chunks::<8>();
    let bits = ranks.iter().map(|rank| u64::from_le_bytes(*rank).wrapping_mul(GATHERS) >> 56);
    Bitboard(bits.rev().fold(0, |all, bits| all << 8 | bits))
}

/// The readings of one board since some instant.
#[derive(Debug)]
pub struct Log<'a> {
    pub(super) placement: &'a Placement,
    /// By how long a man of unknown kind may seem to have come before it left, in µs.
    pub(super) slack: i64,
    /// Squares known to feel nothing now.
    blind: Bitboard,
    /// Readings that began since then, in their order.
    begun: Vec<Reading>,
    /// Stretches that were asked for, which are the same for all lines.
    stretches: RefCell<Stretches>,
    /// Plies that were held against it.
    pub(super) effort: &'a Effort,
}

/// Stretches with what they showed, apart: a map of large values is slow.
#[derive(Debug, Default)]
struct Stretches {
    index: BTreeMap<(Instant, Instant), usize>,
    shown: Vec<Squares>,
}

impl<'a> Log<'a> {
    /// What was shown since the last ply but one before the first was made.
    pub fn new(placement: &'a Placement, slack: i64, blind: Bitboard, made: Instant, effort: &'a Effort) -> Log<'a> {
        let since = made + -SCAN_US;
        let begun = |square| placement.readings(square).take_while(|reading| reading.since > since);
        let mut begun: Vec<Reading> = placement.changed_since(since).into_iter().flat_map(begun).collect();
        begun.sort_by_key(|reading| reading.since);
        Log { placement, slack, blind, begun, stretches: RefCell::default(), effort }
    }

    /// What is weighed in it decides nothing, and counts for nothing.
    pub fn aside<T>(&self, weigh: impl FnOnce() -> T) -> T {
        self.effort.aside(weigh)
    }

    /// Readings that began later than `from` and not later than `to`.
    pub fn begun(&self, from: Instant, to: Instant) -> &[Reading] {
        let start = self.begun.partition_point(|reading| reading.since <= from);
        let end = self.begun.partition_point(|reading| reading.since <= to);
        &self.begun[start..end.max(start)]
    }

    /// Everything that each square showed between two instants, both included.
    pub fn shown(&self, from: Instant, to: Instant) -> Squares {
        let mut stretches = self.stretches.borrow_mut();
        let Stretches { index, shown } = &mut *stretches;
        let index = *index.entry((from, to)).or_insert(shown.len());
        if let Some(squares) = shown.get(index) {
            return *squares;
        }
        let mut squares = Squares(*self.placement.cells());
        for square in self.placement.changed_since(from.min(to)) {
            squares.0[usize::from(square)] = self.shown_on(square, from, to);
        }
        shown.push(squares);
        squares
    }

    /// Everything that a square showed between two instants.
    fn shown_on(&self, square: Square, from: Instant, to: Instant) -> Kinds {
        let readings = self.placement.readings(square).filter(|reading| reading.begun <= to && reading.until >= from);
        readings.map(|reading| reading.kinds).reduce(Kinds::or).unwrap_or(Kinds::ANY)
    }

    /// What a square showed last until some instant.
    pub fn last(&self, square: Square, to: Instant) -> Option<Reading> {
        self.placement.readings(square).find(|reading| reading.since <= to)
    }

    /// What a square showed at some instant.
    pub fn kinds_at(&self, square: Square, to: Instant) -> Kinds {
        self.last(square, to).map_or(Kinds::ANY, |reading| reading.kinds)
    }

    /// Squares known to feel nothing that have felt nothing between two instants.
    pub fn blind(&self, from: Instant, until: Instant) -> Bitboard {
        let feels_nothing = |square: &Square| {
            let last = self.last(*square, until).filter(|last| last.kinds == Kinds::EMPTY);
            last.is_some_and(|last| last.since <= from + SCAN_US)
        };
        self.blind.into_iter().filter(feels_nothing).collect()
    }

    /// Since when a square showed one of these kinds: the first time that they came between two instants, or else since
    /// before.
    pub fn arrived(&self, square: Square, kinds: Kinds, from: Instant, to: Instant) -> Option<Instant> {
        let shows = |reading: &Reading| reading.kinds.meets(kinds) && reading.since <= to && reading.until >= from;
        let readings = || self.placement.readings(square).filter(shows).map(|reading| reading.since);
        readings().filter(|since| *since >= from).last().or_else(|| readings().last())
    }

    /// The same of the first time that they stayed, if they did before they came for good: a man that is held over a
    /// square has not come.
    pub fn settled(&self, square: Square, kinds: Kinds, from: Instant, to: Instant) -> Option<Instant> {
        let shows = |reading: &Reading| reading.kinds.meets(kinds) && reading.since <= to && reading.since >= from;
        let stays = |reading: &Reading| reading.until - reading.since >= BRIEF_US;
        let readings = || self.placement.readings(square).filter(shows);
        let since = |reading: Reading| reading.since;
        readings().filter(stays).last().or_else(|| readings().next()).map(since)
    }

    /// When a man that was in the air at a press came to a square after it, if it did soon.
    pub fn landed(&self, from: Option<Square>, (to, man): (Square, Kinds), press: Instant) -> Option<Instant> {
        let after = press + LATE_US + 1;
        let left = from.is_none_or(|from| self.kinds_at(from, press) == Kinds::EMPTY);
        left.then(|| self.arrived(to, man, after, press + LANDS_US)).flatten().filter(|came| *came >= after)
    }

    /// When the man on a square, who had come there by `came`, was replaced by another one, if only its occupancy is
    /// felt: when the other one had left `from`.
    pub fn replaced(
        &self,
        from: Square,
        (to, came): (Square, Instant),
        since: Instant,
        until: Instant,
    ) -> Option<Instant> {
        let earlier = |reading: &Reading| reading.since < since || reading.since <= came;
        let stayed = self.last(to, until).is_some_and(|reading| is_vague(reading.kinds) && earlier(&reading));
        let left = self.arrived(from, Kinds::EMPTY, since, until);
        left.filter(|left| stayed && *left >= since)
    }

    /// Whether what stands on a square had come before the man on `from` left: then it is another one.
    pub fn came_before(&self, from: Square, (to, man): (Square, Kinds), since: Instant, until: Instant) -> bool {
        let slack = |reading: &Reading| if is_vague(reading.kinds) { self.slack } else { CARRIED_US };
        let came = self.last(to, until).filter(|reading| is_vague(reading.kinds) || reading.kinds == man);
        let left = self.arrived(from, Kinds::EMPTY, since, until);
        let left = left.and_then(|left| self.last(from, left)).map(|left| left.begun);
        came.zip(left).is_some_and(|(came, left)| came.since + slack(&came) < left)
    }

    /// Whether the reading of a square stayed the same all the time between two instants.
    pub fn stayed(&self, square: Square, from: Instant, to: Instant) -> bool {
        self.placement.readings(square).any(|reading| reading.since <= from && reading.surely > to)
    }
}

/// Whether a reading tells only that some man stands there.
fn is_vague(kinds: Kinds) -> bool {
    kinds == Kinds::OCCUPIED
}

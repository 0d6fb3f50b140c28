//! What may stand on each square, and since when.

use arrayvec::ArrayVec;

use super::misheard::Misheard;
use crate::{
    rules::BoardPosition,
    types::{Bitboard, Color, Instant, Kinds, MS, Piece, Role, Square},
};

/// The sets of [`Kinds`] of all squares, turned round: for each kind, the squares where it may stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    cells: [Kinds; 64],
    empty: Bitboard,
    men: [[Bitboard; 6]; 2],
    changed: [Instant; 64],
    /// Since when each square may have shown that: sooner than it was told where the message of it was lost.
    begun: [Instant; 64],
    latest: Instant,
    /// When all squares were told at once last.
    looked: Instant,
    /// What each square showed before, the last first.
    earlier: Vec<ArrayVec<Earlier, EARLIER_MAX>>,
}

/// Earlier readings of a square that are kept.
const EARLIER_MAX: usize = 16;
/// A change that all squares told at once first is told by its own message so soon after that, if none was lost.
const TOLD_US: i64 = 300 * MS;

/// What a square showed before: since when, since when it may have, and what.
type Earlier = (Instant, Instant, Kinds);

/// What one square showed for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The square.
    pub square: Square,
    /// What may have stood there.
    pub kinds: Kinds,
    /// From when: when it was told.
    pub since: Instant,
    /// From when it may have been so: before it was told, if the message of it was lost.
    pub begun: Instant,
    /// Until when; far in the future for what it shows now.
    pub until: Instant,
    /// Until when for certain: the message of the next reading may have been lost.
    pub surely: Instant,
}

/// Squares where a placement contradicts a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mismatch {
    /// The position has a man and the square may be empty: it may be in the air.
    pub missing: Bitboard,
    /// A man stands that the position does not have there.
    pub foreign: Bitboard,
}

impl Mismatch {
    /// All squares.
    pub fn any(self) -> Bitboard {
        self.missing | self.foreign
    }

    /// Whether nothing contradicts.
    pub fn is_empty(self) -> bool {
        self.any().is_empty()
    }
}

impl Default for Placement {
    /// Nothing known: everything may stand everywhere.
    fn default() -> Placement {
        let earlier = vec![ArrayVec::new(); 64];
        Placement {
            cells: [Kinds::ANY; 64],
            empty: Bitboard::FULL,
            men: [[Bitboard::FULL; 6]; 2],
            changed: [Instant::LONG_AGO; 64],
            begun: [Instant::LONG_AGO; 64],
            latest: Instant::LONG_AGO,
            looked: Instant::LONG_AGO,
            earlier,
        }
    }
}

fn row(color: Color) -> usize {
    color as usize
}

fn column(role: Role) -> usize {
    role as usize - 1
}

impl Placement {
    /// All squares are told at once.
    pub fn look(&mut self, at: Instant) {
        self.looked = at;
    }

    /// When all squares were told at once last: a change whose message was lost is known since then.
    pub fn looked(&self) -> Instant {
        self.looked
    }

    /// Takes the reading of one square in; true if it says something else than before.
    pub fn set(&mut self, square: Square, kinds: Kinds, at: Instant) -> bool {
        let index = usize::from(square);
        let before = self.kinds(square);
        if before == kinds {
            if at - self.changed[index] <= TOLD_US {
                self.begun[index] = self.changed[index];
            }
            return false;
        }
        self.keep(square, before);
        self.retag(square, kinds);
        (self.changed[index], self.begun[index]) = (at, at);
        self.latest = at;
        true
    }

    /// Takes the reading of one square in that was told with all others, and that none of its own has told: that was
    /// lost, since all were told at `looked`. True if it says something else than before.
    pub fn find(&mut self, square: Square, kinds: Kinds, looked: Instant, at: Instant) -> bool {
        let index = usize::from(square);
        let before = self.changed[index];
        let is_new = self.kinds(square) != kinds && self.set(square, kinds, at);
        if is_new && looked != Instant::LONG_AGO {
            self.begun[index] = looked.max(before).min(at);
        }
        is_new
    }

    /// The last change of a square was that of another one, which is known now.
    pub fn mishear(&mut self, Misheard { told, meant }: Misheard, at: Instant) {
        let (index, kinds, changed) = (usize::from(told), self.kinds(told), self.changed(told));
        if self.earlier[index].is_empty() {
            return;
        }
        let (since, begun, before) = self.earlier[index].remove(0);
        (self.changed[index], self.begun[index]) = (since, begun);
        self.retag(told, before);
        self.set(meant, kinds, changed);
        self.latest = at;
    }

    /// Keeps what a square showed until now, if its sensor has said anything yet.
    fn keep(&mut self, square: Square, shown: Kinds) {
        let since = self.changed(square);
        if since == Instant::LONG_AGO {
            return;
        }
        let earlier = &mut self.earlier[usize::from(square)];
        if earlier.is_full() {
            earlier.pop();
        }
        earlier.insert(0, (since, self.begun[usize::from(square)], shown));
    }

    /// What a square has shown since its last change was this.
    pub fn retag(&mut self, square: Square, kinds: Kinds) {
        self.cells[usize::from(square)] = kinds;
        self.empty.set(square, kinds.allows(None));
        for color in Color::ALL {
            for role in Role::ALL {
                let allowed = kinds.allows(Some(Piece { color, role }));
                self.men[row(color)][column(role)].set(square, allowed);
            }
        }
    }

    /// Everything was seen from the other side: squares are turned by 180°, and men that the set-up told are others.
    pub fn turn(&mut self) {
        self.cells.reverse();
        self.changed.reverse();
        self.begun.reverse();
        self.earlier.reverse();
        for (.., kinds) in self.earlier.iter_mut().flatten() {
            *kinds = kinds.from_other_side();
        }
        for (square, kinds) in Square::ALL.into_iter().zip(self.cells) {
            self.retag(square, kinds.from_other_side());
        }
    }

    /// What may stand on a square.
    pub fn kinds(&self, square: Square) -> Kinds {
        self.cells[usize::from(square)]
    }

    /// When the reading of a square changed last.
    pub fn changed(&self, square: Square) -> Instant {
        self.changed[usize::from(square)]
    }

    /// When the reading of any of these squares changed last.
    pub fn last_change(&self, squares: Bitboard) -> Instant {
        squares.into_iter().map(|square| self.changed(square)).max().unwrap_or(Instant::LONG_AGO)
    }

    /// What may stand on each square.
    pub fn cells(&self) -> &[Kinds; 64] {
        &self.cells
    }

    /// Squares whose reading has changed since some instant.
    pub fn changed_since(&self, since: Instant) -> Bitboard {
        Bitboard(self.changed.iter().rev().fold(0, |all, changed| all << 1 | u64::from(*changed >= since)))
    }

    /// Squares that have shown the same since some instant.
    pub fn unchanged_since(&self, since: Instant) -> Bitboard {
        Square::ALL.into_iter().filter(|square| self.changed(*square) <= since).collect()
    }

    /// Whether a square told of one of these men at some time between two instants, which came no sooner than `since`.
    pub fn told_of(
        &self,
        square: Square,
        is: impl Fn(Piece) -> bool,
        since: Instant,
        [from, to]: [Instant; 2],
    ) -> bool {
        self.readings(square).any(|reading| {
            let within = reading.since <= to && reading.until >= from && reading.since >= since;
            within && reading.kinds.single().flatten().is_some_and(&is)
        })
    }

    /// Whether this man may have stood on a square at some time between `from` and `to`.
    pub fn showed(&self, square: Square, man: Piece, from: Instant, to: Instant) -> bool {
        let index = usize::from(square);
        if self.begun[index] <= to && self.allows(man).contains(square) {
            return true;
        }
        let mut until = self.changed(square);
        for (since, begun, kinds) in &self.earlier[index] {
            if kinds.allows(Some(man)) && *begun <= to && until > from {
                return true;
            }
            until = *since;
        }
        false
    }

    /// What a square shows and showed, the last first.
    pub fn readings(&self, square: Square) -> impl Iterator<Item = Reading> + '_ {
        let now = std::iter::once((self.changed(square), self.begun[usize::from(square)], self.kinds(square)));
        let all = now.chain(self.earlier[usize::from(square)].iter().copied());
        let (mut until, mut surely) = (Instant(i64::MAX), Instant(i64::MAX));
        all.map(move |(since, begun, kinds)| {
            let reading = Reading { square, kinds, since, begun, until, surely };
            (until, surely) = (since, begun);
            reading
        })
    }

    /// What a square showed at some time, as far as it is remembered.
    pub fn kinds_at(&self, square: Square, at: Instant) -> Kinds {
        if self.changed(square) <= at {
            return self.kinds(square);
        }
        let earlier = &self.earlier[usize::from(square)];
        let then = earlier.iter().find(|(since, ..)| *since <= at).or(earlier.last());
        then.map_or(Kinds::ANY, |(.., kinds)| *kinds)
    }

    /// Since when a square showed what it did at some time, as far as it is remembered.
    pub fn since_at(&self, square: Square, at: Instant) -> Instant {
        self.readings(square).map(|reading| reading.since).find(|since| *since <= at).unwrap_or(Instant::LONG_AGO)
    }

    /// Squares that certainly were not empty at some time.
    pub fn occupied_at(&self, at: Instant) -> Bitboard {
        Square::ALL.into_iter().filter(|square| !self.kinds_at(*square, at).allows(None)).collect()
    }

    /// When any reading changed last.
    pub fn latest(&self) -> Instant {
        self.latest
    }

    /// Squares where this man may stand.
    pub fn allows(&self, man: Piece) -> Bitboard {
        self.men[row(man.color)][column(man.role)]
    }

    /// Squares that may be empty.
    pub fn allows_empty(&self) -> Bitboard {
        self.empty
    }

    /// Squares whose reading leaves more than one possibility.
    pub fn ambiguous(&self) -> Bitboard {
        let mut once = self.empty;
        let mut twice = Bitboard::EMPTY;
        for squares in self.men.as_flattened() {
            twice |= once & *squares;
            once |= *squares;
        }
        twice
    }

    /// Whether any sensor has said anything yet.
    pub fn tells(&self) -> bool {
        self.empty != Bitboard::FULL || self.men.as_flattened().iter().any(|squares| *squares != Bitboard::FULL)
    }

    /// Where the placement contradicts a position. A promoted man may stand as a pawn or as what it became (WBN 5.7).
    pub fn mismatch(&self, position: &BoardPosition) -> Mismatch {
        let board = position.board();
        let promoted = position.promoted();
        let mut agrees = self.empty & !board.occupied();
        for color in Color::ALL {
            let ours = board.by_color(color);
            let men = &self.men[row(color)];
            for role in Role::ALL {
                agrees |= men[column(role)] & board.by_role(role) & ours;
            }
            agrees |= men[column(Role::Pawn)] & promoted & ours;
        }
        let missing = !agrees & self.empty;
        Mismatch { missing, foreign: !agrees & !self.empty }
    }
}

//! Sensors that are wrong all the time: squares that feel nothing, men that read as others.
//!
//! In: what the placement contradicts of the confirmed game, for how long. Out: blind squares and aliases that the
//! search takes into account. What is right again is forgotten.

use super::{
    ADJUSTS_US, SCAN_US,
    board::BoardTrack,
    search::{ALIASES_MAX, Alias},
    seen::Seen,
};
use crate::{
    notation::uci,
    rules::{BoardPosition, Move},
    sense::{Mismatch, Placement, Reading},
    types::{Bitboard, Instant, Kinds, SECOND, Square},
};

/// Plies during which a contradiction must have stood.
const PLIES: usize = 2;
/// How long it must have stood.
const STANDING_US: i64 = 3 * SECOND;
/// So far from its square a man stands that was knocked over, where only that is felt that something stands there.
const BESIDE: u32 = 2;
/// How long a man must have stood on a square that it left again.
const STOOD_US: i64 = SECOND;

impl BoardTrack {
    /// Looks at what has been contradicted for some plies. At the set-up everything counts at once.
    pub fn learn(&mut self, position: &BoardPosition, placement: &Placement, at: Instant) {
        let mismatch = placement.mismatch(position);
        self.aliases.retain(|alias| placement.kinds(alias.square) == alias.reads);
        self.blind &= placement.allows_empty() & !(self.laid & !position.promoted());
        self.laid &= self.blind;
        self.supposed &= self.blind;
        self.blind |= self.proven & placement.allows_empty() & !position.board().occupied();
        self.learnt.retain(|(square, _)| self.blind.contains(*square));
        let displaced = displaced(position, placement, mismatch);
        for square in mismatch.any() & !displaced {
            let lies = position.promoted().contains(square) && self.lay_down(square, placement);
            if !lies && (!self.stands_wrong(square, placement, at) || stood_elsewhere(position, square, placement, at))
            {
                continue;
            }
            if mismatch.missing.contains(square) && !self.blind.contains(square) {
                self.blind.add(square);
                self.learnt.push((square, self.past.len()));
                self.laid |= Bitboard::from(square) & position.promoted();
            } else if mismatch.foreign.contains(square) {
                self.add_alias(square, placement.kinds(square));
            }
        }
    }

    /// A man stands on a square that does not show it.
    pub(super) fn take_for_blind(&mut self, square: Square) {
        self.blind.add(square);
        self.supposed.add(square);
        self.learnt.push((square, self.past.len() + 1));
    }

    /// A man has left a square, or was captured there: if it was not felt, the square is known for good.
    pub(super) fn prove(&mut self, m: Move) {
        let left = m.from().into_iter().chain(m.is_capture().then_some(m.to()));
        self.proven |= self.blind & !self.laid & left.collect::<Bitboard>();
    }

    /// The man of the ply at `index` stood for a while where no sensor has shown it.
    pub(super) fn learn_from(&mut self, index: usize, seen: &Seen<'_>) {
        let Some(past) = self.past.get(index) else { return };
        let to = uci::destination(past.played);
        let man = past.played.promotion().unwrap_or(past.played.role()).of(past.before.turn());
        let left =
            self.past[index + 1..].iter().find(|later| later.played.from() == Some(to) || later.played.to() == to);
        let stood = left.map_or(self.changed_at, |left| left.made_at) - past.completed_at;
        let showed = seen.placement.showed(to, man, past.completed_at, Instant(i64::MAX));
        if stood >= STOOD_US && !showed {
            self.proven.add(to);
        }
        if stood >= STANDING_US && !showed && seen.placement.kinds(to) == Kinds::EMPTY && !self.blind.contains(to) {
            self.blind.add(to);
            self.supposed.add(to);
            self.learnt.push((to, index + 1));
        }
    }

    /// Blind squares that have felt nothing since an instant, or to which a ply went that nobody saw: what only
    /// contradicts the record may as well be the record's fault.
    pub(super) fn blind_since(&self, since: Instant, placement: &Placement) -> Bitboard {
        let quiet = |square: &Square| placement.changed(*square) < since || self.supposed.contains(*square);
        self.blind.into_iter().filter(quiet).collect()
    }

    /// Blind squares that were learnt from plies from `first` on.
    pub(super) fn learnt_since(&self, first: usize) -> Bitboard {
        self.learnt.iter().filter(|(_, plies)| *plies > first).map(|(square, _)| *square).collect()
    }

    /// Forgets what was learnt from plies that were others: those from `from` on.
    pub(super) fn unlearn(&mut self, from: usize) {
        self.aliases.retain(|alias| alias.learnt <= from);
        let wrong = self.learnt.iter().filter(|(_, plies)| *plies > from);
        let wrong: Bitboard = wrong.map(|(square, _)| *square).collect();
        self.blind &= !wrong;
        self.supposed &= !wrong;
        self.learnt.retain(|(_, plies)| *plies <= from);
    }

    /// Whether the man that was promoted there has been laid down and the other player has moved since.
    fn lay_down(&self, square: Square, placement: &Placement) -> bool {
        let empty = placement.kinds(square) == Kinds::EMPTY;
        empty && self.past.last().is_some_and(|last| placement.changed(square) < last.made_at)
    }

    fn stands_wrong(&self, square: Square, placement: &Placement, at: Instant) -> bool {
        let changed = placement.changed(square);
        let plies = self.past.get(self.past.len().saturating_sub(PLIES));
        let through = plies.is_none_or(|past| changed < past.made_at);
        through && at - changed >= STANDING_US
    }

    fn add_alias(&mut self, square: Square, reads: Kinds) {
        if self.aliases.iter().all(|alias| alias.square != square) && self.aliases.len() < ALIASES_MAX {
            self.aliases.push(Alias { square, reads, learnt: self.past.len() });
        }
    }
}

/// Whether the man of a square has just been lifted from another one, where it was displaced: no sensor is wrong.
fn stood_elsewhere(position: &BoardPosition, square: Square, placement: &Placement, at: Instant) -> bool {
    let Some(man) = position.board().piece_at(square) else { return false };
    let (man, others) = (Kinds::only(man), !position.board().by_piece(man));
    let left = placement.changed(square);
    let felt = placement.readings(square).nth(1).is_some_and(|before| before.kinds == man);
    let elsewhere = |reading: Reading| {
        let displaced = (left + -SCAN_US..left + ADJUSTS_US).contains(&reading.since);
        displaced && reading.kinds == man && at < reading.until + STANDING_US
    };
    felt && others.into_iter().any(|other| placement.readings(other).any(elsewhere))
}

/// Squares of men that stand elsewhere: hands put them there, no sensor is wrong (WBN 6.4).
fn displaced(position: &BoardPosition, placement: &Placement, mismatch: Mismatch) -> Bitboard {
    let mut squares = Bitboard::EMPTY;
    for to in mismatch.foreign {
        let from: Bitboard = match placement.kinds(to).single().flatten() {
            Some(man) => mismatch.missing & position.board().by_piece(man),
            None => mismatch.missing.into_iter().filter(|from| from.distance(to) <= BESIDE).collect(),
        };
        if from.any() {
            squares |= from | Bitboard::from(to);
        }
    }
    squares
}

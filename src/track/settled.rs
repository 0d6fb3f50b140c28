//! When a ply counts that no clock completes, and when what is seen of a ply was made.
//!
//! In: the line, what the squares show and showed. Out: instants. It completes nothing.

use arrayvec::ArrayVec;

use super::{
    Completion, SCAN_US,
    board::{BoardTrack, LinePly},
    hindsight::Ply,
    search,
};
use crate::{
    notation::uci,
    rules::{BoardPosition, Move},
    sense::{Placement, Reading},
    types::{Bitboard, Color, Instant, Kinds, MS, Role, Square},
};

/// How long a ply without a clock waits for another man of its player that is in the air.
const IN_AIR_US: i64 = 1500 * MS;
/// How long a player takes from the move to the press where no clock tells.
const PRESS_DELAY_US: i64 = 400 * MS;
/// Latest presses whose delays are taken for that.
const DELAYS_MAX: usize = 15;
/// How long a promotion waits for the man that the pawn may be exchanged for.
const EXCHANGE_US: i64 = 2000 * MS;
/// A man that is adjusted as it is put down is not away for longer.
const ADJUSTED_US: i64 = 1000 * MS;
/// Men on a square, one after the other, of which the latest are looked at.
const STOOD_MAX: usize = 16;

impl BoardTrack {
    /// Notes since when the player to move has let go of what belongs to the move.
    pub(super) fn watch_rest(&mut self, position: &BoardPosition, first: Option<Move>, placement: &Placement) {
        let theirs = position.board().by_color(!position.turn());
        let touched = first.map_or(Bitboard::EMPTY, search::squares_of);
        self.rested_at = placement.last_change(!theirs | touched);
        // What left its square after the move was made was knocked over or adjusted, but for a king that castles.
        let king = position.board().by_piece(Role::King.of(position.turn()));
        let made_at = placement.last_change(touched);
        let before = |square: &Square| king.contains(*square) || placement.changed(*square) <= made_at;
        let again = first.map(uci::destination).filter(|to| placement.kinds(*to) == Kinds::EMPTY);
        let lifted: Bitboard = self.in_air.into_iter().filter(before).chain(again).collect();
        self.lifted_at = placement.last_change(lifted);
        let promotes = first.filter(|first| first.promotion().is_some());
        self.mates = promotes.is_some_and(|first| {
            let mut after = position.clone();
            after.play(first);
            after.checkers().any() && after.count_legal_moves() == 0
        });
    }

    /// When the line's first ply counts: at the reply, or after rest. What stood there before it is none.
    pub(super) fn settled_at(&self, rest: i64) -> Option<Instant> {
        match self.line.as_slice() {
            [] => None,
            [first, reply, ..] if first.made_at < reply.made_at => Some(reply.made_at),
            // It may be mate: then kings go to the centre, and nobody exchanges the pawn.
            [..] if self.mates => Some(self.rested_at + rest),
            [first, ..] => {
                let rest = if first.played.promotion().is_some() { rest.max(EXCHANGE_US) } else { rest };
                Some((self.rested_at + rest).max(self.lifted_at + IN_AIR_US))
            }
        }
    }

    /// How long after a ply is seen to be made its player presses, as far as a clock told lately: what stands for the
    /// press where none does, so that plies of boards with and without a clock keep their order.
    pub(super) fn press_delay(&self) -> i64 {
        let told = self.past.iter().rev().filter(|past| past.clock.is_some()).take(DELAYS_MAX);
        let mut delays: ArrayVec<i64, DELAYS_MAX> = told.map(|past| past.completed_at - past.made_at).collect();
        delays.sort_unstable();
        delays.get(delays.len() / 2).map_or(PRESS_DELAY_US, |median| *median.max(&0))
    }

    /// When the man of a ply, which the line goes on from, came to stand where it went: for a pawn that was exchanged,
    /// the other man.
    pub(super) fn stands_since(&self, ply: &LinePly, placement: &Placement) -> Instant {
        let reply = self.line.first().map_or(Instant(i64::MAX), |reply| reply.made_at);
        match ply.played.promotion() {
            Some(_) => stands_since(ply.played, ply.made_at, placement, reply),
            None => ply.made_at,
        }
    }

    /// When a ply counts that hindsight has told, and that was completed by its press at the latest: where no clock is
    /// heard, as soon after its man came to stand as others are, before the man of the `next` one captured it, and not
    /// before the ply before it.
    pub(super) fn counts_at(&self, ply: &Ply, next: Option<(Move, Color)>, placement: &Placement) -> Instant {
        let Ply { played, made_at, came, completed_at, .. } = *ply;
        if self.completion == Completion::Clock {
            return completed_at;
        }
        let to = uci::destination(played);
        let caught = next.filter(|(next, _)| next.is_capture() && search::victim(*next) == to && next.to() == to);
        let captor = caught.map(|(next, color)| Kinds::only(next.role().of(color)));
        let mut captors = placement.readings(to).filter(|reading| Some(reading.kinds) == captor);
        let within = |at: Instant| (made_at..completed_at).contains(&at);
        let captured = captors.find(|reading| within(reading.since)).map(|reading| reading.since);
        // A captor that nobody saw there has left its own square.
        let from = caught.filter(|_| captured.is_none()).and_then(|(next, _)| next.from());
        let mut left = from.into_iter().flat_map(|from| placement.readings(from));
        let left = left.find(|reading| reading.kinds == Kinds::EMPTY && within(reading.since));
        let until = captured.or(left.map(|left| left.since)).unwrap_or(completed_at + 1);
        // Nobody sees a pawn come that lies on its side; any other man may come yet.
        let told = came.is_some() || played.promotion().is_some();
        let stands = || stands_since(played, made_at, placement, until) + self.press_delay();
        let counts = if told { stands().min(until) } else { until };
        let before = self.past.last().map_or(Instant::LONG_AGO, |last| last.completed_at);
        completed_at.min(counts).max(before)
    }
}

/// Since when what stood where a move went before `until` has stood there, not before the move was made: a man that
/// was adjusted, or exchanged for a pawn, comes back soon.
fn stands_since(m: Move, made_at: Instant, placement: &Placement, until: Instant) -> Instant {
    let away = if m.promotion().is_some() { EXCHANGE_US } else { ADJUSTED_US };
    let readings = placement.readings(uci::destination(m));
    let mut stood: ArrayVec<Reading, STOOD_MAX> =
        readings.filter(|reading| reading.since < until && reading.kinds != Kinds::EMPTY).take(STOOD_MAX).collect();
    stood.reverse();
    let again = |(since, back): (Instant, Instant), reading: &Reading| match reading.since <= back {
        true => (reading.since.max(since), back.max(reading.until.min(until) + away)),
        false => (since, back),
    };
    stood.iter().fold((made_at, made_at + away), again).0
}

/// When the first of these plies was made, by the player of that color: if the others touched all of its squares, or
/// its man had lain on the one that it left, when its man was seen where it went last, `since` the ply before, or `or`,
/// but not later than the next one.
pub(super) fn made_first(plies: &[Move], turn: Color, placement: &Placement, [since, or]: [Instant; 2]) -> Instant {
    let Some((first, rest)) = plies.split_first() else { return or };
    let later = touched(rest);
    let lay = |from: &Square| placement.kinds(*from) == Kinds::EMPTY && placement.changed(*from) + SCAN_US < since;
    let lay: Bitboard = first.from().into_iter().filter(lay).collect();
    if !search::squares_of(*first).is_subset(later | lay) {
        return made_at(*first, later, placement, or);
    }
    let or = or.min(made_first(rest, !turn, placement, [since, or]));
    let man = first.promotion().unwrap_or(first.role());
    let men = [man, Role::Pawn].map(|role| Kinds::only(role.of(turn)));
    let men = if lay.is_empty() { &men[..1] } else { &men };
    let mut came = placement.readings(uci::destination(*first)).filter(|reading| reading.since <= or);
    came.find(|reading| men.contains(&reading.kinds) && reading.since >= since).map_or(or, |reading| reading.since)
}

/// When the last square of a move was seen as the move leaves it, `or` when later plies touched all of them.
pub(super) fn made_at(m: Move, later: Bitboard, placement: &Placement, or: Instant) -> Instant {
    let squares = search::squares_of(m) & !later;
    let changes = squares.into_iter().map(|square| match m.from() {
        Some(from) if from == square => left_at(m, from, placement),
        _ => placement.changed(square),
    });
    changes.max().unwrap_or(or)
}

/// When the square that a move leaves was seen empty: who was there since is another man.
fn left_at(m: Move, from: Square, placement: &Placement) -> Instant {
    let other = |kinds: Kinds| kinds.single().flatten().is_some_and(|man| ![m.role(), Role::Pawn].contains(&man.role));
    let mut left = placement.changed(from);
    for reading in placement.readings(from).filter(|reading| !other(reading.kinds)) {
        match reading.kinds {
            Kinds::EMPTY => left = reading.since,
            _ => break,
        }
    }
    left
}

/// All squares that these plies touch.
pub(super) fn touched(plies: &[Move]) -> Bitboard {
    plies.iter().fold(Bitboard::EMPTY, |all, m| all | search::squares_of(*m))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Piece, SECOND};

    /// A white knight is dropped on c4 after two seconds, a black one captures it there from a3 after nine and ten; the
    /// square shows what `seen` says before that.
    #[track_caller]
    fn check(seen: Kinds, made_after_s: i64) {
        let at = |seconds: i64| Instant(seconds * SECOND);
        let mut placement = Placement::default();
        for (square, kinds, seconds) in [
            (Square::C4, seen, 2),
            (Square::A3, Kinds::EMPTY, 9),
            (Square::C4, Kinds::only(Role::Knight.of(Color::Black)), 10),
        ] {
            placement.set(square, kinds, at(seconds));
        }
        let drop = Move::Put { role: Role::Knight, to: Square::C4 };
        let capture = Some(Role::Knight);
        let captures = Move::Normal { role: Role::Knight, from: Square::A3, capture, to: Square::C4, promotion: None };
        let made = made_first(&[drop, captures], Color::White, &placement, [at(1), at(20)]);
        assert_eq!(made, at(made_after_s), "{seen:?}");
    }

    #[test]
    fn a_ply_whose_squares_later_ones_touch_was_made_when_its_man_was_seen() {
        check(Kinds::only(Role::Knight.of(Color::White)), 2);
        // Nobody saw it: not later than what captures it.
        check(Kinds::EMPTY, 10);
        check(Kinds::OCCUPIED, 10);
    }

    /// `f1p@4` a man came to a square after so many seconds, `f1.@5` it left.
    fn shown(script: &str) -> Placement {
        let mut placement = Placement::default();
        for word in script.split(' ') {
            let (reading, at) = word.split_once('@').unwrap();
            let man = reading.chars().nth(2).and_then(Piece::from_char);
            let at = Instant((at.parse::<f64>().unwrap() * SECOND as f64) as i64);
            placement.set(reading[..2].parse().unwrap(), Kinds::exactly(man), at);
        }
        placement
    }

    fn promotion(from: Square, to: Square) -> Move {
        let capture = Some(Role::Bishop);
        Move::Normal { role: Role::Pawn, from, capture, to, promotion: Some(Role::Queen) }
    }

    #[test]
    fn who_was_where_a_man_left_is_another() {
        // The queen of the other player was put down on a wrong square, where the pawn had been.
        let placement = shown("e2p@1 e2.@3 f1p@4 e2Q@6 e2.@7 f1Q@8");
        let m = promotion(Square::E2, Square::F1);
        assert_eq!(made_at(m, Square::F1.into(), &placement, Instant(9 * SECOND)), Instant(3 * SECOND));
    }

    #[test]
    fn what_comes_back_soon_stands_since_then() {
        let check = |m: Move, script: &str, tenths: i64| {
            let stands = stands_since(m, Instant(4 * SECOND), &shown(script), Instant(i64::MAX));
            assert_eq!(stands, Instant(tenths * SECOND / 10), "{script}");
        };
        let pushed =
            Move::Normal { role: Role::Pawn, from: Square::F2, capture: None, to: Square::F1, promotion: None };
        check(pushed, "f1r@1 f1.@2 f1p@4 f1.@5 f1p@5.5", 55);
        // Another one, which captured the man that had captured this one.
        check(pushed, "f1p@4 f1.@5 f1p@6.5", 40);
        check(promotion(Square::E2, Square::F1), "f1p@4 f1.@5 f1q@6.5", 65);
    }
}

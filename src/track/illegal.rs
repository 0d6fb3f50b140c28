//! The illegal move that explains a placement when no legal one does, or none as well.
//!
//! In: a position, what is seen, the presses that wait. Out: what was done, why it is illegal and what believing it
//! costs (`cost`). A man must have stood there when the clock was pressed: what hands do in
//! passing is no move.

use arrayvec::ArrayVec;

use super::{
    AT_PRESS_US, SCAN_US, cost,
    search::{self, Evidence},
};
use crate::{
    notation::uci,
    rules::{Attempt, BoardPosition, Move, Reason},
    sense::{Mismatch, Placement},
    types::{CastlingSide, Instant, Kinds, Piece, Role, Square},
};

/// Things that somebody may have done that are looked into for one state of a board.
const ATTEMPTS_MAX: usize = 16;
/// Men next to their squares are displaced (WBN 6.4); a second move goes farther.
const SECOND_MOVE_SQUARES: u32 = 2;

/// An illegal move that explains a board, alone or with legal plies after it.
pub struct Illegal {
    /// The move.
    pub played: Move,
    /// Why it is illegal.
    pub reasons: Vec<Reason>,
    /// What it costs to believe it, with all that it leaves open.
    pub cost: u32,
    /// Nothing of it was touched since the press.
    pub firm: bool,
}

/// The illegal move of the side to move that explains the placement without a man where none should stand, alone or
/// with legal plies after it: the cheapest, of equal ones the one with the fewest reasons, then the first square.
pub fn explain(position: &BoardPosition, evidence: Evidence<'_>) -> Option<Illegal> {
    let press = *evidence.presses.first()?;
    let found = attempts(position, evidence, press).into_iter().filter_map(|(attempt, weight)| {
        let (played, reasons) = as_played(position, attempt)?;
        let mut after = position.clone();
        after.play(played);
        let presses = evidence.presses.get(1..).unwrap_or_default();
        let [first, second] = evidence.since;
        let rest = Evidence { presses, since: [second, first], rest_since: press, before: &[], ..evidence };
        let rest = search::explain(&after, rest, presses.len() + 1);
        let open = without_stranger(rest.mismatch, attempt);
        let own = open.missing & position.board().by_color(position.turn());
        let explains = open.foreign.is_empty() && own.is_empty() && rest.line.len() >= presses.len();
        let firm =
            search::squares_of(played).into_iter().all(|square| evidence.placement.changed(square) <= press + SCAN_US);
        explains.then(|| Illegal { played, reasons, cost: weight + cost::PLY + rest.cost, firm })
    });
    found.filter(|found| !found.reasons.is_empty()).min_by_key(|found| (found.cost, found.reasons.len()))
}

/// A man of the player who made `first` that made a move, too, and stood there at the press: from where, to where.
pub fn second_move(position: &BoardPosition, first: Move, evidence: Evidence<'_>) -> Option<(Square, Square)> {
    let press = *evidence.presses.first()?;
    let mut after = position.clone();
    after.play(first);
    let placement = evidence.placement;
    let mismatch = placement.mismatch(&after);
    let own = mismatch.missing & after.board().by_color(position.turn());
    let touched = |square: Square| placement.changed(square) >= evidence.rest_since;
    let alone = first.from().is_some_and(|from| from.distance(first.to()) < SECOND_MOVE_SQUARES && !first.is_capture());
    if alone || !touched(uci::destination(first)) {
        return None;
    }
    let early = |square: &Square| touched(*square) && placement.changed(*square) <= press + -AT_PRESS_US;
    let ways = own.into_iter().filter(early).flat_map(|from| mismatch.foreign.into_iter().map(move |to| (from, to)));
    let mut ways = ways.filter(|(from, to)| {
        let Some(man) = after.board().piece_at(*from) else { return false };
        let stands = placement.kinds(*to) == Kinds::only(man) && placement.changed(*to) <= press;
        stands && from.distance(*to) >= SECOND_MOVE_SQUARES && goes(position, *from, *to)
    });
    ways.next().filter(|_| ways.next().is_none())
}

/// Whether the man may go there by the rules.
fn goes(position: &BoardPosition, from: Square, to: Square) -> bool {
    let attempt = Attempt::Move { from, to, promotion: None };
    position.as_move(attempt).is_some_and(|m| position.is_legal(m))
}

/// What is played if somebody did this, and why it is illegal.
fn as_played(position: &BoardPosition, attempt: Attempt) -> Option<(Move, Vec<Reason>)> {
    let played = match attempt {
        // The game knows no man of the wrong colour that may be dropped: one of the right colour takes its place.
        Attempt::Drop { man, to } => Move::Put { role: man.role, to },
        _ => position.as_move(attempt)?,
    };
    Some((played, position.reasons(attempt)))
}

/// A dropped man of the wrong colour reads as what it is.
fn without_stranger(mut mismatch: Mismatch, attempt: Attempt) -> Mismatch {
    if let Attempt::Drop { to, .. } = attempt {
        mismatch.foreign.discard(to);
    }
    mismatch
}

/// What somebody may have done, and what it costs to believe it: a man of a contradicted square stood on another one at
/// the press, or a man came from nowhere.
fn attempts(
    position: &BoardPosition,
    evidence: Evidence<'_>,
    press: Instant,
) -> ArrayVec<(Attempt, u32), ATTEMPTS_MAX> {
    let placement = evidence.placement;
    let mismatch = placement.mismatch(position);
    let open = mismatch.any();
    let mut attempts = ArrayVec::new();
    let castlings = [CastlingSide::KingSide, CastlingSide::QueenSide].into_iter();
    let castled = castlings.filter(|side| castled(position, placement, *side));
    attempts.extend(castled.map(|side| (Attempt::Castle(side), cost::ILLEGAL_CASTLING)));
    let left = open & position.board().occupied();
    for to in open {
        let moved = left.into_iter().filter(|from| *from != to);
        let moved = moved.filter_map(|from| moved_to(position, evidence, from, to, press));
        let dropped = placement.kinds(to).single().flatten().filter(|man| stood(placement, to, *man, press));
        let dropped = dropped.map(|man| (Attempt::Drop { man, to }, cost::ILLEGAL));
        attempts.extend(moved.chain(dropped).take(attempts.remaining_capacity()));
    }
    attempts
}

/// Whether king and rook stand as after castling.
fn castled(position: &BoardPosition, placement: &Placement, side: CastlingSide) -> bool {
    let turn = position.turn();
    let stands = |role: Role, square: Square| {
        placement.allows(role.of(turn)).contains(square) && position.board().piece_at(square) != Some(role.of(turn))
    };
    stands(Role::King, side.king_to(turn)) && stands(Role::Rook, side.rook_to(turn))
}

/// The man of `from` as it stood on `to` at the press, if it did and was moved since it was the player's turn.
fn moved_to(
    position: &BoardPosition,
    evidence: Evidence<'_>,
    from: Square,
    to: Square,
    press: Instant,
) -> Option<(Attempt, u32)> {
    let Evidence { placement, since, rest_since, .. } = evidence;
    let man = position.board().piece_at(from)?;
    let last = man.role == Role::Pawn && BoardPosition::is_last_rank(man.color, to);
    let becomes = placement.kinds(to).single().flatten().filter(|seen| last && seen.color == man.color);
    let weight = match becomes {
        Some(seen) if seen.role != Role::Pawn && !position.rules().may_promote_to(seen.role) => cost::ILLEGAL_PROMOTION,
        _ => cost::ILLEGAL,
    };
    // Men of the opponent are next to their squares more often than somebody moves them.
    let own = man.color == position.turn();
    let (since, until) = if own { (since[0], press + SCAN_US) } else { (rest_since, press) };
    let went = (since..=until).contains(&placement.changed(from));
    let stood = placement.showed(to, becomes.unwrap_or(man), press + -AT_PRESS_US, until);
    let promotion = becomes.filter(|seen| seen.role != Role::Pawn).map(|seen| seen.role);
    (went && stood).then_some((Attempt::Move { from, to, promotion }, weight))
}

/// Whether a man stood on a square when the clock was pressed.
fn stood(placement: &Placement, square: Square, man: Piece, press: Instant) -> bool {
    placement.showed(square, man, press + -AT_PRESS_US, press + SCAN_US)
}

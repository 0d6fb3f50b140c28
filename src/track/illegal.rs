//! The illegal move that explains a placement when no legal one does.

use super::search::{self, Evidence, Line};
use crate::{
    rules::{Attempt, BoardPosition, Move, Reason},
    sense::Placement,
    types::{CastlingSide, Role, Square},
};

/// An illegal move that explains a board, with what was played after it.
pub struct Illegal {
    /// The move.
    pub played: Move,
    /// Why it is illegal.
    pub reasons: Vec<Reason>,
    /// Legal plies after it.
    pub after: Line,
}

/// The illegal move of the side to move that explains the placement without a rest, alone or with legal plies after
/// it. Of several the one with the fewest plies, then the fewest reasons, then the first square.
pub fn explain(position: &BoardPosition, evidence: Evidence<'_>) -> Option<Illegal> {
    let found = attempts(position, evidence.placement).into_iter().filter_map(|attempt| {
        let played = position.as_move(attempt)?;
        let mut after = position.clone();
        after.play(played);
        let presses = evidence.presses.get(1..).unwrap_or_default();
        let [first, second] = evidence.since;
        let evidence = Evidence { presses, since: [second, first], ..evidence };
        let rest = search::explain(&after, evidence, presses.len() + 1);
        let explains = rest.mismatch.is_empty() && rest.line.len() >= presses.len();
        explains.then(|| Illegal { played, reasons: position.reasons(attempt), after: rest.line })
    });
    found.filter(|found| !found.reasons.is_empty()).min_by_key(|found| (found.after.len(), found.reasons.len()))
}

/// What somebody may have done: a man that is missing stands where none should, or a man came from nowhere.
fn attempts(position: &BoardPosition, placement: &Placement) -> Vec<Attempt> {
    let mismatch = placement.mismatch(position);
    let mut attempts: Vec<Attempt> = [CastlingSide::KingSide, CastlingSide::QueenSide].map(Attempt::Castle).into();
    for to in mismatch.foreign {
        let moved = mismatch.missing.into_iter().filter(|from| stands(position, placement, *from, to));
        attempts.extend(moved.map(|from| Attempt::Move { from, to, promotion: None }));
        if let Some(man) = placement.kinds(to).single().flatten() {
            attempts.push(Attempt::Drop { man, to });
        }
    }
    attempts
}

/// Whether the man of `from` may stand on `to`.
fn stands(position: &BoardPosition, placement: &Placement, from: Square, to: Square) -> bool {
    position.board().piece_at(from).is_some_and(|man| {
        placement.allows(man).contains(to) || man.role == Role::Pawn && BoardPosition::is_last_rank(man.color, to)
    })
}

//! The illegal move that explains a placement when no legal one does.

use crate::{
    rules::{Attempt, BoardPosition, Move, Reason},
    sense::Placement,
    types::{CastlingSide, Square},
};

/// The illegal move of the side to move that explains the placement without a rest, and why it is illegal. Of several
/// the one with the fewest reasons, then the first square.
pub fn explain(position: &BoardPosition, placement: &Placement) -> Option<(Move, Vec<Reason>)> {
    let found = attempts(position, placement).into_iter().filter_map(|attempt| {
        let played = position.as_move(attempt)?;
        let mut after = position.clone();
        after.play(played);
        let explains = placement.mismatch(&after).is_empty();
        explains.then(|| (played, position.reasons(attempt)))
    });
    found.min_by_key(|(_, reasons)| reasons.len())
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

/// Whether the own man of `from` may stand on `to`.
fn stands(position: &BoardPosition, placement: &Placement, from: Square, to: Square) -> bool {
    let man = position.board().piece_at(from).filter(|man| man.color == position.turn());
    man.is_some_and(|man| {
        placement.allows(man).contains(to)
            || BoardPosition::is_last_rank(man.color, to) && man.role == crate::types::Role::Pawn
    })
}

//! Men that went by where a ply has them, on their way to an illegal move.
//!
//! In: a ply whose man was seen where it goes, and not when its clock was pressed. Out: whether it stood then where it
//! can go and may not. What that weighs is `cost`'s.

use super::{Node, Search, may_go};
use crate::{
    rules::{Attempt, Move},
    types::{Bitboard, Instant, Kinds, Square},
};

impl Search<'_> {
    /// Whether the man of a ply stood on another square when its clock was pressed, to which its moves take it and the
    /// rules do not let it, and has not been where the ply has it since.
    pub(super) fn went_by(&self, m: Move, parent: &Node, press: Option<Instant>) -> bool {
        let Some(press) = press.filter(|_| !matches!(m, Move::Castle { .. })) else { return false };
        let (placement, position) = (self.evidence.placement, &parent.position);
        let (board, by) = (position.board(), position.turn());
        let man = m.role().of(by);
        let shows = |square: Square| placement.kinds_at(square, press) == Kinds::only(man);
        let at_home = |other: Square| m.from() == Some(other) || shows(other);
        let passed = placement.readings(m.to()).find(|reading| reading.kinds == Kinds::only(man));
        let after = |square: Square| passed.is_some_and(|passed| passed.until <= placement.since_at(square, press));
        let forbidden = |to: Square| {
            let goes = m.from().is_none_or(|from| may_go(man, from, to, board.occupied()));
            let attempt = match m.from() {
                Some(from) => Attempt::Move { from, to, promotion: None },
                None => Attempt::Drop { man, to },
            };
            goes && position.as_move(attempt).is_some_and(|m| !position.is_legal(m))
        };
        let others = !board.by_color(by) & !Bitboard::from(m.to());
        board.by_piece(man).into_iter().all(at_home)
            && others.into_iter().any(|square| shows(square) && after(square) && forbidden(square))
    }
}

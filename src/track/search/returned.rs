//! Men that are back where they stood before they made the move that was pressed for.
//!
//! In: the position before the press, what squares show and showed. Out: the squares of those men. Their next move took
//! them back before the clock was read, so that the board contradicts neither.

use super::Evidence;
use crate::{
    rules::BoardPosition,
    types::{Bitboard, Kinds, Square},
};

/// Squares of the player to move that were empty when the clock was pressed, and to which their men have come since.
pub fn returned(position: &BoardPosition, evidence: &Evidence<'_>) -> Bitboard {
    let placement = evidence.placement;
    let Some(press) = evidence.presses.first().filter(|_| !evidence.gap) else { return Bitboard::EMPTY };
    let own = position.board().by_color(position.turn());
    let back = |square: &Square| {
        let man = position.board().piece_at(*square).map_or(Kinds::EMPTY, Kinds::only);
        let came = placement.changed(*square) > *press && placement.kinds(*square) == man;
        came && placement.kinds_at(*square, *press) == Kinds::EMPTY
    };
    own.into_iter().filter(back).collect()
}

//! What squares a move touches.
//!
//! In: a move. Out: squares. It knows nothing of positions.

use crate::{
    notation::uci,
    rules::Move,
    types::{Bitboard, File, Role, Square},
};

/// Where the man stands that a capture takes.
pub fn victim(m: Move) -> Square {
    match m {
        Move::EnPassant { from, to } => Square::from_coords(to.file(), from.rank()),
        _ => m.to(),
    }
}

/// Where castling puts the rook.
pub fn castled_rook(m: Move) -> Option<Square> {
    let Move::Castle { king, rook } = m else { return None };
    uci::destination(m).offset(if rook > king { -1 } else { 1 })
}

/// Whether a rook goes where castling with a king that stands there puts it, which captures nothing.
pub fn castles_with(m: Move, king: Square) -> bool {
    let Move::Normal { role: Role::Rook, from, capture: None, to, .. } = m else { return false };
    let castled = [(File::A, File::D), (File::H, File::F)].contains(&(from.file(), to.file()));
    castled && king.file() == File::E && [from.rank(), to.rank()] == [king.rank(); 2]
}

/// Squares that a move touches.
pub fn squares_of(m: Move) -> Bitboard {
    match m {
        Move::Put { to, .. } => to.into(),
        Move::Normal { from, to, .. } => Bitboard::from(from) | Bitboard::from(to),
        Move::EnPassant { from, to } => Bitboard::from(from) | Bitboard::from(to) | Bitboard::from(victim(m)),
        Move::Castle { king, rook } => {
            let rook_to = castled_rook(m).map_or(Bitboard::EMPTY, Bitboard::from);
            Bitboard::from(king) | Bitboard::from(rook) | Bitboard::from(uci::destination(m)) | rook_to
        }
    }
}

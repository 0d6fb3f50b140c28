//! The few men that a written move can mean, and whether they may make it.
//!
//! The rules decide what is legal; what is legal under every rule set is seen here at once, without all moves of the
//! position.

use shakmaty::{Move, attacks};

use crate::{
    rules::BoardPosition,
    types::{Bitboard, Rank, Role, Square},
};

/// Men of the side to move that reach a square, pins and checks not considered. Of pawns only those that step there.
pub fn reaching(position: &BoardPosition, role: Role, to: Square) -> Bitboard {
    let board = position.board();
    let men = board.by_color(position.turn()) & board.by_role(role);
    if role == Role::Pawn {
        return stepping(position, men, to);
    }
    men & attacks::attacks(to, role.of(position.turn()), board.occupied())
}

/// The pawn that steps to a square.
fn stepping(position: &BoardPosition, pawns: Bitboard, to: Square) -> Bitboard {
    let occupied = position.board().occupied();
    let back = position.turn().fold_wb(-8, 8);
    let Some(one) = to.offset(back).filter(|_| !occupied.contains(to)) else { return Bitboard::EMPTY };
    if occupied.contains(one) {
        return pawns & Bitboard::from_square(one);
    }
    let home = position.turn().fold_wb(Rank::Second, Rank::Seventh);
    pawns & Bitboard::from_rank(home) & one.offset(back).map_or(Bitboard::EMPTY, Bitboard::from_square)
}

/// Pawns of the side to move that capture on a square.
pub fn capturing(position: &BoardPosition, to: Square) -> Bitboard {
    let board = position.board();
    let victim = board.by_color(!position.turn()).contains(to) || position.passed_over() == Some(to);
    if !victim {
        return Bitboard::EMPTY;
    }
    attacks::pawn_attacks(!position.turn(), to) & board.pawns() & board.by_color(position.turn())
}

/// Whether the move of a man that reaches its square is legal.
pub fn can_play(position: &BoardPosition, m: Move) -> bool {
    is_plainly_legal(position, m) || position.is_legal(m)
}

/// Whether a move that fits the board's geometry is legal under any rule set: no man of its own and no king is taken,
/// the king is safe afterwards, and no rule of castling, promotion or the e.p. capture is asked.
fn is_plainly_legal(position: &BoardPosition, m: Move) -> bool {
    let Move::Normal { role, from, to, promotion: None, .. } = m else { return false };
    let board = position.board();
    let ours = board.by_color(position.turn());
    let Some(king) = position.king(position.turn()) else { return false };
    let pawn = role == Role::Pawn
        && (Bitboard::BACKRANKS.contains(to) || from.distance(to) > 1 && !position.rules().dropped_pawn_steps_two);
    if pawn || (ours | board.kings()).contains(to) {
        return false;
    }
    let safe = if role == Role::King { to } else { king };
    let occupied = board.occupied().without(from).with(to);
    position.attackers(safe, !position.turn(), occupied).without(to).is_empty()
}

//! The few men that a written move can mean. Whether they may make it the rules decide.

use shakmaty::attacks;

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

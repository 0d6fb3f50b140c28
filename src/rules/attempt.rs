//! Why an attempt is no legal move: the exact reasons, all that apply, the one that leads first.
//!
//! What somebody did is an [`Attempt`]; playing it is another matter, for an illegal move may stand.

use shakmaty::{Move, attacks};

use super::{BoardPosition, Kings, Reason, position::king_home};
use crate::types::{Bitboard, CastlingSide, Piece, Rank, Role, Square};

/// What somebody did or wrote, legal or not.
///
/// ```
/// use bughoused::{rules::{Attempt, BoardPosition, Reason, RuleSet}, types::{Color, Role, Square}};
///
/// let start = BoardPosition::new(RuleSet::WBN_1_00.moves);
/// let pawn = Attempt::Move { from: Square::E2, to: Square::E4, promotion: None };
/// assert_eq!(start.reasons(pawn), []);
/// assert!(start.is_legal(start.as_move(pawn).unwrap()));
/// let drop = Attempt::Drop { man: Role::Pawn.of(Color::White), to: Square::E8 };
/// assert_eq!(start.reasons(drop), [Reason::PawnDropRank, Reason::DropNotInPocket, Reason::DropOnOccupied]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// A man went from one square to another.
    Move {
        /// Where it stood.
        from: Square,
        /// Where it went.
        to: Square,
        /// What a pawn was declared to become.
        promotion: Option<Role>,
    },
    /// King and rook went as in castling.
    Castle(CastlingSide),
    /// A man came from the pocket.
    Drop {
        /// The man.
        man: Piece,
        /// Where it went.
        to: Square,
    },
}

impl BoardPosition {
    /// The attempt as a move of the side to move, legal or not; none when nothing of the kind can be played.
    pub fn as_move(&self, attempt: Attempt) -> Option<Move> {
        match attempt {
            Attempt::Drop { man, to } => (man.color == self.turn).then_some(Move::Put { role: man.role, to }),
            Attempt::Castle(side) => {
                let king = self.king(self.turn)?;
                let rook = self.castles.rook(self.turn, side).or_else(|| self.home_rook(side))?;
                Some(Move::Castle { king, rook })
            }
            Attempt::Move { from, to, promotion } => {
                let role = self.board.role_at(from)?;
                let diagonal = role == Role::Pawn && from.file() != to.file();
                if diagonal && Some(to) == self.ep && self.board.role_at(to).is_none() {
                    return Some(Move::EnPassant { from, to });
                }
                let last = role == Role::Pawn && Self::is_last_rank(self.turn, to);
                let promotion = if last { self.rules.promotion(promotion) } else { None };
                Some(Move::Normal { role, from, capture: self.board.role_at(to), to, promotion })
            }
        }
    }

    fn home_rook(&self, side: CastlingSide) -> Option<Square> {
        let rank = self.turn.fold_wb(Rank::First, Rank::Eighth);
        let file = if side.is_king_side() { shakmaty::File::H } else { shakmaty::File::A };
        let square = Square::from_coords(file, rank);
        (self.board.piece_at(square) == Some(Role::Rook.of(self.turn))).then_some(square)
    }

    /// Every reason why the attempt is illegal for the side to move, the leading one first; empty for a legal move.
    pub fn reasons(&self, attempt: Attempt) -> Vec<Reason> {
        let mut reasons = match attempt {
            Attempt::Move { from, to, promotion } => self.reasons_of_move(from, to, promotion),
            Attempt::Castle(side) => self.reasons_of_castling(side),
            Attempt::Drop { man, to } => self.reasons_of_drop(man, to),
        };
        if !reasons.contains(&Reason::CastlingThroughCheck) && self.leaves_king_in_check(attempt) {
            reasons.push(Reason::LeavesKingInCheck);
        }
        reasons.sort_unstable();
        reasons
    }

    fn reasons_of_move(&self, from: Square, to: Square, promotion: Option<Role>) -> Vec<Reason> {
        let Some(man) = self.board.piece_at(from) else { return vec![Reason::NoSuchMan] };
        let mut reasons = Vec::new();
        if man.color != self.turn {
            reasons.push(Reason::NotYourPiece);
        }
        reasons.extend(self.geometry(man, from, to));
        match self.board.piece_at(to) {
            Some(victim) if victim.color == man.color && from != to => reasons.push(Reason::OwnPieceCaptured),
            _ if self.untouchable().contains(to) && from != to => reasons.push(Reason::KingCaptured),
            _ => {}
        }
        let becomes = promotion.filter(|role| !self.rules.may_promote_to(*role));
        if man.role == Role::Pawn && Self::is_last_rank(man.color, to) && becomes.is_some() {
            reasons.push(Reason::PromotionPiece);
        }
        reasons
    }

    /// Whether this man gets from one square to the other, men in the way considered.
    fn geometry(&self, man: Piece, from: Square, to: Square) -> Option<Reason> {
        if man.role == Role::Pawn {
            return self.pawn_geometry(man, from, to);
        }
        let occupied = self.board.occupied();
        if !attacks::attacks(from, man, Bitboard::EMPTY).contains(to) {
            Some(Reason::Geometry)
        } else if !attacks::attacks(from, man, occupied).contains(to) {
            Some(Reason::Blocked)
        } else {
            None
        }
    }

    fn pawn_geometry(&self, man: Piece, from: Square, to: Square) -> Option<Reason> {
        let victim = self.board.occupied().contains(to) || Some(to) == self.ep;
        if attacks::pawn_attacks(man.color, from).contains(to) {
            return (!victim).then_some(Reason::Geometry);
        }
        if !self.pawn_steps(man.color, from, Bitboard::EMPTY).contains(to) {
            Some(Reason::Geometry)
        } else if !self.pawn_steps(man.color, from, self.board.occupied()).contains(to) {
            Some(Reason::Blocked)
        } else {
            None
        }
    }

    /// Castling without the right to it is also told what else stands in its way, if the men are at home.
    fn reasons_of_castling(&self, side: CastlingSide) -> Vec<Reason> {
        let home = king_home(self.turn);
        let Some(king) = self.king(self.turn) else { return vec![Reason::NoSuchMan] };
        let mut reasons = Vec::new();
        let right = self.castles.rook(self.turn, side).filter(|_| king == home);
        if right.is_none() {
            reasons.push(Reason::CastlingRights);
        }
        let Some(rook) = right.or_else(|| self.home_rook(side)).filter(|_| king == home) else { return reasons };
        if (attacks::between(king, rook) & self.board.occupied()).any() {
            reasons.push(Reason::CastlingBlocked);
        }
        if self.rules.kings == Kings::Mated && self.castling_attack(king, side).is_some() {
            reasons.push(Reason::CastlingThroughCheck);
        }
        reasons
    }

    fn reasons_of_drop(&self, man: Piece, to: Square) -> Vec<Reason> {
        let mut reasons = Vec::new();
        if man.color != self.turn {
            reasons.push(Reason::DropWrongColour);
        } else if *self.pocket(self.turn).get(man.role) == 0 {
            reasons.push(Reason::DropNotInPocket);
        }
        if self.board.occupied().contains(to) {
            reasons.push(Reason::DropOnOccupied);
        }
        // Nobody has a king to drop where kings are not collected: no rank would do.
        let absent_king = man.role == Role::King && !reasons.is_empty();
        if !absent_king && !self.rules.drop_squares(man.color, man.role).contains(to) {
            reasons.push(if man.role == Role::Pawn { Reason::PawnDropRank } else { Reason::DropRank });
        }
        if man.color == self.turn && self.checking_squares(man.role).contains(to) {
            reasons.extend(self.reason_of_checking_drop(man.role, to));
        }
        reasons
    }

    fn reason_of_checking_drop(&self, role: Role, to: Square) -> Option<Reason> {
        if !self.rules.drop_may_check {
            Some(Reason::DropGivesCheck)
        } else if !self.rules.drop_may_mate && self.drop_mates(role, to) {
            Some(Reason::DropGivesMate)
        } else {
            None
        }
    }

    /// Whether the side to move is in check after the attempt, whatever else is wrong with it.
    fn leaves_king_in_check(&self, attempt: Attempt) -> bool {
        let Some(m) = self.as_move(attempt).filter(|_| self.rules.kings == Kings::Mated) else { return false };
        let mover = self.turn;
        let mut after = self.clone();
        after.play(m);
        after.checkers_of(mover).any()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{rules::RuleSet, types::Color};

    fn check(fen: &str, attempt: Attempt, expect: &[Reason]) {
        let fen: shakmaty::fen::Fen = fen.parse().unwrap();
        let position = BoardPosition::from_setup(fen.as_setup(), 0, RuleSet::WBN_1_00.moves);
        assert_eq!(position.reasons(attempt), expect, "{fen} {attempt:?}");
        let legal = position.as_move(attempt).is_some_and(|m| position.is_legal(m));
        assert_eq!(legal, expect.is_empty(), "{fen} {attempt:?}");
    }

    fn goes(from: Square, to: Square) -> Attempt {
        Attempt::Move { from, to, promotion: None }
    }

    fn drop(role: Role, to: Square) -> Attempt {
        Attempt::Drop { man: role.of(Color::White), to }
    }

    #[test]
    fn each_reason_is_named() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        check(start, goes(Square::E2, Square::E4), &[]);
        check(start, goes(Square::E2, Square::E5), &[Reason::Geometry]); // WBN 5.7
        check(start, goes(Square::E2, Square::D3), &[Reason::Geometry]);
        check(start, goes(Square::A1, Square::A4), &[Reason::Blocked]); // WBN 5.5
        check(start, goes(Square::A1, Square::A2), &[Reason::OwnPieceCaptured]); // WBN 5.1
        check(start, goes(Square::E7, Square::E5), &[Reason::NotYourPiece]);
        check(start, goes(Square::E4, Square::E5), &[Reason::NoSuchMan]);
        check(start, drop(Role::Knight, Square::E4), &[Reason::DropNotInPocket]); // WBN 5.10
        check(start, Attempt::Castle(CastlingSide::KingSide), &[Reason::CastlingBlocked]); // WBN 5.8
    }

    /// Of castling without the right to it over an attacked square.
    const NEITHER: [Reason; 2] = [Reason::CastlingRights, Reason::CastlingThroughCheck];

    #[test]
    fn checks_castling_and_drops() {
        let pinned = "4r2k/8/8/8/8/8/4N3/R3K2R[PN] w KQ - 0 1";
        check(pinned, goes(Square::E2, Square::C3), &[Reason::LeavesKingInCheck]); // WBN 5.9
        check(pinned, drop(Role::Pawn, Square::E8), &[Reason::PawnDropRank, Reason::DropOnOccupied]);
        check(pinned, drop(Role::Knight, Square::D1), &[]);
        check(pinned, Attempt::Castle(CastlingSide::QueenSide), &[]);
        let attacked = "3r3k/8/8/8/8/8/8/R3K2R w K - 0 1";
        check(attacked, Attempt::Castle(CastlingSide::KingSide), &[]);
        check(attacked, Attempt::Castle(CastlingSide::QueenSide), &NEITHER);
        let through = "5r1k/8/8/8/8/8/8/R3K2R w KQ - 0 1";
        check(through, Attempt::Castle(CastlingSide::KingSide), &[Reason::CastlingThroughCheck]);
        let promoting = "7k/P7/8/8/8/8/8/K7 w - - 0 1";
        let rook = Attempt::Move { from: Square::A7, to: Square::A8, promotion: Some(Role::Rook) };
        check(promoting, rook, &[Reason::PromotionPiece]); // WBN 5.7
    }
}

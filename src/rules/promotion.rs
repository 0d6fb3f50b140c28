//! A promotion that nobody declared is open: the rule set's default until the man moves as another permitted kind
//! (WBN 5.7). Then the record is corrected; no illegal move was made.

use shakmaty::Move;

use super::{Attempt, BoardPosition, Reason};
use crate::types::{Color, Role, Square};

/// A promotion in a list of moves that has to be read differently.
///
/// ```
/// use bughoused::{notation::{bfen::Bfen, san}, rules::{PromotionChange, RuleSet}, types::{BoardId, Role, Square}};
///
/// let game = Bfen::read("7k/P7/8/8/8/8/8/K7 w - -").unwrap().to_game(&RuleSet::WBN_1_00);
/// let start = game.board(BoardId::A);
/// let mut present = start.clone();
/// let played = ["a8", "Kh7"].map(|text| {
///     let m = san::read(text, &present).unwrap(); // nothing was said: a queen
///     present.play(m);
///     m
/// });
/// let decided = start.promotion_decided(&played, Square::A8, Square::C7); // as no queen goes
/// assert_eq!(decided, Some(PromotionChange { index: 0, role: Role::Knight }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromotionChange {
    /// Index of the promoting move.
    pub index: usize,
    /// What the pawn became.
    pub role: Role,
}

impl BoardPosition {
    /// What the promoted man on `from` must be for its move to `to` to be legal; none when the move is legal as it
    /// is, when no permitted kind moves like that, and when several do.
    pub fn promotion_by_move(&self, from: Square, to: Square) -> Option<Role> {
        let man = self.board.piece_at(from)?;
        let attempt = Attempt::Move { from, to, promotion: None };
        if !self.promoted.contains(from) || self.reasons(attempt).is_empty() {
            return None;
        }
        let fits = |role: &Role| {
            let mut other = self.clone();
            other.board.set_piece_at(from, role.of(man.color));
            *role != man.role && other.reasons(attempt).is_empty()
        };
        let mut kinds = self.rules.promotions().filter(fits);
        kinds.next().filter(|_| kinds.next().is_none())
    }

    /// The promotion among `played`, which lead from this position to the present one, that a move from `from` to
    /// `to` now decides. Legal with it must be every move played since, men that arrived in pockets meanwhile not
    /// considered.
    pub fn promotion_decided(&self, played: &[Move], from: Square, to: Square) -> Option<PromotionChange> {
        let mut present = self.clone();
        for m in played {
            present.play(*m);
        }
        let role = present.promotion_by_move(from, to)?;
        let change = PromotionChange { index: promoted_at(played, from)?, role };
        self.with_promotion(played, change).map(|_| change)
    }

    /// What a declaration that comes after the move changes: the last promotion of `color` among `played`, which lead
    /// from this position to the present one, becomes `role`. None if there is none, if it is that already, if the rule
    /// set does not allow it, and if the man has since moved as `role` does not.
    pub fn promotion_declared(&self, played: &[Move], color: Color, role: Role) -> Option<PromotionChange> {
        let mover = |index: usize| if index.is_multiple_of(2) { self.turn } else { !self.turn };
        let promoted = |(index, m): &(usize, &Move)| m.promotion().is_some() && mover(*index) == color;
        let (index, m) = played.iter().enumerate().rev().find(promoted)?;
        let change = PromotionChange { index, role };
        let other = m.promotion() != Some(role) && self.rules.may_promote_to(role);
        self.with_promotion(played, change).filter(|_| other).map(|_| change)
    }

    /// The moves as they read with another promotion; none if one of them is not legal then, men that arrived in
    /// pockets meanwhile not considered.
    pub fn with_promotion(&self, played: &[Move], change: PromotionChange) -> Option<Vec<Move>> {
        let mut position = self.clone();
        let mut moves = Vec::with_capacity(played.len());
        for (at, m) in played.iter().enumerate() {
            let changed = at >= change.index;
            let m = if changed { reread(*m, at == change.index, change.role, &position) } else { *m };
            if changed && !position.explains(m) {
                return None;
            }
            position.play(m);
            moves.push(m);
        }
        Some(moves)
    }

    /// Whether a move is legal if the pocket holds what it needs.
    fn explains(&self, m: Move) -> bool {
        let reasons = match m {
            Move::Put { role, to } => self.reasons(Attempt::Drop { man: role.of(self.turn), to }),
            Move::Castle { .. } => return self.is_legal(m),
            Move::Normal { from, to, promotion, .. } => self.reasons(Attempt::Move { from, to, promotion }),
            Move::EnPassant { from, to } => self.reasons(Attempt::Move { from, to, promotion: None }),
        };
        reasons.iter().all(|reason| *reason == Reason::DropNotInPocket)
    }
}

/// Index of the move by which the man that stands on `square` now was promoted.
fn promoted_at(played: &[Move], mut square: Square) -> Option<usize> {
    for (index, m) in played.iter().enumerate().rev() {
        match *m {
            Move::Normal { from, to, promotion, .. } if to == square => {
                if promotion.is_some() {
                    return Some(index);
                }
                square = from;
            }
            _ => {}
        }
    }
    None
}

/// The move as it reads in a position in which a promoted man is another.
fn reread(m: Move, promotes: bool, becomes: Role, position: &BoardPosition) -> Move {
    match m {
        Move::Normal { role, from, to, promotion, .. } => Move::Normal {
            role: position.board.role_at(from).unwrap_or(role),
            from,
            capture: position.board.role_at(to),
            to,
            promotion: if promotes { Some(becomes) } else { promotion },
        },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;

    fn position(fen: &str) -> BoardPosition {
        let fen: shakmaty::fen::Fen = fen.parse().unwrap();
        BoardPosition::from_setup(fen.as_setup(), 0, RuleSet::WBN_1_00.moves)
    }

    fn moves(start: &BoardPosition, steps: &[(Square, Square)]) -> Vec<Move> {
        let mut position = start.clone();
        let played = steps.iter().map(|(from, to)| {
            let m = position.as_move(Attempt::Move { from: *from, to: *to, promotion: None }).unwrap();
            assert!(position.is_legal(m), "{m:?}");
            position.play(m);
            m
        });
        played.collect()
    }

    #[test]
    fn a_queen_by_default_that_jumps_was_a_knight() {
        // WBN 5.7
        let start = position("7k/P7/8/8/8/8/8/K7 w - - 0 1");
        let played = moves(&start, &[(Square::A7, Square::A8), (Square::H8, Square::H7)]);
        let decided = start.promotion_decided(&played, Square::A8, Square::C7);
        assert_eq!(decided, Some(PromotionChange { index: 0, role: Role::Knight }));
        let played = moves(&start, &[(Square::A7, Square::A8)]);
        assert_eq!(start.promotion_decided(&played, Square::A8, Square::C7), None, "Black has to move first");
    }

    #[test]
    fn a_move_in_between_that_only_a_queen_makes_decides_too() {
        // WBN 5.7
        let start = position("8/P6k/8/8/8/8/8/K7 w - - 0 1");
        let steps = [(Square::A7, Square::A8), (Square::H7, Square::H6), (Square::A8, Square::B8)];
        let mut played = moves(&start, &steps);
        let mut present = start.clone();
        for m in &played {
            present.play(*m);
        }
        let king = Attempt::Move { from: Square::H6, to: Square::G6, promotion: None };
        played.push(present.as_move(king).unwrap());
        assert_eq!(start.promotion_decided(&played, Square::B8, Square::C6), None, "it went to b8 as a queen");
    }

    #[test]
    fn a_late_declaration_changes_the_last_promotion_of_its_player() {
        // WBN 5.7
        let start = position("8/P6k/8/8/8/8/p7/7K w - - 0 1");
        let played = moves(&start, &[(Square::A7, Square::A8), (Square::A2, Square::A1)]);
        for (color, index) in [(Color::White, 0), (Color::Black, 1)] {
            let declared = start.promotion_declared(&played, color, Role::Knight);
            assert_eq!(declared, Some(PromotionChange { index, role: Role::Knight }));
            assert_eq!(start.promotion_declared(&played, color, Role::Queen), None, "it is one");
            assert_eq!(start.promotion_declared(&played, color, Role::Rook), None, "no kind of the rule set");
        }
        let change = PromotionChange { index: 0, role: Role::Knight };
        let changed = start.with_promotion(&played, change).unwrap();
        assert_eq!(changed.iter().map(|m| m.promotion()).collect::<Vec<_>>(), [Some(Role::Knight), Some(Role::Queen)]);
        assert_eq!(start.promotion_declared(&[], Color::White, Role::Knight), None, "nobody has promoted");
        let alone = position("8/P6k/8/8/8/8/8/7K w - - 0 1");
        let steps = [(Square::A7, Square::A8), (Square::H7, Square::H6), (Square::A8, Square::A1)];
        let played = moves(&alone, &steps);
        assert_eq!(alone.promotion_declared(&played, Color::White, Role::Knight), None, "it has moved as a queen");
    }

    #[test]
    fn what_moves_as_no_permitted_kind_stays_illegal() {
        // WBN 5.7
        let present = position("7k/8/8/8/8/8/8/Q~6K w - - 0 1");
        assert_eq!(present.promotion_by_move(Square::A1, Square::B3), Some(Role::Knight));
        assert_eq!(present.promotion_by_move(Square::A1, Square::A8), None, "legal as it is");
        assert_eq!(present.promotion_by_move(Square::A1, Square::D5), None, "neither queen nor knight");
        let queen = position("7k/8/8/8/8/8/8/Q6K w - - 0 1");
        assert_eq!(queen.promotion_by_move(Square::A1, Square::B3), None, "no promoted man");
    }
}

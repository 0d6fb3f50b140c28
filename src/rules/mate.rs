//! Mate by potential drop (WBN 1.5), and drops that may not check or mate.

use shakmaty::{Move, attacks};

use super::{BoardPosition, Kings};
use crate::types::{Bitboard, Role, Square};

/// Kinds that may parry, in the order in which they are looked at.
const PARRYING: [Role; 5] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::Pawn];

/// Men of one kind and colour in one set.
pub const fn men_of_a_kind(role: Role) -> usize {
    match role {
        Role::Pawn => 8,
        Role::Knight | Role::Bishop | Role::Rook => 2,
        Role::Queen | Role::King => 1,
    }
}

impl BoardPosition {
    /// Whether the side to move is checkmated at a table of `boards` boards: in check, no board move, and no man that
    /// may still arrive could be dropped to parry (WBN 1.5). Never where kings are captured.
    ///
    /// ```
    /// use bughoused::{notation::bfen::Bfen, rules::RuleSet, types::{BoardId, Role, Square}};
    ///
    /// let from_afar = Bfen::read("4R1k1/5ppp/8/8/8/8/8/6K1 b - -").unwrap().to_game(&RuleSet::WBN_1_00);
    /// let position = from_afar.board(BoardId::A);
    /// assert!(!position.is_mate(2));
    /// assert_eq!(position.parrying_drop(2), Some((Role::Knight, Square::F8)));
    /// let contact = Bfen::read("6k1/5pQp/5P2/8/8/8/8/6K1 b - -").unwrap().to_game(&RuleSet::WBN_1_00);
    /// assert!(contact.board(BoardId::A).is_mate(2));
    /// ```
    pub fn is_mate(&self, boards: usize) -> bool {
        self.rules.kings == Kings::Mated
            && self.checkers().any()
            && !self.has_board_move()
            && self.parrying_drop(boards).is_none()
    }

    /// Whether the side to move is not in check, has no move, and can get none by a man that may still arrive. The law
    /// texts know no draw by it (FIDE-ext 3.7); a rule set may.
    pub fn is_stalemate(&self, boards: usize) -> bool {
        self.rules.kings == Kings::Mated
            && self.checkers().is_empty()
            && self.count_legal_moves() == 0
            && self.parrying_drop(boards).is_none()
    }

    /// A potential drop that parries the check, if any; without a check, any potential drop.
    pub fn parrying_drop(&self, boards: usize) -> Option<(Role, Square)> {
        let squares = self.parry_squares() & !self.board.occupied();
        if squares.is_empty() {
            return None;
        }
        PARRYING.into_iter().filter(|role| self.may_arrive(*role, boards)).find_map(|role| {
            let allowed = self.allowed_drops(role, squares & self.rules.drop_squares(self.turn, role));
            Some((role, allowed.first()?))
        })
    }

    /// Whether a man of this kind is, or may come, into the pocket of the side to move: not when all of its colour in
    /// all sets stand on its own board already, promoted men counted as pawns.
    pub fn may_arrive(&self, role: Role, boards: usize) -> bool {
        let ours = self.board.by_color(self.turn);
        let promoted = ours & self.promoted;
        let standing = match role {
            Role::Pawn => (self.board.pawns() & ours) | promoted,
            _ => (self.board.by_role(role) & ours).without(promoted),
        };
        standing.count() < men_of_a_kind(role) * boards
    }

    /// Those of the squares on which a man may be dropped although it checks or mates there.
    #[inline]
    pub(super) fn allowed_drops(&self, role: Role, squares: Bitboard) -> Bitboard {
        if self.rules.drop_may_check && self.rules.drop_may_mate {
            return squares;
        }
        let checking = squares & self.checking_squares(role);
        if !self.rules.drop_may_check {
            return squares & !checking;
        }
        let mating: Bitboard = checking.into_iter().filter(|to| self.drop_mates(role, *to)).collect();
        squares & !mating
    }

    /// Squares from which a man of the side to move attacks a king of the other.
    pub(super) fn checking_squares(&self, role: Role) -> Bitboard {
        let kings = self.board.kings() & self.board.by_color(!self.turn);
        let occupied = self.board.occupied();
        let theirs = role.of(!self.turn); // a pawn looks back from the king
        kings.into_iter().fold(Bitboard::EMPTY, |squares, king| squares | attacks::attacks(king, theirs, occupied))
    }

    /// Whether a drop mates. The parrying drops that it leaves may mate in their turn: one reply is looked at.
    pub(super) fn drop_mates(&self, role: Role, to: Square) -> bool {
        let mut after = self.clone();
        after.play(Move::Put { role, to });
        after.rules.drop_may_mate = true;
        after.is_mate(usize::from(self.rules.sets))
    }
}

//! What the move generator needs to know of a rule set.

use super::Kings;
use crate::types::{Bitboard, Color, Role};

/// What the move generator needs to know of a rule set.
///
/// ```
/// use bughoused::{rules::RuleSet, types::{Color, Role, Square}};
///
/// let moves = RuleSet::FIDE_EXT.moves;
/// assert_eq!(moves.promotions().collect::<Vec<_>>(), [Role::Queen, Role::Rook, Role::Bishop, Role::Knight]);
/// assert!(!moves.drop_squares(Color::Black, Role::Pawn).contains(Square::E1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MoveRules {
    /// What a pawn may become, the default first; `None` after the last. None at all: it stays a pawn.
    pub promotions: [Option<Role>; 4],
    /// Whether a promoted man goes over as a pawn.
    pub promoted_captured_as_pawn: bool,
    /// Whether a rook dropped on its home square may castle with an unmoved king.
    pub castle_with_dropped_rook: bool,
    /// Where White may drop men; Black's squares are the mirror image.
    pub drops: Bitboard,
    /// Where White may drop pawns, within `drops`.
    pub pawn_drops: Bitboard,
    /// Whether a pawn dropped on its second rank may step two.
    pub dropped_pawn_steps_two: bool,
    /// Whether a dropped man may give check.
    pub drop_may_check: bool,
    /// Whether a dropped man may mate.
    pub drop_may_mate: bool,
    /// What may happen to kings.
    pub kings: Kings,
    /// Sets of men at the table, one a board: what may still arrive depends on it. Set by [`crate::rules::Game`].
    pub sets: u8,
}

impl MoveRules {
    /// The kinds that a pawn may become, the default first.
    pub fn promotions(&self) -> impl Iterator<Item = Role> + '_ {
        self.promotions.iter().map_while(|role| *role)
    }

    /// Whether a pawn may become this kind.
    pub fn may_promote_to(&self, role: Role) -> bool {
        self.promotions.contains(&Some(role))
    }

    /// What a pawn becomes when nothing is said; a queen where pawns never promote, which nobody should ask.
    pub fn default_promotion(&self) -> Role {
        self.promotions[0].unwrap_or(Role::Queen)
    }

    /// What a pawn on its last rank becomes when `declared` was said. A kind that is not allowed stands as declared:
    /// an illegal move may stand. None where pawns never promote and nobody said anything.
    pub(crate) fn promotion(&self, declared: Option<Role>) -> Option<Role> {
        declared.or(self.promotions[0])
    }

    /// Where a man of this kind and colour may be dropped, occupied squares and checks not considered.
    pub fn drop_squares(&self, color: Color, role: Role) -> Bitboard {
        let squares = match role {
            Role::King if self.kings != Kings::Collected => Bitboard::EMPTY,
            Role::Pawn => self.pawn_drops & self.drops,
            _ => self.drops,
        };
        color.fold_wb(squares, squares.flip_vertical())
    }
}

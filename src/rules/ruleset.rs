//! Rule sets as data: the generator and the referee read them and nothing else.

use crate::types::{Bitboard, Color, Role};

/// What the move generator needs to know of a rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MoveRules {
    /// What a pawn may become, the default first; `None` after the last.
    pub promotions: [Option<Role>; 4],
    /// Whether a promoted man goes over as a pawn.
    pub promoted_captured_as_pawn: bool,
    /// Whether a rook dropped on its home square may castle with an unmoved king.
    pub castle_with_dropped_rook: bool,
    /// Where White may drop pawns; Black's squares are the mirror image.
    pub pawn_drops: Bitboard,
    /// Whether a pawn dropped on its second rank may step two.
    pub dropped_pawn_steps_two: bool,
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

    /// What a pawn becomes when nothing is said.
    pub fn default_promotion(&self) -> Role {
        self.promotions[0].unwrap_or(Role::Queen)
    }

    /// Where a man of this kind and colour may be dropped, occupied squares not considered.
    pub fn drop_squares(&self, color: Color, role: Role) -> Bitboard {
        match (role, color) {
            (Role::King, _) => Bitboard::EMPTY,
            (Role::Pawn, Color::White) => self.pawn_drops,
            (Role::Pawn, Color::Black) => self.pawn_drops.flip_vertical(),
            _ => Bitboard::FULL,
        }
    }
}

/// A rule set by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSet {
    /// The name in the configuration.
    pub name: &'static str,
    /// How incidents cite the law text.
    pub law: &'static str,
    /// For the generator.
    pub moves: MoveRules,
    /// Occurrences of a position that make a draw (2.2b).
    pub repetition: u32,
}

impl RuleSet {
    /// The laws of the World Bughouse Network, edition 1.00.
    pub const WBN_1_00: RuleSet = RuleSet {
        name: "wbn-1.00",
        law: "WBN",
        moves: MoveRules {
            promotions: [Some(Role::Queen), Some(Role::Knight), None, None],
            promoted_captured_as_pawn: true,
            castle_with_dropped_rook: false,
            pawn_drops: Bitboard(0x00ff_ffff_ffff_ff00),
            dropped_pawn_steps_two: true,
        },
        repetition: 3,
    };

    /// Every rule set that this version has.
    pub const ALL: [RuleSet; 1] = [RuleSet::WBN_1_00];

    /// The rule set of this name.
    pub fn by_name(name: &str) -> Option<RuleSet> {
        RuleSet::ALL.into_iter().find(|set| set.name == name)
    }
}

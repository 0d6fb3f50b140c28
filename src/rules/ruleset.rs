//! Rule sets as data: the generator and the referee read them and nothing else.

mod choices;
mod fields;
mod moves;
mod spelling;

pub use choices::{
    Claims, ClockDelay, DrawAgreement, Ending, FlagClaim, Hiding, Kings, LastDropRule, Order, Passing, Premove,
    WrongClaim,
};
pub use fields::{FIELDS, Field};
pub use moves::MoveRules;
pub use spelling::{RuleSetError, VARIANTS, Variant};

use super::Reason;
use crate::types::{Bitboard, Role};

/// The most seconds-long steps of a freezing penalty that a rule set lists.
pub const FREEZING_STEPS_MAX: usize = 4;

/// Ranks 2 to 7.
const MIDDLE_RANKS: Bitboard = Bitboard(0x00ff_ffff_ffff_ff00);

/// A law text with the changes of a club or an event.
///
/// It is written as a name, or as a name with changes: `wbn-1.00,castle_with_dropped_rook=true`. A change is a field
/// with its value or the name of a [variant](VARIANTS).
///
/// ```
/// use bughoused::rules::RuleSet;
///
/// let club: RuleSet = "wbn-1.00,repetition=4,tandem".parse().unwrap();
/// assert_eq!(club.to_string(), "wbn-1.00,drop_may_mate=false,repetition=4");
/// let error = "wbn-1.00,repetitions=4".parse::<RuleSet>().unwrap_err();
/// assert!(error.to_string().contains("did you mean \"repetition\"?"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSet {
    /// The law text that it starts from, as configurations name it.
    pub name: &'static str,
    /// How incidents cite the law text.
    pub law: &'static str,
    /// For the generator.
    pub moves: MoveRules,
    /// Whether a promotion must be said; if not, the opponent may start the clock again (FIDE-ext 3.6).
    pub promotion_must_be_said: bool,
    /// Whether a side that has no move and can get none has drawn.
    pub stalemate: bool,
    /// Occurrences of a position that make a draw (2.2b).
    pub repetition: u32,
    /// Who agrees to a draw.
    pub draw_agreement: DrawAgreement,
    /// Whether a completed illegal move loses if it is claimed before the claimer completes a move (1.14).
    pub illegal_move_loses: bool,
    /// Moving before the opponent has completed.
    pub premove: Premove,
    /// When a captured man is passed.
    pub passing: Passing,
    /// What an opponent may do about a hidden man.
    pub hiding: Hiding,
    /// Who claims anything but a fallen flag (1.12).
    pub claims: Claims,
    /// Who claims a fallen flag.
    pub flag_claim: FlagClaim,
    /// Whether two fallen flags draw (7.10).
    pub both_flags_draw: bool,
    /// What becomes of a man taken just before mate.
    pub last_drop: LastDropRule,
    /// Seconds of freezing (9.4b), 0 after the last; none: the arbiter decides.
    pub freezing: [u16; FREEZING_STEPS_MAX],
    /// What a wrong claim counts as.
    pub wrong_claim: WrongClaim,
    /// Time given back.
    pub clock_delay: ClockDelay,
    /// When the game of all boards is over.
    pub ending: Ending,
    /// Who may move when.
    pub order: Order,
    /// Whether one player plays all boards of a team.
    pub simultaneous: bool,
    /// Moves that a partner may make while a player without clock stalls; 0: a clock runs, no limit.
    pub stall_limit: u32,
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
            drops: Bitboard::FULL,
            pawn_drops: MIDDLE_RANKS,
            dropped_pawn_steps_two: true,
            drop_may_check: true,
            drop_may_mate: true,
            kings: Kings::Mated,
            sets: 2,
        },
        promotion_must_be_said: false,
        stalemate: false,
        repetition: 3,
        draw_agreement: DrawAgreement::Board,
        illegal_move_loses: true,
        premove: Premove::NonDisruptive,
        passing: Passing::BeforeOwnTurn,
        hiding: Hiding::Restrict,
        claims: Claims::Team,
        flag_claim: FlagClaim::Team,
        both_flags_draw: true,
        last_drop: LastDropRule::Draws,
        freezing: [5, 10, 0, 0],
        wrong_claim: WrongClaim::IllegalMove,
        clock_delay: ClockDelay::Bronstein,
        ending: Ending::FirstBoard,
        order: Order::Free,
        simultaneous: false,
        stall_limit: 0,
    };

    /// The Czech laws, edition 2024.06.
    pub const CZ_2024_06: RuleSet = RuleSet {
        name: "cz-2024.06",
        law: "CZ",
        hiding: Hiding::Warn,
        flag_claim: FlagClaim::TeamOrArbiter,
        freezing: [5, 10, 15, 20],
        wrong_claim: WrongClaim::IllegalMoveUnlessArbiter,
        clock_delay: ClockDelay::UpToTwoSeconds,
        ..RuleSet::WBN_1_00
    };

    /// The bughouse extension to the FIDE Laws of Chess.
    pub const FIDE_EXT: RuleSet = RuleSet {
        name: "fide-ext",
        law: "FIDE-ext",
        moves: MoveRules {
            promotions: [Some(Role::Queen), Some(Role::Rook), Some(Role::Bishop), Some(Role::Knight)],
            castle_with_dropped_rook: true,
            ..RuleSet::WBN_1_00.moves
        },
        promotion_must_be_said: true,
        repetition: 4,
        draw_agreement: DrawAgreement::All,
        premove: Premove::Forbidden,
        passing: Passing::BeforeOwnMove,
        hiding: Hiding::RestartClock,
        claims: Claims::Player,
        flag_claim: FlagClaim::Player,
        last_drop: LastDropRule::SimultaneousMate,
        freezing: [0; FREEZING_STEPS_MAX],
        wrong_claim: WrongClaim::Arbiter,
        clock_delay: ClockDelay::Blitz,
        ..RuleSet::WBN_1_00
    };

    /// The law texts.
    pub const ALL: [RuleSet; 3] = [RuleSet::WBN_1_00, RuleSet::CZ_2024_06, RuleSet::FIDE_EXT];

    /// The law text of this name, without changes.
    pub fn by_name(name: &str) -> Option<RuleSet> {
        RuleSet::ALL.into_iter().find(|set| set.name == name)
    }

    /// The article that an illegal move breaks: the law text and its number. The FIDE extension rules the drops and
    /// promotions itself and leaves the rest to the FIDE Laws of Chess.
    pub const fn article(&self, reason: Reason) -> (&'static str, &'static str) {
        match self.law.as_bytes() {
            b"FIDE-ext" => reason.fide_article(),
            b"CZ" if matches!(reason, Reason::PromotionPiece) => (self.law, "5.7e"),
            b"CZ" if matches!(reason, Reason::RestrictedPiece) => (self.law, "1.8"),
            _ => (self.law, reason.article()),
        }
    }

    /// Where the law text says how moves are written; the FIDE extension leaves that to the FIDE Laws of Chess.
    pub const fn notation_article(&self) -> (&'static str, &'static str) {
        match self.law.as_bytes() {
            b"FIDE-ext" => ("FIDE", "C"),
            _ => (self.law, "E"),
        }
    }

    /// Seconds for which the arbiter may freeze a player (9.4b).
    pub fn freezing(&self) -> impl Iterator<Item = u16> + '_ {
        self.freezing.iter().copied().take_while(|seconds| *seconds > 0)
    }
}

#[cfg(test)]
mod tests;

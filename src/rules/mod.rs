//! The laws as code: position and rule set to legal moves, mate, repetition and the reasons of illegal moves.
//!
//! In: positions, moves and attempts. Out: what is legal, why not, and what crosses to the partner. It knows nothing
//! of sensors, of time and of people; what nobody may do physically is not its business.
//!
//! ```
//! use bughoused::{rules::{Game, RuleSet}, types::{BoardId, Role, Square}};
//! use shakmaty::Move;
//!
//! let mut game = Game::new(RuleSet::WBN_1_00, 2);
//! let knight = Move::Normal { role: Role::Knight, from: Square::G1, to: Square::F3, capture: None, promotion: None };
//! assert!(game.board(BoardId::A).is_legal(knight));
//! game.play(BoardId::A, knight);
//! assert_eq!(game.board(BoardId::A).plies(), 1);
//! assert_eq!(game.board(BoardId::B).plies(), 0);
//! ```

mod attempt;
mod ending;
mod game;
mod last_drop;
mod legal;
mod mate;
mod perft;
mod play;
mod position;
mod predicate;
mod promotion;
mod reason;
mod ruleset;

#[cfg(test)]
pub(crate) mod properties;

pub use attempt::Attempt;
pub use ending::{BoardEnd, Score, Verdict};
pub use game::{Game, Transfer};
pub use last_drop::LastDrop;
pub use legal::{Among, MoveList};
pub use mate::men_of_a_kind;
pub use perft::{divide, perft};
pub use position::{BoardPosition, Pocket};
pub use promotion::PromotionChange;
pub use reason::Reason;
pub use ruleset::{
    Claims, ClockDelay, DrawAgreement, Ending, FIELDS, FREEZING_STEPS_MAX, Field, FlagClaim, Hiding, Kings,
    LastDropRule, MoveRules, Order, Passing, Premove, RuleSet, RuleSetError, VARIANTS, Variant, WrongClaim,
};
pub use shakmaty::Move;

//! The words that every room shares: squares, men, boards, seats, teams, instants.
//!
//! Squares, colours and roles are those of [`shakmaty`]; the rest is ours because no chess library knows a table of
//! several boards. Nothing here knows rules, sensors or people.
//!
//! # Cardinalities
//! A *table* has N *boards* (two in the common case, never assumed in types); a board has two *seats*, one a colour;
//! a *team* has the seats that win together: White on the first board, Black on the second and so on, and the others.

mod board;
mod clock;
mod instant;
mod kinds;
mod order;
mod time_control;

pub use board::{BOARDS_MAX, BoardId, ParseBoardError, ParseSeatError, Seat, Team};
pub use clock::ClockTimes;
pub use instant::{Instant, MS, SECOND};
pub use kinds::Kinds;
pub use order::by_time;
pub use shakmaty::{Bitboard, ByColor, ByRole, CastlingSide, Color, File, Piece, Rank, Role, Square};
pub use time_control::{
    BASE_SECONDS_MAX, DURATION_MAX, ParseDurationError, ParseTimeControlError, STEP_SECONDS_MAX, StepMode, TimeControl,
    parse_duration,
};

//! Facts for the arbiter: what the laws say about what happened. Never a verdict, never a change of the game.
//!
//! In: completed moves, what boards, clocks and trays show, what people say. Out: incidents with law, article and
//! evidence, windows for claims, ends put together. It knows no devices and does no input or output.
//!
//! `game` remembers one game; `men` (the ledger), `board`, `presses`, `clock` and `setup` watch, `hiding` judges the
//! ledger, `draws` and `ends` put together what people and boards say, `docket` keeps the incidents. `asked` tells for
//! what the opponent may start a clock again, `given` what a clock gives with presses.

mod asked;
mod board;
mod clock;
mod docket;
mod draws;
mod ends;
mod game;
mod given;
mod hiding;
mod incident;
mod kind;
mod ledger;
mod men;
mod presses;
mod setup;

pub use board::{BoardSight, BoardWatch, Turn, incomplete_castling};
pub use clock::{ClockNews, ClockWatch, Frozen, time_of};
pub use docket::{Docket, Draft, Entry, Window, claimers, flag_claimers};
pub use draws::{Agreement, Offers};
pub use ends::{Cause, Ends, HalfPoints, Outcome, win_of};
pub use game::Referee;
pub use hiding::{Around, Graces, HIDING, repeated};
pub use incident::{Grade, Incident, IncidentState};
pub use kind::{Citation, Kind};
pub use ledger::Ledger;
pub use men::{Dropped, Man, Men, Place, Stray, TrayView};
pub use setup::{certainly_wrong, wrong_setup};

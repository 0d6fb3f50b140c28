//! Facts for the arbiter: what the laws say about what happened. Never a verdict, never a change of the game.
//!
//! In: completed moves, what boards, clocks and trays show, what people say. Out: incidents with law, article and
//! evidence, claims checked, ends. It knows no devices and does no input or output.

mod docket;
mod incident;
mod kind;
mod ledger;
mod men;

pub use docket::{Docket, Draft, Entry, Window, claimers};
pub use incident::{Grade, Incident, IncidentState, illegal_move};
pub use kind::{Citation, Kind};
pub use ledger::Ledger;
pub use men::{Dropped, Ledger as Men, Man, Place, Stray, TrayView};

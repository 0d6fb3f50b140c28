//! Facts for the arbiter: what the laws say about what happened. Never a verdict, never a change of the game.
//!
//! In: completed moves, tray contents. Out: whereabouts of men and incidents.

mod incident;
mod ledger;

pub use incident::{Grade, Incident, IncidentState, illegal_move};
pub use ledger::Ledger;

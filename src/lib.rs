//! bughoused records bughouse chess over the board.
//!
//! ```text
//! bytes ─► frames ─► placements ─► hypotheses ─► moves ─► game ─► incidents ─► record · publish · show
//!  wire      sense        track                  rules     referee     table · event   journal publish display
//! ```
//!
//! A library that is a pure machine per table, and a thin daemon around it. A room may use only the rooms above it;
//! a test reads the `use` lines.
//!
//! # Invariants
//! - From [`types`] to [`table`] nothing reads a clock, opens a file, spawns a task or draws a random number.
//! - Confirmed and unconfirmed never mix: the game holds completed moves, the tracker hypotheses over it.
//! - The referee states facts; it never changes the game.
//! - Recording comes before publishing.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod types;

pub mod rules;

pub mod notation;

pub mod wire;

pub mod sense;

pub mod track;

pub mod referee;

pub mod event;

pub mod table;

pub mod record;

pub mod journal;

pub mod publish;

pub mod display;

pub mod simulate;

pub mod daemon;

pub mod cli;

//! Text and values: BPGN, BFEN, SAN.
//!
//! In: text of people, servers and files. Out: values, or an error with the place, what was expected and what was
//! found. It knows the rules, because SAN needs them, and nothing of sensors.

pub mod bfen;
pub mod bpgn;
pub mod letters;
pub mod placement;
pub mod replay;
pub mod san;
pub mod uci;

#[cfg(test)]
mod properties;

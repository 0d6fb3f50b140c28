//! The record weighed against presses that do not pair with its plies.
//!
//! In: an account, the plies of the record. Out: the best account that begins with them. It looks for no others.
//!
//! # How
//! What a line costs only grows, and the cheapest are kept after every press. So a bound above what the best account
//! costs takes nothing from it but the company of dearer lines: most records cost little, and a low bound is tried
//! first and raised until the best is below it.

use super::{Account, Told, tell};
use crate::{rules::Move, track::cost};

/// What the record may cost beside its plies, where it is looked for first.
const DOUBT: u32 = 16;
/// What costs more is looked for without a bound.
const MOST: u32 = 512;

// Every press costs a ply or more, so that lines below the bound are all that may become the best.
const _: () = assert!(cost::PLY <= cost::IDLE_BACK && cost::IDLE_BACK <= cost::IDLE && cost::NO_PLY <= cost::PLY);

/// The best account that begins with the record, whatever it costs. None if no line is left that has so many plies.
pub fn recorded(account: Account<'_>, record: &[Move]) -> Option<Told> {
    let presses = account.presses.len() as u32;
    // The bound counts a ply for every press to come; a turn that no clock tells of may cost less.
    let turns = if account.deaf.is_some() { presses * (cost::PLY - cost::NO_PLY) } else { 0 };
    let mut most = presses.max(record.len() as u32) * cost::PLY + DOUBT;
    while most <= MOST {
        match tell(account, record, most + turns) {
            Some(told) if told.cost <= most => return Some(told),
            Some(told) => most = told.cost,
            None => most *= 2,
        }
    }
    tell(account, record, u32::MAX)
}

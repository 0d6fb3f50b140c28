//! How much time each move takes on the player's clock.
//!
//! In: the plies with the times that the record has, if it has any. Out: µs used per ply and µs left after it. Moves
//! without a time get a plausible one that fits between their neighbours.

use std::collections::BTreeMap;

use rand::Rng;

use crate::types::MS;

use super::{
    Ply, Terms,
    profile::{Profile, draw},
};

/// What one ply does to its player's clock, in µs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// Time that runs.
    pub used: i64,
    /// Time that is added at the press.
    pub bonus: i64,
    /// Time left after the press.
    pub left: i64,
}

/// The share of what is left that an invented time never exceeds.
const SHARE: i64 = 20;

/// What every ply does to its player's clock.
pub fn spend(plies: &[Ply], terms: &Terms, profile: &Profile, rng: &mut impl Rng) -> Vec<Spent> {
    let increment = terms.increment_ms * MS;
    let mut left = BTreeMap::new();
    let mut spent = Vec::with_capacity(plies.len());
    for (index, ply) in plies.iter().enumerate() {
        let left = left.entry(ply.seat.index()).or_insert(terms.base_ms * MS);
        let think = draw(rng, &profile.think);
        let after = match ply.clock_ms {
            Some(ms) => (ms * MS).max(0),
            None => *left - invented(&plies[index..], *left, think) + increment,
        };
        let used = (*left + increment - after).clamp(0, *left);
        spent.push(Spent { used, bonus: after - (*left - used), left: after });
        *left = after;
    }
    spent
}

/// A time for the first of these plies, of `left` µs, so that the player's next known time can still be met.
fn invented(plies: &[Ply], left: i64, think: i64) -> i64 {
    let own = || plies.iter().filter(|ply| ply.seat == plies[0].seat);
    match own().position(|ply| ply.clock_ms.is_some()) {
        Some(moves) => {
            let known = own().nth(moves).and_then(|ply| ply.clock_ms).map_or(left, |ms| ms * MS);
            (left - known).max(0) / (moves as i64 + 1)
        }
        None => think.min(left / SHARE),
    }
}

//! Incidents as values.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::types::{BoardId, Instant, Seat};

/// What of the evidence is instants, beside all whose name ends in `_at`.
const INSTANTS: &[&str] = &["since", "waiting_since", "last_seen", "until", "starts", RAW];
/// From when until when what was received bears an incident out.
pub const RAW: &str = "raw";
/// What of the evidence says how something was seen rather than what was done.
const OF_SIGHT: &[&str] = &["clock", "slots", "last_seen", RAW];

/// A fact for the arbiter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Incident {
    /// Names the incident within the table.
    pub id: u64,
    /// `illegal-move`, `checkmate`, `not-passed`, …
    pub kind: String,
    /// `note`, `warning` or `decisive`.
    pub grade: Grade,
    /// The law text, for example `WBN`.
    pub law: String,
    /// Its article.
    pub article: String,
    /// The board, if one.
    pub board: Option<BoardId>,
    /// The seat, if one.
    pub seat: Option<Seat>,
    /// The exact reason.
    pub reason: String,
    /// Squares, slots, times: whatever shows it. Keys whose name ends in `_at`, and `since`, `waiting_since`,
    /// `last_seen`, are instants like `t`. Incidents of passing and hiding have, as far as it is known: `man` (FEN
    /// letter), `pocket_of` (the seat whose tray it is about), `slots` (of that tray, from 0: those that show such a
    /// man, or the one that it has left), `squares` (of the incident's board: where it was captured), `captured_on`
    /// (the same with its board: `A:d5`), `to` (where it was dropped), `last_seen` (in a tray, else on the board where
    /// it was captured), `clock` (`white_ms` and `black_ms` of the incident's board when it was noticed or the move
    /// pressed), `raw` (`from` and `to`: lines of the capture whose `t` lies between them bear it out).
    pub evidence: Value,
    /// Seats that may claim it.
    pub claimable_by: Vec<Seat>,
    /// When the claim lapses, if known.
    pub claim_until: Option<Instant>,
    /// What became of it.
    pub state: IncidentState,
}

impl Incident {
    /// Its instants are so many microseconds later, as where they count from another start.
    pub fn move_by(&mut self, us: i64) {
        self.claim_until = self.claim_until.map(|at| at + us);
        move_instants(&mut self.evidence, us);
    }
}

/// Whether this says how something was seen: who sees it again sees it otherwise.
pub fn is_of_sight(key: &str) -> bool {
    OF_SIGHT.contains(&key)
}

fn move_instants(value: &mut Value, us: i64) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| move_instants(value, us)),
        Value::Object(values) => values.iter_mut().for_each(|(key, value)| {
            if key.ends_with("_at") || INSTANTS.contains(&&**key) { later(value, us) } else { move_instants(value, us) }
        }),
        _ => {}
    }
}

fn later(value: &mut Value, us: i64) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| later(value, us)),
        Value::Object(values) => values.values_mut().for_each(|value| later(value, us)),
        _ => value.as_i64().into_iter().for_each(|at| *value = (Instant(at) + us).micros().into()),
    }
}

/// How much an incident weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// Fast play does it, nobody minds.
    Note,
    /// The arbiter should look.
    Warning,
    /// A claim would end the game.
    Decisive,
}

/// What became of an incident.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum IncidentState {
    /// Nobody decided yet.
    Open,
    /// The time to claim is over.
    Lapsed,
    /// Claimed or confirmed.
    Claimed,
    /// The arbiter dismissed it.
    Dismissed,
}

//! Incidents as values.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::types::{BoardId, Instant, Seat};

/// What of the evidence is instants, beside all whose name ends in `_at`.
const INSTANTS: &[&str] = &["since", "waiting_since", "last_seen", "until", "starts"];

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
    /// Squares, slots, times: whatever shows it.
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
        for (key, value) in self.evidence.as_object_mut().into_iter().flatten() {
            if key.ends_with("_at") || INSTANTS.contains(&&**key) {
                later(value, us);
            }
        }
    }
}

fn later(value: &mut Value, us: i64) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| later(value, us)),
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

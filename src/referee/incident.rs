//! Incidents as values.

use serde::{Deserialize, Serialize};

use crate::types::{BoardId, Instant, Seat};

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
    pub evidence: serde_json::Value,
    /// Seats that may claim it.
    pub claimable_by: Vec<Seat>,
    /// When the claim lapses, if known.
    pub claim_until: Option<Instant>,
    /// What became of it.
    pub state: IncidentState,
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

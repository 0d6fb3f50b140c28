//! Incidents as values.

use serde_json::json;

use crate::{
    event::{Grade, Incident, IncidentState},
    rules::{Reason, RuleSet},
    types::Seat,
};

/// A completed illegal move: the opponent may claim it until they complete a move of their own (WBN 1.14).
pub fn illegal_move(ruleset: &RuleSet, id: u64, seat: Seat, reasons: &[Reason], written: &str) -> Incident {
    let words: Vec<&str> = reasons.iter().map(|reason| reason.as_str()).collect();
    let leading = reasons.first();
    Incident {
        id,
        kind: "illegal-move".into(),
        grade: Grade::Decisive,
        law: ruleset.law.into(),
        article: leading.map_or("1.14", |reason| reason.article()).into(),
        board: Some(seat.board),
        seat: Some(seat),
        reason: words.first().copied().unwrap_or("several-changes").into(),
        evidence: json!({ "move": written, "reasons": words }),
        claimable_by: vec![seat.opponent()],
        claim_until: None,
        state: IncidentState::Open,
    }
}

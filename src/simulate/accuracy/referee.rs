//! The incidents of a recording against the offences that were committed.

use std::collections::BTreeSet;

use serde::Serialize;

use super::Verdict;
use crate::{
    event::{Body, Event, Incident},
    referee::Kind,
    rules::Reason,
    simulate::{
        hands::{Allowed, Truth},
        offence::{Offence, Offended, illegal},
    },
    types::{Instant, SECOND},
};

/// How much earlier and how much later than the offence its incident may come: some are known only when a grace has
/// passed or another move was completed.
const EARLY: i64 = 3 * SECOND;
const LATE: i64 = 25 * SECOND;

/// Kinds that say what stands on the boards: the record tells whether that is right.
const FACTS: [&str; 2] = [Kind::Checkmate.as_str(), Kind::Repetition.as_str()];

/// How many offences were committed, and how many of them reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Recall {
    /// Committed.
    pub committed: usize,
    /// Reported with the right kind and reason.
    pub reported: usize,
}

impl Recall {
    pub(super) fn add(&mut self, other: Recall) {
        self.committed += other.committed;
        self.reported += other.reported;
    }
}

/// Whether the game ended with an offence because no move of the rules describes it.
pub(super) fn is_last(offence: &Offended) -> bool {
    let reason = Reason::ALL.into_iter().find(|reason| reason.as_str() == offence.reason);
    reason.is_some_and(illegal::is_last)
}

/// Counts incidents, matches them with offences, and finds those that have none.
pub(super) fn look_at(verdict: &mut Verdict, truth: &Truth, events: &[Event]) {
    let mut seen = BTreeSet::new();
    let incidents = events.iter().filter_map(|event| match &event.body {
        Body::Incident(incident) => Some((event.t, &**incident)),
        _ => None,
    });
    let mut incidents: Vec<(Instant, &Incident)> = incidents.filter(|(_, incident)| seen.insert(incident.id)).collect();
    for (_, incident) in &incidents {
        *verdict.incidents.entry(incident.kind.clone()).or_default() += 1;
    }
    for offence in &truth.offences {
        let matches = |(t, incident): &(Instant, &Incident)| {
            incident.kind == offence.kind
                && (offence.reason.is_empty() || offence.reason == incident.reason)
                && incident
                    .seat
                    .map_or(incident.board.is_none_or(|board| board == offence.board), |s| s == offence.seat)
                && is_near(*t, offence.t)
        };
        let place = incidents.iter().position(matches);
        let recall = Recall { committed: 1, reported: usize::from(place.is_some()) };
        verdict.offences.entry(name(&offence.kind, &offence.reason)).or_default().add(recall);
        if let Some(place) = place {
            incidents.remove(place);
        }
    }
    for (t, incident) in incidents {
        let allowed = |fact: &Allowed| {
            fact.kind == incident.kind && is_near(t, fact.t) && incident.board.is_none_or(|board| board == fact.board)
        };
        if !FACTS.contains(&&*incident.kind) && !truth.allowed_incidents.iter().any(allowed) {
            let illegal = incident.kind == Kind::IllegalMove.as_str();
            // A reason that is an offence of its own has figures of its own.
            let own = |offence: Offence| (offence.kind(), offence.word()) == (&*incident.kind, &*incident.reason);
            let reason = if illegal || Offence::all().any(own) { &*incident.reason } else { "" };
            *verdict.false_incidents.entry(name(&incident.kind, reason)).or_default() += 1;
            verdict.false_illegal += usize::from(illegal);
        }
    }
}

fn is_near(incident: Instant, fact: Instant) -> bool {
    (fact + -EARLY..=fact + LATE).contains(&incident)
}

fn name(kind: &str, reason: &str) -> String {
    let separator = if reason.is_empty() { "" } else { ":" };
    format!("{kind}{separator}{reason}")
}

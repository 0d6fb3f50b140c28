//! Recorded games: captures tell of every offence in their truth and of nothing else that it does not allow, and the
//! games of the corpus of nothing.

use std::fs;

use bughoused::event::{Body, Event, IncidentState};
use serde::Deserialize;

use crate::corpus::{data, replay};

/// An incident may be told so much later than what it is about: hands are given time.
const TOLD_LATER_US: i64 = 10_000_000;

#[derive(Deserialize)]
struct Truth {
    allowed_incidents: Vec<Allowed>,
    #[serde(default)]
    offences: Vec<Allowed>,
}

#[derive(Deserialize)]
struct Allowed {
    kind: String,
    board: String,
    seat: Option<String>,
    t: i64,
    /// The record was put right later, and the incident with it.
    #[serde(default)]
    withdrawn: bool,
}

impl Allowed {
    fn covers(&self, event: &Event) -> bool {
        let Body::Incident(incident) = &event.body else { return true };
        let seat = incident.seat.map(|seat| seat.to_string());
        let told = event.t.micros() - self.t;
        incident.kind == self.kind
            && incident.board.is_none_or(|board| board.to_string() == self.board)
            && (self.seat.is_none() || seat.is_none() || self.seat == seat || self.kind == "early-pass")
            && (-TOLD_LATER_US / 10..TOLD_LATER_US).contains(&told)
    }
}

fn id(event: &Event) -> Option<u64> {
    match &event.body {
        Body::Incident(incident) => Some(incident.id),
        _ => None,
    }
}

#[test]
fn captures_tell_of_what_their_truth_allows_and_of_nothing_else() {
    let mut checked = 0;
    for entry in fs::read_dir(data("captures")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let truth = fs::read_to_string(path.with_extension("truth.json")).unwrap();
        let truth: Truth = serde_json::from_str(&truth).unwrap();
        let events = replay(&fs::read_to_string(&path).unwrap());
        let open = |event: &&Event| matches!(&event.body, Body::Incident(i) if i.state == IncidentState::Open);
        // a mate and a position that stands for the third time are facts of the moves, clocks that stand one of the
        // clocks
        let facts = ["checkmate", "repetition", "paused"];
        let of_moves = |event: &&Event| matches!(&event.body, Body::Incident(i) if facts.contains(&&*i.kind));
        let known = || truth.allowed_incidents.iter().chain(&truth.offences);
        let withdrawn = |event: &Event| {
            let same = |other: &&Event| id(other).is_some() && id(other) == id(event);
            let last = events.iter().rfind(same).map(|last| &last.body);
            matches!(last, Some(Body::Incident(incident)) if incident.state == IncidentState::Dismissed)
        };
        let covers =
            |allowed: &Allowed, event: &Event| allowed.covers(event) && (!allowed.withdrawn || withdrawn(event));
        let allowed = |event: &&Event| known().any(|allowed| covers(allowed, event));
        let strangers: Vec<_> = events
            .iter()
            .filter(open)
            .filter(|event| !allowed(event) && !of_moves(event))
            .map(|event| &event.body)
            .collect();
        assert!(strangers.is_empty(), "{}: {strangers:?}", path.display());
        let incident = |event: &&Event| matches!(&event.body, Body::Incident(_));
        for offence in &truth.offences {
            let told = events.iter().filter(incident).any(|event| offence.covers(event));
            assert!(told, "{}: {} of {} is not told", path.display(), offence.kind, offence.board);
        }
        checked += 1;
    }
    assert!(checked >= 12, "{checked} captures");
}

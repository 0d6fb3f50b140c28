//! Sums of verdicts.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Grade, Judged, Recall, Verdict};
use crate::types::MS;

/// Times of a set of moves in µs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delays(Vec<i64>);

impl Delays {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// How many are not longer than this, and the others.
    pub fn split(&self, micros: i64) -> (usize, Delays) {
        let (within, longer): (Vec<i64>, Vec<i64>) = self.0.iter().partition(|delay| **delay <= micros);
        (within.len(), Delays(longer))
    }

    /// The time that so many per mille do not exceed, in ms; 0 of no times.
    pub fn ms(&self, per_mille: usize) -> i64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let place = sorted.len().saturating_sub(1) * per_mille / 1000;
        sorted.get(place).map_or(0, |micros| micros / MS)
    }
}

impl Serialize for Delays {
    /// Milliseconds: half, 99 of 100 and all are not later.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let figures = [("p50", 500), ("p99", 990), ("max", 1000)];
        serializer.collect_map(figures.map(|(name, per_mille)| (name, self.ms(per_mille))))
    }
}

/// What became of a set of moves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Moves {
    /// All.
    pub moves: usize,
    /// Right at the end.
    pub right: usize,
    /// Told wrongly first.
    pub corrected: usize,
    /// Wrong at the end, but told to be uncertain.
    pub uncertain: usize,
    /// Wrong at the end.
    pub silent: usize,
}

impl Moves {
    fn add(&mut self, judged: &Judged) {
        self.moves += 1;
        self.right += usize::from(judged.grade <= Grade::Corrected);
        let count = match judged.grade {
            Grade::Right => return,
            Grade::Corrected => &mut self.corrected,
            Grade::Uncertain => &mut self.uncertain,
            Grade::Silent => &mut self.silent,
        };
        *count += 1;
    }
}

/// Results that the table alone must come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Results {
    /// Games that end with something that tells their result.
    pub evident: usize,
    /// Those whose record has it.
    pub right: usize,
}

/// Verdicts of one kind of hands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Games.
    pub games: usize,
    /// Games recorded as they were played.
    pub perfect: usize,
    /// Games recorded as they were played, or wrong only where the record says that it may be.
    pub candid: usize,
    /// Their moves.
    #[serde(flatten)]
    pub moves: Moves,
    /// Recorded moves that nobody played.
    pub extra: usize,
    /// Pairs of moves in the wrong order.
    pub disorder: usize,
    /// Illegal moves that nobody made.
    pub false_illegal: usize,
    /// Results.
    pub results: Results,
    /// Incidents by kind.
    pub incidents: BTreeMap<String, usize>,
    /// Offences by name, and how many were reported.
    pub offences: BTreeMap<String, Recall>,
    /// Incidents of offences that nobody committed, by kind.
    pub false_incidents: BTreeMap<String, usize>,
    /// From the press to the event.
    pub delay_ms: Delays,
    /// From the frame that decided to the event.
    pub decided_ms: Delays,
    /// The plies in which a habit showed.
    pub habits: BTreeMap<String, Moves>,
}

impl Tally {
    /// Adds one game.
    pub fn add(&mut self, verdict: &Verdict) {
        self.games += 1;
        self.perfect += usize::from(verdict.is_perfect());
        self.candid += usize::from(verdict.is_candid());
        self.extra += verdict.extra;
        self.disorder += verdict.disorder;
        self.false_illegal += verdict.false_illegal;
        self.results.evident += usize::from(verdict.result.is_some());
        self.results.right += usize::from(verdict.result == Some(true));
        for (kind, count) in &verdict.incidents {
            *self.incidents.entry(kind.clone()).or_default() += count;
        }
        for (kind, count) in &verdict.false_incidents {
            *self.false_incidents.entry(kind.clone()).or_default() += count;
        }
        for (name, recall) in &verdict.offences {
            self.offences.entry(name.clone()).or_default().add(*recall);
        }
        for judged in &verdict.moves {
            self.moves.add(judged);
            self.delay_ms.0.extend(judged.delay);
            self.decided_ms.0.extend(judged.decided);
            for tag in &judged.tags {
                self.habits.entry(tag.clone()).or_default().add(judged);
            }
        }
    }
}

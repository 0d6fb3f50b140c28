//! How well a recording agrees with what was played.
//!
//! ```text
//! game × profile × seed ─► performance ─► bytes ─► the machine ─► events ┐
//!                              └────────► truth ─────────────────────────┴► verdict ─► tally
//! ```
//! In: games, profiles, seeds. Out: [`Verdict`]s and their [`Tally`]. The machine is the one that records live; beside
//! it the method of one settled ply may listen to the same bytes. What a good figure is, is not known here.

mod baseline;
mod judge;
mod referee;
mod tally;

pub use judge::{Grade, Judged, Verdict, judge_games};
pub use referee::Recall;
pub use tally::{Delays, Moves, Results, Tally};

use std::io;

use crate::{
    event::{Event, Players},
    notation::{bpgn, replay::Fault},
    rules::RuleSet,
    table::{Opening, SettingsError, Table, settings::TableSettings},
    types::Instant,
};

use self::baseline::Baseline;
use super::{
    Stream, capture,
    fork::plies_with,
    hands::{Ply, Profile, Terms, Truth, play_offending, play_two, players_of},
    host::{Listened, TableHost},
    mortal::{self, MortalHost},
    offence::Offences,
    random_game::{next_game, offending_game},
    rig::Rig,
    rng,
    stage::{self, Stage},
};

/// When every emulated table is opened.
const STARTED: &str = "2000-01-01T12:00:00Z";

/// A game that is tried out.
#[derive(Clone, Debug)]
pub struct Source {
    /// Names it.
    pub name: String,
    plies: Vec<Ply>,
    terms: Terms,
    players: Players,
    /// What players do against the laws.
    offences: Offences,
    /// The game that is played next.
    next: Option<(Vec<Ply>, Terms)>,
}

impl Source {
    /// A game record, or where it breaks the rules. With illegal moves it goes on at random from a seeded moment.
    pub fn of_record(
        name: String,
        record: &bpgn::Game,
        ruleset: &RuleSet,
        offences: &Offences,
        seed: u64,
    ) -> Result<Source, Fault> {
        let offences = offences.under(ruleset);
        let (plies, terms) = plies_with(record, ruleset, &offences, seed)?;
        Ok(Source { name, plies, terms, players: players_of(record), offences, next: None })
    }

    /// A random game of at most so many plies.
    pub fn random(seed: u64, plies_max: usize, ruleset: &RuleSet, offences: &Offences) -> Source {
        let offences = offences.under(ruleset);
        let (plies, terms) = offending_game(seed, plies_max, ruleset, &offences);
        let name = format!("random-{seed:04}");
        Source { name, plies, terms, players: Players::new(), offences, next: None }
    }

    /// The same, and then a short random game on the same boards.
    pub fn with_next(self, seed: u64, ruleset: &RuleSet) -> Source {
        Source { next: Some(next_game(seed, &self.terms, ruleset)), ..self }
    }
}

/// What came of one trial.
pub struct Tried {
    /// The recording machine, game by game.
    pub machine: Vec<Verdict>,
    /// The method of one settled ply, if it was asked.
    pub baseline: Option<Verdict>,
}

/// One game, played by one kind of hands.
pub struct Trial<'a> {
    /// The game.
    pub source: &'a Source,
    /// The hands.
    pub profile: &'a Profile,
    /// Decides everything that is left to chance.
    pub seed: u64,
    /// The rules.
    pub ruleset: &'a RuleSet,
    /// The devices.
    pub rig: &'a Rig,
}

impl Trial<'_> {
    /// A name for files.
    pub fn name(&self) -> String {
        format!("{}-{}-{}", self.profile.name, self.source.name, self.seed)
    }

    /// Plays and judges.
    pub fn run(&self, with_baseline: bool) -> io::Result<Tried> {
        let mut baseline = with_baseline.then(|| Baseline::new(self.ruleset, self.source.terms.boards));
        let (truth, events) = self.perform(baseline.as_mut(), io::sink())?;
        let machine = judge_games(&truth, &events, &self.source.offences.rig(self.rig));
        let baseline = baseline.map(|baseline| baseline.verdict(&truth));
        Ok(Tried { machine, baseline })
    }

    /// Writes the capture and answers its truth, and what was told in the time of the world.
    pub fn record(&self, out: impl io::Write) -> io::Result<(Truth, Vec<Event>)> {
        self.perform(None, out)
    }

    fn perform(&self, baseline: Option<&mut Baseline>, out: impl io::Write) -> io::Result<(Truth, Vec<Event>)> {
        let Source { name, plies, terms, players, offences, next } = self.source;
        let rig = &offences.rig(self.rig);
        let on = |terms: &Terms| rig.terms(terms);
        let mut performance = match next {
            None => play_offending(plies, &on(terms), self.profile, offences, self.seed),
            Some((next, next_terms)) => {
                play_two([(plies, &on(terms)), (next, &on(next_terms))], self.profile, offences, self.seed)
            }
        };
        performance.truth.game.clone_from(name);
        let stage = Stage::on(rig, &performance, self.seed);
        let settings = stage::settings_on(rig, terms, players.clone(), &[]);
        let mut settings = TableSettings { ruleset: self.ruleset.to_string(), ..settings };
        stage::tell_makes(&mut settings, rig, &stage);
        let wrong = |e: SettingsError| io::Error::other(e.to_string());
        if let Some(away) = &rig.restarts {
            let turns = mortal::turns(&performance.truth, away, &mut rng(self.seed, Stream::Restarts));
            let mut host = MortalHost::new(settings.clone(), 0, turns.clone()).map_err(wrong)?;
            let mut both = Listened { speaks: &mut host, listens: baseline };
            let truth = capture::record_stage(stage, &performance.truth, &settings, STARTED, &mut both, out)?;
            return Ok((away_at(truth, &turns), host.as_of_one()));
        }
        let opening = Opening { session: "accuracy".into(), started_us: 0, seq: 1, incident: 1 };
        let table = Table::new(settings.clone(), opening).map_err(wrong)?;
        let mut host = TableHost::new(table);
        let mut both = Listened { speaks: &mut host, listens: baseline };
        let truth = capture::record_stage(stage, &performance.truth, &settings, STARTED, &mut both, out)?;
        Ok((truth, host.into_events()))
    }
}

/// While the daemon is away nobody hears any device.
fn away_at(mut truth: Truth, turns: &[Instant]) -> Truth {
    let mut game = Some(&mut truth);
    while let Some(truth) = game {
        for outages in truth.devices.values_mut().filter_map(|device| device["outages"].as_array_mut()) {
            outages.extend(turns.chunks_exact(2).map(|turn| serde_json::json!([turn[0], turn[1]])));
        }
        game = truth.next.as_deref_mut();
    }
    truth
}

#[cfg(test)]
mod tests;

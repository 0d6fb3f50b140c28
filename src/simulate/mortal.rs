//! A daemon that dies in the middle of games and is started again, in virtual time.
//!
//! In: the moments at which it dies and lives. Out: what all its tables told. What was received and told is kept as a
//! journal keeps it; a start takes the game up from there, as the daemon does. Who plays goes on meanwhile.

use std::{collections::BTreeMap, ops::Range};

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::{
    event::{Body, Event, Feed, Move, Request},
    record,
    sense::Side,
    table::{
        Input, Opening, Output, SettingsError, Table,
        capture::{Raw, RawInput},
        resume::{Found, Resume, Unfinished},
        retrace::{Stretch, Trail},
        settings::TableSettings,
    },
    types::{Instant, SECOND},
};

use super::{hands::Truth, host::Host};

/// How often a daemon is killed: so long after it was started.
const LIFE_US: Range<i64> = 8 * SECOND..30 * SECOND;
/// It is not killed when so little is left to play.
const LAST_US: i64 = 3 * SECOND;

/// Moments at which a daemon dies and lives again while games are played, each time away for so many µs.
pub fn turns(truth: &Truth, away_us: &Range<i64>, random: &mut ChaCha8Rng) -> Vec<Instant> {
    let last = truth.games().flat_map(|game| game.moves.last()).map(|played| played.press).max().unwrap_or_default();
    let mut at = truth.start.values().max().copied().unwrap_or_default();
    let mut turns = Vec::new();
    loop {
        at = at + random.random_range(LIFE_US);
        let back = at + random.random_range(away_us.clone());
        if back + LAST_US > last {
            return turns;
        }
        turns.extend([at, back]);
        at = back;
    }
}

/// A table that is killed and opened again at some moments, and what its journal would have.
pub struct MortalHost {
    settings: TableSettings,
    /// When the first table is opened, in microseconds since 1970 UTC.
    opened_us: i64,
    table: Option<Table>,
    /// When the table was opened, in the time of the world.
    opened: Instant,
    /// What was told, and how much earlier than the world's each event's time is, in µs.
    events: Vec<Event>,
    earlier: Vec<i64>,
    found: BTreeMap<String, Found>,
    /// What each start received.
    stretches: Vec<Stretch>,
    /// Starts that went on from the record alone.
    forgot: usize,
    /// Moments of world time: dead, alive, dead, alive, …
    turns: Vec<Instant>,
}

impl MortalHost {
    /// A host that dies and lives by turns.
    pub fn new(settings: TableSettings, opened_us: i64, turns: Vec<Instant>) -> Result<MortalHost, SettingsError> {
        let mut host = MortalHost {
            settings,
            opened_us,
            table: None,
            opened: Instant::ZERO,
            events: Vec::new(),
            earlier: Vec::new(),
            found: BTreeMap::new(),
            stretches: Vec::new(),
            forgot: 0,
            turns,
        };
        host.open(Instant::ZERO)?;
        Ok(host)
    }

    /// What all tables told, in the time of each.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The same as if one table had told it, in the time of the world.
    pub fn as_of_one(&self) -> Vec<Event> {
        let Some(session) = self.events.first().map(|event| event.session.clone()) else { return Vec::new() };
        let told = self.events.iter().zip(&self.earlier).map(|(event, earlier)| {
            let mut event = Event { session: session.clone(), t: event.t + *earlier, ..event.clone() };
            let delay = |played: &mut Move| {
                played.made_at = played.made_at + *earlier;
                played.completed_at = played.completed_at + *earlier;
            };
            match &mut event.body {
                Body::Move(played) => delay(played),
                Body::Correction(correction) => correction.moves.iter_mut().for_each(delay),
                _ => {}
            }
            event
        });
        told.collect()
    }

    /// Starts of the daemon.
    pub fn starts(&self) -> usize {
        self.stretches.len()
    }

    /// Starts that went on from the record alone, because what was received came to another one.
    pub fn forgot(&self) -> usize {
        self.forgot
    }

    fn open(&mut self, at: Instant) -> Result<(), SettingsError> {
        self.opened = at;
        let next = |live: bool| {
            let of_feed = self.events.iter().filter(|event| (event.body.feed() == Feed::Live) == live);
            of_feed.map(|event| event.seq).max().unwrap_or(0) + 1
        };
        let started_us = self.opened_us + at.micros();
        let session = format!("s{}", self.stretches.len() + 1);
        let opening = Opening { session, started_us, seq: next(true), incident: next(false) };
        let game = record::unfinished(&self.events, started_us);
        let trail = game.as_ref().and_then(|game| Some((self.trail(game)?, game)));
        let retraced = match trail {
            Some((trail, game)) => Table::retrace(&self.settings, trail, game, opening.clone(), Instant::ZERO)?,
            None => None,
        };
        self.forgot += usize::from(retraced.is_none() && game.is_some());
        let (from, until) = (Instant::ZERO, Instant::ZERO);
        self.stretches.push(Stretch { opening: opening.clone(), from, until, inputs: Vec::new() });
        let table = match retraced {
            Some(table) => table,
            None => {
                let mut table = Table::new(self.settings.clone(), opening)?;
                table.resume(Resume { devices: self.found.clone(), game });
                table
            }
        };
        self.table = Some(table);
        Ok(())
    }

    /// What the journal has of everything that was received since a game began.
    fn trail(&self, game: &Unfinished) -> Option<Trail> {
        let begun = |event: &Event| {
            matches!(event.body, Body::GameStarted(_)) && event.game.as_deref() == Some(game.id.as_str())
        };
        let first = self.events.iter().position(begun)?;
        let (before, started) = (&self.events[..first], &self.events[first]);
        let incidents = before.iter().filter(|event| event.body.feed() == Feed::Arbiter).map(|event| event.seq).max();
        let at = self.stretches.iter().position(|stretch| stretch.opening.session == started.session)?;
        let mut stretches = self.stretches[at..].to_vec();
        (stretches[0].opening.seq, stretches[0].opening.incident) = (started.seq, incidents.unwrap_or(0) + 1);
        Some(Trail { devices: BTreeMap::new(), began: started.t, stretches })
    }

    /// Dies or lives as the time has it.
    fn turn(&mut self, at: Instant) {
        while self.turns.first().is_some_and(|turn| *turn <= at) {
            let turn = self.turns.remove(0);
            if self.table.take().is_none() {
                // Settings that described a table once do so again.
                let opened = self.open(turn);
                debug_assert!(opened.is_ok());
                (0..self.settings.device.len()).for_each(|device| self.handle(turn, Input::Link(device, true)));
            }
        }
    }

    fn handle(&mut self, at: Instant, input: Input<'_>) {
        let at = Instant(at - self.opened);
        let (Some(table), Some(stretch)) = (&mut self.table, self.stretches.last_mut()) else { return };
        stretch.until = at;
        let raw = match &input {
            Input::Bytes(device, bytes) => Some(Raw::Rx(*device, bytes.to_vec())),
            Input::Link(device, up) => Some(Raw::Link(*device, *up)),
            Input::Request(request) => Some(Raw::Request(request.clone())),
            Input::Timeout => None,
        };
        stretch.inputs.extend(raw.map(|raw| RawInput { t: at, raw }));
        table.handle(at, input);
    }
}

impl Host for MortalHost {
    fn link(&mut self, at: Instant, device: usize, up: bool) {
        self.turn(at);
        self.handle(at, Input::Link(device, up));
    }

    fn bytes(&mut self, at: Instant, device: usize, bytes: &[u8]) {
        self.turn(at);
        self.handle(at, Input::Bytes(device, bytes));
    }

    fn request(&mut self, at: Instant, request: &Request) {
        self.turn(at);
        self.handle(at, Input::Request(request.clone()));
    }

    fn timeout(&mut self, at: Instant) {
        self.turn(at);
        self.handle(at, Input::Timeout);
    }

    fn drain(&mut self, sent: &mut Vec<(usize, Vec<u8>)>) -> Option<Instant> {
        let next = self.turns.first().copied();
        let Some(table) = &mut self.table else { return next };
        loop {
            match table.poll() {
                Output::Transmit(device, bytes) => sent.push((device, bytes)),
                Output::Event(event) => {
                    self.events.push(event);
                    self.earlier.push(self.opened.micros());
                }
                Output::Device(state) => {
                    let clock_white = match state.clock_white.as_deref() {
                        Some("left") => Some(Side::Left),
                        Some("right") => Some(Side::Right),
                        _ => None,
                    };
                    let found = Found { turned: state.rotation.map(|degrees| degrees != 0), clock_white };
                    self.found.insert(state.device, found);
                }
                Output::Response(_) => {}
                Output::Deadline(deadline) => {
                    let deadline = deadline.map(|at| at + self.opened.micros());
                    return deadline.into_iter().chain(next).min();
                }
            }
        }
    }
}

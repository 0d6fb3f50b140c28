//! Opening a table: its machine, its place in the journal, its ports, the ways to it and back.
//!
//! In: settings. Out: a [`Part`] that only has to be run. No port is opened here.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::Arc,
};

use tokio::sync::{mpsc, watch};

use super::{
    clock::Clock,
    lanes::{Lane, Lanes},
    node::StartError,
    port::{Place, Port, PortEvent},
    publisher,
    settings::NodeSettings,
    table_task::{Routes, TableTask},
};
use crate::{
    journal::{Counts, Journal, JournalError, Marks, Opened, Reader},
    publish::{feed::TableFeed, public::PublicFeed, session::TableRequest, topic::Topics},
    record::GameRecord,
    table::{
        Input, Opening, SettingsError, Table,
        resume::Resume,
        settings::{Delay, DeviceSettings, TableSettings},
    },
    types::Instant,
};

/// Requests that wait for one table.
const REQUESTS_MAX: usize = 64;
/// Reads that a port may be ahead of its table.
const PORT_EVENTS_MAX: usize = 256;
/// Writes that wait for one port.
const PORT_WRITES_MAX: usize = 64;

/// What every table of a node is made with.
pub(super) struct Makings {
    /// Takes what they record.
    journal: Journal,
    /// How far the bus got before this start.
    marks: Marks,
    /// The last row of an event that was there before this start.
    newest: i64,
    /// Where the journal is.
    data_dir: PathBuf,
    /// Tells them the time.
    clock: Clock,
    /// Names this start of the daemon.
    name: String,
    /// Where they publish.
    topics: Topics,
    /// Get their ways to the bus.
    lanes: Arc<Lanes>,
    /// Index of the next table that is opened; each opening has its own.
    next: usize,
}

/// A table before it runs.
pub(super) struct Part {
    pub settings: TableSettings,
    pub task: TableTask,
    pub ports: Vec<Port>,
    pub events: mpsc::Receiver<PortEvent>,
    pub requests: mpsc::Receiver<TableRequest>,
    /// The other end of `requests`.
    pub ask: mpsc::Sender<TableRequest>,
    /// Whether a game is played.
    pub playing: watch::Receiver<bool>,
}

/// How an opening of a table in this start of the daemon ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left {
    /// Where its counts go on.
    pub counts: Counts,
    /// Whether its game is to be gone on with.
    pub goes_on: bool,
}

impl Makings {
    /// What the tables of a node with `settings` are made with, whose journal was `opened`.
    pub fn new(
        settings: &NodeSettings,
        opened: &Opened,
        clock: Clock,
        name: &str,
        topics: &Topics,
        lanes: Arc<Lanes>,
    ) -> Makings {
        let (journal, marks, data_dir) = (opened.journal.clone(), opened.marks.clone(), settings.data_dir.clone());
        let (name, topics) = (name.to_owned(), topics.clone());
        Makings { journal, marks, newest: opened.newest, data_dir, clock, name, topics, lanes, next: 0 }
    }

    /// Opens a table. Its counts go on where it was `left`, else where the journal has them; so does its game.
    pub fn open(&mut self, settings: &TableSettings, left: Option<Left>) -> Result<Part, StartError> {
        let wrong =
            |key: &str, message: String| StartError::Table { table: settings.id.clone(), key: key.to_owned(), message };
        let delay = Delay::parse(&settings.delay).map_err(|message| wrong("delay", message))?;
        let counts = left.map_or_else(|| self.journal.counts(&settings.id), |left| left.counts);
        let opening = Opening {
            session: self.name.clone(),
            started_us: self.clock.started_us(),
            seq: counts.seq,
            incident: counts.incident,
        };
        let mut past = self.journal.past(&settings.id, self.clock.started_us());
        // What it recorded last may not be readable yet.
        past.game = past.game.filter(|_| left.is_none_or(|left| left.goes_on));
        let goes_on = past.game.is_some();
        let table = self.table(settings, opening, past, left.is_some()).map_err(|e| wrong(&e.key, e.message))?;
        let (events_in, events) = mpsc::channel(PORT_EVENTS_MAX);
        let (mut ports, mut writers) = (Vec::new(), Vec::new());
        for (device, wanted) in settings.device.iter().enumerate() {
            let place = place(wanted).ok_or_else(|| wrong("device.port", no_port(wanted)))?;
            let (writer, writes) = mpsc::channel(PORT_WRITES_MAX);
            writers.push(writer);
            let label = format!("table {}, {}", settings.id, wanted.name);
            let (events, clock) = (events_in.clone(), self.clock);
            ports.push(Port { device, label, place, driver: wanted.driver, clock, events, writes });
        }
        let routes = Arc::new(Routes::default());
        let (ask, requests) = mpsc::channel(REQUESTS_MAX);
        let index = self.next;
        self.next += 1;
        let session = self.journal.session(index, &self.name, self.clock.started_us(), settings);
        self.tell(index, settings, delay, goes_on, routes.clone());
        let (played, playing) = watch::channel(false);
        let task = TableTask {
            table,
            clock: self.clock,
            journal: self.journal.clone(),
            session,
            ports: writers,
            routes,
            counts,
            playing: played,
        };
        Ok(Part { settings: settings.clone(), task, ports, events, requests, ask, playing })
    }

    /// The machine with what was known before. A game that it cannot take up must not keep the table from opening.
    fn table(
        &self,
        settings: &TableSettings,
        opening: Opening,
        past: Resume,
        again: bool,
    ) -> Result<Table, SettingsError> {
        let at = if again { self.clock.now() } else { Instant::ZERO }; // the time of one that is opened again goes on
        let make = |past: Option<Resume>| {
            let mut table = Table::new(settings.clone(), opening.clone())?;
            table.handle(at, Input::Timeout);
            past.into_iter().for_each(|past| table.resume(past));
            Ok(table)
        };
        let retraced = || {
            let game = past.game.as_ref()?;
            let trail = self.journal.trail(&game.id, settings)?;
            Table::retrace(settings, trail, game, opening.clone(), at).ok().flatten()
        };
        // What broke a table once breaks it again: then its record alone is gone on with.
        if let Some(table) = catch_unwind(AssertUnwindSafe(retraced)).unwrap_or_default() {
            return Ok(table);
        }
        if past.game.is_some() {
            tracing::warn!(
                "table {}: its game is gone on with from the record alone; offers and what was learnt are forgotten",
                settings.id
            );
        }
        catch_unwind(AssertUnwindSafe(|| make(Some(past.clone())))).unwrap_or_else(|_| {
            tracing::error!("table {}: its game cannot be gone on with: please report it", settings.id);
            make(None)
        })
    }

    /// Makes its way to the bus; the feeds begin with the game that goes on.
    fn tell(&self, index: usize, settings: &TableSettings, delay: Delay, goes_on: bool, routes: Arc<Routes>) {
        let (id, name, announce) = (&settings.id, &self.name, &settings.announce);
        let mut feed = TableFeed::new(self.topics.clone(), id, name, announce.clone());
        let mut first = Vec::new();
        if goes_on {
            first.extend(self.record_at(id, i64::MAX).map(|game| feed.take_up(game)).unwrap_or_default());
        }
        if !self.lanes.go_on(id, delay, announce) {
            let shown = self.marks.get(&publisher::shown_mark(id)).unwrap_or(self.newest).min(self.newest);
            let mut public = PublicFeed::new(self.topics.clone(), id, name, announce.clone(), delay, shown);
            let game = if goes_on || shown < self.newest { self.record_at(id, shown) } else { None };
            first.extend(public.go_on(game, self.newest));
            self.lanes.insert_public(id, public);
        }
        self.lanes.insert(index, Lane { table: id.clone(), feed, routes, gone: false }, first);
    }

    /// The record of the game of a table at a row; none when it cannot be read, so that the table opens all the same.
    fn record_at(&self, table: &str, row: i64) -> Option<GameRecord> {
        let read = Reader::open(&self.data_dir).and_then(|reader| reader.record_at(table, row));
        read.unwrap_or_else(|error: JournalError| {
            tracing::error!("table {table}: the record of its game cannot be gone on with: {error}");
            None
        })
    }
}

pub(super) fn place(device: &DeviceSettings) -> Option<Place> {
    let by_path = device.port.clone().map(Place::Path);
    by_path.or_else(|| device.serial.clone().map(Place::Number))
}

fn no_port(device: &DeviceSettings) -> String {
    format!("expected a port or a serial number for {}, found neither; add port = \"/dev/serial/by-id/…\"", device.name)
}

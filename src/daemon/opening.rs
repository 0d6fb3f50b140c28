//! Opening a table: its machine, its place in the journal, its ports, the ways to it and back.
//!
//! In: settings. Out: a [`Part`] that only has to be run. No port is opened here.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};

use super::{
    clock::Clock,
    node::StartError,
    port::{Place, Port, PortEvent},
    publisher::Lane,
    table_task::{Routes, TableTask},
};
use crate::{
    journal::{Counts, Journal},
    publish::{feed::TableFeed, session::TableRequest, topic::Topics},
    table::{
        Opening, Table,
        settings::{DeviceSettings, TableSettings},
    },
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
    pub journal: Journal,
    /// Tells them the time.
    pub clock: Clock,
    /// Names this start of the daemon.
    pub name: String,
    /// Where they publish.
    pub topics: Topics,
    /// Index of the next table that is opened; each opening has its own.
    pub next: usize,
}

/// A table before it runs.
pub(super) struct Part {
    pub settings: TableSettings,
    pub index: usize,
    pub lane: Lane,
    pub task: TableTask,
    pub ports: Vec<Port>,
    pub events: mpsc::Receiver<PortEvent>,
    pub requests: mpsc::Receiver<TableRequest>,
    /// The other end of `requests`.
    pub ask: mpsc::Sender<TableRequest>,
    /// Whether a game is played.
    pub playing: watch::Receiver<bool>,
}

impl Makings {
    /// Opens a table. Its counts go on where it ended, else where the journal has them.
    pub fn open(&mut self, settings: &TableSettings, counts: Option<Counts>) -> Result<Part, StartError> {
        let wrong =
            |key: &str, message: String| StartError::Table { table: settings.id.clone(), key: key.to_owned(), message };
        let counts = counts.unwrap_or_else(|| self.journal.counts(&settings.id));
        let opening = Opening {
            session: self.name.clone(),
            started_us: self.clock.started_us(),
            seq: counts.seq,
            incident: counts.incident,
        };
        let table = Table::new(settings.clone(), opening).map_err(|e| wrong(&e.key, e.message))?;
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
        let feed = TableFeed::new(self.topics.clone(), &settings.id, &self.name, settings.announce.clone());
        let lane = Lane { table: settings.id.clone(), feed, routes: routes.clone(), gone: false };
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
        Ok(Part { settings: settings.clone(), index, lane, task, ports, events, requests, ask, playing })
    }
}

fn place(device: &DeviceSettings) -> Option<Place> {
    let by_path = device.port.clone().map(Place::Path);
    by_path.or_else(|| device.serial.clone().map(Place::Number))
}

fn no_port(device: &DeviceSettings) -> String {
    format!("expected a port or a serial number for {}, found neither; add port = \"/dev/serial/by-id/…\"", device.name)
}

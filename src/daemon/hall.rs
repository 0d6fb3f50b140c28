//! All tables of a node with their ports, on a thread of their own.
//!
//! In: the tables' settings and the journal. Out: the thread, and by table the way for requests and for answers.

use std::{collections::BTreeMap, sync::Arc, thread};

use tokio::{
    sync::{mpsc, oneshot, watch},
    task::JoinSet,
};

use super::{
    clock::Clock,
    node::StartError,
    port::{Place, Port, PortEvent},
    table_task::{Routes, TableError, TableTask},
};
use crate::{
    journal::Journal,
    publish::session::TableRequest,
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

/// The tables before they run.
#[derive(Default)]
pub(super) struct Hall {
    parts: Vec<Part>,
    /// The way to each table, by id.
    pub requests: BTreeMap<String, mpsc::Sender<TableRequest>>,
    /// The ways back, by index of the table.
    pub routes: Vec<Arc<Routes>>,
}

struct Part {
    task: TableTask,
    ports: Vec<Port>,
    events: mpsc::Receiver<PortEvent>,
    requests: mpsc::Receiver<TableRequest>,
}

impl Hall {
    /// Opens the tables' machines and gives each a session of the journal.
    pub fn open(tables: &[TableSettings], journal: &Journal, clock: Clock, name: &str) -> Result<Hall, StartError> {
        let mut hall = Hall::default();
        for (index, settings) in tables.iter().enumerate() {
            let wrong = |key: &str, message: String| StartError::Table {
                table: settings.id.clone(),
                key: key.to_owned(),
                message,
            };
            let counts = journal.counts(&settings.id);
            let opening = Opening {
                session: name.to_owned(),
                started_us: clock.started_us(),
                seq: counts.seq,
                incident: counts.incident,
            };
            let mut table = Table::new(settings.clone(), opening).map_err(|e| wrong(&e.key, e.message))?;
            table.resume(journal.past(&settings.id, clock.started_us()));
            let (events_in, events) = mpsc::channel(PORT_EVENTS_MAX);
            let (mut ports, mut writers) = (Vec::new(), Vec::new());
            for (device, wanted) in settings.device.iter().enumerate() {
                let place = place(wanted).ok_or_else(|| wrong("device.port", no_port(wanted)))?;
                let (writer, writes) = mpsc::channel(PORT_WRITES_MAX);
                writers.push(writer);
                let label = format!("table {}, {}", settings.id, wanted.name);
                let events = events_in.clone();
                ports.push(Port { device, label, place, driver: wanted.driver, clock, events, writes });
            }
            let routes = Arc::new(Routes::default());
            hall.routes.push(routes.clone());
            let (request, requests) = mpsc::channel(REQUESTS_MAX);
            hall.requests.insert(settings.id.clone(), request);
            let session = journal.session(index, name, clock.started_us(), settings);
            let task = TableTask { table, clock, journal: journal.clone(), session, ports: writers, routes };
            hall.parts.push(Part { task, ports, events, requests });
        }
        Ok(hall)
    }

    /// Starts the thread. What comes back is how the tables ended: after `stop`, or because one of them broke.
    pub fn run(self, stop: &watch::Sender<bool>) -> Result<oneshot::Receiver<Result<(), TableError>>, StartError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(StartError::Thread)?;
        let (ended, result) = oneshot::channel();
        let stopped = stop.subscribe();
        let serve = move || {
            let outcome = runtime.block_on(serve(self.parts, stopped));
            let _ = ended.send(outcome);
        };
        thread::Builder::new().name("tables".into()).spawn(serve).map_err(StartError::Thread)?;
        Ok(result)
    }
}

/// Runs tables and ports until the tables end or one of them breaks.
async fn serve(parts: Vec<Part>, mut stop: watch::Receiver<bool>) -> Result<(), TableError> {
    let mut ports = JoinSet::new();
    let mut tables = JoinSet::new();
    for part in parts {
        part.ports.into_iter().for_each(|port| drop(ports.spawn(port.run())));
        tables.spawn(part.task.run(part.events, part.requests, stop.clone()));
    }
    while let Some(ended) = tables.join_next().await {
        ended.map_err(|e| TableError::Task(e.to_string()))??;
    }
    // A node without tables waits like any other.
    let _ = stop.wait_for(|stop| *stop).await;
    Ok(())
}

pub(super) fn place(device: &DeviceSettings) -> Option<Place> {
    let by_path = device.port.clone().map(Place::Path);
    by_path.or_else(|| device.serial.clone().map(Place::Number))
}

fn no_port(device: &DeviceSettings) -> String {
    format!("expected a port or a serial number for {}, found neither; add port = \"/dev/serial/by-id/…\"", device.name)
}

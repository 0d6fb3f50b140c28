//! All tables of a node, each a task of its own with its own ports, on threads apart from the rest of the node.
//!
//! In: the tables' settings, and new ones when the configuration is read again. Out: running tables, their ways for
//! requests at the MQTT session, their lanes at the publisher. A table that breaks is opened again after a while and
//! touches no other one. A table that is changed or taken out goes on until its game is over.

use std::{collections::BTreeMap, num::NonZeroUsize, sync::Arc, thread, time::Duration};

use tokio::{
    sync::{mpsc, oneshot, watch},
    task::{self, JoinError, JoinSet},
    time::{Instant, sleep},
};

use super::{
    health::Devices,
    lanes::Lanes,
    node::StartError,
    opening::{Left, Makings, Part},
    table_task::{Ended, TableError},
};
use crate::{
    publish::session::{Requests, Session, TableRequest},
    table::settings::TableSettings,
};

/// Threads for tables at most: more tables than cores share them.
const THREADS_MAX: usize = 8;
/// Shortest and longest wait before a broken table is opened again.
const RESTART_MIN: Duration = Duration::from_secs(1);
const RESTART_MAX: Duration = Duration::from_secs(60);
/// New configurations that wait.
const ORDERS_MAX: usize = 4;

/// Tells the hall which tables there shall be from now on.
pub(super) type Orders = mpsc::Sender<Vec<TableSettings>>;

/// What the hall tells and asks.
pub(super) struct Surroundings {
    /// Gets the ways to the tables.
    pub session: Session,
    /// Get the ways back.
    pub lanes: Arc<Lanes>,
    /// Note how often tables were opened again.
    pub devices: Arc<Devices>,
}

/// The tables before they run.
pub(super) struct Hall {
    makings: Makings,
    parts: Vec<Part>,
}

impl Hall {
    /// Opens the tables' machines and gives each a session of the journal.
    pub fn open(tables: &[TableSettings], mut makings: Makings) -> Result<Hall, StartError> {
        let parts = tables.iter().map(|settings| makings.open(settings, None)).collect::<Result<Vec<_>, _>>()?;
        Ok(Hall { makings, parts })
    }

    /// Starts the threads. What comes back is where to order other tables, and how the tables ended: after `stop`, or
    /// because nothing can be recorded any more.
    pub fn run(
        self,
        around: Surroundings,
        stop: &watch::Sender<bool>,
    ) -> Result<(Orders, oneshot::Receiver<Result<(), TableError>>), StartError> {
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(cores.min(THREADS_MAX)).thread_name("tables").enable_all();
        let runtime = builder.build().map_err(StartError::Thread)?;
        let (ended, result) = oneshot::channel();
        let (orders, ordered) = mpsc::channel(ORDERS_MAX);
        let stop = stop.subscribe();
        // Who asks at once is heard, too.
        around.session.serve(self.parts.iter().map(|part| (part.settings.id.clone(), part.ask.clone())).collect());
        let serve = move || {
            let supervisor = Supervisor::new(self.makings, around, stop);
            let outcome = runtime.block_on(supervisor.run(self.parts, ordered));
            let _ = ended.send(outcome);
        };
        thread::Builder::new().name("hall".into()).spawn(serve).map_err(StartError::Thread)?;
        Ok((orders, result))
    }
}

/// A table that runs.
struct Seated {
    settings: TableSettings,
    requests: mpsc::Sender<TableRequest>,
    playing: watch::Receiver<bool>,
    stop: watch::Sender<bool>,
    since: Instant,
}

struct Supervisor {
    makings: Makings,
    around: Surroundings,
    stop: watch::Receiver<bool>,
    wanted: BTreeMap<String, TableSettings>,
    seated: BTreeMap<String, Seated>,
    /// How tables ended that may be opened again.
    left: BTreeMap<String, Left>,
    /// How long a table waited when it broke last.
    waits: BTreeMap<String, Duration>,
    tables: JoinSet<Ended>,
    names: BTreeMap<task::Id, String>,
    /// Tables that are to be opened again when their wait is over.
    waiting: JoinSet<String>,
    /// Tables that are to be stopped when their game is over.
    leaving: JoinSet<String>,
}

impl Supervisor {
    fn new(makings: Makings, around: Surroundings, stop: watch::Receiver<bool>) -> Supervisor {
        Supervisor {
            makings,
            around,
            stop,
            wanted: BTreeMap::new(),
            seated: BTreeMap::new(),
            left: BTreeMap::new(),
            waits: BTreeMap::new(),
            tables: JoinSet::new(),
            names: BTreeMap::new(),
            waiting: JoinSet::new(),
            leaving: JoinSet::new(),
        }
    }

    async fn run(mut self, parts: Vec<Part>, mut orders: mpsc::Receiver<Vec<TableSettings>>) -> Result<(), TableError> {
        self.wanted = parts.iter().map(|part| (part.settings.id.clone(), part.settings.clone())).collect();
        parts.into_iter().for_each(|part| self.seat(part));
        self.tell_requests();
        let mut stop = self.stop.clone();
        loop {
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => return self.finish().await,
                Some(ended) = self.tables.join_next_with_id() => self.ended(ended)?,
                Some(Ok(id)) = self.waiting.join_next() => self.open(&id),
                Some(Ok(id)) = self.leaving.join_next() => self.dismiss(&id),
                Some(tables) = orders.recv() => self.reorder(tables),
            }
        }
    }

    /// The tables have been told to stop, too.
    async fn finish(mut self) -> Result<(), TableError> {
        for seated in self.seated.values() {
            seated.stop.send_replace(true);
        }
        while let Some(ended) = self.tables.join_next().await {
            if let Ok(Ended { outcome: Err(TableError::Journal), .. }) = ended {
                return Err(TableError::Journal);
            }
        }
        Ok(())
    }

    fn open(&mut self, id: &str) {
        let Some(settings) = self.wanted.get(id).filter(|_| !self.seated.contains_key(id)) else { return };
        match self.makings.open(settings, self.left.get(id).copied()) {
            Ok(part) => self.seat(part),
            Err(error) => tracing::error!("table {id} is not opened: {error}"),
        }
        self.tell_requests();
    }

    fn seat(&mut self, part: Part) {
        let Part { settings, task, ports, events, requests, ask, playing } = part;
        let stop = watch::Sender::new(false);
        let stopped = stop.subscribe();
        let handle = self.tables.spawn(async move {
            // Dropped with the table, so that who comes after it finds the ports free.
            let mut open = JoinSet::new();
            ports.into_iter().for_each(|port| drop(open.spawn(port.run())));
            let ended = task.run(events, requests, stopped).await;
            open.shutdown().await;
            ended
        });
        self.names.insert(handle.id(), settings.id.clone());
        self.seated
            .insert(settings.id.clone(), Seated { settings, requests: ask, playing, stop, since: Instant::now() });
    }

    fn ended(&mut self, ended: Result<(task::Id, Ended), JoinError>) -> Result<(), TableError> {
        let task = ended.as_ref().map_or_else(JoinError::id, |(id, _)| *id);
        let Some(id) = self.names.remove(&task) else { return Ok(()) };
        let seated = self.seated.remove(&id);
        let lasted = seated.as_ref().map(|seated| seated.since.elapsed());
        let broken = match ended {
            Ok((_, Ended { counts, outcome })) => {
                // The game that broke it twice is not gone on with.
                let again = outcome.is_err() && lasted < Some(RESTART_MAX) && self.waits.contains_key(&id);
                let goes_on = seated.is_some_and(|seated| *seated.playing.borrow()) && !again;
                self.left.insert(id.clone(), Left { counts, goes_on });
                match outcome {
                    Err(TableError::Journal) => return Err(TableError::Journal),
                    Err(error) => Some(error),
                    Ok(()) => None,
                }
            }
            Err(error) => Some(TableError::Task(error.to_string())),
        };
        match broken {
            Some(error) => self.wait_and_open(id, &error, lasted.unwrap_or_default()),
            None if self.wanted.contains_key(&id) => self.open(&id),
            None => {
                tracing::info!("table {id} is taken out");
                self.around.session.publish(self.around.lanes.farewell(&id));
            }
        }
        self.tell_requests();
        Ok(())
    }

    /// The longer it went well, the sooner it is tried again.
    fn wait_and_open(&mut self, id: String, error: &TableError, lasted: Duration) {
        let last = self.waits.get(&id).filter(|_| lasted < RESTART_MAX);
        let wait = last.map_or(RESTART_MIN, |last| (*last * 2).min(RESTART_MAX));
        tracing::error!("table {id}: {error}; it is opened again in {} s", wait.as_secs());
        self.around.devices.note_restart(&id);
        self.waits.insert(id.clone(), wait);
        self.waiting.spawn(async move {
            sleep(wait).await;
            id
        });
    }

    /// New tables are opened at once; others are changed or taken out when their games are over.
    fn reorder(&mut self, tables: Vec<TableSettings>) {
        self.wanted = tables.into_iter().map(|settings| (settings.id.clone(), settings)).collect();
        for (id, seated) in &self.seated {
            if self.wanted.get(id) == Some(&seated.settings) {
                continue;
            }
            if *seated.playing.borrow() {
                tracing::warn!("table {id} is changed when its game is over");
            }
            let (mut playing, id) = (seated.playing.clone(), id.clone());
            self.leaving.spawn(async move {
                let _ = playing.wait_for(|playing| !playing).await; // a table that is gone plays no more
                id
            });
        }
        let new: Vec<String> = self.wanted.keys().filter(|id| !self.seated.contains_key(*id)).cloned().collect();
        for id in new {
            tracing::info!("table {id} is new");
            self.open(&id);
        }
    }

    /// Stops a table whose game is over, unless the configuration has come back to what it is.
    fn dismiss(&mut self, id: &str) {
        let Some(seated) = self.seated.get(id) else { return };
        if self.wanted.get(id) != Some(&seated.settings) {
            seated.stop.send_replace(true);
        }
    }

    fn tell_requests(&self) {
        let ways = self.seated.iter().map(|(id, seated)| (id.clone(), seated.requests.clone()));
        self.around.session.serve(ways.collect::<Requests>());
    }
}

#[cfg(test)]
mod tests;

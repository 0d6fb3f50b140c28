//! The node: everything that runs while games are recorded, started and stopped as one.
//!
//! In: [`NodeSettings`]. Out: [`Running`] with the addresses that people and programs connect to. Tables and ports have
//! a thread of their own, so that no spectator delays the arrival time of a byte; the journal has one, so that no disk
//! does; bus and web share the caller's runtime.

use std::{fs, io, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use tokio::{
    sync::{oneshot, watch},
    task::JoinHandle,
    time::{sleep, timeout},
};

use super::{
    bus::Bus,
    clock::Clock,
    hall::{Hall, Orders, Surroundings},
    health::{self, Devices, HealthTask},
    lanes::Lanes,
    opening::Makings,
    publisher::{self, Publisher},
    settings::NodeSettings,
    table_task::TableError,
};
use crate::{
    display::server::{self, WebSettings},
    journal::{self, Journal, JournalError, Marks, takes_nothing},
    publish::{
        broker::EmbeddedBroker,
        session::{Requests, Session, SessionHealth},
        topic::Topics,
    },
};

/// Longest waits for the parts to end; the journal's is that of a slow disk, well under what a service manager waits.
const TABLES_STOP_MAX: Duration = Duration::from_millis(400);
const JOURNAL_STOP_MAX: Duration = Duration::from_secs(8);
const PUBLISHER_STOP_MAX: Duration = Duration::from_millis(100);
const SESSION_STOP_MAX: Duration = Duration::from_millis(400);
const WEB_STOP_MAX: Duration = Duration::from_millis(200);
/// The embedded broker acknowledges a message before its subscribers have it, and drops the rest when it stops.
const DELIVERY: Duration = Duration::from_millis(100);

/// Where to find a running node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// The broker as `host:port`.
    pub broker: String,
    /// The web server.
    pub web: SocketAddr,
}

/// Why a node could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// An address is taken or not ours.
    #[error("cannot listen at {address} for {what}: {error}; stop the program that does, or change {key}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// For whom.
        what: &'static str,
        /// The configuration key.
        key: &'static str,
        /// What the system says.
        error: io::Error,
    },
    /// The directory of the journal cannot be made.
    #[error("cannot make the directory {path}: {error}; make it, or change node.data_dir")]
    DataDir {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The journal cannot be opened.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A table's settings do not fit together.
    #[error("table {table}: {key}: {message}")]
    Table {
        /// The table's id.
        table: String,
        /// The key within the `[[table]]` entry.
        key: String,
        /// Expected, found, how to mend it.
        message: String,
    },
    /// The system gives no thread.
    #[error("cannot start a thread: {0}; see the limits of the system")]
    Thread(io::Error),
}

/// Why a running node ended by itself.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Broken(String);

/// A node that runs. Dropped without [`Running::shutdown`] it goes on in the background until its runtime ends.
pub struct Running {
    /// Where to find it.
    pub addresses: Addresses,
    session: Session,
    session_task: JoinHandle<()>,
    health_task: JoinHandle<()>,
    publisher: JoinHandle<()>,
    web: JoinHandle<io::Result<()>>,
    web_stop: oneshot::Sender<()>,
    broker: Option<Box<dyn EmbeddedBroker>>,
    tables: oneshot::Receiver<Result<(), TableError>>,
    orders: Orders,
    settings: NodeSettings,
    stop: watch::Sender<bool>,
    journal: journal::Stopping,
    marks: Marks,
}

/// The node to start.
pub struct Node;

impl Node {
    /// Starts everything on the current runtime and on threads for tables and journal.
    ///
    /// # Errors
    /// An address is taken, the journal cannot be opened, a table's settings are wrong. Absent ports and an absent
    /// external broker are none: they are waited for.
    pub async fn start(settings: NodeSettings) -> Result<Running, StartError> {
        let topics = Topics::new(&settings.prefix, &settings.id);
        let clock = Clock::fast(settings.speed);
        let name = clock.session_name();
        let web = WebSettings {
            listen: settings.web,
            broker: String::new(),
            prefix: topics.prefix().to_owned(),
            arbiter: settings.arbiter.clone(),
        };
        let listen = |error| StartError::Listen { address: settings.web, what: "the web", key: "web.listen", error };
        let listener = server::bind(&web).await.map_err(listen)?;
        let web_address = listener.local_addr().map_err(listen)?;
        // Addresses first: who tries again with another one finds no journal of the first attempt.
        let bus = Bus::start(&settings, &topics).await?;
        let opened = open_journal(&settings)?;
        let lanes = Arc::new(Lanes::default());
        let makings = Makings::new(&settings, &opened, clock, &name, &topics, lanes.clone());
        let hall = Hall::open(&settings.tables, makings)?;
        let (addresses, inner) = (Addresses { broker: bus.address(), web: web_address }, bus.inner());

        let (session, session_task) = Session::spawn(bus.session(&topics, &name), Requests::new());
        session.publish([health::info(&topics, &name, clock, &settings.shown)]);
        session.go_on(publisher::published(&opened.marks, opened.newest), opened.newest);
        let devices = Arc::new(Devices::default());
        let publisher = Publisher {
            session: session.clone(),
            lanes: lanes.clone(),
            clock,
            devices: devices.clone(),
            marks: opened.marks.clone(),
            data_dir: settings.data_dir.clone(),
            trouble: None,
        };
        let publisher = tokio::spawn(publisher.run(opened.committed));
        let around = Surroundings { session: session.clone(), lanes, devices: devices.clone() };
        let (journal, disk) = (opened.journal, opened.health);
        let health = HealthTask { topics, name, clock, session: session.clone(), journal, disk, devices };
        let health_task = tokio::spawn(health.run());
        let stop = watch::Sender::new(false);
        let (orders, tables) = hall.run(around, &stop)?;
        let (web_stop, web_stopped) = oneshot::channel();
        let web = WebSettings { broker: inner, ..web };
        let web = tokio::spawn(server::serve(listener, web, async move {
            let _ = web_stopped.await; // a node that is dropped stops its web server, too
        }));
        Ok(Running {
            addresses,
            session,
            session_task,
            health_task,
            publisher,
            web,
            web_stop,
            broker: bus.broker,
            tables,
            orders,
            stop,
            settings,
            journal: opened.stopping,
            marks: opened.marks,
        })
    }
}

impl Running {
    /// How the MQTT session does.
    pub fn health(&self) -> SessionHealth {
        self.session.health()
    }

    /// Takes new settings over: tables at once, or when their games are over. Answers whether anything else differs,
    /// which takes effect with the next start.
    pub async fn reload(&mut self, settings: NodeSettings) -> bool {
        let (old, new) = (without_tables(&self.settings.shown), without_tables(&settings.shown));
        // The tables' thread ends with the node; `wait` tells.
        let _ = self.orders.send(settings.tables.clone()).await;
        self.settings.tables = settings.tables;
        old != new
    }

    /// The ways to the tables.
    #[cfg(test)]
    pub(super) fn requests(&self) -> Arc<Requests> {
        self.session.requests()
    }

    /// Waits until the node breaks, which it never should.
    pub async fn wait(&mut self) -> Broken {
        Broken(tokio::select! {
            ended = &mut self.tables => match ended {
                Ok(Ok(())) => "the tables ended".to_owned(),
                Ok(Err(e)) => e.to_string(),
                Err(_) => "the thread of the tables ended: please report it".to_owned(),
            },
            ended = &mut self.web => match ended {
                Ok(Ok(())) => "the web server ended".to_owned(),
                Ok(Err(e)) => format!("the web server ended: {e}"),
                Err(e) => format!("the web server ended: {e}"),
            },
        })
    }

    /// Ends everything in order within two seconds: tables, journal, bus, web. Answers how many rows of the journal
    /// could not be written.
    pub async fn shutdown(self) -> u64 {
        self.session.stopping();
        self.stop.send_replace(true);
        if timeout(TABLES_STOP_MAX, self.tables).await.is_err() {
            tracing::error!("a table did not stop in time");
        }
        self.health_task.abort();
        let journal = tokio::task::spawn_blocking(move || self.journal.wait());
        let lost = timeout(JOURNAL_STOP_MAX, journal).await.ok().and_then(Result::ok);
        if lost.is_none() {
            tracing::error!("the journal did not end in time: the disk is too slow");
        }
        // What the journal committed last is on its way; the farewell goes out behind it.
        let _ = timeout(PUBLISHER_STOP_MAX, self.publisher).await;
        self.session.stop();
        if timeout(SESSION_STOP_MAX, self.session_task).await.is_err() {
            tracing::warn!("the broker did not take the last messages in time");
        }
        publisher::note_published(&self.marks, &self.session);
        if let Err(error) = self.marks.save(&self.settings.data_dir) {
            tracing::warn!("the last messages are sent again at the next start: {error}");
        }
        if self.broker.is_some() {
            sleep(DELIVERY).await;
        }
        let _ = self.web_stop.send(());
        let _ = timeout(WEB_STOP_MAX, self.web).await;
        if let Some(broker) = self.broker {
            broker.stop().await;
        }
        lost.unwrap_or(u64::MAX)
    }
}

/// Opens the journal. Where the disk takes nothing, play is not kept from beginning.
fn open_journal(settings: &NodeSettings) -> Result<journal::Opened, StartError> {
    let (path, retention) = (&settings.data_dir, settings.retention);
    match fs::create_dir_all(path) {
        Ok(()) => Ok(Journal::open_keeping(path, retention)?),
        Err(error) if takes_nothing(&error) => Ok(Journal::open_later(path, retention, &error.to_string())?),
        Err(error) => Err(StartError::DataDir { path: path.clone(), error }),
    }
}

/// A configuration as it is shown, but for the tables.
fn without_tables(shown: &serde_json::Value) -> serde_json::Value {
    let mut rest = shown.clone();
    if let Some(sections) = rest.as_object_mut() {
        sections.remove("tables");
    }
    rest
}

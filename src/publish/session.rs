//! The node's place on the bus: one MQTT session, kept up for as long as the daemon runs.
//!
//! In: messages, through [`Session::publish`], which never waits. Out: the same messages at the broker, in order, and
//! requests to tables. An absent or slow broker fills the [`Outbox`] and nothing else. Embedded
//! and external brokers are one case. A broker that does not take MQTT 5 is spoken to in 3.1.1.

use std::{
    collections::BTreeMap,
    panic::AssertUnwindSafe,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use futures_util::FutureExt as _;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::{
    sync::{Notify, mpsc, watch},
    time::Instant,
};

use super::{
    about::{NodeState, NodeStatus},
    connection::{self, Ended, Sent},
    outbox::Outbox,
    request::Route,
    topic::{Message, Topics},
};
use crate::event::{Request, VERSION};

/// How our client ids begin.
pub const CLIENT_ID_PREFIX: &str = "bughoused-";
/// So few messages may wait for a session that keeps up.
const FLOWING_MAX: usize = 500;
/// Shortest and longest wait before the next attempt to connect.
const RETRY_MIN: Duration = Duration::from_millis(100);
const RETRY_MAX: Duration = Duration::from_secs(5);

/// Where the broker is and who we are.
#[derive(Clone)]
pub struct SessionSettings {
    /// Host name or address.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// User name and password.
    pub login: Option<(String, String)>,
    /// Encrypts the connection.
    pub tls: Option<Arc<rustls::ClientConfig>>,
    /// How often retained topics are sent again, for a broker that does not give them to filters.
    pub refresh: Option<Duration>,
    /// Our topic tree.
    pub topics: Topics,
    /// Names this start of the daemon.
    pub session: String,
    /// The broker is ours: all tables on it are ours, and it says truly who sent a request.
    pub own_broker: bool,
}

/// A version of MQTT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// 5, which is tried first.
    V5,
    /// 3.1.1, for brokers that know nothing newer.
    V311,
}

impl Version {
    fn other(self) -> Version {
        match self {
            Version::V5 => Version::V311,
            Version::V311 => Version::V5,
        }
    }
}

/// A request for one of our tables.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRequest {
    /// What is asked.
    pub request: Request,
    /// Where the answer goes.
    pub route: Route,
}

/// Somebody asks a table for events of the live feed that he missed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    /// The table as its topic level spells it.
    pub table: String,
    /// The payload.
    pub payload: Bytes,
    /// MQTT 5 response topic.
    pub response_topic: Option<String>,
    /// MQTT 5 correlation data.
    pub correlation: Option<Bytes>,
}

/// Questions for missed events that wait; beyond that they are not answered, and asked again.
const MISSED_MAX: usize = 64;

/// The way to our tables, by their ids.
pub type Requests = BTreeMap<String, mpsc::Sender<TableRequest>>;

/// How the session does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionHealth {
    /// Whether the broker is there.
    pub connected: bool,
    /// Connections made since the start.
    pub connections: u64,
    /// Messages that wait for the broker.
    pub queued: usize,
    /// Whether more events wait in the journal.
    pub in_journal: bool,
    /// Messages lost because too many waited; never events.
    pub dropped: u64,
    /// Messages that the broker refused, or that were too large for it.
    pub refused: u64,
    /// Requests that came in.
    pub requests: u64,
}

/// A handle on the running session. Clones are the same session.
#[derive(Clone)]
pub struct Session(Arc<Shared>);

/// What the handles and the running session have in common.
pub(super) struct Shared {
    pub(super) settings: SessionSettings,
    requests: RwLock<Arc<Requests>>,
    /// Requests for other tables than the connection knows of.
    pub(super) rerouted: AtomicBool,
    pub(super) wake: Notify,
    pub(super) stopping: watch::Sender<bool>,
    pub(super) connected: AtomicBool,
    pub(super) connections: AtomicU64,
    pub(super) refused: AtomicU64,
    pub(super) requested: AtomicU64,
    outbox: Mutex<Outbox>,
    missed: mpsc::Sender<Missed>,
    missed_asked: Mutex<Option<mpsc::Receiver<Missed>>>,
}

impl SessionSettings {
    pub(super) fn node_state(&self, state: NodeStatus) -> Message {
        let state = NodeState { v: VERSION, session: self.session.clone(), state };
        Message::json(self.topics.node("state"), &state).retained()
    }

    /// What the broker says for us when we are gone.
    pub(super) fn last_will(&self) -> Message {
        self.node_state(NodeStatus::Offline)
    }
}

impl Session {
    /// Starts the session on the current runtime; the task ends after [`Session::stop`].
    pub fn spawn(settings: SessionSettings, requests: Requests) -> (Session, tokio::task::JoinHandle<()>) {
        let (missed, missed_asked) = mpsc::channel(MISSED_MAX);
        let session = Session(Arc::new(Shared {
            settings,
            requests: RwLock::new(Arc::new(requests)),
            rerouted: AtomicBool::new(false),
            wake: Notify::new(),
            stopping: watch::Sender::new(false),
            connected: AtomicBool::new(false),
            connections: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            requested: AtomicU64::new(0),
            outbox: Mutex::default(),
            missed,
            missed_asked: Mutex::new(Some(missed_asked)),
        }));
        session.publish([session.0.settings.node_state(NodeStatus::Online)]);
        let task = tokio::spawn(keep_up(session.0.clone()));
        (session, task)
    }

    /// Names this start of the daemon.
    pub fn name(&self) -> &str {
        &self.0.settings.session
    }

    /// Queues messages in order. Never waits.
    pub fn publish(&self, messages: impl IntoIterator<Item = Message>) {
        self.0.publish(messages);
    }

    /// From now on requests go these ways.
    pub fn serve(&self, requests: Requests) {
        *self.0.requests.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(requests);
        self.0.rerouted.store(true, Ordering::Relaxed);
        self.0.wake.notify_one();
    }

    /// The ways that requests go.
    #[cfg(test)]
    pub(crate) fn requests(&self) -> Arc<Requests> {
        self.0.requests()
    }

    /// Queues what events of the journal are told by, each with its row, and what follows from them. Never waits.
    pub fn publish_rows(&self, rows: Vec<(i64, Vec<Message>)>, then: impl IntoIterator<Item = Message>) {
        self.0.with_outbox(|outbox| rows.into_iter().for_each(|(row, messages)| outbox.push_row(row, messages)));
        self.0.publish(then);
    }

    /// Goes on where an earlier start ended; before anything is published.
    pub fn go_on(&self, published: i64, newest: i64) {
        self.0.with_outbox(|outbox| outbox.go_on(published, newest));
    }

    /// After which row, and up to which, events are to be read from the journal now, if they are.
    pub fn rows_wanted(&self) -> Option<(i64, i64)> {
        self.0.with_outbox(|outbox| outbox.rows_wanted())
    }

    /// Takes in rows that were read from the journal, up to row `until`.
    pub fn refill(&self, rows: Vec<(i64, Vec<Message>)>, until: i64) {
        self.0.with_outbox(|outbox| outbox.refill(rows, until));
        self.0.wake.notify_one();
    }

    /// The row up to which the broker has all events.
    pub fn published(&self) -> i64 {
        self.0.with_outbox(|outbox| outbox.published())
    }

    /// Whether messages reach the broker as they come.
    pub fn flows(&self) -> bool {
        let short = self.0.with_outbox(|outbox| outbox.len() <= FLOWING_MAX && !outbox.is_behind());
        short && self.0.connected.load(Ordering::Relaxed)
    }

    /// Where questions for missed events come out; nothing to whoever asks again.
    pub fn missed(&self) -> Option<mpsc::Receiver<Missed>> {
        self.0.missed_asked.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Says that the node is going down; go on publishing, then [`Session::stop`].
    pub fn stopping(&self) {
        self.publish([self.0.settings.node_state(NodeStatus::Stopping)]);
    }

    /// Brings what waits to the broker if it is there, says offline, and disconnects.
    pub fn stop(&self) {
        self.publish([self.0.settings.node_state(NodeStatus::Offline)]);
        self.0.stopping.send_replace(true);
        self.0.wake.notify_one();
    }

    /// How it does.
    pub fn health(&self) -> SessionHealth {
        let shared = &self.0;
        let (queued, dropped, in_journal) =
            shared.with_outbox(|outbox| (outbox.len(), outbox.dropped(), outbox.is_behind()));
        SessionHealth {
            connected: shared.connected.load(Ordering::Relaxed),
            connections: shared.connections.load(Ordering::Relaxed),
            queued,
            in_journal,
            dropped,
            refused: shared.refused.load(Ordering::Relaxed),
            requests: shared.requested.load(Ordering::Relaxed),
        }
    }
}

impl Shared {
    pub(super) fn publish(&self, messages: impl IntoIterator<Item = Message>) {
        let now = Instant::now();
        self.with_outbox(|outbox| messages.into_iter().for_each(|message| outbox.push(message, now)));
        self.wake.notify_one();
    }

    /// The outbox stays usable after a panic of another holder: each of its methods leaves it whole.
    pub(super) fn with_outbox<T>(&self, act: impl FnOnce(&mut Outbox) -> T) -> T {
        act(&mut self.outbox.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The ways to the tables.
    pub(super) fn requests(&self) -> Arc<Requests> {
        self.requests.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn ask_missed(&self, missed: Missed) -> Result<(), mpsc::error::TrySendError<Missed>> {
        self.missed.try_send(missed)
    }

    pub(super) fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }
}

/// Connects again and again until the session is stopped.
async fn keep_up(shared: Arc<Shared>) {
    let mut stopping = shared.stopping.subscribe();
    let mut retry = RETRY_MIN;
    let mut last_cause = String::new();
    let mut version = Version::V5;
    while !shared.is_stopping() {
        let mut sent = Sent::default();
        // A broker that makes the client library panic must not end the recording.
        let ended = AssertUnwindSafe(connection::run(&shared, version, &mut sent)).catch_unwind().await;
        let was_connected = shared.connected.swap(false, Ordering::Relaxed);
        let lately = sent.take_lately(Instant::now());
        shared.with_outbox(|outbox| {
            outbox.restore(sent.into_entries());
            outbox.repeat(lately);
        });
        let cause = match ended {
            Ok(Ended::Stopped) => return,
            Ok(Ended::Lost(cause)) => cause,
            Ok(Ended::Refused(cause)) => {
                version = version.other();
                cause
            }
            Err(_) => "the MQTT client gave up on what the broker sent".to_owned(),
        };
        if was_connected {
            retry = RETRY_MIN;
        }
        if was_connected || cause != last_cause {
            let SessionSettings { host, port, .. } = &shared.settings;
            tracing::warn!("no MQTT broker at {host}:{port}: {cause}; messages wait, trying again");
            last_cause = cause;
        }
        let _ = tokio::time::timeout(jittered(retry), stopping.wait_for(|stop| *stop)).await;
        retry = (retry * 2).min(RETRY_MAX);
    }
}

/// Between half and all of `wait`, so that many nodes do not come back at the same moment.
fn jittered(wait: Duration) -> Duration {
    #[allow(clippy::disallowed_methods, reason = "outside the core; what it decides is not recorded")]
    wait.mul_f64(0.5 + rand::random::<f64>() / 2.0)
}

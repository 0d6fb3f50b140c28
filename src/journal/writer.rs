//! The thread that owns the database and commits in groups.
//!
//! In: [`Batch`]es through a bounded queue. Out: [`Committed`] batches in the order they came, never before their
//! commit unless the disk fails, and the [`Health`]. It never makes a table wait, and waits for no publisher.
#![allow(clippy::disallowed_methods)] // A thread of its own with a clock for the lazy commits and the back-off.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    thread,
    time::Duration,
};

use jiff::Timestamp;
use rusqlite::ErrorCode;
use serde::Serialize;
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, timeout_at},
};

use super::{
    BACKLOG_BYTES_MAX, BACKLOG_INPUT_BYTES_MAX, Batch, COMMITTED_BATCHES_MAX, Committed, Counts, GROUP_BATCHES_MAX,
    GROUP_BYTES_MAX, JournalError, LAZY_MS, Marks, QUEUE_BATCHES_MAX, Reader, Retention, Session, SessionRow,
    retention::Now,
    store::{Contents, Row, Store},
};
use crate::{
    event::DeviceState,
    sense::Side,
    table::{
        resume::{Found, Resume},
        retrace::Trail,
        settings::TableSettings,
    },
    types::Instant as Told,
};

/// First wait after a failed commit; doubled with every further one.
const RETRY_MIN: Duration = Duration::from_millis(250);
/// Longest wait between two attempts.
const RETRY_MAX: Duration = Duration::from_secs(10);
/// Bytes of the log that a deleted row takes, roughly.
const RETIRED_ROW_BYTES: usize = 256;
/// How often raw bytes are looked at whether they must be kept, and how soon again while there are some to delete.
const RETIRE_EVERY: Duration = Duration::from_secs(60);
const RETIRE_AGAIN: Duration = Duration::from_secs(1);
/// Bytes committed after which the log is moved into the database once nothing waits.
const CHECKPOINT_BYTES: usize = 4 << 20;
/// Bytes committed after which the log is moved into the database in any case.
const CHECKPOINT_BYTES_MAX: usize = 32 << 20;

/// Whether what happens is durable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum Health {
    /// It is.
    Ok,
    /// The last commit failed; what happens is kept in memory and written later.
    Failing {
        /// What is wrong and what to do.
        message: String,
        /// RFC 3339 time of the first failure.
        since: String,
        /// Rows that wait in memory.
        waiting: usize,
        /// Raw inputs that found no room in memory.
        lost_inputs: u64,
        /// Events and answers that found no room in memory.
        lost_events: u64,
    },
}

/// A batch that was not taken.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// [`QUEUE_BATCHES_MAX`] batches wait already: try again later.
    #[error("the journal is {QUEUE_BATCHES_MAX} batches behind; the disk is too slow")]
    Full(Box<Batch>),
    /// The writer has ended.
    #[error("the writer of the journal has ended")]
    Closed(Box<Batch>),
}

/// A journal that was opened for writing.
pub struct Opened {
    /// To record with.
    pub journal: Journal,
    /// What was recorded, in order.
    pub committed: mpsc::Receiver<Committed>,
    /// Whether the disk takes it.
    pub health: watch::Receiver<Health>,
    /// To wait for the last commit.
    pub stopping: Stopping,
    /// How far the bus got before, and gets now.
    pub marks: Marks,
    /// The last row of an event that was there when it was opened.
    pub newest: i64,
}

/// The right to record; cheap to clone. The writer ends when the last one is dropped.
#[derive(Clone)]
pub struct Journal {
    queue: mpsc::Sender<Box<Batch>>,
    next_session: Arc<AtomicI64>,
    counts: Arc<BTreeMap<String, Counts>>,
    /// Where the file lies.
    dir: Arc<Path>,
}

impl Journal {
    /// Opens or makes `journal.sqlite3` in `dir` and starts its writer. The directory must exist. Raw bytes are kept
    /// for ever.
    pub fn open(dir: &Path) -> Result<Opened, JournalError> {
        Journal::open_keeping(dir, Retention { days: None, bytes: None })
    }

    /// The same; raw bytes are kept as long as `retention` says.
    pub fn open_keeping(dir: &Path, retention: Retention) -> Result<Opened, JournalError> {
        match Store::open(dir) {
            Err(error @ JournalError::Unwritable { .. }) => Journal::open_later(dir, retention, &error.to_string()),
            opened => start(opened?, retention, None),
        }
    }

    /// The same on a disk that takes nothing now, and why: everything waits in memory until it does.
    pub fn open_later(dir: &Path, retention: Retention, why: &str) -> Result<Opened, JournalError> {
        let message = format!("{why}; the tables go on and are recorded as soon as they can be");
        start(Store::closed(dir), retention, Some(message))
    }

    /// Where the counts of a table went on when the journal was opened.
    pub fn counts(&self, table_id: &str) -> Counts {
        self.counts.get(table_id).copied().unwrap_or_default()
    }

    /// What was known of a table before it is opened at `opened_us` microseconds since 1970 UTC. What cannot be read is
    /// not gone on with: the table opens all the same.
    pub fn past(&self, table_id: &str, opened_us: i64) -> Resume {
        let next = self.next_session.load(Ordering::Relaxed);
        let past = Reader::open(&self.dir).and_then(|reader| reader.past(table_id, next, opened_us));
        past.unwrap_or_else(|error| {
            tracing::error!("table {table_id}: what was played before cannot be gone on with: {error}");
            Resume::default()
        })
    }

    /// What a table received since the game with this id began, if all of it is there and came to the same table.
    pub fn trail(&self, game: &str, settings: &TableSettings) -> Option<Trail> {
        let trail = Reader::open(&self.dir).and_then(|reader| reader.trail(game, settings));
        trail.unwrap_or_else(|error| {
            tracing::error!("table {}: what it received before cannot be read: {error}", settings.id);
            None
        })
    }

    /// Opens a session of the table with index `table`, named `name` and begun `started_us` microseconds after 1970
    /// UTC. It is recorded with its first batch. Raw inputs are kept unless the settings say otherwise.
    pub fn session(&self, table: usize, name: &str, started_us: i64, settings: &TableSettings) -> Session {
        let id = self.next_session.fetch_add(1, Ordering::Relaxed);
        Session(Arc::new(SessionRow { id, table, name: name.to_owned(), started_us, settings: settings.clone() }))
    }

    /// Hands a batch to the writer without waiting.
    pub fn record(&self, batch: Batch) -> Result<(), Refused> {
        self.queue.try_send(Box::new(batch)).map_err(|e| match e {
            mpsc::error::TrySendError::Full(batch) => Refused::Full(batch),
            mpsc::error::TrySendError::Closed(batch) => Refused::Closed(batch),
        })
    }

    /// Hands a batch to the writer, waiting while [`QUEUE_BATCHES_MAX`] wait already.
    pub async fn record_when_free(&self, batch: Batch) -> Result<(), Refused> {
        self.queue.send(Box::new(batch)).await.map_err(|e| Refused::Closed(e.0))
    }

    /// Batches that wait for the writer.
    pub fn waiting(&self) -> usize {
        self.queue.max_capacity() - self.queue.capacity()
    }
}

/// The writer's thread.
pub struct Stopping(thread::JoinHandle<u64>);

impl Stopping {
    /// Blocks until the last [`Journal`] is dropped and everything is committed. Answers how many rows could not be
    /// written and are lost.
    pub fn wait(self) -> u64 {
        self.0.join().unwrap_or(u64::MAX)
    }
}

/// Starts the writer of a store, and says why it is not open yet.
pub(super) fn start(store: Store, retention: Retention, closed: Option<String>) -> Result<Opened, JournalError> {
    let Contents { marks, newest, next_session, counts } = store.contents(Timestamp::now().as_millisecond())?;
    let (next_session, counts) = (Arc::new(AtomicI64::new(next_session)), Arc::new(counts));
    let dir = store.path().parent().unwrap_or(Path::new(".")).into();
    let (queue, queued) = mpsc::channel(QUEUE_BATCHES_MAX);
    let (passed, committed) = mpsc::channel(COMMITTED_BATCHES_MAX);
    let (told, health) = watch::channel(Health::Ok);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(JournalError::Thread)?;
    let mut writer = Writer {
        store,
        retention,
        retire_at: Instant::now(),
        opened: (Instant::now(), Timestamp::now()),
        first_session: next_session.load(Ordering::Relaxed),
        marks: marks.clone(),
        row: newest,
        queue: queued,
        committed: passed,
        health: told,
        sessions: BTreeSet::new(),
        devices: BTreeMap::new(),
        rows: Vec::new(),
        rows_bytes: 0,
        batches: Vec::new(),
        urgent: false,
        lazy_until: None,
        failing: None,
        lost: Lost::default(),
        missed: 0,
        checkpoint_bytes: 0,
    };
    closed.into_iter().for_each(|why| writer.fail(why));
    let thread = thread::Builder::new().name("journal".into()).spawn(move || runtime.block_on(writer.run()));
    let stopping = Stopping(thread.map_err(JournalError::Thread)?);
    Ok(Opened { journal: Journal { queue, next_session, counts, dir }, committed, health, stopping, marks, newest })
}

struct Writer {
    store: Store,
    retention: Retention,
    /// When raw bytes are looked at next, whether they must be kept.
    retire_at: Instant,
    /// When the journal was opened, by both clocks.
    opened: (Instant, Timestamp),
    /// The first session since then.
    first_session: i64,
    marks: Marks,
    /// The last row that was given to an event.
    row: i64,
    queue: mpsc::Receiver<Box<Batch>>,
    committed: mpsc::Sender<Committed>,
    health: watch::Sender<Health>,
    /// Sessions whose row is written or waits.
    sessions: BTreeSet<i64>,
    /// What is written of each device, by session and name.
    devices: BTreeMap<(i64, String), Found>,
    /// Rows to write, in order.
    rows: Vec<Row>,
    rows_bytes: usize,
    /// Batches to hand on after the commit, in order, each with the last row of its events.
    batches: Vec<(i64, Batch)>,
    /// Whether one of the batches must be durable before it is handed on.
    urgent: bool,
    /// When lazy rows are due.
    lazy_until: Option<Instant>,
    failing: Option<Failing>,
    lost: Lost,
    /// Batches that the publisher did not take since the last that it took.
    missed: u64,
    /// Bytes committed since the last checkpoint.
    checkpoint_bytes: usize,
}

struct Failing {
    message: String,
    since: Timestamp,
    retry_at: Instant,
    delay: Duration,
}

#[derive(Default)]
struct Lost {
    inputs: u64,
    events: u64,
}

impl Writer {
    /// Serves until the last [`Journal`] is gone. Answers how many rows are lost.
    async fn run(mut self) -> u64 {
        while self.collect().await {
            if self.due() {
                self.commit();
            }
            self.hand_on();
            self.checkpoint();
            self.retire();
        }
        self.commit();
        self.hand_on();
        let lost = self.rows.len() as u64 + self.lost.inputs + self.lost.events;
        if lost > 0 {
            tracing::error!(lost, journal = %self.store.path().display(), "rows of the journal could not be written");
        }
        lost
    }

    /// Waits for a batch or for a deadline and takes in what else waits. False when no more can come.
    async fn collect(&mut self) -> bool {
        let deadline = self.failing.as_ref().map_or(self.lazy_until, |failing| Some(failing.retry_at));
        let first = match deadline {
            Some(deadline) => match timeout_at(deadline, self.queue.recv()).await {
                Ok(first) => first,
                Err(_) => return true,
            },
            None => self.queue.recv().await,
        };
        let Some(first) = first else { return false };
        self.take_in(*first);
        while self.batches.len() < GROUP_BATCHES_MAX
            && (self.failing.is_some() || self.rows_bytes < GROUP_BYTES_MAX)
            && let Ok(batch) = self.queue.try_recv()
        {
            self.take_in(*batch);
        }
        true
    }

    /// Makes rows of a batch.
    fn take_in(&mut self, mut batch: Batch) {
        let session = batch.session.clone();
        let id = session.0.id;
        if self.sessions.insert(id) {
            self.push(Row::Session(session.0.clone()));
        }
        self.urgent |= batch.urgent();
        let inputs = mem::take(&mut batch.inputs);
        if session.0.settings.capture {
            inputs.into_iter().for_each(|input| self.push(Row::input(id, input)));
        }
        for event in &batch.events {
            self.row += 1;
            self.push(Row::event(self.row, id, event));
        }
        for response in &batch.responses {
            self.push(Row::response(id, batch.t, response));
        }
        for device in &batch.devices {
            self.note_device(id, batch.t, device);
        }
        if !self.rows.is_empty() && self.lazy_until.is_none() {
            self.lazy_until = Some(Instant::now() + Duration::from_millis(LAZY_MS));
        }
        self.batches.push((self.row, batch));
    }

    /// Keeps how a device lies when that is news.
    fn note_device(&mut self, session: i64, t: Told, device: &DeviceState) {
        let clock_white = match device.clock_white.as_deref() {
            Some("left") => Some(Side::Left),
            Some("right") => Some(Side::Right),
            _ => None,
        };
        let found = Found { turned: device.rotation.map(|degrees| degrees != 0), clock_white };
        let known = self.devices.entry((session, device.device.clone())).or_default();
        if std::mem::replace(known, found) != found {
            let name = device.device.clone();
            let (turned, clock_white) = (found.turned, device.clock_white.clone());
            self.push(Row::Device { session, t, name, turned, clock_white });
        }
    }

    /// Keeps a row for the next commit if there is room. Sessions are few and always kept.
    fn push(&mut self, row: Row) {
        let (lost, bytes_max) = match row {
            Row::Session(_) => (&mut self.lost.events, usize::MAX),
            Row::Input { .. } => (&mut self.lost.inputs, BACKLOG_INPUT_BYTES_MAX),
            Row::Event { .. } | Row::Response { .. } | Row::Device { .. } => (&mut self.lost.events, BACKLOG_BYTES_MAX),
        };
        if self.rows_bytes.saturating_add(row.bytes()) > bytes_max {
            *lost += 1;
            return;
        }
        self.rows_bytes += row.bytes();
        self.rows.push(row);
    }

    /// Whether to commit now: something urgent or lazy rows that waited long enough; on a failing disk the next try.
    fn due(&self) -> bool {
        let passed = |deadline: Instant| deadline <= Instant::now();
        match &self.failing {
            Some(failing) => passed(failing.retry_at),
            None => self.urgent || self.rows_bytes >= GROUP_BYTES_MAX || self.lazy_until.is_some_and(passed),
        }
    }

    /// Writes all rows, group by group, or notes that the disk fails.
    fn commit(&mut self) {
        if let Err(error) = self.store.try_open() {
            return self.fail(error.to_string());
        }
        let mut written = 0;
        let mut outcome = Ok(());
        // Without rows the marks alone are written.
        if self.rows.is_empty() {
            outcome = self.store.write(&[], &self.marks);
        }
        while written < self.rows.len() && outcome.is_ok() {
            let group = group_len(&self.rows[written..]);
            outcome = self.store.write(&self.rows[written..written + group], &self.marks);
            if outcome.is_ok() {
                written += group;
            }
        }
        let bytes: usize = self.rows.drain(..written).map(|row| row.bytes()).sum();
        self.rows_bytes -= bytes;
        self.checkpoint_bytes += bytes;
        self.lazy_until = None;
        match outcome {
            Ok(()) => self.recover(),
            Err(error) => self.fail(advice(&error)),
        }
    }

    fn recover(&mut self) {
        if let Some(failing) = self.failing.take() {
            tracing::info!(since = %failing.since, "the journal is written again");
            self.health.send_replace(Health::Ok);
        }
    }

    fn fail(&mut self, message: String) {
        let delay = self.failing.as_ref().map_or(RETRY_MIN, |failing| (failing.delay * 2).min(RETRY_MAX));
        let since = self.failing.as_ref().map_or_else(Timestamp::now, |failing| failing.since);
        if self.failing.as_ref().is_none_or(|failing| failing.message != message) {
            tracing::error!(journal = %self.store.path().display(), "{message}");
        }
        self.health.send_replace(Health::Failing {
            message: message.clone(),
            since: format!("{since:.3}"),
            waiting: self.rows.len(),
            lost_inputs: self.lost.inputs,
            lost_events: self.lost.events,
        });
        self.failing = Some(Failing { message, since, retry_at: Instant::now() + delay, delay });
    }

    /// Hands the batches on. A publisher that takes none misses them; their events are recorded all the same.
    fn hand_on(&mut self) {
        let durable = self.failing.is_none();
        for (row, batch) in self.batches.drain(..).filter(|(_, batch)| batch.has_news()) {
            match self.committed.try_send(Committed { batch, row, durable, missed: self.missed }) {
                Ok(()) => self.missed = 0,
                Err(_) => self.missed += 1,
            }
        }
        self.urgent = false;
    }

    /// Deletes raw bytes that need not be kept, a few at a time while nothing waits.
    fn retire(&mut self) {
        if self.failing.is_some() || !self.queue.is_empty() || self.retire_at > Instant::now() {
            return;
        }
        let elapsed = i64::try_from(self.opened.0.elapsed().as_micros()).unwrap_or(i64::MAX);
        let now = Now {
            wall_us: Timestamp::now().as_microsecond(),
            own_us: self.opened.1.as_microsecond().saturating_add(elapsed),
            first_own: self.first_session,
        };
        let retired = self.store.retire(self.retention, now);
        let again = retired.as_ref().is_ok_and(|rows| *rows > 0);
        self.checkpoint_bytes += retired.as_ref().map_or(0, |rows| rows * RETIRED_ROW_BYTES);
        self.retire_at = Instant::now() + if again { RETIRE_AGAIN } else { RETIRE_EVERY };
        if let Err(error) = retired {
            tracing::warn!("old raw bytes could not be deleted from the journal: {error}");
        }
    }

    /// Moves the log into the database, preferably while nothing waits.
    fn checkpoint(&mut self) {
        let idle = self.queue.is_empty() && self.failing.is_none();
        if self.checkpoint_bytes < CHECKPOINT_BYTES || !(idle || self.checkpoint_bytes >= CHECKPOINT_BYTES_MAX) {
            return;
        }
        self.checkpoint_bytes = 0;
        if let Err(error) = self.store.checkpoint() {
            tracing::warn!("the log of the journal could not be moved into the database: {error}");
        }
    }
}

/// How many of the first rows go into one commit: at least one.
fn group_len(rows: &[Row]) -> usize {
    let mut bytes = 0;
    let fits = |row: &&Row| {
        bytes += row.bytes();
        bytes <= GROUP_BYTES_MAX
    };
    rows.iter().take_while(fits).count().max(1)
}

/// What a failed commit means and what to do.
fn advice(error: &rusqlite::Error) -> String {
    let advice = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => "the disk is full: free some space",
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            "it may not be written: mend the mount or the rights"
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => "another program locks it: close that program",
        Some(ErrorCode::SystemIoFailure) => "the disk fails: look at the kernel's log and at the disk",
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            "it is damaged: stop the daemon and move the file away"
        }
        _ => "unexpected: please report it",
    };
    format!("the journal cannot be written, {advice} ({error}); the table goes on and is recorded as soon as it can be")
}

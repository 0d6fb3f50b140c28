//! The durable record: events and raw bytes in SQLite.
//!
//! ```text
//! table ─ Batch ─► bounded queue ─► writer thread: group commit, fsync ─► Committed ─► publish
//! ```
//! In: [`Batch`]es of a table's events and of everything that the table received. Out: the same batches once they are
//! durable, in order; and, through a [`Reader`] of its own connection, the recorded games and captures, what the bus
//! has missed, and what a table must know that is opened again. It knows no bus and no serial port.
//!
//! Events and answers are committed at once, as many in one commit as wait. Raw inputs are lazy: they ride along, or
//! are committed alone after [`LAZY_MS`]. When the disk fails, play goes on: rows wait in memory, batches are handed on
//! marked as not durable, [`Health`] says so, and the rows are written as soon as the disk takes them.

mod error;
mod marks;
mod past;
mod reader;
mod retention;
mod store;
#[cfg(test)]
mod tests;
mod trail;
mod writer;

use std::sync::Arc;

pub use error::{JournalError, takes_nothing};
pub use marks::Marks;
pub use reader::{GameSummary, Reader};
pub use retention::Retention;
pub use store::holder;
pub use writer::{Health, Journal, Opened, Refused, Stopping};

use crate::{
    event::{ArbiterState, DeviceState, Event, Response, State},
    table::{capture::RawInput, settings::TableSettings},
    types::Instant,
};

/// Batches that may wait for the writer; a caller is refused beyond that.
pub const QUEUE_BATCHES_MAX: usize = 4096;
/// Committed batches that may wait for the publisher; beyond that it misses some.
pub const COMMITTED_BATCHES_MAX: usize = 4096;
/// Batches in one commit.
pub const GROUP_BATCHES_MAX: usize = 512;
/// Bytes of rows in one commit, at least one row.
pub const GROUP_BYTES_MAX: usize = 1 << 20;
/// Milliseconds after which raw inputs are committed without an event to ride along with.
pub const LAZY_MS: u64 = 200;
/// Bytes of rows kept in memory on a failing disk beyond which further raw inputs are lost.
pub const BACKLOG_INPUT_BYTES_MAX: usize = 16 << 20;
/// Bytes of rows kept in memory on a failing disk beyond which further events are lost, too.
pub const BACKLOG_BYTES_MAX: usize = 32 << 20;

/// One table from one start of the daemon on: what `t` counts from and what device numbers mean.
#[derive(Clone, Debug)]
pub struct Session(Arc<SessionRow>);

#[derive(Debug)]
struct SessionRow {
    id: i64,
    table: usize,
    name: String,
    started_us: i64,
    settings: TableSettings,
}

impl Session {
    /// Index of the table as the daemon counts them.
    pub fn table(&self) -> usize {
        self.0.table
    }

    /// The table's settings.
    pub fn settings(&self) -> &TableSettings {
        &self.0.settings
    }
}

/// What one table received and said at one time. Only the events, answers and inputs are recorded; states ride along
/// to the publisher.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Whose.
    pub session: Session,
    /// When the table was given the input that made it.
    pub t: Instant,
    /// What was received and sent; empty when the batch comes out again.
    pub inputs: Vec<RawInput>,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// Answers to requests, in order.
    pub responses: Vec<Response>,
    /// New states of devices.
    pub devices: Vec<DeviceState>,
    /// The table after the events.
    pub state: Option<Box<State>>,
    /// What only the arbiter may know, after the events.
    pub arbiter: Option<Box<ArbiterState>>,
}

impl Batch {
    /// A batch with nothing in it.
    pub fn new(session: &Session, t: Instant) -> Batch {
        Batch {
            session: session.clone(),
            t,
            inputs: Vec::new(),
            events: Vec::new(),
            responses: Vec::new(),
            devices: Vec::new(),
            state: None,
            arbiter: None,
        }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty() && !self.has_news()
    }

    /// Whether somebody is to hear something that must be durable first.
    fn urgent(&self) -> bool {
        !self.events.is_empty() || !self.responses.is_empty()
    }

    /// Whether there is something for the publisher.
    fn has_news(&self) -> bool {
        self.urgent() || !self.devices.is_empty() || self.state.is_some() || self.arbiter.is_some()
    }
}

/// A batch on its way to the publisher.
#[derive(Clone, Debug)]
pub struct Committed {
    /// What to publish.
    pub batch: Batch,
    /// The last row of its events; that of those before it if it has none.
    pub row: i64,
    /// Whether it survives a loss of power; false while [`Health::Failing`].
    pub durable: bool,
    /// Batches before this one that were recorded and not handed on because the publisher did not take them.
    pub missed: u64,
}

/// Where the counts of a table go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Next `seq` of the live feed.
    pub seq: u64,
    /// Next `seq` and next id of incidents.
    pub incident: u64,
}

impl Default for Counts {
    fn default() -> Counts {
        Counts { seq: 1, incident: 1 }
    }
}

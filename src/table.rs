//! The machine: one table as a pure, deterministic value.
//!
//! In: [`Input`]s, each stamped with its arrival. Out: [`Output`]s. After every [`Table::handle`], drain
//! [`Table::poll`] until it answers [`Output::Deadline`]; call `handle` with [`Input::Timeout`] no later than that.
//! Bad bytes become counters and events, never an error or a panic. It reads no clock, opens no file, draws no random
//! number: the same inputs give the same outputs, so that live, replay, simulation and test are one path.

pub mod settings;

use crate::{
    event::{DeviceState, Event, Request, Response},
    types::Instant,
};

/// What a table is opened with: the only wall-clock time that it ever hears of, and where its counts go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Names the daemon start (or the replay) in every message.
    pub session: String,
    /// Wall-clock time of [`Instant::ZERO`] in microseconds since 1970 UTC.
    pub started_us: i64,
    /// First `seq` of the live feed (1 for a new table).
    pub seq: u64,
    /// First `seq` and first id of incidents (1 for a new table).
    pub incident: u64,
}

/// Index of a device in the table's settings.
pub type DeviceIndex = usize;

/// What comes in.
#[derive(Clone, Debug, PartialEq)]
pub enum Input<'a> {
    /// Bytes that a device sent, in any cuts.
    Bytes(DeviceIndex, &'a [u8]),
    /// A device's port was opened (true) or is gone (false).
    Link(DeviceIndex, bool),
    /// A command.
    Request(Request),
    /// A deadline passed, or nothing in particular: early calls are harmless.
    Timeout,
}

/// What goes out.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Bytes to send to a device.
    Transmit(DeviceIndex, Vec<u8>),
    /// An event: to be durable before anyone hears of it.
    Event(Event),
    /// A device's state changed.
    Device(DeviceState),
    /// The answer to a request, in the order of the requests.
    Response(Response),
    /// Nothing more until this instant, or until the next input if there is none.
    Deadline(Option<Instant>),
}

/// The settings do not describe a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {message}")]
pub struct SettingsError {
    /// The key within the `[[table]]` entry.
    pub key: String,
    /// What was expected, what was found, how to mend it.
    pub message: String,
}

/// One table.
pub struct Table {
    settings: settings::TableSettings,
    opening: Opening,
}

impl Table {
    /// A table with nothing known of its boards.
    pub fn new(settings: settings::TableSettings, opening: Opening) -> Result<Table, SettingsError> {
        Ok(Table { settings, opening })
    }

    /// Takes one input in. `at` never goes back.
    pub fn handle(&mut self, at: Instant, input: Input<'_>) {
        let _ = (at, input, &self.settings, &self.opening);
    }

    /// The next output. Drain until [`Output::Deadline`].
    #[must_use]
    pub fn poll(&mut self) -> Output {
        Output::Deadline(None)
    }

    /// The whole table now.
    pub fn state(&self) -> crate::event::State {
        unreachable!("filled in with the tracker")
    }
}

//! Whether a device speaks: from opened ports, arrivals and silence.

use serde::{Deserialize, Serialize};

use crate::types::{Instant, SECOND};

/// Whether a device speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LinkState {
    /// It answers.
    Up,
    /// The port is open and nothing comes.
    Silent,
    /// The port is gone.
    Down,
}

/// Silence after which a link counts as silent (`sensor protocol`: 3 s without any line).
pub const SILENT_AFTER_US: i64 = 3 * SECOND;

/// The link of one device.
#[derive(Clone, Debug)]
pub struct Link {
    up: bool,
    last_rx: Option<Instant>,
    silent_at: Option<Instant>,
    silent: bool,
}

impl Link {
    /// A port that is not open.
    pub fn down() -> Link {
        Link { up: false, last_rx: None, silent_at: None, silent: false }
    }

    /// The port was opened or is gone.
    pub fn set(&mut self, at: Instant, up: bool) {
        *self = Link { up, last_rx: None, silent_at: up.then(|| at + SILENT_AFTER_US), silent: false };
    }

    /// Something readable came. Bytes of an open port imply that it is open.
    pub fn heard(&mut self, at: Instant) {
        *self = Link { up: true, last_rx: Some(at), silent_at: Some(at + SILENT_AFTER_US), silent: false };
    }

    /// Notes silence when its time has come.
    pub fn advance(&mut self, at: Instant) {
        if self.silent_at.is_some_and(|deadline| at >= deadline) {
            self.silent = true;
            self.silent_at = None;
        }
    }

    /// When silence would be noted.
    pub fn deadline(&self) -> Option<Instant> {
        self.silent_at
    }

    /// Whether the port is open.
    pub fn is_up(&self) -> bool {
        self.up
    }

    /// When something readable came last.
    pub fn last_rx(&self) -> Option<Instant> {
        self.last_rx
    }

    /// As messages say it: a device that never answered is silent.
    pub fn state(&self) -> LinkState {
        match (self.up, self.silent || self.last_rx.is_none()) {
            (false, _) => LinkState::Down,
            (true, true) => LinkState::Silent,
            (true, false) => LinkState::Up,
        }
    }
}

//! What a node says of itself: its state, its start, how it does, what it logs.
//!
//! In: what the daemon knows of itself. Out: plain values with a fixed JSON form. Which topic they go to stands in
//! [`super::topic`], when they are sent is the daemon's business.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::session::SessionHealth;
use crate::{event::LinkState, journal};

/// `node/N/state`, retained; also the last will.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NodeState {
    /// [`crate::event::VERSION`].
    pub v: u8,
    /// Names the start of the daemon.
    pub session: String,
    /// What it is doing.
    pub state: NodeStatus,
}

/// What a node is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NodeStatus {
    /// Recording.
    Online,
    /// Going down in order.
    Stopping,
    /// Gone; also the last will.
    Offline,
}

/// `node/N/info`, retained: the program and its configuration without secrets.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NodeInfo {
    /// [`crate::event::VERSION`].
    pub v: u8,
    /// As in [`NodeState`].
    pub session: String,
    /// Version of the program.
    pub version: String,
    /// RFC 3339 time of the start.
    pub started: String,
    /// The configuration; of passwords only the names of their files.
    pub config: serde_json::Value,
}

/// `node/N/health`, retained for some seconds.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NodeHealth {
    /// [`crate::event::VERSION`].
    pub v: u8,
    /// As in [`NodeState`].
    pub session: String,
    /// RFC 3339 time.
    pub time: String,
    /// Seconds since the start.
    pub uptime_s: i64,
    /// The MQTT session.
    pub bus: SessionHealth,
    /// The journal.
    pub journal: JournalHealth,
    /// Devices by table and name.
    pub tables: BTreeMap<String, BTreeMap<String, DeviceHealth>>,
    /// How often a table broke and was opened again; only tables that did.
    pub restarts: BTreeMap<String, u64>,
}

/// How the journal does.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct JournalHealth {
    /// The disk.
    #[serde(flatten)]
    pub disk: journal::Health,
    /// Batches that wait to be written.
    pub batches_waiting: usize,
}

/// How a device does.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeviceHealth {
    /// Whether it speaks.
    pub link: LinkState,
    /// Frames, bytes and rejects by reason since the link came up.
    pub counters: BTreeMap<String, u64>,
}

/// `node/N/log`: a line of warn or above.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NodeLog {
    /// [`crate::event::VERSION`].
    pub v: u8,
    /// As in [`NodeState`].
    pub session: String,
    /// RFC 3339 time.
    pub time: String,
    /// `warn` or `error`.
    pub level: String,
    /// The line.
    pub message: String,
}

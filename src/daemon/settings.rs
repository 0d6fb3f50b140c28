//! What a node is started with: by the daemon from its configuration, by the demo and by tests directly.

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use crate::{journal::Retention, publish::password::Password, table::settings::TableSettings};

/// What a node is started with.
#[derive(Clone)]
pub struct NodeSettings {
    /// Names the node.
    pub id: String,
    /// Where the journal is.
    pub data_dir: PathBuf,
    /// How long raw bytes are kept there.
    pub retention: Retention,
    /// First levels of all topics.
    pub prefix: String,
    /// Which broker.
    pub broker: Broker,
    /// Where the web server listens; port 0 takes any that is free.
    pub web: SocketAddr,
    /// What arbiters sign in with at the web server.
    pub arbiter: Option<Password>,
    /// The tables.
    pub tables: Vec<TableSettings>,
    /// So many times as fast as time: 1 except with emulated devices that are faster.
    pub speed: u32,
    /// The configuration as `node/N/info` shows it, without secrets.
    pub shown: serde_json::Value,
}

/// Which broker a node uses.
#[derive(Clone)]
pub enum Broker {
    /// Its own.
    Embedded {
        /// Where it listens; port 0 takes any that is free.
        listen: SocketAddr,
        /// Whether anonymous clients may read the live feed.
        live_open: bool,
        /// Password of user `arbiter`.
        arbiter: Option<Password>,
        /// Password of user `display`.
        display: Option<Password>,
    },
    /// Another one.
    External {
        /// Host name or address.
        host: String,
        /// TCP port.
        port: u16,
        /// User name and password.
        login: Option<(String, String)>,
        /// Encrypts the connection.
        tls: Option<Arc<rustls::ClientConfig>>,
        /// How often retained topics are sent again.
        refresh: Option<Duration>,
    },
}

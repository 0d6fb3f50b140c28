//! The configuration file: TOML text to a checked [`Config`], or every problem in it.
//!
//! In: the text and the path that messages and relative paths refer to. Out: values that need no further checks, or
//! [`Problem`]s with place, what was expected, what was found and how to mend it, all of them at once. Ports, brokers
//! and rights are not looked at.

pub mod calibration;
mod device;
mod nodes;
mod read;
mod schema;
mod table;
#[cfg(test)]
mod tests;

use std::{
    fmt, fs, io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

pub use schema::schema;
use serde::Serialize;

use crate::{journal::Retention, table::settings::TableSettings};

/// The file that is read when none is named.
pub const DEFAULT_PATH: &str = "/etc/bughoused/bughoused.toml";
/// Bytes of the largest configuration that is read.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// What one daemon is told.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Config {
    /// This machine.
    pub node: Node,
    /// The bus.
    pub mqtt: Mqtt,
    /// Who may do what.
    pub auth: Auth,
    /// The web server.
    pub web: Web,
    /// At least one table.
    pub tables: Vec<TableSettings>,
}

/// `[node]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Node {
    /// Names the machine in topics.
    pub id: String,
    /// Where the journal is.
    pub data_dir: PathBuf,
    /// Days for which raw bytes are kept; 0 for ever.
    pub keep_raw_days: u32,
    /// Megabytes of the journal beyond which the oldest raw bytes go; 0 for no bound.
    pub keep_raw_mb: u32,
}

impl Default for Node {
    fn default() -> Node {
        Node { id: "node-1".into(), data_dir: "/var/lib/bughoused".into(), keep_raw_days: 90, keep_raw_mb: 4096 }
    }
}

impl Node {
    /// How long raw bytes are kept.
    pub fn retention(&self) -> Retention {
        let bytes = u64::from(self.keep_raw_mb) << 20;
        Retention {
            days: Some(self.keep_raw_days).filter(|days| *days > 0),
            bytes: Some(bytes).filter(|bytes| *bytes > 0),
        }
    }
}

/// `[mqtt]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mqtt {
    /// Which broker.
    pub broker: Broker,
    /// First level of every topic.
    pub prefix: String,
    /// Whether anonymous readers may read `live/`.
    pub live_open: bool,
}

impl Default for Mqtt {
    fn default() -> Mqtt {
        let listen = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 1883);
        Mqtt { broker: Broker::Embedded { listen }, prefix: "bughouse".into(), live_open: false }
    }
}

/// Which broker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Broker {
    /// Within the daemon.
    Embedded {
        /// Where it listens.
        listen: SocketAddr,
    },
    /// Somewhere else.
    External(External),
}

/// An external broker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct External {
    /// Name or address.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Whether the connection is encrypted (`mqtts://`).
    pub tls: bool,
    /// User name.
    pub user: Option<String>,
    /// File with the password.
    pub password_file: Option<PathBuf>,
    /// Certificates that are trusted; the system's without.
    pub ca_file: Option<PathBuf>,
    /// Own certificate.
    pub client_cert: Option<PathBuf>,
    /// Its key.
    pub client_key: Option<PathBuf>,
    /// How often retained topics are sent again, in microseconds.
    pub refresh_us: Option<u64>,
}

/// `[auth]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Auth {
    /// File with the password of user `arbiter`.
    pub arbiter_password_file: Option<PathBuf>,
    /// File with the password of user `display`.
    pub display_password_file: Option<PathBuf>,
}

/// `[web]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Web {
    /// Where the web server listens.
    pub listen: SocketAddr,
}

impl Default for Web {
    fn default() -> Web {
        Web { listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080) }
    }
}

/// One thing that is wrong, as `file:line:column: key: expected …, found …; how to mend it`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub path: PathBuf,
    /// Line and column from 1; none for the file as a whole.
    pub place: Option<(usize, usize)>,
    /// The key, with its sections.
    pub key: String,
    /// What was expected, what was found, how to mend it.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some((line, column)) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        if !self.key.is_empty() {
            write!(f, ": {}", self.key)?;
        }
        write!(f, ": {}", self.message)
    }
}

impl Config {
    /// Reads a file and checks that the files that it names exist.
    pub fn load(path: &Path) -> Result<Config, Vec<Problem>> {
        let whole = |message: String| vec![Problem { path: path.to_owned(), place: None, key: String::new(), message }];
        let text = read_file(path).map_err(whole)?;
        let (mut config, mut notes) = nodes::read(&text, path);
        notes.check_files();
        // Paths of the configuration are resolved already.
        let more = calibration::load(&mut config.tables, Path::new(""));
        match notes.into_result(config) {
            Ok(config) if more.is_empty() => Ok(config),
            Ok(_) => Err(more),
            Err(problems) => Err(problems.into_iter().chain(more).collect()),
        }
    }

    /// Checks a text; `path` is what messages name and what relative paths start from. No file is looked at.
    pub fn parse(text: &str, path: &Path) -> Result<Config, Vec<Problem>> {
        let (config, notes) = nodes::read(text, path);
        notes.into_result(config)
    }

    /// Devices of all tables.
    pub fn devices(&self) -> usize {
        self.tables.iter().map(|table| table.device.len()).sum()
    }
}

/// The text of a file, or a message.
fn read_file(path: &Path) -> Result<String, String> {
    let size = fs::metadata(path).map_or(0, |found| found.len());
    if size > FILE_BYTES_MAX {
        return Err(format!(
            "expected a configuration of at most {FILE_BYTES_MAX} bytes, found {size}; name another file"
        ));
    }
    let bytes = fs::read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            "expected a configuration file, found none; write one (the example is systemd/bughoused.toml of the \
             sources) or name another with --config"
                .to_owned()
        }
        io::ErrorKind::PermissionDenied => {
            "expected a readable file, permission denied; run as the daemon's user or mend the rights".to_owned()
        }
        io::ErrorKind::IsADirectory => {
            "expected a configuration file, found a directory; name the file in it".to_owned()
        }
        _ => format!("expected a readable file, found: {error}; look at the disk"),
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
        format!("expected text in UTF-8, found other bytes in line {line}; save the file as UTF-8")
    })
}

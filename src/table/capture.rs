//! The capture file, version 1: everything that one table received, replayable.
//!
//! ```text
//! {"capture":1,"started":"2026-11-20T15:00:00Z","table":{…}}
//! {"t":1250000,"dev":"board-a","rx":"8e00051c00"}
//! {"t":1260000,"dev":"board-a","tx":"42"}
//! {"t":9000000,"dev":"trays","link":"down"}
//! {"t":9500000,"request":{"verb":"claim","data":{"kind":"illegal-move","by":"a"}}}
//! ```
//! JSON Lines: a [`Header`], then one line an input in order of time (`tx` lines are informative). In: inputs with
//! device numbers. Out: lines with device names, and back. [`Replay`] feeds a machine with them. It knows no file.

mod hex;
mod replay;
#[cfg(test)]
mod tests;

use std::{borrow::Cow, io};

use serde::{Deserialize, Serialize};

use super::{
    DeviceIndex,
    resume::Resume,
    settings::{DeviceSettings, TableSettings},
};
use crate::{event::Request, types::Instant};

pub use replay::{CaptureError, Replay};

/// Version of the format, field `capture` of the header.
pub const VERSION: u8 = 1;
/// The longest line in bytes.
pub const LINE_BYTES_MAX: usize = 1 << 20;
/// Characters of a wrong text that an error shows.
const SHOWN_MAX: usize = 40;

/// The first line. A replay with all of its fields writes bit for bit what the captured run wrote. Keys that are not
/// known are passed over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`VERSION`].
    pub capture: u8,
    /// Wall-clock time of `t` = 0, RFC 3339.
    pub started: String,
    /// Session of the run that was captured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// First `seq` of that run.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub seq: u64,
    /// First number of its incidents.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub incident: u64,
    /// What that run knew from before.
    #[serde(default, skip_serializing_if = "Resume::is_empty")]
    pub resume: Resume,
    /// Until when that run is known; deadlines that pass later are not served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<Instant>,
    /// The table that received it.
    pub table: TableSettings,
}

fn one() -> u64 {
    1
}

fn is_one(number: &u64) -> bool {
    *number == 1
}

impl Header {
    /// The header of a run that is nobody's: a replay gives it a session of its own and counts from 1.
    pub fn new(started: String, table: TableSettings) -> Header {
        let resume = Resume::default();
        Header { capture: VERSION, started, session: None, seq: 1, incident: 1, resume, end: None, table }
    }

    /// Reads the first line.
    pub fn parse(line: &str) -> Result<Header, LineError> {
        /// What every version has.
        #[derive(Deserialize)]
        struct Version {
            capture: u64,
        }
        let wrong = |e: serde_json::Error| LineError::Header(e.to_string());
        let Version { capture } = serde_json::from_str(line).map_err(wrong)?;
        match capture == u64::from(VERSION) {
            true => serde_json::from_str(line).map_err(wrong),
            false => Err(LineError::Version(capture)),
        }
    }

    /// Writes the first line.
    pub fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        write_line(self, out)
    }
}

/// One thing that a table received, or sent to a device: a line after the header.
#[derive(Clone, Debug, PartialEq)]
pub struct RawInput {
    /// When, since the table was opened.
    pub t: Instant,
    /// What.
    pub raw: Raw,
}

/// The kinds of [`RawInput`].
#[derive(Clone, Debug, PartialEq)]
pub enum Raw {
    /// Bytes that a device sent.
    Rx(DeviceIndex, Vec<u8>),
    /// Bytes that were sent to a device; a replay ignores them.
    Tx(DeviceIndex, Vec<u8>),
    /// A port was opened (true) or is gone (false).
    Link(DeviceIndex, bool),
    /// A command.
    Request(Request),
}

impl RawInput {
    /// Reads a line after the header; `devices` are those of the header.
    pub fn parse(line: &str, devices: &[DeviceSettings]) -> Result<RawInput, LineError> {
        let (t, said) = Line::parse(line)?;
        let bytes = |hex: Text<'_>| {
            let mut bytes = Vec::new();
            hex::decode(&hex.0, &mut bytes).map(|()| bytes).ok_or_else(|| LineError::hex(&hex.0))
        };
        let raw = match said {
            Said::Rx(name, hex) => Raw::Rx(device(devices, &name.0)?, bytes(hex)?),
            Said::Tx(name, hex) => Raw::Tx(device(devices, &name.0)?, bytes(hex)?),
            Said::Link(name, up) => Raw::Link(device(devices, &name.0)?, up),
            Said::Request(request) => Raw::Request(*request),
        };
        Ok(RawInput { t, raw })
    }

    /// Writes a line; a device that the settings do not have is named by its number.
    pub fn write(&self, devices: &[DeviceSettings], out: &mut dyn io::Write) -> io::Result<()> {
        let name = |index: &usize| {
            let known = devices.get(*index).map(|device| Cow::Borrowed(device.name.as_str()));
            Some(Text(known.unwrap_or_else(|| format!("#{index}").into())))
        };
        let hex = |bytes: &[u8]| Some(Text(hex::encode(bytes).into()));
        let line = Line { t: self.t, ..Line::default() };
        let line = match &self.raw {
            Raw::Rx(device, bytes) => Line { dev: name(device), rx: hex(bytes), ..line },
            Raw::Tx(device, bytes) => Line { dev: name(device), tx: hex(bytes), ..line },
            Raw::Link(device, up) => Line { dev: name(device), link: Some(Link::from(*up)), ..line },
            Raw::Request(request) => Line { request: Some(Cow::Borrowed(request)), ..line },
        };
        write_line(&line, out)
    }
}

/// A line is not what a capture has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// The first line is no header.
    #[error("expected the header of a capture, {{\"capture\":1,…}}, found another: {0}")]
    Header(String),
    /// A later version.
    #[error("expected capture version {VERSION}, found {0}; use a newer bughoused")]
    Version(u64),
    /// No JSON, or unknown fields.
    #[error("expected a line of a capture, found another: {0}")]
    Json(String),
    /// Not exactly one of the kinds.
    #[error("expected `dev` with one of `rx`, `tx`, `link`, or `request` alone")]
    Kind,
    /// The bytes are not hex.
    #[error("expected pairs of hex digits, found {0:?}")]
    Hex(String),
    /// The header has no such device.
    #[error("expected the name of a device of the header ({known}), found {found:?}")]
    Device {
        /// The name.
        found: String,
        /// Those that the header has.
        known: String,
    },
}

impl LineError {
    fn hex(found: &str) -> LineError {
        LineError::Hex(found.chars().take(SHOWN_MAX).collect())
    }
}

fn device(devices: &[DeviceSettings], name: &str) -> Result<DeviceIndex, LineError> {
    devices.iter().position(|device| device.name == name).ok_or_else(|| {
        let known: Vec<&str> = devices.iter().map(|device| device.name.as_str()).collect();
        LineError::Device { found: name.chars().take(SHOWN_MAX).collect(), known: known.join(", ") }
    })
}

/// A line after the header as it is written; texts without escapes are not copied.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    t: Instant,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    dev: Option<Text<'a>>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    rx: Option<Text<'a>>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    tx: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    link: Option<Link>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request: Option<Cow<'a, Request>>,
}

/// A type of its own because serde borrows no `Cow` within an `Option`.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Link {
    Up,
    Down,
}

impl From<bool> for Link {
    fn from(up: bool) -> Link {
        if up { Link::Up } else { Link::Down }
    }
}

/// What a line says: the device's name, and its bytes in hex or whether its port is open.
enum Said<'a> {
    Rx(Text<'a>, Text<'a>),
    Tx(Text<'a>, Text<'a>),
    Link(Text<'a>, bool),
    Request(Box<Request>),
}

impl<'a> Line<'a> {
    fn parse(text: &'a str) -> Result<(Instant, Said<'a>), LineError> {
        let line: Line<'a> = serde_json::from_str(text).map_err(|e| LineError::Json(e.to_string()))?;
        let said = match (line.dev, line.rx, line.tx, line.link, line.request) {
            (Some(name), Some(hex), None, None, None) => Said::Rx(name, hex),
            (Some(name), None, Some(hex), None, None) => Said::Tx(name, hex),
            (Some(name), None, None, Some(link), None) => Said::Link(name, link == Link::Up),
            (None, None, None, None, Some(request)) => Said::Request(Box::new(request.into_owned())),
            _ => return Err(LineError::Kind),
        };
        Ok((line.t, said))
    }
}

fn write_line(value: &impl Serialize, out: &mut dyn io::Write) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    out.write_all(&line)
}

//! Capture files: everything that one table received, and the same machine fed with it again.
//!
//! JSON Lines: a header, then one line an input in order of time (`tx` lines are informative and skipped). In: lines of
//! text. Out: what the machine puts out, at any speed, the same every time.

use serde::{Deserialize, Serialize};

use super::{Input, Opening, Output, Table, settings::TableSettings};
use crate::{
    event::Request,
    types::{Instant, SECOND},
};

/// Version of the format.
pub const VERSION: u8 = 1;
/// Time that the machine is given after the last line, to complete what only waits for rest.
const AFTER_END_US: i64 = SECOND;
/// The longest line in bytes.
pub const LINE_BYTES_MAX: usize = 1 << 20;

/// First line of a capture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`VERSION`].
    pub capture: u8,
    /// Wall-clock time of `t` = 0, RFC 3339.
    pub started: String,
    /// Session of the run that was captured, so that a replay writes what that run wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// First `seq` of that run.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub seq: u64,
    /// First number of its incidents.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub incident: u64,
    /// The table.
    pub table: TableSettings,
}

fn one() -> u64 {
    1
}

fn is_one(number: &u64) -> bool {
    *number == 1
}

/// Any other line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Microseconds since `started`.
    pub t: i64,
    /// Name of the device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dev: Option<String>,
    /// Bytes that came, in hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rx: Option<String>,
    /// Bytes that were sent, in hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tx: Option<String>,
    /// `up` or `down`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
    /// A command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Request>,
}

/// A port was opened or is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Link {
    /// Opened.
    Up,
    /// Gone.
    Down,
}

/// A line is not what the format has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct CaptureError {
    /// From 1.
    pub line: usize,
    /// What was expected and what was found.
    pub message: String,
}

/// A table that is fed from a capture.
pub struct Replay {
    table: Table,
    names: Vec<String>,
    line: usize,
    last: Instant,
    bytes: Vec<u8>,
}

impl Replay {
    /// A machine as the first line says; `settings` replaces the header's table.
    pub fn new(header: &str, settings: Option<TableSettings>) -> Result<Replay, CaptureError> {
        let error = |message: String| CaptureError { line: 1, message };
        let header: Header = serde_json::from_str(header)
            .map_err(|e| error(format!("expected the header of a capture, {{\"capture\":1,…}}, found another: {e}")))?;
        if header.capture != VERSION {
            return Err(error(format!("expected a capture of version {VERSION}, found {}", header.capture)));
        }
        let started = header.started.parse::<jiff::Timestamp>();
        let started = started.map_err(|e| error(format!("expected `started` as RFC 3339 time: {e}")))?;
        let opening = Opening {
            session: header.session.unwrap_or_else(|| "replay".into()),
            started_us: started.as_microsecond(),
            seq: header.seq,
            incident: header.incident,
        };
        let settings = settings.unwrap_or(header.table);
        let names = settings.device.iter().map(|device| device.name.clone()).collect();
        let table = Table::new(settings, opening).map_err(|e| error(format!("table: {e}")))?;
        Ok(Replay { table, names, line: 1, last: Instant::ZERO, bytes: Vec::new() })
    }

    /// Feeds one line and hands what the machine puts out to `sink`.
    pub fn feed(&mut self, text: &str, sink: impl FnMut(Output)) -> Result<(), CaptureError> {
        self.line += 1;
        if text.trim().is_empty() {
            return Ok(());
        }
        let line = serde_json::from_str(text).map_err(|e| self.error(format!("expected a line of a capture: {e}")))?;
        self.feed_line(line, sink)
    }

    fn feed_line(&mut self, line: BorrowedLine<'_>, sink: impl FnMut(Output)) -> Result<(), CaptureError> {
        let at = Instant(line.t);
        if at < self.last {
            return Err(self.error(format!("expected t of at least {}, found {}", self.last.micros(), line.t)));
        }
        self.last = at;
        let device = match line.dev {
            Some(name) => Some(self.device(name)?),
            None => None,
        };
        match (device, line.rx, line.link, line.request) {
            (Some(device), Some(hex), None, None) => {
                let mut bytes = std::mem::take(&mut self.bytes);
                bytes.clear();
                let read = decode_hex(hex, &mut bytes);
                if read.is_some() {
                    self.table.handle(at, Input::Bytes(device, &bytes));
                }
                self.bytes = bytes;
                read.ok_or_else(|| self.error(format!("expected pairs of hex digits in rx, found {hex:?}")))?;
            }
            (Some(device), None, Some(link), None) => self.table.handle(at, Input::Link(device, link == Link::Up)),
            (None, None, None, Some(request)) => self.table.handle(at, Input::Request(request)),
            (Some(_), None, None, None) if line.tx.is_some() => return Ok(()),
            _ => return Err(self.error("expected dev with rx, tx or link, or a request".into())),
        }
        self.drain(sink);
        Ok(())
    }

    /// Lets the machine finish what waits for time alone.
    pub fn finish(&mut self, sink: impl FnMut(Output)) {
        self.table.handle(self.last + AFTER_END_US, Input::Timeout);
        self.drain(sink);
    }

    /// The machine.
    pub fn table(&self) -> &Table {
        &self.table
    }

    fn drain(&mut self, mut sink: impl FnMut(Output)) {
        loop {
            match self.table.poll() {
                Output::Deadline(_) => return,
                output => sink(output),
            }
        }
    }

    fn device(&self, name: &str) -> Result<usize, CaptureError> {
        self.names.iter().position(|known| known == name).ok_or_else(|| {
            self.error(format!("expected a device of the header ({}), found {name:?}", self.names.join(", ")))
        })
    }

    fn error(&self, message: String) -> CaptureError {
        CaptureError { line: self.line, message }
    }
}

/// [`Line`] without copies.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BorrowedLine<'a> {
    t: i64,
    #[serde(default, borrow)]
    dev: Option<&'a str>,
    #[serde(default, borrow)]
    rx: Option<&'a str>,
    #[serde(default, borrow)]
    tx: Option<&'a str>,
    #[serde(default)]
    link: Option<Link>,
    #[serde(default)]
    request: Option<Request>,
}

/// Appends the bytes of `hex`; none if it is no hex.
fn decode_hex(hex: &str, bytes: &mut Vec<u8>) -> Option<()> {
    let digit = |letter: u8| (letter as char).to_digit(16);
    let (pairs, rest) = hex.as_bytes().as_chunks::<2>();
    for [high, low] in pairs {
        bytes.push((digit(*high)? * 16 + digit(*low)?) as u8);
    }
    rest.is_empty().then_some(())
}

/// Bytes as hex, as captures have them.
pub fn encode_hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

//! The capture file, version 1: everything that one table received, replayable.
//!
//! ```text
//! {"capture":1,"started":"2026-11-20T15:00:00Z","table":{…}}
//! {"t":1250000,"dev":"board-a","rx":"8e00051c00"}
//! {"t":1260000,"dev":"board-a","tx":"42"}
//! {"t":9000000,"dev":"trays","link":"down"}
//! {"t":9500000,"request":{"verb":"claim","data":{"kind":"illegal-move","by":"a"}}}
//! ```
//! In: inputs with device numbers. Out: JSON Lines with device names, and back. It knows no database.

use std::io;

use serde::{Deserialize, Serialize};

use super::{Raw, RawInput};
use crate::{
    event::Request,
    table::settings::{DeviceSettings, TableSettings},
    types::Instant,
};

/// Version of the format, field `capture` of the header.
pub const VERSION: u32 = 1;

/// The first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`VERSION`].
    pub capture: u32,
    /// RFC 3339 time from which `t` counts.
    pub started: String,
    /// The table that received it.
    pub table: TableSettings,
}

/// Any other line as written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    t: Instant,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dev: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rx: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tx: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    link: Option<Link>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request: Option<Request>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Link {
    Up,
    Down,
}

/// A line is not what a capture has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// No JSON, or unknown fields.
    #[error("expected a line of a capture, found {0}")]
    Json(String),
    /// A later version.
    #[error("expected capture version {VERSION}, found {0}; use a newer bughoused")]
    Version(u32),
    /// Not exactly one of the kinds.
    #[error("expected `dev` with one of `rx`, `tx`, `link`, or `request` alone")]
    Kind,
    /// The bytes are not hex.
    #[error("expected pairs of hex digits, found {0:?}")]
    Hex(String),
    /// The header has no such device.
    #[error("expected the name of a device of the header, found {0:?}")]
    Device(String),
}

impl Header {
    /// Reads the first line.
    pub fn parse(line: &str) -> Result<Header, LineError> {
        let header: Header = serde_json::from_str(line).map_err(|e| LineError::Json(e.to_string()))?;
        if header.capture == VERSION { Ok(header) } else { Err(LineError::Version(header.capture)) }
    }

    /// Writes the first line.
    pub fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        write_line(self, out)
    }
}

impl RawInput {
    /// Reads a line after the header; `devices` are those of the header.
    pub fn parse(line: &str, devices: &[DeviceSettings]) -> Result<RawInput, LineError> {
        let line: Line = serde_json::from_str(line).map_err(|e| LineError::Json(e.to_string()))?;
        let device = || {
            let name = line.dev.as_deref().ok_or(LineError::Kind)?;
            let known = devices.iter().position(|device| device.name == name);
            known.ok_or_else(|| LineError::Device(name.to_owned()))
        };
        let raw = match (&line.rx, &line.tx, line.link, &line.request) {
            (Some(hex), None, None, None) => Raw::Rx(device()?, from_hex(hex)?),
            (None, Some(hex), None, None) => Raw::Tx(device()?, from_hex(hex)?),
            (None, None, Some(link), None) => Raw::Link(device()?, matches!(link, Link::Up)),
            (None, None, None, Some(request)) if line.dev.is_none() => Raw::Request(request.clone()),
            _ => return Err(LineError::Kind),
        };
        Ok(RawInput { t: line.t, raw })
    }

    /// Writes a line; a device that the settings do not have is named by its number.
    pub fn write(&self, devices: &[DeviceSettings], out: &mut dyn io::Write) -> io::Result<()> {
        let name =
            |index: usize| Some(devices.get(index).map_or_else(|| format!("#{index}"), |device| device.name.clone()));
        let empty = Line { t: self.t, dev: None, rx: None, tx: None, link: None, request: None };
        let line = match &self.raw {
            Raw::Rx(device, bytes) => Line { dev: name(*device), rx: Some(to_hex(bytes)), ..empty },
            Raw::Tx(device, bytes) => Line { dev: name(*device), tx: Some(to_hex(bytes)), ..empty },
            Raw::Link(device, up) => {
                Line { dev: name(*device), link: Some(if *up { Link::Up } else { Link::Down }), ..empty }
            }
            Raw::Request(request) => Line { request: Some(request.clone()), ..empty },
        };
        write_line(&line, out)
    }
}

fn write_line(value: &impl Serialize, out: &mut dyn io::Write) -> io::Result<()> {
    let mut line = serde_json::to_vec(value).expect("string keys only and no serializer that fails");
    line.push(b'\n');
    out.write_all(&line)
}

fn to_hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).expect("a nibble is below 16");
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn from_hex(text: &str) -> Result<Vec<u8>, LineError> {
    let wrong = || LineError::Hex(text.chars().take(40).collect());
    let digit = |letter: u8| (letter as char).to_digit(16).map(|value| value as u8).ok_or_else(wrong);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return Err(wrong());
    }
    pairs.iter().map(|[high, low]| Ok(digit(*high)? << 4 | digit(*low)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = concat!(
        r#"{"capture":1,"started":"2026-11-20T15:00:00Z","table":{"id":"1","device":["#,
        r#"{"name":"board-a","driver":"dgt","board":"A"}]}}"#
    );

    #[test]
    fn lines_of_every_kind_round_trip() {
        let devices = Header::parse(HEADER).unwrap().table.device;
        let lines = [
            r#"{"t":1250000,"dev":"board-a","rx":"8e00051c00"}"#,
            r#"{"t":1260000,"dev":"board-a","tx":"42"}"#,
            r#"{"t":9000000,"dev":"board-a","link":"down"}"#,
            r#"{"t":9500000,"request":{"verb":"claim","data":{"by":"a","kind":"illegal-move"}}}"#,
        ];
        for line in lines {
            let mut out = Vec::new();
            RawInput::parse(line, &devices).unwrap().write(&devices, &mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), format!("{line}\n"));
        }
    }

    #[test]
    fn bad_lines_say_what_is_wrong() {
        let devices = Header::parse(HEADER).unwrap().table.device;
        let wrong = |line: &str| RawInput::parse(line, &devices).unwrap_err();
        assert_eq!(wrong(r#"{"t":1,"dev":"board-a","rx":"8e0"}"#), LineError::Hex("8e0".into()));
        assert_eq!(wrong(r#"{"t":1,"dev":"board-a","rx":"zz"}"#), LineError::Hex("zz".into()));
        assert_eq!(wrong(r#"{"t":1,"dev":"board-a","rx":"é"}"#), LineError::Hex("é".into()));
        assert_eq!(wrong(r#"{"t":1,"dev":"tray","rx":"42"}"#), LineError::Device("tray".into()));
        assert_eq!(wrong(r#"{"t":1,"rx":"42"}"#), LineError::Kind);
        assert_eq!(wrong(r#"{"t":1,"dev":"board-a"}"#), LineError::Kind);
        assert_eq!(wrong(r#"{"t":1,"dev":"board-a","rx":"42","tx":"42"}"#), LineError::Kind);
        assert!(matches!(wrong(r#"{"t":1,"dev":"board-a","rxx":"42"}"#), LineError::Json(_)));
        assert!(matches!(wrong(r#"{"t":1,"dev":"board"#), LineError::Json(_)));
        assert_eq!(Header::parse(&HEADER.replace(":1,", ":2,")), Err(LineError::Version(2)));
    }
}

//! The same machine fed from a capture in virtual time.
//!
//! In: lines of text. Out: what the machine puts out, at any speed, the same every time.

use super::{Header, Line, LineError, Said, TableSettings, device, hex};
use crate::{
    table::{Input, Opening, Output, Table},
    track::explain::Note,
    types::{Instant, SECOND},
};

/// Time that the machine is given after the last line, to complete what only waits for rest; a header with an end
/// says better.
const AFTER_END_US: i64 = SECOND;
/// The longest time between two lines, a week: what longer silence asks of the machine has no bound.
const SILENCE_MAX_US: i64 = 7 * 24 * 3600 * SECOND;
/// Session of a capture that names none.
const SESSION: &str = "replay";

/// A capture has a line that is none.
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
    line: usize,
    last: Instant,
    end: Option<Instant>,
    /// Reused between lines.
    bytes: Vec<u8>,
}

impl Replay {
    /// A machine as the first line says; `settings` replaces the header's table.
    pub fn new(header: &str, settings: Option<TableSettings>) -> Result<Replay, CaptureError> {
        let error = |message: String| CaptureError { line: 1, message };
        let header = Header::parse(header).map_err(|e| error(e.to_string()))?;
        let started = header.started.parse::<jiff::Timestamp>();
        let started = started.map_err(|e| error(format!("expected `started` as RFC 3339 time: {e}")))?;
        let opening = Opening {
            session: header.session.unwrap_or_else(|| SESSION.into()),
            started_us: started.as_microsecond(),
            seq: header.seq,
            incident: header.incident,
        };
        let settings = settings.unwrap_or(header.table);
        let mut table = Table::new(settings, opening).map_err(|e| error(format!("table: {e}")))?;
        table.resume(header.resume);
        Ok(Replay { table, line: 1, last: Instant::ZERO, end: header.end, bytes: Vec::new() })
    }

    /// Feeds one line and hands what the machine puts out to `sink`.
    pub fn feed(&mut self, text: &str, sink: impl FnMut(Output)) -> Result<(), CaptureError> {
        self.line += 1;
        if text.trim_ascii().is_empty() {
            return Ok(());
        }
        let (at, said) = Line::parse(text).map_err(|e| self.error(e))?;
        if at < self.last {
            return Err(self.error(format!("expected t of at least {}, found {}", self.last.micros(), at.micros())));
        }
        if at - self.last > SILENCE_MAX_US {
            let (last, most) = (self.last.micros(), SILENCE_MAX_US);
            return Err(self.error(format!("expected t within {most} (a week) of {last}, found {}", at.micros())));
        }
        self.last = at;
        if self.take(at, said).map_err(|e| self.error(e))? {
            self.drain(sink);
        }
        Ok(())
    }

    /// Gives the machine what a line says, if it is for the machine.
    fn take(&mut self, at: Instant, said: Said<'_>) -> Result<bool, LineError> {
        let devices = &self.table.settings.device;
        match said {
            Said::Rx(name, text) => {
                let device = device(devices, &name.0)?;
                self.bytes.clear();
                hex::decode(&text.0, &mut self.bytes).ok_or_else(|| LineError::hex(&text.0))?;
                self.table.handle(at, Input::Bytes(device, &self.bytes));
            }
            Said::Tx(..) => return Ok(false),
            Said::Link(name, up) => {
                let device = device(devices, &name.0)?;
                self.table.handle(at, Input::Link(device, up));
            }
            Said::Request(request) => self.table.handle(at, Input::Request(*request)),
        }
        Ok(true)
    }

    /// Lets the machine finish what waits for time alone.
    pub fn finish(&mut self, sink: impl FnMut(Output)) {
        let end = self.end.unwrap_or(self.last + AFTER_END_US).min(self.last + SILENCE_MAX_US);
        self.table.handle(end, Input::Timeout);
        self.drain(sink);
    }

    /// From now on it is noted why plies are taken.
    pub fn explain(&mut self) {
        self.table.explain();
    }

    /// What was noted since this was asked last.
    pub fn take_notes(&mut self) -> Vec<Note> {
        self.table.take_notes()
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

    fn error(&self, found: impl std::fmt::Display) -> CaptureError {
        CaptureError { line: self.line, message: found.to_string() }
    }
}

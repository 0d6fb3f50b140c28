//! A performance in virtual time: everything that a table receives, as a capture file.
//!
//! In: a [`Performance`], the table's settings and a [`Host`]. Out: JSON Lines, first the header, then one line per
//! input in time order, and what the host sent. Nothing waits: a game of five minutes takes milliseconds.
//!
//! ```text
//! {"capture":1,"started":"2026-11-20T15:00:00Z","table":{…}}
//! {"t":1250000,"dev":"board-a","rx":"8e00051c00"}
//! {"t":1260000,"dev":"board-a","tx":"42"}
//! {"t":9000000,"dev":"trays","link":"down"}
//! ```

use std::io::{self, Write};

use serde::Serialize;

use crate::{
    table::{
        capture::{Header, Line, Link, VERSION, encode_hex},
        settings::TableSettings,
    },
    types::Instant,
};

use super::{
    hands::{Performance, Truth},
    host::Host,
    stage::Stage,
};

/// Lines of a host that never rests within one instant; more is a fault of the host.
const ANSWERS_MAX: usize = 1_000;

/// A capture file that is being written.
struct Writer<'a, W> {
    out: W,
    settings: &'a TableSettings,
}

impl<W: Write> Writer<'_, W> {
    fn header(&mut self, started: &str) -> io::Result<()> {
        let (started, table) = (started.to_owned(), self.settings.clone());
        self.json(&Header { capture: VERSION, started, session: None, seq: 1, incident: 1, table })
    }

    fn link(&mut self, at: Instant, device: usize, link: Link) -> io::Result<()> {
        self.json(&Line { link: Some(link), ..self.line(at, device) })
    }

    fn received(&mut self, at: Instant, device: usize, bytes: &[u8]) -> io::Result<()> {
        self.json(&Line { rx: Some(encode_hex(bytes)), ..self.line(at, device) })
    }

    fn sent(&mut self, at: Instant, device: usize, bytes: &[u8]) -> io::Result<()> {
        self.json(&Line { tx: Some(encode_hex(bytes)), ..self.line(at, device) })
    }

    fn line(&self, at: Instant, device: usize) -> Line {
        Line { t: at.micros(), dev: Some(self.settings.device[device].name.clone()), ..Line::default() }
    }

    fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, value)?;
        self.out.write_all(b"\n")
    }
}

/// Plays a performance to its end and writes what the table received. `started` is the RFC 3339 time of the opening.
pub fn record(
    performance: &Performance,
    settings: &TableSettings,
    started: &str,
    seed: u64,
    host: &mut impl Host,
    out: impl Write,
) -> io::Result<Truth> {
    let mut stage = Stage::new(performance, seed);
    let mut truth = performance.truth.clone();
    for (made, device) in stage.devices().zip(&settings.device) {
        truth.devices.insert(device.name.clone(), made.make());
    }
    let mut writer = Writer { out, settings };
    writer.header(started)?;
    for device in 0..settings.device.len() {
        writer.link(Instant::ZERO, device, Link::Up)?;
        host.link(Instant::ZERO, device, true);
    }
    stage.begin(Instant::ZERO);
    run(&mut stage, host, &mut writer, truth.end)?;
    writer.out.flush()?;
    Ok(truth)
}

/// Steps stage and host from one thing that happens to the next.
fn run<W: Write>(stage: &mut Stage, host: &mut impl Host, writer: &mut Writer<'_, W>, end: Instant) -> io::Result<()> {
    let mut arrived = Vec::new();
    let mut now = Instant::ZERO;
    let mut at_once = 0;
    loop {
        let deadline = answer(stage, host, writer, now)?;
        let next = [stage.next(), deadline].into_iter().flatten().min().filter(|next| *next <= end);
        let Some(next) = next.map(|next| next.max(now)) else { return Ok(()) };
        at_once = if next == now { at_once + 1 } else { 0 };
        if at_once > ANSWERS_MAX {
            return Err(io::Error::other(format!("the host does not come to rest at {now}")));
        }
        now = next;
        stage.run_until(now, &mut arrived);
        for (device, chunk) in arrived.drain(..) {
            writer.received(chunk.at, device, &chunk.bytes)?;
            host.bytes(chunk.at, device, &chunk.bytes);
        }
        if deadline.is_some_and(|deadline| deadline <= now) {
            host.timeout(now);
        }
    }
}

/// Carries what the host sends to the devices.
fn answer<W: Write>(
    stage: &mut Stage,
    host: &mut impl Host,
    writer: &mut Writer<'_, W>,
    now: Instant,
) -> io::Result<Option<Instant>> {
    let mut sent = Vec::new();
    let deadline = host.drain(&mut sent);
    for (device, bytes) in sent {
        writer.sent(now, device, &bytes)?;
        stage.input(now, device, &bytes);
    }
    Ok(deadline)
}

#[cfg(test)]
mod tests;

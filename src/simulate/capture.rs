//! A performance in virtual time: everything that a table receives, as a capture file.
//!
//! In: a [`Performance`], the table's settings and a [`Host`]. Out: JSON Lines, first the header, then one line per
//! input in time order, and what the host sent. Nothing waits: a game of five minutes takes milliseconds.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use crate::{
    table::{
        capture::{Header, Raw, RawInput},
        settings::TableSettings,
    },
    types::Instant,
};

use super::{
    hands::{Asked, Performance, Truth},
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
    fn write(&mut self, t: Instant, raw: Raw) -> io::Result<()> {
        RawInput { t, raw }.write(&self.settings.device, &mut self.out)
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
    record_stage(Stage::new(performance, seed), &performance.truth, settings, started, host, out)
}

/// The same with the devices of any stage; `truth` is that of its performance.
pub fn record_stage(
    mut stage: Stage,
    truth: &Truth,
    settings: &TableSettings,
    started: &str,
    host: &mut impl Host,
    out: impl Write,
) -> io::Result<Truth> {
    let mut truth = truth.clone();
    let makes = stage.makes().into_iter().zip(&settings.device);
    let makes: BTreeMap<_, _> = makes.map(|(make, device)| (device.name.clone(), make)).collect();
    let mut game = Some(&mut truth);
    while let Some(truth) = game {
        truth.devices.clone_from(&makes);
        game = truth.next.as_deref_mut();
    }
    let mut writer = Writer { out, settings };
    Header::new(started.to_owned(), settings.clone()).write(&mut writer.out)?;
    for device in 0..settings.device.len() {
        writer.write(Instant::ZERO, Raw::Link(device, true))?;
        host.link(Instant::ZERO, device, true);
    }
    stage.begin(Instant::ZERO);
    run(&mut stage, host, &mut writer, &truth)?;
    writer.out.flush()?;
    Ok(truth)
}

/// Steps stage and host from one thing that happens to the next.
fn run<W: Write>(stage: &mut Stage, host: &mut impl Host, writer: &mut Writer<'_, W>, truth: &Truth) -> io::Result<()> {
    let mut arrived = Vec::new();
    let mut asked: Vec<&Asked> = truth.games().flat_map(|game| &game.requests).collect();
    asked.sort_by_key(|asked| asked.t);
    let mut asked = asked.into_iter().peekable();
    let mut now = Instant::ZERO;
    let mut at_once = 0;
    loop {
        let deadline = answer(stage, host, writer, now)?;
        let next = [stage.next(), deadline, asked.peek().map(|asked| asked.t)].into_iter().flatten().min();
        let next = next.filter(|next| *next <= truth.end);
        let Some(next) = next.map(|next| next.max(now)) else { return Ok(()) };
        at_once = if next == now { at_once + 1 } else { 0 };
        if at_once > ANSWERS_MAX {
            return Err(io::Error::other(format!("the host does not come to rest at {now}")));
        }
        now = next;
        stage.run_until(now, &mut arrived);
        for (device, chunk) in arrived.drain(..) {
            host.bytes(chunk.at, device, &chunk.bytes);
            writer.write(chunk.at, Raw::Rx(device, chunk.bytes))?;
        }
        for (at, device, up) in stage.plugs() {
            host.link(at, device, up);
            writer.write(at, Raw::Link(device, up))?;
        }
        while let Some(Asked { request, .. }) = asked.next_if(|asked| asked.t <= now) {
            host.request(now, request);
            writer.write(now, Raw::Request(request.clone()))?;
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
        stage.input(now, device, &bytes);
        writer.write(now, Raw::Tx(device, bytes))?;
    }
    Ok(deadline)
}

#[cfg(test)]
mod tests;

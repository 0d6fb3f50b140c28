//! A pocket-tray unit that speaks BSLP: one channel a seat, one cell a slot.
//!
//! It says nothing until a host has spoken, as a USB device that nobody has opened. It feels its slots one after
//! another in 60 ms and tells every second that it lives.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::{
    simulate::{
        Stream, rng,
        world::{SLOTS, World},
    },
    types::{Instant, Kinds, MS, Piece, SECOND, Seat},
    wire::bslp::{Command, Decoder, Kind, Line, Sensing, Sentence, Value},
};

use super::{Chunk, Device, line, scan::Scan};

/// Time of a full scan.
const SCAN: i64 = 60 * MS;
/// From a line of the host to the answer in ms.
const ANSWER_MS: std::ops::RangeInclusive<i64> = 1..=5;
/// Time between two beats.
const BEAT: i64 = SECOND;
/// Messages of 1000 that a read of the host cuts.
const SPLIT_PER_MILLE: u32 = 20;

/// Which seats have their trays here: channel 0, 1, …
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrayMake {
    /// Seats by channel.
    pub seats: Vec<Seat>,
}

/// An emulated tray unit.
#[derive(Clone, Debug)]
pub struct TrayUnit {
    make: TrayMake,
    serial: u32,
    rng: ChaCha8Rng,
    line: line::Line,
    decoder: Decoder<Command>,
    scan: Scan,
    /// Men by cell over all channels, as last felt.
    felt: Vec<Option<Piece>>,
    /// Presses of buttons by channel that were told.
    pressed: Vec<u32>,
    seq: u16,
    on_since: Instant,
    /// The next beat, once a host has spoken.
    beat_at: Option<Instant>,
    done: Instant,
}

impl TrayUnit {
    /// A unit that is switched on at the opening of the table. `index` tells devices of one seed apart.
    pub fn new(make: TrayMake, world: &World, seed: u64, index: usize) -> TrayUnit {
        let mut rng = rng(seed, Stream::Device(index));
        let mut unit = TrayUnit {
            serial: rng.random_range(1_000..10_000),
            line: line::Line::new(115_200, SPLIT_PER_MILLE),
            decoder: Decoder::new(),
            scan: Scan::new(Instant(-rng.random_range(0..SCAN)), SCAN, make.seats.len() * SLOTS),
            felt: Vec::new(),
            pressed: Vec::new(),
            seq: 0,
            on_since: Instant::ZERO,
            beat_at: None,
            done: Instant::ZERO,
            make,
            rng,
        };
        unit.restart(Instant::ZERO, world);
        unit
    }

    fn man(&self, world: &World, cell: usize) -> Option<Piece> {
        world.tray(self.make.seats[cell / SLOTS])[cell % SLOTS]
    }

    fn next_visit(&self, world: &World) -> Option<(Instant, usize)> {
        let changed = (0..self.felt.len()).filter(|cell| self.felt[*cell] != self.man(world, *cell));
        changed.map(|cell| (self.scan.visit(cell, self.done), cell)).min()
    }

    fn next_seq(&mut self) -> u16 {
        let seq = self.seq;
        self.seq = seq.wrapping_add(1);
        seq
    }

    fn tell(&mut self, at: Instant, line: &Line) {
        let mut bytes = Vec::with_capacity(48);
        line.emit(&mut bytes);
        self.line.send(at, &bytes, &mut self.rng);
    }

    fn visit(&mut self, at: Instant, cell: usize, world: &World) {
        let man = self.man(world, cell);
        self.felt[cell] = man;
        if self.streaming() {
            let seq = self.next_seq();
            let (ch, slot) = ((cell / SLOTS) as u8, (cell % SLOTS) as u16);
            self.tell(at, &Line::Cell { seq, ch, cell: slot, value: Value::of_kinds(Kinds::exactly(man)) });
        }
    }

    /// Tells a button as soon as it is pressed.
    fn notice_buttons(&mut self, at: Instant, world: &World) {
        for ch in 0..self.pressed.len() {
            let (count, last) = world.button(self.make.seats[ch]);
            let fresh = std::mem::replace(&mut self.pressed[ch], count) != count;
            if let Some(button) = last.filter(|_| fresh && self.streaming()) {
                let seq = self.next_seq();
                self.tell(at, &Line::Button { seq, ch: ch as u8, button });
            }
        }
    }

    fn beat(&mut self, at: Instant) {
        self.beat_at = Some(at + BEAT);
        let uptime_ms = ((at - self.on_since) / MS) as u64;
        let seq = self.next_seq();
        self.tell(at, &Line::Beat { seq, uptime_ms, lost: 0 });
    }

    fn answer(&mut self, at: Instant, command: Command) {
        let at = at + self.rng.random_range(*ANSWER_MS.start() * MS..=ANSWER_MS.end() * MS);
        if self.beat_at.is_none() {
            self.beat_at = Some(at + self.rng.random_range(0..BEAT));
        }
        match command {
            Command::Helo => {
                let helo = self.helo();
                self.tell(at, &helo);
            }
            Command::Snap { ch } => {
                let channel = usize::from(ch);
                if let Some(men) = self.felt.chunks(SLOTS).nth(channel) {
                    let cells = men.iter().map(|man| Kinds::exactly(*man)).collect();
                    let seq = self.next_seq();
                    self.tell(at, &Line::Snap { seq, ch, cells });
                }
            }
            Command::Leds { .. } => {} // has none
        }
    }

    fn helo(&self) -> Line {
        Line::Helo {
            version: 1,
            kind: Kind::Tray,
            serial: self.serial.to_string(),
            model: "emulated".into(),
            firmware: "1.0".into(),
            sensing: Sensing::Piece,
            channels: self.make.seats.len() as u8,
            cells: SLOTS as u16,
        }
    }
}

impl Device for TrayUnit {
    fn input(&mut self, at: Instant, bytes: &[u8]) {
        let mut commands = Vec::new();
        self.decoder.push(bytes, |command| commands.push(command));
        commands.into_iter().for_each(|command| self.answer(at, command));
    }

    fn next(&self, world: &World) -> Option<Instant> {
        let visit = self.next_visit(world).map(|(at, _)| at);
        [visit, self.beat_at, self.line.next()].into_iter().flatten().min()
    }

    fn run_until(&mut self, at: Instant, world: &World, out: &mut Vec<Chunk>) {
        self.notice_buttons(at, world);
        while let Some(due) = self.next(world).filter(|due| *due <= at) {
            if let Some(chunk) = self.line.take(due) {
                out.push(chunk);
            } else if let Some((_, cell)) = self.next_visit(world).filter(|(visit, _)| *visit <= due) {
                self.visit(due, cell, world);
            } else {
                self.beat(due);
            }
        }
        self.done = self.done.max(at);
    }

    fn restart(&mut self, at: Instant, world: &World) {
        self.line.cut();
        self.decoder.reset();
        self.felt = (0..self.make.seats.len() * SLOTS).map(|cell| self.man(world, cell)).collect();
        self.pressed = self.make.seats.iter().map(|seat| world.button(*seat).0).collect();
        self.seq = 0;
        self.on_since = at;
        self.beat_at = None;
        self.done = at;
    }

    fn streaming(&self) -> bool {
        self.beat_at.is_some()
    }

    fn make(&self) -> serde_json::Value {
        serde_json::json!({ "outages": [], "errors": [] })
    }

    fn ignored(&self) -> u64 {
        self.decoder.rejects().total()
    }
}

//! A DGT board with its clock.
//!
//! It is switched on in bus mode and says nothing; the first single-board command makes it a single board. It feels its
//! fields one after another in 200 to 250 ms, asks its clock two or three times a second and soon after the lever
//! moved, has room for ten bytes of commands and sends 9600 baud. Commands that a recording host must not send are
//! ignored and counted. The trademark text is the emulator's own.

use std::collections::VecDeque;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::{
    simulate::world::{Clock, World},
    types::{BoardId, Color, Instant, MS, Piece, SECOND},
    wire::dgt::{ClockReading, Command, Face, Message, code_of},
};

use super::{
    Chunk, ClockOut, Device, Site,
    faults::{Fault, Faults},
    line::Line,
    scan::Scan,
    senses::Senses,
};

/// Bytes of commands that wait.
const INPUT_MAX: usize = 10;
/// Time of a full scan in ms.
const SCAN_MS: std::ops::RangeInclusive<i64> = 200..=250;
/// Time between two looks at the clock in ms.
const POLL_MS: std::ops::RangeInclusive<i64> = 350..=480;
/// From a move of the lever to the look at it in ms.
const LEVER_MS: std::ops::RangeInclusive<i64> = 20..=200;
/// From a look at a lever that bounces to the next look.
const BOUNCE: i64 = 60 * MS;
/// From a command to the first byte of its answer in ms.
const ANSWER_MS: std::ops::RangeInclusive<i64> = 3..=15;
/// Messages of 1000 that a read of the host cuts.
const SPLIT_PER_MILLE: u32 = 60;
/// Commands to stream with the clock each second, or without the clock. No host of ours sends them.
const UPDATE: u8 = 0x43;
const UPDATE_BOARD: u8 = 0x44;
/// A bus command has bit 7.
const BUS: u8 = 0x80;

/// How a board is made and placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DgtMake {
    /// The board that lies on it.
    pub board: BoardId,
    /// Whether it lies turned: Black's back rank is at field 56.
    pub rotated: bool,
    /// Whether White sits at the left display of the clock.
    pub white_left: bool,
    /// Whether a clock is plugged in.
    pub clock: bool,
}

/// What it tells by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Bus,
    Idle,
    /// Fields only.
    UpdateBoard,
    /// Fields, and the clock each second.
    Update,
    /// Fields, and the clock when it changed.
    UpdateNice,
}

impl Mode {
    fn streams(self) -> bool {
        matches!(self, Mode::UpdateBoard | Mode::Update | Mode::UpdateNice)
    }
}

/// An emulated board.
#[derive(Clone, Debug)]
pub struct DgtBoard {
    make: DgtMake,
    serial: u32,
    rng: ChaCha8Rng,
    mode: Mode,
    line: Line,
    commands: VecDeque<u8>,
    /// When the first of the commands is carried out.
    command_at: Instant,
    scan: Scan,
    scan_us: i64,
    senses: Senses,
    faults: Faults,
    /// When the clock falls silent.
    clock_out: Option<ClockOut>,
    /// Men by field as last felt.
    felt: [Option<Piece>; 64],
    poll_us: i64,
    /// Next regular look at the clock.
    poll_at: Instant,
    /// Next look because the lever moved.
    lever_at: Option<Instant>,
    /// The lever's last movement that was noticed.
    lever_seen: Instant,
    /// The time last told, and when.
    told: Option<(Option<ClockReading>, Instant)>,
    /// The lever is felt up again at the next look.
    bounces: bool,
    /// Cells that feel something else than was told, as of so many steps of the world.
    changed: Vec<usize>,
    steps_seen: Option<u64>,
    /// All before this is done.
    done: Instant,
    ignored: u64,
}

impl DgtBoard {
    /// A board that is switched on at the opening of the table.
    pub fn new(make: DgtMake, site: Site<'_>) -> DgtBoard {
        let mut rng = site.rng();
        let scan_us = rng.random_range(*SCAN_MS.start() * MS..=SCAN_MS.end() * MS);
        let poll_us = rng.random_range(*POLL_MS.start() * MS..=POLL_MS.end() * MS);
        let origin = Instant(-rng.random_range(0..scan_us));
        let mut board = DgtBoard {
            make,
            serial: rng.random_range(1_000..16_384),
            mode: Mode::Bus,
            line: Line::new(9600, SPLIT_PER_MILLE, site.faults.clone()),
            commands: VecDeque::with_capacity(INPUT_MAX),
            command_at: Instant::ZERO,
            scan: Scan::new(origin, scan_us, 64),
            scan_us,
            senses: site.board_senses(make.board),
            faults: site.faults.clone(),
            clock_out: site.clock_out(),
            felt: [None; 64],
            poll_us,
            poll_at: Instant(rng.random_range(0..poll_us)),
            lever_at: None,
            lever_seen: Instant::ZERO,
            told: None,
            bounces: false,
            changed: Vec::new(),
            steps_seen: None,
            done: Instant::ZERO,
            ignored: 0,
            rng,
        };
        board.restart(Instant::ZERO, site.world);
        board
    }

    /// The man that a field feels.
    fn man(&self, world: &World, field: usize) -> Option<Piece> {
        let square = field ^ 0b111_000; // rank 8 first
        let square = if self.make.rotated { square ^ 63 } else { square };
        let (man, id) = world.man(self.make.board, square);
        self.senses.feel(field, man, id, self.done)
    }

    fn clock<'a>(&self, world: &'a World) -> &'a Clock {
        world.clock(self.make.board)
    }

    /// Finds what has changed, if anything can have.
    fn notice_men(&mut self, world: &World) {
        if self.steps_seen != Some(world.steps()) || !self.senses.are_sound() {
            self.steps_seen = Some(world.steps());
            self.changed = (0..64).filter(|cell| self.felt[*cell] != self.man(world, *cell)).collect();
        }
    }

    /// The next change that will be felt, and when.
    fn next_visit(&self) -> Option<(Instant, usize)> {
        self.changed.iter().map(|cell| (self.scan.visit(*cell, self.done), *cell)).min()
    }

    fn next_command(&self) -> Option<Instant> {
        (!self.commands.is_empty()).then_some(self.command_at)
    }

    /// The next look at the clock, if it matters.
    fn next_poll(&self) -> Option<Instant> {
        let lever = self.lever_at.unwrap_or(self.poll_at);
        matches!(self.mode, Mode::Update | Mode::UpdateNice).then_some(self.poll_at.min(lever))
    }

    fn visit(&mut self, at: Instant, field: usize, world: &World) {
        self.steps_seen = None;
        let man = self.senses.read(self.man(world, field), &mut self.rng);
        self.felt[field] = man;
        if self.mode.streams() {
            self.tell(at, &Message::FieldUpdate { field: field as u8, code: code_of(man) });
        }
    }

    fn tell(&mut self, at: Instant, message: &Message) {
        let mut bytes = Vec::with_capacity(10);
        message.emit(&mut bytes);
        self.line.send(at, &bytes, &mut self.rng);
    }

    fn poll(&mut self, at: Instant, world: &World) {
        if self.lever_at.is_some_and(|lever| lever <= at) {
            self.lever_at = None;
        }
        self.skip_polls(at);
        let mut reading = self.reading(world, at);
        if let Some(reading) = &mut reading
            && std::mem::take(&mut self.bounces)
        {
            reading.right_high = !reading.right_high;
            self.lever_at = Some(at + BOUNCE);
        }
        let runs = |reading: Option<ClockReading>| reading.is_some_and(|reading| reading.running);
        let due = match (self.mode, self.told) {
            (_, None) => true,
            (Mode::Update, Some((_, when))) => at - when >= SECOND - self.poll_us / 2,
            // A display that runs changes every second, also where this one stands for what a server left out.
            (_, Some((before, when))) => before != reading || runs(reading) && at - when >= SECOND,
        };
        let high = |reading: Option<ClockReading>| reading.map(|reading| reading.right_high);
        if due || self.told.is_some_and(|(before, _)| high(before) != high(reading)) {
            self.tell_clock(at, reading);
        }
    }

    fn tell_clock(&mut self, at: Instant, reading: Option<ClockReading>) {
        self.told = Some((reading, at));
        self.tell(at, &reading.map_or(Message::NoClock, Message::Clock));
    }

    /// What the clock shows, if one is heard.
    fn reading(&self, world: &World, at: Instant) -> Option<ClockReading> {
        if !self.make.clock || self.clock_out.is_some_and(|out| out.covers(at)) {
            return None;
        }
        let clock = self.clock(world);
        let face = |color| {
            let left = clock.left(color, at);
            // The display rounds up: it shows 0 only when the flag is down.
            Face { seconds: ((left + SECOND - 1) / SECOND) as u32, flag_blocked: left == 0, ..Face::default() }
        };
        let (left, right) = match self.make.white_left {
            true => (face(Color::White), face(Color::Black)),
            false => (face(Color::Black), face(Color::White)),
        };
        Some(ClockReading {
            left,
            right,
            running: clock.running(),
            right_high: (clock.high() == Color::White) != self.make.white_left,
            battery_low: false,
        })
    }

    /// Carries out the first command that waits.
    fn command(&mut self, at: Instant, world: &World) {
        let Some(byte) = self.commands.pop_front() else { return };
        match (Command::from_byte(byte), byte) {
            (Some(command), _) => self.carry_out(command, at, world),
            (None, UPDATE) => self.enter(at, Mode::Update),
            (None, UPDATE_BOARD) => self.enter(at, Mode::UpdateBoard),
            (None, BUS..) => {
                // A bus command makes it a bus board again and is not carried out.
                self.enter(at, Mode::Bus);
                self.ignored += 1;
            }
            (None, _) => self.ignored += 1,
        }
        self.command_at = self.answer_at(self.line.free().max(at));
    }

    fn answer_at(&mut self, at: Instant) -> Instant {
        at + self.rng.random_range(*ANSWER_MS.start() * MS..=ANSWER_MS.end() * MS)
    }

    fn enter(&mut self, at: Instant, mode: Mode) {
        self.mode = mode;
        self.told = None;
        self.lever_at = None;
        self.skip_polls(at);
    }

    /// The next regular look is after `at`.
    fn skip_polls(&mut self, at: Instant) {
        let missed = (at - self.poll_at).div_euclid(self.poll_us) + 1;
        self.poll_at = self.poll_at + self.poll_us * missed.max(0);
    }

    fn carry_out(&mut self, command: Command, at: Instant, world: &World) {
        if self.mode == Mode::Bus {
            self.enter(at, Mode::Idle);
        }
        let answer = match command {
            Command::Reset => return self.enter(at, Mode::Idle),
            Command::UpdateNice => return self.enter(at, Mode::UpdateNice),
            Command::RequestClock => return self.tell_clock(at, self.reading(world, at)),
            Command::RequestBoard => Message::BoardDump(Box::new(self.felt.map(code_of))),
            Command::RequestSerial => Message::SerialNumber(format!("{:05}", self.serial)),
            Command::RequestLongSerial => Message::LongSerialNumber(format!("{:010}", self.serial)),
            Command::RequestTrademark => Message::Trademark("bughoused emulated board\nno real device\n".into()),
            Command::RequestVersion => Message::Version { major: 1, minor: 8 },
            Command::RequestBattery => return, // hangs on a cable
        };
        self.tell(at, &answer);
    }

    /// Plans a look at a lever that has moved.
    fn notice_lever(&mut self, at: Instant, world: &World) {
        let touched = self.clock(world).touched();
        if touched != self.lever_seen {
            self.lever_seen = touched;
            let late = self.rng.random_range(*LEVER_MS.start() * MS..=LEVER_MS.end() * MS);
            self.lever_at = Some(self.lever_at.unwrap_or(at + late));
            self.bounces |= self.faults.happens(Fault::Bounce, &mut self.rng);
        }
    }
}

impl Device for DgtBoard {
    fn input(&mut self, at: Instant, bytes: &[u8]) {
        for byte in bytes {
            if self.commands.is_empty() {
                self.command_at = self.answer_at(self.line.free().max(at));
            }
            if self.commands.len() < INPUT_MAX {
                self.commands.push_back(*byte);
            } else {
                self.ignored += 1;
            }
        }
    }

    fn next(&self) -> Option<Instant> {
        let visit = self.next_visit().map(|(at, _)| at);
        let flicker = self.senses.next_change(self.done);
        [visit, flicker, self.next_command(), self.next_poll(), self.line.next()].into_iter().flatten().min()
    }

    fn run_until(&mut self, at: Instant, world: &World, out: &mut Vec<Chunk>) {
        self.notice_lever(at, world);
        self.notice_men(world);
        while let Some(due) = self.next().filter(|due| *due <= at) {
            if let Some(chunk) = self.line.take(due) {
                out.push(chunk);
            } else if let Some((_, field)) = self.next_visit().filter(|(visit, _)| *visit <= due) {
                self.visit(due, field, world);
            } else if self.next_poll().is_some_and(|poll| poll <= due) {
                self.poll(due, world);
            } else if self.next_command().is_some_and(|command| command <= due) {
                self.command(due, world);
            }
            self.done = self.done.max(due);
            self.notice_men(world);
        }
        self.done = self.done.max(at);
    }

    fn restart(&mut self, at: Instant, world: &World) {
        self.enter(at, Mode::Bus);
        self.commands.clear();
        self.line.cut();
        self.lever_seen = self.clock(world).touched();
        self.done = at;
        self.changed.clear();
        self.steps_seen = None;
        self.felt = std::array::from_fn(|field| self.man(world, field));
    }

    fn streaming(&self) -> bool {
        self.mode.streams()
    }

    fn make(&self) -> serde_json::Value {
        let clock_white = if self.make.white_left { "left" } else { "right" };
        serde_json::json!({
            "rotated": self.make.rotated,
            "clock_white": clock_white,
            "scan_ms": self.scan_us as f64 / 1000.0,
            "outages": [],
            "errors": [],
            "broken": self.senses.broken(),
            "clock_lost": self.clock_out.map(|out| out.from),
            "clock_back": self.clock_out.and_then(|out| out.until),
        })
    }

    fn ignored(&self) -> u64 {
        self.ignored
    }
}

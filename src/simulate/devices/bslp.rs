//! A unit that speaks BSLP: pocket trays, one channel a seat and one cell a slot, or a board with its clock.
//!
//! It says nothing until a host has spoken, as a USB device that nobody has opened. It feels its cells one after
//! another, tells every second that it lives, and a clock as soon as its lever moved. Tags are of each man; levels are
//! told again where a cell has drifted.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::{
    sense::Calibration,
    simulate::world::{Clock, ManId, SLOTS, World},
    types::{BoardId, Color, Instant, Kinds, MS, Piece, SECOND, Seat},
    wire::bslp::{Command, Decoder, GROUP_MAX, Kind, Line, Run, Sensing, Sentence, Value},
};

use super::{
    Chunk, ClockOut, Device, Site,
    faults::{Fault, Faults},
    levels::Levels,
    line,
    scan::Scan,
    senses::Senses,
};

/// Time of a full scan of trays, of a board, and of one whose cells tell only that something is there, which are read
/// at once (`hardware/trays.md`).
const SCAN_TRAYS: i64 = 60 * MS;
const SCAN_BOARD: i64 = 120 * MS;
const SCAN_CONTACTS: i64 = 20 * MS;
/// From a line of the host to the answer in ms.
const ANSWER_MS: std::ops::RangeInclusive<i64> = 1..=5;
/// From a move of the lever to the line that tells it in ms, and to the next one if it bounces.
const LEVER_MS: std::ops::RangeInclusive<i64> = 2..=15;
const BOUNCE: i64 = 15 * MS;
/// From power to the first line.
const POWER_UP: i64 = 300 * MS;
/// Time between two beats, and between two lines of a clock.
const BEAT: i64 = SECOND;
/// Messages of 1000 that a read of the host cuts.
const SPLIT_PER_MILLE: u32 = 20;
/// The tag of the first man.
const FIRST_TAG: u64 = 0x04a1_5c00;

/// What a unit is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Serves {
    /// Trays of these seats: channel 0, 1, …
    Trays(Vec<Seat>),
    /// One board.
    Board {
        /// Which.
        board: BoardId,
        /// Whether it lies turned: cell 0 is h1.
        rotated: bool,
        /// Whether it reads a clock, and White sits at the left display.
        clock: Option<bool>,
    },
}

/// How a unit is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BslpMake {
    /// What it is for.
    pub serves: Serves,
    /// What its cells feel.
    pub sensing: Sensing,
    /// µs of a full scan, if that is another than such boards take.
    pub scan_us: Option<i64>,
}

/// A man that a cell feels: with tags, which one.
type Felt = Option<(Piece, ManId)>;

/// An emulated unit.
#[derive(Clone, Debug)]
pub struct BslpUnit {
    make: BslpMake,
    serial: u32,
    rng: ChaCha8Rng,
    line: line::Line,
    decoder: Decoder<Command>,
    scan: Scan,
    senses: Senses,
    faults: Faults,
    /// When the clock is silent.
    clock_out: Option<ClockOut>,
    /// Men by cell over all channels, as last felt.
    felt: Vec<Felt>,
    levels: Levels,
    /// Presses of buttons by channel that were told.
    pressed: Vec<u32>,
    seq: u16,
    on_since: Instant,
    /// The next beat, once a host has spoken.
    beat_at: Option<Instant>,
    /// The next line of the clock, and whether it tells the lever wrongly.
    clock_at: Option<(Instant, bool)>,
    lever_seen: Instant,
    /// Cells that feel something else than was told, as of so many steps of the world.
    changed: Vec<usize>,
    steps_seen: Option<u64>,
    done: Instant,
}

impl BslpUnit {
    /// A unit that is switched on at the opening of the table.
    pub fn new(make: BslpMake, site: Site<'_>) -> BslpUnit {
        let mut rng = site.rng();
        let (cells, period, senses) = match &make.serves {
            Serves::Trays(seats) => {
                let cells = seats.len() * SLOTS;
                (cells, SCAN_TRAYS, Senses::new(site.faults, cells, &[], site.span, &mut site.fault_rng()))
            }
            Serves::Board { board, .. } => {
                let usual = if make.sensing == Sensing::Occupancy { SCAN_CONTACTS } else { SCAN_BOARD };
                (64, make.scan_us.unwrap_or(usual), site.board_senses(*board))
            }
        };
        let mut unit = BslpUnit {
            serial: rng.random_range(1_000..10_000),
            line: line::Line::new(115_200, SPLIT_PER_MILLE, site.faults.clone()),
            decoder: Decoder::new(),
            scan: Scan::new(Instant(-rng.random_range(0..period)), period, cells),
            senses,
            faults: site.faults.clone(),
            clock_out: site.clock_out(),
            felt: vec![None; cells],
            levels: site.levels(cells),
            pressed: Vec::new(),
            seq: 0,
            on_since: Instant::ZERO,
            beat_at: None,
            clock_at: None,
            lever_seen: Instant::ZERO,
            changed: Vec::new(),
            steps_seen: None,
            done: Instant::ZERO,
            make,
            rng,
        };
        unit.restart(Instant::ZERO, site.world);
        unit
    }

    /// The man that a cell feels.
    fn man(&self, world: &World, cell: usize) -> Felt {
        let (man, id) = match &self.make.serves {
            Serves::Trays(seats) => {
                let (seat, slot) = (seats[cell / SLOTS], cell % SLOTS);
                (world.tray(seat)[slot], world.slot_id(seat, slot))
            }
            Serves::Board { board, rotated, .. } => {
                let square = cell ^ 0b111_000; // rank 8 first
                world.man(*board, if *rotated { square ^ 63 } else { square })
            }
        };
        let man = self.senses.feel(cell, man, id, self.done)?;
        Some((man, if self.make.sensing == Sensing::Tag { id } else { 0 }))
    }

    fn channels(&self) -> usize {
        match &self.make.serves {
            Serves::Trays(seats) => seats.len(),
            Serves::Board { .. } => 1,
        }
    }

    fn cells(&self) -> usize {
        self.felt.len() / self.channels().max(1)
    }

    /// Finds what has changed, if anything can have.
    fn notice_men(&mut self, world: &World) {
        if self.steps_seen != Some(world.steps()) || !self.senses.are_sound() {
            self.steps_seen = Some(world.steps());
            let changed = |cell: &usize| !self.feels_the_same(self.felt[*cell], self.man(world, *cell));
            self.changed = (0..self.felt.len()).filter(changed).collect();
        }
    }

    /// Whether its sensors cannot tell two men apart that stood on a cell one after the other.
    fn feels_the_same(&self, one: Felt, other: Felt) -> bool {
        match self.make.sensing {
            Sensing::Occupancy => one.is_some() == other.is_some(),
            _ => one == other,
        }
    }

    /// The next change that will be felt, and when.
    fn next_visit(&self) -> Option<(Instant, usize)> {
        self.changed.iter().map(|cell| (self.scan.visit(*cell, self.done), *cell)).min()
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
        self.steps_seen = None;
        let felt = self.man(world, cell);
        let man = self.senses.read(felt.map(|(man, _)| man), &mut self.rng);
        self.set(cell, man.map(|man| (man, felt.map_or(0, |(_, id)| id))));
        if self.streaming() {
            self.tell_cell(at, cell);
        }
    }

    fn tell_cell(&mut self, at: Instant, cell: usize) {
        let seq = self.next_seq();
        let (ch, slot) = ((cell / self.cells()) as u8, (cell % self.cells()) as u16);
        let value = match self.make.sensing {
            Sensing::Tag => Value::of_tag(self.tag(cell)),
            Sensing::Level => Value::of_level(self.levels.of(cell)),
            _ => Value::of_kinds(self.kinds(cell)),
        };
        self.tell(at, &Line::Cell { seq, ch, cell: slot, value });
    }

    fn set(&mut self, cell: usize, felt: Felt) {
        self.felt[cell] = felt;
        self.levels.measure(cell, felt.map(|(man, _)| man), self.done, &mut self.rng);
    }

    fn kinds(&self, cell: usize) -> Kinds {
        match self.felt[cell] {
            Some(_) if self.make.sensing == Sensing::Occupancy => Kinds::OCCUPIED,
            felt => Kinds::exactly(felt.map(|(man, _)| man)),
        }
    }

    fn tag(&self, cell: usize) -> u64 {
        self.felt[cell].map_or(0, |(_, id)| FIRST_TAG + u64::from(id))
    }

    /// Tells a button as soon as it is pressed.
    fn notice_buttons(&mut self, at: Instant, world: &World) {
        let Serves::Trays(seats) = &self.make.serves else { return };
        for (ch, seat) in seats.clone().into_iter().enumerate() {
            let (count, last) = world.button(seat);
            let fresh = std::mem::replace(&mut self.pressed[ch], count) != count;
            if let Some(button) = last.filter(|_| fresh && self.streaming()) {
                let seq = self.next_seq();
                self.tell(at, &Line::Button { seq, ch: ch as u8, button });
            }
        }
    }

    /// The clock that it reads, and whether White sits at its left display.
    fn clock<'a>(&self, world: &'a World, at: Instant) -> Option<(&'a Clock, bool)> {
        let Serves::Board { board, clock: Some(white_left), .. } = self.make.serves else { return None };
        let lost = self.clock_out.is_some_and(|out| out.covers(at));
        (!lost).then(|| (world.clock(board), white_left))
    }

    fn notice_lever(&mut self, at: Instant, world: &World) {
        let Some((clock, _)) = self.clock(world, at).filter(|_| self.streaming()) else { return };
        if clock.touched() != self.lever_seen {
            self.lever_seen = clock.touched();
            let late = self.rng.random_range(*LEVER_MS.start() * MS..=LEVER_MS.end() * MS);
            self.clock_at = Some((at + late, false));
            if self.faults.happens(Fault::Bounce, &mut self.rng) {
                self.tell_clock(at + late, world, false);
                self.clock_at = Some((at + late + BOUNCE, true));
            }
        }
    }

    fn tell_clock(&mut self, at: Instant, world: &World, wrongly: bool) {
        self.clock_at = Some(if wrongly { (at + BOUNCE, false) } else { (at + BEAT, false) });
        let Some((clock, white_left)) = self.clock(world, at) else { return };
        let left = if white_left { Color::White } else { Color::Black };
        let ms = |color| clock.left(color, at) / MS;
        let (left_ms, right_ms) = (ms(left), ms(left.other()));
        let run = match (clock.running(), (clock.high() == left) != wrongly) {
            (false, _) => Run::Stopped,
            (true, true) => Run::Left,
            (true, false) => Run::Right,
        };
        let seq = self.next_seq();
        self.tell(at, &Line::Clock { seq, ch: 0, left_ms, right_ms, run });
    }

    fn beat(&mut self, at: Instant) {
        self.beat_at = Some(at + BEAT);
        let uptime_ms = ((at - self.on_since) / MS) as u64;
        let seq = self.next_seq();
        self.tell(at, &Line::Beat { seq, uptime_ms, lost: 0 });
        if self.make.sensing == Sensing::Level {
            for cell in self.levels.drifted(at) {
                self.set(cell, self.felt[cell]);
                self.tell_cell(at, cell);
            }
        }
    }

    fn answer(&mut self, at: Instant, command: Command) {
        let at = at + self.rng.random_range(*ANSWER_MS.start() * MS..=ANSWER_MS.end() * MS);
        if self.beat_at.is_none() {
            self.beat_at = Some(at + self.rng.random_range(0..BEAT));
            self.clock_at = Some((at + self.rng.random_range(0..BEAT), false));
        }
        match command {
            Command::Helo => {
                let helo = self.helo();
                self.tell(at, &helo);
            }
            Command::Snap { ch } if usize::from(ch) < self.channels() => self.snap(at, ch),
            Command::Snap { .. } | Command::Leds { .. } => {} // has none
        }
    }

    /// All cells of a channel.
    fn snap(&mut self, at: Instant, ch: u8) {
        let begin = usize::from(ch) * self.cells();
        let cells: Vec<usize> = (begin..begin + self.cells()).collect();
        if !matches!(self.make.sensing, Sensing::Tag | Sensing::Level) {
            let cells = cells.into_iter().map(|cell| self.kinds(cell)).collect();
            let seq = self.next_seq();
            return self.tell(at, &Line::Snap { seq, ch, cells });
        }
        for group in cells.chunks(GROUP_MAX) {
            let (seq, first) = (self.next_seq(), (group[0] - begin) as u16);
            let line = match self.make.sensing {
                Sensing::Tag => Line::Tags { seq, ch, first, tags: group.iter().map(|cell| self.tag(*cell)).collect() },
                _ => Line::Levels { seq, ch, first, levels: group.iter().map(|cell| self.levels.of(*cell)).collect() },
            };
            self.tell(at, &line);
        }
    }

    fn helo(&self) -> Line {
        Line::Helo {
            version: 1,
            kind: if matches!(self.make.serves, Serves::Trays(_)) { Kind::Tray } else { Kind::Board },
            serial: self.serial.to_string(),
            model: "emulated".into(),
            firmware: "1.0".into(),
            sensing: self.make.sensing,
            channels: self.channels() as u8,
            cells: self.cells() as u16,
        }
    }
}

impl Device for BslpUnit {
    fn input(&mut self, at: Instant, bytes: &[u8]) {
        let mut commands = Vec::new();
        self.decoder.push(bytes, |command| commands.push(command));
        commands.into_iter().for_each(|command| self.answer(at, command));
    }

    fn next(&self) -> Option<Instant> {
        let visit = self.next_visit().map(|(at, _)| at);
        let clock = self.clock_at.filter(|_| matches!(self.make.serves, Serves::Board { clock: Some(_), .. }));
        let flicker = self.senses.next_change(self.done);
        [visit, flicker, self.beat_at, clock.map(|(at, _)| at), self.line.next()].into_iter().flatten().min()
    }

    fn run_until(&mut self, at: Instant, world: &World, out: &mut Vec<Chunk>) {
        self.notice_buttons(at, world);
        self.notice_lever(at, world);
        self.notice_men(world);
        while let Some(due) = self.next().filter(|due| *due <= at) {
            if let Some(chunk) = self.line.take(due) {
                out.push(chunk);
            } else if let Some((_, cell)) = self.next_visit().filter(|(visit, _)| *visit <= due) {
                self.visit(due, cell, world);
            } else if self.beat_at.is_some_and(|beat| beat <= due) {
                self.beat(due);
            } else if let Some((_, wrongly)) = self.clock_at.filter(|(clock, _)| *clock <= due) {
                self.tell_clock(due, world, wrongly);
            }
            self.done = self.done.max(due);
            self.notice_men(world);
        }
        self.done = self.done.max(at);
    }

    fn restart(&mut self, at: Instant, world: &World) {
        self.line.cut();
        self.decoder.reset();
        self.done = at;
        self.changed.clear();
        self.steps_seen = None;
        (0..self.felt.len()).for_each(|cell| self.set(cell, self.man(world, cell)));
        if let Serves::Trays(seats) = &self.make.serves {
            self.pressed = seats.iter().map(|seat| world.button(*seat).0).collect();
        }
        self.seq = 0;
        self.on_since = at;
        self.clock_at = None;
        if self.beat_at.take().is_some() {
            let helo = self.helo();
            self.tell(at + POWER_UP, &helo);
        }
    }

    fn streaming(&self) -> bool {
        self.beat_at.is_some()
    }

    fn calibration(&self) -> Option<Calibration> {
        (self.make.sensing == Sensing::Level).then(|| self.levels.calibration(self.cells()))
    }

    fn make(&self) -> serde_json::Value {
        let mut make = serde_json::json!({ "outages": [], "errors": [], "broken": self.senses.broken() });
        if let Serves::Board { rotated, clock, .. } = self.make.serves {
            make["rotated"] = rotated.into();
            make["clock_white"] = clock.map(|white_left| if white_left { "left" } else { "right" }).into();
            make["clock_lost"] = self.clock_out.map(|out| out.from.micros()).into();
            make["clock_back"] = self.clock_out.and_then(|out| out.until).map(Instant::micros).into();
        }
        make
    }

    fn ignored(&self) -> u64 {
        self.decoder.rejects().total()
    }
}

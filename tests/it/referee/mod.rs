//! The referee at a table of two boards with clocks and trays, frame by frame: what hands do, and what must be told.
//!
//! A script has one step a word, 30 ms each. `e2-` the square is empty, `e4P` a white pawn stands there, `w` White
//! presses, `b` Black presses: all on board A, on B with `B:` before it. `b=p.` tray b shows a pawn in the first of two
//! slots, `b!claim` a button of seat b, `stop` both clocks are stopped, `go` they go on, `.` half a second, `5s` five
//! seconds, `80ms` as many milliseconds. `out` a board's cable is out and nobody hears of it, `in` it is back,
//! `trays-out` and `trays-in` the same of the trays. `?verb{…}` asks for a verb with its data; `restart` the daemon is
//! away for a second, `forget` the same where the record alone is left of what was before. Clocks run and trays beat
//! all the time.

mod adjudicated;
mod asked;
mod claims;
mod clocks;
mod confirmed;
mod ends;
mod evidence;
mod flags;
mod hiding;
mod moves;
mod offences;
mod penalties;
mod promotions;
mod recorded;
mod restart;
mod set_ups;
mod silence;
mod steps;
mod tags;
mod unwatched;
mod variants;
mod verbs;
mod withdrawn;

use bughoused::{
    event::{Body, Event, Feed, Incident, IncidentState, Request, Response, State},
    record,
    sense::Side,
    table::{
        Input, Opening, Output, Table,
        capture::{Raw, RawInput},
        resume::{Found, Resume},
        retrace::{Stretch, Trail},
        settings::TableSettings,
    },
    types::{Instant, Kinds, MS, Piece, SECOND, Square, StepMode, TimeControl},
    wire::{
        bslp::{Button, Kind, Line, Sensing, Sentence},
        dgt::{ClockReading, Face, Message, code_of},
    },
};
use serde_json::{Value, json};

const STEP_US: i64 = 30 * MS;
const REST_US: i64 = 500 * MS;
/// The tray unit's device number.
const TRAYS: usize = 2;
/// The law texts, in the order of the tables.
pub const LAWS: [&str; 3] = ["wbn-1.00", "cz-2024.06", "fide-ext"];

/// One board's clock: White sits at the right.
#[derive(Clone, Copy)]
struct BenchClock {
    white_us: i64,
    black_us: i64,
    /// Whose lever is up, and whether time runs.
    white_runs: bool,
    running: bool,
    /// How long it waits yet before it runs.
    delay_us: i64,
    /// What the player whose lever is up has used of this turn.
    used_us: i64,
}

/// A table, its world and what it said.
pub struct Bench {
    settings: TableSettings,
    table: Table,
    now: Instant,
    clocks: [BenchClock; 2],
    beat: i64,
    seq: u16,
    /// What the table received, by starts of the daemon, and when the last one was.
    stretches: Vec<Stretch>,
    opened: Instant,
    /// What stands on the boards and lies in the trays.
    codes: [[u8; 64]; 2],
    slots: [String; 4],
    /// Boards whose cables are out.
    out: [bool; 2],
    /// Whether clocks give what the time control says.
    pub gives: bool,
    pub events: Vec<Event>,
    /// What the table showed after events: how many there were, the state.
    pub states: Vec<(usize, State)>,
    pub responses: Vec<Response>,
}

pub fn settings(changes: &Value) -> TableSettings {
    let board =
        |name: &str, board: &str| json!({ "name": name, "driver": "dgt", "board": board, "clock": true, "port": name });
    let trays = json!({ "name": "t", "driver": "bslp", "port": "t", "pockets": ["A", "a", "B", "b"] });
    let mut settings = json!({
        "id": "1", "time_control": "300+0", "players": { "A": "Ann", "a": "Ben", "B": "Cid", "b": "Dee" },
        "device": [board("a", "A"), board("b", "B"), trays],
    });
    for (key, value) in changes.as_object().unwrap() {
        settings[key] = value.clone();
    }
    serde_json::from_value(settings).unwrap()
}

impl Bench {
    /// Boards set up, clocks stopped.
    pub fn set_up(changes: &Value) -> Bench {
        let opening = Opening { session: "test".into(), started_us: 0, seq: 1, incident: 1 };
        let settings = settings(changes);
        let table = Table::new(settings.clone(), opening.clone()).unwrap();
        let clock = BenchClock {
            white_us: 300 * SECOND,
            black_us: 300 * SECOND,
            white_runs: true,
            running: false,
            delay_us: 0,
            used_us: 0,
        };
        let (now, clocks) = (Instant::ZERO, [clock; 2]);
        let mut bench = Bench {
            settings,
            table,
            now,
            clocks,
            beat: 0,
            seq: 0,
            stretches: vec![Stretch { opening, from: now, until: now, inputs: Vec::new() }],
            opened: now,
            codes: [codes(&shakmaty::Board::new()); 2],
            slots: std::array::from_fn(|_| "....".into()),
            out: [false; 2],
            gives: true,
            events: Vec::new(),
            states: Vec::new(),
            responses: Vec::new(),
        };
        bench.connect();
        bench
    }

    /// The devices are plugged in and show what there is.
    fn connect(&mut self) {
        for device in [0, 1, TRAYS] {
            self.input(Input::Link(device, true));
        }
        for board in [0, 1] {
            self.dgt(board, &Message::BoardDump(Box::new(self.codes[board])));
            self.show_clock(board);
        }
        self.line(&Line::Helo {
            version: 1,
            kind: Kind::Tray,
            serial: "1".into(),
            model: "m".into(),
            firmware: "f".into(),
            sensing: Sensing::Piece,
            channels: 4,
            cells: 4,
        });
        for (seat, slots) in ["A", "a", "B", "b"].into_iter().zip(self.slots.clone()) {
            self.step(&format!("{seat}={slots}"));
        }
    }

    /// The daemon dies and is started again a second later: what it had received is gone through once more, or
    /// forgotten.
    fn restart(&mut self, forgets: bool) {
        self.tick(SECOND + 700); // no start falls on a whole millisecond
        let next = |live: bool| {
            let of_feed = self.events.iter().filter(|event| (event.body.feed() == Feed::Live) == live);
            of_feed.map(|event| event.seq).max().unwrap_or(0) + 1
        };
        let (session, started_us) = (format!("test {}", self.stretches.len()), self.now.micros());
        let opening = Opening { session, started_us, seq: next(true), incident: next(false) };
        let game = record::unfinished(&self.events, started_us).expect("a game is on");
        let starts = |event: &Event| matches!(event.body, Body::GameStarted(_));
        let at = self.events.iter().rposition(starts).unwrap();
        let (before, started) = (&self.events[..at], &self.events[at]);
        let told = before.iter().filter(|event| event.body.feed() == Feed::Arbiter).map(|event| event.seq).max();
        let mut stretches = self.stretches.clone();
        (stretches[0].opening.seq, stretches[0].opening.incident) = (started.seq, told.unwrap_or(0) + 1);
        let trail = Trail { devices: Default::default(), began: started.t, stretches };
        self.table = if forgets {
            let white = Some(Side::Right);
            let devices = ["a", "b"].map(|name| (name.to_owned(), Found { turned: Some(false), clock_white: white }));
            let mut table = Table::new(self.settings.clone(), opening.clone()).unwrap();
            table.resume(Resume { devices: devices.into(), game: Some(game) });
            table
        } else {
            let again = Table::retrace(&self.settings, trail, &game, opening.clone(), Instant::ZERO).unwrap();
            again.expect("what was received gives the game again")
        };
        self.opened = self.now;
        let (from, until) = (Instant::ZERO, Instant::ZERO);
        self.stretches.push(Stretch { opening, from, until, inputs: Vec::new() });
        self.connect();
        self.pass(2 * SECOND);
    }

    /// A game begins.
    pub fn playing(changes: &Value) -> Bench {
        let mut bench = Bench::set_up(changes);
        bench.step("go");
        bench.pass(300 * MS); // A lever may spring for so long.
        bench
    }

    /// The machine that is tried.
    pub fn table(&self) -> &Table {
        &self.table
    }

    fn input(&mut self, input: Input<'_>) {
        let t = Instant(self.now - self.opened);
        let stretch = self.stretches.last_mut().unwrap();
        stretch.until = t;
        stretch.inputs.extend(raw(&input).map(|raw| RawInput { t, raw }));
        self.table.handle(t, input);
        let before = self.events.len();
        loop {
            match self.table.poll() {
                Output::Event(event) => self.events.push(event),
                Output::Response(response) => self.responses.push(response),
                Output::Deadline(_) => break,
                _ => {}
            }
        }
        if self.events.len() > before {
            self.states.push((self.events.len(), self.table.state()));
        }
    }

    fn dgt(&mut self, board: usize, message: &Message) {
        match message {
            Message::BoardDump(codes) => self.codes[board] = **codes,
            Message::FieldUpdate { field, code } => self.codes[board][usize::from(*field)] = *code,
            _ => {}
        }
        let mut bytes = Vec::new();
        message.emit(&mut bytes);
        if !self.out[board] {
            self.input(Input::Bytes(board, &bytes));
        }
    }

    fn line(&mut self, line: &Line) {
        let mut bytes = Vec::new();
        line.emit(&mut bytes);
        self.input(Input::Bytes(TRAYS, &bytes));
    }

    fn next_seq(&mut self) -> u16 {
        self.seq = self.seq.wrapping_add(1);
        self.seq
    }

    fn show_clock(&mut self, board: usize) {
        let clock = self.clocks[board];
        let face = |us: i64| Face { seconds: ((us.max(0) + SECOND - 1) / SECOND) as u32, ..Face::default() };
        let reading = ClockReading {
            left: face(clock.black_us),
            right: face(clock.white_us),
            running: clock.running,
            right_high: clock.white_runs,
            battery_low: false,
        };
        self.dgt(board, &Message::Clock(reading));
    }

    /// Time passes: clocks show every second, trays beat.
    pub fn pass(&mut self, mut us: i64) {
        while us > 0 {
            let slice = us.min(100 * MS);
            us -= slice;
            for board in self.tick(slice) {
                self.show_clock(board);
            }
            if self.now.micros() / SECOND != self.beat {
                self.beat = self.now.micros() / SECOND;
                let seq = self.next_seq();
                self.line(&Line::Beat { seq, uptime_ms: 0, lost: 0 });
            }
            self.input(Input::Timeout);
        }
    }

    /// Time passes and nobody hears of it. Answers which boards' clocks show something else.
    fn tick(&mut self, us: i64) -> Vec<usize> {
        self.now = self.now + us;
        let show = |board: &usize| {
            let clock = &mut self.clocks[*board];
            let time = if clock.white_runs { &mut clock.white_us } else { &mut clock.black_us };
            let before = *time;
            let waits = if clock.running { us.min(clock.delay_us) } else { 0 };
            clock.delay_us -= waits;
            let uses = if clock.running { us - waits } else { 0 };
            *time -= uses;
            clock.used_us += uses;
            before.div_euclid(SECOND) != time.div_euclid(SECOND)
        };
        [0, 1].into_iter().filter(show).collect()
    }

    fn control(&self) -> TimeControl {
        self.settings.time_control.parse().unwrap()
    }

    fn delay_us(&self) -> i64 {
        let control = self.control();
        if control.mode == StepMode::Delay && self.gives { control.step } else { 0 }
    }

    /// A player presses: the clock gives the player what the time control has for a move.
    fn press(&mut self, board: usize, white: bool) {
        let (control, delay_us, gives) = (self.control(), self.delay_us(), self.gives);
        let clock = &mut self.clocks[board];
        let given = match control.mode {
            _ if clock.white_runs != white || !gives => 0,
            StepMode::Increment => control.step,
            StepMode::Bronstein => control.step.min(clock.used_us),
            StepMode::Delay => 0,
        };
        *(if white { &mut clock.white_us } else { &mut clock.black_us }) += given;
        (clock.white_runs, clock.delay_us, clock.used_us) = (!white, delay_us, 0);
        self.show_clock(board);
    }

    /// Asks for a verb; the answer.
    pub fn ask(&mut self, verb: &str, data: Value) -> Response {
        self.request(Request { verb: verb.into(), data, transaction: None, by: Some("arbiter".into()) })
    }

    pub fn request(&mut self, request: Request) -> Response {
        self.now = self.now + STEP_US;
        self.input(Input::Request(request));
        self.responses.last().unwrap().clone()
    }

    /// The clock of a board shows another time from now on, in seconds.
    pub fn time_left(&mut self, board: usize, white: i64, black: i64) {
        self.clocks[board].white_us = white * SECOND;
        self.clocks[board].black_us = black * SECOND;
    }

    /// The same, told as often as it takes to be believed.
    pub fn time_left_shown(&mut self, board: usize, white: i64, black: i64) {
        self.time_left(board, white, black);
        (0..3).for_each(|_| self.show_clock(board));
    }

    /// One clock alone is set going.
    pub fn start_clock(&mut self, board: usize) {
        self.clocks[board].running = true;
        self.show_clock(board);
    }

    /// The men of a board stand like this, in rows as of FEN, and somebody's time runs. A board that differs in much
    /// from what was told is believed when it tells so twice.
    pub fn stand(&mut self, board: usize, rows: &str, white_runs: bool) {
        let men = shakmaty::Board::from_ascii_board_fen(rows.as_bytes()).unwrap();
        (0..2).for_each(|_| self.dgt(board, &dump(&men)));
        self.clocks[board].white_runs = white_runs;
        self.show_clock(board);
    }

    /// A board's cable is pulled, or plugged in again: the board shows what there is then.
    fn plug(&mut self, board: usize, in_place: bool) {
        self.out[board] = !in_place;
        self.input(Input::Link(board, in_place));
        if in_place {
            self.dgt(board, &Message::BoardDump(Box::new(self.codes[board])));
            self.show_clock(board);
        }
    }

    pub fn play(&mut self, script: &str) -> &mut Bench {
        script.split_whitespace().for_each(|word| self.step(word));
        self
    }

    fn step(&mut self, word: &str) {
        let (board, word) = word.strip_prefix("B:").map_or((0, word), |word| (1, word));
        match word {
            "." => return self.pass(REST_US),
            "restart" | "forget" => return self.restart(word == "forget"),
            "go" | "stop" => {
                for board in [0, 1] {
                    self.clocks[board].running = word == "go";
                    self.clocks[board].delay_us = self.delay_us();
                    self.show_clock(board);
                }
                return self.pass(STEP_US);
            }
            _ => {}
        }
        if let Some(ms) = word.strip_suffix("ms").and_then(|number| number.parse::<i64>().ok()) {
            return self.pass(ms * MS);
        }
        if let Some(seconds) = word.strip_suffix('s').and_then(|number| number.parse::<i64>().ok()) {
            return self.pass(seconds * SECOND);
        }
        self.pass(STEP_US);
        if let Some((verb, data)) = word.strip_prefix('?').and_then(|word| word.split_once('{')) {
            let data = serde_json::from_str(&format!("{{{data}")).unwrap();
            self.ask(verb, data);
        } else if let Some((seat, slots)) = word.split_once('=') {
            let (seq, ch) = (self.next_seq(), channel(seat));
            self.slots[usize::from(ch)] = slots.into();
            self.line(&Line::Snap { seq, ch, cells: slots.chars().map(kinds).collect() });
        } else if let Some((seat, button)) = word.split_once('!') {
            let (seq, ch) = (self.next_seq(), channel(seat));
            self.line(&Line::Button { seq, ch, button: button_of(button) });
        } else if word == "out" || word == "in" {
            self.plug(board, word == "in");
        } else if word == "trays-out" || word == "trays-in" {
            self.input(Input::Link(TRAYS, word == "trays-in"));
        } else if word == "w" || word == "b" {
            self.press(board, word == "w");
        } else {
            let square: Square = word[..2].parse().unwrap();
            let man = word[2..].chars().next().filter(|letter| *letter != '-').and_then(Piece::from_char);
            let field = (7 - square.rank() as u8) * 8 + square.file() as u8;
            self.dgt(board, &Message::FieldUpdate { field, code: code_of(man) });
        }
    }

    /// Incidents and ends in words: `illegal-move A decisive geometry`, `lapsed illegal-move`, `ended 1-0 a resigns`.
    pub fn told(&self) -> Vec<String> {
        self.events.iter().filter_map(words).collect()
    }

    /// What open incidents were told of, with law and article: `illegal-move FIDE 3`.
    pub fn cited(&self) -> Vec<String> {
        let open = self.events.iter().filter_map(|event| match &event.body {
            Body::Incident(incident) if incident.state == IncidentState::Open => Some(incident),
            _ => None,
        });
        open.map(|incident| format!("{} {} {}", incident.kind, incident.law, incident.article)).collect()
    }

    /// The last open incident of a kind.
    pub fn open(&self, kind: &str) -> Option<Incident> {
        let incidents = self.table.arbiter_state().incidents;
        incidents.into_iter().find(|incident| incident.kind == kind && incident.state == IncidentState::Open)
    }

    /// How the game ended, and what that is worth in halves to the teams of White and of Black on A.
    pub fn ended(&self) -> Option<(String, [i32; 2])> {
        self.events.iter().rev().find_map(|event| match &event.body {
            Body::GameEnded(ended) => {
                let points = ended.half_points.unwrap();
                Some((format!("{} {} {}", ended.result, ended.by, ended.reason), [points.white_a, points.black_a]))
            }
            _ => None,
        })
    }

    /// Somebody claims; `ok`, or the code of the error.
    pub fn claim(&mut self, kind: &str, by: &str) -> String {
        let answer = self.ask("claim", json!({ "kind": kind, "by": by }));
        answer.error.map_or("ok".into(), |error| error.code)
    }

    /// Completed moves in SAN.
    pub fn moves(&self) -> String {
        let moves = self.events.iter().filter_map(|event| match &event.body {
            Body::Move(played) => Some(played.san.clone()),
            _ => None,
        });
        moves.collect::<Vec<_>>().join(" ")
    }
}

fn words(event: &Event) -> Option<String> {
    match &event.body {
        Body::Incident(incident) if incident.state == IncidentState::Open => {
            let seat = incident.seat.map_or("-".into(), |seat| seat.to_string());
            let grade = serde_json::to_value(incident.grade).unwrap();
            let line = format!("{} {seat} {} {}", incident.kind, grade.as_str().unwrap(), incident.reason);
            Some(line.trim_end().to_owned())
        }
        Body::Incident(incident) => {
            let state = serde_json::to_value(incident.state).unwrap();
            Some(format!("{} {}", state.as_str().unwrap(), incident.kind))
        }
        Body::GameEnded(ended) => Some(format!("ended {} {} {}", ended.result, ended.by, ended.reason)),
        _ => None,
    }
}

fn channel(seat: &str) -> u8 {
    ["A", "a", "B", "b"].iter().position(|known| *known == seat).unwrap() as u8
}

fn kinds(letter: char) -> Kinds {
    match letter {
        '.' => Kinds::EMPTY,
        'x' => Kinds::OCCUPIED,
        '?' => Kinds::ANY,
        man => Kinds::only(Piece::from_char(man).unwrap()),
    }
}

fn button_of(word: &str) -> Button {
    match word {
        "claim" => Button::Claim,
        "draw" => Button::Draw,
        "resign" => Button::Resign,
        "arbiter" => Button::Arbiter,
        _ => Button::Knight,
    }
}

fn raw(input: &Input<'_>) -> Option<Raw> {
    match input {
        Input::Bytes(device, bytes) => Some(Raw::Rx(*device, bytes.to_vec())),
        Input::Link(device, up) => Some(Raw::Link(*device, *up)),
        Input::Request(request) => Some(Raw::Request(request.clone())),
        Input::Timeout => None,
    }
}

fn dump(men: &shakmaty::Board) -> Message {
    Message::BoardDump(Box::new(codes(men)))
}

fn codes(men: &shakmaty::Board) -> [u8; 64] {
    let code = |field: usize| {
        let square = Square::new((7 - field as u32 / 8) * 8 + field as u32 % 8);
        code_of(men.piece_at(square))
    };
    std::array::from_fn(code)
}

/// Plays a script under a rule set; what must be told.
pub fn check_under(rules: &str, script: &str, expect: &[&str]) {
    let mut bench = Bench::playing(&json!({ "ruleset": rules }));
    bench.play(script).play(". .");
    assert_eq!(bench.told(), expect, "{rules}: {script}: {}", bench.moves());
}

pub fn check(script: &str, expect: &[&str]) {
    check_under("wbn-1.00", script, expect);
}

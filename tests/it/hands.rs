//! What hands do on one board, frame by frame, and what must come out: games as lines of touches.
//!
//! A script has one step a word: `e2-` the square is empty, `e4P` a white pawn stands there, `w` White presses, `b`
//! Black presses, `.` half a second passes, `x` the clock is unplugged, `s` it is stopped. A step takes 30 ms.
//! Expected: events as `made Nf3`, `gone Nf3`, `Nf3`, corrections as `1: Nf3 e5` (the moves from ply 1 on), the end as
//! `1-0`.

use bughoused::{
    event::{Body, Correction, IncidentState},
    table::{Input, Opening, Output, Table},
    types::{Instant, MS, Piece, Square},
    wire::dgt::{ClockReading, Face, Message, code_of},
};
use serde_json::json;

const STEP_US: i64 = 30 * MS;
const REST_US: i64 = 500 * MS;

/// A table with two boards; board A and its clock are played on.
struct Bench {
    table: Table,
    now: Instant,
    white_runs: bool,
    said: Vec<String>,
}

fn settings() -> bughoused::table::settings::TableSettings {
    let board =
        |name: &str, board: &str| json!({ "name": name, "driver": "dgt", "board": board, "clock": true, "port": name });
    serde_json::from_value(json!({ "id": "1", "device": [board("a", "A"), board("b", "B")] })).unwrap()
}

impl Bench {
    fn set_up() -> Bench {
        let opening = Opening { session: "test".into(), started_us: 0, seq: 1, incident: 1 };
        let table = Table::new(settings(), opening).unwrap();
        let mut bench = Bench { table, now: Instant::ZERO, white_runs: true, said: Vec::new() };
        for device in [0, 1] {
            bench.table.handle(bench.now, Input::Link(device, true));
            bench.send(device, &start_position());
        }
        bench.clock(true);
        bench
    }

    fn send(&mut self, device: usize, message: &Message) {
        let mut bytes = Vec::new();
        message.emit(&mut bytes);
        self.table.handle(self.now, Input::Bytes(device, &bytes));
        self.drain();
    }

    /// Both players have five minutes; the right side is White's.
    fn clock(&mut self, white_runs: bool) {
        self.white_runs = white_runs;
        let face = Face { seconds: 300, ..Face::default() };
        let reading =
            ClockReading { left: face, right: face, running: true, right_high: white_runs, battery_low: false };
        self.send(0, &Message::Clock(reading));
    }

    fn stop(&mut self) {
        let face = Face { seconds: 300, ..Face::default() };
        let (running, right_high) = (false, self.white_runs);
        for device in [0, 1] {
            let reading = ClockReading { left: face, right: face, running, right_high, battery_low: false };
            self.send(device, &Message::Clock(reading));
        }
    }

    /// Both boards tell all that stands on them, three times: one that differs much is told again.
    fn show(&mut self, board: &Message) {
        for device in [0, 1, 0, 1, 0, 1] {
            self.send(device, board);
        }
    }

    fn drain(&mut self) {
        loop {
            match self.table.poll() {
                Output::Event(event) => match event.body {
                    Body::MoveMade(made) => self.said.push(format!("made {}", made.san)),
                    Body::MoveRetracted(made) => self.said.push(format!("gone {}", made.san)),
                    Body::Move(played) => self.said.push(played.san.clone()),
                    Body::Correction(correction) => self.said.push(correction_line(&correction)),
                    Body::Uncertain(doubt) => self.said.push(format!("? {}", doubt.candidates.join(" "))),
                    Body::Resolved(doubt) => self.said.push(format!("! {}", doubt.candidates.join(" "))),
                    Body::GameEnded(ended) => self.said.push(ended.result),
                    Body::Incident(incident) if incident.state == IncidentState::Open => {
                        self.said.push(format!("incident {}", incident.reason))
                    }
                    _ => {}
                },
                Output::Deadline(_) => return,
                _ => {}
            }
        }
    }

    fn step(&mut self, word: &str) {
        self.now = self.now + STEP_US;
        match word {
            "." => {
                self.now = self.now + REST_US;
                self.table.handle(self.now, Input::Timeout);
                self.drain();
            }
            "w" => self.clock(false),
            "b" => self.clock(true),
            "x" => self.send(0, &Message::NoClock),
            "s" => self.stop(),
            "0" => self.show(&Message::BoardDump(Box::new([0; 64]))),
            "n" => self.show(&start_position()),
            touch => {
                let square: Square = touch[..2].parse().unwrap();
                let man = touch[2..].chars().next().filter(|letter| *letter != '-').map(letter);
                let field = (7 - square.rank() as u8) * 8 + square.file() as u8;
                self.send(0, &Message::FieldUpdate { field, code: code_of(man) });
            }
        }
    }
}

fn correction_line(correction: &Correction) -> String {
    let ply = correction.moves.first().map_or(0, |played| played.ply);
    let moves: Vec<&str> = correction.moves.iter().map(|played| played.san.as_str()).collect();
    format!("{ply}: {}", moves.join(" "))
}

fn letter(letter: char) -> Piece {
    Piece::from_char(letter).unwrap()
}

fn start_position() -> Message {
    let board = shakmaty::Board::new();
    let code = |field: usize| {
        let square = Square::new((7 - field as u32 / 8) * 8 + field as u32 % 8);
        code_of(board.piece_at(square))
    };
    Message::BoardDump(Box::new(std::array::from_fn(code)))
}

/// Plays `before` without looking, then `script`, and compares what was said.
fn check_after(before: &str, script: &str, expect: &[&str]) {
    let mut bench = Bench::set_up();
    before.split_whitespace().for_each(|word| bench.step(word));
    bench.step(".");
    bench.said.clear();
    script.split_whitespace().for_each(|word| bench.step(word));
    bench.step(".");
    bench.step(".");
    bench.said.retain(|said| said != "incident "); // without a reason: the referee has tests of its own
    assert_eq!(bench.said, expect, "{script}");
}

fn check(script: &str, expect: &[&str]) {
    check_after("", script, expect);
}

/// 1. e4 d5
const CAPTURE_OPEN: &str = "e2- e4P . w d7- d5p . b";
/// 1. e4 a6 2. e5
const OPEN_FIFTH: &str = "e2- e4P . w a7- a6p . b e4- e5P . w";
/// 1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7
const CASTLING_OPEN: &str = "g1- f3N . w g8- f6n . b g2- g3P . w g7- g6p . b f1- g2B . w f8- g7b . b";

#[test]
fn a_move_is_made_then_completed() {
    check("g1- f3N . w", &["made Nf3", "Nf3"]); // WBN 1.4
    check("g1- f3N .", &["made Nf3"]);
    check("w .", &[]);
}

#[test]
fn placed_is_seen_before_removed() {
    check("f3N g1- . w", &["made Nf3", "Nf3"]);
}

#[test]
fn the_press_is_seen_before_the_man() {
    check("g1- w f3N", &["made Nf3", "Nf3"]);
}

#[test]
fn men_are_adjusted() {
    check("e2- . e2P d2- c2- . c2P d2P", &[]); // WBN 6.2
    check("g1- f3N f3- . f3N . w", &["made Nf3", "Nf3"]);
}

#[test]
fn a_move_is_taken_back_and_another_made() {
    check("g1- f3N . f3- g1N . b1- c3N . w", &["made Nf3", "gone Nf3", "made Nc3", "Nc3"]); // WBN 6.5
    check("g1- f3N . f3- h3N . w", &["made Nf3", "gone Nf3", "made Nh3", "Nh3"]);
}

#[test]
fn a_slide_ends_where_the_man_rests() {
    let open = "e2- e4P . w e7- e5p . b";
    check_after(
        open,
        "d1- e2Q e2- f3Q f3- g4Q w g4- h5Q",
        &["made Qe2", "gone Qe2", "made Qf3", "gone Qf3", "made Qg4", "gone Qg4", "made Qh5", "Qh5"],
    );
}

#[test]
fn captures_in_any_order() {
    check_after(CAPTURE_OPEN, "d5- e4- d5P . w", &["made exd5", "exd5"]); // victim first
    check_after(CAPTURE_OPEN, "e4- d5- d5P . w", &["made exd5", "exd5"]); // own man first
    check_after(CAPTURE_OPEN, "e4- d5P . w", &["made exd5", "exd5"]); // replaced in one motion
}

#[test]
fn castling_in_any_order() {
    check_after(CASTLING_OPEN, "e1- g1K h1- f1R . w", &["made O-O", "O-O"]); // king first
    check_after(CASTLING_OPEN, "e1- h1- g1K f1R . w", &["made O-O", "O-O"]); // both hands
    check_after(CASTLING_OPEN, "e1- h1- f1R g1K . w", &["made Rf1", "gone Rf1", "made O-O", "O-O"]); // rook down first
    check_after(CASTLING_OPEN, "h1- f1R e1- g1K . w", &["made Rf1", "gone Rf1", "made O-O", "O-O"]); // rook first
}

#[test]
fn en_passant_in_any_order() {
    let open = "e2- e4P . w a7- a6p . b e4- e5P . w d7- d5p . b";
    check_after(open, "e5- d6P d5- . w", &["made exd6", "exd6"]); // WBN 5.7 d
    check_after(open, "d5- e5- d6P . w", &["made exd6", "exd6"]);
}

#[test]
fn a_reply_before_the_press_is_seen() {
    check("g1- f3N . e7- e5p . w . b", &["made Nf3", "made e5", "Nf3", "e5"]); // WBN 6.5
}

#[test]
fn a_reply_captures_the_man_at_once() {
    let open = "e2- e4P . w d7- d5p . b e4- d5P";
    check_after(open, "d8- d5q . w . b", &["made Qxd5", "exd5", "Qxd5"]);
}

#[test]
fn the_lever_bounces() {
    check("w b g1- f3N . w", &["made Nf3", "Nf3"]);
}

#[test]
fn the_lever_bounces_at_once() {
    check("e2- e4P w b w . e7- e5p . b", &["made e4", "e4", "made e5", "e5"]);
}

#[test]
fn three_presses_come_within_a_scan() {
    check("e2- e4P w e7- e5p b g1- f3N w .", &["made e4", "e4", "made e5", "e5", "made Nf3", "Nf3"]);
}

#[test]
fn a_man_is_put_down_after_its_press() {
    let opening = "e2- e4P . w e7- e5p . b";
    let late = "g1- h3N . h3- w . . f3N . b8- c6n . b f1- b5B . w . . .";
    let said = ["made Nh3", "Nh3", "made Nc6", "3: Nf3", "Nc6", "made Bb5", "Bb5"];
    check_after(opening, late, &said);
}

#[test]
fn an_illegal_move_that_is_completed_stands_and_play_goes_on() {
    let script = "e2- e5P . w . . . e7- e6p . b";
    check(script, &["e5", "incident geometry", "made e6", "e6"]); // WBN 1.14
}

#[test]
fn an_illegal_move_that_is_taken_back_is_none() {
    check("e2- e5P . . . . e5- e4P . w", &["made e4", "e4"]);
}

/// 1. a4 h5 2. Ra3 Rh6
const ROOKS: &str = "a2- a4P . w h7- h5p . b a1- a3R . w h8- h6r . b";

#[test]
fn a_slide_goes_on_while_the_press_is_read() {
    let said = ["made Rb3", "gone Rb3", "made Rc3", "gone Rc3", "made Rg3", "Rg3"];
    check_after(ROOKS, "a3- b3R w b3- c3R c3- g3R .", &said);
}

#[test]
fn a_man_that_is_knocked_over_after_the_press_changes_nothing() {
    check_after(ROOKS, "a3- g3R . w . . g3- f4R . f4- g3R .", &["made Rg3", "Rg3"]); // WBN 6.4
}

#[test]
fn a_press_is_forgotten() {
    let said = ["made Nf3", "made Nf6", "made g3", "Nf3", "Nf6", "g3", "made g6", "g6"];
    check("g1- f3N . g8- f6n . g2- g3P . w g7- g6p . b", &said);
}

#[test]
fn a_square_that_feels_nothing() {
    let said =
        ["e3", "? e3 e4", "made e5", "e5", "made Nf3", "Nf3", "made d5", "d5", "1: e4 e5 Nf3 d5", "made exd5", "exd5"];
    check("e2- . w . . . . . . . e7- e5p . b g1- f3N . w d7- d5p . b d5P . w", &said);
}

#[test]
fn a_pawn_that_is_captured_before_a_scan_may_have_gone_two_steps() {
    let said = ["made d6", "made exd6", "d6", "? d6 d5", "exd6"];
    check_after(OPEN_FIFTH, "d7- e5- d6P . b . . w", &said);
    check_after(OPEN_FIFTH, "d7- b e5- d6P . . w", &said);
}

#[test]
fn men_that_are_cleared_away_while_the_clock_stands_make_no_moves() {
    let cleared = "h8- g8- f8- e8- d8- c8- b8- a8- h7- g7- f7- e7-";
    let put = "e5p . f6n . c6n . d6b .";
    check_after("e2- e4P . w . s", &format!("{cleared} {put}"), &[]);
    check_after("e2- e4P . w .", "e7- e5p .", &["made e5"]); // time runs
}

#[test]
fn kings_in_the_centre_show_the_result() {
    check_after(CAPTURE_OPEN, "s e1- e4K e8- d5k . . .", &["1-0"]);
    check_after(CAPTURE_OPEN, "s e1- d4K e8- e5k . . .", &["0-1"]);
    check_after(CAPTURE_OPEN, "s e1- d4K e8- d5k . . .", &["1/2-1/2"]);
    check_after(CAPTURE_OPEN, "s e1- d4K e8- . . .", &[]);
}

#[test]
fn a_next_game_is_begun_before_its_last_man_stands() {
    let next = ["*", "made e4", "e4", "made e5", "e5"];
    check_after(CAPTURE_OPEN, "s e4- d5- e2P . b d7p . e2- e4P . w e7- e5p . b", &next);
    // Men that were put straight stand as they were left: the game goes on.
    check_after(CAPTURE_OPEN, "s e4- . e4P . b e4- d5P . w", &["made exd5", "exd5"]);
}

#[test]
fn boards_that_are_swept_off_end_the_game_and_those_set_up_begin_the_next() {
    let swept = "s 0 . . . . . . . . . . .";
    check_after(CAPTURE_OPEN, swept, &["*"]);
    check_after(CAPTURE_OPEN, "s 0 . . . . .", &[]);
    check_after(CAPTURE_OPEN, "s 0 . . . n . . .", &["*"]);
    let next = "n . . . b e2- e4P . w e7- e5p . b";
    check_after(CAPTURE_OPEN, &format!("{swept} {next}"), &["*", "made e4", "e4", "made e5", "e5"]);
    check_after(CAPTURE_OPEN, &format!("s 0 . . {next}"), &["*", "made e4", "e4", "made e5", "e5"]);
}

#[test]
fn a_clock_is_lost() {
    check("x g1- f3N . . g8- f6n . . g2- g3P", &["made Nf3", "Nf3", "made Nf6", "Nf6", "made g3", "g3"]);
}

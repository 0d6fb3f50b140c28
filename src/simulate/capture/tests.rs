//! A short game into a capture, read back by the real decoders.

use std::collections::BTreeMap;

use serde_json::Value;

use super::*;
use crate::{
    event::Players,
    simulate::{
        hands::{
            Profile, play,
            samples::{SHORT, TERMS, plies},
        },
        stage,
        world::{SLOTS, World},
    },
    types::{BoardId, Kinds, MS, Seat, Square},
    wire::{
        bslp, dgt,
        dgt::{Message, code_of},
    },
};

/// A host that asks once for everything and then listens.
struct Listener {
    /// What is still to be sent, with its time.
    plan: Vec<(Instant, usize, Vec<u8>)>,
    now: Instant,
}

impl Listener {
    fn new() -> Listener {
        let boards = (0..2).flat_map(|device| {
            let commands = [0x40, 0x55, 0x45, 0x4d, 0x47, 0x42, 0x4b];
            commands.into_iter().zip(1..).map(move |(byte, n)| (Instant(n * 150 * MS), device, vec![byte]))
        });
        let mut hello = Vec::new();
        bslp::Sentence::emit(&bslp::Command::Helo, &mut hello);
        (0..4).for_each(|ch| bslp::Sentence::emit(&bslp::Command::Snap { ch }, &mut hello));
        let mut plan: Vec<_> = boards.chain([(Instant(20 * MS), 2, hello)]).collect();
        plan.sort();
        Listener { plan, now: Instant::ZERO }
    }
}

impl Host for Listener {
    fn link(&mut self, _: Instant, _: usize, _: bool) {}

    fn bytes(&mut self, at: Instant, _: usize, _: &[u8]) {
        self.now = at;
    }

    fn timeout(&mut self, at: Instant) {
        self.now = at;
    }

    fn drain(&mut self, sent: &mut Vec<(usize, Vec<u8>)>) -> Option<Instant> {
        let due = self.plan.iter().take_while(|(at, ..)| *at <= self.now).count();
        sent.extend(self.plan.drain(..due).map(|(_, device, bytes)| (device, bytes)));
        self.plan.first().map(|(at, ..)| *at)
    }
}

fn captured(seed: u64) -> (Performance, Truth, String) {
    let performance = play(&plies(SHORT), &TERMS, &Profile::CLEAN, seed);
    let settings = stage::settings(&TERMS, Players::new(), &[]);
    let mut file = Vec::new();
    let truth = record(&performance, &settings, "2026-11-20T15:00:00Z", seed, &mut Listener::new(), &mut file).unwrap();
    (performance, truth, String::from_utf8(file).unwrap())
}

fn lines(file: &str) -> Vec<Value> {
    file.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn received(lines: &[Value], device: &str) -> Vec<(Instant, Vec<u8>)> {
    let bytes =
        |hex: &str| (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect();
    let own = lines.iter().filter(|line| line["dev"] == device);
    own.filter_map(|line| Some((Instant(line["t"].as_i64()?), bytes(line["rx"].as_str()?)))).collect()
}

#[test]
fn the_same_seed_writes_the_same_bytes() {
    assert_eq!(captured(11).2, captured(11).2);
    assert_ne!(captured(11).2, captured(12).2);
}

#[test]
fn lines_are_in_time_order_behind_a_header_that_opens_a_table() {
    let (_, truth, file) = captured(3);
    let lines = lines(&file);
    assert_eq!(lines[0]["capture"], 1);
    let settings: TableSettings = serde_json::from_value(lines[0]["table"].clone()).unwrap();
    assert_eq!(settings, stage::settings(&TERMS, Players::new(), &[]));
    let times: Vec<i64> = lines[1..].iter().map(|line| line["t"].as_i64().unwrap()).collect();
    assert!(times.is_sorted() && times.last() <= Some(&truth.end.micros()));
    let tx = lines.iter().filter(|line| line["tx"].is_string() && line["dev"] == "board-a");
    assert_eq!(tx.map(|line| line["tx"].as_str().unwrap()).collect::<String>(), "4055454d47424b");
}

/// Codes by square as a capture's messages leave them.
fn mirror(lines: &[Value], device: &str, rotated: bool) -> BTreeMap<Square, u8> {
    let mut decoder = dgt::Decoder::new();
    let mut codes = [0u8; 64];
    for (_, bytes) in received(lines, device) {
        decoder.push(&bytes, |message| match message {
            Message::BoardDump(dump) => codes = *dump,
            Message::FieldUpdate { field, code } => codes[usize::from(field)] = code,
            _ => {}
        });
    }
    assert_eq!(decoder.rejects().total(), 0);
    let field = |square: Square| (7 - square.rank() as usize) * 8 + square.file() as usize;
    Square::ALL.into_iter().map(|sq| (sq, codes[if rotated { 63 - field(sq) } else { field(sq) }])).collect()
}

fn final_world(performance: &Performance) -> World {
    let mut world = performance.world.clone();
    performance.script.steps().iter().for_each(|step| world.apply(*step));
    world
}

#[test]
fn what_was_received_leads_to_the_men_as_they_stand() {
    let mut turned = 0;
    for seed in 0..12 {
        let (performance, truth, file) = captured(seed);
        let (lines, world) = (lines(&file), final_world(&performance));
        for (board, device) in [(BoardId::A, "board-a"), (BoardId::B, "board-b")] {
            let rotated = truth.devices[device]["rotated"] == true;
            turned += u32::from(rotated);
            for (square, code) in mirror(&lines, device, rotated) {
                assert_eq!(code, code_of(world.at(board, square)), "seed {seed}, board {board}, {square}");
            }
        }
        let mut slots = [[Kinds::ANY; SLOTS]; 4];
        let mut decoder = bslp::Decoder::<bslp::Line>::new();
        for (_, bytes) in received(&lines, "trays") {
            decoder.push(&bytes, |line| match line {
                bslp::Line::Snap { ch, cells, .. } => slots[usize::from(ch)].copy_from_slice(&cells),
                bslp::Line::Cell { ch, cell, value, .. } => {
                    slots[usize::from(ch)][usize::from(cell)] = value.kinds().unwrap();
                }
                _ => {}
            });
        }
        for seat in Seat::all(2) {
            assert_eq!(slots[seat.index()], world.tray(seat).map(Kinds::exactly), "seed {seed}, tray {seat}");
        }
    }
    assert!(turned > 0 && turned < 24, "both ways round: {turned}");
}

#[test]
fn levers_are_told_in_the_order_of_the_presses_with_the_second_shown() {
    for seed in 0..12 {
        let (_, truth, file) = captured(seed);
        let lines = lines(&file);
        let mut told: Vec<(Instant, BoardId, i64)> = Vec::new();
        for (board, device) in [(BoardId::A, "board-a"), (BoardId::B, "board-b")] {
            let white_left = truth.devices[device]["clock_white"] == "left";
            let mut decoder = dgt::Decoder::new();
            let mut high = None;
            for (at, bytes) in received(&lines, device) {
                decoder.push(&bytes, |message| {
                    let Message::Clock(reading) = message else { return };
                    let white_high = reading.right_high != white_left;
                    if reading.running && high.is_some_and(|before| before != white_high) {
                        let mover = if white_high != white_left { reading.left } else { reading.right };
                        told.push((at, board, i64::from(mover.seconds)));
                    }
                    high = reading.running.then_some(white_high).or(high.filter(|_| reading.running));
                });
            }
        }
        told.sort();
        let order: Vec<BoardId> = told.iter().map(|(_, board, _)| *board).collect();
        let expected: Vec<BoardId> = truth.moves.iter().map(|played| played.board).collect();
        assert_eq!(order, expected, "seed {seed}");
        for ((at, _, seconds), played) in told.iter().zip(&truth.moves) {
            let left = if played.white { played.clock.white_ms } else { played.clock.black_ms };
            assert_eq!(*seconds, (left + 999) / 1000, "seed {seed}: {played:?}");
            assert!((0..=300 * MS).contains(&(*at - played.press)), "seed {seed}: {played:?}");
        }
    }
}

const LEGAL: &str = "1A. e4 {119.2} 1B. d4 {118.0} 1a. d5 {119.9} 1b. e5 {119.9} 2A. exd5 {118.0} 2a. Qxd5 {117.0} \
    2B. dxe5 {117.5} 2b. P@d3 {100.0} 3B. P@h6 {99.0} 3b. dxc2 {99.0} 3A. Nf3 {117.9} 3a. P@e4 {90.0} 4A. Be2 {117.0} \
    4a. exf3 {88.0} 4B. hxg7 {98.0} 4b. cxb1=Q {98.0} 5A. O-O {116.0} 5a. fxe2 {80.0} 5B. gxh8=Q {97.0} *";

#[test]
fn the_machine_that_records_hears_the_game_that_was_played() {
    use crate::{
        event::Body,
        notation::bpgn,
        rules::RuleSet,
        simulate::{hands::plies_of, host::TableHost},
        table::{Opening, Table},
    };
    let game = bpgn::read_game(LEGAL, 1).unwrap().game;
    let plies = plies_of(&game, &RuleSet::WBN_1_00).unwrap();
    for seed in 0..12 {
        let performance = play(&plies, &TERMS, &Profile::CLEAN, seed);
        let settings = stage::settings(&TERMS, Players::new(), &[]);
        let opening = Opening { session: "test".into(), started_us: 0, seq: 1, incident: 1 };
        let mut host = TableHost::new(Table::new(settings.clone(), opening).unwrap());
        let truth =
            record(&performance, &settings, "1970-01-01T00:00:00Z", seed, &mut host, &mut std::io::sink()).unwrap();
        let heard = host.events().iter().filter_map(|event| match &event.body {
            Body::Move(played) => Some(played),
            _ => None,
        });
        let heard: Vec<_> = heard.collect();
        assert_eq!(heard.len(), truth.moves.len(), "seed {seed}");
        for (heard, played) in heard.iter().zip(&truth.moves) {
            assert_eq!((heard.seat, heard.ply, &heard.uci), (played.seat, played.ply, &played.uci), "seed {seed}");
            let clock = heard.clock.expect("a clock");
            assert!((clock.white_ms - played.clock.white_ms).abs() < 1000, "seed {seed}: {played:?}");
            assert!((clock.black_ms - played.clock.black_ms).abs() < 1000, "seed {seed}: {played:?}");
        }
    }
}

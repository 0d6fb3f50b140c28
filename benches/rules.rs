//! Nodes per second of the generator beside shakmaty's Crazyhouse, on the same positions in one run.
//!
//! Run with `cargo bench --bench rules`; `ROUNDS=5` chooses how often each position is counted. A captured man goes to
//! the partner here and to the own pocket there, and Crazyhouse promotes to four kinds, so that the trees differ: what
//! is compared is nodes per second, each of its own tree. Two readings are printed: with every leaf made and listed,
//! and as `perft` counts, without a list of the last ply.
#![allow(clippy::disallowed_methods, reason = "it measures time")]

use std::{
    fs, hint,
    time::{Duration, Instant},
};

use bughoused::{
    notation::bfen::Bfen,
    rules::{BoardPosition, RuleSet, perft},
    types::BoardId,
};
use shakmaty::{CastlingMode, FromSetup, Position as _, Setup, variant::Crazyhouse};

/// Plies of the trees.
const DEPTH: u32 = 3;

/// What was counted, and how long it took.
#[derive(Clone, Copy, Default)]
struct Reading {
    nodes: u64,
    time: Duration,
}

impl Reading {
    fn of(count: impl Fn() -> u64) -> Reading {
        let begun = Instant::now();
        let nodes = hint::black_box(count());
        Reading { nodes, time: begun.elapsed() }
    }

    fn add(&mut self, other: Reading) {
        self.nodes += other.nodes;
        self.time += other.time;
    }

    fn per_second(self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64() / 1e6
    }
}

fn main() {
    let rounds: u32 = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(3);
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/perft.txt")).expect("the positions");
    let positions: Vec<(BoardPosition, Crazyhouse)> = text.lines().filter_map(position).collect();
    let [mut listed, mut counted, mut other] = [Reading::default(); 3];
    for _ in 0..rounds {
        for (ours, theirs) in &positions {
            listed.add(Reading::of(|| list(ours, DEPTH)));
            counted.add(Reading::of(|| perft(ours, DEPTH)));
            other.add(Reading::of(|| shakmaty::perft(theirs, DEPTH)));
        }
    }
    println!("{} positions to depth {DEPTH}, {rounds} rounds, million nodes per second:", positions.len());
    println!("shakmaty Crazyhouse   {:8.1}", other.per_second());
    for (name, reading) in [("bughoused, all listed", listed), ("bughoused, perft     ", counted)] {
        println!("{name} {:8.1}  ratio {:.2}", reading.per_second(), reading.per_second() / other.per_second());
    }
}

/// A line of the positions in both libraries, if Crazyhouse takes it.
fn position(line: &str) -> Option<(BoardPosition, Crazyhouse)> {
    let (bfen, _) = line.split_once(" ;").filter(|_| !line.starts_with('#'))?;
    let ours = Bfen::read(bfen).expect(bfen).to_game(&RuleSet::WBN_1_00).board(BoardId::A).clone();
    let theirs = Crazyhouse::from_setup(Setup::from(&ours), CastlingMode::Standard).ok()?;
    // One tree is not to rule.
    let small = BoardPosition::legal_moves(&ours).len() < 250 && theirs.legal_moves().len() < 250;
    small.then_some((ours, theirs))
}

/// As shakmaty counts: every move of the last ply is made into a list.
fn list(position: &BoardPosition, depth: u32) -> u64 {
    let moves = BoardPosition::legal_moves(position);
    if depth == 1 {
        return moves.len() as u64;
    }
    let after = |m| {
        let mut next = position.clone();
        BoardPosition::play(&mut next, m);
        list(&next, depth - 1)
    };
    moves.into_iter().map(after).sum()
}

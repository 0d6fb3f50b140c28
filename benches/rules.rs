//! Rules and SAN beside shakmaty's Crazyhouse, on the same positions in one run.
//!
//! `cargo bench --bench rules`; `ROUNDS=10` for more than 5, `ONLY=SAN` for a part. Trees are counted to depth 3 with
//! every leaf made and listed, as shakmaty does, and as `perft` counts, without a list of the last ply. A captured man
//! goes to the partner here and to the own pocket there, and Crazyhouse promotes to four kinds: the trees differ a
//! little, and nodes per second are compared, each of its own tree. Legality is asked for every legal move and for
//! those of the position before, most of which are illegal. The best round of each counts.
#![allow(clippy::disallowed_methods, reason = "it measures time")]

use std::{
    fs, hint,
    time::{Duration, Instant},
};

use bughoused::{
    notation::{bfen::Bfen, san},
    rules::{BoardPosition, MoveList, RuleSet, perft},
    types::BoardId,
};
use shakmaty::{
    CastlingMode, FromSetup, Move, Position as _, Setup,
    san::{San, SanPlus},
    variant::Crazyhouse,
};

/// Plies of the trees.
const DEPTH: u32 = 3;
/// Boards of a table.
const BOARDS: usize = 2;

/// A position in both libraries, its legal moves, and others to ask about.
struct Case {
    ours: BoardPosition,
    theirs: Crazyhouse,
    moves: Vec<Move>,
    asked: Vec<Move>,
    /// The moves as each library writes them.
    texts: Vec<[String; 2]>,
}

/// What one library does on a position; answers how many nodes or moves that were.
type Work = fn(&Case) -> u64;

/// What is compared: ours, theirs.
const COMPARED: [(&str, Work, Work); 7] = [
    ("tree, counted", |case| perft(&case.ours, DEPTH), |case| shakmaty::perft(&case.theirs, DEPTH)),
    (
        "tree, listed",
        |case| list(&case.ours, &mut [const { MoveList::new() }; DEPTH as usize]),
        |case| shakmaty::perft(&case.theirs, DEPTH),
    ),
    (
        "legal moves",
        |case| BoardPosition::legal_moves(&case.ours).len() as u64,
        |case| case.theirs.legal_moves().len() as u64,
    ),
    (
        "is it legal",
        |case| each(&case.asked, |m| BoardPosition::is_legal(&case.ours, *m)),
        |case| each(&case.asked, |m| case.theirs.is_legal(*m)),
    ),
    (
        "SAN written",
        |case| each(&case.moves, |m| san::write_plain(&case.ours, *m)),
        |case| each(&case.moves, |m| San::from_move(&case.theirs, *m).to_string()),
    ),
    (
        "SAN with marks",
        |case| each(&case.moves, |m| san::write(&case.ours, *m, BOARDS)),
        |case| each(&case.moves, |m| SanPlus::from_move(case.theirs.clone(), *m).to_string()),
    ),
    (
        "SAN read",
        |case| each(&case.texts, |[text, _]| san::read(text, &case.ours)),
        |case| each(&case.texts, |[_, text]| text.parse::<San>().map(|san| san.to_move(&case.theirs))),
    ),
];

fn main() {
    let rounds: u32 = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(5);
    let only = std::env::var("ONLY").ok();
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/perft.txt")).expect("the positions");
    let mut cases: Vec<Case> = Vec::new();
    for (ours, theirs) in text.lines().filter_map(position) {
        let before = cases.last().map_or(&[][..], |case| &case.moves).to_vec();
        cases.push(case(ours, theirs, &before));
    }
    println!("{} positions, best of {rounds} rounds, millions per second:", cases.len());
    println!("{:16} {:>9} {:>9} {:>6}", "", "bughoused", "shakmaty", "ratio");
    for (name, ours, theirs) in COMPARED {
        if only.as_deref().is_some_and(|only| !name.contains(only)) {
            continue;
        }
        let rates = (0..rounds).map(|_| [ours, theirs].map(|work| rate(&cases, work)));
        let [ours, theirs] = rates.fold([0.0; 2], |best, now| [0, 1].map(|one: usize| now[one].max(best[one])));
        println!("{name:16} {ours:9.1} {theirs:9.1} {:6.2}", ours / theirs);
    }
}

/// Millions of nodes or moves per second over all positions.
fn rate(cases: &[Case], work: Work) -> f64 {
    /// Short work is done again until a round takes this long.
    const ROUND: Duration = Duration::from_millis(200);
    let begun = Instant::now();
    let mut done = 0;
    while begun.elapsed() < ROUND {
        done += cases.iter().map(|case| hint::black_box(work(hint::black_box(case)))).sum::<u64>();
    }
    done as f64 / begun.elapsed().as_secs_f64() / 1e6
}

/// Does `work` with everything that is given, and answers how many there were.
fn each<T, A>(all: &[T], work: impl Fn(&T) -> A) -> u64 {
    all.iter().for_each(|one| drop(hint::black_box(work(one))));
    all.len() as u64
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

fn case(ours: BoardPosition, theirs: Crazyhouse, before: &[Move]) -> Case {
    let moves = BoardPosition::legal_moves(&ours).to_vec();
    let both = |m: &Move| [san::write_plain(&ours, *m), San::from_move(&theirs, *m).to_string()];
    let texts = moves.iter().map(both).collect();
    Case { asked: [&moves, before].concat(), ours, theirs, moves, texts }
}

/// As shakmaty counts: every move of the last ply is made into a list. One list a ply is used again and again.
fn list(position: &BoardPosition, lists: &mut [MoveList]) -> u64 {
    let Some((moves, deeper)) = lists.split_first_mut() else { return 1 };
    position.legal_moves_into(moves);
    if deeper.is_empty() {
        return moves.len() as u64;
    }
    let after = |m: &Move| {
        let mut next = position.clone();
        BoardPosition::play(&mut next, *m);
        list(&next, deeper)
    };
    moves.iter().map(after).sum()
}

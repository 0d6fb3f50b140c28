//! How fast captures go through the machine, in moves per second on one core.
//!
//! All games of `tests/data/games.bpgn` are played by emulated hands into captures in memory; then they are replayed
//! `ROUNDS` times (5 without), and the best round of each kind is printed: the machine alone, `replay --format bpgn`,
//! and `replay --format events` with every line written. Run with `cargo bench --bench replay`; `ONLY=events` names
//! one, `PROFILE=human` the hands (`clean` without).
#![allow(clippy::disallowed_methods, reason = "it measures time")]

use std::{
    fs::File,
    io::BufReader,
    time::{Duration, Instant},
};

use bughoused::{
    cli::replay::{Format, replay},
    notation::bpgn::{self, Reader},
    rules::RuleSet,
    simulate::{
        capture::record,
        hands::{Profile, play, players_of, plies_of, terms_of},
        host::TableHost,
        stage,
    },
    table::{
        Input, Opening, Output, Table,
        capture::{Header, Raw, RawInput},
    },
};

const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/games.bpgn");
const STARTED: &str = "2026-11-20T15:00:00Z";

/// Replays one game; answers how many events or bytes came out.
type Run = fn(&Captured) -> usize;

/// A game as its capture.
struct Captured {
    text: String,
    header: Header,
    inputs: Vec<RawInput>,
    plies: usize,
}

fn main() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let rounds = number("ROUNDS").unwrap_or(5);
    let games = BufReader::new(File::open(GAMES).expect("the games of the tests"));
    let games = Reader::new(games).map(|parsed| parsed.expect("a readable game").game);
    let hands = std::env::var("PROFILE").unwrap_or_else(|_| "clean".to_owned());
    let profile = Profile::named(&hands).expect("a profile");
    let captured: Vec<Captured> = games.zip(1..).map(|(game, seed)| capture(&game, profile, seed)).collect();
    let lines: usize = captured.iter().map(|game| game.inputs.len()).sum();
    let plies: usize = captured.iter().map(|game| game.plies).sum();
    println!("{} games of {hands} hands, {plies} moves, {lines} lines; best of {rounds} rounds:", captured.len());
    let only = std::env::var("ONLY").ok();
    let kinds: [(&str, Run); 3] = [
        ("machine", machine),
        ("bpgn", |game| replayed(game, Format::Bpgn)),
        ("events", |game| replayed(game, Format::Events)),
    ];
    for (name, run) in kinds.into_iter().filter(|(name, _)| only.as_deref().is_none_or(|only| only == *name)) {
        let (bytes, best) = (0..rounds).map(|_| round(&captured, run)).min_by_key(|(_, time)| *time).expect("a round");
        let rate = plies as f64 / best.as_secs_f64();
        println!("{name:8} {rate:9.0} moves/s  {:8.1} ms  {bytes} {}", best.as_secs_f64() * 1e3, unit(name));
    }
}

fn unit(name: &str) -> &'static str {
    if name == "machine" { "events" } else { "bytes written" }
}

fn round(captured: &[Captured], run: Run) -> (usize, Duration) {
    let began = Instant::now();
    let bytes = captured.iter().map(run).sum();
    (bytes, began.elapsed())
}

/// Feeds the machine with inputs that were read before; answers how many events it told.
fn machine(game: &Captured) -> usize {
    let opening = Opening { session: "bench".into(), started_us: 0, seq: 1, incident: 1 };
    let mut table = Table::new(game.header.table.clone(), opening).expect("the settings of a table");
    let mut events = 0;
    for RawInput { t, raw } in &game.inputs {
        match raw {
            Raw::Rx(device, bytes) => table.handle(*t, Input::Bytes(*device, bytes)),
            Raw::Link(device, up) => table.handle(*t, Input::Link(*device, *up)),
            Raw::Request(request) => table.handle(*t, Input::Request(request.clone())),
            Raw::Tx(..) => continue,
        }
        loop {
            match table.poll() {
                Output::Deadline(_) => break,
                Output::Event(_) => events += 1,
                _ => {}
            }
        }
    }
    events
}

fn replayed(game: &Captured, format: Format) -> usize {
    let (bytes, read) = replay(game.text.as_bytes(), format, None);
    read.expect("a capture of ours");
    bytes.len()
}

fn capture(game: &bpgn::Game, profile: &Profile, seed: u64) -> Captured {
    let terms = terms_of(game);
    let plies = plies_of(game, &RuleSet::WBN_1_00).expect("a legal game");
    let performance = play(&plies, &terms, profile, seed);
    let settings = stage::settings(&terms, players_of(game), &[]);
    let opening = Opening { session: "bench".into(), started_us: 0, seq: 1, incident: 1 };
    let mut host = TableHost::new(Table::new(settings.clone(), opening).expect("the settings of a table"));
    let mut bytes = Vec::new();
    record(&performance, &settings, STARTED, seed, &mut host, &mut bytes).expect("room in memory");
    let text = String::from_utf8(bytes).expect("JSON is UTF-8");
    let mut lines = text.lines();
    let header = Header::parse(lines.next().unwrap_or_default()).expect("a header of ours");
    let inputs = lines.map(|line| RawInput::parse(line, &settings.device).expect("a line of ours")).collect();
    Captured { header, inputs, plies: plies.len(), text }
}

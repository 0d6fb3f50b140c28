//! What one frame costs: from the input to the drained poll, in microseconds, for each profile of hands.
//!
//! The games of `tests/data/games.bpgn` and random ones are played into captures in memory, with the profile's faults
//! of sensors, and go through the machine `ROUNDS` times (2 without); the fastest time of each frame counts, so that
//! what else the computer does is no part of it. Prints p50, p99 and the worst, where that is in which capture, and
//! moves a second. Run with `cargo bench --bench frames`; `PROFILES=human GAMES=20 RANDOM=5` choose, `KEEP=DIR` writes
//! the capture with the worst frame of each profile there. `CAPTURES=DIR` measures the captures that lie there instead
//! (moves are those of the truth beside them), such as `bughoused accuracy --keep DIR` leaves.
#![allow(clippy::disallowed_methods, reason = "it measures time")]

use std::{
    fs::{self, File},
    io::BufReader,
    path::{Path, PathBuf},
    time::Instant,
};

use bughoused::{
    notation::bpgn::{self, Reader},
    rules::RuleSet,
    simulate::{
        accuracy::{Source, Trial},
        devices::faults::Faults,
        hands::Profile,
        offence::Offences,
        rig::Rig,
    },
    table::{
        Input, Opening, Output, Table,
        capture::{Header, Raw, RawInput},
    },
};

const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/games.bpgn");
const WBN: &RuleSet = &RuleSet::WBN_1_00;
/// Plies of a random game.
const PLIES_MAX: usize = 120;

/// A game as its capture.
struct Captured {
    name: String,
    text: String,
    header: Header,
    inputs: Vec<RawInput>,
    plies: usize,
}

/// The longest frame of a profile.
#[derive(Clone, Copy, Default)]
struct Worst {
    nanos: u64,
    game: usize,
    micros: i64,
}

fn main() {
    let number = |name: &str, or: usize| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(or);
    let (rounds, games, random) = (number("ROUNDS", 2), number("GAMES", 105), number("RANDOM", 30));
    println!(
        "{:8} {:>7} {:>8} {:>8} {:>8} {:>9} {:>9}  where",
        "profile", "moves", "frames", "p50 µs", "p99 µs", "worst µs", "moves/s"
    );
    if let Some(dir) = std::env::var_os("CAPTURES") {
        return report("captures", &kept(Path::new(&dir)), rounds.max(1));
    }
    let profiles = std::env::var("PROFILES").unwrap_or_else(|_| "clean,human,blitz,chaos".into());
    let sources = sources(games, random as u64);
    for name in profiles.split(',') {
        let profile = Profile::named(name).expect("a profile");
        let captured: Vec<Captured> =
            sources.iter().zip(1..).map(|(source, seed)| capture(source, profile, seed)).collect();
        report(profile.name, &captured, rounds.max(1));
    }
}

fn sources(games: usize, random: u64) -> Vec<Source> {
    let file = BufReader::new(File::open(GAMES).expect("the games of the tests"));
    let record = |(index, parsed): (usize, Result<bpgn::Parsed, _>)| {
        let game = parsed.expect("a readable game").game;
        Source::of_record(format!("game-{:04}", index + 1), &game, WBN, &Offences::default(), 0).expect("a legal game")
    };
    let recorded = Reader::new(file).take(games).enumerate().map(record);
    let random = (1..=random).map(|seed| Source::random(seed, PLIES_MAX, WBN, &Offences::default()));
    recorded.chain(random).collect()
}

fn capture(source: &Source, profile: &Profile, seed: u64) -> Captured {
    let rig = Rig { faults: Faults::named(profile.name).unwrap_or_default(), ..Rig::default() };
    let trial = Trial { source, profile, seed, ruleset: WBN, rig: &rig };
    let mut bytes = Vec::new();
    let (truth, _) = trial.record(&mut bytes).expect("room in memory");
    let text = String::from_utf8(bytes).expect("JSON is UTF-8");
    Captured::of(trial.name(), text, truth.moves.len())
}

/// The captures that lie in a directory, by their names.
fn kept(dir: &Path) -> Vec<Captured> {
    let entries = fs::read_dir(dir).expect("a directory of captures").flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl")).collect();
    assert!(!paths.is_empty(), "{}: expected captures (.jsonl), found none", dir.display());
    paths.sort();
    let read = |path: &PathBuf| {
        let truth = fs::read_to_string(path.with_extension("truth.json")).ok();
        let truth = truth.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
        let plies = truth.and_then(|truth| truth["moves"].as_array().map(Vec::len)).unwrap_or(0);
        let name = path.file_stem().expect("a file").to_string_lossy().into_owned();
        Captured::of(name, fs::read_to_string(path).expect("a capture"), plies)
    };
    paths.iter().map(read).collect()
}

impl Captured {
    fn of(name: String, text: String, plies: usize) -> Captured {
        let mut lines = text.lines();
        let header = Header::parse(lines.next().unwrap_or_default()).expect("a header of ours");
        let inputs = lines.map(|line| RawInput::parse(line, &header.table.device).expect("a line of ours")).collect();
        Captured { name, inputs, header, plies, text }
    }
}

fn report(profile: &str, captured: &[Captured], rounds: usize) {
    let (mut all, mut worst, mut total) = (Vec::<u64>::new(), Worst::default(), u64::MAX);
    let mut best: Vec<Vec<u64>> = vec![Vec::new(); captured.len()];
    for _ in 0..rounds {
        let mut sum = 0;
        for (game, best) in captured.iter().zip(&mut best) {
            let times = frames(game);
            sum += times.iter().sum::<u64>();
            match best.is_empty() {
                true => *best = times,
                false => best.iter_mut().zip(times).for_each(|(best, time)| *best = time.min(*best)),
            }
        }
        total = total.min(sum);
    }
    for (game, times) in best.iter().enumerate() {
        for (nanos, input) in times.iter().zip(&captured[game].inputs) {
            if *nanos > worst.nanos {
                worst = Worst { nanos: *nanos, game, micros: input.t.micros() };
            }
        }
        all.extend(times);
    }
    all.sort_unstable();
    let at = |percent: usize| all[(all.len() - 1) * percent / 100] as f64 / 1e3;
    let plies: usize = captured.iter().map(|game| game.plies).sum();
    let rate = plies as f64 / (total as f64 / 1e9);
    let place = format!("{} at t = {}", captured[worst.game].name, worst.micros);
    let (p50, p99, most) = (at(50), at(99), worst.nanos as f64 / 1e3);
    println!("{:8} {plies:>7} {:>8} {p50:>8.1} {p99:>8.1} {most:>9.1} {rate:>9.0}  {place}", profile, all.len());
    if let Some(dir) = std::env::var_os("KEEP") {
        let path = PathBuf::from(dir).join(&captured[worst.game].name).with_extension("jsonl");
        fs::write(path, &captured[worst.game].text).expect("the directory takes a file");
    }
}

/// Nanoseconds of each input from when it is handed over to when the machine is drained.
fn frames(game: &Captured) -> Vec<u64> {
    let opening = Opening { session: "bench".into(), started_us: 0, seq: 1, incident: 1 };
    let mut table = Table::new(game.header.table.clone(), opening).expect("the settings of a table");
    let mut times = Vec::with_capacity(game.inputs.len());
    for RawInput { t, raw } in &game.inputs {
        let began = Instant::now();
        match raw {
            Raw::Rx(device, bytes) => table.handle(*t, Input::Bytes(*device, bytes)),
            Raw::Link(device, up) => table.handle(*t, Input::Link(*device, *up)),
            Raw::Request(request) => table.handle(*t, Input::Request(request.clone())),
            Raw::Tx(..) => {}
        }
        while !matches!(table.poll(), Output::Deadline(_)) {}
        times.push(began.elapsed().as_nanos() as u64);
    }
    times
}

//! Games a second of `adjudicate` on an archive: the corpus repeated, on one and on two threads.
//!
//! `cargo bench --bench archive [-- GAMES]`. Measures the program itself: reading, playing and one JSON line a game.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

/// Games of the archive unless the first argument says otherwise.
const GAMES: usize = 21_000;

fn main() {
    let wanted = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(GAMES);
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/games.bpgn");
    let corpus = fs::read_to_string(corpus).expect("the corpus is in the repository");
    let games = corpus.matches("[Event ").count();
    let plies =
        corpus.lines().filter(|line| !line.starts_with('[')).map(|line| line.matches(". ").count()).sum::<usize>();
    let repeated = wanted.div_ceil(games);
    let dir = tempfile::tempdir().expect("a place for temporary files");
    let archive = dir.path().join("archive.bpgn");
    fs::write(&archive, format!("{corpus}\n").repeat(repeated)).expect("room for the archive");
    println!("{} games of {} plies", games * repeated, plies / games);
    for jobs in [1, 2] {
        let seconds = adjudicate(&archive, jobs);
        let rate = (games * repeated) as f64 / seconds;
        println!("{jobs} jobs: {rate:.0} games/s, {:.0} ns a ply", seconds * 1e9 / (plies * repeated) as f64);
    }
}

/// Seconds that the program takes.
#[allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn adjudicate(archive: &Path, jobs: usize) -> f64 {
    let started = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bughoused"));
    let status = command.args(["adjudicate", "--json", "--jobs", &jobs.to_string()]).arg(archive);
    let status = status.stdout(Stdio::null()).status().expect("the program runs");
    assert!(status.success(), "{status}");
    started.elapsed().as_secs_f64()
}

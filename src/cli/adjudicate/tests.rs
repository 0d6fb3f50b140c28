//! The command on files: order, letters, exit codes, bounds.

use std::path::Path;

use clap::Parser;

use super::*;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: Args,
}

fn data(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn adjudicated(arguments: &[&str]) -> (String, Outcome) {
    let line = Line::try_parse_from([&["adjudicate"], arguments].concat()).unwrap();
    let mut out = Vec::new();
    let outcome = run(line.args, &mut out);
    (String::from_utf8(out).unwrap(), outcome)
}

fn file(dir: &Path, text: &str) -> String {
    let path = dir.join("games.bpgn");
    std::fs::write(&path, text).unwrap();
    path.to_string_lossy().into_owned()
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let (corpus, raw) = (data("games.bpgn"), data("raw/fics-2001-glued--hyjs_index_15_games.bpgn"));
    let told = |jobs: &str| adjudicated(&[&corpus, &raw, "--json", "--jobs", jobs]).0;
    let one = told("1");
    assert_eq!(one.lines().count(), 105 + 15);
    assert!(one.lines().all(|line| line.contains("\"legal\":true")));
    assert_eq!(told("2"), one);
    assert_eq!(told("5"), one);
}

#[test]
fn an_illegal_game_is_told_and_strict_says_so() {
    let path = data("raw/crazyhouse-mislabelled--bench.bpgn");
    let (text, outcome) = adjudicated(&[&path]);
    assert!(text.ends_with("game 1: illegal at A11: N@e5+: drop-not-in-pocket\n"), "{text}");
    assert!(outcome.is_ok());
    let failure = adjudicated(&[&path, "--strict"]).1.unwrap_err();
    assert_eq!((failure.exit, failure.to_string().as_str()), (Exit::Failed, "1 of 1 games are illegal"));
}

#[test]
fn other_letters_are_read_when_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path(), "[WhiteA \"x\"]\n\n1A. Jf3 1a. d6 2A. Jc3 2a. Sd7 *\n");
    let json: serde_json::Value = serde_json::from_str(&adjudicated(&[&path, "--json", "--letters", "cs"]).0).unwrap();
    assert_eq!((&json["legal"], &json["plies"], &json["warnings"]), (&true.into(), &4.into(), &serde_json::json!([])));
    let failure = adjudicated(&[&path]).1.unwrap_err();
    assert_eq!(failure.exit, Exit::BadInput);
    assert!(failure.lines[0].ends_with("line 3: expected a move such as Nf3, exd5, O-O or N@f5, found \"Jf3\""));
    assert!(Line::try_parse_from(["adjudicate", "x", "--letters", "tlh"]).is_err());
}

#[test]
fn repetitions_are_told_at_every_index() {
    let dir = tempfile::tempdir().unwrap();
    let shuffle = "1A. Nf3 1a. Nf6 2A. Ng1 2a. Ng8 3A. Nf3 3a. Nf6 4A. Ng1 4a. Ng8 5A. Nf3";
    let path = file(dir.path(), &format!("[WhiteA \"x\"]\n\n{shuffle} *\n"));
    let json: serde_json::Value = serde_json::from_str(&adjudicated(&[&path, "--json"]).0).unwrap();
    let repetition = |index: u32| serde_json::json!({"board": "A", "index": index, "occurrences": 3});
    assert_eq!(json["repetition"], serde_json::json!([repetition(8), repetition(9)]));
}

#[test]
fn what_is_no_bpgn_is_refused_with_bounded_complaints() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path(), &"[a\n1\n".repeat(5000));
    let failure = adjudicated(&[&path]).1.unwrap_err();
    assert_eq!((failure.exit, failure.lines.len()), (Exit::BadInput, COMPLAINTS_MAX + 1));
    assert!(failure.lines.last().unwrap().ends_with("games in a row could not be read: is this BPGN?"));
    let absent = adjudicated(&[&path, "/nowhere.bpgn", "--jobs", "2"]).1.unwrap_err();
    assert_eq!(absent.exit, Exit::BadInput, "the first file is told first");
    let absent = adjudicated(&[&data("games.bpgn"), "/nowhere.bpgn", "--jobs", "2"]).1.unwrap_err();
    assert_eq!((absent.exit, absent.lines.len()), (Exit::Unavailable, 1));
}

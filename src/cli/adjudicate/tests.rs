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

/// The first game of a file as JSON.
fn first(arguments: &[&str]) -> serde_json::Value {
    let (text, outcome) = adjudicated(&[arguments, &["--json"]].concat());
    assert!(outcome.is_ok());
    serde_json::from_str(text.lines().next().unwrap()).unwrap()
}

#[test]
fn the_two_files_that_are_no_bughouse_are_refused_at_their_ply() {
    for (name, expect) in [
        ("crazyhouse-mislabelled--bench.bpgn", ("A", 11, 11, "N@e5+")),
        ("misc--pychess_bugchess_comment_2022.bpgn", ("A", 20, 33, "P@h3+")),
    ] {
        let line = first(&[&data(&format!("raw/{name}"))]);
        let (board, ply, index, written) = expect;
        assert_eq!(line["legal"], false, "{name}");
        let fault = serde_json::json!({
            "board": board, "ply": ply, "index": index, "move": written, "reason": "drop-not-in-pocket",
            "reasons": ["drop-not-in-pocket"], "law": "WBN", "article": "5.10",
        });
        assert_eq!(line["fault"], fault, "{name}");
    }
}

#[test]
fn a_fault_cites_the_law_text_in_use() {
    let dir = tempfile::tempdir().unwrap();
    let cited = |moves: &str, rules: &str| {
        let path = file(dir.path(), &format!("[WhiteA \"x\"]\n\n{moves} *\n"));
        let fault = first(&[&path, "--ruleset", rules])["fault"].clone();
        ["reason", "law", "article"].map(|key| fault[key].as_str().unwrap().to_owned()).join(" ")
    };
    assert_eq!(cited("1A. N@e5", "wbn-1.00"), "drop-not-in-pocket WBN 5.10");
    assert_eq!(cited("1A. N@e5", "cz-2024.06"), "drop-not-in-pocket CZ 5.10");
    assert_eq!(cited("1A. N@e5", "fide-ext"), "drop-not-in-pocket FIDE-ext 3.2");
    assert_eq!(cited("1A. Ra3", "fide-ext"), "blocked FIDE 3.5");
}

#[test]
fn every_law_text_and_variant_is_taken_and_changes_what_it_says() {
    let dir = tempfile::tempdir().unwrap();
    let moves = "1A. e4 1a. d5 2A. exd5 1B. Nf3 1b. P@b3 2a. Qxd5 3A. Nc3 3a. Qxd2+ 4A. Bxd2";
    let path = file(dir.path(), &format!("[WhiteA \"x\"]\n\n{moves} *\n"));
    for base in RuleSet::ALL {
        for variant in crate::rules::VARIANTS {
            let line = first(&[&path, "--ruleset", &format!("{},{}", base.name, variant.name)]);
            // Black's pawn on b3 is beyond the own half and on the sixth rank of Black.
            let forbidden = ["own-half", "no-pawn-on-6th"].contains(&variant.name);
            assert_eq!(line["legal"], !forbidden, "{} {}", base.name, variant.name);
        }
    }
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

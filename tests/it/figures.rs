//! The figures of `bughoused accuracy` for a few games of every kind of hands and of tables: they become no worse.
//!
//! `tests/data/figures.txt` says what is played and what may be wrong. Many more games are measured by hand.

use std::{fs, process::Command};

use serde_json::Value;

use super::corpus::data;

/// What may be wrong in the games of a line.
const MEASURES: [&str; 5] =
    ["wrong moves", "moves that nobody played", "false illegal moves", "false incidents", "results not recorded"];

/// What was wrong with such hands.
fn found(figures: &Value) -> [u64; 5] {
    let number = |name: &str| figures[name].as_u64().unwrap_or_else(|| panic!("{name} in {figures}"));
    let incidents = figures["false_incidents"].as_object().unwrap();
    let incidents = incidents.iter().filter(|(kind, _)| !kind.starts_with("illegal-move"));
    let incidents = incidents.map(|(_, count)| count.as_u64().unwrap()).sum();
    let result = |name: &str| figures["results"][name].as_u64().unwrap_or_else(|| panic!("{name} in {figures}"));
    let results = result("evident") - result("right");
    [number("moves") - number("right"), number("extra"), number("false_illegal"), incidents, results]
}

/// Plays the games of a line.
fn check(line: &str) {
    let numbers = line.split_whitespace().take(MEASURES.len()).map(|number| number.parse::<u64>().unwrap());
    let most: Vec<u64> = numbers.collect();
    let arguments = line.split_whitespace().skip(MEASURES.len());
    let mut command = Command::new(env!("CARGO_BIN_EXE_bughoused"));
    let output = command.args(["accuracy", "--json", "--seed", "3", "--plies", "80"]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut kinds = 0;
    for figures in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let hands = figures["profile"].as_str().unwrap();
        for ((measure, most), found) in MEASURES.iter().zip(&most).zip(found(&figures)) {
            assert!(found <= *most, "{line}: {hands}: at most {most} {measure}, found {found}: {figures}");
        }
        assert!(figures["moves"].as_u64().unwrap() > 40 * figures["games"].as_u64().unwrap(), "games with moves");
        kinds += 1;
    }
    assert!(kinds > 0, "{line}");
}

/// Plays what stands under a heading.
fn play(heading: &str) {
    let text = fs::read_to_string(data("figures.txt")).unwrap();
    let under = text.lines().skip_while(|line| line.strip_prefix("# ") != Some(heading)).skip(1);
    let lines: Vec<&str> = under.take_while(|line| !line.is_empty()).collect();
    assert!(!lines.is_empty(), "{heading}");
    lines.into_iter().for_each(check);
}

#[test]
fn hands() {
    play("hands");
}

#[test]
fn tables() {
    play("tables");
}

#[test]
fn next_games() {
    play("next games");
}

#[test]
fn restarts() {
    play("restarts");
}

//! Time controls with increment, delay and Bronstein at the whole table, and players who must wait by their clocks.

use bughoused::{event::Body, types::BoardId};
use serde_json::json;

use super::{Bench, LAWS};

/// White of A thinks for one, four and two seconds, Black for half a second each; a move takes six tenths more.
const GAME: &str = "1s e2- e4P . w 500ms e7- e5p . b 4s g1- f3N . w 500ms b8- c6n . b 2s f1- c4B . w 500ms";

/// What the table last heard of the clock of A, in milliseconds.
fn heard(bench: &Bench) -> [i64; 2] {
    let clocks = bench.events.iter().rev().find_map(|event| match &event.body {
        Body::Clock(clock) if clock.board == BoardId::A => Some([clock.times.white_ms, clock.times.black_ms]),
        _ => None,
    });
    clocks.expect("a clock")
}

#[test]
fn clocks_agree_with_what_the_time_control_gives() {
    // the time control, and what White has left in tenths of a second: 9.1 s were used in three moves
    let rows = [
        ("300+0", 2909),
        ("300+2", 2969),
        ("300+5", 3059),
        ("300d2", 2968), // 0 + 2.6 + 0.6 s beyond the delay
        ("300d5", 3000),
        ("300b2", 2968), // 1.9 + 2 + 2 s come back
        ("300b5", 3000),
    ];
    for rules in LAWS {
        for (control, tenths) in rows {
            // WBN 1.1, CZ 1.1, WBN 7.2
            let mut bench = Bench::playing(&json!({ "ruleset": rules, "time_control": control }));
            bench.play(GAME);
            assert_eq!((bench.moves().as_str(), bench.told()), ("e4 e5 Nf3 Nc6 Bc4", vec![]), "{rules}, {control}");
            let [white, _] = heard(&bench);
            assert!((white - tenths * 100).abs() <= 1000, "{rules}, {control}: {white} ms, not {tenths} tenths");
            let shown = bench.clocks[0].white_us / 1000;
            assert!((shown - tenths * 100).abs() <= 300, "{control}: the bench's clock shows {shown} ms");
        }
    }
}

#[test]
fn a_clock_that_gives_what_it_should_not_is_defective() {
    // the table's time control, what the clock is set to, and what is told
    let defect: &[&str] = &["clock-defect - warning time-came-back"];
    let rows: [(&str, &str, &[&str]); 6] = [
        ("300+0", "300+10", defect),
        ("300+2", "300+10", defect),
        ("300+2", "300+2", &[]),
        // what lies within what a display may be off by, or is less than is due, takes more presses to tell
        ("300+0", "300+2", &[]),
        ("300+5", "300+0", &[]),
        ("300b2", "300+0", &[]),
    ];
    for (rules, cited) in
        LAWS.into_iter().zip(["clock-defect WBN 7.11", "clock-defect CZ 7.11", "clock-defect FIDE 6.10"])
    {
        for (table, clock, told) in rows {
            let mut bench = Bench::playing(&json!({ "ruleset": rules, "time_control": table }));
            bench.settings.time_control = clock.into();
            bench.play(GAME);
            assert_eq!(bench.told(), told, "{rules}: {table} with a clock of {clock}");
            assert_eq!(bench.cited(), vec![cited; told.len()], "{rules}");
        }
    }
}

#[test]
fn a_clock_that_gives_more_or_nothing_is_told_after_some_presses() {
    let files = "abcdefgh".chars().map(|file| format!("{file}2- {file}3P . w {file}7- {file}6p . b "));
    let game: String = files.collect();
    // the table's time control, what the clock is set to, and what is told
    let rows: [(&str, &str, &[&str]); 7] = [
        ("300+2", "300+0", &["clock-defect - warning time-not-given"]),
        ("300+5", "300+0", &["clock-defect - warning time-not-given"]),
        ("300+0", "300+2", &["clock-defect - warning time-given"]),
        ("300+0", "300+0", &[]),
        ("300+2", "300+2", &[]),
        ("300d2", "300+0", &[]),
        ("300b2", "300+0", &[]),
    ];
    for rules in LAWS {
        for (table, clock, told) in rows {
            let mut bench = Bench::playing(&json!({ "ruleset": rules, "time_control": table }));
            bench.settings.time_control = clock.into();
            bench.play(&game);
            assert_eq!(bench.told(), told, "{rules}: {table} with a clock of {clock}"); // WBN 7.11
        }
    }
}

/// A player is frozen and moves: the time control, who is frozen for how many seconds, what is played until the player
/// may go on or not, whether the player is still waiting then, what follows, and whether that was too early.
type Row = (&'static str, &'static str, i64, &'static str, bool, &'static str, bool);

const MOVES: &str = "e2- e4P . w 1s";
const REPLIES: &str = "e7- e5p . b 1s";

const ROWS: &[Row] = &[
    // WBN 9.4b: the own clock must show so many seconds less
    ("300+0", "A", 5, "2s", true, MOVES, true),
    ("300+0", "A", 5, "4700ms", true, MOVES, false), // the move itself takes the rest
    ("300+0", "A", 5, "6s", false, MOVES, false),
    ("300+0", "A", 10, "6s", true, MOVES, true),
    ("300+0", "A", 10, "11s", false, MOVES, false),
    // CZ 9.4b
    ("300+0", "A", 20, "15s", true, MOVES, true),
    ("300+0", "A", 20, "21s", false, MOVES, false),
    // the opponent's time is none of the player's
    ("300+0", "a", 5, "9s e2- e4P . w 1s", true, REPLIES, true),
    ("300+0", "a", 5, "9s e2- e4P . w 6s", false, REPLIES, false),
    // nor is that of the other board
    ("300+0", "A", 5, "B:e2- B:e4P . B:w 1s", true, MOVES, true),
    // what the clock gives for the move is no time that was waited less
    ("300+3", "A", 5, "6s", false, MOVES, false),
    ("300+3", "A", 5, "2s", true, MOVES, true),
    ("300b3", "A", 5, "6s", false, MOVES, false),
    ("300b3", "A", 5, "1s", true, MOVES, true),
    // a clock that waits before it runs: the player waits for that, too
    ("300d3", "A", 5, "6s", true, MOVES, true),
    ("300d3", "A", 5, "9s", false, MOVES, false),
    // the opponent, the partner and who is not frozen go on at once
    ("300+0", "a", 20, "", true, MOVES, false),
    ("300+0", "b", 20, "", true, MOVES, false),
];

#[test]
fn a_frozen_player_goes_on_when_the_own_clock_says_so() {
    for rules in LAWS {
        for (control, seat, seconds, wait, waits, moves, early) in ROWS {
            let why = format!("{rules}, {control}: {seat} frozen for {seconds} s, {wait}, {moves}");
            let mut bench = Bench::playing(&json!({ "ruleset": rules, "time_control": control }));
            let penalty = json!({ "kind": "freeze", "seat": seat, "seconds": seconds });
            assert!(bench.ask("penalty", penalty).error.is_none(), "{why}");
            bench.play(wait);
            let frozen: Vec<String> =
                bench.table().arbiter_state().frozen.iter().map(|frozen| frozen.seat.to_string()).collect();
            assert_eq!(frozen, vec![*seat; usize::from(*waits)], "{why}");
            bench.play(moves);
            let told = if *early { vec![format!("moved-while-frozen {seat} warning")] } else { vec![] };
            assert_eq!(bench.told(), told, "{why}");
        }
    }
}

#[test]
fn a_player_who_went_on_too_early_is_told_once_and_may_be_frozen_again() {
    for rules in LAWS {
        let mut bench = Bench::playing(&json!({ "ruleset": rules }));
        bench.ask("penalty", json!({ "kind": "freeze", "seat": "A", "seconds": 5 }));
        bench.play("1s e2- e4P . w 1s e7- e5p . b 1s g1- f3N . w 1s");
        assert_eq!(bench.told(), ["moved-while-frozen A warning"], "{rules}"); // WBN 9.4b
        bench.ask("penalty", json!({ "kind": "freeze", "seat": "A", "seconds": 5 }));
        bench.play("b8- c6n . b 1s f1- c4B . w 1s");
        assert_eq!(bench.told(), ["moved-while-frozen A warning"; 2], "{rules}");
        // the last word counts: ten seconds, not ten and five
        bench.ask("penalty", json!({ "kind": "freeze", "seat": "A", "seconds": 5 }));
        bench.ask("penalty", json!({ "kind": "freeze", "seat": "A", "seconds": 10 }));
        assert_eq!(bench.table().arbiter_state().frozen.len(), 1, "{rules}");
        bench.play("a7- a6p . b 11s d2- d3P . w 1s");
        assert_eq!(bench.told(), ["moved-while-frozen A warning"; 2], "{rules}");
    }
}

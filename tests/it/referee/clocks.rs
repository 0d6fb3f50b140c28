//! Clocks whose first words were lost or wrong.

use bughoused::{
    event::{Body, Side},
    types::BoardId,
};
use serde_json::json;

use super::Bench;

/// Plies with a second between them.
const PLIES: [&str; 10] =
    ["e2- e4P", "e7- e5p", "g1- f3N", "b8- c6n", "f1- c4B", "f8- c5b", "c2- c3P", "g8- f6n", "d2- d3P", "d7- d6p"];

/// A game whose clock is heard of for the first time when Black's time runs: that side is taken for White's.
fn begin_with_blacks_time(changes: &serde_json::Value) -> Bench {
    let mut bench = Bench::set_up(changes);
    bench.play("e2- e4P . w go 1s");
    for (index, ply) in PLIES.iter().enumerate().skip(1) {
        bench.play(&format!("{ply} . {} 1s", if index % 2 == 0 { "w" } else { "b" }));
    }
    bench
}

#[test]
fn sides_that_were_mistaken_are_found_out_by_the_plies() {
    let bench = begin_with_blacks_time(&json!({}));
    // the last ply too, by its own press
    assert_eq!(bench.moves(), "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6 d3 d6");
    let shown = bench.events.iter().rev().find_map(|event| match &event.body {
        Body::Clock(clock) if clock.board == BoardId::A => clock.running,
        _ => None,
    });
    assert!(matches!(shown, Some(Side::White)), "{shown:?}");
}

#[test]
fn a_clock_that_waits_before_it_runs_is_not_lost() {
    // A man that stands for so long would be a move on a board whose clock has fallen silent.
    let check = |time_control: &str, expect: &str| {
        let mut bench = Bench::playing(&json!({ "time_control": time_control }));
        bench.play("e2- e4P 9s");
        assert_eq!(bench.moves(), "", "{time_control}");
        bench.play("w . e7- e5p b .");
        assert_eq!(bench.moves(), expect, "{time_control}");
    };
    check("300d10", "e4 e5");
    check("300+0", "e4 e5");
}

#[test]
fn games_that_follow_one_another_start_together() {
    // WBN 1.2: what was left of seconds in the game before is no time that has run
    let mut bench = Bench::playing(&json!({}));
    bench.play("1s e2- e4P . w 1300ms e7- e5p . b stop 1s");
    bench.ask("resign", json!({ "by": "a" }));
    bench.events.clear();
    bench.play("e4- e2P e5- e7p");
    (0..2).for_each(|board| bench.time_left(board, 300, 300));
    bench.play("stop 1s");
    for board in [1, 0] {
        bench.clocks[board].running = true;
        bench.show_clock(board);
    }
    bench.play("3s");
    let starts = bench.events.iter().filter(|event| matches!(event.body, Body::GameStarted(_))).count();
    assert_eq!((starts, bench.told()), (1, vec![]));
}

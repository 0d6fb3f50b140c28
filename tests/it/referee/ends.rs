//! How games end: evident, adjudicated, by both boards, by the last drop; what they are worth.

use serde_json::json;

use super::{Bench, check, check_under};

/// Fool's mate on A: White is mated on the next press of Black.
const FOOLS_MATE: &str = "f2- f3P . w e7- e5p . b g2- g4P . w d8- h4q . b";
/// The same on B.
const FOOLS_MATE_B: &str = "B:f2- B:f3P . B:w B:e7- B:e5p . B:b B:g2- B:g4P . B:w B:d8- B:h4q . B:b";
const LAWS: [&str; 3] = ["wbn-1.00", "cz-2024.06", "fide-ext"];

fn auto(rules: &str, script: &str, expect: &[&str]) {
    let mut bench = Bench::playing(&json!({ "ruleset": rules, "adjudication": "auto" }));
    bench.play(script).play(". .");
    assert_eq!(bench.told(), expect, "auto, {rules}: {script}");
}

#[test]
fn mate_is_advised_and_evident_when_the_clocks_stop() {
    for rules in LAWS {
        // WBN 1.5, WBN 2.1, FIDE-ext 3.7
        check_under(rules, &format!("{FOOLS_MATE} 2s"), &["checkmate A decisive"]);
        let expect = ["checkmate A decisive", "ended 0-1 A checkmated"];
        check_under(rules, &format!("{FOOLS_MATE} 2s stop"), &expect);
        auto(rules, &format!("{FOOLS_MATE} 2s"), &expect);
    }
}

#[test]
fn mates_on_both_boards_at_the_same_time_are_counted_up() {
    // WBN 1.10: Black of A and Black of B are no team
    let both = "f2- f3P . w e7- e5p . b g2- g4P . w B:f2- B:f3P . B:w B:e7- B:e5p . B:b B:g2- B:g4P . B:w \
                d8- h4q B:d8- B:h4q . b B:b 1s stop";
    let mut bench = Bench::playing(&json!({}));
    bench.play(both);
    let told = bench.told();
    assert_eq!(told[2..], ["ended 1/2-1/2 table Game drawn, both teams checkmated"]);
    // WBN 1.3: of mates one after the other the first counts
    check(
        &format!("{FOOLS_MATE} 1s {FOOLS_MATE_B} 1s stop"),
        &["checkmate A decisive", "checkmate B decisive", "ended 0-1 A checkmated"],
    );
}

#[test]
fn a_flag_is_told_and_evident_when_the_clocks_stop() {
    for rules in LAWS {
        let mut bench = Bench::playing(&json!({ "ruleset": rules }));
        bench.play("2s e2- e4P . w 1s");
        bench.time_left(0, 290, 0);
        bench.clocks[0].black_us = 1_500_000;
        bench.show_clock(0);
        bench.events.clear();
        bench.play("4s");
        assert_eq!(bench.told(), ["flag-fall a decisive flag"], "{rules}"); // WBN 7.3, WBN 7.8
        bench.play("stop");
        assert_eq!(bench.told()[1..], ["ended 1-0 a forfeits on time"], "{rules}"); // WBN 7.9
    }
}

#[test]
fn two_flags_of_a_board_draw() {
    let mut bench = Bench::playing(&json!({}));
    bench.play("1s e2- e4P . w 1s");
    bench.time_left(0, 3, 2);
    bench.show_clock(0);
    bench.events.clear();
    bench.play("3s b 4s stop");
    let expect = [
        "flag-fall a decisive flag",
        "clock-without-move a warning",
        "flag-fall A decisive both-flags",
        "ended 1/2-1/2 table Game drawn because both players ran out of time",
    ];
    let told = bench.told();
    assert!(told.iter().all(|line| expect.contains(&line.as_str())), "{told:?}");
    assert_eq!(told.last().map(String::as_str), Some(expect[3])); // WBN 7.10
}

#[test]
fn an_illegal_move_ends_the_game_only_where_the_table_decides() {
    let illegal = "e2- e5P . w 3s";
    let incident = "illegal-move A decisive geometry";
    for rules in LAWS {
        check_under(rules, &format!("{illegal} stop"), &[incident]); // WBN 1.14: nobody claims
        auto(rules, illegal, &[incident, "ended 0-1 A forfeits by illegal move"]);
    }
}

#[test]
fn a_game_is_worth_a_point_that_the_arbiter_may_change() {
    let points = |bench: &Bench| serde_json::to_value(bench.table().arbiter_state().half_points).unwrap();
    let mut bench = Bench::playing(&json!({}));
    bench.ask("resign", json!({ "by": "a" }));
    assert_eq!(bench.told(), ["ended 1-0 a resigns"]); // WBN 2.1
    assert_eq!(points(&bench), json!({ "white_a": 2, "black_a": 0 })); // WBN 1.18
    bench.ask("penalty", json!({ "kind": "points", "seat": "A", "points": -0.5 }));
    assert_eq!(points(&bench), json!({ "white_a": 1, "black_a": 0 })); // WBN 9.4
    assert_eq!(bench.told().last().map(String::as_str), Some("ended 1-0 arbiter resigns"));
    bench.ask("result", json!({ "result": "1/2-1/2", "reason": "agreed with both teams" }));
    assert_eq!(points(&bench), json!({ "white_a": 0, "black_a": 1 }));
}

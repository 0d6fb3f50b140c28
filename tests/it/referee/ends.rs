//! How games end: evident, adjudicated, by both boards, by the last drop; what they are worth.

use serde_json::json;

use super::{Bench, LAWS, check_under};

/// Scholar's mate on A: Black is mated by contact, no drop parries.
pub const MATE: &str = "e2- e4P . w e7- e5p . b d1- h5Q . w b8- c6n . b f1- c4B . w a7- a6p . b h5- f7- f7Q . w";
/// The same on B up to the last press.
pub const MATE_B: &str = "B:e2- B:e4P . B:w B:e7- B:e5p . B:b B:d1- B:h5Q . B:w B:b8- B:c6n . B:b B:f1- B:c4B . B:w \
                      B:a7- B:a6p . B:b B:h5- B:f7- B:f7Q .";

/// Verbs with their arguments, and what was told.
type Case<'a> = (&'a [(&'a str, serde_json::Value)], &'a [&'a str]);

fn auto(rules: &str, script: &str, expect: &[&str]) {
    let mut bench = Bench::playing(&json!({ "ruleset": rules, "adjudication": "auto" }));
    bench.play(script).play(". .");
    assert_eq!(bench.told(), expect, "auto, {rules}: {script}");
}

#[test]
fn mate_is_advised_and_evident_when_the_clocks_stop() {
    for rules in LAWS {
        // WBN 1.5, WBN 2.1, FIDE-ext 3.7
        check_under(rules, &format!("{MATE} 2s"), &["checkmate a decisive"]);
        let expect = ["checkmate a decisive", "ended 1-0 a checkmated"];
        check_under(rules, &format!("{MATE} 2s stop"), &expect);
        auto(rules, &format!("{MATE} 2s"), &expect);
    }
}

#[test]
fn mates_on_both_boards_at_the_same_time_are_counted_up() {
    for rules in LAWS {
        // WBN 1.10, FIDE-ext 4.4: Black of A and Black of B are no team
        let mut bench = Bench::playing(&json!({ "ruleset": rules }));
        bench.play(MATE_B).play(MATE.strip_suffix("w").unwrap()).play("B:w w 1s stop");
        let told = bench.told();
        assert_eq!(told[2..], ["ended 1/2-1/2 table Game drawn, both teams checkmated"], "{rules}");
        // a table that ends games itself waits as long as a mate may be at the same time
        let mut bench = Bench::playing(&json!({ "ruleset": rules, "adjudication": "auto" }));
        bench.play(MATE_B).play(MATE.strip_suffix("w").unwrap()).play("B:w w 1s");
        assert_eq!(bench.told()[2..], ["ended 1/2-1/2 table Game drawn, both teams checkmated"], "auto, {rules}");
        // WBN 1.3: of mates one after the other the first counts
        let one_by_one = format!("{MATE} 1s {MATE_B} B:w 1s stop");
        check_under(rules, &one_by_one, &["checkmate a decisive", "checkmate b decisive", "ended 1-0 a checkmated"]);
    }
}

#[test]
fn the_last_drop_draws() {
    // WBN 1.9, WBN 2.2c, FIDE-ext 4.4: Black of A takes a knight and is mated, the partner mates with it
    for rules in LAWS {
        let mut bench = Bench::playing(&json!({ "ruleset": rules }));
        bench.play("stop");
        bench.stand(0, "5rk1/5ppp/5P1Q/8/6b1/8/8/3N2K1", false);
        bench.stand(1, "6rk/6pp/8/8/8/8/8/6K1", true);
        let bfen = "5rk1/5ppp/5P1Q/8/6b1/8/8/3N2K1 b - - | 6rk/6pp/8/8/8/8/8/6K1 w - -";
        assert!(bench.ask("set-position", json!({ "bfen": bfen })).error.is_none());
        bench.play("go 1s");
        bench.events.clear();
        bench.play("g4- d1- d1b . b 1s B=N... 1s h6- g7- g7Q . w 1s B=.... B:f7N . B:w 1s stop");
        let end = "ended 1/2-1/2 table Game drawn by the last drop";
        let expect = ["checkmate a decisive", "checkmate b decisive", end];
        assert_eq!(bench.told(), expect, "{rules}: {}", bench.moves());
    }
}

#[test]
fn people_end_games_under_each_law() {
    let agreed = "ended 1/2-1/2 table Game drawn by mutual agreement";
    for rules in LAWS {
        let all_four = rules == "fide-ext";
        // each verb with its arguments, in order, and how the game ended
        let cases: &[Case<'_>] = &[
            (&[("resign", json!({ "by": "b" }))], &["ended 0-1 b resigns"]), // WBN 2.1
            (&[("draw-offer", json!({ "by": "A" }))], &[]),
            (
                &[("draw-offer", json!({ "by": "A" })), ("draw-accept", json!({ "by": "a" }))],
                if all_four { &[] } else { &[agreed] }, // WBN 2.2, WBN 3.1
            ),
            (
                &[
                    ("draw-offer", json!({ "by": "A" })),
                    ("draw-offer", json!({ "by": "b" })),
                    ("draw-accept", json!({ "by": "a" })),
                    ("draw-accept", json!({ "by": "B" })),
                ],
                &[agreed], // FIDE-ext 4.5
            ),
            (
                &[("penalty", json!({ "kind": "loss", "seat": "B" }))],
                &["ended 1-0 B forfeits by decision of the arbiter"], // WBN 9.4
            ),
        ];
        for (verbs, expect) in cases {
            let mut bench = Bench::playing(&json!({ "ruleset": rules }));
            verbs.iter().for_each(|(verb, data)| drop(bench.ask(verb, data.clone())));
            assert_eq!(bench.told(), *expect, "{rules}: {verbs:?}");
        }
    }
}

#[test]
fn a_flag_is_told_and_evident_when_the_clocks_stop() {
    for rules in LAWS {
        let mut bench = Bench::playing(&json!({ "ruleset": rules }));
        bench.play("2s e2- e4P . w 1s");
        bench.time_left(0, 290, 0);
        bench.clocks[0].black_us = 1_500_000;
        bench.show_clock(0); // one bit makes 4:50 of 4:58
        bench.show_clock(0);
        bench.show_clock(0); // what a clock shows twice is believed
        bench.events.clear();
        bench.play("4s");
        assert_eq!(bench.told(), ["flag-fall a decisive flag"], "{rules}"); // WBN 7.3, WBN 7.8
        bench.play("stop");
        assert_eq!(bench.told()[1..], ["ended 1-0 a forfeits on time"], "{rules}"); // WBN 7.9
    }
}

#[test]
fn two_flags_of_a_board_draw() {
    let expect = [
        "flag-fall a decisive flag",
        "clock-without-move a warning",
        "flag-fall A decisive both-flags",
        "ended 1/2-1/2 table Game drawn because both players ran out of time",
    ];
    for rules in LAWS {
        let mut bench = Bench::playing(&json!({ "ruleset": rules }));
        bench.play("1s e2- e4P . w 1s");
        bench.time_left(0, 3, 2);
        bench.show_clock(0);
        bench.show_clock(0);
        bench.events.clear();
        bench.play("3s b 4s stop");
        let told = bench.told();
        assert!(told.iter().all(|line| expect.contains(&line.as_str())), "{rules}: {told:?}");
        assert_eq!(told.last().map(String::as_str), Some(expect[3]), "{rules}"); // WBN 7.10
    }
}

#[test]
fn an_illegal_move_ends_the_game_only_where_the_table_decides() {
    let illegal = "e2- e5P . w 3s";
    let incident = "illegal-move A decisive geometry";
    for rules in LAWS {
        check_under(rules, &format!("{illegal} stop"), &[incident, "paused - note"]); // WBN 1.14: nobody claims
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

//! Penalties: every kind that the laws have, what follows from it, and what is none.

use bughoused::event::Body;
use serde_json::{Value, json};

use super::{Bench, LAWS};

/// A penalty in the middle of a game, by kind, seat and what else it takes; the answers, and what the table shows then
/// under WBN, CZ and the FIDE extension.
type Row = (&'static str, &'static str, &'static str, [(&'static str, &'static str); 3]);

/// Who resigns, whose points the arbiter changes by how much, and the half points of both teams then.
type Points<'a> = (&'a str, &'a [(&'a str, &'a str)], [i32; 2]);

const RECORDED: (&str, &str) = ("ok", "playing, points 0 0");

const ROWS: &[Row] = &[
    // WBN 9.4a, CZ 9.4a, FIDE 12.9
    ("warning", "b", "{}", [RECORDED; 3]),
    // WBN 9.4b: five seconds if nothing is said; the FIDE extension has no such penalty, the arbiter says how long
    (
        "freeze",
        "a",
        "{}",
        [
            ("ok", "playing, a frozen for 5 s, points 0 0"),
            ("ok", "playing, a frozen for 5 s, points 0 0"),
            ("bad-data", "playing, points 0 0"),
        ],
    ),
    ("freeze", "a", r#"{"seconds":20}"#, [("ok", "playing, a frozen for 20 s, points 0 0"); 3]), // CZ 9.4b
    ("freeze", "a", r#"{"seconds":0}"#, [("bad-data", "playing, points 0 0"); 3]),
    // WBN 9.4c, CZ 9.4c
    ("loss", "a", "{}", [("ok", "1-0 a forfeits by decision of the arbiter, ended, points 2 0"); 3]),
    ("loss", "A", "{}", [("ok", "0-1 A forfeits by decision of the arbiter, ended, points 0 2"); 3]),
    ("loss", "B", "{}", [("ok", "1-0 B forfeits by decision of the arbiter, ended, points 2 0"); 3]),
    // WBN 9.4d, CZ 9.4d
    ("new-game", "a", "{}", [("ok", "* arbiter a new game was ordered, playing, points 0 0"); 3]),
    // WBN 9.4e, WBN 9.4f
    ("points", "A", r#"{"points":-0.5}"#, [RECORDED; 3]),
    ("points", "A", r#"{"points":0.5}"#, [("ok", "playing, points 1 0"); 3]),
    ("points", "A", r#"{"points":2}"#, [("bad-data", "playing, points 0 0"); 3]),
    ("points", "A", "{}", [("bad-data", "playing, points 0 0"); 3]),
    // WBN 9.4g, CZ 9.4g: from the event; the game goes on until somebody ends it
    ("expulsion", "B", "{}", [RECORDED; 3]),
    ("caning", "B", "{}", [("bad-data", "playing, points 0 0"); 3]),
];

fn penalty(bench: &mut Bench, kind: &str, seat: &str, more: &str) -> String {
    let mut data: Value = serde_json::from_str(more).unwrap();
    (data["kind"], data["seat"]) = (json!(kind), json!(seat));
    bench.ask("penalty", data).error.map_or("ok".into(), |error| error.code)
}

/// How the game ended if it did, whether one is on, who must wait for how long, and what the teams have in halves.
fn shown(bench: &Bench) -> String {
    let state = bench.table().arbiter_state();
    let ended = bench.ended().map(|(end, _)| end);
    let status = serde_json::to_value(state.status).unwrap();
    let frozen = state.frozen.iter().map(|frozen| {
        let seconds = (300_000 - frozen.until_ms.unwrap()) / 1000;
        format!("{} frozen for {seconds} s", frozen.seat)
    });
    let points = format!("points {} {}", state.half_points.white_a, state.half_points.black_a);
    let parts = ended.into_iter().chain(status.as_str().map(str::to_owned)).chain(frozen).chain([points]);
    parts.collect::<Vec<_>>().join(", ")
}

#[test]
fn every_penalty_is_recorded_and_does_what_the_laws_say() {
    for (kind, seat, more, expect) in ROWS {
        for (rules, (answer, after)) in LAWS.into_iter().zip(expect) {
            let why = format!("{rules}: {kind} {seat} {more}");
            let mut bench = Bench::playing(&json!({ "ruleset": rules }));
            bench.play("e2- e4P . w"); // Black of A has not used any time
            let game = bench.table().arbiter_state().game;
            assert_eq!(penalty(&mut bench, kind, seat, more), *answer, "{why}");
            assert_eq!(shown(&bench), *after, "{why}");
            let state = bench.table().arbiter_state();
            assert_eq!(state.game != game, *kind == "new-game", "{why}: another game");
            let rulings: Vec<(Value, Option<String>)> = state
                .rulings
                .iter()
                .filter_map(|event| match &event.body {
                    Body::Ruling(ruling) => Some((ruling.data["kind"].clone(), ruling.by.clone())),
                    _ => None,
                })
                .collect();
            let recorded = vec![(json!(kind), Some("arbiter".to_owned()))];
            assert_eq!(rulings, if *answer == "ok" { recorded } else { vec![] }, "{why}");
        }
    }
}

#[test]
fn a_new_game_begins_with_nothing_of_the_old_one() {
    for rules in LAWS {
        // WBN 9.4d: men are set up again, the clocks run on
        let mut bench = Bench::playing(&json!({ "ruleset": rules }));
        bench.play("e2- e5P . w 3s");
        penalty(&mut bench, "freeze", "a", r#"{"seconds":20}"#);
        penalty(&mut bench, "points", "A", r#"{"points":0.5}"#);
        bench.ask("draw-offer", json!({ "by": "B" }));
        assert!(bench.open("illegal-move").is_some(), "{rules}");
        bench.play("e5- e2P");
        assert_eq!(penalty(&mut bench, "new-game", "A", "{}"), "ok");
        let state = bench.table().arbiter_state();
        assert_eq!((state.incidents.len(), state.frozen.len(), state.offers.len()), (0, 0, 0), "{rules}");
        assert_eq!(bench.ended(), Some(("* arbiter a new game was ordered".into(), [1, 0])), "{rules}");
        assert_eq!(shown(&bench), "* arbiter a new game was ordered, playing, points 0 0", "{rules}");
        bench.play("b 1s d2- d4P . w 1s");
        assert_eq!(bench.moves().split(' ').next_back(), Some("d4"), "{rules}: {:?}", bench.told());
        bench.ask("resign", json!({ "by": "a" }));
        assert_eq!(bench.ended(), Some(("1-0 a resigns".into(), [2, 0])), "{rules}: no points of the game before");
    }
}

#[test]
fn points_of_a_game_stay_between_nothing_and_a_win() {
    // WBN 1.18, WBN 9.4e, WBN 9.4f: up to what the game gives at most
    let rows: &[Points<'_>] = &[
        ("a", &[], [2, 0]),
        ("a", &[("A", "-0.5")], [1, 0]),
        ("a", &[("b", "-1")], [0, 0]),
        ("a", &[("A", "-1"), ("A", "-0.5")], [0, 0]),
        ("a", &[("a", "-1")], [2, 0]),
        ("a", &[("a", "0.5")], [2, 1]),
        ("a", &[("A", "1")], [2, 0]),
        ("A", &[("B", "0.5"), ("B", "1")], [0, 2]),
        ("A", &[("b", "1"), ("a", "-1")], [2, 0]),
    ];
    for rules in LAWS {
        for (loser, changes, expect) in rows {
            // while the game is on, and after its end
            for early in [true, false] {
                let mut bench = Bench::playing(&json!({ "ruleset": rules }));
                let change = |bench: &mut Bench| {
                    for (seat, points) in *changes {
                        assert_eq!(penalty(bench, "points", seat, &format!(r#"{{"points":{points}}}"#)), "ok");
                    }
                };
                if early {
                    change(&mut bench);
                }
                bench.ask("resign", json!({ "by": loser }));
                if !early {
                    change(&mut bench);
                }
                let points = bench.ended().unwrap().1;
                assert_eq!(points, *expect, "{rules}: {loser} resigns, {changes:?}, early: {early}");
            }
        }
    }
}

#[test]
fn what_needs_a_game_is_refused_without_one() {
    let answers = |bench: &mut Bench| {
        let kinds = [
            ("warning", "{}"),
            ("expulsion", "{}"),
            ("points", r#"{"points":1}"#),
            ("freeze", r#"{"seconds":5}"#),
            ("loss", "{}"),
            ("new-game", "{}"),
        ];
        kinds.map(|(kind, more)| penalty(bench, kind, "A", more))
    };
    for rules in LAWS {
        // WBN 9.4: a player may be warned or expelled at any time
        let mut bench = Bench::set_up(&json!({ "ruleset": rules }));
        assert_eq!(answers(&mut bench), ["ok", "ok", "no-game", "no-game", "no-game", "no-game"], "{rules}");
        let mut bench = Bench::playing(&json!({ "ruleset": rules }));
        bench.ask("resign", json!({ "by": "A" }));
        assert_eq!(answers(&mut bench), ["ok", "ok", "ok", "no-game", "no-game", "no-game"], "{rules}: after the end");
    }
}

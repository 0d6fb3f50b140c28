//! Verbs and buttons: what they change, what they answer, and that nothing else changes.

use bughoused::event::{Body, Request, ResponseStatus};
use serde_json::{Value, json};

use super::Bench;

#[track_caller]
fn refused(bench: &mut Bench, verb: &str, data: Value, code: &str) {
    let before = serde_json::to_value(bench.table().state()).unwrap();
    let events = bench.events.len();
    let answer = bench.ask(verb, data.clone());
    assert_eq!(answer.error.map(|error| error.code).as_deref(), Some(code), "{verb} {data}");
    assert_eq!(bench.events.len(), events, "{verb} {data}");
    let mut after = serde_json::to_value(bench.table().state()).unwrap();
    for key in ["t", "time", "boards"] {
        after[key] = before[key].clone();
    }
    assert_eq!(after, before, "{verb} {data}");
}

#[test]
fn what_cannot_be_carried_out_changes_nothing() {
    let mut bench = Bench::playing(&json!({}));
    for (verb, data, code) in [
        ("fly", json!({}), "unknown-verb"),
        ("claim", json!({}), "bad-data"),
        ("claim", json!([]), "bad-data"),
        ("claim", json!({ "kind": "illegal-move", "by": "Z" }), "bad-data"),
        ("confirm", json!({ "incident": 77 }), "no-such-incident"),
        ("confirm", json!({ "incident": "1" }), "bad-data"),
        ("dismiss", Value::Null, "bad-data"),
        ("penalty", json!({ "kind": "tickle", "seat": "A" }), "bad-data"),
        ("penalty", json!({ "kind": "freeze", "seat": "A", "seconds": 1e9 }), "bad-data"),
        ("penalty", json!({ "kind": "points", "seat": "A", "points": 7 }), "bad-data"),
        ("draw-accept", json!({ "by": "a" }), "no-offer"),
        ("declare", json!({ "seat": "A", "promotion": "R" }), "bad-data"),
        ("visible", json!({ "seat": "A", "piece": "N" }), "not-restricted"),
        ("invisible", json!({ "seat": "A", "piece": "K" }), "bad-data"),
        ("set-clock", json!({ "board": "A", "white_ms": -1, "black_ms": 0 }), "bad-data"),
        ("set-clock", json!({ "board": "C", "white_ms": 1, "black_ms": 0 }), "bad-data"),
        ("result", json!({ "result": "2-0" }), "bad-data"),
        ("players", json!({ "Q": "x" }), "bad-data"),
        ("players", json!({ "A": "x\ny" }), "bad-data"),
        ("resume", json!({}), "not-paused"),
        ("start", json!({}), "game-on"),
    ] {
        refused(&mut bench, verb, data, code);
    }
    let mut bench = Bench::set_up(&json!({}));
    for verb in ["resign", "claim", "abort", "pause", "draw-offer", "result"] {
        refused(&mut bench, verb, json!({ "by": "A", "kind": "flag", "result": "1-0" }), "no-game");
    }
    bench.play("e2- 1s");
    refused(&mut bench, "start", json!({}), "not-set-up");
}

#[test]
fn a_repeated_transaction_is_answered_again_without_acting_twice() {
    let mut bench = Bench::playing(&json!({}));
    let request = |verb: &str, by: &str| Request {
        verb: verb.into(),
        data: json!({ "kind": "points", "seat": "A", "points": 0.5, "by": "A" }),
        transaction: Some("7".into()),
        by: Some(by.into()),
    };
    let first = bench.request(request("penalty", "arbiter"));
    let events = bench.events.len();
    assert_eq!(bench.request(request("penalty", "arbiter")), first);
    assert_eq!((first.status, bench.events.len()), (ResponseStatus::Ok, events));
    assert_eq!(bench.request(request("penalty", "another")).status, ResponseStatus::Ok);
    assert!(bench.events.len() > events, "another asker's transaction is another one");
    bench.request(request("resign", "arbiter"));
    let error = bench.request(request("claim", "arbiter"));
    assert_eq!(bench.request(request("claim", "arbiter")), error, "errors are answered again, too");
}

#[test]
fn what_was_commanded_is_told_to_the_arbiter_with_who_asked() {
    let mut bench = Bench::playing(&json!({}));
    bench.ask("penalty", json!({ "kind": "warning", "seat": "b" }));
    let Some(Body::Ruling(ruling)) = bench.events.last().map(|event| event.body.clone()) else { panic!("no ruling") };
    assert_eq!((ruling.verb.as_str(), ruling.by.as_deref()), ("penalty", Some("arbiter"))); // WBN 9.4
    assert_eq!(bench.table().arbiter_state().rulings.len(), 1);
}

#[test]
fn the_game_is_interrupted_and_goes_on() {
    // WBN 7.12
    let status = |bench: &Bench| serde_json::to_value(bench.table().state().status).unwrap();
    let mut bench = Bench::playing(&json!({}));
    assert!(bench.ask("pause", json!({})).error.is_none());
    bench.play("3s");
    assert_eq!(status(&bench), json!("paused"));
    bench.ask("resume", json!({}));
    assert_eq!(status(&bench), json!("playing"));
    bench.play("stop 2s");
    assert_eq!(status(&bench), json!("paused"));
    assert!(bench.table().arbiter_state().paused_since.is_some());
    bench.play("go 1s");
    assert_eq!(status(&bench), json!("playing"));
}

#[test]
fn the_arbiter_confirms_and_dismisses() {
    let illegal = "e2- e5P . w 3s";
    let incident = |bench: &Bench| bench.table().arbiter_state().incidents[0].id;
    let mut bench = Bench::playing(&json!({}));
    let id = incident(bench.play(illegal));
    bench.ask("dismiss", json!({ "incident": id }));
    refused(&mut bench, "confirm", json!({ "incident": id }), "decided");
    assert_eq!(bench.told(), ["illegal-move A decisive geometry", "dismissed illegal-move"]);
    let mut bench = Bench::playing(&json!({}));
    let id = incident(bench.play(illegal));
    bench.ask("confirm", json!({ "incident": id }));
    assert_eq!(bench.told()[1..], ["claimed illegal-move", "ended 0-1 A forfeits by illegal move"]);
}

#[test]
fn buttons_at_the_table_do_what_players_say() {
    let told = |script: &str| Bench::playing(&json!({})).play(script).told();
    assert_eq!(told("a!resign"), ["ended 1-0 a resigns"]);
    assert_eq!(told("A!draw a!draw"), ["ended 1/2-1/2 table Game drawn by mutual agreement"]); // WBN 2.2
    assert_eq!(told("A!draw b!draw"), [""; 0]);
    assert_eq!(told("e2- e5P . w 3s a!claim").last().unwrap(), "ended 0-1 A forfeits by illegal move");
    assert_eq!(told("a!claim"), ["arbiter-called a note"]);
    assert_eq!(told("b!arbiter"), ["arbiter-called b note"]); // WBN 7.12
}

#[test]
fn set_clocks_are_believed_and_must_show_it() {
    let mut bench = Bench::playing(&json!({}));
    bench.play("3s stop 1s");
    bench.ask("set-clock", json!({ "board": "A", "white_ms": 200_000, "black_ms": 200_000 }));
    bench.time_left(0, 200, 200);
    bench.play("go 5s");
    assert_eq!(bench.told(), ["paused - note", "lapsed paused"]);
    bench.events.clear();
    bench.play("stop");
    bench.ask("set-clock", json!({ "board": "A", "white_ms": 100_000, "black_ms": 100_000 }));
    bench.play("go 1s");
    // WBN 7.11
    assert_eq!(bench.told(), ["paused - note", "clock-defect - warning not-as-set", "lapsed paused"]);
}

/// The record of the last game, in SAN by board.
fn record(bench: &Bench) -> Vec<String> {
    let games = bughoused::record::GameRecord::fold(&bench.events);
    let moves = &games.last().unwrap().moves;
    moves.iter().map(|(_, played)| format!("{}{} {}", played.board, played.ply, played.san)).collect()
}

#[test]
fn a_record_is_put_right() {
    let mut bench = Bench::playing(&json!({}));
    bench.play("e2- e4P . w e7- e5p . b g1- f3N . w .");
    assert_eq!(record(&bench), ["A1 e4", "A2 e5", "A3 Nf3"]);
    bench.ask("correct", json!({ "board": "A", "ply": 2, "move": "e6" }));
    assert_eq!(record(&bench), ["A1 e4", "A2 e6", "A3 Nf3"]);
    bench.ask("correct", json!({ "board": "A", "ply": 2, "move": "e7e5" }));
    bench.ask("undo", json!({ "board": "A" }));
    assert_eq!(record(&bench), ["A1 e4", "A2 e5"]);
    bench.play("f3- h3N . b . w .");
    assert_eq!(record(&bench), ["A1 e4", "A2 e5", "A3 Nh3"]);
    refused(&mut bench, "correct", json!({ "board": "A", "ply": 9, "move": "e5" }), "bad-data");
    refused(&mut bench, "correct", json!({ "board": "A", "ply": 1, "move": "e5" }), "bad-data");
    refused(&mut bench, "correct", json!({ "board": "B", "ply": 1, "move": "e4" }), "no-move");
    refused(&mut bench, "undo", json!({ "board": "B" }), "no-move");
}

#[test]
fn what_follows_a_corrected_move_shows_it() {
    let mut bench = Bench::playing(&json!({}));
    bench.play("e2- e4P . w e7- e5p . b g1- f3N . w .");
    bench.ask("correct", json!({ "board": "A", "ply": 2, "move": "e6" }));
    let corrections = bench.events.iter().rev().find_map(|event| match &event.body {
        Body::Correction(correction) => Some(&correction.moves),
        _ => None,
    });
    let moves = corrections.unwrap();
    let shown: Vec<&str> = moves.iter().map(|played| played.bfen.split_once('/').unwrap().1).collect();
    for (bfen, rows) in shown.into_iter().zip(["pppp1ppp/4p3/8/4P3/8/PPPP1PPP", "pppp1ppp/4p3/8/4P3/5N2/PPPP1PPP"]) {
        assert!(bfen.starts_with(rows), "{bfen}");
    }
}

#[test]
fn play_goes_on_from_a_position_that_was_set() {
    let mut bench = Bench::playing(&json!({}));
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/ w KQkq - 300 300";
    let after = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR/N w KQkq - 300 300";
    refused(&mut bench, "set-position", json!({ "bfen": "8/8" }), "bad-data");
    refused(&mut bench, "set-position", json!({ "bfen": start }), "bad-data");
    bench.play("e2- e4P e7- e5p .");
    let answer = bench.ask("set-position", json!({ "bfen": format!("{after} | {start}") }));
    assert_eq!(answer.status, ResponseStatus::Ok, "{answer:?}");
    bench.play("g1- f3N w .");
    assert_eq!(record(&bench), ["A1 Nf3"]);
}

//! What the referee and the arbiter's desk know is known after a restart of the daemon, too.

use serde_json::{Value, json};

use super::Bench;

/// Plays both scripts, with a restart between them and without; what the table says after them, and the arbiter's view.
fn both(changes: &Value, before: &str, after: &str) -> [(Vec<String>, Value); 2] {
    ["restart", "3s"].map(|between| {
        let mut bench = Bench::playing(changes);
        bench.play(before).play(between);
        let told = bench.told().len();
        bench.play(after).play(". .");
        let answers =
            bench.responses.iter().map(|answer| answer.error.as_ref().map_or("ok", |error| &error.code).into());
        let told = answers.chain(bench.told().split_off(told)).collect();
        let arbiter = serde_json::to_value(bench.table().arbiter_state()).unwrap();
        let known = |key: &str| (key.to_owned(), arbiter[key].clone());
        let keys = ["status", "result", "half_points", "restricted", "offers", "flags"];
        (told, Value::Object(keys.into_iter().map(known).collect()))
    })
}

#[track_caller]
fn check(changes: &Value, before: &str, after: &str, expect: &[&str]) {
    let [restarted, lived] = both(changes, before, after);
    assert_eq!(restarted, lived, "the same as without a restart: {before} | {after}");
    assert_eq!(restarted.0, expect, "{before} | {after}");
}

const E4: &str = "e2- e4P . w";
const ILLEGAL: &str = "e2- e5P . w 3s";

#[test]
fn a_draw_offer_stands() {
    let agreed = ["ok", "ok", "ended 1/2-1/2 table Game drawn by mutual agreement"];
    check(&json!({}), "?draw-offer{\"by\":\"A\"} 1s", "?draw-accept{\"by\":\"a\"}", &agreed);
}

#[test]
fn a_frozen_player_waits_on() {
    let freeze = "?penalty{\"kind\":\"freeze\",\"seat\":\"A\",\"seconds\":20} 1s";
    check(&json!({}), freeze, E4, &["ok", "moved-while-frozen A warning"]);
}

#[test]
fn what_may_be_claimed_may_still_be_claimed() {
    let claim = "?claim{\"kind\":\"illegal-move\",\"by\":\"a\"}";
    let end = ["ok", "claimed illegal-move", "ended 0-1 A forfeits by illegal move"];
    check(&json!({}), ILLEGAL, claim, &end);
    let late = format!("d7- d6p . b 1s {claim}");
    check(&json!({}), ILLEGAL, &late, &["lapsed", "lapsed illegal-move"]);
}

#[test]
fn penalties_and_restrictions_hold() {
    let points = "?penalty{\"kind\":\"points\",\"seat\":\"A\",\"points\":\"-0.5\"} 1s";
    check(&json!({}), points, "?resign{\"by\":\"a\"}", &["ok", "ok", "ended 1-0 a resigns"]);
    let hidden = "?invisible{\"seat\":\"b\",\"piece\":\"N\"} 1s";
    check(&json!({}), hidden, "?visible{\"seat\":\"b\",\"piece\":\"N\"}", &["ok", "ok"]);
}

#[test]
fn a_pause_goes_on() {
    check(&json!({}), "?pause{} 1s stop 1s", "?resume{}", &["ok", "ok"]);
}

#[test]
fn a_position_that_stood_before_is_remembered() {
    let round = "g1- f3N . w g8- f6n . b f3- g1N . w f6- g8n . b";
    check(&json!({}), round, round, &["repetition - decisive"]);
}

#[test]
fn a_set_clock_is_believed() {
    let set = "stop 1s ?set-clock{\"board\":\"A\",\"white_ms\":300000,\"black_ms\":300000} 1s";
    check(&json!({}), set, "go 2s", &["ok", "lapsed paused"]);
}

#[test]
fn what_a_pawn_becomes_was_said() {
    let bfen = "4k3/P7/8/8/8/8/8/4K3/ w - - | rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/ w KQkq -";
    let moves = ["restart", "3s"].map(|between| {
        let mut bench = Bench::playing(&json!({}));
        bench.stand(0, "4k3/P7/8/8/8/8/8/4K3", true);
        assert_eq!(bench.ask("set-position", json!({ "bfen": bfen })).error, None);
        bench.ask("declare", json!({ "seat": "A", "promotion": "N" }));
        bench.play(between).play("a7- a8P . w 3s");
        bench.moves()
    });
    assert_eq!(moves, ["a8=N", "a8=N"]);
}

#[test]
fn nobody_has_displaced_what_came_while_the_daemon_was_away() {
    let check = |script: &str, expect: &[&str]| {
        let mut bench = Bench::playing(&json!({}));
        bench.play(script);
        assert_eq!(bench.told(), expect, "{script}");
    };
    // WBN 6.4: the other player is the first to press after the start
    let (knocked, reply) = ("e2- e4P d2- e2P . w", "e7- e5p . b 5s");
    check(&format!("{knocked} 5s forget {reply}"), &["displaced A note"]); // it was told before
    check(&format!("{knocked} 1s restart {reply}"), &["displaced A note"]); // it was seen before
    check(&format!("{knocked} 1s forget {reply}"), &[]); // nobody knows
    check(&format!("e2- e4P . w 1s forget d7- {reply}"), &[]);
    check("e2- e4P . w 1s forget e7- e5p d7- e7p . b 5s", &["displaced a note"]);
    check("e2- e4P . w 1s restart e7- e5p d7- e7p . b 5s", &["displaced a note"]);
}

#[test]
fn a_correction_knows_the_incidents_of_earlier_starts() {
    // WBN 1.14: where the record alone is left, too, and after more than one start
    let (reply, knight) = ("d7- d6p . b 1s", "b1- c3N . w 2s");
    let lapsed = ["illegal-move A decisive geometry", "lapsed illegal-move"];
    for script in [
        format!("{ILLEGAL} {reply} {knight}"),
        format!("{ILLEGAL} {reply} forget {knight}"),
        format!("{ILLEGAL} forget {reply} restart {knight}"),
        format!("{ILLEGAL} forget {reply} forget {knight}"),
        format!("{ILLEGAL} {reply} restart 1s forget {knight}"),
    ] {
        let told = |orders: &str| {
            let mut bench = Bench::playing(&json!({}));
            bench.play(&script).play(orders).play("1s");
            bench.told()
        };
        let other = r#"?correct{"board":"A","ply":3,"move":"b1a3"}"#;
        assert_eq!(told(other), lapsed, "nothing of the first ply has changed: {script}");
        let legal = r#"?correct{"board":"A","ply":1,"move":"e2e4"}"#;
        assert_eq!(told(legal), [lapsed[0], lapsed[1], "dismissed illegal-move"], "{script}");
    }
}

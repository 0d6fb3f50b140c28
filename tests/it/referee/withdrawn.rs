//! Incidents whose ground a correction takes away, and those that stay.

use serde_json::json;

use super::Bench;

/// Scholar's mate: Black of A is mated by contact.
const MATE: &str = "e2- e4P . w e7- e5p . b d1- h5Q . w b8- c6n . b f1- c4B . w a7- a6p . b h5- f7- f7Q . w 1s";
/// Knights out and home twice: the start stands for the third time.
const ROUNDS: &str = "g1- f3N . w g8- f6n . b f3- g1N . w f6- g8n . b g1- f3N . w g8- f6n . b f3- g1N . w f6- g8n . b";
/// White of A takes a pawn, moves on and has not passed it.
const NOT_PASSED: &str = "e2- e4P . w d7- d5p . b e4- d5- d5P . w g8- f6n . b b1- c3N . w 4s";

/// After a script the arbiter orders; what was told in the script and since.
#[track_caller]
fn check(script: &str, verb: &str, data: serde_json::Value, before: &[&str], since: &[&str]) {
    let mut bench = Bench::playing(&json!({}));
    bench.play(script);
    assert_eq!(bench.told(), before, "{script}");
    bench.events.clear();
    let answer = bench.ask(verb, data.clone());
    assert!(answer.error.is_none(), "{verb} {data}: {:?}", answer.error);
    assert_eq!(bench.told(), since, "{script}: {verb} {data}");
}

fn correct(ply: u32, played: &str) -> serde_json::Value {
    json!({ "board": "A", "ply": ply, "move": played })
}

#[test]
fn what_the_corrected_record_does_not_bear_out_is_dismissed() {
    // WBN 1.14, WBN 1.5, WBN 2.2, WBN 1.6, WBN 7.7
    let illegal = ["illegal-move A decisive geometry"];
    check("e2- e5P . w 3s", "correct", correct(1, "e2e4"), &illegal, &["dismissed illegal-move"]);
    check("e2- e5P . w 3s", "undo", json!({ "board": "A" }), &illegal, &["dismissed illegal-move"]);
    let mate = ["checkmate a decisive"];
    check(MATE, "correct", correct(7, "h5g6"), &mate, &["dismissed checkmate"]);
    check(MATE, "undo", json!({ "board": "A" }), &mate, &["dismissed checkmate"]);
    let repeated = ["repetition - decisive"];
    check(ROUNDS, "correct", correct(8, "a7a6"), &repeated, &["dismissed repetition"]);
    let kept = ["not-passed A warning"];
    check(NOT_PASSED, "correct", correct(3, "a2a3"), &kept, &["dismissed not-passed"]);
    let empty = ["clock-without-move A warning"];
    check("w . . . b g1- f3N . w 4s", "correct", correct(1, "g1h3"), &empty, &[]);
}

#[test]
fn a_reply_that_was_none_came_not_too_early() {
    // FIDE-ext 3.9
    let mut bench = Bench::playing(&json!({ "ruleset": "fide-ext" }));
    bench.play("e2- e4P 1s e7- e5p 1s w . b 1s");
    assert_eq!(bench.told(), ["premove a warning"]);
    bench.ask("correct", correct(2, "a7a6"));
    assert_eq!(bench.told()[1..], ["dismissed premove"]);
    // WBN 6.5: a man that went ahead of its turn was seen there, whatever was played then
    let mut bench = Bench::playing(&json!({}));
    bench.play("e7- e5p 2s e2- e4P . w 1s b 1s");
    bench.ask("correct", correct(2, "a7a6"));
    assert_eq!(bench.told(), ["premove a warning"]);
}

#[test]
fn what_is_true_of_the_corrected_record_alone_is_told() {
    // WBN 1.5, WBN 2.2: the queen was read on another square
    let other = MATE.replace("h5- f7- f7Q", "h5- g6Q");
    check(&other, "correct", correct(7, "h5f7"), &[], &["checkmate a decisive"]);
    let last = ROUNDS.rsplit_once("f6- g8n").map(|(before, after)| format!("{before}f6- h5n{after}")).unwrap();
    check(&last, "correct", correct(8, "f6g8"), &[], &["repetition - decisive"]);
}

#[test]
fn what_the_correction_does_not_touch_stays() {
    let mut bench = Bench::playing(&json!({}));
    // WBN 1.14, WBN 1.6
    bench.play(&format!("{NOT_PASSED} B:e2- B:e5P . B:w 3s"));
    bench.events.clear();
    bench.ask("correct", correct(5, "b1a3"));
    assert_eq!(bench.told(), [""; 0], "another ply of the board");
    bench.ask("undo", json!({ "board": "B" }));
    assert_eq!(bench.told(), ["dismissed illegal-move"], "the other board's incident");
}

#[test]
fn a_withdrawn_incident_says_by_what_and_cannot_be_claimed() {
    // WBN 1.14
    let mut bench = Bench::playing(&json!({}));
    bench.play("e2- e5P . w 3s");
    bench.ask("correct", correct(1, "e2e4"));
    let state = bench.table().arbiter_state();
    assert_eq!(state.incidents[0].evidence["withdrawn_by"], json!("correction"));
    let id = state.incidents[0].id;
    assert_eq!(bench.ask("confirm", json!({ "incident": id })).error.unwrap().code, "decided");
}

#[test]
fn what_is_true_after_all_is_the_incident_that_it_was() {
    // WBN 1.8: a restricted pawn was dropped, pushed, and dropped after all
    let mut bench = Bench::playing(&json!({}));
    bench.play("e2- e4P . w d7- d5p . b e4- d5- d5P . w b=p... 1s B:e2- B:e4P . B:w");
    bench.ask("invisible", json!({ "seat": "b", "piece": "P" }));
    bench.play("b=.... B:e5p . B:b 1s");
    for played in ["e7e5", "P@e5"] {
        let answer = bench.ask("correct", json!({ "board": "B", "ply": 2, "move": played }));
        assert!(answer.error.is_none(), "{played}: {:?}", answer.error);
    }
    let used = "restricted-piece-used";
    let (open, dismissed) = (format!("{used} b warning restricted-piece"), format!("dismissed {used}"));
    let of_kind: Vec<String> = bench.told().into_iter().filter(|told| told.contains(used)).collect();
    assert_eq!(of_kind, [open.clone(), dismissed, open]);
    let incidents = bench.table().arbiter_state().incidents;
    assert_eq!(incidents.iter().filter(|incident| incident.kind == used).count(), 1);
}

#[test]
fn who_has_hidden_men_twice_has_not_done_so_repeatedly() {
    // WBN 1.8: the arbiter dismisses one of three
    let mut bench = Bench::playing(&json!({}));
    bench.play("e2- e4P . w d7- d5p . b e4- d5- d5P . w b=p... 1s g8- f6n . b b1- c3N . w 1s b=.... 6s b=p... 1s");
    bench.play("b=.... 6s b=p... 1s b=.... 6s b=p... 1s");
    assert_eq!(bench.told().last().map(String::as_str), Some("repeatedly-hiding b warning"), "{:?}", bench.told());
    let state = bench.table().arbiter_state();
    let first = state.incidents.iter().find(|one| one.kind == "concealed").unwrap().id;
    bench.events.clear();
    bench.ask("dismiss", json!({ "incident": first }));
    assert_eq!(bench.told(), ["dismissed concealed", "dismissed repeatedly-hiding"]);
}

#[test]
fn without_a_clock_a_second_move_in_a_row_is_told() {
    let board = |name: &str, board: &str| json!({ "name": name, "driver": "dgt", "board": board, "port": name });
    let settings = json!({ "device": [board("a", "A"), board("b", "B")] });
    let begin = |script: &str| {
        let mut bench = Bench::set_up(&settings);
        bench.ask("new-game", json!({}));
        bench.play(script);
        bench.told()
    };
    // WBN 1.4: nobody replies for seconds
    assert_eq!(begin("e2- e4P 2s d2- d4P 6s"), ["illegal-move A decisive not-your-turn"]);
    assert_eq!(begin("e2- e4P 2s d2- d4P 6s e7- e5p 3s").last().map(String::as_str), Some("lapsed illegal-move"));
    // WBN 1.4, WBN 6.4: another man stands beside its square
    assert_eq!(begin("e2- e4P 2s b8- a8n d2- d4P 6s"), ["illegal-move A decisive not-your-turn"]);
    assert_eq!(begin("e2- e4P 2s a7- a6p d2- d4P 6s"), [""; 0], "a reply");
    // a reply comes, the man is taken back, or the first man moves on
    assert_eq!(begin("e2- e4P 2s d2- d4P 1s e7- e5p 6s"), [""; 0]);
    assert_eq!(begin("e2- e4P 2s d2- d4P 1s d4- d2P 6s"), [""; 0]);
    assert_eq!(begin("f2- f4P 2s f4- f2P e2- e4P 6s"), [""; 0]);
    assert_eq!(begin("e2- e4P 2s e7- e5p 2s g1- f3N 2s b8- c6n 6s"), [""; 0]);
}

#[test]
fn a_man_that_was_out_of_its_pocket_for_a_reason_was_not_concealed() {
    let (concealed, gone) = (["concealed b warning"], ["dismissed concealed"]);
    let of_b = |ply: u32, played: &str| json!({ "board": "B", "ply": ply, "move": played });
    let taken = "e2- e4P . w d7- d5p . b e4- d5- d5P . w B:e2- B:e4P . B:w b=p... 1s b=....";
    // WBN 1.7: it was never captured, or another one was
    let long = format!("{taken} 6s");
    check(&long, "correct", correct(3, "e4e5"), &concealed, &gone);
    let two = long.replace("B:e2-", "c7- c6p . b d5- c6- c6P . w B:e2-");
    check(&two, "correct", correct(3, "e4e5"), &concealed, &gone);
    check(&two, "correct", correct(5, "d5d6"), &concealed, &[]);
    // WBN 1.7: it was dropped after all, and another one hovered over the board when its wait was over
    let pushed = r#"?correct{"board":"B","ply":2,"move":"e7e5"}"#;
    let dropped = format!("{taken} B:e5p . B:b 1s B:e7- {pushed} B:h6p 3s B:h6- 8s");
    check(&dropped, "correct", of_b(2, "P@e5"), &concealed, &gone);
    // WBN 1.7: what came to the slot that its like had left was captured meanwhile
    let second = "b=p... c7- c6p . b d5- c6- c6P . w b=.... b=.p.. g8- f6n . b b1- c3N . w 6s b=pp.. 3s";
    let back = format!("e2- e4P . w d7- d5p . b e4- d5- d5P . w B:e2- B:e4P . B:w {second}");
    check(&back, "correct", correct(7, "c6b7"), &concealed, &gone);
    check(&back, "correct", correct(7, "b1a3"), &concealed, &[]);
}

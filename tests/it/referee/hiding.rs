//! Passing, hiding and what only looks so: the trays at work.

use serde_json::json;

use super::{Bench, check, check_under};

/// A: 1. e4 d5 2. exd5: a pawn goes to b. B: 1. e4.
pub const TAKEN: &str = "e2- e4P . w d7- d5p . b e4- d5- d5P . w B:e2- B:e4P . B:w";

fn after_capture(script: &str, expect: &[&str]) {
    check(&format!("{TAKEN} {script}"), expect);
}

#[test]
fn a_man_that_is_passed_and_dropped_is_nothing() {
    after_capture("b=p... 1s b=.... B:e5p . B:b 3s", &[]); // WBN 1.6
    after_capture("b=p... 1s b=..p. 1s b=.p.. 6s", &[]); // shuffled
    after_capture("b=p... 1s b=.... 2s b=p... 9s", &[]); // touched
    after_capture("b=p... 1s b=?... 9s b=p...", &[]); // a slot that says nothing
}

#[test]
fn a_captured_man_is_passed_before_the_capturers_next_move() {
    let not_passed = ["not-passed A warning"];
    after_capture("g8- f6n . b b1- c3N . w 4s", &not_passed); // WBN 1.6
    after_capture("g8- f6n . b b1- c3N . w 1s b=p... 4s", &[]); // a little late
    after_capture("9s b=p...", &[]); // it is still the opponent's turn
    let script = format!("{TAKEN} g8- f6n . b b1- c3N . w 4s");
    check_under("fide-ext", &script, &not_passed); // FIDE-ext 3.2
}

#[test]
fn a_man_that_is_passed_before_the_press_is_early_under_one_law_only() {
    let script = "e2- e4P . w d7- d5p . b e4- d5- d5P b=p... 1s w 3s";
    check(script, &[]);
    check_under("fide-ext", script, &["early-pass A note"]); // FIDE-ext 3.2
}

#[test]
fn men_of_one_kind_are_alike() {
    // b holds a pawn in the hand while the next one comes: which of them lies there nobody can tell
    let second = "c7- c6p . b d5- c6- c6P . w . b=p...";
    let held = format!("b=p... 1s b=.... {second}");
    after_capture(&format!("{held} 1s a7- a6p . b h2- h3P . w 2s . B:e5p . B:b 3s"), &[]); // WBN 1.6
    // both are in the hand and are dropped one after the other
    let both = format!("{held} 1s b=.... B:e5p . B:b . B:g1- B:f3N . B:w . B:d5p . B:b 3s");
    after_capture(&both, &[]); // WBN 1.8b
}

#[test]
fn a_man_in_another_pocket_is_in_the_wrong_one() {
    after_capture("a=p... 5s", &["wrong-pocket A warning"]); // WBN 1.6
    after_capture("A=p... 5s", &["wrong-pocket A warning"]); // the capturer's own, in the other colour
    after_capture("a=p... 1s a=.... b=p... 5s", &[]); // in passing
    // WBN 1.6: the next one comes where it belongs, before or after the press for its capture; the first one does not
    let next = |passed: &str| format!("B=p... c7- c6p . b d5- c6- c6P {passed} 1300ms B=.... b=pp.. 4s");
    after_capture(&next(". w b=p..."), &["wrong-pocket A warning"]);
    after_capture(&next("b=p... . w"), &["wrong-pocket A warning"]);
}

#[test]
fn a_man_that_came_while_another_landed_was_seen() {
    // WBN 1.8b: it is taken from the tray before the drop of the other and its own capture are pressed for
    let second = "c7- c6p . b d5- c6- c6P b=.p.. 300ms b=....";
    let both = "B:b . w . B:g1- B:f3N . B:w . B:d5p . B:b 3s";
    after_capture(&format!("b=p... 1s b=.... B:e5p {second} {both}"), &[]);
    // WBN 1.8b: it is out of the tray again when the other one lands, or when its own capture is told
    after_capture(&format!("b=p... 1s b=.... {second} B:e5p {both}"), &[]);
    let second = "c7- c6p . b d5- c6- c6P b=.p.. w b=....";
    let both = ". B:b . B:g1- B:f3N . B:w . B:d5p . B:b 3s";
    after_capture(&format!("b=p... 1s b=.... B:e5p {second} {both}"), &[]);
}

#[test]
fn who_has_another_man_in_the_hand_drops_none_from_the_partners() {
    // WBN 1.8b: the queen came there and was misread
    after_capture("B:d8- . B:e5p . B:b 1s", &[]);
    after_capture("B:e5p . B:b 1s", &["hidden-drop b note from-the-partners-hand"]);
    // she was lifted after it, for the next move
    after_capture("B:e5p . B:d8- B:b 1s", &["hidden-drop b note from-the-partners-hand"]);
}

#[test]
fn a_man_that_is_dropped_before_its_capture_is_pressed_for_was_not_in_the_pocket() {
    // WBN 1.8b
    let script = "e2- e4P . w d7- d5p . b B:e2- B:e4P . B:w e4- d5- d5P . B:e5p . w . B:b 3s";
    check(script, &["hidden-drop b note from-the-partners-hand"]);
}

#[test]
fn a_man_that_left_its_pocket_and_does_not_land_is_concealed() {
    after_capture("b=p... 1s b=.... 4s b=p... 5s", &[]);
    after_capture("b=p... 1s b=.... 6s", &["concealed b warning"]); // WBN 1.7
    // the owner completes another move meanwhile
    after_capture("b=p... 1s b=.... 2s B:b8- B:c6n . B:b 3s", &["concealed b warning"]);
    let script = format!("{TAKEN} b=p... 1s b=.... 6s");
    check_under("fide-ext", &script, &["concealed b warning"]); // FIDE-ext 3.3
}

#[test]
fn a_drop_of_a_man_that_was_never_seen_is_hidden() {
    let at_once = format!("{TAKEN} B:e5p . B:b 1s");
    check(&at_once, &["hidden-drop b note from-the-partners-hand"]); // WBN 1.8b
    let long = format!("{TAKEN} 7s B:e5p . B:b 1s");
    check(&long, &["hidden-drop b note from-the-partners-hand"]); // WBN 1.8b: the player has not moved since
    let late = format!("{TAKEN} B:e7- B:e6p . B:b 6s B:d2- B:d4P . B:w B:e5p . B:b 1s");
    check(&late, &["hidden-drop b warning never-seen-in-the-pocket"]); // WBN 1.8b
    check_under("cz-2024.06", &late, &["hidden-drop b warning never-seen-in-the-pocket"]); // CZ 1.8
}

#[test]
fn men_that_are_swept_off_when_the_clocks_stand_are_not_hidden() {
    after_capture("b=p... 1s stop b=.... 9s", &["paused - note"]);
    after_capture("b=p... 1s stop b=.... 9s b=p... go 6s", &["paused - note", "lapsed paused"]);
}

#[test]
fn a_restricted_kind_may_not_be_used_until_it_is_allowed() {
    let drop = "b=p... 1s b=.... B:e5p . B:b 1s";
    let restricted = format!(r#"{TAKEN} ?invisible{{"seat":"b","piece":"P"}} {drop}"#);
    check(&restricted, &["restricted-piece-used b warning restricted-piece"]); // WBN 1.8b
    let allowed =
        format!(r#"{TAKEN} ?invisible{{"seat":"b","piece":"pawn"}} ?visible{{"seat":"b","piece":"p"}} {drop}"#);
    check(&allowed, &[]); // WBN 1.8c
    let mut bench = Bench::playing(&json!({ "ruleset": "cz-2024.06" }));
    let answer = bench.ask("invisible", json!({ "seat": "b", "piece": "P" }));
    assert_eq!(answer.error.unwrap().code, "not-in-rule-set"); // CZ 1.8
}

#[test]
fn hiding_three_times_is_repeated() {
    let hide = "b=.... 6s b=p... 1s";
    let script = format!("{TAKEN} b=p... 1s {hide} {hide} {hide} {hide}");
    let concealed = "concealed b warning";
    check(&script, &[concealed, concealed, concealed, "repeatedly-hiding b warning", concealed]); // WBN 1.8d
}

#[test]
fn a_man_that_no_board_has_lost_is_foreign() {
    check("b=q... 5s", &["foreign-piece b warning"]);
    check("b=q... 1s b=.... 5s", &[]);
    check("d8- b=q... 5s", &[]); // it may be the queen that is off her square
    // WBN 5.10: it lay in the tray while the pawn that is captured then stood on its board; one of both is dropped
    let begin = "e2- e4P . w d7- d5p . b B:e2- B:e4P . B:w";
    let script = format!("{begin} b=p... 1s b=.... e4- d5- d5P . w b=.p.. B:e5p . B:b 6s");
    check(&script, &["foreign-piece b warning"]);
}

#[test]
fn trays_that_do_not_tell_men_apart_or_are_silent_make_no_incident() {
    after_capture("b=x... 1s b=.... 9s", &[]);
    after_capture("b=x... 1s b=.... B:e5p . B:b 3s", &[]);
    let mut bench = Bench::playing(&json!({}));
    bench.play(TAKEN);
    bench.input(bughoused::table::Input::Link(super::TRAYS, false));
    bench.beat = i64::MAX; // no more beats
    bench.play("g8- f6n . b b1- c3N . w");
    bench.table.handle(bench.now, bughoused::table::Input::Timeout);
    assert_eq!(bench.told(), [""; 0]);
}

#[test]
fn a_man_that_was_away_while_the_record_had_it_dropped_is_concealed() {
    // WBN 1.7: the record had a pawn dropped for so long that was only taken
    let check = |wrong: &str, back: &str, expect: &[&str]| {
        let mut bench = Bench::playing(&json!({}));
        bench.play(&format!("{TAKEN} b=p... 1s b=.... B:e5p {wrong} B:e7-"));
        bench.ask("correct", json!({ "board": "B", "ply": 2, "move": "e7e5" }));
        bench.play(&format!("1s {back} 4s"));
        assert_eq!(bench.told(), expect, "{wrong} {back}: {}", bench.moves());
    };
    check(". B:b 4s", "b=p...", &["concealed b warning"]);
    check("6s B:b 1s", "b=p...", &["concealed b warning"]); // its player had time to press
    check(". B:b 2s", "b=p...", &[]); // not for long
    check(". B:b 4s", "b=..p.", &[]); // another slot: it may be another one
    check(". B:b 4s", "b=p... 100ms b=....", &["concealed b warning"]); // it is taken again at once
    check(". B:b trays-out 6s trays-in 100ms", "b=p...", &[]); // nobody has seen the tray meanwhile
    // it is taken again at once and dropped
    let white = |wait: &str| format!(". B:b {wait} B:g1- B:f3N . B:w");
    let (long, short) = (white("4s"), white("1s"));
    let dropped = |press: &str| format!("b=p... 100ms b=.... B:e6p {press}");
    check(&long, &dropped("100ms B:b"), &["concealed b warning"]);
    check(&long, &dropped("2s B:b"), &["concealed b warning"]);
    check(&short, &dropped("100ms B:b"), &[]); // not for long
    check(&long, "B:e6p b=p... 100ms b=.... 100ms B:b", &[]); // another one came while it was dropped
    // another one is captured just then
    check(&long, &format!("c7- c6p 100ms b d5- c6- c6P {} 100ms w", dropped("100ms B:b")), &[]);
}

#[test]
fn of_two_hidden_men_the_record_had_one_dropped() {
    // WBN 1.7: it comes back to its slot after it was told of, while the other one is hidden
    let mut bench = Bench::playing(&json!({}));
    let two = "c7- c6p . b d5- c6- c6P . w b=p.p. 1s b=..p.";
    bench.play(&format!("{TAKEN} {two} B:e5p . B:b 1s B:e7-"));
    bench.ask("correct", json!({ "board": "B", "ply": 2, "move": "e7e5" }));
    bench.play("4s b=.... 1s b=p... 6s");
    assert_eq!(bench.told(), ["concealed b warning"; 2], "{}", bench.moves());
}

#[test]
fn a_man_that_comes_back_after_its_like_is_concealed() {
    // WBN 1.7: the next one comes as soon as the first one is taken, and its capturer moves on
    let second = "b=p... c7- c6p . b d5- c6- c6P . w b=.... b=.p..";
    let late = "g8- f6n . b b1- c3N . w";
    after_capture(&format!("{second} {late} 6s b=pp.. 3s"), &["concealed b warning"]);
    after_capture(&format!("{second} {late} 6s b=.pp. 3s"), &[]); // shuffled, and passed late: nobody knows
    after_capture(&format!("{second} {late} 3s b=pp.. 3s"), &[]); // not for long
    after_capture(&format!("{second} 6s b=pp.. 3s"), &[]); // nobody is late yet
    // the next one is taken as well
    after_capture(&format!("{second} {late} b=.... 6s b=p... 3s"), &["concealed b warning"; 2]);
}

#[test]
fn a_man_that_came_from_nowhere_with_an_illegal_move_is_no_other_foreign_one() {
    // WBN 5.10: a pawn was dropped on g3 and the one on g4 captured, or the record is right
    let script = "g2- g4P . w d7- d6p . b . g3P w g4- . . c8- g4b . b B=P... 9s";
    check(script, &["illegal-move A decisive geometry", "lapsed illegal-move"]);
    // however long the other player thought about it
    let late = script.replace("g4- . . c8-", "g4- 20s c8-");
    check(&late, &["illegal-move A decisive geometry", "lapsed illegal-move"]);
    check(
        &script.replace("B=P", "B=N"),
        &["illegal-move A decisive geometry", "lapsed illegal-move", "foreign-piece B warning"],
    );
    // WBN 5.10: no more than one came with it
    let two = ["illegal-move A decisive geometry", "lapsed illegal-move", "foreign-piece B warning"];
    check(&script.replace("B=P...", "B=PP.."), &two);
    check(&script.replace("B=P...", "B=P... 3s B=PP.."), &two);
    check(&script.replace("B=P...", "B=P... 3s B=.... 1s B=.P.."), &two[..2]); // the same one
}

#[test]
fn who_drops_a_man_of_the_other_colour_has_hidden_none() {
    // WBN 4.2, WBN 1.8b: a black pawn is on its way meanwhile
    after_capture("B:c6P . B:b 2s", &["illegal-move b decisive drop-wrong-colour"]);
}

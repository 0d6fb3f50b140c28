//! Moves and presses that are against the laws, and those that only look so.

use serde_json::json;

use super::{Bench, check, check_under};

/// 1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7
const CASTLING_OPEN: &str = "g1- f3N . w g8- f6n . b g2- g3P . w g7- g6p . b f1- g2B . w f8- g7b . b";

#[test]
fn an_illegal_move_can_be_claimed_until_the_opponent_has_moved() {
    let script = "e2- e5P . w 3s e7- e6p . b 1s";
    check(script, &["illegal-move A decisive geometry", "lapsed illegal-move"]); // WBN 1.14
    check_under("fide-ext", script, &["illegal-move A decisive geometry", "lapsed illegal-move"]); // FIDE-ext 4.2
    check("e2- e5P . . . . e5- e4P . w 3s", &[]); // taken back before the press
}

#[test]
fn the_incident_of_a_king_left_in_check_says_who_checks_it() {
    let mut bench = Bench::playing(&json!({}));
    bench.play("e2- e4P . w 1s f7- f6p . b 1s d1- h5Q . w 1s a7- a6p . b 3s");
    let state = bench.table().arbiter_state();
    let evidence = &state.incidents[0].evidence;
    assert_eq!((&evidence["king"], &evidence["checkers"]), (&json!("e8"), &json!(["h5"]))); // WBN 5.9
}

#[test]
fn the_incident_says_what_was_done_and_cites_the_article() {
    let mut bench = Bench::playing(&json!({}));
    bench.play("e2- e5P . w 3s");
    let state = bench.table().arbiter_state();
    let incident = &state.incidents[0];
    assert_eq!((incident.law.as_str(), incident.article.as_str()), ("WBN", "5")); // WBN 5.7
    assert_eq!((&incident.evidence["from"], &incident.evidence["to"]), (&json!("e2"), &json!("e5")));
    assert_eq!(incident.claimable_by.iter().map(|seat| seat.letter()).collect::<String>(), "aB");
}

#[test]
fn castling_is_complete_before_the_press() {
    let whole = format!("{CASTLING_OPEN} e1- g1K h1- f1R . w 3s");
    check(&whole, &[]);
    let king_alone = format!("{CASTLING_OPEN} e1- g1K . w 4s");
    check(&king_alone, &["incomplete-castling A decisive rook-not-moved"]); // WBN 6.1
    let late = format!("{CASTLING_OPEN} e1- g1K . w . . h1- f1R 3s");
    check(&late, &["incomplete-castling A decisive rook-not-moved"]); // WBN 6.1
    let read_late = format!("{CASTLING_OPEN} e1- g1K w h1- f1R 3s");
    check(&read_late, &[]);
    // WBN 6.1: the rook jumps seconds later; the record has the castling then, and the incident stays
    let mut bench = Bench::playing(&json!({}));
    bench.play(&format!("{CASTLING_OPEN} e1- g1K . w 3s h1- f1R 2s b7- b6p . b f1- e1R . w 3s"));
    let moves = &bughoused::record::GameRecord::fold(&bench.events)[0].moves;
    let san: Vec<&str> = moves.iter().rev().take(3).map(|(_, played)| played.san.as_str()).collect();
    assert_eq!(san, ["Re1", "b6", "O-O"]);
    assert_eq!(bench.told()[0], "incomplete-castling A decisive rook-not-moved");
}

#[test]
fn a_man_that_comes_after_the_press_may_go_on() {
    let check = |script: &str, moves: &str, expect: &[&str]| {
        let mut bench = Bench::playing(&json!({}));
        bench.play(script);
        assert_eq!((bench.moves().as_str(), bench.told()), (moves, expect.iter().map(ToString::to_string).collect()));
    };
    // it hovers over a square on its way
    check("g1- w 210ms g3N 150ms g3- f3N 4s", "Nf3", &[]);
    check("g1- w 210ms g3N 3s", "Ng3", &["illegal-move A decisive geometry"]);
    // it was captured there: the move was made
    let begin = "a2- a3P . w e7- e5p . b";
    let taken = format!("{begin} g1- w h4N 150ms d8- h4- h4q 3s");
    check(&taken, "a3 e5 Nh4", &["illegal-move A decisive geometry"]);
}

#[test]
fn a_man_that_makes_its_move_and_comes_back_before_the_clock_is_read() {
    let mut bench = Bench::playing(&json!({}));
    bench.play("g1- f3N . w b8- c6n . b f3- g1N 300ms d7- d5p 60ms g1- w f3N 150ms b . w 2s");
    assert_eq!((bench.moves().as_str(), bench.told()), ("Nf3 Nc6 Ng1 d5 Nf3", vec![]));
}

#[test]
fn a_press_without_a_move_is_told_when_nothing_explains_it() {
    check("w 4s", &["clock-without-move A warning"]); // WBN 7.7
    check("w . . . b 4s", &["clock-without-move A warning"]);
    check("w . . . b g1- f3N . w 4s", &["clock-without-move A warning"]);
    check("w b g1- f3N . w 4s", &[]); // a bounce
    check("g1- w f3N 4s", &[]); // the man lands after the press
    // WBN 7.7: all three moves are made before the first press, which is owed twice more
    check("e2- e4P . . e7- e5p . . g1- f3N . w . b . w 5s", &[]);
    // WBN 7.7: the lever springs back on a reply that is made already; its own press comes later
    check("e2- e4P e7- e5p . w b w . b 5s", &[]);
    // WBN 7.7: soon after a press that was good, whose man might have slid on
    let slid = "e2- e4P . w . e7- e5p . b . f1- . d3B 20ms w 150ms b";
    check(&format!("{slid} 1500ms w 500ms a7- a6p . b 4s"), &["clock-without-move a warning"]);
    // WBN 6.4: the other side's men stand displaced
    check("a7- a6p h7- h6p b8- a5n 1s w 5s", &["clock-without-move A note"]);
}

#[test]
fn men_next_to_their_squares_are_told_and_hands_are_given_time() {
    let displaced = ["displaced A note"];
    check("e2- e4P a2- a3P . w 5s", &displaced); // WBN 6.4
    check("e2- e4P a2- a3P . w 1s a3- a2P 5s", &[]);
    check("e2- e4P a2- . w . a2P 5s", &[]); // in the air
    check("e2- e4P . w c7n 5s", &[]); // a square that reads wrong is no man that stands wrong
}

#[test]
fn who_moved_last_has_displaced_a_man() {
    let open = "b1- c3N . w a7- a6p . b";
    // WBN 6.4: White makes a move, Black replies, and White presses only then
    check(&format!("{open} g2- g3P . c3- d3N e7- e5p . w . b 5s"), &["displaced A note"]);
    check(&format!("{open} g2- g3P . e7- e5p . c3- d3N . w . b 5s"), &["displaced a note"]);
}

#[test]
fn what_the_record_had_there_for_long_is_not_displaced() {
    // WBN 6.4: the arbiter says after many moves that the pawn is another one
    let mut bench = Bench::playing(&json!({}));
    let knights = "g8- f6n 1s b g1- f3N 1s w b8- c6n 1s b b1- c3N 1s w";
    let pawns = "e7- e6p 1s b e2- e3P 1s w d7- d6p 1s b d2- d3P 1s w";
    bench.play(&format!("a2- a3P . w {knights} {pawns} 1s"));
    bench.ask("correct", json!({ "board": "A", "ply": 1, "move": "b2b3" }));
    bench.play("g7- g6p 1s b 5s");
    assert_eq!(bench.told(), [""; 0], "{}", bench.moves());
}

#[test]
fn a_man_that_its_player_pressed_for_is_not_displaced() {
    let open = "e2- e4P . w a7- a6p . b";
    // WBN 6.4: it came as the turn began, and the move is not known yet
    check(&format!("{open} h2- g3P 2s w 4s"), &["illegal-move A decisive geometry"]);
    // WBN 6.4: one of two that made a move each
    check(&format!("{open} g1- f3N b1- c3N 1500ms w 5s"), &["illegal-move A decisive several-changes"]);
}

#[test]
fn a_reply_before_the_move_that_it_replies_to_is_a_premove() {
    let disruptive = "e7- e5p 2s e2- e4P . w 1s b 1s";
    check(disruptive, &["premove a warning"]); // WBN 6.5
    let non_disruptive = "e2- e4P 1s e7- e5p 1s w . b 1s";
    check(non_disruptive, &[]); // WBN 6.5
    check_under("cz-2024.06", non_disruptive, &[]); // CZ 6.4
    check_under("fide-ext", disruptive, &["premove a warning"]); // FIDE-ext 3.9
    check_under("fide-ext", non_disruptive, &["premove a warning"]); // FIDE-ext 3.9: not even that
    check("e7- e5p 2s e5- e7p . e2- e4P . w 1s", &["premove a warning"]); // WBN 6.5: taken back in time or not
    // WBN 6.4: a man next to its square may have been knocked there, until its player presses for it
    check("e7- e6p 2s e2- e4P . w 1s", &[]);
    check("e7- e6p 2s e2- e4P . w 1s b 1s", &["premove a warning"]); // WBN 6.5
    // WBN 6.5: from beside its square
    let beside = "e2- e4P . w e7- e5p . b f8- e7b 1s d2- d3P . w a7- a6p . b";
    check(&format!("{beside} 1s e7- c5b 2s"), &["displaced a note", "premove a warning"]);
    check("e2- e7- e5p e4P . w . b 1s", &[]); // both at once
    check("e2- e3P 1s e7- e5p 1s e3- e4P . w 1s b 1s", &[]); // it replied to what its opponent made at first
    // WBN 6.5: the move had been made, its man was knocked over after the reply and put right
    check("e2- e4P . e7- e5p . e4- 1s e4P . w 1s b 1s", &[]);
}

#[test]
fn a_man_that_goes_ahead_is_told_whenever_the_record_knows_the_move_before() {
    // WBN 6.5: it stands there before the press is heard
    check("e2- e4P . d2- w 150ms d4P 3s d4- d2P 2s", &["premove A warning"]);
    // WBN 6.5: the opponent has made a move that no rule allows, and not pressed yet
    check("a1- a3R 1s e7- e5p 2s w 2s", &["illegal-move A decisive blocked"]);
    // WBN 4.2: the opponent has moved it, and presses a little later
    check("e2- e4P . w d2- d4P 1100ms b 3s", &["illegal-move a decisive not-your-piece"]);
    // WBN 6.5: a pawn was knocked forward by the opponent; the knight in the hand at the press is the move
    let knocked = "a7- a6p e2- e4P . w 3s g8- 150ms b f6n 3s";
    check(knocked, &["displaced A note"]);
}

#[test]
fn a_press_without_a_move_is_told_however_soon_the_next_ones_come() {
    // WBN 7.7: pressed back, the move follows, and the reply at once
    check("w 1s b e2- e4P . w e7- e5p 150ms b 4s", &["clock-without-move A warning"]);
}

#[test]
fn a_man_on_its_way_to_the_first_move_is_not_set_up_wrongly() {
    // WBN 4.3: it is slid over a square when the clocks are set going
    for script in ["e2- e3P go 60ms e3- e4P . w 3s", "g1- h3N go 60ms h3- f3N . w 3s"] {
        let mut bench = Bench::set_up(&json!({}));
        bench.play(script);
        assert_eq!(bench.told(), [""; 0], "{script}");
    }
}

#[test]
fn set_ups_that_are_almost_right_are_told() {
    // WBN 4.3, WBN 1.15
    let mut bench = Bench::set_up(&json!({}));
    bench.play("e8q d8k 3s go 3s");
    assert_eq!(bench.told(), ["wrong-setup - warning king-and-queen-swapped"]);
    let mut bench = Bench::set_up(&json!({ "time_control": "180+0" }));
    bench.play("go 2s");
    assert_eq!(bench.told(), ["wrong-setup - warning clock-times", "wrong-setup - warning clock-times"]);
}

#[test]
fn clocks_that_stand_are_told_and_whose_time_would_run() {
    // WBN 7.12
    let mut bench = Bench::playing(&json!({}));
    bench.play("e2- e4P . w 2s stop 1s");
    let state = bench.table().arbiter_state();
    let evidence = &state.incidents[0].evidence;
    assert_eq!((&evidence["clocks"][0]["to_move"], &evidence["clocks"][1]["to_move"]), (&json!("a"), &json!("B")));
    assert!(evidence["stopped_at"].as_i64().unwrap() > 0);
    bench.play("go 1s");
    assert_eq!(bench.told(), ["paused - note", "lapsed paused"]);
    let mut bench = Bench::playing(&json!({}));
    bench.ask("pause", json!({}));
    bench.play("stop 1s");
    assert_eq!(bench.told(), [""; 0], "the arbiter knows");
}

#[test]
fn two_men_that_each_made_a_move_are_several_changes() {
    // WBN 1.4, WBN 6.4
    check("e2- e4P 1s d2- d4P 1s w 2s", &["illegal-move A decisive several-changes"]);
    check("e2- e4P 1s d2- d3P 1s w 5s", &["displaced A note"]);
}

#[test]
fn an_illegal_move_is_told_before_the_reply_hides_it() {
    let taken = "d2- e3P 1s w . . e7- e6p . b 2s"; // WBN 1.14
    check(taken, &["illegal-move A decisive geometry", "lapsed illegal-move"]);
}

#[test]
fn games_start_together() {
    let mut bench = Bench::set_up(&json!({}));
    bench.clocks[0].running = true;
    bench.show_clock(0);
    bench.play("3s go 1s");
    assert_eq!(bench.told(), ["uneven-start - warning"]); // WBN 1.2, WBN 7.5
    let mut bench = Bench::set_up(&json!({}));
    bench.play("go 3s");
    assert_eq!(bench.told(), [""; 0]);
}

#[test]
fn a_frozen_player_who_goes_on_too_early_is_told() {
    // WBN 9.4, CZ 9.4
    let mut bench = Bench::playing(&json!({}));
    bench.play(r#"?penalty{"kind":"freeze","seat":"A","seconds":5} 2s e2- e4P . w 1s"#);
    assert_eq!(bench.told(), ["moved-while-frozen A warning"]);
    let mut bench = Bench::playing(&json!({}));
    bench.play(r#"?penalty{"kind":"freeze","seat":"A"} 6s e2- e4P . w 1s"#);
    assert_eq!(bench.told(), [""; 0]);
}

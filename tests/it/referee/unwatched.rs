//! A board whose cable is out: men come from there and go there, and nobody saw how.

use bughoused::{event::Body, record::GameRecord};
use serde_json::json;

use super::{Bench, check};

/// A: 1. e4 d5. B: 1. e4 e5. Then nobody hears of board A.
const OUT: &str = "e2- e4P . w d7- d5p . b B:e2- B:e4P . B:w B:e7- B:e5p . B:b 1s out";

fn behind(script: &str, expect: &[&str]) {
    check(&format!("{OUT} {script}"), expect);
}

#[test]
fn men_from_a_board_that_nobody_watches_are_not_foreign() {
    behind("1s b=p... 9s", &[]); // WBN 5.10
    // its capture is found when the board is back
    behind("e4- d5P w 1s b=p... 5s in 9s", &[]);
    check("e2- e4P . w 1s b=p... 9s", &["foreign-piece b warning"]); // nobody captured it
}

#[test]
fn men_that_go_to_a_board_that_nobody_watches_are_not_concealed() {
    let taken = "e2- e4P . w B:e2- B:e4P . B:w B:d7- B:d5p . B:b B:e4- B:d5P . B:w a=p... 1s";
    check(&format!("{taken} out a=.... e6p b 9s in 9s"), &[]); // WBN 1.7
    check(&format!("{taken} a=.... 9s"), &["concealed a warning"]);
}

#[test]
fn a_man_that_may_have_been_captured_unseen_may_be_dropped() {
    // WBN 5.10
    let mut bench = Bench::playing(&json!({}));
    bench.play(&format!("{OUT} B:g1- B:f3N . B:w B:h3p . B:b 4s"));
    assert_eq!(bench.moves(), "e4 d5 e4 e5 Nf3 P@h3");
    assert!(bench.told().is_empty(), "{:?}", bench.told());
    check("B:e2- B:e4P . B:w B:h3p . B:b 4s", &["illegal-move b decisive drop-not-in-pocket"]);
}

#[test]
fn what_was_passed_while_the_daemon_was_away_may_be_dropped() {
    // WBN 5.10
    let (before, drop) = ("B:e2- B:e4P . B:w 1s", "B:h3p . B:b 4s");
    check(&format!("{before} restart {drop}"), &[]);
    check(&format!("{before} {drop}"), &["illegal-move b decisive drop-not-in-pocket"]);
    // on both boards a move was seen since, and all men where they belong
    let seen = "e2- e4P . w B:e7- B:e5p . B:b B:d2- B:d4P . B:w 1s";
    check(&format!("{before} restart {seen} {drop}"), &["illegal-move b decisive drop-not-in-pocket"]);
}

#[test]
fn what_stands_on_a_board_that_is_not_known_is_nobodys_fault() {
    // WBN 6.4, WBN 7.7: hands are at work all the time, so that nobody knows yet what was played there
    let unseen = "e4- d5P d8- d5q b1- c3N d5- a5q d2- d4P c7- c6p c1- d2B c8- f5b f1- c4B e7- e6p g8- f6n g1- f3N";
    let hands = "a7- 300ms a7p 300ms ".repeat(10);
    let gap = "ended * table a gap: what was played on board A while its sensors were away is not known";
    behind(&format!("{unseen} 12s in h2- g3P w {hands}"), &[gap]);
}

/// The moves of board A in the end, and what was told to be uncertain on the way.
fn recorded(script: &str) -> (String, Vec<String>) {
    let mut bench = Bench::playing(&json!({}));
    bench.play(script);
    assert!(bench.told().is_empty(), "{script}: {:?}", bench.told());
    let doubts = bench.events.iter().filter_map(|event| match &event.body {
        Body::Uncertain(doubt) => Some(doubt.candidates.join(" or ")),
        _ => None,
    });
    let records = GameRecord::fold(&bench.events);
    let moves = records[0].moves.iter().map(|(_, played)| played).filter(|played| played.board.to_string() == "A");
    (moves.map(|played| played.san.clone()).collect::<Vec<_>>().join(" "), doubts.collect())
}

#[test]
fn several_plies_that_nobody_saw_are_uncertain() {
    let check = |script: &str, moves: &str, doubts: &[&str]| {
        assert_eq!(recorded(&format!("{OUT} {script}")), (moves.into(), doubts.iter().map(|s| (*s).into()).collect()));
    };
    check("e4- d5P w 4s in 3s", "e4 d5 exd5", &[]);
    check("e4- d5P w d8- d5q b 4s in 3s", "e4 d5 exd5 Qxd5", &["exd5 Qxd5"]);
    check("e4- d5P w d8- d5q b 1s in 3s", "e4 d5 exd5 Qxd5", &[]); // so short a time hides no more
}

#[test]
fn a_man_that_was_taken_from_its_tray_may_have_gone_on_from_where_it_was_dropped() {
    let knight = "B:e2- B:e4P . B:w B:g8- B:f6n . B:b B:e4- B:e5P . B:w B:a7- B:a6p . B:b B:e5- B:f6P . B:w a=n... 1s";
    let (moves, _) = recorded(&format!("{knight} e2- e4P . w out a=.... d2- d3P g2n b 4s in 3s"));
    let dropped = moves.strip_prefix("e4 N@").and_then(|moves| moves.strip_suffix(" d3 Nxg2+"));
    assert!(dropped.is_some_and(|square| ["e3", "f4", "h4"].contains(&square)), "{moves}");
}

#[test]
fn what_the_board_soon_contradicts_was_something_else() {
    // The knight was shown to the board when it was back, and taken back before the press.
    let script = "a2- a3P w h7- h6p b 3s g1- f3N in . f3- g1N d2- d3P 500ms w 3s";
    assert_eq!(recorded(&format!("{OUT} {script}")).0, "e4 d5 a3 h6 d3");
    let script = "g1- f3N w h7- h6p b 3s a2- a3P in . a3- a2P d2- d3P 500ms w 3s";
    assert_eq!(recorded(&format!("{OUT} {script}")).0, "e4 d5 Nf3 h6 d3");
}

#[test]
fn plies_that_nobody_saw_can_be_undone() {
    let mut bench = Bench::playing(&json!({}));
    bench.play(&format!("{OUT} a2- a3P w h7- h6p b 3s in . g8- d2- d3P w 300ms"));
    bench.play("d3- d2P h6- h7p a3- a2P d5- d7p");
    for _ in 0..4 {
        let answer = bench.ask("undo", json!({ "board": "A" }));
        assert!(answer.error.is_none(), "{answer:?}");
    }
    bench.play("1s g8n 1s d7- d6p b 1s d2- d3P w 3s");
    let records = GameRecord::fold(&bench.events);
    let moves = records[0].moves.iter().filter(|(_, played)| played.board.to_string() == "A");
    assert_eq!(moves.map(|(_, played)| played.san.as_str()).collect::<Vec<_>>(), ["e4", "d6", "d3"]);
}

//! A board whose cable is out: men come from there and go there, and nobody saw how.

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

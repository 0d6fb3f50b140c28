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
    bench.play(&format!("{OUT} b=p... 1s b=.... B:g1- B:f3N . B:w B:h3p . B:b 4s"));
    assert_eq!(bench.moves(), "e4 d5 e4 e5 Nf3 P@h3");
    assert!(bench.told().is_empty(), "{:?}", bench.told());
    check("B:e2- B:e4P . B:w B:h3p . B:b 4s", &["illegal-move b decisive drop-not-in-pocket"]);
}

#[test]
fn what_stands_on_a_board_that_is_not_known_is_nobodys_fault() {
    // WBN 6.4: nothing is said of a board before it is known what was played there
    behind("e4- d5P g8- f6n w b w 12s in 500ms w b 4s", &[]);
}

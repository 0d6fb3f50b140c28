//! Boards and clocks that are set up wrongly and put right while clocks run.

use serde_json::json;

use super::Bench;

/// Seven squares: no sensor's fault.
const QUEENS: &str = "a2Q b2Q c2Q d2Q e2Q f2Q g2Q";
const LIFTED: &str = "a2- b2- c2- d2- e2- f2- g2-";
const PAWNS: &str = "a2P 300ms b2P 300ms c2P 300ms d2P 300ms e2P 300ms f2P 300ms g2P";

fn check(script: &str, expect: &[&str]) {
    let mut bench = Bench::set_up(&json!({}));
    bench.play(script);
    assert_eq!(bench.told(), expect, "{script}");
}

#[test]
fn men_that_are_being_put_right_do_not_stand_wrong() {
    // WBN 1.15, 4.2
    check(&format!("{QUEENS} 3s go 4s"), &["wrong-setup - warning wrong-men"]);
    check(&format!("{QUEENS} 3s go 4s {LIFTED} 1s {PAWNS} 2s"), &["wrong-setup - warning wrong-men"]);
    check(&format!("{LIFTED} 3s go 4s {PAWNS} 2s"), &["wrong-setup - warning men-missing"]);
    check(&format!("{LIFTED} 3s go 1s {PAWNS} 2s"), &[]); // in time
    // WBN 4.2: nobody puts them right
    let both = ["wrong-setup - warning wrong-men", "wrong-setup - warning men-missing"];
    check(&format!("{QUEENS} 3s go 4s {LIFTED} 4s"), &both);
}

#[test]
fn a_clock_that_is_set_wrongly_is_told_whichever_clock_begins() {
    // WBN 1.15: a minute too much, a minute too little, on the board whose clock is heard first and on the other one
    for (board, white, black) in [(0, 360, 360), (0, 240, 240), (1, 360, 360), (1, 240, 240), (0, 300, 310)] {
        let mut bench = Bench::set_up(&json!({}));
        bench.time_left(board, white, black);
        bench.play("go 150ms");
        assert_eq!(bench.told(), ["wrong-setup - warning clock-times"], "{board} {white} {black}");
        bench.play("5s e2- e4P . w e7- e5p . b");
        assert_eq!(bench.moves(), "e4 e5", "{board} {white} {black}");
        // WBN 1.15: it is too late when both have moved on that board
        let lapsed = (board == 0).then_some("lapsed wrong-setup");
        assert_eq!(bench.told()[1..], Vec::from_iter(lapsed), "{board} {white} {black}");
    }
    // WBN 1.15: one that ran while men were put right was set rightly
    check(&format!("{LIFTED} 3s go 1s {PAWNS} 5s e2- e4P . w e7- e5p . b"), &[]);
}

//! Men that read as others, and men that nobody saw come down.

use bughoused::event::Body;
use serde_json::json;

use super::Bench;

/// A board whose pawn of e7 reads as a bishop.
const WRONG: &str = "rnbqkbnr/ppppbppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

#[test]
fn a_wrongly_tagged_man_is_itself_on_both_boards_and_in_the_tray() {
    let mut bench = Bench::set_up(&json!({}));
    bench.stand(0, WRONG, true);
    bench.play("4s go e2- e4P . w e7- e5b . b g1- f3N . w b8- c6n . b f3- e5- e5N . w b=b... 1s");
    // it lies in the tray of Black of B, who drops it
    bench.play("B:e2- B:e4P . B:w 1s b=.... B:e5b . B:b 2s");
    assert_eq!(bench.moves(), "e4 e5 Nf3 Nc6 Nxe5 e4 P@e5");
    assert_eq!(bench.told(), [""; 0]);
}

#[test]
fn a_new_game_on_boards_that_are_not_set_up_finds_no_wrong_tags() {
    let mut bench = Bench::playing(&json!({}));
    // three pawns are replaced by queens that nobody has: no sensor's fault
    bench.play("stop");
    bench.stand(0, "rnbqkbnr/qqqppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", true);
    assert!(bench.ask("new-game", json!({})).error.is_none());
    bench.stand(0, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", true);
    bench.play("2s go e2- e4P . w e7- e5p . b 1s");
    assert!(bench.moves().ends_with("e4 e5"), "{}", bench.moves());
}

#[test]
fn where_nobody_saw_a_man_go_all_squares_that_showed_as_little_are_named() {
    let mut bench = Bench::playing(&json!({}));
    bench.play("g1- . w 8s");
    let asked = bench.events.iter().find_map(|event| match &event.body {
        Body::Uncertain(question) => Some(question.candidates.clone()),
        _ => None,
    });
    let mut asked = asked.expect("a question");
    asked.sort();
    assert_eq!(asked, ["Nf3", "Nh3"]);
}

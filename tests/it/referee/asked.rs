//! A press without a move that starts the opponent's clock again to ask for something (FIDE-ext 3.2, 3.3, 3.6).

use bughoused::event::Body;
use serde_json::json;

use super::Bench;

const WITHOUT: &str = "clock-without-move";

/// What was told of presses without a move: grade, reason, law and article, how many may claim it.
fn presses(bench: &Bench) -> Vec<String> {
    let told = bench.events.iter().filter_map(|event| match &event.body {
        Body::Incident(told) if told.kind == WITHOUT => {
            let grade = serde_json::to_value(told.grade).unwrap();
            let seat = told.seat.unwrap();
            let words = format!("{seat} {} {} {} {}", grade.as_str().unwrap(), told.reason, told.law, told.article);
            Some(format!("{words} {}", told.claimable_by.len()))
        }
        _ => None,
    });
    told.collect()
}

#[track_caller]
fn check(rules: &str, script: &str, expect: &[&str]) {
    let mut bench = Bench::playing(&json!({ "ruleset": rules }));
    bench.play(script);
    assert_eq!(presses(&bench), expect, "{rules}: {script}");
}

/// White captures on d5 and nobody passes the pawn; Black presses, White presses back, Black goes on.
const NOT_PASSED: &str = "e2- e4P . w 1s d7- d5p . b 1s e4- d5- d5P . w 1s b 2s w 4s";
/// The same with the pawn in the partner's pocket at once.
const PASSED: &str = "e2- e4P . w 1s d7- d5p . b 1s e4- d5- d5P . w b=p... 1s b 2s w 4s";
/// The pawn lies in the pocket of b, who takes it into the hand and moves another man.
const IN_HAND: &str = "e2- e4P . w 1s d7- d5p . b 1s e4- d5- d5P . w b=p... 1s B:e2- B:e4P . B:w 1s \
                       b=.... B:e7- B:e5p . B:b 300ms B:w 2s B:b 4s";
/// Nothing is to be asked for.
const NOTHING: &str = "e2- e4P . w 1s b 2s w 4s";

#[test]
fn who_asks_for_a_man_may_start_the_clock_again_where_the_law_says_so() {
    check("fide-ext", NOT_PASSED, &["a note man-not-passed FIDE-ext 3.2 0"]);
    check("fide-ext", IN_HAND, &["B note man-hidden FIDE-ext 3.3 0"]);
    // the other laws know warnings, restrictions and the arbiter
    check("wbn-1.00", NOT_PASSED, &["a warning  WBN 7.7a 2"]);
    check("cz-2024.06", NOT_PASSED, &["a warning  CZ 7.7a 2"]);
}

#[test]
fn who_has_nothing_to_ask_for_may_not() {
    check("fide-ext", NOTHING, &["a warning  FIDE 6.2 1"]);
    check("fide-ext", PASSED, &["a warning  FIDE 6.2 1"]);
}

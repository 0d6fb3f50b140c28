//! What the arbiter confirms or dismisses: every kind that may end a game, under each law text.

use serde_json::json;

use super::{
    Bench, LAWS,
    adjudicated::flagged,
    claims::{HALF_CASTLED, ILLEGAL, NOT_PASSED, ROUND, TWICE_ROUND},
    ends::MATE,
};

/// What happens under a law text, by its place in the tables.
type Begin = fn(&mut Bench, usize) -> &mut Bench;
/// What happens, the incident, how its confirmation ends the game under each law text, and the half points.
type Row = (Begin, &'static str, [Option<&'static str>; 3], [i32; 2]);

fn wrongly_claimed<'a>(bench: &'a mut Bench, kind: &str) -> &'a mut Bench {
    bench.play("e2- e4P . w 1s");
    assert_eq!(bench.claim(kind, "a"), "wrong-claim");
    bench
}

const fn all(end: &'static str) -> [Option<&'static str>; 3] {
    [Some(end); 3]
}

const BY_ILLEGAL_MOVE: &str = "1-0 a forfeits by illegal move";

const ROWS: &[Row] = &[
    (|bench, _| bench.play(MATE).play("1s"), "checkmate", all("1-0 a checkmated"), [2, 0]), // WBN 2.1a
    (|bench, _| flagged(bench, [[290, 2], [290, 290]], "4s"), "flag-fall", all("1-0 a forfeits on time"), [2, 0]),
    (
        |bench, _| flagged(bench, [[3, 2], [290, 290]], "3s e7- e5p . b 4s"),
        "flag-fall",
        all("1/2-1/2 table Game drawn because both players ran out of time"), // WBN 7.10
        [1, 1],
    ),
    (
        |bench, law| bench.play(TWICE_ROUND).play(["", "", ROUND][law]),
        "repetition",
        all("1/2-1/2 table Game drawn by repetition"), // WBN 2.2b, FIDE-ext 4.1
        [1, 1],
    ),
    (|bench, _| bench.play(ILLEGAL), "illegal-move", all("0-1 A forfeits by illegal move"), [0, 2]), // WBN 2.1b
    (|bench, _| bench.play(HALF_CASTLED), "incomplete-castling", all("0-1 A forfeits by illegal move"), [0, 2]),
    // WBN 3.4, WBN 7.12d: an illegal move; CZ 3.4: unless the arbiter rules otherwise; FIDE 11.5: a penalty, no loss
    (
        |bench, _| wrongly_claimed(bench, "checkmate"),
        "wrong-claim",
        [Some(BY_ILLEGAL_MOVE), Some(BY_ILLEGAL_MOVE), None],
        [2, 0],
    ),
    (
        |bench, _| wrongly_claimed(bench, "repetition"),
        "wrong-claim",
        [Some(BY_ILLEGAL_MOVE), Some(BY_ILLEGAL_MOVE), None],
        [2, 0],
    ),
    // WBN 1.6: what follows is the arbiter's
    (|bench, _| bench.play(NOT_PASSED), "not-passed", [None; 3], [0, 0]),
];

/// Plays up to the incident and decides it by a verb; its number and what came of that.
fn decided(begin: Begin, law: usize, kind: &str, verb: &str) -> (Bench, u64) {
    let mut bench = Bench::playing(&json!({ "ruleset": LAWS[law] }));
    begin(&mut bench, law);
    let id = bench.open(kind).unwrap_or_else(|| panic!("{}: no {kind}: {:?}", LAWS[law], bench.told())).id;
    bench.events.clear();
    assert!(bench.ask(verb, json!({ "incident": id })).error.is_none(), "{}: {verb} {kind}", LAWS[law]);
    (bench, id)
}

#[test]
fn what_the_arbiter_confirms_is_as_good_as_claimed_and_what_is_dismissed_is_nothing() {
    for (begin, kind, ends, points) in ROWS {
        for (law, end) in ends.iter().enumerate() {
            let why = format!("{}: {kind}", LAWS[law]);
            let (bench, _) = decided(*begin, law, kind, "confirm");
            let mut expect = vec![format!("claimed {kind}")];
            expect.extend(end.map(|end| format!("ended {end}")));
            assert_eq!(bench.told(), expect, "{why}");
            assert_eq!(bench.ended(), end.map(|end| (end.to_owned(), *points)), "{why}");
            let (mut bench, id) = decided(*begin, law, kind, "dismiss");
            assert_eq!((bench.told(), bench.ended()), (vec![format!("dismissed {kind}")], None), "{why}");
            let error = bench.ask("confirm", json!({ "incident": id })).error.map(|error| error.code);
            assert_eq!((error.as_deref(), bench.ended()), (Some("decided"), None), "{why}: it was dismissed");
        }
    }
}

#[test]
fn what_has_lapsed_cannot_be_confirmed() {
    // WBN 1.14, WBN 1.16, WBN 3.3, FIDE-ext 4.2: the time to claim it is over, for the arbiter too (WBN 9.5)
    let rows: [(&str, &str, &str); 3] = [
        (ILLEGAL, "illegal-move", "d7- d6p . b 1s"),
        (MATE, "checkmate", "h7- h6p . b 3s f7- h5Q . w 1s"),
        (TWICE_ROUND, "repetition", "e2- e4P . w 1s"),
    ];
    for rules in LAWS {
        for (script, kind, after) in rows {
            let mut bench = Bench::playing(&json!({ "ruleset": rules }));
            bench.play(script).play(if rules == "fide-ext" && kind == "repetition" { ROUND } else { "1s" });
            let id = bench.open(kind).expect(kind).id;
            bench.play(after).events.clear();
            let error = bench.ask("confirm", json!({ "incident": id })).error.map(|error| error.code);
            assert_eq!((error.as_deref(), bench.told()), (Some("decided"), vec![]), "{rules}: {kind}");
        }
    }
}

#[test]
fn a_mate_that_was_lifted_is_answered_with_the_article_of_the_law_in_use() {
    // FIDE-ext 3.7 says what mate is; the extension has nothing on how long it can be claimed
    for (rules, article) in LAWS.into_iter().zip(["(WBN 1.16)", "(CZ 1.16)", "(FIDE-ext 3.7)"]) {
        let mut bench = Bench::playing(&json!({ "ruleset": rules }));
        bench.play(MATE).play("1s h7- h6p . b 3s f7- h5Q . w 1s");
        let error = bench.ask("claim", json!({ "kind": "checkmate", "by": "A" })).error.unwrap();
        assert_eq!(error.code, "lapsed", "{rules}");
        assert!(error.message.contains(article), "{rules}: {}", error.message);
    }
    // WBN 1.14, CZ 1.14, FIDE-ext 4.2: so is an illegal move that stands
    for (rules, article) in LAWS.into_iter().zip(["(WBN 1.14)", "(CZ 1.14)", "(FIDE-ext 4.2)"]) {
        let mut bench = Bench::playing(&json!({ "ruleset": rules }));
        bench.play(ILLEGAL).play("d7- d6p . b 1s");
        let error = bench.ask("claim", json!({ "kind": "illegal-move", "by": "a" })).error.unwrap();
        assert_eq!(error.code, "lapsed", "{rules}");
        assert!(error.message.contains(article), "{rules}: {}", error.message);
    }
}

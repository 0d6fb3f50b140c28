//! Claims, right and wrong, under each law text.

use serde_json::{Value, json};

use super::{Bench, LAWS};

pub const ILLEGAL: &str = "e2- e5P . w 3s";
/// The same of Black of A.
pub const ILLEGAL_OF_BLACK: &str = "e2- e4P . w 1s d7- d4p . b 3s";
/// Scholar's mate: Black of A is mated by contact.
const MATE: &str = "e2- e4P . w e7- e5p . b d1- h5Q . w b8- c6n . b f1- c4B . w a7- a6p . b h5- f7- f7Q . w 1s";
/// Knights out and home: the start stands for the second time.
pub const ROUND: &str = "g1- f3N . w g8- f6n . b f3- g1N . w f6- g8n . b";

/// After a script somebody claims: the code of the answer (`ok`), and what was told since.
#[track_caller]
fn check(rules: &str, script: &str, claim: Value, code: &str, expect: &[&str]) {
    let mut bench = Bench::playing(&json!({ "ruleset": rules }));
    bench.play(script);
    bench.events.clear();
    let answer = bench.ask("claim", claim.clone());
    let found = answer.error.map_or("ok".into(), |error| error.code);
    assert_eq!(
        (found.as_str(), bench.told()),
        (code, expect.iter().map(ToString::to_string).collect()),
        "{rules}: {claim}"
    );
}

fn by(kind: &str, seat: &str) -> Value {
    json!({ "kind": kind, "by": seat })
}

#[test]
fn an_illegal_move_is_claimed_by_the_opponent_and_where_teams_claim_by_the_partner() {
    for rules in LAWS {
        let end = ["claimed illegal-move", "ended 0-1 A forfeits by illegal move"];
        check(rules, ILLEGAL, by("illegal-move", "a"), "ok", &end); // WBN 1.14, WBN 2.1, FIDE-ext 4.2
        let late = format!("{ILLEGAL} d7- d6p . b 1s");
        check(rules, &late, by("illegal-move", "a"), "lapsed", &[]); // WBN 1.14
    }
    let end = ["claimed illegal-move", "ended 0-1 A forfeits by illegal move"];
    check("wbn-1.00", ILLEGAL, by("illegal-move", "B"), "ok", &end); // WBN 1.12
    check("cz-2024.06", ILLEGAL, by("illegal-move", "B"), "ok", &end); // CZ 1.12
    for rules in LAWS {
        // WBN 6.1: castling that lacks the rook's part is claimed like an illegal move
        let castled = "g1- f3N . w g8- f6n . b g2- g3P . w g7- g6p . b f1- g2B . w f8- g7b . b e1- g1K . w 4s";
        let end = ["claimed incomplete-castling", "ended 0-1 A forfeits by illegal move"];
        check(rules, castled, by("illegal-move", "a"), "ok", &end);
        check(rules, castled, by("incomplete-castling", "a"), "ok", &end);
    }
    let wrong = ["wrong-claim B note illegal-move"];
    check("fide-ext", ILLEGAL, by("illegal-move", "B"), "wrong-claim", &wrong); // FIDE-ext 4.2
}

#[test]
fn a_wrong_claim_is_what_the_rule_set_makes_of_it() {
    for (rules, grade) in [("wbn-1.00", "decisive"), ("cz-2024.06", "decisive"), ("fide-ext", "note")] {
        for kind in ["illegal-move", "checkmate", "flag-fall"] {
            let incident = format!("wrong-claim a {grade} {kind}");
            check(rules, "e2- e4P . w 1s", by(kind, "a"), "wrong-claim", &[&incident]); // WBN 7.12
        }
        let incident = format!("wrong-claim a {grade} repetition");
        check(rules, "e2- e4P . w 1s", by("repetition", "a"), "wrong-claim", &[&incident]); // WBN 3.4
    }
    // what counts as an illegal move is claimed as one
    let mut bench = Bench::playing(&json!({}));
    bench.play("e2- e4P . w 1s");
    bench.ask("claim", by("checkmate", "a"));
    bench.ask("claim", by("illegal-move", "A"));
    assert_eq!(bench.told().last().map(String::as_str), Some("ended 1-0 a forfeits by illegal move"));
    // WBN 3.1: a claim of a draw is an offer, too
    let mut bench = Bench::playing(&json!({}));
    bench.play("e2- e4P . w 1s");
    bench.ask("claim", by("repetition", "a"));
    assert!(bench.ask("draw-accept", json!({ "by": "A" })).error.is_none());
}

#[test]
fn mate_is_claimed_while_it_stands() {
    let end = ["claimed checkmate", "ended 1-0 a checkmated"];
    for rules in LAWS {
        check(rules, MATE, by("checkmate", "A"), "ok", &end); // WBN 1.5
        let wrong =
            if rules == "fide-ext" { "wrong-claim a note checkmate" } else { "wrong-claim a decisive checkmate" };
        check(rules, MATE, by("mate", "a"), "wrong-claim", &[wrong]);
        // WBN 1.16: the mated player goes on illegally, the other has moved and lifted the mate
        let escaped = format!("{MATE} h7- h6p . b 3s f7- h5Q . w 1s");
        check(rules, &escaped, by("checkmate", "A"), "lapsed", &[]);
    }
    check("wbn-1.00", MATE, by("checkmate", "b"), "ok", &end); // WBN 1.12
    check("cz-2024.06", MATE, by("checkmate", "b"), "ok", &end); // CZ 1.12
    check("fide-ext", MATE, by("checkmate", "b"), "wrong-claim", &["wrong-claim b note checkmate"]);
}

#[test]
fn flags_are_claimed_by_whom_the_rule_set_lets() {
    let claim = |rules: &str, claimant: &str| {
        let mut bench = Bench::playing(&json!({ "ruleset": rules }));
        bench.play("1s e2- e4P . w 1s");
        bench.time_left(0, 290, 2);
        bench.show_clock(0);
        bench.play("4s");
        let answer = bench.ask("claim", by("flag-fall", claimant));
        answer.error.map_or("ok".into(), |error| error.code)
    };
    for (rules, player, partner, arbiter) in [
        ("wbn-1.00", "ok", "ok", "not-entitled"), // WBN 7.8
        ("cz-2024.06", "ok", "ok", "ok"),         // CZ 7.8
        ("fide-ext", "ok", "wrong-claim", "not-entitled"),
    ] {
        let found = ["A", "b", "arbiter"].map(|claimant| claim(rules, claimant));
        assert_eq!(found, [player, partner, arbiter], "{rules}");
        assert_eq!(claim(rules, "a"), "wrong-claim", "{rules}: the own flag");
    }
}

#[test]
fn a_repetition_is_claimed_by_who_has_the_move() {
    for (rules, rounds) in [("wbn-1.00", 2), ("cz-2024.06", 2), ("fide-ext", 3)] {
        let script = [ROUND].repeat(rounds).join(" ");
        let end = ["claimed repetition", "ended 1/2-1/2 table Game drawn by repetition"];
        check(rules, &script, by("repetition", "A"), "ok", &end); // WBN 2.2, WBN 3.2, FIDE-ext 4.1
        let wrong =
            if rules == "fide-ext" { "wrong-claim a note repetition" } else { "wrong-claim a decisive repetition" };
        check(rules, &script, by("repetition", "a"), "wrong-claim", &[wrong]); // WBN 3.2
        // WBN 2.2: about to appear, the move made and not completed
        let about = script.strip_suffix(" b").unwrap();
        check(rules, about, by("repetition", "a"), "ok", &end[1..]);
    }
    let aloud = [ROUND, ROUND].join(" ");
    let end = ["claimed repetition", "ended 1/2-1/2 table Game drawn by repetition"];
    check("wbn-1.00", &aloud, by("repetition", "b"), "ok", &end); // WBN 1.13
    let gone = format!("{aloud} e2- e4P . w 1s");
    check("wbn-1.00", &gone, by("repetition", "a"), "wrong-claim", &["wrong-claim a decisive repetition"]); // WBN 3.3
}

/// A claim under each law: its script, what is claimed, by whom, and the answers under WBN, CZ and the FIDE extension.
type Row<'a> = (&'a str, &'a str, &'a str, [&'a str; 3]);

/// 1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 and a king that castles alone
pub const HALF_CASTLED: &str = "g1- f3N . w g8- f6n . b g2- g3P . w g7- g6p . b f1- g2B . w f8- g7b . b e1- g1K . w 4s";
/// White of A takes a pawn, moves on and has not passed it.
pub const NOT_PASSED: &str = "e2- e4P . w d7- d5p . b e4- d5- d5P . w g8- f6n . b b1- c3N . w 4s";
/// Black of A moves before White has.
pub const EARLY: &str = "e7- e5p 2s e2- e4P . w 1s";

const ROWS: &[Row<'_>] = &[
    // WBN 1.14, FIDE-ext 4.2: by the opponent, in time; by the team where teams claim (WBN 1.12, CZ 1.12)
    (ILLEGAL, "illegal-move", "a", ["ok"; 3]),
    (ILLEGAL, "illegal-move", "B", ["ok", "ok", "wrong-claim"]),
    (ILLEGAL, "illegal-move", "arbiter", ["ok"; 3]),
    (ILLEGAL, "illegal-move", "A", ["wrong-claim"; 3]),
    (ILLEGAL, "illegal-move", "b", ["wrong-claim"; 3]),
    ("e2- e5P . w 3s d7- d6p . b 1s", "illegal-move", "a", ["lapsed"; 3]),
    ("e2- e5P . . . . e5- e4P . w 3s", "illegal-move", "a", ["wrong-claim"; 3]),
    // WBN 6.1
    (HALF_CASTLED, "incomplete-castling", "a", ["ok"; 3]),
    (HALF_CASTLED, "incomplete-castling", "A", ["wrong-claim"; 3]),
    // WBN 1.5, FIDE-ext 3.7
    (MATE, "checkmate", "A", ["ok"; 3]),
    (MATE, "checkmate", "b", ["ok", "ok", "wrong-claim"]),
    (MATE, "checkmate", "a", ["wrong-claim"; 3]),
    ("e2- e4P . w 1s", "checkmate", "A", ["wrong-claim"; 3]),
    // WBN 7.8, CZ 7.8: no flag has fallen
    ("e2- e4P . w 1s", "flag-fall", "A", ["wrong-claim"; 3]),
    ("e2- e4P . w 1s", "flag-fall", "arbiter", ["not-entitled", "wrong-claim", "not-entitled"]),
    // WBN 2.2: the third time; FIDE-ext 4.1: the fourth
    (TWICE_ROUND, "repetition", "A", ["ok", "ok", "wrong-claim"]),
    (TWICE_ROUND, "repetition", "a", ["wrong-claim"; 3]),
    (TWICE_ROUND, "repetition", "b", ["ok", "ok", "wrong-claim"]),
    (TWICE_ROUND, "repetition", "B", ["wrong-claim"; 3]),
    // WBN 1.6, WBN 1.12: the other team; FIDE-ext 3.2: the capturer's opponent
    (NOT_PASSED, "not-passed", "B", ["ok", "ok", "not-seen"]),
    (NOT_PASSED, "not-passed", "a", ["ok"; 3]),
    (NOT_PASSED, "not-passed", "A", ["not-seen"; 3]),
    (NOT_PASSED, "concealed", "a", ["not-seen"; 3]),
    // WBN 6.5, CZ 6.4, FIDE-ext 3.9
    (EARLY, "premove", "A", ["ok"; 3]),
    (EARLY, "premove", "b", ["ok", "ok", "not-seen"]),
    (EARLY, "premove", "a", ["not-seen"; 3]),
    // WBN 6.4
    ("e2- e4P a2- a3P . w 5s", "displaced", "a", ["ok"; 3]),
    ("e2- e4P a2- a3P . w 5s", "displaced", "A", ["not-seen"; 3]),
    // WBN 7.7
    ("w 4s", "clock-without-move", "a", ["ok"; 3]),
    ("w 4s", "clock-without-move", "A", ["not-seen"; 3]),
    // WBN 1.8: nobody has hidden anything
    ("", "hidden-drop", "a", ["not-seen"; 3]),
    ("", "repeatedly-hiding", "a", ["not-seen"; 3]),
    ("", "a-flying-saucer", "a", ["bad-data"; 3]),
    ("", "illegal-move", "x", ["bad-data"; 3]),
];
/// The start stands for the third time.
pub const TWICE_ROUND: &str =
    "g1- f3N . w g8- f6n . b f3- g1N . w f6- g8n . b g1- f3N . w g8- f6n . b f3- g1N . w f6- g8n . b";

#[test]
fn every_claim_right_and_wrong_under_every_law() {
    for (script, kind, claimant, answers) in ROWS {
        for (rules, expect) in LAWS.into_iter().zip(answers) {
            let mut bench = Bench::playing(&json!({ "ruleset": rules }));
            bench.play(script);
            let answer = bench.ask("claim", by(kind, claimant));
            let found = answer.error.map_or("ok".into(), |error| error.code);
            assert_eq!(found, *expect, "{rules}: {kind} by {claimant} after {script}");
            // A wrong claim is told as what the law makes of it; the arbiter makes none (WBN 3.4, WBN 7.12).
            let grade = if rules == "fide-ext" { "note" } else { "decisive" };
            let claimed = if *kind == "incomplete-castling" { "illegal-move" } else { kind };
            let wrong = format!("wrong-claim {claimant} {grade} {claimed}");
            let told = bench.told().contains(&wrong);
            assert_eq!(told, found == "wrong-claim" && *claimant != "arbiter", "{rules}: {kind} by {claimant}");
        }
    }
}

#[test]
fn a_wrong_claim_is_claimed_as_the_illegal_move_that_it_counts_as() {
    for kind in ["wrong-claim", "illegal-move"] {
        for (rules, end) in [("wbn-1.00", true), ("cz-2024.06", true), ("fide-ext", false)] {
            // WBN 7.12; under the FIDE extension the arbiter decides what follows
            let mut bench = Bench::playing(&json!({ "ruleset": rules }));
            bench.play("e2- e4P . w 1s");
            bench.ask("claim", by("checkmate", "a"));
            bench.ask("claim", by(kind, "A"));
            let ended = bench.told().iter().any(|line| line == "ended 1-0 a forfeits by illegal move");
            assert_eq!(ended, end, "{rules}: {kind}");
        }
    }
}

#[test]
fn what_ends_no_game_goes_to_the_arbiter() {
    let taken = "e2- e4P . w d7- d5p . b e4- d5- d5P . w g8- f6n . b b1- c3N . w 4s";
    for rules in LAWS {
        check(rules, taken, by("not-passed", "a"), "ok", &["claimed not-passed"]); // WBN 1.6, FIDE-ext 3.2
        let early = "e7- e5p 2s e2- e4P . w 1s";
        check(rules, early, by("premove", "A"), "ok", &["claimed premove"]); // WBN 6.5, FIDE-ext 3.9
        let standing = "e2- e4P a2- a3P . w 5s";
        check(rules, standing, by("displaced", "a"), "ok", &["claimed displaced"]); // WBN 6.4
        let empty = "w 4s";
        check(rules, empty, by("clock-without-move", "a"), "ok", &["claimed clock-without-move"]); // WBN 7.7
    }
    check("wbn-1.00", taken, by("not-passed", "A"), "not-seen", &["arbiter-called A note"]);
    check("wbn-1.00", taken, by("concealed", "a"), "not-seen", &["arbiter-called a note"]); // WBN 1.8
    check("wbn-1.00", "", by("a-flying-saucer", "a"), "bad-data", &[]);
    check("wbn-1.00", "", by("illegal-move", "x"), "bad-data", &[]);
}

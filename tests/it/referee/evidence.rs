//! What incidents of passing and hiding carry: the man, squares and slots, when it was last seen, the clock, and which
//! part of the capture bears it out.
//!
//! In a script `^` behind a step marks the first line of the capture that the evidence rests on, `*` when the man was
//! last seen.

use bughoused::{
    event::{Body, Event, Incident},
    types::{Instant, SECOND},
};
use serde_json::{Value, json};

use super::Bench;

/// Instants of one line may differ by what a step lasts.
const STEP_US: i64 = 30_000;
/// What clocks in whole seconds hide, two of them.
const CLOCK_MS: i64 = 2_000;

/// A: 1. e4 d5; then 2. exd5, pressed: a pawn goes to b.
const BEGUN: &str = "e2- e4P . w d7- d5p . b";

/// Plays a script: when its marked steps were, and the incidents of a kind.
fn play(rules: &str, script: &str, kind: &str) -> (Option<Instant>, Option<Instant>, Vec<(Instant, Incident)>) {
    let mut bench = Bench::playing(&json!({ "ruleset": rules }));
    let (mut from, mut seen) = (None, None);
    for word in script.split_whitespace() {
        bench.play(word.trim_end_matches(['^', '*']));
        let at = Some(Instant(bench.now - bench.opened));
        from = if word.contains('^') { at } else { from };
        seen = if word.contains('*') { at } else { seen };
    }
    let told = |event: &Event| match &event.body {
        Body::Incident(incident) if incident.kind == kind => Some((event.t, (**incident).clone())),
        _ => None,
    };
    (from, seen, bench.events.iter().filter_map(told).collect())
}

/// What the evidence of the last incident of a kind must have; instants are looked at by themselves.
fn check_under(rules: &str, script: &str, kind: &str, expect: Value) {
    let (from, seen, told) = play(rules, script, kind);
    let Some((t, Incident { evidence, .. })) = told.last() else { panic!("{script}: no {kind}") };
    for (key, value) in expect.as_object().unwrap() {
        assert_eq!(&evidence[key], value, "{script}: {key} of {evidence}");
    }
    let at = |value: &Value| value.as_i64().map(Instant);
    let is = |found: Option<Instant>, expect: Option<Instant>| match (found, expect) {
        (Some(found), Some(expect)) => (found - expect).abs() <= STEP_US,
        (found, expect) => found == expect,
    };
    assert!(is(at(&evidence["last_seen"]), seen), "{script}: last seen at {seen:?}: {evidence}");
    assert!(is(at(&evidence["raw"]["from"]), from), "{script}: from {from:?}: {evidence}");
    assert_eq!(at(&evidence["raw"]["to"]), Some(*t), "{script}: {evidence}");
    // White's time and Black's are what is left of theirs since the clocks were set going.
    let left = |side: &str| evidence["clock"][side].as_i64().unwrap();
    let used = 600_000 - left("white_ms") - left("black_ms");
    let noticed = at(&evidence["completed_at"]).unwrap_or(*t);
    let passed = noticed.micros() / (SECOND / 1000);
    assert!((passed - used).abs() <= CLOCK_MS, "{script}: {used} of {passed} ms used: {evidence}");
}

fn check(script: &str, kind: &str, expect: Value) {
    check_under("wbn-1.00", script, kind, expect);
}

#[test]
fn a_man_that_is_not_passed_is_named_with_its_square_and_its_tray() {
    // WBN 1.6
    let script = format!("{BEGUN} e4- d5- d5P^* . w g8- f6n . b b1- c3N . w 4s");
    let expect = json!({
        "man": "p", "squares": ["d5"], "captured_on": "A:d5", "pocket_of": "b", "slots": null, "place": "transit",
    });
    check(&script, "not-passed", expect);
    // en passant it stood beside
    let script = "e2- e4P . w a7- a6p . b e4- e5P . w d7- d5p . b e5- d5- d6P^* . w g8- f6n . b b1- c3N . w 4s";
    check(script, "not-passed", json!({ "man": "p", "squares": ["d5"], "captured_on": "A:d5" }));
}

#[test]
fn a_man_that_is_passed_early_is_named_with_the_slot_where_it_lies() {
    // FIDE-ext 3.2
    let script = format!("{BEGUN} e4- d5- d5P^ . b=..p. 1s w* 3s");
    let expect = json!({ "man": "p", "squares": ["d5"], "captured_on": "A:d5", "pocket_of": "b", "slots": [2] });
    check_under("fide-ext", &script, "early-pass", expect);
}

#[test]
fn a_man_in_the_wrong_pocket_is_named_with_both() {
    // WBN 1.6: it is still there when it is told
    let script = format!("{BEGUN} e4- d5- d5P^ . w a=.p.. 1900ms*");
    let expect = json!({
        "man": "p", "squares": ["d5"], "captured_on": "A:d5", "pocket_of": "a", "belongs_to": "b", "slots": [1],
    });
    check(&script, "wrong-pocket", expect);
}

#[test]
fn a_concealed_man_is_named_with_the_slot_that_it_left() {
    // WBN 1.7: it was captured on the other board, which is no square of the incident's own
    let taken = format!("{BEGUN} e4- d5- d5P . w b=.p..");
    let expect = json!({ "man": "p", "squares": null, "captured_on": "A:d5", "pocket_of": "b", "slots": [1] });
    check(&format!("{taken} 1s b=....^* 6s"), "concealed", expect);
    // it is back in its slot before that is told; which of two pawns it is nobody can tell
    let second = format!("{taken} 1s c7- c6p . b d5- c6- c6P . w b=....^* b=..p. g8- f6n . b b1- c3N . w 6s b=.pp. 3s");
    check(&second, "concealed", json!({ "man": "p", "pocket_of": "b", "slots": [1] }));
}

#[test]
fn a_hidden_drop_is_named_with_where_the_man_came_from_and_where_it_went() {
    // WBN 1.8b
    let late = "B:e7- B:e6p . B:b 6s B:d2- B:d4P . B:w B:e5p . B:b 1s";
    let script = format!("B:e2- B:e4P . B:w {BEGUN} e4- d5- d5P^* . w {late}");
    let expect = json!({ "man": "p", "captured_on": "A:d5", "captured_by": "A", "pocket_of": "b", "to": "e5" });
    check(&script, "hidden-drop", expect);
}

#[test]
fn a_restricted_man_is_named_with_its_slot_its_square_and_since_when_it_is() {
    // WBN 1.8c
    let restrict = r#"?invisible{"seat":"b","piece":"P"}^"#;
    let script = format!("{BEGUN} B:e2- B:e4P . B:w e4- d5- d5P . w b=...p 1s {restrict} . b=....* B:e5p . B:b 1s");
    let expect = json!({ "man": "p", "captured_on": "A:d5", "pocket_of": "b", "slots": [3], "to": "e5" });
    check(&script, "restricted-piece-used", expect);
}

#[test]
fn who_hides_men_repeatedly_is_told_with_each_of_them() {
    // WBN 1.8d
    let hide = |mark: &str, again: &str| format!("b=....{mark} 6s {again} 1s");
    let (first, second, third) = (hide("^", "b=p..."), hide("", "b=p..."), hide("*", "b=p..."));
    let script = format!("{BEGUN} e4- d5- d5P . w b=p... 1s {first} {second} {third}");
    check(&script, "repeatedly-hiding", json!({ "incidents": 3, "pocket_of": "b" }));
    let (_, _, told) = play("wbn-1.00", &script, "repeatedly-hiding");
    let hidden = told[0].1.evidence["hidden"].as_array().unwrap();
    let (_, _, concealed) = play("wbn-1.00", &script, "concealed");
    let of = |incident: &Incident| {
        let Incident { id, evidence, .. } = incident;
        json!({
            "id": id, "kind": "concealed", "man": "p", "slots": [0], "last_seen": evidence["last_seen"], "to": null,
        })
    };
    assert_eq!(hidden, &concealed.iter().map(|(_, incident)| of(incident)).collect::<Vec<_>>());
}

#[test]
fn a_foreign_man_is_named_with_its_slot() {
    // WBN 5.10: it is still there when it is told
    let expect = json!({ "man": "q", "captured_on": null, "squares": null, "pocket_of": "b", "slots": [3] });
    check("b=...q^ 4s*", "foreign-piece", expect);
}

#[test]
fn instants_of_evidence_are_those_of_the_start_of_the_daemon_that_tells_them() {
    let incident = json!({
        "id": 1, "kind": "repeatedly-hiding", "grade": "warning", "law": "WBN", "article": "1.8d", "board": "B",
        "seat": "b", "reason": "", "claimable_by": [], "claim_until": 9, "state": "open",
        "evidence": {
            "raw": { "from": 1, "to": 8 }, "hidden": [{ "id": 3, "last_seen": 4, "to": "e5" }], "made_at": 5,
            "slots": [2], "clock": { "white_ms": 6, "black_ms": 7 },
        },
    });
    let mut incident: Incident = serde_json::from_value(incident).unwrap();
    incident.move_by(-100);
    assert_eq!(incident.claim_until, Some(Instant(-91)));
    let moved = json!({
        "raw": { "from": -99, "to": -92 }, "hidden": [{ "id": 3, "last_seen": -96, "to": "e5" }], "made_at": -95,
        "slots": [2], "clock": { "white_ms": 6, "black_ms": 7 },
    });
    assert_eq!(incident.evidence, moved);
}

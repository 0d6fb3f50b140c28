//! Every kind of incident under each law text: what it cites, how much it weighs, who may claim it and what that does.

use serde_json::json;

use super::{
    Bench, LAWS,
    claims::{EARLY, HALF_CASTLED, ILLEGAL, NOT_PASSED},
    hiding::TAKEN,
};

/// Plays up to an incident under a rule set.
type Begin = fn(&str) -> Bench;
/// What happens, the kind, and under WBN, CZ and the FIDE extension: law, article, grade and who may claim it, where it
/// is an incident there.
type Row = (Begin, &'static str, [&'static str; 3]);

fn playing(rules: &str, script: &str) -> Bench {
    let mut bench = Bench::playing(&json!({ "ruleset": rules }));
    bench.play(script);
    bench
}

/// White of A has taken a pawn for Black of B.
fn taken(rules: &str, script: &str) -> Bench {
    playing(rules, &format!("{TAKEN} {script}"))
}

/// A man leaves the tray and comes back too late.
const HIDES: &str = "b=.... 6s b=p... 1s";
/// Nobody may claim it.
const NOT_THERE: &str = "";

const ROWS: &[Row] = &[
    // 1.6, FIDE-ext 3.2: the capturer's opponent asks for the man
    (
        |rules| playing(rules, NOT_PASSED),
        "not-passed",
        ["WBN 1.6 warning Ba", "CZ 1.6 warning Ba", "FIDE-ext 3.2 warning a"],
    ),
    (
        |rules| taken(rules, "a=p... 5s"),
        "wrong-pocket",
        ["WBN 1.6 warning Ba", "CZ 1.6 warning Ba", "FIDE-ext 3.2 warning a"],
    ),
    // FIDE-ext 3.2: not before the clock is started; the others allow it (WBN 1.6)
    (
        |rules| playing(rules, "e2- e4P . w d7- d5p . b e4- d5- d5P b=p... 1s w 3s"),
        "early-pass",
        [NOT_THERE, NOT_THERE, "FIDE-ext 3.2 note a"],
    ),
    // 1.7, FIDE-ext 3.3: who plays against the hidden man
    (
        |rules| taken(rules, "b=p... 1s b=.... 6s"),
        "concealed",
        ["WBN 1.7 warning Ba", "CZ 1.7 warning Ba", "FIDE-ext 3.3 warning B"],
    ),
    // WBN 1.8b; CZ has no such rule beside that men must not be hidden (CZ 1.7)
    (
        |rules| taken(rules, "B:e7- B:e6p . B:b 6s B:d2- B:d4P . B:w B:e5p . B:b 1s"),
        "hidden-drop",
        ["WBN 1.8b warning Ba", "CZ 1.7 warning Ba", "FIDE-ext 3.3 warning B"],
    ),
    (
        |rules| taken(rules, "B:e5p . B:b 1s"),
        "hidden-drop",
        ["WBN 1.8b note Ba", "CZ 1.7 note Ba", "FIDE-ext 3.3 note B"],
    ),
    // WBN 1.8c; nothing can be restricted elsewhere
    (
        |rules| taken(rules, r#"?invisible{"seat":"b","piece":"P"} b=p... 1s b=.... B:e5p . B:b 1s"#),
        "restricted-piece-used",
        ["WBN 1.8c warning Ba", NOT_THERE, NOT_THERE],
    ),
    // WBN 1.8d, CZ 1.8b
    (
        |rules| taken(rules, &format!("b=p... 1s {HIDES} {HIDES} {HIDES}")),
        "repeatedly-hiding",
        ["WBN 1.8d warning Ba", "CZ 1.8b warning Ba", "FIDE-ext 3.3 warning B"],
    ),
    // WBN 5.10: dropped are men that the partner has captured
    (
        |rules| playing(rules, "b=q... 5s"),
        "foreign-piece",
        ["WBN 5.10 warning Ba", "CZ 5.10 warning Ba", "FIDE-ext 3.2 warning B"],
    ),
    (
        |rules| playing(rules, r#"?penalty{"kind":"freeze","seat":"A","seconds":5} 2s e2- e4P . w 1s"#),
        "moved-while-frozen",
        ["WBN 9.4b warning Ba", "CZ 9.4b warning Ba", "FIDE 12.9 warning a"],
    ),
    (|rules| playing(rules, EARLY), "premove", ["WBN 6.5 warning Ab", "CZ 6.4 warning Ab", "FIDE-ext 3.9 warning A"]),
    (
        |rules| playing(rules, "e2- e4P a2- a3P . w 5s"),
        "displaced",
        ["WBN 6.4 note Ba", "CZ 6.3 note Ba", "FIDE 7.4 note a"],
    ),
    (
        |rules| playing(rules, "w 4s"),
        "clock-without-move",
        ["WBN 7.7a warning Ba", "CZ 7.7a warning Ba", "FIDE 6.2 warning a"],
    ),
    // What is nobody's offence everybody may claim (WBN 1.12)
    (
        |rules| {
            let mut bench = playing(rules, "3s");
            bench.time_left(0, 200, 300);
            bench.play("3s");
            bench
        },
        "clock-defect",
        ["WBN 7.11 warning ABab", "CZ 7.11 warning ABab", "FIDE 6.10 warning ABab"],
    ),
    (
        |rules| {
            let mut bench = Bench::set_up(&json!({ "ruleset": rules }));
            bench.clocks[0].running = true;
            bench.show_clock(0);
            bench.play("3s go 1s");
            bench
        },
        "uneven-start",
        ["WBN 1.2 warning ABab", "CZ 1.2 warning ABab", "FIDE-ext 3.1 warning ABab"],
    ),
    (
        |rules| {
            let mut bench = Bench::set_up(&json!({ "ruleset": rules }));
            bench.play("e8q d8k go");
            assert!(bench.ask("new-game", json!({})).error.is_none());
            bench
        },
        "wrong-setup",
        ["WBN 4.3 warning ABab", "CZ 4.3 warning ABab", "FIDE 2.3 warning ABab"],
    ),
    (
        |rules| {
            let mut bench = Bench::set_up(&json!({ "ruleset": rules, "time_control": "180+0" }));
            bench.play("go 2s");
            bench
        },
        "wrong-setup",
        ["WBN 1.15 warning ABab", "CZ 1.15 warning ABab", "FIDE 6.10.2 warning ABab"],
    ),
    (
        |rules| playing(rules, "e2- e4P . w 2s stop 1s"),
        "paused",
        ["WBN 7.12 note ABab", "CZ 7.12 note ABab", "FIDE 6.11 note ABab"],
    ),
    // who calls the arbiter has said so already
    (
        |rules| playing(rules, "b!arbiter 1s"),
        "arbiter-called",
        ["WBN 7.12b note", "CZ 7.12b note", "FIDE-ext 3.12 note"],
    ),
];

#[test]
fn every_kind_cites_its_law_and_is_claimed_by_whom_the_law_lets() {
    for (begin, kind, laws) in ROWS {
        for (rules, expect) in LAWS.into_iter().zip(laws) {
            let found = begin(rules).open(kind).map_or(String::new(), |incident| {
                let grade = serde_json::to_value(incident.grade).unwrap();
                format!("{} {} {}", incident.law, incident.article, grade.as_str().unwrap())
            });
            let claimants: String =
                ["A", "B", "a", "b"].into_iter().filter(|seat| claims(*begin, rules, kind, seat)).collect();
            let found = format!("{found} {claimants}");
            assert_eq!(found.trim(), *expect, "{rules}: {kind}: {:?}", begin(rules).told());
            let of_arbiter = claims(*begin, rules, kind, "arbiter");
            assert_eq!(of_arbiter, !expect.is_empty(), "{rules}: {kind} by the arbiter");
        }
    }
}

/// Whether a claim is right. A right one is told and ends nothing, the arbiter decides what follows; of one that is not
/// the arbiter is called, and the incident stays open for whom it is open.
fn claims(begin: Begin, rules: &str, kind: &str, by: &str) -> bool {
    let mut bench = begin(rules);
    let was_open = bench.open(kind).map(|incident| incident.id);
    bench.events.clear();
    let answer = bench.claim(kind, by);
    let why = format!("{rules}: {kind} by {by}");
    match answer.as_str() {
        "ok" => assert_eq!(bench.told(), [format!("claimed {kind}")], "{why}"),
        "not-seen" => {
            let called = [format!("arbiter-called {by} note")];
            assert_eq!(bench.told(), if by == "arbiter" { &[] } else { &called[..] }, "{why}");
            let open = bench.table().arbiter_state().incidents.into_iter().any(|incident| {
                Some(incident.id) == was_open && incident.state == bughoused::event::IncidentState::Open
            });
            assert_eq!(open, was_open.is_some(), "{why}: it stays open");
        }
        _ => panic!("{why}: {answer}"),
    }
    assert_eq!(bench.ended(), None, "{why}");
    answer == "ok"
}

#[test]
fn the_kinds_of_the_table_are_all_kinds() {
    // those that end games have tables of their own: claims, flags
    let of_ends =
        ["illegal-move", "incomplete-castling", "checkmate", "repetition", "flag-fall", "wrong-claim"].into_iter();
    let mut listed: Vec<&str> = ROWS.iter().map(|(_, kind, _)| *kind).chain(of_ends).collect();
    let mut all: Vec<&str> = bughoused::referee::Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    listed.sort_unstable();
    listed.dedup();
    all.sort_unstable();
    assert_eq!(listed, all);
}

#[test]
fn a_restriction_is_refused_where_the_law_has_none() {
    // WBN 1.8b; CZ 1.8, FIDE-ext 3.3: the men are to be shown, whoever asks
    for (rules, answer) in LAWS.into_iter().zip([None, Some("not-in-rule-set"), Some("not-in-rule-set")]) {
        let mut bench = Bench::playing(&json!({ "ruleset": rules }));
        let error = bench.ask("invisible", json!({ "seat": "b", "piece": "N" })).error;
        assert_eq!(error.map(|error| error.code).as_deref(), answer, "{rules}");
    }
    // a club that plays the Czech laws with it
    let bench =
        ROWS.iter().find(|(_, kind, _)| *kind == "restricted-piece-used").unwrap().0("cz-2024.06,hiding=restrict");
    assert_eq!(bench.cited(), ["restricted-piece-used CZ 1.8"]);
}

#[test]
fn what_lapses_is_refused_once_its_time_is_over() {
    // what happens, the kind, who claims, what closes the claim, and the answers after that
    let rows: &[(Begin, &str, &str, &str, [&str; 3])] = &[
        // WBN 1.15, CZ 1.15: each side has completed a move on the board; the FIDE extension says nothing of it
        (
            |rules| {
                let mut bench = Bench::set_up(&json!({ "ruleset": rules, "time_control": "180+0" }));
                bench.play("go 2s B:e2- B:e4P . B:w . B:e7- B:e5p . B:b e2- e4P . w");
                bench
            },
            "wrong-setup",
            "a",
            "",
            ["ok"; 3], // on A only White has moved
        ),
        (
            |rules| {
                let mut bench = Bench::set_up(&json!({ "ruleset": rules, "time_control": "180+0" }));
                bench.play("go 2s B:e2- B:e4P . B:w . B:e7- B:e5p . B:b");
                bench
            },
            "wrong-setup",
            "a",
            "e2- e4P . w e7- e5p . b 1s",
            ["lapsed", "lapsed", "ok"],
        ),
        // WBN 1.8b: when the opponent has moved on
        (
            |rules| taken(rules, "B:e7- B:e6p . B:b 6s B:d2- B:d4P . B:w B:e5p . B:b 1s"),
            "hidden-drop",
            "B",
            "B:a2- B:a3P . B:w 1s",
            ["lapsed"; 3],
        ),
        // WBN 7.12: time runs again
        (|rules| playing(rules, "e2- e4P . w 2s stop 1s"), "paused", "A", "go 1s", ["lapsed"; 3]),
        // WBN 1.6: a man that has not been passed is asked for whenever that is
        (|rules| playing(rules, NOT_PASSED), "not-passed", "a", "b8- c6n . b 1s", ["ok"; 3]),
        // WBN 1.7
        (
            |rules| taken(rules, "b=p... 1s b=.... 6s"),
            "concealed",
            "B",
            "B:e7- B:e6p . B:b B:a2- B:a3P . B:w 1s",
            ["ok"; 3],
        ),
    ];
    for (begin, kind, by, closes, answers) in rows {
        for (rules, answer) in LAWS.into_iter().zip(answers) {
            let mut bench = begin(rules);
            assert!(bench.open(kind).is_some(), "{rules}: {kind}: {:?}", bench.told());
            bench.play(closes);
            assert_eq!(bench.claim(kind, by), *answer, "{rules}: {kind}: {:?}", bench.told());
        }
    }
}

#[test]
fn what_is_claimed_is_claimed_once() {
    for rules in LAWS {
        // WBN 1.14, WBN 6.1: the game is over
        for script in [ILLEGAL, HALF_CASTLED] {
            let mut bench = playing(rules, script);
            assert_eq!(["a", "a"].map(|by| bench.claim("illegal-move", by)), ["ok", "no-game"], "{rules}");
        }
        // WBN 1.6: it goes on, and the arbiter knows
        let mut bench = playing(rules, NOT_PASSED);
        assert_eq!(["a", "a"].map(|by| bench.claim("not-passed", by)), ["ok", "lapsed"], "{rules}");
    }
}

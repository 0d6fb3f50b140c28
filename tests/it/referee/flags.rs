//! Claims of flags that have fallen, on one board and on both, by everybody, under each law text.

use serde_json::json;

use super::{Bench, LAWS, adjudicated::flagged};

/// Who claims, and the answers under WBN, CZ and the FIDE extension.
type Claims = &'static [(&'static str, [&'static str; 3])];

/// Flags: the seconds left on boards A and B, what is played until they have fallen, who has lost them, how a right
/// claim ends the game with what half points, and what everybody's claim is answered.
struct Case {
    left: [[i64; 2]; 2],
    script: &'static str,
    fallen: &'static str,
    end: (&'static str, [i32; 2]),
    claims: Claims,
}

/// WBN 7.8: who plays against the flag, and the partner; CZ 7.8: the arbiter, too; blitz: the player.
const ARBITER: (&str, [&str; 3]) = ("arbiter", ["not-entitled", "ok", "not-entitled"]);
const ALL: [&str; 3] = ["ok"; 3];
const TEAM: [&str; 3] = ["ok", "ok", "wrong-claim"];
const WRONG: [&str; 3] = ["wrong-claim"; 3];
const BOTH: &str = "1/2-1/2 table Game drawn because both players ran out of time";

const CASES: &[Case] = &[
    // WBN 7.9
    Case {
        left: [[290, 2], [290, 290]],
        script: "4s",
        fallen: "a",
        end: ("1-0 a forfeits on time", [2, 0]),
        claims: &[("A", ALL), ("b", TEAM), ("a", WRONG), ("B", WRONG), ARBITER],
    },
    Case {
        left: [[290, 290], [2, 290]],
        script: "4s",
        fallen: "B",
        end: ("1-0 B forfeits on time", [2, 0]),
        claims: &[("b", ALL), ("A", TEAM), ("B", WRONG), ("a", WRONG), ARBITER],
    },
    // WBN 7.10, CZ 7.10: both of one board
    Case {
        left: [[3, 2], [290, 290]],
        script: "3s e7- e5p . b 4s",
        fallen: "Aa",
        end: (BOTH, [1, 1]),
        claims: &[("A", ALL), ("a", ALL), ("b", TEAM), ("B", TEAM), ARBITER],
    },
    // WBN 1.10: of one team on both boards
    Case {
        left: [[290, 2], [3, 290]],
        script: "5s",
        fallen: "aB",
        end: ("1-0 a forfeits on time", [2, 0]),
        claims: &[("A", ALL), ("b", ALL), ("a", WRONG), ("B", WRONG), ARBITER],
    },
    // WBN 1.10: of both teams, on different boards; a draw when nobody has claimed before both are down
    Case {
        left: [[290, 2], [290, 3]],
        script: "B:e2- B:e4P . B:w 5s",
        fallen: "ab",
        end: (BOTH, [1, 1]),
        claims: &[("A", ALL), ("B", ALL), ("b", TEAM), ("a", TEAM), ARBITER],
    },
    // WBN 7.12d: none has fallen
    Case {
        left: [[290, 290], [290, 290]],
        script: "2s",
        fallen: "",
        end: ("", [0, 0]),
        claims: &[
            ("A", WRONG),
            ("a", WRONG),
            ("b", WRONG),
            ("B", WRONG),
            ("arbiter", ["not-entitled", "wrong-claim", "not-entitled"]),
        ],
    },
];

fn check(case: &Case, law: usize, claimant: &str, answer: &str) {
    let rules = LAWS[law];
    let mut bench = Bench::playing(&json!({ "ruleset": rules }));
    flagged(&mut bench, case.left, case.script);
    let fallen: String = bench.table().arbiter_state().flags.iter().map(|seat| seat.letter()).collect();
    let mut cited: Vec<&str> = vec![["flag-fall WBN 7.8", "flag-fall CZ 7.8", "flag-fall FIDE 6.9"][law]; fallen.len()];
    if case.fallen == "Aa" {
        // the second one on its board
        cited[1] = ["flag-fall WBN 7.10", "flag-fall CZ 7.10", "flag-fall FIDE III.3.1.2"][law];
    }
    assert_eq!((fallen.as_str(), bench.cited()), (case.fallen, cited.iter().map(ToString::to_string).collect()));
    bench.events.clear();
    let why = format!("{rules}: {claimant} claims the flags of {fallen:?}");
    assert_eq!(bench.claim("flag-fall", claimant), answer, "{why}");
    let (told, cites) = (bench.told(), bench.cited());
    match answer {
        "ok" => {
            let mut expect = vec!["claimed flag-fall".to_owned(); fallen.len()];
            expect.push(format!("ended {}", case.end.0));
            assert_eq!((told, bench.ended().unwrap().1), (expect, case.end.1), "{why}");
        }
        "wrong-claim" if claimant != "arbiter" => {
            let grade = ["decisive", "decisive", "note"][law];
            assert_eq!(told, [format!("wrong-claim {claimant} {grade} flag-fall")], "{why}");
            let article = ["wrong-claim WBN 7.12d", "wrong-claim CZ 7.12d", "wrong-claim FIDE 11.5"][law];
            assert_eq!(cites, [article], "{why}");
        }
        _ => assert_eq!(told, [""; 0], "{why}"),
    }
}

#[test]
fn flags_on_one_board_and_on_both_are_claimed_by_whom_the_law_lets() {
    for case in CASES {
        for (claimant, answers) in case.claims {
            (0..LAWS.len()).for_each(|law| check(case, law, claimant, answers[law]));
        }
    }
}

#[test]
fn who_may_claim_flags_is_told_with_the_incident_and_is_a_rule_of_its_own() {
    let check = |rules: &str, flags: &str, moves: &str| {
        let claimants = |bench: &Bench, kind: &str| {
            let incident = bench.open(kind).unwrap_or_else(|| panic!("{rules}: no {kind}: {:?}", bench.told()));
            incident.claimable_by.iter().map(|seat| seat.letter()).collect::<String>()
        };
        let mut bench = Bench::playing(&json!({ "ruleset": rules }));
        flagged(&mut bench, [[290, 2], [290, 290]], "4s");
        assert_eq!(claimants(&bench, "flag-fall"), flags, "{rules}");
        for (script, kind) in [(super::claims::ILLEGAL_OF_BLACK, "illegal-move"), (super::ends::MATE, "checkmate")] {
            let mut bench = Bench::playing(&json!({ "ruleset": rules }));
            bench.play(script).play("2s");
            assert_eq!(claimants(&bench, kind), moves, "{rules}: {kind}");
            let answer = bench.claim(kind, "b");
            assert_eq!(answer == "ok", moves.contains('b'), "{rules}: {kind}: {answer}");
        }
    };
    check("wbn-1.00", "Ab", "Ab"); // WBN 1.12, WBN 7.8
    check("cz-2024.06", "Ab", "Ab"); // CZ 1.12, CZ 7.8
    check("fide-ext", "A", "A"); // FIDE-ext 4.2
    check("wbn-1.00,flag_claim=player", "A", "Ab"); // WBN 1.12
    check("cz-2024.06,flag_claim=player", "A", "Ab"); // CZ 1.12
    check("fide-ext,flag_claim=team", "Ab", "A"); // FIDE-ext 4.2
    check("wbn-1.00,claims=player", "Ab", "A"); // WBN 7.8
}

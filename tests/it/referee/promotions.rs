//! What pawns become: said with the move, said too late, not said at all (WBN 5.7, FIDE-ext 3.6).

use bughoused::event::Body;
use serde_json::json;

use super::Bench;

const ROWS: [&str; 2] = ["4k3/P6p/8/8/8/8/6PP/4K3", "4k3/7p/8/8/8/8/6PP/4K3"];
/// White's pawn goes to a8 and the clock is pressed: a queen or a rook there gives check.
const PROMOTES: &str = "a7- a8P . w 1s";
/// Black answers with a move that leaves it to be a check, or not.
const REPLIES: &str = "h7- h6p . b 3s";

/// A game under a law from a position in which White may promote on A.
fn bench(rules: &str) -> Bench {
    bench_of(rules, ROWS)
}

fn bench_of(rules: &str, rows: [&str; 2]) -> Bench {
    bench_with(&json!({ "ruleset": rules }), rows)
}

fn bench_with(changes: &serde_json::Value, rows: [&str; 2]) -> Bench {
    let mut bench = Bench::playing(changes);
    bench.play("stop");
    (0..2).for_each(|board| bench.stand(board, rows[board], true));
    let bfen = format!("{} w - - | {} w - -", rows[0], rows[1]);
    assert!(bench.ask("set-position", json!({ "bfen": bfen })).error.is_none());
    bench.play("go 1s");
    bench.events.clear();
    bench
}

/// Moves of board A after all corrections.
fn record(bench: &Bench) -> String {
    let mut moves = Vec::new();
    for event in &bench.events {
        match &event.body {
            Body::Move(played) => moves.push((event.seq, played.san.clone())),
            Body::Correction(correction) => {
                let from = moves.iter().position(|(seq, _)| *seq == correction.supersedes).unwrap();
                moves.truncate(from);
                moves.extend(correction.moves.iter().map(|played| (event.seq, played.san.clone())));
            }
            _ => {}
        }
    }
    moves.into_iter().map(|(_, san)| san).collect::<Vec<_>>().join(" ")
}

/// What was told to be uncertain and to be resolved: candidates.
fn questions(bench: &Bench) -> Vec<String> {
    let asked = bench.events.iter().filter_map(|event| match &event.body {
        Body::Uncertain(question) => Some(format!("? {}", question.candidates.join(" "))),
        Body::Resolved(answer) => Some(format!("= {}", answer.candidates.join(" "))),
        _ => None,
    });
    asked.collect()
}

#[test]
fn what_is_said_with_the_move_is_what_the_pawn_becomes() {
    for rules in ["wbn-1.00", "cz-2024.06", "fide-ext"] {
        // WBN 5.7, CZ 5.7, FIDE-ext 3.6
        let mut bench = bench(rules);
        bench.play("A!knight").play(PROMOTES).play(REPLIES);
        assert_eq!((record(&bench).as_str(), bench.told()), ("a8=N h6", vec![]), "{rules}");
        assert_eq!(questions(&bench), [""; 0], "{rules}");
    }
}

#[test]
fn what_is_said_after_the_press_counts_for_the_move_that_was_made() {
    for rules in ["wbn-1.00", "cz-2024.06", "fide-ext"] {
        // WBN 5.7, CZ 5.7, FIDE-ext 3.6: the effect of the promotion is immediate
        let mut bench = bench(rules);
        bench.play(PROMOTES).play("A!knight").play(REPLIES);
        assert_eq!((record(&bench).as_str(), bench.told()), ("a8=N h6", vec![]), "{rules}");
    }
}

#[test]
fn what_is_said_after_the_press_is_not_of_another_pawn_that_may_promote_next() {
    // WBN 5.7: on g7 stands one
    let mut bench = bench_of("wbn-1.00", ["4k3/P5Pp/8/8/8/8/7P/4K3", ROWS[1]]);
    bench.play(PROMOTES).play("A!knight").play(REPLIES);
    assert_eq!((record(&bench).as_str(), bench.told()), ("a8=N h6", vec![]));
}

#[test]
fn what_is_said_of_the_next_pawn_is_not_of_the_last() {
    // WBN 5.7: once the reply is pressed for, or where a real queen stands
    for (promotes, said) in [("a7- a8P . w 1s h7- h6p b", "A!knight"), ("a7- a8Q . w 1s A!knight h7- h6p . b", "")] {
        let mut bench = bench_of("wbn-1.00", ["8/P3k1Pp/8/8/8/8/7P/4K3", ROWS[1]]);
        bench.play(promotes).play(said).play("g7- g8P . w 3s");
        assert_eq!((record(&bench).as_str(), bench.told()), ("a8=Q h6 g8=N+", vec![]), "{promotes}");
    }
}

#[test]
fn a_declaration_that_no_promotion_follows_is_forgotten() {
    // WBN 5.7: the button was pressed by accident, two moves before the pawn promotes
    let mut bench = bench("wbn-1.00");
    bench.play("A!knight g2- g3P . w 1s h7- h6p . b 1s").play(PROMOTES);
    assert_eq!(record(&bench), "g3 h6 a8=Q+");
}

#[test]
fn what_nobody_has_said_is_a_queen_unless_the_law_wants_it_said() {
    for rules in ["wbn-1.00", "cz-2024.06"] {
        // WBN 5.7, CZ 5.7: declaring a queen is not obligatory
        let mut bench = bench(rules);
        bench.play(PROMOTES).play(REPLIES);
        assert_eq!(bench.told(), ["illegal-move a decisive leaves-king-in-check"], "{rules}");
    }
    // FIDE-ext 3.6: it must be said; while it is open, nothing is illegal for what it may not be
    let mut bench = bench("fide-ext");
    bench.play(PROMOTES).play(REPLIES);
    assert_eq!((record(&bench).as_str(), bench.told()), ("a8=B h6", vec![]));
    assert_eq!(questions(&bench)[0], "? a8=Q+ a8=R+ a8=B a8=N");
}

#[test]
fn what_cannot_be_said_is_open() {
    // WBN 5.7: without trays there are no buttons, and a queen would give check
    let board =
        |name: &str, board: &str| json!({ "name": name, "driver": "dgt", "board": board, "clock": true, "port": name });
    let mut bench = bench_with(&json!({ "device": [board("a", "A"), board("b", "B")] }), ROWS);
    bench.play(PROMOTES).play(REPLIES);
    assert_eq!((record(&bench).as_str(), bench.told()), ("a8=N h6", vec![]));
    // the trays were away for a while
    let mut bench = bench_of("wbn-1.00", ROWS);
    bench.play("trays-out 5s trays-in 1s").play(PROMOTES).play(REPLIES);
    assert_eq!((record(&bench).as_str(), bench.told()), ("a8=N h6", vec![]));
}

#[test]
fn what_was_said_to_be_a_queen_is_one() {
    // FIDE-ext 3.6, FIDE-ext 4.2
    for said in
        [["", "?declare{\"seat\":\"A\",\"promotion\":\"Q\"}"], ["?declare{\"seat\":\"A\",\"promotion\":\"Q\"}", ""]]
    {
        let mut bench = bench("fide-ext");
        bench.play(said[0]).play(PROMOTES).play(said[1]).play(REPLIES);
        assert_eq!(bench.told(), ["illegal-move a decisive leaves-king-in-check"], "{said:?}");
        let expect: &[&str] = if said[0].is_empty() { &["? a8=Q+ a8=R+ a8=B a8=N", "= a8=Q+"] } else { &[] };
        assert_eq!(questions(&bench), expect, "{said:?}");
    }
}

#[test]
fn a_pawn_that_jumps_was_a_knight() {
    for rules in ["wbn-1.00", "cz-2024.06", "fide-ext"] {
        // WBN 5.7, CZ 5.7, FIDE-ext 3.6: Black gets out of the check that the queen would give
        let mut bench = bench(rules);
        bench.play(PROMOTES).play("e8- e7k . b 1s a8- b6P . w 3s");
        assert_eq!((record(&bench).as_str(), bench.told()), ("a8=N Ke7 Nb6", vec![]), "{rules}");
    }
}

#[test]
fn what_is_said_as_another_pawn_is_lifted_is_said_of_that_one() {
    let mut bench = bench_of("wbn-1.00", ["4k3/PP5p/8/8/8/8/6PP/4K3", "4k3/7p/8/8/8/8/6PP/4K3"]);
    bench.play("a7- a8P . w 1s b7- A!knight . e8- d7k . b b8P . w 4s");
    assert_eq!(record(&bench), "a8=Q+ Kd7 b8=N+");
}

#[test]
fn who_was_not_told_what_the_pawn_is_may_start_the_clock_again() {
    // FIDE-ext 3.6; who was told, or whose law has a default (WBN 5.7), presses without a move
    let asks = "7- a8P . w 1s b 1s w 4s";
    let rows = [
        ("fide-ext", "a", asks, vec!["clock-without-move a note promotion-not-said"]),
        ("fide-ext", "A!knight a", asks, vec!["clock-without-move a warning"]),
        ("fide-ext", "a", "7- a8P . w 500ms A!rook 1s b 1s w 4s", vec!["clock-without-move a warning"]),
        ("wbn-1.00", "a", asks, vec!["clock-without-move a warning"]),
    ];
    for (rules, before, script, expect) in rows {
        let mut bench = bench(rules);
        bench.play(&format!("{before}{script}"));
        let told: Vec<String> = bench.told().into_iter().map(|told| told.trim().to_owned()).collect();
        assert_eq!(told, expect, "{rules}: {before}{script}");
    }
}

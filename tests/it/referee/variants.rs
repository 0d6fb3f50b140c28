//! Ends that only variants know: kings that are captured or collected, stalemate.

use bughoused::event::Body;
use serde_json::json;

use super::Bench;

/// A game under a rule set from given positions, White to move on the boards where it says so.
fn bench(rules: &str, adjudication: &str, boards: [(&str, bool); 2]) -> Bench {
    let mut bench = Bench::playing(&json!({ "ruleset": rules, "adjudication": adjudication }));
    bench.play("stop");
    let mut bfen = Vec::new();
    for (board, (rows, white)) in boards.into_iter().enumerate() {
        bench.stand(board, rows, white);
        bfen.push(format!("{rows} {} - -", if white { 'w' } else { 'b' }));
    }
    let answer = bench.ask("set-position", json!({ "bfen": bfen.join(" | ") }));
    assert!(answer.error.is_none(), "{:?}", answer.error);
    bench.play("go 1s");
    bench.events.clear();
    bench
}

/// What is told before all clocks are stopped, and what more by that; with a table that ends games itself all at once.
#[track_caller]
fn check(rules: &str, boards: [(&str, bool); 2], script: &str, playing: &[&str], end: &str) {
    let mut advised = bench(rules, "advise", boards);
    advised.play(script).play("1s");
    assert_eq!(advised.told(), playing, "{rules}: {script} {}", advised.moves());
    advised.play("stop");
    let all: Vec<&str> = playing.iter().copied().chain([end]).collect();
    assert_eq!(advised.told(), all, "{rules}: {script} stop");
    let mut auto = bench(rules, "auto", boards);
    auto.play(script).play("1s");
    assert_eq!(auto.told(), all, "auto {rules}: {script}");
}

const BARE: (&str, bool) = ("4k3/8/8/8/8/8/8/4K3", true);

#[test]
fn the_capture_of_a_king_ends_the_board() {
    let boards = [("4k3/8/8/8/8/8/4r3/R3K2R", true), BARE];
    // who stays in check breaks no law; the king goes nowhere
    let script = "a1- b1R . w 1s e2- e1- e1r . b";
    check(
        "wbn-1.00,king-capture",
        boards,
        script,
        &["checkmate A decisive king-captured"],
        "ended 0-1 A loses the king",
    );
    // where kings are mated the same is the illegal move of one and then of the other
    let mut usual = bench("wbn-1.00", "advise", boards);
    usual.play("a1- b1R . w 1s");
    assert_eq!(usual.told(), ["illegal-move A decisive leaves-king-in-check"]); // WBN 5.9
}

#[test]
fn the_last_king_of_a_team_ends_the_game() {
    let boards = [("4k3/8/8/8/8/8/4r3/4K3", false), ("4k3/4R3/8/8/8/8/8/4K3", true)];
    let script = "e2- e1- e1r . b B=K... 1s B:e7- B:e8- B:e8R . B:w a=k...";
    check("wbn-1.00,all-kings", boards, script, &["checkmate b decisive king-captured"], "ended 0-1 b loses the king");
}

#[test]
fn the_incident_cites_the_variant() {
    let mut bench = bench("wbn-1.00,king-capture", "advise", [("4k3/8/8/8/8/8/4r3/4K3", false), BARE]);
    bench.play("e2- e1- e1r . b 1s");
    let cited = bench.events.iter().find_map(|event| match &event.body {
        Body::Incident(told) => Some((told.law.as_str(), told.article.as_str())),
        _ => None,
    });
    assert_eq!(cited, Some(("variant", "captured")));
}

#[test]
fn stalemate_draws_where_the_rule_set_says_so() {
    // no man can come: drops go to the first rank alone, which is full
    let boards = [("RRRRBBNk/5K2/8/6Q1/8/8/8/8", true), BARE];
    let script = "g5- g6Q . w";
    check("wbn-1.00,stalemate=true,drop_ranks=1-1", boards, script, &[], "ended 1/2-1/2 table Game drawn by stalemate");
    let mut usual = bench("wbn-1.00,drop_ranks=1-1", "auto", boards);
    usual.play(script).play("1s");
    assert_eq!(usual.told(), Vec::<String>::new()); // FIDE-ext 3.7
}

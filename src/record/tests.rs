//! Records as BPGN: the text to the letter, and what other programs expect of it.

use serde_json::{Value, json};

use super::*;

const GAME: &str = "20261120T150000250-1";

fn event(seq: u64, body: Value) -> Event {
    let mut event = json!({
        "v": 1, "session": "s", "table": "1", "game": GAME, "seq": seq, "t": seq * 1000,
        "time": "2026-11-20T15:00:00.250Z",
    });
    event.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
    serde_json::from_value(event).unwrap()
}

fn started(players: Value) -> Event {
    let body = json!({
        "type": "game-started", "ruleset": "wbn-1.00", "time_control": "300+0", "players": players, "bfen": "a | b",
    });
    event(1, body)
}

fn played(seq: u64, seat: &str, number: u32, san: &str, stands: bool) -> Event {
    let seat: Seat = seat.parse().unwrap();
    let clock = json!({"white_ms": 299_420 - seq as i64, "black_ms": -50});
    let body = json!({
        "type": "move", "board": seat.board, "seat": seat, "ply": number, "number": number, "san": san,
        "move": "e2e4", "from": "e2", "to": "e4", "piece": "P", "captured": null, "promotion": null, "clock": clock,
        "stands": stands, "bfen": "after", "made_at": seq, "completed_at": seq,
    });
    event(seq, body)
}

fn illegal(seat: &str) -> Event {
    let body = json!({
        "type": "incident", "id": 1, "kind": "illegal-move", "grade": "decisive", "law": "WBN", "article": "5",
        "board": seat.to_uppercase(), "seat": seat, "reason": "geometry", "evidence": {}, "claimable_by": [],
        "claim_until": null, "state": "open",
    });
    event(1, body)
}

fn ended(result: &str, reason: &str, by: &str) -> Event {
    event(99, json!({"type": "game-ended", "result": result, "reason": reason, "boards": ["A"], "by": by}))
}

fn record(events: &[Event]) -> GameRecord {
    GameRecord::fold(events).remove(0)
}

fn names() -> Value {
    json!({"A": "Jana \"X\" Nová", "a": "Bob", "B": "Cy\n}", "b": "[d]"})
}

fn whole() -> Vec<Event> {
    vec![
        started(names()),
        played(2, "A", 1, "e4", false),
        played(3, "b", 1, "Ke5", true),
        illegal("b"),
        played(4, "B", 1, "N@f5", false),
    ]
}

#[test]
fn the_text_has_the_form_of_the_laws() {
    let mut events = whole();
    events.push(ended("1-0", "checkmated", "a"));
    let expected = "\
[Event \"?\"]
[Site \"?\"]
[Date \"2026.11.20\"]
[Round \"?\"]
[WhiteA \"Jana \\\"X\\\" Nová\"]
[WhiteAElo \"----\"]
[BlackA \"Bob\"]
[BlackAElo \"----\"]
[WhiteB \"Cy }\"]
[WhiteBElo \"----\"]
[BlackB \"[d]\"]
[BlackBElo \"----\"]
[TimeControl \"300+0\"]
[Result \"1-0\"]

1A. e4 {299.418} 1b. Ke5 {-0.050} {C:illegal: geometry} 1B. N@f5 {299.416}
{Bob checkmated} 1-0
";
    assert_eq!(record(&events).to_bpgn().write(), expected);
}

#[test]
fn a_running_game_tells_of_no_illegal_move() {
    let text = record(&whole()).to_bpgn().write();
    assert!(text.ends_with("\n1A. e4 {299.418} 1b. Ke5 {-0.050} 1B. N@f5 {299.416}\n*\n"), "{text}");
}

fn doubt(kind: &str, ply: u32, candidates: &[&str]) -> Event {
    event(50, json!({"type": kind, "board": "A", "ply": ply, "candidates": candidates}))
}

/// The first ply of board A is told again as this move.
fn told_again(uci: &str) -> Event {
    let mut again = serde_json::to_value(played(51, "A", 1, "e4", false)).unwrap();
    again["move"] = uci.into();
    event(51, json!({"type": "correction", "board": "A", "supersedes": 2, "moves": [again]}))
}

#[test]
fn plies_that_may_be_others_are_marked_until_that_is_answered() {
    let check = |more: &[Event], expected: &str| {
        let mut events = vec![started(json!({})), played(2, "A", 1, "e4", false)];
        events.extend_from_slice(more);
        let text = record(&events).to_bpgn().write();
        let moves = text.split("\n\n").nth(1).unwrap().lines().next().unwrap();
        let (_, marks) = moves.split_once('}').unwrap();
        assert_eq!(marks, expected, "{more:?}");
    };
    let open = doubt("uncertain", 1, &["e4", "e3"]);
    check(&[], "");
    check(std::slice::from_ref(&open), " {C:uncertain: e4, e3}");
    check(&[open.clone(), doubt("resolved", 1, &["e4"])], "");
    check(&[open.clone(), doubt("resolved", 2, &["e5"])], " {C:uncertain: e4, e3}");
    check(&[open.clone(), told_again("e2e4")], " {C:uncertain: e4, e3}");
    check(&[open.clone(), told_again("e2e3")], "");
    check(&[doubt("uncertain", 1, &[])], "");
}

#[test]
fn endings_name_the_player_or_the_seat() {
    let ending = |players: Value, by: &str| {
        let events = [started(players), ended("0-1", "resigns", by)];
        record(&events).to_bpgn().ending.unwrap()
    };
    assert_eq!(ending(names(), "B"), "Cy\n} resigns");
    assert_eq!(ending(json!({}), "b"), "BlackB resigns");
    assert_eq!(ending(names(), "arbiter"), "resigns");
}

/// What readers elsewhere take for a tag: a line of its own with a name and a value in quotes.
fn is_tag(line: &str) -> bool {
    let inner = line.strip_prefix('[').and_then(|line| line.strip_suffix("\"]"));
    inner.and_then(|inner| inner.split_once(" \"")).is_some_and(|(name, _)| name.chars().all(char::is_alphanumeric))
}

/// The comments of a movetext, none of them nested.
fn comments(text: &str) -> Vec<&str> {
    let closed = text.split('{').skip(1).map(|rest| rest.split_once('}').expect("a closed comment").0);
    closed.collect()
}

#[test]
fn every_ending_and_name_reads_back_and_keeps_the_form() {
    for (result, reason, by) in
        [("1-0", "resigns", "B"), ("*", "Game aborted", "arbiter"), ("1/2-1/2", "a\nb {c} d", "table")]
    {
        for moves in [0, 5] {
            let mut events = whole();
            events.truncate(moves.max(1));
            events.push(ended(result, reason, by));
            let text = record(&events).to_bpgn().write();
            let (tags, movetext) = text.split_once("\n\n").unwrap();
            assert!(tags.lines().all(is_tag), "{tags}");
            assert_eq!(tags.lines().count(), 14);
            assert!(comments(movetext).iter().all(|comment| !comment.contains('{')), "{movetext}");
            let read = bpgn::read_game(&text, 1).unwrap();
            assert_eq!((read.game.write(), read.warnings), (text, vec![]));
            assert_eq!(read.game.result, result);
            assert!(read.game.ending.is_some());
        }
    }
}

#[test]
fn the_first_comment_of_a_move_is_its_time() {
    let mut events = whole();
    events.push(ended("*", "Game aborted", "arbiter"));
    let text = record(&events).to_bpgn().write();
    let moves = text.split_once("\n\n").unwrap().1;
    for played in moves.split(". ").skip(1) {
        let seconds = comments(played)[0];
        assert!(seconds.parse::<f64>().is_ok() && seconds.split_once('.').unwrap().1.len() == 3, "{played}");
    }
}

#[test]
fn players_get_other_names_while_the_game_is_on() {
    let named = |seq: u64, verb: &str, data: Value| event(seq, json!({"type": "ruling", "verb": verb, "data": data}));
    let check = |ruling: Event, expect: [&str; 2]| {
        let record = record(&[started(json!({"A": "Ann", "a": "Bob"})), ruling, ended("1-0", "resigns", "a")]);
        assert_eq!([&*record.players["A"], &*record.players["a"]], expect);
        assert!(record.to_bpgn().write().contains(&format!("[WhiteA \"{}\"]", expect[0])));
    };
    check(named(2, "players", json!({"A": "Cy"})), ["Cy", "Bob"]);
    check(named(2, "players", json!({"A": 3})), ["Ann", "Bob"]);
    check(named(2, "declare", json!({"A": "Cy"})), ["Ann", "Bob"]);
}

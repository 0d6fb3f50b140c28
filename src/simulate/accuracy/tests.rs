//! Judgements of recordings that are right and wrong in known ways.

use serde_json::json;

use super::*;
use crate::{
    event::Event,
    rules::Reason,
    simulate::{hands::Profile, offence::Offence},
    types::{MS, SECOND},
};

const WBN: &RuleSet = &RuleSet::WBN_1_00;

/// Judges the one game that was played.
fn judge(truth: &Truth, events: &[Event], rig: &Rig) -> Verdict {
    judge_games(truth, events, rig).remove(0)
}

/// A truth whose moves are completed a second after another: `A e2e4`.
fn truth(moves: &[&str]) -> Truth {
    let moves: Vec<_> = moves.iter().enumerate().map(|(index, text)| played(index, text)).collect();
    let truth = json!({
        "truth": 1, "profile": "clean", "seed": 1, "base": 60, "increment": 0, "start": {}, "stop": {}, "end": 0,
        "moves": moves,
    });
    serde_json::from_value(truth).unwrap()
}

fn played(index: usize, text: &str) -> serde_json::Value {
    let (seat, uci) = text.split_once(' ').unwrap();
    let press = (index as i64 + 1) * 1_000_000;
    json!({
        "board": seat.to_uppercase(), "seat": seat, "white": seat == seat.to_uppercase(), "ply": index + 1,
        "san": uci, "uci": uci, "press": press, "made": press - 300_000, "first": press - 500_000,
        "clock": { "white_ms": 0, "black_ms": 0 }, "tags": ["slide"],
    })
}

fn event(seq: usize, body: serde_json::Value) -> Event {
    let mut event = json!({ "v": 1, "session": "s", "table": "1", "game": "g", "seq": seq, "t": seq * 1_000_000,
        "time": "" });
    event.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
    serde_json::from_value(event).unwrap()
}

fn recorded(index: usize, text: &str) -> serde_json::Value {
    let (seat, uci) = text.split_once(' ').unwrap();
    json!({
        "type": "move", "board": seat.to_uppercase(), "seat": seat, "ply": index + 1, "number": 1, "san": uci,
        "move": uci, "from": null, "to": "e4", "piece": "P", "captured": null, "promotion": null, "clock": null,
        "bfen": "", "made_at": 0, "completed_at": (index + 1) * 1_000_000 + 100_000,
    })
}

fn started() -> serde_json::Value {
    json!({ "type": "game-started", "ruleset": "", "time_control": "", "players": {}, "bfen": "" })
}

/// Grades of the moves, and the number of extra moves.
fn check(moves: &[&str], more: &[(usize, serde_json::Value)], found: &[&str], expect: (&str, usize)) -> Verdict {
    let mut events = vec![event(0, started())];
    for (index, text) in found.iter().enumerate() {
        events.push(event(index + 1, recorded(index, text)));
        events.extend(
            more.iter().filter(|(after, _)| *after == index + 1).map(|(after, body)| event(*after, body.clone())),
        );
    }
    let verdict = judge(&truth(moves), &events, &Rig::default());
    let grades: String = verdict.moves.iter().map(|judged| format!("{:?}", judged.grade).remove(0)).collect();
    assert_eq!((&*grades, verdict.extra), expect, "{found:?}");
    verdict
}

#[test]
fn a_lost_move_does_not_count_against_later_ones() {
    let game = ["A e2e4", "a e7e5", "A g1f3", "a b8c6"];
    check(&game, &[], &game, ("RRRR", 0));
    check(&game, &[], &["A e2e4", "A g1f3", "a b8c6"], ("RSCC", 0)); // told, but as another ply
    check(&game, &[], &["A e2e4", "a e7e6", "A g1f3", "a b8c6"], ("RSRR", 1));
    check(&game, &[], &[], ("SSSS", 0));
}

#[test]
fn corrected_and_doubted_moves_are_told_apart() {
    let game = ["A e2e4", "a e7e5"];
    let fresh: serde_json::Value = recorded(0, "A e2e4");
    let correction = json!({ "type": "correction", "board": "A", "supersedes": 1, "moves": [fresh] });
    check(&game[..1], &[(1, correction)], &["A e2e3"], ("C", 0));
    let doubt = json!({ "type": "uncertain", "board": "A", "candidates": ["e4", "e3"] });
    let doubted = check(&game[..1], &[(1, doubt.clone())], &["A e2e3"], ("U", 1));
    assert!(doubted.is_candid() && !doubted.is_perfect());
    assert!(!check(&game[..1], &[(1, doubt)], &["A e2e3", "a e7e5"], ("U", 2)).is_candid(), "nobody played the second");
    assert!(!check(&game[..1], &[], &["A e2e3"], ("S", 1)).is_candid());
}

#[test]
fn boards_may_be_mixed_up_only_as_far_as_clocks_resolve() {
    let game = ["A e2e4", "B e2e4", "A e7e5"];
    let verdict = |found: &[&str]| {
        let events = found.iter().enumerate().map(|(index, text)| event(index + 1, recorded(index, text)));
        judge(&truth(&game), &[event(0, started())].into_iter().chain(events).collect::<Vec<_>>(), &Rig::default())
    };
    assert!(verdict(&game).is_perfect());
    assert_eq!(verdict(&["B e2e4", "A e2e4", "A e7e5"]).disorder, 1);
}

#[test]
fn the_order_of_presses_that_nobody_heard_is_not_asked_for() {
    let found = ["A e2e4", "B e2e4"];
    let events = found.iter().enumerate().map(|(index, text)| event(index + 1, recorded(index, text)));
    let events: Vec<Event> = [event(0, started())].into_iter().chain(events).collect();
    let disorder = |made: i64, device: serde_json::Value| {
        let mut truth = truth(&["B e2e4", "A e2e4"]);
        truth.moves[1].made = crate::types::Instant(made);
        truth.devices.insert("board-a".into(), device);
        judge(&truth, &events, &Rig::default()).disorder
    };
    let (soon, late) = (1_100_000, 1_900_000);
    assert_eq!(disorder(soon, json!({ "clock_lost": null, "outages": [] })), 1);
    // Pressed late, made soon after the other one.
    assert_eq!(disorder(soon, json!({ "clock_lost": 500_000, "outages": [] })), 0);
    assert_eq!(disorder(late, json!({ "clock_lost": 500_000, "outages": [] })), 1);
    assert_eq!(disorder(soon, json!({ "clock_lost": 3_000_000, "outages": [] })), 1, "lost later");
    assert_eq!(disorder(soon, json!({ "clock_lost": 500_000, "clock_back": 900_000, "outages": [] })), 1, "back");
    assert_eq!(disorder(late, json!({ "clock_lost": null, "outages": [[1_500_000, 1_800_000]] })), 0);
    assert_eq!(disorder(late, json!({ "clock_lost": null, "outages": [[2_500_000, 2_800_000]] })), 1, "out later");
}

/// Random games in which an offence is looked for.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=60;

/// A rule set that forbids it.
fn forbidding(offence: Offence) -> RuleSet {
    let rules = match offence {
        Offence::EarlyPass => "fide-ext",
        Offence::Illegal(Reason::DropRank) => "wbn-1.00,middle-ranks",
        Offence::Illegal(Reason::DropGivesCheck) => "wbn-1.00,no-drop-with-check",
        Offence::Illegal(Reason::DropGivesMate) => "wbn-1.00,tandem",
        _ => "wbn-1.00",
    };
    rules.parse().unwrap()
}

/// The first random game in which clean hands commit an offence, judged.
fn offending(offence: Offence) -> Option<Verdict> {
    let offences = Offences { kinds: vec![offence], per_mille: None };
    let ruleset = &forbidding(offence);
    SEEDS.into_iter().find_map(|seed| {
        let (source, rig) = (Source::random(seed, 120, ruleset, &offences), Rig::default());
        let trial = Trial { source: &source, profile: &Profile::CLEAN, seed, ruleset, rig: &rig };
        Some(trial.run(false).unwrap().machine.remove(0)).filter(|verdict| !verdict.offences.is_empty())
    })
}

#[test]
fn every_offence_of_clean_hands_is_reported() {
    for offence in Offence::all() {
        let name = offence.name();
        let verdict = offending(offence).unwrap_or_else(|| panic!("nobody commits {name}"));
        let all = |recall: &Recall| recall.reported == recall.committed;
        assert!(verdict.offences.values().all(all), "{name}: {:?}", verdict.offences);
    }
}

#[test]
fn clean_hands_are_recorded_and_the_baseline_follows_them() {
    let source = Source::random(1, 40, WBN, &Offences::default());
    let trial = Trial { source: &source, profile: &Profile::CLEAN, seed: 3, ruleset: WBN, rig: &Rig::default() };
    let Tried { mut machine, baseline } = trial.run(true).unwrap();
    let machine = machine.remove(0);
    assert!(machine.is_perfect(), "{machine:?}");
    assert!(machine.moves.iter().all(|judged| judged.delay.is_some_and(|delay| (0..=1_000_000).contains(&delay))));
    let baseline = baseline.unwrap();
    assert!(baseline.moves.iter().filter(|judged| judged.grade == Grade::Right).count() >= 20, "{baseline:?}");
    let mut tally = Tally::default();
    [&machine, &baseline].into_iter().for_each(|verdict| tally.add(verdict));
    assert_eq!((tally.games, tally.moves.moves), (2, 80));
    assert!(tally.habits.values().all(|moves| moves.moves > 0));
}

#[test]
fn two_games_on_the_same_boards_are_judged_and_begin_and_end_once_each() {
    for (seed, profile) in [(1, &Profile::CLEAN), (2, &Profile::HUMAN), (3, &Profile::BLITZ)] {
        let source = Source::random(seed, 30, WBN, &Offences::default()).with_next(seed, WBN);
        let trial = Trial { source: &source, profile, seed, ruleset: WBN, rig: &Rig::default() };
        let (truth, events) = trial.perform(None, io::sink()).unwrap();
        let verdicts = judge_games(&truth, &events, trial.rig);
        assert_eq!(verdicts.iter().map(|verdict| verdict.moves.len()).collect::<Vec<_>>(), [30, 24]);
        for verdict in &verdicts {
            assert!(verdict.is_perfect() && verdict.reports_well(), "{}: {verdict:?}", profile.name);
        }
        assert_eq!(verdicts[0].result, Some(true), "{}", profile.name);
        let kinds = events.iter().map(|event| event.body.kind());
        let turns: Vec<&str> = kinds.filter(|kind| ["game-started", "game-ended"].contains(kind)).collect();
        assert_eq!(turns[..3], ["game-started", "game-ended", "game-started"], "{}", profile.name);
        assert!(turns[3..].iter().all(|kind| *kind == "game-ended") && turns.len() <= 4, "{turns:?}");
    }
}

#[test]
fn what_a_pawn_became_while_the_daemon_was_away_accuses_nobody() {
    for (number, profile) in [(24, &Profile::CLEAN), (14, &Profile::HUMAN), (15, &Profile::HUMAN)] {
        let source = Source::random(number, 120, WBN, &Offences::default());
        let rig = Rig { restarts: Some(200 * MS..2 * SECOND), ..Rig::default() };
        let trial = Trial { source: &source, profile, seed: 8_100_999_999 + number, ruleset: WBN, rig: &rig };
        let verdict = trial.run(false).unwrap().machine.remove(0);
        let told = verdict.false_incidents.keys().any(|kind| kind.starts_with("illegal-move"));
        assert!(verdict.false_illegal == 0 && !told, "{}: {:?}", trial.name(), verdict.false_incidents);
    }
}

#[test]
fn a_next_game_that_was_not_noticed_counts_against_the_machine() {
    let (mut first, mut next) = (truth(&["A e2e4"]), truth(&["A d2d4"]));
    first.stop.insert(crate::types::BoardId::A, crate::types::Instant(2_000_000));
    next.start.insert(crate::types::BoardId::A, crate::types::Instant(3_000_000));
    first.next = Some(Box::new(next));
    let ended = json!({ "type": "game-ended", "result": "*", "reason": "", "boards": [], "by": "table" });
    let told = |again: bool| {
        let mut events = vec![event(0, started()), event(1, recorded(0, "A e2e4")), event(2, ended.clone())];
        events.extend(again.then(|| event(3, started())));
        events.push(event(4, recorded(0, "A d2d4")));
        judge_games(&first, &events, &Rig::default())
    };
    assert!(told(true).iter().all(Verdict::is_perfect), "{:?}", told(true));
    let missed = told(false);
    assert_eq!((missed[1].games, missed[1].moves[0].grade), (0, Grade::Silent));
}

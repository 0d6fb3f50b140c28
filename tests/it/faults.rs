//! One thing is broken and the rest of the game stays right: a square, a man, a clock, a cable for a minute.
//!
//! The games are random, the hands human. `tests/data/faults.txt` says which faults, how many games of each, and what
//! the machine still gets wrong in them: at most so many. A line of the output names every game that is not perfect
//! (`cargo test --test it faults:: -- --nocapture`).

use std::fs;

use bughoused::{
    record::GameRecord,
    rules::RuleSet,
    simulate::{
        accuracy::{Source, Tally, Trial},
        devices::faults::Faults,
        hands::Profile,
        offence::Offences,
        rig::{Rig, Sensing},
    },
    types::BoardId,
};

use super::corpus::{data, replay};

const PLIES: usize = 80;
/// Games in which a cable is out for up to a minute.
const GAP_GAMES: u64 = 12;

/// What may be wrong in all games of a fault together.
#[derive(Debug, PartialEq, Eq)]
struct Most {
    wrong: usize,
    extra: usize,
    illegal: usize,
}

fn lines() -> Vec<(String, u64, Most)> {
    let text = fs::read_to_string(data("faults.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let line = |line: &str| {
        let [fault, games, wrong, extra, illegal] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("expected a fault and four numbers, found {line:?}")
        };
        let number = |text: &str| text.parse::<usize>().unwrap();
        let most = Most { wrong: number(wrong), extra: number(extra), illegal: number(illegal) };
        (fault.to_owned(), games.parse().unwrap(), most)
    };
    lines.map(line).collect()
}

/// Plays a random game with a fault, as `accuracy --random N --plies 80 --profiles human --faults FAULT --keep DIR`
/// does.
fn trial<R>(fault: &str, number: u64, with: impl FnOnce(&Trial<'_>) -> R) -> R {
    let rig = Rig { faults: Faults::named(fault).unwrap(), ..Rig::default() };
    let profile = Profile::named("human").unwrap();
    let source = Source::random(number, PLIES, &RuleSet::WBN_1_00, &Offences::default());
    with(&Trial { source: &source, profile, seed: 999 + number, ruleset: &RuleSet::WBN_1_00, rig: &rig })
}

/// Plays games with a fault and names those that are not perfect.
fn play(fault: &str, games: u64) -> Tally {
    let mut tally = Tally::default();
    for number in 1..=games {
        let (name, verdict) = trial(fault, number, |trial| (trial.name(), trial.run(false).unwrap().machine.remove(0)));
        if !verdict.is_perfect() {
            println!("{fault}: {name} is not perfect");
        }
        tally.add(&verdict);
    }
    tally
}

#[test]
fn the_rest_of_the_game_stays_right() {
    for (fault, games, most) in lines() {
        let tally = play(&fault, games);
        let wrong = tally.moves.moves - tally.moves.right;
        let found = Most { wrong, extra: tally.extra, illegal: tally.false_illegal };
        println!("{fault}, {} moves: {found:?}", tally.moves.moves);
        let within = wrong <= most.wrong && found.extra <= most.extra && found.illegal <= most.illegal;
        assert!(within, "{fault}: expected at most {most:?}, found {found:?}");
        assert!(tally.moves.moves > 40 * games as usize, "{fault}: games with moves");
    }
}

/// So many presses waited after a correction that there was no room for them.
#[test]
fn more_presses_than_plies_can_answer_are_no_harm() {
    let source = Source::random(10, PLIES, &RuleSet::WBN_1_00, &Offences::default());
    let rig = Rig { boards: vec![Sensing::Tags], ..Rig::default() };
    let profile = Profile::named("chaos").unwrap();
    let trial = Trial { source: &source, profile, seed: 1009, ruleset: &RuleSet::WBN_1_00, rig: &rig };
    assert_eq!(trial.run(false).unwrap().machine[0].moves.len(), PLIES);
}

/// How many plies of a board are missing in the middle of what was recorded; none if anything else is wrong.
fn gap(played: &[&str], recorded: &[&str]) -> Option<usize> {
    let before = played.iter().zip(recorded).take_while(|(played, recorded)| played == recorded).count();
    let ends = played.iter().rev().zip(recorded[before..].iter().rev());
    let after = ends.take_while(|(played, recorded)| played == recorded).count();
    (before + after == recorded.len()).then(|| played.len() - recorded.len())
}

/// While nobody watches a board, and afterwards, nobody is accused of what was not seen.
#[test]
fn a_gap_accuses_nobody() {
    let mut told = Vec::new();
    for number in 1..=GAP_GAMES {
        let (name, verdict) =
            trial("cable-out-long", number, |trial| (trial.name(), trial.run(false).unwrap().machine.remove(0)));
        told.extend(verdict.false_incidents.into_iter().map(|(kind, count)| (name.clone(), kind, count)));
    }
    println!("{told:?}");
    assert!(told.is_empty(), "{told:?}");
}

#[test]
fn a_gap_is_recorded_and_play_goes_on() {
    let (mut gaps, mut wrong) = (0, Vec::new());
    for number in 1..=GAP_GAMES {
        let mut capture = Vec::new();
        let (name, truth) =
            trial("cable-out-long", number, |trial| (trial.name(), trial.record(&mut capture).unwrap().0));
        let records = GameRecord::fold(&replay(&String::from_utf8(capture).unwrap()));
        for board in BoardId::first(2) {
            let played: Vec<&str> =
                truth.moves.iter().filter(|played| played.board == board).map(|played| &*played.uci).collect();
            let moves = records.iter().flat_map(|record| &record.moves);
            let recorded: Vec<&str> = moves.filter(|(_, m)| m.board == board).map(|(_, m)| &*m.uci).collect();
            if gap(&played, &recorded).is_none() {
                println!("{name}: board {board}: {played:?} became {recorded:?}");
                wrong.push(format!("{name} {board}"));
            }
        }
        let told = records.iter().filter_map(|record| record.ended.as_ref());
        let told = told.filter(|ended| ended.reason.starts_with("a gap: ")).count();
        assert_eq!(records.len(), 1 + told, "{name}: every other game begins behind a gap");
        gaps += told;
    }
    println!("{gaps} gaps in {GAP_GAMES} games; wrong: {wrong:?}");
    assert!(gaps >= 3, "{gaps}");
    assert!(wrong.is_empty(), "{wrong:?}");
}

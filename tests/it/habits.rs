//! Hands of every profile on games of the corpus: whatever they do, the given game is what was played.

use std::collections::BTreeSet;

use bughoused::{
    notation::{bpgn::Game, replay::replay},
    rules::{Reason, RuleSet},
    simulate::{
        hands::{Performance, Profile, habit::Habit, play, play_offending, plies_of, terms_of},
        offence::{Offence, Offences, Offended},
        random_game::offending_game,
        world::{Action, Step, World},
    },
    types::{BoardId, Instant, Role, Square},
};

use super::corpus::games;

/// Habits that belong to no ply.
const SILENT: [Habit; 7] = [
    Habit::Kings,
    Habit::Scatter,
    Habit::Scramble,
    Habit::Sweep,
    Habit::SetUpWrongly,
    Habit::SetUpAdjusted,
    Habit::Hurried,
];

/// Plays the script; a lift takes a man and no man is in two places.
fn run(world: &mut World, steps: &[Step], until: Instant, name: &str) {
    for step in steps.iter().take_while(|step| step.at <= until) {
        match step.action {
            Action::Lift(board, square) => {
                assert!(!world.free(board, square), "{name}: nothing to lift at {board} {square}, {}", step.at)
            }
            Action::LiftSlot(seat, slot) => assert!(world.tray(seat)[slot].is_some(), "{name}: {seat} {slot}"),
            Action::PlaceSlot(seat, slot, _) => {
                assert!(world.tray(seat)[slot].is_none(), "{name}: slot {slot} of {seat} is taken");
            }
            _ => {}
        }
        world.apply(*step);
    }
}

/// Plays a game and compares where the men stand at the end with the rules. Answers the habits that were shown.
fn check(game: &Game, profile: &Profile, seed: u64) -> BTreeSet<String> {
    let plies = plies_of(game, &RuleSet::WBN_1_00).unwrap();
    let Performance { mut world, script, truth } = play(&plies, &terms_of(game), profile, seed);
    let name = format!("{:?}, {}, seed {seed}", game.tags, profile.name);
    let played: Vec<&str> = truth.moves.iter().map(|played| &*played.uci).collect();
    assert_eq!(played, plies.iter().map(|ply| &*ply.uci).collect::<Vec<_>>(), "{name}");
    for pair in truth.moves.windows(2) {
        assert!(pair[0].press < pair[1].press, "{name}: presses come in the order of the record");
    }
    let stop = *truth.stop.values().min().unwrap();
    run(&mut world, script.steps(), stop, &name);
    let end = replay(game, &RuleSet::WBN_1_00).game;
    let displaced = truth.moves.iter().any(|played| played.tags.iter().any(|tag| tag == "displaced"));
    for board in BoardId::first(2).filter(|_| !displaced) {
        for square in Square::ALL {
            let expect = end.board(board).board().piece_at(square);
            let found = world.at(board, square).or_else(|| world.lying(board, square));
            let promoted = end.board(board).promoted().contains(square);
            let same = found == expect
                || promoted && found.zip(expect).is_some_and(|(f, e)| f.color == e.color && f.role == Role::Pawn);
            assert!(same, "{name}: {board} {square}: {found:?} instead of {expect:?}");
        }
    }
    truth.moves.into_iter().flat_map(|played| played.tags).collect()
}

#[test]
fn the_given_game_is_played_by_all_kinds_of_players() {
    for (seed, game) in games().iter().step_by(9).enumerate() {
        Profile::all()[..4].iter().for_each(|profile| drop(check(game, profile, seed as u64)));
    }
}

#[test]
fn every_habit_shows_alone() {
    let games = games();
    for habit in Habit::all() {
        let profile = Profile::named(habit.name()).unwrap();
        let shown = games.iter().any(|game| check(game, profile, 1).contains(habit.name()));
        assert_eq!(shown, !SILENT.contains(&habit), "{}", habit.name());
    }
}

/// Offences that need an occasion.
const RARE: [Offence; 4] =
    [Offence::RepeatedlyHiding, Offence::IncompleteCastling, Offence::Displaced, Offence::Concealed];

/// Rules that an offence breaks.
fn breakable(offence: Offence) -> RuleSet {
    let variant = match offence.reason() {
        Some(Reason::DropRank) => ",middle-ranks",
        Some(Reason::DropGivesCheck) => ",no-drop-with-check",
        Some(Reason::DropGivesMate) => ",tandem",
        _ => "",
    };
    format!("wbn-1.00{variant}").parse().unwrap()
}

#[test]
fn every_offence_is_committed() {
    for offence in Offence::all() {
        let offences = Offences { kinds: vec![offence], per_mille: None };
        let committed = (0..40).filter(|seed| {
            let (plies, terms) = offending_game(*seed, 120, &breakable(offence), &offences);
            let profile = Profile::named("human").unwrap();
            let Performance { mut world, script, truth } = play_offending(&plies, &terms, profile, &offences, *seed);
            run(&mut world, script.steps(), script.end(), &offence.name());
            let is = |found: &Offended| found.kind == offence.kind() && found.reason == offence.word();
            truth.offences.iter().any(is)
        });
        let rare = offence.reason().is_some() || RARE.contains(&offence);
        let least = if rare { 1 } else { 20 };
        let committed = committed.count();
        assert!(committed >= least, "{}: {committed} of 40", offence.name());
    }
}

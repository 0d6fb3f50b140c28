//! Presses and completed moves as the table tells of them, also late.

use super::*;
use crate::{
    rules::{Game, RuleSet},
    sense::Placement,
    types::{BoardId, Kinds, Square},
};

/// The start as a board shows it, with men on other squares since some time, in ms.
fn placement(others: &[(&str, char, i64)]) -> Placement {
    let start = shakmaty::Board::new();
    let mut placement = Placement::default();
    for square in Square::ALL {
        placement.set(square, Kinds::exactly(start.piece_at(square)), Instant::ZERO);
    }
    for (square, man, since) in others {
        let man = crate::types::Piece::from_char(*man);
        placement.set(square.parse().unwrap(), Kinds::exactly(man), Instant(since * MS));
    }
    placement
}

/// What happens to the clock and to the record of it, in ms: `w` and `b` press; `W` and `B` complete a move that was
/// made at the first time and is said to be completed at the second.
#[derive(Clone, Copy)]
enum Step {
    Press(char, i64),
    Move(char, i64, i64),
}

use Step::{Move, Press};

/// Plays steps; who is said to have pressed for nothing 5 s after the last one.
fn accused(steps: &[Step], placement: &Placement) -> Vec<String> {
    let game = Game::new(RuleSet::WBN_1_00, 1);
    let rules = RuleSet::WBN_1_00;
    let sight = BoardSight { board: BoardId::A, rules: &rules, game: &game, placement, line: &[], drops: None };
    let color = |letter: char| Color::from_white(letter == 'w');
    let mut presses = Presses::default();
    let mut completions = Vec::new();
    let mut last = 0;
    for step in steps {
        match *step {
            Press(by, at) => {
                let known = |at: Instant| completions.contains(&at);
                presses.press(color(by), Instant(at * MS), (ClockTimes::default(), None), sight, known);
                last = at;
            }
            Move(by, made, at) => {
                presses.completed(color(by), Instant(made * MS), Instant(at * MS));
                completions.push(Instant(at * MS));
            }
        }
    }
    let drafts = presses.look(sight, Instant(last * MS + 5 * SECOND));
    drafts.iter().filter_map(|draft| draft.seat.map(|seat| seat.to_string())).collect()
}

#[track_caller]
fn check(steps: &[Step], expect: &[&str]) {
    assert_eq!(accused(steps, &placement(&[])), expect);
}

#[test]
fn a_man_that_stood_at_the_first_press_was_pressed_for() {
    // WBN 7.7: the move was found with the third press, when both had pressed for moves
    let found = |made: i64| [Press('w', 2000), Press('b', 3200), Press('w', 5000), Move('w', made, 5000)];
    check(&found(1700), &[]);
    check(&found(4800), &["A"]);
}

#[test]
fn a_press_that_comes_late_is_owed_whenever_the_move_is_found() {
    // WBN 7.7: the opponent had replied already; both moves are found with the press
    check(&[Press('w', 3300), Move('w', 2000, 2000), Move('b', 2200, 2200), Press('b', 3700)], &[]);
    check(&[Move('w', 2000, 2000), Press('w', 3300), Move('b', 2200, 2200), Press('b', 3700)], &[]);
    check(&[Press('w', 8300), Move('w', 2000, 2000)], &["A"]);
}

#[test]
fn a_lever_that_springs_back_and_comes_down_again_a_little_late() {
    // WBN 7.7
    let sprung = |made: i64, again: i64| {
        [
            Press('w', 1000),
            Press('b', 1090),
            Move('w', 900, 1000),
            Press('w', again),
            Move('b', made, 1090),
            Press('b', 1840),
        ]
    };
    check(&sprung(1330, 1320), &[]);
    check(&sprung(1080, 1320), &[]);
    // the reply had been made: it was pressed for, and the other one pressed back
    check(&sprung(1080, 1380), &["A"]);
    // the player who replied had thought before
    let replied = [Press('b', 3000), Press('w', 3220), Move('b', 3050, 3000), Press('b', 3800)];
    check(&replied, &["A"]);
}

#[test]
fn who_moved_a_man_that_the_record_does_not_know_pressed_for_it() {
    // WBN 7.7
    let begin = [Press('b', 1000), Move('b', 900, 1000), Press('w', 2000), Press('b', 3200)];
    let steps = [&begin[..], &[Press('w', 4600), Move('w', 4500, 4600)]].concat();
    let steps = |man: &[(&str, char, i64)]| accused(&steps, &placement(man));
    assert_eq!(steps(&[]), ["A"]);
    assert_eq!(steps(&[("a4", 'P', 1900)]), [""; 0]);
    assert_eq!(steps(&[("a4", 'P', 900)]), ["A"], "it stood there before");
    assert_eq!(steps(&[("a4", 'p', 1900)]), ["A"], "the other player's");
}

//! Scripts of short games: order, times, men.

use super::{
    samples::{SHORT, TERMS, plies},
    *,
};
use crate::{rules::RuleSet, simulate::random_game};

const A: BoardId = BoardId::A;
const B: BoardId = BoardId::B;

fn performance(seed: u64) -> Performance {
    play(&plies(SHORT), &TERMS, &Profile::CLEAN, seed)
}

#[test]
fn presses_come_in_the_written_order_and_apart() {
    let plies = plies(SHORT);
    for seed in 0..50 {
        let truth = performance(seed).truth;
        assert!(truth.moves.iter().map(|played| &played.uci).eq(plies.iter().map(|ply| &ply.uci)));
        for pair in truth.moves.windows(2) {
            let gap = pair[1].press - pair[0].press;
            assert!(gap > 0 && (pair[0].board == pair[1].board || gap >= 400 * MS), "seed {seed}: {pair:?}");
        }
    }
}

#[test]
fn every_clock_shows_the_record() {
    let plies = plies(SHORT);
    for seed in 0..50 {
        let Performance { mut world, script, truth } = performance(seed);
        let mut steps = script.steps().iter();
        for (ply, played) in plies.iter().zip(&truth.moves) {
            for step in steps.by_ref() {
                world.apply(*step);
                if matches!(step.action, Action::Press { seat, .. } if seat == ply.seat) {
                    break;
                }
            }
            let left = world.clock(ply.seat.board).left(ply.seat.color, played.press) / MS;
            assert_eq!(Some(left), ply.clock_ms, "seed {seed}: {played:?}");
        }
    }
}

#[test]
fn hands_touch_in_turn_and_pass_before_they_move_again() {
    for seed in 0..50 {
        let truth = performance(seed).truth;
        for played in &truth.moves {
            assert!(played.first <= played.made && played.made < played.press);
            let rest = played.press - played.made;
            assert!((350 * MS..=700 * MS).contains(&rest));
            let before = truth.moves.iter().rfind(|other| other.board == played.board && other.press < played.press);
            assert!(before.is_none_or(|other| other.press < played.first), "no premoves of clean hands");
        }
    }
}

#[test]
fn men_end_where_the_game_ends() {
    for seed in 0..50 {
        let Performance { mut world, script, .. } = performance(seed);
        script.steps().iter().for_each(|step| world.apply(*step));
        assert!(world.air().is_empty(), "{:?}", world.air());
        assert_eq!(world.at(A, Square::G1), Some(Color::White.king()));
        assert_eq!(world.at(A, Square::F1), Some(Color::White.rook()));
        assert_eq!(world.at(B, Square::D3), Some(Color::Black.pawn()));
        let tray = |seat: Seat| world.tray(seat).iter().flatten().copied().collect::<Vec<_>>();
        assert_eq!(tray(A.seat(Color::White)), []);
        assert_eq!(tray(A.seat(Color::Black)), [Color::Black.pawn()], "taken by White on B");
        assert_eq!(tray(B.seat(Color::White)), [Color::White.pawn(), Color::White.knight()], "taken by Black on A");
        assert_eq!(tray(B.seat(Color::Black)), [], "dropped");
        assert!([A, B].iter().all(|board| !world.clock(*board).running()));
    }
}

#[test]
fn a_dropped_man_was_in_the_tray_before() {
    for seed in 0..50 {
        let Performance { script, .. } = performance(seed);
        let b = B.seat(Color::Black);
        let at = |wanted: fn(&Action) -> bool| script.steps().iter().find(|step| wanted(&step.action)).unwrap().at;
        let put = at(|action| matches!(action, Action::PlaceSlot(seat, 0, _) if seat.letter() == 'b'));
        let taken = at(|action| matches!(action, Action::LiftSlot(seat, 0) if seat.letter() == 'b'));
        assert!(taken - put >= 300 * MS, "{b}");
    }
}

#[test]
fn en_passant_empties_the_pawns_square() {
    let game = "A e2e4\na a7a6\nA e4e5\na d7d5\nA e5d6 xd5";
    let Performance { mut world, script, .. } = play(&plies(game), &TERMS, &Profile::CLEAN, 1);
    script.steps().iter().for_each(|step| world.apply(*step));
    assert_eq!((world.at(A, Square::D5), world.at(A, Square::D6)), (None, Some(Color::White.pawn())));
    assert_eq!(world.tray(B.seat(Color::Black))[0], Some(Color::Black.pawn()));
}

#[test]
fn games_without_times_and_with_increments_are_timed() {
    let untimed = play(&plies("A e2e4\na e7e5\nA g1f3 100.0"), &TERMS, &Profile::CLEAN, 7).truth;
    let white: Vec<i64> = untimed.moves.iter().map(|played| played.clock.white_ms).collect();
    assert_eq!(white, [110_000, 110_000, 100_000], "halfway to the time that is known");
    assert!((117_500..=119_200).contains(&untimed.moves[1].clock.black_ms));
    let rising = Terms { increment_ms: 2000, ..TERMS };
    let Performance { mut world, script, truth } =
        play(&plies("A e2e4 121.5\na e7e5\nA g1f3 123.0"), &rising, &Profile::CLEAN, 7);
    script.steps().iter().for_each(|step| world.apply(*step));
    assert_eq!(world.clock(A).left(Color::White, truth.end) / MS, 123_000);
}

/// Knights that were exchanged for pawns, and presses of the button for the knight.
fn exchanged_knights(spoken: bool) -> (usize, usize) {
    let profile = Profile::named("swapped-promotion").unwrap();
    let counts = (0..20).map(|seed| {
        let (plies, terms) = random_game::random_game(seed, 120, &RuleSet::WBN_1_00);
        let Performance { script, truth, .. } = play(&plies, &Terms { spoken, ..terms }, profile, seed);
        let knights = truth.moves.iter().filter(|played| played.uci.len() == 5 && played.uci.ends_with('n'));
        let said = script.steps().iter().filter(|step| matches!(step.action, Action::Button(_, Button::Knight)));
        (knights.filter(|played| played.tags.iter().any(|tag| tag == "swapped-promotion")).count(), said.count())
    });
    counts.fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1))
}

#[test]
fn knights_that_no_board_feels_are_also_said() {
    let (knights, said) = exchanged_knights(true);
    assert!(knights > 0 && said >= knights, "{said} of {knights}");
    let (knights, unsaid) = exchanged_knights(false);
    assert_eq!(said - unsaid, knights, "the others are said anyway");
}

#[test]
fn the_same_seed_plays_the_same() {
    assert_eq!(performance(5).script, performance(5).script);
    assert_ne!(performance(5).script, performance(6).script);
}

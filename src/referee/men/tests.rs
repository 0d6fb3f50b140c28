//! The ledger: single stories, and that men are conserved under any sequence of inputs.

use proptest::prelude::*;

use super::*;
use crate::{
    rules::{Attempt, BoardPosition, RuleSet},
    types::{Color, Square},
};

fn seat(letter: char) -> Seat {
    Seat::from_letter(letter).unwrap()
}

fn slots(letters: &str) -> TrayView {
    let kinds = |letter: char| match letter {
        '.' => Kinds::EMPTY,
        '?' => Kinds::ANY,
        'x' => Kinds::OCCUPIED,
        man => Kinds::only(Piece::from_char(man).unwrap()),
    };
    TrayView::of(&letters.chars().map(kinds).collect::<Vec<_>>())
}

/// A table, its ledger and the time.
struct Bench {
    game: Game,
    ledger: Men,
    now: Instant,
}

impl Bench {
    fn new(game: Game) -> Bench {
        let ledger = Men::new(&game, Instant::ZERO);
        Bench { game, ledger, now: Instant::ZERO }
    }

    /// 1. e4 d5 2. exd5 on A: a pawn is on its way to b.
    fn with_a_captured_pawn() -> Bench {
        let mut bench = Bench::new(Game::new(RuleSet::WBN_1_00, 2));
        for (from, to) in [(Square::E2, Square::E4), (Square::D7, Square::D5), (Square::E4, Square::D5)] {
            bench.attempt(BoardId::A, Attempt::Move { from, to, promotion: None });
        }
        bench
    }

    fn attempt(&mut self, board: BoardId, attempt: Attempt) -> Option<Dropped> {
        let m = self.game.board(board).as_move(attempt)?;
        self.now = self.now + 1;
        let mover = board.seat(self.game.board(board).turn());
        let legal = self.game.is_legal(board, m);
        let transfer = self.game.play(board, m);
        if let Some(transfer) = transfer {
            let (made, at) = (self.now, self.now);
            let capture = Capture { transfer, square: None, made, stood: Instant::LONG_AGO, at };
            self.ledger.captured(capture);
        }
        let dropped =
            matches!(attempt, Attempt::Drop { .. }).then(|| self.ledger.dropped(mover, m.role(), self.now, self.now));
        self.ledger.completed(mover, self.now);
        if !legal {
            self.ledger.sync(&self.game, self.now);
        }
        dropped
    }

    fn tray(&mut self, letter: char, letters: &str) {
        self.now = self.now + 1;
        self.ledger.tray(seat(letter), &slots(letters), self.now);
    }

    /// Where the men are that are on no board.
    fn off(&self) -> String {
        let off = self.ledger.men().iter().filter(|man| !matches!(man.place, Place::Board(_)));
        let word = |man: &Man| {
            let owner = man.place.owner().map_or('-', Seat::letter);
            format!("{} {} {owner}", man.piece.char(), man.place.as_str())
        };
        off.map(word).collect::<Vec<_>>().join(", ")
    }
}

#[test]
fn a_man_goes_from_board_to_hand_to_pocket_to_hand_to_board() {
    // WBN 1.6
    let mut bench = Bench::with_a_captured_pawn();
    assert_eq!(bench.off(), "p transit b");
    bench.tray('b', "..p.");
    assert_eq!(bench.off(), "p pocket b");
    bench.tray('b', "....");
    assert_eq!(bench.off(), "p lifted b");
    bench.attempt(BoardId::B, Attempt::Move { from: Square::E2, to: Square::E4, promotion: None });
    let dropped = bench.attempt(BoardId::B, Attempt::Drop { man: Role::Pawn.of(Color::Black), to: Square::E5 });
    assert!(dropped.unwrap().man.unwrap().first_seen.is_some(), "it was seen in the pocket");
    assert_eq!(bench.off(), "");
    assert_eq!(bench.ledger.foreign(), 0);
}

/// 3. dxc6 as well: two pawns are on their way to b.
fn with_two_captured_pawns() -> Bench {
    let mut bench = Bench::with_a_captured_pawn();
    for (from, to) in [(Square::C7, Square::C6), (Square::D5, Square::C6)] {
        bench.attempt(BoardId::A, Attempt::Move { from, to, promotion: None });
    }
    bench
}

#[test]
fn of_two_hidden_men_the_one_comes_back_whose_slot_is_filled() {
    // The tray at last, and whether the man that is still away then is the one that was told of.
    let check = |back: &str, told: bool| {
        let mut bench = with_two_captured_pawns();
        for letters in ["p.p.", "..p."] {
            bench.tray('b', letters);
        }
        bench.ledger.men_mut().filter(|man| matches!(man.place, Place::Lifted(_))).for_each(|man| man.told = true);
        bench.tray('b', "....");
        bench.tray('b', back);
        let away = bench.ledger.men().iter().filter(|man| matches!(man.place, Place::Lifted(_)));
        assert_eq!(away.map(|man| man.told).collect::<Vec<_>>(), [told], "{back}");
    };
    check("p...", false);
    check("..p.", true);
    check("...p", true);
}

#[test]
fn a_man_that_was_not_dropped_after_all_is_known_by_its_slot() {
    let mut bench = with_two_captured_pawns();
    bench.attempt(BoardId::B, Attempt::Move { from: Square::E2, to: Square::E4, promotion: None });
    for letters in ["p.p.", "..p."] {
        bench.tray('b', letters);
    }
    let before = bench.game.clone();
    bench.attempt(BoardId::B, Attempt::Drop { man: Role::Pawn.of(Color::Black), to: Square::E5 });
    bench.ledger.sync(&before, bench.now);
    bench.ledger.men_mut().filter(|man| matches!(man.place, Place::Lifted(_))).for_each(|man| man.told = true);
    bench.tray('b', "....");
    bench.tray('b', "p...");
    let away = bench.ledger.men().iter().filter(|man| matches!(man.place, Place::Lifted(_)));
    assert_eq!(away.map(|man| man.told).collect::<Vec<_>>(), [false]);
}

#[test]
fn a_man_that_came_to_another_slot_than_its_like_left_is_no_sign_of_a_wrong_record() {
    let check = |letters: &str, lies: bool| {
        let mut bench = Bench::with_a_captured_pawn();
        for letters in ["p...", "....", letters] {
            bench.tray('b', letters);
        }
        bench.attempt(BoardId::B, Attempt::Move { from: Square::E2, to: Square::E4, promotion: None });
        bench.attempt(BoardId::B, Attempt::Drop { man: Role::Pawn.of(Color::Black), to: Square::E5 });
        assert_eq!(bench.ledger.men().iter().any(|man| man.lies.is_some()), lies, "{letters}");
    };
    check("p...", true);
    check("..p.", false);
}

#[test]
fn shuffling_slots_moves_nothing() {
    let mut bench = Bench::with_a_captured_pawn();
    bench.tray('b', "p...");
    bench.tray('b', "...p");
    assert_eq!(bench.off(), "p pocket b");
    bench.tray('b', "...?");
    assert_eq!(bench.off(), "p pocket b", "a slot that says nothing may hold it");
}

#[test]
fn a_slot_that_says_nothing_may_have_shown_what_is_dropped_later() {
    // Whether the pawn was ever seen where slots showed this one after the other, before and after its capture.
    let check = |before: &[&str], after: &[&str], expect: bool| {
        let mut bench = Bench::new(Game::new(RuleSet::WBN_1_00, 2));
        before.iter().for_each(|slots| bench.tray('b', slots));
        for (from, to) in [(Square::E2, Square::E4), (Square::D7, Square::D5), (Square::E4, Square::D5)] {
            bench.attempt(BoardId::A, Attempt::Move { from, to, promotion: None });
        }
        after.iter().for_each(|slots| bench.tray('b', slots));
        bench.attempt(BoardId::B, Attempt::Move { from: Square::E2, to: Square::E4, promotion: None });
        let dropped = bench.attempt(BoardId::B, Attempt::Drop { man: Role::Pawn.of(Color::Black), to: Square::E5 });
        assert_eq!(dropped.unwrap().man.unwrap().first_seen.is_some(), expect, "{before:?} {after:?}");
    };
    check(&[], &[".x", ".."], true);
    check(&[], &["..", "?."], true);
    check(&["x."], &[], true);
    check(&["x.", ".."], &[], true);
    check(&[], &[".n", ".."], false);
    check(&["n.", ".."], &[], false);
}

#[test]
fn a_man_that_is_in_the_tray_too_early_or_in_another_tray_strays() {
    let mut bench = Bench::new(Game::new(RuleSet::WBN_1_00, 2));
    bench.tray('b', "p");
    bench.tray('A', "p");
    assert_eq!(bench.ledger.strays().len(), 2);
    assert_eq!(bench.off(), "");
    bench.tray('A', ".");
    for (from, to) in [(Square::E2, Square::E4), (Square::D7, Square::D5), (Square::E4, Square::D5)] {
        bench.attempt(BoardId::A, Attempt::Move { from, to, promotion: None });
    }
    assert_eq!(bench.off(), "p pocket b");
    assert!(bench.ledger.strays().is_empty());
}

#[test]
fn a_man_that_no_board_has_lost_is_told_of_once() {
    let mut bench = Bench::with_a_captured_pawn();
    bench.tray('b', "pp");
    let stray = bench.ledger.strays()[0];
    bench.ledger.told_foreign(stray);
    bench.ledger.strays_mut().for_each(|stray| stray.told = true);
    bench.tray('b', "p");
    bench.attempt(BoardId::B, Attempt::Move { from: Square::E2, to: Square::E4, promotion: None });
    bench.attempt(BoardId::B, Attempt::Drop { man: Role::Pawn.of(Color::Black), to: Square::E5 });
    assert!(bench.ledger.men().iter().all(|man| man.lies.is_none()), "the one that was dropped had left the tray");
    bench.tray('b', ".p");
    let left: Vec<(bool, Instant)> = bench.ledger.strays().iter().map(|left| (left.told, left.since)).collect();
    assert_eq!(left, [(true, stray.since)], "whichever of them was used, the other is no news");
}

#[test]
fn men_of_a_kind_are_alike() {
    let mut bench = Bench::with_a_captured_pawn();
    bench.tray('b', "p");
    bench.attempt(BoardId::A, Attempt::Move { from: Square::D8, to: Square::D5, promotion: None });
    bench.attempt(BoardId::A, Attempt::Move { from: Square::D2, to: Square::D3, promotion: None });
    bench.attempt(BoardId::A, Attempt::Move { from: Square::E7, to: Square::E5, promotion: None });
    bench.attempt(BoardId::A, Attempt::Move { from: Square::D1, to: Square::H5, promotion: None });
    bench.attempt(BoardId::A, Attempt::Move { from: Square::E5, to: Square::E4, promotion: None });
    bench.attempt(BoardId::A, Attempt::Move { from: Square::D3, to: Square::E4, promotion: None });
    bench.attempt(BoardId::B, Attempt::Move { from: Square::E2, to: Square::E4, promotion: None });
    assert_eq!(bench.off(), "P transit B, p pocket b, p transit b");
    bench.tray('b', ".");
    bench.tray('b', ".p"); // the one on its way came, the other is on the board already
    let dropped = bench.attempt(BoardId::B, Attempt::Drop { man: Role::Pawn.of(Color::Black), to: Square::E5 });
    assert!(dropped.unwrap().man.unwrap().first_seen.is_some(), "one that had been in the pocket");
    assert_eq!(bench.off(), "P transit B, p pocket b");
}

#[test]
fn a_man_whose_capture_is_recorded_anew_was_passed() {
    let go = |from, to| Attempt::Move { from, to, promotion: None };
    let mut bench = Bench::new(Game::new(RuleSet::WBN_1_00, 2));
    bench.attempt(BoardId::A, go(Square::E2, Square::E4));
    bench.attempt(BoardId::A, go(Square::D7, Square::D5));
    let before = bench.game.clone();
    bench.attempt(BoardId::A, go(Square::E4, Square::D5));
    bench.tray('b', "p");
    bench.tray('b', ".");
    assert_eq!(bench.off(), "p lifted b");
    bench.game = before;
    bench.ledger.sync(&bench.game, bench.now);
    assert_eq!(bench.off(), "", "the capture was another move");
    bench.attempt(BoardId::A, go(Square::E4, Square::D5));
    assert_eq!(bench.off(), "p lifted b", "it was this one after all");
}

#[test]
fn a_man_whose_capture_is_found_while_it_lies_there_has_not_left() {
    let go = |from, to| Attempt::Move { from, to, promotion: None };
    let mut bench = Bench::new(Game::new(RuleSet::WBN_1_00, 2));
    bench.tray('b', "p");
    for (from, to) in [(Square::E2, Square::E4), (Square::D7, Square::D5), (Square::E4, Square::D5)] {
        let played = bench.game.board(BoardId::A).as_move(go(from, to)).unwrap();
        bench.game.play(BoardId::A, played);
    }
    bench.ledger.sync(&bench.game, bench.now);
    bench.tray('b', "p");
    bench.tray('b', ".");
    bench.attempt(BoardId::B, go(Square::E2, Square::E4));
    bench.attempt(BoardId::B, Attempt::Drop { man: Role::Pawn.of(Color::Black), to: Square::E5 });
    bench.attempt(BoardId::A, go(Square::C7, Square::C6));
    bench.attempt(BoardId::A, go(Square::D5, Square::C6));
    assert_eq!(bench.off(), "p transit b", "the second one is on its way yet");
}

#[test]
fn the_drop_that_was_another_move_is_the_last_one() {
    let go = |from, to| Attempt::Move { from, to, promotion: None };
    let drop = |to| Attempt::Drop { man: Role::Pawn.of(Color::Black), to };
    let mut bench = with_two_captured_pawns();
    for letters in ["p", "."] {
        bench.tray('b', letters);
    }
    bench.attempt(BoardId::B, go(Square::E2, Square::E4));
    bench.attempt(BoardId::B, drop(Square::E5));
    bench.attempt(BoardId::B, go(Square::D2, Square::D3));
    let before = bench.game.clone();
    bench.attempt(BoardId::B, drop(Square::D5)); // straight from the partner's hand, as it seems
    assert_eq!(bench.off(), "");
    bench.game = before;
    bench.ledger.sync(&bench.game, bench.now);
    assert_eq!(bench.off(), "p transit b", "the one that had been in the tray stands on e5");
}

#[test]
fn a_drop_from_nowhere_is_counted() {
    let mut bench = Bench::new(Game::new(RuleSet::WBN_1_00, 2));
    let dropped = bench.attempt(BoardId::A, Attempt::Drop { man: Role::Knight.of(Color::White), to: Square::E4 });
    assert_eq!(dropped, Some(Dropped { man: None }));
    assert_eq!(bench.ledger.foreign(), 1);
    assert!(bench.ledger.agrees(&bench.game));
}

/// One thing that may happen, chosen by numbers.
fn happen(bench: &mut Bench, what: u8, choice: usize, other: usize) {
    let board = if choice.is_multiple_of(2) { BoardId::A } else { BoardId::B };
    match what {
        0..=5 => {
            let legal = bench.game.board(board).legal_moves();
            let captures: Vec<_> = legal.iter().filter(|m| m.is_capture() || m.from().is_none()).collect();
            let pick = if what < 4 && !captures.is_empty() {
                *captures[other % captures.len()]
            } else {
                let Some(m) = legal.get(other % legal.len().max(1)) else { return };
                *m
            };
            let attempt = match pick {
                crate::rules::Move::Put { role, to } => {
                    Attempt::Drop { man: role.of(bench.game.board(board).turn()), to }
                }
                m => Attempt::Move { from: m.from().unwrap_or(Square::A1), to: m.to(), promotion: m.promotion() },
            };
            bench.attempt(board, attempt);
        }
        6 => {
            let from = Square::new(choice as u32 % 64);
            bench.attempt(board, Attempt::Move { from, to: Square::new(other as u32 % 64), promotion: None });
        }
        7 => {
            let man = Role::ALL[choice % 6].of(bench.game.board(board).turn());
            bench.attempt(board, Attempt::Drop { man, to: Square::new(other as u32 % 64) });
        }
        8..=11 => {
            let letters = "pnbrqPNBRQ..x?";
            let slots: String = (0..6).map(|i| letters.as_bytes()[(choice + i * other) % 14] as char).collect();
            bench.tray(['A', 'a', 'B', 'b'][other % 4], &slots);
        }
        12 => bench.ledger.blind(seat(['A', 'a', 'B', 'b'][other % 4]), bench.now),
        _ => {
            let start = BoardPosition::new(RuleSet::WBN_1_00.moves);
            let kept = bench.game.board(board).clone();
            bench.game = Game::from_positions(RuleSet::WBN_1_00, [kept, start]);
            bench.ledger.sync(&bench.game, bench.now);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Every man has one place, the places are those of the game, and no man comes or goes but those from nowhere.
    #[test]
    fn men_are_conserved(inputs in prop::collection::vec((0..14u8, 0..1000usize, 0..1000usize), 1..120)) {
        let mut bench = Bench::new(Game::new(RuleSet::WBN_1_00, 2));
        for (what, choice, other) in inputs {
            happen(&mut bench, what, choice, other);
            prop_assert!(bench.ledger.agrees(&bench.game), "{}", bench.off());
            prop_assert_eq!(bench.ledger.men().len(), 64 + bench.ledger.foreign());
        }
    }
}

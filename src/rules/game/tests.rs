//! A table of boards under each law text and variant.

use super::*;
use crate::types::CastlingSide;

/// A table of these boards, given as FEN with pockets.
fn game(rules: &str, boards: &[&str]) -> Game {
    let rules: RuleSet = rules.parse().unwrap();
    let positions = boards.iter().map(|fen| {
        let fen: shakmaty::fen::Fen = fen.parse().unwrap();
        BoardPosition::from_setup(fen.as_setup(), 0, rules.moves)
    });
    Game::from_positions(rules.clone(), positions)
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1";

fn goes(from: Square, to: Square) -> Attempt {
    Attempt::Move { from, to, promotion: None }
}

fn drop(role: Role, color: Color, to: Square) -> Attempt {
    Attempt::Drop { man: role.of(color), to }
}

fn play(game: &mut Game, board: BoardId, attempt: Attempt) -> Option<Transfer> {
    let m = game.board(board).as_move(attempt).unwrap();
    game.play(board, m)
}

fn reasons(game: &Game, seat: char, attempt: Attempt) -> Vec<Reason> {
    game.reasons(Seat::from_letter(seat).unwrap(), attempt)
}

#[test]
fn what_is_captured_goes_to_the_partner_in_the_partners_colour() {
    // WBN 1.1, WBN 1.6, WBN 5.7
    let mut game = game("wbn-1.00", &["4k3/8/8/3q~4/4P3/8/8/4K3[] w - - 0 1", START]);
    let transfer = play(&mut game, BoardId::A, goes(Square::E4, Square::D5)).unwrap();
    assert_eq!((transfer.from.letter(), transfer.to.letter(), transfer.man.char()), ('A', 'b', 'p'));
    assert_eq!(*game.board(BoardId::B).pocket(Color::Black).get(Role::Pawn), 1);
}

#[test]
fn a_man_that_was_dropped_before_its_capture_was_known_goes_to_no_pocket() {
    let mut game = game("wbn-1.00", &["4k3/8/8/3n4/4P3/8/8/4K3[] w - - 0 1", START]);
    let seat = Seat::from_letter('b').unwrap();
    game.owe(seat, Role::Knight);
    assert_eq!(game.owed(seat).knight, 1);
    let transfer = play(&mut game, BoardId::A, goes(Square::E4, Square::D5)).unwrap();
    assert!(transfer.dropped);
    assert_eq!((game.owed(seat).knight, game.board(BoardId::B).pocket(Color::Black).knight), (0, 0));
}

#[test]
fn what_is_owed_is_paid_by_the_next_two_plies_and_forgotten_after_six() {
    let middle = "4k3/p7/8/3n4/4P3/8/P7/4K3[] w - - 0 1";
    let seat = Seat::from_letter('b').unwrap();
    let waits =
        [(Square::E1, Square::E2), (Square::E8, Square::E7), (Square::E2, Square::E1), (Square::E7, Square::E8)];
    for (plies, dropped) in [(0, true), (2, false)] {
        let mut game = game("wbn-1.00", &[middle, START]);
        game.owe(seat, Role::Knight);
        waits[..plies].iter().for_each(|(from, to)| _ = play(&mut game, BoardId::A, goes(*from, *to)));
        let transfer = play(&mut game, BoardId::A, goes(Square::E4, Square::D5)).unwrap();
        assert_eq!(transfer.dropped, dropped, "after {plies}");
    }
    let mut game = game("wbn-1.00", &[middle, START]);
    game.owe(seat, Role::Knight);
    for (ply, (from, to)) in waits.iter().cycle().take(7).enumerate() {
        assert_eq!(game.owed(seat).knight, 1, "after {ply}");
        play(&mut game, BoardId::A, goes(*from, *to));
    }
    assert_eq!(game.owed(seat).knight, 0);
}

#[test]
fn promoted_men_may_keep_their_rank() {
    let mut game = game("wbn-1.00,promoted-keep-rank", &["4k3/8/8/3q~4/4P3/8/8/4K3[] w - - 0 1", START]);
    let transfer = play(&mut game, BoardId::A, goes(Square::E4, Square::D5)).unwrap();
    assert_eq!(transfer.man.char(), 'q');
}

#[test]
fn a_capturer_with_two_partners_chooses() {
    let middle = "4k3/8/8/3q4/4P3/8/8/4K3[] w - - 0 1";
    let take = Attempt::Move { from: Square::E4, to: Square::D5, promotion: None };
    for (chosen, expect) in [(None, 'a'), (Some('a'), 'a'), (Some('c'), 'c'), (Some('C'), 'a'), (Some('b'), 'a')] {
        let mut game = game("wbn-1.00", &[START, middle, START]);
        let m = game.board(BoardId::B).as_move(take).unwrap();
        let transfer = game.play_to(BoardId::B, m, chosen.and_then(Seat::from_letter)).unwrap();
        assert_eq!(transfer.to.letter(), expect, "{chosen:?}");
        assert_eq!(*game.board(transfer.to.board).pocket(Color::Black).get(Role::Queen), 1);
    }
}

#[test]
fn more_boards_bring_more_men() {
    // WBN 1.5: two knights of a set here, and a third may still come from another set
    let fen = "7k/8/8/8/8/8/1PP5/KN1N3r[] w - - 0 1";
    let one = game("wbn-1.00", &[fen]);
    assert_eq!(one.len(), 1);
    assert!(!one.board(BoardId::A).may_arrive(Role::Knight, 1));
    assert!(one.board(BoardId::A).may_arrive(Role::Knight, 2));
}

fn shuffle(game: &mut Game, times: usize) {
    for _ in 0..times {
        for (from, to) in
            [(Square::G1, Square::F3), (Square::G8, Square::F6), (Square::F3, Square::G1), (Square::F6, Square::G8)]
        {
            play(game, BoardId::A, goes(from, to));
        }
    }
}

#[test]
fn repetition_on_the_board_or_about_to_appear() {
    let mut wbn = game("wbn-1.00", &[START, START]);
    shuffle(&mut wbn, 1);
    assert_eq!(wbn.occurrences(BoardId::A), 2);
    assert!(!wbn.claims_repetition(BoardId::A, None));
    for (from, to) in [(Square::G1, Square::F3), (Square::G8, Square::F6), (Square::F3, Square::G1)] {
        play(&mut wbn, BoardId::A, goes(from, to));
    }
    let back = wbn.board(BoardId::A).as_move(goes(Square::F6, Square::G8)).unwrap();
    let other = wbn.board(BoardId::A).as_move(goes(Square::F6, Square::H5)).unwrap();
    assert_eq!(wbn.occurrences_after(BoardId::A, back), 3); // WBN 2.2b
    assert!(wbn.claims_repetition(BoardId::A, Some(back))); // WBN 3.2
    assert!(!wbn.claims_repetition(BoardId::A, Some(other))); // WBN 3.4
    wbn.play(BoardId::A, back);
    assert!(wbn.claims_repetition(BoardId::A, None)); // WBN 2.2b
    play(&mut wbn, BoardId::A, goes(Square::E2, Square::E4));
    assert!(!wbn.claims_repetition(BoardId::A, None)); // WBN 3.3
}

#[test]
fn repetition_needs_four_under_fide_ext() {
    // FIDE-ext 4.1
    let mut fide = game("fide-ext", &[START, START]);
    shuffle(&mut fide, 2);
    assert_eq!((fide.occurrences(BoardId::A), fide.claims_repetition(BoardId::A, None)), (3, false));
    shuffle(&mut fide, 1);
    assert!(fide.claims_repetition(BoardId::A, None));
}

#[test]
fn pockets_make_no_difference_to_repetition() {
    // WBN 2.2b
    let mut game = game("wbn-1.00", &[START, START]);
    shuffle(&mut game, 1);
    game.boards[0].add_to_pocket(Color::White, Role::Queen);
    shuffle(&mut game, 1);
    assert_eq!(game.occurrences(BoardId::A), 3);
}

#[test]
fn a_hidden_kind_may_be_restricted() {
    // WBN 1.8b, WBN 1.8c
    let mut game = game("wbn-1.00", &["4k3/8/8/8/8/8/8/4K3[B] w - - 0 1", START]);
    let bishop = drop(Role::Bishop, Color::White, Square::E4);
    let seat = BoardId::A.seat(Color::White);
    game.restrict(seat, Role::Bishop, true);
    assert_eq!(game.reasons(seat, bishop), [Reason::RestrictedPiece]);
    game.restrict(seat, Role::Bishop, false);
    assert_eq!(game.reasons(seat, bishop), []);
}

#[test]
fn the_other_sides_turn() {
    // WBN 1.4
    let game = game("wbn-1.00", &[START, START]);
    assert_eq!(reasons(&game, 'a', goes(Square::E7, Square::E5)), [Reason::NotYourPiece, Reason::NotYourTurn]);
    assert_eq!(reasons(&game, 'B', goes(Square::E2, Square::E4)), []);
}

#[test]
fn one_clock_has_a_fixed_order() {
    let mut game = game("wbn-1.00,one-clock", &[START, START]);
    let mut order = String::new();
    let out = [(Square::G1, Square::F3), (Square::G8, Square::F6)];
    let back = out.map(|(from, to)| (to, from));
    for (from, to) in [out, back].concat() {
        for _ in 0..2 {
            let seat = game.next_in_ring().unwrap();
            assert!(game.may_move(seat) && !game.may_move(seat.opponent()));
            order.push(seat.letter());
            play(&mut game, seat.board, goes(from, to));
        }
    }
    assert_eq!(order, "ABbaABba");
}

#[test]
fn without_clocks_nobody_stalls_for_long() {
    let mut game = game("wbn-1.00,no-clock", &[START, START]);
    let waiting = BoardId::A.seat(Color::White);
    play(&mut game, BoardId::B, goes(Square::E2, Square::E4));
    for count in 1..=4 {
        assert!(!game.stalls(waiting), "{count}");
        let out = [(Square::G8, Square::F6), (Square::G1, Square::F3)]; // the partner, Black on B, begins
        for (from, to) in if count % 2 == 1 { out } else { out.map(|(from, to)| (to, from)) } {
            play(&mut game, BoardId::B, goes(from, to));
        }
    }
    assert!(game.stalls(waiting));
}

#[test]
fn mate_wins_and_is_lifted_by_the_next_move() {
    // WBN 2.1, WBN 1.16: Black escapes with an illegal move that stands, White goes on, and nobody is mated any more
    let mut game = game("wbn-1.00", &["6rk/6pp/8/6N1/8/8/8/4K3[] w - - 0 1", START]);
    play(&mut game, BoardId::A, goes(Square::G5, Square::F7));
    assert_eq!(game.board_end(BoardId::A), Some(BoardEnd::won(BoardId::A, Color::White)));
    let escape = goes(Square::H8, Square::G8);
    assert_eq!(reasons(&game, 'a', escape), [Reason::OwnPieceCaptured]);
    play(&mut game, BoardId::A, goes(Square::H7, Square::H6));
    play(&mut game, BoardId::A, goes(Square::F7, Square::H6));
    assert_eq!(game.board_end(BoardId::A), None);
}

#[test]
fn kings_may_be_captured() {
    let mut captured = game("wbn-1.00,king-capture", &["4k3/8/8/8/8/8/4r3/R3K2R[] w KQ - 0 1", START]);
    let ignore = goes(Square::A1, Square::B1);
    assert_eq!(reasons(&captured, 'A', ignore), []);
    assert!(!captured.is_mate(BoardId::A));
    play(&mut captured, BoardId::A, ignore);
    assert_eq!(reasons(&captured, 'a', goes(Square::E2, Square::E1)), []);
    assert_eq!(play(&mut captured, BoardId::A, goes(Square::E2, Square::E1)), None, "the king goes nowhere");
    assert_eq!(captured.board_end(BoardId::A), Some(BoardEnd::won(BoardId::A, Color::Black)));
}

#[test]
fn kings_may_be_collected() {
    let boards = ["4k3/8/8/8/8/8/4r3/4K3[] b - - 0 1", "4k3/4R3/8/8/8/8/8/4K3[] w - - 0 1"];
    let mut game = game("wbn-1.00,all-kings", &boards);
    let transfer = play(&mut game, BoardId::A, goes(Square::E2, Square::E1)).unwrap();
    assert_eq!((transfer.to.letter(), transfer.man.char()), ('B', 'K'));
    assert_eq!(game.holds_all_kings(), None);
    assert_eq!(reasons(&game, 'B', drop(Role::King, Color::White, Square::A1)), []);
    play(&mut game, BoardId::B, goes(Square::E7, Square::E8));
    assert_eq!(game.holds_all_kings(), Some(Team::BlackA));
}

#[test]
fn stalemate_counts_only_where_a_rule_set_says_so() {
    // FIDE-ext 3.7
    let locked = "7k/5K2/6Q1/8/8/8/8/8[] b - - 0 1";
    assert_eq!(game("fide-ext", &[locked, START]).board_end(BoardId::A), None);
    let alone = game("wbn-1.00,stalemate=true", &[locked, START]);
    assert_eq!(alone.board_end(BoardId::A), None, "a drop may come");
}

#[test]
fn a_dropped_rook_castles_where_the_king_has_not_moved() {
    let castle = Attempt::Castle(CastlingSide::KingSide);
    let fen = "4k3/8/8/8/8/8/8/R3K3[R] w Q - 0 1";
    for (rules, expect) in [("wbn-1.00", vec![Reason::CastlingRights]), ("fide-ext", vec![])] {
        let mut game = game(rules, &[fen, START]);
        play(&mut game, BoardId::A, drop(Role::Rook, Color::White, Square::H1));
        play(&mut game, BoardId::A, goes(Square::E8, Square::E7));
        assert_eq!(reasons(&game, 'A', castle), expect, "{rules}"); // WBN 5.8, FIDE-ext 3.5
    }
}

#[test]
fn an_unmoved_king_gets_its_rights_back_even_from_none() {
    // FIDE-ext 3.5
    let mut game = game("fide-ext", &["4k2r/8/8/8/8/8/6n1/4K2R[R] b K - 0 1", START]);
    play(&mut game, BoardId::A, goes(Square::H8, Square::H1));
    assert!(game.board(BoardId::A).castles().is_empty());
    play(&mut game, BoardId::A, drop(Role::Rook, Color::White, Square::A1));
    assert!(game.board(BoardId::A).castles().has(Color::White, CastlingSide::QueenSide));
}

#[test]
fn a_king_at_home_is_not_said_to_have_moved() {
    // FIDE-ext 3.5: a position without rights does not tell whether kings or rooks have gone
    let mut game = game("fide-ext", &["4k3/8/8/8/8/8/8/4K3[R] w - - 0 1", "4k3/8/8/8/8/8/8/3K4[R] w - - 0 1"]);
    for (board, expect) in [(BoardId::A, true), (BoardId::B, false)] {
        play(&mut game, board, drop(Role::Rook, Color::White, Square::H1));
        assert_eq!(game.board(board).castles().has(Color::White, CastlingSide::KingSide), expect, "{board}");
    }
}

#[test]
fn a_king_that_moved_gets_no_rights_back() {
    // FIDE-ext 3.5
    let mut game = game("fide-ext", &["4k3/8/8/8/8/8/8/R3K3[R] w Q - 0 1", START]);
    for (from, to) in [(Square::E1, Square::E2), (Square::E8, Square::E7), (Square::E2, Square::E1)] {
        play(&mut game, BoardId::A, goes(from, to));
    }
    play(&mut game, BoardId::A, goes(Square::E7, Square::E8));
    play(&mut game, BoardId::A, drop(Role::Rook, Color::White, Square::H1));
    assert!(game.board(BoardId::A).castles().is_empty());
}

#[test]
fn a_dropped_pawn_steps_two_and_is_taken_in_passing() {
    // WBN 5.11, WBN 5.7d, FIDE-ext 3.5
    for rules in ["wbn-1.00", "cz-2024.06", "fide-ext"] {
        let mut game = game(rules, &["4k3/8/8/8/3p4/8/8/4K3[P] w - - 0 1", START]);
        play(&mut game, BoardId::A, drop(Role::Pawn, Color::White, Square::E2));
        play(&mut game, BoardId::A, goes(Square::E8, Square::E7));
        assert_eq!(reasons(&game, 'A', goes(Square::E2, Square::E4)), []);
        play(&mut game, BoardId::A, goes(Square::E2, Square::E4));
        assert_eq!(reasons(&game, 'a', goes(Square::D4, Square::E3)), []);
        assert!(play(&mut game, BoardId::A, goes(Square::D4, Square::E3)).is_some());
    }
}

#[test]
fn a_dropped_pawn_may_have_to_step_one() {
    let mut game = game("wbn-1.00,dropped_pawn_steps_two=false", &["4k3/8/8/8/8/8/3P4/4K3[P] w - - 0 1", START]);
    play(&mut game, BoardId::A, drop(Role::Pawn, Color::White, Square::E2));
    play(&mut game, BoardId::A, goes(Square::E8, Square::E7));
    assert_eq!(reasons(&game, 'A', goes(Square::E2, Square::E4)), [Reason::Geometry]);
    assert_eq!(reasons(&game, 'A', goes(Square::D2, Square::D4)), []);
}

#[test]
fn where_men_may_be_dropped() {
    let fen = "4k3/8/8/8/8/8/8/4K3[NP] w - - 0 1";
    let (knight, pawn) = (Role::Knight, Role::Pawn);
    for (rules, role, to, expect) in [
        ("wbn-1.00", pawn, Square::A8, Some(Reason::PawnDropRank)), // WBN 5.10
        ("wbn-1.00", pawn, Square::A1, Some(Reason::PawnDropRank)), // WBN 5.10
        ("fide-ext", pawn, Square::A7, None),                       // FIDE-ext 3.4
        ("wbn-1.00,own-half", knight, Square::A4, None),
        ("wbn-1.00,own-half", knight, Square::A5, Some(Reason::DropRank)),
        ("wbn-1.00,middle-ranks", knight, Square::A2, Some(Reason::DropRank)),
        ("wbn-1.00,middle-ranks", pawn, Square::A2, Some(Reason::PawnDropRank)),
        ("wbn-1.00,middle-ranks", knight, Square::A3, None),
        ("wbn-1.00,no-pawn-on-7th", pawn, Square::A7, Some(Reason::PawnDropRank)),
        ("wbn-1.00,no-pawn-on-7th", pawn, Square::A6, None),
        ("wbn-1.00,no-pawn-on-6th", pawn, Square::A6, Some(Reason::PawnDropRank)),
        ("wbn-1.00,pawn-on-1st", pawn, Square::A1, None),
        ("wbn-1.00,no-drop-with-check", knight, Square::C7, Some(Reason::DropGivesCheck)),
        ("wbn-1.00,no-drop-with-check", pawn, Square::D7, Some(Reason::DropGivesCheck)),
        ("wbn-1.00,no-drop-with-check", knight, Square::C6, None),
        ("wbn-1.00,tandem", knight, Square::C7, None),
    ] {
        let game = game(rules, &[fen, START]);
        let found = reasons(&game, 'A', drop(role, Color::White, to));
        assert_eq!(found, Vec::from_iter(expect), "{rules} {role:?} {to}");
    }
}

#[test]
fn black_counts_ranks_from_its_own_side() {
    let game = game("wbn-1.00,own-half", &["4k3/8/8/8/8/8/8/4K3[n] b - - 0 1", START]);
    assert_eq!(reasons(&game, 'a', drop(Role::Knight, Color::Black, Square::A5)), []);
    assert_eq!(reasons(&game, 'a', drop(Role::Knight, Color::Black, Square::A4)), [Reason::DropRank]);
}

#[test]
fn a_drop_may_not_mate_in_tandem() {
    let smothered = "6rk/6pp/8/8/8/8/8/4K3[N] w - - 0 1";
    let mates = drop(Role::Knight, Color::White, Square::F7);
    assert_eq!(reasons(&game("wbn-1.00", &[smothered, START]), 'A', mates), []);
    assert_eq!(reasons(&game("wbn-1.00,tandem", &[smothered, START]), 'A', mates), [Reason::DropGivesMate]);
}

#[test]
fn drop_limits_hold_for_the_parrying_drop() {
    // WBN 1.5: Ra8+ is parried on b8 to f8 by any man but a pawn; on the own half only it is Black's first rank
    let fen = "R5k1/5ppp/8/8/8/8/8/6K1[] b - - 0 1";
    for (rules, mate) in [("wbn-1.00", false), ("wbn-1.00,own-half", false), ("wbn-1.00,middle-ranks", true)] {
        assert_eq!(game(rules, &[fen, START]).is_mate(BoardId::A), mate, "{rules}");
    }
}

#[test]
fn interposing_on_the_first_rank_takes_more_than_a_pawn() {
    // WBN 1.5: Ra1+ Kc1 with b1 empty is parried by a knight, never by a pawn
    let fen = "7k/8/8/8/8/8/1PPP4/r1KR4[] w - - 0 1";
    let table = game("wbn-1.00", &[fen, START]);
    assert_eq!(table.board(BoardId::A).parrying_drop(2), Some((Role::Knight, Square::B1)));
    assert!(!table.board(BoardId::A).is_legal_drop(Role::Pawn, Square::B1));
}

#[test]
fn pawns_never_promote() {
    let mut game = game("wbn-1.00,no-promotion", &["7k/P7/8/8/8/8/8/K7[] w - - 0 1", START]);
    let step = goes(Square::A7, Square::A8);
    assert_eq!(reasons(&game, 'A', step), []);
    let queen = Attempt::Move { from: Square::A7, to: Square::A8, promotion: Some(Role::Queen) };
    assert_eq!(reasons(&game, 'A', queen), [Reason::PromotionPiece]);
    play(&mut game, BoardId::A, step);
    assert_eq!(game.board(BoardId::A).board().role_at(Square::A8), Some(Role::Pawn));
    assert_eq!(game.board(BoardId::A).count_legal_moves(), 3, "the king of Black; the pawn attacks nothing");
}

#[test]
fn fide_ext_promotes_to_four_kinds() {
    // FIDE-ext 3.6
    let table = game("fide-ext", &["7k/P7/8/8/8/8/8/K7[] w - - 0 1", START]);
    let rook = Attempt::Move { from: Square::A7, to: Square::A8, promotion: Some(Role::Rook) };
    assert_eq!(reasons(&table, 'A', rook), []);
    let table = game("wbn-1.00", &["7k/P7/8/8/8/8/8/K7[] w - - 0 1", START]);
    assert_eq!(reasons(&table, 'A', rook), [Reason::PromotionPiece]); // WBN 5.7
}

#[test]
fn a_man_of_the_opponent_that_was_moved_keeps_its_colour() {
    let mut game = game("wbn-1.00", &[START, START]);
    play(&mut game, BoardId::A, goes(Square::E7, Square::E5));
    assert_eq!(game.board(BoardId::A).board().piece_at(Square::E5), Some(Role::Pawn.of(Color::Black)));
}

#[test]
fn castling_names_all_that_is_in_its_way() {
    // WBN 5.8
    let table = game("wbn-1.00", &["5r1k/8/8/8/8/8/8/R3K1NR[] w Q - 0 1", START]);
    assert_eq!(
        reasons(&table, 'A', Attempt::Castle(CastlingSide::KingSide)),
        [Reason::CastlingRights, Reason::CastlingThroughCheck, Reason::CastlingBlocked]
    );
}

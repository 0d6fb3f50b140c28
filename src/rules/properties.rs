//! Properties that hold in any position, also in those that no legal play reaches.

use proptest::prelude::*;
use shakmaty::{Board, Setup};

use super::{Attempt, BoardPosition, Game, Move, RuleSet, Transfer, VARIANTS, perft};
use crate::types::{Bitboard, BoardId, ByColor, ByRole, CastlingSide, Color, Piece, Role, Seat, Square};

/// The most plies that a random game has.
const PLIES_MAX: usize = 60;

fn any_square() -> impl Strategy<Value = Square> {
    (0..64u32).prop_map(Square::new)
}

fn any_role() -> impl Strategy<Value = Role> {
    (0..6usize).prop_map(|index| Role::ALL[index])
}

fn any_man() -> impl Strategy<Value = Piece> {
    (any_role(), any::<bool>()).prop_map(|(role, white)| role.of(Color::from_white(white)))
}

/// A law text, plain or as one of the variants.
pub(crate) fn any_rules() -> impl Strategy<Value = RuleSet> {
    (0..RuleSet::ALL.len(), 0..=VARIANTS.len()).prop_map(|(base, variant)| {
        let mut rules = RuleSet::ALL[base].clone();
        if let Some(variant) = VARIANTS.get(variant) {
            rules.vary(variant.name).unwrap();
        }
        rules
    })
}

/// Any men anywhere: no kings or several, pawns on any rank, pockets with anything.
fn any_setup() -> impl Strategy<Value = Setup> {
    let men = prop::collection::vec((any_square(), any_man(), any::<bool>()), 0..64);
    let pockets = prop::collection::vec((any_man(), 0..5u8), 0..8);
    (men, pockets, any::<bool>(), any::<u64>(), prop::option::of(any_square()), any::<bool>()).prop_map(
        |(men, pockets, white, rights, ep, kings)| {
            let mut setup = Setup::empty();
            for (square, man, promoted) in men {
                setup.board.set_piece_at(square, man);
                setup.promoted.set(square, promoted);
            }
            if kings {
                set_home(&mut setup.board);
            }
            let mut held: ByColor<ByRole<u8>> = ByColor::default();
            pockets.into_iter().for_each(|(man, count)| *held.get_mut(man.color).get_mut(man.role) = count);
            setup.pockets = Some(held);
            setup.turn = Color::from_white(white);
            setup.castling_rights = Bitboard(rights);
            setup.ep_square = ep;
            setup
        },
    )
}

/// Exactly one king a side, at home, with a rook each.
fn set_home(board: &mut Board) {
    for square in board.kings() {
        board.discard_piece_at(square);
    }
    for (square, man) in [(Square::E1, 'K'), (Square::E8, 'k'), (Square::H1, 'R'), (Square::A8, 'r')] {
        board.set_piece_at(square, Piece::from_char(man).unwrap());
    }
}

fn any_attempt() -> impl Strategy<Value = Attempt> {
    prop_oneof![
        6 => (any_square(), any_square(), prop::option::of(any_role()))
            .prop_map(|(from, to, promotion)| Attempt::Move { from, to, promotion }),
        3 => (any_man(), any_square()).prop_map(|(man, to)| Attempt::Drop { man, to }),
        1 => any::<bool>().prop_map(|queen| Attempt::Castle(CastlingSide::from_queen_side(queen))),
    ]
}

fn all_attempts() -> Vec<Attempt> {
    let squares = || Square::ALL.into_iter();
    let mut all: Vec<Attempt> = [CastlingSide::KingSide, CastlingSide::QueenSide].map(Attempt::Castle).into();
    for to in squares() {
        all.extend(squares().map(|from| Attempt::Move { from, to, promotion: None }));
        for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
            all.extend(squares().map(|from| Attempt::Move { from, to, promotion: Some(role) }));
        }
        for color in Color::ALL {
            all.extend(Role::ALL.map(|role| Attempt::Drop { man: role.of(color), to }));
        }
    }
    all
}

/// A pawn's promotion counts where it promotes only.
fn is_sensible(position: &BoardPosition, attempt: Attempt) -> bool {
    let Attempt::Move { from, to, promotion: Some(_) } = attempt else { return true };
    let pawn = position.board().piece_at(from).filter(|man| man.role == Role::Pawn);
    pawn.is_some_and(|man| BoardPosition::is_last_rank(man.color, to))
}

/// The list, the number, the predicate and the reasons agree on every attempt.
fn check_agreement(position: &BoardPosition) {
    let list = position.legal_moves();
    assert_eq!(list.len(), position.count_legal_moves());
    let mut legal: Vec<Move> = Vec::new();
    for attempt in all_attempts().into_iter().filter(|attempt| is_sensible(position, *attempt)) {
        let m = position.as_move(attempt).filter(|m| position.is_legal(*m));
        let reasons = position.reasons(attempt);
        assert_eq!(m.is_some(), reasons.is_empty(), "{attempt:?} {reasons:?} in {position:?}");
        assert!(reasons.is_sorted());
        legal.extend(m.filter(|m| !legal.contains(m)));
    }
    for m in &list {
        assert!(legal.contains(m), "{m:?} is in the list only, in {position:?}");
    }
    assert_eq!(legal.len(), list.len());
    assert_eq!(position.has_board_move(), list.iter().any(|m| !matches!(m, Move::Put { .. })));
    assert_eq!(position.ep_square(), list.iter().find(|m| matches!(m, Move::EnPassant { .. })).map(|m| m.to()));
    for m in list.iter().flat_map(|m| near(*m)) {
        assert_eq!(position.is_legal(m), list.contains(&m), "{m:?} in {position:?}");
    }
}

/// Moves that differ from a legal one in one of their parts; most are no moves at all.
fn near(m: Move) -> Vec<Move> {
    let roles = || Role::ALL.into_iter().map(Some).chain([None]);
    let squares = || Square::ALL.into_iter();
    match m {
        Move::Normal { role, from, capture, to, promotion } => {
            let normal = |role, from, capture, promotion| Move::Normal { role, from, capture, to, promotion };
            let mut all: Vec<Move> = roles().flatten().map(|role| normal(role, from, capture, promotion)).collect();
            all.extend(roles().map(|capture| normal(role, from, capture, promotion)));
            all.extend(roles().map(|promotion| normal(role, from, capture, promotion)));
            all.extend(squares().map(|from| normal(role, from, capture, promotion)));
            all.push(Move::EnPassant { from, to });
            all
        }
        Move::EnPassant { from, to } => {
            let others = squares().flat_map(|other| [(from, other), (other, to)]);
            others.map(|(from, to)| Move::EnPassant { from, to }).collect()
        }
        Move::Castle { king, rook } => {
            let others = squares().flat_map(|other| [(king, other), (other, rook)]);
            others.map(|(king, rook)| Move::Castle { king, rook }).collect()
        }
        Move::Put { to, .. } => Role::ALL.map(|role| Move::Put { role, to }).into(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn the_list_the_number_the_predicate_and_the_reasons_agree(setup in any_setup(), rules in any_rules()) {
        check_agreement(&BoardPosition::from_setup(&setup, 0, rules.moves));
    }

    #[test]
    fn illegal_moves_stand_and_play_goes_on(
        setups in prop::collection::vec(any_setup(), 1..4),
        rules in any_rules(),
        attempts in prop::collection::vec((0..4usize, any_attempt()), 0..PLIES_MAX),
    ) {
        let positions = setups.iter().map(|setup| BoardPosition::from_setup(setup, 0, rules.moves));
        let mut game = Game::from_positions(rules.clone(), positions);
        for (board, attempt) in attempts {
            let board = BoardId::new(board % game.len()).unwrap();
            let seat = board.seat(game.board(board).turn());
            let reasons = game.reasons(seat, attempt);
            let Some(m) = game.board(board).as_move(attempt) else { continue };
            let _ = (game.is_mate(board), game.board_end(board), game.last_drop(board), game.holds_all_kings());
            let _ = (reasons, game.claims_repetition(board, Some(m)), game.occurrences_after(board, m));
            let men = count(&game);
            let transfer = game.play(board, m);
            let dropped = matches!(attempt, Attempt::Drop { .. });
            prop_assert!(count(&game) <= men + usize::from(dropped));
            prop_assert!(transfer.is_none_or(|transfer| transfer.to.team() == transfer.from.team()));
        }
        game.ids().for_each(|board| check_agreement(game.board(board)));
    }

    #[test]
    fn legal_play_keeps_all_men(
        boards in 2..5usize,
        rules in any_rules(),
        choices in prop::collection::vec((any::<u8>(), any::<u16>()), 0..PLIES_MAX),
    ) {
        let mut game = Game::new(rules, boards);
        let men = count(&game);
        for (board, choice) in choices {
            let board = BoardId::new(usize::from(board) % boards).unwrap();
            let moves = game.board(board).legal_moves();
            if moves.is_empty() || game.ids().any(|board| game.board_end(board).is_some()) {
                break;
            }
            let seat = board.seat(game.board(board).turn());
            let m = moves[usize::from(choice) % moves.len()];
            let transfer = game.play(board, m);
            let is_right = |transfer: Transfer| transfer.from == seat && transfer.man.color == transfer.to.color;
            prop_assert!(transfer.is_none_or(is_right));
            let lost = Color::ALL.into_iter().filter(|color| game.board(board).kings(*color).is_empty()).count();
            prop_assert!(count(&game) >= men - lost);
        }
    }
}

/// Men on all boards and in all pockets.
fn count(game: &Game) -> usize {
    let held = |seat: Seat| game.board(seat.board).pocket(seat.color).iter().copied().map(usize::from).sum::<usize>();
    let standing = |board: BoardId| game.board(board).board().occupied().count();
    game.ids().map(standing).sum::<usize>() + Seat::all(game.len()).map(held).sum::<usize>()
}

#[test]
fn the_set_up_is_the_one_of_the_laws() {
    // WBN 4.3
    let start = BoardPosition::new(RuleSet::WBN_1_00.moves);
    assert_eq!(*start.board(), Setup::initial().board);
    assert_eq!((start.count_legal_moves(), perft(&start, 3)), (20, 8902));
}

#[test]
fn a_board_full_of_men_can_be_held_and_played_on() {
    // Forty pawns, no kings; several kings of one side.
    for fen in
        ["8/pppppppp/pppppppp/pppp4/PPPP4/PPPPPPPP/PPPPPPPP/8[] w - - 0 1", "kkk5/8/8/8/8/8/8/KKK5[Qq] b - - 0 1"]
    {
        let fen: shakmaty::fen::Fen = fen.parse().unwrap();
        let position = BoardPosition::from_setup(fen.as_setup(), 0, RuleSet::WBN_1_00.moves);
        assert!(perft(&position, 3) > 0);
        assert!(!position.is_mate(2));
    }
}

#[test]
fn a_king_left_in_check_may_be_looked_at_and_moved() {
    // The side that does not move is in check: an illegal move stood.
    let fen: shakmaty::fen::Fen = "4k3/4R3/8/8/8/8/8/4K3[] w - - 0 1".parse().unwrap();
    let position = BoardPosition::from_setup(fen.as_setup(), 0, RuleSet::WBN_1_00.moves);
    let take = Attempt::Move { from: Square::E7, to: Square::E8, promotion: None };
    assert_eq!(position.reasons(take), [super::Reason::KingCaptured]); // WBN 1.5
    let mut after = position.clone();
    after.play(position.as_move(take).unwrap());
    assert_eq!(after.king(Color::Black), None);
    assert_eq!(after.count_legal_moves(), 0);
}

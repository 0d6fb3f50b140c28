//! Properties of the notations: what is written reads back to the same value, in positions of random games.

use proptest::{collection::vec, prelude::*};
use shakmaty::{Move, Setup};

use super::{
    bfen::{Bfen, BfenBoard},
    bpgn::{self, Comment, GameMove, Reader, read_game},
    san::{self, SanError},
    uci,
};
use crate::{
    rules::{BoardPosition, Game, RuleSet, properties::any_rules},
    types::{BoardId, Color, Role, Square},
};

/// Plies of a random game.
const PLIES: usize = 120;

/// Plays: a number chooses the board and the move.
fn play(rules: &RuleSet, choices: &[u32], mut look: impl FnMut(&Game, BoardId, Move)) -> Game {
    let mut game = Game::new(rules.clone(), 2);
    for choice in choices {
        let board = if choice % 2 == 0 { BoardId::A } else { BoardId::B };
        let moves = game.board(board).legal_moves();
        if let Some(m) = moves.get((choice / 2) as usize % moves.len().max(1)) {
            look(&game, board, *m);
            game.play(board, *m);
        }
    }
    game
}

fn games() -> impl Strategy<Value = Vec<u32>> {
    vec(any::<u32>(), 0..PLIES)
}

/// Every legal move in SAN and as squares reads back, and nothing is written that could be left out (WBN E9).
fn check_moves(position: &BoardPosition) {
    for m in position.legal_moves() {
        let text = san::write_plain(position, m);
        let (read, marks) = san::read_with_marks(&text, position).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((read, marks.plain), (m, true), "{text}");
        assert_eq!(uci::read(&uci::write(m), position), Ok(m), "{text}");
        if marks.origin {
            let to = text.len() - 2;
            let shorter = format!("{}{}", &text[..1], &text[to..]);
            assert!(matches!(san::read(&shorter, position), Err(SanError::Ambiguous { .. })), "{text}");
        }
    }
}

/// A text without origin is a move exactly if one legal move fits.
fn check_candidates(position: &BoardPosition) {
    let moves = position.legal_moves();
    for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King] {
        for to in Square::ALL {
            let text = format!("{}{to}", role.upper_char());
            let fits = |m: &&Move| matches!(m, Move::Normal { role: r, to: t, .. } if *r == role && *t == to);
            let count = moves.iter().filter(fits).count();
            let read = match san::read(&text, position) {
                Ok(_) => 1,
                Err(SanError::Illegal { reasons, .. }) => {
                    assert!(!reasons.is_empty(), "{text}");
                    0
                }
                Err(_) => 2,
            };
            assert_eq!(read, count.min(2), "{text}");
        }
    }
}

fn word() -> impl Strategy<Value = String> {
    "[A-Za-z0-9+%\\[\\]\"\\\\.;:äß-]{1,12}"
}

fn words() -> impl Strategy<Value = String> {
    vec(word(), 1..30).prop_map(|words| words.join(" "))
}

fn comment() -> impl Strategy<Value = Comment> {
    prop_oneof![
        ("[ACDR]", words()).prop_map(|(kind, text)| Comment::Text(format!("{kind}: {text}"))),
        words().prop_map(Comment::Variation),
        (words(), words()).prop_map(|(a, b)| Comment::Variation(format!("{a} ({b})"))),
        Just(Comment::Variation("=".into())),
        any::<u8>().prop_map(Comment::Nag),
    ]
}

fn game_move() -> impl Strategy<Value = GameMove> {
    let san = "[KQRBN]?[a-h]?x?[a-h][1-8](=Q|=N)?[+#]?|[QRBNP]@[a-h][1-8]|O-O(-O)?";
    let clock = proptest::option::of(-100_000i64..1_000_000_000);
    (1u32..999, "[A-Ha-h]", san, clock, vec(comment(), 0..3)).prop_map(|(number, seat, san, clock_ms, comments)| {
        GameMove { number, seat: seat.parse().unwrap(), san, clock_ms, comments }
    })
}

fn tag() -> impl Strategy<Value = (String, String)> {
    ("[A-Z][A-Za-z0-9_]{0,9}", "[ -~äßю]{0,20}").prop_map(|(name, value)| (name, value.trim().to_owned()))
}

fn record() -> impl Strategy<Value = bpgn::Game> {
    let ending = proptest::option::of("[a-z ]{1,9}x");
    let result = prop_oneof![Just("1-0"), Just("0-1"), Just("1/2-1/2"), Just("*")];
    (vec(tag(), 1..6), vec(comment(), 0..3), vec(game_move(), 1..40), ending, result).prop_map(
        |(mut tags, preamble, moves, ending, result)| {
            tags.sort();
            tags.dedup_by(|a, b| a.0 == b.0);
            let ending = ending.map(|ending: String| ending.split_whitespace().collect::<Vec<_>>().join(" "));
            bpgn::Game { tags, preamble, moves, ending, result: result.to_owned() }
        },
    )
}

/// Any men anywhere, as an illegal move may leave them.
fn setup() -> impl Strategy<Value = Setup> {
    let men = vec((0u32..64, 0usize..12, any::<bool>()), 0..40);
    let pocket = vec((any::<bool>(), 0usize..6, 1u8..9), 0..5);
    (men, pocket, any::<bool>(), 0usize..16, proptest::option::of(0u32..64)).prop_map(
        |(men, pocket, white, rights, ep)| {
            let mut setup = Setup::empty();
            for (square, man, promoted) in men {
                let square = Square::new(square);
                setup.board.set_piece_at(square, Role::ALL[man % 6].of(Color::from_white(man < 6)));
                setup.promoted.set(square, promoted);
            }
            let pockets = setup.pockets.insert(Default::default());
            for (white, role, count) in pocket {
                *pockets.get_mut(Color::from_white(white)).get_mut(Role::ALL[role]) = count;
            }
            setup.turn = Color::from_white(white);
            let corners = [Square::A1, Square::H1, Square::A8, Square::H8];
            setup.castling_rights =
                corners.into_iter().enumerate().filter(|(i, _)| rights >> i & 1 == 1).map(|(_, s)| s).collect();
            setup.ep_square = ep.map(Square::new);
            setup
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn moves_read_back(rules in any_rules(), choices in games()) {
        let game = play(&rules, &choices, |game, board, m| {
            let position = game.board(board);
            let text = san::write(position, m, 2);
            let (read, marks) = san::read_with_marks(&text, position).unwrap();
            let mut after = position.clone();
            after.play(m);
            assert_eq!((read, marks.check, marks.mate), (m, after.checkers().any(), after.is_mate(2)), "{text}");
        });
        game.ids().for_each(|board| check_moves(game.board(board)));
        game.ids().for_each(|board| check_candidates(game.board(board)));
    }

    #[test]
    fn positions_of_games_read_back(rules in any_rules(), choices in games(), seconds in any::<[i32; 2]>()) {
        let [white, black] = seconds;
        let game = play(&rules, &choices, |_, _, _| {});
        let bfen = Bfen::of_game(&game, |board| (board == BoardId::A).then_some((white.into(), black.into())));
        let text = bfen.write();
        prop_assert_eq!(&Bfen::read(&text).unwrap(), &bfen);
        let again = Bfen::read(&text).unwrap().to_game(&rules);
        prop_assert_eq!(Bfen::of_game(&again, |board| bfen.boards[board.index()].seconds), bfen);
    }
}

proptest! {
    #[test]
    fn any_position_reads_back_in_both_orders_and_styles(setups in vec(setup(), 1..4), side_last: bool) {
        let boards: Vec<_> = setups.into_iter().map(|setup| BfenBoard { setup, seconds: Some((5, -5)) }).collect();
        let bfen = Bfen { boards };
        prop_assert_eq!(&Bfen::read(&bfen.write()).unwrap(), &bfen);
        let other: Vec<String> = bfen.boards.iter().map(|board| other_style(&board.write(), side_last)).collect();
        prop_assert_eq!(&Bfen::read(&other.join("|")).unwrap(), &bfen);
    }

    #[test]
    fn records_read_back(first in record(), second in record()) {
        let text = first.write();
        prop_assert_eq!(&read_game(&text, 1).unwrap().game, &first);
        let both = format!("{text}\n{}", second.write());
        let read: Vec<_> = Reader::new(both.as_bytes()).map(|parsed| parsed.unwrap().game).collect();
        prop_assert_eq!(read, [first, second]);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[ \\[\\]{}()$@\"\\\\A-Za-z0-9.+#=*\n/|~-]{0,200}") {
        let position = BoardPosition::new(RuleSet::WBN_1_00.moves);
        let _ = san::read(&text, &position);
        let _ = uci::read(&text, &position);
        let _ = Bfen::read(&text);
        if let Ok(parsed) = read_game(&text, 1) {
            let written = parsed.game.write();
            let again = read_game(&written, 1).unwrap_or_else(|e| panic!("{e}: {written}"));
            prop_assert_eq!(again.game.moves.len(), parsed.game.moves.len());
        }
    }
}

/// Holdings in brackets, and the side behind the rights if asked for.
fn other_style(board: &str, side_last: bool) -> String {
    let mut fields: Vec<String> = board.split(' ').map(str::to_owned).collect();
    if let Some((at, _)) = fields[0].match_indices('/').nth(7) {
        fields[0] = format!("{}[{}]", &fields[0][..at], &fields[0][at + 1..]);
    }
    if side_last {
        fields[1..4].rotate_left(1);
    }
    fields.join(" ")
}

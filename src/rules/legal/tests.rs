//! The set-up and the ways of the men, as the laws draw them.

use super::*;
use crate::rules::RuleSet;

/// Where the man on e4 may go, in the order of the squares.
fn check(fen: &str, expect: &str) {
    let fen: shakmaty::fen::Fen = fen.parse().unwrap();
    let position = BoardPosition::from_setup(fen.as_setup(), 0, RuleSet::WBN_1_00.moves);
    let from_e4 = position.legal_moves().into_iter().filter(|m| m.from() == Some(Square::E4));
    let squares: Bitboard = from_e4.map(|m| m.to()).collect();
    let found: Vec<String> = squares.into_iter().map(|square| square.to_string()).collect();
    assert_eq!(found.join(" "), expect, "{fen}");
}

#[test]
fn men_go_as_the_laws_draw_it() {
    check("7k/8/8/8/4B3/8/8/K7[] w - - 0 1", "b1 h1 c2 g2 d3 f3 d5 f5 c6 g6 b7 h7 a8"); // WBN 5.2
    check("7k/8/8/8/4R3/8/8/K7[] w - - 0 1", "e1 e2 e3 a4 b4 c4 d4 f4 g4 h4 e5 e6 e7 e8"); // WBN 5.3
    let queen = "b1 e1 h1 c2 e2 g2 d3 e3 f3 a4 b4 c4 d4 f4 g4 h4 d5 e5 f5 c6 e6 g6 b7 e7 h7 a8 e8";
    check("7k/8/8/8/4Q3/8/8/K7[] w - - 0 1", queen); // WBN 5.4
    check("7k/8/8/8/4N3/8/8/K7[] w - - 0 1", "d2 f2 c3 g3 c5 g5 d6 f6"); // WBN 5.6
    check("7k/8/8/8/4K3/8/8/8[] w - - 0 1", "d3 e3 f3 d4 f4 d5 e5 f5"); // WBN 5.8
    check("7k/8/8/3p1p2/4P3/8/8/K7[] w - - 0 1", "d5 e5 f5"); // WBN 5.7 a, c
    check("7k/8/8/3pp3/4P3/8/8/K7[] w - - 0 1", "d5"); // WBN 5.7 a
}

#[test]
fn men_in_the_way_stop_what_slides_and_not_what_jumps() {
    check("7k/8/8/3PpP2/3pR3/3P1P2/8/K3P3[] w - - 0 1", "e2 e3 d4 f4 g4 h4 e5"); // WBN 5.5
    check("7k/8/3P4/3PpP2/3pNp2/3PpP2/8/K7[] w - - 0 1", "d2 f2 c3 g3 c5 g5 f6"); // WBN 5.1, WBN 5.6
    check("4r2k/8/8/8/4B3/8/8/4K3[] w - - 0 1", ""); // WBN 5.9
    check("4r2k/8/8/8/4R3/8/8/4K3[] w - - 0 1", "e2 e3 e5 e6 e7 e8"); // WBN 5.9
}

#[test]
fn the_board_and_the_men_are_those_of_the_laws() {
    assert!(Square::H1.is_light() && Square::A8.is_light(), "the near corner to the right of either player"); // WBN 4.1
    let start = BoardPosition::new(RuleSet::WBN_1_00.moves);
    for color in Color::ALL {
        let men = |role: Role| (start.board.by_color(color) & start.board.by_role(role)).count();
        assert_eq!(Role::ALL.map(men), [8, 2, 2, 2, 1, 1]); // WBN 4.2
    }
}

//! Set-ups that are almost right (WBN 1.15, 4.1 to 4.3): what is wrong before each side has moved.
//!
//! In: a placement. Out: what is wrong, if the board looks like a set-up at all. It knows no clocks.

use serde_json::json;

use super::{
    docket::{Draft, Window},
    kind::Kind,
};
use crate::{
    rules::{BoardPosition, RuleSet},
    sense::Placement,
    types::{BoardId, Color, Piece, Role, Square},
};

/// Squares that may be wrong on what still is a set-up.
const WRONG_MAX: usize = 8;

/// King and queen stand on each other's squares.
const SWAPPED: &str = "king-and-queen-swapped";
/// Other men stand on each other's squares.
const EXCHANGED: &str = "men-on-wrong-squares";

/// What is wrong with a set-up; none when it is right or when the board is no set-up.
pub fn wrong_setup(rules: &RuleSet, board: BoardId, placement: &Placement, start: &BoardPosition) -> Option<Draft> {
    let wrong = placement.mismatch(start).any();
    if wrong.is_empty() {
        return None;
    }
    let squares: Vec<String> = wrong.into_iter().map(|square| square.to_string()).collect();
    let (reason, article) = if stands(placement, start, turned_left) || stands(placement, start, turned_right) {
        ("board-turned", "4.1")
    } else if wrong.count() > WRONG_MAX {
        return None;
    } else if Color::ALL.into_iter().any(|color| king_and_queen_swapped(placement, color)) {
        (SWAPPED, "4.3")
    } else if placement.mismatch(start).foreign.is_empty() {
        ("men-missing", "4.2")
    } else if exchanged(placement, start) {
        (EXCHANGED, "4.3")
    } else {
        ("wrong-men", "4.2")
    };
    let draft = Draft::at(Kind::WrongSetup, Some(board), json!({ "squares": squares })).reason(reason);
    Some(Draft { citation: cited(rules, article), window: Window::set_up(rules.law, board), ..draft })
}

/// Whether a set-up is certainly wrong, whatever single squares say that cannot be read: men stand exchanged. One that
/// stands where none is set up is on its way to its first move.
pub fn certainly_wrong(rules: &RuleSet, board: BoardId, placement: &Placement, start: &BoardPosition) -> Option<Draft> {
    let gone = placement.mismatch(start).foreign & !start.board().occupied();
    let wrong = wrong_setup(rules, board, placement, start).filter(|_| gone.is_empty());
    wrong.filter(|draft| [SWAPPED, EXCHANGED].contains(&draft.reason.as_str()))
}

/// Whether the squares that are wrong hold the men that belong there, in another order.
fn exchanged(placement: &Placement, start: &BoardPosition) -> bool {
    let wrong = placement.mismatch(start).any();
    let mut belong: Vec<Option<Piece>> = wrong.into_iter().map(|square| start.board().piece_at(square)).collect();
    wrong.into_iter().all(|square| {
        let stands = placement.kinds(square).single();
        let found = stands.and_then(|man| belong.iter().position(|other| *other == man));
        found.map(|index| belong.swap_remove(index)).is_some()
    })
}

/// The articles on the set-up are numbered alike in both law texts that have them; FIDE's has one for all, that of the
/// kind.
fn cited(rules: &RuleSet, article: &'static str) -> Option<(&'static str, &'static str)> {
    (rules.law != RuleSet::FIDE_EXT.law).then_some((rules.law, article))
}

fn stands(placement: &Placement, start: &BoardPosition, turned: fn(Square) -> Square) -> bool {
    Square::ALL.into_iter().all(|square| match start.board().piece_at(square) {
        Some(man) => placement.allows(man).contains(turned(square)),
        None => placement.allows_empty().contains(turned(square)),
    })
}

fn turned_left(square: Square) -> Square {
    square.flip_diagonal().flip_vertical()
}

fn turned_right(square: Square) -> Square {
    square.flip_diagonal().flip_horizontal()
}

fn king_and_queen_swapped(placement: &Placement, color: Color) -> bool {
    let (queen, king) = color.fold_wb((Square::D1, Square::E1), (Square::D8, Square::E8));
    let single = |square: Square, role: Role| placement.kinds(square).single() == Some(Some(Piece { color, role }));
    single(queen, Role::King) && single(king, Role::Queen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        rules::RuleSet,
        types::{Instant, Kinds},
    };

    fn placement(rows: &str) -> Placement {
        let mut placement = Placement::default();
        let rows: Vec<&str> = rows.split('/').collect();
        for square in Square::ALL {
            let letter = rows[7 - square.rank() as usize].as_bytes()[square.file() as usize] as char;
            placement.set(square, Kinds::exactly(Piece::from_char(letter)), Instant::ZERO);
        }
        placement
    }

    fn check(rows: &str, expect: Option<&str>) {
        let start = BoardPosition::new(RuleSet::WBN_1_00.moves);
        let found = wrong_setup(&RuleSet::WBN_1_00, BoardId::A, &placement(rows), &start);
        assert_eq!(found.map(|draft| draft.reason).as_deref(), expect, "{rows}");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let empty = "......../......../......../........";
        check(&format!("rnbqkbnr/pppppppp/{empty}/PPPPPPPP/RNBQKBNR"), None);
        // WBN 4.3
        check(&format!("rnbkqbnr/pppppppp/{empty}/PPPPPPPP/RNBQKBNR"), Some("king-and-queen-swapped"));
        check(&format!("rnbqkbnr/pppppppp/{empty}/PPPPPPPP/RBNQKBNR"), Some("men-on-wrong-squares"));
        check(&format!("rnbqkbnr/ppp.pppp/{empty}/PPPPPPPP/RNBQKBNR"), Some("men-missing")); // WBN 4.2
        check(&format!("rnbqkbnr/ppp.pppp/{empty}/PPPPPPPP/RNBPKBNR"), Some("wrong-men"));
        // WBN 4.1
        check("RP....pr/NP....pn/BP....pb/QP....pq/KP....pk/BP....pb/NP....pn/RP....pr", Some("board-turned"));
        check("rp....PR/np....PN/bp....PB/kp....PK/qp....PQ/bp....PB/np....PN/rp....PR", Some("board-turned"));
        check("......../......../......../......../......../......../....K.../....k...", None);
    }

    #[test]
    fn the_article_is_one_of_the_law_in_use() {
        let check = |rules: &RuleSet, expect: Option<(&str, &str)>| {
            let swapped = placement("rnbkqbnr/pppppppp/......../......../......../......../PPPPPPPP/RNBQKBNR");
            let found = wrong_setup(rules, BoardId::A, &swapped, &BoardPosition::new(rules.moves));
            assert_eq!(found.map(|draft| draft.citation), Some(expect), "{}", rules.law);
        };
        check(&RuleSet::WBN_1_00, Some(("WBN", "4.3")));
        check(&RuleSet::CZ_2024_06, Some(("CZ", "4.3")));
        check(&RuleSet::FIDE_EXT, None); // that of the kind: FIDE 2.3
    }
}

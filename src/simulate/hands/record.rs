//! From a game record to plies as hands need them.
//!
//! The rules say which man a written move means; a promoted man is still the pawn that it is made of.

use shakmaty::Move;

use crate::{
    notation::{
        bpgn,
        replay::{Fault, replay},
        san, uci,
    },
    rules::{Game, RuleSet},
    types::{BoardId, CastlingSide, Piece, Role},
};

use super::{Outcome, Ply, Terms};

/// Time of a record that says nothing about time.
const DEFAULT_BASE_MS: i64 = 300_000;
/// A minute in ms.
const MINUTE_MS: i64 = 60_000;
/// Longest time of a player that a clock can show, in seconds.
const BASE_MAX: i64 = 35_999;
/// Longest increment in seconds.
const INCREMENT_MAX: i64 = 600;

/// The plies of a record in its order, or where it breaks the rules.
pub fn plies_of(record: &bpgn::Game, ruleset: &RuleSet) -> Result<Vec<Ply>, Fault> {
    let played = replay(record, ruleset);
    if let Some(fault) = played.fault {
        return Err(fault);
    }
    let mut game = Game::new(ruleset.clone(), played.game.len());
    let plies = played.plies.iter().map(|replayed| {
        let board = replayed.seat.board;
        let ply = ply_of(&game, board, replayed.played, replayed.clock_ms);
        game.play(board, replayed.played);
        ply
    });
    Ok(plies.collect())
}

/// A move as hands make it, in a game where it was not played yet.
pub fn ply_of(game: &Game, board: BoardId, played: Move, clock_ms: Option<i64>) -> Ply {
    let position = game.board(board);
    let color = position.turn();
    let rook = match played {
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_queen_side(rook < king);
            Some((rook, side.rook_to(color)))
        }
        _ => None,
    };
    let promoted = played.from().is_some_and(|from| position.promoted().contains(from));
    let role = if promoted { Role::Pawn } else { played.role() };
    Ply {
        seat: board.seat(color),
        from: played.from(),
        to: uci::destination(played),
        man: Piece { color, role },
        captured: position.captured_square(played),
        rook,
        promotion: played.promotion(),
        declared: played.promotion().is_some_and(|role| must_be_said(game.ruleset(), role)),
        clock_ms,
        san: san::write(position, played, game.len()),
        uci: uci::write(played),
        illegal: None,
        also: None,
    }
}

/// Whether a player has to say that a pawn becomes this: always, or where it is not what everybody takes it for.
fn must_be_said(ruleset: &RuleSet, role: Role) -> bool {
    ruleset.promotion_must_be_said || ruleset.moves.promotions().next() != Some(role)
}

/// The clock terms of a record: its `TimeControl`, else full minutes above all that it shows.
pub fn terms_of(record: &bpgn::Game) -> Terms {
    let boards = record.moves.iter().map(|played| played.seat.board.index() + 1).max().unwrap_or(0).max(2);
    let control = record.tag("TimeControl").unwrap_or("");
    let (base, increment) = control.split_once('+').unwrap_or((control, "0"));
    let seconds = |text: &str, max: i64| text.trim().parse::<i64>().ok().filter(|s| (0..=max).contains(s));
    let shown = record.moves.iter().filter_map(|played| played.clock_ms).max().unwrap_or(0);
    let minutes = (shown + MINUTE_MS - 1) / MINUTE_MS * MINUTE_MS;
    let assumed = if minutes > 0 { minutes } else { DEFAULT_BASE_MS };
    Terms {
        boards,
        outcome: Outcome::of(&record.result),
        base_ms: seconds(base, BASE_MAX).filter(|s| *s > 0).map_or(assumed, |s| s * 1000),
        increment_ms: seconds(increment, INCREMENT_MAX).map_or(0, |s| s * 1000),
        spoken: false,
        buttons: true,
    }
}

/// Names by seat letter as the tags `WhiteA`, `BlackA`, … have them.
pub fn players_of(record: &bpgn::Game) -> crate::event::Players {
    let boards = terms_of(record).boards;
    let name = |seat: crate::types::Seat| {
        let color = seat.color.fold_wb("White", "Black");
        Some((seat.letter().to_string(), record.tag(&format!("{color}{}", seat.board))?.to_owned()))
    };
    crate::types::Seat::all(boards).filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Color, Square};

    fn record(text: &str) -> bpgn::Game {
        bpgn::read_game(text, 1).unwrap().game
    }

    fn plies(text: &str) -> Vec<Ply> {
        plies_of(&record(text), &RuleSet::WBN_1_00).unwrap()
    }

    #[test]
    fn castling_drops_and_captures_have_their_squares() {
        let plies = plies(
            "1A. e4 {119.5} 1B. e4 1b. d5 2B. exd5 1a. Nf6 2A. Nf3 2a. P@e3 3A. Be2 3a. exf2+ 4A. Kxf2 4a. d5 5A. e5 \
             5a. e6 6A. h3 6a. Be7 7A. h4 7a. O-O 8A. h5 8a. Nc6 9A. g4 9a. g5 10A. hxg6 *",
        );
        assert_eq!((plies[0].clock_ms, plies[0].from, plies[0].to), (Some(119_500), Some(Square::E2), Square::E4));
        assert_eq!(plies[3].captured, Some(Square::D5));
        let drop = &plies[6];
        assert_eq!((drop.from, drop.to, drop.man, &*drop.uci), (None, Square::E3, Color::Black.pawn(), "P@e3"));
        let castling = plies.iter().find(|ply| ply.rook.is_some()).unwrap();
        assert_eq!((castling.from, castling.to), (Some(Square::E8), Square::G8));
        assert_eq!((castling.rook, &*castling.san), (Some((Square::H8, Square::F8)), "O-O"));
        let ep = plies.last().unwrap();
        assert_eq!((ep.to, ep.captured), (Square::G6, Some(Square::G5)));
    }

    #[test]
    fn a_promoted_man_stays_a_pawn() {
        let plies = plies("1A. h4 1a. g5 2A. hxg5 2a. h6 3A. gxh6 3a. a6 4A. h7 4a. a5 5A. hxg8=Q 5a. a4 6A. Qg6 *");
        let last = plies.last().unwrap();
        assert_eq!((last.man, &*last.san), (Color::White.pawn(), "Qg6"));
        assert_eq!(plies[plies.len() - 3].promotion, Some(Role::Queen));
    }

    #[test]
    fn a_record_that_breaks_the_rules_says_where() {
        let fault = plies_of(&record("1A. e4 1a. e5 2A. Ke3 *"), &RuleSet::WBN_1_00).unwrap_err();
        assert_eq!((fault.board, fault.ply, fault.index), (BoardId::A, 3, 3));
    }

    #[test]
    fn clock_terms_come_from_the_tag_or_from_the_times() {
        let terms = |text: &str| {
            let terms = terms_of(&record(text));
            (terms.base_ms, terms.increment_ms)
        };
        assert_eq!(terms("[TimeControl \"120+2\"]\n\n1A. e4 *"), (120_000, 2000));
        assert_eq!(terms("[TimeControl \"180\"]\n\n1A. e4 *"), (180_000, 0));
        assert_eq!(terms("[TimeControl \"-\"]\n\n1A. e4 {118.3} *"), (120_000, 0));
        assert_eq!(terms("1A. e4 *"), (300_000, 0));
    }

    #[test]
    fn names_come_from_the_tags() {
        let players = players_of(&record("[WhiteA \"Ann\"]\n[BlackB \"Bob\"]\n\n1A. e4 *"));
        assert_eq!(players.into_iter().collect::<Vec<_>>(), [("A".into(), "Ann".into()), ("b".into(), "Bob".into())]);
    }
}

//! BFEN, the position of all boards (WBN, section E).
//!
//! ```text
//! r1bqk2r/ppp2ppp/8/8/8/8/PPP2PPP/R1BQK2R/QNqp w KQkq - 45 56 | … | …
//! placement with ~ / holdings             side castling e.p. white's and black's seconds
//! ```
//! Both law editions' field orders are read (`- - w` and `w - -`), holdings after a slash or in brackets; the times
//! may be absent. Written: side, castling, e.p.; holdings sorted QRBNP then qrbnp; times if they are known.
//!
//! ```
//! use bughoused::{notation::bfen::Bfen, rules::RuleSet};
//!
//! let start = Bfen::read("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/N w KQkq - 300 300").unwrap();
//! assert_eq!(start.boards.len(), 1);
//! assert!(Bfen::read("rnbqkbnr/pppppppp w").unwrap_err().to_string().contains("eight ranks"));
//! ```

use std::{fmt::Write as _, num::NonZeroU32};

use shakmaty::{CastlingSide, Setup};

use super::{placement, uci::push_square};
use crate::{
    rules::{BoardPosition, Game, RuleSet},
    types::{Bitboard, BoardId, Color, File, Rank, Square},
};

/// All boards of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bfen {
    /// One entry a board.
    pub boards: Vec<BfenBoard>,
}

/// One board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BfenBoard {
    /// Men, pockets, side, rights.
    pub setup: Setup,
    /// White's and Black's seconds left.
    pub seconds: Option<(i64, i64)>,
}

/// The text is no BFEN.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("board {board}, field {field}: {message}")]
pub struct BfenError {
    /// The board.
    pub board: BoardId,
    /// The field, from 1.
    pub field: usize,
    /// What was expected and what was found.
    pub message: String,
}

impl Bfen {
    /// Reads one or more boards joined by `|`.
    pub fn read(text: &str) -> Result<Bfen, BfenError> {
        let boards = text.split('|').enumerate().map(|(index, part)| {
            let board = BoardId::new(index).ok_or_else(|| too_many(part))?;
            read_board(board, part)
        });
        Ok(Bfen { boards: boards.collect::<Result<_, _>>()? })
    }

    /// The boards as a game under a rule set.
    pub fn to_game(&self, ruleset: &RuleSet) -> Game {
        let positions = self.boards.iter().map(|board| {
            let plies = board.setup.turn.fold_wb(0, 1);
            BoardPosition::from_setup(&board.setup, plies, ruleset.moves)
        });
        Game::from_positions(ruleset.clone(), positions)
    }

    /// The position of a game; `seconds` answers White's and Black's seconds left on a board if they are known.
    pub fn of_game(game: &Game, seconds: impl Fn(BoardId) -> Option<(i64, i64)>) -> Bfen {
        // BFEN counts no moves.
        let setup = |id| Setup { fullmoves: NonZeroU32::MIN, ..Setup::from(game.board(id)) };
        let board = |id| BfenBoard { setup: setup(id), seconds: seconds(id) };
        Bfen { boards: game.ids().map(board).collect() }
    }

    /// The text.
    pub fn write(&self) -> String {
        let mut text = String::with_capacity(BOARD_BYTES * self.boards.len());
        for (index, board) in self.boards.iter().enumerate() {
            text.push_str(if index > 0 { " | " } else { "" });
            board.push(&mut text);
        }
        text
    }
}

impl BfenBoard {
    /// One board's text.
    pub fn write(&self) -> String {
        let mut text = String::with_capacity(BOARD_BYTES);
        self.push(&mut text);
        text
    }

    fn push(&self, text: &mut String) {
        let setup = &self.setup;
        placement::push(text, &setup.board, setup.promoted);
        let pockets = setup.pockets.unwrap_or_default();
        let placed = text.len();
        text.push('/');
        placement::push_pocket(text, &pockets.white, Color::White);
        placement::push_pocket(text, &pockets.black, Color::Black);
        if text.len() == placed + 1 {
            text.truncate(placed); // no slash before nothing
        }
        push_state(text, setup.turn, setup.castling_rights, setup.ep_square);
        if let Some((white, black)) = self.seconds {
            let _ = write!(text, " {white} {black}"); // writing to a string does not fail
        }
    }
}

/// A board of many men with pockets and times.
const BOARD_BYTES: usize = 112;

/// Side, castling rights and e.p. square, each behind a space.
fn push_state(text: &mut String, turn: Color, rights: Bitboard, ep: Option<Square>) {
    text.push(' ');
    text.push(turn.char());
    text.push(' ');
    push_rights(text, rights);
    text.push(' ');
    match ep {
        Some(square) => push_square(text, square),
        None => text.push('-'),
    }
}

/// Castling rights as letters, `-` for none.
fn push_rights(text: &mut String, rights: Bitboard) {
    let squares = [(Square::H1, 'K'), (Square::A1, 'Q'), (Square::H8, 'k'), (Square::A8, 'q')];
    let before = text.len();
    text.extend(squares.iter().filter(|(square, _)| rights.contains(*square)).map(|(_, letter)| *letter));
    if text.len() == before {
        text.push('-');
    }
}

/// One board as FEN with counters `0 N`, for displays that know no pockets.
///
/// ```
/// use bughoused::{notation::bfen::write_fen, rules::{BoardPosition, RuleSet}};
///
/// let fen = write_fen(&BoardPosition::new(RuleSet::WBN_1_00.moves));
/// assert_eq!(fen, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
/// ```
pub fn write_fen(position: &BoardPosition) -> String {
    let mut text = String::with_capacity(BOARD_BYTES);
    placement::push(&mut text, position.board(), position.promoted());
    push_state(&mut text, position.turn(), position.castles().castling_rights(), position.ep_square());
    let _ = write!(text, " 0 {}", position.move_number()); // writing to a string does not fail
    text
}

fn too_many(part: &str) -> BfenError {
    let board = BoardId::new(crate::types::BOARDS_MAX - 1).unwrap_or(BoardId::A);
    let message = format!("expected at most {} boards, found another: {part:?}", crate::types::BOARDS_MAX);
    BfenError { board, field: 1, message }
}

fn read_board(board: BoardId, text: &str) -> Result<BfenBoard, BfenError> {
    let fail = |field: usize, message: String| BfenError { board, field, message };
    let fields: Vec<&str> = text.split_whitespace().collect();
    let [men, rest @ ..] = fields.as_slice() else {
        return Err(fail(1, "expected a placement, found nothing".into()));
    };
    let mut setup = Setup::empty();
    let (ranks, holdings) = split_holdings(men);
    (setup.board, setup.promoted) = placement::read(ranks).map_err(|e| fail(1, e.to_string()))?;
    setup.pockets = Some(placement::read_pockets(&holdings).map_err(|e| fail(1, e.to_string()))?);
    let side_first =
        matches!(rest.first(), Some(&("w" | "b" | "W" | "B"))) && !matches!(rest.get(2), Some(&("w" | "b")));
    let order = if side_first { [0, 1, 2] } else { [2, 0, 1] };
    let field = |index: usize| rest.get(order[index]).copied().unwrap_or("-");
    let place = |index: usize| order[index] + 2;
    setup.turn = match rest.get(order[0]).copied() {
        None => Color::White,
        Some("w" | "W") => Color::White,
        Some("b" | "B") => Color::Black,
        Some(found) => return Err(fail(place(0), format!("expected the side to move, w or b, found {found:?}"))),
    };
    setup.castling_rights = read_rights(field(1)).map_err(|message| fail(place(1), message))?;
    setup.ep_square = read_ep(field(2)).map_err(|message| fail(place(2), message))?;
    let seconds = read_seconds(rest.get(3..).unwrap_or_default()).map_err(|message| fail(5, message))?;
    Ok(BfenBoard { setup, seconds })
}

/// The ranks, and the holdings from the ninth part or from brackets.
fn split_holdings(men: &str) -> (impl Iterator<Item = &str>, String) {
    let (placement, brackets) = men.split_once('[').unwrap_or((men, ""));
    let ninth = placement.split('/').skip(8).collect::<String>();
    let holdings = format!("{ninth}{}", brackets.trim_end_matches(']'));
    (placement.split('/').take(8), if holdings == "-" { String::new() } else { holdings })
}

fn read_rights(text: &str) -> Result<Bitboard, String> {
    let mut rights = Bitboard::EMPTY;
    for letter in text.chars().filter(|letter| *letter != '-') {
        let color = Color::from_white(letter.is_ascii_uppercase());
        let side = match letter.to_ascii_lowercase() {
            'k' => CastlingSide::KingSide,
            'q' => CastlingSide::QueenSide,
            _ => return Err(format!("expected castling rights of KQkq or -, found {text:?}")),
        };
        let file = if side.is_king_side() { File::H } else { File::A };
        rights.add(Square::from_coords(file, color.fold_wb(Rank::First, Rank::Eighth)));
    }
    Ok(rights)
}

fn read_ep(text: &str) -> Result<Option<Square>, String> {
    match text {
        "-" => Ok(None),
        _ => text.parse().map(Some).map_err(|_| format!("expected an e.p. square or -, found {text:?}")),
    }
}

fn read_seconds(fields: &[&str]) -> Result<Option<(i64, i64)>, String> {
    let number = |text: &str| match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() => Ok(seconds as i64),
        _ => Err(format!("expected seconds, found {text:?}")),
    };
    match fields {
        [] => Ok(None),
        [white, black, ..] => Ok(Some((number(white)?, number(black)?))),
        [found] => Err(format!("expected the seconds of both players, found only {found:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads, writes, and answers what was written.
    fn check(text: &str, expect: &str) {
        let game = Bfen::read(text).unwrap().to_game(&RuleSet::WBN_1_00);
        let seconds = Bfen::read(text).unwrap().boards.iter().map(|b| b.seconds).collect::<Vec<_>>();
        assert_eq!(Bfen::of_game(&game, |board| seconds[board.index()]).write(), expect);
    }

    #[test]
    fn both_field_orders_and_holdings_styles() {
        let written = "r3k2r/8/8/8/8/8/8/R3K2R/QRNPPrnp b KQkq - 45 60";
        check("r3k2r/8/8/8/8/8/8/R3K2R/PrNnpPRQ b KQkq - 45 60", written);
        check("r3k2r/8/8/8/8/8/8/R3K2R/PrNnpPRQ KQkq - b 45 60", written);
        check("r3k2r/8/8/8/8/8/8/R3K2R[PrNnpPRQ] b KQkq - 45 60", written);
    }

    #[test]
    fn two_boards_and_promoted_men() {
        let text = "Q~4rk1/8/8/8/8/8/8/R3K2R w KQ - 45 60 | rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        check(text, text);
    }

    #[test]
    fn a_second_king_takes_no_right() {
        check("4k2r/8/8/4K3/8/8/8/4K2R w Kk -", "4k2r/8/8/4K3/8/8/8/4K2R w Kk -");
    }

    #[test]
    fn a_capturable_en_passant_square_is_written() {
        check("4k3/8/8/8/3pP3/8/8/4K3 b - e3", "4k3/8/8/8/3pP3/8/8/4K3 b - e3");
        check("4k3/8/8/8/4P3/8/8/4K3 b - e3", "4k3/8/8/8/4P3/8/8/4K3 b - -");
    }

    #[test]
    fn errors_name_the_board_and_the_field() {
        let error = |text: &str| Bfen::read(text).unwrap_err().to_string();
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
        assert_eq!(error(""), "board A, field 1: expected a placement, found nothing");
        let found = error(&format!("{start} w KQkq - | {start} x KQkq -"));
        assert_eq!(found, "board B, field 4: expected the side to move, w or b, found \"-\"");
        assert_eq!(
            error("rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - -"),
            "board A, field 1: expected eight squares in a rank, found \"ppppppppp\""
        );
    }

    /// The example of WBN as printed has seven ranks on board B; CZ prints all eight.
    #[test]
    fn the_example_of_one_law_edition_lacks_a_rank() {
        let board_a = "r2k1r2/pbppNppp/1p2p1nb/1P5N/3N4/4Pn1q/PPP1QP1P/2KR2R1";
        let wbn = format!("{board_a}/BrpBBqppN - - w 45 56 | Q~4rk1/8/8/8/8/8/R3K2R KQ - w 45 60");
        let told = Bfen::read(&wbn).unwrap_err().to_string();
        assert_eq!(told, "board B, field 1: expected eight ranks, found \"7 ranks\"");
        let czech = format!("{board_a}/BBBNqrppp w - - 45 56 | Q~4rk1/8/8/8/8/8/8/R3K2R w KQ - 45 60");
        let mended = wbn.replace("8/8/8/8/8/R3K2R", "8/8/8/8/8/8/R3K2R");
        assert_eq!(Bfen::read(&mended), Bfen::read(&czech), "both editions mean one position");
    }
}

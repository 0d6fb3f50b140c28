//! Men on squares as FEN writes them, promoted men marked `~`, and the pocket letters of BFEN.
//!
//! ```
//! use bughoused::{notation::placement, types::{Color, Role, Square}};
//!
//! let (board, promoted) = placement::read("Q~7/8/8/8/8/8/8/4K2k".split('/')).unwrap();
//! assert!(promoted.contains(Square::A8));
//! assert_eq!(placement::write(&board, promoted), "Q~7/8/8/8/8/8/8/4K2k");
//! let pockets = placement::read_pockets("pNQn").unwrap();
//! assert_eq!(placement::write_pocket(&pockets.white, Color::White), "QN");
//! assert_eq!(pockets.black.get(Role::Pawn), &1);
//! ```

use shakmaty::Board;

use crate::{
    rules::Pocket,
    types::{Bitboard, ByColor, Color, File, Piece, Rank, Role, Square},
};

/// The placement field is not eight ranks of eight squares.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found {found:?}")]
pub struct PlacementError {
    /// What should stand there.
    pub expected: &'static str,
    /// What stands there.
    pub found: String,
}

fn error(expected: &'static str, found: impl Into<String>) -> PlacementError {
    PlacementError { expected, found: found.into() }
}

/// Writes the placement field.
pub fn write(board: &Board, promoted: Bitboard) -> String {
    let mut text = String::with_capacity(PLACEMENT_BYTES);
    push(&mut text, board, promoted);
    text
}

/// A placement of many men: one a square, the slashes, a few promotion marks.
const PLACEMENT_BYTES: usize = 80;

/// The placement field at the end of a text.
pub(super) fn push(text: &mut String, board: &Board, promoted: Bitboard) {
    for rank in Rank::ALL.into_iter().rev() {
        let mut file = 0;
        for square in board.occupied() & Bitboard::from_rank(rank) {
            push_empty(text, u32::from(square.file()) - file);
            text.extend(board.piece_at(square).map(Piece::char));
            if promoted.contains(square) {
                text.push('~');
            }
            file = u32::from(square.file()) + 1;
        }
        push_empty(text, 8 - file);
        if rank != Rank::First {
            text.push('/');
        }
    }
}

/// A number of empty squares, at most eight; nothing for none.
fn push_empty(text: &mut String, count: u32) {
    text.extend(char::from_digit(count, 10).filter(|_| count > 0));
}

/// Reads eight ranks, the eighth first.
pub fn read<'a>(ranks: impl Iterator<Item = &'a str>) -> Result<(Board, Bitboard), PlacementError> {
    let mut board = Board::empty();
    let mut promoted = Bitboard::EMPTY;
    let mut count = 0;
    for (rank, text) in Rank::ALL.into_iter().rev().zip(ranks) {
        read_rank(rank, text, &mut board, &mut promoted)?;
        count += 1;
    }
    if count == 8 { Ok((board, promoted)) } else { Err(error("eight ranks", format!("{count} ranks"))) }
}

fn read_rank(rank: Rank, text: &str, board: &mut Board, promoted: &mut Bitboard) -> Result<(), PlacementError> {
    let mut file = 0;
    for letter in text.chars() {
        if let Some(empty) = letter.to_digit(10) {
            file += empty;
        } else if letter == '~' {
            let before = file.checked_sub(1).filter(|file| *file < 8);
            let square = before.map(|file| Square::from_coords(File::new(file), rank));
            let square = square.filter(|square| board.piece_at(*square).is_some());
            promoted.add(square.ok_or_else(|| error("a man before the promotion mark ~", text))?);
        } else {
            let man = Piece::from_char(letter).ok_or_else(|| error("a man of PNBRQKpnbrqk, a digit or ~", letter))?;
            if file > 7 {
                return Err(error("eight squares in a rank", text));
            }
            board.set_piece_at(Square::from_coords(File::new(file), rank), man);
            file += 1;
        }
    }
    if file == 8 { Ok(()) } else { Err(error("eight squares in a rank", text)) }
}

/// The kinds of men that a pocket may hold, in the order that BFEN writes them; kings where a variant collects them.
pub const POCKET_ORDER: [Role; 6] = [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];

/// One pocket's men in the colour of its owner, sorted KQRBNP.
pub fn write_pocket(pocket: &Pocket, color: Color) -> String {
    let mut text = String::new();
    push_pocket(&mut text, pocket, color);
    text
}

/// One pocket's men at the end of a text.
pub(super) fn push_pocket(text: &mut String, pocket: &Pocket, color: Color) {
    for role in POCKET_ORDER {
        let letter = role.of(color).char();
        (0..*pocket.get(role)).for_each(|_| text.push(letter));
    }
}

/// Reads the letters of both pockets in any order.
pub fn read_pockets(text: &str) -> Result<ByColor<Pocket>, PlacementError> {
    let mut pockets = ByColor::<Pocket>::default();
    for letter in text.chars() {
        let man = Piece::from_char(letter).ok_or_else(|| error("a man of PNBRQKpnbrqk in a pocket", letter))?;
        let count = pockets.get_mut(man.color).get_mut(man.role);
        *count = count.saturating_add(1);
    }
    Ok(pockets)
}

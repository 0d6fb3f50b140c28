//! Moves as squares: `e2e4`, `a7a8q`, `e1g1`, `N@f5`.
//!
//! ```
//! use bughoused::{notation::uci, rules::{BoardPosition, Reason, RuleSet}};
//!
//! let start = BoardPosition::new(RuleSet::WBN_1_00.moves);
//! let pawn = uci::read("e2e4", &start).unwrap();
//! assert_eq!(uci::write(pawn), "e2e4");
//! let early = uci::read("N@f5", &start).unwrap_err();
//! assert_eq!(early.reasons(), [Reason::DropNotInPocket]);
//! ```

use shakmaty::Move;

use crate::{
    rules::{Attempt, BoardPosition, Reason},
    types::{CastlingSide, Color, Piece, Role, Square},
};

/// The move as text; castling is the king's step.
pub fn write(m: Move) -> String {
    let mut text = String::with_capacity(UCI_BYTES_MAX);
    match m {
        Move::Put { role, .. } => {
            text.push(role.upper_char());
            text.push('@');
        }
        Move::Normal { from, .. } | Move::EnPassant { from, .. } | Move::Castle { king: from, .. } => {
            push_square(&mut text, from);
        }
    }
    push_square(&mut text, destination(m));
    if let Some(role) = m.promotion() {
        text.push(role.char());
    }
    text
}

/// The longest move: `a7a8q`.
const UCI_BYTES_MAX: usize = 5;

/// A square at the end of a text.
pub(super) fn push_square(text: &mut String, square: Square) {
    text.push(square.file().char());
    text.push(square.rank().char());
}

/// Where the moving man (the king in castling) comes to stand.
pub fn destination(m: Move) -> Square {
    match m {
        Move::Castle { king, rook } => {
            let color = Color::from_white(king.rank() == crate::types::Rank::First);
            CastlingSide::from_queen_side(rook < king).king_to(color)
        }
        _ => m.to(),
    }
}

/// The text is not a legal move of the position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UciError {
    /// It is no move at all.
    #[error("expected a move such as e2e4, a7a8q, e1g1 or N@f5, found {0:?}")]
    Unreadable(String),
    /// It is a move, and not legal.
    #[error("{found} is illegal: {}", reasons.iter().map(|reason| reason.as_str()).collect::<Vec<_>>().join(", "))]
    Illegal {
        /// The text.
        found: String,
        /// Why, the leading reason first.
        reasons: Vec<Reason>,
    },
}

impl UciError {
    /// The reasons of an illegal move; empty otherwise.
    pub fn reasons(&self) -> &[Reason] {
        match self {
            UciError::Illegal { reasons, .. } => reasons,
            UciError::Unreadable(_) => &[],
        }
    }
}

/// The legal move that the text means. Castling is the king's step of two squares, or the king onto its rook.
pub fn read(text: &str, position: &BoardPosition) -> Result<Move, UciError> {
    let attempt = parse(text, position).ok_or_else(|| UciError::Unreadable(text.into()))?;
    match position.as_move(attempt).filter(|m| position.is_legal(*m)) {
        Some(m) => Ok(m),
        None => Err(UciError::Illegal { found: text.into(), reasons: position.reasons(attempt) }),
    }
}

/// The move that the text means, legal or not, with the reasons why it is illegal; none if nothing of the kind can be
/// played.
pub fn read_any(text: &str, position: &BoardPosition) -> Option<(Move, Vec<Reason>)> {
    let attempt = parse(text, position)?;
    let played = position.as_move(attempt)?;
    let reasons = if position.is_legal(played) { Vec::new() } else { position.reasons(attempt) };
    Some((played, reasons))
}

fn parse(text: &str, position: &BoardPosition) -> Option<Attempt> {
    if !text.is_ascii() {
        return None;
    }
    let square = |range: std::ops::Range<usize>| text.get(range)?.parse::<Square>().ok();
    match text.as_bytes() {
        [role, b'@', _, _] => {
            let role = Role::from_char(*role as char)?;
            Some(Attempt::Drop { man: Piece { color: position.turn(), role }, to: square(2..4)? })
        }
        [_, _, _, _, promotion @ ..] if promotion.len() < 2 => {
            let (from, to) = (square(0..2)?, square(2..4)?);
            let promotion = match promotion {
                [letter] => Some(Role::from_char(*letter as char)?),
                _ => None,
            };
            Some(castling(from, to, position).unwrap_or(Attempt::Move { from, to, promotion }))
        }
        _ => None,
    }
}

fn castling(from: Square, to: Square, position: &BoardPosition) -> Option<Attempt> {
    let board = position.board();
    let king = Piece { color: position.turn(), role: Role::King };
    let onto_rook = board.piece_at(to) == Some(Piece { role: Role::Rook, ..king });
    let two = from.rank() == to.rank() && from.distance(to) == 2;
    (board.piece_at(from) == Some(king) && (two || onto_rook && from.rank() == to.rank()))
        .then(|| Attempt::Castle(CastlingSide::from_queen_side(to < from)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{notation::bfen::Bfen, rules::RuleSet, types::BoardId};

    fn position(bfen: &str) -> BoardPosition {
        Bfen::read(bfen).unwrap().to_game(&RuleSet::WBN_1_00).board(BoardId::A).clone()
    }

    #[test]
    fn castling_promotion_and_drops() {
        let written = |bfen: &str, text: &str| read(text, &position(bfen)).map(write).unwrap();
        let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -";
        assert_eq!(
            ["e1g1", "e1h1", "e1c1", "e1a1", "e1d1"].map(|text| written(castling, text)),
            ["e1g1", "e1g1", "e1c1", "e1c1", "e1d1"]
        );
        let promoting = "7k/P7/8/8/8/8/8/K7/n w - -";
        assert_eq!(["a7a8", "a7a8q", "a7a8n"].map(|text| written(promoting, text)), ["a7a8q", "a7a8q", "a7a8n"]);
        assert_eq!(written("4k3/8/8/8/8/8/8/4K3/N w - -", "n@f5"), "N@f5");
        assert_eq!(written("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "e5d6"), "e5d6");
    }

    #[test]
    fn what_is_illegal_and_what_is_no_move() {
        let position = position("4k3/8/8/8/8/8/8/R3K3/P w - -");
        let reasons = |text: &str| read(text, &position).unwrap_err().reasons().to_vec();
        assert_eq!(reasons("e1c1"), [Reason::CastlingRights]);
        assert_eq!(reasons("P@a8"), [Reason::PawnDropRank]);
        assert_eq!(reasons("a1b2"), [Reason::Geometry]);
        for text in ["", "e2", "e2e", "e2e9", "e2e4qq", "X@e4", "e2é4", "@e4"] {
            assert_eq!(read(text, &position), Err(UciError::Unreadable(text.into())));
        }
    }
}

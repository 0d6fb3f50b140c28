//! Moves as squares: `e2e4`, `a7a8q`, `e1g1`, `N@f5`.

use shakmaty::Move;

use crate::types::{CastlingSide, Color, Square};

/// The move as text; castling is the king's step.
pub fn write(m: Move) -> String {
    match m {
        Move::Put { role, to } => format!("{}@{to}", role.upper_char()),
        Move::Normal { from, to, promotion: Some(role), .. } => format!("{from}{to}{}", role.char()),
        Move::Normal { from, to, .. } | Move::EnPassant { from, to } => format!("{from}{to}"),
        Move::Castle { king, .. } => format!("{king}{}", destination(m)),
    }
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

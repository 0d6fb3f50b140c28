//! A game as hands need it: squares and men as they physically stand.

use shakmaty::attacks;

use crate::{
    referee::win_of,
    rules::Reason,
    simulate::world::World,
    types::{Piece, Role, Seat, Square, Team},
};

use super::motion::slot_of;

/// One move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ply {
    /// Who moves.
    pub seat: Seat,
    /// Where the man comes from; none for a drop.
    pub from: Option<Square>,
    /// Where it goes (the king in castling).
    pub to: Square,
    /// The man in the hand. A promoted man stays the pawn that it is.
    pub man: Piece,
    /// The square that a captured man leaves: `to`, or the pawn's square in an e.p. capture.
    pub captured: Option<Square>,
    /// The rook's way in castling.
    pub rook: Option<(Square, Square)>,
    /// What a pawn becomes.
    pub promotion: Option<Role>,
    /// The laws want it said (WBN 5.7, FIDE-ext 3.6).
    pub declared: bool,
    /// The mover's time left after the move.
    pub clock_ms: Option<i64>,
    /// For the truth: standard algebraic notation.
    pub san: String,
    /// For the truth: UCI, a drop is `N@f5`.
    pub uci: String,
    /// Why it is illegal, if it is.
    pub illegal: Option<Reason>,
    /// A second move that is made with it, against the laws.
    pub also: Option<(Square, Square)>,
}

impl Ply {
    /// Whether a man leaves this square or comes to it.
    pub fn touches(&self, square: Square) -> bool {
        let rook = self.rook.map(|(from, to)| [from, to]).into_iter().flatten();
        let also = self.also.map(|(from, to)| [from, to]).into_iter().flatten();
        let own = [self.from, Some(self.to), self.captured].into_iter().flatten();
        own.chain(rook).chain(also).any(|touched| touched == square)
    }

    /// Whether a man passes over this square.
    fn crosses(&self, square: Square) -> bool {
        self.from.is_some_and(|from| attacks::between(from, self.to).contains(square))
    }

    /// Whether two moves of one board can be made in any order: no man of one is in the way of the other.
    pub fn is_independent_of(&self, other: &Ply) -> bool {
        Square::ALL.into_iter().all(|square| {
            !(self.touches(square) && (other.touches(square) || other.crosses(square)))
                && !(other.touches(square) && self.crosses(square))
        })
    }

    /// Whether it captures the man of the opponent's move before it that could not be expected there: whoever captures
    /// is likely to be captured in turn.
    pub fn answers_unexpected(&self, before: &Ply) -> bool {
        self.captured == Some(before.to) && before.captured.is_none()
    }

    /// The tray slot that a drop empties.
    pub(super) fn slot(&self, world: &World) -> Option<usize> {
        self.from.is_none().then(|| slot_of(world, self.seat, self.man)).flatten()
    }
}

/// What the clocks begin with, how it will end, and what players know of the boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Number of boards.
    pub boards: usize,
    /// Time of every player.
    pub base_ms: i64,
    /// Added at every press.
    pub increment_ms: i64,
    /// The result that the players show, if they know one.
    pub outcome: Option<Outcome>,
    /// Boards do not know every man: who exchanges a pawn for a real man says also what it is, as the laws want it.
    pub spoken: bool,
    /// There are buttons to say with that a pawn becomes a knight.
    pub buttons: bool,
}

/// A result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A team won.
    Win(Team),
    /// Nobody did.
    Draw,
}

impl Outcome {
    /// Reads `1-0`, `0-1` and `1/2-1/2`.
    pub fn of(result: &str) -> Option<Outcome> {
        match result {
            "1-0" => Some(Outcome::Win(Team::WhiteA)),
            "0-1" => Some(Outcome::Win(Team::BlackA)),
            "1/2-1/2" => Some(Outcome::Draw),
            _ => None,
        }
    }

    /// `1-0`, `0-1` or `1/2-1/2`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Outcome::Win(team) => win_of(team),
            Outcome::Draw => "1/2-1/2",
        }
    }
}

//! The boards of one table: what is captured on one goes to the partner on another.
//!
//! Boards are values; what crosses is an explicit [`Transfer`].

use arrayvec::ArrayVec;
use shakmaty::Move;

use super::{BoardPosition, RuleSet};
use crate::types::{BOARDS_MAX, Bitboard, BoardId, Color, Piece, Role, Seat};

/// A captured man on its way to a partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The capturer.
    pub from: Seat,
    /// Whose pocket receives it.
    pub to: Seat,
    /// The man as it goes over; its colour is the receiver's.
    pub man: Piece,
}

/// All boards of a table with the moves that were played.
#[derive(Clone, Debug)]
pub struct Game {
    ruleset: RuleSet,
    boards: ArrayVec<BoardPosition, BOARDS_MAX>,
    /// Identities of the positions that each board has had, the present one last.
    history: ArrayVec<Vec<Identity>, BOARDS_MAX>,
}

/// What makes two positions identical for repetition: placement with promoted marks, side, castling rights and a
/// capturable e.p. square; pockets ignored (WBN 2.2b, FIDE 9.2).
#[derive(Clone, Debug, PartialEq, Eq)]
struct Identity {
    placement: [Bitboard; 8],
    promoted: Bitboard,
    turn: Color,
    castling: Bitboard,
    ep: Option<crate::types::Square>,
}

impl Game {
    /// `boards` initial positions.
    pub fn new(ruleset: RuleSet, boards: usize) -> Game {
        let start = BoardPosition::new(ruleset.moves);
        Game::from_positions(ruleset, std::iter::repeat_n(start, boards.clamp(1, BOARDS_MAX)))
    }

    /// Any positions, at most [`BOARDS_MAX`].
    pub fn from_positions(ruleset: RuleSet, positions: impl IntoIterator<Item = BoardPosition>) -> Game {
        let boards: ArrayVec<_, BOARDS_MAX> = positions.into_iter().take(BOARDS_MAX).collect();
        let history = boards.iter().map(|position| vec![Identity::of(position)]).collect();
        Game { ruleset, boards, history }
    }

    /// The rule set.
    pub fn ruleset(&self) -> &RuleSet {
        &self.ruleset
    }

    /// How many boards the table has.
    pub fn len(&self) -> usize {
        self.boards.len()
    }

    /// Never: a table has a board.
    pub fn is_empty(&self) -> bool {
        self.boards.is_empty()
    }

    /// The boards' ids.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = BoardId> + Clone + use<> {
        BoardId::first(self.boards.len())
    }

    /// One board.
    ///
    /// # Panics
    /// If the table has no such board: ids come from [`Game::ids`] or were checked against [`Game::len`].
    pub fn board(&self, board: BoardId) -> &BoardPosition {
        &self.boards[board.index()]
    }

    /// Whether a move is legal on a board.
    pub fn is_legal(&self, board: BoardId, m: Move) -> bool {
        self.board(board).is_legal(m)
    }

    /// Plays a move, legal or not, and hands the captured man to the first partner.
    pub fn play(&mut self, board: BoardId, m: Move) -> Option<Transfer> {
        let mover = board.seat(self.board(board).turn());
        let over = self.boards[board.index()].play(m);
        self.history[board.index()].push(Identity::of(&self.boards[board.index()]));
        let transfer = self.transfer(mover, over?)?;
        self.boards[transfer.to.board.index()].add_to_pocket(transfer.to.color, transfer.man.role);
        Some(transfer)
    }

    /// Where a captured man goes: the first partner, in the partner's colour.
    fn transfer(&self, from: Seat, over: Piece) -> Option<Transfer> {
        if over.role == Role::King {
            return None;
        }
        let to = from.partners(self.len()).next()?;
        Some(Transfer { from, to, man: Piece { color: to.color, role: over.role } })
    }

    /// Whether the side to move on a board is checkmated (WBN 1.5).
    pub fn is_mate(&self, board: BoardId) -> bool {
        self.board(board).is_mate(self.len())
    }

    /// How often the present position of a board has stood there, pockets ignored (WBN 2.2b).
    pub fn occurrences(&self, board: BoardId) -> u32 {
        let history = &self.history[board.index()];
        let present = history.last();
        history.iter().filter(|identity| Some(*identity) == present).count() as u32
    }

    /// Takes one man from a pocket, as when a transfer is undone.
    pub fn take_from_pocket(&mut self, seat: Seat, role: Role) -> bool {
        self.boards[seat.board.index()].take_from_pocket(seat.color, role)
    }
}

impl Identity {
    fn of(position: &BoardPosition) -> Identity {
        let (roles, colors) = position.board().clone().into_bitboards();
        Identity {
            placement: [
                roles.pawn,
                roles.knight,
                roles.bishop,
                roles.rook,
                roles.queen,
                roles.king,
                colors.white,
                colors.black,
            ],
            promoted: position.promoted(),
            turn: position.turn(),
            castling: position.castles().castling_rights(),
            ep: position.ep_square(),
        }
    }
}

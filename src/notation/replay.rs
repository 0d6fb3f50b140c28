//! A game record played by the rules.
//!
//! In: a [`bpgn::Game`]. Out: the legal plies up to the first fault, and the position there.

use shakmaty::Move;

use super::{bpgn, san};
use crate::{
    rules::{Game, Reason, RuleSet},
    types::{BoardId, Seat},
};

/// A game record, played.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The boards after the last legal ply.
    pub game: Game,
    /// The legal plies in order.
    pub plies: Vec<ReplayedPly>,
    /// Where the record breaks the rules.
    pub fault: Option<Fault>,
    /// Boards that were mated, in order.
    pub mates: Vec<BoardId>,
    /// Legal plies of the record after the first mate: a move on another board may have been under way.
    pub after_end: usize,
}

/// One legal ply of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayedPly {
    /// Who moved.
    pub seat: Seat,
    /// The move.
    pub played: Move,
    /// The mover's time left, if the record has it.
    pub clock_ms: Option<i64>,
}

/// The first ply of a record that is not legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The board.
    pub board: BoardId,
    /// Ply on the board, from 1.
    pub ply: u32,
    /// Place in the record, from 1.
    pub index: usize,
    /// The move as written.
    pub written: String,
    /// Why, the leading reason first; empty when the text is no move.
    pub reasons: Vec<Reason>,
    /// The same for people.
    pub message: String,
}

/// Plays a record by the rules from the initial position.
pub fn replay(record: &bpgn::Game, ruleset: &RuleSet) -> Replay {
    let boards = record.moves.iter().map(|m| m.seat.board.index() + 1).max().unwrap_or(1).max(2);
    let mut replay = Replay {
        game: Game::new(ruleset.clone(), boards),
        plies: Vec::with_capacity(record.moves.len()),
        fault: None,
        mates: Vec::new(),
        after_end: 0,
    };
    for (index, written) in record.moves.iter().enumerate() {
        let ended = !replay.mates.is_empty();
        if let Err(fault) = replay.step(index, written) {
            replay.fault = Some(fault);
            break;
        }
        replay.after_end += usize::from(ended);
    }
    replay
}

impl Replay {
    fn step(&mut self, index: usize, written: &bpgn::GameMove) -> Result<(), Fault> {
        let board = written.seat.board;
        let position = self.game.board(board);
        let fault = |reasons: Vec<Reason>, message: String| Fault {
            board,
            ply: position.plies() + 1,
            index: index + 1,
            written: written.san.clone(),
            reasons,
            message,
        };
        if position.turn() != written.seat.color {
            let message = format!("{} moves, and it is not their turn", written.seat);
            return Err(fault(vec![Reason::NotYourTurn], message));
        }
        let played =
            san::read(&written.san, position).map_err(|error| fault(error.reasons().to_vec(), error.to_string()))?;
        self.game.play(board, played);
        self.plies.push(ReplayedPly { seat: written.seat, played, clock_ms: written.clock_ms });
        if self.game.is_mate(board) {
            self.mates.push(board);
        }
        Ok(())
    }
}

//! A game record played by the rules.
//!
//! In: a [`bpgn::Game`]. Out: the legal plies up to the first fault, the position there, repetitions, and remarks on
//! what the record says of its moves.
//!
//! ```
//! use bughoused::{notation::{bpgn::read_game, replay::replay}, rules::{Reason, RuleSet}};
//!
//! let record = read_game("1A. e4 1a. d5 2A. exd5 1B. Nf3 2a. P@e4", 1).unwrap().game;
//! let replayed = replay(&record, &RuleSet::WBN_1_00);
//! let fault = replayed.fault.unwrap(); // Black on A has no pawn: the partner on B took nothing
//! assert_eq!((fault.index, fault.ply, &fault.reasons[..]), (5, 4, &[Reason::DropNotInPocket][..]));
//! ```

use shakmaty::Move;

use super::{
    bfen::Bfen,
    bpgn,
    san::{self, Marks, SanError},
};
use crate::{
    rules::{Attempt, BoardPosition, Game, Reason, RuleSet, Transfer},
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
    /// Positions that stood as often as the rule set's number, or more often.
    pub repetitions: Vec<Repetition>,
    /// What the record says otherwise than the strict form does.
    pub remarks: Vec<Remark>,
    /// Men that were passed and not yet dropped, where a capturer has several partners: no record says which one was
    /// chosen, the drop tells.
    passed: Vec<Transfer>,
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
    /// Place in the record, from 1; 0 for the position at the start.
    pub index: usize,
    /// The move as written.
    pub written: String,
    /// Why, the leading reason first; empty when the text is no move.
    pub reasons: Vec<Reason>,
    /// The same for people.
    pub message: String,
}

/// A position that stood so often that a draw may be claimed (WBN 2.2b).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repetition {
    /// The board.
    pub board: BoardId,
    /// Place in the record, from 1, of the ply that brought it about.
    pub index: usize,
    /// How often it has stood.
    pub occurrences: u32,
}

/// A place where the record is spelled otherwise than the strict form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Place in the record, from 1.
    pub index: usize,
    /// What was expected, what was found.
    pub message: String,
}

/// The most remarks on one game.
pub const REMARKS_MAX: usize = 64;

/// Plays a record by the rules, from the initial position or the one in its tag `FEN`.
pub fn replay(record: &bpgn::Game, ruleset: &RuleSet) -> Replay {
    let (game, fault) = match start_of(record, ruleset) {
        Ok(game) => (game, None),
        Err(fault) => (Game::new(ruleset.clone(), record.boards()), Some(fault)),
    };
    let mut replay = Replay {
        game,
        plies: Vec::with_capacity(record.moves.len()),
        fault,
        mates: Vec::new(),
        after_end: 0,
        repetitions: Vec::new(),
        remarks: Vec::new(),
        passed: Vec::new(),
    };
    if replay.fault.is_none() {
        replay.play_all(record);
    }
    replay
}

/// The position that the record begins with.
fn start_of(record: &bpgn::Game, ruleset: &RuleSet) -> Result<Game, Fault> {
    let Some(text) = record.tag("FEN") else { return Ok(Game::new(ruleset.clone(), record.boards())) };
    let fault =
        |message| Fault { board: BoardId::A, ply: 0, index: 0, written: text.to_owned(), reasons: vec![], message };
    let bfen = Bfen::read(text).map_err(|error| fault(format!("tag FEN: {error}")))?;
    let game = bfen.to_game(ruleset);
    if game.len() < record.boards() {
        let message = format!("tag FEN: expected {} boards as in the moves, found {}", record.boards(), game.len());
        return Err(fault(message));
    }
    Ok(game)
}

impl Replay {
    fn play_all(&mut self, record: &bpgn::Game) {
        for (index, written) in record.moves.iter().enumerate() {
            let ended = !self.mates.is_empty();
            if let Err(fault) = self.step(index + 1, written) {
                self.fault = Some(*fault);
                return;
            }
            self.after_end += usize::from(ended);
        }
    }

    fn step(&mut self, index: usize, written: &bpgn::GameMove) -> Result<(), Box<Fault>> {
        let board = written.seat.board;
        if self.game.len() > 2 {
            self.choose(written);
        }
        let position = self.game.board(board);
        if position.turn() != written.seat.color {
            let message = format!("{} moves, and it is not their turn", written.seat);
            return Err(fault(index, written, position, vec![Reason::NotYourTurn], message));
        }
        let (played, marks) = san::read_with_marks(&written.san, position)
            .map_err(|error| fault(index, written, position, error.reasons().to_vec(), error.to_string()))?;
        if written.number != position.move_number() {
            let number = position.move_number();
            self.remark(index, || format!("expected number {number}{0}, found {1}{0}", written.seat, written.number));
        }
        if !marks.plain || marks.origin {
            self.compare(index, written, played);
        }
        let transfer = self.game.play(board, played);
        if self.game.len() > 2 {
            self.passed.extend(transfer);
            self.dropped(written.seat, played);
        }
        self.plies.push(ReplayedPly { seat: written.seat, played, clock_ms: written.clock_ms });
        self.look(index, written, marks);
        self.count(index, board);
        Ok(())
    }

    /// A drop of what is not in the pocket: another partner of its capturer has it, so this one was chosen.
    fn choose(&mut self, written: &bpgn::GameMove) {
        let seat = written.seat;
        let read = san::read(&written.san, self.game.board(seat.board));
        let Err(SanError::Illegal { reasons, attempt: Some(Attempt::Drop { man, .. }), .. }) = read else { return };
        let boards = self.game.len();
        let fits = |passed: &&mut Transfer| {
            let chosen = passed.from.partners(boards).any(|partner| partner == seat);
            chosen && passed.man.role == man.role && passed.to != seat
        };
        if reasons == [Reason::DropNotInPocket]
            && let Some(passed) = self.passed.iter_mut().find(fits)
            && self.game.pass_on(passed.to, seat, man.role)
        {
            *passed = Transfer { to: seat, man, ..*passed };
        }
    }

    /// A man that has been dropped can no longer have gone to somebody else.
    fn dropped(&mut self, seat: Seat, played: Move) {
        let Move::Put { role, .. } = played else { return };
        if let Some(at) = self.passed.iter().position(|passed| passed.to == seat && passed.man.role == role) {
            self.passed.remove(at);
        }
    }

    fn remark(&mut self, index: usize, message: impl FnOnce() -> String) {
        if self.remarks.len() < REMARKS_MAX {
            self.remarks.push(Remark { index, message: message() });
        }
    }

    /// The spelling of a move that was not plainly written.
    fn compare(&mut self, index: usize, written: &bpgn::GameMove, played: Move) {
        let plain = san::write_plain(self.game.board(written.seat.board), played);
        if written.san.trim_end_matches(['+', '#', '!', '?']) != plain {
            self.remark(index, || format!("expected {plain}, found {}", written.san));
        }
    }

    /// Check and mate after a ply, beside what the record says of them. A check need not be marked (CZ E12).
    fn look(&mut self, index: usize, written: &bpgn::GameMove, marks: Marks) {
        let board = written.seat.board;
        let check = self.game.board(board).checkers().any();
        let mate = check && self.game.is_mate(board);
        if mate {
            self.mates.push(board);
        }
        let found = || written.san.clone();
        match (mate, marks.mate) {
            (true, false) => self.remark(index, || format!("expected # for mate, found {}", found())),
            (false, true) => self.remark(index, || format!("expected no sign of mate, found {}", found())),
            _ if marks.check && !check => {
                self.remark(index, || format!("expected no sign of check, found {}", found()))
            }
            _ => {}
        }
    }

    fn count(&mut self, index: usize, board: BoardId) {
        let occurrences = self.game.occurrences(board);
        if occurrences >= self.game.ruleset().repetition {
            self.repetitions.push(Repetition { board, index, occurrences });
        }
    }
}

fn fault(
    index: usize,
    written: &bpgn::GameMove,
    position: &BoardPosition,
    reasons: Vec<Reason>,
    message: String,
) -> Box<Fault> {
    let board = written.seat.board;
    Box::new(Fault { board, ply: position.plies() + 1, index, written: written.san.clone(), reasons, message })
}

#[cfg(test)]
mod tests;

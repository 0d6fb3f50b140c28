//! What men say without a move: set up for a game, or cleared away.
//!
//! In: placements while no time runs. Out: a game begins, or ends. A square or two may contradict the set-up all the
//! time: a sensor is dead, a man is wrongly tagged.

use super::Table;
use crate::{
    event::Status,
    rules::Game,
    types::{Bitboard, BoardId, Instant, Kinds, SECOND, Square},
};

/// Squares that may disagree with the set-up of a board before it counts as taken apart.
const DISTURBED_MAX: usize = 6;
/// Squares that may disagree with the set-up when it is made.
const FAULTS_MAX: usize = 2;
/// How long they must have done so.
const FAULT_RESTS_US: i64 = 2 * SECOND;
/// How long the men of a table without clocks stand set up before the game is over: a first move on each board may be
/// taken back in the same moment.
pub const ANEW_US: i64 = 2 * SECOND;

/// So long all boards stand empty, while no time runs, before the game is over.
pub const SWEPT_US: i64 = 5 * SECOND;
/// Men that may be left on a board that is swept off.
const LEFT_MAX: usize = 2;

impl Table {
    /// Notes boards that are set up; a game that is not played any more ends when all are.
    pub(super) fn watch_set_up(&mut self, board: BoardId) {
        if self.play.is_on() && self.sensors.running() {
            return;
        }
        let armed = self.play.armed[board.index()];
        self.play.armed[board.index()] = self.set_up(board, armed);
        if !self.is_set_up_anew() {
            self.play.anew = None;
        } else if self.sensors.has_clock() || self.is_far() {
            self.end_set_up_anew();
        } else {
            self.play.anew.get_or_insert(self.now);
        }
        self.try_start();
    }

    fn is_set_up_anew(&self) -> bool {
        let moves = self.play.game.ids().any(|board| self.play.game.board(board).plies() > 0);
        self.play.is_on() && moves && self.play.armed.iter().all(Option::is_some)
    }

    /// Whether so much stood elsewhere in the game that no few moves that were taken back make a set-up of it.
    fn is_far(&self) -> bool {
        self.is_far_by(DISTURBED_MAX)
    }

    /// Whether more squares of some board than that are others in the game than they were in the set-up.
    pub(super) fn is_far_by(&self, squares: usize) -> bool {
        let start = Game::new(self.ruleset.clone(), 1);
        let start = start.board(BoardId::A).board();
        let elsewhere = |board: BoardId| {
            let men = self.play.game.board(board).board();
            Square::ALL.into_iter().filter(|square| men.piece_at(*square) != start.piece_at(*square)).count()
        };
        self.play.game.ids().any(|board| elsewhere(board) > squares)
    }

    pub(super) fn end_set_up_anew(&mut self) {
        self.play.anew = None;
        let armed = self.play.armed.clone();
        self.end("*", "the men were set up anew", Vec::new(), "table");
        self.play.status = Status::Waiting;
        // They stand so for the next game; without clocks nothing more is seen of them until its first move.
        self.play.armed = armed;
    }

    /// Men that have stood set up for long enough on a table without clocks end the game.
    pub(super) fn watch_anew(&mut self) {
        if self.play.anew.is_some_and(|since| self.now >= since + ANEW_US) {
            self.play.anew = None;
            if self.is_set_up_anew() {
                self.end_set_up_anew();
            }
        }
    }

    /// A clock is set going again where the men stand set up, or nearly so, and not as they were left: the next game
    /// is begun before its last man stands.
    pub(super) fn watch_hurry(&mut self) {
        let anew = |board: BoardId| {
            let (disturbed, position) = (self.disturbed(board).count(), self.play.game.board(board));
            let left = self.sensors.boards[board.index()].sense.placement().mismatch(position).any().count();
            disturbed <= DISTURBED_MAX && (position.plies() == 0 || disturbed < left)
        };
        let moved = self.play.game.ids().any(|board| self.play.game.board(board).plies() > 0);
        let again = self.play.status == Status::Paused && self.sensors.running();
        if again && moved && self.play.game.ids().all(anew) {
            self.end_set_up_anew();
            self.judge.runs_on = false;
        }
    }

    /// Boards that are swept off end the game when they have stood so for long enough.
    pub(super) fn watch_swept(&mut self) {
        if !self.is_swept_off() {
            self.play.swept = None;
        } else if self.now >= *self.play.swept.get_or_insert(self.now) + SWEPT_US {
            self.play.swept = None;
            self.end("*", "the men were cleared away", Vec::new(), "table");
            self.play.status = Status::Waiting;
        }
    }

    fn is_swept_off(&self) -> bool {
        let empty = |board: BoardId| {
            let placement = self.sensors.boards[board.index()].sense.placement();
            // What is not known to be empty may be a man.
            Square::ALL.into_iter().filter(|square| placement.kinds(*square) != Kinds::EMPTY).count() <= LEFT_MAX
        };
        self.play.is_on() && !self.sensors.running() && self.play.game.ids().all(empty)
    }

    /// When what a board contradicts of the set-up will have stood for long enough to be a fault.
    pub(super) fn faults_at(&self) -> Option<Instant> {
        self.resting().map(|(_, due)| due).filter(|due| *due > self.now).min()
    }

    /// Boards whose faults have stood for long enough are set up.
    pub(super) fn watch_faults(&mut self) {
        let due: Vec<BoardId> = self.resting().filter(|(_, due)| *due <= self.now).map(|(board, _)| board).collect();
        for board in due {
            self.watch_set_up(board);
        }
    }

    /// Boards that contradict little of the set-up, and when that counts as faults.
    fn resting(&self) -> impl Iterator<Item = (BoardId, Instant)> + '_ {
        let boards = self.play.game.ids().filter(|board| self.play.armed[board.index()].is_none());
        boards.filter(|_| !self.play.is_on()).filter_map(|board| {
            let placement = self.sensors.boards[board.index()].sense.placement();
            let disturbed = placement.tells().then(|| self.disturbed(board))?;
            let changed = disturbed.into_iter().map(|square| placement.changed(square)).max()?;
            (disturbed.count() <= FAULTS_MAX).then_some((board, changed + FAULT_RESTS_US))
        })
    }

    /// What a board that is set up contradicts of the set-up; none if it is not set up.
    fn set_up(&self, board: BoardId, armed: Option<Bitboard>) -> Option<Bitboard> {
        let placement = self.sensors.boards[board.index()].sense.placement();
        let disturbed = self.disturbed(board);
        let count = disturbed.count();
        let rests = |square| self.now - placement.changed(square) >= FAULT_RESTS_US;
        // What stands there by the game is no fault of a sensor.
        let played = self.play.is_on() && !disturbed.is_subset(placement.mismatch(self.play.game.board(board)).any());
        let faulty = count <= FAULTS_MAX && disturbed.into_iter().all(rests) && !played;
        match armed {
            _ if !placement.tells() => None,
            _ if count == 0 => Some(Bitboard::EMPTY),
            // While a game may be on, men away from the set-up are moves.
            Some(faults) if !self.play.is_on() && (disturbed & !faults).count() <= DISTURBED_MAX => Some(faults),
            Some(faults) if (disturbed & !faults).is_empty() => Some(faults),
            _ => faulty.then_some(disturbed),
        }
    }

    fn disturbed(&self, board: BoardId) -> Bitboard {
        let start = Game::new(self.ruleset.clone(), 1);
        self.sensors.boards[board.index()].sense.placement().mismatch(start.board(BoardId::A)).any()
    }

    /// A game begins when all boards are set up and a clock runs, or, without clocks, when a man is moved.
    pub(super) fn try_start(&mut self) {
        if self.play.is_on() || self.judge.runs_on {
            return;
        }
        let running = self.sensors.running();
        for board in self.play.game.ids().filter(|_| running) {
            let armed = self.play.armed[board.index()];
            self.play.armed[board.index()] = self.set_up(board, armed);
        }
        let begun = running || (!self.sensors.has_clock() && self.first_move_seen());
        if begun && !self.quiet && self.play.armed.iter().all(Option::is_some) {
            self.start();
        }
    }

    fn first_move_seen(&self) -> bool {
        let faults = |board: BoardId| self.play.armed[board.index()].unwrap_or_default();
        self.play.game.ids().any(|board| (self.disturbed(board) & !faults(board)).any())
    }
}

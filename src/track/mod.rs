//! Placements and clocks over time to moves.
//!
//! In: what the sensors show of each board, presses of the clock, the game of completed moves. Out: the line of moves
//! that each board shows beyond the game (provisional), and completed moves one by one in the order of their presses.
//! It knows nothing of people's rights: an illegal move is explained, not judged.
//!
//! # How
//! A board is explained by the cheapest line of plies over the confirmed position (`search`); edges are not followed,
//! only states. The line is a hypothesis and never touches the game. A press of the clock completes the first ply of
//! the line once it is firm: its man has been seen at rest for a whole scan, so that it cannot be one square of a slide
//! (`board`). Presses of all boards are taken in their order of arrival ([`Tracker`]).

mod board;
mod illegal;
mod search;

use crate::{
    rules::{Game, Move, Pocket, Reason},
    sense::Placement,
    types::{BoardId, ByColor, ClockTimes, Color, Instant, MS, Role, SECOND, Seat},
};

pub use board::LinePly;
use board::{BoardTrack, Readiness};

/// Longest scan of a board: what it shows is at most so old (`hardware/dgt.md`: 200 to 250 ms, and the byte times).
pub const SCAN_US: i64 = 300 * MS;
/// How long a press may hold later presses of other boards back.
pub const HOLD_US: i64 = 600 * MS;
/// How long a press may go unexplained before an illegal move is considered.
pub const UNEXPLAINED_US: i64 = 1500 * MS;
/// Rest of the board that an illegal explanation needs.
pub const ILLEGAL_REST_US: i64 = SECOND;

/// How a board's plies are completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// By presses of the clock (WBN 1.4).
    Clock,
    /// By the reply, or by rest of this many microseconds: a table without a clock.
    Settle(i64),
}

/// A press of a clock: a player started the opponent's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Press {
    /// Whose time ran before.
    pub by: Color,
    /// Arrival of the frame that showed it.
    pub at: Instant,
    /// Times left after it.
    pub clock: ClockTimes,
}

/// A completed ply.
#[derive(Clone, Debug, PartialEq)]
pub struct Completed {
    /// The board.
    pub board: BoardId,
    /// The move.
    pub played: Move,
    /// Arrival of the frame that showed it made.
    pub made_at: Instant,
    /// Arrival of the frame that completed it.
    pub completed_at: Instant,
    /// Times left, if there is a clock.
    pub clock: Option<ClockTimes>,
    /// Why it is illegal; empty for a legal move.
    pub illegal: Vec<Reason>,
}

/// The hypotheses over all boards of a table.
#[derive(Debug)]
pub struct Tracker {
    boards: Vec<BoardTrack>,
}

impl Tracker {
    /// Nothing seen yet; one entry a board.
    pub fn new(completions: &[Completion]) -> Tracker {
        Tracker { boards: completions.iter().map(|completion| BoardTrack::new(*completion)).collect() }
    }

    /// The moves that a board shows beyond the game, the next to be completed first.
    pub fn line(&self, board: BoardId) -> &[LinePly] {
        self.boards[board.index()].line()
    }

    /// Squares that the line leaves unexplained.
    pub fn unexplained(&self, board: BoardId) -> crate::types::Bitboard {
        self.boards[board.index()].unexplained()
    }

    /// Explains a board anew: its placement, its game or a partner's line changed.
    /// `lifted` are the men that left the pocket of each player, where a tray tells.
    pub fn observe(
        &mut self,
        game: &Game,
        board: BoardId,
        placement: &Placement,
        lifted: &ByColor<Option<Pocket>>,
        at: Instant,
    ) {
        let arriving = self.arriving(game, board);
        let seen = board::Seen { placement, lifted, arriving: &arriving };
        self.boards[board.index()].observe(game, board, seen, at);
    }

    /// A player said what a pawn becomes, with the move that is being made or the next one that promotes. The caller
    /// observes the board anew.
    pub fn declare(&mut self, seat: Seat, role: Role) {
        self.boards[seat.board.index()].declare(seat.color, role);
    }

    /// Men that other boards' lines capture for the players of `board`: they may be dropped before the capture is
    /// seen to be completed, because clocks are read one after the other.
    fn arriving(&self, game: &Game, board: BoardId) -> search::Arriving {
        let mut arriving = search::Arriving::default();
        for other in game.ids().filter(|other| *other != board) {
            for ply in self.line(other) {
                let Some(captured) = ply.captured else { continue };
                let capturer = other.seat(captured.color).opponent();
                for seat in capturer.partners(game.len()).filter(|seat| seat.board == board) {
                    arriving.add(seat.color, captured.role);
                }
            }
        }
        arriving
    }

    /// A press of a board's clock.
    pub fn press(&mut self, board: BoardId, press: Press) {
        self.boards[board.index()].press(press);
    }

    /// A board's clock was stopped: a made move that ends the game counts without a press (WBN 7.7 a).
    pub fn stopped(&mut self, game: &Game, board: BoardId, clock: Option<ClockTimes>, at: Instant) {
        self.boards[board.index()].stopped(game, board, clock, at);
    }

    /// The next ply that is completed at `at`. The caller plays it and observes the boards anew.
    pub fn next_completed<'a>(
        &mut self,
        game: &Game,
        placements: impl Fn(BoardId) -> Option<&'a Placement>,
        at: Instant,
    ) -> Option<Completed> {
        for board in self.in_order(game) {
            let track = &mut self.boards[board.index()];
            match track.readiness(game, board, at) {
                Readiness::Ready => return track.complete(game, board),
                Readiness::Unexplained => {
                    let illegal = placements(board).and_then(|seen| track.complete_illegal(game, board, seen, at));
                    if illegal.is_some() {
                        return illegal;
                    }
                }
                Readiness::Wait(_) if track.holds_others(at) => return None,
                Readiness::Wait(_) | Readiness::Nothing => {}
            }
        }
        None
    }

    /// Boards by their earliest press; ties and boards without a press by letter.
    fn in_order(&self, game: &Game) -> Vec<BoardId> {
        let mut boards: Vec<BoardId> = game.ids().collect();
        boards.sort_by_key(|board| self.boards[board.index()].first_press().unwrap_or(Instant(i64::MAX)));
        boards
    }

    /// When time alone may complete something, if that is later than `now`.
    pub fn deadline(&self, game: &Game, now: Instant) -> Option<Instant> {
        let held = self.boards.iter().filter_map(BoardTrack::first_press).map(|press| press + HOLD_US);
        let waits = game.ids().filter_map(|board| self.boards[board.index()].deadline(game, board));
        waits.chain(held).filter(|deadline| *deadline > now).min()
    }
}

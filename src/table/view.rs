//! The whole table as one value: what is retained on `live/state`.

use super::Table;
use crate::{
    event::{BoardState, PocketState, State, VERSION},
    notation::{bfen, placement},
    types::{BoardId, Color, SECOND, Square},
};

/// How long a contradiction rests before somebody should look: hands are faster.
const NEEDS_A_LOOK_US: i64 = 3 * SECOND;

impl Table {
    /// The whole table now; `seq` is that of the last live event.
    pub fn state(&self) -> State {
        let play = &self.play;
        State {
            v: VERSION,
            session: self.opening.session.clone(),
            table: self.settings.id.clone(),
            game: play.id.clone(),
            seq: self.seq.saturating_sub(1),
            t: self.now,
            time: self.time(self.now),
            status: play.status,
            result: play.result.clone(),
            reason: play.reason.clone(),
            ruleset: self.ruleset.to_string(),
            time_control: self.settings.time_control.clone(),
            players: self.players.clone(),
            bfen: self.bfen(),
            boards: play.game.ids().map(|board| self.board_state(board)).collect(),
        }
    }

    fn board_state(&self, board: BoardId) -> BoardState {
        let position = self.play.game.board(board);
        let mut shown = position.clone();
        for ply in self.play.tracker.line(board).iter().filter(|_| self.play.is_on()) {
            shown.play(ply.played);
        }
        let pocket = |color: Color| {
            let (pieces, in_transit) = self.play.ledger.letters(board.seat(color));
            PocketState { pieces, in_transit }
        };
        BoardState {
            board,
            fen: bfen::write_fen(position),
            turn: position.turn().into(),
            check: position.checkers().any(),
            mate: self.play.game.is_mate(board),
            plies: position.plies(),
            last: self.play.last[board.index()].clone(),
            made: self.play.made[board.index()].clone(),
            shown: placement::write(shown.board(), shown.promoted()),
            white: pocket(Color::White),
            black: pocket(Color::Black),
            clock: self.clock_shown(board),
            unexplained: self.unexplained(board),
        }
    }

    fn unexplained(&self, board: BoardId) -> Vec<String> {
        let seen = self.sensors.boards[board.index()].sense.placement();
        let rests = |square: &Square| self.now - seen.changed(*square) >= NEEDS_A_LOOK_US;
        let squares = self.play.tracker.unexplained(board).into_iter().filter(|_| self.play.is_on());
        squares.filter(rests).map(|square| square.to_string()).collect()
    }
}

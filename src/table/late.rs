//! A game that began before anybody heard of its table.
//!
//! In: boards that show few moves from the set-up, with clocks that nobody has seen stopped since the table was opened,
//! and no game that they could belong to. Out: the game begins where its men were set up; what was played meanwhile is
//! found by the tracker like plies behind a pulled cable. It knows nothing of tables without clocks: men that stand so
//! may be left from anything there.

use super::{Table, play::seen};
use crate::{
    rules::{Among, BoardPosition, Game, MoveList},
    sense::Placement,
    types::{Bitboard, BoardId, Instant, SECOND, Seat},
};

/// Plies of a board that may have been played before it was heard of.
const PLIES_MAX: usize = 4;
/// Squares that they touch at most, with that of a man in the air.
const TOUCHED_MAX: usize = 2 * PLIES_MAX + 1;
/// Positions that are looked at.
const POSITIONS_MAX: usize = 4000;
/// So long after all boards have told of their men a game that had begun before is looked for.
const LATE_US: i64 = 10 * SECOND;

/// Whether a game may have begun before the table was opened.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Late {
    /// Not all boards were heard of yet.
    #[default]
    Unheard,
    /// They were, at this instant.
    Since(Instant),
    /// What begins is seen from its beginning.
    Not,
}

impl Table {
    /// Takes up a game that began before anybody heard of the table.
    pub(super) fn watch_late(&mut self) {
        let since = match self.late {
            Late::Not => return,
            Late::Unheard if !self.all_tell() => return,
            Late::Unheard => self.now,
            Late::Since(since) => since,
        };
        self.late = Late::Since(since);
        let over = self.now > since + LATE_US || self.play.id.is_some() && !self.play.is_on();
        if over || self.stand_still() || self.quiet {
            self.late = Late::Not;
        } else if self.sensors.running() && (!self.play.is_on() || self.is_far_by(TOUCHED_MAX)) && self.show_beginning()
        {
            self.begin_late();
        }
    }

    fn all_tell(&self) -> bool {
        let tells = |board: BoardId| self.sensors.boards[board.index()].sense.placement().tells();
        self.play.game.ids().all(tells)
    }

    /// Whether all clocks that there are were seen to be stopped.
    fn stand_still(&self) -> bool {
        let mut clocks = self.sensors.boards.iter().filter_map(|unit| unit.clock.as_ref());
        clocks.all(|clock| clock.view(self.now).is_some_and(|view| view.running.is_none()))
    }

    /// Whether few moves from the set-up lead to what all boards show.
    fn show_beginning(&self) -> bool {
        let start = Game::new(self.ruleset.clone(), 1);
        let start = start.board(BoardId::A);
        let begun = |board: BoardId| {
            let mut left = POSITIONS_MAX;
            leads_to(start, self.sensors.boards[board.index()].sense.placement(), PLIES_MAX, &mut left)
        };
        self.unsettled().is_empty() && self.play.game.ids().all(begun)
    }

    fn begin_late(&mut self) {
        if self.play.is_on() {
            self.end_set_up_anew();
        }
        self.late = Late::Not;
        let game = Game::new(self.ruleset.clone(), self.play.game.len());
        let (id, clocked) = (self.game_id(), std::mem::take(&mut self.play.clocked));
        self.take_up(id, game, clocked);
        self.tell_started();
        self.judge_start();
        // Nobody saw how clocks were set going, what came to trays, nor heard a button.
        self.judge.referee.clocks.iter_mut().for_each(|clock| clock.begin(self.now));
        self.miss_buttons(Seat::all(self.play.game.len()));
        (self.judge.goes_on, self.judge.pockets_doubted) = (true, true);
        for seat in Seat::all(self.play.game.len()) {
            self.judge.referee.men.blind(seat, self.now);
        }
        for board in self.play.game.ids() {
            self.watch_clock(board);
            self.play.tracker.unwatched(board, self.now);
            let seen = seen(&self.sensors, &self.play.game, &self.play.ledger, board);
            self.play.tracker.learn(&self.play.game, board, &seen, self.now);
            self.observe(board);
            self.clock_runs(board);
        }
        self.settle();
    }
}

/// Whether so many plies at most, and perhaps a man in the air, lead from a position to what a board shows.
fn leads_to(position: &BoardPosition, placement: &Placement, plies: usize, left: &mut usize) -> bool {
    let mismatch = placement.mismatch(position);
    if mismatch.foreign.is_empty() && mismatch.missing.count() <= 1 {
        return true;
    }
    // Every ply touches two squares.
    if plies == 0 || *left == 0 || mismatch.any().count() > 2 * plies + 1 {
        return false;
    }
    *left -= 1;
    let all = Bitboard::FULL;
    let mut moves = MoveList::new();
    position.legal_moves_among(Among { from: all, to: all, drops: all, touching: mismatch.any() }, &mut moves);
    moves.into_iter().any(|m| {
        let mut after = position.clone();
        after.play(m);
        leads_to(&after, placement, plies - 1, left)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        notation::placement,
        rules::RuleSet,
        types::{Kinds, Square},
    };

    fn check(rows: &str, expect: bool) {
        let (men, _) = placement::read(rows.split('/')).unwrap();
        let start = Game::new(RuleSet::WBN_1_00, 1);
        for occupancy in [false, true] {
            let mut shown = Placement::default();
            for square in Square::ALL {
                let kinds = Kinds::exactly(men.piece_at(square));
                let kinds = if occupancy && kinds != Kinds::EMPTY { Kinds::OCCUPIED } else { kinds };
                shown.set(square, kinds, Instant::ZERO);
            }
            let found = leads_to(start.board(BoardId::A), &shown, PLIES_MAX, &mut POSITIONS_MAX.clone());
            assert_eq!(found, expect, "{rows}, occupancy alone: {occupancy}");
        }
    }

    #[test]
    fn few_moves_lead_to_what_the_board_shows() {
        check("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", true);
        check("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR", true);
        check("rnb1kbnr/ppp1pppp/8/3q4/8/8/PPPP1PPP/RNBQKBNR", true);
        check("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQK1NR", true);
    }

    #[test]
    fn other_men_were_not_moved_by_players() {
        check("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RN1QK2R", false);
        check("rnbqk2r/pppp1ppp/5n2/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1", false);
        check("8/8/8/8/8/8/8/8", false);
        check("rnbqkbnr/pppppppp/8/8/8/P7/PP1PPPPP/RNBQKBNR", false);
    }
}

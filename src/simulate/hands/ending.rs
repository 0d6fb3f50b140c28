//! After the last move: clocks stopped, the result shown, the men swept off and set up anew.

use rand::{Rng, seq::SliceRandom};

use crate::{
    simulate::{
        offence::Offence,
        world::{Action, Script, World, start},
    },
    types::{BoardId, Color, Instant, Piece, Role, Seat, Square},
};

use super::{AFTERWARDS, Allowed, Hands, Outcome, Performance, habit::Habit, profile::draw};

/// Where the kings are put when White, when Black and when nobody won: two light, two dark squares, one of each.
const WHITE_WON: [Square; 2] = [Square::E4, Square::D5];
const BLACK_WON: [Square; 2] = [Square::D4, Square::E5];
const DRAWN: [Square; 2] = [Square::E4, Square::E5];

impl Hands<'_> {
    /// The game is over.
    pub(super) fn finish(mut self, before: World) -> Performance {
        let over = self.last.0.max(self.steps.iter().map(|step| step.at).max().unwrap_or_default());
        let over = self.flagged.map_or(over, |(_, noticed)| over.max(noticed));
        self.stop(over);
        // The other board may have played on for a moment.
        let mate = self.plies.iter().find(|ply| ply.san.ends_with('#')).map(|ply| Outcome::Win(ply.seat.team()));
        let mut evident = mate.map(Outcome::as_str);
        if let Some(outcome) = self.outcome
            && self.shows(Habit::Kings)
        {
            self.show(outcome);
            evident.get_or_insert(outcome.as_str());
        }
        if self.shows(Habit::Sweep) {
            self.sweep();
            evident.get_or_insert("*");
        }
        self.truth.evident = evident.map(ToOwned::to_owned);
        let script = Script::new(self.steps);
        self.truth.end = script.end() + AFTERWARDS;
        Performance { world: before, script, truth: self.truth }
    }

    /// The clocks are stopped; men stay.
    fn stop(&mut self, over: Instant) {
        for board in BoardId::first(self.boards.len()) {
            let super::Board { since, turn, paused, .. } = self.boards[board.index()];
            let at = over + self.draw(|profile| &profile.stop);
            let left = self.players[board.seat(turn).index()].left;
            // Nobody's flag falls while the other board plays on: the record does not have that time.
            let flagged = self.flagged.is_some_and(|(fell, _)| fell == board);
            let runs = if flagged { at - since - paused } else { (at - since - paused).min(left / 2) };
            self.act(since, Action::Lag(board, at - since - paused - runs));
            self.act(at, Action::Stop(board));
            self.truth.stop.insert(board, at);
        }
        if let Some((board, at)) = self.truth.stop.iter().max_by_key(|(_, at)| **at) {
            let (kind, board, t) = (Offence::Paused.kind().to_owned(), *board, *at);
            self.truth.allowed_incidents.push(Allowed { kind, board, seat: None, ply: self.number, t });
        }
    }

    /// The kings go to the centre: their squares say who won on each board.
    fn show(&mut self, outcome: Outcome) {
        for board in BoardId::first(self.boards.len()) {
            let squares = match outcome {
                Outcome::Draw => DRAWN,
                Outcome::Win(team) if board.seat(Color::White).team() == team => WHITE_WON,
                Outcome::Win(_) => BLACK_WON,
            };
            let mut at = self.truth.stop[&board];
            for (color, to) in [Color::White, Color::Black].into_iter().zip(squares) {
                let king = color.king();
                let stands = |square: &Square| self.world.at(board, *square) == Some(king);
                let Some(from) = Square::ALL.into_iter().find(stands) else { continue };
                at = at + draw(&mut self.rng, &(200..=800));
                self.act(at, Action::Lift(board, from));
                at = at + draw(&mut self.rng, &(200..=500));
                self.act(at, Action::Place(board, to, king));
            }
        }
    }

    /// All men are taken off and set up again.
    fn sweep(&mut self) {
        let begun = self.steps.iter().map(|step| step.at).max().unwrap_or_default();
        let begun = begun + draw(&mut self.rng, &(1500..=4000));
        let mut cleared = begun;
        for board in BoardId::first(self.boards.len()) {
            let standing = |square: &Square| !self.world.free(board, *square);
            let squares: Vec<Square> = Square::ALL.into_iter().filter(standing).collect();
            cleared = cleared.max(self.clear(begun, squares.into_iter().map(|square| Action::Lift(board, square))));
        }
        for seat in Seat::all(self.boards.len()) {
            let slots = self.world.tray(seat).iter().enumerate().filter(|(_, man)| man.is_some());
            let slots: Vec<usize> = slots.map(|(slot, _)| slot).collect();
            cleared = cleared.max(self.clear(begun, slots.into_iter().map(|slot| Action::LiftSlot(seat, slot))));
        }
        for board in BoardId::first(self.boards.len()) {
            self.set_up(board, cleared);
        }
        for man in self.world.air() {
            self.act(cleared, Action::Away(man));
        }
    }

    /// Both hands grab in any order. Answers when all is done.
    fn clear(&mut self, begun: Instant, lifts: impl Iterator<Item = Action>) -> Instant {
        let mut lifts: Vec<Action> = lifts.collect();
        lifts.shuffle(&mut self.rng);
        let mut at = begun;
        for lift in lifts {
            at = at + draw(&mut self.rng, &(20..=150));
            self.act(at, lift);
        }
        at
    }

    fn set_up(&mut self, board: BoardId, begun: Instant) {
        let squares = start();
        let standing = |square: Square| Some((square, squares[square as usize]?));
        let mut men: Vec<(Square, Piece)> = Square::ALL.into_iter().filter_map(standing).collect();
        men.shuffle(&mut self.rng);
        // Pawns are put down last, more or less.
        men.sort_by_key(|(_, man)| man.role == Role::Pawn);
        let mut at = begun + draw(&mut self.rng, &(500..=2000));
        for (square, man) in men {
            at = at + self.rng.random_range(80_000..=350_000);
            self.act(at, Action::Place(board, square, man));
        }
    }
}

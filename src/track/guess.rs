//! Plies that nobody saw, as they were found by what the board showed when its sensors were back.
//!
//! In: which completed plies those are, what the board shows since. Out: whether all of the board was told, whether
//! what was found may still be something else, and what it was then. Hindsight knows nothing of it: it holds moves
//! against readings, and here is only where the men stand.

use super::{
    Completed, Press, Revision,
    board::BoardTrack,
    cost,
    past::Past,
    retell::lifted_before,
    search::{self, Evidence, PLIES_MAX},
    seen::Seen,
    settled::{made_at, touched},
};
use crate::{
    notation::uci,
    rules::{BoardPosition, Move},
    sense::Placement,
    types::{Bitboard, BoardId, Instant, MS, SECOND},
};

/// A board that is back tells all that it shows within this time, or says nothing of it.
const SHOWN_US: i64 = 3 * SECOND;
/// How long plies that nobody saw may turn out to be others.
const GUESS_US: i64 = 20 * SECOND;
/// How many watched plies after them may be others, too.
const GUESS_PLIES: usize = 2;
/// How long the board rests before they are looked for anew.
const GUESS_REST_US: i64 = 600 * MS;

/// Plies that nobody saw, as they were found by what the board showed afterwards.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Guess {
    /// The first of them by its index on the board, and until when they may turn out to be others.
    open: Option<(usize, Instant)>,
    /// That they may be others is still to be told.
    untold: bool,
    /// Since when the sensors are back, if they have not shown the whole board since.
    back: Option<Instant>,
    /// The state of the board at which it was looked for anew last.
    looked: Option<(Instant, Instant)>,
}

impl Guess {
    /// Nobody has looked until now; what is found will have to be told to be uncertain.
    pub(super) fn lost(at: Instant) -> Guess {
        Guess { untold: true, back: Some(at), ..Guess::default() }
    }
}

impl BoardTrack {
    /// Whether nobody knows what a board shows whose sensors are back.
    pub(super) fn awaits_sight(&self) -> bool {
        self.guess.back.is_some()
    }

    /// Looks at what a board shows whose sensors were away; whether all of it is known. What was found holds if the
    /// board agrees with it at rest.
    pub(super) fn sees(&mut self, placement: &Placement, at: Instant) -> bool {
        let agrees = self.unexplained.is_empty() && self.line.is_empty() && self.presses.is_empty();
        if agrees && at >= self.changed_at + GUESS_REST_US && !self.is_unwatched() {
            self.guess.open = None;
        }
        let told = |back: Instant| placement.looked() >= back || at >= back + SHOWN_US;
        self.guess.back = self.guess.back.filter(|back| !told(*back));
        self.guess.back.is_none()
    }

    /// The last completed ply is one that nobody saw.
    pub(super) fn note_guess(&mut self, completed_at: Instant) {
        self.given = self.past.len();
        let from = self.guess.open.map_or(self.given - 1, |(from, _)| from);
        self.guess.open = Some((from, completed_at + GUESS_US));
    }

    /// Whether plies that nobody saw may still turn out to be others, and with them what is legal.
    pub(super) fn is_guessing(&self, at: Instant) -> bool {
        let plies = self.given + GUESS_PLIES;
        let open = |(from, until)| at < until && self.past.len() <= plies.min(from + PLIES_MAX);
        self.is_unwatched() || self.guess.open.is_some_and(open)
    }

    /// Whether the ply at `index` is one that nobody saw and that is looked for anew here.
    pub(super) fn is_guess(&self, index: usize) -> bool {
        self.guess.open.is_some_and(|(from, _)| (from..self.given).contains(&index))
    }

    /// The first of several plies that nobody saw, by its index, once after the last of them: they may be others.
    pub(super) fn take_guess(&mut self) -> Option<usize> {
        let (from, _) = self.guess.open.filter(|_| self.guess.untold && !self.is_unwatched())?;
        self.guess.untold = false;
        (from + 2 <= self.past.len()).then_some(from)
    }

    /// That they may be others was told at the first look.
    pub(super) fn guess_is_told(&mut self) {
        self.guess.untold = false;
    }

    /// When plies that nobody saw are looked for anew, because the board contradicts what was found and rests.
    pub(super) fn guess_due(&self) -> Option<Instant> {
        let due = self.changed_at + GUESS_REST_US;
        let guesses = self.unexplained.any() && !self.is_unwatched() && self.is_guessing(due);
        (guesses && self.guess.looked != Some(self.state())).then_some(due)
    }

    /// Looks anew for the plies that nobody saw and those after them: a man that was in the air or on its way at the
    /// first look is put down by now.
    pub(super) fn guess_again(
        &mut self,
        board: BoardId,
        position: &BoardPosition,
        seen: &Seen<'_>,
        at: Instant,
    ) -> Option<Revision> {
        self.guess.looked = Some(self.state());
        let (from, _) = self.guess.open?;
        // The arbiter may have undone them.
        let back = self.past.len().checked_sub(from).filter(|back| *back > 0)?;
        let root = self.root(position, back);
        let lifted = lifted_before(seen, &self.past[from..]);
        // At rest only who is to move may have a man in the air.
        let gone = seen.placement.unchanged_since(self.changed_at);
        let evidence = Evidence { lifted: &lifted, gone, gap: true, ..self.evidence(seen, back) };
        let found = search::explain(&root, evidence, PLIES_MAX);
        // Who is not to move has no man in hand for long, but it may have been taken off for a capture.
        let lacking = self.unexplained & position.board().by_color(!position.turn());
        let lacking = if self.line.is_empty() { lacking } else { Bitboard::EMPTY };
        let record = self.cost + back as u32 * cost::PLY + lacking.count() as u32 * cost::FOREIGN;
        let better = found.cost + cost::UNDO <= record;
        let whole = found.mismatch.any().is_empty() && !found.line.is_empty();
        (whole && better && self.is_in_order(&found.line, seen.placement))
            .then(|| self.replace_guess(board, (from, &root), &found.line, seen, at))
    }

    /// Whether what came after the last press was brought by the last plies of a line.
    fn is_in_order(&self, line: &[Move], placement: &Placement) -> bool {
        let pressed = self.past.last().map_or(Instant::LONG_AGO, |last| last.completed_at);
        let late = |(index, m): (usize, &Move)| {
            let to = uci::destination(*m);
            placement.changed(to) > pressed && !touched(&line[index + 1..]).contains(to)
        };
        !line.iter().enumerate().take(line.len().saturating_sub(2)).any(late)
    }

    /// Replaces the plies from `from` on by a line: as many are completed as bring the turn to where the clock has it.
    fn replace_guess(
        &mut self,
        board: BoardId,
        (from, root): (usize, &BoardPosition),
        line: &[Move],
        seen: &Seen<'_>,
        at: Instant,
    ) -> Revision {
        self.forget_from(from);
        let even = line.len().is_multiple_of(2);
        let turn = if even { root.turn() } else { !root.turn() };
        let completed = if self.clock_turn.is_none_or(|clock| clock == turn) { line.len() } else { line.len() - 1 };
        let old = self.past.split_off(from);
        let mut before = root.clone();
        let complete = |(index, (played, old)): (usize, (&Move, &Past))| {
            let made_at = made_at(*played, touched(&line[index + 1..]), seen.placement, old.completed_at);
            let (played, completed_at, clock) = (*played, old.completed_at, old.clock);
            let (illegal, rivals) = (Vec::new(), Vec::new());
            let completed = Completed { board, played, made_at, completed_at, clock, illegal, rivals };
            let said = self.said.reread(old, played);
            let past = Past::new(&before, &completed, Vec::new()).felt(seen.placement).read_anew(old);
            self.past.push(Past { said, ..past });
            before.play(played);
            completed
        };
        let moves: Vec<Completed> = line[..completed].iter().zip(&old).enumerate().map(complete).collect();
        old.iter().skip(moves.len()).for_each(|undone| self.said.again(undone));
        let by = |index: usize| if index.is_multiple_of(2) { root.turn() } else { !root.turn() };
        let press = |index| Press { by: by(index), at, clock: None };
        self.presses = (moves.len()..completed).map(press).collect();
        (self.gap, self.unwatched) = (!self.presses.is_empty(), true);
        self.given = self.past.len();
        self.line = self.rest_of_line(before, &line[moves.len()..], seen);
        Revision { board, from, moves, narrow: false }
    }
}

//! What was played while presses were lost, or while nobody heard of a board at all.
//!
//! In: that it was so; then what the board shows and whose time runs. Out: the presses that must have been. What nobody
//! watched is not read anew by hindsight: it would hold moves against men that were not looked at. It is looked for
//! again where the board soon contradicts it, and until then accuses nobody.

use super::{
    Completed, Completion, Press, REST_US, Revision,
    board::{BoardTrack, Seen},
    cost, hindsight,
    past::Past,
    retell::lifted_before,
    search::{self, Arriving, Evidence, PLIES_MAX},
    settled::{made_at, touched},
};
use crate::{
    notation::uci,
    rules::{BoardPosition, Move, Pocket},
    sense::Placement,
    types::{Bitboard, BoardId, Color, Instant, MS, Role, SECOND},
};

/// A reply that stands so long with everything explained was played, even if no press was seen.
const MISSED_US: i64 = 2500 * MS;
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

/// Men that lie in the trays of a board's players, or have left them, and are in no known pocket: another board has
/// sent them while nobody watched.
pub(super) fn sent(position: &BoardPosition, seen: &Seen<'_>, arriving: &mut Arriving) {
    let known = arriving.apply(position);
    for color in Color::ALL {
        let Some(lying) = seen.lying.get(color) else { continue };
        let lifted = seen.lifted.get(color).map_or_else(Pocket::default, |hand| hand.men);
        for role in Role::ALL {
            let held = lying.get(role).saturating_add(*lifted.get(role));
            (*known.pocket(color).get(role)..held).for_each(|_| arriving.add(color, role));
        }
    }
}

impl BoardTrack {
    /// Presses were lost.
    pub(super) fn lose_presses(&mut self) {
        self.unwatched &= self.gap;
        self.gap = true;
    }

    /// Nobody heard of the board's men nor of its clock until now: what it shows is not known until all of it is told.
    pub(super) fn lose_sight(&mut self, at: Instant) {
        (self.gap, self.unwatched) = (true, true);
        self.guess = Guess { untold: true, back: Some(at), ..Guess::default() };
        self.deaf.clear();
    }

    /// Whether a drop's man is in the pocket of the confirmed game, as far as that is known.
    pub(super) fn has(&self, position: &BoardPosition, m: Move) -> bool {
        match m {
            Move::Put { role, .. } => self.pockets_unknown || *position.pocket(position.turn()).get(role) > 0,
            _ => true,
        }
    }

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

    /// The daemon was away: what is not completed is looked for anew.
    pub(super) fn reopen(&mut self, completion: Completion) {
        self.line.clear();
        self.rivals.clear();
        self.presses.clear();
        self.heard.clear();
        self.ended_at = None;
        self.given = self.past.len();
        (self.clock_turn, self.clock_stopped) = (None, false);
        self.completion = completion;
        // It is told at the first look, which is waited for.
        (self.gap, self.unwatched, self.guess) = (true, true, Guess::default());
        self.deaf.clear();
    }

    /// Whether plies may have been played that nobody watched.
    pub(super) fn is_unwatched(&self) -> bool {
        self.gap && self.unwatched
    }

    /// After a gap: squares that have shown the same for so long that a man missing there is in no hand.
    pub(super) fn gone(&self, placement: &Placement, at: Instant) -> Bitboard {
        match self.is_unwatched() {
            true => placement.unchanged_since(at + -hindsight::GONE_US),
            false => Bitboard::EMPTY,
        }
    }

    /// When plies count whose presses nobody saw: the clock was out of sight, or went there and back between two
    /// messages.
    pub(super) fn gap_due(&self) -> Option<Instant> {
        let read = self.clock_turn.is_some()
            && !self.awaits_sight()
            && self.completion == Completion::Clock
            && self.presses.is_empty();
        match self.line.as_slice() {
            _ if !read || self.clock_stopped => None,
            [_, reply, ..] if self.unexplained.is_empty() => Some(reply.made_at + MISSED_US),
            [_] if self.gap => Some(self.changed_at + REST_US),
            _ => None,
        }
    }

    /// As many plies were completed as bring the turn to where the clock has it.
    pub(super) fn close_gap(&mut self, turn: Color) {
        let odd = usize::from(self.clock_turn != Some(turn));
        let plies = if self.gap { self.line.len() } else { self.line.len().min(2) };
        let completed = if plies % 2 == odd { plies } else { plies - 1 };
        self.gap &= completed > 0;
        for (index, ply) in self.line.iter().take(completed).enumerate() {
            let by = if index % 2 == 0 { turn } else { !turn };
            self.presses.push_back(Press { by, at: ply.made_at, clock: None });
        }
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

    /// The first of several plies that nobody saw, by its index, once after the last of them: they may be others.
    pub(super) fn take_guess(&mut self) -> Option<usize> {
        let (from, _) = self.guess.open.filter(|_| self.guess.untold && !self.is_unwatched())?;
        self.guess.untold = false;
        (from + 2 <= self.past.len()).then_some(from)
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
        let back = self.past.len() - from;
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
        Revision { board, from, moves }
    }
}

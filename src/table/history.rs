//! Completed moves in order, and what puts them right: the tracker's second thoughts, and the arbiter.
//!
//! In: other moves for a board from some ply on. Out: the game played anew, and a `correction` that replaces what was
//! published. Moves of other boards stand as they are.

use super::{Table, play::seen, withdraw::Change};
use crate::{
    event::{self, Body, Correction},
    notation::{bfen::Bfen, san, uci},
    rules::{Game, Move, Transfer},
    track::{Completed, Revision},
    types::{BoardId, ClockTimes, Instant, Seat, by_time},
};

/// Other orders of plies that nobody saw that are told, at most.
const ORDERS_MAX: usize = 8;

/// One completed move as it was published.
#[derive(Clone, Debug)]
pub struct Entry {
    /// `seq` of the event that told it last.
    pub seq: u64,
    /// The event.
    pub event: event::Move,
    /// The move.
    pub completed: Completed,
}

/// A move with what it did to pockets.
pub(super) struct Effect {
    pub seat: Seat,
    pub played: Move,
    pub transfer: Option<Transfer>,
    pub made_at: Instant,
    pub completed_at: Instant,
    pub illegal: bool,
}

impl Table {
    /// Replaces completed moves of a board and tells it.
    pub(super) fn revise(&mut self, revision: Revision) {
        let Revision { board, from, moves, narrow } = revision;
        let Some(first) = self.nth_of(board, from) else { return };
        let supersedes = self.play.history[first].seq;
        // A correction told several plies with one number: they are told again together.
        let tells_from = self.plies_of(board).position(|entry| entry.seq == supersedes).unwrap_or(from);
        let old = self.effects(board, from);
        let open = (from..).zip(&moves).filter(|(_, ply)| !ply.rivals.is_empty());
        let open: Vec<(usize, Completed)> = open.map(|(index, ply)| (index, ply.clone())).collect();
        let replaced: Vec<String> = self.plies_of(board).skip(from).map(|entry| entry.event.san.clone()).collect();
        self.replace(board, from, moves);
        self.play_again();
        self.play.revised = true;
        let new = self.effects(board, from);
        self.account_anew(&old, &new);
        let seq = self.seq;
        let told = self.play.history.iter_mut().filter(|entry| entry.event.board == board);
        let moves = told
            .skip(tells_from)
            .map(|entry| {
                entry.seq = seq;
                entry.event.clone()
            })
            .collect();
        self.emit(Body::Correction(Correction { board, supersedes, moves }));
        for (index, ply) in &open {
            let before = self.game_before(board, *index);
            self.tell_rivals(board, before.board(board).plies() + 1, candidates(&before, ply));
        }
        let is_open = |(index, _): &(usize, Completed)| *index == from;
        if narrow && !open.iter().any(is_open) {
            self.tell_narrow(board, from, &replaced);
        }
        self.play.last[board.index()] =
            self.play.history.iter().rev().find(|entry| entry.event.board == board).map(last);
        self.judge_revised(board, Change { old: &old, new: &new });
        self.observe_all();
    }

    /// The last move of a board was illegal and was taken back: it is played no more. What was told of it stays told.
    pub(super) fn take_back(&mut self, revision: Revision) {
        let illegal = self.plies_of(revision.board).last().map(|entry| entry.completed.completed_at);
        self.play.taken_back.extend(illegal.map(|at| (revision.board, at)));
        self.revise(revision);
    }

    /// Puts moves of a board right on somebody's order: the tracker begins anew from what the record says then.
    pub(super) fn overrule(&mut self, revision: Revision) {
        let board = revision.board;
        self.revise(revision);
        let plies: Vec<Completed> = self.plies_of(board).map(|entry| entry.completed.clone()).collect();
        let start = self.play.origin.board(board).clone();
        self.play.tracker.rewrite(board, start, &plies);
        self.observe_all();
        self.settle();
    }

    /// The completed plies of a board.
    pub(super) fn plies_of(&self, board: BoardId) -> impl DoubleEndedIterator<Item = &Entry> {
        self.play.history.iter().filter(move |entry| entry.event.board == board)
    }

    /// The game before the ply with this index on its board was played.
    pub(super) fn game_before(&self, board: BoardId, index: usize) -> Game {
        let mut game = self.play.origin.clone();
        let until = self.nth_of(board, index).unwrap_or(self.play.history.len());
        for entry in &self.play.history[..until] {
            play(&mut game, &entry.completed);
        }
        game
    }

    /// Tells that a ply is one of several.
    pub(super) fn tell_rivals(&mut self, board: BoardId, ply: u32, candidates: Vec<String>) {
        if !candidates.is_empty() {
            self.emit(Body::Uncertain(event::Uncertain { board, ply: Some(ply), candidates }));
        }
    }

    /// Tells that several plies that nobody saw may have been others, though the men stand so: the line that explains
    /// them is the likeliest, and the other orders of its plies explain them as well.
    pub(super) fn tell_guess(&mut self, board: BoardId) {
        let Some(first) = self.play.tracker.take_guess(board) else { return };
        let found = self.plies_of(board).skip(first);
        let (line, sans): (Vec<Move>, Vec<&str>) =
            found.map(|entry| (entry.completed.played, entry.event.san.as_str())).unzip();
        let before = self.game_before(board, first);
        let orders = other_orders(&before, board, &line);
        let candidates = std::iter::once(sans.join(" ")).filter(|_| !line.is_empty()).chain(orders).collect();
        self.tell_rivals(board, before.board(board).plies() + 1, candidates);
    }

    /// Tells that the plies from `from` on may be those that they have just replaced, as far as they differ.
    fn tell_narrow(&mut self, board: BoardId, from: usize, replaced: &[String]) {
        let told: Vec<&str> = self.plies_of(board).skip(from).map(|entry| entry.event.san.as_str()).collect();
        let same = told.iter().rev().zip(replaced.iter().rev()).take_while(|(new, old)| **new == old.as_str()).count();
        let [new, old] = [told[..told.len() - same].join(" "), replaced[..replaced.len() - same].join(" ")];
        if !new.is_empty() && !old.is_empty() {
            let ply = self.game_before(board, from).board(board).plies() + 1;
            self.tell_rivals(board, ply, vec![new, old]);
        }
    }

    /// Tells which plies have become certain; their indices on the board.
    pub(super) fn tell_doubts(&mut self, board: BoardId) -> Vec<usize> {
        let seen = seen(&self.sensors, &self.play.game, &self.play.ledger, board);
        let certain = self.play.tracker.settle_questions(&self.play.game, board, &seen);
        certain.iter().for_each(|index| self.tell_certain(board, *index));
        certain
    }

    /// A ply that may have been another one was the one that was recorded: the referee counts on it.
    pub(super) fn count_on(&mut self, board: BoardId, index: usize) {
        let Some(at) = self.nth_of(board, index) else { return };
        let Entry { event, completed, .. } = &mut self.play.history[at];
        completed.rivals.clear();
        self.judge.referee.boards[board.index()].certain(event.seat, completed.completed_at);
    }

    /// Tells that a ply that was one of several is the one that was recorded.
    pub(super) fn tell_certain(&mut self, board: BoardId, index: usize) {
        let Some(at) = self.nth_of(board, index) else { return };
        let event::Move { ply, san, .. } = &self.play.history[at].event;
        let (ply, candidates) = (Some(*ply), vec![san.clone()]);
        self.emit(Body::Resolved(event::Uncertain { board, ply, candidates }));
    }

    /// Where the ply with this index on its board stands in the history.
    fn nth_of(&self, board: BoardId, index: usize) -> Option<usize> {
        let of_board = self.play.history.iter().enumerate().filter(|(_, entry)| entry.event.board == board);
        of_board.map(|(at, _)| at).nth(index)
    }

    /// Puts moves in the places of the board's moves from `from` on, never more than there are; what is over goes. The
    /// history stays in the order of completion.
    fn replace(&mut self, board: BoardId, from: usize, moves: Vec<Completed>) {
        let mut fresh = moves.into_iter();
        let mut index = 0;
        self.play.history.retain_mut(|entry| {
            if entry.event.board != board {
                return true;
            }
            index += 1;
            if index <= from {
                return true;
            }
            let next = fresh.next();
            next.map(|completed| entry.completed = completed).is_some()
        });
        by_time(&mut self.play.history, |entry| (entry.event.board, entry.completed.completed_at));
    }

    /// Plays the history from the start and writes a board's events anew from the first move on that is another one.
    fn play_again(&mut self) {
        let mut game = self.play.origin.clone();
        let mut anew = vec![false; game.len()];
        let mut clocks: Vec<Option<ClockTimes>> = vec![None; game.len()];
        let mut history = std::mem::take(&mut self.play.history);
        for entry in &mut history {
            let Completed { board, played, made_at, completed_at, .. } = entry.completed;
            clocks[board.index()] = entry.completed.clock.or(clocks[board.index()]);
            let when = (entry.event.made_at, entry.event.completed_at);
            let told = entry.event.uci == uci::write(played) && when == (made_at, completed_at);
            let seat = board.seat(game.board(board).turn());
            let written = match game.is_legal(board, played) {
                true => san::write(game.board(board), played, game.len()),
                false => san::write_plain(game.board(board), played),
            };
            let mut event = Table::event_of(&game, &entry.completed, seat, &written);
            event.captured = play(&mut game, &entry.completed).map(|transfer| transfer.man.char());
            let same = |new: &event::Move, old: &event::Move| {
                (&new.san, new.captured, new.stands) == (&old.san, old.captured, old.stands)
            };
            anew[board.index()] |= !told || !same(&event, &entry.event);
            if anew[board.index()] {
                event.bfen = bfen_with(&game, &clocks);
                entry.event = event;
            }
        }
        game.restrict_as(&self.play.game);
        self.play.history = history;
        self.play.game = game;
    }

    fn effects(&self, board: BoardId, from: usize) -> Vec<Effect> {
        let mut game = self.play.origin.clone();
        let mut effects = Vec::new();
        for entry in &self.play.history {
            let Completed { board: on, played, made_at, completed_at, .. } = entry.completed;
            let seat = on.seat(game.board(on).turn());
            let transfer = play(&mut game, &entry.completed);
            if on == board {
                let illegal = !entry.completed.illegal.is_empty();
                effects.push(Effect { seat, played, transfer, made_at, completed_at, illegal });
            }
        }
        effects.split_off(from.min(effects.len()))
    }

    /// The ledger forgets what the old moves did to pockets and learns what the new ones did.
    fn account_anew(&mut self, old: &[Effect], new: &[Effect]) {
        for effect in old {
            if let Move::Put { role, .. } = effect.played {
                self.play.ledger.undropped(effect.seat, role);
            }
            if let Some(transfer) = effect.transfer.filter(|transfer| !transfer.dropped) {
                self.play.ledger.uncaptured(transfer.to, transfer.man.role);
            }
        }
        for effect in new {
            if let Move::Put { role, .. } = effect.played {
                self.play.ledger.dropped(effect.seat, role, self.now);
            }
            if let Some(transfer) = effect.transfer {
                self.play.ledger.passed(transfer, self.now);
            }
        }
    }
}

/// Plays a completed move. A man that was seen to be taken from its tray and dropped was captured, known or not.
pub(super) fn play(game: &mut Game, completed: &Completed) -> Option<Transfer> {
    let Completed { board, played, ref illegal, .. } = *completed;
    let position = game.board(board);
    if let Move::Put { role, .. } = played
        && illegal.is_empty()
        && *position.pocket(position.turn()).get(role) == 0
    {
        game.owe(board.seat(position.turn()), role);
    }
    game.play(board, played)
}

/// What a ply that follows `game` may have been, the likeliest first, in SAN; empty when it is certain.
pub(super) fn candidates(game: &Game, completed: &Completed) -> Vec<String> {
    let position = game.board(completed.board);
    let all = std::iter::once(&completed.played).chain(&completed.rivals);
    let known = all.filter(|_| !completed.rivals.is_empty());
    known.map(|played| san::write(position, *played, game.len())).collect()
}

/// Plies that nobody saw in the other orders that the rules allow, two of a player's exchanged, in SAN.
fn other_orders(before: &Game, board: BoardId, line: &[Move]) -> Vec<String> {
    let pairs = (0..line.len()).flat_map(|first| (first + 2..line.len()).step_by(2).map(move |second| (first, second)));
    let exchanged = pairs.filter_map(|(first, second)| {
        let mut line = line.to_vec();
        line.swap(first, second);
        let mut game = before.clone();
        let written = line.into_iter().map(|played| {
            let san = game.is_legal(board, played).then(|| san::write(game.board(board), played, game.len()))?;
            game.play(board, played);
            Some(san)
        });
        written.collect::<Option<Vec<_>>>().map(|sans| sans.join(" "))
    });
    exchanged.take(ORDERS_MAX).collect()
}

fn last(entry: &Entry) -> event::Made {
    let event::Move { board, seat, ply, uci, san, .. } = entry.event.clone();
    event::Made { board, seat, ply, uci, san }
}

fn bfen_with(game: &Game, clocks: &[Option<ClockTimes>]) -> String {
    let seconds = |board: BoardId| {
        let times = clocks.get(board.index()).copied().flatten()?;
        Some((times.white_ms / 1000, times.black_ms / 1000))
    };
    Bfen::of_game(game, seconds).write()
}

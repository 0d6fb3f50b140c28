//! Placements and clocks over time to moves.
//!
//! In: what the sensors show of each board and tray, presses of the clock, the game of completed moves. Out: the line
//! of moves that each board shows beyond the game (provisional), completed moves one by one in the order of their
//! presses, and revisions of completed ones. It knows nothing of people's rights: an illegal move is explained, not
//! judged.
//!
//! # How
//! A board is explained by the cheapest line of plies over the confirmed position (`search`, `cost`); edges are not
//! followed, only states and what was touched. The line is a hypothesis and never touches the game. A press of the
//! clock completes the first ply of the line once it is firm: its man has been seen at rest for a whole scan, so that
//! it cannot be one square of a slide (`board`). Presses of all boards are taken in their order of arrival
//! ([`Tracker`]). Completed plies are read anew with all that was seen since (`lookback`, `hindsight`, `retell`,
//! `past`). An illegal move competes with all of that by its cost, from the first scan after its press on (`illegal`,
//! `accuse`), also where its press and the one before it were forgotten (`forgotten`); one that was taken back leaves
//! the game (`restored`).
//! A man that no sensor has shown may stand on any square that has shown as little (`unseen`, `dark`).
//! What lies in trays that feel only that something is there follows from captures and drops (`slots`); a drop may get
//! another name by that, or by how its man moves (`rename`).
//! What a pawn became is what its player said, or what explains the moves since (`declared`).
//! Sensors that contradict the game all the time are learnt (`learn`). What was played while nobody heard is found by
//! what stands there then (`gap`, `guess`). Where no clock tells, replies and rest complete plies (`settled`, `turns`).

mod accuse;
mod board;
pub mod cost;
mod dark;
mod deaf;
mod declared;
pub mod explain;
mod firm;
mod forgotten;
mod gap;
mod guess;
mod hindsight;
mod illegal;
mod learn;
mod lookback;
mod pace;
mod past;
mod presses;
mod rename;
mod restored;
mod retell;
mod search;
mod seen;
mod settled;
pub mod slots;
mod turned;
mod turns;
mod unseen;
mod wanted;

use crate::{
    rules::{BoardPosition, Game, Move, Reason},
    types::{Bitboard, BoardId, ByRole, ClockTimes, Color, Instant, MS, Piece, Role, SECOND, Seat},
};

pub use board::LinePly;
use board::{BoardTrack, Readiness};
pub use declared::Declared;
use explain::{How, Note};
pub use lookback::Revision;
pub use search::{Hand, PLIES_MAX};
pub use seen::Seen;
pub use slots::Slots;

/// Longest scan of a board: what it shows is at most so old (`hardware/dgt.md`: 200 to 250 ms, and the byte times).
pub const SCAN_US: i64 = 300 * MS;
/// How much sooner than the square that it left a man's new square may be read: one scan, and it was carried meanwhile.
pub const CARRIED_US: i64 = 120 * MS;
/// How late a press is heard of: a man that was seen to leave its square earlier did not stand there at the press.
pub const AT_PRESS_US: i64 = 270 * MS;
/// A man that left so long before the press was not adjusted after it.
const GONE_ON_US: i64 = 100 * MS;
/// How long a capture takes from the first of its two men that leaves its square to the other.
pub const TAKES_US: i64 = 700 * MS;
/// How long a press may hold later presses of other boards back.
pub const HOLD_US: i64 = 600 * MS;
/// How long a drop from nowhere waits for an earlier press of another board to be explained.
const AWAITED_US: i64 = 4 * SECOND;
/// Plies of another board that may have captured what is dropped from nowhere.
const CAPTURED_PLIES: usize = 8;
/// How long a press may go unexplained before completed plies are doubted.
pub const PATIENCE_US: i64 = 600 * MS;
/// How long a press may go unexplained before an illegal move is considered.
pub const UNEXPLAINED_US: i64 = 1500 * MS;
/// Rest of the board that an illegal explanation needs.
pub const REST_US: i64 = SECOND;
/// A man that was adjusted stands again within this time.
pub const ADJUSTS_US: i64 = 2 * SECOND;
/// Rest of the board before completed plies are doubted.
pub const LOOK_BACK_REST_US: i64 = 200 * MS;

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
    /// Times left after it, if they were seen.
    pub clock: Option<ClockTimes>,
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
    /// Other moves that explain as much.
    pub rivals: Vec<Move>,
}

/// What the evidence decides.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// A ply is completed.
    Complete(Completed),
    /// Completed plies were others.
    Revise(Revision),
    /// The last ply was illegal and was taken back.
    TakeBack(Revision),
}

/// The hypotheses over all boards of a table.
#[derive(Clone, Debug)]
pub struct Tracker {
    boards: Vec<BoardTrack>,
    /// Who has no button to say with what a pawn becomes, or had none for a while.
    unheard: Vec<Seat>,
}

impl Tracker {
    /// Nothing seen yet; one entry a board.
    pub fn new(completions: &[Completion]) -> Tracker {
        let boards = completions.iter().map(|completion| BoardTrack::new(*completion)).collect();
        Tracker { boards, unheard: Vec::new() }
    }

    /// The moves that a board shows beyond the game, the next to be completed first.
    pub fn line(&self, board: BoardId) -> &[LinePly] {
        self.boards[board.index()].line()
    }

    /// The press of a ply that nothing that was seen explains well, or the change that makes an illegal move: a sensor
    /// may have been misheard.
    pub fn doubtful_since(&self, board: BoardId) -> Option<Instant> {
        self.boards[board.index()].doubtful_since()
    }

    /// Whether the sides of a board's clock seem to be the other way round: [`Tracker::turn_clock`] then. `late`: it
    /// was first seen to run when a man had been moved.
    pub fn clock_is_turned(&self, board: BoardId, late: bool) -> bool {
        self.boards[board.index()].clock_is_turned(late)
    }

    /// Whether a board's first move was made in the other player's time, who then pressed the clock: where the sides of
    /// the clock are not certain, they are the other way round.
    pub fn began_in_others_time(&self, game: &Game, board: BoardId) -> bool {
        self.boards[board.index()].began_in_others_time(game.board(board).turn())
    }

    /// The sides of a board's clock were mistaken. Answers what was completed with its times. `late`: nobody heard the
    /// first press.
    pub fn turn_clock(&mut self, game: &Game, board: BoardId, late: bool) -> Option<Revision> {
        self.boards[board.index()].turn_clock(board, game.board(board).turn(), late)
    }

    /// Squares that the line leaves unexplained.
    pub fn unexplained(&self, board: BoardId) -> Bitboard {
        self.boards[board.index()].unexplained
    }

    /// Whether all men of a board stand where the completed plies left them.
    pub fn is_untouched(&self, board: BoardId) -> bool {
        self.line(board).is_empty() && self.unexplained(board).is_empty()
    }

    /// A board's clock came or went.
    pub fn set_completion(&mut self, board: BoardId, completion: Completion, at: Instant) {
        self.boards[board.index()].set_completion(completion, at);
    }

    /// Whose time a board's clock runs, or would run if the clock tells that, and whether it is known to be stopped.
    pub fn set_turn(&mut self, board: BoardId, turn: Option<Color>, stopped: bool) {
        let track = &mut self.boards[board.index()];
        (track.clock_turn, track.clock_stopped) = (turn, stopped);
        if !stopped {
            track.clock_ran = turn;
        }
    }

    /// Whether men are being swept off a board that no clock says to be stopped.
    pub fn is_swept(&self) -> bool {
        self.boards.iter().any(|track| track.swept)
    }

    /// Presses of a board were lost: several plies may have been played.
    pub fn gap(&mut self, board: BoardId) {
        self.boards[board.index()].lose_presses();
    }

    /// Nobody heard of a board, neither of its men nor of its clock: several plies may have been played unseen.
    pub fn unwatched(&mut self, board: BoardId, at: Instant) {
        self.boards[board.index()].lose_sight(at);
    }

    /// Whether plies of a board that nobody saw are still looked for.
    pub fn is_unwatched(&self, board: BoardId) -> bool {
        self.boards[board.index()].is_unwatched()
    }

    /// Whether plies of a board that nobody saw may still turn out to be others.
    pub fn is_guessing(&self, board: BoardId, at: Instant) -> bool {
        self.boards[board.index()].is_guessing(at)
    }

    /// The first of several plies of a board that nobody saw, by its index, once when all of them are completed.
    pub fn take_guess(&mut self, board: BoardId) -> Option<usize> {
        self.boards[board.index()].take_guess()
    }

    /// That plies of a board that nobody saw may be others was told already.
    pub fn guess_is_told(&mut self, board: BoardId) {
        self.boards[board.index()].guess_is_told();
    }

    /// What the line of a board costs that explains it.
    pub fn cost(&self, board: BoardId) -> u32 {
        self.boards[board.index()].cost
    }

    /// Whether a press of a board waits for its ply.
    pub fn is_pressed(&self, board: BoardId) -> bool {
        self.pressed_since(board).is_some()
    }

    /// Since when one does.
    pub fn pressed_since(&self, board: BoardId) -> Option<Instant> {
        self.boards[board.index()].first_press()
    }

    /// Explains a board anew: its placement, its game or a partner's line changed.
    pub fn observe(&mut self, game: &Game, board: BoardId, seen: &Seen<'_>, at: Instant) {
        self.ask_for_promotions(game, board);
        if !self.boards[board.index()].sees(seen.placement, at) {
            return;
        }
        let mut arriving = self.arriving(game, board);
        let unknown = seen.others_unheard || self.boards.iter().any(BoardTrack::is_unwatched);
        if unknown {
            gap::sent(game.board(board), seen, &mut arriving);
        }
        self.boards[board.index()].pockets_unknown = unknown;
        self.boards[board.index()].observe(game.board(board), &arriving, seen, at);
    }

    /// Men that other boards' lines capture for the players of `board`: they may be dropped before the capture is
    /// seen to be completed, because clocks are read one after the other. Nobody has dropped what was captured after
    /// the own press.
    fn arriving(&self, game: &Game, board: BoardId) -> search::Arriving {
        let mut arriving = search::Arriving::default();
        let press = self.boards[board.index()].presses.front();
        let late = |to: Color, at: Instant| press.is_some_and(|press| press.by == to && press.at + SCAN_US < at);
        for other in game.ids().filter(|other| *other != board) {
            for ply in self.line(other) {
                let Some(captured) = ply.captured else { continue };
                let capturer = other.seat(captured.color).opponent();
                let timely = |seat: &Seat| seat.board == board && !late(seat.color, ply.made_at);
                for seat in capturer.partners(game.len()).filter(timely) {
                    arriving.add(seat.color, captured.role);
                }
            }
        }
        arriving
    }

    /// A press of a board's clock.
    pub fn press(&mut self, game: &Game, board: BoardId, press: Press) {
        self.boards[board.index()].press(game.board(board).turn(), press);
    }

    /// The lever of a stopped clock went back: it is the turn of the player who seemed to press as it was stopped.
    pub fn spring_back(&mut self, board: BoardId, by: Color, at: Instant) {
        self.boards[board.index()].spring_back(by, at);
    }

    /// A board's clock was stopped: a made move that ends the game counts without a press (WBN 7.7 a).
    pub fn stopped(&mut self, game: &Game, board: BoardId, clock: Option<ClockTimes>, at: Instant) {
        self.boards[board.index()].stopped(game, board, clock, at);
    }

    /// What the evidence decides at `at`. The caller plays it and observes the boards anew.
    pub fn next<'a>(
        &mut self,
        game: &Game,
        seen: impl Fn(BoardId) -> Option<Seen<'a>>,
        at: Instant,
    ) -> Option<Decision> {
        for board in self.in_order(game) {
            let position = game.board(board);
            if let Some(revision) = self.taken_back(board, &seen) {
                return Some(Decision::TakeBack(revision));
            }
            let decided = self.answered(game, board, &seen, at);
            let decided = decided.or_else(|| self.guess_again(game, board, &seen, at));
            let decided = decided.or_else(|| self.look_back(game, board, &seen, at));
            let decided = decided.or_else(|| self.likely_illegal(game, board, &seen, at));
            if decided.is_some() {
                return decided;
            }
            let track = &mut self.boards[board.index()];
            match track.readiness(position, at) {
                Readiness::Ready => {
                    let seen = seen(board);
                    let completed = track.complete(position, board, seen.as_ref())?;
                    track.note_completed(How::Line, &completed, position, seen.as_ref(), at);
                    return Some(Decision::Complete(completed));
                }
                Readiness::Unexplained => {
                    let completed = seen(board).and_then(|seen| self.last_resort(game, board, &seen, at));
                    if completed.is_some() {
                        return completed.map(Decision::Complete);
                    }
                }
                Readiness::Wait(_) if track.holds_others(at) => return None,
                Readiness::Wait(_) | Readiness::Nothing => {}
            }
        }
        None
    }

    /// An illegal ply that its player took back.
    fn taken_back<'a>(&mut self, board: BoardId, seen: &impl Fn(BoardId) -> Option<Seen<'a>>) -> Option<Revision> {
        let track = &mut self.boards[board.index()];
        let seen = Some(board).filter(|_| track.may_be_restored()).and_then(seen)?;
        track.take_back(board, &seen)
    }

    /// A ply that no sensor shows and that the other player has answered.
    fn answered<'a>(
        &mut self,
        game: &Game,
        board: BoardId,
        seen: &impl Fn(BoardId) -> Option<Seen<'a>>,
        at: Instant,
    ) -> Option<Decision> {
        let (position, track) = (game.board(board), &mut self.boards[board.index()]);
        let seen = track.answered_due().filter(|due| at >= *due).and_then(|_| seen(board))?;
        let completed = track.complete_answered(position, board, &seen)?;
        track.note_completed(How::Unseen, &completed, position, Some(&seen), at);
        Some(Decision::Complete(completed))
    }

    /// Plies that nobody saw, if they were others than was found.
    fn guess_again<'a>(
        &mut self,
        game: &Game,
        board: BoardId,
        seen: &impl Fn(BoardId) -> Option<Seen<'a>>,
        at: Instant,
    ) -> Option<Decision> {
        let seen = self.boards[board.index()].guess_due().filter(|due| at >= *due).and_then(|_| seen(board))?;
        let root = self.arriving(game, board).apply(game.board(board));
        let track = &mut self.boards[board.index()];
        let count = track.past.len();
        let revision = track.guess_again(board, &root, &seen, at)?;
        let revised = Some((revision.from, revision.plays().collect()));
        track.note_revised(board, revised, count, game.board(board), &seen, at);
        Some(Decision::Revise(revision))
    }

    /// Completed plies that were others.
    fn look_back<'a>(
        &mut self,
        game: &Game,
        board: BoardId,
        seen: &impl Fn(BoardId) -> Option<Seen<'a>>,
        at: Instant,
    ) -> Option<Decision> {
        let due = self.boards[board.index()].look_back_due().filter(|due| at >= *due);
        let seen = due.and_then(|_| seen(board))?;
        let arriving = self.arriving(game, board);
        let (position, track) = (game.board(board), &mut self.boards[board.index()]);
        let count = track.past.len();
        let revision = track.look_back(board, position, &arriving, &seen, at);
        let revised = revision.as_ref().map(|revision| (revision.from, revision.plays().collect()));
        track.note_revised(board, revised, count, position, &seen, at);
        revision.map(Decision::Revise)
    }

    /// An illegal move that explains the board better than legal ones.
    fn likely_illegal<'a>(
        &mut self,
        game: &Game,
        board: BoardId,
        seen: &impl Fn(BoardId) -> Option<Seen<'a>>,
        at: Instant,
    ) -> Option<Decision> {
        self.boards[board.index()].illegal_due().filter(|due| at >= *due)?;
        // What another board has captured may be dropped here: it is asked first what was played there.
        let others: Vec<BoardId> = game.ids().filter(|other| *other != board).collect();
        let revised = others.into_iter().find_map(|other| self.look_back(game, other, seen, at));
        let revised = revised.or_else(|| self.captured_elsewhere(game, board, seen, at));
        if revised.is_some() {
            return revised;
        }
        let seen = seen(board)?;
        let awaits = self.awaits(game, board, &seen, at);
        let arriving = self.arriving(game, board);
        let (position, track) = (game.board(board), &mut self.boards[board.index()]);
        let completed = track.complete_likely_illegal(position, board, &arriving, &awaits, &seen, at)?;
        track.note_completed(How::Illegal, &completed, position, Some(&seen), at);
        Some(Decision::Complete(completed))
    }

    /// Kinds of men whose drop from nowhere is not believed yet.
    fn awaits(&self, game: &Game, board: BoardId, seen: &Seen<'_>, at: Instant) -> ByRole<bool> {
        let position = game.board(board);
        let all = self.awaits_others(board, at) || self.boards[board.index()].awaits_look(position, seen, at);
        let press = self.boards[board.index()].first_press().unwrap_or(at);
        let waits = at < press + AWAITED_US;
        let gone = |role: Role| {
            let man = role.of(position.turn());
            waits && (self.is_gone_elsewhere(game, board, man, press) || self.may_be_captured_elsewhere(board, man))
        };
        ByRole::new_with(|role| all || gone(role))
    }

    /// Whether another board, whose squares have changed lately, no longer shows such a man where one should stand: it
    /// may have been captured there.
    fn is_gone_elsewhere(&self, game: &Game, board: BoardId, man: Piece, press: Instant) -> bool {
        let open = |other: BoardId| {
            let track = &self.boards[other.index()];
            let lately = press < track.changed_at + AWAITED_US;
            lately && (game.board(other).board().by_piece(man) & track.unexplained).any()
        };
        game.ids().any(|other| other != board && open(other))
    }

    /// Whether one of the last plies of another board may have captured such a man, though the record says otherwise.
    fn may_be_captured_elsewhere(&self, board: BoardId, man: Piece) -> bool {
        let others = self.boards.iter().enumerate().filter(|(index, _)| *index != board.index());
        let mut plies = others.flat_map(|(_, other)| other.past.iter().rev().take(CAPTURED_PLIES));
        plies.any(|past| past.before.turn() != man.color && past.may_have_captured(man.role))
    }

    /// Whether an earlier press of another board has no ply yet: it may have captured what is dropped here.
    fn awaits_others(&self, board: BoardId, at: Instant) -> bool {
        let Some(press) = self.boards[board.index()].first_press() else { return false };
        let others = self.boards.iter().enumerate().filter(|(index, _)| *index != board.index());
        let mut presses = others.filter_map(|(_, other)| other.first_press());
        presses.any(|other| other <= press + AT_PRESS_US && at < other + AWAITED_US)
    }

    /// A press that no legal move explains: an illegal one, or one to a square that no sensor feels.
    fn last_resort(&mut self, game: &Game, board: BoardId, seen: &Seen<'_>, at: Instant) -> Option<Completed> {
        let position = game.board(board);
        let awaits = self.awaits(game, board, seen, at);
        let sent = self.arriving(game, board).to(position.turn());
        let track = &mut self.boards[board.index()];
        if track.illegal(position, seen).is_some_and(|found| found.is_awaited(&awaits)) {
            return None;
        }
        // Whoever has forgotten to press for a capture has made it.
        if track.line.first().is_some_and(|ply| matches!(ply.played, Move::Put { role, .. } if *sent.get(role))) {
            let completed = track.complete(position, board, Some(seen))?;
            track.note_completed(How::Line, &completed, position, Some(seen), at);
            return Some(completed);
        }
        let vanished = track.complete_vanished(position, board, seen, at).map(|completed| (How::Unseen, completed));
        let made = vanished.or_else(|| Some((How::Line, track.complete_made(position, board, seen, at)?)));
        let mut illegal = || Some((How::Illegal, track.complete_illegal(position, board, seen, at)?));
        let found = made.or_else(&mut illegal);
        let unseen = || Some((How::Unseen, track.complete_unseen(position, board, seen, at)?));
        let (how, completed) = found.or_else(unseen)?;
        track.note_completed(how, &completed, position, Some(seen), at);
        Some(completed)
    }

    /// From now on it is noted why plies are taken.
    pub fn set_noting(&mut self) {
        self.boards.iter_mut().for_each(BoardTrack::set_noting);
    }

    /// What was noted since this was asked last.
    pub fn take_notes(&mut self) -> impl Iterator<Item = Note> + '_ {
        self.boards.iter_mut().flat_map(BoardTrack::take_notes)
    }

    /// Learns which sensors contradict the game all the time.
    pub fn learn(&mut self, game: &Game, board: BoardId, seen: &Seen<'_>, at: Instant) {
        self.boards[board.index()].learn(game.board(board), seen.placement, at);
    }

    /// Plies of a board that had rivals and have none any more, by their index on the board.
    pub fn settle_questions(&mut self, game: &Game, board: BoardId, seen: &Seen<'_>) -> Vec<usize> {
        self.boards[board.index()].settle_questions(game.board(board), seen)
    }

    /// The plies of a board are these and nothing else: a game was resumed or put right from outside.
    pub fn rewrite(&mut self, board: BoardId, mut position: BoardPosition, plies: &[Completed]) {
        let track = &mut self.boards[board.index()];
        track.forget();
        for ply in plies {
            track.remember(past::Past::new(&position, ply, Vec::new()));
            position.play(ply.played);
        }
        track.given = plies.len();
    }

    /// The daemon was away: what is not completed is looked for anew, and hindsight ends here.
    pub fn reopen(&mut self, board: BoardId, completion: Completion) {
        self.boards[board.index()].reopen(completion);
    }

    /// Boards by their earliest press; ties and boards without a press by letter.
    fn in_order(&self, game: &Game) -> Vec<BoardId> {
        let mut boards: Vec<BoardId> = game.ids().collect();
        boards.sort_by_key(|board| self.boards[board.index()].first_press().unwrap_or(Instant(i64::MAX)));
        boards
    }

    /// When time alone may decide something, if that is later than `now`.
    pub fn deadline(&self, game: &Game, now: Instant) -> Option<Instant> {
        let presses = self.boards.iter().filter_map(BoardTrack::first_press);
        let held = presses.flat_map(|press| [press + HOLD_US, press + AWAITED_US]);
        let doubts = self.boards.iter().flat_map(|track| [track.look_back_due(), track.guess_due()]).flatten();
        let waits = game.ids().filter_map(|board| self.boards[board.index()].deadline(game.board(board)));
        waits.chain(held).chain(doubts).filter(|deadline| *deadline > now).min()
    }
}

//! The life of a game at a table: set-up, start, moves, pause, end.
//!
//! In: what changed on boards, clocks and trays. Out: events. The game holds completed moves; the tracker the rest.

use arrayvec::ArrayVec;

use super::{
    DeviceIndex, Table,
    devices::Sensors,
    history::{self, Entry},
    kings::Shown,
    late::Late,
    set_up::{ANEW_US, SWEPT_US},
};
use crate::{
    event::{Body, ClockShown, GameEnded, GameStarted, LinkState, Made, Status},
    notation::{bfen::Bfen, san, uci},
    referee::Ledger,
    rules::{Game, Move, RuleSet, Transfer},
    sense::{ClockFrame, ClockSense, ClockView, Fact, Place, TrayChange, TraySense},
    track::{Completed, Completion, Decision, Declared, Hand, PLIES_MAX, Press, Seen, Slots, Tracker},
    types::{Bitboard, BoardId, ByColor, ByRole, Color, Instant, Kinds, Piece, Role, SECOND, Seat, StepMode},
};

/// Rest that completes a ply on a board whose clock says nothing any more and may yet be there.
const SILENT_CLOCK_SETTLE_US: i64 = 5 * SECOND;
/// How often drops get other names for one input: a name on one board tells of others on the next.
const RENAMES_MAX: usize = 8;
/// How long a man may lie in a tray before its capture is completed.
const EARLY_US: i64 = 3 * SECOND;
/// How long a man that came to a tray may be another one than the one that had left it.
const RETURNED_US: i64 = 3 * SECOND;

/// What is being played.
#[derive(Debug)]
pub struct Play {
    pub status: Status,
    /// The game on the boards; its id is given when it starts.
    pub id: Option<String>,
    pub game: Game,
    pub tracker: Tracker,
    pub ledger: Ledger,
    /// The game before the first completed move.
    pub origin: Game,
    /// Completed moves in order of completion.
    pub history: Vec<Entry>,
    /// The history was put right, and nobody has looked yet what follows for other boards.
    pub(super) revised: bool,
    /// Illegal moves that were taken back: the board, and when they were completed.
    pub(super) taken_back: Vec<(BoardId, Instant)>,
    pub result: String,
    pub reason: String,
    /// Provisional moves that were published, by board.
    pub made: Vec<Vec<Made>>,
    pub last: Vec<Option<Made>>,
    /// Boards that have been set up for a new game, with what their sensors contradict of it.
    pub armed: Vec<Option<Bitboard>>,
    /// A result that the kings show, and since when.
    pub shown: Option<(Instant, Shown)>,
    /// Since when all men stand set up though moves were made, on a table without clocks.
    pub anew: Option<Instant>,
    /// Since when all boards stand empty.
    pub swept: Option<Instant>,
    /// Boards whose clock has run in this game.
    pub(super) clock_ran: Vec<bool>,
    /// Boards whose clock can be read.
    pub(super) clocked: Vec<bool>,
    /// Rest that completes a ply on a board without a clock, in µs.
    settle: i64,
    /// Reused between inputs.
    pub facts: Vec<Fact>,
}

impl Play {
    /// Nothing is played; `clocked` are the boards whose clock can be read.
    pub fn new(ruleset: &RuleSet, clocked: Vec<bool>, settle: i64) -> Play {
        let boards = clocked.len();
        let completion = |clocked: &bool| if *clocked { Completion::Clock } else { Completion::Settle(settle) };
        let completions: Vec<Completion> = clocked.iter().map(completion).collect();
        Play {
            status: Status::Waiting,
            id: None,
            game: Game::new(ruleset.clone(), boards),
            origin: Game::new(ruleset.clone(), boards),
            history: Vec::new(),
            revised: false,
            taken_back: Vec::new(),
            tracker: Tracker::new(&completions),
            ledger: Ledger::new(|_| false),
            result: "*".into(),
            reason: String::new(),
            made: vec![Vec::new(); boards],
            last: vec![None; boards],
            armed: vec![None; boards],
            shown: None,
            anew: None,
            swept: None,
            clock_ran: vec![false; boards],
            clocked,
            settle,
            facts: Vec::new(),
        }
    }

    /// Rest that completes a ply on a board without a clock, in µs.
    pub fn settle_us(&self) -> i64 {
        self.settle
    }

    pub fn is_on(&self) -> bool {
        matches!(self.status, Status::Playing | Status::Paused)
    }

    /// When such men may have been captured for a seat, where those stood that illegal moves seem to have taken away:
    /// others came from nowhere then, one with each.
    pub fn unlawful(&self, seat: Seat, piece: Piece) -> Vec<Instant> {
        let captured = |ply: &Entry, reply: &Entry| {
            let Completed { played, ref illegal, .. } = ply.completed;
            let moved = !illegal.is_empty() && played.role().of(ply.event.seat.color) == piece;
            moved && played.from() == Some(uci::destination(reply.completed.played))
        };
        let captures = seat.partners(self.game.len()).flat_map(|partner| {
            let plies = self.history.iter().filter(move |entry| entry.event.board == partner.board);
            let replies = plies.clone().skip(1);
            let those = plies.zip(replies).filter(move |(_, reply)| reply.event.seat == partner);
            those.filter(|(ply, reply)| captured(ply, reply)).map(|(_, reply)| reply.completed.made_at)
        });
        captures.collect()
    }

    pub fn deadline(&self, now: Instant) -> Option<Instant> {
        let shown = self.shown.as_ref().map(|(since, shown)| *since + shown.patience());
        let anew = self.anew.map(|since| since + ANEW_US);
        let swept = self.swept.map(|since| since + SWEPT_US);
        let due = [self.tracker.deadline(&self.game, now), shown, anew, swept];
        if self.is_on() { due.into_iter().flatten().min() } else { None }
    }
}

impl Table {
    pub(super) fn cell(&mut self, device: DeviceIndex, field: u8, kinds: Kinds) {
        let Some(board) = self.sensors.board_of(device) else { return };
        let kinds = self.truly(Place::Cell(board, field), kinds);
        if self.sensors.boards[board.index()].sense.cell(field, kinds, self.now).is_some() {
            self.board_changed(board);
        }
    }

    pub(super) fn dump(&mut self, device: DeviceIndex, cells: &[Kinds; 64]) {
        let Some(board) = self.sensors.board_of(device) else { return };
        let mut cells = *cells;
        for (field, kinds) in (0..).zip(&mut cells) {
            *kinds = self.truly(Place::Cell(board, field), *kinds);
        }
        if self.sensors.boards[board.index()].sense.dump(&cells, self.now) {
            self.board_changed(board);
        }
    }

    fn board_changed(&mut self, board: BoardId) {
        self.watch_set_up(board);
        self.watch_late();
        self.watch_swept();
        self.watch_kings();
        self.find_turn(board);
        if self.play.is_on() {
            self.observe(board);
            self.settle();
            self.judge_board(board);
        }
    }

    pub(super) fn start(&mut self) {
        let game = Game::new(self.ruleset.clone(), self.play.game.len());
        self.find_mistagged(&game);
        self.start_from(game);
        // What a clock showed that ran before the game was known to begin tells how it was set, too.
        for board in self.play.game.ids() {
            if let Some(view) = self.clock_view(board) {
                self.judge_times(board, view);
            }
        }
    }

    /// The game with this id is on the boards, from these positions on.
    pub(super) fn take_up(&mut self, id: String, game: Game, clocked: Vec<bool>) {
        let trays: Vec<bool> = self.sensors.trays.iter().map(Option::is_some).collect();
        let there = |seat: &Seat| trays.get(seat.index()).copied().unwrap_or(false);
        self.play = Play {
            status: Status::Playing,
            id: Some(id),
            ledger: Ledger::new(|seat| there(&seat)),
            origin: game.clone(),
            game,
            ..Play::new(&self.ruleset, clocked, self.play.settle)
        };
        // Buttons are on the trays.
        let unheard = Seat::all(self.play.game.len()).filter(|seat| !there(seat));
        unheard.for_each(|seat| self.play.tracker.set_unheard(seat));
        if self.explaining {
            self.play.tracker.set_noting();
        }
    }

    /// Begins a game with these positions.
    pub(super) fn start_from(&mut self, game: Game) {
        let ran = vec![false; game.len()];
        self.go_on_from(game, ran);
    }

    /// The same where clocks have run before and are known.
    pub(super) fn go_on_from(&mut self, game: Game, ran: Vec<bool>) {
        self.late = Late::Not;
        let clocked = std::mem::take(&mut self.play.clocked);
        let id = self.game_id();
        let begins = !ran.contains(&true);
        self.take_up(id, game, clocked);
        self.play.clock_ran = ran;
        self.tell_started();
        self.judge_start();
        self.sensors.vague.iter_mut().flatten().for_each(Slots::begin);
        for board in self.play.game.ids() {
            self.clock_runs(board);
            if !begins {
                self.watch_clock(board);
                self.play.tracker.gap(board);
                self.remember_trays(board);
            }
            let seen = seen(&self.sensors, &self.play.game, &self.play.ledger, board);
            self.play.tracker.learn(&self.play.game, board, &seen, self.now);
            self.observe(board);
        }
        self.settle();
    }

    pub(super) fn tell_started(&mut self) {
        self.emit(Body::GameStarted(GameStarted {
            ruleset: self.ruleset.to_string(),
            time_control: self.settings.time_control.clone(),
            players: self.players.clone(),
            bfen: self.bfen(),
        }));
    }

    /// What lies in the trays of a board is in its pockets, the rest is on its way.
    fn remember_trays(&mut self, board: BoardId) {
        for seat in Color::ALL.map(|color| board.seat(color)) {
            let Some(Some(tray)) = self.sensors.trays.get(seat.index()) else { continue };
            let (seen, pocket) = (*tray.seen(), *self.play.game.board(board).pocket(seat.color));
            let transit = pocket.zip(seen).map(|(all, seen)| all.saturating_sub(seen));
            self.play.ledger.remember(seat, seen, transit);
        }
    }

    /// White's clock runs first (WBN 7.5): the first side that runs is White's. Where a position was set with Black to
    /// move, what is known of the clock stays.
    pub(super) fn clock_runs(&mut self, board: BoardId) {
        let white_first = self.play.origin.board(board).turn() == Color::White;
        let moved = self.plies_of(board).next().is_some() || !self.play.tracker.is_untouched(board);
        let Some(clock) = &mut self.sensors.boards[board.index()].clock else { return };
        if clock.is_running() && !self.play.clock_ran[board.index()] {
            self.play.clock_ran[board.index()] = true;
            match (white_first, moved) {
                (true, true) => clock.first_run_late(self.now),
                (true, false) => clock.first_run(self.now),
                (false, _) => clock.sides_stay(),
            }
        } else if clock.is_running() && !moved {
            clock.springs(self.now);
        }
    }

    /// The plies show that the sides of a clock were mistaken: its first word was lost, or it was pressed for nothing
    /// as soon as it ran.
    fn turn_clocks(&mut self) {
        for board in self.play.game.ids() {
            let clock = self.sensors.boards[board.index()].clock.as_mut();
            let Play { tracker, game, .. } = &self.play;
            let uncertain = clock.as_ref().is_some_and(|clock| clock.may_be_turned());
            let late = clock.as_ref().is_some_and(|clock| clock.ran_late());
            let turned = tracker.clock_is_turned(board, late) || uncertain && tracker.began_in_others_time(game, board);
            if turned && clock.is_some_and(ClockSense::turn) {
                // The times that it showed before were the other player's.
                self.judge.referee.clocks[board.index()].lost();
                let again = self.play.tracker.turn_clock(&self.play.game, board, late);
                self.watch_clock(board);
                self.observe(board);
                again.into_iter().for_each(|revision| self.revise(revision));
                self.withdraw_presses(board);
            }
        }
    }

    pub(super) fn clock(&mut self, device: DeviceIndex, frame: Option<ClockFrame>) {
        let Some(board) = self.sensors.board_of(device) else { return };
        let at = self.now;
        let Some(clock) = &mut self.sensors.boards[board.index()].clock else { return };
        let before = clock.view(at);
        let changed = match frame {
            Some(frame) => clock.frame(frame, at),
            None => clock.lost(),
        };
        self.watch_clock(board);
        self.watch_hurry();
        if self.play.is_on() {
            self.clock_runs(board);
            self.judge_clock(board, before);
            self.clock_changed(board, before);
        } else {
            self.try_start();
            self.judge_set_up(board);
        }
        self.watch_late();
        if changed {
            self.emit_clock(board);
        }
    }

    /// A board whose clock is gone is completed as one without; one that is back has missed presses.
    pub(super) fn watch_clock(&mut self, board: BoardId) {
        let view = self.clock_view(board);
        let Play { tracker, clocked, settle, .. } = &mut self.play;
        let was = std::mem::replace(&mut clocked[board.index()], view.is_some());
        let stopped = view.is_some_and(|view| view.running.is_none());
        tracker.set_turn(board, view.and_then(|view| view.to_move), stopped);
        match (was, view) {
            (true, None) => tracker.set_completion(board, Completion::Settle(*settle), self.now),
            (false, Some(_)) => {
                tracker.set_completion(board, Completion::Clock, self.now);
                tracker.gap(board);
            }
            _ => {}
        }
    }

    /// A running clock that says nothing any more may be lost: the reply completes a ply then, and only long rest.
    pub(super) fn watch_silent_clocks(&mut self) {
        for board in self.play.game.ids() {
            if self.play.clocked[board.index()] && self.silent_clock_at(board).is_some_and(|due| self.now >= due) {
                self.play.clocked[board.index()] = false;
                self.play.tracker.set_completion(board, Completion::Settle(SILENT_CLOCK_SETTLE_US), self.now);
            }
        }
    }

    /// When the next running clock is silent for too long.
    pub(super) fn silent_clocks_at(&self) -> Option<Instant> {
        let read = self.play.game.ids().filter(|board| self.play.clocked[board.index()]);
        read.filter_map(|board| self.silent_clock_at(board)).min()
    }

    /// A clock that waits before it runs has nothing to say meanwhile.
    fn silent_clock_at(&self, board: BoardId) -> Option<Instant> {
        let delay = self.judge.referee.control.filter(|control| control.mode == StepMode::Delay);
        let silent_at = self.sensors.boards[board.index()].clock.as_ref()?.silent_at()?;
        Some(silent_at + delay.map_or(0, |control| control.step))
    }

    fn clock_changed(&mut self, board: BoardId, before: Option<ClockView>) {
        let after = self.clock_view(board);
        let (Some(before), Some(after)) = (before, after) else { return };
        let unsettled = self.is_unsettled(board);
        if let (Some(by), Some(to_move)) = (before.running, after.to_move)
            && by != to_move
        {
            if !self.is_adrift(board) {
                let press = Press { by, at: self.now, clock: Some(after.times) };
                self.play.tracker.press(&self.play.game, board, press);
            }
            self.observe(board);
        }
        let sprang = (before.running, after.running) == (None, None) && before.to_move != after.to_move;
        if let Some(turn) = after.to_move.filter(|_| sprang) {
            self.play.tracker.spring_back(board, turn, self.now);
        }
        if (before.running.is_some() || sprang) && after.running.is_none() {
            self.play.tracker.stopped(&self.play.game, board, Some(after.times), self.now);
        }
        if unsettled {
            self.find_turn(board);
            self.observe(board);
        }
        self.settle();
        self.watch_stop();
    }

    /// All clocks stopped: a pause (WBN 7.12), or the end if the boards show why.
    fn watch_stop(&mut self) {
        if !self.play.is_on() {
            return;
        }
        if self.sensors.running() && !self.judge.held {
            self.play.status = Status::Playing;
            self.judge_go_on();
        } else if self.play.clock_ran.contains(&true) {
            self.play.status = Status::Paused;
            self.judge_stop();
        }
    }

    pub(super) fn end(&mut self, result: &str, reason: &str, boards: Vec<BoardId>, by: &str) {
        for board in self.play.game.ids() {
            self.publish_line(board, &[]);
        }
        self.play.status = Status::Ended;
        self.play.result = result.into();
        self.play.reason = reason.into();
        self.play.armed.fill(None);
        self.judge.runs_on = self.sensors.running();
        let (half_points, by) = (Some(self.judge.points(result)), by.into());
        let (result, reason) = (result.into(), reason.into());
        self.emit(Body::GameEnded(GameEnded { result, reason, boards, by, half_points }));
    }

    /// What a board shows is explained anew, unless nobody knows what was played there.
    pub(super) fn observe(&mut self, board: BoardId) {
        if self.is_adrift(board) || self.is_unsettled(board) {
            return;
        }
        self.tell_vague(board);
        let seen = seen(&self.sensors, &self.play.game, &self.play.ledger, board);
        self.play.tracker.observe(&self.play.game, board, &seen, self.now);
    }

    /// Completes what is due and publishes what is provisional.
    pub(super) fn settle(&mut self) {
        if !self.play.is_on() {
            return;
        }
        let mut renames = 0;
        self.turn_clocks();
        let unsettled = self.unsettled();
        loop {
            for board in self.play.game.ids() {
                self.publish_made(board);
            }
            let Play { tracker, game, ledger, .. } = &mut self.play;
            let adrift = &self.adrift;
            let known = |board: BoardId| adrift[board.index()].is_none() && !unsettled.contains(&board);
            let seen = |board| known(board).then(|| seen(&self.sensors, game, ledger, board));
            match tracker.next(game, seen, self.now) {
                Some(Decision::Complete(completed)) => {
                    self.complete(completed);
                    self.turn_clocks();
                }
                Some(Decision::Revise(revision)) => self.revise(revision),
                Some(Decision::TakeBack(revision)) => self.take_back(revision),
                None if renames == RENAMES_MAX => break,
                None => match self.pardon_drops().or_else(|| self.rename_drops()) {
                    Some(revision) => {
                        renames += 1;
                        self.revise(revision);
                    }
                    None => break,
                },
            }
        }
        self.tell_unsure_drops();
        for board in self.play.game.ids() {
            if let Some(since) = self.play.tracker.doubtful_since(board) {
                self.sensors.verify(board, since);
            }
        }
    }

    fn complete(&mut self, completed: Completed) {
        let board = completed.board;
        let position = self.play.game.board(board);
        let seat = board.seat(position.turn());
        let written = match completed.illegal.is_empty() {
            true => san::write(position, completed.played, self.play.game.len()),
            false => san::write_plain(position, completed.played),
        };
        let candidates = history::candidates(&self.play.game, &completed);
        let mut event = Table::event_of(&self.play.game, &completed, seat, &written);
        let transfer = history::play(&mut self.play.game, &completed);
        event.captured = transfer.map(|transfer| transfer.man.char());
        event.bfen = self.bfen();
        self.play.history.push(Entry { seq: self.seq, event: event.clone(), completed: completed.clone() });
        let made = &mut self.play.made[board.index()];
        if !made.is_empty() {
            made.remove(0);
        }
        self.play.last[board.index()] =
            Some(Made { board, seat, ply: event.ply, uci: uci::write(completed.played), san: written.clone() });
        let ply = event.ply;
        self.emit(Body::Move(Box::new(event)));
        self.tell_rivals(board, ply, candidates);
        self.tell_guess(board);
        self.account(seat, completed.played, transfer);
        self.observe_all();
        let seen = seen(&self.sensors, &self.play.game, &self.play.ledger, board);
        self.play.tracker.learn(&self.play.game, board, &seen, self.now);
        let certain = self.tell_doubts(board);
        self.judge_completed(&completed, seat, &written, transfer);
        certain.into_iter().for_each(|index| self.count_on(board, index));
    }

    pub(super) fn observe_all(&mut self) {
        for board in self.play.game.ids() {
            self.observe(board);
        }
    }

    /// What a completed move did to pockets.
    fn account(&mut self, seat: Seat, played: Move, transfer: Option<Transfer>) {
        if let Move::Put { role, .. } = played {
            self.play.ledger.dropped(seat, role, self.now);
            if self.sensors.trays[seat.index()].is_none() {
                self.emit_pocket(seat, &[], &[role]);
            }
        }
        if let Some(transfer) = transfer {
            self.play.ledger.passed(transfer, self.now);
            let added: &[Role] =
                if self.sensors.trays[transfer.to.index()].is_none() { &[transfer.man.role] } else { &[] };
            self.emit_pocket(transfer.to, added, &[]);
        }
    }

    pub(super) fn tray(
        &mut self,
        device: DeviceIndex,
        channel: u8,
        change: impl FnOnce(&mut TraySense) -> Option<TrayChange>,
    ) {
        let Some(seat) = self.sensors.seat_of(device, channel) else { return };
        let Some(Some(tray)) = self.sensors.trays.get_mut(seat.index()) else { return };
        let Some(change) = change(tray) else { return };
        if !self.play.is_on() {
            return;
        }
        let seen = *tray.seen();
        self.play.ledger.tray(seat, &change, &seen, self.now);
        let roles = |pocket: &crate::rules::Pocket| -> Vec<Role> {
            Role::ALL.into_iter().flat_map(|role| std::iter::repeat_n(role, *pocket.get(role) as usize)).collect()
        };
        let added = roles(&change.added);
        self.emit_pocket(seat, &added, &roles(&change.removed));
        self.observe(seat.board);
        if !added.is_empty() {
            // What came was captured there.
            seat.partners(self.play.game.len()).for_each(|partner| self.observe(partner.board));
        }
        self.settle();
    }

    /// A player says what a pawn becomes (WBN 5.7).
    pub(super) fn declare(&mut self, seat: Seat, role: Role) {
        if self.play.is_on() {
            let seen = seen(&self.sensors, &self.play.game, &self.play.ledger, seat.board);
            match self.play.tracker.declare(&self.play.game, seat, role, &seen, self.now) {
                Declared::Coming => {}
                Declared::Certain(index) => {
                    self.tell_certain(seat.board, index);
                    self.count_on(seat.board, index);
                }
                Declared::Otherwise(revision) => self.revise(revision),
            }
            self.observe(seat.board);
            self.settle();
        }
    }

    fn publish_made(&mut self, board: BoardId) {
        let line: ArrayVec<Move, PLIES_MAX> = self.play.tracker.line(board).iter().map(|ply| ply.played).collect();
        self.publish_line(board, &line);
    }

    /// Retracts what is no longer believed and publishes what is new.
    fn publish_line(&mut self, board: BoardId, line: &[Move]) {
        let published = &self.play.made[board.index()];
        let kept = published.iter().zip(line).take_while(|(made, played)| made.uci == uci::write(**played)).count();
        if kept == published.len() && kept == line.len() {
            return;
        }
        while self.play.made[board.index()].len() > kept {
            if let Some(made) = self.play.made[board.index()].pop() {
                self.emit(Body::MoveRetracted(made));
            }
        }
        let mut position = self.play.game.board(board).clone();
        for (index, played) in line.iter().enumerate() {
            let seat = board.seat(position.turn());
            if index >= kept {
                let made = Made {
                    board,
                    seat,
                    ply: position.plies() + 1,
                    uci: uci::write(*played),
                    san: san::write(&position, *played, self.play.game.len()),
                };
                self.play.made[board.index()].push(made.clone());
                self.emit(Body::MoveMade(made));
            }
            position.play(*played);
        }
    }

    pub(super) fn bfen(&self) -> String {
        let seconds = |board| {
            let times = self.clock_view(board)?.times;
            Some((times.white_ms / 1000, times.black_ms / 1000))
        };
        Bfen::of_game(&self.play.game, seconds).write()
    }

    pub(super) fn clock_view(&self, board: BoardId) -> Option<ClockView> {
        self.sensors.boards[board.index()].clock.as_ref()?.view(self.now)
    }

    fn emit_clock(&mut self, board: BoardId) {
        if let Some(shown) = self.clock_shown(board) {
            self.emit(Body::Clock(shown));
        }
    }

    pub(super) fn clock_shown(&self, board: BoardId) -> Option<ClockShown> {
        let view = self.clock_view(board)?;
        Some(ClockShown { board, times: view.times, running: view.running.map(Into::into) })
    }
}

impl Sensors {
    /// Whether any clock runs.
    pub fn running(&self) -> bool {
        self.boards.iter().any(|unit| unit.clock.as_ref().is_some_and(|clock| clock.is_running()))
    }
}

/// What there is to see of a board: its men, and what hands took from and brought to trays.
pub(super) fn seen<'a>(sensors: &'a Sensors, game: &Game, ledger: &Ledger, board: BoardId) -> Seen<'a> {
    let latest = sensors.boards[board.index()].sense.placement().latest();
    let slots = |color| sensors.vague.get(board.seat(color).index())?.as_ref();
    let held = |seat: Seat| slots(seat.color).map(Slots::held);
    let lifted = |color| {
        let seat = board.seat(color);
        let known = ledger.lifted(seat).map(|men| {
            let shown = sensors.trays.get(seat.index()).and_then(Option::as_ref).map(|tray| *tray.seen());
            let there = shown.unwrap_or_default().zip(men).map(|(lie, left)| lie.saturating_add(left));
            let another = ledger.returned(seat).map(|returned| returned + RETURNED_US > latest);
            let coming = game.board(board).pocket(color).zip(there).map(|(has, there)| has > there);
            let coming = coming.zip(another).map(|(coming, another)| coming || another);
            let (taken, before, nowhere) = (ledger.taken(seat), ledger.taken_before(seat), ledger.from_nowhere(seat));
            Hand { men, taken, before, nowhere, coming, told: true, ..Hand::default() }
        });
        known.or_else(|| held(seat).map(Hand::of))
    };
    let arrived = |color| {
        let mut hand = Hand::default();
        for seat in board.seat(color).partners(game.len()) {
            let pocket = *game.board(seat.board).pocket(seat.color);
            let Some(Some(tray)) = sensors.trays.get(seat.index()) else {
                hand.coming = ByRole::new_with(|_| true);
                continue;
            };
            let vague = matches!(sensors.vague.get(seat.index()), Some(Some(_)));
            let early = tray.seen().zip(pocket).map(|(seen, known)| seen.saturating_sub(known));
            let coming = tray.seen().zip(pocket).map(|(seen, known)| vague || seen < known);
            hand.coming = hand.coming.zip(coming).map(|(one, other)| one || other);
            for role in Role::ALL {
                let lies = *ledger.came(seat).get(role) + EARLY_US < latest;
                let place = if lies { hand.owed.get_mut(role) } else { hand.men.get_mut(role) };
                *place = place.saturating_add(*early.get(role));
            }
            hand.owed = hand.owed.zip(game.owed(seat)).map(|(men, more)| men.saturating_add(more));
        }
        hand
    };
    let lying = |color| {
        let tray = sensors.trays.get(board.seat(color).index())?.as_ref()?;
        held(board.seat(color)).is_none().then(|| *tray.seen())
    };
    let heard = |other: BoardId| {
        let mut devices = sensors.devices.iter().filter(|wired| wired.settings.board == Some(other));
        devices.any(|wired| wired.device.speaks().state() == LinkState::Up)
    };
    let mut devices = sensors.devices.iter().filter(|wired| wired.settings.board == Some(board));
    Seen {
        may_garble: devices.any(|wired| wired.device.can_verify()),
        others_unheard: !game.ids().all(|other| other == board || heard(other)),
        placement: sensors.boards[board.index()].sense.placement(),
        lifted: ByColor::new_with(lifted),
        arrived: ByColor::new_with(arrived),
        lying: ByColor::new_with(lying),
        slots: ByColor::new_with(slots),
    }
}

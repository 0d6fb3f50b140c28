//! A game that goes on after the daemon was started again.
//!
//! In: what the journal knows of the game and of the devices, before the first input. Out: the same game with the same
//! id, told by `game-resumed`; then whatever the boards show. Moves that were made meanwhile are found by the tracker
//! like those behind a pulled cable. A board that shows something else is told as `uncertain` without candidates:
//! nothing is guessed. It knows no journal.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Table, history::Entry, judge::RULINGS_MAX, play::seen};
use crate::{
    event::{
        self, Body, Event, GameResumed, GameStarted, Incident, LinkState, Request, Response, ResponseStatus, Ruling,
        Uncertain,
    },
    notation::{bfen::Bfen, placement, uci},
    rules::{Game, Reason},
    sense::Side,
    track::{Completed, Completion},
    types::{BoardId, Instant, SECOND, Seat},
};

/// How long a board may contradict the resumed game before it is told: the devices start up, hands come to rest.
const LOOK_AFTER_US: i64 = 5 * SECOND;
/// How long devices take to show their boards after their first word.
const START_UP_US: i64 = SECOND;
/// Squares that may contradict all the time: sensors that are dead.
const FAULTS_MAX: usize = 2;
/// How long there is to put men back where the record has them before the gap is recorded.
const PUT_RIGHT_US: i64 = 20 * SECOND;
/// Rest that completes a ply on a board whose clock was there before and says nothing now.
const SILENT_CLOCK_SETTLE_US: i64 = 5 * SECOND;
/// What was commanded in the game and still holds. Draw offers lapse, and what a pawn becomes is said again.
const LASTING: [&str; 5] = ["players", "invisible", "visible", "pause", "resume"];

/// What was known of a table before it was opened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Resume {
    /// How devices lie, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub devices: BTreeMap<String, Found>,
    /// The game that was on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<Unfinished>,
}

impl Resume {
    /// Whether nothing was known.
    pub fn is_empty(&self) -> bool {
        self.devices.is_empty() && self.game.is_none()
    }
}

/// What was found out about a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Whether its board is turned by 180°.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turned: Option<bool>,
    /// At which side of its clock White sits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_white: Option<Side>,
}

/// A game without an end. Instants count from the opening of the table that takes it up: they are negative.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unfinished {
    /// Its id.
    pub id: String,
    /// How it began.
    pub started: GameStarted,
    /// Completed moves in order with the `seq` that told each, all corrections made.
    pub moves: Vec<(u64, event::Move)>,
    /// What the trays held and what was on its way, by seat letter, as FEN letters.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pockets: BTreeMap<String, (String, String)>,
    /// Its incidents as they were told last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub incidents: Vec<Incident>,
    /// What was commanded, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rulings: Vec<Event>,
}

/// A resumed game before its boards were looked at.
#[derive(Clone, Debug, Default)]
pub struct Resumed {
    /// When the daemon was back.
    since: Instant,
    /// Boards that have been heard of since.
    heard: Vec<bool>,
    /// When they are.
    due: Option<Instant>,
    /// Since when boards are known to show something else, which was told.
    doubted: Vec<Option<Instant>>,
    /// Boards that showed several plies at once when they were looked at first.
    unseen: Vec<bool>,
}

impl Resumed {
    /// Nothing was looked at yet.
    pub fn of(boards: usize, since: Instant) -> Resumed {
        Resumed {
            since,
            heard: vec![false; boards],
            due: None,
            doubted: vec![None; boards],
            unseen: vec![false; boards],
        }
    }
}

impl Table {
    /// Takes up what was known before the table was opened; before the first input.
    pub fn resume(&mut self, resume: Resume) {
        self.told = None;
        for wired in &self.sensors.devices {
            let found = resume.devices.get(&wired.settings.name).copied().unwrap_or_default();
            let Some(unit) = wired.settings.board.and_then(|board| self.sensors.boards.get_mut(board.index())) else {
                continue;
            };
            if let Some(turned) = found.turned {
                unit.sense.turn(turned);
            }
            if let (Some(white), Some(clock)) = (found.clock_white, &mut unit.clock) {
                clock.remember(white);
            }
        }
        if let Some(game) = resume.game {
            self.resume_game(game);
        }
    }

    fn resume_game(&mut self, unfinished: Unfinished) {
        let Unfinished { id, started, moves, pockets, incidents, rulings } = unfinished;
        let origin = self.origin(&started);
        let replayed = origin.as_ref().and_then(|origin| replay(origin, moves));
        let (Some(origin), Some((history, game))) = (origin, replayed) else {
            self.play.id = Some(id);
            self.end("*", "the table was set up otherwise", Vec::new(), "table");
            return;
        };
        let clocked = origin.ids().map(|board| self.sensors.boards[board.index()].clock.is_some()).collect();
        self.take_up(id, origin, clocked);
        self.play.clock_ran = game.ids().map(|board| game.board(board).plies() > 0).collect();
        self.take_history(history);
        self.judge_start();
        // Whether the clocks started together was looked at when the game began.
        self.judge.referee.clocks.iter_mut().for_each(|clock| clock.begin(self.now));
        self.miss_buttons(Seat::all(self.play.game.len()));
        (self.judge.goes_on, self.judge.pockets_doubted) = (true, true);
        self.take_sights(&pockets);
        self.take_docket(incidents, rulings);
        let bfen = self.bfen();
        self.emit(Body::GameResumed(GameResumed { bfen, moves: self.play.history.len() }));
        self.resumed = Some(Resumed::of(self.play.game.len(), self.now));
    }

    /// The position that the game began from; none if it was played by other rules or on other boards.
    fn origin(&self, started: &GameStarted) -> Option<Game> {
        let boards = self.play.game.len();
        let fresh = Game::new(self.ruleset.clone(), boards);
        let read = Bfen::read(&started.bfen).ok()?.to_game(&self.ruleset);
        let text = |game: &Game| Bfen::of_game(game, |_| None).write();
        let same = started.ruleset == self.ruleset.to_string() && read.len() == boards;
        // Read positions know nothing of moves before them: the usual one has its own history.
        let usual = text(&read) == text(&fresh);
        same.then_some(if usual { fresh } else { read })
    }

    /// Plays the recorded moves and gives them to ledger and tracker.
    fn take_history(&mut self, history: Vec<Entry>) {
        for entry in history {
            let Completed { board, played, completed_at, .. } = entry.completed;
            let seat = board.seat(self.play.game.board(board).turn());
            let transfer = self.play.game.play(board, played);
            self.play.ledger.play(seat, played, transfer, completed_at);
            let event::Move { ply, ref uci, ref san, .. } = entry.event;
            let made = event::Made { board, seat, ply, uci: uci.clone(), san: san.clone() };
            self.play.last[board.index()] = Some(made);
            self.play.history.push(entry);
        }
        for board in self.play.game.ids() {
            let plies: Vec<Completed> = self.plies_of(board).map(|entry| entry.completed.clone()).collect();
            let start = self.play.origin.board(board).clone();
            self.play.tracker.rewrite(board, start, &plies);
            self.play.tracker.unwatched(board, self.now);
            if self.play.clocked[board.index()] {
                self.play.tracker.set_completion(board, Completion::Clock, self.now);
            }
        }
    }

    /// What boards and trays showed last: what they show now is measured by it.
    fn take_sights(&mut self, pockets: &BTreeMap<String, (String, String)>) {
        for board in self.play.game.ids() {
            self.sensors.boards[board.index()].sense.remember(self.play.game.board(board), self.now);
        }
        for (letter, (pieces, in_transit)) in pockets {
            let Ok(seat) = letter.parse::<Seat>() else { continue };
            let read = |letters: &str| Some(*placement::read_pockets(letters).ok()?.get(seat.color));
            let (Some(pocket), Some(transit)) = (read(pieces), read(in_transit)) else { continue };
            if let Some(Some(tray)) = self.sensors.trays.get_mut(seat.index()) {
                tray.remember(pocket);
                self.play.ledger.remember(seat, pocket, transit);
            }
        }
    }

    /// The referee remembers what was told and commanded; what nobody saw meanwhile is nobody's fault.
    fn take_docket(&mut self, incidents: Vec<Incident>, rulings: Vec<Event>) {
        incidents.into_iter().for_each(|incident| self.judge.referee.docket.remember(incident));
        for ruling in &rulings {
            let Body::Ruling(ruling) = &ruling.body else { continue };
            let Ruling { verb, data, by, transaction } = (**ruling).clone();
            if LASTING.contains(&verb.as_str()) || verb == "penalty" && data["kind"] == "points" {
                self.command_again(&Request { verb: verb.clone(), data, transaction: None, by: by.clone() });
            }
            if transaction.is_some() {
                let answer = Response { status: ResponseStatus::Ok, verb, transaction, error: None, data: None };
                self.judge.remember_answer(by, answer);
            }
        }
        self.judge.rulings = rulings.into_iter().rev().take(RULINGS_MAX).collect();
        let at = self.now;
        for seat in Seat::all(self.play.game.len()) {
            self.judge.referee.men.blind(seat, at);
        }
        for board in self.play.game.ids() {
            // What it drafts was told when the move was played.
            drop(self.judge.referee.position(board, &self.play.game, at));
        }
    }

    /// When resumed boards are looked at next.
    pub(super) fn resumed_deadline(&self) -> Option<Instant> {
        self.resumed.as_ref()?.due
    }

    /// Looks whether the boards show the resumed game.
    pub(super) fn watch_resumed(&mut self) {
        if self.resumed.is_none() {
            return;
        }
        let mut boards = self.sensors.devices.iter().filter(|wired| wired.settings.board.is_some());
        let all_tell = boards.all(|wired| wired.device.speaks().state() == LinkState::Up);
        let on = self.play.is_on();
        self.hear_boards();
        self.doubt_unseen();
        let Some(resumed) = self.resumed.as_mut() else { return };
        match resumed.due {
            _ if !on => self.resumed = None,
            None if all_tell => resumed.due = Some(self.now + LOOK_AFTER_US),
            Some(due) if self.now >= due => self.look_at_resumed(),
            _ => {}
        }
    }

    /// What a board shows as soon as it speaks was done while nobody heard of it.
    fn hear_boards(&mut self) {
        let Some(resumed) = self.resumed.as_mut() else { return };
        let up = self.sensors.devices.iter().filter(|wired| wired.device.speaks().state() == LinkState::Up);
        for board in up.filter_map(|wired| wired.settings.board) {
            let (Some(heard), Some(watch)) =
                (resumed.heard.get_mut(board.index()), self.judge.referee.boards.get_mut(board.index()))
            else {
                continue;
            };
            if !std::mem::replace(heard, true) {
                watch.unheard(resumed.since, self.now + START_UP_US);
            }
        }
    }

    fn look_at_resumed(&mut self) {
        let Some(mut resumed) = self.resumed.take() else { return };
        self.observe_all();
        self.settle();
        for board in self.play.game.ids() {
            self.miss_clock(board);
            let placement = seen(&self.sensors, &self.play.game, &self.play.ledger, board).placement;
            let contradicted = self.play.tracker.unexplained(board);
            let rests = |square| self.now - placement.changed(square) >= LOOK_AFTER_US;
            let rest = contradicted.into_iter().filter(|square| rests(*square)).count();
            let doubted = &mut resumed.doubted[board.index()];
            let told = Uncertain { board, ply: None, candidates: Vec::new() };
            match *doubted {
                None if rest > FAULTS_MAX => {
                    *doubted = Some(self.now);
                    self.emit(Body::Uncertain(told));
                }
                Some(_) if contradicted.count() <= FAULTS_MAX => {
                    *doubted = None;
                    self.emit(Body::Resolved(told));
                }
                Some(since) if self.now - since >= PUT_RIGHT_US && self.goes_on(board) => {
                    *doubted = None;
                    self.cast_adrift(board);
                }
                _ => {}
            }
        }
        if resumed.doubted.iter().any(Option::is_some) {
            resumed.due = Some(self.now + LOOK_AFTER_US);
            self.resumed = Some(resumed);
        }
    }

    /// Whether play may go on at a board: its clock runs, or it has none.
    fn goes_on(&self, board: BoardId) -> bool {
        self.clock_view(board).is_none_or(|view| view.running.is_some())
    }

    /// Several plies that a board shows at the first look may have been others, though the men stand so: the line that
    /// explains them is the likeliest. It is told at once; the daemon may not live long.
    fn doubt_unseen(&mut self) {
        for board in self.play.game.ids() {
            let made = &self.play.made[board.index()];
            let Some(resumed) = self.resumed.as_mut() else { return };
            let first = resumed.due.is_none_or(|due| self.now <= due + (START_UP_US - LOOK_AFTER_US));
            if !first || made.len() < 2 || std::mem::replace(&mut resumed.unseen[board.index()], true) {
                continue;
            }
            let line: Vec<&str> = made.iter().map(|made| made.san.as_str()).collect();
            let (ply, candidates) = (made.first().map(|first| first.ply), vec![line.join(" ")]);
            self.emit(Body::Uncertain(Uncertain { board, ply, candidates }));
            self.play.tracker.guess_is_told(board);
        }
    }

    /// A clock that was there before the restart and says nothing since: rest completes moves.
    fn miss_clock(&mut self, board: BoardId) {
        if self.play.clocked[board.index()] && self.clock_view(board).is_none() {
            self.play.clocked[board.index()] = false;
            self.play.tracker.set_completion(board, Completion::Settle(SILENT_CLOCK_SETTLE_US), self.now);
        }
    }
}

/// The recorded moves as they are played from `origin`, and the game after them; none if they cannot be.
fn replay(origin: &Game, moves: Vec<(u64, event::Move)>) -> Option<(Vec<Entry>, Game)> {
    let mut game = origin.clone();
    let mut history = Vec::with_capacity(moves.len());
    for (seq, event) in moves {
        let board = event.board;
        let known = game.ids().any(|known| known == board);
        let position = known.then(|| game.board(board))?;
        let (played, reasons) = uci::read_any(&event.uci, position).filter(|_| position.turn() == event.seat.color)?;
        // An illegal move that stands has a reason, even if the rules no longer find it.
        let illegal = match (event.stands, reasons.is_empty()) {
            (false, _) => Vec::new(),
            (true, true) => vec![Reason::SeveralChanges],
            (true, false) => reasons,
        };
        let event::Move { made_at, completed_at, clock, .. } = event;
        let completed = Completed { board, played, made_at, completed_at, clock, illegal, rivals: Vec::new() };
        game.play(board, played);
        history.push(Entry { seq, event, completed });
    }
    Some((history, game))
}

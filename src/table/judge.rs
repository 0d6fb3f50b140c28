//! The referee at its table: what happens is shown to it, what it notices is told to the arbiter.
//!
//! In: completed moves, clocks, trays, time, all from the table. Out: incidents, and, where the table is to end games
//! itself, their ends. It decides nothing that the referee does not know.

use std::collections::VecDeque;

use serde_json::json;

use super::{
    DeviceIndex, SettingsError, Table,
    devices::Sensors,
    play::Play,
    settings,
    unwatched::{around_is_watched, watched},
};
use crate::{
    event::{Body, Event, GameEnded, Response, Status},
    referee::{
        Around, BoardSight, Cause, Draft, Graces, Grade, HIDING, HalfPoints, Incident, Kind, Outcome, Referee,
        TrayView, certainly_wrong, incomplete_castling, repeated, wrong_setup,
    },
    rules::{Game, Move, RuleSet, Transfer},
    sense::ClockView,
    table::settings::{Adjudication, TableSettings},
    track::Completed,
    types::{Bitboard, BoardId, ByColor, Instant, Kinds, Piece, Role, SECOND, Seat, Team},
};

/// A clock must run so long beside a wrong set-up before it is told: players begin and see it.
const SET_UP_US: i64 = 2 * SECOND;
/// Rulings that are shown to the arbiter.
pub(super) const RULINGS_MAX: usize = 64;
/// Answers that are remembered to answer a repeated request.
const ANSWERS_MAX: usize = 256;

/// The referee with what it needs of the table.
#[derive(Debug)]
pub(super) struct Judge {
    pub referee: Referee,
    graces: Graces,
    auto: bool,
    /// The arbiter has interrupted the game.
    pub held: bool,
    pub paused_since: Option<Instant>,
    /// Clocks have run on since the last game ended: no other game has begun.
    pub runs_on: bool,
    /// What the arbiter added to teams' points, in halves.
    pub changes: Vec<(Team, i32)>,
    /// Trays that feel men and do not tell them apart, by [`Seat::index`].
    vague: Vec<bool>,
    /// What each tray showed last.
    shown: Vec<TrayView>,
    /// The game goes on with what another one left.
    pub goes_on: bool,
    /// Moments at which a seat's buttons went unheard or were heard again, the latest last.
    pub unheard: VecDeque<(Seat, Instant)>,
    /// Plies were played unseen: what lies in pockets is what they are said to be.
    pub pockets_doubted: bool,
    /// By board.
    set_up: Vec<SetUp>,
    pub rulings: VecDeque<Event>,
    /// Answers to requests that may be repeated.
    pub answers: VecDeque<(Option<String>, Response)>,
    /// Something changed that the arbiter's state shows.
    pub changed: bool,
}

/// A set-up beside which clocks run.
#[derive(Clone, Debug, Default)]
struct SetUp {
    /// Since when these squares are wrong: men that are being put right are none that stand wrong.
    since: Option<Instant>,
    wrong: Bitboard,
    /// What was told of it.
    told: String,
    /// Since when its own clock runs while no game has begun.
    runs_since: Option<Instant>,
}

impl Judge {
    pub fn new(settings: &TableSettings, rules: &RuleSet, game: &Game) -> Result<Judge, SettingsError> {
        let read = |key: &str, text: &str| {
            settings::parse_duration(text).map_err(|message| SettingsError { key: key.into(), message })
        };
        let graces = Graces {
            lift: read("lift_grace", &settings.lift_grace)?,
            pass: read("pass_grace", &settings.pass_grace)?,
            displaced: read("displaced_grace", &settings.displaced_grace)?,
        };
        let control = settings.time_control.parse().ok();
        Ok(Judge {
            referee: Referee::new(rules.clone(), graces, control, game, Instant::ZERO),
            graces,
            auto: settings.adjudication == Adjudication::Auto,
            held: false,
            paused_since: None,
            runs_on: false,
            changes: Vec::new(),
            vague: vec![false; 2 * game.len()],
            shown: vec![TrayView::default(); 2 * game.len()],
            goes_on: false,
            unheard: VecDeque::new(),
            pockets_doubted: false,
            set_up: vec![SetUp::default(); game.len()],
            rulings: VecDeque::new(),
            answers: VecDeque::new(),
            changed: true,
        })
    }

    /// Keeps an answer for the case that its request is repeated.
    pub fn remember_answer(&mut self, by: Option<String>, answer: Response) {
        if self.answers.len() == ANSWERS_MAX {
            self.answers.pop_front();
        }
        self.answers.push_back((by, answer));
    }

    /// What a result is worth, with the arbiter's changes (WBN 1.18, 9.4e, f).
    pub fn points(&self, result: &str) -> HalfPoints {
        self.changes.iter().fold(HalfPoints::of(result), |points, (team, halves)| points.changed(*team, *halves))
    }
}

/// One board as the referee sees it.
fn sight<'a>(rules: &'a RuleSet, sensors: &'a Sensors, play: &'a Play, board: BoardId) -> BoardSight<'a> {
    let placement = sensors.boards[board.index()].sense.placement();
    let turn = board.seat(play.game.board(board).turn());
    let in_hand = play.ledger.lifted(turn).into_iter().flat_map(|men| men.zip(play.ledger.taken(turn)));
    let drops = in_hand.filter(|(count, _)| *count > 0).map(|(_, taken)| taken).min();
    BoardSight { board, rules, game: &play.game, placement, line: play.tracker.line(board), drops }
}

/// Whether a seat has a man of a kind on its board that is no completed drop yet.
fn landing(sights: &[BoardSight<'_>], seat: Seat, role: Role) -> bool {
    let Some(sight) = sights.get(seat.board.index()) else { return false };
    let turn = sight.game.board(sight.board).turn();
    let drops = sight.line.iter().enumerate().any(|(index, ply)| {
        let mover = if index % 2 == 0 { turn } else { !turn };
        mover == seat.color && matches!(ply.played, Move::Put { role: dropped, .. } if dropped == role)
    });
    drops || (sight.mismatch().foreign & sight.placement.allows(role.of(seat.color))).any()
}

/// Whether a man of this kind is off its square, or captured by a move that is not completed.
fn in_air(sights: &[BoardSight<'_>], piece: Piece) -> bool {
    sights.iter().any(|sight| {
        let captured = sight.line.iter().any(|ply| ply.captured == Some(piece));
        captured || sight.missing_kinds().contains(&piece)
    })
}

/// Whether a made move captures such a man for a seat.
fn captured(sights: &[BoardSight<'_>], seat: Seat, piece: Piece) -> bool {
    seat.partners(sights.len()).any(|partner| {
        let Some(sight) = sights.get(partner.board.index()) else { return false };
        let own = sight.game.board(sight.board).turn() == partner.color;
        sight.line.iter().skip(usize::from(!own)).step_by(2).any(|ply| ply.captured == Some(piece))
    })
}

/// Whether a seat's tray can be believed: it speaks, tells men apart and every slot says something.
fn tells(sensors: &Sensors, judge: (&[bool], &[TrayView]), seat: Seat) -> bool {
    let (vague, shown) = judge;
    let there = sensors.trays.get(seat.index()).is_some_and(Option::is_some);
    let device = sensors.devices.iter().find(|wired| wired.settings.pockets.contains(&seat));
    let speaks = device.is_some_and(|wired| wired.device.speaks().state() == crate::event::LinkState::Up);
    let clear = shown.get(seat.index()).is_some_and(|view| view.unclear == 0);
    there && speaks && clear && !vague.get(seat.index()).copied().unwrap_or(true)
}

impl Table {
    /// Shows the referee the table and tells what it answers.
    pub(super) fn consult(&mut self, ask: impl FnOnce(&mut Referee, &Around<'_>, &[BoardSight<'_>]) -> Vec<Draft>) {
        let (sensors, play, rules, now) = (&self.sensors, &self.play, &self.ruleset, self.now);
        let sights: Vec<BoardSight<'_>> = play.game.ids().map(|board| sight(rules, sensors, play, board)).collect();
        let rests = sensors.has_clock() && !sensors.running() || play.tracker.is_swept();
        let unsettled = self.unsettled();
        let unknown = |board: BoardId| unsettled.contains(&board) || play.tracker.is_unwatched(board);
        let adrift = &self.adrift;
        let Judge { referee, vague, shown, graces, .. } = &mut self.judge;
        let around = Around {
            rules,
            boards: play.game.len(),
            now,
            graces: *graces,
            idle: &|board| rests || !watched(sensors, play, adrift, board) || unknown(board),
            clock: &|board| Some(sensors.boards[board.index()].clock.as_ref()?.view(now)?.times),
            tells: &|seat| {
                !rests && tells(sensors, (vague, shown), seat) && around_is_watched(sensors, play, adrift, seat)
            },
            landing: &|seat, role| landing(&sights, seat, role),
            in_air: &|piece| in_air(&sights, piece),
            captured: &|seat, piece| captured(&sights, seat, piece),
            unlawful: &|seat, piece| play.unlawful(seat, piece),
        };
        let drafts = ask(referee, &around, &sights);
        self.report(drafts);
    }

    /// Numbers incidents and tells them.
    pub(super) fn report(&mut self, drafts: Vec<Draft>) {
        for draft in drafts {
            let seat = draft.seat.filter(|_| HIDING.contains(&draft.kind));
            let incident = self.judge.referee.docket.open(self.incident, draft, &self.ruleset);
            self.tell(incident);
            let known = |seat: &Seat| self.judge.referee.docket.count(*seat, &[Kind::RepeatedlyHiding]) > 0;
            if let Some(seat) = seat.filter(|seat| !known(seat)) {
                self.consult(|referee, around, _| repeated(&referee.docket, seat, around).into_iter().collect());
            }
        }
    }

    /// Tells an incident as it is now.
    pub(super) fn tell(&mut self, incident: Incident) {
        self.judge.changed = true;
        self.emit(Body::Incident(Box::new(incident)));
    }

    pub(super) fn judge_start(&mut self) {
        let control = self.settings.time_control.parse().ok();
        let game = &self.play.game;
        self.judge.referee = Referee::new(self.ruleset.clone(), self.judge.graces, control, game, self.now);
        self.judge.held = false;
        self.judge.runs_on = false;
        self.judge.paused_since = None;
        self.judge.changes.clear();
        self.judge.goes_on = false;
        self.judge.unheard.clear();
        self.judge.pockets_doubted = false;
        self.judge.changed = true;
        for board in self.play.game.ids() {
            let known = &mut self.judge.set_up[board.index()];
            *known = SetUp { runs_since: known.runs_since, ..SetUp::default() };
            let clock = self.sensors.boards[board.index()].clock.as_ref();
            if clock.is_some_and(|clock| clock.is_running()) {
                self.judge.referee.clocks[board.index()].begin(self.now);
            }
        }
        let start = Game::new(self.ruleset.clone(), 1);
        let start = start.board(BoardId::A);
        // A game that is gone on with is not set up.
        let begins = |board: &BoardId| self.play.game.board(*board).board() == start.board();
        let units = self.play.game.ids().zip(&self.sensors.boards).filter(|(board, _)| begins(board));
        let wrong =
            units.filter_map(|(board, unit)| certainly_wrong(&self.ruleset, board, unit.sense.placement(), start));
        let wrong = wrong.collect();
        self.report(wrong);
        self.judge_trays();
    }

    /// A clock's times are looked at when its first side runs.
    pub(super) fn judge_times(&mut self, board: BoardId, view: ClockView) {
        let watch = &self.judge.referee.clocks[board.index()];
        let first = watch.started().is_none_or(|started| self.now - started <= SECOND);
        let begins = self.play.game.board(board).plies() == 0 && !self.judge.goes_on;
        let early = begins && view.running.is_some() && first;
        let SetUp { told, runs_since, .. } = &self.judge.set_up[board.index()];
        let (told, ran) = (told == "clock-times", runs_since.map_or(0, |since| self.now - since));
        let Some(control) = self.judge.referee.control.filter(|_| !told) else { return };
        let watch = &mut self.judge.referee.clocks[board.index()];
        if let Some(draft) =
            watch.wrong_start(board, view.times, control, (self.now, early.then_some(ran)), &self.ruleset)
        {
            self.judge.set_up[board.index()].told.clone_from(&draft.reason);
            self.report(vec![draft]);
        }
    }

    /// A clock says something; `before` is what it said until now. Called before the tracker hears of a press.
    pub(super) fn judge_clock(&mut self, board: BoardId, before: Option<ClockView>) {
        let Some(view) = self.clock_view(board) else {
            self.judge.referee.clocks[board.index()].lost();
            return;
        };
        self.judge_times(board, view);
        let flags = self.sensors.boards[board.index()].clock.as_ref().map_or(ByColor::default(), |clock| clock.flags());
        let now = self.now;
        self.consult(|referee, around, sights| {
            let pressed = before.and_then(|before| Some((before.running?, view.to_move?)));
            if let Some((by, _)) = pressed.filter(|(by, to_move)| by != to_move) {
                let asked = referee.asked(board.seat(by));
                referee.boards[board.index()].press(by, now, (view.times, asked), sights[board.index()]);
            }
            let control = referee.control;
            let news = referee.clocks[board.index()].show(board, view, flags, now, control);
            let mut drafts: Vec<Draft> = news.defect.into_iter().collect();
            drafts.extend(news.fell.iter().map(|seat| referee.flag(*seat, around.boards, now)));
            drafts.extend(referee.uneven_start());
            drafts
        });
        self.end_by_flag();
    }

    /// Boards that are not set up, each with what is wrong.
    pub fn not_set_up(&self) -> Vec<String> {
        let start = Game::new(self.ruleset.clone(), 1);
        let start = start.board(BoardId::A);
        let wrong = |board: BoardId| {
            let placement = self.sensors.boards[board.index()].sense.placement();
            let squares = placement.mismatch(start).any();
            let squares: Vec<String> = squares.into_iter().map(|square| square.to_string()).collect();
            (!squares.is_empty()).then(|| format!("board {board} ({})", squares.join(" ")))
        };
        self.play.game.ids().filter_map(wrong).collect()
    }

    /// A clock runs and no game has begun: a board may be set up wrongly (WBN 1.15) while the others are right.
    pub(super) fn judge_set_up(&mut self, board: BoardId) {
        let start = Game::new(self.ruleset.clone(), 1);
        let start = start.board(BoardId::A);
        self.judge.runs_on &= self.sensors.running();
        let runs = self.sensors.running() && !self.play.is_on() && !self.judge.runs_on;
        let right = |unit: &super::devices::BoardUnit| unit.sense.placement().mismatch(start).is_empty();
        let own = self.sensors.boards[board.index()].clock.as_ref().is_some_and(|clock| clock.is_running());
        let known = &mut self.judge.set_up[board.index()];
        known.runs_since = known.runs_since.or(Some(self.now)).filter(|_| own);
        if !runs || !self.sensors.boards.iter().any(right) {
            known.since = None;
            return;
        }
        let placement = &*self.sensors.boards[board.index()].sense.as_set_up();
        let wrong = placement.mismatch(start).any();
        if wrong != std::mem::replace(&mut known.wrong, wrong) {
            known.since = None;
        }
        let touched = wrong.into_iter().map(|square| placement.changed(square)).max();
        let since = (*known.since.get_or_insert(self.now)).max(touched.unwrap_or(self.now));
        let found = wrong_setup(&self.ruleset, board, placement, start).filter(|draft| draft.reason != known.told);
        if let Some(draft) = found.filter(|_| self.now - since >= SET_UP_US) {
            known.told.clone_from(&draft.reason);
            self.report(vec![draft]);
        }
    }

    /// A board says something while its clock runs, or has none.
    pub(super) fn judge_board(&mut self, board: BoardId) {
        if !self.play.is_on() {
            return;
        }
        let sight = sight(&self.ruleset, &self.sensors, &self.play, board);
        let watch = &mut self.judge.referee.boards[board.index()];
        match self.sensors.boards[board.index()].clock.as_ref().map(|clock| clock.view(self.now)) {
            None => watch.changed_unclocked(sight),
            Some(view) => {
                if let Some(to_move) = view.and_then(|view| view.running) {
                    watch.changed(sight, to_move);
                }
            }
        }
    }

    /// A tray says something.
    pub(super) fn judge_tray(&mut self, device: DeviceIndex, channel: u8) {
        let Some(seat) = self.sensors.seat_of(device, channel) else { return };
        let Some(Some(tray)) = self.sensors.trays.get(seat.index()) else { return };
        let view = TrayView::of(tray.slots());
        if self.judge.shown[seat.index()] == view {
            return;
        }
        self.judge.vague[seat.index()] |= tray.slots().contains(&Kinds::OCCUPIED);
        self.judge.shown[seat.index()] = view;
        if self.play.is_on() {
            self.judge.referee.men.tray(seat, &view, self.now);
            self.judge.changed = true;
            self.trust_pockets();
        }
    }

    /// What lies in the trays explains the moves, or is explained by them.
    pub(super) fn judge_trays(&mut self) {
        for seat in Seat::all(self.play.game.len()) {
            self.judge.referee.men.tray(seat, &self.judge.shown[seat.index()], self.now);
        }
    }

    /// A move was completed and played.
    pub(super) fn judge_completed(
        &mut self,
        completed: &Completed,
        seat: Seat,
        written: &str,
        transfer: Option<Transfer>,
    ) {
        let (board, at) = (completed.board, completed.completed_at);
        let incomplete = incomplete_castling(self.play.game.board(board), completed);
        let mate = self.play.game.loser(board).is_some();
        self.withdraw_answered(seat, at);
        let lapsed = self.judge.referee.docket.completed(seat, mate, at);
        lapsed.into_iter().for_each(|incident| self.tell(incident));
        let unseen = self.is_illegal_unseen(seat, completed);
        let guessed = self.play.tracker.is_guessing(board, self.now);
        self.consult(|referee, around, sights| {
            referee.offers.completed(seat);
            referee.watch_completed(seat, completed);
            referee.last_drop_made(seat, completed.played);
            let sight = &sights[board.index()];
            let illegal = referee.judge_move(sight, seat, completed, written, incomplete).filter(|_| !unseen);
            let mut drafts: Vec<Draft> = illegal.into_iter().collect();
            let game = sights[board.index()].game;
            drafts.extend(referee.account(seat, completed, transfer, *sight, around));
            drafts.extend(referee.thaw(seat, completed));
            drafts.extend(referee.position(board, game, at));
            drafts.extend(referee.premove(sights[board.index()], seat, completed).filter(|_| !guessed));
            drafts
        });
        // When its man was captured nobody saw, nor what its tray told of that before.
        if let Some(transfer) = transfer.filter(|_| guessed) {
            self.judge.referee.men.blind(transfer.to, self.now);
        }
        self.judge_trays();
        self.trust_pockets();
        // A man that went ahead of its turn may stand there already.
        self.judge_board(board);
        self.judge.changed = true;
        self.end_by_move(seat);
    }

    pub(super) fn judge_deadline(&self) -> Option<Instant> {
        let mated = self.mated_at().filter(|due| *due > self.now);
        self.judge.referee.deadline().into_iter().chain(mated).min().filter(|_| self.play.is_on())
    }

    /// When the table ends a game by mate: another one may be at the same time (WBN 1.10).
    fn mated_at(&self) -> Option<Instant> {
        let referee = &self.judge.referee;
        referee.mates_until().filter(|_| self.judge.auto && !referee.awaits_last_drop())
    }

    fn end_by_mate(&mut self) {
        let referee = &self.judge.referee;
        let goes_on = |seat: &Seat| referee.ends.over().all(|over| over != seat.board);
        let mated: Vec<Seat> = referee.mated(&self.play.game).into_iter().filter(goes_on).collect();
        if self.play.is_on() && !mated.is_empty() && self.mated_at().is_some_and(|due| due <= self.now) {
            self.conclude_lost(&mated, Cause::standing(&self.ruleset));
        }
    }

    /// What time alone brings.
    pub(super) fn judge_time(&mut self) {
        if self.judge_deadline().is_some_and(|due| due <= self.now) {
            self.consult(Referee::look);
            self.end_by_flag();
        }
        self.end_by_mate();
    }

    /// All clocks are stopped: mate or a flag make the end evident (WBN 1.5, 7.9).
    pub(super) fn judge_stop(&mut self) {
        if self.sensors.running() {
            return;
        }
        let stopped = self.judge.paused_since.is_none();
        self.judge.paused_since.get_or_insert(self.now);
        self.judge.changed = true;
        let (referee, game) = (&self.judge.referee, &self.play.game);
        let (mated, fallen) = (referee.mated(game), referee.fallen());
        if referee.saved {
            self.conclude_drawn(game.ids().collect(), Cause::LastDrop);
        } else if !mated.is_empty() {
            self.conclude_lost(&mated, Cause::standing(&self.ruleset));
        } else if !fallen.is_empty() {
            self.conclude_flags();
        } else {
            self.end_by_stalemate();
        }
        if stopped && self.play.is_on() && !self.judge.held {
            self.report(vec![self.paused()]);
        }
    }

    /// All clocks stand: when, and whose time would run on each board (WBN 7.12).
    fn paused(&self) -> Draft {
        let clock = |board: BoardId| {
            let view = self.clock_view(board)?;
            let to_move = view.to_move.map(|color| board.seat(color));
            Some(json!({ "board": board, "to_move": to_move, "clock": view.times }))
        };
        let clocks: Vec<_> = self.play.game.ids().filter_map(clock).collect();
        Draft::at(Kind::Paused, None, json!({ "stopped_at": self.now, "clocks": clocks })).grade(Grade::Note)
    }

    /// Time runs again.
    pub(super) fn judge_go_on(&mut self) {
        if self.judge.paused_since.take().is_some() {
            let lapsed = self.judge.referee.docket.went_on(self.now);
            lapsed.into_iter().for_each(|incident| self.tell(incident));
        }
    }

    /// Where the table ends games itself: illegal moves that nobody has answered, and mate that no drop may undo.
    fn end_by_move(&mut self, seat: Seat) {
        if !self.judge.auto || !self.play.is_on() {
            return;
        }
        let referee = &self.judge.referee;
        let illegal = |entry: &crate::referee::Entry| {
            matches!(entry.kind, Kind::IllegalMove | Kind::IncompleteCastling) && entry.incident.seat == Some(seat)
        };
        let illegal = self.ruleset.illegal_move_loses && referee.docket.open_entries().any(illegal);
        if referee.saved {
            self.conclude_drawn(self.play.game.ids().collect(), Cause::LastDrop);
        } else if illegal {
            self.conclude_lost(&[seat], Cause::IllegalMove);
        } else {
            self.end_by_mate();
            self.end_by_stalemate();
        }
    }

    /// Boards on which nobody can move are drawn where the rule set says so.
    fn end_by_stalemate(&mut self) {
        let game = &self.play.game;
        if !self.play.is_on() {
            return;
        }
        let drawn: Vec<BoardId> = game.ids().filter(|board| game.is_drawn_by_stalemate(*board)).collect();
        if !drawn.is_empty() {
            self.conclude_drawn(drawn, Cause::Stalemate);
        }
    }

    fn end_by_flag(&mut self) {
        if self.judge.auto && self.play.is_on() && !self.judge.referee.fallen().is_empty() {
            self.conclude_flags();
        }
    }

    /// Boards are lost; the game ends where the rule set says so.
    pub(super) fn conclude_lost(&mut self, losers: &[Seat], cause: Cause) {
        let boards = self.play.game.len();
        let outcome = self.judge.referee.ends.lost(&self.ruleset, boards, losers, cause);
        self.conclude(outcome);
    }

    /// Boards are drawn.
    pub(super) fn conclude_drawn(&mut self, drawn: Vec<BoardId>, cause: Cause) {
        let boards = self.play.game.len();
        let outcome = self.judge.referee.ends.drawn(&self.ruleset, boards, &drawn, cause);
        self.conclude(outcome);
    }

    /// Flags that have fallen lose, both of a board draw (WBN 7.9, 7.10).
    pub(super) fn conclude_flags(&mut self) {
        let fallen = self.judge.referee.fallen();
        let both = fallen.iter().find(|seat| fallen.contains(&seat.opponent())).map(|seat| seat.board);
        match both.filter(|_| self.ruleset.both_flags_draw) {
            Some(board) => self.conclude_drawn(vec![board], Cause::BothFlags),
            None => self.conclude_lost(&fallen, Cause::Flag),
        }
    }

    fn conclude(&mut self, outcome: Option<Outcome>) {
        self.judge.changed = true;
        if let Some(Outcome { result, reason, boards, loser }) = outcome {
            let by = loser.map_or("table".into(), |seat| seat.to_string());
            self.end(result, &reason, boards, &by);
        }
    }

    /// The arbiter changes the result of a game that has ended, or what it is worth.
    pub(super) fn end_otherwise(&mut self, result: &str, reason: &str, by: &str) {
        self.play.result = result.into();
        self.play.reason = reason.into();
        let (result, reason, by) = (result.into(), reason.into(), by.into());
        let half_points = Some(self.judge.points(&self.play.result));
        let boards = self.play.game.ids().collect();
        self.emit(Body::GameEnded(GameEnded { result, reason, boards, by, half_points }));
    }

    /// Whether the game may be paused or go on.
    pub(super) fn hold(&mut self, held: bool) {
        self.judge.held = held;
        self.judge.paused_since = held.then_some(self.now);
        let runs = self.sensors.running() || !self.sensors.has_clock();
        self.play.status = if held || !runs { Status::Paused } else { Status::Playing };
    }
}

#[cfg(test)]
mod tests;

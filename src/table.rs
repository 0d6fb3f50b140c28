//! The machine: one table as a pure, deterministic value.
//!
//! In: [`Input`]s, each stamped with its arrival. Out: [`Output`]s. After every [`Table::handle`], drain
//! [`Table::poll`] until it answers [`Output::Deadline`]; call `handle` with [`Input::Timeout`] no later than that.
//! Bad bytes become counters and events, never an error or a panic. It reads no clock, opens no file, draws no random
//! number: the same inputs give the same outputs, so that live, replay, simulation and test are one path.

mod adrift;
mod arbiter;
pub mod capture;
mod devices;
mod emit;
mod history;
mod judge;
mod kings;
mod late;
mod mistagged;
mod pardon;
mod play;
mod raw;
mod request;
pub mod resume;
pub mod retrace;
mod set_up;
pub mod settings;
mod unwatched;
mod vague;
mod view;
mod withdraw;

use std::collections::VecDeque;

use adrift::Adrift;
use devices::Sensors;
use judge::Judge;
use late::Late;
use play::Play;
use resume::Resumed;
use settings::TableSettings;

use crate::{
    event::{DeviceState, Event, LinkState, Players, Request, Response},
    rules::{RuleSet, RuleSetError},
    sense::Fact,
    track::explain::Note,
    types::{Instant, SECOND},
};

/// What a table is opened with: the only wall-clock time that it ever hears of, and where its counts go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Names the daemon start (or the replay) in every message.
    pub session: String,
    /// Wall-clock time of [`Instant::ZERO`] in microseconds since 1970 UTC.
    pub started_us: i64,
    /// First `seq` of the live feed (1 for a new table).
    pub seq: u64,
    /// First `seq` and first id of incidents (1 for a new table).
    pub incident: u64,
}

/// Index of a device in the table's settings.
pub type DeviceIndex = usize;

/// What comes in.
#[derive(Clone, Debug, PartialEq)]
pub enum Input<'a> {
    /// Bytes that a device sent, in any cuts.
    Bytes(DeviceIndex, &'a [u8]),
    /// A device's port was opened (true) or is gone (false).
    Link(DeviceIndex, bool),
    /// A command.
    Request(Request),
    /// A deadline passed, or nothing in particular: early calls are harmless.
    Timeout,
}

/// What goes out.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Bytes to send to a device.
    Transmit(DeviceIndex, Vec<u8>),
    /// An event: to be durable before anyone hears of it.
    Event(Event),
    /// A device's state changed.
    Device(DeviceState),
    /// The answer to a request, in the order of the requests.
    Response(Response),
    /// Nothing more until this instant, or until the next input if there is none.
    Deadline(Option<Instant>),
}

/// The settings do not describe a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {message}")]
pub struct SettingsError {
    /// The key within the `[[table]]` entry.
    pub key: String,
    /// What was expected, what was found, how to mend it.
    pub message: String,
}

/// Time between two reports of a device's counters.
const COUNTERS_EVERY_US: i64 = 10 * SECOND;

/// One table.
#[derive(Debug)]
pub struct Table {
    settings: TableSettings,
    opening: Opening,
    ruleset: RuleSet,
    sensors: Sensors,
    play: Play,
    judge: Judge,
    players: Players,
    now: Instant,
    seq: u64,
    incident: u64,
    /// The instant after which the last game is named.
    named: Instant,
    /// A game that was taken up again and is being compared with the boards.
    resumed: Option<Resumed>,
    /// Boards whose sensors were away for long, by board.
    adrift: Vec<Option<Adrift>>,
    /// Whether a game may have begun before the table was opened.
    late: Late,
    /// What is received only shows how things lay: no game begins.
    quiet: bool,
    /// Somebody wants to know why plies are taken.
    explaining: bool,
    out: VecDeque<Output>,
    /// The deadline that was told last, while nothing has come in since.
    told: Option<Option<Instant>>,
}

impl Table {
    /// A table with nothing known of its boards.
    pub fn new(settings: TableSettings, opening: Opening) -> Result<Table, SettingsError> {
        let ruleset: RuleSet = settings
            .ruleset
            .parse()
            .map_err(|e: RuleSetError| SettingsError { key: "ruleset".into(), message: e.to_string() })?;
        let settle = settings::parse_duration(&settings.settle)
            .map_err(|message| SettingsError { key: "settle".into(), message })?;
        let sensors = Sensors::new(&settings)?;
        let play = Play::new(&ruleset, vec![false; sensors.boards.len()], settle);
        let judge = Judge::new(&settings, &ruleset, &play.game)?;
        let (seq, incident) = (opening.seq, opening.incident);
        let adrift = vec![None; sensors.boards.len()];
        let players = settings.players.clone();
        let (now, named) = (Instant::ZERO, Instant::ZERO);
        let (resumed, quiet, explaining, out) = (None, false, false, VecDeque::new());
        Ok(Table {
            settings,
            opening,
            ruleset,
            sensors,
            play,
            judge,
            players,
            now,
            seq,
            incident,
            named,
            resumed,
            adrift,
            late: Late::default(),
            quiet,
            explaining,
            out,
            told: None,
        })
    }

    /// Takes one input in. `at` never goes back. Deadlines that have passed are served first and as of their instants,
    /// so that a late wake-up changes nothing.
    pub fn handle(&mut self, at: Instant, input: Input<'_>) {
        let at = at.max(self.now);
        let mut deadline = self.told.take().unwrap_or_else(|| self.deadline());
        while let Some(due) = deadline.filter(|due| *due <= at) {
            self.now = due.max(self.now);
            self.advance();
            deadline = self.deadline();
        }
        self.now = at;
        match input {
            Input::Bytes(device, bytes) => self.bytes(device, bytes),
            Input::Link(device, up) => self.link(device, up),
            Input::Request(request) => self.request(request),
            Input::Timeout => {}
        }
        self.watch_resumed();
        self.report_devices();
    }

    /// The next output. Drain until [`Output::Deadline`].
    #[must_use]
    pub fn poll(&mut self) -> Output {
        self.out.pop_front().unwrap_or_else(|| {
            let deadline = self.deadline();
            self.told = Some(deadline);
            Output::Deadline(deadline)
        })
    }

    /// From now on it is noted why plies are taken. What is decided stays the same.
    pub fn explain(&mut self) {
        self.explaining = true;
        self.play.tracker.set_noting();
    }

    /// What was noted since this was asked last: by board, in the order of the decisions.
    pub fn take_notes(&mut self) -> Vec<Note> {
        self.play.tracker.take_notes().collect()
    }

    fn deadline(&self) -> Option<Instant> {
        let boards = [self.sensors.deadline(), self.play.deadline(self.now), self.silent_clocks_at()];
        let watched = [self.resumed_deadline(), self.adrift_deadline(), self.turns_at(), self.faults_at()];
        let others = [self.judge_deadline()].into_iter().chain(watched);
        boards.into_iter().chain(others).flatten().min()
    }

    /// What time alone brings.
    fn advance(&mut self) {
        for index in 0..self.sensors.devices.len() {
            while let Some(bytes) = self.sensors.devices[index].device.advance(self.now) {
                self.out.push_back(Output::Transmit(index, bytes));
            }
        }
        self.report_devices();
        self.watch_silent_clocks();
        self.watch_shown();
        self.watch_anew();
        self.watch_faults();
        self.watch_swept();
        self.watch_resumed();
        self.watch_adrift();
        self.watch_turns();
        self.settle();
        self.judge_time();
    }

    fn bytes(&mut self, index: DeviceIndex, bytes: &[u8]) {
        let Some(wired) = self.sensors.devices.get_mut(index) else { return };
        let mut facts = std::mem::take(&mut self.play.facts);
        wired.device.bytes(self.now, bytes, |fact| facts.push(fact));
        if let Some(away) = wired.device.take_missed() {
            self.sensors_back(index, away);
        }
        for fact in facts.drain(..) {
            self.fact(index, fact);
        }
        self.play.facts = facts;
    }

    fn link(&mut self, index: DeviceIndex, up: bool) {
        if let Some(wired) = self.sensors.devices.get_mut(index) {
            wired.device.link(self.now, up);
            self.judge_link(index);
        }
    }

    fn fact(&mut self, index: DeviceIndex, fact: Fact) {
        match fact {
            Fact::Cell(field, kinds) => self.cell(index, field, kinds),
            Fact::Board(cells) => self.dump(index, &cells),
            Fact::Clock(frame) => self.clock(index, Some(frame)),
            Fact::NoClock => self.clock(index, None),
            Fact::Slot(channel, slot, kinds) if self.is_vague(index, channel) => {
                self.vague_slots(index, channel, slot, &[kinds]);
            }
            Fact::Tray(channel, slots) if self.is_vague(index, channel) => self.vague_slots(index, channel, 0, &slots),
            Fact::Slot(channel, slot, kinds) => {
                self.slot(index, channel, slot, kinds);
                self.judge_tray(index, channel);
            }
            Fact::Raw(channel, first, raws) => self.raw(index, channel, first, &raws),
            Fact::Vague => self.vague(index),
            Fact::Tray(channel, slots) => {
                self.slots(index, channel, slots);
                self.judge_tray(index, channel);
            }
            Fact::Button(channel, button) => self.button(index, channel, button),
        }
    }

    fn is_vague(&self, device: DeviceIndex, channel: u8) -> bool {
        let seat = self.sensors.seat_of(device, channel);
        seat.is_some_and(|seat| self.sensors.vague.get(seat.index()).is_some_and(Option::is_some))
    }

    /// Reports devices whose link, identity or orientation changed, and counters now and then.
    fn report_devices(&mut self) {
        for index in 0..self.sensors.devices.len() {
            let wired = &mut self.sensors.devices[index];
            let due = wired.counters_due.is_some_and(|due| self.now >= due);
            let up = wired.device.speaks().state() == LinkState::Up;
            if due || !self.sensors.is_reported(index) {
                let report = self.sensors.report(index);
                let wired = &mut self.sensors.devices[index];
                wired.counters_due = up.then(|| self.now + COUNTERS_EVERY_US);
                wired.reported = Some(report);
                let report = self.device_state(index);
                self.out.push_back(Output::Device(report));
            }
        }
    }
}

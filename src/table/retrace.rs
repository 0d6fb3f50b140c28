//! A table that lives once more through what it received, after the daemon was started again.
//!
//! In: everything that the table got since its game began. Out: the table as it was when the daemon ended, with all
//! that no record has: what was learnt of the sensors, men in the air, open questions, offers, penalties, windows for
//! claims. Same inputs give same outputs: what comes to another record than the one that was told is not trusted. It
//! knows no journal.

use std::collections::BTreeMap;

use super::{
    Input, Opening, SettingsError, Table,
    capture::{Raw, RawInput},
    late::Late,
    resume::{Found, Resume, Resumed, Unfinished},
    settings::TableSettings,
};
use crate::{
    event::{Body, GameResumed, Incident, Move},
    sense::ClockSense,
    track::Completion,
    types::{Instant, Seat},
};

/// What a table received since its game began, over all starts of the daemon.
#[derive(Clone, Debug, PartialEq)]
pub struct Trail {
    /// How the devices lay before.
    pub devices: BTreeMap<String, Found>,
    /// When the game began, in the time of the first stretch. What was received before only shows how things lay.
    pub began: Instant,
    /// The stretches in order, each in its own time.
    pub stretches: Vec<Stretch>,
}

/// What a table received from one opening on.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// What it was opened with; the counts of the first stretch are those with which the game began.
    pub opening: Opening,
    /// When it was opened.
    pub from: Instant,
    /// Until when it is known.
    pub until: Instant,
    /// In order.
    pub inputs: Vec<RawInput>,
}

impl Trail {
    /// The same in the time of a table that is opened at `at`: everything lies before that. The wall clock may have
    /// been set back between two starts; time may not.
    #[must_use]
    pub fn before(mut self, opening: &Opening, at: Instant) -> Trail {
        let (mut started_us, mut shift, mut next) = (opening.started_us, 0, at);
        for stretch in self.stretches.iter_mut().rev() {
            let by_clock = stretch.opening.started_us.saturating_sub(started_us).saturating_add(shift);
            started_us = stretch.opening.started_us;
            shift = by_clock.min(next - stretch.until);
            stretch.move_by(shift);
            next = stretch.from;
        }
        self.began = self.began + shift;
        self
    }
}

impl Stretch {
    fn move_by(&mut self, shift: i64) {
        self.opening.started_us = self.opening.started_us.saturating_sub(shift);
        self.from = self.from + shift;
        self.until = self.until + shift;
        self.inputs.iter_mut().for_each(|input| input.t = input.t + shift);
    }
}

impl Table {
    /// The table as it was when it received the last of `trail`, opened anew at `at`; none if that does not come to the
    /// game that was recorded.
    pub fn retrace(
        settings: &TableSettings,
        trail: Trail,
        game: &Unfinished,
        opening: Opening,
        at: Instant,
    ) -> Result<Option<Table>, SettingsError> {
        let Trail { devices, began, stretches } = trail.before(&opening, at);
        let mut stretches = stretches.into_iter();
        let Some(first) = stretches.next() else { return Ok(None) };
        let mut table = Table::new(settings.clone(), first.opening.clone())?;
        (table.now, table.named) = (first.from, first.from);
        table.resume(Resume { devices, game: None });
        table.relive(first, Some(began));
        for stretch in stretches {
            table.reopen(stretch.opening.clone(), stretch.from);
            table.relive(stretch, None);
        }
        if !table.comes_to(game, &opening) {
            return Ok(None);
        }
        table.reopen(opening, at);
        Ok(Some(table))
    }

    /// Receives a stretch once more and says nothing. No game begins before `began`.
    fn relive(&mut self, stretch: Stretch, began: Option<Instant>) {
        let Stretch { opening, inputs, until, .. } = stretch;
        let mut waits = began;
        for RawInput { t, raw } in inputs {
            if waits.is_some_and(|began| t >= began) {
                waits = None;
                (self.seq, self.incident) = (opening.seq, opening.incident);
            }
            self.quiet = waits.is_some();
            match raw {
                Raw::Rx(device, bytes) => self.handle(t, Input::Bytes(device, &bytes)),
                Raw::Link(device, up) => self.handle(t, Input::Link(device, up)),
                Raw::Request(request) if !self.quiet => self.handle(t, Input::Request(request)),
                Raw::Request(_) | Raw::Tx(..) => {}
            }
            self.out.clear();
        }
        self.quiet = false;
        self.handle(until, Input::Timeout);
        self.out.clear();
    }

    /// Whether this is the game that was recorded, move by move and incident by incident.
    fn comes_to(&self, game: &Unfinished, opening: &Opening) -> bool {
        // Each board's moves in their order: a move that was found late stands elsewhere among those of other boards.
        let told = |seq: u64, played: &Move| (played.board, played.ply, seq, played.uci.clone(), played.stands);
        let mut moves: Vec<_> = self.play.history.iter().map(|entry| told(entry.seq, &entry.event)).collect();
        let mut recorded: Vec<_> = game.moves.iter().map(|(seq, played)| told(*seq, played)).collect();
        moves.sort();
        recorded.sort();
        let incident = |incident: &Incident| (incident.id, incident.kind.clone(), incident.state);
        let known = self.judge.referee.docket.entries().iter().map(|entry| incident(&entry.incident));
        let mut known: Vec<_> = known.collect();
        known.sort_by_key(|(id, ..)| *id);
        self.play.is_on()
            && self.play.id.as_deref() == Some(&*game.id)
            && (self.seq, self.incident) == (opening.seq, opening.incident)
            && moves == recorded
            && known.into_iter().eq(game.incidents.iter().map(incident))
    }

    /// Nothing was heard until now: the devices have to show anew what there is. What was made and not completed is
    /// looked for again, and what nobody saw meanwhile is nobody's fault.
    fn reopen(&mut self, opening: Opening, at: Instant) {
        self.out.clear();
        (self.now, self.named) = (at, at);
        (self.seq, self.incident) = (opening.seq, opening.incident);
        self.opening = opening;
        for index in 0..self.sensors.devices.len() {
            let wired = &mut self.sensors.devices[index];
            wired.device.link(at, false);
            (wired.reported, wired.counters_due) = (None, None);
            self.judge_link(index);
        }
        for seat in Seat::all(self.play.game.len()) {
            self.judge.referee.men.blind(seat, at);
        }
        for board in self.play.game.ids() {
            let clock = self.sensors.boards[board.index()].clock.as_mut().map(ClockSense::lost);
            self.play.clocked[board.index()] = clock.is_some();
            self.judge.referee.clocks[board.index()].lost();
            let rest = Completion::Settle(self.play.settle_us());
            self.play.tracker.reopen(board, clock.map_or(rest, |_| Completion::Clock));
        }
        self.miss_buttons(Seat::all(self.play.game.len()));
        (self.play.shown, self.play.anew, self.play.swept) = (None, None, None);
        self.late = Late::Unheard;
        self.play.made.iter_mut().for_each(Vec::clear);
        self.judge.pockets_doubted = true;
        self.judge.changed = true;
        let bfen = self.bfen();
        self.emit(Body::GameResumed(GameResumed { bfen, moves: self.play.history.len() }));
        self.resumed = Some(Resumed::of(self.play.game.len(), at));
    }
}

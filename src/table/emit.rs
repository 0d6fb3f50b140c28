//! Envelopes: numbering, stamping, and the parts of events that several places need.

use super::{DeviceIndex, Output, Table};
use crate::{
    event::{Body, DeviceState, Event, Feed, Move, Pocket, VERSION},
    notation::uci,
    rules::Game,
    sense::Side,
    track::Completed,
    types::{Instant, MS, Role, Seat},
};

impl Table {
    pub(super) fn emit(&mut self, body: Body) {
        let count = match body.feed() {
            Feed::Live => &mut self.seq,
            Feed::Arbiter => &mut self.incident,
        };
        let seq = *count;
        *count += 1;
        self.out.push_back(Output::Event(Event {
            v: VERSION,
            session: self.opening.session.clone(),
            table: self.settings.id.clone(),
            game: self.play.id.clone(),
            seq,
            t: self.now,
            time: self.time(self.now),
            body,
        }));
    }

    /// RFC 3339 in UTC with milliseconds.
    pub(super) fn time(&self, at: Instant) -> String {
        rfc3339(self.opening.started_us.saturating_add(at.micros()))
    }

    /// The millisecond of the start and the table name a game; of two within one millisecond the later is put off.
    pub(super) fn game_id(&mut self) -> String {
        self.named = self.now.max(self.named + MS);
        let time = self.time(self.named);
        let digits: String = time.chars().filter(|c| c.is_ascii_digit() || *c == 'T').collect();
        format!("{digits}-{}", self.settings.id)
    }

    /// The event of a move that is played in `game` now; what it captures and the position after it are to be added.
    pub(super) fn event_of(game: &Game, completed: &Completed, seat: Seat, written: &str) -> Move {
        let position = game.board(completed.board);
        let played = completed.played;
        Move {
            board: completed.board,
            seat,
            ply: position.plies() + 1,
            number: position.move_number(),
            san: written.to_owned(),
            uci: uci::write(played),
            from: played.from().map(|square| square.to_string()),
            to: uci::destination(played).to_string(),
            piece: played.role().of(seat.color).char(),
            captured: None,
            promotion: played.promotion().map(|role| role.of(seat.color).char()),
            clock: completed.clock,
            stands: !completed.illegal.is_empty(),
            bfen: String::new(),
            made_at: completed.made_at,
            completed_at: completed.completed_at,
        }
    }

    pub(super) fn emit_pocket(&mut self, seat: Seat, added: &[Role], removed: &[Role]) {
        let letters = |roles: &[Role]| roles.iter().map(|role| role.of(seat.color).char()).collect();
        let (pieces, in_transit) = self.play.ledger.letters(seat);
        let (added, removed) = (letters(added), letters(removed));
        self.emit(Body::Pocket(Pocket { seat, pieces, added, removed, in_transit }));
    }

    pub(super) fn device_state(&self, index: DeviceIndex) -> DeviceState {
        let wired = &self.sensors.devices[index];
        let unit = wired.settings.board.map(|board| &self.sensors.boards[board.index()]);
        let white = unit.and_then(|unit| unit.clock.as_ref()?.white()).filter(|_| wired.settings.clock);
        DeviceState {
            v: VERSION,
            session: self.opening.session.clone(),
            table: self.settings.id.clone(),
            t: self.now,
            time: self.time(self.now),
            device: wired.settings.name.clone(),
            driver: wired.settings.driver.as_str().into(),
            link: wired.device.speaks().state(),
            serial: wired.device.identity().serial.clone(),
            firmware: wired.device.identity().firmware.clone(),
            rotation: unit.and_then(|unit| unit.sense.turned()).map(|turned| if turned { 180 } else { 0 }),
            clock_white: white.map(|side| if side == Side::Left { "left".into() } else { "right".into() }),
            counters: wired.device.counters(),
        }
    }
}

/// Wall-clock microseconds since 1970 UTC as text; instants that no calendar has are written as the nearest it has.
fn rfc3339(micros: i64) -> String {
    let time = jiff::Timestamp::from_microsecond(micros).unwrap_or(jiff::Timestamp::MAX);
    format!("{time:.3}")
}

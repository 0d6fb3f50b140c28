//! Buttons at the table: what a player who presses one asks for.

use serde_json::json;

use crate::{
    event::Request,
    referee::{Draft, Entry, Grade, Kind},
    table::{DeviceIndex, Table},
    types::{Role, Seat},
    wire::bslp::Button,
};

impl Table {
    /// A button was pressed on a channel of a device.
    pub(in crate::table) fn button(&mut self, device: DeviceIndex, channel: u8, button: Button) {
        let Some(seat) = self.sensors.seat_of(device, channel).filter(|_| self.play.is_on()) else { return };
        match button {
            Button::Knight => self.declare(seat, Role::Knight),
            Button::Claim => self.claim_anything(seat),
            Button::Draw => self.press_button(seat, "draw-offer", json!({ "by": seat })),
            Button::Resign => self.press_button(seat, "resign", json!({ "by": seat })),
            Button::Arbiter => self.call_arbiter(seat, "button"),
        }
    }

    /// What the button asks for, as if the player had commanded it.
    fn press_button(&mut self, seat: Seat, verb: &str, data: serde_json::Value) {
        let request = Request { verb: verb.into(), data, transaction: None, by: Some(seat.to_string()) };
        self.judge.changed = true;
        if self.carry_out(&request).is_ok() {
            self.note(&request);
        }
    }

    /// A player claims without saying what: the weightiest thing that the player may claim now. If there is none, the
    /// arbiter is called: a button is pressed by accident too, and that is no wrong claim.
    fn claim_anything(&mut self, seat: Seat) {
        let may = |entry: &&Entry| entry.incident.claimable_by.contains(&seat) && entry.incident.grade != Grade::Note;
        let open = self.judge.referee.docket.open_entries().filter(may);
        let decisive = |entry: &&Entry| entry.incident.grade == Grade::Decisive;
        let kinds: Vec<(bool, Kind)> = open.map(|entry| (decisive(&entry), entry.kind)).collect();
        let found = kinds.iter().rev().find(|(decisive, _)| *decisive).or(kinds.last());
        match found.map(|(_, kind)| *kind) {
            Some(Kind::WrongClaim) => self.press_button(seat, "claim", json!({ "kind": "illegal-move", "by": seat })),
            Some(kind) => self.press_button(seat, "claim", json!({ "kind": kind.as_str(), "by": seat })),
            None => self.call_arbiter(seat, "claim"),
        }
    }

    fn call_arbiter(&mut self, seat: Seat, how: &str) {
        let draft = Draft::of(Kind::ArbiterCalled, seat, json!({ "by": how })).grade(Grade::Note);
        self.report(vec![draft]);
    }
}

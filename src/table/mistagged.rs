//! Wrongly tagged men: what boards and trays read becomes what stands there.
//!
//! In: readings of cells and slots; that all boards are set up. Out: the same readings with the men that read as others
//! put right, wherever they go.

use super::{DeviceIndex, Table};
use crate::{rules::Game, sense::Place, types::Kinds};

impl Table {
    /// What stands on a place that reads so.
    pub(super) fn truly(&mut self, place: Place, raw: Kinds) -> Kinds {
        let (kinds, retag) = self.sensors.mistagged.read(place, raw, self.now);
        if let Some(retag) = retag {
            self.retag(retag.place, retag.kinds);
        }
        kinds
    }

    /// A game begins with these positions on the boards: men that read otherwise are wrongly tagged.
    pub(super) fn find_mistagged(&mut self, game: &Game) {
        self.sensors.mistagged.forget();
        for board in game.ids() {
            let sense = &self.sensors.boards[board.index()].sense;
            let man = |field| Some((Place::Cell(board, field), sense.man_on(field, game.board(board))?));
            let men: Vec<_> = (0..64).filter_map(man).collect();
            self.sensors.mistagged.set_up(&men);
        }
        let told: Vec<_> = self.sensors.mistagged.told().collect();
        told.into_iter().for_each(|(place, kinds)| self.retag(place, kinds));
    }

    fn retag(&mut self, place: Place, kinds: Kinds) {
        match place {
            Place::Cell(board, field) => self.sensors.boards[board.index()].sense.retag(field, kinds),
            // A man is long gone from the board when it comes to a tray.
            Place::Slot(..) => {}
        }
    }

    /// One slot of a tray.
    pub(super) fn slot(&mut self, device: DeviceIndex, channel: u8, slot: u16, kinds: Kinds) {
        let Some(seat) = self.sensors.seat_of(device, channel) else { return };
        let kinds = self.truly(Place::Slot(seat, slot), kinds);
        self.tray(device, channel, |tray| tray.slot(slot, kinds));
    }

    /// All slots of a tray.
    pub(super) fn slots(&mut self, device: DeviceIndex, channel: u8, mut slots: Vec<Kinds>) {
        let Some(seat) = self.sensors.seat_of(device, channel) else { return };
        let known = self.sensors.trays.get(seat.index()).and_then(Option::as_ref).map_or(0, |tray| tray.slots().len());
        slots.resize(slots.len().max(known), Kinds::EMPTY);
        for (slot, kinds) in (0..).zip(&mut slots) {
            *kinds = self.truly(Place::Slot(seat, slot), *kinds);
        }
        self.tray(device, channel, |tray| tray.snapshot(slots));
    }
}

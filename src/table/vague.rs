//! Trays that feel only that something is there: what lies in them follows from the captures, and what was dropped from
//! what lay in them.
//!
//! In: slots that fill and empty, the record. Out: what the tracker goes by, drops of the record that were of another
//! kind, captures that took another man, and drops of which nobody can tell the kind.

use super::{
    DeviceIndex, Table,
    history::{self, Entry},
};
use crate::{
    rules::Move,
    track::{
        Completed, Revision,
        slots::{Captured, Dropped},
    },
    types::{BoardId, Color, Instant, Kinds, Role, Seat},
};

impl Table {
    /// A tray that feels only that something is there tells no pocket: the seat counts as one without a tray.
    pub(super) fn vague(&mut self, device: DeviceIndex) {
        let Some(wired) = self.sensors.devices.get(device) else { return };
        for seat in wired.settings.pockets.clone() {
            let index = seat.index();
            let (Some(tray), Some(slots)) = (self.sensors.trays.get_mut(index), self.sensors.vague.get_mut(index))
            else {
                continue;
            };
            *tray = None;
            slots.get_or_insert_default();
        }
    }

    /// Slots of a vague tray, from this one on.
    pub(super) fn vague_slots(&mut self, device: DeviceIndex, channel: u8, first: u16, kinds: &[Kinds]) {
        let Some(seat) = self.sensors.seat_of(device, channel) else { return };
        let Some(Some(slots)) = self.sensors.vague.get_mut(seat.index()) else { return };
        let mut changed = false;
        for (slot, kinds) in (first..=u16::MAX).zip(kinds) {
            changed |= slots.slot(slot, *kinds, self.now);
        }
        if changed && self.play.is_on() {
            self.observe(seat.board);
            self.settle();
        }
    }

    /// Tells the vague trays of a board what was captured for them and what was dropped.
    pub(super) fn tell_vague(&mut self, board: BoardId) {
        for seat in Color::ALL.map(|color| board.seat(color)) {
            if !matches!(self.sensors.vague.get(seat.index()), Some(Some(_))) {
                continue;
            }
            let (captures, drops) = (self.captured_for(seat), self.dropped_by(seat));
            let coming = self.play.tracker.coming(&self.play.game, seat);
            if let Some(Some(slots)) = self.sensors.vague.get_mut(seat.index()) {
                slots.record(captures, drops);
                slots.coming(coming);
                let kinds = slots.kinds();
                let drops: Vec<usize> = self.drops(seat).map(|drop| drop.0).collect();
                self.play.tracker.tell_kinds(board, drops.into_iter().zip(kinds));
            }
        }
    }

    /// What was captured for a seat, by the record; what its pocket held before comes first.
    fn captured_for(&self, seat: Seat) -> Vec<Captured> {
        let count = self.play.game.len();
        let to = |by: Seat| by.partners(count).next() == Some(seat);
        let (first, long_ago) = (*self.play.origin.board(seat.board).pocket(seat.color), Instant::LONG_AGO);
        let held = Role::ALL.into_iter().flat_map(|role| std::iter::repeat_n(role, usize::from(*first.get(role))));
        let held = held.map(|role| Captured::certain(role, long_ago, Some(long_ago)));
        let mut plies = vec![0; count];
        let captures = self.play.history.iter().filter_map(|entry| {
            let board = entry.event.board;
            let index = plies[board.index()];
            plies[board.index()] += 1;
            let captured = entry.event.captured.filter(|_| to(entry.event.seat))?;
            let role = Role::from_char(captured.to_ascii_lowercase())?;
            let kinds = self.play.tracker.kinds_of_captured(board, index);
            let (made_at, completed_at) = (entry.completed.made_at, Some(entry.completed.completed_at));
            let certain = Captured::certain(role, made_at, completed_at);
            let kinds = certain.kinds.zip(kinds).map(|(known, other)| known || other);
            let might = self.play.tracker.might_have_captured(board, index);
            let might = kinds.zip(might).map(|(known, other)| known || other);
            let several = might.into_iter().filter(|might| *might).count() > 1;
            Some(Captured { kinds, might, ply: several.then_some((board, index)), ..certain })
        });
        held.chain(captures).collect()
    }

    /// What a seat dropped, by the record.
    fn dropped_by(&self, seat: Seat) -> Vec<Dropped> {
        let plies = self.drops(seat);
        let dropped = plies.map(|(index, entry, role)| {
            let kinds = self.play.tracker.kinds_of_drop(seat.board, index);
            Dropped { role, kinds, made_at: entry.completed.made_at }
        });
        dropped.collect()
    }

    /// The drops of a seat with their indices on the board and the kinds of the men.
    fn drops(&self, seat: Seat) -> impl Iterator<Item = (usize, &Entry, Role)> {
        let plies = self.plies_of(seat.board).enumerate();
        plies.filter(move |(_, entry)| entry.event.seat == seat).filter_map(|(index, entry)| {
            let Move::Put { role, .. } = entry.completed.played else { return None };
            Some((index, entry, role))
        })
    }

    /// Tells which drops may have been of other kinds by what lay in the trays, and which are certain again.
    pub(super) fn tell_unsure_drops(&mut self) {
        for board in self.play.game.ids() {
            for (index, others) in self.play.tracker.unsure_drops(board, self.now) {
                let Some(completed) = self.plies_of(board).nth(index).map(|entry| entry.completed.clone()) else {
                    continue;
                };
                let before = self.game_before(board, index);
                let candidates = history::candidates(&before, &Completed { rivals: others, ..completed });
                match candidates.is_empty() {
                    true => self.tell_certain(board, index),
                    false => self.tell_rivals(board, before.board(board).plies() + 1, candidates),
                }
            }
        }
    }

    /// Captures of other men than was thought, by how the men moved that partners dropped.
    fn recapture(&mut self) -> Option<Revision> {
        for board in self.play.game.ids() {
            for seat in Color::ALL.map(|color| board.seat(color)) {
                let Some(Some(slots)) = self.sensors.vague.get(seat.index()) else { continue };
                for mistaken in slots.mistaken().to_vec() {
                    let seen = super::play::seen(&self.sensors, &self.play.game, &self.play.ledger, mistaken.0);
                    let revision = self.play.tracker.recapture(&self.play.game, mistaken, &seen);
                    if revision.is_some() {
                        return revision;
                    }
                    self.tell_vague(board);
                }
            }
        }
        None
    }

    /// Drops of men that were of another kind, by what lay in the trays, and captures of other men that follow.
    pub(super) fn rename_drops(&mut self) -> Option<Revision> {
        if let Some(revision) = self.recapture() {
            return Some(revision);
        }
        for board in self.play.game.ids() {
            let mut names = Vec::new();
            for seat in Color::ALL.map(|color| board.seat(color)) {
                let Some(Some(slots)) = self.sensors.vague.get(seat.index()) else { continue };
                let misnamed = slots.misnamed();
                let drops: Vec<usize> =
                    if misnamed.is_empty() { Vec::new() } else { self.drops(seat).map(|drop| drop.0).collect() };
                names.extend(misnamed.iter().filter_map(|(nth, role)| Some((*drops.get(*nth)?, *role))));
            }
            if names.is_empty() {
                continue;
            }
            let seen = super::play::seen(&self.sensors, &self.play.game, &self.play.ledger, board);
            let revision = self.play.tracker.rename(&self.play.game, board, &names, &seen);
            if revision.is_some() {
                return revision;
            }
        }
        None
    }
}

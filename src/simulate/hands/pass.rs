//! What becomes of a captured man: it goes to the partner's tray, sooner or later, or straight into a hand.

use rand::{Rng, seq::IndexedRandom};

use crate::{
    simulate::world::Action,
    types::{Instant, MS, Piece, Role, Seat},
};

use super::{Hands, Held, Timing, habit::Habit, motion::Motion, profile::draw};

/// From the man in the hand to the tray beside, at least.
pub(super) const REACH: i64 = 150 * MS;

impl Hands<'_> {
    /// The captured man of a ply goes over.
    pub(super) fn pass(&mut self, index: usize, motion: &mut Motion, timing: &Timing) {
        let Some((man, lifted)) = motion.captured else { return };
        let ply = &self.plies[index];
        let partner = ply.seat.partners(self.boards.len()).next();
        let Some(partner) = partner.filter(|partner| partner.color == man.color && man.role != Role::King) else {
            return self.act(timing.press, Action::Away(man)); // nobody can use it
        };
        let lifted = timing.first + lifted;
        if self.drops_next(index, partner, man) && self.shows(Habit::Direct) {
            let at = lifted + draw(&mut self.rng, &(200..=700));
            // Until it is dropped nobody sees it in the pocket.
            self.allow("not-passed", ply, timing.press);
            return self.players[partner.index()].held.push(Held { man, since: at, hidden: false });
        }
        let room = timing.press - lifted - REACH;
        let at = if room > 0 && self.shows(Habit::EarlyPass) {
            motion.tags.push(Habit::EarlyPass.name());
            let at = lifted + REACH + self.rng.random_range(0..room);
            self.allow("early-pass", ply, at);
            at
        } else if self.shows(Habit::LatePass) {
            motion.tags.push(Habit::LatePass.name());
            let at = timing.press + draw(&mut self.rng, &(2000..=7000));
            self.allow("not-passed", ply, timing.press);
            self.allow("not-passed", ply, at);
            at
        } else {
            let at = timing.press + self.draw(|profile| &profile.pass);
            self.players[ply.seat.index()].busy = at;
            at
        };
        if let Some(slot) = self.free_slot(partner, at) {
            self.act(at, Action::PlaceSlot(partner, slot, man));
        }
    }

    /// Whether a seat's next move drops such a man and its tray has none.
    fn drops_next(&self, index: usize, seat: Seat, man: Piece) -> bool {
        let next = self.plies[index + 1..].iter().find(|ply| ply.seat == seat);
        next.is_some_and(|next| next.from.is_none() && next.man == man) && !self.world.tray(seat).contains(&Some(man))
    }

    /// A slot that is empty from `at` on.
    pub(super) fn free_slot(&mut self, seat: Seat, at: Instant) -> Option<usize> {
        let tray = self.world.tray(seat);
        let free = |slot: &usize| tray[*slot].is_none() && self.marks.slot(seat, *slot) < at;
        let free: Vec<usize> = (0..tray.len()).filter(free).collect();
        match self.shows(Habit::Scatter) {
            true => free.choose(&mut self.rng).copied(),
            false => free.first().copied(),
        }
    }
}

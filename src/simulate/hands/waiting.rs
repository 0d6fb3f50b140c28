//! What players do while the opponent thinks: men adjusted, pockets tidied, moves tried too early and taken back.

use rand::{Rng, seq::IndexedRandom};

use crate::{
    simulate::{offence::Offence, world::Action},
    types::{Instant, MS, Piece, Seat, Square},
};

use super::{
    Hands, Ply, Timing,
    habit::Habit,
    motion::{Motion, targets},
    profile::draw,
};

/// How long before the opponent's move a premove stands that is an offence.
const EARLY: i64 = 1300 * MS;
/// Less time is not worth it.
const WORTH: i64 = 800 * MS;

impl Hands<'_> {
    /// The opponent of the mover has nothing to do until the move comes.
    pub(super) fn while_waiting(&mut self, ply: &Ply, timing: &Timing, motion: &mut Motion) {
        let seat = ply.seat.opponent();
        let begin = self.boards[seat.board.index()].since.max(self.players[seat.index()].busy) + 100 * MS;
        if timing.first - begin < WORTH {
            return;
        }
        if self.forced == Some(Habit::PremoveBack) {
            return self.premove_back(ply, begin, timing, motion);
        }
        let at = begin + self.rng.random_range(0..(timing.first - begin) / 2);
        if self.shows(Habit::AdjustWaiting) {
            self.adjust(seat, at, timing.first, motion);
        } else if self.shows(Habit::Shuffle) {
            self.shuffle(seat, at, motion);
        } else if self.shows(Habit::PremoveBack) {
            self.premove_back(ply, at, timing, motion);
        }
    }

    /// A man of a seat that nobody touches between two instants.
    pub(super) fn idle_man(&mut self, seat: Seat, from: Instant) -> Option<(Square, Piece)> {
        let men = Square::ALL.into_iter().filter_map(|square| Some((square, self.world.at(seat.board, square)?)));
        let idle = men
            .filter(|(square, man)| man.color == seat.color && self.marks.square(seat.board, *square) + 50 * MS < from);
        idle.collect::<Vec<_>>().choose(&mut self.rng).copied()
    }

    fn adjust(&mut self, seat: Seat, at: Instant, end: Instant, motion: &mut Motion) {
        let Some((square, man)) = self.idle_man(seat, at) else { return };
        let back = at + draw(&mut self.rng, &(100..=400));
        if back + 50 * MS < end {
            motion.tags.push(Habit::AdjustWaiting.name());
            self.act(at, Action::Lift(seat.board, square));
            self.act(back, Action::Place(seat.board, square, man));
        }
    }

    fn shuffle(&mut self, seat: Seat, at: Instant, motion: &mut Motion) {
        let tray = self.world.tray(seat);
        let idle = |slot: &usize| tray[*slot].is_some() && self.marks.slot(seat, *slot) + 100 * MS < at;
        let idle: Vec<usize> = (0..tray.len()).filter(idle).collect();
        let Some((slot, man)) = idle.choose(&mut self.rng).and_then(|slot| Some((*slot, tray[*slot]?))) else { return };
        let down = at + draw(&mut self.rng, &(150..=600));
        let Some(free) = self.free_slot(seat, at).filter(|free| *free != slot) else { return };
        motion.tags.push(Habit::Shuffle.name());
        self.act(at, Action::LiftSlot(seat, slot));
        self.act(down, Action::PlaceSlot(seat, free, man));
        self.players[seat.index()].busy = down;
    }

    /// A move is made before the opponent's and taken back before or after the press.
    fn premove_back(&mut self, ply: &Ply, at: Instant, timing: &Timing, motion: &mut Motion) {
        let seat = ply.seat.opponent();
        let Some((from, man)) = self.idle_man(seat, at) else { return };
        let needed = |square: Square| {
            let board = seat.board;
            let touches = motion.touches.iter().chain(&motion.after);
            ply.touches(square)
                || touches.into_iter().any(|(_, action)| match *action {
                    Action::Lift(_, touched) | Action::Place(_, touched, _) | Action::Lay(_, touched, _) => {
                        touched == square
                    }
                    _ => false,
                })
                || self.marks.square(board, square) >= at
        };
        let free = targets(&self.world, seat.board, from).into_iter();
        // An offence is one that cannot be taken for a knocked man, and stands while the opponent thinks.
        let forced = self.forced == Some(Habit::PremoveBack);
        let fits = |to: &Square| !forced || from.distance(*to) > 1;
        let free = free.filter(|to| self.world.free(seat.board, *to) && !needed(*to) && fits(to));
        let free: Vec<Square> = free.collect();
        let Some(to) = free.choose(&mut self.rng).copied().filter(|_| !needed(from)) else { return };
        let (way, back) = (draw(&mut self.rng, &(200..=500)), draw(&mut self.rng, &(150..=400)));
        let taken = if self.rng.random() { timing.press } else { at + way } + draw(&mut self.rng, &(150..=900));
        let taken = if forced { timing.press + draw(&mut self.rng, &(150..=900)) } else { taken };
        if forced && timing.first + motion.made - at - way < EARLY {
            return;
        }
        motion.tags.push(Habit::PremoveBack.name());
        match forced {
            true => self.offended(Offence::Premove.kind(), "", seat, at + way),
            false => self.allow("premove", ply, at),
        }
        self.act(at, Action::Lift(seat.board, from));
        self.act(at + way, Action::Place(seat.board, to, man));
        self.act(taken, Action::Lift(seat.board, to));
        self.act(taken + back, Action::Place(seat.board, from, man));
        self.players[seat.index()].busy = taken + back;
    }
}

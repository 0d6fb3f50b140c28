//! The way of a man that is in the hand: over other squares, not always straight, down on its own.

use rand::{Rng, seq::IndexedRandom};
use shakmaty::attacks;

use crate::{
    rules::Reason,
    simulate::world::{Action, Step},
    types::{Instant, Piece, Role, Square},
};

use super::{
    habit::{Habit, OF},
    motion::{Hand, targets},
    profile::{Millis, draw},
};

/// How long after the press a player says what a pawn becomes who has not said it before, in ms.
const SAID_LATE: Millis = 200..=1500;

impl Hand<'_> {
    /// Brings a man that is in the hand to its square, with detours.
    pub(super) fn land(&mut self, from: Option<Square>, man: Piece) {
        let to = self.ply.to;
        let mut hand = from;
        if let Some(from) = from {
            self.slide(from, to, man);
        }
        if self.shows(Habit::Hesitate)
            && let Some(square) = self.other_target(from)
        {
            self.tag(Habit::Hesitate);
            self.rest(hand, square, man, 150..=900);
            hand = Some(square);
        }
        if self.shows(Habit::Hover) {
            for _ in 0..self.rng.random_range(1..=3) {
                let Some(square) = self.free_beside(to) else { break };
                self.tag(Habit::Hover);
                self.rest(hand, square, man, 15..=80);
                hand = Some(square);
            }
        }
        if self.shows(Habit::WrongSquare)
            && let Some(square) = self.free_beside(to)
        {
            self.tag(Habit::WrongSquare);
            self.rest(hand, square, man, 200..=700);
            hand = Some(square);
        }
        let way = self.way(hand, to);
        self.come_down(way, man);
    }

    /// The man comes down on its square, as what it has become.
    fn come_down(&mut self, way: i64, man: Piece) {
        let to = self.ply.to;
        let Some(role) = self.ply.promotion else { return self.place(way, to, man) };
        if self.ply.illegal == Some(Reason::PromotionPiece) || self.shows(Habit::Swapped) {
            self.tag(Habit::Swapped);
            if self.spoken && self.ply.illegal.is_none() {
                self.say(role);
            }
            let real = Piece { role, ..man };
            if self.rng.random() {
                let exchange = self.draw(300..=1500);
                self.place(way, to, man);
                self.lift(exchange, to);
            }
            let way = self.way(None, to);
            self.place(way, to, real);
            return self.touch(0, Action::Away(man));
        }
        self.say(role);
        match self.shows(Habit::Laid) {
            true => {
                self.tag(Habit::Laid);
                self.touch(way, Action::Lay(self.board, to, man));
            }
            false => self.place(way, to, man),
        }
    }

    /// The player says what the pawn becomes, if the laws want it said.
    fn say(&mut self, role: Role) {
        if self.ply.declared {
            let late = self.said_late();
            self.motion.said = Some((role, late));
        }
    }

    /// How long after the press the player says what the pawn becomes, if not before. Drawn aside: what hands do is the
    /// same whatever is said.
    fn said_late(&mut self) -> Option<i64> {
        let mut aside = self.rng.clone();
        aside.set_stream(aside.get_stream().wrapping_add(1));
        if !aside.random_ratio(u32::from(self.profile.rates.of(Habit::SaidLate)), u32::from(OF)) {
            return None;
        }
        self.tag(Habit::SaidLate);
        Some(draw(&mut aside, &SAID_LATE))
    }

    /// Drags a man that is in the hand over the free squares between.
    pub(super) fn slide(&mut self, from: Square, to: Square, man: Piece) {
        let between = attacks::between(from, to).into_iter();
        let mut squares: Vec<_> = between.filter(|square| self.world.free(self.board, *square)).collect();
        if squares.is_empty() || !self.shows(Habit::Slide) {
            return;
        }
        squares.sort_by_key(|square| from.distance(*square));
        self.tag(Habit::Slide);
        let pause = self.shows(Habit::Pause).then(|| self.rng.random_range(0..squares.len()));
        for (index, square) in squares.into_iter().enumerate() {
            let rests = if pause == Some(index) { 100..=400 } else { 15..=120 };
            if pause == Some(index) {
                self.tag(Habit::Pause);
            }
            let (gap, rest) = (self.draw(10..=40), self.draw(rests));
            self.place(gap, square, man);
            self.lift(rest, square);
        }
    }

    /// A free square that the man in the hand could be meant for: another than the move's.
    fn other_target(&mut self, from: Option<Square>) -> Option<Square> {
        let squares = match from {
            None => Square::ALL.to_vec(),
            Some(from) => {
                let mut world = self.world.clone();
                world.apply(Step { at: Instant::ZERO, action: Action::Place(self.board, from, self.ply.man) });
                targets(&world, self.board, from)
            }
        };
        let free = squares.into_iter().filter(|to| !self.ply.touches(*to) && self.world.free(self.board, *to));
        free.collect::<Vec<_>>().choose(self.rng).copied()
    }
}

//! Touches around a move that are no part of it: men adjusted, knocked over, put right, moves taken back.

use rand::{Rng, seq::IndexedRandom};
use shakmaty::attacks;

use crate::types::{Piece, Square};

use super::{
    habit::{Habit, OF},
    motion::{Displaced, Hand, targets},
};

impl Hand<'_> {
    /// A man that stood beside its square comes home.
    pub(super) fn put_right(&mut self, displaced: &Displaced) {
        let Some(man) = self.world.at(self.board, displaced.stands) else { return };
        let (gap, way) = (self.between(), self.way(Some(displaced.stands), displaced.home));
        self.lift(gap, displaced.stands);
        self.place(way, displaced.home, man);
    }

    pub(super) fn adjust_before(&mut self) {
        let (own, other) = (self.ply.seat.color, self.ply.seat.color.other());
        for (habit, color, most) in
            [(Habit::Adjust, own, 1), (Habit::AdjustOther, other, 1), (Habit::AdjustSeveral, own, 4)]
        {
            if !self.shows(habit) {
                continue;
            }
            self.tag(habit);
            for _ in 0..self.rng.random_range(1.max(most / 2)..=most) {
                let men = self.men(color);
                let Some((square, man)) = men.choose(self.rng).copied() else { continue };
                let (gap, up) = (self.between(), self.draw(80..=350));
                self.lift(gap, square);
                self.place(up, square, man);
            }
        }
    }

    pub(super) fn adjust_after(&mut self) {
        let to = self.ply.to;
        let Some(man) = self.world.at(self.board, to) else { return };
        if self.shows(Habit::AdjustAfter) {
            self.tag(Habit::AdjustAfter);
            let (gap, up) = (self.draw(60..=250), self.draw(60..=250));
            self.lift(gap, to);
            self.place(up, to, man);
        }
    }

    /// Another move is made, rests, and is taken back.
    pub(super) fn take_back(&mut self) {
        if !self.shows(Habit::TakeBack) {
            return;
        }
        let own: Vec<Square> = self.men(self.ply.seat.color).into_iter().map(|(square, _)| square).collect();
        let same = self.ply.from.filter(|_| self.rng.random());
        let Some(from) = same.or_else(|| own.choose(self.rng).copied()) else { return };
        let others = targets(&self.world, self.board, from).into_iter().filter(|to| *to != self.ply.to);
        let Some(to) = others.collect::<Vec<_>>().choose(self.rng).copied() else { return };
        self.go_and_return(Habit::TakeBack, from, to);
    }

    /// A man is put where it may not go; its player sees it and takes it back. Drawn aside: who does not do it does
    /// all else the same.
    pub(super) fn take_back_illegal(&mut self) {
        let mut aside = self.rng.clone();
        aside.set_stream(aside.get_stream().wrapping_add(2));
        if !aside.random_ratio(u32::from(self.profile.rates.of(Habit::IllegalBack)), u32::from(OF)) {
            return;
        }
        let Some((from, _)) = self.men(self.ply.seat.color).choose(&mut aside).copied() else { return };
        let goes = targets(&self.world, self.board, from);
        let free = |to: &Square| self.world.free(self.board, *to) && !self.ply.touches(*to) && !goes.contains(to);
        let squares: Vec<Square> = Square::ALL.into_iter().filter(free).collect();
        if let Some(to) = squares.choose(&mut aside) {
            self.go_and_return(Habit::IllegalBack, from, *to);
        }
    }

    /// A man goes to a square, rests there and comes back, and so does one that it takes.
    fn go_and_return(&mut self, habit: Habit, from: Square, to: Square) {
        let (Some(man), victim) = (self.world.at(self.board, from), self.world.at(self.board, to)) else { return };
        self.tag(habit);
        let gap = self.between();
        self.lift(gap, from);
        if victim.is_some() {
            let gap = self.between();
            self.lift(gap, to);
        }
        self.rest(Some(from), to, man, 250..=1200);
        let way = self.way(Some(to), from);
        self.place(way, from, man);
        if let Some(victim) = victim {
            let gap = self.between();
            self.place(gap, to, victim);
        }
    }

    /// Men beside fall and are restored, before or after the press, or not quite.
    pub(super) fn knock(&mut self) {
        let habits = [Habit::Displaced, Habit::KnockWrong, Habit::Knock];
        let Some(habit) = habits.into_iter().find(|habit| self.shows(*habit)) else { return };
        let beside = attacks::king_attacks(self.ply.to).into_iter().filter(|square| !self.ply.touches(*square));
        let standing = beside.filter_map(|square| Some((square, self.world.at(self.board, square)?)));
        let standing: Vec<_> = standing.collect();
        let count = if habit == Habit::Knock { self.rng.random_range(1..=2) } else { 1 };
        let fallen: Vec<_> = standing.choose_multiple(self.rng, count).copied().collect();
        if fallen.is_empty() {
            return;
        }
        self.tag(habit);
        for (square, _) in &fallen {
            let gap = self.draw(0..=40);
            self.lift(gap, *square);
        }
        let later = self.rng.random_ratio(3, 10) && !self.neglects();
        let begun = (self.motion.touches.len(), self.now);
        for (square, man) in fallen {
            self.restore(habit, square, man);
        }
        if later {
            let put = self.motion.touches.split_off(begun.0);
            self.motion.after = put.into_iter().map(|(at, action)| (at - begun.1, action)).collect();
            self.now = begun.1;
        }
    }

    /// Whether a displaced man is an offence and not a habit.
    fn neglects(&self) -> bool {
        self.profile.rates.of(Habit::Displaced) == OF
    }

    fn restore(&mut self, habit: Habit, square: Square, man: Piece) {
        let gap = self.draw(250..=900);
        let wrong = self.free_beside(square).filter(|_| habit != Habit::Knock);
        match (wrong, habit) {
            (Some(wrong), Habit::Displaced) => {
                let plies = self.rng.random_range(if self.neglects() { 6..=9 } else { 1..=6 });
                self.place(gap, wrong, man);
                let board = self.board;
                self.motion.displaced.push(Displaced { board, home: square, stands: wrong, plies, offence: None });
            }
            (Some(wrong), _) => {
                let (rest, back) = (self.draw(300..=1200), self.draw(80..=300));
                self.place(gap, wrong, man);
                self.lift(rest, wrong);
                self.place(back, square, man);
            }
            (None, _) => self.place(gap, square, man),
        }
    }
}

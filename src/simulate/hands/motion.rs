//! One move as a chain of touches: what is lifted and put down in which order, and when after the first touch.
//!
//! In: the ply and the men as they physically stand. Out: a [`Motion`]. Whether the move is legal was decided
//! elsewhere; when the motion begins is decided by whoever asked for it.

use rand::{Rng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use shakmaty::attacks;

use crate::{
    simulate::{
        offence::Offence,
        world::{Action, Step, World},
    },
    types::{BoardId, Instant, MS, Piece, Role, Seat, Square},
};

use super::{
    Ply,
    habit::{Habit, OF},
    profile::{Millis, Profile, draw},
};

/// Width of a square in mm.
const SQUARE_MM: i64 = 55;
/// From a tray or another hand to a square in mm.
const REACH_MM: i64 = 250;
/// For how long a square is empty on which a man replaces another in one motion: bases are too wide for both, in ms.
const EXCHANGE: Millis = 40..=120;
/// How long after the press a rook jumps against the laws, so that clocks and boards, read in turn, show it, in ms.
const ROOK_LATER: Millis = 800..=1600;
/// A capture with the victim taken away first, the way that is no habit.
const VICTIM_FIRST: &str = "victim-first";
/// Castling as the laws say.
const KING_FIRST: &str = "king-first";

/// A man that stands beside its square for some plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Displaced {
    pub board: BoardId,
    /// Where it belongs.
    pub home: Square,
    /// Where it stands.
    pub stands: Square,
    /// Plies until somebody sees it.
    pub plies: u32,
    /// If that is an offence: the ply that left it there, and its press.
    pub offence: Option<(u32, Instant)>,
}

/// A chain of touches.
#[derive(Clone, Debug, Default)]
pub struct Motion {
    /// µs after the first touch, and the touch.
    pub touches: Vec<(i64, Action)>,
    /// µs from the first touch to the last man of the move coming down.
    pub made: i64,
    /// µs after the press, and the touch: what is put right only then.
    pub after: Vec<(i64, Action)>,
    /// The man that goes over, and µs from the first touch until it is in the hand.
    pub captured: Option<(Piece, i64)>,
    /// What the player says that the pawn becomes, with the first touch, or so many µs after the press.
    pub said: Option<(Role, Option<i64>)>,
    /// The tray slot that it empties.
    pub from_slot: Option<usize>,
    /// Men that it leaves beside their squares.
    pub displaced: Vec<Displaced>,
    /// Names of the habits that it shows.
    pub tags: Vec<&'static str>,
}

impl Motion {
    /// From the first touch to the last before the press in µs.
    pub fn duration(&self) -> i64 {
        self.touches.last().map_or(0, |(at, _)| *at)
    }
}

/// What a hand finds on the table.
pub struct Scene<'a> {
    /// The men.
    pub world: &'a World,
    /// Men that are put right before the move.
    pub put_right: &'a [Displaced],
    /// What is taken is a man that stands for a promoted pawn: a pawn goes over.
    pub victim_is_pawn: bool,
    /// Where a dropped man comes from; none: from a hand.
    pub slot: Option<usize>,
    /// No man stands beside its square already.
    pub tidy: bool,
    /// The rook jumps only after the press, against the laws.
    pub rook_later: bool,
    /// What is exchanged for a pawn is also said.
    pub spoken: bool,
}

/// The motion of one ply in a world where it was not made yet.
pub fn motion(ply: &Ply, scene: &Scene<'_>, profile: &Profile, rng: &mut ChaCha8Rng) -> Motion {
    let mut hand = Hand {
        ply,
        board: ply.seat.board,
        world: scene.world.clone(),
        profile,
        rng,
        motion: Motion { from_slot: scene.slot, ..Motion::default() },
        now: 0,
        spoken: scene.spoken,
    };
    scene.put_right.iter().for_each(|displaced| hand.put_right(displaced));
    hand.adjust_before();
    hand.take_back();
    hand.take_back_illegal();
    match (ply.from, ply.rook) {
        (None, _) => hand.drop_man(scene.slot),
        (Some(from), Some(rook)) if scene.rook_later => hand.castle_in_parts(from, rook),
        (Some(from), Some(rook)) => hand.castle(from, rook),
        (Some(from), None) => hand.walk(from, scene.victim_is_pawn),
    }
    hand.make_second_move();
    hand.motion.made = hand.now;
    hand.adjust_after();
    if scene.tidy && hand.motion.after.is_empty() {
        hand.knock();
    }
    hand.motion
}

/// Squares that such a man could go to if nobody asked for the king: its moves and captures.
pub fn targets(world: &World, board: BoardId, from: Square) -> Vec<Square> {
    let Some(man) = world.at(board, from) else { return Vec::new() };
    let occupied = Square::ALL.into_iter().filter(|square| !world.free(board, *square)).collect();
    let takes = |square: &Square| {
        let other = world.at(board, *square);
        other.is_some_and(|other| other.color != man.color && other.role != Role::King)
    };
    let free = |square: &Square| world.free(board, *square);
    let reached = attacks::attacks(from, man, occupied).into_iter();
    if man.role != Role::Pawn {
        return reached.filter(|square| free(square) || takes(square)).collect();
    }
    let step = man.color.fold_wb(8, -8);
    let (one, two) = (from.offset(step).filter(free), from.offset(2 * step).filter(free));
    let home = from.rank() == man.color.fold_wb(shakmaty::Rank::Second, shakmaty::Rank::Seventh);
    reached.filter(takes).chain(one).chain(one.and(two).filter(|_| home)).collect()
}

/// The slot of a seat's tray in which such a man lies.
pub fn slot_of(world: &World, seat: Seat, man: Piece) -> Option<usize> {
    world.tray(seat).iter().position(|slot| *slot == Some(man))
}

/// The hand that makes a move.
pub(super) struct Hand<'a> {
    pub(super) ply: &'a Ply,
    pub(super) board: BoardId,
    /// The table after all touches so far.
    pub(super) world: World,
    pub(super) profile: &'a Profile,
    pub(super) rng: &'a mut ChaCha8Rng,
    pub(super) motion: Motion,
    /// µs after the first touch.
    pub(super) now: i64,
    /// What is exchanged for a pawn is also said.
    pub(super) spoken: bool,
}

impl Hand<'_> {
    pub(super) fn touch(&mut self, gap: i64, action: Action) {
        if !self.motion.touches.is_empty() {
            self.now += gap;
        }
        self.world.apply(Step { at: Instant::ZERO, action });
        self.motion.touches.push((self.now, action));
    }

    pub(super) fn draw(&mut self, range: Millis) -> i64 {
        draw(self.rng, &range)
    }

    pub(super) fn between(&mut self) -> i64 {
        draw(self.rng, &self.profile.between)
    }

    /// Whether a habit shows.
    pub(super) fn shows(&mut self, habit: Habit) -> bool {
        self.rng.random_ratio(u32::from(self.profile.rates.of(habit)), u32::from(OF))
    }

    pub(super) fn tag(&mut self, habit: Habit) {
        self.tag_as(habit.name());
    }

    pub(super) fn tag_as(&mut self, name: &'static str) {
        if !self.motion.tags.contains(&name) {
            self.motion.tags.push(name);
        }
    }

    /// µs of a man's way to a square.
    pub(super) fn way(&mut self, from: Option<Square>, to: Square) -> i64 {
        let mm = from.map_or(REACH_MM, |from| {
            let (files, ranks) = (from.file() as i64 - to.file() as i64, from.rank() as i64 - to.rank() as i64);
            (SQUARE_MM * SQUARE_MM * (files * files + ranks * ranks)).isqrt()
        });
        draw(self.rng, &self.profile.grip) + mm * 100 * MS / self.rng.random_range(self.profile.speed.clone())
    }

    pub(super) fn lift(&mut self, gap: i64, square: Square) {
        self.touch(gap, Action::Lift(self.board, square));
    }

    pub(super) fn place(&mut self, gap: i64, square: Square, man: Piece) {
        self.touch(gap, Action::Place(self.board, square, man));
    }

    /// Puts a man on a square for a while.
    pub(super) fn rest(&mut self, from: Option<Square>, square: Square, man: Piece, while_ms: Millis) {
        let (way, rest) = (self.way(from, square), self.draw(while_ms));
        self.place(way, square, man);
        self.lift(rest, square);
    }

    /// A free square beside another that the move does not need.
    pub(super) fn free_beside(&mut self, square: Square) -> Option<Square> {
        let beside = attacks::king_attacks(square).into_iter();
        let free = beside.filter(|beside| self.world.free(self.board, *beside) && !self.ply.touches(*beside));
        free.collect::<Vec<_>>().choose(self.rng).copied()
    }

    pub(super) fn men(&self, color: crate::types::Color) -> Vec<(Square, Piece)> {
        let all = Square::ALL.into_iter().filter_map(|square| Some((square, self.world.at(self.board, square)?)));
        all.filter(|(_, man)| man.color == color).collect()
    }

    pub(super) fn drop_man(&mut self, slot: Option<usize>) {
        if let Some(slot) = slot {
            self.touch(0, Action::LiftSlot(self.ply.seat, slot));
        }
        self.land(None, self.ply.man);
    }

    pub(super) fn castle(&mut self, king_from: Square, (rook_from, rook_to): (Square, Square)) {
        let (king, to) = (self.ply.man, self.ply.to);
        let rook = self.world.at(self.board, rook_from).unwrap_or(Piece { color: king.color, role: Role::Rook });
        if self.shows(Habit::BothHands) {
            self.tag(Habit::BothHands);
            let gap = self.draw(0..=120);
            self.lift(0, king_from);
            self.lift(gap, rook_from);
            let mut both = [(king_from, to, king), (rook_from, rook_to, rook)];
            if self.rng.random() {
                both.reverse();
            }
            let (way, gap) = (self.way(Some(both[0].0), both[0].1), self.draw(0..=200));
            self.place(way, both[0].1, both[0].2);
            self.place(gap, both[1].1, both[1].2);
            return;
        }
        let mut steps = [(king_from, to, king), (rook_from, rook_to, rook)];
        match self.shows(Habit::RookFirst) {
            true => {
                self.tag(Habit::RookFirst);
                steps.reverse();
            }
            false => self.tag_as(KING_FIRST),
        }
        for (from, to, man) in steps {
            let gap = self.between();
            self.lift(gap, from);
            self.slide(from, to, man);
            let way = self.way(Some(from), to);
            self.place(way, to, man);
        }
    }

    /// The captured man leaves its square just before the other one comes down, which is one of the touches from this
    /// one on: no square has room for both.
    fn make_room(&mut self, begun: usize) {
        let (board, to) = (self.board, self.ply.to);
        let exchange = self.draw(EXCHANGE);
        let lands = |action: &Action| match action {
            Action::Place(_, square, _) | Action::Lay(_, square, _) => *square == to,
            _ => false,
        };
        let landing = self.motion.touches[begun..].iter().position(|(_, action)| lands(action));
        let Some(index) = landing.map(|landing| begun + landing) else { return };
        let before = self.motion.touches[..index].last().map_or(0, |(at, _)| *at);
        let at = before.max(self.motion.touches[index].0 - exchange);
        self.motion.touches.insert(index, (at, Action::Lift(board, to)));
    }

    /// The king, the press, the rook.
    fn castle_in_parts(&mut self, king_from: Square, (rook_from, rook_to): (Square, Square)) {
        let (king, to) = (self.ply.man, self.ply.to);
        let Some(rook) = self.world.at(self.board, rook_from) else { return };
        self.tag_as(Offence::IncompleteCastling.kind());
        self.lift(0, king_from);
        let way = self.way(Some(king_from), to);
        self.place(way, to, king);
        let (gap, way) = (self.draw(ROOK_LATER), self.way(Some(rook_from), rook_to));
        let (lift, place) = (Action::Lift(self.board, rook_from), Action::Place(self.board, rook_to, rook));
        self.motion.after = vec![(gap, lift), (gap + way, place)];
    }

    /// A second man makes a move, against the laws.
    fn make_second_move(&mut self) {
        let Some((from, to)) = self.ply.also else { return };
        let Some(man) = self.world.at(self.board, from) else { return };
        let (gap, way) = (self.between(), self.way(Some(from), to));
        self.lift(gap, from);
        self.place(way, to, man);
    }

    pub(super) fn walk(&mut self, from: Square, victim_is_pawn: bool) {
        let man = self.world.at(self.board, from).unwrap_or(self.ply.man);
        let victim = self.ply.captured.filter(|square| !self.world.free(self.board, *square));
        let Some(square) = victim else {
            let gap = self.between();
            self.lift(gap, from);
            return self.land(Some(from), man);
        };
        let (board, world) = (self.board, &self.world);
        let taken = world.at(board, square).or_else(|| world.lying(board, square)).unwrap_or(man);
        self.take(from, square, man);
        if victim_is_pawn {
            self.touch(0, Action::Away(taken));
        }
        let over = if victim_is_pawn { Piece { role: Role::Pawn, ..taken } } else { taken };
        let lifts = |action: &Action| *action == Action::Lift(board, square);
        let lifted = self.motion.touches.iter().rev().find(|(_, action)| lifts(action));
        self.motion.captured = Some((over, lifted.map_or(self.now, |(at, _)| *at)));
    }

    /// Takes the man on `victim` with the man from `from`, in one of the orders.
    pub(super) fn take(&mut self, from: Square, victim: Square, man: Piece) {
        let (gap, second) = (self.between(), self.between());
        let en_passant = victim != self.ply.to;
        if en_passant && self.shows(Habit::EpLast) {
            self.tag(Habit::EpLast);
            self.lift(gap, from);
            self.land(Some(from), man);
            return self.lift(second, victim);
        }
        if !en_passant && self.shows(Habit::Replace) {
            self.tag(Habit::Replace);
            self.lift(gap, from);
            let begun = self.motion.touches.len();
            self.land(Some(from), man);
            return self.make_room(begun);
        }
        if let Some(beside) = self.free_beside(self.ply.to).filter(|_| self.shows(Habit::Beside)) {
            self.tag(Habit::Beside);
            self.lift(gap, from);
            let way = self.way(Some(from), beside);
            self.place(way, beside, man);
            self.lift(second, victim);
            let third = self.between();
            self.lift(third, beside);
            return self.land(Some(beside), man);
        }
        if self.shows(Habit::OwnFirst) {
            self.tag(Habit::OwnFirst);
            self.lift(gap, from);
            self.lift(second, victim);
        } else {
            self.tag_as(VICTIM_FIRST);
            self.lift(gap, victim);
            self.lift(second, from);
        }
        self.land(Some(from), man);
    }
}

//! One move as a chain of touches: what is lifted and put down in which order, with the time before each touch.
//!
//! It looks at the men as they physically stand; whether the move is legal was decided elsewhere.

use rand::Rng;

use crate::{
    simulate::world::{Action, World},
    types::{Piece, Role, Seat, Square},
    wire::bslp::Button,
};

use super::{
    Ply,
    profile::{Profile, draw},
};

/// A chain of touches that ends when the last man of the move stands.
#[derive(Clone, Debug, Default)]
pub struct Motion {
    /// µs after the touch before (the first: 0), and the touch.
    pub touches: Vec<(i64, Action)>,
    /// The man that left the board.
    pub captured: Option<Piece>,
    /// The tray slot that it empties.
    pub from_slot: Option<usize>,
}

impl Motion {
    /// From the first touch to the last in µs.
    pub fn duration(&self) -> i64 {
        self.touches.iter().map(|(gap, _)| gap).sum()
    }

    fn then(&mut self, gap: i64, action: Action) {
        let gap = if self.touches.is_empty() { 0 } else { gap };
        self.touches.push((gap, action));
    }
}

/// The motion of one ply in a world where it was not made yet.
pub fn motion(ply: &Ply, world: &World, profile: &Profile, rng: &mut impl Rng) -> Motion {
    match (ply.from, ply.rook) {
        (None, _) => drop_motion(ply, world, profile, rng),
        (Some(from), Some(rook)) => castle(ply, from, rook, world, profile, rng),
        (Some(from), None) => walk(ply, from, world, profile, rng),
    }
}

/// The slot of a seat's tray in which such a man lies.
pub fn slot_of(world: &World, seat: Seat, man: Piece) -> Option<usize> {
    world.tray(seat).iter().position(|slot| *slot == Some(man))
}

fn drop_motion(ply: &Ply, world: &World, profile: &Profile, rng: &mut impl Rng) -> Motion {
    let mut motion = Motion { from_slot: slot_of(world, ply.seat, ply.man), ..Motion::default() };
    if let Some(slot) = motion.from_slot {
        motion.then(0, Action::LiftSlot(ply.seat, slot));
    }
    motion.then(draw(rng, &profile.carry), Action::Place(ply.seat.board, ply.to, ply.man));
    motion
}

fn castle(
    ply: &Ply,
    from: Square,
    (rook_from, rook_to): (Square, Square),
    world: &World,
    profile: &Profile,
    rng: &mut impl Rng,
) -> Motion {
    let board = ply.seat.board;
    let mut motion = Motion::default();
    motion.then(0, Action::Lift(board, from));
    motion.then(draw(rng, &profile.carry), Action::Place(board, ply.to, ply.man));
    if let Some(rook) = world.at(board, rook_from) {
        motion.then(draw(rng, &profile.between), Action::Lift(board, rook_from));
        motion.then(draw(rng, &profile.carry), Action::Place(board, rook_to, rook));
    }
    motion
}

fn walk(ply: &Ply, from: Square, world: &World, profile: &Profile, rng: &mut impl Rng) -> Motion {
    let board = ply.seat.board;
    let victim = ply.captured.and_then(|square| Some((square, world.at(board, square)?)));
    let victim_first = rng.random_range(0..100) < profile.victim_first;
    let mut motion = Motion { captured: victim.map(|(_, man)| man), ..Motion::default() };
    let mut touches = Vec::with_capacity(3);
    touches.push((draw(rng, &profile.between), Action::Lift(board, from)));
    if let Some((square, _)) = victim {
        let touch = (draw(rng, &profile.between), Action::Lift(board, square));
        touches.insert(if victim_first { 0 } else { 1 }, touch);
    }
    touches.push((draw(rng, &profile.carry), Action::Place(board, ply.to, ply.man)));
    if ply.promotion == Some(Role::Knight) {
        touches.insert(0, (0, Action::Button(ply.seat, Button::Knight)));
    }
    touches.into_iter().for_each(|(gap, action)| motion.then(gap, action));
    motion
}

//! Changes that were told of a wrong square: one bit of the field's number was garbled, and nothing protects it.
//!
//! In: what a board's squares have shown by messages of their own, and all of them at once. Out: the squares that such
//! a message told of and meant. A board that tells all its squares at once contradicts it on both: the one shows again
//! what it showed before, the other what the message said.

use super::Placement;
use crate::types::{Kinds, Square};

/// A change that was told of one square and meant another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misheard {
    /// The square that it told of.
    pub told: Square,
    /// The square that it meant.
    pub meant: Square,
}

/// The changes of a placement since all squares were told at once last that are belied by what is told at once now.
pub fn misheard(placement: &Placement, now: impl Fn(Square) -> Kinds) -> Vec<Misheard> {
    let belied = |told: &Square| {
        let before = placement.readings(*told).nth(1);
        let returns = before.is_some_and(|before| now(*told) == before.kinds);
        returns && placement.changed(*told) > placement.looked() && placement.kinds(*told) != now(*told)
    };
    let told = placement.changed_since(placement.looked()).into_iter().filter(belied);
    told.filter_map(|told| Some(Misheard { told, meant: meant(placement, &now, told)? })).collect()
}

/// Whether the numbers of two squares differ in a single bit, as those of their fields do however the board lies.
fn one_bit_apart(a: Square, b: Square) -> bool {
    (u32::from(a) ^ u32::from(b)).is_power_of_two()
}

/// The square that a belied change of another meant, if there is one alone whose number differs in a single bit.
fn meant(placement: &Placement, now: impl Fn(Square) -> Kinds, told: Square) -> Option<Square> {
    let said = placement.kinds(told);
    let shows = |square: &Square| {
        let silent = placement.changed(*square) < placement.changed(told);
        one_bit_apart(*square, told) && silent && now(*square) == said && placement.kinds(*square) != said
    };
    let mut meant = Square::ALL.into_iter().filter(shows);
    meant.next().filter(|_| meant.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Color, Instant, Role, SECOND};

    const KNIGHT: Kinds = Kinds::only(Role::Knight.of(Color::White));

    /// What a knight that left c3 shows: by messages at 2 s and 3 s, then all at once.
    fn check(messages: &[(Square, Kinds)], at_once: &[(Square, Kinds)], expect: &[(Square, Square)]) {
        let mut placement = Placement::default();
        for square in Square::ALL {
            placement.set(square, if square == Square::C3 { KNIGHT } else { Kinds::EMPTY }, Instant(SECOND));
        }
        placement.look(Instant(SECOND));
        for ((square, kinds), second) in messages.iter().zip(2..) {
            placement.set(*square, *kinds, Instant(second * SECOND));
        }
        let now = |square| at_once.iter().find(|(other, _)| *other == square).map_or(Kinds::EMPTY, |(_, kinds)| *kinds);
        let found: Vec<_> = misheard(&placement, now).into_iter().map(|found| (found.told, found.meant)).collect();
        assert_eq!(found, expect, "{messages:?} {at_once:?}");
    }

    #[test]
    fn a_change_that_is_belied_meant_the_square_that_shows_it() {
        let left = (Square::C3, Kinds::EMPTY);
        check(&[left, (Square::C5, KNIGHT)], &[(Square::D5, KNIGHT)], &[(Square::C5, Square::D5)]);
        check(&[(Square::C2, KNIGHT), left], &[(Square::C6, KNIGHT)], &[(Square::C2, Square::C6)]);
        // It went on, and two messages were lost: no single bit makes one square of the other.
        check(&[left, (Square::C5, KNIGHT)], &[(Square::B6, KNIGHT)], &[]);
        check(&[left, (Square::C5, KNIGHT)], &[(Square::D5, KNIGHT), (Square::C1, KNIGHT)], &[]);
        check(&[left, (Square::C5, KNIGHT)], &[(Square::C5, KNIGHT)], &[]);
        // The message that it left was garbled.
        check(&[(Square::D3, Kinds::EMPTY), (Square::D5, KNIGHT)], &[(Square::D5, KNIGHT)], &[]);
    }

    #[test]
    fn the_square_that_was_told_of_never_changed_and_the_other_one_did_at_that_time() {
        let mut placement = Placement::default();
        placement.set(Square::C5, Kinds::EMPTY, Instant(1));
        placement.set(Square::D5, Kinds::EMPTY, Instant(2));
        placement.set(Square::C5, KNIGHT, Instant(3));
        placement.mishear(Misheard { told: Square::C5, meant: Square::D5 }, Instant(4));
        assert_eq!((placement.kinds(Square::C5), placement.changed(Square::C5)), (Kinds::EMPTY, Instant(1)));
        assert_eq!((placement.kinds(Square::D5), placement.changed(Square::D5)), (KNIGHT, Instant(3)));
        assert_eq!(placement.kinds_at(Square::D5, Instant(2)), Kinds::EMPTY);
        assert_eq!(placement.readings(Square::C5).count(), 1);
        assert_eq!(placement.latest(), Instant(4));
    }
}

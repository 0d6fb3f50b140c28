//! What may stand on one cell, as a set.
//!
//! Identity boards answer with one man, bare occupancy with all men, a dark sensor with everything. The tracker takes
//! the set, so that all kinds of sensing are one case.

use std::fmt;

use super::{Color, Piece, Role};

/// A set over "empty" and the twelve men.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kinds(u16);

impl Kinds {
    /// Certainly nothing.
    pub const EMPTY: Kinds = Kinds(1);
    /// Some man, no matter which.
    pub const OCCUPIED: Kinds = Kinds(0x1ffe);
    /// Anything: the sensor says nothing.
    pub const ANY: Kinds = Kinds(0x1fff);

    /// Some man of a colour.
    pub fn of(color: Color) -> Kinds {
        Role::ALL.into_iter().map(|role| Some(role.of(color))).collect()
    }

    /// Exactly this man.
    pub const fn only(piece: Piece) -> Kinds {
        Kinds(1 << bit(piece))
    }

    /// This man, or nothing for `None`.
    pub fn exactly(piece: Option<Piece>) -> Kinds {
        piece.map_or(Kinds::EMPTY, Kinds::only)
    }

    /// Whether this man (nothing for `None`) may stand here.
    pub fn allows(self, piece: Option<Piece>) -> bool {
        self.0 & Kinds::exactly(piece).0 != 0
    }

    /// Whether something is in both sets.
    pub const fn meets(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    /// What is in either set.
    #[must_use]
    pub const fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    /// What the same men are if they were known by their squares in the set-up, and that is seen from the other side:
    /// of the other colour, kings are queens.
    #[must_use]
    pub fn from_other_side(self) -> Kinds {
        let other = |bit: u8| match piece(bit) {
            Piece { color, role: Role::King } => Role::Queen.of(!color),
            Piece { color, role: Role::Queen } => Role::King.of(!color),
            Piece { color, role } => role.of(!color),
        };
        let bits = (1..=12).filter(|bit| self.0 & 1 << bit != 0);
        Kinds(bits.fold(self.0 & Kinds::EMPTY.0, |men, bit| men | Kinds::only(other(bit)).0))
    }

    /// The only possibility, if there is just one: `Some(None)` is an empty cell.
    pub fn single(self) -> Option<Option<Piece>> {
        match self.0.count_ones() {
            1 if self == Kinds::EMPTY => Some(None),
            1 => Some(Some(piece(self.0.trailing_zeros() as u8))),
            _ => None,
        }
    }
}

impl FromIterator<Option<Piece>> for Kinds {
    /// The union; of nothing it is the empty set, which no cell should have.
    fn from_iter<I: IntoIterator<Item = Option<Piece>>>(men: I) -> Kinds {
        Kinds(men.into_iter().fold(0, |bits, man| bits | Kinds::exactly(man).0))
    }
}

const fn bit(piece: Piece) -> u8 {
    let role = piece.role as u8; // 1 to 6
    match piece.color {
        Color::White => role,
        Color::Black => role + 6,
    }
}

fn piece(bit: u8) -> Piece {
    let color = Color::from_white(bit <= 6);
    let role = Role::try_from(if bit <= 6 { bit } else { bit - 6 }).expect("bits 1 to 12 are six roles twice");
    Piece { color, role }
}

impl fmt::Debug for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (*self, self.single()) {
            (Kinds::ANY, _) => f.write_str("?"),
            (Kinds::OCCUPIED, _) => f.write_str("x"),
            (_, Some(None)) => f.write_str("."),
            (_, Some(Some(piece))) => write!(f, "{}", piece.char()),
            _ => write!(f, "Kinds({:#x})", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_man_is_its_own_set() {
        for color in Color::ALL {
            for role in Role::ALL {
                let man = Piece { color, role };
                assert_eq!(Kinds::only(man).single(), Some(Some(man)));
                assert!(Kinds::OCCUPIED.allows(Some(man)) && !Kinds::EMPTY.allows(Some(man)));
            }
        }
        assert_eq!(Kinds::EMPTY.single(), Some(None));
        let [king, queen] = [Role::King.of(Color::White), Role::Queen.of(Color::Black)].map(Kinds::only);
        assert_eq!((king.from_other_side(), queen.from_other_side()), (queen, king));
        assert!([Kinds::EMPTY, Kinds::OCCUPIED, Kinds::ANY].iter().all(|kinds| kinds.from_other_side() == *kinds));
        assert!(Kinds::ANY.allows(None) && !Kinds::OCCUPIED.allows(None));
    }
}

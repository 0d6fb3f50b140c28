//! Men that other boards' lines capture.
//!
//! In: captures that are made and not completed yet. Out: positions in which those men may be dropped.

use crate::{
    rules::{BoardPosition, Pocket},
    types::{ByColor, ByRole, Color, Role},
};

/// The men that may be on their way into the pockets of a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arriving(ByColor<Pocket>);

impl Arriving {
    /// One man more for a colour.
    pub fn add(&mut self, color: Color, role: Role) {
        *self.0.get_mut(color).get_mut(role) += 1;
    }

    /// Kinds of which a man is on its way to a colour.
    pub fn to(&self, color: Color) -> ByRole<bool> {
        self.0.get(color).map(|count| count > 0)
    }

    /// The position with the men in its pockets.
    pub fn apply(&self, position: &BoardPosition) -> BoardPosition {
        let mut position = position.clone();
        for color in Color::ALL {
            for role in Role::ALL {
                for _ in 0..*self.0.get(color).get(role) {
                    position.add_to_pocket(color, role);
                }
            }
        }
        position
    }
}

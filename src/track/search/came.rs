//! Men that came to partners' trays, and captures that explain them.
//!
//! In: what came by the record, its captures and those of another account. Out: what came for no reason by that one.
//! It knows neither boards nor times.

use super::Hand;
use crate::{
    rules::Pocket,
    types::{ByColor, Color, Instant, Role},
};

/// Men in partners' trays that no capture explains, if these captures were made and not those of the record, by who
/// made them.
pub fn recaptured(
    arrived: &ByColor<Hand>,
    record: impl Iterator<Item = (Color, Role)>,
    captures: impl Iterator<Item = (Color, Role)>,
) -> ByColor<Hand> {
    let mut arrived = *arrived;
    let mut known: Vec<(Color, Role)> = record.collect();
    for capture in captures {
        match known.iter().position(|other| *other == capture) {
            Some(index) => _ = known.swap_remove(index),
            None => arrived.get_mut(capture.0).explain(capture.1),
        }
    }
    known.into_iter().for_each(|(color, role)| arrived.get_mut(color).unexplain(role));
    arrived
}

impl Hand {
    /// Whether captures explain all of them.
    pub fn is_explained(&self) -> bool {
        self.count() == 0 && self.owed == Pocket::default()
    }

    /// Men of a kind that no capture explains.
    pub fn unexplained(&self, role: Role) -> u8 {
        self.men.get(role).saturating_add(*self.owed.get(role))
    }

    /// A capture explains a man that was dropped, or one that came to the tray.
    pub(super) fn explain(&mut self, role: Role) {
        match self.owed.get_mut(role) {
            0 => _ = self.take(role, Instant(i64::MAX)),
            owed => *owed -= 1,
        }
    }

    /// A capture was not made: its man is not on its way then, or came for no reason.
    fn unexplain(&mut self, role: Role) {
        match self.coming.get_mut(role) {
            coming if *coming => *coming = false,
            _ => *self.owed.get_mut(role) = self.owed.get(role).saturating_add(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Roles by letter, of White's captures.
    fn captures(letters: &str) -> impl Iterator<Item = (Color, Role)> + '_ {
        letters.chars().map(|letter| (Color::White, Role::from_char(letter).unwrap()))
    }

    /// What is unexplained with other captures than the record's, if these men came for no reason by the record and
    /// those that it captured are still on their way.
    fn check([came, coming]: [&str; 2], [record, others]: [&str; 2], expect: &str) {
        let mut arrived: ByColor<Hand> = ByColor::default();
        captures(came).for_each(|(_, role)| *arrived.white.men.get_mut(role) += 1);
        captures(coming).for_each(|(_, role)| *arrived.white.coming.get_mut(role) = true);
        let hand = recaptured(&arrived, captures(record), captures(others)).white;
        let left = Role::ALL.into_iter().flat_map(|role| vec![role.char(); usize::from(hand.unexplained(role))]);
        assert_eq!(left.collect::<String>(), expect, "{came} came, {coming} is coming, {record} -> {others}");
    }

    #[test]
    fn what_came_tells_which_man_was_captured() {
        check(["r", "p"], ["p", "p"], "r");
        check(["r", "p"], ["p", "r"], ""); // nobody has seen the pawn
        check(["r", ""], ["p", "r"], "p"); // it came, too
        check(["", ""], ["p", ""], "p");
        check(["", "p"], ["p", ""], "");
        check(["", "p"], ["pp", ""], "p"); // only one is on its way
    }

    #[test]
    fn the_order_of_captures_tells_nothing() {
        check(["", ""], ["pn", "np"], "");
        check(["", ""], ["pnp", "npr"], "p");
    }
}

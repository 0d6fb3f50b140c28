//! A tray that feels only that something is there: which man lies in which slot follows from what was captured.
//!
//! In: slots that fill and empty, and what the pocket must hold. Out: the men that were lifted, of known kind where
//! only one kind could have come.

use crate::{
    rules::Pocket,
    types::{Kinds, Role},
};

/// Slots that a tray may have.
const SLOTS_MAX: usize = 256;

/// What lies in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Empty,
    Some,
    Man(Role),
}

/// One seat's tray of bare occupancy.
#[derive(Clone, Debug, Default)]
pub struct TrayGuess {
    slots: Vec<Slot>,
    /// Men of known kinds that are in the hand.
    lifted: Pocket,
    /// Men of unknown kinds that are in the hand.
    unknown: u8,
}

impl TrayGuess {
    /// A new game: nothing is in the hand.
    pub fn begin(&mut self) {
        self.lifted = Pocket::default();
        self.unknown = 0;
    }

    /// Men in the hand: of known kinds, and how many of unknown ones.
    pub fn lifted(&self) -> (Pocket, u8) {
        (self.lifted, self.unknown)
    }

    /// A slot's reading; `pocket` is what the seat may hold by the captures. True if something changed.
    pub fn slot(&mut self, slot: u16, kinds: Kinds, pocket: &Pocket) -> bool {
        let slot = usize::from(slot);
        if slot >= SLOTS_MAX {
            return false;
        }
        if slot >= self.slots.len() {
            self.slots.resize(slot + 1, Slot::Empty);
        }
        match (self.slots[slot], kinds.allows(None)) {
            (Slot::Empty, false) => self.slots[slot] = self.put_back(),
            (Slot::Man(role), true) => {
                self.slots[slot] = Slot::Empty;
                *self.lifted.get_mut(role) = self.lifted.get(role).saturating_add(1);
            }
            (Slot::Some, true) => {
                self.slots[slot] = Slot::Empty;
                self.unknown = self.unknown.saturating_add(1);
            }
            _ => return false,
        }
        self.resolve(pocket);
        true
    }

    /// The only man in the hand comes back; of several nobody knows which.
    fn put_back(&mut self) -> Slot {
        let held: u32 = self.lifted.into_iter().map(u32::from).sum();
        match Role::ALL.into_iter().find(|role| *self.lifted.get(*role) > 0).filter(|_| held == 1) {
            Some(role) => {
                *self.lifted.get_mut(role) -= 1;
                Slot::Man(role)
            }
            None => {
                self.unknown = self.unknown.saturating_sub(1);
                Slot::Some
            }
        }
    }

    /// A man of the seat was dropped.
    pub fn dropped(&mut self, role: Role, pocket: &Pocket) {
        let known = self.lifted.get_mut(role);
        let hand = if *known > 0 { known } else { &mut self.unknown };
        *hand = hand.saturating_sub(1);
        self.resolve(pocket);
    }

    /// Names men whose kind is the only one that is left of the pocket.
    pub fn resolve(&mut self, pocket: &Pocket) {
        let mut left = *pocket;
        let known = self.slots.iter().filter_map(|slot| if let Slot::Man(role) = slot { Some(*role) } else { None });
        for role in known.collect::<Vec<_>>() {
            *left.get_mut(role) = left.get(role).saturating_sub(1);
        }
        left = left.zip(self.lifted).map(|(left, held)| left.saturating_sub(held));
        let mut kinds = Role::ALL.into_iter().filter(|role| *left.get(*role) > 0);
        let (Some(role), None) = (kinds.next(), kinds.next()) else { return };
        for slot in &mut self.slots {
            if *slot == Slot::Some && *left.get(role) > 0 {
                *slot = Slot::Man(role);
                *left.get_mut(role) -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pocket(letters: &str) -> Pocket {
        let mut pocket = Pocket::default();
        for role in letters.chars().filter_map(Role::from_char) {
            *pocket.get_mut(role) += 1;
        }
        pocket
    }

    /// `+0` slot 0 fills, `-0` it empties, `=np` the pocket holds this by the captures; answers what is lifted.
    fn lifted(script: &str) -> (Pocket, u8) {
        let (mut tray, mut held) = (TrayGuess::default(), Pocket::default());
        for word in script.split(' ') {
            let slot = || word[1..].parse().unwrap();
            match &word[..1] {
                "=" => {
                    held = pocket(&word[1..]);
                    tray.resolve(&held);
                }
                "+" => drop(tray.slot(slot(), Kinds::OCCUPIED, &held)),
                _ => drop(tray.slot(slot(), Kinds::EMPTY, &held)),
            }
        }
        tray.lifted()
    }

    #[test]
    fn captures_name_the_men() {
        assert_eq!(lifted("=n +0 -0"), (pocket("n"), 0));
        assert_eq!(lifted("+0 =n -0"), (pocket("n"), 0), "passed before the press");
        assert_eq!(lifted("=n +0 =np +1 -0"), (pocket("n"), 0));
        assert_eq!(lifted("=np +0 -0"), (pocket(""), 1));
        assert_eq!(lifted("=n +0 =np +1 -0 +2 -1"), (pocket("p"), 0));
    }
}

//! A tray that feels only that something is there: which man lies in which slot follows from what was captured.
//!
//! In: when slots filled and emptied, the captures for the seat and its drops, with their times. Out: which men are in
//! the hand and which lie in the tray, of what kind each dropped man was, and which captures took another man than the
//! record says. It knows neither boards nor rules; what kinds a man may be by its later moves, it is told.
//!
//! # How
//! Everything is told anew from the beginning whenever something new is known (`assign`), because a capture may be
//! found or corrected long after its man was passed and dropped. What stayed the same is not worked out twice.

mod assign;
mod cost;

use self::assign::{Event, State};
use crate::{
    rules::Pocket,
    types::{BoardId, ByRole, Instant, Kinds, Role},
};

/// Slots that a tray may have.
const SLOTS_MAX: usize = 64;
/// Changes of slots that are remembered.
const LOG_MAX: usize = 1024;
/// Latest events whose accounts are kept: what changes before them is told from the beginning.
const STEPS_KEPT: usize = 256;
/// How long before a capture was seen to be made its man may have been taken off.
const LIFTED_US: i64 = 2 * crate::types::SECOND;
/// How much later than the board a tray may tell.
const LATE_US: i64 = super::SCAN_US;

/// A man that was captured for a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Captured {
    /// Its kind as it goes over, by the record.
    pub role: Role,
    /// Kinds that it may be.
    pub kinds: ByRole<bool>,
    /// Kinds that it may be if little else explains what is seen.
    pub might: ByRole<bool>,
    /// The ply that captured it, if it may have captured another one: its board and its index there.
    pub ply: Option<(BoardId, usize)>,
    /// When the capture was made.
    pub made_at: Instant,
    /// When it was completed; none while it is not.
    pub completed_at: Option<Instant>,
}

impl Captured {
    /// A man of a kind that nobody doubts.
    pub fn certain(role: Role, made_at: Instant, completed_at: Option<Instant>) -> Captured {
        let kinds = ByRole::new_with(|other| other == role);
        Captured { role, kinds, might: kinds, ply: None, made_at, completed_at }
    }
}

/// A man that a seat dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Its kind by the record.
    pub role: Role,
    /// Kinds that it may be by where it stood and how it moved later.
    pub kinds: ByRole<bool>,
    /// When it was seen on the board.
    pub made_at: Instant,
}

/// What a dropped man was by what lay in the tray.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lay {
    /// Kinds by the likeliest account or by one that is hardly worse.
    pub may_be: ByRole<bool>,
    /// Kinds by accounts that are as likely: none of them is certain if there are several.
    pub open: ByRole<bool>,
}

/// A ply that captured another man than the record says: its board, its index there, the man's kind as it went over.
pub type Mistaken = (BoardId, usize, Role);

/// What follows if a dropped man was of another kind than the record says.
#[derive(Clone, Debug, PartialEq)]
pub struct Renamed {
    /// Drops that are of other kinds then: their places among the drops of the seat and the kinds.
    pub names: Vec<(usize, Role)>,
    /// Captures that were of other men then.
    pub mistaken: Vec<Mistaken>,
}

/// What lies where, as far as it can be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Men of known kinds in the hand.
    pub men: Pocket,
    /// Men of unknown kinds in the hand.
    pub unknown: u8,
    /// When a man of each kind was taken last.
    pub taken: ByRole<Instant>,
    /// Men in the tray.
    pub lying: Pocket,
    /// Men that were captured for the seat and have not come.
    pub open: u8,
}

/// One seat's tray of bare occupancy.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    filled: Vec<bool>,
    /// Slots that filled or emptied, in order.
    log: Vec<(Instant, u8, bool)>,
    captures: Vec<Captured>,
    drops: Vec<Dropped>,
    /// Captures that are made and not completed.
    coming: Vec<Captured>,
    /// What was worked out so far: events in order, each with the accounts after it, or without if that is long ago.
    steps: Vec<(Event, Vec<State>)>,
}

impl Slots {
    /// A new game: what lies in the tray lies there from the start.
    pub fn begin(&mut self) {
        let filled = std::mem::take(&mut self.filled);
        *self = Slots::default();
        self.log =
            (0_u8..).zip(&filled).filter(|(_, filled)| **filled).map(|(at, _)| (Instant::LONG_AGO, at, true)).collect();
        self.filled = filled;
        self.tell();
    }

    /// A slot's reading; true if something changed.
    pub fn slot(&mut self, slot: u16, kinds: Kinds, at: Instant) -> bool {
        let (index, filled) = (usize::from(slot), !kinds.allows(None));
        if index >= SLOTS_MAX {
            return false;
        }
        if index >= self.filled.len() {
            self.filled.resize(index + 1, false);
        }
        if self.filled[index] == filled {
            return false;
        }
        self.filled[index] = filled;
        if self.log.len() == LOG_MAX {
            self.log.drain(..LOG_MAX / 2);
        }
        self.log.push((at, slot as u8, filled)); // below SLOTS_MAX
        self.tell();
        true
    }

    /// What was captured for the seat and what it dropped, by the record.
    pub fn record(&mut self, captures: Vec<Captured>, drops: Vec<Dropped>) {
        if (&captures, &drops) != (&self.captures, &self.drops) {
            (self.captures, self.drops) = (captures, drops);
            self.tell();
        }
    }

    /// Captures that partners have made and not completed.
    pub fn coming(&mut self, coming: Vec<Captured>) {
        if coming != self.coming {
            self.coming = coming;
            self.tell();
        }
    }

    /// What is in the hand and what lies in the tray.
    pub fn held(&self) -> Held {
        self.best().map(State::held).unwrap_or_default()
    }

    /// The dropped men, as in the record, that were of another kind than it says: their places and kinds.
    pub fn misnamed(&self) -> Vec<(usize, Role)> {
        self.best().map_or_else(Vec::new, |best| self.misnamed_by(best))
    }

    fn misnamed_by(&self, account: &State) -> Vec<(usize, Role)> {
        let named = self.drops.iter().zip(account.names()).enumerate();
        named.filter_map(|(index, (drop, name))| Some((index, name.role.filter(|role| *role != drop.role)?))).collect()
    }

    /// Captures of other men than the record says, by how the men moved that were dropped.
    pub fn mistaken(&self) -> &[Mistaken] {
        self.best().map_or(&[], State::mistaken)
    }

    /// What follows for the record if one of its drops was of this kind; none if it cannot be.
    pub fn renamed(&self, nth: usize, role: Role) -> Option<Renamed> {
        let drop = |(_, (event, _)): &(usize, &(Event, Vec<State>))| matches!(event, Event::Dropped(_));
        let (at, (event, _)) = self.steps.iter().enumerate().filter(drop).nth(nth)?;
        let Event::Dropped(dropped) = *event else { return None };
        let only = Event::Dropped(Dropped { kinds: ByRole::new_with(|other| other == role), ..dropped });
        let first = vec![State::default()];
        let before = at.checked_sub(1).map_or(&first, |before| &self.steps[before].1);
        let later = self.steps[at + 1..].iter().map(|(event, _)| *event);
        let states = later.fold(assign::follow(before, only), |states, event| assign::follow(&states, event));
        let best = states.first().filter(|best| best.names().get(nth).is_some_and(|name| name.role == Some(role)))?;
        Some(Renamed { names: self.misnamed_by(best), mistaken: best.mistaken().to_vec() })
    }

    /// What each dropped man may be, as in the record.
    pub fn kinds(&self) -> Vec<Lay> {
        let Some((best, others)) = self.steps.last().and_then(|(_, states)| states.split_first()) else {
            return Vec::new();
        };
        let mut all = best.clone();
        others.iter().for_each(|other| all.doubt(other));
        all.names().iter().map(|name| Lay { may_be: name.within(cost::DOUBT), open: name.within(cost::OPEN) }).collect()
    }

    fn best(&self) -> Option<&State> {
        self.steps.last().and_then(|(_, states)| states.first())
    }

    /// Works out anew what follows from the first event on that is new.
    fn tell(&mut self) {
        let events = self.events();
        let same = self.steps.iter().zip(&events).take_while(|((old, _), new)| old == *new).count();
        let known = self.steps[..same].last().is_some_and(|(_, states)| !states.is_empty());
        let same = if known { same } else { 0 };
        self.steps.truncate(same);
        for event in events.into_iter().skip(same) {
            let first = [State::default()];
            let states = self.steps.last().map_or(&first[..], |(_, states)| states);
            let after = assign::follow(states, event);
            self.steps.push((event, after));
            if let Some(old) = self.steps.len().checked_sub(STEPS_KEPT + 1) {
                self.steps[old].1.clear();
            }
        }
    }

    /// All that happened, in the order in which it can be told.
    fn events(&self) -> Vec<Event> {
        let captures = self.captures.iter().chain(&self.coming);
        let captures = captures.map(|captured| (captured.made_at + -LIFTED_US, Event::Captured(*captured)));
        let slots =
            self.log.iter().map(|(at, slot, filled)| (*at, Event::Slot { at: *at, slot: *slot, filled: *filled }));
        let drops = self.drops.iter().map(|dropped| (dropped.made_at + LATE_US, Event::Dropped(*dropped)));
        let mut events: Vec<(Instant, Event)> = captures.chain(slots).chain(drops).collect();
        events.sort_by_key(|(at, _)| *at);
        events.into_iter().map(|(_, event)| event).collect()
    }
}

#[cfg(test)]
mod tests;

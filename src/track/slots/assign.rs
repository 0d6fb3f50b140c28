//! Accounts of one tray: which captured man came to which slot, and which was dropped.
//!
//! In: captures, slots that fill and empty, and drops, in order of time. Out: the cheapest accounts. A man that comes
//! was captured or was in the owner's hand; a man that is dropped was taken from the tray or came straight from the
//! partner. Time tells most of it: men are passed soon after the press, sometimes before it, sometimes seconds later.

use arrayvec::ArrayVec;

use super::{Captured, Dropped, Held, Mistaken, SLOTS_MAX, cost};
use crate::types::{BoardId, ByRole, Instant, MS, Role, SECOND};

/// Accounts that are followed.
const STATES_MAX: usize = 16;
/// An account that costs so much more than the best is given up.
const HOPELESS: u32 = 96;
/// Men that a player may have in hand.
const HAND_MAX: usize = 6;
/// Captured men that may be on their way.
const OPEN_MAX: usize = 24;
/// Captures that are told to be of other men.
const MISTAKEN_MAX: usize = 8;
/// Drops whose men are named.
const NAMES_MAX: usize = 128;

/// A man is hardly passed so long before the capture was seen to be made.
const LIFTED_US: i64 = 1500 * MS;
/// A man is seldom passed so long before.
const LIFTED_SOON_US: i64 = 600 * MS;
/// How long after the press a man is passed at the latest by who does not dawdle.
const PASSED_US: i64 = 1500 * MS;
/// The same by who does.
const DAWDLED_US: i64 = 8 * SECOND;
/// How much earlier than it is told a press is most often.
const PRESS_TOLD_US: i64 = 100 * MS;
/// A man is hardly in a tray so soon after a press: the hand that pressed passes it.
const REACHED_US: i64 = 150 * MS;
/// A man that is put into another slot is in the hand for so long.
const SHUFFLED_US: i64 = 500 * MS;

/// A man.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Man {
    /// Its kind by the record; none if nobody knows where it came from.
    role: Option<Role>,
    /// Kinds that it may be.
    kinds: ByRole<bool>,
    /// Kinds that it may be if little else explains what is seen.
    might: ByRole<bool>,
    /// The ply that captured it, if that may have captured another one.
    ply: Option<(BoardId, usize)>,
}

/// Any man.
const ANY: ByRole<bool> = ByRole { pawn: true, knight: true, bishop: true, rook: true, queen: true, king: false };

impl Man {
    const UNKNOWN: Man = Man { role: None, kinds: ANY, might: ANY, ply: None };

    fn of(captured: &Captured) -> Man {
        let Captured { role, kinds, might, ply, .. } = *captured;
        Man { role: Some(role), kinds, might, ply }
    }

    /// The same as it was dropped, if it may be one of these kinds, and what that costs.
    fn among(self, kinds: ByRole<bool>) -> Option<(Man, u32)> {
        let within = |may: ByRole<bool>| may.zip(kinds).map(|(may, might)| may && might);
        let first = |may: ByRole<bool>| Role::ALL.into_iter().find(|role| *may.get(*role));
        let (kinds, might) = (within(self.kinds), within(self.might));
        let Some(role) = self.role else {
            return Some((Man { kinds, might, ..self }, 0)).filter(|_| first(kinds).is_some());
        };
        let (role, cost) = match first(kinds) {
            Some(_) if *kinds.get(role) => (role, 0),
            Some(other) => (other, cost::OTHERWISE),
            None => (first(might)?, cost::HARDLY),
        };
        Some((Man { role: Some(role), kinds, might, ..self }, cost))
    }
}

/// A dropped man: its kind, if that is known, and how much dearer the cheapest account is by which it is of each kind.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    pub role: Option<Role>,
    dearer: ByRole<u32>,
}

impl Name {
    fn of(man: Man) -> Name {
        let dearer = man.kinds.zip(man.might).map(|known| match known {
            (true, _) => 0,
            (_, true) => cost::HARDLY,
            _ => u32::MAX,
        });
        Name { role: man.role, dearer }
    }

    /// Kinds that the man may be by accounts that are dearer by no more than this.
    pub fn within(&self, margin: u32) -> ByRole<bool> {
        self.dearer.map(|dearer| dearer <= margin)
    }
}

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Captured(Captured),
    Slot { at: Instant, slot: u8, filled: bool },
    Dropped(Dropped),
}

/// One account of what happened so far.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// By slot.
    slots: ArrayVec<Option<Man>, SLOTS_MAX>,
    hand: ArrayVec<(Man, Instant), HAND_MAX>,
    /// Captured men that have not come.
    open: ArrayVec<Captured, OPEN_MAX>,
    names: ArrayVec<Name, NAMES_MAX>,
    /// Captures of other men than the record says.
    mistaken: ArrayVec<Mistaken, MISTAKEN_MAX>,
    cost: u32,
    /// What it costs that drops are called otherwise than by the record: the record speaks for what is told, not
    /// against what may be.
    misnamed: u32,
}

/// The accounts after an event, the cheapest first.
pub fn follow(states: &[State], event: Event) -> Vec<State> {
    let mut next: Vec<State> = Vec::new();
    for state in states {
        match event {
            Event::Captured(captured) => next.push(state.captured(captured)),
            Event::Slot { at, slot, filled: true } => state.filled(at, usize::from(slot), &mut next),
            Event::Slot { at, slot, filled: false } => next.push(state.emptied(at, usize::from(slot))),
            Event::Dropped(dropped) => state.dropped(dropped, &mut next),
        }
    }
    next.sort_by_key(State::total);
    let most = next.first().map_or(0, State::total) + HOPELESS;
    let mut kept: Vec<State> = Vec::with_capacity(next.len().min(STATES_MAX));
    for state in next {
        match kept.iter().position(|known| known.is_like(&state)) {
            Some(known) => kept[known].doubt(&state),
            None if kept.len() < STATES_MAX && state.total() <= most => kept.push(state),
            None => {}
        }
    }
    kept
}

impl State {
    /// What is in the hand and what lies in the tray.
    pub fn held(&self) -> Held {
        let mut held = Held { open: self.open.len() as u8, ..Held::default() }; // below OPEN_MAX
        for (man, since) in &self.hand {
            match man.role {
                Some(role) => {
                    *held.men.get_mut(role) += 1;
                    *held.taken.get_mut(role) = *since;
                }
                None => held.unknown += 1,
            }
        }
        for role in self.slots.iter().filter_map(|man| man.and_then(|man| man.role)) {
            *held.lying.get_mut(role) += 1;
        }
        held
    }

    /// The dropped men.
    pub fn names(&self) -> &[Name] {
        &self.names
    }

    /// Captures of other men than the record says.
    pub fn mistaken(&self) -> &[Mistaken] {
        &self.mistaken
    }

    fn total(&self) -> u32 {
        self.cost + self.misnamed
    }

    /// Another account, which is told no sooner, may be true as well.
    pub fn doubt(&mut self, other: &State) {
        let more = other.cost.saturating_sub(self.cost);
        for (name, others) in self.names.iter_mut().zip(&other.names) {
            name.dearer = name.dearer.zip(others.dearer).map(|(one, other)| one.min(other.saturating_add(more)));
        }
    }

    /// Whether all that may come is the same.
    fn is_like(&self, other: &State) -> bool {
        self.slots == other.slots && self.hand == other.hand && self.open == other.open
    }

    fn captured(&self, captured: Captured) -> State {
        let mut next = self.clone();
        if next.open.is_full() {
            next.open.remove(0);
        }
        next.open.push(captured);
        next
    }

    /// A man has come: one that was captured, or one that was in the hand.
    fn filled(&self, at: Instant, slot: usize, out: &mut Vec<State>) {
        for index in self.first_of_each_open(at) {
            let captured = self.open[index];
            let order = if index > 0 { cost::ORDER } else { 0 };
            let mut next = self.with(slot, Man::of(&captured), passed(&captured, at) + order);
            next.open.remove(index);
            out.push(next);
        }
        for index in self.last_of_each_held() {
            let (man, since) = self.hand[index];
            let mut next = self.with(slot, man, cost::PUT_BACK + held(at - since));
            next.hand.remove(index);
            out.push(next);
        }
        out.push(self.with(slot, Man::UNKNOWN, cost::UNKNOWN));
    }

    fn with(&self, slot: usize, man: Man, cost: u32) -> State {
        let mut next = self.clone();
        while next.slots.len() <= slot && !next.slots.is_full() {
            next.slots.push(None);
        }
        if let Some(place) = next.slots.get_mut(slot) {
            *place = Some(man);
        }
        next.cost += cost;
        next
    }

    fn emptied(&self, at: Instant, slot: usize) -> State {
        let mut next = self.clone();
        let man = next.slots.get_mut(slot).and_then(Option::take).unwrap_or(Man::UNKNOWN);
        if next.hand.is_full() {
            next.hand.remove(0);
        }
        next.hand.push((man, at));
        next
    }

    /// A man was dropped: from the hand, straight from the partner's, or from a slot that nobody saw emptied.
    fn dropped(&self, dropped: Dropped, out: &mut Vec<State>) {
        let named = |man: Man, cost: u32| {
            let mut next = self.clone();
            let (name, unlike) = man.among(dropped.kinds).unwrap_or((man, cost::IMPOSSIBLE));
            if let (Some((board, index)), Some(role)) = (man.ply, name.role.filter(|role| Some(*role) != man.role)) {
                let _ = next.mistaken.try_push((board, index, role)); // the first ones are put right first
            }
            let misnamed = name.role.is_some_and(|role| role != dropped.role);
            next.cost += cost + unlike;
            next.misnamed += if misnamed { cost::MISNAMED } else { 0 };
            let _ = next.names.try_push(Name::of(name)); // the first ones are named
            next
        };
        for index in self.last_of_each_held() {
            let mut next = named(self.hand[index].0, 0);
            next.hand.remove(index);
            out.push(next);
        }
        for index in self.first_of_each_open(dropped.made_at) {
            let captured = self.open[index];
            let early = if captured.made_at > dropped.made_at + LIFTED_US { cost::TOO_EARLY } else { 0 };
            let mut next = named(Man::of(&captured), cost::DIRECT + early);
            next.open.remove(index);
            out.push(next);
        }
        for role in Role::ALL {
            let lies = self.slots.iter().position(|slot| slot.is_some_and(|man| man.role == Some(role)));
            if let Some((slot, man)) = lies.and_then(|slot| Some((slot, self.slots[slot]?))) {
                let mut next = named(man, cost::UNSEEN_TAKEN);
                next.slots[slot] = Some(Man::UNKNOWN);
                out.push(next);
            }
        }
        out.push(named(Man::UNKNOWN, cost::FROM_NOWHERE));
    }

    /// Of the captured men of each kind the one that comes now most likely; of equal ones the first.
    fn first_of_each_open(&self, at: Instant) -> impl Iterator<Item = usize> {
        let cost = move |index: usize| (passed(&self.open[index], at), index);
        let same = |one: usize, other: usize| Man::of(&self.open[one]) == Man::of(&self.open[other]);
        let first =
            move |index: &usize| (0..self.open.len()).all(|other| !same(*index, other) || cost(*index) <= cost(other));
        (0..self.open.len()).filter(first)
    }

    /// Of the men of each kind in the hand the one that was taken last.
    fn last_of_each_held(&self) -> impl Iterator<Item = usize> {
        let later = |man: Man, index: usize| self.hand[index + 1..].iter().any(|(other, _)| *other == man);
        (0..self.hand.len()).filter(move |index| !later(self.hand[*index].0, *index))
    }
}

/// What it costs that a captured man came to the tray at some instant.
fn passed(captured: &Captured, at: Instant) -> u32 {
    let made = at - captured.made_at;
    let pressed = captured.completed_at.map(|completed| at - completed);
    match pressed {
        _ if made < -LIFTED_US => cost::TOO_EARLY,
        _ if made < -LIFTED_SOON_US => cost::LONG_BEFORE_MADE,
        _ if made < 0 => cost::BEFORE_MADE,
        None => cost::EARLY,
        Some(pressed) if pressed < -PRESS_TOLD_US => cost::EARLY,
        Some(pressed) if pressed < REACHED_US => cost::AT_PRESS,
        Some(pressed) if pressed < PASSED_US => 0,
        Some(pressed) if pressed < DAWDLED_US => cost::LATE,
        Some(_) => cost::VERY_LATE,
    }
}

/// What it costs that a man is put back that was in the hand for so long.
fn held(time: i64) -> u32 {
    let tenths = (time - SHUFFLED_US).max(0) / (100 * MS);
    cost::HELD_MOST.min(cost::HELD * u32::try_from(tenths).unwrap_or(cost::HELD_MOST))
}

//! How the man of a ply came to its square, and what speaks against that.
//!
//! In: what the square showed, the hands, the plies before. Out: when it came, what is in the hands then, and what it
//! costs. It does not know what was seen afterwards.

use super::{EARLY_US, HELD_US, LATE_US, Node, Teller, standing};
use crate::{
    notation::uci,
    rules::Move,
    track::{
        CARRIED_US, SCAN_US, cost,
        explain::named,
        search::{self, Hand},
    },
    types::{ByColor, Instant, Kinds, Role, Square},
};

/// How a man came to its square.
pub(super) struct Coming {
    /// When it was seen there.
    pub arrived: Option<Instant>,
    /// What is in the hands then.
    pub hands: ByColor<Option<Hand>>,
    /// It stood there before the ply before was made.
    pub early: bool,
    /// It was read there before the man of the ply before, by less.
    pub disordered: bool,
    /// It came before its player had pressed the clock for the last one.
    pub ahead: bool,
    /// It had been off its square for long.
    pub held: bool,
    /// What it costs that what stands there had come before it left its square, by name.
    pub another: (&'static str, u32),
    /// What it costs that it was in no hand, by name.
    pub nowhere: (&'static str, u32),
    /// What it costs that it is said to be dropped, and may have come from another square, by name.
    pub carried: (&'static str, u32),
    /// What it costs that no rule allows it, by name.
    pub illegal: (&'static str, u32),
}

impl Coming {
    /// What speaks against it.
    pub fn cost(&self) -> u32 {
        let Coming { early, disordered, ahead, held, another, nowhere, carried, illegal, .. } = self;
        let costs =
            [(*early, cost::PREMOVE), (*disordered, cost::DISORDERED), (*ahead, cost::UNANSWERED), (*held, cost::HELD)];
        another.1
            + nowhere.1
            + carried.1
            + illegal.1
            + costs.into_iter().filter(|(is, _)| *is).map(|(_, cost)| cost).sum::<u32>()
    }
}

impl Teller<'_> {
    /// The kind of the man that the ply of this index dropped on a square by the record.
    pub(super) fn recorded_drop(&self, index: usize, square: Square) -> Option<Role> {
        match self.account.promoted.get(index) {
            Some(Move::Put { role, to }) if *to == square => Some(*role),
            _ => None,
        }
    }

    /// Whether the man that the ply of this index dropped may be of a kind, by what lay in the tray.
    pub(super) fn may_be(&self, index: usize, role: Role) -> bool {
        self.account.kinds.get(index).is_some_and(|kinds| *kinds.get(role))
    }

    /// Takes the man of a drop out of the hand, and what it costs, by name: one that may as well be of another kind was
    /// taken under its name.
    fn taken(&self, index: usize, role: Role, to: Square, hand: &mut Hand, seen: Instant) -> (&'static str, u32) {
        let known = self.recorded_drop(index, to).filter(|known| *known != role && self.may_be(index, role));
        match known.is_some_and(|known| hand.take(known, seen)) {
            true => named!(RENAMED),
            false => hand.drop(role, seen),
        }
    }

    /// How the man of a ply came to its square: as it did first, or as it did last if that explains more. What came
    /// first and went again may have been another man.
    pub(super) fn coming(
        &self,
        node: &Node,
        m: Move,
        (arrived, stood): (Option<Instant>, Option<Instant>),
        until: Instant,
    ) -> Coming {
        let before = self.back(node).next().and_then(|last| last.came);
        let stands = (uci::destination(m), standing(&node.position, m));
        let another = m.from().map_or(("", 0), |from| self.another(node, m, from, until + LATE_US));
        let came = |arrived: Option<Instant>, stood: Option<Instant>| {
            let mut hands = node.hands;
            let nowhere = match (m, hands.get_mut(node.position.turn())) {
                (Move::Put { role, to }, Some(hand)) => self.taken(node.len, role, to, hand, arrived.unwrap_or(until)),
                _ => ("", 0),
            };
            let sooner = |by: i64| stood.zip(before).is_some_and(|(at, before)| at + by < before);
            let early = sooner(EARLY_US);
            let disordered = !early && sooner(CARRIED_US);
            let ahead = !early && self.ahead(node, stood);
            let carried = if nowhere.1 > 0 && self.carried(node, m, arrived) {
                let coming = |hand: &Hand| *hand.coming.get(m.role());
                let coming = node.hands.get(node.position.turn()).as_ref().is_some_and(coming);
                if coming { named!(HANDED) } else { named!(CARRIED) }
            } else {
                ("", 0)
            };
            let held = self.held(node, m, arrived);
            Coming { arrived, hands, early, disordered, ahead, held, another, nowhere, carried, illegal: ("", 0) }
        };
        let first = came(arrived, stood.or(arrived));
        let (to, kinds) = stands;
        // The board may tell of it after the press.
        let last = [until, until + LATE_US].map(|at| self.log.last(to, at).filter(|last| last.kinds.meets(kinds)));
        let last = last.into_iter().flatten().next();
        let again = last.map(|last| last.since).filter(|last| arrived.is_some_and(|first| first < *last));
        match again.filter(|_| first.cost() > 0).map(|again| came(Some(again), Some(again))) {
            Some(again) if again.cost() < first.cost() => again,
            _ => first,
        }
    }

    /// Since when what comes to a ply's square may be its man, where only that is felt that something does: since that
    /// left its own square.
    pub(super) fn left_at(&self, m: Move, from: Instant, until: Instant) -> Option<Instant> {
        let to = uci::destination(m);
        let came = self.log.arrived(to, Kinds::OCCUPIED, from, until)?;
        let felt = m.from().filter(|_| self.log.kinds_at(to, came) == Kinds::OCCUPIED)?;
        self.log.arrived(felt, Kinds::EMPTY, from, until).map(|left| left + -SCAN_US)
    }

    /// What it costs that what stands where a ply goes came there while its man still stood on its square, by name.
    /// Where only that is felt that something stands there, it may be the man that the ply captures.
    fn another(&self, node: &Node, m: Move, from: Square, until: Instant) -> (&'static str, u32) {
        let to = uci::destination(m);
        let victim = m.is_capture() && self.log.kinds_at(to, until) == Kinds::OCCUPIED;
        match self.log.came_before(from, (to, standing(&node.position, m)), node.since[0], until) {
            true if victim => named!(REPLACED),
            true => named!(ANOTHER),
            false => ("", 0),
        }
    }

    /// Whether a man that seems dropped is one of the board's that left its square in this turn and goes there.
    fn carried(&self, node: &Node, m: Move, arrived: Option<Instant>) -> bool {
        let (Move::Put { role, to }, Some(came)) = (m, arrived) else { return false };
        let board = node.position.board();
        let man = role.of(node.position.turn());
        if self.log.kinds_at(to, came) == Kinds::OCCUPIED {
            return self.is_from_nobody(node, to, came);
        }
        let left = |from: &Square| {
            let last = self.log.last(*from, came).filter(|last| last.kinds == Kinds::EMPTY);
            last.is_some_and(|last| last.since >= node.since[0])
        };
        let mut left = board.by_piece(man).into_iter().filter(left);
        left.any(|from| search::may_go(man, from, to, board.occupied()))
    }

    /// Whether a man stood where it goes before its player had pressed the clock for the last one.
    fn ahead(&self, node: &Node, stood: Option<Instant>) -> bool {
        let [own, _] = node.completed;
        let pressed = node.unpressed < 2 && node.len > 1 && !self.account.is_turn(own);
        pressed && stood.is_some_and(|stood| stood < own)
    }

    /// Whether the man of a ply had been off its square for long when it came to the other. A promoted one may have
    /// lain there on its side; one that nobody saw where its player's last ply brought it was on its way.
    fn held(&self, node: &Node, m: Move, arrived: Option<Instant>) -> bool {
        let lay = self.account.blind | node.position.promoted();
        let own = self.back(node).nth(1).filter(|own| own.came.is_none());
        let passed = |from: Square| own.is_some_and(|own| uci::destination(own.played) == from);
        let from = m.from().filter(|from| !lay.contains(*from) && !passed(*from));
        let left = from.zip(arrived).and_then(|(from, came)| self.log.last(from, came)).zip(arrived);
        left.is_some_and(|(left, came)| left.kinds == Kinds::EMPTY && came - left.since > HELD_US)
    }
}

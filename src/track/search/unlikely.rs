//! What tells lines apart that cost the same.
//!
//! In: a ply of a line. Out: how unlikely it is beside others that leave the same readings: captures that no sensor
//! felt, men that nobody saw land, men of a kind in the air, men that came in another order. It is no cost: of
//! equal lines the likelier is taken.

use super::{Node, Search};
use crate::{
    notation::uci,
    rules::Move,
    sense::Reading,
    types::{Bitboard, Instant, Kinds, Role, SECOND, Square},
};

/// A man that left its square so long before another one is hardly the one that comes to another square then.
const LEFT_US: i64 = SECOND;
/// How much likelier it is to take the man that moved last, in pawns.
const TAKES_BACK: u32 = 5;
/// No capture is worth more, in pawns.
const LIKELIEST: u32 = 14;

impl Search<'_> {
    /// How unlikely a ply is; `unfelt`: no sensor felt all that it touched, `unseen`: its man was not seen there.
    pub(super) fn unlikely(&self, m: Move, parent: &Node, index: usize, unfelt: bool, unseen: bool) -> u32 {
        let capture = if unfelt { self.unlikely_capture(m, parent) } else { 0 };
        let drop = if unseen { self.unlikely_drop(m, parent, index) } else { 0 };
        let order = !unseen && parent.absence == 0 && self.came_before_last(m, parent);
        let late = if unseen { 0 } else { self.came_after_press(m, parent, index) };
        let other = self.touched_another(m, parent);
        capture + drop + u32::from(self.another_left(m, parent)) + u32::from(order) + late + u32::from(other)
    }

    /// Whether another man of the opponent was lifted and put back, as when it is taken, after the one that the ply
    /// captures.
    fn touched_another(&self, m: Move, parent: &Node) -> bool {
        let changed = |square: Square| self.evidence.placement.changed(square);
        let them = parent.position.board().by_color(!parent.position.turn());
        let taken = m.is_capture() && self.restless.contains(m.to());
        taken && (self.restless & them).into_iter().any(|other| changed(other) > changed(m.to()))
    }

    /// How late the ply's man was seen where it went: after its clock had been pressed, or after it had been seen
    /// elsewhere since that, where it had stood then.
    fn came_after_press(&self, m: Move, parent: &Node, index: usize) -> u32 {
        let Some(press) = self.evidence.presses.get(index).filter(|_| m.promotion().is_none()) else { return 0 };
        let (since, to) = (self.evidence.since[index % 2], uci::destination(m));
        let man = m.role().of(parent.position.turn());
        if self.evidence.placement.showed(to, man, since, *press) {
            return 0;
        }
        let readings = |square: Square| self.evidence.placement.readings(square);
        let is_man = |reading: &Reading| reading.kinds == Kinds::only(man) && reading.since > *press;
        let Some(came) = readings(to).filter(is_man).last() else { return 1 };
        let others = !parent.position.board().occupied() & !Bitboard::from(to);
        let before = |reading: Reading| is_man(&reading) && reading.since < came.since;
        1 + u32::from(others.into_iter().any(|square| readings(square).any(before)))
    }

    /// Whether the ply's man was read where it went before the man of the ply before it. One scan may read them so.
    fn came_before_last(&self, m: Move, parent: &Node) -> bool {
        let changed = |m: Move| self.evidence.placement.changed(uci::destination(m));
        parent.line.last().is_some_and(|last| changed(m) < changed(*last))
    }

    /// Whether the ply's man left its square long before another one like it, which left before it came.
    fn another_left(&self, m: Move, parent: &Node) -> bool {
        let Some(from) = m.from().filter(|from| parent.mismatch.missing.contains(*from)) else { return false };
        let changed = |square: Square| self.evidence.placement.changed(square);
        let (left, came) = (changed(from), changed(uci::destination(m)));
        let alike = parent.position.board().by_piece(m.role().of(parent.position.turn())) & parent.mismatch.missing;
        alike.into_iter().any(|other| changed(other) > left + LEFT_US && changed(other) <= came)
    }

    /// How unlikely the kind of a dropped man is that nobody saw land: rather it was seen in passing, or is one that
    /// was handed over straight.
    fn unlikely_drop(&self, m: Move, parent: &Node, index: usize) -> u32 {
        let Move::Put { role, .. } = m else { return 0 };
        let (by, since) = (parent.position.turn(), self.evidence.since[index % 2]);
        let press = self.evidence.presses.get(index).copied().unwrap_or(Instant(i64::MAX));
        let passed =
            |reading: Reading| reading.kinds == Kinds::only(role.of(by)) && (since..=press).contains(&reading.since);
        let free = !parent.position.board().occupied();
        if free.into_iter().any(|square| self.evidence.placement.readings(square).any(passed)) {
            return 0;
        }
        let coming = self.evidence.lifted.get(by).is_some_and(|hand| *hand.coming.get(role));
        if coming { 1 } else { 2 }
    }

    /// How unlikely a capture is on a square that feels only that something is there: of what may have been taken in
    /// one motion the worth counts, and whether the captor is lost for it. Who is taken takes back.
    fn unlikely_capture(&self, m: Move, parent: &Node) -> u32 {
        let to = m.to();
        let Some(taken) = m.capture().filter(|_| self.evidence.placement.kinds(to) == Kinds::OCCUPIED) else {
            return 0;
        };
        let board = parent.position.board();
        let them = board.by_color(!parent.position.turn());
        let covered = (board.attacks_to(to, !parent.position.turn(), board.occupied()) & them).any();
        let taken = if parent.position.promoted().contains(to) { Role::Pawn } else { taken };
        let lost = if covered { worth(m.role()) } else { 0 };
        let back = if self.victim_stayed(to, parent) { TAKES_BACK } else { 0 };
        (LIKELIEST + lost).saturating_sub(worth(taken) + back)
    }
}

/// What a man is worth, in pawns.
fn worth(role: Role) -> u32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen | Role::King => 9,
    }
}

//! Which plies the squares allow: what left its square in a stretch of time, and what may have come to another.
//!
//! In: a line, what the squares showed until its press and later. Out: whether a ply may have been made then. What
//! speaks against it is for others to say (`charge`, `coming`).

use super::{Node, Squares, Teller, standing};
use crate::{
    notation::uci,
    rules::{Among, Move},
    types::{Bitboard, Instant, Kinds, Rank, Role, Square},
};

impl Teller<'_> {
    /// Squares that a ply may have left, and those where its man may have come to stand.
    pub(super) fn changed(&self, node: &Node, shown: &Squares, later: &Squares) -> Among {
        let board = node.position.board();
        let from = board.by_color(node.position.turn()) & shown.beyond(&node.squares);
        let to = !board.occupied() & (shown.felt() | later.felt());
        let promoting = Bitboard::from(Rank::First) | Bitboard::from(Rank::Eighth);
        let to = to | board.occupied() | self.account.blind | promoting;
        Among { from, to, drops: to, touching: Bitboard::FULL }
    }

    /// Whether the squares of a move showed what it leaves there.
    pub(super) fn may_have(&self, node: &Node, m: Move, shown: &Squares, later: &Squares) -> bool {
        let to = uci::destination(m);
        if !self.may_promote(node, m, shown) || self.dropped_another(node, m, shown) {
            return false;
        }
        let arrives = shown.at(to).meets(standing(&node.position, m));
        let left = m.from().is_none_or(|from| {
            let man = node.squares.at(from);
            shown.at(from).meets(Kinds::EMPTY) || !shown.at(from).meets(man) || shown.at(from).or(man) != man
        });
        let laid = m.promotion().is_some() && shown.at(to).meets(Kinds::EMPTY);
        let blind = self.log.blind(node.completed[1], node.completed[1]).contains(to)
            && self.account.may_be_blind(to, node.position.turn());
        let them = !node.position.turn();
        let takes = |role: Role| later.at(to).meets(Kinds::only(role.of(them)));
        let caught = || !node.position.board().by_color(them).contains(to) && Role::ALL.into_iter().any(takes);
        let taken = m.is_capture() && shown.at(to).meets(Kinds::EMPTY);
        left && (arrives || laid || blind || taken || caught() || self.exchanged(node, to, later))
    }

    /// Whether the man of a move was in the air when the clock was pressed, and was put down there after that.
    pub(super) fn may_land(&self, node: &Node, m: Move, press: Instant, later: &Squares) -> bool {
        let landed = self.log.landed(m.from(), (uci::destination(m), standing(&node.position, m)), press);
        landed.is_some() && self.may_promote(node, m, later) && !self.dropped_another(node, m, later)
    }

    /// Whether a man of the player stands later where the other one's may have captured before: nobody saw either.
    fn exchanged(&self, node: &Node, to: Square, later: &Squares) -> bool {
        let board = node.position.board();
        let turn = node.position.turn();
        let stands = |role: Role| later.at(to).meets(Kinds::only(role.of(turn)));
        let gone = |square: Square| later.at(square).meets(Kinds::EMPTY);
        Role::ALL.into_iter().any(stands) && board.attacks_to(to, !turn, board.occupied()).into_iter().any(gone)
    }

    /// Whether only the kind of a dropped man differs from the record: what left the tray tells it, where the square
    /// does not.
    fn dropped_another(&self, node: &Node, m: Move, shown: &Squares) -> bool {
        let Move::Put { role, to } = m else { return false };
        let any = shown.at(to).or(Kinds::OCCUPIED) == shown.at(to);
        let told = any && self.account.lifted.get(node.position.turn()).is_some();
        let same =
            || self.back(node).map(|ply| ply.played).eq(self.account.promoted.iter().take(node.len).rev().copied());
        let other = self.recorded_drop(node.len, to).is_some_and(|known| known != role);
        told && other && !self.may_be(node.len, role) && same()
    }

    /// A pawn becomes what nothing contradicts: the first kind of the rule set, or the man that stands there.
    fn may_promote(&self, node: &Node, m: Move, shown: &Squares) -> bool {
        let Some(role) = m.promotion() else { return true };
        let first =
            || self.account.said.get(node.position.turn()).or_else(|| node.position.rules().promotions().next());
        let same = |known: &&Move| known.from() == m.from() && known.promotion().is_some();
        let known = self.account.promoted.iter().find(same).and_then(|known| known.promotion());
        let shown = shown.at(m.to());
        let told = shown.or(Kinds::OCCUPIED) != shown;
        known.or_else(first) == Some(role) || told && shown.meets(Kinds::only(role.of(node.position.turn())))
    }
}

//! Which plies the squares allow: what left its square in a stretch of time, and what may have come to another.
//!
//! In: a line, what the squares showed until its press and later. Out: whether a ply may have been made then. What
//! speaks against it is for others to say (`charge`, `coming`).

use shakmaty::attacks;

use super::{LATE_US, Node, Squares, Teller, standing};
use crate::{
    notation::uci,
    rules::{Among, Attempt, Move},
    track::{cost, explain::named},
    types::{Bitboard, CastlingSide, Instant, Kinds, Rank, Role, Square},
};

impl Teller<'_> {
    /// Squares that a ply may have left, and those where its man may have come to stand.
    pub(super) fn changed(&self, node: &Node, shown: &Squares, later: &Squares) -> Among {
        let board = node.position.board();
        let from = board.by_color(node.position.turn()) & shown.beyond(&node.squares);
        let to = !board.occupied() & (shown.felt() | later.felt());
        let promoting = Bitboard::from(Rank::First) | Bitboard::from(Rank::Eighth);
        let to = to | board.occupied() | self.account.blind | promoting;
        let lies = |from: Square| self.lay(node, shown, from);
        let to = if (node.position.promoted() & from).into_iter().any(lies) { Bitboard::FULL } else { to };
        Among { from, to, drops: to, touching: Bitboard::FULL }
    }

    /// Illegal moves of men that were known to stand elsewhere at some instant, when the clock was pressed for them or
    /// for a later ply, and what they cost by name: they had left one square and come to the other since their player's
    /// last ply, and the scan of that instant has shown both.
    pub(super) fn illegal(&self, node: &Node, until: Instant) -> Vec<(Move, (&'static str, u32))> {
        let (position, late) = (&node.position, until + LATE_US);
        let board = position.board();
        let left = |from: &Square| {
            let last = self.log.last(*from, late).filter(|last| last.since >= node.since[0]);
            last.is_some_and(|last| !last.kinds.meets(node.squares.at(*from)))
        };
        let from: Vec<Square> = board.by_color(position.turn()).into_iter().filter(left).collect();
        let hand = *node.hands.get(position.turn());
        let held = |role: Role, seen: Instant| hand.is_none_or(|mut hand| hand.drop(role, seen).1 == 0);
        let mut moves = Vec::new();
        for to in Square::ALL {
            let Some(last) = self.log.last(to, late).filter(|last| last.since >= node.since[0]) else { continue };
            let Some(man) = last.kinds.single().flatten().filter(|man| man.color == position.turn()) else { continue };
            // On a square of an own man it stands rather because that one was captured, and the captor in turn.
            let free = !board.by_color(position.turn()).contains(to) && board.role_at(to) != Some(Role::King);
            let came = free && last.since <= until && !node.squares.at(to).meets(last.kinds);
            let walks = |from: &&Square| {
                let other = self.log.came_before(**from, (to, last.kinds), node.since[0], late);
                node.squares.at(**from).meets(last.kinds) && **from != to && !other
            };
            // Rather one was dropped that was in the hand, and a square that feels nothing hides where another is.
            let drops = position.is_legal(Move::Put { role: man.role, to });
            let dropped = drops && held(man.role, last.since);
            let attempt = |from: &Square| Attempt::Move { from: *from, to, promotion: None };
            // Where one may have come there by the laws, no other did.
            let legal = |from: &&Square| position.as_move(attempt(from)).is_some_and(|m| position.is_legal(m));
            let lawful = from.iter().filter(legal).any(|from| walks(&from));
            let carried = |from: Square| came && self.was_carried(node, from, &last, late);
            let walked = from.iter().filter(|from| (!dropped || carried(**from)) && !lawful && walks(from));
            let attempts = walked.map(attempt);
            let attempts = attempts.chain(Some(Attempt::Drop { man, to })).filter(|_| came);
            let played = attempts.filter_map(|attempt| position.as_move(attempt));
            let played = played.filter(|m| !position.is_legal(*m) && self.may_be_dropped(node, *m));
            let played = played.filter(|m| !self.is_barred_by_unseen(node, (*m, last.since)));
            let weight = |m: &Move| match m.from() {
                Some(from) if drops && carried(from) => named!(ILLEGAL_CARRIED),
                _ => named!(ILLEGAL),
            };
            moves.extend(played.map(|m| (m, weight(&m))));
        }
        let walked = Square::ALL.into_iter().flat_map(|to| self.walked(node, &from, to, until));
        moves.extend(walked.map(|m| (m, named!(ILLEGAL))));
        moves.extend(self.illegal_castlings(node, until).map(|m| (m, named!(ILLEGAL_CASTLING))));
        moves
    }

    /// Whether a man that no sensor has shown stands in the way of a move, or where it goes, or one is dropped on
    /// another that had left while its own player was to move, or that has been off its tray for a ply of its player:
    /// a sensor may feel nothing.
    fn is_barred_by_unseen(&self, node: &Node, (m, came): (Move, Instant)) -> bool {
        let Some(from) = m.from() else {
            let empty = self.log.last(m.to(), came + -1).filter(|before| before.kinds == Kinds::EMPTY);
            let hand = node.hands.get(node.position.turn()).filter(|hand| *hand.men.get(m.role()) > 0);
            return empty.is_some_and(|empty| empty.since < node.completed[1])
                || hand.is_some_and(|hand| *hand.taken.get(m.role()) < node.completed[0]);
        };
        let way = attacks::between(from, m.to()).with(m.to());
        let mut others = self.back(node).step_by(2);
        others.any(|ply| ply.came.is_none() && way.contains(uci::destination(ply.played)))
    }

    /// Illegal moves of men that had left some squares to a free one of which it is only felt that something came
    /// there: no other man can have gone there by the laws, and none was in hand.
    fn walked(&self, node: &Node, left: &[Square], to: Square, until: Instant) -> Vec<Move> {
        let (position, kinds) = (&node.position, Kinds::OCCUPIED);
        let last = self.log.last(to, until + LATE_US).filter(|last| (node.since[0]..=until).contains(&last.since));
        if last.is_none_or(|last| last.kinds != kinds) || node.squares.at(to).meets(kinds) {
            return Vec::new();
        }
        let walks = |from: &&Square| !self.log.came_before(**from, (to, kinds), node.since[0], until + LATE_US);
        let attempts = left.iter().filter(walks).map(|from| Attempt::Move { from: *from, to, promotion: None });
        let moves: Vec<Move> = attempts.filter_map(|attempt| position.as_move(attempt)).collect();
        let drops = Role::ALL.into_iter().any(|role| position.is_legal(Move::Put { role, to }));
        let dropped = drops && !self.is_from_nobody(node, to, until);
        let lawful = dropped || moves.iter().any(|m| position.is_legal(*m));
        if lawful { Vec::new() } else { moves }
    }

    /// Castlings against the rules whose king and rook have come to their squares until some instant.
    fn illegal_castlings(&self, node: &Node, until: Instant) -> impl Iterator<Item = Move> {
        let turn = node.position.turn();
        let came = move |role: Role, to: Square| {
            let last = self.log.last(to, until + LATE_US).filter(|last| last.since >= node.since[0]);
            let man = Kinds::only(role.of(turn));
            last.is_some_and(|last| last.kinds == man && !node.squares.at(to).meets(man))
        };
        let sides = [CastlingSide::KingSide, CastlingSide::QueenSide].into_iter();
        let castled =
            sides.filter(move |side| came(Role::King, side.king_to(turn)) && came(Role::Rook, side.rook_to(turn)));
        let played = castled.filter_map(|side| node.position.as_move(Attempt::Castle(side)));
        played.filter(|m| !node.position.is_legal(*m))
    }

    /// Whether a man that is dropped against the rules is one that the player has.
    fn may_be_dropped(&self, node: &Node, m: Move) -> bool {
        let Move::Put { role, .. } = m else { return true };
        *node.position.pocket(node.position.turn()).get(role) > 0
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
        let lies = m.promotion().is_some() || m.from().is_some_and(|from| self.lay(node, shown, from));
        let laid = lies && shown.at(to).meets(Kinds::EMPTY);
        let blind = self.log.blind(node.completed[1], node.completed[1]).contains(to)
            && self.account.may_be_blind(to, node.position.turn());
        let them = !node.position.turn();
        let takes = |role: Role| later.at(to).meets(Kinds::only(role.of(them)));
        let caught = || !node.position.board().by_color(them).contains(to) && Role::ALL.into_iter().any(takes);
        let taken = m.is_capture() && shown.at(to).meets(Kinds::EMPTY);
        left && (arrives || laid || blind || taken || caught() || self.exchanged(node, to, later))
    }

    /// Whether a promoted man lay on a square, where nothing felt it, while a clock told of every ply.
    fn lay(&self, node: &Node, shown: &Squares, from: Square) -> bool {
        self.account.deaf.is_none() && node.position.promoted().contains(from) && shown.at(from) == Kinds::EMPTY
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

    /// A pawn becomes what its player said, or what nothing contradicts: the first kind of the rule set, or the man
    /// that stands there.
    fn may_promote(&self, node: &Node, m: Move, shown: &Squares) -> bool {
        let Some(role) = m.promotion() else { return true };
        let otherwise = |said: &Move| said.from() == m.from() && said.promotion() != Some(role);
        if self.account.declared.iter().any(otherwise) {
            return false;
        }
        let first =
            || self.account.said.get(node.position.turn()).or_else(|| node.position.rules().promotions().next());
        let same = |known: &&Move| known.from() == m.from() && known.promotion().is_some();
        let known = self.account.promoted.iter().find(same).and_then(|known| known.promotion());
        let shown = shown.at(m.to());
        let told = shown.or(Kinds::OCCUPIED) != shown;
        known.or_else(first) == Some(role) || told && shown.meets(Kinds::only(role.of(node.position.turn())))
    }
}

//! Men that went on from where they had gone before any scan saw them there.
//!
//! In: a line, what the squares showed. Out: where a man may have gone that nobody saw, and whether a ply moves such a
//! one on: then it costs less that nobody saw it. A man that was put elsewhere before its player could see the other
//! one's answer has not moved twice. It does not know what else speaks for or against such plies.

use super::{GONE_US, LATE_US, Node, Teller};
use crate::{
    notation::uci,
    rules::{Among, Move},
    track::{CARRIED_US, SCAN_US, cost, search},
    types::{Bitboard, Instant, Kinds, Piece, Role, Square},
};

/// What it costs too much that nobody saw a man where it went that went on at once.
pub(super) const WENT_ON: u32 = cost::NEVER - cost::WENT_ON;
/// How soon after the press a man goes on that no scan sees in between: it is in the hand meanwhile.
const WENT_ON_US: i64 = GONE_US;

/// Squares where nothing was seen and from which a man may have gone on, by its role and the square that it left if it
/// was not dropped.
#[derive(Default)]
pub(super) struct Passed(Vec<(Role, Option<Square>, Bitboard)>);

impl Passed {
    /// Those of men that were on the board, or that were dropped.
    pub(super) fn squares(&self, dropped: bool) -> Bitboard {
        let of = self.0.iter().filter(|(_, from, _)| from.is_none() == dropped);
        of.fold(Bitboard::EMPTY, |all, (_, _, passed)| all | *passed)
    }

    /// Whether a move leads to one.
    pub(super) fn has(&self, m: Move) -> bool {
        let of = |role: Role, from: Option<Square>| m.from() == from && (from.is_some() || m.role() == role);
        self.0.iter().any(|(role, from, passed)| of(*role, *from) && passed.contains(uci::destination(m)))
    }
}

impl Teller<'_> {
    /// Free squares where a man may have gone, or was dropped, until some instant, when it is `pressed` for or not, to
    /// be seen next where it went from there.
    pub(super) fn passed(&self, node: &Node, among: &Among, until: Instant, pressed: bool) -> Passed {
        if self.account.is_turn(until) {
            return Passed::default();
        }
        let board = node.position.board();
        let came = self.log.begun(if pressed { until } else { node.since[0] }, until + WENT_ON_US);
        let passed = |man: Piece, from: Option<Square>| {
            let occupied = board.occupied() & !from.map_or(Bitboard::EMPTY, Bitboard::from);
            let came = came.iter().filter(|seen| Some(seen.square) != from && seen.kinds == Kinds::only(man));
            came.clone().next()?;
            let goes = |from: Square, to: Square| search::may_go(man, from, to, occupied);
            // Whom a pawn captures may have come since.
            let takes = |from: Square, to: Square| shakmaty::attacks::attacks(from, man, occupied).contains(to);
            let goes_on = |via: &Square| came.clone().any(|seen| goes(*via, seen.square) || takes(*via, seen.square));
            let free = |via: &Square| !occupied.contains(*via) && from.is_none_or(|from| goes(from, *via));
            let squares: Bitboard = Square::ALL.into_iter().filter(free).filter(goes_on).collect();
            squares.any().then_some((man.role, from, squares))
        };
        // A king seldom moves twice at once, and two squares off it has castled.
        let left = |from: Square| {
            board.piece_at(from).filter(|man| man.role != Role::King).and_then(|man| passed(man, Some(from)))
        };
        let turn = node.position.turn();
        let hand = node.hands.get(turn);
        // Without a tray nobody knows what is in the hand.
        let held = |role: &Role| hand.is_some_and(|mut hand| hand.drop(*role, until).1 == 0);
        let dropped = Role::ALL.into_iter().filter(held).filter_map(|role| passed(role.of(turn), None));
        Passed(among.from.into_iter().filter_map(left).chain(dropped).collect())
    }

    /// Whether a ply moves the man on that nobody saw where its player's last ply brought it, and which came so soon,
    /// after the other player's.
    pub(super) fn goes_on(&self, node: &Node, m: Move, came: Instant) -> bool {
        let replied = self.back(node).next().is_some_and(|reply| reply.made_at <= came + CARRIED_US);
        let own = self.back(node).nth(1).filter(|own| node.never && came - own.completed_at < WENT_ON_US);
        replied && own.is_some_and(|own| m.from() == Some(uci::destination(own.played)))
    }

    /// Whether a ply moves the man of its player's last one, which had left before its player could see the one
    /// between, and nobody pressed for either.
    pub(super) fn moves_on(&self, node: &Node, m: Move, until: Instant) -> bool {
        if node.unpressed < 2 || self.account.is_turn(until) {
            return false;
        }
        let own = self.back(node).nth(1).filter(|own| m.from() == Some(uci::destination(own.played)));
        let left = own
            .and_then(|own| self.log.arrived(uci::destination(own.played), Kinds::EMPTY, own.made_at, until + LATE_US));
        let reply = self.back(node).next().and_then(|reply| reply.came);
        left.zip(reply).is_some_and(|(left, reply)| left < reply + SCAN_US)
    }
}

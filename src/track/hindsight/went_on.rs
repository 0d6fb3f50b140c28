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
    types::{Bitboard, Instant, Kinds, Role, Square},
};

/// What it costs too much that nobody saw a man where it went that went on at once.
pub(super) const WENT_ON: u32 = cost::NEVER - cost::WENT_ON;
/// How soon after the press a man goes on that no scan sees in between: it is in the hand meanwhile.
const WENT_ON_US: i64 = GONE_US;

/// Squares where nothing was seen and from which a man may have gone on, by the squares that it left.
#[derive(Default)]
pub(super) struct Passed(Vec<(Square, Bitboard)>);

impl Passed {
    /// All of them.
    pub(super) fn squares(&self) -> Bitboard {
        self.0.iter().fold(Bitboard::EMPTY, |all, (_, passed)| all | *passed)
    }

    /// Whether a move leads to one.
    pub(super) fn has(&self, m: Move) -> bool {
        self.0.iter().any(|(from, passed)| m.from() == Some(*from) && passed.contains(uci::destination(m)))
    }
}

impl Teller<'_> {
    /// Free squares where a man may have gone that is pressed for then, to be seen next where it went from there.
    pub(super) fn passed(&self, node: &Node, among: &Among, press: Instant) -> Passed {
        let board = node.position.board();
        let came = self.log.begun(press, press + WENT_ON_US);
        let passed = |from: Square| {
            // A king seldom moves twice at once, and two squares off it has castled.
            let man = board.piece_at(from).filter(|man| man.role != Role::King)?;
            let occupied = board.occupied() & !Bitboard::from(from);
            let came = came.iter().filter(|reading| reading.square != from && reading.kinds == Kinds::only(man));
            came.clone().next()?;
            let goes = |from: Square, to: Square| search::may_go(man, from, to, occupied);
            // Whom a pawn captures may have come since.
            let takes = |from: Square, to: Square| shakmaty::attacks::attacks(from, man, occupied).contains(to);
            let goes_on = |via: &Square| came.clone().any(|seen| goes(*via, seen.square) || takes(*via, seen.square));
            let free = |via: &Square| !occupied.contains(*via) && goes(from, *via);
            let squares: Bitboard = Square::ALL.into_iter().filter(free).filter(goes_on).collect();
            squares.any().then_some((from, squares))
        };
        Passed(among.from.into_iter().filter_map(passed).collect())
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

//! Presses for nothing: no ply answers them.
//!
//! In: a line, a press, what the squares showed then. Out: the line with that press for nothing, and what speaks
//! against that: men that had come to stand somewhere in that turn. Whether a ply answers it better, it does not know.

use super::{LATE_US, Node, Teller};
use crate::{
    track::{Press, cost, explain::weigh, search},
    types::{Bitboard, Instant, Square},
};

impl Teller<'_> {
    /// A line with a press for nothing, if lines may cost so much.
    pub(super) fn idle(&mut self, node: &Node, press: Press) -> Option<Node> {
        let turn = self.account.is_turn(press.at);
        let least = match node.idle {
            _ if turn => cost::NO_PLY,
            true => cost::IDLE_BACK,
            false => cost::IDLE,
        };
        if node.cost + least > self.most {
            return None;
        }
        let more = match node.idle {
            // What the other player still does before the first ply belongs to the one before.
            _ if turn && node.len == 0 && press.by != node.position.turn() => {
                weigh!(self.items, NO_PLY)
            }
            _ if turn => {
                let apart = self.out_of_place(node, press.at).count() as u32;
                weigh!(self.items, NO_PLY) + weigh!(self.items, LINGERED * apart)
            }
            true => weigh!(self.items, IDLE_BACK),
            false => {
                let apart = self.out_of_place(node, press.at);
                let stood = self.stood_at(node, press.at, apart).count() as u32;
                let made = u32::from(self.had_moved(node, press, apart));
                weigh!(self.items, IDLE) + weigh!(self.items, LINGERED * stood) + weigh!(self.items, IDLE_MADE * made)
            }
        };
        let items = self.items.after(&node.items);
        let idles = node.idles + usize::from(!turn);
        let cost = node.cost + more;
        (cost <= self.most).then(|| Node { cost, items, idle: !node.idle, idles, ..node.clone() })
    }

    /// Squares that were not as they had been before a turn when it ended.
    fn out_of_place(&self, node: &Node, at: Instant) -> Bitboard {
        let shown = self.log.shown(at, at + LATE_US);
        let blind = self.log.blind(node.completed[1], at);
        node.squares.apart(&shown) & !node.wrong & !blind
    }

    /// Those of these squares on which men had come to stand in that turn that had not been on squares nearby.
    fn stood_at(&self, node: &Node, at: Instant, apart: Bitboard) -> Bitboard {
        let came = |square: &Square| {
            let last = self.log.last(*square, at).filter(|last| last.since > node.completed[1])?;
            let man = last.kinds.single().flatten()?;
            let stray = |from| search::stray(&node.position, man, from, *square).1 < cost::FOREIGN;
            let alike = apart & node.position.board().by_piece(man);
            (!alike.into_iter().any(stray)).then_some(())
        };
        apart.into_iter().filter(|square| came(square).is_some()).collect()
    }

    /// Whether the player who pressed had brought a man in this turn to where it may go, and it stood there, by the
    /// squares that were out of place.
    fn had_moved(&self, node: &Node, press: Press, apart: Bitboard) -> bool {
        let board = node.position.board();
        let made = |to: Square| {
            let last = self.log.last(to, press.at).filter(|last| last.since > node.completed[1])?;
            let man = last.kinds.single().flatten().filter(|man| man.color == press.by)?;
            let goes = |from: Square| search::may_go(man, from, to, board.occupied());
            (apart & board.by_piece(man)).into_iter().any(goes).then_some(())
        };
        node.position.turn() == press.by && apart.into_iter().any(|to| made(to).is_some())
    }
}

//! Which lines are followed: the cheapest, of those that nothing later can tell apart only one.
//!
//! In: the lines after a press. Out: those that are kept. What a line costs is known before.

use super::{Node, Teller};
use crate::{
    rules::Move,
    track::search::{self, Hand},
    types::ByColor,
};

impl Teller<'_> {
    /// The cheapest lines, of those that lead to the same only one.
    pub(super) fn cheapest(&self, lines: Vec<Node>) -> Vec<Node> {
        if lines.len() < 2 {
            return lines;
        }
        // Lines are large: their order is found first.
        let mut order: Vec<(u32, usize)> = lines.iter().enumerate().map(|(index, node)| (node.cost, index)).collect();
        order.sort_unstable();
        let most = self.lines();
        let mut kept: Vec<usize> = Vec::with_capacity(most.min(lines.len()));
        for (_, index) in order {
            if kept.len() < most && !kept.iter().any(|other| self.are_alike(&lines[index], &lines[*other])) {
                kept.push(index);
            }
        }
        let mut lines: Vec<Option<Node>> = lines.into_iter().map(Some).collect();
        kept.into_iter().filter_map(|index| lines[index].take()).collect()
    }

    /// Whether what comes later cannot tell two lines apart.
    fn are_alike(&self, node: &Node, other: &Node) -> bool {
        other.completed == node.completed
            && other.position.turn() == node.position.turn()
            && other.squares == node.squares
            && (self.account.arrived.iter().all(Hand::is_explained)
                || self.arrived(node, node.len) == self.arrived(other, other.len))
    }

    /// Men in partners' trays that no capture explains, if these plies were played and not so many of the record.
    pub(super) fn arrived(&self, node: &Node, recorded: usize) -> ByColor<Hand> {
        let first = self.account.root.turn();
        let captures = |(index, m): (usize, Move)| Some((if index % 2 == 0 { first } else { !first }, m.capture()?));
        let record = self.account.promoted.iter().copied().take(recorded).enumerate().filter_map(captures);
        let mut plies: Vec<Move> = self.back(node).map(|ply| ply.played).collect();
        plies.reverse();
        search::recaptured(self.account.arrived, record, plies.into_iter().enumerate().filter_map(captures))
    }
}

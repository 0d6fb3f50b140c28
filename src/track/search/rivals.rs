//! Other first plies that explained as much once.
//!
//! In: such a ply, the line that is believed now. Out: whether it still does. It looks for no new ones.

use super::{Evidence, Explanation, Search};
use crate::{
    rules::{BoardPosition, Move},
    track::{cost, past::reread},
};

/// Whether another first ply, followed by plies that touch the same squares, explains as much as a line that was found.
pub fn rivals(position: &BoardPosition, evidence: Evidence<'_>, rival: Move, found: &Explanation) -> bool {
    // That it was not believed is nothing against it, and its man was seen as the other one was.
    let before = &[rival];
    let search = Search::new(position, Evidence { before, ..evidence });
    let start = Some(search.root(position)).filter(|root| root.position.is_legal(rival));
    let first = start.map(|root| search.child(&root, rival));
    let node = found.line.iter().skip(1).try_fold(first, |node, m| {
        let node = node?;
        Some(reread(&node.position, *m).map(|m| search.child(&node, m)))
    });
    node.flatten().is_some_and(|node| node.cost < found.cost + cost::MARGIN)
}

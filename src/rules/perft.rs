//! Node counts: the classical test of a move generator.

use shakmaty::Move;

use super::BoardPosition;

/// Leaves of the tree of legal moves of one board, `depth` plies deep. A captured man leaves to the partner.
///
/// ```
/// use bughoused::rules::{BoardPosition, RuleSet, divide, perft};
///
/// let start = BoardPosition::new(RuleSet::WBN_1_00.moves);
/// assert_eq!(perft(&start, 3), 8902);
/// assert_eq!(divide(&start, 3).iter().map(|(_, nodes)| nodes).sum::<u64>(), 8902);
/// ```
pub fn perft(position: &BoardPosition, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if depth == 1 {
        return position.count_legal_moves() as u64;
    }
    position.legal_moves().iter().map(|m| perft(&after(position, *m), depth - 1)).sum()
}

/// The same by first move, in the order of generation.
pub fn divide(position: &BoardPosition, depth: u32) -> Vec<(Move, u64)> {
    let Some(rest) = depth.checked_sub(1) else { return Vec::new() };
    position.legal_moves().iter().map(|m| (*m, perft(&after(position, *m), rest))).collect()
}

fn after(position: &BoardPosition, m: Move) -> BoardPosition {
    let mut next = position.clone();
    next.play(m);
    next
}

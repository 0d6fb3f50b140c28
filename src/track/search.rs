//! The cheapest line of plies that explains a placement.
//!
//! A line is legal from the confirmed position on. Its cost counts its plies, the men in the air and the men that
//! should not stand there, and a little for leaving the line that was believed before, so that a man that is lifted for
//! a moment changes nothing. Levels of plies are searched one after the other until no man is left that should not be
//! there. Only moves that touch a contradicted square are tried: any other makes the line worse.

use arrayvec::ArrayVec;

use crate::{
    notation::uci,
    rules::{BoardPosition, Move, Pocket},
    sense::{Mismatch, Placement},
    types::{Bitboard, ByColor, Color, Role},
};

/// Most plies of a line.
pub const PLIES_MAX: usize = 4;
/// Most lines that are kept a level.
const FRONTIER_MAX: usize = 48;

/// A ply more.
const COST_PLY: u32 = 2;
/// A man in the air.
const COST_MISSING: u32 = 2;
/// A man where none should stand.
const COST_FOREIGN: u32 = 16;
/// A ply whose man has never been seen on its destination: it may go anywhere yet.
const COST_UNSEEN: u32 = 8;
/// A drop of a man that was not seen to leave the pocket.
const COST_FROM_NOWHERE: u32 = 3;
/// A man that left its pocket and is not dropped by the line.
const COST_IN_HAND: u32 = 3;
/// A press that no ply of the line answers.
const COST_PRESS: u32 = 8;
/// Another line than before, for each ply of the earlier one that is given up.
const COST_CHANGE: u32 = 3;

/// A line of moves.
pub type Line = ArrayVec<Move, PLIES_MAX>;

/// Men that may be on their way into the pockets of a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arriving(ByColor<Pocket>);

impl Arriving {
    /// One man more for a colour.
    pub fn add(&mut self, color: Color, role: Role) {
        *self.0.get_mut(color).get_mut(role) += 1;
    }

    /// The position with the men in its pockets.
    pub fn apply(&self, position: &BoardPosition) -> BoardPosition {
        let mut position = position.clone();
        for color in Color::ALL {
            for role in Role::ALL {
                for _ in 0..*self.0.get(color).get(role) {
                    position.add_to_pocket(color, role);
                }
            }
        }
        position
    }
}

/// The best explanation of a placement.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The moves beyond the confirmed position.
    pub line: Line,
    /// What the line leaves unexplained.
    pub mismatch: Mismatch,
    /// Its cost.
    pub cost: u32,
}

struct Node {
    line: Line,
    position: BoardPosition,
    mismatch: Mismatch,
    cost: u32,
}

/// What there is to go by.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// What the sensors show.
    pub placement: &'a Placement,
    /// The line that was believed until now.
    pub before: &'a [Move],
    /// Presses of the clock that wait for their plies.
    pub presses: usize,
    /// Men that left the pocket of each player, where a tray tells.
    pub lifted: &'a ByColor<Option<Pocket>>,
}

/// Explains the evidence by at most `plies` plies.
pub fn explain(position: &BoardPosition, evidence: Evidence<'_>, plies: usize) -> Explanation {
    let root = node(Line::new(), position.clone(), &evidence);
    let mut best = believed(&root, &evidence);
    let ambiguous = evidence.placement.ambiguous() & root.position.board().occupied();
    let arrived = root.mismatch.foreign.any() || ambiguous.any();
    let pressed = evidence.presses > 0 && root.mismatch.missing.any();
    if !arrived && !pressed {
        return best; // men are at home or in the air
    }
    let mut frontier = vec![root];
    for _ in 0..plies.min(PLIES_MAX) {
        frontier = expand(&frontier, &evidence);
        if let Some(found) = frontier.first().filter(|found| found.cost < best.cost) {
            best = explanation(found);
        }
        if best.mismatch.foreign.is_empty() && !best.line.is_empty() {
            break;
        }
    }
    best
}

/// The cheapest of the line that was believed and what it begins with; the shortest of equal ones.
fn believed(root: &Node, evidence: &Evidence<'_>) -> Explanation {
    let mut best = explanation(root);
    let (mut line, mut position) = (Line::new(), root.position.clone());
    for m in evidence.before.iter().take(PLIES_MAX) {
        if !position.is_legal(*m) {
            break;
        }
        line.push(*m);
        position.play(*m);
        let longer = node(line.clone(), position.clone(), evidence);
        if longer.cost < best.cost {
            best = explanation(&longer);
        }
    }
    best
}

fn explanation(node: &Node) -> Explanation {
    Explanation { line: node.line.clone(), mismatch: node.mismatch, cost: node.cost }
}

/// All lines one ply longer, the cheapest first; equal ones in the order of generation.
fn expand(frontier: &[Node], evidence: &Evidence<'_>) -> Vec<Node> {
    let mut next = Vec::new();
    for parent in frontier {
        let touched = parent.mismatch.any();
        for m in parent.position.legal_moves() {
            if touches(m, touched) {
                let mut line = parent.line.clone();
                line.push(m);
                let mut position = parent.position.clone();
                position.play(m);
                next.push(node(line, position, evidence));
            }
        }
    }
    next.sort_by_key(|node| node.cost);
    next.truncate(FRONTIER_MAX);
    next
}

/// Whether a move leaves or, for a drop, reaches a contradicted square.
fn touches(m: Move, squares: Bitboard) -> bool {
    m.from().map_or(squares.contains(m.to()), |from| squares.contains(from))
}

/// How well the drops of a line that ends with `turn` to move agree with what left the pockets.
fn cost_of_drops(line: &Line, turn: Color, lifted: &ByColor<Option<Pocket>>) -> u32 {
    let mut hands = *lifted;
    let mut cost = 0;
    let mut mover = if line.len() % 2 == 0 { turn } else { !turn };
    for m in line {
        if let (Move::Put { role, .. }, Some(hand)) = (m, hands.get_mut(mover)) {
            let held = hand.get_mut(*role);
            cost += if *held == 0 { COST_FROM_NOWHERE } else { 0 };
            *held = held.saturating_sub(1);
        }
        mover = !mover;
    }
    let held = |hand: &Option<Pocket>| hand.map_or(0, |hand| hand.into_iter().map(u32::from).sum());
    cost + COST_IN_HAND * (held(&hands.white) + held(&hands.black))
}

fn node(line: Line, position: BoardPosition, evidence: &Evidence<'_>) -> Node {
    let mismatch = evidence.placement.mismatch(&position);
    let kept = line.iter().zip(evidence.before).take_while(|(new, old)| new == old).count();
    // nothing holds back a line that leaves nothing open
    let given_up = if mismatch.is_empty() { 0 } else { evidence.before.len() - kept };
    let arrivals: Bitboard = line[kept..].iter().map(|m| uci::destination(*m)).collect();
    let unseen = arrivals & mismatch.missing & !position.promoted();
    let cost = line.len() as u32 * COST_PLY
        + mismatch.missing.count() as u32 * COST_MISSING
        + mismatch.foreign.count() as u32 * COST_FOREIGN
        + unseen.count() as u32 * COST_UNSEEN
        + evidence.presses.saturating_sub(line.len()) as u32 * COST_PRESS
        + cost_of_drops(&line, position.turn(), evidence.lifted)
        + given_up as u32 * COST_CHANGE;
    Node { line, position, mismatch, cost }
}

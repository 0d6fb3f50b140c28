//! Which moves are weighed after a line.
//!
//! In: what the board contradicts of the line, the line that was believed, who has men in hand. Out: moves that touch a
//! square that asks for one; any other makes the line worse.

use super::{Node, Search};
use crate::{
    rules::{Among, Move},
    types::{Bitboard, ByRole},
};

/// Squares and moves that are worth weighing.
pub struct Reach {
    /// Moves that are generated.
    pub among: Among,
    /// Squares that ask for a move from them.
    from: Bitboard,
    /// Squares that ask for a drop.
    drops: Bitboard,
    /// Kinds of which a man was taken in hand where nobody looked: it may have been dropped anywhere and moved on.
    anywhere: ByRole<bool>,
    /// The next move of the line that was believed.
    expected: Option<Move>,
}

impl Reach {
    /// What is worth weighing after a line.
    pub fn after(search: &Search<'_>, parent: &Node) -> Reach {
        let evidence = &search.evidence;
        let expected = search.kept(&parent.line) == parent.line.len();
        let expected = evidence.before.get(parent.line.len()).copied().filter(|_| expected);
        let absent = evidence.blind & parent.position.board().occupied();
        let from = parent.mismatch.any() | search.restless | search.returned | absent;
        let drops = if evidence.presses.len() > parent.line.len() { from | search.dark } else { from };
        let anywhere = dropped_unseen(search, parent);
        let everywhere = if anywhere.iter().any(|some| *some) { Bitboard::FULL } else { drops };
        let mut among = Among { from, to: Bitboard::FULL, drops: everywhere, touching: Bitboard::FULL };
        match expected.map(|m| m.from().ok_or(m.to())) {
            Some(Ok(from)) => among.from.add(from),
            Some(Err(to)) => among.drops.add(to),
            None => {}
        }
        Reach { among, from, drops, anywhere, expected }
    }

    /// Whether a move is one of those.
    pub fn has(&self, search: &Search<'_>, parent: &Node, m: Move) -> bool {
        let drops = || self.drops.contains(m.to()) || *self.anywhere.get(m.role());
        let touches = m.from().map_or_else(drops, |from| self.from.contains(from));
        self.expected == Some(m) || touches && search.may_promote(parent, m)
    }
}

/// Kinds of which the player to move has taken a man from the tray that the line does not drop, where nobody looked.
fn dropped_unseen(search: &Search<'_>, parent: &Node) -> ByRole<bool> {
    let turn = parent.position.turn();
    let Some(hand) = search.evidence.lifted.get(turn).as_ref().filter(|_| search.evidence.gap) else {
        return ByRole::default();
    };
    let own = parent.line.iter().rev().skip(1).step_by(2);
    let dropped: Vec<Move> = own.filter(|m| m.from().is_none()).copied().collect();
    let left = |role| {
        let dropped = dropped.iter().filter(|m| m.role() == role).count();
        usize::from(*hand.men.get(role)) > dropped
    };
    ByRole::new_with(left)
}

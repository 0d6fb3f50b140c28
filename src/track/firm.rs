//! When a pressed ply is certain enough to be completed.
//!
//! In: the first ply of the line and its press. Out: until when the man may go on, be put down elsewhere, or be
//! explained as another one. Whether it is due at all is `board`'s.

use super::{
    AT_PRESS_US, LOOK_BACK_REST_US, Press, SCAN_US, UNEXPLAINED_US,
    board::{BoardTrack, LinePly},
    search::{self, Evidence},
};
use crate::{
    notation::uci,
    rules::{BoardPosition, Move},
    types::{Color, File, Instant, Rank, Role, Square},
};

/// How the man of a pressed ply is not where it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Absent {
    /// It stood there when the clock was pressed and is in the air now.
    Now,
    /// It had left when the clock was pressed.
    AtPress,
}

impl BoardTrack {
    /// When the ply can no longer be another one: its man was seen by two scans where it may slide on, what is open has
    /// been told, and nothing that explains the board better is waited for.
    pub(super) fn firm_at(&self, position: &BoardPosition, ply: &LinePly) -> Instant {
        let absent = self.presses.front().zip(self.absent).map(|(press, absent)| match absent {
            Absent::Now => press.at + SCAN_US,
            Absent::AtPress => press.at + UNEXPLAINED_US,
        });
        let firm = if slides(position, ply.played) { ply.made_at + SCAN_US } else { ply.made_at };
        // Another man of the player in the air may be the move, or a part of it.
        let unclear = self.in_air.any() || self.shaky || self.is_doubtful_line() || self.strained || self.exchanged;
        let asked = if self.strained { self.changed_at + LOOK_BACK_REST_US } else { Instant::LONG_AGO };
        let asked = |press: &Press| (press.at + SCAN_US).max(asked.min(press.at + UNEXPLAINED_US));
        let open = self.presses.front().filter(|_| unclear).map(asked);
        // No such man is known to be in any hand, and one of the board's is in the air.
        let from_nobody = self.presses.front().filter(|_| self.dropped_lies && self.in_air.any());
        let from_nobody = from_nobody.map(|press| press.at + UNEXPLAINED_US);
        let outweighed = self.outweighed.filter(|_| self.doubtful_press().is_some());
        [absent, open, from_nobody, outweighed].into_iter().flatten().fold(firm, Instant::max)
    }
}

/// Whether the man of a pressed ply is not where it should be.
pub(super) fn absent(
    position: &BoardPosition,
    m: Move,
    found: &search::Explanation,
    evidence: Evidence<'_>,
) -> Option<Absent> {
    let to = uci::destination(m);
    let gone = found.mismatch.missing.contains(to) && m.promotion().is_none();
    let press = evidence.presses.first().filter(|_| gone)?;
    let man = m.role().of(position.turn());
    let showed = evidence.placement.showed(to, man, *press + -AT_PRESS_US, *press);
    Some(if showed { Absent::Now } else { Absent::AtPress })
}

/// Whether one scan may show the move where something else is played: the man goes on in the same motion, or the man
/// that seems dropped came from a square that the scan has not visited yet.
fn slides(position: &BoardPosition, m: Move) -> bool {
    match m {
        Move::Normal { role: Role::Bishop | Role::Rook | Role::Queen, .. } => true,
        Move::Normal { role: Role::Pawn, capture: None, from, to, .. } => {
            from.distance(to) == 1 && could_step_on(position, from)
        }
        Move::Normal { role: Role::King, from, .. } => {
            position.castles().has_color(position.turn()) && from.file() == File::E
        }
        Move::Put { role, to } => reaches(position, role, to),
        _ => false,
    }
}

/// Whether a man of this kind on the board could move to the square.
fn reaches(position: &BoardPosition, role: Role, to: Square) -> bool {
    let moves = position.legal_moves();
    moves.iter().any(|m| m.role() == role && m.to() == to && m.from().is_some())
}

/// Whether a pawn on this square may still step two.
fn could_step_on(position: &BoardPosition, from: Square) -> bool {
    from.rank()
        == match position.turn() {
            Color::White => Rank::Second,
            Color::Black => Rank::Seventh,
        }
}

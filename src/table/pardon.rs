//! Drops that were illegal because nobody had captured such a man, until another board's plies were put right.
//!
//! In: the game as it is recorded now. Out: the same drop as a legal ply, which takes back what was said of it (WBN
//! 1.14). It reads no squares.

use super::{Table, play::seen};
use crate::{rules::Reason, track::Revision, types::BoardId};

impl Table {
    /// The first illegal drop that the record explains now, if it was put right since this was asked last.
    pub(super) fn pardon_drops(&mut self) -> Option<Revision> {
        if !std::mem::take(&mut self.play.revised) {
            return None;
        }
        let (board, index) = self.explained_drop()?;
        let seen = seen(&self.sensors, &self.play.game, &self.play.ledger, board);
        self.play.tracker.pardon(&self.play.game, board, index, &seen)
    }

    fn explained_drop(&self) -> Option<(BoardId, usize)> {
        let missed = |illegal: &[Reason]| illegal == [Reason::DropNotInPocket];
        let drops = self.play.game.ids().flat_map(|board| {
            let plies = self.plies_of(board).enumerate();
            plies.filter(|(_, entry)| missed(&entry.completed.illegal)).map(move |(index, entry)| (board, index, entry))
        });
        let mut explained = drops.filter(|(board, index, entry)| {
            let before = self.game_before(*board, *index);
            before.is_legal(*board, entry.completed.played)
        });
        explained.next().map(|(board, index, _)| (board, index))
    }
}

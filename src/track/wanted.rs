//! What another board must have captured if a man that seems to come from nowhere was dropped rightly.
//!
//! In: a drop that no pocket explains and that waits. Out: other plies of a partner's board, if one that captures such
//! a man is nearly as likely as the record there. It does not judge the drop.

use super::{Decision, Tracker, board::BoardTrack, illegal::Illegal, past::Past, seen::Seen};
use crate::{
    rules::{Game, Move},
    types::{BoardId, Instant, Role, Seat, Square},
};

/// A drop that waits: the man, the square, the state of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    role: Role,
    to: Square,
    state: (Instant, Instant),
}

impl Tracker {
    /// The plies of a partner's board, read anew with the man that is dropped here for one that it sent; asked once for
    /// what both boards show.
    pub(super) fn captured_elsewhere<'a>(
        &mut self,
        game: &Game,
        board: BoardId,
        seen: &impl Fn(BoardId) -> Option<Seen<'a>>,
        at: Instant,
    ) -> Option<Decision> {
        let here = seen(board)?;
        let position = self.arriving(game, board).apply(game.board(board));
        let found = self.boards[board.index()].illegal(&position, &here);
        let Move::Put { role, to } = found.filter(Illegal::is_from_nowhere)?.played else { return None };
        let press = self.boards[board.index()].first_press()?;
        let wanted = Wanted { role, to, state: self.boards[board.index()].state() };
        let mut partners = board.seat(position.turn()).partners(game.len());
        partners.find_map(|partner| {
            let track = &mut self.boards[partner.board.index()];
            let asked = Some((wanted, track.state()));
            // What was pressed for there before has no ply yet: that may be the capture.
            let waits = track.first_press().is_some_and(|earlier| earlier <= press);
            if waits || std::mem::replace(&mut track.wanted, asked) == asked {
                return None;
            }
            self.sent(game, partner, role, &seen(partner.board)?, at)
        })
    }

    /// The plies of a player's board, read anew with such a man for one that it has captured, if it has then.
    fn sent(&mut self, game: &Game, by: Seat, role: Role, seen: &Seen<'_>, at: Instant) -> Option<Decision> {
        let arriving = self.arriving(game, by.board);
        let (position, track) = (game.board(by.board), &mut self.boards[by.board.index()]);
        let mut trial = track.clone();
        let revision = trial.look_back(by.board, position, &arriving, &seen.wanting(by.color, role), at)?;
        let captures = |track: &BoardTrack| {
            let captured = |past: &&Past| past.before.turn() == by.color && past.captured(past.played) == Some(role);
            track.past.iter().skip(revision.from).filter(captured).count()
        };
        if captures(&trial) <= captures(track) {
            return None;
        }
        let (count, plays) = (track.past.len(), revision.plays().collect());
        *track = trial;
        track.note_revised(by.board, Some((revision.from, plays)), count, position, seen, at);
        Some(Decision::Revise(revision))
    }
}

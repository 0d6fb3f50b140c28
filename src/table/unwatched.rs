//! Boards whose sensors were away: what the referee cannot tell then, and for how long afterwards.
//!
//! In: which devices speak, which boards are adrift, what trays show. Out: whether a seat's tray can be judged, and
//! whether it is known what may be dropped. Men that were captured or dropped unseen are in nobody's hands, and what
//! pawns became nobody has seen.

use super::{
    DeviceIndex, Table,
    adrift::Adrift,
    devices::{Sensors, Wired},
    play::Play,
};
use crate::{
    event::LinkState,
    rules::Reason,
    track::Completed,
    types::{BoardId, Seat},
};

/// Whether a board's sensors are heard, and what it shows is known to be what was played. Silence tells of absence
/// where a clock has spoken: other boards say nothing when nothing is moved.
pub(super) fn watched(sensors: &Sensors, play: &Play, adrift: &[Option<Adrift>], board: BoardId) -> bool {
    let says_little = !play.clock_ran.get(board.index()).copied().unwrap_or(false);
    let heard = |wired: &Wired| match wired.device.speaks().state() {
        LinkState::Up => true,
        LinkState::Silent => says_little,
        LinkState::Down => false,
    };
    let heard = sensors.devices.iter().any(|wired| wired.settings.board == Some(board) && heard(wired));
    heard && adrift.get(board.index()).is_some_and(Option::is_none)
}

/// Whether men that come to a seat's tray, and men that leave it, are seen on the boards.
pub(super) fn around_is_watched(sensors: &Sensors, play: &Play, adrift: &[Option<Adrift>], seat: Seat) -> bool {
    boards_around(seat, play.game.len()).all(|board| watched(sensors, play, adrift, board))
}

/// A seat's board, where its men are dropped, and its partners', where they are captured.
fn boards_around(seat: Seat, boards: usize) -> impl Iterator<Item = BoardId> {
    std::iter::once(seat.board).chain(seat.partners(boards).map(|partner| partner.board))
}

impl Table {
    /// A port was opened or is gone, or its device was silent: what its trays did meanwhile nobody has seen, nor who
    /// captured or dropped what on its board. All waits begin anew.
    pub(super) fn judge_link(&mut self, device: DeviceIndex) {
        let Some(wired) = self.sensors.devices.get(device) else { return };
        let (trays, board, boards) = (&wired.settings.pockets, wired.settings.board, self.play.game.len());
        let around = |seat: Seat| board.is_some_and(|board| boards_around(seat, boards).any(|other| other == board));
        let unseen = Seat::all(boards).filter(|seat| trays.contains(seat) || around(*seat));
        for seat in unseen {
            self.judge.referee.men.blind(seat, self.now);
        }
        // Their buttons were not heard.
        trays.iter().for_each(|seat| self.play.tracker.set_unheard(*seat));
    }

    /// Every man is seen where the game has it: nothing is left of what was played unseen.
    pub(super) fn trust_pockets(&mut self) {
        let lost = |board: BoardId| self.is_adrift(board) || self.play.tracker.is_unwatched(board);
        let known = !self.play.game.ids().any(lost);
        self.judge.pockets_doubted &= !(known && self.judge.referee.men.all_seen(self.now));
    }

    /// Whether a move is illegal only for what nobody has seen: which men its player has in the pocket, or what a pawn
    /// that stands on the last rank since then became.
    pub(super) fn is_illegal_unseen(&self, seat: Seat, completed: &Completed) -> bool {
        let watched = || around_is_watched(&self.sensors, &self.play, &self.adrift, seat);
        match completed.illegal[..] {
            [Reason::DropNotInPocket] => self.judge.pockets_doubted || !watched(),
            [Reason::LeavesKingInCheck] => self.judge.goes_on && self.is_checked_by_unknown(seat),
            _ => false,
        }
    }

    /// Whether a seat's king is in check by none but men that have stood promoted since the game was gone on with.
    fn is_checked_by_unknown(&self, seat: Seat) -> bool {
        let (origin, position) = (self.play.origin.board(seat.board), self.play.game.board(seat.board));
        let Some(king) = position.king(seat.color) else { return false };
        let checkers = position.board().attacks_to(king, !seat.color, position.board().occupied());
        (checkers & !(origin.promoted() & position.promoted())).is_empty()
    }
}

//! Boards whose sensors were away: what the referee cannot tell then, and for how long afterwards.
//!
//! In: which devices speak, which boards are adrift, what trays show. Out: whether a seat's tray can be judged, and
//! whether it is known what may be dropped. Men that were captured or dropped unseen are in nobody's hands, and what
//! pawns became nobody has seen.

use super::{
    DeviceIndex, Table,
    adrift::Adrift,
    devices::{Sensors, Wired},
    history::Entry,
    play::Play,
};
use crate::{
    event::LinkState,
    notation::uci,
    rules::Reason,
    track::Completed,
    types::{Bitboard, BoardId, Instant, SECOND, Seat, Square},
};

/// Moments at which buttons went unheard that are remembered.
const UNHEARD_MAX: usize = 64;
/// So long before its button was not heard any more a pawn may have promoted of which it would have told.
const SAID_BEFORE_US: i64 = 2 * SECOND;
/// So long after a button is heard again a promotion that nobody saw may be found.
const SAID_AFTER_US: i64 = 5 * SECOND;

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
        let seats = trays.clone();
        self.miss_buttons(seats);
    }

    /// The buttons of these seats were not heard until now, or are not from now on: what pawns became nobody has said.
    pub(super) fn miss_buttons(&mut self, seats: impl IntoIterator<Item = Seat>) {
        for seat in seats {
            self.play.tracker.set_unheard(seat);
            self.judge.unheard.push_back((seat, self.now));
            if self.judge.unheard.len() > UNHEARD_MAX {
                self.judge.unheard.pop_front();
            }
        }
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
            [Reason::LeavesKingInCheck] => self.is_checked_by_unknown(seat, completed),
            _ => false,
        }
    }

    /// Whether a seat's king was left in check by none but promoted men of whose kind nobody was told: they have stood
    /// since the game was gone on with, or promoted while buttons were not heard, and sensors show no such man.
    fn is_checked_by_unknown(&self, seat: Seat, completed: &Completed) -> bool {
        let board = seat.board;
        let index = self.plies_of(board).take_while(|entry| entry.completed != *completed).count();
        let mut game = self.game_before(board, index);
        game.play(board, completed.played);
        let (origin, position) = (self.play.origin.board(board), game.board(board));
        let Some(king) = position.king(seat.color) else { return false };
        let checkers = position.board().attacks_to(king, !seat.color, position.board().occupied());
        let old = if self.judge.goes_on { origin.promoted() & position.promoted() } else { Bitboard::EMPTY };
        !checkers.is_empty()
            && checkers.into_iter().all(|square| old.contains(square) || self.is_untold(board, index, square))
    }

    /// Whether the man of a square promoted, in one of the first `plies` plies, while nobody heard as what.
    fn is_untold(&self, board: BoardId, plies: usize, mut square: Square) -> bool {
        let placement = self.sensors.boards[board.index()].sense.placement();
        let shown = placement.kinds(square).single().flatten();
        let plies: Vec<_> = self.plies_of(board).take(plies).collect();
        for Entry { event, completed, .. } in plies.into_iter().rev() {
            let played = completed.played;
            if uci::destination(played) != square {
                continue;
            }
            if let Some(role) = played.promotion() {
                let near = |at: Instant| (at + -SAID_BEFORE_US..=at + SAID_AFTER_US).contains(&completed.made_at);
                let missed = self.judge.unheard.iter().any(|(seat, at)| *seat == event.seat && near(*at));
                return missed && shown != Some(role.of(event.seat.color));
            }
            match played.from() {
                Some(from) => square = from,
                None => return false,
            }
        }
        false
    }
}

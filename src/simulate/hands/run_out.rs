//! Time that runs out, and a display that stands while it should run.

use crate::{
    event::ClockTimes,
    simulate::{offence::Offence, world::Action},
    types::{BoardId, Instant, SECOND, Seat},
};

use super::{Hands, Outcome, Ply, Spent, Timing, profile::draw};

/// How long after a flag has fallen somebody sees it, in ms.
const NOTICED: std::ops::RangeInclusive<i64> = 1500..=5000;
/// How long a display stands, in ms: longer than one whose lever is half down.
const STANDS: std::ops::RangeInclusive<i64> = 128_000..=150_000;
/// For so long it may: that is no defect yet.
const STOOD: i64 = 120 * SECOND;
/// Time that others must have whose clocks run meanwhile.
const SPARE: i64 = 200 * SECOND;

/// A clock that stands while its time runs.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    board: BoardId,
    until: Instant,
}

impl Hands<'_> {
    /// What a ply does to its clock if its player lets the time run out and plays on.
    pub(super) fn overrun(&mut self, seat: Seat) -> (Spent, i64) {
        let late = draw(&mut self.rng, &NOTICED);
        (Spent { used: self.players[seat.index()].left + late, bonus: 0, left: 0 }, late)
    }

    /// A seat's time has run out.
    pub(super) fn book_flag(&mut self, offence: Offence, seat: Seat, at: Instant) {
        self.offended(offence.kind(), offence.word(), seat, at);
    }

    /// The player to move thinks until the flag falls. The game is over then.
    pub(super) fn run_out(&mut self, offence: Offence, seat: Seat) {
        let super::Board { since, paused, .. } = self.boards[seat.board.index()];
        let left = self.players[seat.index()].left;
        let at = (since + left + paused).max(self.last.0 + SECOND);
        self.act(since, Action::Lag(seat.board, at - since - left - paused));
        self.book_flag(offence, seat, at);
        let both = offence == Offence::BothFlags;
        self.outcome = self.outcome.and((!both).then(|| Outcome::Win(seat.opponent().team())));
        self.flagged = Some((seat.board, at + draw(&mut self.rng, &NOTICED)));
        self.occasions.done();
    }

    /// A seat's display stands from the opponent's press on, for minutes, while the seat thinks. True if it was done.
    pub(super) fn stand_still(&mut self, ply: &Ply, press: Instant) -> bool {
        let (seat, board) = (ply.seat.opponent(), ply.seat.board);
        let replies = self.plies[self.truth.moves.len()..].iter().any(|next| next.seat == seat);
        let others = BoardId::first(self.boards.len()).filter(|other| *other != board);
        let left = |other: BoardId| self.players[other.seat(self.boards[other.index()].turn).index()].left;
        if !replies || !others.map(left).all(|left| left > SPARE) {
            return false;
        }
        let until = press + draw(&mut self.rng, &STANDS);
        let busy = &mut self.players[seat.index()].busy;
        *busy = until.max(*busy);
        self.standing = Some(Standing { board, until });
        let offence = Offence::ClockSlow;
        self.offended(offence.kind(), offence.word(), seat, press + STOOD);
        true
    }

    /// What a ply does to its clock: on other boards the time has run that one board's display did not count.
    pub(super) fn counted(&mut self, seat: Seat, spent: Spent, timing: &Timing) -> Spent {
        let super::Board { since, paused, .. } = self.boards[seat.board.index()];
        let waited = self
            .standing
            .is_some_and(|Standing { board, until }| board != seat.board && (since..timing.press).contains(&until));
        let player = &mut self.players[seat.index()];
        let more = if waited { timing.press - since - paused - spent.used } else { 0 };
        player.owes += more;
        Spent { used: spent.used + more, left: spent.left - player.owes, ..spent }
    }

    /// A display at zero may be told of.
    pub(super) fn allow_flag(&mut self, seat: Seat, times: ClockTimes, at: Instant) {
        if times.white_ms.min(times.black_ms) <= 0 {
            let kind = Offence::FlagFall.kind().to_owned();
            let allowed = super::Allowed { kind, board: seat.board, seat: None, ply: self.number, t: at };
            self.truth.allowed_incidents.push(allowed);
        }
    }
}

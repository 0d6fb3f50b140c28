//! Tags and levels: what cells measure becomes what may stand there.
//!
//! In: raw readings of a device. Out: cells of boards and slots of trays, as from any other sensor. Boards that are set
//! up between games teach what the readings mean, where no calibration says it; then everything that was measured is
//! read again.

use super::{DeviceIndex, Table, play::seen};
use crate::{
    rules::BoardPosition,
    sense::{Book, Placement, Raw},
    track::Seen,
    types::{Bitboard, BoardId, Instant, Kinds, MS, Piece, Rank, SECOND, Square},
};

/// Readings of a device that are kept: sixteen channels of a board each.
const RAW_MAX: usize = 16 * 64;
/// How long after the first press men that were knocked over are put right (WBN 6.4).
const TURN_US: i64 = 1200 * MS;
/// How long it is waited for what tells how a board lies.
const LIES_US: i64 = 5 * SECOND;
/// How much more what a board shows costs one way than the other, so that it lies the other way.
const CLEAR: i64 = 12;
/// What it is worth which man was the third to leave.
const THIRD: i64 = 10;
/// How long after a press its man is read.
const PRESSED_US: i64 = 300 * MS;
/// The same of a man that stood there when the clock was pressed.
const AT_PRESS_US: i64 = 150 * MS;
/// How long a man has left its square that is moved rather than put right.
const LEFT_US: i64 = 400 * MS;

impl Table {
    pub(super) fn raw(&mut self, device: DeviceIndex, channel: u8, first: u16, raws: &[Raw]) {
        let Some(wired) = self.sensors.devices.get_mut(device) else { return };
        for (cell, raw) in (first..=u16::MAX).zip(raws) {
            if wired.raw.len() < RAW_MAX || wired.raw.contains_key(&(channel, cell)) {
                wired.raw.insert((channel, cell), *raw);
            }
            wired.levels.follow((channel, cell), *raw);
        }
        let calibrated = wired.levels.is_calibrated();
        match self.sensors.board_of(device) {
            Some(board) if !calibrated => self.sensors.boards[board.index()].sense.set_learnt(),
            None if !calibrated && matches!(raws.first(), Some(Raw::Level(_))) => self.forget_tray(device, channel),
            _ => {}
        }
        if self.learn(device) {
            self.read_again();
        } else {
            for (cell, raw) in (first..=u16::MAX).zip(raws) {
                self.read(device, channel, cell, *raw);
            }
        }
        if self.sensors.board_of(device).is_none() {
            self.judge_tray(device, channel);
        }
    }

    /// Levels of a tray that mean nothing tell no pocket: the seat counts as one without a tray.
    fn forget_tray(&mut self, device: DeviceIndex, channel: u8) {
        let seat = self.sensors.seat_of(device, channel);
        if let Some(tray) = seat.and_then(|seat| self.sensors.trays.get_mut(seat.index())) {
            *tray = None;
        }
    }

    /// A board that is set up while nothing is played teaches; true if there was something new.
    fn learn(&mut self, device: DeviceIndex) -> bool {
        let Some(board) = self.sensors.board_of(device).filter(|_| !self.play.is_on()) else { return false };
        // How it lies may be known from the game before.
        let turned = self.sensors.boards[board.index()].sense.turned().unwrap_or(false);
        let wired = &mut self.sensors.devices[device];
        let cells: Vec<Option<Raw>> = (0..64).map(|cell| wired.raw.get(&(0, cell)).copied()).collect();
        let learnt = !self.knows_set(&cells) && self.learn_from(device, &cells, turned);
        if learnt {
            self.sensors.devices[device].home = cells;
        }
        learnt
    }

    /// Whether the men of a board are a set, each known by its tag from a game before: two that stand on each other's
    /// squares are set up wrongly, not other men.
    fn knows_set(&self, cells: &[Option<Raw>]) -> bool {
        let known = |raw: &Option<Raw>| match raw {
            Some(raw @ Raw::Tag(tag)) if *tag != 0 => self.sensors.tags.kinds((0, 0), *raw).single().flatten(),
            _ => None,
        };
        let start = BoardPosition::new(self.ruleset.moves);
        let set = Square::ALL.into_iter().filter_map(|square| start.board().piece_at(square));
        let mut set: Vec<char> = set.map(Piece::char).collect();
        let mut men: Vec<char> = cells.iter().filter_map(known).map(Piece::char).collect();
        set.sort_unstable();
        men.sort_unstable();
        self.play.id.is_some() && men == set
    }

    fn learn_from(&mut self, device: DeviceIndex, cells: &[Option<Raw>], turned: bool) -> bool {
        match cells.first() {
            Some(Some(Raw::Tag(_))) => self.sensors.tags.learn(cells, turned),
            _ => self.sensors.devices[device].levels.learn(cells, turned),
        }
    }

    /// Men whose kinds are not known look the same from both sides: White's first move tells how the board lies.
    pub(super) fn find_turn(&mut self, board: BoardId) {
        let position = self.play.game.board(board);
        if !self.may_turn(board) || self.play.clocked[board.index()] && !self.play.tracker.is_pressed(board) {
            return;
        }
        let sense = &self.sensors.boards[board.index()].sense;
        let now = [false, true].map(|turned| begins(position, sense.occupied(turned)));
        let turned = match now {
            [straight, turned] if straight != turned => Some(turned),
            [both, _] => match self.play.tracker.pressed_since(board) {
                Some(pressed) => self.likelier_turn(board, pressed),
                // No press will tell: both players have moved.
                None => both.then(|| first_came(sense.placement(), sense.occupied(false), self.now)).flatten(),
            },
        };
        let Some(turned) = turned else { return };
        self.sensors.boards[board.index()].sense.turn(turned);
        let devices = 0..self.sensors.devices.len();
        for device in devices.filter(|device| self.sensors.board_of(*device) == Some(board)).collect::<Vec<_>>() {
            let home = std::mem::take(&mut self.sensors.devices[device].home);
            self.learn_from(device, &home, turned);
            self.sensors.devices[device].home = home;
        }
        self.read_again();
    }

    /// How a board lies by what has happened since its first press: what it shows costs less that way, and the third
    /// man that left was White's.
    fn likelier_turn(&self, board: BoardId, pressed: Instant) -> Option<bool> {
        if self.now < pressed + TURN_US {
            return None;
        }
        let seen = seen(&self.sensors, &self.play.game, &self.play.ledger, board);
        let [straight, turned] = [false, true].map(|turned| {
            let mut placement = seen.placement.clone();
            if turned {
                placement.turn();
            }
            let mut tracker = self.play.tracker.clone();
            tracker.observe(&self.play.game, board, &Seen { placement: &placement, ..seen }, self.now);
            i64::from(tracker.cost(board))
        });
        let third =
            third_to_leave(seen.placement, pressed, self.now).map_or(0, |turned| if turned { THIRD } else { -THIRD });
        let told = straight - turned + third;
        let late = self.now >= pressed + LIES_US;
        match told {
            0 if late => {
                first_came(seen.placement, seen.placement.occupied_at(pressed + AT_PRESS_US), pressed + PRESSED_US)
            }
            _ if late || told.abs() >= CLEAR => Some(told > 0),
            _ => None,
        }
    }

    /// Boards on which it is asked how they lie, or on which nothing more will tell.
    pub(super) fn watch_turns(&mut self) {
        for board in self.play.game.ids() {
            let due = |pressed| self.now >= pressed + TURN_US;
            let asks = self.may_turn(board) && self.play.clocked[board.index()];
            if asks && self.play.tracker.pressed_since(board).is_some_and(due) {
                self.find_turn(board);
                self.observe(board);
            }
        }
    }

    /// When it is asked next how a board lies.
    pub(super) fn turns_at(&self) -> Option<Instant> {
        let asked = self.play.game.ids().filter(|board| self.may_turn(*board) && self.play.clocked[board.index()]);
        let due = asked.filter_map(|board| {
            let pressed = self.play.tracker.pressed_since(board)?;
            let left = self.sensors.boards[board.index()].sense.placement().latest();
            Some([pressed + TURN_US, pressed + LIES_US, left + LEFT_US])
        });
        due.flatten().filter(|due| *due > self.now).min()
    }

    /// Whether nobody knows yet how a board lies that begins a game.
    fn may_turn(&self, board: BoardId) -> bool {
        let known = self.sensors.boards[board.index()].sense.turned().is_some();
        !known && self.play.game.board(board).plies() == 0 && self.play.is_on()
    }

    /// Whether it is soon known how a board lies: its first move has not been pressed, or just so. Until then a man
    /// that somebody has knocked over looks like the move of the other side.
    pub(super) fn is_unsettled(&self, board: BoardId) -> bool {
        let fresh = |press| self.now < press + LIES_US;
        self.may_turn(board)
            && self.play.clocked[board.index()]
            && self.play.tracker.pressed_since(board).is_none_or(fresh)
    }

    /// Boards of which that is soon known.
    pub(super) fn unsettled(&self) -> Vec<BoardId> {
        self.play.game.ids().filter(|board| self.is_unsettled(*board)).collect()
    }

    fn read_again(&mut self) {
        for device in 0..self.sensors.devices.len() {
            let raws: Vec<_> = self.sensors.devices[device].raw.iter().map(|(at, raw)| (*at, *raw)).collect();
            for ((channel, cell), raw) in raws {
                self.read(device, channel, cell, raw);
            }
        }
    }

    fn read(&mut self, device: DeviceIndex, channel: u8, cell: u16, raw: Raw) {
        let book: &Book = match raw {
            Raw::Tag(_) => &self.sensors.tags,
            Raw::Level(_) => &self.sensors.devices[device].levels,
        };
        let kinds: Kinds = book.kinds((channel, cell), raw);
        match (self.sensors.board_of(device), u8::try_from(cell)) {
            (Some(_), Ok(cell)) if cell < 64 => self.cell(device, cell, kinds),
            (Some(_), _) => {}
            (None, _) => self.slot(device, channel, cell, kinds),
        }
    }
}

/// Whether the third man that left its square did so in the far half, if one has by now.
fn third_to_leave(placement: &Placement, pressed: Instant, now: Instant) -> Option<bool> {
    let is_empty = |square: &Square| placement.kinds(*square) == Kinds::EMPTY;
    // What stood in the middle for a moment only was dragged or held over it.
    let stood = |square: &Square| {
        placement.readings(*square).nth(1).is_some_and(|before| before.until - before.since >= LEFT_US)
    };
    let came = placement.occupied_at(pressed + AT_PRESS_US) & middle();
    let moved_on: Bitboard = came.into_iter().filter(stood).collect();
    let mut left: Vec<Square> = (!middle() | moved_on).into_iter().filter(is_empty).collect();
    left.sort_by_key(|square| placement.changed(*square));
    let third = left.get(2).filter(|third| placement.changed(**third) + LEFT_US <= now);
    third.copied().map(is_turned)
}

/// Whether the first of these men that came to the middle came to the far half.
fn first_came(placement: &Placement, men: Bitboard, at: Instant) -> Option<bool> {
    (men & middle()).into_iter().min_by_key(|square| placement.since_at(*square, at)).map(is_turned)
}

fn is_turned(square: Square) -> bool {
    square.rank() > Rank::Fourth
}

/// The squares on which no man stands when a game begins.
fn middle() -> Bitboard {
    let ranks = [Rank::Third, Rank::Fourth, Rank::Fifth, Rank::Sixth].map(Bitboard::from_rank);
    ranks.into_iter().flatten().collect()
}

/// Whether men stand so after White's first move, or after Black's reply to it.
fn begins(position: &BoardPosition, men: Bitboard) -> bool {
    let after = |position: &BoardPosition, m| {
        let mut after = position.clone();
        after.play(m);
        after
    };
    position.legal_moves().into_iter().any(|m| {
        let first = after(position, m);
        let stands = |position: &BoardPosition| men == position.board().occupied();
        stands(&first) || first.legal_moves().into_iter().any(|reply| stands(&after(&first, reply)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Squares that were left (`e2-`) and come to (`e4+`), each after milliseconds from the first press, as seen from
    /// one side or the other.
    fn placement(script: &str, turned: bool) -> Placement {
        let seen = |square: Square| if turned { square.rotate_180() } else { square };
        let mut placement = Placement::default();
        let homes = Bitboard::FULL & !middle();
        for square in Square::ALL {
            let kinds = if homes.contains(square) { Kinds::OCCUPIED } else { Kinds::EMPTY };
            placement.set(square, kinds, Instant(-60 * SECOND));
        }
        for word in script.split_whitespace() {
            let (square, rest) = word.split_at(2);
            let (sign, ms) = rest.split_at(1);
            let kinds = if sign == "+" { Kinds::OCCUPIED } else { Kinds::EMPTY };
            placement.set(seen(square.parse().unwrap()), kinds, Instant(ms.parse::<i64>().unwrap() * MS));
        }
        placement
    }

    /// Whether a third man tells how the board lies so many milliseconds after the first press; both ways.
    fn check(script: &str, now: i64, known: bool) {
        for turned in [false, true] {
            let found = third_to_leave(&placement(script, turned), Instant(0), Instant(now * MS));
            assert_eq!(found, known.then_some(turned), "{script} after {now}, turned: {turned}");
        }
    }

    #[test]
    fn the_third_man_that_leaves_is_white() {
        check("e7--500 e5+-400 e2--300 e4+-100", 1200, false); // the same from both sides
        check("e7--500 e5+-400 e2--300 e4+-100 g1-900 f3+1200", 1200, false); // it may be lifted only
        check("e7--500 e5+-400 e2--300 e4+-100 g1-900 f3+1200", 1300, true);
        check("d2--300 d4+-300 e7--100 e6+100 b1-200 c3+500", 1200, true);
        check("e2--300 e4+-100 d7--60 d6+-50 d6-290 d5+500 e4-1800 e7-2100", 2250, true); // dragged over d6
        let held_over_b6 = "e2--300 e4+-200 b8--150 b6+130 b6-250 c6+900 b1-1000 c3+1200";
        check(held_over_b6, 1300, false);
        check(held_over_b6, 1500, true);
    }

    #[test]
    fn without_a_clock_the_first_man_that_came_was_white() {
        for turned in [false, true] {
            let placement = placement("e2-0 e4+100 e7-200 e5+300", turned);
            let men = placement.occupied_at(Instant(SECOND));
            assert_eq!(first_came(&placement, men, Instant(SECOND)), Some(turned));
        }
        let placement = placement("", false);
        assert_eq!(first_came(&placement, placement.occupied_at(Instant(0)), Instant(0)), None);
    }
}

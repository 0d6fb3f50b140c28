//! How a board lies: cells in the device's numbering to squares.
//!
//! Fields run in reading order from the board's own corner, which is a8 when the cable is at White's left and h1 when
//! it is at White's right (`hardware/dgt.md`). The set-up tells; what it told is kept, because an endgame tells
//! nothing.

use std::borrow::Cow;

use super::{Placement, misheard::misheard};
use crate::{
    rules::{BoardPosition, RuleSet},
    types::{Bitboard, Instant, Kinds, Piece, Square},
};

/// Cells that may disagree with the set-up when the rotation is decided: a man or two may be off their squares.
const SET_UP_ERRORS_MAX: usize = 4;

/// One board's cells by square.
#[derive(Clone, Debug)]
pub struct BoardSense {
    cells: [Kinds; 64],
    turned: Option<bool>,
    fixed: bool,
    /// What the cells tell of kinds was learnt from the set-up itself.
    learnt: bool,
    /// Nothing protects what the cells say one by one.
    garbles: bool,
    placement: Placement,
    start: BoardPosition,
}

impl BoardSense {
    /// A board whose rotation is known (`Some(true)` is turned by 180°) or to be found.
    pub fn new(turned: Option<bool>) -> BoardSense {
        BoardSense {
            cells: [Kinds::ANY; 64],
            turned,
            fixed: turned.is_some(),
            learnt: false,
            garbles: false,
            placement: Placement::default(),
            start: BoardPosition::new(RuleSet::WBN_1_00.moves),
        }
    }

    /// What stands where. Until the rotation is known, as if the board lay straight.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// The same as a set-up that may be wrong: while nobody knows how the board lies, the way in which less is wrong.
    pub fn as_set_up(&self) -> Cow<'_, Placement> {
        let known = self.turned.is_some() || self.learnt;
        let mut other = Placement::default();
        for (field, kinds) in (0u8..).zip(self.cells).filter(|_| !known) {
            other.set(square(field, true), kinds, self.placement.changed(square(field, false)));
        }
        let wrong = |placement: &Placement| placement.mismatch(&self.start).any().count();
        let turned = !known && wrong(&other) < wrong(&self.placement);
        if turned { Cow::Owned(other) } else { Cow::Borrowed(&self.placement) }
    }

    /// Whether the board is turned by 180°, once it is known.
    pub fn turned(&self) -> Option<bool> {
        self.turned
    }

    /// Kinds are learnt from the set-up: it cannot tell how the board lies.
    pub fn set_learnt(&mut self) {
        self.learnt = true;
    }

    /// What cells say one by one may be garbled unseen.
    pub fn set_garbles(&mut self) {
        self.garbles = true;
    }

    /// Squares with men if the board lay so.
    pub fn occupied(&self, turned: bool) -> Bitboard {
        let men = (0u8..).zip(self.cells).filter(|(_, kinds)| !kinds.allows(None));
        men.map(|(field, _)| square(field, turned)).collect()
    }

    /// The board lies so: men that the set-up told apart, or of unknown kinds, told it by the first move. What squares
    /// showed and when stays known.
    pub fn turn(&mut self, turned: bool) {
        if self.fixed || self.turned == Some(turned) {
            return;
        }
        if self.turned.unwrap_or(false) != turned {
            self.placement.turn();
        }
        self.turned = Some(turned);
    }

    /// The men stood so when the board was looked at last. It tells only when it is known how the board lies.
    pub fn remember(&mut self, position: &BoardPosition, at: Instant) {
        let Some(turned) = self.turned else { return };
        for field in 0..64u8 {
            self.cells[usize::from(field)] = Kinds::exactly(position.board().piece_at(square(field, turned)));
        }
        self.rebuild(at);
    }

    /// The cell of one field changed; answers the square if its reading is new.
    pub fn cell(&mut self, field: u8, kinds: Kinds, at: Instant) -> Option<Square> {
        *self.cells.get_mut(usize::from(field))? = kinds;
        let square = square(field, self.turned.unwrap_or(false));
        let changed = self.placement.set(square, kinds, at);
        let turned_over = changed && self.find_rotation(at);
        (changed || turned_over).then_some(square)
    }

    /// All cells at once; true if any reading is new.
    pub fn dump(&mut self, cells: &[Kinds; 64], at: Instant) -> bool {
        self.cells = *cells;
        let lies = self.turned.unwrap_or(false);
        let now = |square: Square| cells[usize::from(field(square, lies))];
        let misheard = if self.garbles { misheard(&self.placement, now) } else { Vec::new() };
        let heard_wrongly = !misheard.is_empty();
        misheard.into_iter().for_each(|misheard| self.placement.mishear(misheard, at));
        let looked = self.placement.looked();
        self.placement.look(at);
        let turned = self.find_rotation(at);
        let lies = self.turned.unwrap_or(false);
        let found = (0u8..)
            .zip(*cells)
            .fold(false, |found, (field, kinds)| self.placement.find(square(field, lies), kinds, looked, at) || found);
        found || turned || heard_wrongly
    }

    /// Something else stands on a field than was said, since when that was said.
    pub fn retag(&mut self, field: u8, kinds: Kinds) {
        let Some(cell) = self.cells.get_mut(usize::from(field)) else { return };
        *cell = kinds;
        self.placement.retag(square(field, self.turned.unwrap_or(false)), kinds);
    }

    /// The man that a field has in a position.
    pub fn man_on(&self, field: u8, position: &BoardPosition) -> Option<Piece> {
        position.board().piece_at(square(field, self.turned.unwrap_or(false)))
    }

    fn rebuild(&mut self, at: Instant) -> bool {
        let turned = self.turned.unwrap_or(false);
        let mut changed = false;
        for (field, kinds) in (0u8..).zip(self.cells) {
            changed |= self.placement.set(square(field, turned), kinds, at);
        }
        changed
    }

    /// Decides the rotation when the cells look like a set-up one way and not the other. True if it changed.
    fn find_rotation(&mut self, at: Instant) -> bool {
        if self.fixed || self.learnt {
            return false;
        }
        let fits = [false, true].map(|turned| self.is_set_up(turned));
        let found = match fits {
            [true, false] => false,
            [false, true] => true,
            _ => return false,
        };
        if self.turned == Some(found) {
            return false;
        }
        self.turned = Some(found);
        self.rebuild(at);
        true
    }

    /// Whether hardly any cell disagrees with the initial position.
    fn is_set_up(&self, turned: bool) -> bool {
        let board = self.start.board();
        let stands = |field: u8| board.piece_at(square(field, turned));
        let mut errors = (0u8..).zip(self.cells).filter(|(field, kinds)| !kinds.allows(stands(*field)));
        errors.nth(SET_UP_ERRORS_MAX).is_none()
    }
}

/// The square of a field: 0 is a8, 63 is h1; turned, 0 is h1.
fn square(field: u8, turned: bool) -> Square {
    let field = u32::from(if turned { 63 - field % 64 } else { field % 64 });
    let (rank, file) = (7 - field / 8, field % 8);
    Square::new(rank * 8 + file)
}

/// The field of a square.
fn field(of: Square, turned: bool) -> u8 {
    let straight = (7 - of.rank() as u8) * 8 + of.file() as u8;
    if turned { 63 - straight } else { straight }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Color, MS, Role, SECOND};

    fn set_up(turned: bool) -> [Kinds; 64] {
        let board = BoardPosition::new(RuleSet::WBN_1_00.moves);
        std::array::from_fn(|field| Kinds::exactly(board.board().piece_at(square(field as u8, turned))))
    }

    #[test]
    fn the_set_up_tells_how_the_board_lies() {
        for turned in [false, true] {
            let mut sense = BoardSense::new(None);
            sense.dump(&set_up(turned), Instant::ZERO);
            assert_eq!(sense.turned(), Some(turned));
            assert!(sense.placement().mismatch(&sense.start).is_empty());
        }
    }

    #[test]
    fn a_wrong_set_up_is_read_the_way_in_which_less_is_wrong() {
        for turned in [false, true] {
            let mut cells = set_up(turned);
            let back_rank = if turned { 0..5 } else { 56..61 };
            back_rank.for_each(|field| cells[field] = Kinds::EMPTY);
            let mut sense = BoardSense::new(None);
            sense.dump(&cells, Instant(7));
            let wrong = sense.as_set_up().mismatch(&sense.start).any();
            assert_eq!((sense.turned(), wrong.count()), (None, 5), "turned: {turned}");
            let changed = wrong.into_iter().map(|square| sense.as_set_up().changed(square));
            assert_eq!(changed.max(), Some(Instant(7)));
        }
    }

    #[test]
    fn what_was_found_is_kept_and_what_was_told_stays() {
        let mut sense = BoardSense::new(None);
        sense.dump(&set_up(true), Instant::ZERO);
        sense.dump(&[Kinds::EMPTY; 64], Instant::ZERO);
        assert_eq!(sense.turned(), Some(true));
        let mut told = BoardSense::new(Some(false));
        told.dump(&set_up(true), Instant::ZERO);
        assert_eq!(told.turned(), Some(false));
    }

    #[test]
    fn a_change_whose_message_was_lost_may_have_come_since_all_was_told() {
        const E2: u8 = 52;
        let second = |seconds: i64| Instant(seconds * SECOND);
        let begun = |sense: &BoardSense| sense.placement().readings(Square::E2).next().map(|reading| reading.begun);
        let mut sense = BoardSense::new(Some(false));
        sense.dump(&set_up(false), second(1));
        assert_eq!(begun(&sense), Some(second(1)), "nothing was told before");
        sense.dump(&set_up(false), second(2));
        let mut left = set_up(false);
        left[usize::from(E2)] = Kinds::EMPTY;
        sense.dump(&left, second(4));
        assert_eq!(begun(&sense), Some(second(2)), "its message was lost");
        let stood = sense.placement().readings(Square::E2).nth(1).map(|reading| (reading.surely, reading.until));
        assert_eq!(stood, Some((second(2), second(4))));
        sense.cell(E2, Kinds::EMPTY, second(4) + 5 * MS);
        assert_eq!(begun(&sense), Some(second(4)), "it came a little later");
    }

    #[test]
    fn a_change_is_that_of_another_field_only_where_nothing_protects_it() {
        const D2: u8 = 51;
        const D5: u8 = 27;
        let pawn = Kinds::only(Role::Pawn.of(Color::White));
        let second = |seconds: i64| Instant(seconds * SECOND);
        for (garbles, since) in [(true, second(2)), (false, second(3))] {
            let mut sense = BoardSense::new(Some(false));
            if garbles {
                sense.set_garbles();
            }
            let mut cells = set_up(false);
            sense.dump(&cells, second(1));
            sense.cell(D2, Kinds::EMPTY, second(2));
            sense.cell(D5 ^ 1, pawn, second(2));
            (cells[usize::from(D2)], cells[usize::from(D5)]) = (Kinds::EMPTY, pawn);
            assert!(sense.dump(&cells, second(3)));
            assert_eq!(sense.placement().changed(Square::D5), since, "garbles: {garbles}");
            assert_eq!(sense.placement().kinds(Square::C5), Kinds::EMPTY);
        }
    }

    #[test]
    fn fields_are_squares_as_the_protocol_says() {
        let mut sense = BoardSense::new(Some(false));
        let king = Kinds::only(Role::King.of(Color::White));
        assert_eq!(sense.cell(60, king, Instant(5)), Some(Square::E1)); // as in `hardware/dgt.md`
        assert_eq!(sense.cell(60, king, Instant(6)), None);
        assert_eq!(sense.placement().changed(Square::E1), Instant(5));
        assert_eq!(sense.cell(200, king, Instant(7)), None);
    }
}

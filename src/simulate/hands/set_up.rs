//! Boards and clocks that are set up wrongly: before anybody plays, and until somebody sees it.
//!
//! In: which offence is to be committed. Out: the table as it stands at first, and the hands that put it right.

use rand::{Rng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;

use crate::{
    simulate::{
        offence::{Occasions, Offence},
        world::{Action, Step, World, start},
    },
    types::{BoardId, Color, File, Instant, MS, Piece, Rank, Role, SECOND, Square},
};

use super::{Hands, Ply, Spent, profile::draw};

/// When men are set up wrongly that stood right before.
const SET_UP: i64 = SECOND;
/// How long after the clocks were set going somebody sees it, in ms.
const SEEN: std::ops::RangeInclusive<i64> = 3500..=6000;
/// From man to man that is put right, in ms.
const EACH: std::ops::RangeInclusive<i64> = 300..=700;
/// Men that are missing, or others than they should be: one or two such squares are taken for dead ones.
const WRONG: std::ops::RangeInclusive<usize> = 3..=5;
/// By how much a clock is set wrongly, in seconds.
const OFF: [i64; 4] = [10, 60, 120, 300];
/// Time that a player must have at the end of the game all the same.
const SPARE: i64 = 15 * SECOND;

/// What is wrong with a board before the clocks are set going.
pub struct WrongBoard {
    offence: Offence,
    board: BoardId,
    /// Squares that must be put right, and the men that belong there.
    squares: Vec<(Square, Option<Piece>)>,
}

/// Sets a board up wrongly, if that is to be done.
pub fn wrong_board(occasions: &Occasions, world: &mut World, rng: &mut ChaCha8Rng) -> Option<WrongBoard> {
    let kinds = [Offence::BoardTurned, Offence::MenMissing, Offence::WrongMen];
    let kinds: Vec<Offence> = kinds.into_iter().filter(|offence| occasions.has(*offence)).collect();
    let offence = *kinds.choose(rng)?;
    if !occasions.starts(rng) {
        return None;
    }
    let board = BoardId::new(rng.random_range(0..world.boards()))?;
    let count = rng.random_range(WRONG);
    let homes = || Square::ALL.into_iter().filter(|square| start()[*square as usize].is_some());
    let mut apply = |action: Action| world.apply(Step { at: Instant::ZERO, action });
    let squares: Vec<Square> = match offence {
        Offence::BoardTurned => {
            let left: bool = rng.random();
            let turned = |square: Square| {
                let flipped = square.flip_diagonal();
                if left { flipped.flip_vertical() } else { flipped.flip_horizontal() }
            };
            homes().for_each(|square| apply(Action::Lift(board, square)));
            for square in homes() {
                start()[square as usize].into_iter().for_each(|man| apply(Action::Place(board, turned(square), man)));
            }
            Square::ALL.to_vec()
        }
        Offence::MenMissing => {
            let homes: Vec<Square> = homes().collect();
            let missing: Vec<Square> = homes.choose_multiple(rng, count).copied().collect();
            missing.iter().for_each(|square| apply(Action::Lift(board, *square)));
            missing
        }
        _ => {
            let color = Color::from_white(rng.random());
            let rank = color.fold_wb(Rank::First, Rank::Eighth);
            let files = [File::A, File::B, File::C, File::F, File::G, File::H];
            let files: Vec<File> = files.choose_multiple(rng, count).copied().collect();
            let squares: Vec<Square> = files.into_iter().map(|file| Square::from_coords(file, rank)).collect();
            for square in &squares {
                apply(Action::Lift(board, *square));
                apply(Action::Place(board, *square, Role::Queen.of(color)));
            }
            squares
        }
    };
    let squares = squares.into_iter().map(|square| (square, start()[square as usize])).collect();
    Some(WrongBoard { offence, board, squares })
}

/// Sets a clock to another time, if that is to be done: which, and by how many µs. Its players use the same time.
pub fn wrong_clock(
    occasions: &Occasions,
    (plies, spent): (&[Ply], &mut [Spent]),
    world: &mut World,
    rng: &mut ChaCha8Rng,
) -> Option<(BoardId, i64)> {
    if !occasions.has(Offence::ClockTimes) || !occasions.starts(rng) {
        return None;
    }
    let board = BoardId::new(rng.random_range(0..world.boards()))?;
    let by = OFF.choose(rng)? * SECOND;
    let less: bool = rng.random();
    let mut here: Vec<&mut Spent> =
        plies.iter().zip(spent).filter(|(ply, _)| ply.seat.board == board).map(|(_, spent)| spent).collect();
    let least = here.iter().map(|spent| spent.left).min().unwrap_or_default();
    let by = if less && least - by > SPARE { -by } else { by };
    here.iter_mut().for_each(|spent| spent.left += by);
    world.set_clock(board, world.clock(board).left(Color::White, Instant::ZERO) + by);
    Some((board, by))
}

impl Hands<'_> {
    /// When somebody sees what is set up wrongly, and when all clocks run.
    fn seen(&mut self) -> (Instant, Instant) {
        let start = self.boards.iter().map(|board| board.since).max().unwrap_or_default();
        (start, start + draw(&mut self.rng, &SEEN))
    }

    /// Nobody plays before all is put right.
    fn wait_until(&mut self, right: Instant) {
        self.players.iter_mut().for_each(|player| player.busy = player.busy.max(right + SECOND));
    }

    /// Two men of a player are set up on each other's squares, and put right while the clocks run. Nobody plays before.
    pub(super) fn set_up_wrongly(&mut self) {
        let boards: Vec<BoardId> = BoardId::first(self.boards.len()).collect();
        let Some(board) = boards.choose(&mut self.rng).copied() else { return };
        let rank = if self.rng.random() { Rank::First } else { Rank::Eighth };
        let files = if self.rng.random() { [File::D, File::E] } else { [File::B, File::C] };
        let (start, seen) = self.seen();
        for at in [Instant(SET_UP), seen] {
            let squares = files.map(|file| Square::from_coords(file, rank));
            let [Some(first), Some(second)] = squares.map(|square| self.world.at(board, square)) else { return };
            squares.into_iter().enumerate().for_each(|(index, square)| {
                self.act(at + index as i64 * 200 * MS, Action::Lift(board, square));
            });
            self.act(at + 500 * MS, Action::Place(board, squares[0], second));
            self.act(at + 800 * MS, Action::Place(board, squares[1], first));
        }
        self.wait_until(seen);
        self.offended(Offence::WrongSetup.kind(), "", board.seat(Color::White), start);
    }

    /// A board that was wrong from the beginning is put right: men that stand wrong are taken off first.
    pub(super) fn put_right(&mut self, wrong: WrongBoard) {
        let WrongBoard { offence, board, squares } = wrong;
        let (start, mut at) = self.seen();
        self.offended(offence.kind(), offence.word(), board.seat(Color::White), start);
        for (square, belongs) in &squares {
            let Some(stands) = self.world.at(board, *square) else { continue };
            at = at + draw(&mut self.rng, &EACH) / 3;
            self.act(at, Action::Lift(board, *square));
            if offence == Offence::WrongMen && Some(stands) != *belongs {
                self.act(at, Action::Away(stands));
            }
        }
        for (square, belongs) in squares {
            let Some(man) = belongs else { continue };
            at = at + draw(&mut self.rng, &EACH);
            self.act(at, Action::Place(board, square, man));
        }
        self.wait_until(at);
    }

    /// A clock that was set to another time is looked at when it runs.
    pub(super) fn book_clock(&mut self, board: BoardId, by: i64) {
        for color in [Color::White, Color::Black] {
            self.players[board.seat(color).index()].left += by;
        }
        let (offence, at) = (Offence::ClockTimes, self.boards[board.index()].since);
        self.offended(offence.kind(), offence.word(), board.seat(Color::White), at);
    }
}

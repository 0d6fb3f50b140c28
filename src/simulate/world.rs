//! What is physically so: men on squares, in slots and in the air, levers and times of the clocks.
//!
//! In: [`Step`]s of a [`Script`] in time order. Out: the state at any instant. Nothing is legal or illegal here, nobody
//! intends anything, and no device is known.

use crate::types::{BoardId, ByColor, Color, Instant, Piece, Role, Seat, Square};
use crate::wire::bslp::Button;

/// Slots of one pocket tray.
pub const SLOTS: usize = 24;

/// Something that hands or a clock do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The man on a square goes into the air.
    Lift(BoardId, Square),
    /// This man comes down on a square; a man that stood there goes into the air.
    Place(BoardId, Square, Piece),
    /// This man is laid down on a square on its side, so that no sensor reads it.
    Lay(BoardId, Square, Piece),
    /// This man goes from the air into the box: it is not needed any more.
    Away(Piece),
    /// The man in a slot of a seat's tray goes into the air.
    LiftSlot(Seat, usize),
    /// This man comes down in a slot; a man that was there goes into the air.
    PlaceSlot(Seat, usize, Piece),
    /// A clock that does not run is set to so many µs on both sides.
    SetClock(BoardId, i64),
    /// A clock is set going with White's time.
    Start(BoardId),
    /// A seat presses its lever. If its time ran it gains `bonus` µs and the opponent's time runs.
    Press {
        /// Who presses.
        seat: Seat,
        /// Increment in µs.
        bonus: i64,
    },
    /// The time that runs on a board stands for so many µs: what a server would not have counted.
    Lag(BoardId, i64),
    /// A clock is stopped.
    Stop(BoardId),
    /// A clock is stopped in the middle of a game.
    Pause(BoardId),
    /// It goes on as it was.
    Resume(BoardId),
    /// A seat's display changes by so many µs without a reason: the clock is defective.
    Jump(Seat, i64),
    /// A button of a seat's tray is pressed.
    Button(Seat, Button),
}

/// An action and when it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// When.
    pub at: Instant,
    /// What.
    pub action: Action,
}

/// Steps in time order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script(Vec<Step>);

impl Script {
    /// The steps in time order; steps of one instant stay in the given order.
    pub fn new(mut steps: Vec<Step>) -> Script {
        steps.sort_by_key(|step| step.at);
        Script(steps)
    }

    /// All steps.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// When the last step happens.
    pub fn end(&self) -> Instant {
        self.0.last().map_or(Instant::ZERO, |step| step.at)
    }
}

/// A clock with a lever and two times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// µs left when the time of `high` last began to run or was stopped.
    left: ByColor<i64>,
    /// The side whose lever is up: it is to move.
    high: Color,
    running: bool,
    /// When the running time begins to count.
    counts_from: Instant,
    /// When it was stopped in the middle of a game.
    paused: Option<Instant>,
    touched: Instant,
}

impl Clock {
    /// Stopped, with this time on both sides and one side's lever up.
    pub fn new(micros: i64, high: Color) -> Clock {
        Clock {
            left: ByColor::new_with(|_| micros),
            high,
            running: false,
            counts_from: Instant::ZERO,
            paused: None,
            touched: Instant::ZERO,
        }
    }

    /// µs that `color` has left at an instant; never below zero.
    pub fn left(&self, color: Color, at: Instant) -> i64 {
        let left = self.left[color];
        if !self.running || color != self.high {
            return left;
        }
        (left - (self.paused.unwrap_or(at) - self.counts_from).max(0)).max(0)
    }

    /// The side whose lever is up.
    pub fn high(&self) -> Color {
        self.high
    }

    /// Whether a time runs.
    pub fn running(&self) -> bool {
        self.running && self.paused.is_none()
    }

    /// When the lever or the running state last changed.
    pub fn touched(&self) -> Instant {
        self.touched
    }

    fn settle(&mut self, at: Instant) {
        *self.left.get_mut(self.high) = self.left(self.high, at);
        self.counts_from = at;
    }

    fn set(&mut self, at: Instant, micros: i64) {
        *self = Clock { touched: at, ..Clock::new(micros, self.high) };
    }

    fn start(&mut self, at: Instant) {
        *self = Clock { high: Color::White, running: true, counts_from: at, touched: at, ..*self };
    }

    fn press(&mut self, at: Instant, color: Color, bonus: i64) {
        if color != self.high {
            return; // its lever is down already
        }
        if self.running {
            self.settle(at);
            *self.left.get_mut(color) += bonus;
        }
        self.high = color.other();
        self.touched = at;
    }

    fn pause(&mut self, at: Instant) {
        self.paused = self.paused.or(Some(at));
        self.touched = at;
    }

    fn resume(&mut self, at: Instant) {
        if let Some(since) = self.paused.take() {
            self.counts_from = self.counts_from + (at - since);
            self.touched = at;
        }
    }

    fn stop(&mut self, at: Instant) {
        self.settle(at);
        self.running = false;
        self.touched = at;
    }
}

/// Men of one board, index = square.
pub type Squares = [Option<Piece>; 64];

/// Everything that can be touched at one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct World {
    boards: Vec<Squares>,
    clocks: Vec<Clock>,
    /// Which man of its kind stands on each square, as [`World::id`] tells.
    ids: Vec<[ManId; 64]>,
    /// Men that lie on squares.
    lying: Vec<(BoardId, Square, Man)>,
    trays: Vec<[Option<Piece>; SLOTS]>,
    tray_ids: Vec<[ManId; SLOTS]>,
    /// By seat: how often a button was pressed, and the last one.
    buttons: Vec<(u32, Option<Button>)>,
    /// Men in hands, and on which board or in whose player's tray each was before.
    air: Vec<(Man, BoardId)>,
    /// Men that came out of the box so far.
    fresh: ManId,
    /// Steps so far.
    steps: u64,
}

/// Tells men of one kind apart: those of the set-up count from 1, board by board and square by square.
pub type ManId = u16;

type Man = (Piece, ManId);

impl World {
    /// Boards set up, trays empty, clocks stopped with `micros` on every side. `high` is how each board's lever stands.
    pub fn set_up(micros: i64, high: &[Color]) -> World {
        World {
            boards: vec![start(); high.len()],
            ids: (0..high.len())
                .map(|board| std::array::from_fn(|square| (board * 64 + square + 1) as ManId))
                .collect(),
            clocks: high.iter().map(|color| Clock::new(micros, *color)).collect(),
            lying: Vec::new(),
            trays: vec![[None; SLOTS]; high.len() * 2],
            tray_ids: vec![[0; SLOTS]; high.len() * 2],
            buttons: vec![(0, None); high.len() * 2],
            air: Vec::new(),
            fresh: (high.len() * 64) as ManId,
            steps: 0,
        }
    }

    /// A clock that has not run yet is set to another time.
    pub fn set_clock(&mut self, board: BoardId, micros: i64) {
        let high = self.clocks[board.index()].high;
        self.clocks[board.index()] = Clock::new(micros, high);
    }

    /// Number of boards.
    pub fn boards(&self) -> usize {
        self.boards.len()
    }

    /// The man on a square.
    pub fn at(&self, board: BoardId, square: Square) -> Option<Piece> {
        self.boards[board.index()][square as usize]
    }

    /// The man that lies on a square.
    pub fn lying(&self, board: BoardId, square: Square) -> Option<Piece> {
        self.lying.iter().find(|man| (man.0, man.1) == (board, square)).map(|man| man.2.0)
    }

    /// The man on the square with this index and which of its kind it is.
    pub fn man(&self, board: BoardId, square: usize) -> (Option<Piece>, ManId) {
        (self.boards[board.index()][square], self.ids[board.index()][square])
    }

    /// Which man stands on a square; means nothing where none stands.
    pub fn id(&self, board: BoardId, square: Square) -> ManId {
        self.ids[board.index()][square as usize]
    }

    /// Whether nothing stands or lies on a square.
    pub fn free(&self, board: BoardId, square: Square) -> bool {
        self.at(board, square).is_none() && self.lying(board, square).is_none()
    }

    /// The slots of a seat's tray.
    pub fn tray(&self, seat: Seat) -> &[Option<Piece>; SLOTS] {
        &self.trays[seat.index()]
    }

    /// Which man of its kind lies in a slot.
    pub fn slot_id(&self, seat: Seat, slot: usize) -> ManId {
        self.tray_ids[seat.index()][slot]
    }

    /// How often a button of a seat's tray was pressed, and the last one.
    pub fn button(&self, seat: Seat) -> (u32, Option<Button>) {
        self.buttons[seat.index()]
    }

    /// The clock of a board.
    pub fn clock(&self, board: BoardId) -> &Clock {
        &self.clocks[board.index()]
    }

    /// Men that are in hands.
    pub fn air(&self) -> Vec<Piece> {
        self.air.iter().map(|(man, _)| man.0).collect()
    }

    /// Steps that were done: as long as it does not grow, all stands as it stood.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Does one step.
    pub fn apply(&mut self, Step { at, action }: Step) {
        self.steps += 1;
        match action {
            Action::Lift(board, square) => self.lift(board, square),
            Action::Place(board, square, man) => {
                let id = self.take_from_air(man, Some(board));
                self.lift(board, square);
                self.boards[board.index()][square as usize] = Some(man);
                self.ids[board.index()][square as usize] = id;
            }
            Action::Lay(board, square, man) => {
                let id = self.take_from_air(man, Some(board));
                self.lift(board, square);
                self.lying.push((board, square, (man, id)));
            }
            Action::Away(man) => drop(self.take_from_air(man, None)),
            Action::LiftSlot(seat, slot) => self.lift_slot(seat, slot),
            Action::PlaceSlot(seat, slot, man) => {
                let id = self.take_from_air(man, None);
                self.lift_slot(seat, slot);
                self.trays[seat.index()][slot] = Some(man);
                self.tray_ids[seat.index()][slot] = id;
            }
            Action::SetClock(board, micros) => self.clocks[board.index()].set(at, micros),
            Action::Start(board) => self.clocks[board.index()].start(at),
            Action::Press { seat, bonus } => self.clocks[seat.board.index()].press(at, seat.color, bonus),
            Action::Lag(board, micros) => {
                let clock = &mut self.clocks[board.index()];
                clock.counts_from = clock.counts_from + micros;
            }
            Action::Stop(board) => self.clocks[board.index()].stop(at),
            Action::Pause(board) => self.clocks[board.index()].pause(at),
            Action::Resume(board) => self.clocks[board.index()].resume(at),
            Action::Jump(seat, micros) => self.clocks[seat.board.index()].left[seat.color] += micros,
            Action::Button(seat, button) => {
                let (count, last) = &mut self.buttons[seat.index()];
                (*count, *last) = (*count + 1, Some(button));
            }
        }
    }

    fn lift(&mut self, board: BoardId, square: Square) {
        let id = self.id(board, square);
        let standing = self.boards[board.index()][square as usize].take();
        self.air.extend(standing.map(|man| ((man, id), board)));
        let lying = self.lying.iter().position(|man| (man.0, man.1) == (board, square));
        self.air.extend(lying.map(|place| (self.lying.swap_remove(place).2, board)));
    }

    fn lift_slot(&mut self, seat: Seat, slot: usize) {
        let man = self.trays[seat.index()][slot].take();
        self.air.extend(man.map(|man| ((man, self.tray_ids[seat.index()][slot]), seat.board)));
    }

    /// The man of this kind that was in the air longest, of a board rather one of its own players'; one that nobody
    /// held comes out of the box.
    fn take_from_air(&mut self, man: Piece, board: Option<BoardId>) -> ManId {
        let held = |of: Option<BoardId>| {
            self.air.iter().position(|(held, from)| held.0 == man && of.is_none_or(|board| *from == board))
        };
        match held(board).or_else(|| held(None)) {
            Some(place) => self.air.remove(place).0.1,
            None => {
                self.fresh += 1;
                self.fresh
            }
        }
    }
}

/// The men of a board at the start of a game.
pub fn start() -> Squares {
    const BACK: [Role; 8] =
        [Role::Rook, Role::Knight, Role::Bishop, Role::Queen, Role::King, Role::Bishop, Role::Knight, Role::Rook];
    let mut squares = [None; 64];
    for (file, role) in BACK.into_iter().enumerate() {
        squares[file] = Some(Piece { color: Color::White, role });
        squares[8 + file] = Some(Color::White.pawn());
        squares[48 + file] = Some(Color::Black.pawn());
        squares[56 + file] = Some(Piece { color: Color::Black, role });
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::SECOND;

    const A: BoardId = BoardId::A;

    fn world() -> World {
        World::set_up(180 * SECOND, &[Color::Black, Color::White])
    }

    fn run(world: &mut World, steps: &[(i64, Action)]) {
        for (seconds, action) in steps {
            world.apply(Step { at: Instant(seconds * SECOND), action: *action });
        }
    }

    #[test]
    fn men_are_never_lost() {
        let mut world = world();
        let (white, black) = (Color::White.pawn(), Color::Black.pawn());
        run(&mut world, &[(1, Action::Lift(A, Square::E2)), (2, Action::Place(A, Square::E7, white))]);
        assert_eq!(world.air(), [black], "the man that stood there is in the hand");
        run(&mut world, &[(3, Action::PlaceSlot(BoardId::B.seat(Color::Black), 0, black))]);
        assert!(world.air().is_empty());
        assert_eq!(world.at(A, Square::E7), Some(white));
        assert_eq!(world.id(A, Square::E7), Square::E2 as ManId + 1, "the same man");
        assert_eq!(world.tray(BoardId::B.seat(Color::Black))[0], Some(black));
    }

    #[test]
    fn players_of_two_boards_do_not_change_men() {
        let (mut world, knight) = (world(), Color::White.knight());
        let lifts = [(1, Action::Lift(A, Square::B1)), (1, Action::Lift(BoardId::B, Square::B1))];
        run(&mut world, &lifts);
        run(
            &mut world,
            &[(2, Action::Place(BoardId::B, Square::C3, knight)), (3, Action::Place(A, Square::C3, knight))],
        );
        let ids = [A, BoardId::B].map(|board| world.id(board, Square::C3));
        assert_eq!(ids, [Square::B1 as ManId + 1, 64 + Square::B1 as ManId + 1]);
    }

    #[test]
    fn a_lying_man_is_not_felt_and_not_lost() {
        let mut world = world();
        let pawn = Color::White.pawn();
        run(&mut world, &[(1, Action::Lift(A, Square::E2)), (2, Action::Lay(A, Square::E8, pawn))]);
        assert_eq!((world.at(A, Square::E8), world.lying(A, Square::E8)), (None, Some(pawn)));
        assert!(!world.free(A, Square::E8));
        run(&mut world, &[(3, Action::Away(Color::Black.king())), (4, Action::Lift(A, Square::E8))]);
        assert_eq!(world.air(), [pawn]);
    }

    #[test]
    fn a_time_runs_from_press_to_press_without_the_lag() {
        let mut world = world();
        let press = |color, bonus| Action::Press { seat: A.seat(color), bonus };
        run(&mut world, &[(10, Action::Start(A)), (10, Action::Lag(A, 2 * SECOND))]);
        let left = |world: &World, color, at| world.clock(A).left(color, Instant(at * SECOND)) / SECOND;
        assert_eq!((left(&world, Color::White, 11), left(&world, Color::White, 15)), (180, 177));
        run(&mut world, &[(16, press(Color::Black, 0)), (17, press(Color::White, 2 * SECOND))]);
        assert_eq!((left(&world, Color::White, 99), left(&world, Color::Black, 20)), (177, 177));
        run(&mut world, &[(18, Action::Pause(A)), (19, Action::Resume(A))]);
        assert_eq!(left(&world, Color::Black, 20), 178, "a pause counts for nobody");
        run(&mut world, &[(21, Action::Stop(A))]);
        assert_eq!(left(&world, Color::Black, 99), 177);
        assert!(!world.clock(A).running());
    }

    #[test]
    fn a_time_ends_at_zero() {
        let mut world = world();
        run(&mut world, &[(0, Action::Start(A))]);
        assert_eq!(world.clock(A).left(Color::White, Instant(181 * SECOND)), 0);
    }
}

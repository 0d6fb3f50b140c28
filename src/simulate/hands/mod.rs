//! Players: a game becomes a script of touches and presses.
//!
//! In: the plies of a game in the order of the record, its clock terms, a [`Profile`] and a seed. Out: a
//! [`Performance`]: how the table stands at first, the script, and the truth of it. The presses come in the written
//! order, far enough apart for sensors to see it, and every clock shows the record's times: where hands need longer
//! than the record's move took (servers leave lag out) the emulated clock stands for the difference.

mod motion;
mod profile;
mod record;
mod times;
mod truth;

pub use profile::{Millis, Profile};
pub use record::{players_of, plies_of, terms_of};
pub use truth::{Played, Truth};

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::types::{BoardId, Color, Instant, MS, Piece, Role, SECOND, Seat, Square};

use self::{
    motion::{Motion, motion},
    profile::draw,
    times::{Spent, spend},
};
use super::{
    Stream, rng,
    world::{Action, Script, Step, World},
};

/// When the first clock is set going: hosts have asked for everything by then.
const START: i64 = 3 * SECOND;
/// Both clocks are set going within this time in ms.
const START_APART: Millis = 0..=300;
/// How long everything rests after the clocks are stopped.
pub const AFTERWARDS: i64 = 3 * SECOND;

/// One move as hands need it: squares and men as they physically stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ply {
    /// Who moves.
    pub seat: Seat,
    /// Where the man comes from; none for a drop.
    pub from: Option<Square>,
    /// Where it goes (the king in castling).
    pub to: Square,
    /// The man in the hand. A promoted man stays the pawn that it is.
    pub man: Piece,
    /// The square that a captured man leaves: `to`, or the pawn's square in an e.p. capture.
    pub captured: Option<Square>,
    /// The rook's way in castling.
    pub rook: Option<(Square, Square)>,
    /// What a pawn becomes. A knight is announced by the button of the tray.
    pub promotion: Option<Role>,
    /// The mover's time left after the move.
    pub clock_ms: Option<i64>,
    /// For the truth: standard algebraic notation.
    pub san: String,
    /// For the truth: UCI, a drop is `N@f5`.
    pub uci: String,
}

/// What the clocks begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Number of boards.
    pub boards: usize,
    /// Time of every player.
    pub base_ms: i64,
    /// Added at every press.
    pub increment_ms: i64,
}

/// A game as it will be played.
#[derive(Clone, Debug)]
pub struct Performance {
    /// The table before the first step.
    pub world: World,
    /// Everything that is touched.
    pub script: Script,
    /// What was played when.
    pub truth: Truth,
}

/// Plays a game. The same arguments give the same performance.
pub fn play(plies: &[Ply], terms: &Terms, profile: &Profile, seed: u64) -> Performance {
    let mut rng = rng(seed, Stream::Hands);
    let levers: Vec<Color> = (0..terms.boards).map(|_| Color::from_white(rng.random())).collect();
    let world = World::set_up(terms.base_ms * MS, &levers);
    let spent = spend(plies, terms, profile, &mut rng);
    let mut table = Hands::new(world.clone(), terms, profile, rng);
    for (ply, spent) in plies.iter().zip(&spent) {
        table.play(ply, *spent);
    }
    table.finish(world, seed)
}

/// A seat's hands and what they wait for.
#[derive(Clone, Copy, Debug)]
struct Player {
    /// The hands are busy until then.
    busy: Instant,
    /// µs left after the last own press.
    left: i64,
}

/// A board's clock as the hands know it.
#[derive(Clone, Copy, Debug)]
struct Board {
    /// When the running time began: the start or the last press.
    since: Instant,
    turn: Color,
    ply: u32,
}

/// All hands of a table while a performance is made.
struct Hands<'a> {
    profile: &'a Profile,
    rng: ChaCha8Rng,
    /// The table after all steps so far.
    world: World,
    steps: Vec<Step>,
    boards: Vec<Board>,
    players: Vec<Player>,
    /// When the man of each slot was put there, by seat and slot.
    lying: Vec<Vec<Instant>>,
    /// The last press and its board.
    last: (Instant, Option<BoardId>),
    truth: Truth,
}

impl<'a> Hands<'a> {
    fn new(world: World, terms: &Terms, profile: &'a Profile, mut rng: ChaCha8Rng) -> Hands<'a> {
        let boards: Vec<Board> = (0..terms.boards)
            .map(|_| Instant(START) + draw(&mut rng, &START_APART))
            .map(|since| Board { since, turn: Color::White, ply: 0 })
            .collect();
        let player = Player { busy: Instant::ZERO, left: terms.base_ms * MS };
        let mut hands = Hands {
            profile,
            rng,
            lying: vec![vec![Instant::ZERO; super::world::SLOTS]; terms.boards * 2],
            players: vec![player; terms.boards * 2],
            world,
            steps: Vec::new(),
            boards,
            last: (Instant::ZERO, None),
            truth: Truth::new(profile.name, terms),
        };
        for board in BoardId::first(terms.boards) {
            let at = hands.boards[board.index()].since;
            hands.act(at, Action::Start(board));
            hands.truth.start.insert(board, at);
        }
        hands
    }

    fn act(&mut self, at: Instant, action: Action) {
        let step = Step { at, action };
        self.world.apply(step);
        self.steps.push(step);
    }

    fn draw(&mut self, range: impl FnOnce(&Profile) -> &Millis) -> i64 {
        draw(&mut self.rng, range(self.profile))
    }

    /// One move: touches, press, and the captured man passed.
    fn play(&mut self, ply: &Ply, spent: Spent) {
        let motion = motion(ply, &self.world, self.profile, &mut self.rng);
        let settle = self.draw(|profile| &profile.press);
        let press = self.press_time(ply.seat, spent, &motion, settle);
        let Board { since, .. } = self.boards[ply.seat.board.index()];
        self.act(since, Action::Lag(ply.seat.board, press - since - spent.used));
        let first = press + -(settle + motion.duration());
        let mut at = first;
        for (gap, action) in &motion.touches {
            at = at + *gap;
            self.act(at, *action);
        }
        self.act(press, Action::Press { seat: ply.seat, bonus: spent.bonus });
        self.complete(ply, spent, first, at, press);
        if let Some(man) = motion.captured {
            self.pass(ply.seat, man, press);
        }
    }

    /// The first instant at which the seat can press: after the own thinking time, the own hands, the dropped man's
    /// arrival and the press before in the record.
    fn press_time(&mut self, seat: Seat, spent: Spent, motion: &Motion, settle: i64) -> Instant {
        let board = self.boards[seat.board.index()];
        let player = self.players[seat.index()];
        let (react, notice) = (self.draw(|profile| &profile.react), self.draw(|profile| &profile.notice));
        let apart = self.draw(|profile| &profile.apart);
        let lies = motion.from_slot.map(|slot| self.lying[seat.index()][slot] + notice);
        let touch = [Some(board.since), Some(player.busy), lies].into_iter().flatten().max().unwrap_or(board.since);
        let (last, last_board) = self.last;
        let in_order = if last_board == Some(seat.board) { last } else { last + apart };
        (touch + react + motion.duration() + settle).max(board.since + spent.used).max(in_order)
    }

    /// Books a pressed move.
    fn complete(&mut self, ply: &Ply, spent: Spent, first: Instant, made: Instant, press: Instant) {
        let seat = ply.seat;
        self.players[seat.index()] = Player { busy: press, left: spent.left };
        let board = &mut self.boards[seat.board.index()];
        *board = Board { since: press, turn: seat.color.other(), ply: board.ply + 1 };
        self.last = (press, Some(seat.board));
        let left = |color| self.players[seat.board.seat(color).index()].left / MS;
        self.truth.moves.push(Played {
            board: seat.board,
            seat,
            white: seat.color == Color::White,
            ply: board.ply,
            san: ply.san.clone(),
            uci: ply.uci.clone(),
            press,
            made,
            first,
            clock: crate::event::ClockTimes { white_ms: left(Color::White), black_ms: left(Color::Black) },
        });
    }

    /// The captured man goes to the partner's tray after the press.
    fn pass(&mut self, seat: Seat, man: Piece, press: Instant) {
        let at = press + self.draw(|profile| &profile.pass);
        self.players[seat.index()].busy = at;
        let Some(partner) = seat.partners(self.boards.len()).next() else { return };
        let Some(slot) = self.world.tray(partner).iter().position(Option::is_none) else { return };
        self.lying[partner.index()][slot] = at;
        self.act(at, Action::PlaceSlot(partner, slot, man));
    }

    /// The clocks are stopped; men stay.
    fn finish(mut self, before: World, seed: u64) -> Performance {
        let over = self.last.0.max(self.steps.iter().map(|step| step.at).max().unwrap_or_default());
        for board in BoardId::first(self.boards.len()) {
            let Board { since, turn, .. } = self.boards[board.index()];
            let at = over + self.draw(|profile| &profile.stop);
            let left = self.players[board.seat(turn).index()].left;
            // Nobody's flag falls while the other board plays on: the record does not have that time.
            let runs = (at - since).min(left / 2);
            self.act(since, Action::Lag(board, at - since - runs));
            self.act(at, Action::Stop(board));
            self.truth.stop.insert(board, at);
        }
        self.truth.seed = seed;
        let script = Script::new(self.steps);
        self.truth.end = script.end() + AFTERWARDS;
        Performance { world: before, script, truth: self.truth }
    }
}

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;

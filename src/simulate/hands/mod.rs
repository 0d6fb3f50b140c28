//! Players: a game becomes a script of touches and presses.
//!
//! In: the plies of a game in the order of the record, its clock terms, a [`Profile`] and a seed. Out: a
//! [`Performance`]: how the table stands at first, the script, and the truth of it. The presses come in the written
//! order, far enough apart for sensors to see it, and every clock shows the record's times: where hands need longer
//! than the record's move took (servers leave lag out) the emulated clock stands for the difference.

mod detour;
mod ending;
mod fidget;
pub mod habit;
mod marks;
mod motion;
mod next;
mod offend;
mod pass;
mod ply;
mod profile;
mod record;
mod run_out;
mod set_up;
mod times;
mod timing;
mod truth;
mod waiting;

pub use next::play_two;
pub use ply::{Outcome, Ply, Terms};
pub use profile::{Millis, Profile};
pub use record::{players_of, plies_of, ply_of, terms_of};
pub use truth::{Allowed, Asked, Played, Truth};

use std::collections::BTreeSet;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::{
    types::{BoardId, Color, Instant, MS, Piece, Role, SECOND, Seat, Square},
    wire::bslp::Button,
};

use self::{
    habit::{Habit, OF},
    marks::Marks,
    motion::{Displaced, Motion, Scene, motion},
    offend::Kept,
    profile::draw,
    run_out::Standing,
    times::{Spent, spend},
    timing::Timing,
};
use super::{
    Stream,
    offence::{Occasions, Offence, Offences},
    rng,
    world::{Action, Script, Step, World},
};

/// When the first clock is set going: hosts have asked for everything by then.
const START: i64 = 3 * SECOND;
/// Both clocks are set going within this time in ms.
const START_APART: Millis = 0..=300;
/// How much later the other boards start when that is an offence, in ms.
const UNEVEN: Millis = 1500..=4000;
/// A man that is held so long before its drop is out of sight for longer than the laws like.
const HELD_LONG: i64 = 4800 * MS;
/// How long everything rests after the last touch.
pub const AFTERWARDS: i64 = 3 * SECOND;

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
    play_offending(plies, terms, profile, &Offences::default(), seed)
}

/// The same by players who hide men and misuse clocks.
pub fn play_offending(plies: &[Ply], terms: &Terms, profile: &Profile, offences: &Offences, seed: u64) -> Performance {
    let mut rng = rng(seed, Stream::Hands);
    let levers: Vec<Color> = (0..terms.boards).map(|_| Color::from_white(rng.random())).collect();
    let world = World::set_up(terms.base_ms * MS, &levers);
    let mut performance = perform(plies, terms, profile, offences, world, rng);
    performance.truth.seed = seed;
    performance
}

/// Plays a game on a table that is set up.
fn perform(
    plies: &[Ply],
    terms: &Terms,
    profile: &Profile,
    offences: &Offences,
    mut world: World,
    mut rng: ChaCha8Rng,
) -> Performance {
    let mut spent = spend(plies, terms, profile, &mut rng);
    let mine = |offence: Offence| offence.reason().is_none();
    let occasions = Occasions::new(offences, plies.len(), mine, &mut rng);
    let board = set_up::wrong_board(&occasions, &mut world, &mut rng);
    let clock = set_up::wrong_clock(&occasions, (plies, &mut spent), &mut world, &mut rng);
    let mut table = Hands::new(world.clone(), plies, terms, profile, occasions, rng);
    board.into_iter().for_each(|board| table.put_right(board));
    clock.into_iter().for_each(|(board, by)| table.book_clock(board, by));
    for (index, spent) in spent.iter().enumerate() {
        table.play(index, *spent);
        if table.flagged.is_some() {
            break;
        }
    }
    table.finish(world)
}

/// A seat's hands and what they wait for.
#[derive(Clone, Debug)]
struct Player {
    /// The hands are busy until then.
    busy: Instant,
    /// µs left after the last own press.
    left: i64,
    /// µs that ran beside what the record has.
    owes: i64,
    /// Men that the partner handed over.
    held: Vec<Held>,
}

/// A man that went from hand to hand.
#[derive(Clone, Copy, Debug)]
struct Held {
    man: Piece,
    since: Instant,
    /// It was passed under the table.
    hidden: bool,
}

/// A board's clock and last move as the hands know it.
#[derive(Clone, Copy, Debug)]
struct Board {
    /// When the running time began: the start or the last press.
    since: Instant,
    /// When the time before that began.
    before: Instant,
    /// When the last move was made.
    made: Instant,
    /// µs of the running time in which all clocks were stopped.
    paused: i64,
    /// The last mover forgot the clock: the opponent replies and presses for both.
    forgotten: bool,
    turn: Color,
    ply: u32,
}

/// All hands of a table while a performance is made.
struct Hands<'a> {
    plies: &'a [Ply],
    outcome: Option<Outcome>,
    /// What is exchanged for a pawn is also said.
    spoken: bool,
    buttons: bool,
    profile: &'a Profile,
    rng: ChaCha8Rng,
    /// The table after all steps so far.
    world: World,
    steps: Vec<Step>,
    boards: Vec<Board>,
    players: Vec<Player>,
    marks: Marks,
    displaced: Vec<Displaced>,
    /// Where real men stand that are promoted pawns.
    swapped: BTreeSet<(BoardId, Square)>,
    occasions: Occasions,
    /// A habit that shows in this ply whatever its rate: it is an offence.
    forced: Option<Habit>,
    /// Ply on its board that is being made.
    number: u32,
    /// Captured men that were not passed.
    kept: Vec<Kept>,
    /// Kinds that seats may not drop any more.
    restricted: Vec<(Seat, Piece)>,
    /// Who hides men, and how often more.
    hiding: Option<(Seat, u32)>,
    /// A display that stands while its time runs.
    standing: Option<Standing>,
    /// Where time ran out, and when somebody saw it.
    flagged: Option<(BoardId, Instant)>,
    /// The last press and its board.
    last: (Instant, Option<BoardId>),
    truth: Truth,
}

impl<'a> Hands<'a> {
    fn new(
        world: World,
        plies: &'a [Ply],
        terms: &Terms,
        profile: &'a Profile,
        occasions: Occasions,
        mut rng: ChaCha8Rng,
    ) -> Hands<'a> {
        let uneven = occasions.has(Offence::UnevenStart) && occasions.starts(&mut rng);
        let boards: Vec<Board> = (0..terms.boards)
            .map(|board| {
                let late = if uneven && board > 0 { draw(&mut rng, &UNEVEN) } else { 0 };
                Instant(START) + late + draw(&mut rng, &START_APART)
            })
            .map(|since| Board {
                since,
                before: since,
                made: since,
                paused: 0,
                forgotten: false,
                turn: Color::White,
                ply: 0,
            })
            .collect();
        let player = Player { busy: Instant::ZERO, left: terms.base_ms * MS, owes: 0, held: Vec::new() };
        let mut hands = Hands {
            plies,
            outcome: terms.outcome,
            spoken: terms.spoken,
            buttons: terms.buttons,
            profile,
            rng,
            marks: Marks::new(terms.boards),
            displaced: Vec::new(),
            swapped: BTreeSet::new(),
            players: vec![player; terms.boards * 2],
            occasions,
            forced: None,
            number: 1,
            kept: Vec::new(),
            restricted: Vec::new(),
            hiding: None,
            standing: None,
            flagged: None,
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
            if uneven && board != BoardId::A {
                hands.offended(Offence::UnevenStart.kind(), "", board.seat(Color::White), at);
            }
        }
        if hands.occasions.has(Offence::WrongSetup) && hands.occasions.starts(&mut hands.rng) {
            hands.set_up_wrongly();
        }
        hands
    }

    fn act(&mut self, at: Instant, action: Action) {
        let step = Step { at, action };
        self.world.apply(step);
        self.marks.set(&action, at);
        self.steps.push(step);
    }

    fn draw(&mut self, range: impl FnOnce(&Profile) -> &Millis) -> i64 {
        draw(&mut self.rng, range(self.profile))
    }

    /// Whether a habit shows.
    fn shows(&mut self, habit: Habit) -> bool {
        self.forced == Some(habit) || self.rng.random_ratio(u32::from(self.profile.rates.of(habit)), u32::from(OF))
    }

    /// One move: touches, press, and the captured man passed.
    fn play(&mut self, index: usize, spent: Spent) {
        let plies = self.plies;
        let ply = &plies[index];
        self.number = self.boards[ply.seat.board.index()].ply + 1;
        let offence = self.occasions.at(index, &mut self.rng);
        if offence == Some(Offence::FlagFall) {
            return self.run_out(Offence::FlagFall, ply.seat);
        }
        let overrun = (offence == Some(Offence::BothFlags)).then(|| self.overrun(ply.seat));
        let spent = overrun.map_or(spent, |(spent, _)| spent);
        self.forced = Self::forced_by(offence);
        let mut pace = if self.shows(Habit::Scramble) { self.profile.scramble() } else { self.profile.clone() };
        if let Some(habit) = self.forced {
            pace.rates = pace.rates.with(habit);
        }
        let held = self.take_held(ply);
        let put_right = self.take_displaced(ply);
        let scene = Scene {
            world: &self.world,
            put_right: &put_right,
            victim_is_pawn: ply.captured.is_some_and(|square| self.swapped.contains(&(ply.seat.board, square))),
            slot: if held.is_some() { None } else { ply.slot(&self.world) },
            rook_later: offence == Some(Offence::IncompleteCastling),
            spoken: self.spoken,
            tidy: self.displaced.iter().all(|displaced| displaced.board != ply.seat.board),
        };
        let mut motion = motion(ply, &scene, &pace, &mut self.rng);
        if held.is_some() {
            motion.tags.push(Habit::Direct.name());
        }
        let timing = self.timing(index, spent, &mut motion, &pace, held.map(|held| held.since));
        let spent = self.counted(ply.seat, spent, &timing);
        self.book_displaced(&put_right, timing.first);
        self.while_waiting(ply, &timing, &mut motion);
        self.run_clock(ply.seat, spent, &timing);
        let ordered = offence.is_some_and(|offence| self.ask_arbiter(offence, index, spent, &timing));
        if let Some((role, late)) = motion.said {
            let at = late.map_or(timing.first, |late| timing.press + late);
            self.say(ply.seat, role, at);
            // Who must know what the man is to reply waits until it is said.
            let opponent = &mut self.players[ply.seat.opponent().index()];
            opponent.busy = opponent.busy.max(at);
        }
        for (at, action) in &motion.touches {
            let early = matches!(action, Action::LiftSlot(..)).then_some(timing.lifted).flatten();
            self.act(early.unwrap_or(timing.first + *at), *action);
        }
        let since = self.press(ply.seat, spent, &timing, &mut motion);
        for (at, action) in &motion.after {
            self.act(since + *at, *action);
        }
        let captured = motion.captured.map(|(man, lifted)| (man, timing.first + lifted));
        let hidden = offence.zip(captured).is_some_and(|(offence, taken)| self.hide(offence, index, taken, &timing));
        if !hidden {
            self.pass(index, &mut motion, &timing);
        }
        self.note(ply, &motion, &timing, held);
        self.complete(ply, spent, &motion, &timing, since);
        if hidden || ordered || offence.is_some_and(|offence| self.commit(offence, ply, &motion, &timing)) {
            self.occasions.done();
        }
        self.keep_offending(ply, since);
        let offence = (offence == Some(Offence::Displaced)).then_some((self.number, timing.press));
        self.displaced.extend(motion.displaced.iter().map(|displaced| Displaced { offence, ..*displaced }));
        self.follow_swapped(ply, &motion);
        if let Some((_, late)) = overrun {
            self.book_flag(Offence::FlagFall, ply.seat, timing.press + -late);
            self.run_out(Offence::BothFlags, ply.seat.opponent());
        }
    }

    /// Notes what a referee may report or must.
    fn note(&mut self, ply: &Ply, motion: &Motion, timing: &Timing, held: Option<Held>) {
        let (restricted, at) = ((ply.seat, ply.man), timing.press);
        if ply.from.is_none() && self.restricted.contains(&restricted) {
            self.offended(Offence::RestrictedPiece.kind(), "", ply.seat, at);
        }
        if let Some(reason) = ply.illegal {
            self.offended("illegal-move", reason.as_str(), ply.seat, timing.press);
        }
        match held {
            Some(Held { hidden: true, .. }) => {
                self.offended(Offence::HiddenDrop.kind(), "", ply.seat, timing.press);
            }
            Some(_) => self.allow("hidden-drop", ply, timing.press),
            None => {}
        }
        let partners = ply.seat.partners(self.boards.len());
        if partners.into_iter().any(|partner| !self.players[partner.index()].held.is_empty()) {
            self.allow("not-passed", ply, timing.press);
        }
        if timing.lifted.is_some_and(|lifted| timing.first + motion.made - lifted > HELD_LONG) {
            self.allow("concealed", ply, timing.press);
        }
        let stands = self.displaced.iter().any(|displaced| displaced.board == ply.seat.board);
        if stands || !motion.after.is_empty() || !motion.displaced.is_empty() {
            self.allow("displaced", ply, timing.press);
        }
    }

    /// The man for a drop that the partner handed over.
    fn take_held(&mut self, ply: &Ply) -> Option<Held> {
        let held = &mut self.players[ply.seat.index()].held;
        let place = held.iter().position(|held| ply.from.is_none() && held.man == ply.man)?;
        Some(held.swap_remove(place))
    }

    /// Men beside their squares that are put right before this ply.
    fn take_displaced(&mut self, ply: &Ply) -> Vec<Displaced> {
        let mut due = Vec::new();
        self.displaced.retain_mut(|displaced| {
            if displaced.board != ply.seat.board {
                return true;
            }
            let needed = ply.touches(displaced.home) || ply.touches(displaced.stands) || displaced.plies == 0;
            displaced.plies = displaced.plies.saturating_sub(1);
            if needed {
                due.push(*displaced);
            }
            !needed
        });
        due
    }

    /// Books a pressed move.
    fn complete(&mut self, ply: &Ply, spent: Spent, motion: &Motion, timing: &Timing, since: Instant) {
        let seat = ply.seat;
        let player = &mut self.players[seat.index()];
        player.busy = player.busy.max(since + motion.after.last().map_or(0, |(at, _)| *at));
        player.left = spent.left;
        let made = timing.first + motion.made;
        let board = &mut self.boards[seat.board.index()];
        *board = Board {
            since,
            before: board.since,
            made,
            paused: 0,
            forgotten: motion.tags.contains(&Habit::PressedFor.name()),
            turn: seat.color.other(),
            ply: board.ply + 1,
        };
        self.last = (since, Some(seat.board));
        let left = |color| self.players[seat.board.seat(color).index()].left / MS;
        let clock = crate::event::ClockTimes { white_ms: left(Color::White), black_ms: left(Color::Black) };
        self.truth.moves.push(Played {
            board: seat.board,
            seat,
            white: seat.color == Color::White,
            ply: board.ply,
            san: ply.san.clone(),
            uci: ply.uci.clone(),
            press: timing.press,
            made,
            first: timing.lifted.unwrap_or(timing.first).min(timing.first),
            clock,
            tags: motion.tags.iter().map(|tag| (*tag).to_owned()).collect(),
        });
        self.allow_flag(seat, clock, since);
    }

    /// Keeps count of real men that are promoted pawns.
    fn follow_swapped(&mut self, ply: &Ply, motion: &Motion) {
        let board = ply.seat.board;
        if let Some(square) = ply.captured {
            self.swapped.remove(&(board, square));
        }
        let moved = ply.from.is_some_and(|from| self.swapped.remove(&(board, from)));
        if moved || motion.tags.contains(&Habit::Swapped.name()) {
            self.swapped.insert((board, ply.to));
        }
    }

    /// A player says what a pawn becomes: there may be a button for the knight; else the arbiter enters it.
    fn say(&mut self, seat: Seat, role: Role, at: Instant) {
        if role == Role::Knight && self.buttons {
            return self.act(at, Action::Button(seat, Button::Knight));
        }
        let data = serde_json::json!({ "seat": seat, "promotion": role.upper_char() });
        self.ask(at, "declare", data);
    }

    fn allow(&mut self, kind: &str, ply: &Ply, t: Instant) {
        let (kind, seat, ply) = (kind.to_owned(), ply.seat, self.number);
        self.truth.allowed_incidents.push(Allowed { kind, board: seat.board, seat: Some(seat), ply, t });
    }
}

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;

//! The next game at the same table: the men are swept off and set up, the clocks are set anew, another game is played.
//!
//! In: two games. Out: one performance, whose truth has the second game behind the first. What hands do to the first
//! game does not depend on there being another one, up to the sweep. Men may be set up on each other's squares and put
//! right, or adjusted, and the last of them may come down when the clocks run already.

use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;

use crate::{
    simulate::{
        Stream,
        offence::{Offence, Offences},
        rng,
        world::{Action, Script, Step, World, start},
    },
    types::{BoardId, Color, File, Instant, MS, Rank, Square},
};

use super::{
    Allowed, Millis, Performance, Ply, Profile, Terms,
    habit::{Habit, OF},
    perform,
    profile::draw,
};

/// From the last man of the set-up to the first clock, in ms, where nobody is in a hurry. Without clocks men have to
/// rest set up for two seconds before they are known to be of a new game.
const START_AFTER: Millis = 2200..=7000;
/// How long before the first clock runs the times are set, in ms.
const SET_BEFORE: Millis = 600..=4000;
/// Until somebody sees that men stand on each other's squares, in ms.
const SEEN: Millis = 400..=2000;
/// From touch to touch of men that are put right or adjusted, in ms.
const EACH: Millis = 120..=500;
/// Men of a board that are adjusted.
const ADJUSTED: std::ops::RangeInclusive<usize> = 1..=4;

/// Plays a game and then another one on the same boards. Offences are of the first.
pub fn play_two(
    [(plies, terms), (next_plies, next_terms)]: [(&[Ply], &Terms); 2],
    profile: &Profile,
    offences: &Offences,
    seed: u64,
) -> Performance {
    let sweeping = Profile { rates: profile.rates.with(Habit::Sweep), ..profile.clone() };
    let first = super::play_offending(plies, terms, &sweeping, offences, seed);
    let mut rng = rng(seed, Stream::NextGame);
    let mut after = first.world.clone();
    first.script.steps().iter().for_each(|step| after.apply(*step));
    let levers: Vec<Color> = BoardId::first(terms.boards).map(|board| after.clock(board).high()).collect();
    let world = World::set_up(next_terms.base_ms * MS, &levers);
    let second = perform(next_plies, next_terms, profile, &Offences::default(), world, ChaCha8Rng::from_rng(&mut rng));
    let mut between =
        Between { steps: first.script.steps().to_vec(), second: &second, profile, rng: &mut rng, wrong: Vec::new() };
    let begins = between.set_up(terms.boards, next_terms.base_ms * MS);
    let (mut steps, wrong) = (between.steps, between.wrong);
    steps.extend(second.script.steps().iter().map(|step| Step { at: begins + step.at.micros(), ..*step }));
    let (mut truth, mut next) = (first.truth, second.truth);
    next.delay(begins.micros());
    next.seed = seed;
    // Without clocks nobody sees that a game has not begun yet.
    next.allowed_incidents.extend(wrong.into_iter().map(|(board, t)| Allowed {
        kind: Offence::WrongSetup.kind().to_owned(),
        board,
        seat: None,
        ply: 0,
        t,
    }));
    truth.end = next.end;
    truth.next = Some(Box::new(next));
    Performance { world: first.world, script: Script::new(steps), truth }
}

/// What is done between two games.
struct Between<'a> {
    /// All of the first game, with the sweep and the set-up.
    steps: Vec<Step>,
    second: &'a Performance,
    profile: &'a Profile,
    rng: &'a mut ChaCha8Rng,
    /// Boards that were set up wrongly, and when.
    wrong: Vec<(BoardId, Instant)>,
}

impl Between<'_> {
    /// Sets up for the second game. Answers when that one's time is zero.
    fn set_up(&mut self, boards: usize, micros: i64) -> Instant {
        for board in BoardId::first(boards) {
            if self.shows(Habit::SetUpWrongly) {
                self.exchange(board);
            }
            if self.shows(Habit::SetUpAdjusted) {
                self.adjust(board);
            }
        }
        let last = self.steps.iter().map(|step| step.at).max().unwrap_or_default();
        let begins = if self.shows(Habit::Hurried) {
            BoardId::first(boards).map(|board| self.hurried(board)).max().unwrap_or_default()
        } else {
            let starts = self.second.truth.start.values().min().copied().unwrap_or_default();
            last + draw(self.rng, &START_AFTER) - starts
        };
        let begins = Instant(begins);
        for (board, starts) in &self.second.truth.start {
            let at = begins + starts.micros() + -draw(self.rng, &SET_BEFORE);
            self.steps.push(Step { at, action: Action::SetClock(*board, micros) });
        }
        begins
    }

    fn shows(&mut self, habit: Habit) -> bool {
        self.rng.random_ratio(u32::from(self.profile.rates.of(habit)), u32::from(OF))
    }

    /// The last touch of a board.
    fn last(&self, board: BoardId) -> Instant {
        let here = self.steps.iter().filter(|step| touches(step, board));
        here.map(|step| step.at).max().unwrap_or_default()
    }

    /// When the second game's time is zero if a board's last man comes down between its clock's start and its first
    /// move, in µs.
    fn hurried(&self, board: BoardId) -> i64 {
        let Performance { script, truth, .. } = self.second;
        let starts = truth.start.get(&board).copied().unwrap_or_default();
        let moves = script.steps().iter().find(|step| touches(step, board)).map_or(starts, |step| step.at);
        self.last(board).micros() - starts.micros() - (moves - starts) / 2
    }

    /// King and queen of a colour, or two men like them, were put on each other's squares, and are put right.
    fn exchange(&mut self, board: BoardId) {
        let rank = if self.rng.random() { Rank::First } else { Rank::Eighth };
        let files = if self.rng.random() { [File::D, File::E] } else { [File::B, File::C] };
        let squares = files.map(|file| Square::from_coords(file, rank));
        let [Some(first), Some(second)] = squares.map(|square| start()[square as usize]) else { return };
        for (square, man, other) in [(squares[0], first, second), (squares[1], second, first)] {
            let put = Action::Place(board, square, man);
            if let Some(step) = self.steps.iter_mut().rfind(|step| step.action == put) {
                step.action = Action::Place(board, square, other);
            }
        }
        let last = self.last(board);
        let mut at = last + draw(self.rng, &SEEN);
        self.wrong.push((board, last));
        let [one, other] = squares;
        let right = [
            Action::Lift(board, one),
            Action::Lift(board, other),
            Action::Place(board, one, first),
            Action::Place(board, other, second),
        ];
        for action in right {
            self.steps.push(Step { at, action });
            at = at + draw(self.rng, &EACH);
        }
    }

    /// Some men are put straight on their squares.
    fn adjust(&mut self, board: BoardId) {
        let men = Square::ALL.into_iter().filter_map(|square| Some((square, start()[square as usize]?)));
        let men: Vec<_> = men.collect();
        let count = self.rng.random_range(ADJUSTED);
        let mut at = self.last(board) + draw(self.rng, &SEEN);
        let chosen: Vec<_> = men.choose_multiple(self.rng, count).copied().collect();
        for (square, man) in chosen {
            for action in [Action::Lift(board, square), Action::Place(board, square, man)] {
                self.steps.push(Step { at, action });
                at = at + draw(self.rng, &EACH);
            }
        }
    }
}

/// Whether a man of a board's squares is touched.
fn touches(step: &Step, on: BoardId) -> bool {
    matches!(step.action, Action::Lift(board, _) | Action::Place(board, ..) | Action::Lay(board, ..) if board == on)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        rules::RuleSet,
        simulate::random_game::random_game,
        types::{SECOND, Seat},
    };

    /// Two short random games by such players.
    fn two(profile: &Profile, seed: u64) -> Performance {
        let game = |seed| random_game(seed, 20, &RuleSet::WBN_1_00);
        let ((first, terms), (second, next)) = (game(seed), game(seed + 1000));
        play_two([(&first, &terms), (&second, &next)], profile, &Offences::default(), seed)
    }

    /// The world when everything before an instant is done.
    fn at(performance: &Performance, until: Instant) -> World {
        let mut world = performance.world.clone();
        let steps = performance.script.steps().iter().take_while(|step| step.at < until);
        steps.for_each(|step| world.apply(*step));
        world
    }

    #[test]
    fn both_games_are_in_the_truth_and_the_table_is_set_up_between() {
        let hands = [&Profile::CLEAN, &Profile::HUMAN, &Profile::BLITZ, &Profile::CHAOS];
        for (seed, profile) in (0..40).flat_map(|seed| hands.map(|profile| (seed, profile))) {
            let (performance, name) = (two(profile, seed), format!("{} {seed}", profile.name));
            let games: Vec<_> = performance.truth.games().collect();
            let [first, second] = games[..] else { panic!("{name}: {} games", games.len()) };
            assert!(first.evident.is_some() && first.moves.len() >= 10 && second.moves.len() >= 10, "{name}");
            let over = first.stop.values().max().unwrap();
            let starts = *second.start.values().min().unwrap();
            assert!(first.moves.iter().all(|m| m.press < *over) && *over < starts, "{name}");
            assert!(second.moves.iter().all(|m| m.first > starts && m.press <= first.end), "{name}");
            let world = at(&performance, starts);
            assert!(Seat::all(2).all(|seat| world.tray(seat).iter().all(Option::is_none)), "{name}: trays are empty");
            for board in BoardId::first(2) {
                // A board is set up before its first man is touched for the second game, its clock shows all time.
                let touched = second.moves.iter().filter(|m| m.board == board).map(|m| m.first).min().unwrap();
                let world = at(&performance, touched);
                let men: Vec<_> = Square::ALL.into_iter().map(|square| world.at(board, square)).collect();
                assert_eq!(men, start(), "{name}, board {board}");
                let clock = world.clock(board);
                assert!(clock.running() && clock.high() == Color::White, "{name}, board {board}");
                assert_eq!(clock.left(Color::Black, touched), second.base * SECOND, "{name}, board {board}");
            }
        }
    }

    #[test]
    fn the_first_game_is_played_as_if_it_were_alone() {
        let (plies, terms) = random_game(7, 20, &RuleSet::WBN_1_00);
        let alone = super::super::play(&plies, &terms, &Profile::HUMAN, 7);
        let both = two(&Profile::HUMAN, 7);
        assert_eq!(alone.truth.moves, both.truth.moves);
        let until = *alone.truth.stop.values().max().unwrap();
        let steps =
            |script: &Script| script.steps().iter().filter(|step| step.at <= until).copied().collect::<Vec<_>>();
        assert_eq!(steps(&alone.script), steps(&both.script));
    }
}

//! What players do against the laws: named offences, injected at seeded moments, with truth.
//!
//! Illegal moves belong to the game that is played ([`illegal`]); hiding men and misusing clocks belong to the hands.
//! In: kinds and how often. Out: occasions. What a referee says of it is not known here.

pub mod illegal;

use rand::{Rng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::{
    rules::{Hiding, Passing, Reason, RuleSet},
    simulate::{
        hands::{Ply, Terms},
        rig::{Clocks, Rig},
    },
    types::{BoardId, Instant, Seat},
};

/// Something against the laws. The names are those of the incidents that report it, as far as there are any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offence {
    /// An illegal move is completed.
    Illegal(Reason),
    /// A man is taken out of the own pocket and hidden.
    Concealed,
    /// The same, three times in a game.
    RepeatedlyHiding,
    /// A captured man is kept until after the capturer's next move.
    NotPassed,
    /// A captured man is put into the wrong tray and put right later.
    WrongPocket,
    /// A man is passed under the table and dropped, never seen in the pocket.
    HiddenDrop,
    /// A man that no board has lost appears in a pocket.
    ForeignPiece,
    /// The clock is pressed without a move, and pressed back.
    ClockWithoutMove,
    /// One board starts seconds after the other.
    UnevenStart,
    /// A frozen player does not wait.
    MovedWhileFrozen,
    /// A man is dropped whose kind the opponent has restricted.
    RestrictedPiece,
    /// All clocks are stopped and set going again.
    Paused,
    /// The clock is pressed before the rook has jumped.
    IncompleteCastling,
    /// A disturbing premove, taken back.
    Premove,
    /// A man stands beside its square for some plies.
    Displaced,
    /// A captured man is passed long before the capture is completed, where the rule set forbids it.
    EarlyPass,
    /// Men stand on each other's squares when the clocks are set going; somebody sees it and puts them right.
    WrongSetup,
    /// A clock shows what time cannot have made of it.
    ClockDefect,
    /// A board lies turned by a quarter when the clocks are set going, until somebody sees it.
    BoardTurned,
    /// Men are missing when the clocks are set going, until somebody sees it.
    MenMissing,
    /// Other men stand where some belong, until somebody sees it.
    WrongMen,
    /// A clock was set to another time than the time control has.
    ClockTimes,
    /// A display stands for minutes while its time runs.
    ClockSlow,
    /// A player's time runs out, and the game ends with it.
    FlagFall,
    /// Both players of a board run out of time before anybody says so.
    BothFlags,
    /// A player claims what nothing bears out.
    WrongClaim,
    /// A player presses the button for claims and there is nothing to claim.
    EmptyClaim,
    /// Where no clock tells whose turn it is, a player makes a second move in a row, and takes it back.
    NotYourTurn,
}

/// The kinds beside illegal moves.
const OTHERS: [(&str, Offence); 17] = [
    ("concealed", Offence::Concealed),
    ("repeatedly-hiding", Offence::RepeatedlyHiding),
    ("not-passed", Offence::NotPassed),
    ("wrong-pocket", Offence::WrongPocket),
    ("hidden-drop", Offence::HiddenDrop),
    ("foreign-piece", Offence::ForeignPiece),
    ("clock-without-move", Offence::ClockWithoutMove),
    ("uneven-start", Offence::UnevenStart),
    ("moved-while-frozen", Offence::MovedWhileFrozen),
    ("restricted-piece-used", Offence::RestrictedPiece),
    ("paused", Offence::Paused),
    ("incomplete-castling", Offence::IncompleteCastling),
    ("premove", Offence::Premove),
    ("displaced", Offence::Displaced),
    ("early-pass", Offence::EarlyPass),
    ("wrong-setup", Offence::WrongSetup),
    ("clock-defect", Offence::ClockDefect),
];
/// Kinds that take a game of their own: they are about how it is set up, how its clocks run, where it ends, or what
/// stands at its table. Kind of the incident, and the reason that it must have.
const ALONE: [(&str, &str, Offence); 10] = [
    ("wrong-setup", "board-turned", Offence::BoardTurned),
    ("wrong-setup", "men-missing", Offence::MenMissing),
    ("wrong-setup", "wrong-men", Offence::WrongMen),
    ("wrong-setup", "clock-times", Offence::ClockTimes),
    ("clock-defect", "too-slow", Offence::ClockSlow),
    ("flag-fall", "", Offence::FlagFall),
    ("flag-fall", "both-flags", Offence::BothFlags),
    ("wrong-claim", "", Offence::WrongClaim),
    ("arbiter-called", "", Offence::EmptyClaim),
    (ILLEGAL_MOVE, "not-your-turn", Offence::NotYourTurn),
];
/// The kind of the incidents of illegal moves.
const ILLEGAL_MOVE: &str = "illegal-move";
/// Before the reason of an illegal move.
const ILLEGAL: &str = "illegal:";
/// What players have where a flag is to fall, in ms: nobody else's time is to run out, nor stand for too long.
const FLAG_BASE_MS: i64 = 60_000;
/// What they have where a clock is to stand for minutes: the other board's time runs.
const SLOW_BASE_MS: i64 = 600_000;

impl Offence {
    /// All that hands can commit.
    pub fn all() -> impl Iterator<Item = Offence> {
        Offence::mixed().chain(ALONE.map(|(_, _, offence)| offence))
    }

    /// Those that may come together in one game.
    pub fn mixed() -> impl Iterator<Item = Offence> {
        let reasons = Reason::ALL.into_iter().filter(|reason| illegal::is_possible(*reason));
        reasons.map(Offence::Illegal).chain(OTHERS.map(|(_, offence)| offence))
    }

    /// As the command line spells it: `illegal:geometry`, `concealed`, `wrong-setup:men-missing`.
    pub fn name(self) -> String {
        match (self.kind(), self.word()) {
            (ILLEGAL_MOVE, reason) => format!("{ILLEGAL}{reason}"),
            (kind, "") => kind.to_owned(),
            (kind, reason) => format!("{kind}:{reason}"),
        }
    }

    /// The kind of the incident.
    pub fn kind(self) -> &'static str {
        let usual = OTHERS.iter().find(|(_, offence)| *offence == self).map(|(name, _)| *name);
        usual.or_else(|| self.alone().map(|(kind, _)| kind)).unwrap_or(ILLEGAL_MOVE)
    }

    /// The reason that the incident must have, if it must have one.
    pub fn word(self) -> &'static str {
        self.reason().map(Reason::as_str).or_else(|| self.alone().map(|(_, reason)| reason)).unwrap_or_default()
    }

    fn alone(self) -> Option<(&'static str, &'static str)> {
        ALONE.iter().find(|(_, _, offence)| *offence == self).map(|(kind, reason, _)| (*kind, *reason))
    }

    /// The offence with this name.
    pub fn named(name: &str) -> Option<Offence> {
        Offence::all().find(|offence| offence.name() == name)
    }

    /// The reason of an illegal move that is a ply of the game.
    pub fn reason(self) -> Option<Reason> {
        if let Offence::Illegal(reason) = self { Some(reason) } else { None }
    }
}

impl Offences {
    /// Those that are against a rule set.
    pub fn under(&self, rules: &RuleSet) -> Offences {
        let forbidden = |offence: &Offence| match offence {
            Offence::EarlyPass => rules.passing == Passing::BeforeOwnMove,
            Offence::RestrictedPiece => rules.hiding == Hiding::Restrict,
            _ => true,
        };
        Offences { kinds: self.kinds.iter().copied().filter(forbidden).collect(), ..self.clone() }
    }

    fn any(&self, kinds: &[Offence]) -> bool {
        self.kinds.iter().any(|kind| kinds.contains(kind))
    }

    /// What stands at a table where they can be committed.
    pub fn rig(&self, rig: &Rig) -> Rig {
        let clocks = if self.any(&[Offence::NotYourTurn]) { Clocks::Absent } else { rig.clocks };
        Rig { clocks, ..rig.clone() }
    }

    /// Gives the players the time with which they can be committed; what a record says of its times does not fit then.
    pub fn set_time(&self, plies: &mut [Ply], terms: &mut Terms) {
        let base_ms = match () {
            () if self.any(&[Offence::FlagFall, Offence::BothFlags]) => FLAG_BASE_MS,
            () if self.any(&[Offence::ClockSlow]) => SLOW_BASE_MS,
            () => return,
        };
        terms.base_ms = base_ms;
        plies.iter_mut().for_each(|ply| ply.clock_ms = None);
    }
}

/// What is done against the laws in a game, and how often.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offences {
    /// The kinds.
    pub kinds: Vec<Offence>,
    /// In how many of 1000 plies; none: once a game, as soon as it can be done after a seeded moment.
    pub per_mille: Option<u16>,
}

/// An offence that was committed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offended {
    /// Kind of the incident.
    pub kind: String,
    /// The reason of an illegal move, else empty.
    #[serde(default)]
    pub reason: String,
    /// Where.
    pub board: BoardId,
    /// Who.
    pub seat: Seat,
    /// Ply on the board that was being made or was completed last, from 1.
    pub ply: u32,
    /// When.
    pub t: Instant,
}

/// When offences happen in one game.
pub struct Occasions {
    kinds: Vec<Offence>,
    per_mille: Option<u16>,
    /// The first ply that may have one.
    due: usize,
    done: bool,
}

impl Occasions {
    /// For a game of so many plies, with those kinds that `mine` chooses.
    pub fn new(of: &Offences, plies: usize, mine: fn(Offence) -> bool, rng: &mut ChaCha8Rng) -> Occasions {
        let kinds: Vec<Offence> = of.kinds.iter().copied().filter(|kind| mine(*kind)).collect();
        // No draws where there is nothing to draw: games without offences stay what they were.
        let due = if kinds.is_empty() { 0 } else { rng.random_range(plies / 10..=plies / 2 + 1) };
        Occasions { kinds, per_mille: of.per_mille, due, done: false }
    }

    /// What is done in a ply if it can be.
    pub fn at(&self, index: usize, rng: &mut ChaCha8Rng) -> Option<Offence> {
        if self.kinds.is_empty() || self.done {
            return None;
        }
        let arises = match self.per_mille {
            None => index >= self.due,
            Some(per_mille) => rng.random_range(0..1000) < per_mille,
        };
        if arises { self.kinds.choose(rng).copied() } else { None }
    }

    /// Whether the start of the game is an occasion: as rare as ten plies are.
    pub fn starts(&self, rng: &mut ChaCha8Rng) -> bool {
        self.per_mille.is_none_or(|per_mille| rng.random_range(0..1000) < per_mille.saturating_mul(10))
    }

    /// It could be done.
    pub fn done(&mut self) {
        self.done = self.per_mille.is_none();
    }

    /// Whether such a kind was asked for.
    pub fn has(&self, offence: Offence) -> bool {
        self.kinds.contains(&offence)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn names_are_read_back() {
        for offence in Offence::all() {
            assert_eq!(Offence::named(&offence.name()), Some(offence));
        }
        assert_eq!(Offence::named("illegal:geometry"), Some(Offence::Illegal(Reason::Geometry)));
        assert_eq!(Offence::named("illegal:no-such-man"), None, "a matter of notation");
        assert_eq!(Offence::Illegal(Reason::Blocked).kind(), "illegal-move");
        assert_eq!(Offence::named("illegal:not-your-turn"), Some(Offence::NotYourTurn));
        let missing = Offence::named("wrong-setup:men-missing").unwrap();
        assert_eq!((missing.kind(), missing.word()), ("wrong-setup", "men-missing"));
    }

    #[test]
    fn an_offence_happens_once_or_at_its_rate() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let kinds = vec![Offence::Concealed, Offence::Illegal(Reason::Blocked)];
        let once = Offences { kinds: kinds.clone(), per_mille: None };
        let mut occasions = Occasions::new(&once, 100, |kind| kind.reason().is_none(), &mut rng);
        let first = (0..100).find(|index| occasions.at(*index, &mut rng) == Some(Offence::Concealed)).unwrap();
        assert!((10..=51).contains(&first));
        occasions.done();
        assert_eq!(occasions.at(99, &mut rng), None);
        let often = Offences { kinds, per_mille: Some(100) };
        let occasions = Occasions::new(&often, 100, |_| true, &mut rng);
        let count = (0..1000).filter(|index| occasions.at(*index, &mut rng).is_some()).count();
        assert!((50..200).contains(&count), "{count}");
    }
}

//! Every field of a rule set by its name: how it is read and written.

use super::{
    Claims, ClockDelay, DrawAgreement, Ending, FREEZING_STEPS_MAX, FlagClaim, Hiding, Kings, LastDropRule, Order,
    Passing, Premove, RuleSet, WrongClaim,
};
use crate::types::{Bitboard, Rank, Role};

/// The highest number that a counting field takes.
const COUNT_MAX: u32 = 99;
/// The longest freezing in seconds.
const FREEZING_SECONDS_MAX: u16 = 600;

/// One field of a rule set.
///
/// ```
/// use bughoused::rules::{Field, RuleSet};
///
/// let mut rules = RuleSet::CZ_2024_06;
/// let repetition = Field::named("repetition").unwrap();
/// assert_eq!((repetition.get(&rules).as_str(), repetition.expected), ("3", "a number from 2 to 99"));
/// repetition.set(&mut rules, "4").unwrap();
/// assert_eq!(rules.to_string(), "cz-2024.06,repetition=4");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name in configurations.
    pub name: &'static str,
    /// What it takes, for people.
    pub expected: &'static str,
    get: fn(&RuleSet) -> String,
    set: fn(&mut RuleSet, &str) -> Option<()>,
}

impl Field {
    /// The field with this name.
    pub fn named(name: &str) -> Option<&'static Field> {
        FIELDS.iter().find(|field| field.name == name)
    }

    /// The value as text.
    pub fn get(&self, rules: &RuleSet) -> String {
        (self.get)(rules)
    }

    /// Sets the value; none when the text is no value of this field.
    pub fn set(&self, rules: &mut RuleSet, text: &str) -> Option<()> {
        (self.set)(rules, text)
    }
}

macro_rules! field {
    ($name:literal, $($place:ident).+) => {
        Field {
            name: $name,
            expected: expected(|rules| &rules.$($place).+),
            get: |rules| rules.$($place).+.write(),
            set: |rules, text| {
                rules.$($place).+ = Value::read(text)?;
                Some(())
            },
        }
    };
}

/// What the type of a field expects.
const fn expected<T: Value>(_: fn(&RuleSet) -> &T) -> &'static str {
    T::EXPECTED
}

/// All fields, sorted by name.
pub const FIELDS: &[Field] = &[
    field!("both_flags_draw", both_flags_draw),
    field!("castle_with_dropped_rook", moves.castle_with_dropped_rook),
    field!("claims", claims),
    field!("clock_delay", clock_delay),
    field!("draw_agreement", draw_agreement),
    field!("drop_may_check", moves.drop_may_check),
    field!("drop_may_mate", moves.drop_may_mate),
    field!("drop_ranks", moves.drops),
    field!("dropped_pawn_steps_two", moves.dropped_pawn_steps_two),
    field!("ending", ending),
    field!("flag_claim", flag_claim),
    field!("freezing", freezing),
    field!("hiding", hiding),
    field!("illegal_move_loses", illegal_move_loses),
    field!("kings", moves.kings),
    field!("last_drop", last_drop),
    field!("order", order),
    field!("passing", passing),
    field!("pawn_drop_ranks", moves.pawn_drops),
    field!("premove", premove),
    field!("promoted_captured_as_pawn", moves.promoted_captured_as_pawn),
    field!("promotion_must_be_said", promotion_must_be_said),
    field!("promotions", moves.promotions),
    Field {
        name: "repetition",
        expected: "a number from 2 to 99",
        get: |rules| rules.repetition.write(),
        set: repetition,
    },
    field!("simultaneous", simultaneous),
    field!("stalemate", stalemate),
    field!("stall_limit", stall_limit),
    field!("wrong_claim", wrong_claim),
];

/// A position that stands once is no repetition.
fn repetition(rules: &mut RuleSet, text: &str) -> Option<()> {
    rules.repetition = u32::read(text).filter(|count| *count >= 2)?;
    Some(())
}

/// A value as configurations write it.
trait Value: Sized {
    /// For people.
    const EXPECTED: &'static str;
    fn read(text: &str) -> Option<Self>;
    fn write(&self) -> String;
}

impl Value for bool {
    const EXPECTED: &'static str = "true or false";

    fn read(text: &str) -> Option<bool> {
        text.parse().ok()
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Value for u32 {
    const EXPECTED: &'static str = "a number from 0 to 99";

    fn read(text: &str) -> Option<u32> {
        text.parse().ok().filter(|count| *count <= COUNT_MAX)
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

/// Ranks as White counts them.
impl Value for Bitboard {
    const EXPECTED: &'static str = "ranks as the player counts them, such as 2-7";

    fn read(text: &str) -> Option<Bitboard> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let rank = |text: &str| text.chars().next().filter(|_| text.len() == 1).and_then(Rank::from_char);
        let (first, last) = (rank(first)?, rank(last)?);
        (first <= last).then(|| {
            Rank::ALL.into_iter().filter(|rank| (first..=last).contains(rank)).flat_map(Bitboard::from_rank).collect()
        })
    }

    fn write(&self) -> String {
        let ranks = || Rank::ALL.into_iter().filter(|rank| (*self & Bitboard::from_rank(*rank)).any());
        match (ranks().next(), ranks().next_back()) {
            (Some(first), Some(last)) => format!("{first}-{last}"),
            _ => "none".into(),
        }
    }
}

/// Letters, the default first.
impl Value for [Option<Role>; 4] {
    const EXPECTED: &'static str = "letters of Q, R, B, N, the default first, such as QN, or none";

    fn read(text: &str) -> Option<[Option<Role>; 4]> {
        let mut roles = [None; 4];
        if text == "none" {
            return Some(roles);
        }
        let mut places = roles.iter_mut();
        for letter in text.chars().filter(|letter| *letter != '/') {
            let role = Role::from_char(letter).filter(|role| !matches!(role, Role::Pawn | Role::King))?;
            let place = places.next()?;
            *place = Some(role);
        }
        let twice = (1..roles.len()).any(|index| roles[index].is_some() && roles[..index].contains(&roles[index]));
        (roles[0].is_some() && !twice).then_some(roles)
    }

    fn write(&self) -> String {
        let letters: String = self.iter().flatten().map(|role| role.upper_char()).collect();
        if letters.is_empty() { "none".into() } else { letters }
    }
}

/// Seconds joined by slashes.
impl Value for [u16; FREEZING_STEPS_MAX] {
    const EXPECTED: &'static str = "up to four numbers of seconds from 1 to 600 such as 5/10, or none";

    fn read(text: &str) -> Option<[u16; FREEZING_STEPS_MAX]> {
        let mut steps = [0; FREEZING_STEPS_MAX];
        if text == "none" {
            return Some(steps);
        }
        let mut places = steps.iter_mut();
        for seconds in text.split('/') {
            let place = places.next()?;
            *place = seconds.parse().ok().filter(|seconds| (1..=FREEZING_SECONDS_MAX).contains(seconds))?;
        }
        Some(steps)
    }

    fn write(&self) -> String {
        let steps: Vec<String> = self.iter().filter(|seconds| **seconds > 0).map(u16::to_string).collect();
        if steps.is_empty() { "none".into() } else { steps.join("/") }
    }
}

macro_rules! value_of_choice {
    ($($choice:ident),+) => {$(
        impl Value for $choice {
            const EXPECTED: &'static str = $choice::EXPECTED;

            fn read(text: &str) -> Option<$choice> {
                $choice::from_word(text)
            }

            fn write(&self) -> String {
                self.as_str().into()
            }
        }
    )+};
}

value_of_choice!(
    Claims,
    ClockDelay,
    DrawAgreement,
    Ending,
    FlagClaim,
    Hiding,
    Kings,
    LastDropRule,
    Order,
    Passing,
    Premove,
    WrongClaim
);

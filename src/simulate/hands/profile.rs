//! How a kind of player behaves, as data: ranges of times and how often which habit shows.
//!
//! Only what hands do is here. What sensors get wrong belongs to the devices.

use std::{ops::RangeInclusive, sync::LazyLock};

use rand::Rng;

use crate::types::MS;

use super::habit::{Habit, Rates};

/// A range of times in milliseconds.
pub type Millis = RangeInclusive<i64>;

/// One kind of player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// As the command line spells it.
    pub name: &'static str,
    /// From the opponent's press to the first touch, at least.
    pub react: Millis,
    /// To grip a man and to let it go, together.
    pub grip: Millis,
    /// How fast a hand with a man goes, in cm/s.
    pub speed: RangeInclusive<i64>,
    /// Between two men of one move.
    pub between: Millis,
    /// From the last man coming down to the press.
    pub press: Millis,
    /// From the press to the captured man in the partner's tray.
    pub pass: Millis,
    /// A man in a tray before its owner takes it.
    pub notice: Millis,
    /// Between presses on two boards, so that their order is visible to sensors.
    pub apart: Millis,
    /// From the last move to the stop of a clock.
    pub stop: Millis,
    /// A plausible time for a move of a record without times.
    pub think: Millis,
    /// How often the habits show.
    pub rates: Rates,
}

/// All profiles: the four kinds of players, and clean ones with one habit.
static ALL: LazyLock<Vec<Profile>> = LazyLock::new(|| {
    let alone = Habit::all().map(|habit| Profile { name: habit.name(), rates: Rates::alone(habit), ..Profile::CLEAN });
    [Profile::CLEAN, Profile::HUMAN, Profile::BLITZ, Profile::CHAOS].into_iter().chain(alone).collect()
});

impl Profile {
    /// Tidy players: one man after another, the press after the move, captured men passed at once.
    pub const CLEAN: Profile = Profile {
        name: "clean",
        react: 250..=500,
        grip: 100..=250,
        speed: 25..=50,
        between: 150..=350,
        press: 350..=700,
        pass: 350..=800,
        notice: 300..=600,
        apart: 400..=650,
        stop: 500..=3000,
        think: 800..=2500,
        rates: Rates::of_column(0),
    };

    /// Club players with club habits.
    pub const HUMAN: Profile = Profile {
        name: "human",
        react: 150..=450,
        grip: 60..=180,
        speed: 30..=60,
        between: 70..=250,
        press: 120..=500,
        pass: 200..=1200,
        notice: 200..=700,
        apart: 150..=400,
        stop: 500..=3000,
        think: 500..=2000,
        rates: Rates::of_column(1),
    };

    /// Strong players with seconds left.
    pub const BLITZ: Profile = Profile {
        name: "blitz",
        react: 100..=250,
        grip: 40..=100,
        speed: 45..=60,
        between: 30..=120,
        press: 80..=250,
        pass: 120..=700,
        notice: 100..=400,
        apart: 60..=250,
        stop: 300..=2000,
        think: 150..=1200,
        rates: Rates::of_column(2),
    };

    /// As fast, and everything that can go astray does.
    pub const CHAOS: Profile = Profile { name: "chaos", rates: Rates::of_column(3), ..Profile::BLITZ };

    /// All profiles that there are: the four, and each habit alone on top of the clean one.
    pub fn all() -> &'static [Profile] {
        &ALL
    }

    /// The same player with no time left: everything within 300 ms.
    pub(super) fn scramble(&self) -> Profile {
        Profile { react: 60..=120, grip: 20..=40, speed: 60..=60, between: 10..=40, press: 50..=100, ..self.clone() }
    }

    /// The profile with this name.
    pub fn named(name: &str) -> Option<&'static Profile> {
        Profile::all().iter().find(|profile| profile.name == name)
    }
}

/// A time of a range in µs.
pub fn draw(rng: &mut impl Rng, range: &Millis) -> i64 {
    rng.random_range(range.start() * MS..=range.end() * MS)
}

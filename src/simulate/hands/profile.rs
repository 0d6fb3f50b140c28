//! How a kind of player behaves, as data: ranges of times and how often which habit shows.
//!
//! Only what hands do is here. What sensors get wrong belongs to the devices.

use std::ops::RangeInclusive;

use rand::Rng;

use crate::types::MS;

/// A range of times in milliseconds.
pub type Millis = RangeInclusive<i64>;

/// One kind of player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// As the command line spells it.
    pub name: &'static str,
    /// From the opponent's press to the first touch, at least.
    pub react: Millis,
    /// A man in the air.
    pub carry: Millis,
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
    /// How often of 100 captures the captured man is taken away first.
    pub victim_first: u32,
}

impl Profile {
    /// All profiles that there are.
    pub const ALL: &'static [Profile] = &[Profile::CLEAN];

    /// Tidy players: one man after another, the press after the move, captured men passed at once.
    pub const CLEAN: Profile = Profile {
        name: "clean",
        react: 250..=500,
        carry: 250..=600,
        between: 150..=350,
        press: 350..=700,
        pass: 350..=800,
        notice: 300..=600,
        apart: 400..=650,
        stop: 500..=3000,
        think: 800..=2500,
        victim_first: 70,
    };

    /// The profile with this name.
    pub fn named(name: &str) -> Option<&'static Profile> {
        Profile::ALL.iter().find(|profile| profile.name == name)
    }
}

/// A time of a range in µs.
pub fn draw(rng: &mut impl Rng, range: &Millis) -> i64 {
    rng.random_range(range.start() * MS..=range.end() * MS)
}

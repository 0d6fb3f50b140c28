//! What sensors, cables and clocks do wrong: named faults, each with a rate, in sets that fit the profiles of hands.
//!
//! In: the rates and a seed. Out: what is broken at one table at which time. The devices ask it; what a fault does to
//! a recording is not known here.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::types::{Instant, MS, SECOND};

/// Names of the sets, by column of the table.
pub const SETS: [&str; 4] = ["none", "human", "blitz", "chaos"];
/// How long a cable is out, in µs.
const SHORT: std::ops::RangeInclusive<i64> = 500 * MS..=6 * SECOND;
const LONG: std::ops::RangeInclusive<i64> = 30 * SECOND..=60 * SECOND;
/// Of how many a rate counts.
const OF: u32 = 100_000;

/// A row: the fault, its name, its rate in each of [`SETS`] and, the fifth, when it is all that is wrong, and what it
/// is.
type Row = (Fault, &'static str, [u32; 5], &'static str);

macro_rules! faults {
    ($($fault:ident $name:literal [$($rate:literal),*] $about:literal)*) => {
        /// Something that goes wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Fault {
            $(#[doc = $about] $fault,)*
        }

        const TABLE: &[Row] = &[$((Fault::$fault, $name, [$($rate),*], $about),)*];
    };
}

faults! {
    DeadSquare "dead-square" [0, 0, 0, 5_000, 100_000] "a square feels nothing any more; of games"
    DarkSquare "dark-square" [0, 0, 0, 10_000, 100_000] "a square feels every second man only; of games"
    WrongMan "wrong-man" [0, 0, 0, 0, 100_000] "a man is taken for another kind all the time; of games"
    Flicker "flicker" [0, 800, 1_500, 5_000, 20_000] "a standing man is not felt for a moment; of seconds"
    WrongKind "wrong-kind" [0, 0, 100, 1_000, 5_000] "a man is felt as another kind for one scan; of changes"
    GarbledByte "garbled-byte" [0, 20, 40, 150, 1_000] "a byte arrives with a wrong bit; of messages"
    LostByte "lost-byte" [0, 0, 20, 100, 1_000] "a byte is lost; of messages"
    DoubledByte "doubled-byte" [0, 0, 20, 50, 1_000] "a byte arrives twice; of messages"
    LostMessage "lost-message" [0, 0, 10, 50, 1_000] "a message is lost; of messages"
    CableOut "cable-out" [0, 0, 0, 30_000, 100_000] "a cable is out for seconds; of games"
    CableOutLong "cable-out-long" [0, 0, 0, 0, 100_000] "a cable is out for half a minute to a minute; of games"
    Restart "restart" [0, 0, 0, 20_000, 100_000] "a device is switched off and on; of games"
    ClockLost "clock-lost" [0, 0, 0, 5_000, 100_000] "a clock is not heard any more; of games"
    ClockAway "clock-away" [0, 0, 0, 0, 100_000] "a clock is not heard for 5 to 25 seconds; of games"
    Bounce "bounce" [0, 0, 500, 2_000, 20_000] "a lever is felt up again for a moment; of presses"
}

/// How often each fault happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults {
    /// As the command line spells it.
    pub name: &'static str,
    rates: [u32; TABLE.len()],
}

impl Default for Faults {
    fn default() -> Faults {
        Faults { name: SETS[0], rates: [0; TABLE.len()] }
    }
}

impl Faults {
    /// The set with this name, or one fault alone.
    pub fn named(name: &str) -> Option<Faults> {
        if let Some(column) = SETS.iter().position(|set| *set == name) {
            let rates = std::array::from_fn(|row| TABLE[row].2[column]);
            return Some(Faults { name: SETS[column], rates });
        }
        let row = TABLE.iter().position(|row| row.1 == name)?;
        let mut faults = Faults { name: TABLE[row].1, ..Faults::default() };
        faults.rates[row] = TABLE[row].2[4];
        Some(faults)
    }

    /// Names and descriptions of all faults.
    pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
        TABLE.iter().map(|row| (row.1, row.3))
    }

    /// Whether a fault happens on an occasion.
    pub fn happens(&self, fault: Fault, rng: &mut ChaCha8Rng) -> bool {
        let rate = self.rates[fault as usize];
        rate > 0 && rng.random_range(0..OF) < rate
    }
}

/// What happens to a cable or a device at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The cable is pulled out, and the device with it loses its power.
    Out,
    /// It is put in again.
    In,
    /// The device is switched off and on.
    Restart,
}

/// From when to when things may happen.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The game runs.
    pub from: Instant,
    /// Not so any more.
    pub to: Instant,
}

impl Span {
    /// Some instant within.
    pub fn draw(self, rng: &mut ChaCha8Rng) -> Instant {
        self.from + rng.random_range(0..(self.to - self.from).max(1))
    }
}

/// When which of `devices` devices is cut off or restarted.
pub fn troubles(faults: &Faults, devices: usize, span: Span, rng: &mut ChaCha8Rng) -> Vec<(Instant, usize, Trouble)> {
    let mut troubles = Vec::new();
    for (fault, lasts) in [(Fault::CableOut, SHORT), (Fault::CableOutLong, LONG)] {
        if faults.happens(fault, rng) {
            let (device, out) = (rng.random_range(0..devices), span.draw(rng));
            let back = out + rng.random_range(lasts);
            troubles.extend([(out, device, Trouble::Out), (back, device, Trouble::In)]);
        }
    }
    if faults.happens(Fault::Restart, rng) {
        let (device, at) = (rng.random_range(0..devices), span.draw(rng));
        let cut = |(out, other, trouble): &(Instant, usize, Trouble)| {
            *trouble == Trouble::Out && *other == device && (at - *out).abs() < 10 * SECOND
        };
        if !troubles.iter().any(cut) {
            troubles.push((at, device, Trouble::Restart));
        }
    }
    troubles.sort_by_key(|(at, _, _)| *at);
    troubles
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn every_fault_has_its_row_and_happens_alone() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for (index, (fault, name, rates, _)) in TABLE.iter().enumerate() {
            assert_eq!(*fault as usize, index, "{name}");
            assert!(rates[0] == 0 && rates[4] > 0 && rates.iter().all(|rate| *rate <= OF), "{name}");
            let alone = Faults::named(name).unwrap();
            assert!((0..5_000).any(|_| alone.happens(*fault, &mut rng)), "{name}");
            let others = TABLE.iter().filter(|row| row.0 != *fault);
            assert!(others.clone().all(|row| !alone.happens(row.0, &mut rng)), "{name}");
        }
        assert_eq!(Faults::named("none"), Some(Faults::default()));
        assert_eq!(Faults::named("nothing"), None);
    }

    #[test]
    fn cables_come_back() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let span = Span { from: Instant(3 * SECOND), to: Instant(60 * SECOND) };
        let faults = Faults::named("cable-out").unwrap();
        for _ in 0..50 {
            let troubles = troubles(&faults, 3, span, &mut rng);
            let [(out, a, Trouble::Out), (back, b, Trouble::In)] = troubles[..] else { panic!("{troubles:?}") };
            assert!(a == b && span.from <= out && out < back && back - out <= 6 * SECOND);
        }
    }
}

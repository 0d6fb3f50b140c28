//! A game played by hands on emulated devices.
//!
//! ```text
//! game ─► plies ─► script ─► men, slots, clocks ─► bytes over time ─► capture file (virtual time)
//!         (rules)  hands     world                 devices        └─► pseudo-terminals (real time)
//! ```
//! In: a game and a seed. Out: what real devices would send while people play it, and the truth of what they played.
//! The layers know only the one before: [`hands`] decide who touches what when, [`world`] is what then is so,
//! [`devices`] feel it and speak their protocols, [`capture`] and [`pty`] carry the bytes. Everything random comes from
//! the seed. How the recording core works is not known here; it is only spoken to.

pub mod accuracy;
pub mod capture;
pub mod devices;
pub mod fork;
pub mod hands;
pub mod host;
pub mod live;
pub mod mortal;
pub mod offence;
pub mod pty;
pub mod random_game;
pub mod rig;
pub mod stage;
pub mod world;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Independent streams of randomness of one seed, so that one layer's draws never shift another's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// What hands do.
    Hands,
    /// How the devices lie on the table.
    Table,
    /// How the device with this index is made and behaves.
    Device(usize),
    /// What is broken in the device with this index.
    Faults(usize),
    /// What happens to cables.
    Cables,
    /// What hands do in the next game.
    NextGame,
    /// When the daemon dies.
    Restarts,
}

/// The generator of one stream of a seed.
pub fn rng(seed: u64, stream: Stream) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(match stream {
        Stream::Hands => 0,
        Stream::Table => 1,
        Stream::Device(index) => 2 + index as u64,
        Stream::Faults(index) => (1 << 32) + index as u64,
        Stream::Cables => 1 << 33,
        Stream::NextGame => (1 << 33) + 1,
        Stream::Restarts => (1 << 33) + 2,
    });
    rng
}

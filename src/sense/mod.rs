//! Frames to placements: what stands where, whose time runs, as the sensors say.
//!
//! In: frames of a device, in its own numbering of cells and sides. Out: [`Placement`]s by square, tray contents by
//! seat, clocks by colour. It decides how a board lies and on which side of a clock White sits, and keeps what it
//! found.
//! It knows nothing of the game: whether a man may stand there is not its business.

mod book;
mod bslp;
pub mod calibration;
mod clock;
mod dgt;
mod link;
mod misheard;
mod mistagged;
mod placement;
mod rotation;
mod times;
mod tray;

pub use book::{Book, Raw};
pub use bslp::BslpDevice;
pub use calibration::Calibration;
pub use clock::{ClockSense, ClockView, Side};
pub use dgt::DgtDevice;
pub use link::{Link, LinkState};
pub use mistagged::{Mistagged, Place};
pub use placement::{Mismatch, Placement, Reading};
pub use rotation::BoardSense;
pub use tray::{TrayChange, TraySense};

use crate::types::{Instant, Kinds};

/// What a device reports, in its own terms.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// All cells of a board channel, in reading order from its own corner.
    Board(Box<[Kinds; 64]>),
    /// One cell of a board channel.
    Cell(u8, Kinds),
    /// All slots of a tray channel.
    Tray(u8, Vec<Kinds>),
    /// One slot of a tray channel.
    Slot(u8, u16, Kinds),
    /// What cells of a channel measure, from this one on.
    Raw(u8, u16, Vec<Raw>),
    /// The device feels only that something is there.
    Vague,
    /// A clock's displays.
    Clock(ClockFrame),
    /// No clock is plugged in.
    NoClock,
    /// A button was pressed on a channel.
    Button(u8, crate::wire::bslp::Button),
}

/// What a clock says, left and right as seen from its front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockFrame {
    /// Left display in milliseconds.
    pub left_ms: i64,
    /// Right display in milliseconds.
    pub right_ms: i64,
    /// The displays are whole seconds.
    pub whole_seconds: bool,
    /// A time runs.
    pub running: bool,
    /// The side whose time runs, or would run: its lever is up.
    pub to_move: Option<Side>,
}

/// A device as a pure machine: bytes in, facts and bytes to send out.
#[derive(Debug)]
pub enum Device {
    /// A DGT board.
    Dgt(Box<DgtDevice>),
    /// A tray unit, an own board or an own clock.
    Bslp(Box<BslpDevice>),
}

/// Who a device said it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Serial number.
    pub serial: Option<String>,
    /// Firmware or protocol version.
    pub firmware: Option<String>,
}

impl Device {
    /// Takes bytes in and hands the facts to `sink`, one call a frame.
    pub fn bytes(&mut self, at: Instant, bytes: &[u8], sink: impl FnMut(Fact)) {
        match self {
            Device::Dgt(device) => device.bytes(at, bytes, sink),
            Device::Bslp(device) => device.bytes(at, bytes, sink),
        }
    }

    /// The port was opened or is gone.
    pub fn link(&mut self, at: Instant, up: bool) {
        match self {
            Device::Dgt(device) => device.link(at, up),
            Device::Bslp(device) => device.link(at, up),
        }
    }

    /// Does what is due at `at`, and answers what to send if anything.
    pub fn advance(&mut self, at: Instant) -> Option<Vec<u8>> {
        match self {
            Device::Dgt(device) => device.advance(at),
            Device::Bslp(device) => device.advance(at),
        }
    }

    /// What the device shows is doubted: it is asked for all of it if its line has no other protection.
    pub fn verify(&mut self) {
        match self {
            Device::Dgt(device) => device.verify(),
            Device::Bslp(_) => {}
        }
    }

    /// Whether [`Device::verify`] asks it: a byte of what it tells may be garbled unseen.
    pub fn can_verify(&self) -> bool {
        matches!(self, Device::Dgt(_))
    }

    /// When [`Device::advance`] has something to do next.
    pub fn deadline(&self) -> Option<Instant> {
        match self {
            Device::Dgt(device) => device.deadline(),
            Device::Bslp(device) => device.deadline(),
        }
    }

    /// Whether the device speaks.
    pub fn speaks(&self) -> &Link {
        match self {
            Device::Dgt(device) => &device.link,
            Device::Bslp(device) => &device.link,
        }
    }

    /// For how long the device was away, once after it is back, in microseconds.
    pub fn take_missed(&mut self) -> Option<i64> {
        match self {
            Device::Dgt(device) => device.link.take_missed(),
            Device::Bslp(device) => device.link.take_missed(),
        }
    }

    /// Who it said it is.
    pub fn identity(&self) -> &Identity {
        match self {
            Device::Dgt(device) => &device.identity,
            Device::Bslp(device) => &device.identity,
        }
    }

    /// Frames, and rejects by reason.
    pub fn counters(&self) -> std::collections::BTreeMap<String, u64> {
        let (messages, rejects) = match self {
            Device::Dgt(device) => device.counters(),
            Device::Bslp(device) => device.counters(),
        };
        let gaps = match self {
            Device::Dgt(_) => None,
            Device::Bslp(device) => Some(("gaps".to_owned(), device.gaps())),
        };
        let frames = std::iter::once(("frames".to_owned(), messages));
        frames.chain(gaps).chain(rejects.iter().map(|(reason, count)| (format!("rejected-{reason}"), count))).collect()
    }
}

//! Devices that feel the [`World`] and speak their protocol, as pure machines in emulated time.
//!
//! In: bytes of a host, and the world as it is now. Out: chunks of bytes with the instant at which they arrive at the
//! host. Whoever runs a device steps to every instant that [`Device::next`] names and to every change of the world, so
//! that a device never has to look back. What the men and clocks mean is not known here.

mod dgt;
mod line;
mod scan;
mod tray;

pub use dgt::{DgtBoard, DgtMake};
pub use tray::{TrayMake, TrayUnit};

use crate::types::Instant;

use super::world::World;

/// Bytes on their way to the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Arrival of the last byte.
    pub at: Instant,
    /// What arrives.
    pub bytes: Vec<u8>,
}

/// An emulated device.
pub trait Device {
    /// Takes bytes of the host in.
    fn input(&mut self, at: Instant, bytes: &[u8]);

    /// When it has something to do next, if the world stays as it is.
    fn next(&self, world: &World) -> Option<Instant>;

    /// Does all that is due by `at`, the world having been as it is since the last call, and appends what arrives.
    fn run_until(&mut self, at: Instant, world: &World, out: &mut Vec<Chunk>);

    /// Switched off and on again: everything forgotten that a host had asked for.
    fn restart(&mut self, at: Instant, world: &World);

    /// Whether a host has asked it to tell what changes.
    fn streaming(&self) -> bool;

    /// What is particular to it, for the truth.
    fn make(&self) -> serde_json::Value;

    /// Bytes of the host that it ignored or had no room for.
    fn ignored(&self) -> u64;
}

#[cfg(test)]
mod tests;

//! The sending half of a serial line: bytes take their time, and reads cut them anywhere.

use std::collections::VecDeque;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::types::Instant;

use super::{
    Chunk,
    faults::{Fault, Faults},
};

/// Bits on the line for one byte of 8N1.
const BITS: i64 = 10;
/// One µs in ns: byte times are no whole µs.
const NS: i64 = 1_000;

/// A line that sends one byte after another.
#[derive(Clone, Debug)]
pub struct Line {
    byte_ns: i64,
    /// When the last byte of the queue is out, in ns.
    free_ns: i64,
    queue: VecDeque<Chunk>,
    /// How often of 1000 messages a read of the host cuts one.
    split_per_mille: u32,
    faults: Faults,
}

impl Line {
    /// A silent line of this speed.
    pub fn new(baud: i64, split_per_mille: u32, faults: Faults) -> Line {
        Line { byte_ns: BITS * 1_000_000_000 / baud, free_ns: 0, queue: VecDeque::new(), split_per_mille, faults }
    }

    /// Sends a message, not before `at` and not before what is being sent.
    pub fn send(&mut self, at: Instant, message: &[u8], rng: &mut ChaCha8Rng) {
        let spoilt = self.spoil(message, rng);
        let message = spoilt.as_deref().unwrap_or(message);
        let cut = match message.len() {
            2.. if rng.random_range(0..1000) < self.split_per_mille => rng.random_range(1..message.len()),
            _ => message.len(),
        };
        let (head, tail) = message.split_at(cut);
        self.chunk(at, head);
        self.chunk(at, tail);
    }

    /// The message as a bad line delivers it, if it does not deliver it well.
    fn spoil(&self, message: &[u8], rng: &mut ChaCha8Rng) -> Option<Vec<u8>> {
        let place = |rng: &mut ChaCha8Rng| rng.random_range(0..message.len().max(1));
        let mut bytes = message.to_vec();
        if self.faults.happens(Fault::LostMessage, rng) {
            bytes.clear();
        } else if self.faults.happens(Fault::GarbledByte, rng) {
            bytes[place(rng)] ^= 1 << rng.random_range(0..8);
        } else if self.faults.happens(Fault::LostByte, rng) {
            bytes.remove(place(rng));
        } else if self.faults.happens(Fault::DoubledByte, rng) {
            let place = place(rng);
            bytes.insert(place, bytes[place]);
        } else {
            return None;
        }
        Some(bytes)
    }

    fn chunk(&mut self, at: Instant, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.free_ns = self.free_ns.max(at.micros() * NS) + self.byte_ns * bytes.len() as i64;
        self.queue.push_back(Chunk { at: self.free(), bytes: bytes.to_vec() });
    }

    /// When all that was sent is out.
    pub fn free(&self) -> Instant {
        Instant((self.free_ns + NS - 1).div_euclid(NS))
    }

    /// Arrival of the next chunk.
    pub fn next(&self) -> Option<Instant> {
        self.queue.front().map(|chunk| chunk.at)
    }

    /// The next chunk if it has arrived by `at`.
    pub fn take(&mut self, at: Instant) -> Option<Chunk> {
        self.queue.pop_front_if(|chunk| chunk.at <= at)
    }

    /// Forgets what is on its way.
    pub fn cut(&mut self) {
        self.queue.clear();
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    /// What arrives of many messages, over a line with this fault.
    fn lengths(fault: &str) -> (usize, usize, usize) {
        let mut line = Line::new(9600, 0, Faults::named(fault).unwrap());
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        (0..2_000).for_each(|_| line.send(Instant(0), b"12345", &mut rng));
        let count = |length: usize| line.queue.iter().filter(|chunk| chunk.bytes.len() == length).count();
        (count(4), line.queue.iter().filter(|chunk| chunk.bytes == b"12345").count(), count(6))
    }

    #[test]
    fn bad_lines_lose_garble_and_double_bytes() {
        assert_eq!(lengths("none"), (0, 2_000, 0));
        for (fault, expect) in [("lost-byte", (true, false)), ("doubled-byte", (false, true))] {
            let (short, good, long) = lengths(fault);
            assert!(good > 1_900 && good < 2_000 && (short > 0, long > 0) == expect, "{fault}");
        }
        for fault in ["garbled-byte", "lost-message"] {
            let (short, good, long) = lengths(fault);
            assert!(good > 1_900 && good < 2_000 && (short, long) == (0, 0), "{fault}");
        }
    }
}

//! The sending half of a serial line: bytes take their time, and reads cut them anywhere.

use std::collections::VecDeque;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::types::Instant;

use super::Chunk;

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
}

impl Line {
    /// A silent line of this speed.
    pub fn new(baud: i64, split_per_mille: u32) -> Line {
        Line { byte_ns: BITS * 1_000_000_000 / baud, free_ns: 0, queue: VecDeque::new(), split_per_mille }
    }

    /// Sends a message, not before `at` and not before what is being sent.
    pub fn send(&mut self, at: Instant, message: &[u8], rng: &mut ChaCha8Rng) {
        let cut = match message.len() {
            2.. if rng.random_range(0..1000) < self.split_per_mille => rng.random_range(1..message.len()),
            _ => message.len(),
        };
        let (head, tail) = message.split_at(cut);
        self.chunk(at, head);
        self.chunk(at, tail);
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

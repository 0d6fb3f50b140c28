//! The conversation with a BSLP device: who are you, snapshots after gaps, silence.

use std::collections::VecDeque;

use super::{ClockFrame, Fact, Identity, Raw, Side, link::Link};
use crate::{
    types::{Instant, Kinds, MS, SECOND},
    wire::{
        Rejects,
        bslp::{Command, Decoder, Kind, Line, Run, Sensing, Sentence, Value},
    },
};

/// Least distance of two commands.
const PACING_US: i64 = 10 * MS;
/// A device that does not say who it is gets asked again after this time.
const ASK_AGAIN_US: i64 = 3 * SECOND;
/// Channels that a device may have.
const CHANNELS_MAX: u8 = 16;

/// A tray unit, an own board or an own clock.
#[derive(Debug)]
pub struct BslpDevice {
    pub(super) link: Link,
    pub(super) identity: Identity,
    decoder: Decoder,
    kind: Option<Kind>,
    sensing: Sensing,
    channels: u8,
    next_seq: Option<u16>,
    /// Lines that came out of sequence.
    gaps: u64,
    rejects_seen: u64,
    queue: VecDeque<Command>,
    next_send: Instant,
    ask_again: Option<Instant>,
}

impl Default for BslpDevice {
    fn default() -> BslpDevice {
        BslpDevice {
            link: Link::down(),
            identity: Identity::default(),
            decoder: Decoder::new(),
            kind: None,
            sensing: Sensing::Piece,
            channels: 0,
            next_seq: None,
            gaps: 0,
            rejects_seen: 0,
            queue: VecDeque::new(),
            next_send: Instant::ZERO,
            ask_again: None,
        }
    }
}

impl BslpDevice {
    pub(super) fn bytes(&mut self, at: Instant, bytes: &[u8], mut sink: impl FnMut(Fact)) {
        let mut lines = Vec::new();
        self.decoder.push(bytes, |line| lines.push(line));
        for line in lines {
            self.link.answered(at);
            self.check_seq(&line);
            if let Some(fact) = self.fact(line) {
                sink(fact);
            }
        }
        if self.decoder.rejects().total() != self.rejects_seen {
            self.rejects_seen = self.decoder.rejects().total();
            self.ask_snapshots();
        }
    }

    fn check_seq(&mut self, line: &Line) {
        let Some(seq) = line.seq() else { return };
        if self.next_seq.is_some_and(|expected| expected != seq) {
            self.gaps += 1;
            self.ask_snapshots();
        }
        self.next_seq = Some(seq.wrapping_add(1));
    }

    fn ask_snapshots(&mut self) {
        for ch in 0..self.channels {
            self.ask(Command::Snap { ch });
        }
    }

    fn ask(&mut self, command: Command) {
        if self.link.is_up() && !self.queue.contains(&command) {
            self.queue.push_back(command);
        }
    }

    fn fact(&mut self, line: Line) -> Option<Fact> {
        match line {
            Line::Helo { kind, serial, firmware, sensing, channels, .. } => {
                self.kind = Some(kind);
                self.sensing = sensing;
                self.identity = Identity { serial: Some(serial), firmware: Some(firmware) };
                self.channels = channels.min(CHANNELS_MAX);
                self.next_seq = None;
                self.ask_again = None;
                if kind != Kind::Clock {
                    self.ask_snapshots();
                }
                (sensing == Sensing::Occupancy).then_some(Fact::Vague)
            }
            Line::Snap { ch, cells, .. } => Some(self.snapshot(ch, cells)),
            Line::Cell { ch, cell, value, .. } => match self.sensing {
                Sensing::Tag | Sensing::Level => Some(Fact::Raw(ch, cell, vec![self.raw(&value)?])),
                _ => self.cell(ch, cell, value.kinds()?),
            },
            Line::Tags { ch, first, tags, .. } => Some(Fact::Raw(ch, first, tags.into_iter().map(Raw::Tag).collect())),
            Line::Levels { ch, first, levels, .. } => {
                Some(Fact::Raw(ch, first, levels.into_iter().map(Raw::Level).collect()))
            }
            Line::Clock { left_ms, right_ms, run, .. } => Some(Fact::Clock(ClockFrame {
                left_ms,
                right_ms,
                whole_seconds: false,
                running: run != Run::Stopped,
                to_move: match run {
                    Run::Left => Some(Side::Left),
                    Run::Right => Some(Side::Right),
                    Run::Stopped => None,
                },
            })),
            Line::Button { ch, button, .. } => Some(Fact::Button(ch, button)),
            _ => None,
        }
    }

    fn raw(&self, value: &Value) -> Option<Raw> {
        match self.sensing {
            Sensing::Tag => value.tag().map(Raw::Tag),
            _ => value.level().map(Raw::Level),
        }
    }

    fn snapshot(&self, ch: u8, cells: Vec<Kinds>) -> Fact {
        match <[Kinds; 64]>::try_from(cells.as_slice()) {
            Ok(cells) if self.kind == Some(Kind::Board) => Fact::Board(Box::new(cells)),
            _ => Fact::Tray(ch, cells),
        }
    }

    fn cell(&self, ch: u8, cell: u16, kinds: Kinds) -> Option<Fact> {
        match self.kind {
            Some(Kind::Board) => u8::try_from(cell).ok().filter(|cell| *cell < 64).map(|cell| Fact::Cell(cell, kinds)),
            _ => Some(Fact::Slot(ch, cell, kinds)),
        }
    }

    pub(super) fn link(&mut self, at: Instant, up: bool) {
        self.link.set(at, up);
        self.decoder.reset();
        self.queue.clear();
        self.next_seq = None;
        self.ask_again = up.then(|| at + ASK_AGAIN_US);
        if up {
            self.queue.push_back(Command::Helo);
            self.next_send = at + PACING_US;
        }
    }

    pub(super) fn advance(&mut self, at: Instant) -> Option<Vec<u8>> {
        self.link.advance(at);
        if self.ask_again.is_some_and(|due| at >= due) {
            self.ask_again = Some(at + ASK_AGAIN_US);
            self.ask(Command::Helo);
        }
        if at < self.next_send {
            return None;
        }
        let command = self.queue.pop_front()?;
        self.next_send = at + PACING_US;
        let mut bytes = Vec::new();
        command.emit(&mut bytes);
        Some(bytes)
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        let send = (!self.queue.is_empty()).then_some(self.next_send);
        [send, self.ask_again, self.link.deadline()].into_iter().flatten().min()
    }

    pub(super) fn counters(&self) -> (u64, &Rejects) {
        (self.decoder.messages(), self.decoder.rejects())
    }

    /// Times that lines came out of sequence.
    pub(super) fn gaps(&self) -> u64 {
        self.gaps
    }
}

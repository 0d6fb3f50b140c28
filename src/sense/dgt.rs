//! The conversation with a DGT board: start-up, keep-alive, and asking again when bytes were lost.
//!
//! Start-up (`hardware/dgt.md`): 40, 55, 45, 4D, 47, 42, then 4B and 42 again. A board has an input buffer of ten
//! bytes, so commands are paced. An idle board says nothing for hours, so it is asked for something now and then. One
//! that was switched off and on has forgotten 4B. Nothing protects a payload against garbling, and changes are not
//! numbered, so the whole board is asked for after a reject, as soon as changes are over, after rest, and where what it
//! shows cannot be. One that differs on many fields from what was told is not believed before it is told again: a byte
//! that came twice moves all behind it to the next field. Nor is a press believed with times that no clock can show.

use std::collections::VecDeque;

use arrayvec::ArrayVec;

use super::{ClockFrame, Fact, Identity, Side, link::Link, times::BelievedTimes};
use crate::{
    types::{Instant, Kinds, MS, SECOND},
    wire::{
        Rejects,
        dgt::{self, ClockReading, Command, Decoder, Face, Message},
    },
};

/// Least distance of two commands (`hardware/dgt.md`).
const PACING_US: i64 = 100 * MS;
/// Silence after which the board is asked for something.
const KEEP_ALIVE_US: i64 = SECOND;
/// Keep-alives after the last change or time that also ask for changes again, and for the whole board: it may have been
/// switched off and on, and has then forgotten that it was asked for them.
const EAGER_KEEP_ALIVES: u32 = 5;
/// At rest only every so many do.
const KEEP_ALIVES_PER_DUMP: u32 = 10;
/// The whole board is asked for when nothing has changed for so long: a garbled or lost change cannot be seen.
const SETTLED_US: i64 = 250 * MS;
/// A board that differs from what was told on so many fields may be garbled: it is asked for again.
const DOUBTED_FIELDS: usize = 4;
/// So many in a row are; the next one is believed.
const DOUBTED_MAX: usize = 2;
/// Commands that may wait.
const QUEUE_MAX: usize = 16;

/// The second request of the board brings what changed between the first and the updates.
const START_UP: [Command; 8] = [
    Command::Reset,
    Command::RequestLongSerial,
    Command::RequestSerial,
    Command::RequestVersion,
    Command::RequestTrademark,
    Command::RequestBoard,
    Command::UpdateNice,
    Command::RequestBoard,
];

/// A DGT board.
#[derive(Debug)]
pub struct DgtDevice {
    pub(super) link: Link,
    pub(super) identity: Identity,
    decoder: Decoder,
    queue: VecDeque<Command>,
    next_send: Instant,
    keep_alive: Option<Instant>,
    keep_alives: u32,
    /// When changes are to be told once more.
    confirm: Option<Instant>,
    rejects_seen: u64,
    told: Told,
}

/// What a board has told of its fields, to doubt what cannot follow from that.
#[derive(Debug, Default)]
struct Told {
    /// Piece codes; none before the first board.
    codes: Option<Box<[u8; 64]>>,
    /// Boards that were doubted since one was believed.
    doubted: ArrayVec<Box<[u8; 64]>, DOUBTED_MAX>,
    times: BelievedTimes,
}

impl Told {
    fn update(&mut self, field: u8, code: u8) {
        if let Some(place) = self.codes.as_mut().and_then(|codes| codes.get_mut(usize::from(field))) {
            *place = code;
        }
    }

    /// Whether a whole board is believed: it is nearly what was told, or what one that was doubted told.
    fn believes(&mut self, codes: &[u8; 64]) -> bool {
        let near = |other: &[u8; 64]| codes.iter().zip(other).filter(|(a, b)| a != b).count() < DOUBTED_FIELDS;
        let known = self.codes.iter().chain(&self.doubted).any(|other| near(other));
        let believed = self.codes.is_none() || known || self.doubted.is_full();
        if believed {
            self.codes = Some(Box::new(*codes));
            self.doubted.clear();
        } else {
            self.doubted.push(Box::new(*codes));
        }
        believed
    }
}

impl Default for DgtDevice {
    fn default() -> DgtDevice {
        DgtDevice {
            link: Link::down(),
            identity: Identity::default(),
            decoder: Decoder::new(),
            queue: VecDeque::new(),
            next_send: Instant::ZERO,
            keep_alive: None,
            keep_alives: 0,
            confirm: None,
            rejects_seen: 0,
            told: Told::default(),
        }
    }
}

impl DgtDevice {
    pub(super) fn bytes(&mut self, at: Instant, bytes: &[u8], mut sink: impl FnMut(Fact)) {
        let identity = &mut self.identity;
        let link = &mut self.link;
        let (keep_alives, confirm, told) = (&mut self.keep_alives, &mut self.confirm, &mut self.told);
        let (mut heard, mut doubted, mut doubted_times) = (false, false, false);
        self.decoder.push(bytes, |mut message| {
            heard = true;
            if is_answer(&message) {
                link.answered(at);
            } else {
                link.heard(at);
                *keep_alives = 0;
            }
            match &mut message {
                Message::FieldUpdate { field, code } => {
                    *confirm = Some(at + SETTLED_US);
                    told.update(*field, *code);
                }
                Message::BoardDump(codes) if !told.believes(codes) => {
                    doubted = true;
                    return;
                }
                Message::Clock(reading) => match told.times.told(at, *reading) {
                    Some(believed) => *reading = believed,
                    None => {
                        doubted_times = true;
                        return;
                    }
                },
                Message::BoardDump(_) => *confirm = None,
                _ => {}
            }
            if let Some(fact) = fact(message, identity) {
                sink(fact);
            }
        });
        if heard {
            self.keep_alive = Some(at + KEEP_ALIVE_US);
        }
        if doubted {
            self.decoder.reject("doubted board");
        }
        if doubted_times {
            self.decoder.reject("doubted times");
            // A clock that stands tells its times once.
            self.ask(Command::RequestClock);
        }
        if self.decoder.rejects().total() != self.rejects_seen {
            self.rejects_seen = self.decoder.rejects().total();
            self.ask(Command::RequestBoard);
        }
    }

    pub(super) fn link(&mut self, at: Instant, up: bool) {
        self.link.set(at, up);
        self.decoder.reset();
        self.queue.clear();
        (self.keep_alive, self.confirm) = (None, None);
        self.told = Told::default();
        if up {
            self.queue.extend(START_UP);
            self.next_send = at + PACING_US;
        }
    }

    pub(super) fn verify(&mut self) {
        self.ask(Command::RequestBoard);
    }

    fn ask(&mut self, command: Command) {
        if self.link.is_up() && !self.queue.contains(&command) && self.queue.len() < QUEUE_MAX {
            self.queue.push_back(command);
        }
    }

    pub(super) fn advance(&mut self, at: Instant) -> Option<Vec<u8>> {
        self.link.advance(at);
        if self.keep_alive.is_some_and(|due| at >= due) {
            self.keep_alive = Some(at + KEEP_ALIVE_US);
            self.keep_alives = self.keep_alives.wrapping_add(1);
            if self.keep_alives <= EAGER_KEEP_ALIVES || self.keep_alives.is_multiple_of(KEEP_ALIVES_PER_DUMP) {
                self.ask(Command::UpdateNice);
                self.ask(Command::RequestBoard);
            } else {
                self.ask(Command::RequestSerial);
            }
        }
        if self.confirm.is_some_and(|due| at >= due) {
            self.confirm = None;
            self.ask(Command::RequestBoard);
        }
        if at < self.next_send {
            return None;
        }
        let command = self.queue.pop_front()?;
        self.next_send = at + PACING_US;
        if self.keep_alive.is_none() {
            self.keep_alive = Some(at + KEEP_ALIVE_US);
        }
        Some(vec![command.byte()])
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        let send = (!self.queue.is_empty()).then_some(self.next_send);
        let keep_alive = self.keep_alive.filter(|_| self.link.is_up());
        [send, keep_alive, self.confirm, self.link.deadline()].into_iter().flatten().min()
    }

    pub(super) fn counters(&self) -> (u64, &Rejects) {
        (self.decoder.messages(), self.decoder.rejects())
    }
}

/// Whether a message is only sent when it is asked for.
fn is_answer(message: &Message) -> bool {
    !matches!(message, Message::FieldUpdate { .. } | Message::Clock(_) | Message::NoClock)
}

/// What a message says of board and clock; what it says of the device goes into `identity`.
fn fact(message: Message, identity: &mut Identity) -> Option<Fact> {
    match message {
        Message::FieldUpdate { field, code } => Some(Fact::Cell(field, kinds(code))),
        Message::BoardDump(codes) => Some(Fact::Board(Box::new(codes.map(kinds)))),
        Message::Clock(reading) => Some(Fact::Clock(frame(reading))),
        Message::NoClock => Some(Fact::NoClock),
        Message::LongSerialNumber(serial) => {
            identity.serial = Some(serial);
            None
        }
        Message::SerialNumber(serial) => {
            identity.serial.get_or_insert(serial);
            None
        }
        Message::Version { major, minor } => {
            identity.firmware = Some(format!("{major}.{minor:02}"));
            None
        }
        _ => None,
    }
}

/// Result pieces (0D to 0F) are men that no game knows.
fn kinds(code: u8) -> Kinds {
    dgt::piece_of(code).map_or(Kinds::OCCUPIED, Kinds::exactly)
}

fn frame(reading: ClockReading) -> ClockFrame {
    let ms = |face: Face| i64::from(face.seconds) * 1000;
    ClockFrame {
        left_ms: ms(reading.left),
        right_ms: ms(reading.right),
        whole_seconds: true,
        running: reading.running,
        to_move: Some(if reading.right_high { Side::Right } else { Side::Left }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_that_is_doubted_is_asked_for_all_of_it_once() {
        let mut board = DgtDevice::default();
        board.verify();
        assert_eq!(board.advance(Instant::ZERO), None, "there is no line");
        board.link(Instant::ZERO, true);
        board.queue.clear();
        board.verify();
        board.verify();
        assert_eq!(board.queue, [Command::RequestBoard]);
    }

    #[test]
    fn a_board_that_tells_nothing_is_soon_asked_for_changes_again_and_left_in_peace_at_rest() {
        let mut board = DgtDevice::default();
        board.link(Instant::ZERO, true);
        let mut now = Instant::ZERO;
        let mut asked = |board: &mut DgtDevice| {
            let mut commands = [0; 2];
            for _ in 0..100 {
                now = now + PACING_US;
                let byte = board.advance(now).map_or(0, |bytes| bytes[0]);
                commands[0] += usize::from(byte == Command::UpdateNice.byte());
                commands[1] += usize::from(byte == Command::RequestSerial.byte());
            }
            commands
        };
        assert_eq!(asked(&mut board), [6, 5], "at the start, and five times after silence");
        assert_eq!(asked(&mut board), [1, 9]);
        board.bytes(Instant(20 * SECOND), &[0x8e, 0, 5, 52, 0], |_| {});
        assert_eq!(asked(&mut board), [6, 4]);
    }

    #[test]
    fn changes_are_told_once_more_as_soon_as_they_are_over() {
        let mut board = DgtDevice::default();
        board.link(Instant::ZERO, true);
        board.queue.clear();
        let lift = [0x8e, 0, 5, 52, 0];
        let ms = |ms: i64| Instant(ms * MS);
        board.bytes(ms(100), &lift, |_| {});
        assert_eq!(board.advance(ms(300)), None);
        board.bytes(ms(300), &[0x8e, 0, 5, 36, 1], |_| {});
        assert_eq!(board.advance(ms(500)), None, "the man went on");
        assert_eq!(board.deadline(), Some(ms(550)));
        assert_eq!(board.advance(ms(550)), Some(vec![Command::RequestBoard.byte()]));
        board.bytes(ms(700), &lift, |_| {});
        board.bytes(ms(800), &[&[0x86, 0, 67][..], &[0; 64]].concat(), |_| {});
        assert_eq!(board.advance(ms(1000)), None, "it told all of it unasked");
    }

    /// What a board with pawns on some files of a rank tells.
    fn dump(files: &[usize]) -> Vec<u8> {
        let mut codes = [0; 64];
        files.iter().for_each(|file| codes[*file] = 1);
        [&[0x86, 0, 67][..], &codes].concat()
    }

    #[test]
    fn a_board_that_differs_on_many_fields_is_told_again_before_it_is_believed() {
        let moved = [1, 3, 5, 7];
        let check = |boards: &[&[usize]], expect: &[bool]| {
            let mut board = DgtDevice::default();
            board.link(Instant::ZERO, true);
            let mut now = Instant::ZERO;
            let told: Vec<bool> = boards
                .iter()
                .map(|files| {
                    (now, board.queue) = (now + PACING_US, VecDeque::new());
                    let mut told = false;
                    board.bytes(now, &dump(files), |fact| told |= matches!(fact, Fact::Board(_)));
                    assert_eq!(board.queue.contains(&Command::RequestBoard), !told, "it is asked for again");
                    told
                })
                .collect();
            assert_eq!(told, expect);
            assert_eq!(board.counters().1.of("doubted board") as usize, expect.iter().filter(|told| !**told).count());
        };
        check(&[&[0, 2, 4, 6], &[0, 2, 4, 7], &[0, 2, 4, 6]], &[true; 3]);
        check(&[&[0, 2, 4, 6], &moved, &[0, 2, 4, 6]], &[true, false, true]);
        check(&[&[0, 2, 4, 6], &moved, &moved, &moved], &[true, false, true, true]);
        check(&[&[0, 2, 4, 6], &moved, &[], &[0, 1, 2, 3, 4, 5, 6, 7]], &[true, false, false, true]);
        check(&[&[]], &[true]);
    }

    #[test]
    fn a_press_with_times_that_a_clock_cannot_show_is_told_again_before_it_is_believed() {
        // Seconds since the start, the bytes of a clock: right, left, status; whether they are believed.
        type Told<'a> = (i64, [u8; 3], [u8; 3], u8, bool);
        const RUNS: u8 = 1;
        const PRESSED: u8 = 3;
        let check = |clocks: &[Told<'_>]| {
            let mut board = DgtDevice::default();
            board.link(Instant::ZERO, true);
            board.queue.clear();
            for (second, right, left, status, expect) in clocks {
                let message = [&[0x8d, 0, 10][..], right, left, &[*status]].concat();
                let mut told = false;
                board.bytes(Instant(second * SECOND), &message, |fact| told |= matches!(fact, Fact::Clock(_)));
                assert_eq!(told, *expect, "second {second} of {clocks:?}");
                let asked = board.queue.iter().filter(|command| **command == Command::RequestClock).count();
                assert_eq!(asked, usize::from(!told), "it is asked again");
                board.queue.clear();
            }
            let doubted = clocks.iter().filter(|(.., told)| !told).count();
            assert_eq!(board.counters().1.of("doubted times") as usize, doubted);
        };
        let [at_4, at_3, at_9] =
            [[0, 4, 0], [0, 3, 59], [0, 9, 0]].map(|[h, m, s]: [u8; 3]| [h, m, s / 10 * 16 + s % 10]);
        check(&[(0, at_4, at_4, RUNS, true), (1, at_3, at_4, PRESSED, true), (2, at_4, at_4, RUNS, true)]);
        check(&[(0, at_4, at_4, RUNS, true), (1, at_9, at_4, PRESSED, false), (2, at_3, at_4, RUNS, true)]);
        check(&[(0, at_4, at_4, RUNS, true), (1, at_9, at_4, PRESSED, false), (2, at_9, at_4, PRESSED, true)]);
        check(&[(0, at_9, at_9, RUNS, true), (1, at_4, at_9, PRESSED, false), (400, at_4, at_9, PRESSED, true)]);
        // One wrong bit makes no other press.
        let wrong = [0, 0x14, 0];
        check(&[(0, at_4, at_4, RUNS, true), (1, wrong, at_4, PRESSED, true), (2, at_3, at_4, PRESSED, true)]);
        check(&[(0, at_4, at_4, RUNS, true), (1, wrong, at_4, RUNS, true), (2, at_3, at_4, PRESSED, true)]);
        // Times alone are doubted elsewhere.
        check(&[(0, at_4, at_4, RUNS, true), (1, at_9, at_4, RUNS, true), (2, at_3, at_4, RUNS, true)]);
        // Whoever sets a clock has stopped it.
        check(&[(0, at_4, at_4, 0, true), (1, at_9, at_9, 0, true), (2, at_4, at_4, RUNS, true)]);
    }

    #[test]
    fn a_time_that_was_garbled_as_the_clock_was_set_going_stands_for_one_message() {
        let mut board = DgtDevice::default();
        board.link(Instant::ZERO, true);
        let mut shown = Vec::new();
        // 3:00 stands, runs as 3:20, one bit beside it, and as 3:00 again
        for (second, right, status) in [(0, [0, 3, 0], 0), (1, [0, 3, 0x20], 1), (2, [0, 3, 0], 1)] {
            let message = [&[0x8d, 0, 10][..], &right, &[0, 3, 0], &[status]].concat();
            board.bytes(Instant(second * SECOND), &message, |fact| {
                if let Fact::Clock(frame) = fact {
                    shown.push(frame.right_ms);
                }
            });
        }
        assert_eq!(shown, [180_000, 200_000, 180_000]);
    }

    #[test]
    fn what_updates_have_told_is_no_reason_for_doubt() {
        let mut board = DgtDevice::default();
        board.link(Instant::ZERO, true);
        let mut boards = 0;
        board.bytes(Instant(0), &dump(&[0, 2, 4, 6]), |_| {});
        for field in [0, 2, 4, 6] {
            board.bytes(Instant(MS), &[0x8e, 0, 5, field, 0], |_| {});
        }
        board.bytes(Instant(2 * MS), &dump(&[]), |fact| boards += u32::from(matches!(fact, Fact::Board(_))));
        assert_eq!(boards, 1);
    }
}

//! DGT boards in single-board mode, with the clock that is plugged into them.
//!
//! In: the bytes of the line (9600 8N1) in any cuts. Out: [`Message`]s; what is no message is counted by reason in
//! [`Rejects`]. The same messages can be emitted, and the few [`Command`]s that a recording host may
//! send. Which way the board lies and at which side of the clock White sits is not known here.
//!
//! # Host to board
//! One byte a command, no frame. The board buffers 10 bytes, so commands are paced. Everything that alters a clock or
//! an EEPROM has no [`Command`] on purpose.
//!
//! # Board to host
//! ```text
//! byte 0   1iii iiii   id, always with bit 7
//! byte 1   0hhh hhhh   length bits 13..7, the three header bytes counted
//! byte 2   0lll llll   length bits 6..0
//! byte 3.. 0ddd dddd   payload, never with bit 7
//! ```
//! Only an id has bit 7: a byte of 0x80 or more inside a frame means that the frame lost its end, and starts the next
//! one. There is no checksum.
//!
//! ```text
//! 86 BOARD_DUMP     67  64 piece codes, field 0 = a8, 1 = b8 … 63 = h1 (connector at the left)
//! 8D BWTIME         10  clock time, or the answer to a clock command
//! 8E FIELD_UPDATE    5  field, piece code (0 = emptied)
//! 8F EE_MOVES     7939  log of the EEPROM, swallowed
//! 90 BUSADRES        5  0hhhhhhh 0lllllll
//! 91 SERIALNR        8  5 digits (very old boards: 12, with a storage version behind)
//! 92 TRADEMARK     …259 text, lines ended by LF
//! 93 VERSION         5  major, minor
//! 96 HARDWARE        5  major, minor
//! A0 BATTERY        12  see below; shorter forms exist
//! A2 LONG_SERIALNR  13  10 characters
//! ```
//! Piece codes (the upper half of the byte is masked off): `0` empty, `1` to `6` white PRNBKQ, `7` to `C` black
//! PRNBKQ, `D` draw, `E` white wins, `F` black wins.
//!
//! ## 8D as a time
//! ```text
//! byte 3    0fpb HHHH   right side: f flag shown, p time per move, b blocked at zero, H hours 0 to 9
//! byte 4    0MMM MMMM   right minutes, BCD 00 to 59
//! byte 5    0SSS SSSS   right seconds, BCD 00 to 59
//! byte 6-8              left side in the same way
//! byte 9    00nt tlhr   n no clock, t turn (unreliable, not used), l battery low, h right side high, r running
//! ```
//! Left and right are as seen from the front of the clock. A pressed side is low: the high side is to move. A message
//! of zeros alone follows some clock commands and is no time.
//!
//! ## 8D as an answer
//! It is one if the low half of byte 3 or of byte 6 is A, which no hour can be. Four bytes come back in seven bits:
//! ```text
//! byte 3    00dc 1010   c, d: bit 7 of ack 2 and of ack 3
//! byte 4, 5             ack 0 and ack 1 without bit 7
//! byte 6    00ba 1010   a, b: bit 7 of ack 0 and of ack 1
//! byte 7, 8             ack 2 and ack 3 without bit 7
//! ```
//!
//! ## A0 battery
//! ```text
//! byte 3      percent left         byte 6, 7       hours, minutes on
//! byte 4, 5   hours, minutes left  byte 8, 9, 10   days, hours, minutes of standby
//! byte 11     0000 00dc   c charging, d discharging        7F in hours: not available
//! ```
//!
//! # Sources
//! The vendor's header files of 1998 and 2009 to 2017 and independent readers: picochess (`dgt/util.py`,
//! `dgt/board.py`), python-asyncdgt, DGTStudioPro, BearChess. Where they differ this file follows the newer header and
//! the programs that are known to run on boards: right side first, status bit 1 = right high, length base 128, answer
//! test on the half byte.

use crate::types::{Color, Piece, Role};

use super::Rejects;

/// Bytes of the longest message that is kept: a trademark of 256 characters.
const FRAME_MAX: usize = 3 + 256;
/// Bytes of the longest EEPROM log, header included.
const EE_MOVES_MAX: usize = 3 + 0x1f00;
/// Bytes of the longest message with an id that is not known here.
const OTHER_MAX: usize = 3 + 64;

const BOARD_DUMP: u8 = 0x86;
const BWTIME: u8 = 0x8d;
const FIELD_UPDATE: u8 = 0x8e;
const EE_MOVES: u8 = 0x8f;
const BUS_ADDRESS: u8 = 0x90;
const SERIAL: u8 = 0x91;
const TRADEMARK: u8 = 0x92;
const VERSION: u8 = 0x93;
const HARDWARE_VERSION: u8 = 0x96;
const BATTERY: u8 = 0xa0;
const LONG_SERIAL: u8 = 0xa2;

/// What a board says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Piece codes of all fields, masked, in the order of the protocol.
    BoardDump(Box<[u8; 64]>),
    /// A field changed.
    FieldUpdate {
        /// 0 to 63.
        field: u8,
        /// Masked piece code.
        code: u8,
    },
    /// What the clock shows.
    Clock(ClockReading),
    /// No clock is plugged in.
    NoClock,
    /// Answer to a clock command, or a button.
    ClockAck {
        /// The four bytes with their bit 7.
        ack: [u8; 4],
    },
    /// Five digits.
    SerialNumber(String),
    /// Ten characters.
    LongSerialNumber(String),
    /// 14 bits.
    BusAddress(u16),
    /// Free text.
    Trademark(String),
    /// Firmware.
    Version {
        /// 1 in 1.08.
        major: u8,
        /// 8 in 1.08.
        minor: u8,
    },
    /// Hardware revision.
    HardwareVersion {
        /// Before the dot.
        major: u8,
        /// Behind the dot.
        minor: u8,
    },
    /// State of a wireless board's battery.
    Battery(Battery),
    /// An EEPROM log passed by; it is not kept.
    EeMoves {
        /// Bytes of its payload.
        bytes: usize,
    },
    /// A message that nothing here reads.
    Other {
        /// With bit 7.
        id: u8,
        /// Bytes with the header.
        len: usize,
    },
}

/// One time message of the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockReading {
    /// Left display as seen from the front.
    pub left: Face,
    /// Right display as seen from the front.
    pub right: Face,
    /// A time runs.
    pub running: bool,
    /// The lever: the right side is up, so it is to move.
    pub right_high: bool,
    /// The clock's battery is low.
    pub battery_low: bool,
}

/// One display of the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Face {
    /// Hours, minutes and seconds together, at most 35,999.
    pub seconds: u32,
    /// The flag fell and the clock stands at zero.
    pub flag_blocked: bool,
    /// Time per move (Fischer, Bronstein).
    pub per_move: bool,
    /// A flag is shown; the clock may run on in the next period.
    pub flag_shown: bool,
}

impl Face {
    /// The faces that a clock may have sent if one bit of this one's digits was garbled.
    pub fn with_a_bit_wrong(self) -> impl Iterator<Item = Face> {
        let [hours, minutes, seconds] = [self.seconds / 3600, self.seconds / 60 % 60, self.seconds % 60];
        let digits = [hours, minutes / 10, minutes % 10, seconds / 10, seconds % 10];
        let flips = (0..digits.len()).flat_map(|digit| [1, 2, 4, 8].map(|bit| (digit, bit)));
        flips.filter_map(move |(digit, bit)| {
            let mut digits = digits;
            digits[digit] ^= bit;
            let [hours, tens_of_minutes, minutes, tens, seconds] = digits;
            let valid = hours <= 9 && tens_of_minutes <= 5 && minutes <= 9 && tens <= 5 && seconds <= 9;
            let seconds = hours * 3600 + (tens_of_minutes * 10 + minutes) * 60 + tens * 10 + seconds;
            valid.then_some(Face { seconds, ..self })
        })
    }
}

/// State of a battery. What a shorter message leaves out is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Battery {
    /// Charge left.
    pub percent: u8,
    /// Minutes that it will last or needs to charge.
    pub left_minutes: Option<u16>,
    /// Minutes since it was switched on.
    pub on_minutes: Option<u16>,
    /// Minutes in standby.
    pub standby_minutes: Option<u32>,
    /// It is being charged.
    pub charging: bool,
    /// It is being discharged.
    pub discharging: bool,
}

/// What a host may send. Commands that alter a clock, an EEPROM or the firmware are left out on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Command {
    /// Leave the update modes.
    Reset = 0x40,
    /// Send the clock's time.
    RequestClock = 0x41,
    /// Send all fields.
    RequestBoard = 0x42,
    /// Send the serial number.
    RequestSerial = 0x45,
    /// Send the trademark text.
    RequestTrademark = 0x47,
    /// Send every changed field, and the clock when it changed.
    UpdateNice = 0x4b,
    /// Send the battery's state.
    RequestBattery = 0x4c,
    /// Send the firmware version.
    RequestVersion = 0x4d,
    /// Send the long serial number.
    RequestLongSerial = 0x55,
}

impl Command {
    /// All commands.
    pub const ALL: [Command; 9] = [
        Command::Reset,
        Command::RequestClock,
        Command::RequestBoard,
        Command::RequestSerial,
        Command::RequestTrademark,
        Command::UpdateNice,
        Command::RequestBattery,
        Command::RequestVersion,
        Command::RequestLongSerial,
    ];

    /// The byte on the line.
    pub const fn byte(self) -> u8 {
        self as u8
    }

    /// The command of a byte; `None` for everything that a host must not send.
    pub fn from_byte(byte: u8) -> Option<Command> {
        Command::ALL.into_iter().find(|command| command.byte() == byte)
    }
}

/// The man of a piece code, `Some(None)` for an empty field, `None` for the result pieces D to F.
pub fn piece_of(code: u8) -> Option<Option<Piece>> {
    let role = |code| match code {
        1 => Role::Pawn,
        2 => Role::Rook,
        3 => Role::Knight,
        4 => Role::Bishop,
        5 => Role::King,
        _ => Role::Queen,
    };
    match code & 0x0f {
        0 => Some(None),
        code @ 1..=6 => Some(Some(Piece { color: Color::White, role: role(code) })),
        code @ 7..=12 => Some(Some(Piece { color: Color::Black, role: role(code - 6) })),
        _ => None,
    }
}

/// The piece code of a man, 0 for none.
pub fn code_of(piece: Option<Piece>) -> u8 {
    let Some(piece) = piece else { return 0 };
    let white = match piece.role {
        Role::Pawn => 1,
        Role::Rook => 2,
        Role::Knight => 3,
        Role::Bishop => 4,
        Role::King => 5,
        Role::Queen => 6,
    };
    piece.color.fold_wb(white, white + 6)
}

/// Cuts a line into messages. Holds at most one frame.
#[derive(Clone, Debug)]
pub struct Decoder {
    frame: [u8; FRAME_MAX],
    /// Bytes of the frame so far; 0 between frames. Never more than `FRAME_MAX` are kept in `frame`.
    have: usize,
    /// Length of the frame once its header is complete, else 0.
    need: usize,
    messages: u64,
    rejects: Rejects,
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder { frame: [0; FRAME_MAX], have: 0, need: 0, messages: 0, rejects: Rejects::default() }
    }
}

impl Decoder {
    /// A decoder between two frames.
    pub fn new() -> Decoder {
        Decoder::default()
    }

    /// Takes bytes in any cuts and hands every complete message to `sink`.
    pub fn push(&mut self, bytes: &[u8], mut sink: impl FnMut(Message)) {
        for &byte in bytes {
            if byte >= 0x80 {
                self.start(byte);
            } else if self.have == 0 {
                self.rejects.count("stray byte");
            } else if let Some(message) = self.take(byte) {
                self.messages += 1;
                sink(message);
            }
        }
    }

    /// What was rejected so far.
    pub fn rejects(&self) -> &Rejects {
        &self.rejects
    }

    /// Counts a message that is whole and cannot be believed.
    pub fn reject(&mut self, reason: &'static str) {
        self.rejects.count(reason);
    }

    /// Messages so far.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// Forgets an unfinished frame, as after the line was opened again. The counts stay.
    pub fn reset(&mut self) {
        self.have = 0;
        self.need = 0;
    }

    fn start(&mut self, id: u8) {
        if self.have > 0 {
            self.rejects.count("truncated");
        }
        self.frame[0] = id;
        self.have = 1;
        self.need = 0;
    }

    /// Takes a byte without bit 7 into the open frame.
    fn take(&mut self, byte: u8) -> Option<Message> {
        if let Some(place) = self.frame.get_mut(self.have) {
            *place = byte;
        }
        self.have += 1;
        if self.have == 3 {
            self.need = usize::from(self.frame[1]) << 7 | usize::from(self.frame[2]);
            if !plausible(self.frame[0], self.need) {
                self.rejects.count("length");
                self.reset();
                return None;
            }
        }
        if self.have < 3 || self.have < self.need {
            return None;
        }
        let parsed = match self.frame[0] {
            EE_MOVES => Ok(Message::EeMoves { bytes: self.need - 3 }),
            id => parse(id, &self.frame[3..self.need]),
        };
        self.reset();
        parsed.map_err(|reason| self.rejects.count(reason)).ok()
    }
}

/// Whether a frame of this id may have this length. All but the log fit into `FRAME_MAX`.
fn plausible(id: u8, len: usize) -> bool {
    match id {
        BOARD_DUMP => len == 67,
        BWTIME => len == 10,
        FIELD_UPDATE | BUS_ADDRESS | VERSION | HARDWARE_VERSION => len == 5,
        EE_MOVES => (3..=EE_MOVES_MAX).contains(&len),
        SERIAL => (8..=12).contains(&len),
        TRADEMARK => (3..=FRAME_MAX).contains(&len),
        BATTERY => (4..=12).contains(&len),
        LONG_SERIAL => len == 13,
        _ => (3..=OTHER_MAX).contains(&len),
    }
}

/// Reads a payload whose length is plausible for its id.
fn parse(id: u8, payload: &[u8]) -> Result<Message, &'static str> {
    Ok(match (id, payload) {
        (BOARD_DUMP, _) => {
            let mut codes = Box::new([0; 64]);
            codes.iter_mut().zip(payload).for_each(|(code, byte)| *code = byte & 0x0f);
            Message::BoardDump(codes)
        }
        (BWTIME, &[r0, r1, r2, l0, l1, l2, status]) => parse_clock([r0, r1, r2], [l0, l1, l2], status)?,
        (FIELD_UPDATE, &[field @ 0..64, code]) => Message::FieldUpdate { field, code: code & 0x0f },
        (FIELD_UPDATE, _) => return Err("field number"),
        (BUS_ADDRESS, &[high, low]) => Message::BusAddress(u16::from(high) << 7 | u16::from(low)),
        (SERIAL, _) => Message::SerialNumber(serial(payload, u8::is_ascii_digit)?),
        (LONG_SERIAL, _) => Message::LongSerialNumber(serial(payload, u8::is_ascii_graphic)?),
        (TRADEMARK, _) => Message::Trademark(payload.iter().copied().map(char::from).collect()),
        (VERSION, &[major, minor]) => Message::Version { major, minor },
        (HARDWARE_VERSION, &[major, minor]) => Message::HardwareVersion { major, minor },
        (BATTERY, _) => Message::Battery(Battery::parse(payload)),
        _ => Message::Other { id, len: payload.len() + 3 },
    })
}

/// The leading characters that belong to a number.
fn serial(payload: &[u8], belongs: fn(&u8) -> bool) -> Result<String, &'static str> {
    let text: String = payload.iter().take_while(|byte| belongs(byte)).copied().map(char::from).collect();
    if text.is_empty() { Err("serial number") } else { Ok(text) }
}

fn parse_clock(right: [u8; 3], left: [u8; 3], status: u8) -> Result<Message, &'static str> {
    if right[0] & 0x0f == 0x0a || left[0] & 0x0f == 0x0a {
        let high = |byte: u8, bit: u8| (byte >> bit & 1) << 7;
        return Ok(Message::ClockAck {
            ack: [
                right[1] | high(left[0], 4),
                right[2] | high(left[0], 5),
                left[1] | high(right[0], 4),
                left[2] | high(right[0], 5),
            ],
        });
    }
    if status & 0x40 != 0 {
        return Err("clock status");
    }
    if status & 0x20 != 0 {
        return Ok(Message::NoClock);
    }
    if right == [0; 3] && left == [0; 3] && status == 0 {
        return Err("clock all zero");
    }
    Ok(Message::Clock(ClockReading {
        left: Face::parse(left)?,
        right: Face::parse(right)?,
        running: status & 1 != 0,
        right_high: status & 2 != 0,
        battery_low: status & 4 != 0,
    }))
}

impl Face {
    fn parse([hours, minutes, seconds]: [u8; 3]) -> Result<Face, &'static str> {
        let bcd = |byte: u8| match (byte >> 4, byte & 0x0f) {
            (tens @ 0..=5, ones @ 0..=9) => Ok(u32::from(tens * 10 + ones)),
            _ => Err("clock time"),
        };
        let hour = u32::from(hours & 0x0f);
        if hour > 9 {
            return Err("clock time");
        }
        Ok(Face {
            seconds: hour * 3600 + bcd(minutes)? * 60 + bcd(seconds)?,
            flag_blocked: hours & 0x10 != 0,
            per_move: hours & 0x20 != 0,
            flag_shown: hours & 0x40 != 0,
        })
    }

    /// Three bytes; a time of ten hours or more shows as 9:59:59.
    fn bytes(&self) -> [u8; 3] {
        let seconds = self.seconds.min(10 * 3600 - 1);
        let bcd = |value: u32| (value / 10 * 16 + value % 10) as u8;
        let flags = u8::from(self.flag_blocked) << 4 | u8::from(self.per_move) << 5 | u8::from(self.flag_shown) << 6;
        [(seconds / 3600) as u8 | flags, bcd(seconds / 60 % 60), bcd(seconds % 60)]
    }
}

impl Battery {
    fn parse(payload: &[u8]) -> Battery {
        let at = |index: usize| payload.get(index).copied();
        let minutes = |index: usize| match (at(index)?, at(index + 1)?) {
            (0x7f, _) | (_, 0x7f) => None,
            (hours, minutes) => Some(u16::from(hours) * 60 + u16::from(minutes)),
        };
        let flags = at(8).unwrap_or(0);
        let standby = at(5).filter(|days| *days != 0x7f).zip(minutes(6));
        Battery {
            percent: at(0).unwrap_or(0),
            left_minutes: minutes(1),
            on_minutes: minutes(3),
            standby_minutes: standby.map(|(days, rest)| u32::from(days) * 24 * 60 + u32::from(rest)),
            charging: flags & 1 != 0,
            discharging: flags & 2 != 0,
        }
    }

    fn bytes(&self) -> [u8; 9] {
        let pair = |minutes: Option<u32>| match minutes {
            Some(minutes) => [(minutes / 60).min(0x7e) as u8, (minutes % 60) as u8],
            None => [0x7f, 0x7f],
        };
        let [left_h, left_m] = pair(self.left_minutes.map(u32::from));
        let [on_h, on_m] = pair(self.on_minutes.map(u32::from));
        let days = self.standby_minutes.map_or(0x7f, |minutes| (minutes / (24 * 60)).min(0x7e) as u8);
        let [standby_h, standby_m] = pair(self.standby_minutes.map(|minutes| minutes % (24 * 60)));
        let flags = u8::from(self.charging) | u8::from(self.discharging) << 1;
        [self.percent & 0x7f, left_h, left_m, on_h, on_m, days, standby_h, standby_m, flags]
    }
}

impl Message {
    /// Appends the frame of this message.
    pub fn emit(&self, out: &mut Vec<u8>) {
        match self {
            Message::BoardDump(codes) => frame(out, BOARD_DUMP, &codes[..]),
            Message::FieldUpdate { field, code } => frame(out, FIELD_UPDATE, &[*field, *code]),
            Message::Clock(reading) => frame(out, BWTIME, &reading.bytes()),
            Message::NoClock => frame(out, BWTIME, &[0, 0, 0, 0, 0, 0, 0x20]),
            Message::ClockAck { ack } => frame(out, BWTIME, &ack_bytes(*ack)),
            Message::SerialNumber(digits) => frame(out, SERIAL, format!("{digits:0>5.5}").as_bytes()),
            Message::LongSerialNumber(text) => frame(out, LONG_SERIAL, format!("{text:0>10.10}").as_bytes()),
            Message::BusAddress(address) => frame(out, BUS_ADDRESS, &[(address >> 7) as u8, *address as u8]),
            Message::Trademark(text) => frame(out, TRADEMARK, &text.as_bytes()[..text.len().min(FRAME_MAX - 3)]),
            Message::Version { major, minor } => frame(out, VERSION, &[*major, *minor]),
            Message::HardwareVersion { major, minor } => frame(out, HARDWARE_VERSION, &[*major, *minor]),
            Message::Battery(battery) => frame(out, BATTERY, &battery.bytes()),
            Message::EeMoves { bytes } => frame(out, EE_MOVES, &vec![0x7f; (*bytes).min(EE_MOVES_MAX - 3)]),
            Message::Other { id, len } => frame(out, *id, &vec![0; len.saturating_sub(3).min(OTHER_MAX - 3)]),
        }
    }
}

impl ClockReading {
    fn bytes(&self) -> [u8; 7] {
        let [r0, r1, r2] = self.right.bytes();
        let [l0, l1, l2] = self.left.bytes();
        let status = u8::from(self.running) | u8::from(self.right_high) << 1 | u8::from(self.battery_low) << 2;
        [r0, r1, r2, l0, l1, l2, status]
    }
}

fn ack_bytes([a0, a1, a2, a3]: [u8; 4]) -> [u8; 7] {
    let low = |byte: u8| byte & 0x7f;
    let marks = |first: u8, second: u8| 0x0a | (first >> 7) << 4 | (second >> 7) << 5;
    [marks(a2, a3), low(a0), low(a1), marks(a0, a1), low(a2), low(a3), 0]
}

fn frame(out: &mut Vec<u8>, id: u8, payload: &[u8]) {
    let len = payload.len() + 3;
    out.extend([id | 0x80, (len >> 7) as u8 & 0x7f, len as u8 & 0x7f]);
    out.extend(payload.iter().map(|byte| byte & 0x7f));
}

#[cfg(test)]
mod tests;

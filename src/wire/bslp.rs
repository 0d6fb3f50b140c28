//! BSLP 1, the Bughouse Sensor Line Protocol: pocket trays, self-built boards and clocks.
//!
//! In: the bytes of the line (115200 8N1) in any cuts. Out: [`Line`]s of a device or [`Command`]s of a host; what is
//! neither is counted by reason in [`Rejects`]. Both can be emitted. Which seat a channel belongs to is
//! not known here.
//!
//! # Frame
//! ```text
//! $BSNAP,17,0,P...n...*6A<CR><LF>
//! │└────── body ──────┘ └┴ XOR of all bytes of the body, two hex digits
//! └ start               fields are separated by commas, at most 512 bytes with CR LF
//! ```
//! Anything between lines is skipped. A `$` inside a line means that the line lost its end, and starts the next one.
//!
//! # Device to host
//! ```text
//! $BHELO,1,kind,serial,model,firmware,sensing,channels,cells   who it is
//! $BSNAP,seq,ch,cells                  one character a cell: PNBRQKpnbrqk  . empty  x occupied  ? unreadable
//! $BCELL,seq,ch,cell,value             one cell changed: as above, or a tag in hex, or a level
//! $BTAGS,seq,ch,first,t0,…             up to 8 tags in hex from cell `first`, 0 empty
//! $BLEVL,seq,ch,first,v0,…             up to 8 signed levels from cell `first`
//! $BCLOK,seq,ch,left_ms,right_ms,run   displays; run L, R or -
//! $BBUTN,seq,ch,name                   claim, draw, resign, arbiter, knight
//! $BBEAT,seq,uptime_ms,lost            every second
//! $BERRO,code,text                     a fault of the device
//! ```
//! `seq` counts every line that carries it, 0 to 65535, and wraps.
//!
//! # Host to device
//! ```text
//! $HHELO                               who are you
//! $HSNAP,ch                            send the channel
//! $HLEDS,ch,hex                        one bit a cell, the first cell in the highest bit of the first digit
//! ```

use std::fmt::{self, Write as _};

use arrayvec::{ArrayString, ArrayVec};

use crate::types::{Kinds, Piece};

use super::Rejects;

/// Bytes of the longest line, from `$` to LF.
pub const LINE_MAX: usize = 512;
/// Tags or levels in one line.
pub const GROUP_MAX: usize = 8;
/// Characters of the value of one cell.
const VALUE_MAX: usize = 16;

/// A line of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Who it is: sent on power-up and when asked.
    Helo {
        /// Protocol version.
        version: u8,
        /// What it is.
        kind: Kind,
        /// Serial number.
        serial: String,
        /// Name of the model.
        model: String,
        /// Version of the firmware.
        firmware: String,
        /// What its cells feel.
        sensing: Sensing,
        /// Number of channels.
        channels: u8,
        /// Cells a channel.
        cells: u16,
    },
    /// All cells of a channel.
    Snap {
        /// Counter of lines.
        seq: u16,
        /// Channel from 0.
        ch: u8,
        /// From cell 0.
        cells: Vec<Kinds>,
    },
    /// One cell changed.
    Cell {
        /// Counter of lines.
        seq: u16,
        /// Channel from 0.
        ch: u8,
        /// Cell from 0.
        cell: u16,
        /// What it feels now, in the terms of the device's sensing.
        value: Value,
    },
    /// Tags of neighbouring cells.
    Tags {
        /// Counter of lines.
        seq: u16,
        /// Channel from 0.
        ch: u8,
        /// Cell of the first tag.
        first: u16,
        /// 0 for an empty cell.
        tags: ArrayVec<u64, GROUP_MAX>,
    },
    /// Sensor levels of neighbouring cells.
    Levels {
        /// Counter of lines.
        seq: u16,
        /// Channel from 0.
        ch: u8,
        /// Cell of the first level.
        first: u16,
        /// As measured.
        levels: ArrayVec<i32, GROUP_MAX>,
    },
    /// What a clock shows.
    Clock {
        /// Counter of lines.
        seq: u16,
        /// Channel from 0.
        ch: u8,
        /// Left display in milliseconds.
        left_ms: i64,
        /// Right display in milliseconds.
        right_ms: i64,
        /// Whose time runs.
        run: Run,
    },
    /// A button was pressed.
    Button {
        /// Counter of lines.
        seq: u16,
        /// Channel from 0.
        ch: u8,
        /// Which.
        button: Button,
    },
    /// A sign of life.
    Beat {
        /// Counter of lines.
        seq: u16,
        /// Milliseconds since power-up.
        uptime_ms: u64,
        /// Changes that could not be reported.
        lost: u32,
    },
    /// A fault of the device.
    Error {
        /// A word for programs.
        code: String,
        /// A sentence for people; may have commas.
        text: String,
    },
}

/// A line of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Who are you.
    Helo,
    /// Send a channel.
    Snap {
        /// Channel from 0.
        ch: u8,
    },
    /// Light cells.
    Leds {
        /// Channel from 0.
        ch: u8,
        /// From cell 0; a multiple of four.
        bits: Vec<bool>,
    },
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$word_doc:meta])* $word:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$word_doc])* $word,)*
        }

        impl $name {
            /// The word on the line.
            pub const fn word(self) -> &'static str {
                match self {
                    $($name::$word => $text,)*
                }
            }

            fn parse(word: &str) -> Result<$name, Reason> {
                match word {
                    $($text => Ok($name::$word),)*
                    _ => Err(VALUE),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}

words! {
    /// What a device is.
    Kind {
        /// 64 cells a channel.
        Board = "board",
        /// Slots for captured men.
        Tray = "tray",
        /// Displays and a lever.
        Clock = "clock",
    }
}

words! {
    /// What the cells of a device feel.
    Sensing {
        /// Which man.
        Piece = "piece",
        /// Which tag.
        Tag = "tag",
        /// A level.
        Level = "level",
        /// A man or none.
        Occupancy = "occupancy",
        /// Nothing.
        Nothing = "none",
    }
}

words! {
    /// Whose time runs.
    Run {
        /// The left display.
        Left = "L",
        /// The right display.
        Right = "R",
        /// None.
        Stopped = "-",
    }
}

words! {
    /// A button of a device.
    Button {
        /// Claims an illegal move or a fallen flag.
        Claim = "claim",
        /// Offers or accepts a draw.
        Draw = "draw",
        /// Resigns.
        Resign = "resign",
        /// Calls the arbiter.
        Arbiter = "arbiter",
        /// The next promotion is a knight.
        Knight = "knight",
    }
}

/// The value of a cell as text: a device says once, in its `BHELO`, how to read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value(ArrayString<VALUE_MAX>);

impl Value {
    fn parse(text: &str) -> Result<Value, Reason> {
        let fits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".?-+".contains(&byte));
        fits.then(|| ArrayString::from(text).ok()).flatten().map(Value).ok_or(VALUE)
    }

    /// The value of a cell that tells men or occupancy.
    pub fn of_kinds(kinds: Kinds) -> Value {
        let mut text = ArrayString::new();
        text.push(letter(kinds));
        Value(text)
    }

    /// The value of a cell that tells a tag.
    pub fn of_tag(tag: u64) -> Value {
        let mut text = ArrayString::new();
        let _ = write!(text, "{tag:x}"); // 16 digits fit
        Value(text)
    }

    /// The value of a cell that tells a level.
    pub fn of_level(level: i32) -> Value {
        let mut text = ArrayString::new();
        let _ = write!(text, "{level}"); // 11 characters fit
        Value(text)
    }

    /// Read as a man or occupancy.
    pub fn kinds(&self) -> Option<Kinds> {
        let mut letters = self.0.bytes();
        letters.next().filter(|_| letters.len() == 0).and_then(kinds)
    }

    /// Read as a tag.
    pub fn tag(&self) -> Option<u64> {
        u64::from_str_radix(&self.0, 16).ok()
    }

    /// Read as a level.
    pub fn level(&self) -> Option<i32> {
        self.0.parse().ok()
    }
}

/// What a character of a snapshot says.
fn kinds(letter: u8) -> Option<Kinds> {
    match letter {
        b'.' => Some(Kinds::EMPTY),
        b'x' => Some(Kinds::OCCUPIED),
        b'?' => Some(Kinds::ANY),
        _ => Piece::from_char(char::from(letter)).map(Kinds::only),
    }
}

/// The character of a snapshot that says this, or as much of it as a character can.
fn letter(kinds: Kinds) -> char {
    match kinds.single() {
        Some(Some(piece)) => piece.char(),
        Some(None) => '.',
        None if kinds == Kinds::OCCUPIED => 'x',
        None => '?',
    }
}

/// Why a line is rejected.
type Reason = &'static str;

const TOO_LONG: Reason = "too long";
const TRUNCATED: Reason = "truncated";
const STRAY: Reason = "stray byte";
const SUM: Reason = "sum";
const NAME: Reason = "name";
const FIELD_COUNT: Reason = "field count";
const VALUE: Reason = "value";

/// What one direction of the line carries.
pub trait Sentence: Sized {
    /// Reads a body: name and fields, no sum.
    fn parse(body: &str) -> Result<Self, &'static str>;

    /// Writes the body.
    fn body(&self, body: &mut String) -> fmt::Result;

    /// Appends the framed line.
    fn emit(&self, out: &mut Vec<u8>) {
        let mut body = String::new();
        self.body(&mut body).expect("a string takes all text");
        out.push(b'$');
        out.extend(body.bytes());
        out.extend(format!("*{:02X}\r\n", sum(body.as_bytes())).bytes());
    }
}

fn sum(body: &[u8]) -> u8 {
    body.iter().fold(0, |sum, byte| sum ^ byte)
}

/// The fields behind the name, as many as there must be.
fn fields<'a, const N: usize>(rest: Option<&'a str>) -> Result<[&'a str; N], Reason> {
    let mut found = ArrayVec::<&'a str, N>::new();
    for field in rest.into_iter().flat_map(|rest| rest.split(',')) {
        found.try_push(field).map_err(|_| FIELD_COUNT)?;
    }
    found.into_inner().map_err(|_| FIELD_COUNT)
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, Reason> {
    text.parse().map_err(|_| VALUE)
}

/// `seq,ch,first,v0,…`
fn group<T>(rest: Option<&str>, read: fn(&str) -> Option<T>) -> Result<(u16, u8, u16, ArrayVec<T, GROUP_MAX>), Reason> {
    let mut fields = rest.into_iter().flat_map(|rest| rest.split(','));
    let mut next = || fields.next().ok_or(FIELD_COUNT);
    let (seq, ch, first) = (number(next()?)?, number(next()?)?, number(next()?)?);
    let mut values = ArrayVec::new();
    for field in fields {
        values.try_push(read(field).ok_or(VALUE)?).map_err(|_| FIELD_COUNT)?;
    }
    if values.is_empty() { Err(FIELD_COUNT) } else { Ok((seq, ch, first, values)) }
}

impl Sentence for Line {
    fn parse(body: &str) -> Result<Line, Reason> {
        let (name, rest) = split_name(body);
        match name {
            "BHELO" => parse_helo(fields(rest)?),
            "BSNAP" => {
                let [seq, ch, cells] = fields(rest)?;
                let cells = cells.bytes().map(kinds).collect::<Option<_>>().ok_or(VALUE)?;
                Ok(Line::Snap { seq: number(seq)?, ch: number(ch)?, cells })
            }
            "BCELL" => {
                let [seq, ch, cell, value] = fields(rest)?;
                let value = Value::parse(value)?;
                Ok(Line::Cell { seq: number(seq)?, ch: number(ch)?, cell: number(cell)?, value })
            }
            "BTAGS" => {
                let (seq, ch, first, tags) = group(rest, |text| u64::from_str_radix(text, 16).ok())?;
                Ok(Line::Tags { seq, ch, first, tags })
            }
            "BLEVL" => {
                let (seq, ch, first, levels) = group(rest, |text| text.parse().ok())?;
                Ok(Line::Levels { seq, ch, first, levels })
            }
            "BCLOK" => {
                let [seq, ch, left, right, run] = fields(rest)?;
                let (left_ms, right_ms, run) = (number(left)?, number(right)?, Run::parse(run)?);
                Ok(Line::Clock { seq: number(seq)?, ch: number(ch)?, left_ms, right_ms, run })
            }
            "BBUTN" => {
                let [seq, ch, button] = fields(rest)?;
                Ok(Line::Button { seq: number(seq)?, ch: number(ch)?, button: Button::parse(button)? })
            }
            "BBEAT" => {
                let [seq, uptime, lost] = fields(rest)?;
                Ok(Line::Beat { seq: number(seq)?, uptime_ms: number(uptime)?, lost: number(lost)? })
            }
            "BERRO" => {
                let (code, text) = rest.and_then(|rest| rest.split_once(',')).ok_or(FIELD_COUNT)?;
                Ok(Line::Error { code: code.into(), text: text.into() })
            }
            _ => Err(NAME),
        }
    }

    fn body(&self, out: &mut String) -> fmt::Result {
        match self {
            Line::Helo { version, kind, serial, model, firmware, sensing, channels, cells } => {
                let [serial, model, firmware] = [serial, model, firmware].map(|text| plain(text));
                write!(out, "BHELO,{version},{kind},{serial},{model},{firmware},{sensing},{channels},{cells}")
            }
            Line::Snap { seq, ch, cells } => {
                write!(out, "BSNAP,{seq},{ch},")?;
                out.extend(cells.iter().map(|cell| letter(*cell)));
                Ok(())
            }
            Line::Cell { seq, ch, cell, value } => write!(out, "BCELL,{seq},{ch},{cell},{}", value.0),
            Line::Tags { seq, ch, first, tags } => {
                write!(out, "BTAGS,{seq},{ch},{first}")?;
                tags.iter().try_for_each(|tag| write!(out, ",{tag:x}"))
            }
            Line::Levels { seq, ch, first, levels } => {
                write!(out, "BLEVL,{seq},{ch},{first}")?;
                levels.iter().try_for_each(|level| write!(out, ",{level}"))
            }
            Line::Clock { seq, ch, left_ms, right_ms, run } => {
                write!(out, "BCLOK,{seq},{ch},{left_ms},{right_ms},{run}")
            }
            Line::Button { seq, ch, button } => write!(out, "BBUTN,{seq},{ch},{button}"),
            Line::Beat { seq, uptime_ms, lost } => write!(out, "BBEAT,{seq},{uptime_ms},{lost}"),
            Line::Error { code, text } => write!(out, "BERRO,{},{}", plain(code), plain(text)),
        }
    }
}

impl Line {
    /// The counter of lines, if this kind of line carries it.
    pub fn seq(&self) -> Option<u16> {
        match *self {
            Line::Helo { .. } | Line::Error { .. } => None,
            Line::Snap { seq, .. }
            | Line::Cell { seq, .. }
            | Line::Tags { seq, .. }
            | Line::Levels { seq, .. }
            | Line::Clock { seq, .. }
            | Line::Button { seq, .. }
            | Line::Beat { seq, .. } => Some(seq),
        }
    }
}

impl Sentence for Command {
    fn parse(body: &str) -> Result<Command, Reason> {
        let (name, rest) = split_name(body);
        match name {
            "HHELO" => fields::<0>(rest).map(|_| Command::Helo),
            "HSNAP" => {
                let [ch] = fields(rest)?;
                Ok(Command::Snap { ch: number(ch)? })
            }
            "HLEDS" => {
                let [ch, hex] = fields(rest)?;
                let digits = hex.chars().map(|digit| digit.to_digit(16)).collect::<Option<Vec<u32>>>().ok_or(VALUE)?;
                let bits = digits.iter().flat_map(|digit| [8, 4, 2, 1].map(|bit| digit & bit != 0)).collect();
                Ok(Command::Leds { ch: number(ch)?, bits })
            }
            _ => Err(NAME),
        }
    }

    fn body(&self, out: &mut String) -> fmt::Result {
        match self {
            Command::Helo => out.write_str("HHELO"),
            Command::Snap { ch } => write!(out, "HSNAP,{ch}"),
            Command::Leds { ch, bits } => {
                write!(out, "HLEDS,{ch},")?;
                bits.chunks(4).try_for_each(|four| {
                    let digit = [8, 4, 2, 1].iter().zip(four).filter(|(_, lit)| **lit).map(|(bit, _)| bit);
                    write!(out, "{:X}", digit.sum::<u8>())
                })
            }
        }
    }
}

fn split_name(body: &str) -> (&str, Option<&str>) {
    body.split_once(',').map_or((body, None), |(name, rest)| (name, Some(rest)))
}

fn parse_helo([version, kind, serial, model, firmware, sensing, channels, cells]: [&str; 8]) -> Result<Line, Reason> {
    Ok(Line::Helo {
        version: number(version)?,
        kind: Kind::parse(kind)?,
        serial: serial.into(),
        model: model.into(),
        firmware: firmware.into(),
        sensing: Sensing::parse(sensing)?,
        channels: number(channels)?,
        cells: number(cells)?,
    })
}

/// Text that cannot break the frame.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_graphic() && !"$*".contains(c) || c == ' ' { c } else { '_' }).collect()
}

/// Cuts a line into sentences: `Decoder<Line>` on the host's side, `Decoder<Command>` on the device's.
#[derive(Clone, Debug)]
pub struct Decoder<T = Line> {
    /// The open line from behind `$`.
    line: ArrayVec<u8, LINE_MAX>,
    open: bool,
    messages: u64,
    rejects: Rejects,
    sentence: std::marker::PhantomData<fn() -> T>,
}

impl<T: Sentence> Default for Decoder<T> {
    fn default() -> Decoder<T> {
        Decoder {
            line: ArrayVec::new(),
            open: false,
            messages: 0,
            rejects: Rejects::default(),
            sentence: std::marker::PhantomData,
        }
    }
}

impl<T: Sentence> Decoder<T> {
    /// A decoder between two lines.
    pub fn new() -> Decoder<T> {
        Decoder::default()
    }

    /// Takes bytes in any cuts and hands every sentence to `sink`.
    pub fn push(&mut self, bytes: &[u8], mut sink: impl FnMut(T)) {
        for &byte in bytes {
            match byte {
                b'$' => self.start(),
                b'\r' | b'\n' if self.open => {
                    if let Some(sentence) = self.finish() {
                        sink(sentence);
                    }
                }
                b'\r' | b'\n' => {}
                _ => self.take(byte),
            }
        }
    }

    /// What was rejected so far.
    pub fn rejects(&self) -> &Rejects {
        &self.rejects
    }

    /// Sentences so far.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// Forgets an unfinished line, as after the port was opened again. The counts stay.
    pub fn reset(&mut self) {
        self.open = false;
        self.line.clear();
    }

    fn start(&mut self) {
        if self.open {
            self.rejects.count(TRUNCATED);
        }
        self.line.clear();
        self.open = true;
    }

    fn take(&mut self, byte: u8) {
        if !self.open {
            self.rejects.count(STRAY);
        } else if self.line.len() + 3 >= LINE_MAX {
            // `$`, CR and LF count too.
            self.rejects.count(TOO_LONG);
            self.reset();
        } else {
            self.line.push(byte);
        }
    }

    fn finish(&mut self) -> Option<T> {
        let parsed = check(&self.line).and_then(T::parse);
        self.reset();
        match parsed {
            Ok(sentence) => {
                self.messages += 1;
                Some(sentence)
            }
            Err(reason) => {
                self.rejects.count(reason);
                None
            }
        }
    }
}

/// The body of a line whose sum is right.
fn check(line: &[u8]) -> Result<&str, Reason> {
    let (body, tail) = line.split_last_chunk::<3>().ok_or(SUM)?;
    let digits = std::str::from_utf8(tail).ok().and_then(|tail| tail.strip_prefix('*')).ok_or(SUM)?;
    let told = digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u8::from_str_radix(digits, 16).ok());
    if told.flatten() != Some(sum(body)) {
        return Err(SUM);
    }
    std::str::from_utf8(body).map_err(|_| VALUE)
}

#[cfg(test)]
mod tests;

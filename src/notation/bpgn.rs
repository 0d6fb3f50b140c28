//! BPGN, the record of a bughouse game (WBN E14).
//!
//! ```text
//! [Event "Sample bughouse game"]
//! …
//! 1A. e4 {299.420} 1B. e4 {299.100} 1a. e6 {298.900} …
//! {Player004 checkmated} 1-0
//! ```
//! Moves stand in order of completion across the boards; the number in braces is the mover's time left in seconds.

mod read;

use std::fmt::Write as _;

use crate::types::Seat;

pub use read::{GAME_BYTES_MAX, Located, Parsed, ReadError, Reader, read_game};

/// A game as its text has it. Nothing is checked against the rules here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Game {
    /// Tag pairs in order.
    pub tags: Vec<(String, String)>,
    /// Moves in written order.
    pub moves: Vec<GameMove>,
    /// Text of the last comment, usually why the game ended.
    pub ending: Option<String>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
}

/// One move of a [`Game`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameMove {
    /// Move number.
    pub number: u32,
    /// Who moved.
    pub seat: Seat,
    /// The move as written.
    pub san: String,
    /// The mover's time left in milliseconds.
    pub clock_ms: Option<i64>,
    /// Further comments.
    pub comments: Vec<String>,
}

/// Columns after which a line of moves is broken.
const LINE_COLUMNS_MAX: usize = 100;

impl Game {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// The game as text, strict form, with a line end after the result.
    pub fn write(&self) -> String {
        let mut text = String::new();
        for (tag, value) in &self.tags {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(text, "[{tag} \"{value}\"]");
        }
        text.push('\n');
        let mut column = 0;
        for written in &self.moves {
            let word = written.write();
            if column > 0 && column + 1 + word.len() > LINE_COLUMNS_MAX {
                text.push('\n');
                column = 0;
            }
            if column > 0 {
                text.push(' ');
                column += 1;
            }
            column += word.len();
            text.push_str(&word);
        }
        if column > 0 {
            text.push('\n');
        }
        if let Some(ending) = &self.ending {
            let _ = write!(text, "{{{ending}}} ");
        }
        let _ = writeln!(text, "{}", self.result);
        text
    }
}

impl GameMove {
    fn write(&self) -> String {
        let mut word = format!("{}{}. {}", self.number, self.seat, self.san);
        if let Some(ms) = self.clock_ms {
            let sign = if ms < 0 { "-" } else { "" };
            let _ = write!(word, " {{{sign}{}.{:03}}}", ms.abs() / 1000, ms.abs() % 1000);
        }
        for comment in &self.comments {
            let _ = write!(word, " {{{comment}}}");
        }
        word
    }
}

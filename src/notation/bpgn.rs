//! BPGN, the record of a bughouse game (WBN E14).
//!
//! ```text
//! [Event "Sample bughouse game"]
//! …
//! 1A. e4 {299.420} 1B. e4 {299.100} 1a. e6 {298.900} …
//! {Player004 checkmated} 1-0
//! ```
//! Moves stand in order of completion across the boards; the number in braces is the mover's time left in seconds.
//! Reading is lenient, writing is strict, and what is written reads back to the same value.
//!
//! ```
//! use bughoused::notation::bpgn::read_game;
//!
//! let parsed = read_game("[WhiteA \"Ann\"]\n\n1A. e4 {299}1a.e5 {C: quick} {Ann resigns} 0-1", 1).unwrap();
//! assert_eq!(parsed.game.moves[0].clock_ms, Some(299_000));
//! assert_eq!(parsed.warnings.len(), 2); // no space before 1a. and none behind it
//! let written = parsed.game.write();
//! assert!(written.ends_with("1A. e4 {299.000} 1a. e5 {C: quick}\n{Ann resigns} 0-1\n"));
//! assert_eq!(read_game(&written, 1).unwrap().game, parsed.game);
//! ```

mod clock;
mod profile;
mod read;
mod stream;
mod token;

use std::{fmt, fmt::Write as _};

use super::letters::Letters;
use crate::types::Seat;

pub use profile::Stamps;
pub use read::{Located, Parsed, TAGS_MAX, WARNINGS_MAX, read_game};
pub use stream::{GAME_BYTES_MAX, RawGame, ReadError, Reader};

/// A game as its text has it. Nothing is checked against the rules here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Game {
    /// Tag pairs in order.
    pub tags: Vec<(String, String)>,
    /// What stands before the first move.
    pub preamble: Vec<Comment>,
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
    /// What else stands behind the move, in order.
    pub comments: Vec<Comment>,
}

/// What may stand behind a move besides the time.
///
/// ```
/// use bughoused::notation::bpgn::Comment;
///
/// assert_eq!(Comment::Text("A: 12. Nf3 was better".into()).kind(), Some('A'));
/// assert_eq!(Comment::Text("Ann checkmated".into()).kind(), None);
/// assert_eq!(Comment::Nag(3).to_string(), "$3");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comment {
    /// Text in braces, white space as single spaces; `A:`, `C:`, `D:` in front say what it is (WBN E14, CZ E13).
    Text(String),
    /// Moves or a mark such as `(=)` in parentheses, without the outer ones.
    Variation(String),
    /// A numeric annotation glyph, `$1`.
    Nag(u8),
}

impl Comment {
    /// `A` annotation, `C` comment, `D` diagram, `R` remark of a server; none for plain text.
    pub fn kind(&self) -> Option<char> {
        match self {
            Comment::Text(text) => kind_of(text),
            _ => None,
        }
    }
}

/// The letter before the colon with which a comment begins.
fn kind_of(text: &str) -> Option<char> {
    match text.as_bytes() {
        [letter @ (b'A' | b'C' | b'D' | b'R'), b':', ..] => Some(*letter as char),
        _ => None,
    }
}

impl fmt::Display for Comment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Comment::Text(text) => write!(f, "{{{}}}", in_braces(text)),
            Comment::Variation(text) => write!(f, "({text})"),
            Comment::Nag(number) => write!(f, "${number}"),
        }
    }
}

/// Text as it may stand between braces and reads back: no braces, white space as single spaces.
fn in_braces(text: &str) -> String {
    text.replace('{', "(").replace('}', ")").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Columns after which a line of moves is broken.
const LINE_COLUMNS_MAX: usize = 100;

impl Game {
    /// The value of a tag, of the first one if it stands twice.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// How many boards the moves and the tags speak of, at least two.
    pub fn boards(&self) -> usize {
        self.moves.iter().map(|played| played.seat.board.index() + 1).max().unwrap_or(0).max(2)
    }

    /// The same moves with other letters for the men (WBN E2).
    pub fn translate(&mut self, from: &Letters, to: &Letters) {
        for played in &mut self.moves {
            played.san = to.from_english(&from.to_english(&played.san)).into_owned();
        }
    }

    /// The game as text, strict form, with a line end after the result.
    pub fn write(&self) -> String {
        let mut text = String::with_capacity(512 + 20 * self.moves.len());
        self.write_tags(&mut text);
        text.push('\n');
        let mut lines = Lines::new(text);
        for comment in &self.preamble {
            lines.words(&comment.to_string());
        }
        for played in &self.moves {
            lines.words(&played.write());
        }
        lines.end();
        let mut text = lines.text;
        if let Some(ending) = &self.ending {
            let _ = write!(text, "{{{}}} ", in_braces(ending));
        }
        let _ = writeln!(text, "{}", self.result);
        text
    }

    fn write_tags(&self, text: &mut String) {
        for (tag, value) in &self.tags {
            let value = value.replace(char::is_control, " ").replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(text, "[{tag} \"{value}\"]");
        }
    }
}

impl GameMove {
    fn write(&self) -> String {
        let mut word = format!("{}{}. {}", self.number, self.seat, self.san);
        if let Some(ms) = self.clock_ms {
            let _ = write!(word, " {{{}}}", clock::write(ms));
        }
        for comment in &self.comments {
            let _ = write!(word, " {comment}");
        }
        word
    }
}

/// Words on lines of at most [`LINE_COLUMNS_MAX`] columns.
struct Lines {
    text: String,
    column: usize,
}

impl Lines {
    fn new(text: String) -> Lines {
        Lines { text, column: 0 }
    }

    /// Words that stay on one line if they fit on one.
    fn words(&mut self, words: &str) {
        if words.len() < LINE_COLUMNS_MAX {
            return self.word(words);
        }
        for word in words.split(' ') {
            self.word(word);
        }
    }

    /// A word that begins like a tag does not begin a line: other readers would take it for one.
    fn word(&mut self, word: &str) {
        let breaks = self.column + 1 + word.len() > LINE_COLUMNS_MAX && !word.starts_with(['[', '%', ';']);
        match self.column {
            0 => {}
            _ if breaks => self.end(),
            _ => {
                self.text.push(' ');
                self.column += 1;
            }
        }
        self.text.push_str(word);
        self.column += word.len();
    }

    fn end(&mut self) {
        if self.column > 0 {
            self.text.push('\n');
            self.column = 0;
        }
    }
}

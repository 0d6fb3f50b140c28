//! Games of a stream of any size, one after the other, in bounded memory.
//!
//! A game begins at a tag that follows movetext. The text of a game is bounded; what is longer is skipped with an
//! error up to the next line that may begin a game.

use std::{
    borrow::Cow,
    io::{self, BufRead},
};

use super::read::{self, Located, Parsed};

/// The most bytes that one game may have.
pub const GAME_BYTES_MAX: usize = 1 << 20;
/// What some editors write in front of UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A game could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The text is no BPGN.
    #[error(transparent)]
    Text(#[from] Located),
    /// The file could not be read.
    #[error("reading failed: {0}")]
    Io(#[from] io::Error),
}

/// The text of one game, not yet read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawGame {
    /// Line of the file at which the text begins, from 1.
    pub line: usize,
    /// The text in whatever encoding.
    pub bytes: Vec<u8>,
}

impl RawGame {
    /// Reads the text: UTF-8, or else Latin-1 with a warning.
    pub fn parse(&self) -> Result<Parsed, Located> {
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => read::read_game(text, self.line),
            Err(error) => {
                let before = &self.bytes[..error.valid_up_to()];
                let line = self.line + before.iter().filter(|byte| **byte == b'\n').count();
                let mut parsed = read::read_game(&latin_1(&self.bytes), self.line)?;
                let message = "expected UTF-8, found other bytes; taken as Latin-1".into();
                parsed.warnings.insert(0, Located { line, message });
                Ok(parsed)
            }
        }
    }
}

fn latin_1(bytes: &[u8]) -> Cow<'static, str> {
    bytes.iter().map(|byte| *byte as char).collect::<String>().into()
}

/// Games of a stream, one after the other.
///
/// ```
/// use bughoused::notation::bpgn::Reader;
///
/// let text = "[Event \"one\"]\n\n1A. e4 *\n\n[Event \"two\"]\n\n1B. d4 *\n";
/// let games: Vec<_> = Reader::new(text.as_bytes()).map(|parsed| parsed.unwrap().game).collect();
/// assert_eq!(games[1].tag("Event"), Some("two"));
/// ```
pub struct Reader<R> {
    source: R,
    line: usize,
    /// The first line of the next game, already taken from the source.
    pending: Vec<u8>,
    ended: bool,
}

impl<R: BufRead> Reader<R> {
    /// A reader of all games in `source`.
    pub fn new(source: R) -> Reader<R> {
        Reader { source, line: 0, pending: Vec::new(), ended: false }
    }

    /// The text of the next game, for reading it elsewhere; none at the end.
    pub fn next_raw(&mut self) -> Option<Result<RawGame, ReadError>> {
        while !self.ended || !self.pending.is_empty() {
            match self.next_text() {
                Ok(Some(raw)) => return Some(Ok(raw)),
                Ok(None) => {}
                Err(error) => {
                    self.ended |= matches!(error, ReadError::Io(_));
                    return Some(Err(error));
                }
            }
        }
        None
    }

    fn next_text(&mut self) -> Result<Option<RawGame>, ReadError> {
        let mut bytes = std::mem::take(&mut self.pending);
        let line = self.line.max(1);
        let mut scan = Scan::default();
        scan.line(&bytes);
        loop {
            let start = bytes.len();
            if !self.take_line(&mut bytes)? {
                break;
            }
            if scan.begins_game(&bytes[start..]) {
                self.pending = bytes.split_off(start);
                break;
            }
            scan.line(&bytes[start..]);
            if bytes.len() > GAME_BYTES_MAX {
                self.skip_game()?;
                let message = format!("expected a game of at most {GAME_BYTES_MAX} bytes, found more: is this BPGN?");
                return Err(Located { line, message }.into());
            }
        }
        Ok((!bytes.trim_ascii().is_empty()).then_some(RawGame { line, bytes }))
    }

    /// Appends the next line, or as much of it as a game may have; false at the end.
    fn take_line(&mut self, bytes: &mut Vec<u8>) -> io::Result<bool> {
        let start = bytes.len();
        let limit = (GAME_BYTES_MAX + 1).saturating_sub(start).max(1) as u64;
        if io::Read::take(&mut self.source, limit).read_until(b'\n', bytes)? == 0 {
            self.ended = true;
            return Ok(false);
        }
        if self.line == 0 && bytes[start..].starts_with(BYTE_ORDER_MARK) {
            bytes.drain(start..start + BYTE_ORDER_MARK.len());
        }
        self.line += 1;
        Ok(true)
    }

    /// Leaves a game that is too long, up to the next line with a tag.
    fn skip_game(&mut self) -> io::Result<()> {
        let mut fresh = false;
        loop {
            let buffer = self.source.fill_buf()?;
            if buffer.is_empty() {
                self.ended = true;
                return Ok(());
            }
            if fresh && buffer[0] == b'[' {
                return Ok(());
            }
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let used = end.map_or(buffer.len(), |end| end + 1);
            self.source.consume(used);
            fresh = end.is_some();
            self.line += usize::from(fresh);
        }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Parsed, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.next_raw()?.and_then(|raw| raw.parse().map_err(ReadError::from)))
    }
}

/// Follows comments over lines to tell a tag from a `[` in a comment.
#[derive(Default)]
struct Scan {
    open: bool,
    movetext: bool,
}

impl Scan {
    fn begins_game(&self, line: &[u8]) -> bool {
        self.movetext && !self.open && line.trim_ascii_start().starts_with(b"[")
    }

    fn line(&mut self, line: &[u8]) {
        let text = line.trim_ascii();
        if !self.open && (text.is_empty() || text.starts_with(b"[")) {
            // Moves may stand behind the last tag.
            self.movetext |= !text.is_empty() && !text.ends_with(b"]");
            return;
        }
        let last = text.iter().rposition(|byte| matches!(byte, b'{' | b'}'));
        self.open = last.map_or(self.open, |last| text[last] == b'{');
        self.movetext = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "[Event \"a\"][Site \"d\"]\n\n1A. e4 {C: a\n[not a tag]\n} 1B. e4\n1-0\n";

    #[test]
    fn games_are_read_one_after_the_other() {
        let twice = format!("\u{feff}{GAME}{GAME}");
        let games: Vec<Parsed> = Reader::new(twice.as_bytes()).map(Result::unwrap).collect();
        assert_eq!(games.iter().map(|parsed| parsed.line).collect::<Vec<_>>(), [1, 7]);
        assert_eq!(games[1].game, games[0].game);
        assert_eq!(games[1].game.moves.len(), 2);
    }

    #[test]
    fn an_endless_game_is_refused_and_the_next_one_read() {
        let junk = "x".repeat(GAME_BYTES_MAX + 7);
        let read: Vec<_> = Reader::new(format!("{junk}\n{GAME}").as_bytes()).collect();
        let told = read[0].as_ref().unwrap_err().to_string();
        assert_eq!(told, "line 1: expected a game of at most 1048576 bytes, found more: is this BPGN?");
        assert_eq!(read[1].as_ref().unwrap().line, 2);
        assert_eq!(read.len(), 2);
    }

    #[test]
    fn latin_1_is_read_with_a_warning() {
        let bytes = b"[WhiteA \"Andr\xe9\"]\n\n1A. e4 {C: \xbb} *\n";
        let parsed = Reader::new(&bytes[..]).next().unwrap().unwrap();
        assert_eq!(parsed.game.tag("WhiteA"), Some("Andr\u{e9}"));
        assert_eq!(parsed.warnings[0].to_string(), "line 1: expected UTF-8, found other bytes; taken as Latin-1");
    }
}

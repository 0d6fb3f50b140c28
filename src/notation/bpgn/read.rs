//! Reading BPGN: one game after the other from a stream of any size.
//!
//! A game begins at a tag that follows movetext. Text that is no UTF-8 is taken as Latin-1. What can be mended is, with
//! a located warning; what cannot be read is a located error, and the next game is read all the same.

use std::io::{self, BufRead};

use super::{Game, GameMove};
use crate::types::Seat;

/// The most bytes that one game may have.
pub const GAME_BYTES_MAX: usize = 1 << 20;

/// A remark about a place in the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct Located {
    /// Line of the file, from 1.
    pub line: usize,
    /// What was expected, what was found.
    pub message: String,
}

/// A game and what was mended to read it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// The game.
    pub game: Game,
    /// What was mended.
    pub warnings: Vec<Located>,
    /// Line of the file at which the game begins, from 1.
    pub line: usize,
    /// Line of each move.
    pub move_lines: Vec<usize>,
}

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

/// Games of a stream, one after the other.
pub struct Reader<R> {
    source: R,
    line: usize,
    /// The first line of the next game, already taken from the source.
    pending: Option<Vec<u8>>,
    ended: bool,
}

impl<R: BufRead> Reader<R> {
    /// A reader of all games in `source`.
    pub fn new(source: R) -> Reader<R> {
        Reader { source, line: 0, pending: None, ended: false }
    }

    /// The bytes of the next game and the line at which they begin.
    fn next_text(&mut self) -> Result<Option<(usize, Vec<u8>)>, ReadError> {
        let mut text = self.pending.take().unwrap_or_default();
        let first = self.line.max(1);
        let mut scan = Scan::default();
        scan.line(&text);
        loop {
            let mut line = Vec::new();
            let limit = (GAME_BYTES_MAX + 1).saturating_sub(text.len()) as u64;
            if io::Read::take(&mut self.source, limit).read_until(b'\n', &mut line)? == 0 {
                self.ended = true;
                break;
            }
            self.line += 1;
            if scan.begins_game(&line) {
                self.pending = Some(line);
                break;
            }
            scan.line(&line);
            text.extend_from_slice(&line);
            if text.len() > GAME_BYTES_MAX {
                self.ended = true;
                let message = format!("expected a game of at most {GAME_BYTES_MAX} bytes, found more: is this BPGN?");
                return Err(Located { line: first, message }.into());
            }
        }
        Ok((!text.trim_ascii().is_empty()).then_some((first, text)))
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Parsed, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended || self.pending.is_some() {
            match self.next_text() {
                Ok(Some((line, bytes))) => {
                    return Some(read_game(&decode(&bytes), line).map_err(ReadError::from));
                }
                Ok(None) => {}
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

/// UTF-8, or else Latin-1.
fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}').to_owned(),
        Err(_) => bytes.iter().map(|byte| *byte as char).collect(),
    }
}

/// Follows comments over lines to tell a tag from a `[` in a comment.
#[derive(Default)]
struct Scan {
    depth: u32,
    movetext: bool,
}

impl Scan {
    fn begins_game(&self, line: &[u8]) -> bool {
        self.movetext && self.depth == 0 && line.trim_ascii_start().starts_with(b"[")
    }

    fn line(&mut self, line: &[u8]) {
        let text = line.trim_ascii();
        if self.depth == 0 && (text.is_empty() || text.starts_with(b"[")) {
            return;
        }
        for byte in text {
            match byte {
                b'{' => self.depth = 1,
                b'}' => self.depth = 0,
                _ => {}
            }
        }
        self.movetext = true;
    }
}

/// Reads one game; `line` is the line of the file at which the text begins.
pub fn read_game(text: &str, line: usize) -> Result<Parsed, Located> {
    let parsed = Parsed { line, ..Parsed::default() };
    let mut parser = Parser { rest: text, line, parsed, decided: false, preface: None };
    while parser.step()? {}
    parser.finish()
}

struct Parser<'a> {
    rest: &'a str,
    line: usize,
    parsed: Parsed,
    /// A result was read.
    decided: bool,
    /// The last comment before the first move.
    preface: Option<String>,
}

impl<'a> Parser<'a> {
    fn error(&self, message: impl Into<String>) -> Located {
        Located { line: self.line, message: message.into() }
    }

    fn warn(&mut self, message: impl Into<String>) {
        let warning = self.error(message);
        self.parsed.warnings.push(warning);
    }

    /// Takes `bytes` bytes, which end on a character boundary.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    fn skip_space(&mut self) {
        let space = self.rest.len() - self.rest.trim_start().len();
        self.take(space);
    }

    /// Reads one tag, comment, move, mark or result; false at the end.
    fn step(&mut self) -> Result<bool, Located> {
        self.skip_space();
        match self.rest.chars().next() {
            None => return Ok(false),
            Some('[') => self.tag()?,
            Some('{') => {
                let comment = self.comment()?;
                self.place_comment(comment);
            }
            Some('(') => self.variation()?,
            Some('$') => {
                self.word();
            }
            Some(_) => self.move_or_result()?,
        }
        Ok(true)
    }

    fn tag(&mut self) -> Result<(), Located> {
        let end = self.tag_end().ok_or_else(|| self.error("expected ] after a tag, found none"))?;
        let inner = self.take(end + 1);
        let inner = inner[1..end].trim();
        let (name, value) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
        if name.is_empty() {
            return Err(self.error("expected a tag such as [WhiteA \"name\"], found []"));
        }
        let value = value.trim();
        let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
        if quoted.is_none() {
            self.warn(format!("expected a value in quotes in tag {name}, found {value:?}"));
        }
        let value = quoted.unwrap_or(value).replace("\\\"", "\"").replace("\\\\", "\\");
        self.parsed.game.tags.push((name.to_owned(), value));
        Ok(())
    }

    /// Byte of the `]` that closes the tag; one in quotes does not.
    fn tag_end(&self) -> Option<usize> {
        let mut quoted = false;
        let mut escaped = false;
        for (index, letter) in self.rest.char_indices() {
            match letter {
                '\n' => return None,
                '"' if !escaped => quoted = !quoted,
                ']' if !quoted => return Some(index),
                _ => {}
            }
            escaped = letter == '\\' && !escaped;
        }
        None
    }

    fn comment(&mut self) -> Result<String, Located> {
        let end = self.rest.find('}').ok_or_else(|| self.error("expected } after a comment, found the end"))?;
        let comment = self.take(end + 1);
        Ok(comment[1..end].split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// A number after a move is the mover's time; a comment after the last move is how the game ended.
    fn place_comment(&mut self, comment: String) {
        let game = &mut self.parsed.game;
        let Some(last) = game.moves.last_mut() else {
            self.preface = Some(comment);
            return;
        };
        match clock_ms(&comment) {
            Some(ms) if last.clock_ms.is_none() && last.comments.is_empty() => last.clock_ms = Some(ms),
            _ => last.comments.push(comment),
        }
    }

    fn variation(&mut self) -> Result<(), Located> {
        let mut depth = 0;
        let end = self.rest.char_indices().find_map(|(index, letter)| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            (depth == 0).then_some(index)
        });
        let end = end.ok_or_else(|| self.error("expected ) after a variation, found the end"))?;
        let text = self.take(end + 1).split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(last) = self.parsed.game.moves.last_mut() {
            last.comments.push(text);
        }
        Ok(())
    }

    /// Everything up to space or a bracket.
    fn word(&mut self) -> &'a str {
        let end = self.rest.find(|c: char| c.is_whitespace() || "{}()[]".contains(c)).unwrap_or(self.rest.len());
        let first = self.rest.chars().next().map_or(0, char::len_utf8);
        self.take(end.max(first))
    }

    fn move_or_result(&mut self) -> Result<(), Located> {
        let word = self.word();
        if let Some(result) = result_of(word) {
            self.parsed.game.result = result.to_owned();
            self.decided = true;
            return Ok(());
        }
        if word == "None" {
            self.warn("expected a result, found None; taken as *");
            self.parsed.game.result = "*".to_owned();
            self.decided = true;
            return Ok(());
        }
        let (label, rest) = word.split_once('.').ok_or_else(|| unexpected(self, word))?;
        let seat = label.chars().last().and_then(Seat::from_letter).ok_or_else(|| unexpected(self, word))?;
        let number = label[..label.len() - 1].parse().map_err(|_| unexpected(self, word))?;
        let san = match rest.trim_start_matches('.') {
            "" => {
                self.skip_space();
                self.word()
            }
            glued => glued,
        };
        if san.is_empty() {
            return Err(self.error(format!("expected a move after {word}, found the end")));
        }
        if self.decided {
            self.warn(format!("{word} {san} stands after the result"));
        }
        let san = san.replace("$146@", "N@");
        let played = GameMove { number, seat, san, clock_ms: None, comments: Vec::new() };
        self.parsed.game.moves.push(played);
        self.parsed.move_lines.push(self.line);
        Ok(())
    }

    fn finish(mut self) -> Result<Parsed, Located> {
        let game = &mut self.parsed.game;
        if game.tags.is_empty() && game.moves.is_empty() {
            return Err(Located {
                line: self.parsed.line,
                message: "expected a game, found neither tags nor moves".into(),
            });
        }
        if self.decided {
            let last = game.moves.last_mut().map_or(self.preface, |last| last.comments.pop());
            game.ending = last.filter(|ending| ending != "*");
        } else {
            game.result = game.tag("Result").and_then(result_of).unwrap_or("*").to_owned();
        }
        Ok(self.parsed)
    }
}

fn unexpected(parser: &Parser<'_>, word: &str) -> Located {
    parser.error(format!("expected a move number such as 1A. or a result, found {word:?}"))
}

fn result_of(word: &str) -> Option<&'static str> {
    ["1-0", "0-1", "1/2-1/2", "*"].into_iter().find(|result| *result == word)
}

/// `299`, `299.42` or `-0.5` as milliseconds.
fn clock_ms(comment: &str) -> Option<i64> {
    let (sign, digits) = comment.strip_prefix('-').map_or((1, comment), |digits| (-1, digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let numeric = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 9 || !numeric(whole) || !numeric(fraction) {
        return None;
    }
    let thousandths = format!("{fraction:0<3}");
    Some(sign * (whole.parse::<i64>().ok()? * 1000 + thousandths.get(..3)?.parse::<i64>().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "[Event \"a \\\"b\\\" [c]\"][Site \"d\"]\n\n\
                        1A. e4 {299.420} 1B. e4 {299}2B.Nc3 1a. e5 {-0.500}\n\
                        {C: this\ngame}\n{Player004 checkmated} 1-0\n";

    #[test]
    fn games_are_read_one_after_the_other() {
        let twice = format!("{GAME}{GAME}");
        let games: Vec<Parsed> = Reader::new(twice.as_bytes()).map(Result::unwrap).collect();
        assert_eq!(games.len(), 2);
        let game = &games[1].game;
        assert_eq!(game.tag("Event"), Some("a \"b\" [c]"));
        assert_eq!(game.moves.iter().map(|m| m.seat.letter()).collect::<String>(), "ABBa");
        let clocks: Vec<_> = game.moves.iter().map(|m| m.clock_ms).collect();
        assert_eq!(clocks, [Some(299_420), Some(299_000), None, Some(-500)]);
        assert_eq!(game.ending.as_deref(), Some("Player004 checkmated"));
        assert_eq!(games[1].line, 7);
    }

    #[test]
    fn what_is_written_reads_back() {
        let game = read_game(GAME, 1).unwrap().game;
        assert_eq!(read_game(&game.write(), 1).unwrap().game, game);
    }

    #[test]
    fn errors_are_located() {
        let error = |text: &str| read_game(text, 1).unwrap_err().to_string();
        assert_eq!(
            error("[Event \"x\"]\n\n1A. e4 e5"),
            "line 3: expected a move number such as 1A. or a result, found \"e5\""
        );
        assert_eq!(error("[Event \"x\"\n"), "line 1: expected ] after a tag, found none");
        assert_eq!(error("1A. e4 {C: open"), "line 1: expected } after a comment, found the end");
        assert_eq!(error("\n"), "line 1: expected a game, found neither tags nor moves");
    }
}

//! Reading the text of one game.
//!
//! What can be mended is, with a located warning; what cannot be read is a located error.

use super::{Comment, Game, GameMove, clock, kind_of, token};
use crate::types::Seat;

/// The most warnings of one game; the last one tells how many more there are.
pub const WARNINGS_MAX: usize = 64;

/// The most tags of one game.
pub const TAGS_MAX: usize = 256;

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

/// Reads one game; `line` is the line of the file at which the text begins.
pub fn read_game(text: &str, line: usize) -> Result<Parsed, Located> {
    let text = text.trim_start_matches('\u{feff}');
    let mut parser = Parser { text, at: 0, line, fresh_lines: 0, parsed: Parsed::default(), decided: false, more: 0 };
    parser.skip_space();
    parser.parsed.line = parser.line;
    while parser.step()? {}
    parser.finish()
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    /// Line ends in the white space that was last skipped.
    fresh_lines: usize,
    parsed: Parsed,
    /// A result was read.
    decided: bool,
    /// Warnings beyond the bound.
    more: usize,
}

impl<'a> Parser<'a> {
    fn error(&self, message: impl Into<String>) -> Located {
        Located { line: self.line, message: message.into() }
    }

    fn warn(&mut self, message: impl FnOnce() -> String) {
        if self.parsed.warnings.len() < WARNINGS_MAX {
            let warning = self.error(message());
            self.parsed.warnings.push(warning);
        } else {
            self.more += 1;
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Takes `bytes` bytes, which end on a character boundary.
    fn take(&mut self, bytes: usize) -> &'a str {
        let taken = &self.text[self.at..self.at + bytes];
        self.at += bytes;
        taken
    }

    /// The same where lines may end.
    fn take_lines(&mut self, bytes: usize) -> &'a str {
        let taken = self.take(bytes);
        self.line += taken.bytes().filter(|byte| *byte == b'\n').count();
        taken
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        let before = self.line;
        self.take_lines(rest.len() - rest.trim_start().len());
        self.fresh_lines = self.line - before;
    }

    /// Reads one tag, comment, move, mark or result; false at the end.
    fn step(&mut self) -> Result<bool, Located> {
        self.skip_space();
        match self.text.as_bytes().get(self.at) {
            None => return Ok(false),
            Some(b'[') => self.tag()?,
            Some(b'{') => self.comment()?,
            Some(b'(') => self.variation()?,
            Some(b'$') => self.glyph()?,
            Some(_) => self.move_or_result()?,
        }
        Ok(true)
    }

    fn tag(&mut self) -> Result<(), Located> {
        let (end, balanced) = tag_end(self.rest()).ok_or_else(|| self.error("expected ] after a tag, found none"))?;
        let inner = &self.take(end + 1)[1..end];
        let (name, value) = inner.trim().split_once(char::is_whitespace).unwrap_or((inner.trim(), ""));
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return Err(self.error(format!("expected a tag such as [WhiteA \"name\"], found [{}]", excerpt(inner))));
        }
        let value = value.trim();
        let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).filter(|_| balanced);
        if quoted.is_none() {
            self.warn(|| format!("expected a value in quotes in tag {name}, found {}", excerpt(value)));
        }
        if self.parsed.game.tag(name).is_some() {
            self.warn(|| format!("expected tag {name} once, found it again; the first one counts"));
        }
        if !self.parsed.game.moves.is_empty() {
            self.warn(|| format!("expected tags before the moves, found {name}"));
        }
        if self.parsed.game.tags.len() == TAGS_MAX {
            return Err(self.error(format!("expected at most {TAGS_MAX} tags, found {name} too: is this BPGN?")));
        }
        let value = self.date(name, unescape(quoted.unwrap_or(value)));
        self.parsed.game.tags.push((name.to_owned(), value));
        Ok(())
    }

    /// A date with dots.
    fn date(&mut self, name: &str, value: String) -> String {
        let dashes = value.len() == 10 && value.as_bytes()[4] == b'-' && value.as_bytes()[7] == b'-';
        if !(name.ends_with("Date") && dashes) {
            return value;
        }
        let mended = value.replace('-', ".");
        self.warn(|| format!("expected {mended} in tag {name}, found {value}"));
        mended
    }

    fn comment(&mut self) -> Result<(), Located> {
        let end = self.rest().find('}').ok_or_else(|| self.error("expected } after a comment, found the end"))?;
        let text = self.take_lines(end + 1)[1..end].trim();
        if let Some(last) = self.parsed.game.moves.last_mut()
            && last.clock_ms.is_none()
            && last.comments.iter().all(|comment| matches!(comment, Comment::Nag(_)))
            && !self.decided
        {
            if let Some(ms) = clock::read(text) {
                last.clock_ms = Some(ms);
                return Ok(());
            }
            if let Some(ms) = clock::read_command(&spaced(text)) {
                last.clock_ms = Some(ms);
                self.warn(|| format!("expected {{{}}}, found {{{}}}", clock::write(ms), spaced(text)));
                return Ok(());
            }
        }
        self.place(Comment::Text(spaced(text)));
        Ok(())
    }

    /// Behind the last move, or before the first one.
    fn place(&mut self, comment: Comment) {
        self.check_heading();
        if self.decided {
            self.warn(|| format!("expected nothing after the result, found {comment}"));
        }
        let game = &mut self.parsed.game;
        match game.moves.last_mut() {
            Some(last) => last.comments.push(comment),
            None => game.preamble.push(comment),
        }
    }

    fn variation(&mut self) -> Result<(), Located> {
        let end = variation_end(self.rest())
            .ok_or_else(|| self.error("expected ) after a variation, found the end of the game"))?;
        let text = spaced(&self.take_lines(end + 1)[1..end]);
        self.place(Comment::Variation(text));
        Ok(())
    }

    fn glyph(&mut self) -> Result<(), Located> {
        let glyph = self.glyph_number()?;
        self.place(Comment::Nag(glyph));
        Ok(())
    }

    fn glyph_number(&mut self) -> Result<u8, Located> {
        let digits = self.rest()[1..].bytes().take_while(u8::is_ascii_digit).count();
        let number = self.rest()[1..=digits].parse();
        let number = number.map_err(|_| self.error(format!("expected a glyph $0 to $255, found {}", self.near())))?;
        self.take(digits + 1);
        Ok(number)
    }

    /// Glyphs in front of a move go behind it. One program writes `$146` for `N`, which is its sign of a novelty:
    /// `$146@g4` was a knight's drop, but what stands there is a pawn's, and nothing is guessed.
    fn early_glyphs(&mut self, number: u32, seat: Seat) -> Result<Vec<Comment>, Located> {
        let mut glyphs = Vec::new();
        while self.rest().starts_with('$') {
            let glyph = self.glyph_number()?;
            let hint = if glyph == 146 && self.rest().starts_with('@') { "; was N@ meant?" } else { "" };
            self.warn(|| format!("expected a move after {number}{seat}., found the glyph ${glyph} before it{hint}"));
            self.skip_space();
            glyphs.push(Comment::Nag(glyph));
        }
        Ok(glyphs)
    }

    /// The next word, for messages.
    fn near(&self) -> String {
        excerpt(&self.rest()[..token::word(self.rest())])
    }

    fn move_or_result(&mut self) -> Result<(), Located> {
        let Some((number, seat, used)) = token::label(self.rest()) else { return self.result() };
        self.check_heading();
        let glued = self.at > 0 && self.fresh_lines == 0 && !self.text.as_bytes()[self.at - 1].is_ascii_whitespace();
        if glued {
            self.warn(|| format!("expected a space before {number}{seat}., found none"));
        }
        self.take(used);
        let before = self.at;
        self.skip_space();
        let comments = self.early_glyphs(number, seat)?;
        let san = token::word(self.rest()).min(self.rest().len());
        if san == 0 || self.rest().starts_with(['{', '}', '(', ')', '[', ']']) {
            let found = if san == 0 { "the end".into() } else { self.near() };
            return Err(self.error(format!("expected a move after {number}{seat}., found {found}")));
        }
        if before == self.at {
            self.warn(|| format!("expected a space after {number}{seat}., found none"));
        }
        let san = self.take(san);
        if self.decided {
            self.warn(|| format!("expected nothing after the result, found {number}{seat}. {}", excerpt(san)));
        }
        let mended = token::mend(san);
        if let Some(mended) = &mended {
            self.warn(|| format!("expected {mended}, found {san}"));
        }
        let san = mended.unwrap_or_else(|| san.to_owned());
        self.parsed.game.moves.push(GameMove { number, seat, san, clock_ms: None, comments });
        self.parsed.move_lines.push(self.line);
        Ok(())
    }

    /// An empty line stands between tags and moves; told once.
    fn check_heading(&mut self) {
        let game = &self.parsed.game;
        let first = game.moves.is_empty() && game.preamble.is_empty() && !game.tags.is_empty() && !self.decided;
        if first && self.fresh_lines < 2 {
            self.warn(|| "expected an empty line between tags and moves, found none".into());
        }
    }

    fn result(&mut self) -> Result<(), Located> {
        let word = &self.rest()[..token::word(self.rest())];
        let result = match word {
            "None" => Some("*"),
            _ => token::result(word),
        };
        let Some(result) = result else {
            let found = excerpt(word);
            return Err(self.error(format!("expected a move number such as 1A. or a result, found {found}")));
        };
        self.check_heading();
        self.take(word.len());
        if word == "None" {
            self.warn(|| "expected a result, found None; taken as *".into());
        }
        if self.decided {
            let first = self.parsed.game.result.clone();
            self.warn(|| format!("expected nothing after the result {first}, found {result}"));
            return Ok(());
        }
        self.decided = true;
        self.parsed.game.result = result.to_owned();
        self.take_ending();
        Ok(())
    }

    /// A plain comment after the last move is how the game ended.
    fn take_ending(&mut self) {
        let game = &mut self.parsed.game;
        let comments = game.moves.last_mut().map_or(&mut game.preamble, |last| &mut last.comments);
        let plain = |comment: &Comment| matches!(comment, Comment::Text(text) if kind_of(text).is_none());
        if comments.last().is_some_and(plain)
            && let Some(Comment::Text(text)) = comments.pop()
        {
            game.ending = Some(text);
        }
    }

    fn finish(mut self) -> Result<Parsed, Located> {
        if self.parsed.game.tags.is_empty() && self.parsed.game.moves.is_empty() {
            let message = "expected a game, found neither tags nor moves".into();
            return Err(Located { line: self.parsed.line, message });
        }
        let tag = self.parsed.game.tag("Result").and_then(token::result);
        if !self.decided {
            let result = tag.unwrap_or("*");
            self.parsed.game.result = result.to_owned();
            self.take_ending();
            self.warn(|| format!("expected a result at the end, found none; taken as {result}"));
        } else if let Some(tag) = tag.filter(|tag| *tag != self.parsed.game.result) {
            let result = self.parsed.game.result.clone();
            self.warn(|| format!("expected the result of the tag, {tag}, at the end, found {result}"));
        }
        if self.more > 0 {
            let message = format!("{} more places were mended", self.more);
            self.parsed.warnings.push(Located { line: self.line, message });
        }
        Ok(self.parsed)
    }
}

/// Byte of the `]` that closes the tag, and whether the quotes are in order; one in quotes does not close.
fn tag_end(text: &str) -> Option<(usize, bool)> {
    let line = &text[..text.find('\n').unwrap_or(text.len())];
    let mut quoted = false;
    let mut escaped = false;
    for (index, byte) in line.bytes().enumerate() {
        match byte {
            b'"' if !escaped => quoted = !quoted,
            b']' if !quoted => return Some((index, true)),
            _ => {}
        }
        escaped = byte == b'\\' && !escaped;
    }
    line.rfind(']').map(|index| (index, false))
}

/// Byte of the `)` that closes the variation; comments in it may hold parentheses.
fn variation_end(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut comment = false;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => comment = true,
            b'}' => comment = false,
            b'(' if !comment => depth += 1,
            b')' if !comment => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 && !comment {
            return Some(index);
        }
    }
    None
}

/// `\"` and `\\` as what they mean.
fn unescape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut letters = value.chars().peekable();
    while let Some(letter) = letters.next() {
        let escapes = letter == '\\' && matches!(letters.peek(), Some('"' | '\\'));
        text.push(if escapes { letters.next().unwrap_or(letter) } else { letter });
    }
    text
}

/// White space as single spaces.
fn spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !spaced.is_empty() {
            spaced.push(' ');
        }
        spaced.push_str(word);
    }
    spaced
}

/// The beginning of a text in quotes, for messages.
fn excerpt(text: &str) -> String {
    const EXCERPT_CHARS_MAX: usize = 40;
    match text.char_indices().nth(EXCERPT_CHARS_MAX) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests;

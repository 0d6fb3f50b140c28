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
/// Stands for an ending that nobody knows, as in the example of the laws.
const NO_ENDING: &str = "{*} ";

impl Game {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// The game as text, strict form, with a line end after the result. What would end a tag or a comment early is
    /// written as something alike.
    pub fn write(&self) -> String {
        let mut text = String::new();
        for (tag, value) in &self.tags {
            let value = value.replace(char::is_control, " ").replace('\\', "\\\\").replace('"', "\\\"");
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
        match &self.ending {
            Some(ending) => text.push_str(&format!("{{{}}} ", comment(ending))),
            // The last comment tells the ending: without one, a comment of the last move would.
            None if self.moves.last().is_some_and(|last| !last.comments.is_empty()) => text.push_str(NO_ENDING),
            None => {}
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
        for text in &self.comments {
            let _ = write!(word, " {{{}}}", comment(text));
        }
        word
    }
}

/// Text that may stand between braces, as it reads back.
fn comment(text: &str) -> String {
    text.replace('{', "(").replace('}', ")").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, option, prelude::*};

    use super::*;

    fn any_move() -> impl Strategy<Value = GameMove> {
        let san = prop::sample::select(vec!["e4", "Nbd7+", "exd8=Q#", "O-O-O", "P@e6", "N@f5#", "Qh4e1"]);
        let seat = prop::sample::select(Seat::all(2).collect::<Vec<_>>());
        let comments = vec("C:[a-z]([a-z ]{0,20}[a-z])?", 0..3);
        (1..300u32, seat, san, option::of(-5_000..600_000i64), comments).prop_map(
            |(number, seat, san, clock_ms, comments)| GameMove { number, seat, san: san.into(), clock_ms, comments },
        )
    }

    fn any_game() -> impl Strategy<Value = Game> {
        let tags = vec(("[A-Z][a-zA-Z]{0,8}", "[ -~áž♞]{0,12}"), 1..4);
        let result = prop::sample::select(vec!["1-0", "0-1", "1/2-1/2", "*"]);
        let ending = option::of("[A-Za-zŽ\"\\[]([A-Za-z ]{0,10}[a-z()])?");
        (tags, vec(any_move(), 0..40), ending, result).prop_map(|(tags, moves, ending, result)| Game {
            tags,
            moves,
            ending: ending.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")),
            result: result.into(),
        })
    }

    fn single_spaced(mut game: Game) -> Game {
        let comments = game.moves.iter_mut().flat_map(|played| &mut played.comments);
        comments.for_each(|text| *text = comment(text));
        game
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back_to_the_same_game(game in any_game()) {
            let parsed = read_game(&game.write(), 1).unwrap();
            prop_assert_eq!(parsed.game, single_spaced(game));
            prop_assert_eq!(parsed.warnings, []);
        }

        #[test]
        fn nothing_in_a_text_breaks_the_form(name in "\\PC{0,20}|.{0,20}", ending in ".{1,20}", other in any_game()) {
            let game = Game {
                tags: vec![("WhiteA".into(), name)],
                ending: Some(ending),
                ..other
            };
            let text = format!("{}{0}", game.write());
            let read: Vec<Game> = Reader::new(text.as_bytes()).map(|parsed| parsed.unwrap().game).collect();
            prop_assert_eq!(read.len(), 2);
            prop_assert_eq!(read[0].moves.len(), game.moves.len());
            prop_assert_eq!(&read[0], &read[1]);
        }
    }
}

//! Boards, seats and teams, and the letters that the laws give them (WBN E14).

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Color;

/// The most boards that one table may have: letters `A` to `H`.
pub const BOARDS_MAX: usize = 8;

/// One board of a table, counted from 0 and written `A`, `B`, …
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoardId(u8);

impl BoardId {
    /// Board `A`.
    pub const A: BoardId = BoardId(0);
    /// Board `B`.
    pub const B: BoardId = BoardId(1);

    /// The board with this index from 0, if a table may have that many.
    pub fn new(index: usize) -> Option<BoardId> {
        (index < BOARDS_MAX).then_some(BoardId(index as u8))
    }

    /// The first `count` boards.
    pub fn first(count: usize) -> impl DoubleEndedIterator<Item = BoardId> + Clone {
        (0..count.min(BOARDS_MAX) as u8).map(BoardId)
    }

    /// Index from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The upper-case letter.
    pub const fn letter(self) -> char {
        (b'A' + self.0) as char
    }

    /// The lower-case letter, as topics spell it.
    pub const fn lower(self) -> char {
        (b'a' + self.0) as char
    }

    /// The seat of `color` on this board.
    pub const fn seat(self, color: Color) -> Seat {
        Seat { board: self, color }
    }
}

impl fmt::Display for BoardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

/// The text is not one letter from `A` to `H`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a board letter from A to H")]
pub struct ParseBoardError;

impl FromStr for BoardId {
    type Err = ParseBoardError;

    fn from_str(text: &str) -> Result<BoardId, ParseBoardError> {
        match text.as_bytes() {
            [letter @ b'A'..=b'H'] => Ok(BoardId(letter - b'A')),
            _ => Err(ParseBoardError),
        }
    }
}

/// One player on one board: `A` is White on A, `a` Black on A (WBN E14).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seat {
    /// The board.
    pub board: BoardId,
    /// The colour of the men.
    pub color: Color,
}

impl PartialOrd for Seat {
    fn partial_cmp(&self, other: &Seat) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Seat {
    /// By [`Seat::index`].
    fn cmp(&self, other: &Seat) -> std::cmp::Ordering {
        self.index().cmp(&other.index())
    }
}

impl Seat {
    /// All seats of a table of `boards` boards: `A`, `a`, `B`, `b`, …
    pub fn all(boards: usize) -> impl DoubleEndedIterator<Item = Seat> + Clone {
        BoardId::first(boards).flat_map(|board| [board.seat(Color::White), board.seat(Color::Black)])
    }

    /// Index from 0 in the order `A`, `a`, `B`, `b`, …
    pub const fn index(self) -> usize {
        self.board.index() * 2 + (self.color as usize + 1) % 2
    }

    /// The letter: upper case for White.
    pub const fn letter(self) -> char {
        match self.color {
            Color::White => self.board.letter(),
            Color::Black => self.board.lower(),
        }
    }

    /// The seat with this letter.
    pub fn from_letter(letter: char) -> Option<Seat> {
        let color = Color::from_white(letter.is_ascii_uppercase());
        let board = letter.to_ascii_uppercase().to_string().parse::<BoardId>().ok()?;
        Some(Seat { board, color })
    }

    /// The opponent on the same board.
    pub const fn opponent(self) -> Seat {
        Seat { board: self.board, color: self.color.other() }
    }

    /// The team that this seat plays for.
    pub const fn team(self) -> Team {
        match (self.color, self.board.index() % 2) {
            (Color::White, 0) | (Color::Black, 1) => Team::WhiteA,
            _ => Team::BlackA,
        }
    }

    /// The seats of the same team on the other boards of a table of `boards` boards.
    pub fn partners(self, boards: usize) -> impl Iterator<Item = Seat> + Clone {
        Seat::all(boards).filter(move |seat| seat.board != self.board && seat.team() == self.team())
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

/// The text is not one letter from `A` to `H` or `a` to `h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a seat letter: A White on board A, a Black on board A, B, b and so on")]
pub struct ParseSeatError;

impl FromStr for Seat {
    type Err = ParseSeatError;

    fn from_str(text: &str) -> Result<Seat, ParseSeatError> {
        let mut letters = text.chars();
        let seat = letters.next().and_then(Seat::from_letter).ok_or(ParseSeatError)?;
        letters.next().is_none().then_some(seat).ok_or(ParseSeatError)
    }
}

/// The players who win together. BPGN's `1-0` is a win of the team of White on board A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Team {
    /// White on A, Black on B, White on C, …
    WhiteA,
    /// Black on A, White on B, …
    BlackA,
}

impl Team {
    /// The other team.
    pub const fn other(self) -> Team {
        match self {
            Team::WhiteA => Team::BlackA,
            Team::BlackA => Team::WhiteA,
        }
    }
}

macro_rules! serde_by_text {
    ($type:ty) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_char(self.letter())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(|e| serde::de::Error::custom(format!("{e}, found {text:?}")))
            }
        }
    };
}

serde_by_text!(BoardId);
serde_by_text!(Seat);

macro_rules! schema_by_pattern {
    ($type:ty, $name:literal, $pattern:literal, $about:literal) => {
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "pattern": $pattern, "description": $about })
            }
        }
    };
}

schema_by_pattern!(BoardId, "BoardId", "^[A-H]$", "A board: A, B, …");
schema_by_pattern!(Seat, "Seat", "^[A-Ha-h]$", "A player: A is White on board A, a Black on it");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_boards_have_the_teams_of_the_laws() {
        let team = |letter| Seat::from_letter(letter).unwrap().team();
        assert_eq!(team('A'), team('b'));
        assert_eq!(team('a'), team('B'));
        assert_ne!(team('A'), team('a'));
    }

    #[test]
    fn partners_play_the_other_colour_on_the_other_board() {
        let seat = Seat::from_letter('B').unwrap();
        assert_eq!(seat.partners(2).map(Seat::letter_of).collect::<String>(), "a");
        assert_eq!(seat.partners(3).map(Seat::letter_of).collect::<String>(), "ac");
    }

    #[test]
    fn letters_round_trip() {
        for (index, seat) in Seat::all(BOARDS_MAX).enumerate() {
            assert_eq!(seat.index(), index);
            assert_eq!(seat.letter().to_string().parse(), Ok(seat));
        }
        assert_eq!("I".parse::<Seat>(), Err(ParseSeatError));
        assert_eq!("Aa".parse::<Seat>(), Err(ParseSeatError));
    }

    impl Seat {
        fn letter_of(self) -> char {
            self.letter()
        }
    }
}

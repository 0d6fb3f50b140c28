//! Arguments of requests: what is expected, what was found, what to do.

use serde_json::Value;

use crate::{
    event::{Request, ResponseError},
    table::Table,
    types::{BoardId, Role, Seat},
};

/// Characters of a wrong argument that an error repeats.
pub const SHOWN_MAX: usize = 60;
/// The longest text that an argument may be, in characters.
const TEXT_MAX: usize = 200;

/// An error with a word for programs and a sentence for people.
pub fn error(code: &str, message: impl Into<String>) -> ResponseError {
    ResponseError { code: code.into(), message: message.into() }
}

/// An argument that is not what was expected.
pub fn bad(expected: &str, found: &Value) -> ResponseError {
    let found: String = found.to_string().chars().take(SHOWN_MAX).collect();
    error("bad-data", format!("expected {expected}, found {found}"))
}

/// One argument; null when it is not there.
pub fn argument<'a>(request: &'a Request, key: &str) -> &'a Value {
    request.data.get(key).unwrap_or(&Value::Null)
}

/// A text argument, if it is there.
pub fn text<'a>(request: &'a Request, key: &str) -> Result<Option<&'a str>, ResponseError> {
    match argument(request, key) {
        Value::Null => Ok(None),
        Value::String(text) if text.chars().count() <= TEXT_MAX && !text.chars().any(char::is_control) => {
            Ok(Some(text))
        }
        other => Err(bad(&format!("{key} to be a text of at most {TEXT_MAX} letters"), other)),
    }
}

/// A seat of this table.
pub fn seat(table: &Table, request: &Request, key: &str) -> Result<Seat, ResponseError> {
    let value = argument(request, key);
    let seat = value.as_str().and_then(|letter| letter.parse::<Seat>().ok());
    seat.filter(|seat| seat.board.index() < table.play.game.len()).ok_or_else(|| {
        let seats: Vec<String> = Seat::all(table.play.game.len()).map(|seat| seat.to_string()).collect();
        bad(&format!("{key} to be a seat, one of {}", seats.join(", ")), value)
    })
}

/// A board of this table.
pub fn board(table: &Table, request: &Request, key: &str) -> Result<BoardId, ResponseError> {
    let value = argument(request, key);
    let board = value.as_str().and_then(|letter| letter.parse::<BoardId>().ok());
    board.filter(|board| board.index() < table.play.game.len()).ok_or_else(|| {
        let boards: Vec<String> = table.play.game.ids().map(|board| board.to_string()).collect();
        bad(&format!("{key} to be a board, one of {}", boards.join(", ")), value)
    })
}

/// A kind of man by its letter or its English name, in any case.
pub fn role(request: &Request, key: &str, allowed: &[Role]) -> Result<Role, ResponseError> {
    let value = argument(request, key);
    let word = value.as_str().unwrap_or_default().to_ascii_lowercase();
    let named = |role: &&Role| word == role.char().to_string() || word == name_of(**role);
    allowed.iter().find(named).copied().ok_or_else(|| {
        let letters: Vec<String> = allowed.iter().map(|role| role.upper_char().to_string()).collect();
        bad(&format!("{key} to be one of {}", letters.join(", ")), value)
    })
}

fn name_of(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

/// A whole number within bounds; `default` where it is not there.
pub fn number(request: &Request, key: &str, default: Option<i64>, min: i64, max: i64) -> Result<i64, ResponseError> {
    let value = argument(request, key);
    let number = if value.is_null() { default } else { value.as_i64() };
    number
        .filter(|number| (min..=max).contains(number))
        .ok_or_else(|| bad(&format!("{key} to be a whole number from {min} to {max}"), value))
}

impl Table {
    /// An error unless a game is on.
    pub(super) fn require_game(&self) -> Result<(), ResponseError> {
        match self.play.is_on() {
            true => Ok(()),
            false => Err(error("no-game", "expected a game on the boards, found none: start one first")),
        }
    }
}

/// Who asked, as results and records name it.
pub fn asker(request: &Request) -> &str {
    request.by.as_deref().unwrap_or("arbiter")
}

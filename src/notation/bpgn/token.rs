//! Words of movetext: move numbers, moves, results.

use crate::types::{BoardId, Color, Seat};

/// The most digits of a move number.
const NUMBER_DIGITS_MAX: usize = 6;

/// `12a.` at the beginning of a text: the number, the seat and the bytes used, dots included.
pub fn label(text: &str) -> Option<(u32, Seat, usize)> {
    let bytes = text.as_bytes();
    let digits = bytes.iter().take(NUMBER_DIGITS_MAX + 1).take_while(|byte| byte.is_ascii_digit()).count();
    let seat = seat(*bytes.get(digits)?)?;
    let dots = bytes[digits + 1..].iter().take_while(|byte| **byte == b'.').count();
    if digits == 0 || digits > NUMBER_DIGITS_MAX || dots == 0 {
        return None;
    }
    let number = bytes[..digits].iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0'));
    Some((number, seat, digits + 1 + dots))
}

fn seat(letter: u8) -> Option<Seat> {
    let board = BoardId::new(usize::from(letter.to_ascii_uppercase().checked_sub(b'A')?))?;
    Some(board.seat(Color::from_white(letter.is_ascii_uppercase())))
}

/// Bytes up to white space, a bracket or an annotation glyph; at least the first character.
pub fn word(text: &str) -> usize {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'{' | b'}' | b'(' | b')' | b'[' | b']' | b'$');
    let end = text.as_bytes().iter().position(ends).unwrap_or(text.len());
    end.max(text.chars().next().map_or(0, char::len_utf8))
}

/// The result that a word means.
pub fn result(word: &str) -> Option<&'static str> {
    ["1-0", "0-1", "1/2-1/2", "*"].into_iter().find(|result| *result == word)
}

/// A move as the strict form spells it, for what programs write instead: `@e3` and `p@e3` for a pawn's drop, `0-0`.
pub fn mend(word: &str) -> Option<String> {
    let bytes = word.as_bytes();
    match bytes {
        [b'@', _, _, ..] => Some(format!("P{word}")),
        [role, b'@', ..] if role.is_ascii_lowercase() => {
            Some(format!("{}{}", role.to_ascii_uppercase() as char, &word[1..]))
        }
        [b'0' | b'o', b'-', ..] => Some(word.replace(['0', 'o'], "O")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels() {
        let read = |text: &str| label(text).map(|(number, seat, used)| (number, seat.letter(), used));
        assert_eq!(read("12a. e4"), Some((12, 'a', 4)));
        assert_eq!(read("1B...e4"), Some((1, 'B', 5)));
        assert_eq!(
            [read("1. e4"), read("A. e4"), read("1Z. e4"), read("1A e4"), read("12345678A."), read("")],
            [None; 6]
        );
    }

    #[test]
    fn what_programs_write_for_moves() {
        let mended = |text: &str| mend(text).unwrap();
        assert_eq!(mended("@e3"), "P@e3");
        assert_eq!(mended("p@c4"), "P@c4"); // the sample of WBN E13
        assert_eq!(mended("0-0-0+"), "O-O-O+");
        assert_eq!([mend("N@h3"), mend("e4"), mend("@"), mend("")], [const { None }; 4]);
    }
}

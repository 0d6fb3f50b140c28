//! Letters of the men in other languages, and figurines (WBN E2, CZ E2).
//!
//! ```
//! use bughoused::notation::letters::Letters;
//!
//! let czech = Letters::by_code("cs").unwrap();
//! assert_eq!(czech.to_english("Jxf3"), "Nxf3");
//! assert_eq!(czech.to_english("a8D+"), "a8Q+");
//! assert_eq!(czech.from_english("B@e5"), "S@e5");
//! assert_eq!(Letters::FIGURINES.from_english("Nf3"), "♘f3");
//! ```

use std::borrow::Cow;

/// The letters of one language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Letters {
    /// Code of the language (ISO 639-1), or `figurines`.
    pub code: &'static str,
    /// King, queen, rook, bishop, knight and pawn.
    men: [&'static str; 6],
}

/// The letters that software writes.
const ENGLISH: [char; 6] = ['K', 'Q', 'R', 'B', 'N', 'P'];
/// Black figurines; white ones are [`Letters::FIGURINES`].
const BLACK_FIGURINES: [char; 6] = ['♚', '♛', '♜', '♝', '♞', '♟'];

const fn letters(code: &'static str, men: [&'static str; 6]) -> Letters {
    Letters { code, men }
}

impl Letters {
    /// English, which digital records should use (WBN E2).
    pub const ENGLISH: Letters = letters("en", ["K", "Q", "R", "B", "N", "P"]);
    /// Figurines, which printed periodicals should use (WBN E2).
    pub const FIGURINES: Letters = letters("figurines", ["♔", "♕", "♖", "♗", "♘", "♙"]);

    /// Every language that this version knows.
    pub const ALL: [Letters; 22] = [
        Letters::ENGLISH,
        Letters::FIGURINES,
        letters("cs", ["K", "D", "V", "S", "J", "P"]),
        letters("da", ["K", "D", "T", "L", "S", "B"]),
        letters("de", ["K", "D", "T", "L", "S", "B"]),
        letters("es", ["R", "D", "T", "A", "C", "P"]),
        letters("et", ["K", "L", "V", "O", "R", "P"]),
        letters("fi", ["K", "D", "T", "L", "R", "P"]),
        letters("fr", ["R", "D", "T", "F", "C", "P"]),
        letters("hu", ["K", "V", "B", "F", "H", "G"]),
        letters("is", ["K", "D", "H", "B", "R", "P"]),
        letters("it", ["R", "D", "T", "A", "C", "P"]),
        letters("nl", ["K", "D", "T", "L", "P", "O"]),
        letters("no", ["K", "D", "T", "L", "S", "B"]),
        letters("pl", ["K", "H", "W", "G", "S", "P"]),
        letters("pt", ["R", "D", "T", "B", "C", "P"]),
        letters("ro", ["R", "D", "T", "N", "C", "P"]),
        letters("ru", ["Кр", "Ф", "Л", "С", "К", "П"]),
        letters("sk", ["K", "D", "V", "S", "J", "P"]),
        letters("sl", ["K", "D", "T", "L", "S", "P"]),
        letters("sv", ["K", "D", "T", "L", "S", "B"]),
        letters("uk", ["Кр", "Ф", "Т", "С", "К", "П"]),
    ];

    /// The letters of this language.
    pub fn by_code(code: &str) -> Option<Letters> {
        Letters::ALL.into_iter().find(|letters| letters.code == code)
    }

    /// The move with English letters. Figurines are always understood, and so are English letters that mean nothing
    /// else in this language.
    pub fn to_english<'a>(&self, san: &'a str) -> Cow<'a, str> {
        if *self == Letters::ENGLISH && san.is_ascii() || is_castling(san) {
            return Cow::Borrowed(san);
        }
        let mut text = String::with_capacity(san.len());
        let mut rest = san;
        while let Some(letter) = rest.chars().next() {
            let (english, used) = self.man_at(rest).unwrap_or((letter, letter.len_utf8()));
            text.push(english);
            rest = &rest[used..];
        }
        Cow::Owned(text)
    }

    /// The move with these letters.
    pub fn from_english<'a>(&self, san: &'a str) -> Cow<'a, str> {
        if *self == Letters::ENGLISH || is_castling(san) {
            return Cow::Borrowed(san);
        }
        let mut text = String::with_capacity(san.len() + 4);
        for letter in san.chars() {
            match ENGLISH.iter().position(|english| *english == letter) {
                Some(man) => text.push_str(self.men[man]),
                None => text.push(letter),
            }
        }
        Cow::Owned(text)
    }

    /// The man that the text begins with, and the bytes that it takes; the longest letter wins.
    fn man_at(&self, text: &str) -> Option<(char, usize)> {
        let national = (0..6).filter(|man| text.starts_with(self.men[*man])).max_by_key(|man| self.men[*man].len());
        let letter = text.chars().next()?;
        let figurine = || {
            let white = |man: &usize| Letters::FIGURINES.men[*man].starts_with(letter);
            (0..6).find(|man| white(man) || BLACK_FIGURINES[*man] == letter)
        };
        match national {
            Some(man) => Some((ENGLISH[man], self.men[man].len())),
            None => figurine().map(|man| (ENGLISH[man], letter.len_utf8())),
        }
    }
}

/// Castling has the letter O, which is a pawn in Dutch and a bishop in Estonian.
fn is_castling(san: &str) -> bool {
    san.starts_with("O-O") || san.starts_with("0-0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_go_out_and_come_back() {
        for letters in Letters::ALL {
            for san in ["Kxe1", "Qa1b2#", "R@h8", "Bf5", "N8xf3+", "P@c4", "gxf8=N+", "e4", "O-O-O+", "O-O"] {
                assert_eq!(letters.to_english(&letters.from_english(san)), san, "{}", letters.code);
            }
            let mut men = letters.men;
            men.sort_unstable();
            assert!(men.windows(2).all(|pair| pair[0] != pair[1]), "{} has one letter twice", letters.code);
        }
    }

    #[test]
    fn each_language_reads_its_own_and_figurines() {
        let read = |code: &str, san: &str| Letters::by_code(code).unwrap().to_english(san).into_owned();
        assert_eq!(read("fr", "Rxe1"), "Kxe1"); // WBN E2: F = fou
        assert_eq!(read("fr", "Fe5"), "Be5");
        assert_eq!(read("nl", "Le5"), "Be5"); // WBN E2: L = loper
        assert_eq!(read("cs", "exf8J+"), "exf8N+"); // CZ E10
        assert_eq!(read("ru", "Крe2"), "Ke2");
        assert_eq!(read("ru", "Кf3"), "Nf3");
        assert_eq!(read("en", "♞xf3"), "Nxf3");
        assert_eq!(read("cs", "Bf3"), "Bf3"); // no Czech letter, so English
        assert_eq!(Letters::by_code("xx"), None);
    }
}

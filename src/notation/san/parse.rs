//! What a move text says, before any position is looked at.

use shakmaty::Move;

use super::{
    Marks,
    candidates::{capturing, reaching},
};
use crate::{
    rules::{Attempt, BoardPosition},
    types::{Bitboard, CastlingSide, File, Rank, Role, Square},
};

/// What a move text says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    Castle(CastlingSide),
    Drop(Role, Square),
    Move { role: Role, file: Option<File>, rank: Option<Rank>, takes: bool, to: Square, promotion: Option<Role> },
}

/// The move and its marks, if the text is one at all.
pub fn parse(text: &str) -> Option<(Written, Marks)> {
    let body = text.trim_end_matches(['+', '#', '!', '?', '=']);
    let tail = &text.as_bytes()[body.len()..];
    let mate = tail.contains(&b'#') || tail.starts_with(b"++");
    let mut marks = Marks { check: tail.contains(&b'+') || mate, mate, plain: true, origin: false };
    let written = match body.as_bytes() {
        [b'O' | b'0' | b'o', b'-', ..] => castling(body.as_bytes(), &mut marks)?,
        [role, b'@', file, rank] => drop(Some(*role), *file, *rank, &mut marks)?,
        [b'@', file, rank] => drop(None, *file, *rank, &mut marks)?,
        letters => man(letters, &mut marks)?,
    };
    Some((written, marks))
}

fn castling(letters: &[u8], marks: &mut Marks) -> Option<Written> {
    let same = |pattern: &[u8]| {
        let fits = |(found, asked): (&u8, &u8)| if *asked == b'O' { b"O0o".contains(found) } else { found == asked };
        letters.len() == pattern.len() && letters.iter().zip(pattern).all(fits)
    };
    marks.plain = letters[0] == b'O';
    match letters {
        _ if same(b"O-O") => Some(Written::Castle(CastlingSide::KingSide)),
        _ if same(b"O-O-O") => Some(Written::Castle(CastlingSide::QueenSide)),
        _ => None,
    }
}

fn drop(role: Option<u8>, file: u8, rank: u8, marks: &mut Marks) -> Option<Written> {
    marks.plain = role.is_some_and(|letter| letter.is_ascii_uppercase());
    let role = role.map_or(Some(Role::Pawn), |letter| Role::from_char(letter as char))?;
    Some(Written::Drop(role, square(file, rank)?))
}

fn square(file: u8, rank: u8) -> Option<Square> {
    Some(Square::from_coords(File::from_char(file as char)?, Rank::from_char(rank as char)?))
}

/// Letter, origin, signs, destination, promotion.
fn man(letters: &[u8], marks: &mut Marks) -> Option<Written> {
    let (role, rest) = match letters {
        [letter @ b'A'..=b'Z', rest @ ..] => (Role::from_char(*letter as char)?, rest),
        _ => (Role::Pawn, letters),
    };
    let (rest, promotion) = promotion(rest, marks)?;
    let (origin, to) = rest.split_last_chunk::<2>()?;
    let mut takes = false;
    let mut places = arrayvec::ArrayVec::<u8, 2>::new();
    for letter in origin {
        match letter {
            b'x' if !takes => takes = true,
            b'x' | b':' | b'-' => {
                takes |= *letter == b':';
                marks.plain = false;
            }
            letter => places.try_push(*letter).ok()?,
        }
    }
    let (file, rank) = match places.as_slice() {
        [] => (None, None),
        [file @ b'a'..=b'h'] => (Some(File::from_char(*file as char)?), None),
        [rank] => (None, Some(Rank::from_char(*rank as char)?)),
        [file, rank] => (Some(File::from_char(*file as char)?), Some(Rank::from_char(*rank as char)?)),
        _ => return None,
    };
    let to = square(to[0], to[1])?;
    marks.origin = role != Role::Pawn && !places.is_empty();
    marks.plain &= letters[0] != b'P' && (role != Role::Pawn || rank.is_none());
    Some(Written::Move { role, file, rank, takes, to, promotion })
}

/// `e8=Q`, `e8Q`, `e7e8q` and `e8` without the kind.
fn promotion<'a>(letters: &'a [u8], marks: &mut Marks) -> Option<(&'a [u8], Option<Role>)> {
    match letters {
        [rest @ .., b'=', letter] => Some((rest, Some(Role::from_char(*letter as char)?))),
        [rest @ .., letter] if letter.is_ascii_alphabetic() => {
            marks.plain = false;
            Some((rest, Some(Role::from_char(*letter as char)?)))
        }
        _ => Some((letters, None)),
    }
}

impl Written {
    /// The legal moves that it can mean.
    pub fn each_legal(self, position: &BoardPosition, mut found: impl FnMut(Move)) {
        let mut legal = |m: Move| {
            if position.is_legal(m) {
                found(m);
            }
        };
        match self {
            Written::Drop(role, to) => legal(Move::Put { role, to }),
            Written::Castle(side) => {
                if let Some(m) = position.as_move(Attempt::Castle(side)) {
                    legal(m);
                }
            }
            Written::Move { to, promotion, .. } => {
                let men = self.men(position);
                men.into_iter()
                    .filter_map(|from| position.as_move(Attempt::Move { from, to, promotion }))
                    .for_each(legal);
            }
        }
    }

    /// The men that reach the square and stand where the text says. A pawn that takes says so or names its file.
    fn men(self, position: &BoardPosition) -> Bitboard {
        let Written::Move { role, file, rank, takes, to, .. } = self else { return Bitboard::EMPTY };
        let captures = role == Role::Pawn && (takes || file.is_some_and(|file| file != to.file()));
        let men = if captures { capturing(position, to) } else { reaching(position, role, to) };
        men & file.map_or(Bitboard::FULL, Bitboard::from_file) & rank.map_or(Bitboard::FULL, Bitboard::from_rank)
    }

    /// Whether the signs are those of this move: `x` for a capture and only then, a promotion named, a capturing
    /// pawn's file.
    pub fn spells(self, m: Move) -> bool {
        let Written::Move { role, file, takes, promotion, .. } = self else { return true };
        let pawn = role == Role::Pawn;
        takes == m.is_capture() && promotion == m.promotion() && (!pawn || file.is_some() == takes)
    }

    /// What may be meant, legal or not, by the men that stand on the board.
    pub fn attempts(self, position: &BoardPosition) -> impl Iterator<Item = Attempt> + use<'_> {
        let one = match self {
            Written::Castle(side) => Some(Attempt::Castle(side)),
            Written::Drop(role, to) => Some(Attempt::Drop { man: role.of(position.turn()), to }),
            Written::Move { .. } => None,
        };
        let men = match self {
            Written::Move { role, file, rank, .. } => {
                position.board().by_piece(role.of(position.turn()))
                    & file.map_or(Bitboard::FULL, Bitboard::from_file)
                    & rank.map_or(Bitboard::FULL, Bitboard::from_rank)
            }
            _ => Bitboard::EMPTY,
        };
        let (to, promotion) = match self {
            Written::Move { to, promotion, .. } => (to, promotion),
            _ => (Square::A1, None),
        };
        one.into_iter().chain(men.into_iter().map(move |from| Attempt::Move { from, to, promotion }))
    }
}

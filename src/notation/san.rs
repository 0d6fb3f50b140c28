//! Standard algebraic notation with drops (WBN E1 to E13).
//!
//! Writing takes a legal move and its position. Reading is lenient: figures over what is needed, `0-0`, `p@c4`, `@c4`,
//! marks at the end; what was written decides, and when nothing legal fits the reasons are answered.
//!
//! ```
//! use bughoused::{notation::san, rules::{BoardPosition, Reason, RuleSet}};
//!
//! let start = BoardPosition::new(RuleSet::WBN_1_00.moves);
//! let knight = san::read("Ng1f3", &start).unwrap();
//! assert_eq!(san::write(&start, knight, 2), "Nf3");
//! let illegal = san::read("Ra3", &start).unwrap_err();
//! assert_eq!(illegal.reasons(), [Reason::Blocked]);
//! ```

mod candidates;
mod parse;

use shakmaty::Move;

use super::uci::{self, push_square};
use crate::{
    rules::{Attempt, BoardPosition, Reason},
    types::{Bitboard, Role, Square},
};
use candidates::reaching;
use parse::Written;

/// The move in SAN with `+` or `#`; `boards` counts the boards of the table, for mate by potential drop.
pub fn write(position: &BoardPosition, m: Move, boards: usize) -> String {
    let mut text = write_plain(position, m);
    let mut after = position.clone();
    after.play(m);
    if after.checkers().any() {
        text.push(if after.is_mate(boards) { '#' } else { '+' });
    }
    text
}

/// The move without the mark of check.
pub fn write_plain(position: &BoardPosition, m: Move) -> String {
    let mut text = String::with_capacity(SAN_BYTES_MAX);
    match m {
        Move::Castle { king, rook } if rook < king => text.push_str("O-O-O"),
        Move::Castle { .. } => text.push_str("O-O"),
        Move::Put { role, to } => {
            text.push(role.upper_char());
            text.push('@');
            push_square(&mut text, to);
        }
        Move::EnPassant { from, to } => push_pawn(&mut text, from, true, to),
        Move::Normal { role: Role::Pawn, from, capture, to, promotion } => {
            push_pawn(&mut text, from, capture.is_some(), to);
            if let Some(role) = promotion {
                text.push('=');
                text.push(role.upper_char());
            }
        }
        Move::Normal { role, from, capture, to, .. } => {
            text.push(role.upper_char());
            push_origin(&mut text, position, role, from, to);
            if capture.is_some() {
                text.push('x');
            }
            push_square(&mut text, to);
        }
    }
    text
}

/// The longest move: `Qa1xb2+`, `exd8=Q#`.
const SAN_BYTES_MAX: usize = 7;

/// A pawn names its file when it captures (WBN E8).
fn push_pawn(text: &mut String, from: Square, captures: bool, to: Square) {
    if captures {
        text.push(from.file().char());
        text.push('x');
    }
    push_square(text, to);
}

/// What tells the man apart: file, else rank, else both (WBN E9). Men that may not move there do not count.
fn push_origin(text: &mut String, position: &BoardPosition, role: Role, from: Square, to: Square) {
    let rivals: Bitboard = reaching(position, role, to)
        .without(from)
        .into_iter()
        .filter(|rival| {
            let attempt = Attempt::Move { from: *rival, to, promotion: None };
            position.as_move(attempt).is_some_and(|m| position.is_legal(m))
        })
        .collect();
    if rivals.is_empty() {
        return;
    }
    let alone_on_file = (rivals & Bitboard::from_file(from.file())).is_empty();
    let alone_on_rank = (rivals & Bitboard::from_rank(from.rank())).is_empty();
    if alone_on_file || !alone_on_rank {
        text.push(from.file().char());
    }
    if !alone_on_file {
        text.push(from.rank().char());
    }
}

/// The text is not a legal move of the position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SanError {
    /// It is no move at all.
    #[error("expected a move such as Nf3, exd5, O-O or N@f5, found {found:?}")]
    Unreadable {
        /// The text.
        found: String,
    },
    /// It is a move, and not legal.
    #[error("{found} is illegal: {}", list(.reasons))]
    Illegal {
        /// The text.
        found: String,
        /// Why, the leading reason first.
        reasons: Vec<Reason>,
        /// What can be played for it, if anything.
        attempt: Option<Attempt>,
    },
    /// Several legal moves fit.
    #[error("{found} is ambiguous: {}", candidates.join(", "))]
    Ambiguous {
        /// The text.
        found: String,
        /// What fits, as squares.
        candidates: Vec<String>,
    },
}

impl SanError {
    /// The reasons of an illegal move; empty otherwise.
    pub fn reasons(&self) -> &[Reason] {
        match self {
            SanError::Illegal { reasons, .. } => reasons,
            _ => &[],
        }
    }
}

fn list(reasons: &[Reason]) -> String {
    reasons.iter().map(|reason| reason.as_str()).collect::<Vec<_>>().join(", ")
}

/// The legal move that the text means.
pub fn read(text: &str, position: &BoardPosition) -> Result<Move, SanError> {
    read_with_marks(text, position).map(|(m, _)| m)
}

/// What a text says beside the move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// It says that the move gives check.
    pub check: bool,
    /// It says that the move is mate, by `#` or `++`.
    pub mate: bool,
    /// The move itself stands there as [`write_plain`] may write it: nothing is added, left out or spelled otherwise.
    /// Whether the origin is needed is not looked at.
    pub plain: bool,
    /// It names the origin of a man other than a capturing pawn.
    pub origin: bool,
}

/// The legal move that the text means, and the marks beside it.
///
/// ```
/// use bughoused::{notation::san, rules::{BoardPosition, RuleSet}};
///
/// let start = BoardPosition::new(RuleSet::WBN_1_00.moves);
/// let (_, marks) = san::read_with_marks("e2-e4+", &start).unwrap();
/// assert!(marks.check && !marks.plain);
/// ```
pub fn read_with_marks(text: &str, position: &BoardPosition) -> Result<(Move, Marks), SanError> {
    let unreadable = || SanError::Unreadable { found: text.into() };
    let (written, mut marks) = parse::parse(text).ok_or_else(unreadable)?;
    let mut fits = arrayvec::ArrayVec::<Move, FITS_MAX>::new();
    written.each_legal(position, |m| {
        let _ = fits.try_push(m); // more make it no more ambiguous
    });
    match fits.as_slice() {
        [only] => {
            marks.plain &= written.spells(*only);
            Ok((*only, marks))
        }
        [] => Err(illegal(text, written, position)),
        _ => Err(SanError::Ambiguous { found: text.into(), candidates: fits.iter().map(|m| uci::write(*m)).collect() }),
    }
}

/// The most moves that an ambiguous text is told to mean.
const FITS_MAX: usize = 16;

/// The attempt that comes nearest to being legal, with its reasons.
fn illegal(text: &str, written: Written, position: &BoardPosition) -> SanError {
    let nearest = written
        .attempts(position)
        .map(|attempt| (position.reasons(attempt), attempt))
        .filter(|(reasons, _)| !reasons.is_empty())
        .min_by_key(|(reasons, _)| (reasons.first().is_some_and(|r| *r == Reason::Geometry), reasons.len()));
    let unreachable = |reasons: &[Reason]| reasons.first() == Some(&Reason::Geometry);
    let open_origin = matches!(written, Written::Move { file: None, rank: None, .. });
    match nearest {
        Some((reasons, _)) if open_origin && unreachable(&reasons) => {
            SanError::Illegal { found: text.into(), reasons: vec![Reason::NoSuchMan], attempt: None }
        }
        Some((reasons, attempt)) => SanError::Illegal { found: text.into(), reasons, attempt: Some(attempt) },
        None => SanError::Illegal { found: text.into(), reasons: vec![Reason::NoSuchMan], attempt: None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{notation::bfen::Bfen, rules::RuleSet, types::BoardId};

    fn position(bfen: &str) -> BoardPosition {
        Bfen::read(bfen).unwrap().to_game(&RuleSet::WBN_1_00).board(BoardId::A).clone()
    }

    /// Reads the text in the position and writes what it means.
    fn check(bfen: &str, text: &str, expect: &str) {
        let position = position(bfen);
        let m = read(text, &position).unwrap_or_else(|e| panic!("{bfen}: {e}"));
        assert_eq!(write(&position, m, 2), expect, "{bfen}");
    }

    #[test]
    fn men_are_told_apart_as_the_laws_write() {
        check("4k3/8/8/8/8/8/8/1K2N1N1 w - -", "Ngf3", "Ngf3"); // WBN E9.2
        check("4k3/8/8/6N1/8/8/8/1K4N1 w - -", "N5f3", "N5f3"); // WBN E9.3
        check("4k3/8/8/6N1/8/8/8/1K2N1N1 w - -", "Ng1f3", "Ng1f3"); // WBN E9.1
        check("4k3/8/8/6N1/8/8/8/1K2N1N1 w - -", "Nef3", "Nef3");
        check("4k3/8/8/8/1b6/8/3N4/4K1N1 w - -", "Ngf3", "Nf3"); // the other knight is pinned
    }

    #[test]
    fn captures_and_pawns_are_written_as_the_laws_say() {
        check("4k3/8/8/8/8/5p2/8/4K1N1 w - -", "Nxf3", "Nxf3"); // WBN E8
        check("4k3/8/8/8/8/5p2/8/4K1N1 w - -", "Nf3", "Nxf3"); // WBN E8
        check("4k3/8/8/8/8/5p2/6P1/4K3 w - -", "gxf3", "gxf3"); // WBN E8
        check("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "exd6", "exd6"); // WBN E8: where the pawn comes to rest
        check("4k3/8/8/8/8/8/4P3/4K3 w - -", "Pe4", "e4"); // WBN E3
        check("4k3/8/8/8/8/8/4B3/4K3 w - -", "Be2b5", "Bb5+"); // WBN E7
        check("4k3/8/8/3p4/2P1P3/8/8/4K3 w - -", "cxd5", "cxd5"); // WBN E10
        let both = read("xd5", &position("4k3/8/8/3p4/2P1P3/8/8/4K3 w - -"));
        assert!(matches!(both, Err(SanError::Ambiguous { .. }))); // WBN E10
    }

    #[test]
    fn drops_promotions_castling_and_marks() {
        check("4k3/8/8/8/8/8/8/4K3/Np w - -", "N@c7!?", "N@c7+"); // WBN E11
        check("4k3/8/8/8/8/8/8/4K3/Pp b - -", "p@c4", "P@c4");
        check("7k/P7/8/8/8/8/8/K7 w - -", "a8", "a8=Q+"); // WBN 5.7
        check("7k/P7/8/8/8/8/8/K7 w - -", "a8N", "a8=N");
        check("4k3/8/8/8/8/8/8/R3K2R w KQ -", "0-0-0", "O-O-O");
        check("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "exd6", "exd6"); // WBN 5.7 d
    }

    #[test]
    fn a_pawn_steps_two_from_its_second_rank_only() {
        check("4k3/8/8/8/8/8/4P3/4K3 w - -", "e4", "e4"); // WBN 5.7 b
        let far = read("e5", &position("4k3/8/8/8/8/4P3/8/4K3 w - -")).unwrap_err();
        assert_eq!(far.reasons(), [Reason::NoSuchMan]);
    }

    #[test]
    fn mate_only_if_no_drop_may_parry() {
        // WBN 1.5: a rook check from afar can be parried by a drop that may still come
        check("6k1/5ppp/8/8/8/8/8/R3K3 w - -", "Ra8", "Ra8+");
        check("6rk/6pp/8/6N1/8/8/8/4K3 w - -", "Nf7", "Nf7#");
    }
}

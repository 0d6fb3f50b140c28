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

use shakmaty::Move;

use super::uci;
use crate::{
    rules::{Attempt, BoardPosition, Reason},
    types::{Bitboard, CastlingSide, File, Rank, Role, Square},
};

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
    match m {
        Move::Castle { king, rook } if rook < king => "O-O-O".into(),
        Move::Castle { .. } => "O-O".into(),
        Move::Put { role, to } => format!("{}@{to}", role.upper_char()),
        Move::EnPassant { from, to } => format!("{}x{to}", from.file().char()),
        Move::Normal { role: Role::Pawn, from, capture, to, promotion } => {
            let origin = capture.map_or(String::new(), |_| format!("{}x", from.file().char()));
            let becomes = promotion.map_or(String::new(), |role| format!("={}", role.upper_char()));
            format!("{origin}{to}{becomes}")
        }
        Move::Normal { role, from, capture, to, .. } => {
            let takes = if capture.is_some() { "x" } else { "" };
            format!("{}{}{takes}{to}", role.upper_char(), origin(position, role, from, to))
        }
    }
}

/// What tells the man apart: file, else rank, else both (WBN E9). Men that may not move there do not count.
fn origin(position: &BoardPosition, role: Role, from: Square, to: Square) -> String {
    let men = position.board().by_piece(role.of(position.turn())).without(from);
    let reach = shakmaty::attacks::attacks(to, role.of(position.turn()), position.board().occupied());
    if (men & reach).is_empty() {
        return String::new();
    }
    let rivals: Bitboard = position
        .legal_moves()
        .iter()
        .filter(|m| m.role() == role && m.to() == to && !matches!(m, Move::Castle { .. }))
        .filter_map(|m| m.from())
        .filter(|square| *square != from)
        .collect();
    if rivals.is_empty() {
        String::new()
    } else if (rivals & Bitboard::from_file(from.file())).is_empty() {
        from.file().char().to_string()
    } else if (rivals & Bitboard::from_rank(from.rank())).is_empty() {
        from.rank().char().to_string()
    } else {
        from.to_string()
    }
}

/// What a move text says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    Castle(CastlingSide),
    Drop(Role, Square),
    Move { role: Role, file: Option<File>, rank: Option<Rank>, to: Square, promotion: Option<Role> },
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
    let written = parse(text).ok_or_else(|| SanError::Unreadable { found: text.into() })?;
    let fits: Vec<Move> = match written {
        Written::Drop(role, to) => {
            let drop = Move::Put { role, to };
            position.is_legal(drop).then_some(drop).into_iter().collect()
        }
        _ => position.legal_moves().into_iter().filter(|m| written.means(*m, position)).collect(),
    };
    match fits.as_slice() {
        [only] => Ok(*only),
        [] => Err(illegal(text, written, position)),
        _ => Err(SanError::Ambiguous { found: text.into(), candidates: fits.iter().map(|m| uci::write(*m)).collect() }),
    }
}

fn parse(text: &str) -> Option<Written> {
    let text = text.trim_end_matches(['+', '#', '!', '?', '=']);
    match text.replace('0', "O").as_str() {
        "O-O" => return Some(Written::Castle(CastlingSide::KingSide)),
        "O-O-O" => return Some(Written::Castle(CastlingSide::QueenSide)),
        _ => {}
    }
    if let Some((role, to)) = text.split_once('@') {
        let role = if role.is_empty() { Role::Pawn } else { role_of(role)? };
        return (role != Role::King).then_some(Written::Drop(role, to.parse().ok()?));
    }
    parse_move(text)
}

fn role_of(text: &str) -> Option<Role> {
    let mut letters = text.chars();
    let role = Role::from_char(letters.next()?)?;
    letters.next().is_none().then_some(role)
}

fn parse_move(text: &str) -> Option<Written> {
    let (role, rest) = match text.chars().next()? {
        letter if letter.is_ascii_uppercase() => (Role::from_char(letter)?, text.get(1..)?),
        _ => (Role::Pawn, text),
    };
    let (rest, promotion) = split_promotion(rest)?;
    let rest: Vec<char> = rest.chars().filter(|letter| !matches!(letter, 'x' | ':' | '-')).collect();
    let (origin, to) = rest.split_at(rest.len().checked_sub(2)?);
    let to = to.iter().collect::<String>().parse().ok()?;
    let (file, rank) = match origin {
        [] => (None, None),
        [file] if file.is_ascii_lowercase() => (Some(File::from_char(*file)?), None),
        [rank] => (None, Some(Rank::from_char(*rank)?)),
        [file, rank] => (Some(File::from_char(*file)?), Some(Rank::from_char(*rank)?)),
        _ => return None,
    };
    Some(Written::Move { role, file, rank, to, promotion })
}

/// `e8=Q`, `e8Q` and `e8` without the kind.
fn split_promotion(text: &str) -> Option<(&str, Option<Role>)> {
    let last = text.chars().last()?;
    if !last.is_ascii_uppercase() {
        return Some((text, None));
    }
    let rest = text.strip_suffix(last)?;
    Some((rest.strip_suffix('=').unwrap_or(rest), Some(Role::from_char(last)?)))
}

impl Written {
    fn means(self, m: Move, position: &BoardPosition) -> bool {
        match (self, m) {
            (Written::Castle(side), Move::Castle { king, rook }) => (rook < king) == side.is_queen_side(),
            (Written::Move { role, file, rank, to, promotion }, Move::Normal { .. } | Move::EnPassant { .. }) => {
                let origin = m.from().is_some_and(|from| {
                    file.is_none_or(|file| from.file() == file) && rank.is_none_or(|rank| from.rank() == rank)
                });
                let becomes =
                    m.promotion().is_none_or(|role| role == promotion.unwrap_or(position.rules().default_promotion()));
                m.role() == role && m.to() == to && origin && becomes
            }
            _ => false,
        }
    }

    /// What may be meant, legal or not, by the men that stand on the board.
    fn attempts(self, position: &BoardPosition) -> Vec<Attempt> {
        match self {
            Written::Castle(side) => vec![Attempt::Castle(side)],
            Written::Drop(role, to) => vec![Attempt::Drop { man: role.of(position.turn()), to }],
            Written::Move { role, file, rank, to, promotion } => position
                .board()
                .by_piece(role.of(position.turn()))
                .into_iter()
                .filter(|from| file.is_none_or(|file| from.file() == file))
                .filter(|from| rank.is_none_or(|rank| from.rank() == rank))
                .map(|from| Attempt::Move { from, to, promotion })
                .collect(),
        }
    }
}

/// The attempt that comes nearest to being legal, with its reasons.
fn illegal(text: &str, written: Written, position: &BoardPosition) -> SanError {
    let nearest = written
        .attempts(position)
        .into_iter()
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
    fn drops_promotions_castling_and_marks() {
        check("4k3/8/8/8/8/8/8/4K3/Np w - -", "N@c7!?", "N@c7+"); // WBN E11
        check("4k3/8/8/8/8/8/8/4K3/Pp b - -", "p@c4", "P@c4");
        check("7k/P7/8/8/8/8/8/K7 w - -", "a8", "a8=Q+"); // WBN 5.7
        check("7k/P7/8/8/8/8/8/K7 w - -", "a8N", "a8=N");
        check("4k3/8/8/8/8/8/8/R3K2R w KQ -", "0-0-0", "O-O-O");
        check("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "exd6", "exd6"); // WBN 5.7 d
    }

    #[test]
    fn mate_only_if_no_drop_may_parry() {
        // WBN 1.5: a rook check from afar can be parried by a drop that may still come
        check("6k1/5ppp/8/8/8/8/8/R3K3 w - -", "Ra8", "Ra8+");
        check("6rk/6pp/8/6N1/8/8/8/4K3 w - -", "Nf7", "Nf7#");
    }
}

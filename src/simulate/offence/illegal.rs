//! Illegal moves that hands can make in a position, by their reason.
//!
//! In: a game and a reason. Out: a ply that breaks the rules for this reason and no other, and the move as which the
//! game goes on if nobody claims it; none where the game ends with it, because no move of the rules describes it.

use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use shakmaty::Move;

use crate::{
    notation::san,
    rules::{Attempt, BoardPosition, Game, Reason},
    simulate::hands::{Ply, ply_of},
    types::{BoardId, CastlingSide, Color, Piece, Role, Square},
};

/// Kinds that come from a pocket.
const DROPPED: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// Whether hands can commit it, under some rule set. The others are matters of notation, of commands, and of tables
/// without clocks.
pub fn is_possible(reason: Reason) -> bool {
    !matches!(reason, Reason::NotYourTurn | Reason::NoSuchMan | Reason::RestrictedPiece)
}

/// Whether the game ends with it.
pub fn is_last(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::NotYourPiece
            | Reason::OwnPieceCaptured
            | Reason::KingCaptured
            | Reason::DropOnOccupied
            | Reason::DropWrongColour
            | Reason::SeveralChanges
            | Reason::PromotionPiece
    )
}

/// A ply of the side to move that is illegal for this reason alone, and how the game goes on.
pub fn illegal_ply(game: &Game, board: BoardId, reason: Reason, rng: &mut ChaCha8Rng) -> Option<(Ply, Option<Move>)> {
    if reason == Reason::SeveralChanges {
        return several_changes(game, board, rng).map(|ply| (ply, None));
    }
    let position = game.board(board);
    let seat = board.seat(position.turn());
    let alone = |attempt: &Attempt| game.reasons(seat, *attempt) == [reason] && is_feasible(position, *attempt);
    let found: Vec<Attempt> = attempts(position, reason).into_iter().filter(alone).collect();
    let attempt = *found.choose(rng)?;
    if is_last(reason) {
        return Some((last_ply(position, board, attempt, reason)?, None));
    }
    let played = position.as_move(attempt)?;
    let ply = Ply { san: san::write_plain(position, played), ..ply_of(game, board, played, None) };
    Some((Ply { illegal: Some(reason), ..ply }, Some(played)))
}

/// What could break the rule.
fn attempts(position: &BoardPosition, reason: Reason) -> Vec<Attempt> {
    let turn = position.turn();
    let drops = |men: Vec<Piece>| {
        let everywhere = |man| Square::ALL.into_iter().map(move |to| Attempt::Drop { man, to });
        men.into_iter().flat_map(everywhere).collect()
    };
    let own = |role: Role| Piece { color: turn, role };
    let has = |role: &Role| *position.pocket(turn).get(*role) > 0;
    match reason {
        Reason::CastlingRights | Reason::CastlingThroughCheck | Reason::CastlingBlocked => {
            [CastlingSide::KingSide, CastlingSide::QueenSide].map(Attempt::Castle).into()
        }
        Reason::PawnDropRank
        | Reason::DropRank
        | Reason::DropOnOccupied
        | Reason::DropGivesCheck
        | Reason::DropGivesMate => drops(DROPPED.into_iter().filter(has).map(own).collect()),
        Reason::DropNotInPocket => drops(DROPPED.into_iter().filter(|role| !has(role)).map(own).collect()),
        Reason::DropWrongColour => drops(DROPPED.map(|role| Piece { color: turn.other(), role }).into()),
        Reason::NotYourPiece => moves(position, turn.other(), None),
        Reason::PromotionPiece => moves(position, turn, Some(Role::Rook)),
        _ => moves(position, turn, None),
    }
}

fn moves(position: &BoardPosition, color: Color, promotion: Option<Role>) -> Vec<Attempt> {
    let men = position.board().by_color(color).into_iter();
    let everywhere = |from| Square::ALL.into_iter().map(move |to| Attempt::Move { from, to, promotion });
    men.flat_map(everywhere).collect()
}

/// Whether hands can do it so that it is taken for what it is.
fn is_feasible(position: &BoardPosition, attempt: Attempt) -> bool {
    let free = |square: Square| position.board().piece_at(square).is_none();
    // A man on the square of its like looks as if nothing had come.
    let shows = |man: Option<Piece>, to: Square| man.is_some() && position.board().piece_at(to) != man;
    match attempt {
        Attempt::Castle(side) => {
            let color = position.turn();
            let home = color.fold_wb(Square::E1, Square::E8);
            position.king(color) == Some(home) && free(side.king_to(color)) && free(side.rook_to(color))
        }
        Attempt::Move { from, to, promotion } => {
            let role = position.board().role_at(from);
            let last = role == Some(Role::Pawn) && BoardPosition::is_last_rank(position.turn(), to);
            let leaps = role == Some(Role::King) && from.rank() == to.rank() && from.file().distance(to.file()) == 2;
            last == promotion.is_some() && !leaps && shows(position.board().piece_at(from), to)
        }
        Attempt::Drop { man, to } => shows(Some(man), to),
    }
}

/// A ply that no move of the rules describes.
fn last_ply(position: &BoardPosition, board: BoardId, attempt: Attempt, reason: Reason) -> Option<Ply> {
    let (from, to, man, promotion) = match attempt {
        Attempt::Move { from, to, promotion } => (Some(from), to, position.board().piece_at(from)?, promotion),
        Attempt::Drop { man, to } => (None, to, man, None),
        Attempt::Castle(_) => return None,
    };
    let promoted = from.is_some_and(|from| position.promoted().contains(from));
    let text = match from {
        Some(from) => format!("{from}{to}{}", promotion.map_or(String::new(), |role| role.char().to_string())),
        None => format!("{}@{to}", man.role.upper_char()),
    };
    Some(Ply {
        seat: board.seat(position.turn()),
        from,
        to,
        man: if promoted { Piece { role: Role::Pawn, ..man } } else { man },
        captured: position.board().piece_at(to).map(|_| to),
        rook: None,
        promotion,
        declared: false,
        clock_ms: None,
        san: text.clone(),
        uci: text,
        illegal: Some(reason),
        also: None,
    })
}

/// Two men make a move each, both farther than to the next square: there men may have been knocked (WBN 6.4).
fn several_changes(game: &Game, board: BoardId, rng: &mut ChaCha8Rng) -> Option<Ply> {
    let moves = game.board(board).legal_moves();
    let quiet = |m: &&Move| matches!(m, Move::Normal { capture: None, promotion: None, .. });
    let far = |m: &&Move| m.from().is_some_and(|from| from.distance(m.to()) > 1);
    let quiet: Vec<Ply> = moves.iter().filter(quiet).filter(far).map(|m| ply_of(game, board, *m, None)).collect();
    let first = quiet.choose(rng)?;
    let others: Vec<&Ply> = quiet.iter().filter(|other| other.is_independent_of(first)).collect();
    let other = others.choose(rng)?;
    let also = Some((other.from?, other.to));
    let text = format!("{}+{}", first.uci, other.uci);
    Some(Ply { illegal: Some(Reason::SeveralChanges), also, san: text, ..first.clone() })
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::{notation::uci, rules::RuleSet, simulate::random_game::random_game};

    /// A table at every fifth ply of a random game.
    fn tables(seed: u64, rules: &RuleSet) -> Vec<Game> {
        let mut game = Game::new(rules.clone(), 2);
        let mut tables = Vec::new();
        for (index, ply) in random_game(seed, 120, rules).0.iter().enumerate() {
            let played = uci::read(&ply.uci, game.board(ply.seat.board)).unwrap();
            game.play(ply.seat.board, played);
            tables.extend((index % 5 == 4).then(|| game.clone()));
        }
        tables
    }

    #[test]
    fn every_reason_is_found_in_some_position() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let tables_under = |rules: &str| -> Vec<Game> {
            let rules: RuleSet = rules.parse().unwrap();
            (0..100).flat_map(|seed| tables(seed, &rules)).collect()
        };
        let usual = tables_under("wbn-1.00");
        // A king can be taken only where it was left in check, against the rules.
        let found = |reason: &Reason| is_possible(*reason) && *reason != Reason::KingCaptured;
        for reason in Reason::ALL.into_iter().filter(found) {
            let variant = match reason {
                Reason::DropRank => tables_under("wbn-1.00,middle-ranks"),
                Reason::DropGivesCheck => tables_under("wbn-1.00,no-drop-with-check"),
                Reason::DropGivesMate => tables_under("wbn-1.00,tandem"),
                _ => Vec::new(),
            };
            let tables = if variant.is_empty() { &usual } else { &variant };
            let mut boards = tables.iter().flat_map(|game| game.ids().map(move |board| (game, board)));
            let found = boards.find_map(|(game, board)| illegal_ply(game, board, reason, &mut rng));
            let (ply, played) = found.unwrap_or_else(|| panic!("{reason} is found nowhere"));
            assert_eq!((ply.illegal, played.is_none()), (Some(reason), is_last(reason)), "{}", ply.san);
        }
    }
}

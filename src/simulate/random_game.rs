//! Games that nobody played: legal on two boards, with more drops, castlings, e.p. captures and promotions than people
//! make.
//!
//! In: a seed and a number of plies. Out: plies as hands need them, in an order across the boards that two pairs of
//! players could have. The same seed gives the same game. How long anybody thinks is left to the hands.

use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use shakmaty::Move;

use crate::{
    rules::{BoardPosition, Game, Reason, RuleSet},
    types::{BoardId, File, MS, Role, Square, Team},
};

use super::{
    hands::{Outcome, Ply, Terms, ply_of},
    offence::{Occasions, Offence, Offences, illegal::illegal_ply},
};

/// Plies of a game that is played next, at most.
const NEXT_PLIES: usize = 24;
/// Added to a game's seed for the next one's.
const NEXT_SEED: u64 = 1 << 32;
/// Time of every player.
const BASE_MS: i64 = 180_000;
/// Time that a move takes, for the order across the boards.
const THINK: std::ops::RangeInclusive<i64> = 200 * MS..=3000 * MS;

/// Whether a move is of a kind.
type IsOfKind = fn(&BoardPosition, &Move) -> bool;

/// What a move is, and how often of a hundred it is chosen where it is possible. The first that is chosen is played.
const KINDS: [(IsOfKind, u32); 7] = [
    (|_, m| matches!(m, Move::EnPassant { .. }), 80),
    (|_, m| m.promotion().is_some(), 80),
    (|_, m| matches!(m, Move::Castle { .. }), 70),
    (|_, m| matches!(m, Move::Put { .. }), 40),
    (|_, m| m.is_capture(), 35),
    (clears_castling, 30),
    (|position, m| m.role() == Role::Pawn && !is_early(position), 40),
];

/// What players agree on who stop before a mate.
const OUTCOMES: [Outcome; 3] = [Outcome::Win(Team::WhiteA), Outcome::Win(Team::BlackA), Outcome::Draw];

/// A random game of at most so many plies, and what it ends with. A mate ends it.
pub fn random_game(seed: u64, plies_max: usize, ruleset: &RuleSet) -> (Vec<Ply>, Terms) {
    offending_game(seed, plies_max, ruleset, &Offences::default())
}

/// The same with illegal moves. One that no move of the rules describes ends the game, as if it were claimed.
pub fn offending_game(seed: u64, plies_max: usize, ruleset: &RuleSet, offences: &Offences) -> (Vec<Ply>, Terms) {
    let mut terms = Terms { boards: 2, base_ms: BASE_MS, increment_ms: 0, outcome: None, spoken: false, buttons: true };
    offences.set_time(&mut [], &mut terms);
    go_on(Game::new(ruleset.clone(), 2), Vec::new(), terms, plies_max, offences, seed)
}

/// A short random game to be played next on the same boards, with the same clocks.
pub fn next_game(seed: u64, terms: &Terms, ruleset: &RuleSet) -> (Vec<Ply>, Terms) {
    let (plies, next) = random_game(seed.wrapping_add(NEXT_SEED), NEXT_PLIES, ruleset);
    (plies, Terms { outcome: next.outcome, ..*terms })
}

/// Goes on with a game that has `plies`, until it has so many or ends.
pub fn go_on(
    mut game: Game,
    mut plies: Vec<Ply>,
    mut terms: Terms,
    plies_max: usize,
    offences: &Offences,
    seed: u64,
) -> (Vec<Ply>, Terms) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let illegal = |offence: Offence| offence.reason().is_some();
    let mut occasions = Occasions::new(offences, plies_max, illegal, &mut rng);
    let mut next = [rng.random_range(THINK), rng.random_range(THINK)];
    let mut exposed = false;
    // Both sides of a table may have to wait for the other board.
    for _ in 0..plies_max * 2 {
        if plies.len() >= plies_max || game.ids().all(|board| game.board(board).count_legal_moves() == 0) {
            break;
        }
        let index = usize::from(next[1] < next[0]);
        next[index] += rng.random_range(THINK);
        let Some(board) = BoardId::new(index) else { break };
        let wrong = occasions.at(plies.len(), &mut rng).and_then(Offence::reason);
        let mut found = wrong.and_then(|reason| illegal_ply(&game, board, reason, &mut rng));
        if found.is_some() {
            occasions.done();
        } else if wrong == Some(Reason::KingCaptured) && !exposed {
            // A king can be taken only where it was left in check.
            found = illegal_ply(&game, board, Reason::LeavesKingInCheck, &mut rng);
            exposed = found.is_some();
        }
        if let Some((ply, played)) = found {
            plies.push(ply);
            let Some(played) = played else { break };
            game.play(board, played);
            continue;
        }
        let shuffles = |m: &Move| wrong == Some(Reason::CastlingRights) && loses_castling(game.board(board), m);
        let lost = game.board(board).legal_moves().into_iter().filter(shuffles).min_by_key(|m| (m.from(), m.to()));
        let Some(played) = lost.or_else(|| choose(game.board(board), &mut rng)) else { continue };
        plies.push(ply_of(&game, board, played, None));
        game.play(board, played);
        if game.is_mate(board) {
            terms.outcome = Some(Outcome::Win(board.seat(game.board(board).turn().other()).team()));
            break;
        }
    }
    terms.outcome = terms.outcome.or_else(|| Some(OUTCOMES[(seed % OUTCOMES.len() as u64) as usize]));
    (plies, terms)
}

/// A move; none where only a man that the partner takes can help.
fn choose(position: &BoardPosition, rng: &mut ChaCha8Rng) -> Option<Move> {
    let mut moves = position.legal_moves();
    // A seed gives the same game in whatever order moves are found.
    moves.sort_unstable_by_key(|m| (m.from(), m.to(), m.role(), m.promotion()));
    for (kind, percent) in KINDS {
        let of_kind: Vec<Move> = moves.iter().copied().filter(|m| kind(position, m)).collect();
        if !of_kind.is_empty() && rng.random_range(0..100) < percent {
            return of_kind.choose(rng).copied();
        }
    }
    moves.choose(rng).copied()
}

fn is_early(position: &BoardPosition) -> bool {
    position.plies() < 24
}

/// A king or a rook leaves home or comes back, so that castling looks right and is not.
fn loses_castling(position: &BoardPosition, m: &Move) -> bool {
    let home = position.turn().fold_wb(shakmaty::Rank::First, shakmaty::Rank::Eighth);
    let (from, to) = (m.from(), m.to());
    let at_home = |square: Square| square.rank() == home;
    let leaves = position.castles().has_color(position.turn()) && from.is_some_and(|from| from.distance(to) == 1);
    let returns = !position.castles().has_color(position.turn()) && to.file() == File::E;
    m.role() == Role::King && at_home(to) && from.is_some_and(at_home) && (leaves || returns) && !m.is_capture()
}

/// A man leaves the squares between king and rook.
fn clears_castling(position: &BoardPosition, m: &Move) -> bool {
    let home = position.turn().fold_wb(shakmaty::Rank::First, shakmaty::Rank::Eighth);
    is_early(position) && matches!(m.role(), Role::Knight | Role::Bishop) && m.from().is_some_and(|f| f.rank() == home)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Color;

    #[test]
    fn games_are_the_same_for_a_seed_and_rich() {
        let play = |seed| random_game(seed, 120, &RuleSet::WBN_1_00).0;
        assert_eq!(play(3), play(3));
        assert_ne!(play(3), play(4));
        let all: Vec<Ply> = (0..60).flat_map(play).collect();
        let count = |is: fn(&Ply) -> bool| all.iter().filter(|ply| is(ply)).count();
        let counts = [
            count(|ply| ply.from.is_none()),
            count(|ply| ply.rook.is_some()),
            count(|ply| ply.promotion.is_some()),
            count(|ply| ply.captured.is_some_and(|square| square != ply.to)),
        ];
        let [drops, castlings, promotions, en_passant] = counts;
        assert!(drops > 1000 && castlings > 60 && promotions > 30 && en_passant > 10, "{counts:?} of {}", all.len());
    }

    #[test]
    fn turns_alternate_on_each_board() {
        let (plies, _) = random_game(9, 200, &RuleSet::WBN_1_00);
        for board in BoardId::first(2) {
            let here = plies.iter().filter(|ply| ply.seat.board == board).enumerate();
            here.for_each(|(index, ply)| assert_eq!(ply.seat.color, Color::from_white(index % 2 == 0)));
        }
    }
}

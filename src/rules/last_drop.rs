//! The last drop (WBN 1.9, 2.2c): a player takes a man and is mated at once; the partner who has the move may drop that
//! man as the last move. Mate by it draws the game, or the repetition that it makes.

use shakmaty::Move;

use super::{Game, LastDropRule};
use crate::types::{Bitboard, BoardId, Role, Seat, Square};

/// A drop that may still save the game.
///
/// ```
/// use bughoused::{notation::{bfen::Bfen, san}, rules::RuleSet, types::{BoardId, Square}};
///
/// // Black on A takes a knight and is mated; White on B, the partner, has the move and mates with that knight.
/// let boards = "5rk1/5ppp/5P1Q/8/6b1/8/8/3N2K1 b - - | 6rk/6pp/8/8/8/8/8/6K1 w - -";
/// let mut game = Bfen::read(boards).unwrap().to_game(&RuleSet::WBN_1_00);
/// for text in ["Bxd1", "Qxg7#"] {
///     let m = san::read(text, game.board(BoardId::A)).unwrap();
///     game.play(BoardId::A, m);
/// }
/// let saves = game.last_drop(BoardId::A).unwrap();
/// assert_eq!((saves.seat.letter(), saves.draws.single_square()), ('B', Some(Square::F7)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastDrop {
    /// The partner of the mated player.
    pub seat: Seat,
    /// The man that the mated player has just taken.
    pub role: Role,
    /// Squares on which dropping it draws the game; dropped elsewhere it changes nothing.
    pub draws: Bitboard,
}

impl Game {
    /// The last drop that the mate on a board leaves to the partner, if the mated player's last move took a man and the
    /// partner who has it has the move.
    pub fn last_drop(&self, board: BoardId) -> Option<LastDrop> {
        if self.ruleset().last_drop == LastDropRule::Never || !self.is_mate(board) {
            return None;
        }
        let taken = self.sent(board.seat(self.board(board).turn()))?;
        let (seat, role) = (taken.to, taken.man.role);
        let holds = *self.board(seat.board).pocket(seat.color).get(role) > 0;
        if !holds || !self.may_move(seat) {
            return None;
        }
        let draws = Square::ALL.into_iter().filter(|to| self.last_drop_draws(seat.board, Move::Put { role, to: *to }));
        Some(LastDrop { seat, role, draws: draws.collect() })
    }

    /// Whether a drop mates, or makes a repetition where that counts.
    fn last_drop_draws(&self, board: BoardId, drop: Move) -> bool {
        if !self.is_legal(board, drop) {
            return false;
        }
        let repeats = self.ruleset().last_drop == LastDropRule::Draws
            && self.occurrences_after(board, drop) >= self.ruleset().repetition;
        let mut after = self.board(board).clone();
        after.play(drop);
        repeats || after.is_mate(self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Attempt, BoardPosition, RuleSet};

    /// Black on A takes a knight with Bxd1 and is mated by Qxg7.
    const A: &str = "5rk1/5ppp/5P1Q/8/6b1/8/8/3N2K1 b - - 0 1";
    /// White on B, the partner, has the move, and a knight on f7 mates.
    const SMOTHERED: &str = "6rk/6pp/8/8/8/8/8/6K1[] w - - 0 1";
    /// A knight dropped on f3, taken there, dropped again.
    const AGAIN: &str = "7k/8/8/8/6b1/8/8/K7[NN] w - - 0 1";

    fn start(rules: &str, b: &str) -> Game {
        let rules: RuleSet = rules.parse().unwrap();
        let boards = [A, b].map(|fen| {
            let fen: shakmaty::fen::Fen = fen.parse().unwrap();
            BoardPosition::from_setup(fen.as_setup(), 0, rules.moves)
        });
        Game::from_positions(rules, boards)
    }

    fn play(game: &mut Game, board: BoardId, attempt: Attempt) {
        let m = game.board(board).as_move(attempt).unwrap();
        assert!(game.is_legal(board, m), "{m:?}");
        game.play(board, m);
    }

    fn goes(from: Square, to: Square) -> Attempt {
        Attempt::Move { from, to, promotion: None }
    }

    fn take_and_be_mated(game: &mut Game) {
        play(game, BoardId::A, goes(Square::G4, Square::D1));
        play(game, BoardId::A, goes(Square::H6, Square::G7));
        assert!(game.is_mate(BoardId::A));
    }

    #[test]
    fn the_man_just_taken_may_mate_in_return() {
        // WBN 1.9, WBN 2.2c, FIDE-ext 4.4
        for rules in ["wbn-1.00", "cz-2024.06", "fide-ext"] {
            let mut game = start(rules, SMOTHERED);
            assert_eq!(game.last_drop(BoardId::A), None, "no mate yet");
            take_and_be_mated(&mut game);
            let drop = game.last_drop(BoardId::A).unwrap();
            assert_eq!((drop.seat.letter(), drop.role), ('B', Role::Knight));
            assert_eq!(drop.draws, Bitboard::from_square(Square::F7), "{rules}");
        }
    }

    #[test]
    fn only_a_partner_who_has_the_move_may() {
        // WBN 1.9
        let mut game = start("wbn-1.00", "6rk/6pp/8/8/8/8/8/6K1[] b - - 0 1");
        take_and_be_mated(&mut game);
        assert_eq!(game.last_drop(BoardId::A), None);
    }

    #[test]
    fn a_mate_without_a_capture_before_it_is_final() {
        // WBN 1.9
        let mut game = start("wbn-1.00", SMOTHERED);
        play(&mut game, BoardId::A, goes(Square::G4, Square::C8));
        play(&mut game, BoardId::A, goes(Square::H6, Square::G7));
        assert!(game.is_mate(BoardId::A));
        assert_eq!(game.last_drop(BoardId::A), None);
    }

    #[test]
    fn a_repetition_saves_too_where_the_rule_set_says_so() {
        // WBN 2.2c
        for (rules, saves) in [("wbn-1.00", true), ("fide-ext", false), ("wbn-1.00,repetition=4", false)] {
            let mut game = start(rules, AGAIN);
            let knight = Role::Knight.of(crate::types::Color::White);
            for _ in 0..2 {
                play(&mut game, BoardId::B, Attempt::Drop { man: knight, to: Square::F3 });
                for (from, to) in [
                    (Square::G4, Square::F3),
                    (Square::A1, Square::A2),
                    (Square::F3, Square::E2),
                    (Square::A2, Square::A1),
                    (Square::E2, Square::G4),
                ] {
                    play(&mut game, BoardId::B, goes(from, to));
                }
            }
            take_and_be_mated(&mut game);
            let drop = game.last_drop(BoardId::A).unwrap();
            assert_eq!(drop.draws.contains(Square::F3), saves, "{rules}");
        }
    }

    #[test]
    fn some_rule_sets_know_no_last_drop() {
        let mut game = start("wbn-1.00,last_drop=never", SMOTHERED);
        take_and_be_mated(&mut game);
        assert_eq!(game.last_drop(BoardId::A), None);
    }
}

//! Kings that are put in the centre to show a result.
//!
//! In: placements while no time runs. Out: the game ends. Where sensors do not tell kings from other men, those that
//! are gone from the kings' squares are kings, if nothing else has moved.

use super::Table;
use crate::{
    referee::win_of,
    rules::BoardPosition,
    sense::{Mismatch, Placement},
    track::Revision,
    types::{Bitboard, BoardId, Color, Instant, Role, SECOND, Square},
};

/// How long kings stand in the centre before they show a result.
pub const SHOWN_US: i64 = SECOND;

/// The centre: both kings there, which never stand beside each other in a game, show a result (`DGT`, FIDE arbiters'
/// custom).
const CENTRE: Bitboard = Bitboard::CENTER;
const LIGHT: Bitboard = Bitboard::LIGHT_SQUARES;
/// A king's move to the centre so short before the result was shown was no move.
const WALK_US: i64 = 5 * SECOND;

/// A result that kings show on a board: the winner, or none for a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    board: BoardId,
    winner: Option<Color>,
}

impl Table {
    /// Kings that stand in the centre when no time runs.
    pub(super) fn watch_kings(&mut self) {
        let shows = |board: BoardId| {
            let placement = self.sensors.boards[board.index()].sense.placement();
            let winner = shown_by(placement).or_else(|| self.shown_by_place(board, placement))?;
            let clock = self.clock_view(board);
            clock.is_none_or(|view| view.running.is_none()).then_some(Shown { board, winner })
        };
        let shown = self.play.game.ids().find_map(shows).filter(|_| self.play.is_on());
        let same = self.play.shown.as_ref().is_some_and(|(_, known)| Some(*known) == shown);
        if !same {
            self.play.shown = shown.map(|shown| (self.now, shown));
        }
    }

    /// A result that has been shown for long enough ends the game.
    pub(super) fn watch_shown(&mut self) {
        let due = |since: Instant| self.now >= since + SHOWN_US;
        let Some((_, Shown { board, winner })) = self.play.shown.filter(|(since, _)| due(*since)) else { return };
        self.play.shown = None;
        self.watch_kings();
        if self.play.shown.take().is_none() || !self.play.is_on() {
            return;
        }
        self.forget_walk_to_centre(board);
        match winner {
            Some(winner) => {
                let loser = board.seat(!winner);
                let reason = if self.play.game.is_mate(board) { "checkmated" } else { "resigns" };
                self.end(win_of(board.seat(winner).team()), reason, vec![board], &loser.to_string());
            }
            None => self.end("1/2-1/2", "Game drawn by mutual agreement", vec![board], "table"),
        }
    }

    /// The result that men show which can only be the kings: by the game so far, with none to all of the moves that
    /// stand on the board.
    fn shown_by_place(&self, board: BoardId, placement: &Placement) -> Option<Option<Color>> {
        let mut position = self.play.game.board(board).clone();
        for ply in self.play.tracker.line(board) {
            if let Some(shown) = moved_kings(&position, placement) {
                return Some(shown);
            }
            position.play(ply.played);
        }
        moved_kings(&position, placement)
    }

    /// Without a clock the first king's way to the centre may have counted as a move (as it has for others).
    fn forget_walk_to_centre(&mut self, board: BoardId) {
        let moves = self.play.history.iter().filter(|entry| entry.event.board == board);
        let walks = |entry: &&super::history::Entry| {
            let played = entry.completed.played;
            let recent = self.now - entry.completed.completed_at <= WALK_US && entry.completed.clock.is_none();
            recent && played.role() == Role::King && CENTRE.contains(played.to())
        };
        let walked = moves.clone().rev().take_while(walks).count();
        let from = moves.count() - walked;
        if walked > 0 {
            self.revise(Revision { board, from, moves: Vec::new() });
        }
    }
}

/// The result that kings in the centre show.
fn shown_by(placement: &Placement) -> Option<Option<Color>> {
    let king = |color| {
        let squares = placement.allows(Role::King.of(color)) & !placement.ambiguous();
        squares.single_square().filter(|square| CENTRE.contains(*square))
    };
    Some(winner([king(Color::White)?, king(Color::Black)?]))
}

/// The result that kings show by their places: nothing has left its square but kings, and what is new stands in the
/// centre, a man for each that left. A king on a square where a man stood before is not told from that man.
fn moved_kings(position: &BoardPosition, placement: &Placement) -> Option<Option<Color>> {
    let Mismatch { missing, foreign } = placement.mismatch(position);
    let kings = Color::ALL.map(|color| position.king(color));
    let [Some(white), Some(black)] = kings else { return None };
    let homes = Bitboard::from(white) | Bitboard::from(black);
    let stand = (homes | foreign) & !missing;
    let may_be = Color::ALL.map(|color| placement.allows(Role::King.of(color)));
    let new = !foreign.is_empty() && foreign.is_subset(may_be[0] | may_be[1]);
    let both = new && missing.is_subset(homes) && stand.count() == 2 && stand.is_subset(CENTRE);
    let first = stand.first().filter(|_| both)?;
    Some(winner([first, stand.last()?]))
}

/// Who won: both on light squares White, both on dark ones Black, else nobody.
fn winner(kings: [Square; 2]) -> Option<Color> {
    match kings.map(|square| LIGHT.contains(square)) {
        [true, true] => Some(Color::White),
        [false, false] => Some(Color::Black),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        notation::bfen::Bfen,
        rules::RuleSet,
        types::{File, Kinds, Piece, Rank},
    };

    /// What a board feels whose kings stood on e1 and e8, and pawns on e4, d5 and a2.
    fn check(felt: &str, expect: Option<Option<Color>>) {
        let game = Bfen::read("4k3/8/8/3p4/4P3/8/P7/4K3/ w - -").unwrap().to_game(&RuleSet::WBN_1_00);
        let mut placement = Placement::default();
        for (rank, line) in Rank::ALL.into_iter().rev().zip(felt.split_whitespace()) {
            for (file, felt) in File::ALL.into_iter().zip(line.chars()) {
                let kinds = match felt {
                    'x' => Kinds::OCCUPIED,
                    '.' => Kinds::EMPTY,
                    man => Kinds::only(Piece::from_char(man).unwrap()),
                };
                placement.set(Square::from_coords(file, rank), kinds, Instant::ZERO);
            }
        }
        assert_eq!(moved_kings(game.board(BoardId::A), &placement), expect, "{felt}");
    }

    /// The same with nothing on the kings' squares, and these ranks in the middle.
    fn check_centre(fifth: &str, fourth: &str, expect: Option<Option<Color>>) {
        check(&format!("........ ........ ........ {fifth} {fourth} ........ x....... ........"), expect);
    }

    #[test]
    fn two_men_that_left_the_kings_squares_for_the_centre_are_the_kings() {
        check_centre("...xx...", "...xx...", Some(Some(Color::Black)));
        check_centre("...xx...", "....x...", None); // the other king may still be in the hand
        check_centre("...x....", "....x...", None);
        check_centre("...xx...", "..xxx...", None); // and something else
        check_centre("...xx...", "...x....", None); // a pawn is gone
        check_centre("...xN...", "...xx...", None); // what is known to be no king
        let king = ["....x...", "...x....", "...xx...", "........ x.......", "........"];
        let [home, black_pawn, centre, below, empty] = king;
        check(&format!("{empty} {empty} {empty} {centre} ...xx... {below} {home}"), None); // White's is at home
        check(&format!("{home} {empty} {empty} {black_pawn} ....x... {below} {home}"), None); // nothing has moved
    }

    #[test]
    fn light_squares_are_whites_and_dark_ones_blacks() {
        let result = |white, black| winner([white, black]);
        assert_eq!(result(Square::E4, Square::D5), Some(Color::White));
        assert_eq!(result(Square::E5, Square::D4), Some(Color::Black));
        assert_eq!(result(Square::E4, Square::E5), None);
    }
}

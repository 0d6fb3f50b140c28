//! Kings that are put in the centre to show a result.
//!
//! In: placements while no time runs. Out: the game ends. Where sensors do not tell kings from other men, those that
//! are gone from the kings' squares are kings, if nothing else has moved. A king that was put on the square of another
//! man is not seen to come: what all boards may show is held together then.

use arrayvec::ArrayVec;

use super::Table;
use crate::{
    referee::win_of,
    rules::BoardPosition,
    sense::{Mismatch, Placement},
    track::Revision,
    types::{Bitboard, BoardId, Color, Instant, Role, SECOND, Square},
};

/// How long kings stand in the centre before they show a result.
const SHOWN_US: i64 = SECOND;
/// The same if one of them is not seen there: it may be in the hand.
const INFERRED_US: i64 = 3 * SECOND;

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
    /// Not seen on any board alone.
    inferred: bool,
}

impl Shown {
    /// How long it is to stand before it counts, in microseconds.
    pub const fn patience(self) -> i64 {
        if self.inferred { INFERRED_US } else { SHOWN_US }
    }
}

/// What kings may show of whom all that is known is which squares they left and where something stands.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Showing {
    /// Winners, or none for a draw.
    winners: ArrayVec<Option<Color>, 3>,
    /// Something new stands in the centre.
    new: bool,
    /// Both kings are seen there.
    seen: bool,
}

impl Table {
    /// Kings that stand in the centre when no time runs.
    pub(super) fn watch_kings(&mut self) {
        let shown = if self.play.is_on() { self.shown_somewhere().or_else(|| self.shown_together()) } else { None };
        let same = self.play.shown.as_ref().is_some_and(|(_, known)| Some(*known) == shown);
        if !same {
            self.play.shown = shown.map(|shown| (self.now, shown));
        }
    }

    /// A result that has been shown for long enough ends the game.
    pub(super) fn watch_shown(&mut self) {
        let due = |(since, shown): &(Instant, Shown)| self.now >= *since + shown.patience();
        let Some((_, Shown { board, winner, .. })) = self.play.shown.filter(due) else { return };
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

    /// The result that both kings show on the first board where they do.
    fn shown_somewhere(&self) -> Option<Shown> {
        let shows = |board: BoardId| {
            let placement = self.sensors.boards[board.index()].sense.placement();
            let by_place = || self.shown_by_place(board).filter(|showing| showing.seen)?.winners.first().copied();
            let winner = shown_by(placement).or_else(by_place)?;
            Some(Shown { board, winner, inferred: false })
        };
        self.play.game.ids().filter(|board| self.stands_still(*board)).find_map(shows)
    }

    /// The only result that the boards may show together, if the kings have left their squares on all of them and
    /// something new stands in a centre.
    fn shown_together(&self) -> Option<Shown> {
        if !self.play.game.ids().all(|board| self.stands_still(board)) {
            return None;
        }
        let shows = |board: BoardId| Some((board, self.shown_by_place(board)?));
        let showing: Vec<(BoardId, Showing)> = self.play.game.ids().map(shows).collect::<Option<_>>()?;
        let (board, first) = showing.first()?;
        let by = |board: BoardId, winner: Option<Color>| winner.map(|color| board.seat(color).team());
        let all_may = |team| {
            let may = |(other, showing): &(BoardId, Showing)| showing.winners.iter().any(|w| by(*other, *w) == team);
            showing.iter().all(may)
        };
        let evident = showing.len() > 1 && showing.iter().any(|(_, showing)| showing.new);
        let mut common = first.winners.iter().copied().filter(|winner| all_may(by(*board, *winner)));
        let winner = common.next().filter(|_| evident)?;
        common.next().is_none().then_some(Shown { board: *board, winner, inferred: true })
    }

    /// No time runs on a board.
    fn stands_still(&self, board: BoardId) -> bool {
        self.clock_view(board).is_none_or(|view| view.running.is_none())
    }

    /// What men show which can only be the kings: by the game so far, with none to all of the moves that stand on the
    /// board.
    fn shown_by_place(&self, board: BoardId) -> Option<Showing> {
        let placement = self.sensors.boards[board.index()].sense.placement();
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
            self.revise(Revision { board, from, moves: Vec::new(), narrow: false });
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

/// What kings show by their places: nothing has left its square but kings, and what is new stands in the centre. A king
/// that left its square and is not seen may stand in the centre where another man stood.
fn moved_kings(position: &BoardPosition, placement: &Placement) -> Option<Showing> {
    let Mismatch { missing, foreign } = placement.mismatch(position);
    let kings = Color::ALL.map(|color| position.king(color));
    let [Some(white), Some(black)] = kings else { return None };
    let homes = Bitboard::from(white) | Bitboard::from(black);
    let stand = (homes | foreign) & !missing;
    let may_be = Color::ALL.map(|color| placement.allows(Role::King.of(color)));
    let there = CENTRE & (may_be[0] | may_be[1]);
    if missing.is_empty() || !missing.is_subset(homes) || !stand.is_subset(there) {
        return None;
    }
    let (new, seen) = (!foreign.is_empty(), stand.count() == 2);
    if seen && !new || !seen && missing != homes {
        return None;
    }
    let mut winners = ArrayVec::new();
    for (first, last) in
        pairs(there).filter(|(first, last)| stand.is_subset(Bitboard::from(*first) | Bitboard::from(*last)))
    {
        let winner = winner([first, last]);
        if !winners.contains(&winner) {
            winners.push(winner);
        }
    }
    (!winners.is_empty()).then_some(Showing { winners, new, seen })
}

/// All pairs of squares.
fn pairs(squares: Bitboard) -> impl Iterator<Item = (Square, Square)> {
    squares
        .into_iter()
        .flat_map(move |first| squares.into_iter().filter(move |last| first < *last).map(move |last| (first, last)))
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

    /// What a board feels whose kings stood on e1 and e8, and pawns on e4, d5 and a2; the results that it may show, and
    /// whether both kings are seen.
    fn check(felt: &str, expect: Option<(&[Option<Color>], bool)>) {
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
        let found = moved_kings(game.board(BoardId::A), &placement);
        let found = found.as_ref().map(|showing| (showing.winners.as_slice(), showing.seen));
        assert_eq!(found, expect, "{felt}");
    }

    /// The same with nothing on the kings' squares, and these ranks in the middle.
    fn check_centre(fifth: &str, fourth: &str, expect: Option<(&[Option<Color>], bool)>) {
        check(&format!("........ ........ ........ {fifth} {fourth} ........ x....... ........"), expect);
    }

    const HOME: &str = "....x...";
    const BELOW: &str = "........ x.......";
    const EMPTY: &str = "........";

    #[test]
    fn two_men_that_left_the_kings_squares_for_the_centre_are_the_kings() {
        check_centre("...xx...", "...xx...", Some((&[Some(Color::Black)], true)));
        check_centre("...xx...", "..xxx...", None); // and something else
        check_centre("...xx...", "...x....", None); // a pawn is gone
        check_centre("...xN...", "...xx...", None); // what is known to be no king
        check(&format!("{EMPTY} {EMPTY} {EMPTY} ...xx... ...xx... {BELOW} {HOME}"), None); // White's is at home
        check(&format!("{HOME} {EMPTY} {EMPTY} ...x.... ....x... {BELOW} {HOME}"), None); // nothing has moved
    }

    #[test]
    fn a_king_that_is_not_seen_may_stand_where_a_man_stood() {
        check_centre("...xx...", "....x...", Some((&[None], false))); // e5 and a pawn's square
        check_centre("...x....", "...xx...", Some((&[None], false))); // d4 and a pawn's square
        check_centre("...x....", "....x...", Some((&[Some(Color::White)], false))); // both, or in the hand
        check_centre("...x....", "........", None); // a pawn is gone
        check(&format!("{EMPTY} {EMPTY} {EMPTY} ...x.... ....x... {BELOW} {HOME}"), None); // White's is at home
    }

    #[test]
    fn light_squares_are_whites_and_dark_ones_blacks() {
        let result = |white, black| winner([white, black]);
        assert_eq!(result(Square::E4, Square::D5), Some(Color::White));
        assert_eq!(result(Square::E5, Square::D4), Some(Color::Black));
        assert_eq!(result(Square::E4, Square::E5), None);
    }
}

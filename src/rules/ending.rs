//! Ends of boards put together to the end of the game (WBN 1.3, 1.10, 1.18, 2.2).

use super::{Ending, RuleSet};
use crate::types::{BoardId, Color, Team};

/// How one board ended.
///
/// ```
/// use bughoused::{rules::BoardEnd, types::{BoardId, Color, Team}};
///
/// let mate = BoardEnd::won(BoardId::B, Color::Black);
/// assert_eq!((mate.team(), BoardEnd::drawn(BoardId::B).team()), (Some(Team::WhiteA), None));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardEnd {
    /// The board.
    pub board: BoardId,
    /// Who won; none for a draw.
    pub winner: Option<Color>,
}

impl BoardEnd {
    /// A win of `winner`.
    pub const fn won(board: BoardId, winner: Color) -> BoardEnd {
        BoardEnd { board, winner: Some(winner) }
    }

    /// A draw.
    pub const fn drawn(board: BoardId) -> BoardEnd {
        BoardEnd { board, winner: None }
    }

    /// The team that won the board.
    pub fn team(&self) -> Option<Team> {
        self.winner.map(|color| self.board.seat(color).team())
    }
}

/// What the ends of boards make of the game.
///
/// ```
/// use bughoused::{rules::{BoardEnd, RuleSet, Verdict}, types::{BoardId, Color, Team}};
///
/// let rules = RuleSet::WBN_1_00;
/// let mate_on_a = BoardEnd::won(BoardId::A, Color::White);
/// assert_eq!(rules.verdict(2, &[mate_on_a]), Verdict::Won(Team::WhiteA));
/// let mate_on_b = BoardEnd::won(BoardId::B, Color::White);
/// assert_eq!(rules.verdict(2, &[mate_on_a, mate_on_b]), Verdict::Drawn); // WBN 1.10
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Play goes on.
    Open,
    /// A team has won.
    Won(Team),
    /// Nobody has.
    Drawn,
}

/// Half points of the boards, added (variants that play all boards to their end).
///
/// ```
/// use bughoused::{rules::{BoardEnd, RuleSet, Score, Verdict}, types::{BoardId, Color, Team}};
///
/// let ends = [BoardEnd::won(BoardId::A, Color::White), BoardEnd::drawn(BoardId::B)];
/// assert_eq!(Score::of(&ends), Score { white_a: 3, black_a: 1 });
/// let both_boards: RuleSet = "wbn-1.00,both-boards".parse().unwrap();
/// assert_eq!(both_boards.verdict(2, &ends[..1]), Verdict::Open);
/// assert_eq!(both_boards.verdict(2, &ends), Verdict::Won(Team::WhiteA));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Of the team of White on A.
    pub white_a: u32,
    /// Of the team of Black on A.
    pub black_a: u32,
}

impl Score {
    /// Adds up: two half points for a win, one each for a draw (WBN 1.18).
    pub fn of(ends: &[BoardEnd]) -> Score {
        ends.iter().fold(Score::default(), |score, end| {
            let (white_a, black_a) = match end.team() {
                Some(Team::WhiteA) => (2, 0),
                Some(Team::BlackA) => (0, 2),
                None => (1, 1),
            };
            Score { white_a: score.white_a + white_a, black_a: score.black_a + black_a }
        })
    }

    fn verdict(self) -> Verdict {
        match self.white_a.cmp(&self.black_a) {
            std::cmp::Ordering::Greater => Verdict::Won(Team::WhiteA),
            std::cmp::Ordering::Less => Verdict::Won(Team::BlackA),
            std::cmp::Ordering::Equal => Verdict::Drawn,
        }
    }
}

impl RuleSet {
    /// What the ends that count at the same time make of a game on `boards` boards.
    ///
    /// Where the first board ends the game, several that end at once are won by the team that wins all of them, else
    /// the game is drawn (WBN 1.10, FIDE-ext 4.3). Where all boards are played to their end their scores are added.
    pub fn verdict(&self, boards: usize, ends: &[BoardEnd]) -> Verdict {
        match self.ending {
            Ending::AllBoards if ends.len() < boards => Verdict::Open,
            Ending::AllBoards => Score::of(ends).verdict(),
            Ending::FirstBoard => all_won(ends),
        }
    }

    /// Flags that have fallen, as ends: the player loses (WBN 7.9), and two flags on a board draw it (WBN 7.10).
    pub fn flags(&self, board: BoardId, white: bool, black: bool) -> Option<BoardEnd> {
        match (white, black) {
            (false, false) => None,
            (true, true) if self.both_flags_draw => Some(BoardEnd::drawn(board)),
            (true, true) => None,
            (true, false) => Some(BoardEnd::won(board, Color::Black)),
            (false, true) => Some(BoardEnd::won(board, Color::White)),
        }
    }
}

fn all_won(ends: &[BoardEnd]) -> Verdict {
    let Some(first) = ends.first() else { return Verdict::Open };
    match first.team() {
        Some(team) if ends.iter().all(|end| end.team() == Some(team)) => Verdict::Won(team),
        _ => Verdict::Drawn,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn double_ends() {
        let rules = RuleSet::WBN_1_00;
        let white_a = BoardEnd::won(BoardId::A, Color::White);
        assert_eq!(rules.verdict(2, &[]), Verdict::Open);
        assert_eq!(rules.verdict(2, &[white_a]), Verdict::Won(Team::WhiteA)); // WBN 1.3
        // WBN 1.10
        assert_eq!(rules.verdict(2, &[white_a, BoardEnd::won(BoardId::B, Color::Black)]), Verdict::Won(Team::WhiteA));
        assert_eq!(rules.verdict(2, &[white_a, BoardEnd::won(BoardId::B, Color::White)]), Verdict::Drawn);
        let fide = RuleSet::FIDE_EXT.verdict(2, &[white_a, BoardEnd::won(BoardId::B, Color::White)]);
        assert_eq!(fide, Verdict::Drawn); // FIDE-ext 4.3
        assert_eq!(rules.verdict(2, &[white_a, BoardEnd::drawn(BoardId::B)]), Verdict::Drawn);
        assert_eq!(rules.verdict(2, &[BoardEnd::drawn(BoardId::B)]), Verdict::Drawn); // WBN 2.2b
    }

    #[test]
    fn boards_played_to_their_end_are_added() {
        let rules: RuleSet = "wbn-1.00,both-boards".parse().unwrap();
        let white_a = BoardEnd::won(BoardId::A, Color::White);
        assert_eq!(rules.verdict(2, &[white_a]), Verdict::Open);
        assert_eq!(rules.verdict(2, &[white_a, BoardEnd::drawn(BoardId::B)]), Verdict::Won(Team::WhiteA));
        assert_eq!(rules.verdict(2, &[white_a, BoardEnd::won(BoardId::B, Color::White)]), Verdict::Drawn);
        assert_eq!(Score::of(&[white_a, BoardEnd::drawn(BoardId::B)]), Score { white_a: 3, black_a: 1 }); // WBN 1.18
    }

    #[test]
    fn flags() {
        let rules = RuleSet::WBN_1_00;
        assert_eq!(rules.flags(BoardId::A, false, false), None);
        assert_eq!(rules.flags(BoardId::A, true, false), Some(BoardEnd::won(BoardId::A, Color::Black))); // WBN 7.9
        assert_eq!(rules.flags(BoardId::A, true, true), Some(BoardEnd::drawn(BoardId::A))); // WBN 7.10
    }
}

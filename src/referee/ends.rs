//! How a game ends: the ends of boards put together, and the words of the servers for them.
//!
//! In: who lost what how. Out: result, reason and boards as the record has them. Whether a claim is right is not known
//! here.

use serde::{Deserialize, Serialize};

use crate::{
    rules::{BoardEnd, Ending, Kings, RuleSet, Verdict},
    types::{BoardId, Seat, Team},
};

/// Why a board is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// WBN 2.1a.
    Checkmate,
    /// A king was captured where that is how boards end, or the last one of a team.
    KingCaptured,
    /// WBN 7.9.
    Flag,
    /// WBN 2.1c.
    Resignation,
    /// WBN 2.1b.
    IllegalMove,
    /// WBN 9.4c.
    Arbiter,
    /// WBN 2.2a.
    Agreement,
    /// WBN 2.2b.
    Repetition,
    /// WBN 2.2c.
    LastDrop,
    /// WBN 7.10.
    BothFlags,
    /// No move where a rule set makes that a draw.
    Stalemate,
}

impl Cause {
    /// What servers write behind the loser's name, or of a drawn game.
    pub const fn words(self) -> &'static str {
        match self {
            Cause::Checkmate => "checkmated",
            Cause::KingCaptured => "loses the king",
            Cause::Flag => "forfeits on time",
            Cause::Resignation => "resigns",
            Cause::IllegalMove => "forfeits by illegal move",
            Cause::Arbiter => "forfeits by decision of the arbiter",
            Cause::Agreement => "Game drawn by mutual agreement",
            Cause::Repetition => "Game drawn by repetition",
            Cause::LastDrop => "Game drawn by the last drop",
            Cause::BothFlags => "Game drawn because both players ran out of time",
            Cause::Stalemate => "Game drawn by stalemate",
        }
    }

    /// How boards are lost by what stands there.
    pub const fn standing(rules: &RuleSet) -> Cause {
        match rules.moves.kings {
            Kings::Mated => Cause::Checkmate,
            Kings::Captured | Kings::Collected => Cause::KingCaptured,
        }
    }
}

/// What a record says of the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub result: &'static str,
    /// Why, in the words of the servers.
    pub reason: String,
    /// The boards that ended.
    pub boards: Vec<BoardId>,
    /// The seat that lost first; none for a draw.
    pub loser: Option<Seat>,
}

/// The result that a team's win is written as: `1-0` is a win of the team of White on A.
pub const fn win_of(team: Team) -> &'static str {
    match team {
        Team::WhiteA => "1-0",
        Team::BlackA => "0-1",
    }
}

/// Ends of boards so far; more than one only where all boards are played to their end.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    ends: Vec<BoardEnd>,
}

impl Ends {
    /// Boards that are over.
    pub fn over(&self) -> impl Iterator<Item = BoardId> + '_ {
        self.ends.iter().map(|end| end.board)
    }

    /// Boards end at the same time: these are lost by the seats. None while the game goes on.
    pub fn lost(&mut self, rules: &RuleSet, boards: usize, losers: &[Seat], cause: Cause) -> Option<Outcome> {
        let ends: Vec<BoardEnd> = losers.iter().map(|loser| BoardEnd::won(loser.board, !loser.color)).collect();
        let verdict = self.add(rules, boards, &ends);
        let boards: Vec<BoardId> = self.over().collect();
        match verdict {
            Verdict::Open => None,
            Verdict::Won(team) => {
                let loser = losers.iter().find(|loser| loser.team() != team).copied();
                Some(Outcome { result: win_of(team), reason: cause.words().into(), boards, loser })
            }
            Verdict::Drawn => {
                let reason = match cause {
                    Cause::Flag => Cause::BothFlags.words().into(),
                    _ => format!("Game drawn, both teams {}", cause.words()),
                };
                Some(Outcome { result: "1/2-1/2", reason, boards, loser: None })
            }
        }
    }

    /// Boards are drawn. None while the game goes on.
    pub fn drawn(&mut self, rules: &RuleSet, boards: usize, drawn: &[BoardId], cause: Cause) -> Option<Outcome> {
        let ends: Vec<BoardEnd> = drawn.iter().map(|board| BoardEnd::drawn(*board)).collect();
        let verdict = self.add(rules, boards, &ends);
        let boards = self.over().collect();
        let reason = cause.words().to_owned();
        match verdict {
            Verdict::Open => None,
            Verdict::Won(team) => Some(Outcome { result: win_of(team), reason, boards, loser: None }),
            Verdict::Drawn => Some(Outcome { result: "1/2-1/2", reason, boards, loser: None }),
        }
    }

    fn add(&mut self, rules: &RuleSet, boards: usize, ends: &[BoardEnd]) -> Verdict {
        if rules.ending == Ending::FirstBoard {
            self.ends.clear();
        }
        for end in ends {
            if self.over().all(|board| board != end.board) {
                self.ends.push(*end);
            }
        }
        rules.verdict(boards, &self.ends)
    }
}

/// What a win is worth in halves (WBN 1.18a): the most that a game gives.
const WIN: i32 = 2;

/// Points of a game in halves (WBN 1.18), with what the arbiter has changed (WBN 9.4e, f).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct HalfPoints {
    /// The team of White on A.
    pub white_a: i32,
    /// The team of Black on A.
    pub black_a: i32,
}

impl HalfPoints {
    /// What a result is worth; a game without a result nothing.
    pub fn of(result: &str) -> HalfPoints {
        let (white_a, black_a) = match result {
            "1-0" => (WIN, 0),
            "0-1" => (0, WIN),
            "1/2-1/2" => (1, 1),
            _ => (0, 0),
        };
        HalfPoints { white_a, black_a }
    }

    /// The same with another team's points changed, never below nothing and never above a win (WBN 9.4f).
    pub fn changed(self, team: Team, halves: i32) -> HalfPoints {
        let add = |points: i32| points.saturating_add(halves).clamp(0, WIN);
        match team {
            Team::WhiteA => HalfPoints { white_a: add(self.white_a), ..self },
            Team::BlackA => HalfPoints { black_a: add(self.black_a), ..self },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seats(letters: &str) -> Vec<Seat> {
        letters.chars().map(|letter| Seat::from_letter(letter).unwrap()).collect()
    }

    fn check(rules: &str, losers: &str, cause: Cause, expect: Option<(&str, &str, Option<char>)>) {
        let rules: RuleSet = rules.parse().unwrap();
        let outcome = Ends::default().lost(&rules, 2, &seats(losers), cause);
        let found = outcome.as_ref().map(|o| (o.result, o.reason.as_str(), o.loser.map(Seat::letter)));
        assert_eq!(found, expect, "{losers} under {rules}");
    }

    #[test]
    fn losses_in_the_words_of_the_servers() {
        for rules in ["wbn-1.00", "cz-2024.06", "fide-ext"] {
            check(rules, "a", Cause::Checkmate, Some(("1-0", "checkmated", Some('a')))); // WBN 2.1a
            check(rules, "b", Cause::Resignation, Some(("0-1", "resigns", Some('b')))); // WBN 2.1c
            check(rules, "B", Cause::Flag, Some(("1-0", "forfeits on time", Some('B')))); // WBN 7.9
            check(rules, "aB", Cause::Checkmate, Some(("1-0", "checkmated", Some('a')))); // WBN 1.10
            check(rules, "AB", Cause::Checkmate, Some(("1/2-1/2", "Game drawn, both teams checkmated", None)));
            let out_of_time = "Game drawn because both players ran out of time";
            check(rules, "AB", Cause::Flag, Some(("1/2-1/2", out_of_time, None)));
        }
    }

    #[test]
    fn both_boards_are_played_out_where_the_rule_set_says_so() {
        check("wbn-1.00,both-boards", "a", Cause::Checkmate, None);
        let rules: RuleSet = "wbn-1.00,both-boards".parse().unwrap();
        let mut ends = Ends::default();
        assert_eq!(ends.drawn(&rules, 2, &[BoardId::B], Cause::Agreement), None);
        let outcome = ends.lost(&rules, 2, &seats("a"), Cause::Checkmate).unwrap();
        assert_eq!((outcome.result, outcome.boards.len()), ("1-0", 2));
    }

    #[test]
    fn points_and_the_arbiters_changes() {
        // WBN 1.18
        assert_eq!(HalfPoints::of("1-0"), HalfPoints { white_a: 2, black_a: 0 });
        assert_eq!(HalfPoints::of("1/2-1/2"), HalfPoints { white_a: 1, black_a: 1 });
        assert_eq!(HalfPoints::of("*"), HalfPoints::default());
        // WBN 9.4
        assert_eq!(HalfPoints::of("1-0").changed(Team::WhiteA, -1), HalfPoints { white_a: 1, black_a: 0 });
        assert_eq!(HalfPoints::of("1-0").changed(Team::BlackA, -1), HalfPoints { white_a: 2, black_a: 0 });
        assert_eq!(HalfPoints::of("1-0").changed(Team::WhiteA, 2), HalfPoints { white_a: 2, black_a: 0 });
        assert_eq!(HalfPoints::of("1/2-1/2").changed(Team::BlackA, 2), HalfPoints { white_a: 1, black_a: 2 });
    }
}

//! What became of one game, as a JSON line or a line for people.

use serde::Serialize;

use crate::{
    notation::{
        bfen::Bfen,
        bpgn::{Located, Parsed},
        letters::Letters,
        replay::{Fault, Replay, replay},
    },
    rules::RuleSet,
    types::{BoardId, Color, Team},
};

/// What became of one game.
#[derive(Debug, Serialize)]
pub struct Verdict {
    game: usize,
    /// Whether every ply is legal.
    pub legal: bool,
    plies: usize,
    fault: Option<FaultLine>,
    bfen: String,
    mate: Vec<BoardId>,
    result: String,
    repetition: Vec<Repetition>,
    warnings: Vec<String>,
    /// What could not be read, with its line.
    #[serde(skip)]
    pub unreadable: Option<Located>,
}

/// The first illegal ply.
#[derive(Debug, Serialize)]
struct FaultLine {
    board: BoardId,
    ply: u32,
    index: usize,
    #[serde(rename = "move")]
    written: String,
    reason: &'static str,
    reasons: Vec<&'static str>,
    law: &'static str,
    article: &'static str,
}

/// A position that stood as often as the rule set's number.
#[derive(Debug, Serialize)]
struct Repetition {
    board: BoardId,
    index: usize,
    occurrences: u32,
}

impl Verdict {
    /// Plays a game by the rules.
    pub fn of(number: usize, mut parsed: Parsed, ruleset: &RuleSet, letters: &Letters) -> Verdict {
        if *letters != Letters::ENGLISH {
            parsed.game.translate(letters, &Letters::ENGLISH);
        }
        let replayed = replay(&parsed.game, ruleset);
        let mut warnings = warnings(&parsed, &replayed);
        let result = result(&parsed.game.result, &replayed, &mut warnings);
        Verdict {
            game: number,
            legal: replayed.fault.is_none(),
            plies: replayed.plies.len(),
            fault: replayed.fault.as_ref().map(|fault| fault_line(fault, ruleset)),
            bfen: bfen(&replayed).write(),
            mate: replayed.mates.clone(),
            result,
            repetition: repetitions(&replayed),
            warnings,
            unreadable: replayed
                .fault
                .as_ref()
                .filter(|fault| fault.reasons.is_empty())
                .map(|fault| Located { line: line_of(&parsed, fault.index), message: fault.message.clone() }),
        }
    }

    /// One line for people.
    pub fn describe(&self) -> String {
        match &self.fault {
            Some(fault) => {
                let reasons = if fault.reasons.is_empty() { fault.reason.into() } else { fault.reasons.join(", ") };
                format!("illegal at {}{}: {}: {reasons}", fault.board, fault.ply, fault.written)
            }
            None => {
                let mates: String = self.mate.iter().map(|board| format!(", mate on {board}")).collect();
                format!("legal, {} plies{mates}, {}", self.plies, self.result)
            }
        }
    }
}

/// Line of the file of a ply counted from 1, or of the game.
fn line_of(parsed: &Parsed, index: usize) -> usize {
    index.checked_sub(1).and_then(|index| parsed.move_lines.get(index)).copied().unwrap_or(parsed.line)
}

fn warnings(parsed: &Parsed, replayed: &Replay) -> Vec<String> {
    let remarks = replayed.remarks.iter().map(|remark| {
        let line = line_of(parsed, remark.index);
        format!("line {line}: {}", remark.message)
    });
    let mut warnings: Vec<String> = parsed.warnings.iter().map(ToString::to_string).chain(remarks).collect();
    if replayed.after_end > 0 {
        warnings.push(format!("{} plies stand after the mate", replayed.after_end));
    }
    warnings
}

/// What the moves decide, else what the record says; a contradiction is a warning.
fn result(written: &str, replayed: &Replay, warnings: &mut Vec<String>) -> String {
    let Some(decided) = decided(replayed) else { return written.to_owned() };
    if decided != written && written != "*" {
        warnings.push(format!("the moves decide {decided}, the record says {written}"));
    }
    decided.to_owned()
}

/// The result that mates decide: of one team, or both teams' draw (WBN 1.10).
fn decided(replayed: &Replay) -> Option<&'static str> {
    let mut winners = replayed.mates.iter().map(|board| {
        let loser = board.seat(replayed.game.board(*board).turn());
        loser.team().other()
    });
    let first = winners.next()?;
    Some(match (winners.all(|winner| winner == first), first) {
        (false, _) => "1/2-1/2",
        (true, Team::WhiteA) => "1-0",
        (true, Team::BlackA) => "0-1",
    })
}

fn fault_line(fault: &Fault, ruleset: &RuleSet) -> FaultLine {
    let (law, article) = match fault.reasons.first() {
        Some(reason) => ruleset.article(*reason),
        None => ruleset.notation_article(),
    };
    let reasons: Vec<&'static str> = fault.reasons.iter().map(|reason| reason.as_str()).collect();
    FaultLine {
        board: fault.board,
        ply: fault.ply,
        index: fault.index,
        written: fault.written.clone(),
        reason: reasons.first().copied().unwrap_or("unreadable"),
        reasons,
        law,
        article,
    }
}

/// The position after the last legal ply with the last times that the record has.
fn bfen(replayed: &Replay) -> Bfen {
    let last = |board: BoardId, color: Color| {
        let mut plies = replayed.plies.iter().rev();
        plies.find_map(|ply| ply.clock_ms.filter(|_| ply.seat == board.seat(color)))
    };
    Bfen::of_game(&replayed.game, |board| {
        Some((last(board, Color::White)?.div_euclid(1000), last(board, Color::Black)?.div_euclid(1000)))
    })
}

fn repetitions(replayed: &Replay) -> Vec<Repetition> {
    let line = |told: &crate::notation::replay::Repetition| Repetition {
        board: told.board,
        index: told.index,
        occurrences: told.occurrences,
    };
    replayed.repetitions.iter().map(line).collect()
}

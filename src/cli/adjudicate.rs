//! `bughoused adjudicate`: plays game records by the rules.

use std::{fs::File, io::BufReader, io::Write, path::PathBuf};

use clap::Args as ClapArgs;
use serde::Serialize;

use super::{Exit, Failure, Outcome};
use crate::{
    notation::{
        bfen::Bfen,
        bpgn::{Parsed, ReadError, Reader},
        replay::{Fault, Replay, replay},
    },
    rules::RuleSet,
    types::{BoardId, Color, Team},
};

/// Plays game records by the rules, several per file
#[derive(Debug, ClapArgs)]
pub struct Args {
    /// Files of BPGN games
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Rule set
    #[arg(long, default_value = "wbn-1.00", value_parser = super::ruleset)]
    ruleset: RuleSet,
    /// One JSON line a game
    #[arg(long)]
    json: bool,
    /// Exit 1 when a game is illegal
    #[arg(long)]
    strict: bool,
}

/// What became of one game.
#[derive(Debug, Serialize)]
struct Verdict {
    game: usize,
    legal: bool,
    plies: usize,
    fault: Option<FaultLine>,
    bfen: String,
    mate: Vec<BoardId>,
    result: String,
    repetition: Vec<Repetition>,
    warnings: Vec<String>,
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
    article: &'static str,
}

/// A position that stood as often as the rule set's number.
#[derive(Debug, Serialize)]
struct Repetition {
    board: BoardId,
    index: usize,
    occurrences: u32,
}

/// Runs the command.
pub fn run(args: Args, out: &mut dyn Write) -> Outcome {
    let mut tally = Tally::default();
    for path in &args.files {
        let open = |e: std::io::Error| Failure::new(Exit::Unavailable, format!("{}: {e}", path.display()));
        let reader = Reader::new(BufReader::new(File::open(path).map_err(open)?));
        for (index, parsed) in reader.enumerate() {
            let place = format!("{}: game {}", path.display(), index + 1);
            match parsed {
                Ok(parsed) => tally.game(&args, index + 1, &parsed, &place, out)?,
                Err(ReadError::Text(error)) => tally.unreadable.push(format!("{place}: {error}")),
                Err(error) => return Err(Failure::new(Exit::Failed, format!("{place}: {error}"))),
            }
        }
    }
    tally.outcome(&args)
}

#[derive(Default)]
struct Tally {
    games: usize,
    illegal: usize,
    unreadable: Vec<String>,
}

impl Tally {
    fn game(&mut self, args: &Args, number: usize, parsed: &Parsed, place: &str, out: &mut dyn Write) -> Outcome {
        self.games += 1;
        let replayed = replay(&parsed.game, &args.ruleset);
        if let Some(fault) = replayed.fault.as_ref().filter(|fault| fault.reasons.is_empty()) {
            let line = parsed.move_lines.get(fault.index - 1).copied().unwrap_or(parsed.line);
            self.unreadable.push(format!("{place}: line {line}: {}", fault.message));
        }
        let verdict = verdict(number, parsed, &replayed, &args.ruleset);
        self.illegal += usize::from(!verdict.legal);
        if args.json {
            let line = serde_json::to_string(&verdict).map_err(|e| Failure::new(Exit::Failed, e))?;
            writeln!(out, "{line}")?;
        } else {
            writeln!(out, "{place}: {}", describe(&verdict))?;
        }
        Ok(())
    }

    fn outcome(self, args: &Args) -> Outcome {
        if !self.unreadable.is_empty() {
            return Err(Failure { exit: Exit::BadInput, lines: self.unreadable });
        }
        if args.strict && self.illegal > 0 {
            return Err(Failure::new(Exit::Failed, format!("{} of {} games are illegal", self.illegal, self.games)));
        }
        Ok(())
    }
}

fn describe(verdict: &Verdict) -> String {
    match &verdict.fault {
        Some(fault) => {
            format!("illegal at {}{}: {}: {}", fault.board, fault.ply, fault.written, fault.reasons.join(", "))
        }
        None => {
            let mates: String = verdict.mate.iter().map(|board| format!(", mate on {board}")).collect();
            format!("legal, {} plies{mates}, {}", verdict.plies, verdict.result)
        }
    }
}

fn verdict(number: usize, parsed: &Parsed, replayed: &Replay, ruleset: &RuleSet) -> Verdict {
    let mut warnings: Vec<String> = parsed.warnings.iter().map(ToString::to_string).collect();
    if replayed.after_end > 0 {
        warnings.push(format!("{} plies stand after the mate", replayed.after_end));
    }
    let written = parsed.game.result.as_str();
    let result = match decided(replayed) {
        Some(decided) => {
            if decided != written && written != "*" {
                warnings.push(format!("the moves decide {decided}, the record says {written}"));
            }
            decided
        }
        None => written,
    };
    Verdict {
        game: number,
        legal: replayed.fault.is_none(),
        plies: replayed.plies.len(),
        fault: replayed.fault.as_ref().map(fault_line),
        bfen: bfen(replayed).write(),
        mate: replayed.mates.clone(),
        result: result.to_owned(),
        repetition: repetitions(replayed, ruleset),
        warnings,
    }
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

fn fault_line(fault: &Fault) -> FaultLine {
    let reasons: Vec<&'static str> = fault.reasons.iter().map(|reason| reason.as_str()).collect();
    FaultLine {
        board: fault.board,
        ply: fault.ply,
        index: fault.index,
        written: fault.written.clone(),
        reason: reasons.first().copied().unwrap_or("unreadable"),
        reasons,
        article: fault.reasons.first().map_or("E", |reason| reason.article()),
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

fn repetitions(replayed: &Replay, ruleset: &RuleSet) -> Vec<Repetition> {
    let boards = replayed.game.ids().map(|board| (board, replayed.game.occurrences(board)));
    let reached = boards.filter(|(_, occurrences)| *occurrences >= ruleset.repetition);
    let index = replayed.plies.len();
    reached.map(|(board, occurrences)| Repetition { board, index, occurrences }).collect()
}

//! `bughoused perft`: node counts of one board.

use std::io::Write;

use clap::Args as ClapArgs;

use super::{Exit, Failure, Outcome};
use crate::{
    notation::{bfen::Bfen, uci},
    rules::{self, RuleSet},
    types::BoardId,
};

/// Counts the leaves of the tree of legal moves of one board; a captured man leaves to the partner
#[derive(Debug, ClapArgs)]
pub struct Args {
    /// Position of one or more boards
    bfen: String,
    /// Plies
    depth: u32,
    /// The board
    #[arg(long, default_value = "A")]
    board: BoardId,
    /// Law text, then changes: wbn-1.00, cz-2024.06 or fide-ext, as in fide-ext,tandem,repetition=3
    #[arg(long, default_value = "wbn-1.00", value_parser = super::ruleset)]
    ruleset: RuleSet,
    /// Counts by first move too
    #[arg(long)]
    divide: bool,
}

/// Runs the command.
pub fn run(args: Args, out: &mut dyn Write) -> Outcome {
    let position = Bfen::read(&args.bfen).map_err(|e| Failure::new(Exit::BadInput, format!("BFEN: {e}")))?;
    let game = position.to_game(&args.ruleset);
    if args.board.index() >= game.len() {
        let line = format!("expected a board of the position, which has {}, found --board {}", game.len(), args.board);
        return Err(Failure::new(Exit::Usage, line));
    }
    let board = game.board(args.board);
    if args.divide {
        for (m, nodes) in rules::divide(board, args.depth) {
            writeln!(out, "{} {nodes}", uci::write(m))?;
        }
    }
    writeln!(out, "nodes {}", rules::perft(board, args.depth))?;
    Ok(())
}

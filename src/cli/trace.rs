//! `bughoused trace`: every ply of given games with what the rules say of it, for tests against other programs.
//!
//! In: on stdin a game a line, its moves as `A:e2e4 a:e7e5 B:N@f3`, before them `BFEN ;` if it begins elsewhere. Out: a
//! JSON line a game: `plies`, each with the legal moves before it, its SAN and the man that went over (`bp`: a black
//! pawn to seat b), and the last `bfen`.

use std::io::{self, BufRead, Write};

use clap::Args as ClapArgs;
use serde::Serialize;

use super::{Exit, Failure, Outcome};
use crate::{
    notation::{bfen::Bfen, san, uci},
    rules::{Game, RuleSet},
    types::Seat,
};

/// The most bytes that one game may take.
const LINE_MAX: u64 = 1 << 20;

/// Tells what the rules say at every ply of games on stdin, a game a line: `A:e2e4 a:e7e5` or `BFEN ; A:e2e4`
#[derive(Debug, ClapArgs)]
#[command(hide = true)]
pub struct Args {
    /// Rule set
    #[arg(long, default_value = "wbn-1.00", value_parser = super::ruleset)]
    ruleset: RuleSet,
    /// Boards of the table
    #[arg(long, default_value = "2", value_parser = clap::value_parser!(u8).range(1..=8))]
    boards: u8,
}

/// One game.
#[derive(Serialize)]
struct Traced {
    plies: Vec<Ply>,
    bfen: String,
}

/// One ply.
#[derive(Serialize)]
struct Ply {
    legal: Vec<String>,
    san: String,
    over: Option<String>,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Outcome {
    let mut input = io::stdin().lock();
    for number in 1.. {
        let mut line = String::new();
        let read = io::Read::take(&mut input, LINE_MAX).read_line(&mut line);
        if read.map_err(|e| Failure::new(Exit::BadInput, format_args!("line {number}: {e}")))? == 0 {
            break;
        }
        let traced =
            trace(args, &line).map_err(|e| Failure::new(Exit::BadInput, format_args!("line {number}: {e}")))?;
        let traced = serde_json::to_string(&traced).map_err(|e| Failure::new(Exit::Failed, e))?;
        writeln!(out, "{traced}")?;
    }
    Ok(())
}

fn trace(args: &Args, line: &str) -> Result<Traced, String> {
    let (mut game, moves) = match line.rsplit_once(';') {
        Some((bfen, moves)) => (Bfen::read(bfen).map_err(|e| e.to_string())?.to_game(&args.ruleset), moves),
        None => (Game::new(args.ruleset.clone(), args.boards.into()), line),
    };
    let plies = moves.split_whitespace().map(|word| ply(&mut game, word)).collect::<Result<_, _>>()?;
    Ok(Traced { plies, bfen: Bfen::of_game(&game, |_| None).write() })
}

fn ply(game: &mut Game, word: &str) -> Result<Ply, String> {
    let wrong = |expected: &str| format!("expected {expected}, found {word:?}");
    let (seat, text) = word.split_once(':').ok_or_else(|| wrong("a seat and a move such as A:e2e4"))?;
    let seat: Seat = seat.parse().map_err(|_| wrong("a seat letter before the colon"))?;
    if seat.board.index() >= game.len() || !game.may_move(seat) {
        return Err(wrong("a seat that has the move"));
    }
    let position = game.board(seat.board);
    let moves = position.legal_moves();
    let legal: Vec<String> = moves.iter().map(|m| uci::write(*m)).collect();
    let index = legal.iter().position(|legal| legal == text).ok_or_else(|| wrong("a legal move"))?;
    let san = san::write(position, moves[index], game.len());
    let over = game.play(seat.board, moves[index]).map(|transfer| format!("{}{}", transfer.to, transfer.man.char()));
    Ok(Ply { legal, san, over })
}

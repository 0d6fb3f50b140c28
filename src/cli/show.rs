//! `bughoused show GAME`: a recorded game to read.
//!
//! In: the record. Out: its header, the players, the end, and the moves of the boards side by side with clocks.

use std::io::{self, Write};

use super::{
    Outcome,
    games::{plain, readable_time},
    source::{Source, failure},
    written,
};
use crate::{
    event::Move,
    record::GameRecord,
    types::{BoardId, Color, Seat},
};

/// Columns of one half-move with its clock.
const MOVE_COLUMNS: usize = 17;
/// Columns of the gap between two boards.
const GAP: &str = "   ";

/// Prints one recorded game to read
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Id of the game, the beginning of one, or `last`
    pub game: String,
    /// Which journal.
    #[command(flatten)]
    pub source: Source,
}

/// Prints the game.
pub fn run(args: &Args, out: &mut dyn Write) -> Outcome {
    let record = args.source.open()?.record(&args.game).map_err(failure)?;
    written(write(&record, out))
}

fn write(record: &GameRecord, out: &mut dyn Write) -> io::Result<()> {
    let boards = boards(record);
    writeln!(out, "game     {}", plain(&record.id))?;
    writeln!(out, "table    {}", plain(&record.table))?;
    writeln!(out, "started  {}", readable_time(&record.started))?;
    writeln!(out, "rules    {}, {}", plain(&record.ruleset), plain(&record.time_control))?;
    for seat in Seat::all(boards) {
        if let Some(name) = record.players.get(&seat.to_string()) {
            writeln!(out, "{seat}        {}", plain(name))?;
        }
    }
    writeln!(out, "result   {}", plain(&result(record)))?;
    writeln!(out)?;
    write_moves(record, boards, out)
}

/// How many boards the game has: those of the position, or more if moves tell of them.
fn boards(record: &GameRecord) -> usize {
    let moved = record.moves.iter().map(|(_, played)| played.board.index() + 1).max().unwrap_or(0);
    moved.max(record.bfen.split('|').count()).min(crate::types::BOARDS_MAX)
}

fn result(record: &GameRecord) -> String {
    match &record.ended {
        Some(ended) => {
            let by = record.players.get(&ended.by).unwrap_or(&ended.by);
            format!("{} ({} {})", ended.result, by, ended.reason)
        }
        None => "* (not over)".to_owned(),
    }
}

fn write_moves(record: &GameRecord, boards: usize, out: &mut dyn Write) -> io::Result<()> {
    let columns: Vec<Vec<String>> = BoardId::first(boards).map(|board| column(record, board)).collect();
    let width = |column: &Vec<String>| column.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = columns.iter().map(width).collect();
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    for row in 0..rows {
        let cell = |(column, width): (&Vec<String>, &usize)| {
            format!("{:width$}", column.get(row).map_or("", String::as_str), width = *width)
        };
        let cells: Vec<String> = columns.iter().zip(&widths).map(cell).collect();
        writeln!(out, "{}", cells.join(GAP).trim_end())?;
    }
    if record.moves.iter().any(|(_, played)| played.stands) {
        writeln!(out, "\n! an illegal move that nobody claimed")?;
    }
    let doubted = |played: &&Move| record.uncertain.contains_key(&(played.board, played.ply));
    for played in record.moves.iter().map(|(_, played)| played).filter(doubted) {
        let moves = plain(&record.uncertain[&(played.board, played.ply)].join(", "));
        let dots = played.seat.color.fold_wb(".", "...");
        writeln!(out, "? {} {}{dots} uncertain: {moves}", played.board, played.number)?;
    }
    Ok(())
}

/// A board's moves, a line a move number.
fn column(record: &GameRecord, board: BoardId) -> Vec<String> {
    let moves: Vec<&Move> = record.moves.iter().map(|(_, played)| played).filter(|m| m.board == board).collect();
    let mut lines = vec![format!("board {board}")];
    let mut rest = &moves[..];
    while let Some(first) = rest.first() {
        let white = Some(first).filter(|played| played.seat.color == Color::White);
        let black = rest.get(usize::from(white.is_some())).filter(|played| played.seat.color == Color::Black);
        let text =
            |half: Option<&&Move>, missing: &str| half.map_or(missing.to_owned(), |played| half_move(record, played));
        let (white_text, black_text) = (text(white, "…"), text(black, ""));
        lines.push(format!("{:>3}. {white_text:MOVE_COLUMNS$} {black_text:MOVE_COLUMNS$}", first.number));
        rest = &rest[usize::from(white.is_some()) + usize::from(black.is_some())..];
    }
    lines
}

/// `Nxf7+   2:59.4`.
fn half_move(record: &GameRecord, played: &Move) -> String {
    let left = played.clock.map(|clock| match played.seat.color {
        Color::White => clock.white_ms,
        Color::Black => clock.black_ms,
    });
    let mark = if played.stands { "!" } else { "" };
    let doubt = if record.uncertain.contains_key(&(played.board, played.ply)) { "?" } else { "" };
    let san = format!("{}{mark}{doubt}", plain(&played.san));
    format!("{san:8} {:>8}", left.map_or(String::new(), clock))
}

/// Minutes, seconds and tenths, rounded down as clocks do.
fn clock(ms: i64) -> String {
    let sign = if ms < 0 { "-" } else { "" };
    let ms = ms.unsigned_abs();
    format!("{sign}{}:{:02}.{}", ms / 60_000, ms / 1000 % 60, ms / 100 % 10)
}

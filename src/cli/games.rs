//! `bughoused games`: the recorded games.
//!
//! In: a journal. Out: a line a game, or JSON Lines.

use std::io::{self, Write};

use super::{
    Outcome,
    source::{Source, failure},
    written,
};
use crate::journal::GameSummary;

/// Lists the recorded games, the oldest first
#[derive(Debug, Default, clap::Args)]
pub struct Args {
    /// One JSON object a line
    #[arg(long)]
    pub json: bool,
    /// Which journal.
    #[command(flatten)]
    pub source: Source,
}

/// Prints the list.
pub fn run(args: &Args, out: &mut dyn Write) -> Outcome {
    let games = args.source.open()?.games().map_err(failure)?;
    written(if args.json { write_json(&games, out) } else { write_text(&games, out) })
}

fn write_json(games: &[GameSummary], out: &mut dyn Write) -> io::Result<()> {
    for game in games {
        serde_json::to_writer(&mut *out, game).map_err(io::Error::from)?;
        writeln!(out)?;
    }
    Ok(())
}

fn write_text(games: &[GameSummary], out: &mut dyn Write) -> io::Result<()> {
    if games.is_empty() {
        return writeln!(out, "no games are recorded yet");
    }
    let heading = ["GAME", "STARTED", "TABLE", "MOVES", "RESULT", "PLAYERS"].map(str::to_owned);
    let rows: Vec<[String; 6]> = std::iter::once(heading).chain(games.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let [game, started, table, moves, result, _] = std::array::from_fn(width);
    for row in &rows {
        let [id, at, on, plies, score, players] = row;
        let line = format!("{id:game$}  {at:started$}  {on:table$}  {plies:>moves$}  {score:result$}  {players}");
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn row(game: &GameSummary) -> [String; 6] {
    [
        plain(&game.game),
        readable_time(&game.started),
        plain(&game.table),
        game.plies.to_string(),
        plain(&game.result),
        plain(&players(game)),
    ]
}

/// The teams against each other: `A+b - a+B`.
fn players(game: &GameSummary) -> String {
    let name = |seat: &str| game.players.get(seat).map_or("?", String::as_str);
    if game.players.is_empty() {
        return String::new();
    }
    format!("{} + {} - {} + {}", name("A"), name("b"), name("a"), name("B"))
}

/// RFC 3339 without its fractions: `2026-11-20 15:00:00Z`.
pub(super) fn readable_time(time: &str) -> String {
    match (time.get(..10), time.get(11..19)) {
        (Some(date), Some(clock)) => plain(&format!("{date} {clock}Z")),
        _ => plain(time),
    }
}

/// A text without what could confuse a terminal.
pub(super) fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}

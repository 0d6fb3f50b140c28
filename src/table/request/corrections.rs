//! Verbs that put the record right: correct, undo, set-position.

use super::{
    Answer,
    data::{argument, asker, bad, board, error, number},
};
use crate::{
    event::Request,
    notation::{bfen::Bfen, san, uci},
    rules::{BoardPosition, Move},
    table::Table,
    track::{Completed, Revision},
};

/// The longest BFEN that is read, in bytes.
const BFEN_MAX: usize = 2000;

/// Replaces one completed move; later moves of the board stay as far as they can be played.
pub fn correct(table: &mut Table, request: &Request) -> Answer {
    table.require_game()?;
    let board = board(table, request, "board")?;
    let plies: Vec<Completed> = table.plies_of(board).map(|entry| entry.completed.clone()).collect();
    let last = i64::try_from(plies.len()).unwrap_or(i64::MAX);
    if last == 0 {
        return Err(error("no-move", format!("expected a completed move on board {board}, found none")));
    }
    let index = usize::try_from(number(request, "ply", None, 1, last)? - 1).unwrap_or(0);
    let mut position = table.game_before(board, index).board(board).clone();
    let played = move_of(request, &position)?;
    let mut moves = Vec::with_capacity(plies.len() - index);
    for (offset, ply) in plies[index..].iter().enumerate() {
        let played = if offset == 0 { played } else { same(&position, ply.played) };
        let illegal = if offset == 0 { Vec::new() } else { ply.illegal.clone() };
        position.play(played);
        moves.push(Completed { played, illegal, rivals: Vec::new(), ..ply.clone() });
    }
    table.overrule(Revision { board, from: index, moves, narrow: false });
    Ok(None)
}

/// A move by squares or in SAN.
fn move_of(request: &Request, position: &BoardPosition) -> Result<Move, crate::event::ResponseError> {
    let value = argument(request, "move");
    let text = value.as_str().unwrap_or_default();
    let read = uci::read(text, position).ok().or_else(|| san::read(text, position).ok());
    read.ok_or_else(|| bad("move to be a legal move there, such as e2e4, N@f5 or Nf3", value))
}

/// The move that touches the same squares now, or the same move if there is none that is legal.
fn same(position: &BoardPosition, m: Move) -> Move {
    uci::read(&uci::write(m), position).unwrap_or(m)
}

/// Takes the last completed move of a board back.
pub fn undo(table: &mut Table, request: &Request) -> Answer {
    table.require_game()?;
    let board = board(table, request, "board")?;
    let Some(from) = table.plies_of(board).count().checked_sub(1) else {
        return Err(error("no-move", format!("expected a completed move on board {board}, found none")));
    };
    table.overrule(Revision { board, from, moves: Vec::new(), narrow: false });
    Ok(None)
}

/// Play goes on from a position of all boards, as a new game; one that is on ends without a result.
pub fn set_position(table: &mut Table, request: &Request) -> Answer {
    let value = argument(request, "bfen");
    let text = value.as_str().filter(|text| text.len() <= BFEN_MAX).unwrap_or_default();
    let boards = table.play.game.len();
    let read = Bfen::read(text).map_err(|e| e.to_string()).map(|bfen| bfen.to_game(&table.ruleset));
    let game = match read {
        Ok(game) if game.len() == boards => game,
        Ok(game) => return Err(bad(&format!("bfen of {boards} boards, not of {}", game.len()), value)),
        Err(reason) => return Err(bad(&format!("bfen of {boards} boards ({reason})"), value)),
    };
    if table.play.is_on() {
        table.end("*", "a position was set", Vec::new(), asker(request));
    }
    table.start_from(game);
    Ok(None)
}

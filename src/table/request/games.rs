//! Verbs of the course of games: new, start, pause, resume, players, declare, result, abort.

use super::{
    Answer,
    data::{argument, asker, bad, error, role, seat, text},
};
use crate::{
    event::{Players, Request, Status},
    table::Table,
    types::{Role, Seat},
};

/// Results that a record can have.
const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];
/// The longest name of a player, in characters.
const NAME_MAX: usize = 100;

pub fn new_game(table: &mut Table, _request: &Request) -> Answer {
    if table.play.is_on() {
        table.end("*", "a new game was ordered", Vec::new(), "arbiter");
    }
    table.start();
    Ok(None)
}

/// Begins a game on boards that are set up; says which are not.
pub fn start(table: &mut Table, _request: &Request) -> Answer {
    if table.play.is_on() {
        return Err(error("game-on", "expected no game on the boards, found one: end it, or ask for new-game"));
    }
    let wrong = table.not_set_up();
    if !wrong.is_empty() {
        let message = format!("expected all boards set up, found others on {}", wrong.join("; "));
        return Err(error("not-set-up", message));
    }
    table.start();
    Ok(None)
}

pub fn pause(table: &mut Table, _request: &Request) -> Answer {
    table.require_game()?;
    if table.judge.held {
        return Err(error("paused", "expected a game that is played, found one that is interrupted already"));
    }
    table.hold(true);
    Ok(None)
}

pub fn resume(table: &mut Table, _request: &Request) -> Answer {
    table.require_game()?;
    if !table.judge.held && table.play.status == Status::Playing {
        return Err(error("not-paused", "expected a game that is interrupted, found one that is played"));
    }
    table.hold(false);
    Ok(None)
}

pub fn players(table: &mut Table, request: &Request) -> Answer {
    let expected = "names by seat letter such as {\"A\": \"…\", \"a\": \"…\"}";
    let players: Players = serde_json::from_value(request.data.clone())
        .map_err(|e| error("bad-data", format!("expected {expected}: {e}")))?;
    let boards = table.play.game.len();
    let known = |letter: &String| letter.parse::<Seat>().is_ok_and(|seat| seat.board.index() < boards);
    if let Some(stranger) = players.keys().find(|letter| !known(letter)) {
        return Err(error("bad-data", format!("expected {expected}, found seat {stranger:?}")));
    }
    if players.values().any(|name| name.chars().count() > NAME_MAX || name.chars().any(char::is_control)) {
        let message = format!("expected names of at most {NAME_MAX} letters on one line, found another");
        return Err(error("bad-data", message));
    }
    table.players.extend(players);
    Ok(None)
}

pub fn declare(table: &mut Table, request: &Request) -> Answer {
    table.require_game()?;
    let seat = seat(table, request, "seat")?;
    let kinds: Vec<Role> = table.ruleset.moves.promotions().collect();
    let role = role(request, "promotion", &kinds)?;
    table.declare(seat, role);
    Ok(None)
}

/// Sets the result, also of the last game after its end (WBN 9.4).
pub fn result(table: &mut Table, request: &Request) -> Answer {
    let over = table.play.status == Status::Ended;
    if !over {
        table.require_game()?;
    }
    let found = argument(request, "result");
    let result = RESULTS.into_iter().find(|result| found.as_str() == Some(*result));
    let result = result.ok_or_else(|| bad(&format!("result to be one of {}", RESULTS.join(", ")), found))?;
    let reason = text(request, "reason")?.unwrap_or("by the arbiter");
    match over {
        true => table.end_otherwise(result, reason, asker(request)),
        false => table.end(result, reason, table.play.game.ids().collect(), asker(request)),
    }
    Ok(None)
}

pub fn abort(table: &mut Table, request: &Request) -> Answer {
    table.require_game()?;
    table.end("*", "Game aborted", Vec::new(), asker(request));
    Ok(None)
}

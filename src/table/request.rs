//! Commands of the arbiter and of the table's owner.

use super::{Output, Table};
use crate::{
    event::{Players, Request, Response, ResponseError, ResponseStatus},
    types::{Role, Seat},
};

/// Verbs that this version carries out.
const VERBS: [&str; 5] = ["new-game", "players", "declare", "result", "abort"];
/// Results that a record can have.
const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

impl Table {
    pub(super) fn request(&mut self, request: Request) {
        let error = self.carry_out(&request).err();
        self.out.push_back(Output::Response(Response {
            status: if error.is_some() { ResponseStatus::Error } else { ResponseStatus::Ok },
            verb: request.verb,
            transaction: request.transaction,
            error,
        }));
    }

    fn carry_out(&mut self, request: &Request) -> Result<(), ResponseError> {
        match request.verb.as_str() {
            "new-game" => self.new_game(),
            "players" => self.set_players(&request.data),
            "declare" => self.declare_promotion(&request.data),
            "result" => self.set_result(request),
            "abort" => self.abort(request),
            verb => Err(error("unknown-verb", format!("expected one of {}, found {verb:?}", VERBS.join(", ")))),
        }
    }

    fn new_game(&mut self) -> Result<(), ResponseError> {
        if self.play.is_on() {
            self.end("*", "a new game was ordered", Vec::new(), "arbiter");
        }
        self.start();
        Ok(())
    }

    fn set_players(&mut self, data: &serde_json::Value) -> Result<(), ResponseError> {
        let expected = "expected names by seat letter such as {\"A\": \"…\", \"a\": \"…\"}";
        let players: Players =
            serde_json::from_value(data.clone()).map_err(|e| error("bad-data", format!("{expected}: {e}")))?;
        let boards = self.play.game.len();
        let known = |letter: &String| letter.parse::<Seat>().is_ok_and(|seat| seat.board.index() < boards);
        if let Some(stranger) = players.keys().find(|letter| !known(letter)) {
            return Err(error("bad-data", format!("{expected}, found seat {stranger:?}")));
        }
        self.players.extend(players);
        Ok(())
    }

    fn declare_promotion(&mut self, data: &serde_json::Value) -> Result<(), ResponseError> {
        self.require_game()?;
        let text = |key: &str| data.get(key).and_then(serde_json::Value::as_str);
        let seat = text("seat").and_then(|letter| letter.parse::<Seat>().ok());
        let seat = seat.filter(|seat| seat.board.index() < self.play.game.len());
        let role = text("promotion").and_then(|letter| Role::from_char(letter.chars().next()?));
        let role = role.filter(|role| self.ruleset.moves.may_promote_to(*role));
        let (Some(seat), Some(role)) = (seat, role) else {
            let kinds: Vec<String> = self.ruleset.moves.promotions().map(|role| role.upper_char().into()).collect();
            let kinds = kinds.join(" or ");
            return Err(error("bad-data", format!("expected seat as a letter and promotion as {kinds}, found {data}")));
        };
        self.declare(seat, role);
        Ok(())
    }

    fn set_result(&mut self, request: &Request) -> Result<(), ResponseError> {
        self.require_game()?;
        let text = |key: &str| request.data.get(key).and_then(serde_json::Value::as_str);
        let result = text("result").filter(|result| RESULTS.contains(result)).ok_or_else(|| {
            error("bad-data", format!("expected result to be one of {}, found {}", RESULTS.join(", "), request.data))
        })?;
        let by = request.by.as_deref().unwrap_or("arbiter");
        let boards = self.play.game.ids().collect();
        self.end(result, text("reason").unwrap_or("by the arbiter"), boards, by);
        Ok(())
    }

    fn abort(&mut self, request: &Request) -> Result<(), ResponseError> {
        self.require_game()?;
        let by = request.by.as_deref().unwrap_or("arbiter");
        self.end("*", "Game aborted", Vec::new(), by);
        Ok(())
    }

    fn require_game(&self) -> Result<(), ResponseError> {
        match self.play.is_on() {
            true => Ok(()),
            false => Err(error("no-game", "expected a game on the boards, found none: start one first".into())),
        }
    }
}

fn error(code: &str, message: String) -> ResponseError {
    ResponseError { code: code.into(), message }
}

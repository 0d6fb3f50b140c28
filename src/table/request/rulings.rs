//! Verbs of players and arbiter about play: restricting kinds, penalties, draws, resignation, clocks.

use serde_json::json;

use super::{
    Answer,
    data::{argument, bad, board, error, number, role, seat},
};
use crate::{
    event::{Request, ResponseError, Status},
    referee::{Agreement, Cause, Frozen},
    rules::Hiding,
    table::Table,
    types::{ClockTimes, Role, Seat},
};

/// Kinds that pockets may hold.
const DROPPED: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
/// The longest freezing in seconds.
const FREEZING_MAX: i64 = 600;
/// The longest time that a clock shows, in milliseconds.
const CLOCK_MAX_MS: i64 = 36_000_000;
/// Penalties that may be imposed (WBN 9.4).
const PENALTIES: [&str; 6] = ["warning", "freeze", "loss", "new-game", "points", "expulsion"];

/// The seat must not drop a kind until it is allowed again (WBN 1.8b).
pub fn invisible(table: &mut Table, request: &Request) -> Answer {
    let (seat, role) = restriction(table, request)?;
    if table.ruleset.hiding != Hiding::Restrict {
        let message = format!(
            "expected a rule set that restricts hidden men (WBN 1.8b), found {}: hiding is for the arbiter there",
            table.ruleset.name
        );
        return Err(error("not-in-rule-set", message));
    }
    if table.judge.referee.restricted.iter().any(|known| (known.0, known.1) == (seat, role)) {
        return Err(error("restricted", format!("expected a kind that {seat} may use, found one that is restricted")));
    }
    table.judge.referee.restricted.push((seat, role, table.now));
    table.play.game.restrict(seat, role, true);
    Ok(None)
}

/// The seat may drop a kind again (WBN 1.8c).
pub fn visible(table: &mut Table, request: &Request) -> Answer {
    let (seat, role) = restriction(table, request)?;
    let restricted = &mut table.judge.referee.restricted;
    let Some(index) = restricted.iter().position(|known| (known.0, known.1) == (seat, role)) else {
        return Err(error("not-restricted", format!("expected a kind that {seat} may not use, found another")));
    };
    restricted.remove(index);
    table.play.game.restrict(seat, role, false);
    Ok(None)
}

fn restriction(table: &Table, request: &Request) -> Result<(Seat, Role), ResponseError> {
    table.require_game()?;
    Ok((seat(table, request, "seat")?, role(request, "piece", &DROPPED)?))
}

pub fn penalty(table: &mut Table, request: &Request) -> Answer {
    let found = argument(request, "kind");
    let kind = PENALTIES.into_iter().find(|kind| found.as_str() == Some(*kind));
    let kind = kind.ok_or_else(|| bad(&format!("kind to be one of {}", PENALTIES.join(", ")), found))?;
    let seat = seat(table, request, "seat")?;
    match kind {
        "freeze" => freeze(table, request, seat),
        "points" => points(table, request, seat),
        "loss" => {
            table.require_game()?;
            table.conclude_lost(&[seat], Cause::Arbiter);
            Ok(None)
        }
        "new-game" => {
            table.require_game()?;
            super::games::new_game(table, request)
        }
        _ => Ok(None), // a warning or an expulsion is recorded
    }
}

/// The player waits until the own clock shows so many seconds less (WBN 9.4b).
fn freeze(table: &mut Table, request: &Request, seat: Seat) -> Answer {
    table.require_game()?;
    let usual = table.ruleset.freezing().next().map(i64::from);
    let seconds = number(request, "seconds", usual, 1, FREEZING_MAX)?;
    let clock = table.clock_view(seat.board).map(|view| view.times);
    let frozen = Frozen::new(seat, seconds, clock, table.now);
    table.judge.referee.frozen.retain(|other| other.seat != seat);
    table.judge.referee.frozen.push(frozen);
    Ok(Some(json!({ "frozen": frozen })))
}

/// Points of the seat's team are changed, in halves: `-0.5` takes half a point (WBN 9.4e, f).
fn points(table: &mut Table, request: &Request, seat: Seat) -> Answer {
    if table.play.status != Status::Ended {
        table.require_game()?;
    }
    let value = argument(request, "points");
    let halves = [("-1", -2), ("-0.5", -1), ("-1/2", -1), ("0.5", 1), ("1/2", 1), ("1", 2)];
    let written = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let written = written.trim_end_matches(".0");
    let known = halves.iter().find(|(text, _)| *text == written).map(|(_, halves)| *halves);
    let halves = known.ok_or_else(|| bad("points to be one of -1, -0.5, 0.5, 1", value))?;
    table.judge.changes.push((seat.team(), halves));
    if table.play.status == Status::Ended {
        let (result, reason) = (table.play.result.clone(), table.play.reason.clone());
        let by = super::data::asker(request);
        table.end_otherwise(&result, &reason, by);
    }
    Ok(Some(json!({ "half_points": table.judge.points(&table.play.result) })))
}

pub fn draw_offer(table: &mut Table, request: &Request) -> Answer {
    table.require_game()?;
    let by = seat(table, request, "by")?;
    table.offer_draw(by)
}

pub fn draw_accept(table: &mut Table, request: &Request) -> Answer {
    table.require_game()?;
    let by = seat(table, request, "by")?;
    let boards = table.play.game.len();
    let agreement = table.judge.referee.offers.accept(&table.ruleset, boards, by);
    table.agreed(agreement)
}

pub fn resign(table: &mut Table, request: &Request) -> Answer {
    table.require_game()?;
    let by = seat(table, request, "by")?;
    table.conclude_lost(&[by], Cause::Resignation);
    Ok(None)
}

/// The arbiter has set a clock: it is believed, and must show that when it runs again (WBN 7.11).
pub fn set_clock(table: &mut Table, request: &Request) -> Answer {
    let board = board(table, request, "board")?;
    let white_ms = number(request, "white_ms", None, 0, CLOCK_MAX_MS)?;
    let black_ms = number(request, "black_ms", None, 0, CLOCK_MAX_MS)?;
    if table.clock_view(board).is_none() {
        return Err(error("no-clock", format!("expected a board with a clock, found none on {board}")));
    }
    table.judge.referee.clocks[board.index()].set(ClockTimes { white_ms, black_ms });
    Ok(None)
}

impl Table {
    /// A seat offers a draw, or agrees to the one that is offered.
    pub(super) fn offer_draw(&mut self, by: Seat) -> Answer {
        let boards = self.play.game.len();
        let agreement = self.judge.referee.offers.offer(&self.ruleset, boards, by);
        self.agreed(agreement)
    }

    fn agreed(&mut self, agreement: Agreement) -> Answer {
        match agreement {
            Agreement::Offered => Ok(Some(json!({ "offers": self.judge.referee.offers.seats() }))),
            Agreement::Agreed(boards) => {
                self.conclude_drawn(boards, Cause::Agreement);
                Ok(None)
            }
            Agreement::NoOffer => {
                Err(error("no-offer", "expected an offer of the other side that is still valid, found none"))
            }
        }
    }
}

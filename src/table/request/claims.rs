//! Claims of players, and what the arbiter decides of incidents.
//!
//! A claim is checked against what the table has seen and answered with the reason. A claim that would end the game
//! and that nothing bears out is itself an incident, as the rule set has it (WBN 3.4, 7.12d).

use serde_json::json;

use super::{
    Answer,
    data::{argument, bad, error, text},
};
use crate::{
    event::{IncidentState, Request, ResponseError},
    notation::uci,
    referee::{Cause, Draft, Entry, Grade, Kind, Window, claimers, flag_claimers},
    rules::{FlagClaim, Move, RuleSet, WrongClaim},
    table::Table,
    types::{BoardId, Seat},
};

/// Who claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claimant {
    Seat(Seat),
    Arbiter,
}

/// Whether an incident loses as an illegal move does; a wrong claim only where the rule set has it so (WBN 7.12d).
fn loses(entry: &Entry) -> bool {
    match entry.kind {
        Kind::IllegalMove | Kind::IncompleteCastling => true,
        Kind::WrongClaim => entry.incident.grade == Grade::Decisive,
        _ => false,
    }
}

pub fn claim(table: &mut Table, request: &Request) -> Answer {
    table.require_game()?;
    let by = match argument(request, "by").as_str() {
        Some("arbiter") => Claimant::Arbiter,
        _ => Claimant::Seat(super::data::seat(table, request, "by")?),
    };
    let word = text(request, "kind")?.unwrap_or_default();
    match word {
        "illegal-move" | "incomplete-castling" | "wrong-claim" => table.claim_illegal(by),
        "flag-fall" | "flag" => table.claim_flag(by),
        "checkmate" | "mate" => table.claim_mate(by),
        "repetition" => table.claim_repetition(by, request),
        _ => match Kind::from_word(word) {
            Some(kind) => table.claim_incident(by, kind),
            None => {
                let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
                Err(bad(&format!("kind to be one of {}", kinds.join(", ")), argument(request, "kind")))
            }
        },
    }
}

/// The arbiter agrees with an incident: what a claim would do is done.
pub fn confirm(table: &mut Table, request: &Request) -> Answer {
    let (id, kind, seat, board) = table.named_incident(request)?;
    let loses = table.judge.referee.docket.get(id).is_some_and(loses);
    let ends = loses || matches!(kind, Kind::Checkmate | Kind::FlagFall | Kind::Repetition);
    if ends {
        table.require_game()?;
    }
    table.decide(id, IncidentState::Claimed);
    match kind {
        _ if loses => table.lose_by_illegal_move(seat),
        Kind::Checkmate => table.conclude_mate(),
        Kind::FlagFall => table.conclude_flags(),
        Kind::Repetition => table.conclude_drawn(board.into_iter().collect(), Cause::Repetition),
        _ => {}
    }
    Ok(Some(json!({ "incident": id })))
}

/// The arbiter disagrees with an incident: nothing follows from it.
pub fn dismiss(table: &mut Table, request: &Request) -> Answer {
    let (id, ..) = table.named_incident(request)?;
    table.decide(id, IncidentState::Dismissed);
    Ok(Some(json!({ "incident": id })))
}

impl Table {
    /// The open incident that a request names.
    fn named_incident(&self, request: &Request) -> Result<(u64, Kind, Option<Seat>, Option<BoardId>), ResponseError> {
        let found = argument(request, "incident");
        let id = found.as_u64().ok_or_else(|| bad("incident to be the id of an incident", found))?;
        let Some(entry) = self.judge.referee.docket.get(id) else {
            return Err(error(
                "no-such-incident",
                format!("expected an incident of this game, found none with id {id}"),
            ));
        };
        if !entry.is_open() {
            let state = json!(entry.incident.state);
            return Err(error("decided", format!("expected an open incident, found one that is {state}")));
        }
        Ok((id, entry.kind, entry.incident.seat, entry.incident.board))
    }

    fn decide(&mut self, id: u64, state: IncidentState) {
        let decided = self.judge.referee.docket.decide(id, state);
        decided.into_iter().for_each(|incident| self.tell(incident));
        self.withdraw_repeated();
    }

    /// The last incident that fits, the open ones first.
    fn incident(&self, by: Claimant, fits: impl Fn(&Entry) -> bool) -> Option<&Entry> {
        let may = |entry: &&Entry| match by {
            Claimant::Seat(seat) => {
                (entry.incident.claimable_by.contains(&seat) || entry.is_everybodys()) && fits(entry)
            }
            Claimant::Arbiter => fits(entry),
        };
        let docket = &self.judge.referee.docket;
        docket.open_entries().rev().find(may).or_else(|| docket.entries().iter().rev().find(may))
    }

    fn claim_illegal(&mut self, by: Claimant) -> Answer {
        let found = self.incident(by, loses).map(|entry| (entry.incident.id, entry.incident.seat, entry.is_open()));
        match found {
            Some((id, seat, true)) => {
                self.decide(id, IncidentState::Claimed);
                self.lose_by_illegal_move(seat);
                Ok(Some(json!({ "incident": id })))
            }
            Some((_, _, false)) => {
                let article = self.ruleset.law;
                let message = format!(
                    "expected a claim before the claimer's next completed move ({article} {}), found a later one: \
                     the move stands",
                    if article == "FIDE-ext" { "4.2" } else { "1.14" }
                );
                Err(error("lapsed", message))
            }
            None => self.wrong_claim(by, Kind::IllegalMove, "expected an illegal move of the opponents, found none"),
        }
    }

    fn lose_by_illegal_move(&mut self, seat: Option<Seat>) {
        if let Some(seat) = seat.filter(|_| self.ruleset.illegal_move_loses) {
            self.conclude_lost(&[seat], Cause::IllegalMove);
        }
    }

    /// Flags are claimed by the players and partners, by the arbiter too, or by the player alone (WBN 7.8).
    fn claim_flag(&mut self, by: Claimant) -> Answer {
        let boards = self.play.game.len();
        let fallen = self.judge.referee.fallen();
        let against = match by {
            Claimant::Arbiter if self.ruleset.flag_claim != FlagClaim::TeamOrArbiter => {
                let message =
                    format!("expected a claim of a player under {}, found one of the arbiter", self.ruleset.name);
                return Err(error("not-entitled", message));
            }
            Claimant::Arbiter => !fallen.is_empty(),
            Claimant::Seat(seat) => {
                let may = |lost: &Seat| flag_claimers(&self.ruleset, boards, lost.opponent()).contains(&seat);
                fallen.iter().any(may)
            }
        };
        if !against {
            return self.wrong_claim(by, Kind::FlagFall, "expected a fallen flag of the opponents, found none");
        }
        self.settle_kind(Kind::FlagFall);
        self.conclude_flags();
        Ok(None)
    }

    /// Mate is claimed while it stands (WBN 1.16).
    fn claim_mate(&mut self, by: Claimant) -> Answer {
        let found = self.incident(by, |entry| entry.kind == Kind::Checkmate);
        match found.map(|entry| (entry.incident.id, entry.is_open())) {
            Some((_, true)) if self.judge.referee.awaits_last_drop() => {
                let (law, article) = match self.ruleset.law {
                    law if law == RuleSet::FIDE_EXT.law => (law, "4.4"),
                    law => (law, "1.9"),
                };
                let message = format!(
                    "expected a mate that is final, found one that the partner may answer with the last drop ({law} \
                     {article}): claim it after the partner's move"
                );
                Err(error("last-drop", message))
            }
            Some((id, true)) => {
                self.decide(id, IncidentState::Claimed);
                self.conclude_mate();
                Ok(Some(json!({ "incident": id })))
            }
            Some((_, false)) => {
                let (law, article) = match self.ruleset.law {
                    law if law == RuleSet::FIDE_EXT.law => Kind::Checkmate.citation(&self.ruleset),
                    law => (law, "1.16"),
                };
                let message = format!("expected a mate that stands ({law} {article}), found one that was lifted");
                Err(error("lapsed", message))
            }
            None => self.wrong_claim(by, Kind::Checkmate, "expected the opponents mated, found no mate"),
        }
    }

    fn conclude_mate(&mut self) {
        let mated = self.judge.referee.mated(&self.play.game);
        match self.judge.referee.saved {
            true => self.conclude_drawn(self.play.game.ids().collect(), Cause::LastDrop),
            false => self.conclude_lost(&mated, Cause::standing(&self.ruleset)),
        }
    }

    /// A draw by repetition is claimed by the player who has the move, or the partner aloud (WBN 1.12, 3.2), for the
    /// position that stands or that the move about to be made leads to (WBN 2.2b).
    fn claim_repetition(&mut self, by: Claimant, request: &Request) -> Answer {
        let boards: Vec<BoardId> = match by {
            Claimant::Arbiter => self.play.game.ids().collect(),
            Claimant::Seat(seat) => claimers(&self.ruleset, self.play.game.len(), seat)
                .into_iter()
                .filter(|own| self.play.game.has_the_move(*own))
                .map(|own| own.board)
                .collect(),
        };
        let asked = text(request, "move")?;
        let right = |board: &&BoardId| self.play.game.claims_repetition(**board, self.about_to(**board, asked));
        match boards.iter().find(right).copied() {
            Some(board) => {
                self.settle_kind(Kind::Repetition);
                self.conclude_drawn(vec![board], Cause::Repetition);
                Ok(Some(json!({ "board": board })))
            }
            None => {
                if let Claimant::Seat(seat) = by {
                    self.offer_draw(seat)?; // WBN 3.1b: a claim is an offer too
                }
                let needed = self.ruleset.repetition;
                let message =
                    format!("expected a position for the {needed}. time with the claimer to move, found fewer");
                self.wrong_claim(by, Kind::Repetition, &message)
            }
        }
    }

    /// The move that a player is about to complete: the one that is named, else the one that is made on the board.
    fn about_to(&self, board: BoardId, asked: Option<&str>) -> Option<Move> {
        let named = asked.and_then(|text| uci::read(text, self.play.game.board(board)).ok());
        named.or_else(|| self.play.tracker.line(board).first().map(|ply| ply.played))
    }

    /// A claim that does not end the game: the arbiter decides what follows.
    fn claim_incident(&mut self, by: Claimant, kind: Kind) -> Answer {
        let found = self.incident(by, |entry| entry.kind == kind).map(|entry| (entry.incident.id, entry.is_open()));
        match found {
            Some((id, true)) => {
                self.decide(id, IncidentState::Claimed);
                Ok(Some(json!({ "incident": id })))
            }
            Some((_, false)) => {
                Err(error("lapsed", "expected an open incident of this kind, found one that is decided"))
            }
            None => {
                if let Claimant::Seat(seat) = by {
                    let evidence = json!({ "claims": kind.as_str() });
                    self.report(vec![Draft::of(Kind::ArbiterCalled, seat, evidence).grade(Grade::Note)]);
                }
                let message =
                    format!("expected an incident of kind {}, found none: the arbiter was called", kind.as_str());
                Err(error("not-seen", message))
            }
        }
    }

    /// Open incidents of a kind were claimed.
    fn settle_kind(&mut self, kind: Kind) {
        let open = self.judge.referee.docket.open_entries().filter(|entry| entry.kind == kind);
        let ids: Vec<u64> = open.map(|entry| entry.incident.id).collect();
        ids.into_iter().for_each(|id| self.decide(id, IncidentState::Claimed));
    }

    /// Nothing bears the claim out: it counts as an illegal move, or is the arbiter's business (WBN 3.4, 7.12d).
    fn wrong_claim(&mut self, by: Claimant, kind: Kind, message: &str) -> Answer {
        let Claimant::Seat(seat) = by else { return Err(error("wrong-claim", message)) };
        let counts = self.ruleset.wrong_claim != WrongClaim::Arbiter;
        let claimants = claimers(&self.ruleset, self.play.game.len(), seat.opponent());
        let draft = Draft::of(Kind::WrongClaim, seat, json!({ "claims": kind.as_str() })).reason(kind.as_str());
        let draft = draft.grade(if counts { Grade::Decisive } else { Grade::Note });
        let draft = draft.claimable(claimants, Window::Until(seat.opponent()));
        let draws = kind == Kind::Repetition && counts;
        self.report(vec![Draft { citation: draws.then_some((self.ruleset.law, "3.4")), ..draft }]);
        let consequence = match self.ruleset.wrong_claim {
            WrongClaim::IllegalMove => "the claim counts as an illegal move",
            WrongClaim::IllegalMoveUnlessArbiter => {
                "the claim counts as an illegal move unless the arbiter rules otherwise"
            }
            WrongClaim::Arbiter => "the arbiter decides what follows",
        };
        Err(error("wrong-claim", format!("{message}; {consequence}")))
    }
}

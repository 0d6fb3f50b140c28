//! Everything that the referee remembers of one game.
//!
//! In: what happened, piece by piece. Out: drafts of incidents and the next deadline. It changes nothing of the game.

use super::{
    asked::Asked,
    board::{self, BoardSight, BoardWatch},
    clock::{ClockWatch, Frozen, time_of, uneven_start},
    docket::{Docket, Draft, Window, claimers, flag_claimers},
    draws::Offers,
    ends::{Cause, Ends},
    hiding::{self, Around, Graces},
    incident::Grade,
    kind::Kind,
    men::{Capture, Man, Men},
};
use crate::{
    notation::uci,
    rules::{BoardPosition, Game, LastDrop, Move, Reason, RuleSet, Transfer},
    track::Completed,
    types::{BoardId, Instant, MS, Piece, Role, Seat, Square, StepMode, TimeControl},
};
use serde_json::json;

/// Mates that lie nearer are simultaneous: clock messages do not resolve less (WBN 1.10).
const SIMULTANEOUS_US: i64 = 250 * MS;

/// What the referee remembers of one game.
#[derive(Clone, Debug)]
pub struct Referee {
    /// The rule set.
    pub rules: RuleSet,
    /// How long hands may take.
    pub graces: Graces,
    /// The time control, where it can be read.
    pub control: Option<TimeControl>,
    /// The incidents.
    pub docket: Docket,
    /// Where all men are.
    pub men: Men,
    /// By board.
    pub boards: Vec<BoardWatch>,
    /// By board.
    pub clocks: Vec<ClockWatch>,
    /// Kinds that seats may not drop (WBN 1.8b), and since when.
    pub restricted: Vec<(Seat, Role, Instant)>,
    /// Players who must wait (WBN 9.4b).
    pub frozen: Vec<Frozen>,
    /// Offers of a draw.
    pub offers: Offers,
    /// Boards that are over.
    pub ends: Ends,
    /// Mated boards in the order in which they were mated.
    mates: Vec<(BoardId, Instant)>,
    /// The drop that may still save the mated team (WBN 1.9), by the mated board.
    last_drop: Option<(BoardId, LastDrop)>,
    /// The last drop was made and draws the game (WBN 2.2c).
    pub saved: bool,
    started_told: bool,
}

impl Referee {
    /// A game that begins.
    pub fn new(rules: RuleSet, graces: Graces, control: Option<TimeControl>, game: &Game, at: Instant) -> Referee {
        Referee {
            rules,
            graces,
            control,
            docket: Docket::default(),
            men: Men::new(game, at),
            boards: vec![BoardWatch::default(); game.len()],
            clocks: vec![ClockWatch::default(); game.len()],
            restricted: Vec::new(),
            frozen: Vec::new(),
            offers: Offers::default(),
            ends: Ends::default(),
            mates: Vec::new(),
            last_drop: None,
            saved: false,
            started_told: false,
        }
    }

    /// What the move itself says: why it is illegal, how the castling was made. `sight` is the board after it.
    pub fn judge_move(
        &self,
        sight: &BoardSight<'_>,
        seat: Seat,
        completed: &Completed,
        written: &str,
        incomplete: bool,
    ) -> Option<Draft> {
        let kind = if incomplete { Kind::IncompleteCastling } else { Kind::IllegalMove };
        if completed.illegal.is_empty() && !incomplete {
            return None;
        }
        let words: Vec<&str> = completed.illegal.iter().map(|reason| reason.as_str()).collect();
        let leading = completed.illegal.first().filter(|_| !incomplete);
        let citation = leading.map(|reason| self.rules.article(*reason));
        let reason = if incomplete {
            board::NOT_MOVED
        } else {
            words.first().copied().unwrap_or(Reason::SeveralChanges.as_str())
        };
        let mut evidence = json!({
            "move": written, "reasons": words, "uci": uci::write(completed.played),
            "from": completed.played.from().map(|square| square.to_string()),
            "to": uci::destination(completed.played).to_string(),
            "clock": completed.clock, "made_at": completed.made_at, "completed_at": completed.completed_at,
        });
        if completed.illegal.contains(&Reason::LeavesKingInCheck) {
            let position = sight.game.board(seat.board);
            let king = position.king(seat.color);
            let board = position.board();
            let checkers = king.map(|king| board.attacks_to(king, !seat.color, board.occupied()));
            evidence["king"] = json!(king.map(|king| king.to_string()));
            evidence["checkers"] = json!(board::names(checkers.unwrap_or_default()));
        }
        if completed.illegal.contains(&Reason::SeveralChanges) {
            evidence["also"] = json!(board::ways(&sight.misplaced()));
        }
        let draft = Draft { citation, ..Draft::of(kind, seat, evidence) };
        let claimants = claimers(&self.rules, sight.game.len(), seat.opponent());
        Some(draft.grade(Grade::Decisive).reason(reason).claimable(claimants, Window::Until(seat.opponent())))
    }

    /// A completed move moves men: what that says of hiding and passing. `sight` and `around` are board and table after
    /// the move.
    pub fn account(
        &mut self,
        seat: Seat,
        completed: &Completed,
        transfer: Option<Transfer>,
        sight: BoardSight<'_>,
        around: &Around<'_>,
    ) -> Vec<Draft> {
        let at = completed.completed_at;
        let mut drafts = Vec::new();
        if let Move::Put { role, .. } = completed.played {
            let dropped = self.men.dropped(seat, role, completed.made_at, at);
            // Who had another man in the hand dropped none: that one came, and was misread.
            let held = sight.in_hand(seat.color).into_iter().map(|square| sight.placement.changed(square));
            // Nor is one of the other colour a man that the seat may have had hidden.
            let other = held.min().is_some_and(|left| left <= completed.made_at)
                || completed.illegal.contains(&Reason::DropWrongColour);
            let hidden = (!other).then(|| hiding::hidden_drop(seat, completed, dropped, around));
            drafts.extend(hidden.flatten());
            drafts.extend(self.restricted_drop(seat, completed, dropped.man.as_ref(), around));
        }
        if let Some(transfer) = transfer {
            let square = Some(captured_square(completed.played));
            let capture = Capture { transfer, square, made: completed.made_at, stood: stood(sight, completed), at };
            let seen = self.men.captured(capture);
            drafts.extend(hiding::early_pass(&self.men, capture, seen, completed, around));
        }
        self.men.completed(seat, at);
        if !completed.illegal.is_empty() || !self.men.counts_agree(sight.game) {
            self.men.sync(sight.game, at);
        }
        drafts
    }

    /// A completed drop of a kind that was restricted before, and the man that it took, if that is known.
    pub fn restricted_drop(
        &self,
        seat: Seat,
        completed: &Completed,
        man: Option<&Man>,
        around: &Around<'_>,
    ) -> Option<Draft> {
        let Move::Put { role, .. } = completed.played else { return None };
        let same = |known: &&(Seat, Role, Instant)| (known.0, known.1) == (seat, role);
        let (_, _, since) = self.restricted.iter().filter(same).find(|known| known.2 <= completed.completed_at)?;
        Some(hiding::restricted_use(seat, *since, completed, man, around))
    }

    /// A player who must wait completed a move; who has waited long enough is free again.
    pub fn thaw(&mut self, seat: Seat, completed: &Completed) -> Vec<Draft> {
        // Bronstein gives back what was used, as long a wait as a freezing all of the step.
        let gives = |control: &TimeControl| control.mode != StepMode::Delay;
        let given = self.control.filter(gives).map_or(0, |control| control.step / MS);
        let (own, rest): (Vec<Frozen>, Vec<Frozen>) = self.frozen.iter().partition(|frozen| frozen.seat == seat);
        self.frozen = rest;
        let claimants = claimers(&self.rules, self.boards.len(), seat.opponent());
        let broken = |frozen: &Frozen| frozen.broken_by(completed.clock, completed.completed_at, given);
        own.iter().filter_map(broken).map(|draft| draft.claimable(claimants.clone(), Window::Game)).collect()
    }

    /// A player presses: for what the opponent's clock may be started again, if no move is made.
    pub fn asked(&self, by: Seat) -> Option<Asked> {
        let player = by.opponent();
        let last = self.boards.get(player.board.index()).and_then(|watch| watch.last_of(player));
        Asked::of(&self.rules, &self.men, player, last)
    }

    /// Completed moves of a board were others: what was about to be told of them is forgotten.
    pub fn revised(&mut self, board: BoardId, game: &Game) {
        if let Some(watch) = self.boards.get_mut(board.index()) {
            watch.revised();
        }
        if game.loser(board).is_none() {
            self.mates.retain(|(other, _)| *other != board);
            self.last_drop = self.last_drop.filter(|(mated, _)| *mated != board);
        }
    }

    /// What stands on the board after a move: mate, repetition.
    pub fn position(&mut self, board: BoardId, game: &Game, at: Instant) -> Vec<Draft> {
        let position = game.board(board);
        let mut drafts = Vec::new();
        match game.loser(board) {
            None => self.mates.retain(|(other, _)| *other != board),
            Some(mated) if self.mates.iter().all(|(other, _)| *other != board) => {
                self.mates.push((board, at));
                self.last_drop = self.last_drop.or_else(|| Some((board, game.last_drop(board)?)));
                drafts.push(self.checkmate(mated, position, game));
            }
            Some(_) => {}
        }
        let occurrences = game.occurrences(board);
        if occurrences >= self.rules.repetition {
            let evidence = json!({ "occurrences": occurrences, "needed": self.rules.repetition });
            let claimants = claimers(&self.rules, game.len(), board.seat(position.turn()));
            let draft = Draft::at(Kind::Repetition, Some(board), evidence).grade(Grade::Decisive);
            drafts.push(draft.claimable(claimants, Window::Position(board)));
        }
        drafts
    }

    fn checkmate(&self, mated: Seat, position: &BoardPosition, game: &Game) -> Draft {
        let last = self.last_drop.filter(|(board, drop)| *board == mated.board && drop.draws.any());
        let last = last.map(|(_, drop)| {
            let man = drop.role.of(drop.seat.color).char().to_string();
            json!({ "seat": drop.seat, "man": man, "draws_on": board::names(drop.draws) })
        });
        let king = position.king(mated.color).map(|square| square.to_string());
        let evidence = json!({ "king": king, "checkers": board::names(position.checkers()), "last_drop": last });
        let winner = mated.opponent();
        let draft = Draft::of(Kind::Checkmate, mated, evidence).grade(Grade::Decisive);
        let draft = match Cause::standing(&self.rules) {
            Cause::Checkmate => draft,
            _ => {
                Draft { citation: Some(("variant", self.rules.moves.kings.as_str())), ..draft.reason("king-captured") }
            }
        };
        draft.claimable(claimers(&self.rules, game.len(), winner), Window::Mate(winner))
    }

    /// A seat completed a move: whether it was the last drop that draws.
    pub fn last_drop_made(&mut self, seat: Seat, played: Move) {
        let Some((mated, drop)) = self.last_drop.filter(|(_, drop)| drop.seat == seat) else { return };
        let still = self.mates.iter().any(|(board, _)| *board == mated);
        let made = matches!(played, Move::Put { role, to } if role == drop.role && drop.draws.contains(to));
        self.saved |= made && still;
        self.last_drop = None;
    }

    /// Whether the mate of a board is final: nobody may still save it by the last drop.
    pub fn awaits_last_drop(&self) -> bool {
        self.last_drop.is_some_and(|(_, drop)| drop.draws.any())
    }

    /// Until when another mate is at the same time as the first one.
    pub fn mates_until(&self) -> Option<Instant> {
        self.mates.iter().map(|(_, at)| *at + SIMULTANEOUS_US).min()
    }

    /// Seats that are mated, as far as their mates count: the first, and those at the same time.
    pub fn mated(&self, game: &Game) -> Vec<Seat> {
        let first = self.mates.iter().map(|(_, at)| *at).min();
        let counts = |at: Instant| first.is_some_and(|first| at - first <= SIMULTANEOUS_US);
        self.mates.iter().filter(|(_, at)| counts(*at)).filter_map(|(board, _)| game.loser(*board)).collect()
    }

    /// Seats whose flags have fallen.
    pub fn fallen(&self) -> Vec<Seat> {
        let boards = self.clocks.iter().enumerate().filter_map(|(index, watch)| Some((BoardId::new(index)?, watch)));
        let seats = boards.flat_map(|(board, watch)| {
            let fallen = watch.fallen();
            crate::types::Color::ALL.into_iter().filter(move |c| *fallen.get(*c)).map(move |c| board.seat(c))
        });
        seats.collect()
    }

    /// A flag that fell (WBN 7.3), or the second one on its board (WBN 7.10).
    pub fn flag(&self, seat: Seat, boards: usize, at: Instant) -> Draft {
        let both = self.fallen().contains(&seat.opponent());
        let evidence = json!({ "fell_at": at, "fallen": self.fallen() });
        let claimants = flag_claimers(&self.rules, boards, seat.opponent());
        let draft = Draft::of(Kind::FlagFall, seat, evidence).grade(Grade::Decisive);
        let draft = draft.claimable(claimants, Window::Game).reason(if both { "both-flags" } else { "flag" });
        let both_flags = match self.rules.law {
            law if law == RuleSet::FIDE_EXT.law => ("FIDE", "III.3.1.2"),
            law => (law, "7.10"),
        };
        Draft { citation: both.then_some(both_flags), ..draft }
    }

    /// Whether the boards started together, once all have; told once.
    pub fn uneven_start(&mut self) -> Option<Draft> {
        if self.started_told || self.clocks.iter().any(|watch| watch.started().is_none()) {
            return None;
        }
        self.started_told = true;
        uneven_start(&self.clocks)
    }

    /// What waits have brought that are over.
    pub fn look(&mut self, around: &Around<'_>, sights: &[BoardSight<'_>]) -> Vec<Draft> {
        // A press that waits for its move may tell yet where a man is.
        let settled = self.settles_at().is_none();
        let mut drafts = if settled { hiding::look(&mut self.men, around) } else { Vec::new() };
        for (watch, sight) in self.boards.iter_mut().zip(sights) {
            if (around.idle)(sight.board) {
                watch.rest();
            } else if watch.deadline().is_some_and(|due| due <= around.now) {
                drafts.extend(watch.look(*sight, around.now));
            }
        }
        let due = |watch: &ClockWatch| watch.deadline().is_some_and(|due| due <= around.now);
        let late: Vec<usize> = (0..self.clocks.len()).filter(|index| due(&self.clocks[*index])).collect();
        for index in late {
            let Some(board) = BoardId::new(index) else { continue };
            for seat in self.clocks[index].look(board, around.now) {
                drafts.push(self.flag(seat, around.boards, around.now));
            }
        }
        drafts
    }

    /// When something may have to be told, if nothing happens.
    pub fn deadline(&self) -> Option<Instant> {
        let boards = self.boards.iter().filter_map(BoardWatch::deadline);
        let clocks = self.clocks.iter().filter_map(ClockWatch::deadline);
        let hiding = hiding::deadline(&self.men, &self.graces);
        let hiding = hiding.map(|due| due.max(self.settles_at().unwrap_or(due)));
        boards.chain(clocks).chain(hiding).min()
    }

    /// When the last press that waits for its move is looked at; none if there is none.
    fn settles_at(&self) -> Option<Instant> {
        self.boards.iter().filter_map(BoardWatch::settles_at).max()
    }

    /// Time left of a seat in milliseconds that a draft's reader may need.
    pub fn own_time(completed: &Completed, seat: Seat) -> Option<i64> {
        completed.clock.map(|times| time_of(times, seat.color))
    }

    /// A completed move on a board as its watch takes it.
    pub fn watch_completed(&mut self, seat: Seat, completed: &Completed) {
        if let Some(watch) = self.boards.get_mut(seat.board.index()) {
            watch.completed(seat, completed, &self.graces);
        }
    }

    /// A move that was made before the move that it replies to.
    pub fn premove(&mut self, sight: BoardSight<'_>, mover: Seat, completed: &Completed) -> Option<Draft> {
        self.boards.get_mut(mover.board.index())?.premove(sight, mover, completed)
    }
}

/// Where the man stood that a move captured.
fn captured_square(played: Move) -> Square {
    match played {
        Move::EnPassant { from, to } => Square::from_coords(to.file(), from.rank()),
        other => uci::destination(other),
    }
}

/// Until when a captured man stood on its board at least, as far as that was seen.
fn stood(sight: BoardSight<'_>, completed: &Completed) -> Instant {
    let square = uci::destination(completed.played);
    let Move::Normal { capture: Some(role), .. } = completed.played else { return Instant::LONG_AGO };
    let of_victim = |man: Piece| man == role.of(sight.turn());
    let readings =
        sight.placement.readings(square).filter(|reading| reading.until <= completed.made_at + board::SCAN_US);
    let mut seen = readings.filter(|reading| reading.kinds.single().flatten().is_some_and(of_victim));
    seen.next().map_or(Instant::LONG_AGO, |reading| reading.surely.min(completed.made_at))
}

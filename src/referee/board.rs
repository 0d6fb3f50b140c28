//! What hands do on one board beside the moves: presses without a move, men next to their squares, moves too early.
//!
//! In: presses, completed moves, placements. Out: drafts of incidents, when it is certain that nothing better explains
//! what is seen: hands are given time, and a square that reads wrong is not a man that stands wrong.

use std::collections::VecDeque;

use arrayvec::ArrayVec;
use serde_json::json;
use shakmaty::attacks;

use super::{
    docket::{Draft, Window, claimers},
    hiding::Graces,
    incident::Grade,
    kind::Kind,
};
use crate::{
    notation::uci,
    rules::{BoardPosition, Game, Move, Premove, Reason, RuleSet},
    sense::{Mismatch, Placement},
    track::{Completed, LinePly},
    types::{
        Bitboard, BoardId, ByColor, CastlingSide, ClockTimes, Color, File, Instant, MS, Piece, Rank, Role, SECOND,
        Seat, Square,
    },
};

/// A press that is taken back so soon is a bounce of the lever.
const BOUNCE_US: i64 = 300 * MS;
/// How long a press may wait for its move.
const PRESS_US: i64 = 3 * SECOND;
/// A press that nothing explains for so long is given up: the board says something else.
const PRESS_GIVEN_UP_US: i64 = 15 * SECOND;
/// How much later than a move was completed its press may be heard of.
const HEARD_LATE_US: i64 = SECOND;
/// How long a press may be owed.
const OWED_US: i64 = 6 * SECOND;
/// Presses that may wait.
const PRESSES_MAX: usize = 8;
/// A reply must stand so long before the move that it replies to: boards are scanned one square after the other.
const PREMOVE_US: i64 = 700 * MS;
/// A man that went ahead of its turn must stay so long before it is told: the other hand may have brought it there.
const AHEAD_US: i64 = SECOND;
/// A rook must leave its square so long after the press: clocks and boards are read one after the other.
const CASTLING_US: i64 = 400 * MS;
/// Why castling is incomplete.
pub const NOT_MOVED: &str = "rook-not-moved";
/// Completed moves after which the board may have to be looked at.
const SUSPECTED_MAX: usize = 8;
/// Completed moves that tell in whose time something was done.
const TURNS_MAX: usize = 16;
/// How much later than it happened a square may be read.
const SCAN_US: i64 = 300 * MS;

/// A press that no completed move has explained yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unanswered {
    by: Color,
    at: Instant,
    due: Instant,
    clock: ClockTimes,
    /// Men of the other side stood elsewhere than the game has them.
    others_displaced: Bitboard,
    /// The other side pressed back.
    back: Option<Instant>,
    /// It was pressed back, and the move came with a later press.
    certain: bool,
}

/// What is watched on one board.
#[derive(Clone, Debug, Default)]
pub struct BoardWatch {
    presses: Vec<Unanswered>,
    /// Players whose last move was completed without their press, which may come yet: somebody reminded them.
    owes_press: ByColor<Option<Instant>>,
    last_press: ByColor<Option<Instant>>,
    /// Castling whose rook may have gone after the press: whose, the rook's square, the press, when it is looked at.
    castled: Option<(Seat, Square, Instant, Instant)>,
    /// The last move with which another man made one, too: that is told already.
    several: Option<Instant>,
    /// After which completed moves men next to their squares are looked for, and when.
    suspected: ArrayVec<(Instant, Instant), SUSPECTED_MAX>,
    /// Who completed the last moves, and when.
    turns: VecDeque<(Seat, Instant)>,
    /// The last completed ply, and the one before it.
    last: [Option<Completed>; 2],
    /// The ply that was told of as made too early.
    premove_told: Option<u32>,
    /// A man that went ahead of its turn: from where, to where, and when it is certain.
    ahead: Option<(Square, Square, Instant)>,
    /// Where a man went ahead that was told of, and since when it stands there.
    ahead_told: Option<(Square, Instant)>,
    /// Squares that were told of and still stand wrong.
    told: Bitboard,
}

/// One board as it is seen.
#[derive(Clone, Copy)]
pub struct BoardSight<'a> {
    /// Which.
    pub board: BoardId,
    /// The rule set.
    pub rules: &'a RuleSet,
    /// The completed moves.
    pub game: &'a Game,
    /// What stands where.
    pub placement: &'a Placement,
    /// Moves made and not completed.
    pub line: &'a [LinePly],
}

impl BoardSight<'_> {
    fn position(&self) -> &BoardPosition {
        self.game.board(self.board)
    }

    /// The position with the made moves played.
    fn shown(&self) -> BoardPosition {
        let mut shown = self.position().clone();
        for ply in self.line {
            shown.play(ply.played);
        }
        shown
    }

    /// Where the board contradicts the made moves.
    pub fn mismatch(&self) -> Mismatch {
        self.placement.mismatch(&self.shown())
    }

    /// Men that are off their squares, promoted ones as the pawns that they are.
    pub fn missing_kinds(&self) -> Vec<Piece> {
        let shown = self.shown();
        let missing = self.placement.mismatch(&shown).missing;
        let man = |square: Square| {
            let man = shown.board().piece_at(square)?;
            Some(if shown.promoted().contains(square) { Role::Pawn.of(man.color) } else { man })
        };
        missing.into_iter().filter_map(man).collect()
    }

    /// Men that stand on another square than the made moves say: from where, to where.
    pub fn misplaced(&self) -> Vec<(Piece, Square, Square)> {
        let shown = self.shown();
        let mismatch = self.placement.mismatch(&shown);
        let mut missing = mismatch.missing;
        let mut found = Vec::new();
        for to in mismatch.foreign {
            let man = |from: &Square| shown.board().piece_at(*from);
            let stands = |from: &Square| man(from).is_some_and(|man| self.placement.allows(man).contains(to));
            let identified = self.placement.kinds(to).single().is_some();
            let near = |from: &Square| identified || from.distance(to) <= 1;
            let from = missing.into_iter().filter(|from| stands(from) && near(from));
            let Some(from) = from.min_by_key(|from| (from.distance(to), *from)) else { continue };
            missing.discard(from);
            found.extend(man(&from).map(|man| (man, from, to)));
        }
        found
    }

    fn claimants(&self, seat: Seat) -> Vec<Seat> {
        claimers(self.rules, self.game.len(), seat)
    }
}

impl BoardWatch {
    /// A player pressed. One who presses back a press without a move has made none.
    pub fn press(&mut self, by: Color, at: Instant, clock: ClockTimes, sight: BoardSight<'_>) {
        let last = self.last_press.get_mut(by).replace(at);
        self.ahead = None;
        if let Some(last) = last.filter(|last| at - *last < BOUNCE_US) {
            return self.bounced(by, last);
        }
        if self.owes_press.get_mut(by).take().is_some_and(|since| at - since <= OWED_US) {
            return;
        }
        if let Some(open) = self.presses.iter_mut().find(|open| open.by != by && open.back.is_none()) {
            open.back = Some(at);
            return;
        }
        let others: Bitboard =
            sight.misplaced().into_iter().filter(|(man, _, _)| man.color != by).map(|(_, _, to)| to).collect();
        if self.presses.len() < PRESSES_MAX {
            let press =
                Unanswered { by, at, due: at + PRESS_US, clock, others_displaced: others, back: None, certain: false };
            self.presses.push(press);
        }
    }

    /// The lever sprang back after a press and came down again: the first press is the one.
    fn bounced(&mut self, by: Color, first: Instant) {
        self.presses.retain(|press| press.by == by || press.at < first);
        for press in self.presses.iter_mut().filter(|press| press.by == by && press.at == first) {
            press.back = None;
        }
    }

    /// A move was completed: its press is explained, and so are those before it.
    pub fn completed(&mut self, seat: Seat, completed: &Completed, graces: &Graces) {
        let at = completed.completed_at;
        let own = self.presses.iter().find(|press| press.by == seat.color && press.at <= at + HEARD_LATE_US);
        let heard = self.last_press.get(seat.color).is_some_and(|press| (press - at).abs() <= HEARD_LATE_US);
        let until = own.map_or(at, |press| press.at.max(at));
        *self.owes_press.get_mut(seat.color) = (own.is_none() && !heard).then_some(at);
        if let (Move::Castle { rook, .. }, Some(_)) = (completed.played, completed.clock) {
            let presses = self.presses.iter().filter(|press| press.by == seat.color && press.back.is_none());
            let pressed = presses.map(|press| press.at).filter(|pressed| *pressed <= at).min().unwrap_or(at);
            self.castled = Some((seat, rook, pressed, pressed.max(at) + CASTLING_US));
        }
        // Both moves were found late: the press back was the one of the reply.
        self.presses.retain(|press| !(press.certain && press.by != seat.color && at <= press.due));
        self.presses.retain_mut(|press| {
            let taken_back = press.back.is_some_and(|back| back - press.at >= BOUNCE_US && back <= at);
            if press.at < at && taken_back {
                press.due = press.due.min(at + SCAN_US);
                press.certain = true;
            }
            press.certain || press.at > until || (press.at < at && taken_back)
        });
        if completed.illegal.contains(&Reason::SeveralChanges) {
            self.several = Some(at);
        }
        if !self.suspected.is_full() {
            self.suspected.push((at, at + graces.displaced));
        }
        self.turns.truncate(TURNS_MAX - 1);
        self.turns.push_front((seat, at));
    }

    /// A move was completed: whether the reply that is seen already, or this move as a reply, came too early. `sight`
    /// is the board after the move.
    pub fn premove(&mut self, sight: BoardSight<'_>, mover: Seat, completed: &Completed) -> Option<Draft> {
        let [last, before] = std::mem::take(&mut self.last);
        let since = |ply: &Option<Completed>| ply.as_ref().map_or(Instant::LONG_AGO, |ply| ply.completed_at);
        let ply = sight.position().plies();
        let reply = sight.line.first().map(|reply| reply.played);
        let next = reply.and_then(|reply| early_reply(sight, mover.opponent(), reply, completed, since(&last)));
        let this = last.as_ref().and_then(|last| early_reply(sight, mover, completed.played, last, since(&before)));
        let this = this.filter(|_| self.premove_told != Some(ply));
        let told = self.ahead_told.map(|(to, _)| to);
        let known = |m: Move| told == Some(uci::destination(m));
        let this = this.filter(|_| !known(completed.played));
        self.premove_told = next.is_some().then_some(ply + 1);
        let next = next.filter(|_| !reply.is_some_and(known));
        self.last = [Some(completed.clone()), last];
        next.or(this)
    }

    /// No time runs: what hands do with the men is nobody's business.
    pub fn rest(&mut self) {
        *self = BoardWatch { told: self.told, last: std::mem::take(&mut self.last), ..BoardWatch::default() };
    }

    /// When something may have to be told.
    pub fn deadline(&self) -> Option<Instant> {
        let presses = self.presses.iter().map(|press| press.due);
        let castled = self.castled.map(|(_, _, _, due)| due);
        let ahead = self.ahead.map(|(_, _, due)| due);
        presses.chain(castled).chain(ahead).chain(self.suspected.first().map(|(_, due)| *due)).min()
    }

    /// Tells what nothing has explained in time.
    pub fn look(&mut self, sight: BoardSight<'_>, now: Instant) -> Vec<Draft> {
        let mut drafts = self.presses_without_move(sight, now);
        drafts.extend(self.castled_late(sight, now));
        drafts.extend(self.gone_ahead(sight, now));
        drafts.extend(self.displaced(sight, now));
        drafts
    }

    /// The board shows something else while `to_move` thinks: whether a man of the opponent went ahead of its turn
    /// (WBN 6.5). One next to its square may have been knocked there.
    pub fn changed(&mut self, sight: BoardSight<'_>, to_move: Color) {
        if sight.position().turn() != to_move || !sight.line.is_empty() || !self.presses.is_empty() {
            self.ahead = None;
            return;
        }
        let occupied = sight.position().board().occupied();
        let since = self.turns.front().map_or(Instant::LONG_AGO, |(_, completed)| *completed);
        let went = |(man, from, to): &(Piece, Square, Square)| {
            let in_time = sight.placement.changed(*to) >= since;
            man.color != to_move && in_time && from.distance(*to) > 1 && goes_ahead(*man, *from, *to, occupied)
        };
        let found = sight.misplaced().into_iter().find(went).map(|(_, from, to)| (from, to));
        let found = found.filter(|(_, to)| self.ahead_told != Some((*to, sight.placement.changed(*to))));
        let same = self.ahead.filter(|(from, to, _)| found == Some((*from, *to)));
        self.ahead = same.or(found.map(|(from, to)| (from, to, sight.placement.changed(to) + AHEAD_US)));
    }

    /// A man that went ahead of its turn and stayed there while the opponent had made nothing.
    fn gone_ahead(&mut self, sight: BoardSight<'_>, now: Instant) -> Option<Draft> {
        let (from, to, due) = self.ahead.take_if(|(_, _, due)| *due <= now)?;
        let by = sight.board.seat(!sight.position().turn());
        self.ahead_told = Some((to, sight.placement.changed(to)));
        let evidence = json!({
            "from": from.to_string(), "to": to.to_string(), "seen_at": due + -AHEAD_US, "squares": [to.to_string()],
        });
        // The move that it came before does not end the time to claim.
        Some(Draft::of(Kind::Premove, by, evidence).claimable(sight.claimants(by.opponent()), Window::Game))
    }

    fn presses_without_move(&mut self, sight: BoardSight<'_>, now: Instant) -> Vec<Draft> {
        let mut drafts = Vec::new();
        let rests = sight.placement.mismatch(sight.position()).is_empty();
        self.presses.retain_mut(|press| {
            let bounced = press.back.is_some_and(|back| back - press.at < BOUNCE_US);
            if bounced || now - press.at > PRESS_GIVEN_UP_US {
                return false;
            }
            if press.due > now {
                return true;
            }
            let displaced = press.others_displaced.any();
            if !press.certain && press.by != sight.position().turn() {
                return false; // its move was completed by an earlier press
            }
            if !rests && !displaced && !press.certain {
                press.due = now + SECOND; // a hand is at work
                return true;
            }
            drafts.push(without_move(press, sight));
            false
        });
        drafts
    }

    /// Castling whose rook stood at home long after the press (WBN 6.1).
    fn castled_late(&mut self, sight: BoardSight<'_>, now: Instant) -> Option<Draft> {
        let (seat, rook, at, _) = self.castled.take_if(|(_, _, _, due)| *due <= now)?;
        let man = Role::Rook.of(seat.color);
        let stands = sight.placement.allows(man).contains(rook) && !sight.placement.allows_empty().contains(rook);
        let went = sight.placement.changed(rook);
        if !stands && went - at <= CASTLING_US {
            return None;
        }
        let went = (!stands).then_some(went);
        let evidence = json!({ "rook": rook.to_string(), "pressed_at": at, "rook_went_at": went });
        let draft = Draft::of(Kind::IncompleteCastling, seat, evidence).grade(Grade::Decisive).reason(NOT_MOVED);
        Some(draft.claimable(sight.claimants(seat.opponent()), Window::Until(seat.opponent())))
    }

    /// Men that stood next to their squares when a move was completed, and still do.
    fn displaced(&mut self, sight: BoardSight<'_>, now: Instant) -> Option<Draft> {
        let at = self.suspected.first().filter(|(_, due)| *due <= now).map(|(at, _)| *at)?;
        self.suspected.remove(0);
        let stood = |square: Square| sight.placement.changed(square) <= at + SCAN_US;
        let mut men = sight.misplaced();
        men.retain(|(_, from, to)| stood(*from) && stood(*to));
        let squares: Bitboard = men.iter().map(|(_, _, to)| *to).collect();
        let fresh = (squares & !self.told).any();
        self.told = squares;
        if !fresh || self.several == Some(at) {
            return None;
        }
        let evidence = json!({ "men": ways(&men), "squares": names(squares), "since": at });
        let since = men.iter().map(|(_, _, to)| sight.placement.changed(*to)).max().unwrap_or(at);
        let seat =
            self.turns.iter().rev().find(|(_, completed)| *completed + SCAN_US >= since).map(|(seat, _)| *seat)?;
        let claimants = sight.claimants(seat.opponent());
        Some(Draft::of(Kind::Displaced, seat, evidence).grade(Grade::Note).claimable(claimants, Window::Game))
    }
}

/// Whether a man may go there when it is its turn.
fn goes_ahead(man: Piece, from: Square, to: Square, occupied: Bitboard) -> bool {
    let pushed = man.role == Role::Pawn && from.file() == to.file();
    pushed || attacks::attacks(from, man, occupied).contains(to)
}

/// Men that stand elsewhere, as evidence.
pub fn ways(men: &[(Piece, Square, Square)]) -> Vec<serde_json::Value> {
    let way = |(man, from, to): &(Piece, Square, Square)| {
        let [man, from, to] = [man.char().to_string(), from.to_string(), to.to_string()];
        json!({ "man": man, "from": from, "to": to })
    };
    men.iter().map(way).collect()
}

fn names(squares: Bitboard) -> Vec<String> {
    squares.into_iter().map(|square| square.to_string()).collect()
}

fn without_move(press: &Unanswered, sight: BoardSight<'_>) -> Draft {
    let seat = sight.board.seat(press.by);
    let displaced = press.others_displaced.any();
    let evidence = json!({
        "pressed_at": press.at, "pressed_back_at": press.back, "clock": press.clock,
        "displaced": names(press.others_displaced),
    });
    let draft = Draft::of(Kind::ClockWithoutMove, seat, evidence);
    let draft = draft.claimable(sight.claimants(seat.opponent()), Window::Game);
    match displaced {
        false => draft,
        true => Draft { citation: Some(Kind::Displaced.citation(sight.rules)), ..draft.grade(Grade::Note) },
    }
}

/// Whether a reply stood on the board before the move was made that it replies to, or, where nothing may be touched in
/// the opponent's time, before that was completed (WBN 6.5, FIDE-ext 3.9). It is no reply if it stood there before
/// `since` already.
fn early_reply(sight: BoardSight<'_>, by: Seat, reply: Move, to: &Completed, since: Instant) -> Option<Draft> {
    let square = uci::destination(reply);
    let stood = sight.placement.changed(square);
    let limit = match sight.rules.premove {
        Premove::NonDisruptive => to.made_at,
        Premove::Forbidden => to.completed_at,
    };
    let retakes = uci::destination(to.played) == square;
    if limit - stood < PREMOVE_US || stood < since || retakes || to.clock.is_none() {
        return None;
    }
    let evidence = json!({
        "move": uci::write(reply), "seen_at": stood, "made_at": to.made_at, "completed_at": to.completed_at,
        "squares": [square.to_string()],
    });
    let claimer = by.opponent();
    Some(Draft::of(Kind::Premove, by, evidence).claimable(sight.claimants(claimer), Window::Until(claimer)))
}

/// Whether a completed illegal move is castling that lacks the rook's part (WBN 6.1). `after` is the position after it.
pub fn incomplete_castling(after: &BoardPosition, completed: &Completed) -> bool {
    let color = !after.turn();
    let Move::Normal { role: Role::King, from, to, .. } = completed.played else { return false };
    let side = CastlingSide::from_queen_side(to < from);
    let (king_home, corner) = homes(color, side);
    let rook_home = after.board().piece_at(corner) == Some(Role::Rook.of(color));
    !completed.illegal.is_empty() && from == king_home && to == side.king_to(color) && rook_home
}

/// Where king and rook of one side stand at first.
fn homes(color: Color, side: CastlingSide) -> (Square, Square) {
    let rank = color.fold_wb(Rank::First, Rank::Eighth);
    let corner = if side.is_king_side() { File::H } else { File::A };
    (Square::from_coords(File::E, rank), Square::from_coords(corner, rank))
}

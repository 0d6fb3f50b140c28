//! What hands do on one board beside the moves: presses without a move, men next to their squares, moves too early.
//!
//! In: presses, completed moves, placements. Out: drafts of incidents, when it is certain that nothing better explains
//! what is seen: hands are given time, and a square that reads wrong is not a man that stands wrong.

use std::collections::VecDeque;

use arrayvec::ArrayVec;
use serde_json::json;
use shakmaty::attacks;

use super::{
    asked::Asked,
    docket::{Draft, Window, claimers},
    hiding::Graces,
    incident::Grade,
    kind::Kind,
    presses::Presses,
};
use crate::{
    notation::uci,
    rules::{BoardPosition, Game, Move, Premove, Reason, RuleSet},
    sense::{Mismatch, Placement},
    track::{Completed, LinePly},
    types::{
        Bitboard, BoardId, CastlingSide, ClockTimes, Color, File, Instant, Kinds, MS, Piece, Rank, Role, SECOND, Seat,
        Square,
    },
};

/// A reply must stand so long before the move that it replies to: boards are scanned one square after the other.
const PREMOVE_US: i64 = 700 * MS;
/// A man that went ahead of its turn must stay so long before it is told: the other hand may have brought it there.
const AHEAD_US: i64 = 1200 * MS;
/// Without a clock a player who moves twice is told when the second man has stood for so long and nobody has replied:
/// until then it may be a premove, or a change of mind.
const TWICE_US: i64 = 4 * SECOND;
/// A rook must leave its square so long after the press: clocks and boards are read one after the other.
const CASTLING_US: i64 = 400 * MS;
/// Why castling is incomplete.
pub const NOT_MOVED: &str = "rook-not-moved";
/// Men are knocked while a move is made: not so long after it.
const LATER_US: i64 = 2 * SECOND;
/// Completed moves after which the board may have to be looked at.
const SUSPECTED_MAX: usize = 8;
/// Completed moves that tell in whose time something was done.
const TURNS_MAX: usize = 16;
/// A man that stood beside its square for so many moves and so long, and was not suspected, is one that the record had
/// there.
const UNSUSPECTED_TURNS: usize = 6;
const UNSUSPECTED_US: i64 = 10 * SECOND;
/// How much later than it happened a square may be read.
pub(super) const SCAN_US: i64 = 300 * MS;

/// A completed move after which men next to their squares are looked for.
#[derive(Clone, Copy, Debug)]
struct Suspected {
    by: Color,
    to: Square,
    made: Instant,
    completed: Instant,
    /// When they are looked for.
    due: Instant,
}

/// A completed move in time.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    by: Seat,
    made: Instant,
    completed: Instant,
    /// Its man may have gone to another square: nobody saw it there.
    unseen: bool,
}

impl Turn {
    /// A move of a seat.
    pub fn of(by: Seat, ply: &Completed) -> Turn {
        let ways = |m: Move| (m.from(), uci::destination(m));
        let (from, to) = ways(ply.played);
        let unseen = ply.rivals.iter().map(|rival| ways(*rival)).any(|(left, came)| left == from && came != to);
        Turn { by, made: ply.made_at, completed: ply.completed_at, unseen }
    }
}

/// What is watched on one board.
#[derive(Clone, Debug, Default)]
pub struct BoardWatch {
    presses: Presses,
    /// Castling whose rook may have gone after the press: whose, the rook's square, the press, when it is looked at.
    castled: Option<(Seat, Square, Instant, Instant)>,
    /// The last move with which another man made one, too: that is told already.
    several: Option<Instant>,
    /// Where those men stand.
    with_it: Bitboard,
    /// After which completed moves men next to their squares are looked for.
    suspected: ArrayVec<Suspected, SUSPECTED_MAX>,
    /// The last completed moves, the last one first.
    turns: VecDeque<Turn>,
    /// The last completed ply, and the one before it.
    last: [Option<Completed>; 2],
    /// Whether somebody pressed for the last completed ply, and for the one before it: else nobody knows when it was
    /// completed.
    pressed: [bool; 2],
    /// The ply that was told of as made too early.
    premove_told: Option<u32>,
    /// The last moves are others than was told.
    anew: bool,
    /// Whether the man of the last ply stood where it went before its player's turn began: another may have been made.
    waited: bool,
    /// A man that went ahead of its turn: from where, to where, and when it is certain.
    ahead: Option<(Square, Square, Instant)>,
    /// A second man of the player who moved last, where no clock tells turns: from where, to where, when it is certain.
    twice: Option<(Square, Square, Instant)>,
    /// Where a man went ahead that was told of, and since when it stands there.
    ahead_told: Option<(Square, Instant)>,
    /// Squares that were told of and still stand wrong.
    told: Bitboard,
    /// From when until when it was read what men had done while the daemon was away.
    unheard: Option<(Instant, Instant)>,
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
    /// When the player to move took a man from the tray that it has in hand.
    pub drops: Option<Instant>,
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

    /// Whose turn it is.
    pub(super) fn turn(&self) -> Color {
        self.position().turn()
    }

    /// Whether the board shows the completed moves and nothing else.
    pub(super) fn rests(&self) -> bool {
        self.placement.mismatch(self.position()).is_empty()
    }

    /// Squares where men stand that the completed moves do not put there.
    pub(super) fn foreign(&self) -> Bitboard {
        self.placement.mismatch(self.position()).foreign
    }

    /// The same of one colour's men.
    pub(super) fn foreign_of(&self, color: Color) -> Bitboard {
        let of_color =
            |square: Square| self.placement.kinds(square).single().flatten().is_some_and(|man| man.color == color);
        self.foreign().into_iter().filter(|square| of_color(*square)).collect()
    }

    /// Where the board contradicts the made moves.
    pub fn mismatch(&self) -> Mismatch {
        self.placement.mismatch(&self.shown())
    }

    /// Squares that men of one colour have left who stand nowhere else.
    pub(super) fn in_hand(&self, color: Color) -> Bitboard {
        let shown = self.shown();
        let left = self.placement.mismatch(&shown).missing & shown.board().by_color(color);
        left & !self.misplaced().iter().map(|(_, from, _)| *from).collect::<Bitboard>()
    }

    /// Men that are off their squares, or others stand there, promoted ones as the pawns that they are.
    pub fn missing_kinds(&self) -> Vec<Piece> {
        let shown = self.shown();
        let missing = self.placement.mismatch(&shown).any();
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

    /// When a man left for where it stands now: its square, or one beside it where it had stood displaced.
    fn lifted(&self, man: Piece, from: Square, to: Square) -> Instant {
        let left = self.placement.changed(from);
        let beside = attacks::king_attacks(from) & self.placement.allows_empty();
        let always = [left, Instant(i64::MAX)];
        let stood = |square: &Square| {
            *square != to && self.placement.told_of(*square, |seen| seen == man, left + -SCAN_US, always)
        };
        let stood = beside.into_iter().filter(stood).map(|square| self.placement.changed(square));
        let came = self.placement.changed(to) + SCAN_US;
        stood.filter(|lifted| *lifted <= came).max().unwrap_or(left)
    }

    pub(super) fn claimants(&self, seat: Seat) -> Vec<Seat> {
        claimers(self.rules, self.game.len(), seat)
    }
}

impl BoardWatch {
    /// A player pressed.
    pub fn press(&mut self, by: Color, at: Instant, clock: (ClockTimes, Option<Asked>), sight: BoardSight<'_>) {
        self.ahead = None;
        let turns = &self.turns;
        self.presses.press(by, at, clock, sight, |at| turns.iter().any(|turn| turn.completed == at));
    }

    /// A move was completed.
    pub fn completed(&mut self, seat: Seat, completed: &Completed, graces: &Graces) {
        let at = completed.completed_at;
        if let (Move::Castle { rook, .. }, Some(_)) = (completed.played, completed.clock) {
            let pressed = self.presses.first(seat.color).filter(|pressed| *pressed <= at).unwrap_or(at);
            self.castled = Some((seat, rook, pressed, pressed.max(at) + CASTLING_US));
        }
        self.pressed = [self.presses.completed(seat.color, completed.made_at, at), self.pressed[0]];
        if completed.illegal.contains(&Reason::SeveralChanges) {
            self.several = Some(at);
        }
        if !self.suspected.is_full() {
            let (by, made, due) = (seat.color, completed.made_at, at + graces.displaced);
            let to = uci::destination(completed.played);
            self.suspected.push(Suspected { by, to, made, completed: at, due });
        }
        self.turns.truncate(TURNS_MAX - 1);
        self.turns.push_front(Turn::of(seat, completed));
    }

    /// The record says now that this move, one of the last two, was castling: its rook may have gone after the press.
    pub fn castled_anew(&mut self, seat: Seat, completed: &Completed) {
        if let (Move::Castle { rook, .. }, Some(_)) = (completed.played, completed.clock) {
            let at = completed.completed_at;
            self.castled = Some((seat, rook, at, at + CASTLING_US));
        }
    }

    /// The move that a player completed then was the one that was told, and no other.
    pub fn certain(&mut self, by: Seat, completed: Instant) {
        let is = |turn: &&mut Turn| (turn.by, turn.completed) == (by, completed);
        self.turns.iter_mut().filter(is).for_each(|turn| turn.unseen = false);
        self.last.iter_mut().flatten().filter(|ply| ply.completed_at == completed).for_each(|ply| ply.rivals.clear());
    }

    /// The last completed move, if it is of this player.
    pub(super) fn last_of(&self, player: Seat) -> Option<&Completed> {
        self.last[0].as_ref().filter(|_| self.turns.front().is_some_and(|turn| turn.by == player))
    }

    /// The record says now that these were the moves, the last one first.
    pub fn retold(&mut self, turns: impl IntoIterator<Item = Turn>) {
        self.turns = turns.into_iter().take(TURNS_MAX).collect();
    }

    /// Completed moves were others: nothing is told of what the old record could not explain.
    pub fn revised(&mut self) {
        self.presses.revised();
        self.suspected.clear();
        self.castled = None;
        (self.ahead, self.twice) = (None, None);
        self.last.iter_mut().flatten().for_each(|ply| ply.rivals.clear());
        self.anew = true;
    }

    /// A move was completed: whether the reply that is seen already, or this move as a reply, came too early. `sight`
    /// is the board after the move.
    pub fn premove(&mut self, sight: BoardSight<'_>, mover: Seat, completed: &Completed) -> Option<Draft> {
        let [last, before] = std::mem::take(&mut self.last);
        let since = |ply: &Option<Completed>| ply.as_ref().map_or(Instant::LONG_AGO, |ply| ply.completed_at);
        let ply = sight.position().plies();
        self.presses.turn(sight);
        if self.several == Some(completed.completed_at) {
            self.with_it = sight.misplaced().iter().map(|(_, _, to)| *to).collect();
        }
        let doubtful = sight.placement.changed(uci::destination(completed.played)) < since(&before);
        if doubtful {
            // What stood there before is not what was played: what else stands elsewhere will be read anew.
            self.suspected.retain(|suspected| suspected.completed != completed.completed_at);
        }
        self.waited = sight.placement.changed(uci::destination(completed.played)) < since(&last);
        let reply = sight.line.first().map(|reply| reply.played).filter(|reply| is_certain(*reply));
        // Of a move that may have been another one nobody knows what came before it.
        let known_move = completed.rivals.is_empty();
        let reply_early = reply.filter(|_| self.pressed[0] && known_move);
        let next = reply_early.and_then(|reply| early_reply(sight, mover.opponent(), reply, completed, since(&last)));
        let anew = std::mem::take(&mut self.anew);
        let replied_to = last.as_ref().filter(|_| self.pressed[1] && known_move && !anew);
        let this = replied_to.and_then(|last| early_reply(sight, mover, completed.played, last, since(&before)));
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
        let last = std::mem::take(&mut self.last);
        let turns = std::mem::take(&mut self.turns);
        let BoardWatch { told, several, with_it, unheard, .. } = *self;
        *self = BoardWatch { told, several, with_it, unheard, last, turns, ..BoardWatch::default() };
    }

    /// The daemon was away: when men came that are first seen between these instants, and whose turn it was, nobody
    /// knows.
    pub fn unheard(&mut self, from: Instant, until: Instant) {
        self.unheard = Some((from, until));
    }

    /// When the next press that waits for its move is looked at; none if there is none.
    pub fn settles_at(&self) -> Option<Instant> {
        self.presses.deadline()
    }

    /// When something may have to be told.
    pub fn deadline(&self) -> Option<Instant> {
        let presses = self.presses.deadline().into_iter();
        let castled = self.castled.map(|(_, _, _, due)| due);
        let ahead = self.ahead.map(|(_, _, due)| due);
        let twice = self.twice.map(|(_, _, due)| due);
        presses
            .chain(castled)
            .chain(ahead)
            .chain(twice)
            .chain(self.suspected.first().map(|suspected| suspected.due))
            .min()
    }

    /// Tells what nothing has explained in time.
    pub fn look(&mut self, sight: BoardSight<'_>, now: Instant) -> Vec<Draft> {
        let mut drafts = self.presses.look(sight, now);
        drafts.extend(self.castled_late(sight, now));
        drafts.extend(self.gone_ahead(sight, now));
        drafts.extend(self.moved_twice(sight, now));
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
        // A man that was knocked off its square is not in the way.
        let stands = occupied & !sight.mismatch().missing;
        let since = self.turns.front().map_or(Instant::LONG_AGO, |turn| turn.completed);
        let made = self.last[0].as_ref().map_or(Instant::LONG_AGO, |last| last.made_at);
        let went = |(man, from, to): &(Piece, Square, Square)| {
            let came = sight.placement.changed(*to);
            // A man that was lifted before the last move was made, or was in the hand when its player pressed, is that
            // move, and the record is wrong.
            let lifted = sight.lifted(*man, *from, *to);
            let heard_late = if self.waited { 0 } else { SCAN_US };
            let in_time = came >= since && lifted >= made && lifted + heard_late >= since;
            let with_it = self.several.is_some_and(|several| came <= several + SCAN_US);
            // What the other player has made there was captured already.
            let men = Role::ALL.into_iter().map(|role| role.of(to_move));
            let reply = !occupied.contains(*to)
                && men.into_iter().any(|man| sight.placement.showed(*to, man, since, came + -1));
            let ahead = man.color != to_move && in_time && !with_it && !reply;
            ahead && from.distance(*to) > 1 && goes_ahead(*man, *from, *to, stands)
        };
        // Nobody saw what is dropped and captured between two scans; who was lifted before that has not captured it.
        let men = sight.misplaced();
        let captures = |(man, from, to): &(Piece, Square, Square)| {
            sight.drops.is_some_and(|taken| taken <= sight.lifted(*man, *from, *to))
        };
        let found = men.iter().filter(|way| !captures(way)).find(|way| went(way)).map(|(_, from, to)| (*from, *to));
        // What came after something that the other player did, and no rule allows, answers that.
        let answers = |then: Instant| {
            let did = |(man, _, to): &(Piece, Square, Square)| {
                man.color == to_move && (since..then).contains(&sight.placement.changed(*to))
            };
            men.iter().any(did)
        };
        let found = found.filter(|(_, to)| !answers(sight.placement.changed(*to)));
        let found = found.filter(|(_, to)| self.ahead_told != Some((*to, sight.placement.changed(*to))));
        let same = self.ahead.filter(|(from, to, _)| found == Some((*from, *to)));
        self.ahead = same.or(found.map(|(from, to)| (from, to, sight.placement.changed(to) + AHEAD_US)));
    }

    /// The board shows something else and no clock says whose turn it is: whether another man of the player who moved
    /// last made a move, too.
    pub fn changed_unclocked(&mut self, sight: BoardSight<'_>) {
        let turn = sight.turn();
        let last = self.last[0].as_ref().map(|last| (uci::destination(last.played), last.completed_at));
        let Some((stands, since)) = last.filter(|_| sight.line.is_empty()) else {
            self.twice = None;
            return;
        };
        let occupied = sight.position().board().occupied();
        let men = sight.misplaced();
        let went = |(man, from, to): &(Piece, Square, Square)| {
            let later = sight.placement.changed(*to) > since && *from != stands;
            man.color != turn && later && from.distance(*to) > 1 && goes_ahead(*man, *from, *to, occupied)
        };
        // More men are a board that is set up or swept off, or a record that is wrong; one may stand beside its square.
        let beside = men.iter().any(|(_, from, to)| from.distance(*to) == 1);
        let few = men.len() <= 1 + usize::from(beside);
        let found = men.iter().find(|way| went(way));
        let found = found.filter(|_| few && sight.mismatch().any().count() == 2 * men.len());
        let found = found.map(|(_, from, to)| (*from, *to));
        let found = found.filter(|(_, to)| self.ahead_told != Some((*to, sight.placement.changed(*to))));
        self.twice = found.map(|(from, to)| (from, to, sight.placement.changed(to) + TWICE_US));
    }

    /// A second move of one player in a row that stood while nobody replied (WBN 1.4).
    fn moved_twice(&mut self, sight: BoardSight<'_>, now: Instant) -> Option<Draft> {
        let (from, to, due) = self.twice.take_if(|(_, _, due)| *due <= now)?;
        let by = sight.board.seat(!sight.turn());
        self.ahead_told = Some((to, sight.placement.changed(to)));
        let word = Reason::NotYourTurn.as_str();
        let evidence = json!({
            "from": from.to_string(), "to": to.to_string(), "reasons": [word], "made_at": due + -TWICE_US,
        });
        let draft = Draft::of(Kind::IllegalMove, by, evidence).grade(Grade::Decisive).reason(word);
        let draft = Draft { citation: Some(sight.rules.article(Reason::NotYourTurn)), ..draft };
        Some(draft.claimable(sight.claimants(by.opponent()), Window::Until(by.opponent())))
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

    /// Until when a man must have come to its square not to be one that the record does not know, when it is seen
    /// there after a move that was completed `at`.
    fn unsuspected(&self, at: Instant) -> Instant {
        let before = self.turns.iter().filter(|turn| turn.completed < at).nth(UNSUSPECTED_TURNS);
        let long = before.map_or(Instant::LONG_AGO, |turn| turn.completed.min(at + -UNSUSPECTED_US));
        let unseen = self.turns.iter().find(|turn| turn.unseen);
        unseen.map_or(long, |unseen| long.max(unseen.completed))
    }

    /// Who moved last when a man was lifted that came to another square: who had replied before the press, if somebody
    /// had, else whose press was the first after it came.
    fn at_work(&self, lifted: Instant, came: Instant) -> Option<Seat> {
        let pressed = self.turns.iter().rposition(|turn| turn.completed + SCAN_US >= came)?;
        let replied = (0..pressed).rev().take_while(|index| self.turns[*index].made <= lifted).last();
        Some(self.turns[replied.unwrap_or(pressed)].by)
    }

    /// Men that stood next to their squares when a move was completed, and still do.
    fn displaced(&mut self, sight: BoardSight<'_>, now: Instant) -> Option<Draft> {
        let suspected = *self.suspected.first().filter(|suspected| suspected.due <= now)?;
        let at = suspected.completed;
        self.suspected.remove(0);
        let stood = |square: Square| sight.placement.changed(square) <= at + SCAN_US;
        // A man that stood beside its square before its player had pressed for another move is no move after that.
        let pressed = |color: Color| self.turns.iter().find(|turn| turn.by.color == color).map(|turn| turn.completed);
        let knocked = |by: Color, m: Move| {
            let beside = m.from().is_some_and(|from| from.distance(m.to()) == 1);
            beside && pressed(by).is_some_and(|pressed| sight.placement.changed(m.to()) <= pressed)
        };
        let mover = |index: usize| if index.is_multiple_of(2) { sight.turn() } else { !sight.turn() };
        let good = |(index, ply): &(usize, &LinePly)| !knocked(mover(*index), ply.played);
        let made = sight.line.iter().enumerate().take_while(good).count();
        let without = BoardSight { line: &sight.line[..made], ..sight };
        // More than one man is a record that is wrong.
        let alone = without.mismatch().any().count() == 2;
        let mut men = if alone { without.misplaced() } else { sight.misplaced() };
        let occupied = sight.position().board().occupied();
        // A man of the player's own that went as it may long after the move was made is the move: the record is wrong.
        let moved = |(man, from, to): &(Piece, Square, Square)| {
            let later = sight.placement.changed(*to) > suspected.made + LATER_US;
            man.color == suspected.by && later && goes_ahead(*man, *from, *to, occupied)
        };
        // Whether it went ahead of its turn was told, or will be.
        let told = |to: Square| self.ahead_told == Some((to, sight.placement.changed(to)));
        let ahead = |to: Square| told(to) || self.ahead.is_some_and(|(_, ahead, _)| ahead == to);
        // The man of the move itself, which its player moved on before the press: that is the move.
        let moved_on = |(man, from, to): &(Piece, Square, Square)| {
            let later = sight.placement.changed(*to) > suspected.made;
            man.color == suspected.by && *from == suspected.to && later
        };
        men.retain(|way| stood(way.1) && stood(way.2) && !moved(way) && !moved_on(way) && !ahead(way.2));
        // Where it came before a move that nobody saw, or stood unsuspected for long, the record is wrong.
        let unknown = self.unsuspected(at);
        let unheard = |at: Instant| self.unheard.is_some_and(|(from, until)| (from..=until).contains(&at));
        men.retain(|(_, _, to)| sight.placement.changed(*to) > unknown || self.told.contains(*to));
        men.retain(|(_, _, to)| !unheard(sight.placement.changed(*to)));
        if self.several == Some(at) {
            let all = BoardSight { line: &[], ..sight }.misplaced();
            self.with_it = all.iter().map(|(_, _, to)| *to).collect();
        }
        let several = self.several.unwrap_or(Instant::LONG_AGO) + SCAN_US;
        men.retain(|(_, _, to)| !self.with_it.contains(*to) || sight.placement.changed(*to) > several);
        // What came before a press that nothing explains yet may be what its player pressed for.
        let awaited = |(man, _, to): &(Piece, Square, Square)| {
            self.presses.waits(man.color, sight.placement.changed(*to) + -SCAN_US)
        };
        if men.iter().any(awaited) {
            self.suspected.insert(0, Suspected { due: now + SECOND, ..suspected });
            return None;
        }
        let squares: Bitboard = men.iter().map(|(_, _, to)| *to).collect();
        let fresh = (squares & !self.told).any();
        self.told = squares;
        if !fresh {
            return None;
        }
        let evidence = json!({ "men": ways(&men), "squares": names(squares), "since": at });
        let changed = |square: Square| sight.placement.changed(square);
        let last = men.iter().max_by_key(|(_, _, to)| changed(*to));
        let seat = last.and_then(|(_, from, to)| self.at_work(changed(*from), changed(*to)))?;
        let claimants = sight.claimants(seat.opponent());
        Some(Draft::of(Kind::Displaced, seat, evidence).grade(Grade::Note).claimable(claimants, Window::Game))
    }
}

/// Whether a reply that is seen is one before its player presses: a man next to its square may have been knocked there
/// (WBN 6.4), a dropped one may be any that stands where none should.
fn is_certain(reply: Move) -> bool {
    reply.from().is_some_and(|from| from.distance(uci::destination(reply)) > 1)
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

pub(super) fn names(squares: Bitboard) -> Vec<String> {
    squares.into_iter().map(|square| square.to_string()).collect()
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
    let pressed_with = reply.from().is_some_and(|from| sight.placement.changed(from) + SCAN_US < since);
    let retakes = uci::destination(to.played) == square || pressed_with;
    let unseen = sight.placement.allows_empty().contains(square);
    // A clock may be heard before a man is read that was in the hand then.
    let in_hand = || to.played.from().is_some_and(|from| sight.placement.changed(from) < to.completed_at);
    let late = to.made_at > to.completed_at && to.made_at < to.completed_at + SCAN_US && in_hand();
    let unknown = to.made_at >= to.completed_at && !late || to.clock.is_none();
    let limit = limit.min(to.completed_at);
    let changed = || stood_elsewhere(sight, to.played, by.color, stood);
    let made = || limit != to.completed_at && was_made(sight, to.played, by.opponent(), (since, stood));
    if limit - stood < PREMOVE_US || stood < since || retakes || unseen || unknown || changed() || made() {
        return None;
    }
    let evidence = json!({
        "move": uci::write(reply), "seen_at": stood, "made_at": to.made_at, "completed_at": to.completed_at,
        "squares": [square.to_string()],
    });
    let claimer = by.opponent();
    Some(Draft::of(Kind::Premove, by, evidence).claimable(sight.claimants(claimer), Window::Until(claimer)))
}

/// Whether the man of a move had stood where it went before another move was made: it was only lifted or knocked since
/// then.
fn was_made(sight: BoardSight<'_>, played: Move, by: Seat, (since, until): (Instant, Instant)) -> bool {
    let to = uci::destination(played);
    let identified = sight.placement.kinds(to).single().is_some();
    identified && sight.placement.showed(to, played.role().of(by.color), since, until)
}

/// Whether the man of a move stood on yet another square at some time: its player changed the move, or made two.
fn stood_elsewhere(sight: BoardSight<'_>, played: Move, by: Color, at: Instant) -> bool {
    let man = Kinds::only(played.role().of(!by));
    let free = !sight.position().board().occupied() & !played.from().map_or(Bitboard::EMPTY, Bitboard::from);
    free.into_iter().any(|square| sight.placement.kinds_at(square, at) == man)
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

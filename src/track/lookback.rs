//! Second thoughts: completed plies read anew when the board can no longer be explained with them.
//!
//! In: a board that contradicts its game, or a ply whose time is over. Out: a [`Revision`], if one costs less than to
//! go on believing. A slide that went on after the press, a man that stood on a wrong square for a moment,
//! a capture that the sensors could not tell from another, a promotion that nobody declared: all are found here.

use arrayvec::ArrayVec;

use super::{
    Completed, Completion, LOOK_BACK_REST_US, PATIENCE_US,
    board::{BoardTrack, LinePly, is_back},
    cost,
    hindsight::{self, Effort},
    past::{Past, reread, reread_from, reread_to},
    search::{self, Arriving, Evidence, Explanation, Hand, PLIES_MAX},
    seen::Seen,
    settled::{made_at, made_first, touched},
    slots::Renamed,
};
use crate::{
    notation::uci,
    rules::{BoardPosition, Move, Reason},
    sense::Reading,
    types::{Bitboard, BoardId, ByColor, ByRole, Color, Instant, Kinds, Role, SECOND, Square},
};

/// Open questions of earlier plies that are tried.
const QUESTIONS_MAX: usize = 64;
/// Plies whose captures come to trays meanwhile.
const TOLD_PLIES: usize = 8;
/// Nobody has a man in hand, or lets it lie beside its square, for so long.
const BELIED_US: i64 = 5 * SECOND;
/// Ways in which plies may have gone on after another one that are followed.
const WAYS_MAX: usize = 8;

/// A ply that was another one.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    /// Its index on the board.
    index: usize,
    /// The index of the first ply that is another one: an earlier drop may have to be of another kind for it.
    from: usize,
    /// The plies from there on.
    moves: Vec<Move>,
    /// What it costs to believe them.
    cost: u32,
    /// What else the ply may have been, as far as one can tell.
    open: Vec<Move>,
}

/// Completed plies of a board that were others.
#[derive(Clone, Debug, PartialEq)]
pub struct Revision {
    /// The board.
    pub board: BoardId,
    /// Index of the first ply on the board that is replaced.
    pub from: usize,
    /// The plies from there on.
    pub moves: Vec<Completed>,
    /// They are hardly likelier than those that they replace.
    pub narrow: bool,
}

/// A man that is said to have gone to one square and went to another.
#[derive(Clone, Copy)]
struct Strayed {
    said: Square,
    is: Square,
}

impl Strayed {
    fn of(said: Move, is: Move) -> Option<Strayed> {
        let same = said.from() == is.from() && said.role() == is.role();
        let [said, is] = [said, is].map(uci::destination);
        (same && said != is).then_some(Strayed { said, is })
    }

    /// The capture of it where it is instead of where it is said to be.
    fn caught(self, position: &BoardPosition, by: &Past) -> Option<Move> {
        reread_to(position, by.played, self.is)
    }
}

impl Revision {
    /// The moves alone.
    pub fn plays(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves.iter().map(|completed| completed.played)
    }
}

impl BoardTrack {
    /// When the contradiction has rested long enough for a look back, if there is one that was not looked at.
    pub fn look_back_due(&self) -> Option<Instant> {
        let looked = self.looked_back.filter(|(state, _)| *state == self.state());
        if self.past.is_empty() || self.clock_stopped || !self.may_be_play || looked.is_some_and(|(_, waited)| waited) {
            return None;
        }
        let rest = self.changed_at + LOOK_BACK_REST_US;
        let waiting = self.first_press().filter(|_| self.line.is_empty()).map(|press| rest.max(press + PATIENCE_US));
        let review = self.past.last().filter(|_| self.reviewed < self.past.len());
        let review = review.map(|last| last.completed_at + 2 * hindsight::LATE_US);
        let doubt = if self.is_doubtful() || self.strained { Some(rest) } else { waiting };
        let due = if looked.is_some() { waiting } else { doubt.into_iter().chain(review).min() }?;
        let due = due.max(self.rests_until);
        // A ply that nobody saw is no reason to doubt those before it.
        Some(self.answered_due().map_or(due, |answered| due.max(answered)))
    }

    /// Whether the board contradicts its line, or one of the last plies was not seen as it should be.
    fn is_doubtful(&self) -> bool {
        self.doubt || self.past.iter().rev().take(2).any(|past| past.shaky)
    }

    pub(super) fn state(&self) -> (Instant, Instant) {
        (self.changed_at, self.heard.back().map_or(Instant::LONG_AGO, |press| press.at))
    }

    /// Whether a man has come to the tray of a player's partner that the line does not capture, nor one of the last
    /// plies by the record: one of those may have been another that does.
    pub(super) fn told_by_tray(&self, seen: &Seen<'_>, line: &[Move], turn: Color) -> bool {
        let tells = |past: &Past| {
            let color = past.before.turn();
            let first = usize::from(turn != color);
            let caught = |role: Role| line.iter().skip(first).step_by(2).filter(|m| m.capture() == Some(role)).count();
            let other = |m: &&Move| past.is_told_otherwise(**m, seen);
            let mut roles = past.rivals.iter().filter(other).filter_map(|m| m.capture());
            roles.any(|role| usize::from(seen.arrived.get(color).unexplained(role)) > caught(role))
        };
        self.past.iter().rev().take(TOLD_PLIES).any(tells)
    }

    /// Reads completed plies anew. The caller plays the game again and observes the board.
    pub fn look_back(
        &mut self,
        board: BoardId,
        position: &BoardPosition,
        arriving: &Arriving,
        seen: &Seen<'_>,
        at: Instant,
    ) -> Option<Revision> {
        let waits = self.first_press().is_some_and(|press| at >= press + PATIENCE_US);
        self.looked_back = Some((self.state(), waits));
        self.reviewed = self.past.len();
        let position = arriving.apply(position);
        if !self.swept
            && let Some(revision) = self.hear_again(board, &position, seen)
        {
            return Some(revision);
        }
        if let Some(Answer { index, from, moves, open, .. }) = self.questioned(&position, seen, waits) {
            if let Some(Past { played: Move::Put { role, .. }, .. }) = self.past.get(index) {
                self.refuse(&[(index, *role)]);
            }
            let next = self.said_of_next(&position, index, from, &moves);
            let (next, moves) = next.map_or((None, moves), |(next, said, moves)| (Some((next, said)), moves));
            let mut revision = self.revise(board, &position, seen, from, &moves);
            if let Some((next, said)) = next {
                self.past[next].said = Some(said);
            }
            let certain = open.is_empty();
            if let (Some(past), Some(ply)) = (self.past.get_mut(index), revision.moves.get_mut(index - from)) {
                (past.rivals, ply.rivals) = (open.clone(), open);
            }
            if certain {
                self.learn_from(from, seen);
            }
            return Some(revision);
        }
        let illegal = self.illegal(&position, seen).filter(|_| self.is_trusted() && !self.swept);
        let mut look = None;
        let mut suspicion = std::mem::take(&mut self.suspicion);
        let asked = (!self.is_doubtful()).then_some(&mut suspicion);
        let (there, illegal, effort) = ((&position, seen, at), illegal.map(|illegal| illegal.cost), Effort::default());
        let told = self.reread(there, (illegal, true), asked, &effort, &mut look);
        let told = told.or_else(|| self.acquit(there, &effort, &mut look));
        self.suspicion = suspicion;
        self.rests_until = effort.rest(at);
        self.note_look(look);
        // Of a board that seems to be swept off only that counts which leads to all that stands there.
        let told = told.filter(|told| !self.swept || is_back(seen.placement.mismatch(&self.end_of(&position, told))));
        Some(self.retell(board, &position, seen, &told?))
    }

    /// The position `back` plies ago with everything in the pockets that could be dropped since.
    pub(super) fn root(&self, position: &BoardPosition, back: usize) -> BoardPosition {
        let tail = &self.past[self.past.len() - back..];
        let mut root = tail.first().map_or_else(|| position.clone(), |past| past.before.clone());
        for color in Color::ALL {
            root.set_pocket(color, *position.pocket(color));
        }
        for past in tail {
            // One that was in no pocket has left none.
            let held = !past.illegal.contains(&Reason::DropNotInPocket);
            if let (true, Move::Put { role, .. }) = (held, past.played) {
                root.add_to_pocket(past.before.turn(), role);
            }
        }
        root
    }

    /// Whether the last plies may be read anew for less than an illegal move costs.
    pub(super) fn reads_otherwise(&self, position: &BoardPosition, seen: &Seen<'_>, at: Instant, illegal: u32) -> bool {
        self.reread((position, seen, at), (Some(illegal), false), None, &Effort::default(), &mut None).is_some()
    }

    /// The latest ply that was one of several and explains the board as another: the one of those that does it best.
    pub(super) fn questioned(&self, position: &BoardPosition, seen: &Seen<'_>, long: bool) -> Option<Answer> {
        let elsewhere = long || self.strained;
        let long = long && self.line.is_empty();
        let waits = self.first_press().is_some() || self.completion != Completion::Clock;
        let mut left = QUESTIONS_MAX;
        for index in (0..self.past.len()).rev() {
            let mut alternatives: Vec<Move> = Vec::new();
            let mut ask = |m: Move| {
                if !alternatives.contains(&m) {
                    alternatives.push(m);
                }
            };
            if waits {
                self.alternatives(index, seen, long, elsewhere).take(left).for_each(&mut ask);
            } else {
                // A rook that follows its king late is no move of its own. A man in a tray tells of one before.
                let castling = |m: &Move| matches!(m, Move::Castle { .. });
                let told = |m: &Move| castling(m) || self.past[index].is_told_otherwise(*m, seen);
                self.past[index].alternatives().filter(told).for_each(&mut ask);
            }
            left = left.saturating_sub(alternatives.len());
            let answer = |m: Move| Some((m, self.answer(position, seen, index, m, (elsewhere, long))?));
            let answers: Vec<(Move, Answer)> = alternatives.into_iter().filter_map(answer).collect();
            let likelier = |(m, answer): &&(Move, Answer)| (answer.cost, !self.drove_off_king(index, *m));
            let Some((best, answer)) = answers.iter().min_by_key(likelier) else { continue };
            let as_good = |(m, other): &&(Move, Answer)| m != best && other.cost < answer.cost + cost::MARGIN;
            let open = answers.iter().filter(as_good).map(|(m, _)| *m).collect();
            return Some(Answer { open, ..answer.clone() });
        }
        None
    }

    /// The plies from there on if a ply was another one, and what that costs, if it explains the board better. Where
    /// men may have gone `elsewhere`, a square that felt others later may have missed this one. Where a press has
    /// `waited` for long without a ply, its man is on no way any more and may stand on a square that feels nothing.
    fn answer(
        &self,
        position: &BoardPosition,
        seen: &Seen<'_>,
        index: usize,
        m: Move,
        (elsewhere, waited): (bool, bool),
    ) -> Option<Answer> {
        let alone = || Some((index, self.answered(position, seen, index, m)?));
        let with_others = || self.answered_with_others(position, seen, index, m);
        let (from, (moves, found)) = alone().or_else(with_others)?;
        let renamed = m.promotion().is_some_and(|kind| self.past[index].played.promotion() != Some(kind));
        if renamed && !self.tells_promotion(index, m, &found.line) || self.changes_nothing(position, from, &moves) {
            return None;
        }
        let passed = self.passed(index, m, seen);
        let explains = found.mismatch.foreign.is_empty() && (!self.swept || is_back(found.mismatch));
        let dark = |m: &Move| seen.placement.kinds(uci::destination(*m)) == Kinds::EMPTY;
        let early = if waited && found.line.first().is_some_and(dark) { cost::EARLY } else { 0 };
        let better = explains && found.cost + passed + cost::GIVE_UP_MADE < self.cost + early;
        let believed = better
            && (elsewhere && self.past[index].played.to() != m.to()
                || !self.is_belied(seen, index, moves.get(index - from..)?));
        believed.then_some(Answer { index, from, moves, cost: found.cost, open: Vec::new() })
    }

    /// Whether other plies from `from` on lead to the position of the record, which explains as much then.
    fn changes_nothing(&self, position: &BoardPosition, from: usize, moves: &[Move]) -> bool {
        let mut after = self.root(position, self.past.len() - from);
        for m in moves {
            after.play(*m);
        }
        after.continues_as(position)
    }

    /// Whether a ply would have given check if it was that move, and the king has moved next: kings seldom do without.
    fn drove_off_king(&self, index: usize, m: Move) -> bool {
        let next = self.past.get(index + 1).map(|past| past.played).or(self.line.first().map(|ply| ply.played));
        let before = &self.past[index].before;
        if next.is_none_or(|next| next.role() != Role::King) || !before.is_legal(m) {
            return false;
        }
        let mut after = before.clone();
        after.play(m);
        after.checkers().any()
    }

    /// What it costs that the man of a ply stood where it went, if the ply was that of another man: where it has gone
    /// on since, the board does not tell of that any more.
    fn passed(&self, index: usize, m: Move, seen: &Seen<'_>) -> u32 {
        let past = &self.past[index];
        let (Some(from), to) = (past.played.from(), uci::destination(past.played)) else { return 0 };
        let man = past.played.role().of(past.before.turn());
        let stands = seen.placement.kinds(to).allows(Some(man));
        let other = m.from().is_some_and(|other| other != from) && !past.shaky && !stands;
        if other { search::stray(&past.before, man, from, to).1 } else { 0 }
    }

    /// Whether the man of the first of these plies, the one at `index`, should have stood for long where its square,
    /// which has felt other men since, felt nothing.
    fn is_belied(&self, seen: &Seen<'_>, index: usize, moves: &[Move]) -> bool {
        let Some((first, rest)) = moves.split_first() else { return false };
        let to = uci::destination(*first);
        let touched = rest.iter().position(|m| search::squares_of(*m).contains(to));
        let touched = touched.and_then(|at| self.past.get(index + 1 + at)).map(|past| past.made_at);
        let (from, until) = (self.past[index].completed_at, touched.unwrap_or_else(|| seen.placement.latest()));
        let empty = |reading: Reading| {
            let felt_since = reading.until <= seen.placement.latest();
            let lasted = reading.until.min(until) - reading.since.max(from);
            reading.kinds == Kinds::EMPTY && felt_since && lasted > BELIED_US
        };
        seen.placement.readings(to).any(empty)
    }

    /// Other moves that a ply may have been; a man that was dropped and has moved since, or where nothing explains a
    /// press for `long`, may be of another kind where no sensor told it. One that nobody saw may have gone elsewhere.
    fn alternatives(&self, index: usize, seen: &Seen<'_>, long: bool, elsewhere: bool) -> impl Iterator<Item = Move> {
        let past = &self.past[index];
        let dropped = match past.played {
            Move::Put { role, to } => Some((role, to)).filter(|_| {
                let moved = |square: Square| long || seen.placement.allows_empty().contains(square);
                self.stands_now(index, to).is_some_and(moved)
            }),
            _ => None,
        };
        let kinds = dropped.into_iter().flat_map(move |(known, to)| {
            let kinds = self.kinds_of_drop(index).zip(past.lay.may_be).map(|(moved, lay)| moved && lay);
            let others = Role::ALL.into_iter().filter(move |role| *role != known && *kinds.get(*role));
            others.map(move |role| Move::Put { role, to })
        });
        // What accuses somebody explained more than any move that nobody saw.
        let elsewhere = elsewhere && past.illegal.is_empty();
        let elsewhere = if elsewhere { self.elsewhere(index, seen) } else { Vec::new() };
        past.alternatives().chain(kinds).chain(elsewhere)
    }

    /// Strikes out rivals of earlier plies that what was seen since speaks against; answers the plies that are certain
    /// now.
    pub fn settle_questions(&mut self, position: &BoardPosition, seen: &Seen<'_>) -> Vec<usize> {
        // Of the latest ones; those further back stay open.
        let mut left = QUESTIONS_MAX;
        let open =
            (0..self.past.len()).rev().filter(|index| !self.past[*index].rivals.is_empty()).take_while(|index| {
                let among = left > 0;
                left = left.saturating_sub(self.past[*index].rivals.len());
                among
            });
        let open: Vec<usize> = open.collect();
        let mut certain = Vec::new();
        for index in open {
            let mut rivals = std::mem::take(&mut self.past[index].rivals);
            rivals.retain(|rival| {
                if self.came_with(index, *rival) {
                    return true;
                }
                let found = self.answered(position, seen, index, *rival);
                found.is_some_and(|(_, found)| found.cost < self.cost + cost::FOREIGN)
            });
            if rivals.is_empty() {
                certain.push(index);
            }
            self.past[index].rivals = rivals;
        }
        certain.reverse();
        certain
    }

    /// Whether a rival of the ply at `index` is what its player played later, and both were first seen in the same
    /// moment: nobody knows which came first.
    fn came_with(&self, index: usize, rival: Move) -> bool {
        let [ply, later @ ..] = &self.past[index..] else { return false };
        let mut own = later.iter().skip(1).step_by(2).take_while(|later| later.made_at == ply.made_at);
        own.any(|later| later.played == rival)
    }

    /// Where the man stands now that stood on a square after the ply at `index`; none if it was captured.
    pub(super) fn stands_now(&self, index: usize, square: Square) -> Option<Square> {
        self.past[index + 1..].iter().try_fold(square, |square, past| match past.played {
            m if m.from() == Some(square) => Some(m.to()),
            m => (m.to() != square).then_some(square),
        })
    }

    /// How the board is explained if the ply at `index` was another, and the plies from there on.
    fn answered(
        &self,
        position: &BoardPosition,
        seen: &Seen<'_>,
        index: usize,
        alternative: Move,
    ) -> Option<(Vec<Move>, Explanation)> {
        self.way(position, seen, index, |at| (at == index).then_some(alternative))
    }

    /// The same of a dropped man of another kind that only the names of other drops allow: from where on plies are
    /// others, and which.
    fn answered_with_others(
        &self,
        position: &BoardPosition,
        seen: &Seen<'_>,
        index: usize,
        alternative: Move,
    ) -> Option<(usize, (Vec<Move>, Explanation))> {
        let Move::Put { role, to } = alternative else { return None };
        let same = self.past[index].played.to() == to;
        let Renamed { names, mistaken } = self.renamed(index, role, seen).filter(|_| same)?;
        let from = names.iter().map(|(index, _)| *index).min()?;
        let other = |at: usize| {
            let (_, role) = names.iter().find(|(index, _)| *index == at)?;
            Some(Move::Put { role: *role, to: self.past[at].played.to() })
        };
        let mut position = position.clone();
        let by = self.past[index].before.turn();
        mistaken.iter().for_each(|(_, _, role)| position.add_to_pocket(by, *role));
        Some((from, self.way(&position, seen, from, other)?))
    }

    /// The plies from `from` on if some of them were others, and how the board is explained after them.
    pub(super) fn way(
        &self,
        position: &BoardPosition,
        seen: &Seen<'_>,
        from: usize,
        other: impl Fn(usize) -> Option<Move>,
    ) -> Option<(Vec<Move>, Explanation)> {
        let mut ways = vec![(Vec::new(), self.root(position, self.past.len() - from))];
        let mut strayed: Option<Strayed> = None;
        for (index, past) in self.past.iter().enumerate().skip(from) {
            let mut next = Vec::with_capacity(ways.len());
            let other = other(index);
            let gone_on = strayed.take_if(|strayed| past.played.from() == Some(strayed.said));
            let caught = strayed.filter(|man| past.played.is_capture() && past.played.to() == man.said);
            for (moves, before) in &mut ways {
                let options = match (other, gone_on, caught) {
                    (Some(other), _, _) => reread(before, other).into_iter().collect(),
                    (None, Some(man), _) => {
                        let moved = reread_from(before, past.played, man.is);
                        moved.map_or_else(|| past.again(before), |moved| vec![moved])
                    }
                    (None, None, Some(man)) => past.again(before).into_iter().chain(man.caught(before, past)).collect(),
                    (None, None, None) => past.again(before),
                };
                for m in options.into_iter().map(|m| self.as_said(past, m)) {
                    let (mut moves, mut after): (Vec<Move>, BoardPosition) = (moves.clone(), before.clone());
                    after.play(m);
                    moves.push(m);
                    next.push((moves, after));
                }
            }
            next.truncate(WAYS_MAX);
            ways = next;
            // What comes to its square has captured it, and stands where it stood.
            let stands = |strayed: &Strayed| caught.is_some() || uci::destination(past.played) != strayed.said;
            strayed = other.and_then(|other| Strayed::of(past.played, other)).or(strayed.filter(stands));
        }
        let presses: Vec<Instant> = self.pressed().collect();
        let blind = (from..self.past.len()).fold(self.blind, |blind, index| match other(index) {
            Some(other) => self.blind_elsewhere(blind, index, other, seen),
            None => blind,
        });
        let explained = |(moves, after): (Vec<Move>, BoardPosition)| {
            let arrived = self.arrived(seen, from, &moves);
            let evidence = Evidence { presses: &presses, blind, arrived: &arrived, ..self.evidence(seen, 0) };
            let found = search::explain(&after, evidence, presses.len() + 2);
            (moves, found)
        };
        ways.into_iter().map(explained).min_by_key(|(_, found)| found.cost)
    }

    /// Men in partners' trays that no capture explains, if these were the plies from `from` on.
    fn arrived(&self, seen: &Seen<'_>, from: usize, moves: &[Move]) -> ByColor<Hand> {
        let plies = || self.past[from..].iter().zip(moves).map(|(past, other)| (past.before.turn(), past, other));
        let record = plies().filter_map(|(by, past, _)| Some((by, past.played.capture()?)));
        let others = plies().filter_map(|(by, _, other)| Some((by, other.capture()?)));
        search::recaptured(&seen.arrived, record, others)
    }

    /// Squares that feel nothing if a ply was another one that nothing has shown either: not the square that is only
    /// supposed to for its sake, but the other one's.
    fn blind_elsewhere(&self, blind: Bitboard, index: usize, other: Move, seen: &Seen<'_>) -> Bitboard {
        let past = &self.past[index];
        let [said, to] = [past.played, other].map(uci::destination);
        // Of a square that was learnt since, only this ply has told.
        let learnt = self.learnt.iter().any(|(square, plies)| *square == said && *plies > index);
        let supposed = (self.blind & !self.proven).contains(said) && (learnt || self.supposed.contains(said));
        let shows_nothing = |square| seen.placement.kinds_at(square, past.completed_at) == Kinds::EMPTY;
        match supposed && said != to && shows_nothing(to) && seen.placement.changed(to) < past.completed_at {
            true => (blind & !Bitboard::from(said)).with(to),
            false => blind,
        }
    }

    /// Replaces the plies from `from` on by `moves`, as far as they were completed; later plies stay as they were.
    pub(super) fn revise(
        &mut self,
        board: BoardId,
        position: &BoardPosition,
        seen: &Seen<'_>,
        from: usize,
        moves: &[Move],
    ) -> Revision {
        self.forget_from(from);
        let mut before = self.root(position, self.past.len() - from);
        let old = self.past.split_off(from);
        let mut revised = Vec::with_capacity(old.len());
        for (index, past) in old.into_iter().enumerate() {
            let fresh = moves.get(index).copied();
            let played = fresh.or_else(|| reread(&before, past.played)).unwrap_or(past.played);
            let changed = played != past.played;
            let renamed =
                matches!((played, past.played), (Move::Put { to, .. }, Move::Put { to: old, .. }) if to == old);
            let made_at = if changed && !renamed {
                let later = touched(moves.get(index + 1..).unwrap_or_default());
                made_at(played, later, seen.placement, past.completed_at)
            } else {
                past.made_at
            };
            let said = self.said.reread(&past, played);
            let illegal = if fresh.is_some() { Vec::new() } else { past.illegal.clone() };
            let rivals = if changed { Vec::new() } else { past.rivals.clone() };
            let (completed_at, clock) = (past.completed_at, past.clock);
            let completed = Completed { board, played, made_at, completed_at, clock, illegal, rivals: Vec::new() };
            let shaky = past.shaky && !changed;
            let (unsure, told) = if changed { (None, ByRole::default()) } else { (past.unsure, past.told) };
            let anew = Past::new(&before, &completed, rivals).felt(seen.placement).read_anew(&past);
            self.past.push(Past { said, shaky, unsure, told, ..anew });
            before.play(played);
            revised.push(completed);
        }
        self.line = self.rest_of_line(before, moves.get(revised.len()..).unwrap_or_default(), seen);
        Revision { board, from, moves: revised, narrow: false }
    }

    /// Plies of a line that are not completed yet.
    pub(super) fn rest_of_line(
        &self,
        mut position: BoardPosition,
        moves: &[Move],
        seen: &Seen<'_>,
    ) -> ArrayVec<LinePly, PLIES_MAX> {
        let since = self.past.last().map_or(self.began, |last| last.made_at);
        let ply = |(index, played): (usize, &Move)| {
            let turn = position.turn();
            let captured = position.play(*played);
            let later = touched(&moves[index + 1..]);
            let made_at = made_first(&moves[index..], turn, seen.placement, [since, self.changed_at]);
            LinePly { played: *played, made_at, covered: later.contains(uci::destination(*played)), captured }
        };
        moves.iter().take(PLIES_MAX).enumerate().map(ply).collect()
    }
}

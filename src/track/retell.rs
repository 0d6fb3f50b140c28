//! Completed plies of a board put right by hindsight.
//!
//! In: what is completed, the presses that were heard, what the squares have shown. Out: a revision, if another account
//! of the last plies explains that better than the record.

use std::collections::VecDeque;

use arrayvec::ArrayVec;

use super::{
    Completed, Completion, Press, Revision,
    board::BoardTrack,
    cost,
    deaf::{Deaf, Presses},
    explain::Look,
    hindsight::{self, Account, Effort, Log, Ply, Told},
    past::Past,
    search::{self, Hand},
    seen::Seen,
};
use crate::{
    rules::{Attempt, BoardPosition, Move, Reason},
    sense::{Mismatch, Placement},
    types::{Bitboard, BoardId, ByColor, CastlingSide, Color, Instant, Kinds, Square},
};

/// How far plies are read anew: first those in which it mostly lies, in more ways only if that explains little.
const NEAR: Reach = Reach { plies: 8, lines: 64, accuses: false, acquits: false };
const FAR: Reach = Reach { plies: 14, lines: 160, accuses: false, acquits: false };

/// Plies within which a man that nobody saw stand has moved on.
const LATER_PLIES: usize = 4;

/// How much is read anew.
#[derive(Clone, Copy)]
struct Reach {
    /// Completed plies.
    plies: usize,
    /// Lines that are followed.
    lines: usize,
    /// A ply may have been illegal.
    accuses: bool,
    /// A ply that is said to be illegal may have been a legal one.
    acquits: bool,
}

/// What came out of reading anew beside that.
#[derive(Default)]
struct Findings {
    look: Option<Look>,
    /// What speaks against the best account.
    doubt: u32,
    /// How much less it costs than the record.
    saves: u32,
}

/// Completed plies that were others.
#[derive(Clone, Debug)]
pub(super) struct Reread {
    /// The index of the first ply that was read anew.
    first: usize,
    /// The index of the first new one.
    from: usize,
    /// All of them.
    told: Told,
    /// How much less they cost than the record, where that is known.
    saves: Option<u32>,
}

/// What has come to speak against completed plies since they were read anew.
#[derive(Clone, Debug, Default)]
pub(super) struct Suspicion {
    /// The index of the first ply that has been looked at.
    first: usize,
    /// The most that it and each one after it has cost.
    weighed: Vec<u32>,
    /// What more they have come to cost since the record was read anew.
    cost: u32,
}

impl Suspicion {
    /// Plies from `from` on are others now.
    pub(super) fn forget(&mut self, from: usize) {
        self.weighed.truncate(from.saturating_sub(self.first));
        self.cost = 0;
    }

    /// Whether there is a reason to read the record anew: `first` is the index of its first ply, `costs` what its plies
    /// cost beyond themselves, `open` what speaks against the present. What spoke against the record when it was read
    /// anew last is no reason: what is cheaper for what came since was not cheap enough before.
    fn arises(&mut self, first: usize, costs: &[u32], open: u32) -> bool {
        // What is before the first that was looked at is nothing new.
        let known = |(index, cost): (usize, &u32)| match (first + index).checked_sub(self.first) {
            Some(index) => self.weighed.get(index).copied().unwrap_or(0),
            None => *cost,
        };
        let weighed = costs.iter().enumerate().map(|ply| known(ply).max(*ply.1)).collect();
        self.cost += costs.iter().enumerate().map(|ply| ply.1.saturating_sub(known(ply))).sum::<u32>();
        (self.first, self.weighed) = (first, weighed);
        let arises = self.cost + open >= cost::REREAD;
        if arises {
            self.cost = 0;
        }
        arises
    }
}

impl BoardTrack {
    /// What was played lately, if that is not what was completed, and likelier than an illegal move in the present
    /// where there may be one at that cost; `accuses`: a completed ply may have been illegal.
    pub(super) fn reread(
        &self,
        there: (&BoardPosition, &Seen<'_>, Instant),
        (illegal, accuses): (Option<u32>, bool),
        suspicion: Option<&mut Suspicion>,
        effort: &Effort,
        look: &mut Option<Look>,
    ) -> Option<Reread> {
        let mut findings = Findings::default();
        let [near, far] = [NEAR, FAR].map(|reach| Reach { accuses, ..reach });
        let near = self.reread_within(near, there, illegal, suspicion, effort, &mut findings);
        *look = findings.look;
        if findings.doubt < cost::REREAD_FAR {
            return near;
        }
        let mut findings = Findings::default();
        let far = self.reread_within(far, there, illegal, None, effort, &mut findings);
        if far.is_some() {
            *look = findings.look;
        }
        far.or(near)
    }

    /// What was played lately, if one of the last plies is said to be illegal and a legal one explains more.
    pub(super) fn acquit(
        &self,
        there: (&BoardPosition, &Seen<'_>, Instant),
        effort: &Effort,
        look: &mut Option<Look>,
    ) -> Option<Reread> {
        let reach = Reach { acquits: true, ..NEAR };
        let is_illegal = |past: &&Past| !past.illegal.is_empty();
        let back = self.back(reach);
        self.past.iter().rev().take(back).find(is_illegal)?;
        let mut findings = Findings::default();
        let told = self.reread_within(reach, there, None, None, effort, &mut findings);
        let saves = findings.saves >= cost::ACQUITTED_LEAST;
        let told = told.filter(|told| told.told.doubt() <= cost::ACQUITTED_MOST || saves && told.told.idle == 0)?;
        let end = self.end_of(there.0, &told);
        // What an illegal ply explains the legal ones must explain, too.
        let accused = self.past[told.from..].iter().filter(is_illegal).map(|past| search::squares_of(past.played));
        let accused = accused.reduce(|all, squares| all | squares)?;
        *look = findings.look;
        let open = there.1.placement.mismatch(&end);
        let explains = (open.any() & accused).is_empty() || saves && stands_beside(&end, open, accused, there.1);
        explains.then_some(told)
    }

    /// The position after all plies that were told.
    pub(super) fn end_of(&self, position: &BoardPosition, Reread { first, told, .. }: &Reread) -> BoardPosition {
        let mut end = self.root(position, self.past.len() - first);
        told.moves().for_each(|played| _ = end.play(played));
        end
    }

    /// The same, as far as that.
    fn reread_within(
        &self,
        reach: Reach,
        (position, seen, at): (&BoardPosition, &Seen<'_>, Instant),
        illegal: Option<u32>,
        suspicion: Option<&mut Suspicion>,
        effort: &Effort,
        findings: &mut Findings,
    ) -> Option<Reread> {
        let back = self.back(reach);
        let first = self.past.len() - back;
        let tail = &self.past[first..];
        let [second, last] = [2, 1].map(|plies| self.times_before(first, plies));
        let [completed, made] = [0, 1].map(|which| [second[which], last[which]]);
        let Presses { old: presses, young, until, deaf } = self.presses_since(tail, seen, completed[1], at);
        let record: Vec<Move> = tail.iter().map(|past| past.played).collect();
        let blind = self.blind_since(made[0], seen.placement);
        let account = Account {
            root: &self.root(position, back),
            earlier: [2, 1].map(|plies| self.ply_before(first, plies).map(|past| (&past.before, past.played))),
            completed,
            made,
            presses: &presses,
            until,
            young: &young,
            deaf,
            log: &Log::new(seen.placement, self.pace.slack(), blind, made[0], effort),
            lifted: &lifted_before(seen, tail),
            arrived: &seen.arrived,
            aliases: &self.aliases,
            blind,
            fresh: self.learnt_since(first),
            promoted: &record,
            declared: &tail.iter().filter(|past| past.said.is_some()).map(|past| past.played).collect::<Vec<_>>(),
            said: self.said.roles_missed(),
            kinds: &tail.iter().map(|past| past.lay.may_be).collect::<Vec<_>>(),
            accuses: 0,
            noting: self.notes.is_some(),
            lines: reach.lines,
        };
        let straight = hindsight::straight(account, &record);
        // Other presses of the same plies say nothing about an illegal move.
        let may_repress = deaf.is_none() && illegal.is_none() && !reach.acquits;
        let otherwise = straight.as_ref().and_then(|(told, _)| Self::pressed_otherwise(told, tail));
        if let Some((same, (told, _))) = otherwise.filter(|_| may_repress).zip(straight.as_ref()) {
            let (from, told) = Self::repressed(account, tail, (same, told))?;
            return Some(Reread { first, from: first + from, told, saves: None });
        }
        if let (Some((told, costs)), Some(suspicion)) = (&straight, suspicion) {
            let made = told.before + told.line.len() as u32 * cost::PLY + told.in_hand;
            if !suspicion.arises(first, costs, told.cost.saturating_sub(made)) {
                return None;
            }
        }
        let recorded = Self::recorded(account, straight.map(|(told, _)| told), tail)?;
        if let Some(same) = Self::pressed_otherwise(&recorded, tail).filter(|_| may_repress) {
            return Some(Reread { first, from: first + same, told: recorded, saves: None });
        }
        if recorded.cost < recorded.least() + cost::REREAD {
            findings.look = self.look(position, back, &recorded, None);
            return None;
        }
        let told = self.cheaper(account, reach, (position, seen.placement, back), &recorded, findings)?;
        let before = || Self::before(account, &record, &recorded);
        let unseen = || self.unseen_drop(position, seen).filter(|_| reach.accuses);
        let counts = Self::counts(account, back, &told, &recorded)
            && self.is_below_present(&told, (illegal, &unseen), deaf.is_none().then_some(back), before);
        let from = Self::differs(&told, &recorded, tail, deaf).filter(|_| counts)?;
        Some(Reread { first, from: first + from, saves: Some(recorded.cost.saturating_sub(told.cost)), told })
    }

    /// The record, as it pairs with the presses where it does, its illegal plies dearer. Turns that no clock tells may
    /// be one too many here and one too few there.
    fn recorded(account: Account<'_>, straight: Option<Told>, tail: &[Past]) -> Option<Told> {
        let heard = account.deaf.is_none();
        let paired = straight.filter(|told| heard || told.cost < told.least() + cost::REREAD);
        let mut recorded = paired.or_else(|| hindsight::recorded(account, account.promoted))?;
        recorded.cost += cost::ACQUITTED * tail.iter().filter(|past| !past.illegal.is_empty()).count() as u32;
        Some(recorded)
    }

    /// Whether an account may be told instead of the record of `back` plies.
    fn counts(account: Account<'_>, back: usize, told: &Told, recorded: &Told) -> bool {
        // A press that waits says that the man in hand was moved; presses that are heard again, how many plies were.
        let pressed = !account.young.is_empty() || told.idle < recorded.idle;
        let whole = told.plies.len() >= back || account.deaf.is_none_or(|deaf| deaf.until.is_none());
        whole && (pressed || cheaper_without_hands(told, recorded))
    }

    /// Whether an account costs less than the record, against which `before` speaks, with what the present is taken
    /// for: an illegal move or a drop that no sensor shows, at that cost; or, where a clock told of the presses of the
    /// `heard` plies of the record and the account has fewer than those and the line, the line, whose men may be on
    /// squares that have shown nothing.
    fn is_below_present(
        &self,
        told: &Told,
        (illegal, unseen): (Option<u32>, &dyn Fn() -> Option<u32>),
        heard: Option<usize>,
        before: impl Fn() -> u32,
    ) -> bool {
        let fewer = heard.is_some_and(|plies| told.moves().count() < plies + self.line.len());
        let gives_up = fewer && told.idle > 0 && told.cost + cost::REREAD > before() + self.cost;
        let below = |present: u32| told.cost < before() + present;
        !gives_up && illegal.is_none_or(below) && unseen().is_none_or(below)
    }

    /// What speaks against the record up to its last ply: by its own presses, where each of its plies had one. The
    /// press of an illegal move, which is none of the record, speaks against no other ply.
    fn before(account: Account<'_>, record: &[Move], recorded: &Told) -> u32 {
        let own = account.presses.get(..record.len()).unwrap_or_default();
        let own = hindsight::straight(Account { presses: own, ..account }, record);
        own.map_or(recorded.before, |(own, _)| own.before.min(recorded.before))
    }

    /// Of plies that were completed by other presses, from ply `same` on, the account that is better still, if any is:
    /// presses that were heard late may be those of other plies. None if that is the record, which must be much better
    /// to leave plies without the presses that pair with them.
    fn repressed(account: Account<'_>, tail: &[Past], (same, told): (usize, &Told)) -> Option<(usize, Told)> {
        let doubtful = told.doubt() >= cost::PREMOVE;
        let better = doubtful.then(|| hindsight::tell(account, &[], told.cost - cost::REREAD)).flatten();
        let Some(better) = better else { return Some((same, told.clone())) };
        match Self::differs(&better, told, tail, None) {
            Some(from) => Some((from, better)),
            None if better.cost + cost::PAIRED <= told.cost => None,
            None => Some((same, told.clone())),
        }
    }

    /// The best account that is cheaper than the record.
    fn cheaper(
        &self,
        account: Account<'_>,
        reach: Reach,
        (position, placement, back): (&BoardPosition, &Placement, usize),
        recorded: &Told,
        findings: &mut Findings,
    ) -> Option<Told> {
        let told = hindsight::tell(account, &[], recorded.cost - cost::REREAD);
        // Whoever wants to know why is told of dearer accounts, too; they decide nothing.
        let dearest = || hindsight::tell(account, &[], u32::MAX);
        let dearer = || account.noting.then(|| account.log.aside(dearest)).flatten();
        findings.look = self.look(position, back, recorded, told.clone().or_else(dearer).as_ref());
        findings.doubt = told.as_ref().map_or(recorded.doubt(), |told| recorded.doubt().min(told.doubt()));
        findings.saves = told.as_ref().map_or(0, |told| recorded.cost.saturating_sub(told.cost));
        if reach.accuses { Self::accused(account, placement, recorded, told) } else { told }
    }

    /// The best account with an illegal ply if it is much cheaper than the record and every legal one, else the legal
    /// one.
    fn accused(account: Account<'_>, placement: &Placement, recorded: &Told, legal: Option<Told>) -> Option<Told> {
        let least = legal.as_ref().map_or(recorded.cost, |legal| legal.cost.min(recorded.cost));
        let most = least.saturating_sub(cost::ILLEGAL_BEFORE);
        let doubtful = legal.as_ref().map_or(recorded.doubt(), |legal| legal.doubt().min(recorded.doubt()));
        // An illegal ply that costs more explains nothing better.
        let accuses = doubtful.saturating_sub(cost::ILLEGAL_BEFORE + 1);
        let accuse = || hindsight::tell(Account { accuses, ..account }, &[], most);
        let may_be =
            accuses >= cost::ILLEGAL || accuses >= cost::ILLEGAL_CARRIED && may_have_walked(account, placement);
        let accused = if may_be { accuse() } else { None };
        accused.filter(|told| !mistakes_men(account.root, placement, told)).or(legal)
    }

    /// The first completed ply that is another one by a cheaper account than the record, if it is cheap enough.
    fn differs(told: &Told, recorded: &Told, tail: &[Past], deaf: Option<Deaf>) -> Option<usize> {
        let (back, unheard) = (tail.len(), deaf.is_some());
        let moves: Vec<Move> = told.moves().collect();
        let kept = moves.iter().zip(tail).take_while(|(new, old)| **new == old.played).count();
        let undone = unheard && moves.len() < back || told.idle > recorded.idle;
        let margin = if undone { cost::UNDO } else { cost::REREAD };
        // A ply whose press was another one is told anew, too: its press would answer nothing else.
        let same = |(new, old): &(&Ply, &Past)| (new.completed_at - old.completed_at).abs() <= hindsight::LATE_US;
        let same = told.plies.iter().zip(tail).take_while(same).count();
        let repressed = same < back && told.plies.len() >= back && !unheard;
        // Where no clock is heard, plies of the record that an account leaves open are completed all the same.
        let completed = if deaf.is_some_and(|deaf| deaf.until.is_none()) { moves.len() } else { told.plies.len() };
        let others = kept < back.min(moves.len()) || repressed || unheard && completed < back;
        let from = kept.min(if unheard { completed } else { same });
        (told.cost + margin <= recorded.cost && others).then_some(from)
    }

    /// The first completed ply that another press completed than the one by which it is recorded, or that is recorded
    /// without one, where all were pressed for.
    fn pressed_otherwise(told: &Told, tail: &[Past]) -> Option<usize> {
        let pressed = told.plies.len() == tail.len() && told.plies.iter().all(|ply| ply.press.is_some());
        let clock = |new: &Ply| new.press.and_then(|press| press.clock);
        let moved = |(new, old): (&Ply, &Past)| {
            let read = old.clock.is_none() && clock(new).is_some();
            read || (new.completed_at - old.completed_at).abs() > hindsight::LATE_US
        };
        told.plies.iter().zip(tail).position(moved).filter(|_| pressed && told.idle == 0)
    }

    /// When the ply so many plies before one was completed and made, or when the board was looked at first.
    fn times_before(&self, index: usize, plies: usize) -> [Instant; 2] {
        self.ply_before(index, plies).map_or([self.began; 2], |past| [past.completed_at, past.made_at])
    }

    /// The ply so many plies before one.
    fn ply_before(&self, index: usize, plies: usize) -> Option<&Past> {
        index.checked_sub(plies).and_then(|index| self.past.get(index))
    }

    /// Replaces the plies from `from` on by what was told; never more than there were: the others are completed next.
    pub(super) fn retell(
        &mut self,
        board: BoardId,
        position: &BoardPosition,
        seen: &Seen<'_>,
        Reread { first, from, told, saves }: &Reread,
    ) -> Revision {
        let (first, from, count) = (*first, *from, self.past.len());
        self.forget_from(from);
        let mut before = self.root(position, count - first);
        told.moves().take(from - first).for_each(|kept| _ = before.play(kept));
        let plies = told.plies.get(from - first..).unwrap_or_default();
        let (again, more) = plies.split_at(plies.len().min(count - from));
        let old = self.past.split_off(from);
        let complete = |(index, (ply, old)): (usize, (&Ply, &Past))| {
            let later: ArrayVec<Move, LATER_PLIES> =
                told.moves().skip(from - first + index + 1).take(LATER_PLIES).collect();
            let next = later.first().map(|next| (*next, !before.turn()));
            let unseen = || BoardTrack::moved_on(&before, (ply.played, ply.completed_at), &later, seen.placement);
            let passing = BoardTrack::was_passing(ply.played, ply.completed_at, seen.placement);
            let rivals = if ply.came.is_none() || passing { unseen() } else { Vec::new() };
            let completed = Completed {
                board,
                played: ply.played,
                made_at: ply.made_at,
                completed_at: self.counts_at(ply, next, seen.placement),
                clock: ply.press.and_then(|press| press.clock),
                illegal: reasons(&before, ply.played),
                rivals: rivals.clone(),
            };
            let said = self.said.reread(old, ply.played);
            let past = Past::new(&before, &completed, rivals).felt(seen.placement).read_anew(old);
            self.past.push(Past { said, ..past });
            before.play(ply.played);
            completed
        };
        let moves = again.iter().zip(&old).enumerate().map(complete).collect();
        self.name_again(from, &old);
        old.iter().skip(again.len()).for_each(|undone| self.said.again(undone));
        if self.completion == Completion::Clock {
            self.presses = self.open_presses(before.turn(), more, told, told.plies.len() < count - first);
        }
        let line: Vec<Move> = told.moves().skip(from - first + again.len()).collect();
        self.line = self.rest_of_line(before, &line, seen);
        let narrow = saves.is_some_and(|saves| saves < cost::NARROW);
        Revision { board, from, moves, narrow }
    }

    /// The presses of plies that are not completed yet, and those that nothing answers: where there are `fewer` plies
    /// than before, also those that were taken for nothing.
    fn open_presses(&self, turn: Color, more: &[Ply], told: &Told, fewer: bool) -> VecDeque<Press> {
        let by = |index: usize| if index.is_multiple_of(2) { turn } else { !turn };
        let unpressed = |index, ply: &Ply| Press { by: by(index), at: ply.made_at, clock: None };
        let pressed = more.iter().enumerate().map(|(index, ply)| ply.press.unwrap_or_else(|| unpressed(index, ply)));
        let answered = told.plies.iter().filter_map(|ply| ply.press).map(|press| press.at).max();
        let answered = answered.filter(|_| fewer).unwrap_or(told.until);
        pressed.chain(self.heard.iter().copied().filter(|press| press.at > answered)).collect()
    }

    /// Plies that are read anew: no illegal one but that which may be acquitted and nothing before it, none that was
    /// given.
    fn back(&self, reach: Reach) -> usize {
        let mut acquits = reach.acquits;
        self.past[self.given.min(self.past.len())..]
            .iter()
            .rev()
            .take_while(|past| past.illegal.is_empty() || std::mem::take(&mut acquits))
            .count()
            .min(reach.plies)
    }
}

/// Whether all that is left unexplained of some squares is a man that stands beside its own one: it was displaced.
fn stands_beside(end: &BoardPosition, open: Mismatch, squares: Bitboard, seen: &Seen<'_>) -> bool {
    let is_displaced = |to: Square| {
        let mut gone = open.missing.into_iter().filter(|from| from.distance(to) == 1);
        gone.any(|from| seen.placement.kinds(to) == Kinds::exactly(end.board().piece_at(from)))
    };
    (open.missing & squares).is_empty() && (open.foreign & squares).into_iter().all(is_displaced)
}

/// Whether a man is missing where its player has dropped one of its kind elsewhere by the record: it may have been
/// moved instead.
fn may_have_walked(account: Account<'_>, placement: &Placement) -> bool {
    let mut end = account.root.clone();
    let mut dropped = Vec::new();
    for played in account.promoted {
        if let Move::Put { role, to } = *played {
            dropped.push((role.of(end.turn()), to));
        }
        end.play(*played);
    }
    let missing = placement.mismatch(&end).missing.into_iter();
    let mut missing = missing.filter_map(|square| Some((end.board().piece_at(square)?, square)));
    missing.any(|(man, from)| dropped.iter().any(|(other, to)| *other == man && *to != from))
}

/// Why a ply is illegal, if it is.
fn reasons(position: &BoardPosition, played: Move) -> Vec<Reason> {
    let attempt = match played {
        _ if position.is_legal(played) => return Vec::new(),
        Move::Put { role, to } => Attempt::Drop { man: role.of(position.turn()), to },
        Move::Castle { king, rook } => Attempt::Castle(CastlingSide::from_king_side(rook > king)),
        Move::Normal { from, to, .. } | Move::EnPassant { from, to } => Attempt::Move { from, to, promotion: None },
    };
    position.reasons(attempt)
}

/// Men that had left the trays before these plies dropped some of them.
pub(super) fn lifted_before(seen: &Seen<'_>, tail: &[Past]) -> ByColor<Option<Hand>> {
    let mut lifted = seen.lifted;
    for past in tail {
        if let (Move::Put { role, .. }, Some(hand)) = (past.played, lifted.get_mut(past.before.turn())) {
            // A drop that took nothing out of the tray gives nothing back.
            if hand.nowhere.get_mut(role).take_if(|at| *at >= past.made_at).is_none() {
                let count = hand.men.get_mut(role);
                *count = count.saturating_add(1);
            }
        }
    }
    lifted
}

/// Whether an account is cheaper than the record without the men that the next player may have in hand: those speak for
/// neither.
fn cheaper_without_hands(told: &Told, recorded: &Told) -> bool {
    let apart = |told: &Told| told.cost.saturating_sub(told.in_hand);
    apart(told) + cost::REREAD <= apart(recorded)
}

/// Whether an account accuses a player of a move though another man of the same kind is missing and one stands where
/// the first may go by the rules: that one was moved, and the other one displaced.
fn mistakes_men(root: &BoardPosition, placement: &Placement, told: &Told) -> bool {
    let mut end = root.clone();
    told.moves().for_each(|m| _ = end.play(m));
    let mismatch = placement.mismatch(&end);
    let mut position = root.clone();
    told.moves().any(|m| {
        let man = m.role().of(position.turn());
        let missing = (mismatch.missing & end.board().by_piece(man)).any();
        let goes = |to: Square| {
            let move_to = |from| position.as_move(Attempt::Move { from, to, promotion: None });
            m.from().and_then(move_to).is_some_and(|m| position.is_legal(m))
        };
        let stands = |to: &Square| placement.kinds(*to) == Kinds::only(man);
        let mistaken = missing && !position.is_legal(m) && mismatch.foreign.into_iter().filter(stands).any(goes);
        position.play(m);
        mistaken
    })
}

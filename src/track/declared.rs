//! What players say that a pawn becomes: with the move, before it is pressed, or too late.
//!
//! In: declarations, completed plies. Out: the kind for the promotion that is being made, or another reading of the one
//! that was completed. Where the rule set wants it said (FIDE-ext 3.6), or a player has no button to say it with, a
//! promotion of which nobody has said anything is open: no later move is called illegal for what the pawn may not be.
//! It hears no voices and knows no buttons.

use super::{
    AT_PRESS_US, Completion, Revision, Tracker,
    board::{BoardTrack, LATE_US, LinePly},
    past::{Past, promoting_to},
    seen::Seen,
};
use crate::{
    rules::{BoardPosition, Game, Move, PromotionChange},
    sense::Reading,
    types::{Bitboard, BoardId, ByColor, Color, Instant, Kinds, Rank, Role, Seat, Square},
};

/// Own plies after which a player may still say what a pawn became.
const LATE_PLIES: usize = 2;

/// What was said on one board.
#[derive(Clone, Copy, Debug, Default)]
pub struct Said {
    /// With the promotion that comes next.
    now: ByColor<Option<(Role, Instant)>>,
    /// With the one after the ply whose clock has been pressed.
    next: ByColor<Option<(Role, Instant)>>,
    /// What is said with the next promotion was said while another move had been made, and not been pressed for.
    after: ByColor<bool>,
    /// Before a move that promoted nothing, and how many own plies ago: that may have been read wrongly.
    idle: ByColor<Option<(Role, Instant, usize)>>,
    /// The rule set wants it said.
    must: bool,
    /// Who has no button to say it with: silence tells nothing.
    unheard: ByColor<bool>,
}

/// What a declaration changes.
#[derive(Clone, Debug, PartialEq)]
pub enum Declared {
    /// The promotion that is being made, or the next one; nothing that was completed.
    Coming,
    /// A completed promotion was to another kind.
    Otherwise(Revision),
    /// The completed promotion with this index on its board was to this kind, and is certain now.
    Certain(usize),
}

impl Said {
    /// What each player said of a promotion that is not completed.
    pub(super) fn roles(&self) -> ByColor<Option<Role>> {
        self.now.map(|said| said.map(|(role, _)| role))
    }

    /// The same, of promotions that may have been missed, too.
    pub(super) fn roles_missed(&self) -> ByColor<Option<Role>> {
        ByColor::new_with(|color| self.roles().get(color).or(self.idle.get(color).map(|(role, ..)| role)))
    }

    /// A ply was completed; answers when this was said of it if it is such a promotion. What was said before a move
    /// that promotes nothing is forgotten with it, unless that move had been made already, or is completed just then.
    pub(super) fn completed(
        &mut self,
        color: Color,
        played: Move,
        [made_at, completed_at]: [Instant; 2],
    ) -> Option<Instant> {
        let now = self.now.get_mut(color);
        let after = std::mem::take(self.after.get_mut(color));
        let said = now.filter(|(role, _)| played.promotion() == Some(*role)).map(|(_, at)| at);
        let idle = self.idle.get_mut(color);
        *idle = idle.map(|(role, at, plies)| (role, at, plies + 1)).filter(|(.., plies)| *plies < LATE_PLIES);
        if played.promotion().is_some() {
            (*now, *idle) = (None, None);
        } else if let Some((role, at)) =
            now.take_if(|(_, at)| *at < made_at && *at + AT_PRESS_US < completed_at && !after)
        {
            *idle = Some((role, at, 0));
        }
        if let Some(next) = self.next.get_mut(color).take() {
            *now = Some(next);
        }
        said
    }

    /// A completed ply is another one after all: what was said of it is of that if it fits, or of the next one.
    pub(super) fn reread(&mut self, old: &Past, played: Move) -> Option<Instant> {
        if old.played == played {
            return old.said;
        }
        self.again(old);
        let now = self.now.get_mut(old.before.turn());
        now.take_if(|(role, _)| played.promotion() == Some(*role)).map(|(_, at)| at)
    }

    /// A ply is not completed after all: what was said of it is said of the next one.
    pub(super) fn again(&mut self, undone: &Past) {
        let said = undone.said.zip(undone.played.promotion()).map(|(at, role)| (role, at));
        let idle = self.idle.get_mut(undone.before.turn()).take_if(|(.., plies)| *plies == 0);
        let now = self.now.get_mut(undone.before.turn());
        *now = now.or(said).or(idle.map(|(role, at, _)| (role, at)));
    }
}

impl Tracker {
    /// A player said what a pawn becomes: with the move that is being made, the next one that promotes, or the last
    /// one. The caller takes it to the record and observes the board anew.
    pub fn declare(&mut self, game: &Game, seat: Seat, role: Role, seen: &Seen<'_>, at: Instant) -> Declared {
        let position = self.arriving(game, seat.board).apply(game.board(seat.board));
        self.boards[seat.board.index()].declare(seat, role, &position, seen, at)
    }

    /// A player has no button to say with what a pawn becomes, or it did not work for a while.
    pub fn set_unheard(&mut self, seat: Seat) {
        if !self.unheard.contains(&seat) {
            self.unheard.push(seat);
        }
    }

    /// Whether the rule set wants promotions said, and whether players can.
    pub(super) fn ask_for_promotions(&mut self, game: &Game, board: BoardId) {
        let said = &mut self.boards[board.index()].said;
        said.must = game.ruleset().promotion_must_be_said;
        said.unheard = ByColor::new_with(|color| self.unheard.contains(&board.seat(color)));
    }
}

impl BoardTrack {
    fn declare(&mut self, seat: Seat, role: Role, position: &BoardPosition, seen: &Seen<'_>, at: Instant) -> Declared {
        let color = seat.color;
        let first = usize::from(position.turn() != color);
        let promotes = self.line.iter().skip(first).step_by(2).position(|ply| ply.played.promotion().is_some());
        if let Some(index) = promotes {
            *self.said.now.get_mut(color) = Some((role, at));
            self.line.truncate(first + 2 * index);
        } else if self.presses.iter().any(|press| press.by == color) && !self.may_have_bounced() {
            *self.said.next.get_mut(color) = Some((role, at));
        } else {
            let silent = self.promoted_silently(position, color, seen);
            let late = silent.and_then(|index| self.declare_late(seat.board, index, (role, at), position, seen));
            if let Some(late) = late {
                return late;
            }
            *self.said.now.get_mut(color) = Some((role, at));
            *self.said.after.get_mut(color) = self.line.get(first).is_some();
        }
        Declared::Coming
    }

    /// A player's promotion, one of its last plies, of which nothing was said and for which no real man stands: the ply
    /// just made, or an earlier one while no other pawn is about to promote.
    fn promoted_silently(&self, position: &BoardPosition, color: Color, seen: &Seen<'_>) -> Option<usize> {
        let own = (self.given..self.past.len()).rev().filter(|index| self.past[*index].before.turn() == color);
        let last = own.take(LATE_PLIES).find(|index| self.past[*index].played.promotion().is_some())?;
        let coming = self.line.iter().skip(usize::from(position.turn() != color)).step_by(2).map(|ply| ply.played);
        let pawns = coming.filter(|m| m.role() == Role::Pawn).map(|m| Bitboard::from(m.to()));
        let pawns = pawns.fold(position.board().by_piece(Role::Pawn.of(color)), |all, pawn| all | pawn);
        let ready = pawns & before_last_rank(color);
        let answered = self.presses.iter().any(|press| press.by != color);
        let just_made = last + 1 == self.past.len() && !answered;
        let played = self.past[last].played;
        let man = played.promotion().map(|role| Kinds::only(role.of(color)));
        let silent = self.past[last].said.is_none() && man != Some(seen.placement.kinds(played.to()));
        (silent && (just_made || ready.is_empty())).then_some(last)
    }

    /// A declaration that comes after the move counts if all moves since are legal with it; none if they are not: it is
    /// of the next promotion then.
    fn declare_late(
        &mut self,
        board: BoardId,
        index: usize,
        (role, at): (Role, Instant),
        position: &BoardPosition,
        seen: &Seen<'_>,
    ) -> Option<Declared> {
        let root = self.root(position, self.past.len() - index);
        let played: Vec<Move> = self.past[index..].iter().map(|past| past.played).collect();
        if played.first().and_then(|m| m.promotion()) == Some(role) {
            self.past[index].said = Some(at);
            let open = !std::mem::take(&mut self.past[index].rivals).is_empty();
            return Some(if open { Declared::Certain(index) } else { Declared::Coming });
        }
        let moves = root.with_promotion(&played, PromotionChange { index: 0, role });
        let moves = moves.filter(|_| root.rules().may_promote_to(role))?;
        let revision = self.revise(board, position, seen, index, &moves);
        self.past[index].said = Some(at);
        Some(Declared::Otherwise(revision))
    }

    /// What a completed ply that promoted nothing is if it promotes after all: the pawn becomes what its player said.
    pub(super) fn as_said(&self, past: &Past, m: Move) -> Move {
        let said = self.said.roles_missed();
        let said = said.get(past.before.turn()).filter(|_| past.played.promotion().is_none());
        said.filter(|_| m.promotion().is_some()).map_or(m, |role| promoting_to(m, role))
    }

    /// What was taken to be said of a promotion may have been said of the player's next one: that pawn, or the man that
    /// it took, was lifted just then, and nothing else was said of it.
    pub(super) fn hear_again(&mut self, board: BoardId, position: &BoardPosition, seen: &Seen<'_>) -> Option<Revision> {
        let promoted = |index: &usize| self.past[*index].played.promotion().is_some();
        let next = (self.given..self.past.len()).rev().take(LATE_PLIES).find(promoted)?;
        let index = next.checked_sub(2).filter(promoted).filter(|index| *index >= self.given)?;
        let said = self.past[index].said?;
        let played = self.past[next].played;
        let from = played.from().filter(|_| self.past[next].said.is_none())?;
        let touched = [Some(from), played.is_capture().then(|| played.to())];
        let empty = |reading: Reading| reading.kinds == Kinds::EMPTY && (reading.since - said).abs() <= LATE_US;
        let lifted = |square: Square| seen.placement.readings(square).any(empty);
        if !touched.into_iter().flatten().any(lifted) || self.past[index].made_at > said {
            return None;
        }
        let root = self.root(position, self.past.len() - index);
        let played: Vec<Move> = self.past[index..].iter().map(|past| past.played).collect();
        let first = root.rules().promotions().next()?;
        let moves = root.with_promotion(&played, PromotionChange { index: 0, role: first })?;
        let (next, said, moves) = self.said_of_next(position, index, index, &moves)?;
        let revision = self.revise(board, position, seen, index, &moves);
        self.past[next].said = Some(said);
        Some(revision)
    }

    /// What was said of the promotion at `index`, which is another one in the plies from `from` on, was said of its
    /// player's next one if nothing else was said of that: which, when, and the plies with it.
    pub(super) fn said_of_next(
        &self,
        position: &BoardPosition,
        index: usize,
        from: usize,
        moves: &[Move],
    ) -> Option<(usize, Instant, Vec<Move>)> {
        let old = self.past.get(index)?;
        let (said, role) = (old.said?, old.played.promotion()?);
        let mut own = (index + 2..(from + moves.len()).min(self.past.len())).step_by(2).take(LATE_PLIES);
        let next = own.find(|own| moves[*own - from].promotion().is_some())?;
        let silent = self.past[next].said.is_none() && old.played != moves[index - from];
        let root = silent.then(|| self.root(position, self.past.len() - from))?;
        let moves = root.with_promotion(moves, PromotionChange { index: next - from, role })?;
        Some((next, said, moves))
    }

    /// Plies from a promotion on that its player has declared to be another.
    pub(super) fn forget_undeclared(&mut self, turn: Color) {
        let Some((role, _)) = *self.said.now.get(turn) else { return };
        let other = |ply: &LinePly| ply.played.promotion().is_some_and(|promotion| promotion != role);
        if let Some(index) = self.line.iter().step_by(2).position(other) {
            self.line.truncate(2 * index);
        }
    }

    /// What else a pawn may have become of which its player has said nothing, and no real man stands for: where that
    /// must be said, and where it was captured next and nothing has been seen of it when its clock was pressed.
    pub(super) fn open_promotions(
        &self,
        position: &BoardPosition,
        (played, completed_at): (Move, Instant),
        said: bool,
        seen: Option<&Seen<'_>>,
    ) -> Vec<Move> {
        let next = self.line.first().map(|next| next.played).filter(|next| next.is_capture());
        let caught = || next.is_some_and(|next| next.to() == played.to());
        let empty = |seen: &Seen<'_>| seen.placement.kinds_at(played.to(), completed_at) == Kinds::EMPTY;
        let caught = || caught() && seen.is_some_and(empty);
        let Some(known) = played.promotion().filter(|_| !said && (self.said.must || caught())) else {
            return Vec::new();
        };
        let shown = seen.map(|seen| seen.placement.kinds(played.to()));
        if shown.is_some_and(|shown| shown.single() == Some(Some(known.of(position.turn())))) {
            return Vec::new();
        }
        let others = position.rules().promotions().filter(|role| *role != known);
        others.map(|role| promoting_to(played, role)).collect()
    }

    /// Whether the line bears out that the ply at `index` promoted to another kind: the man moves like it, or the laws
    /// leave open what it is and nothing else explains the moves.
    pub(super) fn tells_promotion(&self, index: usize, alternative: Move, line: &[Move]) -> bool {
        let Past { said, before, .. } = &self.past[index];
        let open = (self.said.must || *self.said.unheard.get(before.turn()))
            && said.is_none()
            && before.rules().promotions().any(|role| Some(role) == alternative.promotion());
        let stands = self.stands_now(index, alternative.to());
        // What was said is given up only for a move that was pressed for, or answered where there is no clock.
        let counted = match self.completion {
            Completion::Clock => self.presses.len(),
            Completion::Settle(_) => line.len().saturating_sub(1),
        };
        let plies = if said.is_some() { counted } else { usize::MAX };
        open || stands.is_some_and(|square| line.iter().take(plies).any(|m| m.from() == Some(square)))
    }
}

/// Where pawns stand that promote next.
pub(super) fn before_last_rank(color: Color) -> Bitboard {
    Bitboard::from_rank(color.fold_wb(Rank::Seventh, Rank::Second))
}

//! Drops and captures whose men were of another kind: told by trays that feel only that something is there, and by how
//! the men move.
//!
//! In: a board's completed plies, other names for its drops and for what it captured. Out: a [`Revision`], if the plies
//! are legal with them, and the kinds that a dropped or captured man may be. It does not know what lay in the trays.

use shakmaty::attacks;

use super::{
    Revision, Tracker,
    board::BoardTrack,
    cost,
    past::Past,
    search,
    seen::Seen,
    slots::{Captured, Lay, Mistaken, Renamed},
};
use crate::{
    rules::{BoardPosition, Game, Move},
    types::{Bitboard, BoardId, ByRole, Instant, Piece, Role, SECOND, Seat, Square},
};

/// Names that are remembered.
const NAMES_MAX: usize = 64;
/// How often a capture is put right in the same way: the partner's board may put it back.
const PUT_RIGHT_MAX: usize = 2;

/// How long nobody can tell of which kind a dropped man is before that is said: captures are put right meanwhile, and
/// men come late.
const UNSURE_US: i64 = 4 * SECOND;

/// The name of a drop, or of what a ply captured: when it was made, where, and the kind.
pub type Name = (Instant, Square, Role);

impl Tracker {
    /// Men that partners' boards show to be captured for a seat and are not completed.
    pub fn coming(&self, game: &Game, seat: Seat) -> Vec<Captured> {
        let mut coming = Vec::new();
        for other in game.ids().filter(|other| *other != seat.board) {
            for ply in self.line(other) {
                let Some(captured) = ply.captured else { continue };
                let capturer = other.seat(captured.color).opponent();
                if capturer.partners(game.len()).next() == Some(seat) {
                    coming.push(Captured::certain(captured.role, ply.made_at, None));
                }
            }
        }
        coming
    }

    /// Kinds that the man may be that the ply at `index` dropped, by where it stands and how it moved.
    pub fn kinds_of_drop(&self, board: BoardId, index: usize) -> ByRole<bool> {
        self.boards[board.index()].kinds_of_drop(index)
    }

    /// Kinds that the man may be that the ply at `index` captured, as it goes over: by what else the ply may have been,
    /// and by what the man may be if it was dropped.
    pub fn kinds_of_captured(&self, board: BoardId, index: usize) -> ByRole<bool> {
        self.boards[board.index()].kinds_of_captured(index)
    }

    /// The same, of kinds that it may be if little else explains what is seen.
    pub fn might_have_captured(&self, board: BoardId, index: usize) -> ByRole<bool> {
        self.boards[board.index()].might_have_captured(index)
    }

    /// Completed plies that captured another man, if the board can be explained so.
    pub fn recapture(&mut self, game: &Game, mistaken: Mistaken, seen: &Seen<'_>) -> Option<Revision> {
        let (board, index, role) = mistaken;
        let position = self.arriving(game, board).apply(game.board(board));
        self.boards[board.index()].recapture(board, &position, (index, role), seen)
    }

    /// What trays tell of the kinds of dropped men, by their indices on the board.
    pub fn tell_kinds(&mut self, board: BoardId, drops: impl IntoIterator<Item = (usize, Lay)>) {
        for (index, lay) in drops {
            if let Some(past) = self.boards[board.index()].past.get_mut(index) {
                past.lay = lay;
            }
        }
    }

    /// Drops of a board whose men may be of other kinds by what lay in the trays, as nobody was told yet, with what
    /// else they may be; with nothing if that was told and is certain now.
    pub fn unsure_drops(&mut self, board: BoardId, now: Instant) -> Vec<(usize, Vec<Move>)> {
        self.boards[board.index()].unsure_drops(now)
    }

    /// Calls drops by other names, by their indices on the board, if all plies are legal then.
    pub fn rename(
        &mut self,
        game: &Game,
        board: BoardId,
        names: &[(usize, Role)],
        seen: &Seen<'_>,
    ) -> Option<Revision> {
        let position = self.arriving(game, board).apply(game.board(board));
        self.boards[board.index()].rename(board, &position, names, seen)
    }
}

impl BoardTrack {
    /// Kinds that a dropped man may be by where it stands and how it moved, without names that were refused.
    pub(super) fn kinds_of_drop(&self, index: usize) -> ByRole<bool> {
        let mut kinds = ByRole { king: false, ..ByRole::new_with(|_| true) };
        let Some(Past { played: Move::Put { to, .. }, before, made_at, .. }) = self.past.get(index) else {
            return kinds;
        };
        let color = before.turn();
        kinds.pawn = !Bitboard::BACKRANKS.contains(*to) || before.is_legal(Move::Put { role: Role::Pawn, to: *to });
        let (mut stands, mut promoted) = (*to, false);
        for past in &self.past[index + 1..] {
            if past.played.from() == Some(stands) && past.before.turn() == color {
                if past.unfelt {
                    break;
                }
                for role in Role::ALL.into_iter().filter(|role| !(promoted && *role == Role::Pawn)) {
                    *kinds.get_mut(role) &= goes(&past.before, Piece { color, role }, past.played);
                }
                promoted |= Bitboard::BACKRANKS.contains(past.played.to());
                stands = past.played.to();
            } else if search::victim(past.played) == stands && past.played.is_capture() {
                break;
            }
        }
        for (_, _, role) in self.refused.iter().filter(|(at, square, _)| (at, square) == (made_at, to)) {
            *kinds.get_mut(*role) = false;
        }
        kinds
    }

    fn unsure_drops(&mut self, now: Instant) -> Vec<(usize, Vec<Move>)> {
        let mut unsure = Vec::new();
        for index in self.given..self.past.len() {
            let Past { played: Move::Put { role, to }, lay, told, .. } = self.past[index] else { continue };
            let several = lay.open.into_iter().filter(|may| *may).count() > 1;
            let was_told = told.into_iter().any(|told| told);
            if !several && !was_told {
                self.past[index].unsure = None;
                continue;
            }
            let mut others = self.kinds_of_drop(index).zip(lay.open).map(|(moved, lay)| moved && lay);
            *others.get_mut(role) = false;
            let open = others.into_iter().any(|other| other);
            let past = &mut self.past[index];
            let since = *past.unsure.get_or_insert(now);
            let news = others.zip(told).into_iter().any(|(other, told)| other && !told);
            if !open {
                (past.unsure, past.told) = (None, ByRole::default());
                unsure.extend(was_told.then_some((index, Vec::new())));
            } else if news && now - since >= UNSURE_US {
                past.told = others.zip(told).map(|(other, told)| other || told);
                let all = Role::ALL.into_iter().filter(|role| *others.get(*role));
                unsure.push((index, all.map(|role| Move::Put { role, to }).collect()));
            }
        }
        unsure
    }

    fn kinds_of_captured(&self, index: usize) -> ByRole<bool> {
        let mut kinds = ByRole::default();
        let Some(past) = self.past.get(index) else { return kinds };
        for m in std::iter::once(&past.played).chain(&past.rivals).filter(|m| m.is_capture()) {
            let square = search::victim(*m);
            let Some(role) = over(&past.before, square) else { continue };
            *kinds.get_mut(role) = true;
            if let Some(dropped) = self.dropped_onto(index, square) {
                let may_be = self.kinds_of_drop(dropped).zip(self.past[dropped].lay.may_be);
                kinds = kinds.zip(may_be).map(|(known, (moved, lay))| known || moved && lay);
            }
        }
        kinds
    }

    fn might_have_captured(&self, index: usize) -> ByRole<bool> {
        let mut kinds = self.kinds_of_captured(index);
        let Some(past) = self.past.get(index).filter(|_| index >= self.given) else { return kinds };
        let others = past.others_captured().filter_map(|m| over(&past.before, search::victim(m)));
        others.for_each(|role| *kinds.get_mut(role) = true);
        let to = past.played.to();
        for (_, _, role) in self.refused.iter().filter(|(at, square, _)| (*at, *square) == (past.made_at, to)) {
            *kinds.get_mut(*role) &= Some(*role) == over(&past.before, search::victim(past.played));
        }
        kinds
    }

    /// The ply at `index` captured a man that goes over as such: another one than was thought, or one that was dropped
    /// as another.
    fn recapture(
        &mut self,
        board: BoardId,
        position: &BoardPosition,
        (index, role): (usize, Role),
        seen: &Seen<'_>,
    ) -> Option<Revision> {
        let name = self.past.get(index).map(|past| (past.made_at, past.played.to(), role))?;
        if self.put_right.iter().filter(|other| **other == name).count() == PUT_RIGHT_MAX {
            return None;
        }
        let way = |(from, m)| Some((from, self.way(position, seen, from, |at| (at == from).then_some(m))?));
        let ways = self.recaptured(index, role).into_iter().filter_map(way);
        let explained = ways.filter(|(_, (_, found))| found.cost < self.cost + cost::FOREIGN);
        let best = explained.min_by_key(|(_, (_, found))| found.cost).map(|(from, (moves, _))| (from, moves));
        let Some((from, moves)) = best else {
            self.refuse_capture(index, role);
            return None;
        };
        let before = self.past.get(index).and_then(|past| over(&past.before, search::victim(past.played)));
        let revision = self.revise(board, position, seen, from, &moves);
        remember(&mut self.put_right, name);
        // Once put right, it is not put back: accounts of the tray that are as good would go to and fro.
        before.into_iter().for_each(|before| self.refuse_capture(index, before));
        Some(revision)
    }

    /// Plies, by their indices, and what they were if the one at `index` captured a man that goes over as such.
    fn recaptured(&self, index: usize, role: Role) -> Vec<(usize, Move)> {
        let Some(past) = self.past.get(index).filter(|_| index >= self.given) else { return Vec::new() };
        let takes = |m: &Move| m.is_capture() && over(&past.before, search::victim(*m)) == Some(role);
        let others = past.rivals.iter().copied().chain(past.others_captured()).filter(takes).map(|m| (index, m));
        let dropped = self.dropped_onto(index, search::victim(past.played)).filter(|dropped| *dropped >= self.given);
        let dropped = dropped.and_then(|dropped| {
            let Past { played: Move::Put { to, .. }, lay, .. } = self.past[dropped] else { return None };
            let may_be = *lay.may_be.get(role) && *self.kinds_of_drop(dropped).get(role);
            may_be.then_some((dropped, Move::Put { role, to }))
        });
        others.chain(dropped).collect()
    }

    /// The index of the drop of the man that stands on a square before the ply at `index`.
    fn dropped_onto(&self, index: usize, mut square: Square) -> Option<usize> {
        for (at, past) in self.past[..index].iter().enumerate().rev() {
            match past.played {
                Move::Put { to, .. } if to == square => return Some(at),
                Move::Castle { .. } => {}
                m if m.to() == square => square = m.from()?,
                _ => {}
            }
        }
        None
    }

    fn rename(
        &mut self,
        board: BoardId,
        position: &BoardPosition,
        names: &[(usize, Role)],
        seen: &Seen<'_>,
    ) -> Option<Revision> {
        let may_be = |name: &(usize, Role)| name.0 >= self.given && *self.kinds_of_drop(name.0).get(name.1);
        let names: Vec<(usize, Role)> = names.iter().copied().filter(may_be).collect();
        let from = names.iter().map(|(index, _)| *index).min().filter(|from| *from < self.past.len())?;
        let name = |index: usize| names.iter().find(|(named, _)| *named == index);
        let renamed = |index: usize| match (self.past[index].played, name(index)) {
            (Move::Put { to, .. }, Some((_, role))) => Some(Move::Put { role: *role, to }),
            _ => None,
        };
        let moves = self.way(position, seen, from, renamed);
        let moves = moves.filter(|(_, found)| found.cost < self.cost + cost::FOREIGN).map(|(moves, _)| moves);
        let Some(moves) = moves else {
            self.refuse(&names);
            return None;
        };
        Some(self.revise(board, position, seen, from, &moves))
    }

    /// What follows for the plies of the board if the one at `index` dropped a man of this kind, as far as the tray
    /// does not tell kinds: the names are those of plies.
    pub(super) fn renamed(&self, index: usize, role: Role, seen: &Seen<'_>) -> Option<Renamed> {
        let by = self.past.get(index)?.before.turn();
        let dropped = |past: &Past| past.before.turn() == by && matches!(past.played, Move::Put { .. });
        let drops: Vec<usize> = (0..self.past.len()).filter(|at| dropped(&self.past[*at])).collect();
        let nth = drops.iter().position(|at| *at == index)?;
        let Renamed { names, mistaken } = seen.slots.get(by).as_ref()?.renamed(nth, role)?;
        let ply = |(nth, role)| Some((*drops.get(nth).filter(|at| **at >= self.given)?, role));
        let names: Vec<(usize, Role)> = names.into_iter().map(ply).collect::<Option<_>>()?;
        // The tray may have been told of a record that has changed since.
        names.contains(&(index, role)).then_some(Renamed { names, mistaken })
    }

    /// These names are wrong.
    pub(super) fn refuse(&mut self, names: &[(usize, Role)]) {
        for (index, role) in names {
            let Some(Past { played: Move::Put { to, .. }, made_at, .. }) = self.past.get(*index) else { continue };
            self.refuse_name((*made_at, *to, *role));
        }
    }

    /// The plies from `from` on were others than these `old` ones: names of drops before them that did not agree with
    /// those may be right.
    pub(super) fn name_again(&mut self, from: usize, old: &[Past]) {
        let (before, now) = self.past.split_at(from);
        let dropped = |past: &Past| matches!(past.played, Move::Put { .. }).then_some(past.played.to());
        let renamed = |one: &Past, other: &Past| dropped(one).is_some() && dropped(one) == dropped(other);
        let same = |(one, other): (&Past, &Past)| one.played == other.played || renamed(one, other);
        if now.len() == old.len() && now.iter().zip(old).all(same) {
            return;
        }
        let drops: Vec<_> = before.iter().filter_map(|past| Some((past.made_at, dropped(past)?))).collect();
        self.refused.retain(|(made_at, to, _)| !drops.contains(&(*made_at, *to)));
    }

    /// No such man was captured by the ply at `index`.
    fn refuse_capture(&mut self, index: usize, role: Role) {
        if let Some(Past { played, made_at, .. }) = self.past.get(index) {
            self.refuse_name((*made_at, played.to(), role));
        }
    }

    fn refuse_name(&mut self, name: Name) {
        if self.refused.contains(&name) {
            return;
        }
        remember(&mut self.refused, name);
    }
}

/// One more name; the oldest is forgotten.
fn remember(names: &mut Vec<Name>, name: Name) {
    if names.len() == NAMES_MAX {
        names.remove(0);
    }
    names.push(name);
}

/// As what the man on a square goes over when it is captured.
fn over(before: &BoardPosition, square: Square) -> Option<Role> {
    let role = before.board().role_at(square)?;
    Some(if before.promoted().contains(square) { Role::Pawn } else { role })
}

/// Whether such a man could go as a move does, if nobody asked for the king.
fn goes(before: &BoardPosition, man: Piece, m: Move) -> bool {
    let (Some(from), to) = (m.from(), m.to()) else { return true };
    let occupied = before.board().occupied();
    if man.role != Role::Pawn || m.is_capture() {
        return attacks::attacks(from, man, occupied).contains(to);
    }
    let ahead = man.color.fold_wb(8, -8);
    let one = from.offset(ahead).filter(|square| !occupied.contains(*square));
    let home = Bitboard::from_rank(man.color.fold_wb(shakmaty::Rank::Second, shakmaty::Rank::Seventh)).contains(from);
    one == Some(to) || home && one.and_then(|one| one.offset(ahead)) == Some(to)
}

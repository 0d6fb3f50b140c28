//! A press whose ply no sensor shows: something went to a square that feels nothing.
//!
//! In: a press that no ply explains, the hands of the players. Out: the likeliest ply to such a square, with every
//! other that is as likely; what is played later tells which one it was (`lookback`).

use super::{
    AT_PRESS_US, Completed, Completion, Press, SCAN_US,
    board::{BoardTrack, LATE_US, SWEPT_MEN},
    cost, illegal,
    search::{self, Evidence, Hand},
    seen::Seen,
};
use crate::{
    rules::{BoardPosition, Move},
    sense::Mismatch,
    types::{Bitboard, BoardId, ByColor, Instant, Kinds, Role, SECOND, Square},
};

/// How long a press waits for a move that no sensor shows, where nobody answers it.
const UNSEEN_US: i64 = 3 * SECOND;

/// A ply that no sensor shows.
struct Unseen {
    played: Move,
    /// What speaks against it.
    cost: u32,
    /// When its square was last known to feel.
    felt: Instant,
}

impl BoardTrack {
    /// Completes the drop of a man that has left the tray and stands nowhere, or the ply of the only man that has left
    /// its square in this turn and stands nowhere.
    pub fn complete_vanished(
        &mut self,
        position: &BoardPosition,
        board: BoardId,
        seen: &Seen<'_>,
        at: Instant,
    ) -> Option<Completed> {
        let press = self.unseen_press(at)?;
        let gone = self.gone_for(position, seen, press);
        let lifted = if self.lifted_in_turn && gone.count() == 1 { gone } else { Bitboard::EMPTY };
        self.complete_likeliest(position, board, seen, press, (lifted, true))
    }

    /// When a ply that no sensor shows was made for sure, if one was: the reply has been pressed for, and all squares
    /// were read since.
    pub fn answered_due(&self) -> Option<Instant> {
        let mut presses = self.presses.iter();
        let (press, reply) = presses.next().zip(presses.next())?;
        let silent = self.line.is_empty() && self.completion == Completion::Clock && !self.is_unwatched();
        (silent && press.by != reply.by && self.looked_unseen != Some(self.state())).then_some(reply.at + LATE_US)
    }

    /// Completes a ply that no sensor shows as soon as it is answered, before its player's next one is taken for it: a
    /// man has left its square in its turn, or the tray, and is gone.
    pub fn complete_answered(
        &mut self,
        position: &BoardPosition,
        board: BoardId,
        seen: &Seen<'_>,
    ) -> Option<Completed> {
        self.looked_unseen = Some(self.state());
        if self.forget_bounce() {
            return None;
        }
        let press = *self.presses.front()?;
        let gone = self.gone_for(position, seen, press);
        if gone.count() > 1 {
            return None;
        }
        self.complete_likeliest(position, board, seen, press, (gone, gone.is_empty()))
    }

    /// Men of the player to move that had left their squares when the clock was pressed and are not back.
    fn gone_for(&self, position: &BoardPosition, seen: &Seen<'_>, press: Press) -> Bitboard {
        let own = self.unexplained & position.board().by_color(position.turn());
        let left = |square: &Square| {
            let left = seen.placement.kinds(*square) == Kinds::EMPTY;
            left && seen.placement.changed(*square) <= press.at + AT_PRESS_US
        };
        own.into_iter().filter(left).collect()
    }

    /// Completes the likeliest ply that no sensor shows, of a man that is `gone` from its square or a drop.
    fn complete_likeliest(
        &mut self,
        position: &BoardPosition,
        board: BoardId,
        seen: &Seen<'_>,
        press: Press,
        (gone, drops): (Bitboard, bool),
    ) -> Option<Completed> {
        let mut plies = self.unseen_plies(position, seen, press, (gone, drops));
        plies.sort_by_key(|ply| (ply.cost, ply.felt));
        let least = plies.first()?.cost;
        let mut alike = plies.into_iter().take_while(|ply| ply.cost < least + cost::MARGIN).map(|ply| ply.played);
        let played = alike.next()?;
        self.rivals = alike.collect();
        self.line.clear();
        self.presses.pop_front();
        self.take_for_blind(played.to());
        Some(self.completed_by(press, position, board, (played, press.at), Vec::new()))
    }

    /// Completes the first ply of a legal line that nothing but its ply's absence speaks against, if an illegal move
    /// explains less: the other player has answered.
    pub fn complete_made(
        &mut self,
        position: &BoardPosition,
        board: BoardId,
        seen: &Seen<'_>,
        at: Instant,
    ) -> Option<Completed> {
        if self.presses.len() < 2 {
            return None;
        }
        let presses: Vec<Instant> = self.pressed().collect();
        let evidence = Evidence { presses: &presses, ..self.evidence(seen, 0) };
        let illegal = illegal::explain(position, evidence).map_or(u32::MAX, |illegal| illegal.cost);
        let found = search::explain(position, Evidence { must: true, ..evidence }, presses.len() + 2);
        let made = !found.line.is_empty() && found.mismatch.foreign.is_empty();
        if !made || found.cost >= illegal.min(cost::ILLEGAL_MOST) {
            return None;
        }
        self.rivals = found.rivals.to_vec();
        self.take_line(position.clone(), &found.line, seen.placement, at);
        self.complete(position, board, Some(seen))
    }

    /// Completes a legal move to a square where no sensor shows the man, when nothing else is left to believe.
    pub fn complete_unseen(
        &mut self,
        position: &BoardPosition,
        board: BoardId,
        seen: &Seen<'_>,
        at: Instant,
    ) -> Option<Completed> {
        let press = self.unseen_press(at)?;
        let presses: Vec<Instant> = self.pressed().collect();
        let evidence = Evidence { presses: &presses, unseen: 0, ..self.evidence(seen, 0) };
        let found = search::explain(position, evidence, presses.len());
        let played = *found.line.first().filter(|_| is_explained(found.mismatch))?;
        self.presses.pop_front();
        self.line.clear();
        self.rivals = found.rivals.to_vec();
        let unseen_too = self.alike(position, played, seen);
        self.rivals.extend(unseen_too);
        Some(self.completed_by(press, position, board, (played, press.at), Vec::new()))
    }

    /// The press of a ply that may have been unseen: it has been answered, or waits for long.
    fn unseen_press(&self, at: Instant) -> Option<Press> {
        let press = *self.presses.front()?;
        (self.presses.len() > 1 || at - press.at >= UNSEEN_US).then_some(press)
    }

    /// What the present costs if the press that waits was for the drop of a man that its player took from the tray
    /// before, and that no sensor shows. None where nobody holds one.
    pub(super) fn unseen_drop(&self, position: &BoardPosition, seen: &Seen<'_>) -> Option<u32> {
        let waits = self.line.is_empty() && self.completion == Completion::Clock;
        let press = *self.presses.front().filter(|press| waits && press.by == position.turn())?;
        let hand = seen.lifted.get(press.by).as_ref()?;
        let held = |ply: &Unseen| was_taken(hand, ply.played.role(), press);
        let plies = self.unseen_plies(position, seen, press, (Bitboard::EMPTY, true));
        let least = plies.iter().filter(|ply| held(ply)).map(|ply| ply.cost).min()?;
        Some(least + cost::PLY + cost::NEVER)
    }

    /// Every move of a man that is `gone`, and if asked every drop of a man in hand, to a square that shows nothing.
    fn unseen_plies(
        &self,
        position: &BoardPosition,
        seen: &Seen<'_>,
        press: Press,
        (gone, drops): (Bitboard, bool),
    ) -> Vec<Unseen> {
        let turn = position.turn();
        // One that another man of its kind came to the tray for looks as if it were on its way.
        let held = |role: Role| {
            let hand = seen.lifted.get(turn).as_ref();
            hand.is_some_and(|hand| was_taken(hand, role, press) || *hand.coming.get(role))
        };
        let shows_nothing = |to: Square| seen.placement.kinds(to) == Kinds::EMPTY;
        let plies = position.legal_moves().into_iter().filter_map(|m| match m {
            Move::Put { role, to } if drops && held(role) && shows_nothing(to) => Some((m, Some(role), to)),
            Move::Normal { from, to, .. } if gone.contains(from) && shows_nothing(to) => Some((m, None, to)),
            _ => None,
        });
        let plies = plies.filter_map(|(played, dropped, to)| {
            let mut lifted = seen.lifted;
            let taken = dropped.zip(lifted.get_mut(turn).as_mut());
            let taken = taken.is_none_or(|(role, hand)| hand.take(role, Instant(i64::MAX)));
            let nowhere = if taken { 0 } else { cost::FROM_NOWHERE };
            let cost = nowhere + self.explained_after(position, played, seen, &lifted)?;
            Some(Unseen { played, cost, felt: seen.placement.changed(to) })
        });
        plies.collect()
    }

    /// What it costs to explain the board after a ply that nobody saw, if nothing stands where it should not then.
    fn explained_after(
        &self,
        position: &BoardPosition,
        played: Move,
        seen: &Seen<'_>,
        lifted: &ByColor<Option<search::Hand>>,
    ) -> Option<u32> {
        let mut after = position.clone();
        after.play(played);
        let presses: Vec<Instant> = self.pressed().collect();
        let (press, presses) = presses.split_first()?;
        let evidence = self.evidence(seen, 0);
        let [first, second] = evidence.since;
        let since = [second, first];
        let blind = self.blind | Bitboard::from(played.to());
        let evidence = Evidence {
            presses,
            since,
            rest_since: *press,
            pressed: [evidence.pressed[1], *press],
            lifted,
            blind,
            noting: false,
            ..evidence
        };
        let found = search::explain(&after, evidence, presses.len() + 1);
        is_explained(found.mismatch).then_some(found.cost)
    }
}

/// Whether a man of a kind had left the tray when the clock was pressed.
fn was_taken(hand: &Hand, role: Role, press: Press) -> bool {
    *hand.men.get(role) > 0 && *hand.taken.get(role) <= press.at + SCAN_US
}

/// Whether nothing stands where it should not, and nobody sweeps the men off.
fn is_explained(mismatch: Mismatch) -> bool {
    mismatch.foreign.is_empty() && mismatch.missing.count() < SWEPT_MEN
}

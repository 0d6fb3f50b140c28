//! A press whose ply no sensor shows: something went to a square that feels nothing.
//!
//! In: a press that no ply explains, the hands of the players. Out: the likeliest ply to such a square, with every
//! other that is as likely; what is played later tells which one it was (`lookback`).

use super::{
    Completed, Press,
    board::{BoardTrack, SWEPT_MEN, Seen},
    cost,
    search::{self, Evidence},
};
use crate::{
    rules::{BoardPosition, Move},
    sense::Mismatch,
    types::{Bitboard, BoardId, ByColor, Instant, Kinds, Role, SECOND, Square},
};

/// How long a press waits for a move that no sensor shows, where nobody answers it.
const UNSEEN_US: i64 = 3 * SECOND;

/// A drop that no sensor shows.
struct Drop {
    played: Move,
    /// What speaks against it.
    cost: u32,
    /// When its square was last known to feel.
    felt: Instant,
}

impl BoardTrack {
    /// Completes the drop of a man that has left the tray and stands nowhere.
    pub fn complete_unseen_drop(
        &mut self,
        position: &BoardPosition,
        board: BoardId,
        seen: &Seen<'_>,
        at: Instant,
    ) -> Option<Completed> {
        let press = self.unseen_press(at)?;
        let mut drops = self.unseen_drops(position, seen);
        drops.sort_by_key(|drop| (drop.cost, drop.felt));
        let least = drops.first()?.cost;
        let mut alike = drops.into_iter().take_while(|drop| drop.cost < least + cost::MARGIN).map(|drop| drop.played);
        let played = alike.next()?;
        self.rivals = alike.collect();
        self.line.clear();
        self.presses.pop_front();
        self.take_for_blind(played.to());
        Some(self.completed_by(press, position, board, (played, press.at), Vec::new()))
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

    /// Every drop of a man in the player's hand to a square that has shown nothing since.
    fn unseen_drops(&self, position: &BoardPosition, seen: &Seen<'_>) -> Vec<Drop> {
        let turn = position.turn();
        let Some(hand) = seen.lifted.get(turn) else { return Vec::new() };
        let held = |role: Role| *hand.men.get(role) > 0;
        let shows_nothing = |to: Square| seen.placement.kinds(to) == Kinds::EMPTY;
        let drops = position.legal_moves().into_iter().filter_map(|m| match m {
            Move::Put { role, to } if held(role) && shows_nothing(to) => Some((m, role, to)),
            _ => None,
        });
        let drops = drops.filter_map(|(played, role, to)| {
            let mut lifted = seen.lifted;
            lifted.get_mut(turn).as_mut()?.take(role, Instant(i64::MAX));
            let cost = self.explained_after(position, played, seen, &lifted)?;
            Some(Drop { played, cost, felt: seen.placement.changed(to) })
        });
        drops.collect()
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
        let evidence = Evidence { presses, since, rest_since: *press, lifted, blind, noting: false, ..evidence };
        let found = search::explain(&after, evidence, presses.len() + 1);
        is_explained(found.mismatch).then_some(found.cost)
    }
}

/// Whether nothing stands where it should not, and nobody sweeps the men off.
fn is_explained(mismatch: Mismatch) -> bool {
    mismatch.foreign.is_empty() && mismatch.missing.count() < SWEPT_MEN
}

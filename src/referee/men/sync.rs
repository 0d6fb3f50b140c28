//! The ledger against the game: men go where the record has them after moves were others.
//!
//! In: the game. Out: the same men at other places, those that are missed somewhere first. It does not ask what trays
//! show.

use super::{Man, Men, Place, STRAYS_MAX, Stray, Taken};
use crate::{
    rules::Game,
    types::{Instant, Piece, Role},
};

impl Men {
    /// Brings the men to where the game has them after a move was undone, corrected or a position was set: those that
    /// are at the wrong place go where one is missing.
    pub fn sync(&mut self, game: &Game, at: Instant) {
        let mut need = needed(game);
        let mut spare = Vec::new();
        // The man that came to the board last is the one that did not, rather than its like.
        let mut order: Vec<usize> = (0..self.men.len()).collect();
        let came = |man: &Man| if let Place::Board(_) = man.place { man.since } else { Instant::LONG_AGO };
        order.sort_by_key(|index| came(&self.men[*index]));
        for index in order {
            let man = self.men[index];
            let place = man.place.owner().map_or(man.place, Place::Transit);
            match need.iter().position(|(piece, other)| *piece == man.piece && *other == place) {
                Some(found) => drop(need.swap_remove(found)),
                None => spare.push(index),
            }
        }
        for (piece, place) in need {
            let same = |index: &usize| self.men[*index].piece == piece;
            // A man that was not dropped after all is still out of its tray.
            let taken = |index: usize| self.men[index].taken.filter(|taken| place == Place::Transit(taken.seat));
            let lifted = spare.iter().position(|index| same(index) && taken(*index).is_some());
            let taken = lifted.and_then(|found| taken(spare[found]));
            let index = match lifted.or_else(|| spare.iter().position(same)).or((!spare.is_empty()).then_some(0)) {
                Some(found) => spare.remove(found),
                None => self.adopt(piece, at),
            };
            self.note_gone(index, self.men[index].first_seen);
            let told = self.men[index].told;
            // Who reads the record anew does not know what was seen of the man before.
            let first_seen = place.owner().map(|_| at);
            let man = Man { first_seen, ..Man::at(piece, place, at) };
            self.men[index] = match taken {
                Some(Taken { at: left, slot, .. }) => Man {
                    place: place.owner().map_or(place, Place::Lifted),
                    since: left,
                    seen: Some(left),
                    passed_over: Some(at),
                    doubted: Some(at),
                    slot,
                    told,
                    ..man
                },
                None => man,
            };
        }
        for index in spare {
            self.note_gone(index, self.men[index].first_seen);
            self.men[index] = Man::at(self.men[index].piece, Place::Nowhere, at);
        }
    }

    /// A man that had been seen in a tray since some time and left it: if its capture is recorded anew, it was passed.
    pub(super) fn note_gone(&mut self, index: usize, since: Option<Instant>) {
        let Man { piece, place, since: left, told, .. } = self.men[index];
        if let (Place::Lifted(seat), Some(since)) = (place, since) {
            self.gone.truncate(STRAYS_MAX - 1);
            self.gone.push_back((Stray { seat, piece, since, lies_since: since, looked_at: since, told }, left));
        }
    }

    /// Whether boards and pockets have as many men as in the game: where not, a move was played that no law knows.
    pub fn counts_agree(&self, game: &Game) -> bool {
        game.ids().all(|board| {
            let stand = game.board(board).board().occupied().count();
            let held: u32 = crate::types::Color::ALL
                .into_iter()
                .flat_map(|color| game.board(board).pocket(color).into_iter().map(|held| u32::from(*held)))
                .sum();
            let on = self.men.iter().filter(|man| man.place == Place::Board(board)).count();
            let off = self.men.iter().filter(|man| man.place.owner().is_some_and(|seat| seat.board == board)).count();
            stand == on && held as usize == off
        })
    }

    /// Whether every man is where the game has it.
    pub fn agrees(&self, game: &Game) -> bool {
        let mut need = needed(game);
        self.men.iter().all(|man| {
            let place = man.place.owner().map_or(man.place, Place::Transit);
            let found = need.iter().position(|(piece, other)| *piece == man.piece && *other == place);
            found.map(|index| need.swap_remove(index)).is_some() || man.place == Place::Nowhere
        }) && need.is_empty()
    }
}

/// Every man that a game has, with its place; a pocket's men as if on their way.
fn needed(game: &Game) -> Vec<(Piece, Place)> {
    let mut need = Vec::new();
    for board in game.ids() {
        let position = game.board(board);
        for square in position.board().occupied() {
            let Some(man) = position.board().piece_at(square) else { continue };
            let role = if position.promoted().contains(square) { Role::Pawn } else { man.role };
            need.push((Piece { role, ..man }, Place::Board(board)));
        }
        for color in crate::types::Color::ALL {
            let seat = board.seat(color);
            for role in Role::ALL {
                let held = usize::from(*position.pocket(color).get(role));
                need.extend(std::iter::repeat_n((role.of(color), Place::Transit(seat)), held));
            }
        }
    }
    need
}

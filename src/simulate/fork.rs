//! A game record as it will be played: as it is written, or left at a seeded moment for an illegal move.

use rand::Rng;

use crate::{
    notation::{
        bpgn,
        replay::{Fault, replay},
    },
    rules::{Game, RuleSet},
};

use super::{
    Stream,
    hands::{Ply, Terms, plies_of, terms_of},
    offence::Offences,
    random_game::go_on,
    rng,
};

/// Plies of a game after it has left its record.
const FORK_PLIES: usize = 24;

/// The plies of a record, or where it breaks the rules. With illegal moves it goes on at random from a seeded moment.
pub fn plies_with(
    record: &bpgn::Game,
    ruleset: &RuleSet,
    offences: &Offences,
    seed: u64,
) -> Result<(Vec<Ply>, Terms), Fault> {
    let (mut plies, mut terms) = (plies_of(record, ruleset)?, terms_of(record));
    offences.set_time(&mut plies, &mut terms);
    if offences.kinds.iter().all(|offence| offence.reason().is_none()) {
        return Ok((plies, terms));
    }
    let until = plies.len() / 4 + rng(seed, Stream::Table).random_range(0..plies.len() / 2 + 1);
    let mut game = Game::new(ruleset.clone(), terms.boards);
    for ply in replay(record, ruleset).plies.iter().take(until) {
        game.play(ply.seat.board, ply.played);
    }
    plies.truncate(until);
    Ok(go_on(game, plies, Terms { outcome: None, ..terms }, until + FORK_PLIES, offences, seed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{rules::Reason, simulate::offence::Offence};

    #[test]
    fn a_record_is_left_for_an_illegal_move() {
        let text = "1A. e4 1a. e5 1B. d4 1b. d5 2A. Nf3 2a. Nc6 2B. Nf3 2b. Nf6 3A. Bc4 3a. Bc5 3B. c4 3b. e6 *";
        let record = bpgn::read_game(text, 1).unwrap().game;
        let plies = |offences: &Offences| plies_with(&record, &RuleSet::WBN_1_00, offences, 2).unwrap().0;
        let written = plies(&Offences::default());
        let kinds = vec![Offence::Illegal(Reason::Geometry)];
        let offending = plies(&Offences { kinds, per_mille: None });
        assert_eq!(written.len(), 12);
        assert_eq!(offending[..3], written[..3]);
        assert_eq!(offending.iter().filter(|ply| ply.illegal == Some(Reason::Geometry)).count(), 1);
    }
}

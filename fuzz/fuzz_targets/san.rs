//! Moves in a position: the first line is the position, each further one a move that is played if it is legal. The
//! length of the text chooses the rule set.
#![no_main]

use bughoused::{
    notation::{bfen::Bfen, san, uci},
    rules::{RuleSet, VARIANTS},
    types::BoardId,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut lines = text.lines();
    let Ok(bfen) = Bfen::read(lines.next().unwrap_or("")) else { return };
    let mut game = bfen.to_game(&rules(text.len()));
    for line in lines.take(64) {
        let position = game.board(BoardId::A);
        let moves = position.legal_moves();
        assert_eq!(moves.len(), position.count_legal_moves());
        if let Ok(m) = uci::read(line, position) {
            assert!(moves.contains(&m), "{line}");
        }
        let Ok(m) = san::read(line, position) else { continue };
        assert!(moves.contains(&m) && position.is_legal(m), "{line}");
        assert_eq!(san::read(&san::write(position, m, game.len()), position), Ok(m), "{line}");
        assert_eq!(uci::read(&uci::write(m), position), Ok(m), "{line}");
        game.play(BoardId::A, m);
    }
});

/// A law text, plain or as one of the variants.
fn rules(number: usize) -> RuleSet {
    let mut rules = RuleSet::ALL[number % RuleSet::ALL.len()].clone();
    if let Some(variant) = VARIANTS.get(number / RuleSet::ALL.len() % (VARIANTS.len() + 1)) {
        rules.vary(variant.name).expect("a variant of the list");
    }
    rules
}

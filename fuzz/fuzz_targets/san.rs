//! Moves in a position: the first line is the position, each further one a move that is played if it is legal.
#![no_main]

use bughoused::{
    notation::{bfen::Bfen, san, uci},
    rules::RuleSet,
    types::BoardId,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut lines = text.lines();
    let Ok(bfen) = Bfen::read(lines.next().unwrap_or("")) else { return };
    let mut game = bfen.to_game(&RuleSet::WBN_1_00);
    for line in lines.take(64) {
        let position = game.board(BoardId::A);
        let _ = uci::read(line, position);
        let Ok(m) = san::read(line, position) else { continue };
        assert!(position.is_legal(m), "{line}");
        assert_eq!(san::read(&san::write(position, m, game.len()), position), Ok(m), "{line}");
        game.play(BoardId::A, m);
    }
});

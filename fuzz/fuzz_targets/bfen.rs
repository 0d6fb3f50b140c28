//! Positions: read, written and read again.
#![no_main]

use bughoused::{notation::bfen::Bfen, rules::RuleSet};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(bfen) = Bfen::read(text) {
        assert_eq!(Bfen::read(&bfen.write()).as_ref(), Ok(&bfen));
        let game = bfen.to_game(&RuleSet::WBN_1_00);
        for board in game.ids() {
            let _ = game.is_mate(board);
        }
    }
});

//! Game records: read, judged, written and read again.
#![no_main]

use bughoused::{
    notation::{bpgn::Reader, replay::replay},
    rules::RuleSet,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for parsed in Reader::new(bytes).flatten() {
        let _ = replay(&parsed.game, &RuleSet::WBN_1_00);
        let written = parsed.game.write();
        let again = Reader::new(written.as_bytes()).next().expect("a game").expect("what is written is readable");
        assert_eq!(again.game.moves.len(), parsed.game.moves.len());
    }
});

//! Capture files: the machine takes every line or refuses it.
#![no_main]

use bughoused::table::capture::Replay;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut lines = text.lines();
    let Ok(mut replay) = Replay::new(lines.next().unwrap_or(""), None) else { return };
    for line in lines {
        if replay.feed(line, |_| ()).is_err() {
            break;
        }
    }
    replay.finish(|_| ());
});

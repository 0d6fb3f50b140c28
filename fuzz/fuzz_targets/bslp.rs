//! Bytes of a tray unit and of its host: how they are cut changes nothing.
#![no_main]

use bughoused::wire::bslp::{Command, Decoder, Line};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let lines = |size: usize| {
        let mut decoder = Decoder::<Line>::new();
        let mut lines = Vec::new();
        bytes.chunks(size).for_each(|chunk| decoder.push(chunk, |line| lines.push(line)));
        (lines, decoder.rejects().total())
    };
    assert_eq!(lines(bytes.len().max(1)), lines(1));
    Decoder::<Command>::new().push(bytes, |_| ());
});

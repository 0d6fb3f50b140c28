//! Bytes of a DGT board: how they are cut changes nothing.
#![no_main]

use bughoused::wire::dgt::{Decoder, Message};
use libfuzzer_sys::fuzz_target;

fn messages<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> (Vec<Message>, u64) {
    let mut decoder = Decoder::new();
    let mut messages = Vec::new();
    chunks.for_each(|chunk| decoder.push(chunk, |message| messages.push(message)));
    (messages, decoder.rejects().total())
}

fuzz_target!(|bytes: &[u8]| {
    assert_eq!(messages(std::iter::once(bytes)), messages(bytes.chunks(1)));
});

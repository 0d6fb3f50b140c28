//! Capture files: the machine takes every line or refuses it.
#![no_main]

use bughoused::table::capture::Replay;
use libfuzzer_sys::fuzz_target;

/// A day. The machine lives through all time that passes, which takes long for a week under a sanitizer.
const MICROS_MAX: u64 = 24 * 3600 * 1_000_000;

/// Every number behind this key.
fn numbers(text: &str, key: &str) -> impl Iterator<Item = u64> {
    text.split(key).skip(1).map(|rest| {
        let digits = rest.bytes().skip_while(|byte| b" :\t".contains(byte)).take_while(u8::is_ascii_digit);
        digits.fold(0, |number: u64, digit| number.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
    })
}

fuzz_target!(|text: &str| {
    if ["\"t\"", "\"end\""].iter().any(|key| numbers(text, key).any(|micros| micros > MICROS_MAX)) {
        return;
    }
    let mut lines = text.lines();
    let Ok(mut replay) = Replay::new(lines.next().unwrap_or(""), None) else { return };
    for line in lines {
        if replay.feed(line, |_| ()).is_err() {
            break;
        }
    }
    replay.finish(|_| ());
});

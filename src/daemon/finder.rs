//! The port of a device that is known by its serial number.
//!
//! In: a number, a driver, ports to look at. Out: the port on which a device answers with that number. It asks as the
//! table would, with the same machine of the device; ports that another program has are passed over.

use std::{fs, path::PathBuf, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time::timeout,
};
use tokio_serial::SerialStream;

use super::{clock::Clock, port};
use crate::{sense, table::settings::Driver};

/// How long a device may take to say who it is.
const ANSWER_MAX: Duration = Duration::from_millis(1500);
/// Digits from which the end of a longer number will do.
const DIGITS_MIN: usize = 5;
/// Most ports that are looked at.
const PORTS_MAX: usize = 64;

/// Serial ports of this machine that may be boards: by USB with a stable name, and by Bluetooth.
pub(super) fn ports() -> Vec<PathBuf> {
    let listed = |dir: &str, prefix: &str| {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        let wanted = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(prefix);
        entries.filter(wanted).map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let mut ports = [listed("/dev/serial/by-id", ""), listed("/dev", "rfcomm")].concat();
    ports.sort();
    ports.truncate(PORTS_MAX);
    ports
}

/// The first of the ports on which the device with this number answers.
pub(super) async fn find(number: &str, driver: Driver, clock: Clock, ports: Vec<PathBuf>) -> Option<String> {
    for path in ports {
        let path = path.to_string_lossy().into_owned();
        let Ok(stream) = port::open(&path, driver) else { continue };
        match timeout(ANSWER_MAX, introduces_itself(stream, driver, clock, number)).await {
            Ok(true) => return Some(path),
            Ok(false) => tracing::debug!("{path} ended while it was asked for its number"),
            Err(_) => tracing::debug!("{path} does not answer with the number {number}"),
        }
    }
    None
}

/// Talks to a device until it says the number (true) or the port is gone (false).
async fn introduces_itself(mut stream: SerialStream, driver: Driver, clock: Clock, number: &str) -> bool {
    let mut device = match driver {
        Driver::Dgt => sense::Device::Dgt(Box::default()),
        Driver::Bslp => sense::Device::Bslp(Box::default()),
    };
    device.link(clock.now(), true);
    let mut buffer = [0; 256];
    loop {
        while let Some(bytes) = device.advance(clock.now()) {
            if stream.write_all(&bytes).await.is_err() {
                return false;
            }
        }
        let wake = device.deadline().map_or(ANSWER_MAX, |at| clock.until(at));
        match timeout(wake, stream.read(&mut buffer)).await {
            Ok(Ok(count)) if count > 0 => device.bytes(clock.now(), &buffer[..count], |_| {}),
            Ok(_) => return false,
            Err(_) => {}
        }
        if device.identity().serial.as_deref().is_some_and(|found| is_number(found, number)) {
            return true;
        }
    }
}

/// Leading zeros do not count; a board's long number ends with the one that is printed on it.
fn is_number(found: &str, wanted: &str) -> bool {
    let bare = |number: &str| number.trim_start_matches('0').to_owned();
    bare(found) == bare(wanted) || (wanted.len() >= DIGITS_MIN && found.ends_with(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_as_people_read_them() {
        assert!(is_number("00471", "471") && is_number("0300004711", "04711") && is_number("AB-1", "AB-1"));
        assert!(!is_number("24711", "4711") && !is_number("4712", "4711"));
    }
}

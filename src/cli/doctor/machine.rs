//! The machine around the daemon: disk, broker, wall clock, service.

use std::{
    fs,
    net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs as _},
    path::Path,
    time::Duration,
};

use super::Finding;
use crate::daemon::{clock::Clock, config::Broker};

/// Free bytes below which a day of raw bytes may not fit, and below which nothing does.
const FREE_LITTLE: u64 = 1 << 30;
const FREE_NONE: u64 = 50 << 20;
/// How long a broker may take to answer.
const ANSWER_MAX: Duration = Duration::from_secs(3);
/// No machine that knows the date is before this: 2025-01-01, in microseconds since 1970 UTC.
const EARLIEST_US: i64 = 1_735_689_600_000_000;
/// Where services and time-keepers leave their traces.
const SYSTEMD: &str = "/run/systemd/system";
const UNITS: [&str; 2] = ["/etc/systemd/system/bughoused.service", "/usr/lib/systemd/system/bughoused.service"];
const TIME_KEEPERS: [&str; 4] =
    ["/run/systemd/timesync/synchronized", "/run/chrony/chronyd.pid", "/run/ntpd.pid", "/run/openntpd.pid"];

/// Clock and service.
pub fn look() -> Vec<Finding> {
    vec![clock(), service()]
}

/// Whether the journal can be written, and how long.
pub fn disk(dir: &Path) -> Vec<Finding> {
    let what = format!("disk at {}", dir.display());
    let found = fs::metadata(dir);
    if let Err(error) = &found {
        let advice = "it is made at the first start if its owner may; else make it and give it to the daemon's user";
        return vec![Finding::warn(what, error.to_string(), advice)];
    }
    let mut findings = Vec::new();
    if let Err(error) = tempfile::tempfile_in(dir) {
        let advice = "run as the daemon's user, mend the rights or the mount";
        findings.push(Finding::bad(what.clone(), format!("it cannot be written ({error})"), advice));
    }
    let free = rustix::fs::statvfs(dir).map(|found| found.f_bavail.saturating_mul(found.f_frsize));
    findings.push(match free {
        Ok(free) if free < FREE_NONE => Finding::bad(what, mb(free), "free some space"),
        Ok(free) if free < FREE_LITTLE => {
            Finding::warn(what, mb(free), "free some space, or let node.keep_raw_mb be smaller")
        }
        Ok(free) => Finding::ok(what, mb(free)),
        Err(error) => Finding::warn(what, format!("how much is free is not told ({error})"), "look yourself"),
    });
    findings
}

fn mb(free: u64) -> String {
    format!("{} MB are free", free >> 20)
}

/// Whether a broker answers, or whether our own can listen.
pub fn broker(broker: &Broker, running: bool) -> Finding {
    match broker {
        Broker::Embedded { listen } if running => answers("own broker", &listen.to_string(), "look at the log"),
        Broker::Embedded { listen } => match TcpListener::bind(listen) {
            Ok(_) => Finding::ok("own broker", format!("{listen} is free")),
            Err(error) => {
                let advice = "stop the program that listens there, or change mqtt.listen";
                Finding::bad("own broker", format!("{listen}: {error}"), advice)
            }
        },
        Broker::External(external) => {
            let address = format!("{}:{}", external.host, external.port);
            answers("broker", &address, "start it, or mend mqtt.broker; games are recorded without it")
        }
    }
}

fn answers(what: &str, address: &str, advice: &str) -> Finding {
    let connect = |address: SocketAddr| TcpStream::connect_timeout(&address, ANSWER_MAX);
    let found = address.to_socket_addrs().and_then(|mut addresses| {
        let first = addresses.next().ok_or_else(|| std::io::Error::other("no such host"))?;
        connect(first)
    });
    match found {
        Ok(_) => Finding::ok(what, format!("{address} answers")),
        Err(error) => Finding::warn(what, format!("{address}: {error}"), advice),
    }
}

/// Records carry the date.
fn clock() -> Finding {
    let clock = Clock::start();
    let now = clock.rfc3339(clock.now());
    if clock.started_us() < EARLIEST_US {
        return Finding::bad("clock", now, "it is wrong: set it, or connect to a network with a time server");
    }
    match TIME_KEEPERS.iter().find(|path| Path::new(path).exists()) {
        Some(_) => Finding::ok("clock", format!("{now}, kept by a time server")),
        None => Finding::warn("clock", format!("{now}, kept by nobody known"), "compare it with your watch"),
    }
}

fn service() -> Finding {
    let unit = UNITS.iter().find(|path| Path::new(path).exists());
    match (Path::new(SYSTEMD).exists(), unit) {
        (false, _) => Finding::ok("service", "this machine has no systemd: start `bughoused run` yourself"),
        (true, Some(unit)) => Finding::ok("service", *unit),
        (true, None) => {
            let advice = "copy systemd/bughoused.service to /etc/systemd/system to start it at boot";
            Finding::warn("service", "none is installed", advice)
        }
    }
}

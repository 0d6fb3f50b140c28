//! Failed logins by address, so that nobody tries passwords one after the other.
//!
//! In: addresses, with the time of each failure. Out: whether an address may try now. It reads no clock and is bounded:
//! when too many addresses fail, the oldest failure is forgotten first.

use std::{collections::BTreeMap, net::IpAddr, time::Duration};

use tokio::time::Instant;

/// Failures after which an address has to wait.
const FAILURES_MAX: u32 = 5;
/// How long it has to wait, and how long a failure counts.
const WAIT: Duration = Duration::from_secs(60);
/// Addresses that are remembered.
const ADDRESSES_MAX: usize = 4096;

/// Who failed lately.
#[derive(Debug, Default)]
pub struct Attempts(BTreeMap<IpAddr, Failures>);

#[derive(Clone, Copy, Debug)]
struct Failures {
    count: u32,
    last: Instant,
}

impl Attempts {
    /// Whether the address may try a password now.
    pub fn may_try(&self, address: IpAddr, now: Instant) -> bool {
        let failures = self.0.get(&network(address)).filter(|failures| now - failures.last < WAIT);
        failures.is_none_or(|failures| failures.count < FAILURES_MAX)
    }

    /// Notes a wrong password.
    pub fn failed(&mut self, address: IpAddr, now: Instant) {
        self.0.retain(|_, failures| now - failures.last < WAIT);
        if self.0.len() >= ADDRESSES_MAX {
            let oldest = self.0.iter().min_by_key(|(_, failures)| failures.last).map(|(address, _)| *address);
            oldest.map(|address| self.0.remove(&address));
        }
        let failures = self.0.entry(network(address)).or_insert(Failures { count: 0, last: now });
        failures.count = failures.count.saturating_add(1);
        failures.last = now;
    }

    /// Notes the right one.
    pub fn succeeded(&mut self, address: IpAddr) {
        self.0.remove(&network(address));
    }
}

/// One host has many IPv6 addresses, all of one /64 network.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(v4) => IpAddr::V4(v4),
            None => IpAddr::V6((v6.to_bits() & !u128::from(u64::MAX)).into()),
        },
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_fails_too_often_waits_and_others_do_not() {
        let (bad, good) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let mut attempts = Attempts::default();
        let now = Instant::now();
        for _ in 0..FAILURES_MAX {
            assert!(attempts.may_try(bad, now));
            attempts.failed(bad, now);
        }
        assert!(!attempts.may_try(bad, now) && attempts.may_try(good, now));
        assert!(!attempts.may_try(bad, now + WAIT / 2) && attempts.may_try(bad, now + WAIT));
        attempts.succeeded(bad);
        assert!(attempts.may_try(bad, now));
    }

    #[tokio::test]
    async fn a_network_of_many_addresses_is_one() {
        let mut attempts = Attempts::default();
        let now = Instant::now();
        for host in 0..FAILURES_MAX as u16 {
            attempts.failed(IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, host]), now);
        }
        assert!(!attempts.may_try("2001:db8:0:1::99".parse().unwrap(), now));
        assert!(attempts.may_try("2001:db8:0:2::99".parse().unwrap(), now));
        for host in 0..10_000_u32 {
            attempts.failed(IpAddr::from((host + 0x0a00_0000).to_be_bytes()), now);
        }
        assert!(attempts.0.len() <= ADDRESSES_MAX);
    }
}

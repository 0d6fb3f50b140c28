//! How many connections each address has, so that one stranger does not take all places.
//!
//! In: addresses. Out: a place each, given back when it is dropped, or none. This machine itself has no limit: behind a
//! proxy everybody comes from here.

use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The connections of all addresses. Clones are the same.
#[derive(Clone, Debug)]
pub struct Guests {
    each_max: usize,
    counts: Arc<Mutex<BTreeMap<IpAddr, usize>>>,
}

/// A place of one address.
#[derive(Debug)]
pub struct Guest {
    guests: Guests,
    address: IpAddr,
}

impl Guests {
    /// Nobody yet; each address gets so many places.
    pub fn new(each_max: usize) -> Guests {
        Guests { each_max, counts: Arc::default() }
    }

    /// A place, if the address has one left.
    pub fn enter(&self, address: IpAddr) -> Option<Guest> {
        let mut counts = self.counts();
        let count = counts.entry(address).or_default();
        if *count >= self.each_max && !address.is_loopback() {
            return None;
        }
        *count += 1;
        Some(Guest { guests: self.clone(), address })
    }

    /// Usable after a panic of another holder: each of its methods leaves it whole.
    fn counts(&self) -> MutexGuard<'_, BTreeMap<IpAddr, usize>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut counts = self.guests.counts();
        if let Some(count) = counts.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_gets_its_places_and_leaves_the_others_theirs() {
        let guests = Guests::new(2);
        let (one, other, here) = ([10, 0, 0, 1].into(), [10, 0, 0, 2].into(), [127, 0, 0, 1].into());
        let (first, second) = (guests.enter(one), guests.enter(one));
        assert!(first.is_some() && second.is_some() && guests.enter(one).is_none());
        assert!(guests.enter(other).is_some());
        let many: Vec<_> = (0..100).map(|_| guests.enter(here)).collect();
        assert!(many.iter().all(Option::is_some));
        drop((first, many));
        assert!(guests.enter(one).is_some());
        drop(second);
        assert!(guests.counts().is_empty(), "nothing is remembered of who has left");
    }
}

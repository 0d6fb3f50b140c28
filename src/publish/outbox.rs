//! What is still to be brought to the broker, in order and bounded.
//!
//! In: messages of all tables. Out: the next one to send. Retained topics are remembered with their last payload, so
//! that they can be sent again after a reconnect; of a retained topic only the newest payload is ever sent, an event
//! is never skipped unless the bound is reached. It lives in memory; another store can take its place behind the same
//! methods. It knows no connection.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use tokio::time::Instant;

use super::topic::Message;

/// Most messages waiting; with a broker away this is some hours of play.
pub const QUEUED_MAX: usize = 50_000;
/// Most bytes of topics and payloads waiting, retained ones not counted.
pub const QUEUED_BYTES_MAX: usize = 32 << 20;
/// Most retained topics remembered: far more than a node's tables and devices have.
pub const RETAINED_MAX: usize = 10_000;

/// Messages in order, and the retained ones by topic.
#[derive(Debug, Default)]
pub struct Outbox {
    queue: VecDeque<Entry>,
    bytes: usize,
    retained: BTreeMap<Arc<str>, Retained>,
    dropped: u64,
}

/// One waiting message. Keep it until the broker has acknowledged it, else give it back with [`Outbox::restore`].
#[derive(Clone, Debug, PartialEq)]
pub struct Entry(Kind);

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Once(Arc<Message>),
    Retained { topic: Arc<str>, version: u64 },
}

#[derive(Debug)]
struct Retained {
    message: Arc<Message>,
    version: u64,
    since: Instant,
    waiting: bool,
}

impl Outbox {
    /// Takes a message in. A retained message that says what its topic already says changes nothing.
    pub fn push(&mut self, message: Message, now: Instant) {
        if message.retain {
            self.push_retained(message, now);
        } else {
            self.bytes += message.size();
            self.queue.push_back(Entry(Kind::Once(Arc::new(message))));
        }
        self.keep_bounds();
    }

    fn push_retained(&mut self, message: Message, now: Instant) {
        let topic: Arc<str> = message.topic.as_str().into();
        let version = match self.retained.get(&topic) {
            Some(old) if *old.message == message && message.expiry.is_none() => return,
            Some(old) => old.version + 1,
            None if self.retained.len() >= RETAINED_MAX => {
                self.dropped += 1;
                return;
            }
            None => 1,
        };
        let retained = Retained { message: Arc::new(message), version, since: now, waiting: true };
        self.retained.insert(topic.clone(), retained);
        self.queue.push_back(Entry(Kind::Retained { topic, version }));
    }

    /// The next message to send, with what is left of its expiry.
    pub fn pop(&mut self, now: Instant) -> Option<(Entry, Arc<Message>)> {
        while let Some(entry) = self.queue.pop_front() {
            match &entry.0 {
                Kind::Once(message) => {
                    self.bytes -= message.size();
                    let message = message.clone();
                    return Some((entry, message));
                }
                Kind::Retained { topic, version } => {
                    let Some(retained) = self.retained.get_mut(topic).filter(|r| r.version == *version) else {
                        continue; // a newer one waits behind
                    };
                    retained.waiting = false;
                    if let Some(message) = retained.still_valid(now) {
                        return Some((entry, message));
                    }
                }
            }
        }
        None
    }

    /// Takes back what was sent and not acknowledged, oldest first, before everything that waits.
    pub fn restore(&mut self, unacknowledged: impl DoubleEndedIterator<Item = Entry>) {
        for entry in unacknowledged.rev() {
            match &entry.0 {
                Kind::Once(message) => self.bytes += message.size(),
                Kind::Retained { topic, version } => {
                    match self.retained.get_mut(topic).filter(|r| r.version == *version && !r.waiting) {
                        Some(retained) => retained.waiting = true,
                        None => continue,
                    }
                }
            }
            self.queue.push_front(entry);
        }
        self.keep_bounds();
    }

    /// Queues every retained topic again, before the rest; those that already wait keep their place.
    pub fn republish(&mut self) {
        for (topic, retained) in self.retained.iter_mut().rev().filter(|(_, retained)| !retained.waiting) {
            retained.waiting = true;
            let entry = Kind::Retained { topic: topic.clone(), version: retained.version };
            self.queue.push_front(Entry(entry));
        }
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Messages that wait.
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// Messages lost to a bound since the start.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Drops overtaken retained entries first, then the oldest messages.
    fn keep_bounds(&mut self) {
        if self.within_bounds() {
            return;
        }
        let retained = &self.retained;
        self.queue.retain(|entry| match &entry.0 {
            Kind::Once(_) => true,
            Kind::Retained { topic, version } => retained.get(topic).is_some_and(|r| r.version == *version),
        });
        while !self.within_bounds() {
            // A retained entry that goes to the back keeps its content; there are fewer of them than the bound.
            match self.queue.pop_front() {
                Some(Entry(Kind::Once(message))) => {
                    self.bytes -= message.size();
                    self.dropped += 1;
                }
                Some(retained) => self.queue.push_back(retained),
                None => return,
            }
        }
    }

    fn within_bounds(&self) -> bool {
        self.queue.len() <= QUEUED_MAX && self.bytes <= QUEUED_BYTES_MAX
    }
}

impl Retained {
    /// The message with the seconds that remain to it, unless its time is over.
    fn still_valid(&self, now: Instant) -> Option<Arc<Message>> {
        let Some(expiry) = self.message.expiry else {
            return Some(self.message.clone());
        };
        let age = now.saturating_duration_since(self.since);
        if age < Duration::from_secs(1) {
            return Some(self.message.clone());
        }
        let left = u64::from(expiry).checked_sub(age.as_secs()).filter(|left| *left > 0)?;
        let message = Message { expiry: u32::try_from(left).ok(), ..(*self.message).clone() };
        Some(Arc::new(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn once(text: &str) -> Message {
        Message::text("event".into(), text)
    }

    fn kept(topic: &str, text: &str) -> Message {
        Message::text(topic.into(), text).retained()
    }

    fn drain(outbox: &mut Outbox, now: Instant) -> Vec<String> {
        std::iter::from_fn(|| outbox.pop(now))
            .map(|(_, message)| String::from_utf8_lossy(&message.payload).into_owned())
            .collect()
    }

    #[test]
    fn only_the_newest_of_a_retained_topic_is_sent_and_events_keep_their_order() {
        let (mut outbox, now) = (Outbox::default(), Instant::now());
        for message in [once("1"), kept("s", "s1"), once("2"), kept("s", "s2"), kept("s", "s2"), once("3")] {
            outbox.push(message, now);
        }
        assert_eq!(drain(&mut outbox, now), ["1", "2", "s2", "3"]);
        outbox.push(kept("s", "s2"), now);
        assert!(outbox.is_empty(), "an unchanged payload is not sent again");
        outbox.republish();
        outbox.republish();
        assert_eq!(drain(&mut outbox, now), ["s2"]);
    }

    #[test]
    fn what_was_not_acknowledged_goes_out_first_and_once() {
        let (mut outbox, now) = (Outbox::default(), Instant::now());
        for message in [once("1"), kept("s", "s1"), once("2")] {
            outbox.push(message, now);
        }
        let sent: Vec<Entry> = std::iter::from_fn(|| outbox.pop(now)).map(|(entry, _)| entry).collect();
        outbox.push(once("3"), now);
        outbox.restore(sent.into_iter());
        outbox.republish();
        assert_eq!(drain(&mut outbox, now), ["1", "s1", "2", "3"]);
        assert_eq!(outbox.bytes, 0);
    }

    #[test]
    fn an_expired_topic_is_not_sent_again() {
        let (mut outbox, now) = (Outbox::default(), Instant::now());
        outbox.push(kept("clock", "5:00").expiring(10), now);
        let (_, message) = outbox.pop(now + Duration::from_secs(4)).unwrap();
        assert_eq!(message.expiry, Some(6));
        outbox.republish();
        assert_eq!(outbox.pop(now + Duration::from_secs(10)), None);
    }

    #[test]
    fn bounds_drop_the_oldest_event_and_no_retained_topic() {
        let (mut outbox, now) = (Outbox::default(), Instant::now());
        outbox.push(kept("s", "s1"), now);
        let big = "x".repeat(QUEUED_BYTES_MAX / 4);
        for _ in 0..6 {
            outbox.push(once(&big), now);
        }
        assert_eq!(outbox.dropped(), 3);
        assert!(outbox.bytes <= QUEUED_BYTES_MAX);
        assert!(drain(&mut outbox, now).contains(&"s1".to_owned()));
    }

    #[test]
    fn overtaken_states_make_room_before_events_are_lost() {
        let (mut outbox, now) = (Outbox::default(), Instant::now());
        outbox.push(once("first"), now);
        for count in 0..QUEUED_MAX + 10 {
            outbox.push(kept("s", &count.to_string()), now);
        }
        assert_eq!((outbox.dropped(), outbox.len() <= QUEUED_MAX), (0, true));
        assert_eq!(drain(&mut outbox, now)[0], "first");
    }
}

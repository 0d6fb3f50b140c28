//! What is still to be brought to the broker, in order and bounded.
//!
//! In: messages of all tables. Out: the next one to send. Retained topics are remembered with their last payload, so
//! that they can be sent again after a reconnect; of a retained topic only the newest payload is ever sent.
//!
//! Events stand in the journal before they come here, each as a row with a number. When too many wait, the outbox takes
//! no more of them in and remembers after which row it stopped; once the broker has taken what waits, the caller reads
//! on from there ([`Outbox::rows_wanted`], [`Outbox::refill`]). So the journal is the outbox on disk: no event is lost
//! or overtaken, however long the broker is away, and [`Outbox::published`] says from where a later start goes on.
//! Everything else (answers, log lines) lives in memory alone. It knows no connection.

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
/// Beyond so many messages or bytes events stay in the journal; the rest is room for answers and states.
const ROWS_QUEUED_MAX: usize = 20_000;
const ROWS_BYTES_MAX: usize = 16 << 20;
/// Events are read from the journal again when no more messages than this wait.
const REFILL_BELOW: usize = 1_000;
/// Most retained topics remembered: far more than a node's tables and devices have.
pub const RETAINED_MAX: usize = 10_000;

/// Messages in order, and the retained ones by topic.
#[derive(Debug, Default)]
pub struct Outbox {
    queue: VecDeque<Entry>,
    bytes: usize,
    retained: BTreeMap<Arc<str>, Retained>,
    dropped: u64,
    /// Messages of a row that the broker has not acknowledged, by row.
    open: BTreeMap<i64, usize>,
    /// The last row that was heard of.
    newest: i64,
    /// Rows after this one are in the journal alone.
    behind: Option<i64>,
}

/// One waiting message. Keep it until the broker has acknowledged it, else give it back with [`Outbox::restore`].
#[derive(Clone, Debug, PartialEq)]
pub struct Entry(Kind);

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Once(Arc<Message>),
    Row { row: i64, message: Arc<Message> },
    Retained { topic: Arc<str>, version: u64 },
}

#[derive(Debug)]
struct Retained {
    message: Arc<Message>,
    version: u64,
    since: Instant,
    waiting: bool,
}

impl Entry {
    /// Whether it tells of an event of the journal.
    pub fn is_event(&self) -> bool {
        matches!(self.0, Kind::Row { .. })
    }
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

    /// Goes on where an earlier start ended: the broker has the events up to row `published`, the journal those up to
    /// `newest`.
    pub fn go_on(&mut self, published: i64, newest: i64) {
        self.newest = newest;
        self.behind = Some(published).filter(|published| *published < newest);
    }

    /// Takes in what an event of the journal is told by; rows come in their order. Where some are left out, all is read
    /// from the journal from there on.
    pub fn push_row(&mut self, row: i64, messages: Vec<Message>) {
        let before = self.newest;
        self.newest = row.max(before);
        let full = self.queue.len() >= ROWS_QUEUED_MAX || self.bytes >= ROWS_BYTES_MAX;
        if self.behind.is_none() && (full || row > before + 1) {
            self.behind = Some(before);
        }
        if self.behind.is_none() {
            self.queue_row(row, messages);
        }
    }

    fn queue_row(&mut self, row: i64, messages: Vec<Message>) {
        if messages.is_empty() {
            return;
        }
        *self.open.entry(row).or_default() += messages.len();
        for message in messages {
            self.bytes += message.size();
            self.queue.push_back(Entry(Kind::Row { row, message: Arc::new(message) }));
        }
    }

    /// After which row, and up to which, events are to be read from the journal now, if they are.
    pub fn rows_wanted(&self) -> Option<(i64, i64)> {
        let behind = self.behind.filter(|_| self.queue.len() <= REFILL_BELOW);
        behind.map(|after| (after, self.newest))
    }

    /// Takes in rows that were read from the journal after the one that was asked for, up to row `until`.
    pub fn refill(&mut self, rows: Vec<(i64, Vec<Message>)>, until: i64) {
        for (row, messages) in rows {
            self.queue_row(row, messages);
        }
        self.behind = Some(until).filter(|until| *until < self.newest);
    }

    /// The broker has acknowledged a message.
    pub fn done(&mut self, entry: &Entry) {
        let Kind::Row { row, .. } = &entry.0 else { return };
        if let Some(open) = self.open.get_mut(row) {
            *open -= 1;
            if *open == 0 {
                self.open.remove(row);
            }
        }
    }

    /// The row up to which the broker has all events.
    pub fn published(&self) -> i64 {
        let open = self.open.first_key_value().map(|(row, _)| row - 1);
        open.or(self.behind).unwrap_or(self.newest)
    }

    /// Whether events wait in the journal alone.
    pub fn is_behind(&self) -> bool {
        self.behind.is_some()
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
                Kind::Once(message) | Kind::Row { message, .. } => {
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
                Kind::Once(message) | Kind::Row { message, .. } => self.bytes += message.size(),
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

    /// Queues events again that the broker has acknowledged, oldest first, before everything that waits.
    pub fn repeat(&mut self, events: impl DoubleEndedIterator<Item = Entry>) {
        for entry in events.rev() {
            let Kind::Row { row, message } = &entry.0 else { continue };
            *self.open.entry(*row).or_default() += 1;
            self.bytes += message.size();
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

    /// Drops overtaken retained entries first, then the oldest messages that are not events of the journal.
    fn keep_bounds(&mut self) {
        if self.within_bounds() {
            return;
        }
        let retained = &self.retained;
        self.queue.retain(|entry| match &entry.0 {
            Kind::Once(_) | Kind::Row { .. } => true,
            Kind::Retained { topic, version } => retained.get(topic).is_some_and(|r| r.version == *version),
        });
        while !self.within_bounds() {
            let oldest = self.queue.iter().position(|entry| matches!(entry.0, Kind::Once(_)));
            let Some(Entry(Kind::Once(message))) = oldest.and_then(|index| self.queue.remove(index)) else { return };
            self.bytes -= message.size();
            self.dropped += 1;
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

    /// A journal of so many events, and an outbox that reads it.
    struct Journaled {
        outbox: Outbox,
        newest: i64,
    }

    impl Journaled {
        fn happen(&mut self) {
            self.newest += 1;
            self.outbox.push_row(self.newest, vec![once(&self.newest.to_string())]);
        }

        /// The broker takes up to `most` messages and acknowledges them.
        fn deliver(&mut self, now: Instant, most: usize, heard: &mut Vec<i64>) {
            for _ in 0..most {
                if let Some((after, until)) = self.outbox.rows_wanted() {
                    let until = until.min(after + 2_000);
                    let rows = (after + 1..=until).map(|row| (row, vec![once(&row.to_string())])).collect();
                    self.outbox.refill(rows, until);
                }
                let Some((entry, message)) = self.outbox.pop(now) else { return };
                heard.push(String::from_utf8_lossy(&message.payload).parse().unwrap());
                self.outbox.done(&entry);
            }
        }
    }

    #[test]
    fn an_outage_of_two_hours_loses_nothing_and_needs_no_more_memory() {
        let now = Instant::now();
        let mut journaled = Journaled { outbox: Outbox::default(), newest: 0 };
        let mut heard = Vec::new();
        // 64 tables, one event a second each, for two hours
        let events = 64 * 7200;
        let mut most = (0, 0);
        for _ in 0..events {
            journaled.happen();
            most = (most.0.max(journaled.outbox.len()), most.1.max(journaled.outbox.bytes));
        }
        assert!(most.0 <= ROWS_QUEUED_MAX && most.1 <= ROWS_BYTES_MAX, "{most:?}");
        assert_eq!((journaled.outbox.published(), journaled.outbox.dropped()), (0, 0));
        // The broker is back while play goes on.
        while heard.len() < events + 1000 {
            if heard.len() < events {
                (0..5).for_each(|_| journaled.happen());
            }
            journaled.deliver(now, 50, &mut heard);
            most = (most.0.max(journaled.outbox.len()), most.1.max(journaled.outbox.bytes));
        }
        assert!(most.0 <= ROWS_QUEUED_MAX + 2_000, "{most:?}");
        assert!(heard.iter().zip(1..).all(|(row, expect)| *row == expect), "every event once, in order");
        println!(
            "{events} events in two hours without a broker: at most {} messages, {} bytes in memory",
            most.0, most.1
        );
    }

    #[test]
    fn what_was_left_out_is_read_from_the_journal() {
        let now = Instant::now();
        let mut journaled = Journaled { outbox: Outbox::default(), newest: 0 };
        journaled.happen();
        journaled.newest += 5; // batches that nobody took
        (0..3).for_each(|_| journaled.happen());
        let mut heard = Vec::new();
        journaled.deliver(now, 100, &mut heard);
        assert_eq!(heard, (1..=9).collect::<Vec<i64>>());
    }

    #[test]
    fn what_a_broker_acknowledged_as_it_went_is_sent_again_before_what_waits() {
        let now = Instant::now();
        let mut journaled = Journaled { outbox: Outbox::default(), newest: 0 };
        (0..5).for_each(|_| journaled.happen());
        let sent: Vec<Entry> = (0..4).filter_map(|_| journaled.outbox.pop(now)).map(|(entry, _)| entry).collect();
        sent[..3].iter().for_each(|entry| journaled.outbox.done(entry));
        journaled.outbox.restore(sent[3..].iter().cloned());
        journaled.outbox.repeat(sent[1..3].iter().cloned());
        assert_eq!(journaled.outbox.published(), 1, "what is sent again is not taken for there");
        let mut heard = Vec::new();
        journaled.deliver(now, 100, &mut heard);
        assert_eq!(heard, [2, 3, 4, 5]);
        assert_eq!((journaled.outbox.published(), journaled.outbox.bytes), (5, 0));
    }

    #[test]
    fn what_the_broker_did_not_acknowledge_is_sent_by_the_next_start() {
        let now = Instant::now();
        let mut journaled = Journaled { outbox: Outbox::default(), newest: 0 };
        (0..10).for_each(|_| journaled.happen());
        let sent: Vec<Entry> = (0..6).filter_map(|_| journaled.outbox.pop(now)).map(|(entry, _)| entry).collect();
        [0, 1, 3].iter().for_each(|index| journaled.outbox.done(&sent[*index]));
        assert_eq!(journaled.outbox.published(), 2, "the third is not acknowledged");
        let mut next = Journaled { outbox: Outbox::default(), newest: 10 };
        next.outbox.go_on(2, 10);
        next.happen();
        let mut heard = Vec::new();
        next.deliver(now, 100, &mut heard);
        assert_eq!(heard, (3..=11).collect::<Vec<i64>>());
        assert_eq!(next.outbox.published(), 11);
    }
}

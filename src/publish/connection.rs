//! One connection to a broker, from CONNECT to its end.
//!
//! In: the outbox of a session. Out: publishes in order, with what is not yet acknowledged kept in [`Sent`]; requests
//! for tables. The client library's own queue of unacknowledged messages is not used over a reconnect: it does not
//! keep the order.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::Arc,
    sync::atomic::Ordering,
    time::Duration,
};

use tokio::time::{Instant, Interval, interval_at};

use super::{
    broker::PACKET_BYTES_MAX,
    client::{self, Arrived, Client, News, Trouble},
    cloud, feed,
    outbox::Entry,
    request::{self, Incoming, Received},
    session::{Missed, SessionSettings, Shared, TableRequest, Version},
    topic::{Message, level},
};
use crate::event::Response;

/// Messages under way to the broker and not acknowledged.
const WINDOW: usize = 64;
/// Room in the client library's channel: the window, subscriptions and the farewell.
const CHANNEL: usize = WINDOW + 8;
/// Bytes of a PUBLISH beside topic and payload, generously.
const PUBLISH_OVERHEAD: usize = 1024;

/// A broker that goes down acknowledges what it no longer passes on (NATS 2.9 does, for some milliseconds): events that
/// it took so shortly before the end are sent again. Readers know them by their `seq`.
const TRUSTED_AFTER: Duration = Duration::from_secs(3);
/// Most events that are sent again.
const REPEATED_MAX: usize = 10_000;

/// Why a connection ended.
pub(super) enum Ended {
    /// As asked.
    Stopped,
    /// For this cause.
    Lost(String),
    /// The broker is there and this is not its version of MQTT, for all that is known.
    Refused(String),
}

/// What was handed to the client library and is not acknowledged, or only just, oldest first.
#[derive(Default)]
pub(super) struct Sent {
    lately: VecDeque<(Instant, Entry)>,
    unacknowledged: VecDeque<(u16, Entry)>,
    handed_over: VecDeque<Entry>,
}

impl Sent {
    /// What is not acknowledged.
    pub(super) fn into_entries(self) -> impl DoubleEndedIterator<Item = Entry> {
        self.unacknowledged.into_iter().map(|(_, entry)| entry).chain(self.handed_over)
    }

    /// Takes out the events that were acknowledged too shortly before `end` to be trusted.
    pub(super) fn take_lately(&mut self, end: Instant) -> impl DoubleEndedIterator<Item = Entry> + use<> {
        self.forget(end);
        std::mem::take(&mut self.lately).into_iter().map(|(_, entry)| entry)
    }

    fn forget(&mut self, now: Instant) {
        let old = |at: Instant| now.saturating_duration_since(at) > TRUSTED_AFTER;
        while self.lately.front().is_some_and(|(at, _)| old(*at)) || self.lately.len() > REPEATED_MAX {
            self.lately.pop_front();
        }
    }

    fn len(&self) -> usize {
        self.unacknowledged.len() + self.handed_over.len()
    }

    /// The library gave the oldest message that was handed over this packet id. Answers one that nobody acknowledges.
    fn numbered(&mut self, id: u16) -> Option<Entry> {
        let entry = self.handed_over.pop_front()?;
        if id == 0 {
            return Some(entry);
        }
        self.unacknowledged.push_back((id, entry));
        None
    }

    fn acknowledged(&mut self, id: u16, now: Instant) -> Option<Entry> {
        let index = self.unacknowledged.iter().position(|(sent, _)| *sent == id)?;
        let (_, entry) = self.unacknowledged.remove(index)?;
        if entry.is_event() {
            self.lately.push_back((now, entry.clone()));
        }
        self.forget(now);
        Some(entry)
    }
}

struct Connection<'a> {
    shared: &'a Shared,
    settings: &'a SessionSettings,
    client: Client,
    sent: &'a mut Sent,
    /// Filters of the requests that are heard.
    heard: BTreeSet<String>,
    up: bool,
    leaving: bool,
    packet_bytes_max: usize,
}

/// Connects and serves until the connection or the session ends.
pub(super) async fn run(shared: &Shared, version: Version, sent: &mut Sent) -> Ended {
    let settings = &shared.settings;
    let (client, mut events) = client::connect(settings, version, CHANNEL, WINDOW as u16);
    let mut connection = Connection {
        shared,
        settings,
        client,
        sent,
        heard: BTreeSet::new(),
        up: false,
        leaving: false,
        packet_bytes_max: PACKET_BYTES_MAX,
    };
    let mut stopping = shared.stopping.subscribe();
    let mut refresh = settings.refresh.map(|every| interval_at(Instant::now() + every, every));
    loop {
        let news = {
            let next = events.poll();
            tokio::pin!(next);
            loop {
                tokio::select! {
                    biased;
                    news = &mut next => break news,
                    () = shared.wake.notified(), if connection.has_room() => connection.send(),
                    () = due(&mut refresh) => connection.refresh(),
                    _ = stopping.wait_for(|stop| *stop), if !connection.up => return Ended::Stopped,
                }
            }
        };
        match news {
            Ok(News::Left) => return Ended::Stopped,
            Ok(news) => connection.take(news),
            Err(trouble) => return connection.ended(trouble),
        }
        connection.send();
    }
}

/// The next time that retained topics are sent again; never without an interval.
async fn due(refresh: &mut Option<Interval>) {
    match refresh {
        Some(refresh) => drop(refresh.tick().await),
        None => std::future::pending().await,
    }
}

impl Connection<'_> {
    /// Sends every retained topic again.
    fn refresh(&mut self) {
        self.shared.with_outbox(|outbox| outbox.republish());
        self.send();
    }

    fn has_room(&self) -> bool {
        self.up && self.sent.len() < WINDOW && !self.leaving
    }

    /// Hands over what the window allows; when nothing is left of a session that stops, says goodbye.
    fn send(&mut self) {
        self.reroute();
        let now = Instant::now();
        while self.has_room() {
            let Some((entry, message)) = self.shared.with_outbox(|outbox| outbox.pop(now)) else {
                break;
            };
            match self.hand_over(&message) {
                true => self.sent.handed_over.push_back(entry),
                false => self.done(Some(entry)),
            }
        }
        let done = self.sent.len() == 0 && self.shared.with_outbox(|outbox| outbox.is_empty());
        if self.shared.is_stopping() && self.up && !self.leaving && done {
            self.leaving = self.client.leave();
        }
    }

    /// False when the message can never be sent.
    fn hand_over(&self, message: &Arc<Message>) -> bool {
        let size = message.size() + PUBLISH_OVERHEAD;
        if size > self.packet_bytes_max {
            let (topic, max) = (&message.topic, self.packet_bytes_max);
            tracing::error!("a message of {size} bytes on {topic} is dropped: the broker takes at most {max}");
            self.shared.refused.fetch_add(1, Ordering::Relaxed);
            return false;
        }
        let handed = self.client.publish(message, cloud::attributes(&self.settings.topics, message));
        if let Err(e) = &handed {
            tracing::error!("a message on {} is dropped: {e}", message.topic);
            self.shared.refused.fetch_add(1, Ordering::Relaxed);
        }
        handed.is_ok()
    }

    fn take(&mut self, news: News) {
        match news {
            News::Numbered(id) => {
                let sent = self.sent.numbered(id);
                self.done(sent);
            }
            News::Connected(told) => self.connected(told),
            News::Acknowledged(id, refusal) => self.acknowledged(id, refusal),
            News::Received(arrived) => self.received(*arrived),
            News::Subscribed(refusal) => self.subscribed(refusal),
            News::Left | News::Other => {}
        }
    }

    fn done(&self, entry: Option<Entry>) {
        if let Some(entry) = entry {
            self.shared.with_outbox(|outbox| outbox.done(&entry));
        }
    }

    fn ended(&self, trouble: Trouble) -> Ended {
        match trouble {
            Trouble::Version => Ended::Refused("it speaks another version of MQTT".to_owned()),
            Trouble::HungUp if !self.up => Ended::Refused(
                "it hangs up on us; is it an MQTT broker, and encrypted or not as configured?".to_owned(),
            ),
            Trouble::HungUp => Ended::Lost("it hung up; is it still running?".to_owned()),
            Trouble::Login => {
                let user = self.settings.login.as_ref().map_or("anonymous", |(user, _)| user);
                Ended::Lost(format!("it refuses {user}; mend mqtt.user and mqtt.password_file"))
            }
            Trouble::Other(cause) => Ended::Lost(cause),
        }
    }

    fn subscribed(&self, refusal: Option<String>) {
        if let Some(codes) = refusal {
            let requests = self.settings.topics.requests(None);
            tracing::warn!("the broker keeps requests from us ({codes}): allow the node's user to read {requests}");
        }
    }

    fn connected(&mut self, told: Option<u32>) {
        self.packet_bytes_max = told.map_or(PACKET_BYTES_MAX, |told| PACKET_BYTES_MAX.min(told as usize));
        let topics = &self.settings.topics;
        if !self.client.subscribe(vec![topics.republish(), topics.node("state")]) {
            tracing::error!("cannot subscribe to what others say of this node");
        }
        self.shared.rerouted.store(true, Ordering::Relaxed);
        self.shared.with_outbox(|outbox| outbox.republish());
        self.up = true;
        self.shared.connected.store(true, Ordering::Relaxed);
        self.shared.connections.fetch_add(1, Ordering::Relaxed);
        tracing::info!("connected to the MQTT broker at {}:{}", self.settings.host, self.settings.port);
    }

    /// Hears the requests of the tables that there are now, and of no others.
    fn reroute(&mut self) {
        if !self.up || self.leaving || !self.shared.rerouted.swap(false, Ordering::Relaxed) {
            return;
        }
        let topics = &self.settings.topics;
        let wanted: BTreeSet<String> = match self.settings.own_broker {
            true => BTreeSet::from([topics.requests(None), topics.missed(None)]),
            false => {
                let tables = self.shared.requests();
                tables.keys().flat_map(|table| [topics.requests(Some(table)), topics.missed(Some(table))]).collect()
            }
        };
        let gone: Vec<String> = self.heard.difference(&wanted).cloned().collect();
        let new: Vec<String> = wanted.difference(&self.heard).cloned().collect();
        self.heard.retain(|filter| !gone.contains(filter) || !self.client.unsubscribe(filter));
        if !new.is_empty() && self.client.subscribe(new.clone()) {
            self.heard.extend(new);
        }
        // What found no room among the messages under way is tried again behind them.
        self.shared.rerouted.fetch_or(self.heard != wanted, Ordering::Relaxed);
    }

    fn acknowledged(&mut self, id: u16, refusal: Option<String>) {
        let entry = self.sent.acknowledged(id, Instant::now());
        self.done(entry);
        let Some(reason) = refusal else { return };
        let refused = self.shared.refused.fetch_add(1, Ordering::Relaxed) + 1;
        if refused.is_power_of_two() {
            let prefix = self.settings.topics.prefix();
            tracing::warn!(
                "the broker refuses messages ({reason}, {refused} so far): allow the node's user to write {prefix}/#"
            );
        }
    }

    fn received(&mut self, arrived: Arrived) {
        let topics = &self.settings.topics;
        if arrived.topic == topics.node("state") {
            self.other_state(&arrived.payload);
        } else if arrived.retained {
            // What was asked before we came must not be carried out with every connection.
        } else if arrived.topic == topics.republish() {
            self.shared.with_outbox(|outbox| outbox.republish());
        } else if let Some(table) = topics.parse_missed(&arrived.topic) {
            self.missed(table, &arrived);
        } else {
            self.request(arrived);
        }
    }

    /// Somebody missed events.
    fn missed(&self, table: &str, arrived: &Arrived) {
        if !self.shared.requests().keys().any(|id| level(id) == table) {
            return; // another node has that table
        }
        let asked = Missed {
            table: table.to_owned(),
            payload: arrived.payload.clone(),
            response_topic: arrived.response_topic.clone(),
            correlation: arrived.correlation.clone(),
        };
        if self.shared.ask_missed(asked).is_err() {
            tracing::debug!("too many subscribers ask for missed events at once");
        }
    }

    /// Somebody else wrote our state: the late will of an earlier start is overwritten.
    fn other_state(&self, payload: &[u8]) {
        let state: serde_json::Value = serde_json::from_slice(payload).unwrap_or_default();
        if state["session"] == self.settings.session.as_str() || self.shared.is_stopping() {
            return;
        }
        if state["state"] == "online" {
            let node = self.settings.topics.node("state");
            tracing::warn!("another bughoused says that it is this node ({node}): give each its own node.id");
            return;
        }
        self.shared.with_outbox(|outbox| outbox.republish());
    }

    fn request(&self, arrived: Arrived) {
        let message = Received {
            topic: &arrived.topic,
            payload: &arrived.payload,
            response_topic: arrived.response_topic.as_deref(),
            correlation: arrived.correlation,
            sender: arrived.sender.as_deref().filter(|_| self.settings.own_broker),
        };
        let Some(incoming) = Incoming::read(&self.settings.topics, &message) else { return };
        self.shared.requested.fetch_add(1, Ordering::Relaxed);
        self.pass_on(incoming);
    }

    fn pass_on(&self, incoming: Incoming) {
        let Incoming { table, route, request } = incoming;
        let requests = self.shared.requests();
        let known = requests.iter().find(|(id, _)| level(id) == table);
        let refusal = match (request, known) {
            (Err(response), _) => *response,
            (Ok(request), None) => {
                let ours = requests.keys().cloned().collect::<Vec<_>>().join(", ");
                let error = request::error("no-table", format!("expected one of the tables {ours}, found {table}"));
                request::refused(&request.verb, request.transaction, error)
            }
            (Ok(request), Some((_, tell))) => {
                let (verb, transaction) = (request.verb.clone(), request.transaction.clone());
                let wanted = TableRequest { request, route: route.clone() };
                if tell.try_send(wanted).is_ok() {
                    return;
                }
                let error = request::error("busy", "too many requests wait: send it again in a second");
                request::refused(&verb, transaction, error)
            }
        };
        self.answer(&table, route, &refusal);
    }

    fn answer(&self, table: &str, route: request::Route, response: &Response) {
        let message = feed::refusal(&self.settings.topics, table, &self.settings.session, response);
        self.shared.publish([route.address(message)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::outbox::Outbox;

    #[test]
    fn events_that_were_acknowledged_just_before_the_end_are_remembered_and_no_states() {
        let start = Instant::now();
        let mut outbox = Outbox::default();
        let event = |text: &str| Message::text("event".into(), text);
        outbox.push_row(1, vec![event("1")]);
        outbox.push_row(2, vec![event("2")]);
        outbox.push(Message::text("state".into(), "s").retained(), start);
        let entries: Vec<Entry> = std::iter::from_fn(|| outbox.pop(start)).map(|(entry, _)| entry).collect();
        let mut sent = Sent::default();
        for (id, entry) in (1..).zip(&entries) {
            sent.handed_over.push_back(entry.clone());
            assert_eq!(sent.numbered(id), None);
        }
        let late = start + TRUSTED_AFTER;
        for (id, at) in [(1, start), (2, late), (3, late)] {
            assert_eq!(sent.acknowledged(id, at).as_ref(), Some(&entries[usize::from(id) - 1]));
        }
        let end = late + Duration::from_millis(1);
        assert_eq!(
            sent.take_lately(end).collect::<Vec<_>>(),
            entries[1..2],
            "the first was long there, the last is kept"
        );
        assert_eq!(sent.take_lately(end).count(), 0);
    }
}

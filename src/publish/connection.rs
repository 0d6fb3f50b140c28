//! One connection to a broker, from CONNECT to its end.
//!
//! In: the outbox of a session. Out: publishes in order, with what is not yet acknowledged kept in [`Sent`]; requests
//! for tables. The client library's own queue of unacknowledged messages is not used over a reconnect: it does not
//! keep the order.

use std::{collections::VecDeque, sync::Arc, sync::atomic::Ordering, time::Duration};

use rumqttc::{
    NetworkOptions, Outgoing,
    v5::{
        AsyncClient, ConnectionError, Event, EventLoop, MqttOptions,
        mqttbytes::{
            QoS,
            v5::{
                ConnAck, ConnectReturnCode, Filter, LastWill, LastWillProperties, Packet, PubAck, PubAckReason,
                Publish, PublishProperties, RetainForwardRule, SubAck, SubscribeReasonCode,
            },
        },
    },
};
use tokio::time::Instant;

use super::{
    broker::PACKET_BYTES_MAX,
    feed,
    outbox::Entry,
    request::{self, Incoming, Received},
    session::{CLIENT_ID_PREFIX, Missed, NodeStatus, SessionSettings, Shared, TableRequest},
    topic::{JSON, Message, Qos, level},
};
use crate::event::Response;

/// Messages under way to the broker and not acknowledged.
const WINDOW: usize = 64;
/// Room in the client library's channel: the window, subscriptions and the farewell.
const CHANNEL: usize = WINDOW + 8;
/// A broker that is silent for longer than this and half of it is gone.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Longest wait for a connection to be made.
const CONNECT_MAX_S: u64 = 5;
/// Bytes of a PUBLISH beside topic and payload, generously.
const PUBLISH_OVERHEAD: usize = 1024;
/// User property in which the embedded broker names the sender.
const SENDER_PROPERTY: &str = "x-mqtt-sender";

/// Why a connection ended.
pub(super) enum Ended {
    /// As asked.
    Stopped,
    /// For this cause.
    Lost(String),
}

/// What was handed to the client library and is not acknowledged, oldest first.
#[derive(Default)]
pub(super) struct Sent {
    unacknowledged: VecDeque<(u16, Entry)>,
    handed_over: VecDeque<Entry>,
}

impl Sent {
    pub(super) fn into_entries(self) -> impl DoubleEndedIterator<Item = Entry> {
        self.unacknowledged.into_iter().map(|(_, entry)| entry).chain(self.handed_over)
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

    fn acknowledged(&mut self, id: u16) -> Option<Entry> {
        let index = self.unacknowledged.iter().position(|(sent, _)| *sent == id)?;
        self.unacknowledged.remove(index).map(|(_, entry)| entry)
    }
}

struct Connection<'a> {
    shared: &'a Shared,
    settings: &'a SessionSettings,
    client: AsyncClient,
    sent: &'a mut Sent,
    up: bool,
    leaving: bool,
    packet_bytes_max: usize,
}

/// Connects and serves until the connection or the session ends.
pub(super) async fn run(shared: &Shared, sent: &mut Sent) -> Ended {
    let settings = &shared.settings;
    let (client, mut events) = new_client(settings);
    let mut connection =
        Connection { shared, settings, client, sent, up: false, leaving: false, packet_bytes_max: PACKET_BYTES_MAX };
    let mut stopping = shared.stopping.subscribe();
    loop {
        let event = {
            // Polled to its end: the library's future must not be dropped half-way through a write.
            let next = events.poll();
            tokio::pin!(next);
            loop {
                tokio::select! {
                    biased;
                    event = &mut next => break event,
                    () = shared.wake.notified(), if connection.has_room() => connection.send(),
                    _ = stopping.wait_for(|stop| *stop), if !connection.up => return Ended::Stopped,
                }
            }
        };
        match event {
            Ok(Event::Outgoing(Outgoing::Disconnect)) => return Ended::Stopped,
            Ok(event) => connection.take(event),
            Err(e) => return Ended::Lost(cause(&e, settings)),
        }
        connection.send();
    }
}

fn new_client(settings: &SessionSettings) -> (AsyncClient, EventLoop) {
    let id = format!("{CLIENT_ID_PREFIX}{}", settings.session);
    let mut options = MqttOptions::new(id, &settings.host, settings.port);
    let mut network = NetworkOptions::new();
    network.set_tcp_nodelay(true);
    network.set_connection_timeout(CONNECT_MAX_S);
    options
        .set_network_options(network)
        .set_connection_timeout(CONNECT_MAX_S)
        .set_keep_alive(KEEP_ALIVE)
        .set_clean_start(true)
        .set_outgoing_inflight_upper_limit(WINDOW as u16)
        .set_max_packet_size(Some(PACKET_BYTES_MAX as u32))
        .set_last_will(last_will(settings));
    if let Some((user, password)) = &settings.login {
        options.set_credentials(user, password);
    }
    AsyncClient::new(options, CHANNEL)
}

fn last_will(settings: &SessionSettings) -> LastWill {
    let state = settings.node_state(NodeStatus::Offline);
    let properties = LastWillProperties {
        delay_interval: None,
        payload_format_indicator: Some(1),
        message_expiry_interval: None,
        content_type: Some(JSON.to_owned()),
        response_topic: None,
        correlation_data: None,
        user_properties: Vec::new(),
    };
    LastWill::new(state.topic, state.payload.to_vec(), QoS::AtLeastOnce, true, Some(properties))
}

impl Connection<'_> {
    fn has_room(&self) -> bool {
        self.up && self.sent.len() < WINDOW && !self.leaving
    }

    /// Hands over what the window allows; when nothing is left of a session that stops, says goodbye.
    fn send(&mut self) {
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
            self.leaving = self.client.try_disconnect().is_ok();
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
        let properties = PublishProperties {
            payload_format_indicator: message.content_type.map(|_| 1),
            message_expiry_interval: message.expiry,
            content_type: message.content_type.map(str::to_owned),
            correlation_data: message.correlation.clone(),
            ..PublishProperties::default()
        };
        let qos = match message.qos {
            Qos::AtMostOnce => QoS::AtMostOnce,
            Qos::AtLeastOnce => QoS::AtLeastOnce,
        };
        let handed = self.client.try_publish_with_properties(
            &*message.topic,
            qos,
            message.retain,
            message.payload.clone(),
            properties,
        );
        if let Err(e) = &handed {
            tracing::error!("a message on {} is dropped: {e}", message.topic);
            self.shared.refused.fetch_add(1, Ordering::Relaxed);
        }
        handed.is_ok()
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Outgoing(Outgoing::Publish(id)) => {
                let sent = self.sent.numbered(id);
                self.done(sent);
            }
            Event::Incoming(Packet::ConnAck(answer)) => self.connected(&answer),
            Event::Incoming(Packet::PubAck(ack)) => self.acknowledged(&ack),
            Event::Incoming(Packet::Publish(publish)) => self.received(&publish),
            Event::Incoming(Packet::SubAck(answer)) => self.subscribed(&answer),
            _ => {}
        }
    }

    fn done(&self, entry: Option<Entry>) {
        if let Some(entry) = entry {
            self.shared.with_outbox(|outbox| outbox.done(&entry));
        }
    }

    fn subscribed(&self, answer: &SubAck) {
        let codes = &answer.return_codes;
        if codes.iter().any(|code| !matches!(code, SubscribeReasonCode::Success(_))) {
            let requests = self.settings.topics.requests(None);
            tracing::warn!("the broker keeps requests from us ({codes:?}): allow the node's user to read {requests}");
        }
    }

    fn connected(&mut self, answer: &ConnAck) {
        let told = answer.properties.as_ref().and_then(|properties| properties.max_packet_size);
        self.packet_bytes_max = told.map_or(PACKET_BYTES_MAX, |told| PACKET_BYTES_MAX.min(told as usize));
        if self.client.try_subscribe_many(self.filters()).is_err() {
            tracing::error!("cannot subscribe to requests");
        }
        self.shared.with_outbox(|outbox| outbox.republish());
        self.up = true;
        self.shared.connected.store(true, Ordering::Relaxed);
        self.shared.connections.fetch_add(1, Ordering::Relaxed);
        tracing::info!("connected to the MQTT broker at {}:{}", self.settings.host, self.settings.port);
    }

    fn filters(&self) -> Vec<Filter> {
        let topics = &self.settings.topics;
        let mut paths = vec![topics.republish(), topics.node("state")];
        if self.settings.own_broker {
            paths.extend([topics.requests(None), topics.missed(None)]);
        } else {
            let tables = self.shared.requests.keys();
            paths.extend(tables.flat_map(|table| [topics.requests(Some(table)), topics.missed(Some(table))]));
        }
        paths
            .into_iter()
            .map(|path| Filter {
                path,
                qos: QoS::AtLeastOnce,
                nolocal: true,
                preserve_retain: false,
                // A retained request must not be carried out again with every connection.
                retain_forward_rule: RetainForwardRule::Never,
            })
            .collect()
    }

    fn acknowledged(&mut self, ack: &PubAck) {
        let entry = self.sent.acknowledged(ack.pkid);
        self.done(entry);
        if !matches!(ack.reason, PubAckReason::Success | PubAckReason::NoMatchingSubscribers) {
            let refused = self.shared.refused.fetch_add(1, Ordering::Relaxed) + 1;
            if refused.is_power_of_two() {
                tracing::warn!(
                    "the broker refuses messages ({:?}, {refused} so far): allow the node's user to write \
                    {}/#",
                    ack.reason,
                    self.settings.topics.prefix()
                );
            }
        }
    }

    fn received(&mut self, publish: &Publish) {
        let Ok(topic) = std::str::from_utf8(&publish.topic) else { return };
        let topics = &self.settings.topics;
        if topic == topics.republish() {
            self.shared.with_outbox(|outbox| outbox.republish());
        } else if topic == topics.node("state") {
            self.other_state(&publish.payload);
        } else if let Some(table) = topics.parse_missed(topic) {
            self.missed(table, publish);
        } else {
            self.request(topic, publish);
        }
    }

    /// Somebody missed events.
    fn missed(&self, table: &str, publish: &Publish) {
        let properties = publish.properties.as_ref();
        let asked = Missed {
            table: table.to_owned(),
            payload: publish.payload.clone(),
            response_topic: properties.and_then(|p| p.response_topic.clone()),
            correlation: properties.and_then(|p| p.correlation_data.clone()),
        };
        if !self.shared.requests.keys().any(|id| level(id) == table) {
            return; // another node has that table
        }
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

    fn request(&self, topic: &str, publish: &Publish) {
        let properties = publish.properties.as_ref();
        let trusted = properties.filter(|_| self.settings.own_broker);
        let message = Received {
            topic,
            payload: &publish.payload,
            response_topic: properties.and_then(|p| p.response_topic.as_deref()),
            correlation: properties.and_then(|p| p.correlation_data.clone()),
            sender: trusted
                .and_then(|p| p.user_properties.iter().find(|(key, _)| key == SENDER_PROPERTY))
                .map(|(_, sender)| sender.as_str()),
        };
        let Some(incoming) = Incoming::read(&self.settings.topics, &message) else { return };
        self.shared.requested.fetch_add(1, Ordering::Relaxed);
        self.pass_on(incoming);
    }

    fn pass_on(&self, incoming: Incoming) {
        let Incoming { table, route, request } = incoming;
        let known = self.shared.requests.iter().find(|(id, _)| level(id) == table);
        let refusal = match (request, known) {
            (Err(response), _) => *response,
            (Ok(request), None) => {
                let ours = self.shared.requests.keys().cloned().collect::<Vec<_>>().join(", ");
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

/// What went wrong and what to do about it.
fn cause(error: &ConnectionError, settings: &SessionSettings) -> String {
    match error {
        ConnectionError::Io(e) => format!("{e}; start the broker or mend mqtt.broker"),
        ConnectionError::Timeout(_) => format!("no answer in {CONNECT_MAX_S} s; is it an MQTT broker?"),
        ConnectionError::ConnectionRefused(
            ConnectReturnCode::NotAuthorized | ConnectReturnCode::BadUserNamePassword,
        ) => {
            let user = settings.login.as_ref().map_or("anonymous", |(user, _)| user);
            format!("it refuses {user}; mend mqtt.user and mqtt.password_file")
        }
        other => other.to_string(),
    }
}

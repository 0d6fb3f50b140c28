//! The client library behind one face, for MQTT 5 and for brokers that know 3.1.1 only.
//!
//! In: options, messages. Out: [`News`] in the words of neither version. With 3.1.1 there are no properties: no expiry,
//! no response topics, no reasons; everything else is the same. The library is seen in this file alone.

use std::{io, time::Duration};

use bytes::Bytes;
use rumqttc::{
    NetworkOptions, Outgoing, TlsConfiguration, Transport,
    v5::{
        self,
        mqttbytes::v5::{self as packet, PublishProperties},
    },
};

use super::{
    broker::PACKET_BYTES_MAX,
    session::{CLIENT_ID_PREFIX, SessionSettings, Version},
    topic::{JSON, Message, Qos},
};

/// A broker that is silent for longer than this and half of it is gone.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Longest wait for a connection to be made.
const CONNECT_MAX_S: u64 = 5;
/// User property in which the embedded broker names the sender.
const SENDER_PROPERTY: &str = "x-mqtt-sender";
/// What a broker that knows 3.1.1 only answers to a CONNECT of version 5.
const REFUSED_PROTOCOL_VERSION: u8 = 1;

/// Hands messages to the broker.
pub(super) enum Client {
    V5(v5::AsyncClient),
    V311(rumqttc::AsyncClient),
}

/// What comes of it.
pub(super) enum Events {
    V5(Box<v5::EventLoop>),
    V311(Box<rumqttc::EventLoop>),
}

/// One thing that happened on the connection.
pub(super) enum News {
    /// We are in; the largest packet that the broker takes, if it says so.
    Connected(Option<u32>),
    /// The oldest message that was handed over has this packet id; 0 for at most once.
    Numbered(u16),
    /// The broker has the message with this id, or why it does not want it.
    Acknowledged(u16, Option<String>),
    /// Subscriptions are granted, or what the broker says instead.
    Subscribed(Option<String>),
    /// A message for us.
    Received(Box<Arrived>),
    /// Our farewell is written.
    Left,
    /// Nothing that matters.
    Other,
}

/// A message that came in.
pub(super) struct Arrived {
    pub topic: String,
    pub payload: Bytes,
    /// It was kept by the broker and is not new.
    pub retained: bool,
    pub response_topic: Option<String>,
    pub correlation: Option<Bytes>,
    /// Who sent it, as the embedded broker says.
    pub sender: Option<String>,
}

/// Why a connection ended, or was not made.
pub(super) enum Trouble {
    /// The broker does not speak this version.
    Version,
    /// The peer hung up before it said anything.
    HungUp,
    /// It does not let us in.
    Login,
    /// Anything else.
    Other(String),
}

/// A client that connects when its events are polled. `room` messages may be handed over without waiting, of which
/// `window` are under way.
pub(super) fn connect(settings: &SessionSettings, version: Version, room: usize, window: u16) -> (Client, Events) {
    let id = format!("{CLIENT_ID_PREFIX}{}", settings.session);
    let transport = match &settings.tls {
        Some(tls) => Transport::tls_with_config(TlsConfiguration::Rustls(tls.clone())),
        None => Transport::Tcp,
    };
    let mut network = NetworkOptions::new();
    network.set_tcp_nodelay(true);
    network.set_connection_timeout(CONNECT_MAX_S);
    match version {
        Version::V5 => connect_v5(settings, id, transport, network, room, window),
        Version::V311 => connect_v311(settings, id, transport, network, room, window),
    }
}

fn connect_v5(
    settings: &SessionSettings,
    id: String,
    transport: Transport,
    network: NetworkOptions,
    room: usize,
    window: u16,
) -> (Client, Events) {
    let mut options = v5::MqttOptions::new(id, &settings.host, settings.port);
    options
        .set_transport(transport)
        .set_network_options(network)
        .set_connection_timeout(CONNECT_MAX_S)
        .set_keep_alive(KEEP_ALIVE)
        .set_clean_start(true)
        .set_outgoing_inflight_upper_limit(window)
        .set_max_packet_size(Some(PACKET_BYTES_MAX as u32))
        .set_last_will(last_will(settings.last_will()));
    if let Some((user, password)) = &settings.login {
        options.set_credentials(user, password);
    }
    let (client, events) = v5::AsyncClient::new(options, room);
    (Client::V5(client), Events::V5(Box::new(events)))
}

fn connect_v311(
    settings: &SessionSettings,
    id: String,
    transport: Transport,
    network: NetworkOptions,
    room: usize,
    window: u16,
) -> (Client, Events) {
    let mut options = rumqttc::MqttOptions::new(id, &settings.host, settings.port);
    let will = settings.last_will();
    options
        .set_transport(transport)
        .set_keep_alive(KEEP_ALIVE)
        .set_clean_session(true)
        .set_inflight(window)
        .set_max_packet_size(PACKET_BYTES_MAX, PACKET_BYTES_MAX)
        .set_last_will(rumqttc::LastWill::new(will.topic, will.payload, rumqttc::QoS::AtLeastOnce, true));
    if let Some((user, password)) = &settings.login {
        options.set_credentials(user, password);
    }
    let (client, mut events) = rumqttc::AsyncClient::new(options, room);
    events.set_network_options(network);
    (Client::V311(client), Events::V311(Box::new(events)))
}

fn last_will(state: Message) -> packet::LastWill {
    let properties = packet::LastWillProperties {
        delay_interval: None,
        payload_format_indicator: Some(1),
        message_expiry_interval: None,
        content_type: Some(JSON.to_owned()),
        response_topic: None,
        correlation_data: None,
        user_properties: Vec::new(),
    };
    let qos = v5::mqttbytes::QoS::AtLeastOnce;
    packet::LastWill::new(state.topic, state.payload.to_vec(), qos, true, Some(properties))
}

impl Client {
    /// Hands a message over with the user properties. An error is a message that the library will never send.
    pub fn publish(&self, message: &Message, user_properties: Vec<(String, String)>) -> Result<(), String> {
        let payload = message.payload.clone();
        match self {
            Client::V5(client) => {
                let properties = PublishProperties {
                    payload_format_indicator: message.content_type.map(|_| 1),
                    message_expiry_interval: message.expiry,
                    content_type: message.content_type.map(str::to_owned),
                    correlation_data: message.correlation.clone(),
                    user_properties,
                    ..PublishProperties::default()
                };
                let qos = match message.qos {
                    Qos::AtMostOnce => v5::mqttbytes::QoS::AtMostOnce,
                    Qos::AtLeastOnce => v5::mqttbytes::QoS::AtLeastOnce,
                };
                let handed =
                    client.try_publish_with_properties(&*message.topic, qos, message.retain, payload, properties);
                handed.map_err(|e| e.to_string())
            }
            Client::V311(client) => {
                let qos = match message.qos {
                    Qos::AtMostOnce => rumqttc::QoS::AtMostOnce,
                    Qos::AtLeastOnce => rumqttc::QoS::AtLeastOnce,
                };
                client.try_publish(&*message.topic, qos, message.retain, payload).map_err(|e| e.to_string())
            }
        }
    }

    /// Asks for all messages that match. What is retained is not sent with MQTT 5, and marked as such without.
    pub fn subscribe(&self, filters: Vec<String>) -> bool {
        match self {
            Client::V5(client) => {
                let filter = |path| packet::Filter {
                    path,
                    qos: v5::mqttbytes::QoS::AtLeastOnce,
                    nolocal: true,
                    preserve_retain: false,
                    retain_forward_rule: packet::RetainForwardRule::Never,
                };
                client.try_subscribe_many(filters.into_iter().map(filter)).is_ok()
            }
            Client::V311(client) => {
                let filter = |path| rumqttc::SubscribeFilter::new(path, rumqttc::QoS::AtLeastOnce);
                client.try_subscribe_many(filters.into_iter().map(filter)).is_ok()
            }
        }
    }

    /// Asks for them no more.
    pub fn unsubscribe(&self, filter: &str) -> bool {
        match self {
            Client::V5(client) => client.try_unsubscribe(filter).is_ok(),
            Client::V311(client) => client.try_unsubscribe(filter).is_ok(),
        }
    }

    /// Says goodbye when everything before it is written.
    pub fn leave(&self) -> bool {
        match self {
            Client::V5(client) => client.try_disconnect().is_ok(),
            Client::V311(client) => client.try_disconnect().is_ok(),
        }
    }
}

impl Events {
    /// The next news. To be polled to its end: the library's future must not be dropped half-way through a write.
    pub async fn poll(&mut self) -> Result<News, Trouble> {
        match self {
            Events::V5(events) => events.poll().await.map(news_v5).map_err(trouble_v5),
            Events::V311(events) => events.poll().await.map(news_v311).map_err(trouble_v311),
        }
    }
}

fn news_v5(event: v5::Event) -> News {
    use packet::{Packet, PubAckReason, SubscribeReasonCode};
    match event {
        v5::Event::Outgoing(outgoing) => sent(&outgoing),
        v5::Event::Incoming(Packet::ConnAck(answer)) => {
            News::Connected(answer.properties.and_then(|properties| properties.max_packet_size))
        }
        v5::Event::Incoming(Packet::PubAck(ack)) => {
            let taken = matches!(ack.reason, PubAckReason::Success | PubAckReason::NoMatchingSubscribers);
            News::Acknowledged(ack.pkid, (!taken).then(|| format!("{:?}", ack.reason)))
        }
        v5::Event::Incoming(Packet::SubAck(answer)) => {
            let codes = &answer.return_codes;
            let granted = codes.iter().all(|code| matches!(code, SubscribeReasonCode::Success(_)));
            News::Subscribed((!granted).then(|| format!("{codes:?}")))
        }
        v5::Event::Incoming(Packet::Publish(publish)) => arrived_v5(publish),
        v5::Event::Incoming(_) => News::Other,
    }
}

fn arrived_v5(publish: packet::Publish) -> News {
    let Ok(topic) = String::from_utf8(publish.topic.to_vec()) else { return News::Other };
    let properties = publish.properties.unwrap_or_default();
    News::Received(Box::new(Arrived {
        topic,
        payload: publish.payload,
        retained: publish.retain,
        response_topic: properties.response_topic,
        correlation: properties.correlation_data,
        sender: properties.user_properties.into_iter().find(|(key, _)| key == SENDER_PROPERTY).map(|(_, name)| name),
    }))
}

fn news_v311(event: rumqttc::Event) -> News {
    use rumqttc::{Packet, SubscribeReasonCode};
    match event {
        rumqttc::Event::Outgoing(outgoing) => sent(&outgoing),
        rumqttc::Event::Incoming(Packet::ConnAck(_)) => News::Connected(None),
        rumqttc::Event::Incoming(Packet::PubAck(ack)) => News::Acknowledged(ack.pkid, None),
        rumqttc::Event::Incoming(Packet::SubAck(answer)) => {
            let codes = &answer.return_codes;
            let granted = codes.iter().all(|code| matches!(code, SubscribeReasonCode::Success(_)));
            News::Subscribed((!granted).then(|| format!("{codes:?}")))
        }
        rumqttc::Event::Incoming(Packet::Publish(publish)) => News::Received(Box::new(Arrived {
            topic: publish.topic,
            payload: publish.payload,
            retained: publish.retain,
            response_topic: None,
            correlation: None,
            sender: None,
        })),
        rumqttc::Event::Incoming(_) => News::Other,
    }
}

fn sent(outgoing: &Outgoing) -> News {
    match outgoing {
        Outgoing::Publish(id) => News::Numbered(*id),
        Outgoing::Disconnect => News::Left,
        _ => News::Other,
    }
}

fn trouble_v5(error: v5::ConnectionError) -> Trouble {
    use packet::ConnectReturnCode as Code;
    use v5::{ConnectionError as Error, StateError, mqttbytes};
    match error {
        Error::ConnectionRefused(Code::UnsupportedProtocolVersion)
        | Error::MqttState(StateError::Deserialization(mqttbytes::Error::InvalidConnectReturnCode(
            REFUSED_PROTOCOL_VERSION,
        ))) => Trouble::Version,
        Error::ConnectionRefused(Code::NotAuthorized | Code::BadUserNamePassword) => Trouble::Login,
        Error::MqttState(StateError::ConnectionAborted) => Trouble::HungUp,
        Error::Io(e) => io_trouble(&e),
        Error::Timeout(_) => silent(),
        other => Trouble::Other(other.to_string()),
    }
}

fn trouble_v311(error: rumqttc::ConnectionError) -> Trouble {
    use rumqttc::{ConnectReturnCode as Code, ConnectionError as Error, StateError};
    match error {
        Error::ConnectionRefused(Code::RefusedProtocolVersion) => Trouble::Version,
        Error::ConnectionRefused(Code::NotAuthorized | Code::BadUserNamePassword) => Trouble::Login,
        Error::MqttState(StateError::ConnectionAborted) => Trouble::HungUp,
        Error::Io(e) | Error::MqttState(StateError::Io(e)) => io_trouble(&e),
        Error::NetworkTimeout => silent(),
        other => Trouble::Other(other.to_string()),
    }
}

fn io_trouble(error: &io::Error) -> Trouble {
    match error.kind() {
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::UnexpectedEof => {
            Trouble::HungUp
        }
        _ => Trouble::Other(format!("{error}; start the broker or mend mqtt.broker")),
    }
}

fn silent() -> Trouble {
    Trouble::Other(format!("no answer in {CONNECT_MAX_S} s; is it an MQTT broker?"))
}

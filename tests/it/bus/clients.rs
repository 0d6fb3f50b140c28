//! Subscribers of both protocol versions for tests. Whatever does not come within [`PATIENCE`] fails the test.

use std::{future::Future, time::Duration};

use rumqttc::v5::{
    AsyncClient, Event, MqttOptions,
    mqttbytes::{
        QoS,
        v5::{LastWill, Packet, PubAckReason, PublishProperties, SubscribeReasonCode},
    },
};
use tokio::{sync::mpsc, time::timeout};

/// A safety net, not a speed that is asserted.
const PATIENCE: Duration = Duration::from_secs(20);

/// One message that came.
#[derive(Clone, Debug)]
pub struct Seen {
    pub topic: String,
    pub payload: Vec<u8>,
    pub retain: bool,
    pub content_type: Option<String>,
    pub correlation: Option<Vec<u8>>,
}

/// An MQTT 5 client.
pub struct Client {
    client: AsyncClient,
    messages: mpsc::UnboundedReceiver<Seen>,
    answers: tokio::sync::Mutex<mpsc::UnboundedReceiver<bool>>,
    /// Everything that was taken so far.
    pub all: Vec<Seen>,
}

pub async fn patiently<T>(what: &str, future: impl Future<Output = T>) -> T {
    timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("{what} did not come"))
}

fn options(port: u16, id: &str, user: Option<(&str, &str)>) -> MqttOptions {
    let mut options = MqttOptions::new(id, "127.0.0.1", port);
    options.set_max_packet_size(Some(1 << 20));
    if let Some((user, password)) = user {
        options.set_credentials(user, password);
    }
    options
}

fn fresh_id() -> String {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    format!("test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Whether the broker refuses such a client.
pub async fn refused(port: u16, user: Option<(&str, &str)>, id: &str, will: Option<&str>) -> bool {
    let mut options = options(port, id, user);
    if let Some(topic) = will {
        options.set_last_will(LastWill::new(topic, "gone", QoS::AtLeastOnce, true, None));
    }
    let (_client, mut events) = AsyncClient::new(options, 1);
    match patiently("an answer to CONNECT", events.poll()).await {
        Ok(Event::Incoming(Packet::ConnAck(_))) => false,
        Ok(other) => panic!("expected an answer to CONNECT, found {other:?}"),
        Err(rumqttc::v5::ConnectionError::ConnectionRefused(_)) => true,
        Err(other) => panic!("expected a refusal, found {other}"),
    }
}

impl Client {
    pub async fn connect(port: u16, user: Option<(&str, &str)>) -> Client {
        let (client, mut events) = AsyncClient::new(options(port, &fresh_id(), user), 100);
        let (message, messages) = mpsc::unbounded_channel();
        let (answer, answers) = mpsc::unbounded_channel();
        let (up, connected) = tokio::sync::oneshot::channel();
        let mut up = Some(up);
        tokio::spawn(async move {
            while let Ok(event) = events.poll().await {
                let alive = match event {
                    Event::Incoming(Packet::ConnAck(_)) => up.take().is_none_or(|up| up.send(()).is_ok()),
                    Event::Incoming(Packet::Publish(publish)) => {
                        let properties = publish.properties.unwrap_or_default();
                        message
                            .send(Seen {
                                topic: String::from_utf8(publish.topic.to_vec()).unwrap(),
                                payload: publish.payload.to_vec(),
                                retain: publish.retain,
                                content_type: properties.content_type,
                                correlation: properties.correlation_data.map(|bytes| bytes.to_vec()),
                            })
                            .is_ok()
                    }
                    Event::Incoming(Packet::SubAck(ack)) => {
                        answer.send(matches!(ack.return_codes[..], [SubscribeReasonCode::Success(_)])).is_ok()
                    }
                    Event::Incoming(Packet::PubAck(ack)) => answer
                        .send(matches!(ack.reason, PubAckReason::Success | PubAckReason::NoMatchingSubscribers))
                        .is_ok(),
                    _ => true,
                };
                if !alive {
                    return;
                }
            }
        });
        patiently("the connection", connected).await.expect("the broker lets us in");
        Client { client, messages, answers: answers.into(), all: Vec::new() }
    }

    async fn answered(&self) -> bool {
        patiently("an acknowledgement", self.answers.lock().await.recv()).await.expect("still connected")
    }

    /// Whether the broker granted it.
    pub async fn subscribe(&self, filter: &str) -> bool {
        if self.client.subscribe(filter, QoS::AtLeastOnce).await.is_err() {
            return false; // the library does not even send it
        }
        self.answered().await
    }

    /// Whether the broker took it.
    pub async fn publish(&self, topic: &str, payload: &str) -> bool {
        self.client.publish(topic, QoS::AtLeastOnce, false, payload.to_owned()).await.unwrap();
        self.answered().await
    }

    /// A request with response topic and correlation data.
    pub async fn ask(&self, topic: &str, payload: &str, answer_on: &str, correlation: &[u8]) {
        let properties = PublishProperties {
            response_topic: Some(answer_on.to_owned()),
            correlation_data: Some(correlation.to_vec().into()),
            ..PublishProperties::default()
        };
        let payload = payload.to_owned();
        self.client.publish_with_properties(topic, QoS::AtLeastOnce, false, payload, properties).await.unwrap();
        assert!(self.answered().await, "the broker takes the request");
    }

    /// The next message.
    pub async fn next(&mut self) -> Seen {
        let seen = patiently("a message", self.messages.recv()).await.expect("still connected");
        self.all.push(seen.clone());
        seen
    }

    /// Waits for a message; what comes before it is kept in [`Client::all`].
    pub async fn until(&mut self, wanted: impl Fn(&Seen) -> bool) -> Seen {
        loop {
            let seen = self.next().await;
            if wanted(&seen) {
                return seen;
            }
        }
    }

    /// True when no message waits after a round trip to the broker.
    pub async fn nothing_more(&mut self) -> bool {
        self.subscribe("bughouse/node/none/state").await;
        self.messages.try_recv().is_err()
    }
}

/// An MQTT 3.1.1 client.
pub struct Old {
    client: rumqttc::AsyncClient,
    events: rumqttc::EventLoop,
}

impl Old {
    pub async fn connect(port: u16) -> Old {
        let options = rumqttc::MqttOptions::new(fresh_id(), "127.0.0.1", port);
        let (client, events) = rumqttc::AsyncClient::new(options, 10);
        Old { client, events }
    }

    pub async fn subscribe(&mut self, filter: &str) {
        self.client.subscribe(filter, rumqttc::QoS::AtLeastOnce).await.unwrap();
    }

    /// The next message.
    pub async fn next(&mut self) -> (String, Vec<u8>) {
        loop {
            let event = patiently("a message", self.events.poll()).await.expect("still connected");
            if let rumqttc::Event::Incoming(rumqttc::Packet::Publish(publish)) = event {
                return (publish.topic, publish.payload.to_vec());
            }
        }
    }
}

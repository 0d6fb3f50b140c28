//! A client of the demo's own broker: what everybody may read, and the arbiter's pen for results.

use rumqttc::v5::{
    AsyncClient, Event as Incoming, EventLoop, MqttOptions,
    mqttbytes::{QoS, v5::Packet},
};
use serde_json::json;

use super::super::{Exit, Failure};
use crate::event::{Body, Event, Move, State};

/// The largest message that is read, in bytes.
const MESSAGE_BYTES_MAX: u32 = 1 << 20;
/// Requests that may wait.
const QUEUE_MAX: usize = 16;

/// What was published.
pub enum News {
    /// An event of the live feed.
    Event(Box<Event>),
    /// The whole table.
    State(Box<State>),
    /// Something else.
    Other,
}

/// A subscriber of the live feed.
pub struct Spectator {
    client: AsyncClient,
    events: EventLoop,
    moves: Vec<Move>,
    ended: bool,
}

impl Spectator {
    /// Joins the broker at `host:port` as the arbiter.
    pub async fn join(broker: &str, password: &str) -> Result<Spectator, Failure> {
        let (host, port) = broker.rsplit_once(':').unwrap_or((broker, "1883"));
        let mut options = MqttOptions::new("demo-spectator", host, port.parse().unwrap_or(1883));
        options.set_credentials("arbiter", password);
        options.set_max_packet_size(Some(MESSAGE_BYTES_MAX));
        let (client, events) = AsyncClient::new(options, QUEUE_MAX);
        let topics = ["bughouse/table/1/live/event", "bughouse/table/1/live/state"];
        for topic in topics {
            client.subscribe(topic, QoS::AtLeastOnce).await.map_err(|e| lost(&e))?;
        }
        Ok(Spectator { client, events, moves: Vec::new(), ended: false })
    }

    /// A new game: what was told before counts no more.
    pub fn forget(&mut self) {
        self.moves.clear();
        self.ended = false;
    }

    /// The completed moves that were told, in the order of their telling.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Whether the end of the game was told.
    pub fn game_ended(&self) -> bool {
        self.ended
    }

    /// Waits for the next message.
    pub async fn next(&mut self) -> Result<News, Failure> {
        loop {
            let incoming = self.events.poll().await.map_err(|e| lost(&e))?;
            let Incoming::Incoming(Packet::Publish(message)) = incoming else { continue };
            if message.topic.ends_with(b"/state") {
                return Ok(serde_json::from_slice(&message.payload).map_or(News::Other, News::State));
            }
            let Ok(event) = serde_json::from_slice::<Event>(&message.payload) else { return Ok(News::Other) };
            match &event.body {
                Body::Move(played) => self.moves.push((**played).clone()),
                Body::GameEnded(_) => self.ended = true,
                _ => {}
            }
            return Ok(News::Event(Box::new(event)));
        }
    }

    /// Enters a result that the boards do not show, as an arbiter does.
    pub async fn enter_result(&mut self, result: &str, reason: &str) -> Result<(), Failure> {
        let payload = json!({ "data": { "result": result, "reason": reason } }).to_string();
        let topic = "bughouse/table/1/arbiter/request/result";
        self.client.publish(topic, QoS::AtLeastOnce, false, payload).await.map_err(|e| lost(&e))
    }
}

fn lost(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(Exit::Failed, format!("the connection to the demo's broker was lost: {error}"))
}

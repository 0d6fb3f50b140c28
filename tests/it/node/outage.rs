//! The broker goes down again and again and forgets everything, while a game is played. A subscriber that notices a gap
//! asks for what it missed; at the end it has every event of the journal, in order.
//!
//! `WIPES=50 cargo test --test it node::outage -- --nocapture` asks for more than a few.

use std::{collections::BTreeMap, path::Path};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

/// Wipes unless `WIPES` says otherwise.
const WIPES: usize = 6;
/// Fields of knights that go out and back on board A: White's, Black's.
const DANCE: [(u8, u8); 4] = [(62, 45), (6, 21), (45, 62), (21, 6)];
const EVENTS: &str = "bughouse/table/1/live/event";
const ANSWER: &str = "bughouse/table/1/live/response/events";

/// A subscriber over all connections.
#[derive(Default)]
struct Subscriber {
    /// Events by `seq`.
    events: BTreeMap<u64, Value>,
    asked: usize,
}

impl Subscriber {
    fn take(&mut self, event: &Value) {
        let seq = event["seq"].as_u64().unwrap();
        let known = self.events.entry(seq).or_insert_with(|| event.clone());
        assert_eq!(known, event, "a number means one event");
    }

    fn hear(&mut self, client: &mut Client) {
        for seen in std::mem::take(&mut client.all) {
            if seen.topic == EVENTS {
                self.take(&json_of(&seen.payload));
            }
        }
    }

    /// The first number that is missing.
    fn missing(&self) -> u64 {
        (1..).find(|seq| !self.events.contains_key(seq)).unwrap()
    }

    /// Asks for what was missed, up to the newest event.
    async fn catch_up(&mut self, client: &mut Client, newest: u64) {
        while self.missing() <= newest {
            let from = self.missing();
            client.publish("bughouse/table/1/live/request/events", &json!({ "from_seq": from }).to_string()).await;
            let answer = json_of(&client.until(|seen| seen.topic == ANSWER).await.payload);
            self.asked += 1;
            assert_eq!((&answer["status"], &answer["data"]["from_seq"]), (&"ok".into(), &from.into()));
            let events = answer["data"]["events"].as_array().unwrap().clone();
            assert!(!events.is_empty(), "the journal has event {from} of {newest}");
            events.iter().for_each(|event| self.take(event));
            self.hear(client);
        }
    }
}

async fn subscribe(port: u16) -> Client {
    let client = Client::connect(port, None).await;
    assert!(client.subscribe(EVENTS).await && client.subscribe(ANSWER).await);
    client
}

/// The live events of the journal.
fn recorded(dir: &Path) -> Vec<Event> {
    Reader::open(dir).and_then(|reader| reader.live_from("1", 1, 1 << 20)).unwrap()
}

#[tokio::test]
async fn every_event_is_at_the_subscriber_however_often_the_broker_is_wiped() {
    let wipes = std::env::var("WIPES").ok().and_then(|text| text.parse().ok()).unwrap_or(WIPES);
    let dir = tempfile::tempdir().unwrap();
    let (mut a, b) = (Board::set_up(), Board::set_up());
    let address = std::net::TcpListener::bind(loopback()).unwrap().local_addr().unwrap();
    let login = Some(("node".into(), NODE_PASSWORD.into()));
    let external =
        Broker::External { host: address.ip().to_string(), port: address.port(), login, tls: None, refresh: None };
    let node =
        Node::start(NodeSettings { broker: external, ..settings(dir.path(), &[&a.path, &b.path]) }).await.unwrap();
    let broker = crate::bus::broker(address).await;
    drop(begin(&node).await);
    broker.stop().await;

    let mut random = ChaCha8Rng::seed_from_u64(1);
    let (mut subscriber, mut moves, mut waiting) = (Subscriber::default(), 0, 0);
    for _ in 0..wipes {
        let broker = crate::bus::broker(address).await;
        let mut client = subscribe(address.port()).await;
        for phase in 0..2 {
            for _ in 0..random.random_range(1..4) {
                let (from, to) = DANCE[moves % DANCE.len()];
                a.play(from, Some(to));
                moves += 1;
                tokio::time::sleep(std::time::Duration::from_millis(random.random_range(60..150))).await;
            }
            if phase == 0 {
                client.until(|seen| seen.topic == EVENTS).await;
            }
        }
        subscriber.hear(&mut client);
        waiting = waiting.max(node.health().queued);
        broker.stop().await; // with everything that it had
        tokio::time::sleep(std::time::Duration::from_millis(random.random_range(0..100))).await;
    }
    let recorded_moves = async {
        while recorded(dir.path()).iter().filter(|event| matches!(event.body, Body::Move(_))).count() < moves {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    patiently("the last move", recorded_moves).await;
    let broker = crate::bus::broker(address).await;
    let mut client = subscribe(address.port()).await;
    let flows = async {
        while !node.health().connected || node.health().queued > 0 {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    patiently("the node", flows).await;
    let journal = recorded(dir.path());
    subscriber.catch_up(&mut client, journal.last().unwrap().seq).await;
    let asked = subscriber.asked;
    let told: Vec<Value> = subscriber.events.into_values().collect();
    let expect: Vec<Value> = journal.iter().map(|event| serde_json::to_value(event).unwrap()).collect();
    assert_eq!(told, expect);
    println!("{wipes} wipes, {} events, {moves} moves: all at the subscriber in order", told.len());
    println!("{asked} questions for missed events, at most {waiting} messages waited");
    assert_eq!(node.health().dropped, 0);
    node.shutdown().await;
    broker.stop().await;
}

//! The MQTT session and the embedded broker, over real sockets on loopback.

pub mod clients;
mod door;
mod mosquitto;
mod proxy;

use std::{net::SocketAddr, time::Duration};

use bughoused::publish::{
    broker::{self, BrokerSettings, EmbeddedBroker, NODE_USER, Passwords},
    password::Password,
    session::{Requests, Session, SessionSettings, TableRequest},
    topic::{Message, Topics},
};
use clients::{Client, Old, Seen};
use proxy::Proxy;
use serde_json::Value;
use tokio::{sync::mpsc, task::JoinHandle};

pub const NODE_PASSWORD: &str = "node-secret";
const ARBITER: Option<(&str, &str)> = Some(("arbiter", "arbiter-secret"));

fn topics() -> Topics {
    Topics::new("bughouse", "hall")
}

pub async fn broker(listen: SocketAddr) -> Box<dyn EmbeddedBroker> {
    let arbiter = Some(Password::clear("arbiter-secret"));
    let passwords = Passwords { node: NODE_PASSWORD.into(), arbiter, display: None };
    broker::start(BrokerSettings { listen, topics: topics(), live_open: true, passwords }).await.unwrap()
}

pub fn loopback() -> SocketAddr {
    ([127, 0, 0, 1], 0).into()
}

/// An address where nobody listens, and that the system gives to nobody who asks for any.
fn closed() -> SocketAddr {
    let free = |port: &u16| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok();
    let port = (20_000 + (std::process::id() % 10_000) as u16..32_000).find(free).unwrap();
    ([127, 0, 0, 1], port).into()
}

/// A session with one table `1`, whose requests come out of the receiver.
fn session(port: u16, name: &str) -> (Session, JoinHandle<()>, mpsc::Receiver<TableRequest>) {
    let settings = SessionSettings {
        host: "127.0.0.1".into(),
        port,
        login: Some((NODE_USER.into(), NODE_PASSWORD.into())),
        tls: None,
        refresh: None,
        topics: topics(),
        session: name.into(),
        own_broker: true,
    };
    let (table, requests) = mpsc::channel(4);
    let (session, task) = Session::spawn(settings, Requests::from_iter([("1".to_owned(), table)]));
    (session, task, requests)
}

fn event(number: usize) -> Message {
    Message::text("bughouse/table/1/live/event".into(), number.to_string())
}

fn state(text: &str) -> Message {
    Message::text("bughouse/table/1/live/state".into(), text).retained()
}

fn json(seen: &Seen) -> Value {
    serde_json::from_slice(&seen.payload).unwrap()
}

#[tokio::test]
async fn a_late_subscriber_of_either_version_gets_what_is_retained() {
    let broker = broker(loopback()).await;
    let (session, _task, _requests) = session(broker.address().port(), "s1");
    session.publish([state("one"), state("two"), event(1)]);
    let mut early = Client::connect(broker.address().port(), None).await;
    early.subscribe("bughouse/table/+/live/#").await;
    early.until(|seen| seen.payload == b"two").await;

    let mut new = Client::connect(broker.address().port(), None).await;
    new.subscribe("bughouse/table/1/live/#").await;
    let seen = new.next().await;
    assert_eq!((seen.topic.as_str(), &*seen.payload, seen.retain), ("bughouse/table/1/live/state", &b"two"[..], true));
    assert_eq!(seen.content_type.as_deref(), Some("text/plain; charset=utf-8"));

    let mut old = Old::connect(broker.address().port()).await;
    old.subscribe("bughouse/node/+/state").await;
    let (topic, payload) = old.next().await;
    assert_eq!(topic, "bughouse/node/hall/state");
    assert_eq!(payload, br#"{"v":1,"session":"s1","state":"online"}"#);
}

#[tokio::test]
async fn a_session_that_is_killed_is_offline_and_one_that_stops_says_so() {
    let broker = broker(loopback()).await;
    let port = broker.address().port();
    let mut watch = Client::connect(port, None).await;
    watch.subscribe("bughouse/node/hall/state").await;
    let proxy = Proxy::start(port).await;
    let (killed, task, _requests) = session(proxy.port(), "s1");
    assert_eq!(json(&watch.next().await)["state"], "online");
    task.abort(); // the socket closes without a DISCONNECT
    drop(killed);
    let will = json(&watch.next().await);
    assert_eq!((&will["state"], &will["session"]), (&"offline".into(), &"s1".into()));

    let (stopped, task, _requests) = session(port, "s2");
    assert_eq!(json(&watch.next().await)["state"], "online");
    stopped.stopping();
    assert_eq!(json(&watch.next().await)["state"], "stopping");
    stopped.publish([event(1)]);
    stopped.stop();
    task.await.unwrap();
    let last = json(&watch.next().await);
    assert_eq!((&last["state"], &last["session"]), (&"offline".into(), &"s2".into()));
}

#[tokio::test]
async fn the_late_will_of_an_earlier_start_is_overwritten() {
    let broker = broker(loopback()).await;
    let port = broker.address().port();
    let mut watch = Client::connect(port, None).await;
    watch.subscribe("bughouse/node/hall/state").await;
    let (_session, _task, _requests) = session(port, "new");
    assert_eq!(json(&watch.next().await)["session"], "new");
    let node = Client::connect(port, Some((NODE_USER, NODE_PASSWORD))).await;
    node.publish("bughouse/node/hall/state", r#"{"v":1,"session":"old","state":"offline"}"#).await;
    assert_eq!(json(&watch.next().await)["session"], "old");
    let again = json(&watch.next().await);
    assert_eq!((&again["session"], &again["state"]), (&"new".into(), &"online".into()));
}

#[tokio::test]
async fn nothing_is_lost_or_turned_round_by_a_connection_that_breaks() {
    const MESSAGES: usize = 400;
    let broker = broker(loopback()).await;
    let port = broker.address().port();
    let mut watch = Client::connect(port, None).await;
    watch.subscribe("bughouse/table/1/live/event").await;
    let proxy = Proxy::start(port).await;
    let (session, _task, _requests) = session(proxy.port(), "s1");
    let mut seen = Vec::new();
    for number in 0..MESSAGES {
        session.publish([event(number)]);
        if number % 100 == 50 {
            watch.until(|message| number_of(message) >= number - 25).await;
            proxy.cut();
        }
        tokio::task::yield_now().await;
    }
    watch.until(|message| number_of(message) == MESSAGES - 1).await;
    seen.extend(watch.all.iter().map(number_of));
    // Delivered at least once: what was not acknowledged comes again, then all goes on in order.
    let mut next = 0;
    for number in seen {
        assert!(number <= next, "{next} is missing before {number}");
        next = next.max(number + 1);
    }
    assert_eq!(next, MESSAGES);
    assert!(session.health().connections >= 2);
}

fn number_of(seen: &Seen) -> usize {
    String::from_utf8_lossy(&seen.payload).parse().unwrap()
}

#[tokio::test]
async fn a_broker_that_lost_everything_gets_the_retained_topics_again() {
    let first = broker(loopback()).await;
    let address = first.address();
    let (session, _task, _requests) = session(address.port(), "s1");
    session.publish([state("one")]);
    let mut watch = Client::connect(address.port(), None).await;
    watch.subscribe("bughouse/table/+/live/#").await;
    watch.until(|seen| seen.payload == b"one").await;
    first.stop().await;
    session.publish([state("two"), state("three")]);
    let second = broker(address).await;
    let mut watch = Client::connect(second.address().port(), None).await;
    watch.subscribe("bughouse/table/+/live/#").await;
    watch.until(|seen| seen.payload == b"three").await;
    watch.subscribe("bughouse/node/+/state").await;
    watch.until(|seen| seen.topic.ends_with("node/hall/state")).await;

    let arbiter = Client::connect(address.port(), ARBITER).await;
    let before = watch.all.len();
    arbiter.publish("bughouse/ctl/republish", "").await;
    watch.until(|seen| seen.payload == b"three" && !seen.retain).await;
    assert!(watch.all.len() > before);
}

#[tokio::test]
async fn anonymous_clients_neither_write_nor_read_what_is_the_arbiters() {
    let broker = broker(loopback()).await;
    let port = broker.address().port();
    let (_session, _task, mut requests) = session(port, "s1");
    let mut public = Client::connect(port, None).await;
    for filter in ["#", "bughouse/#", "bughouse/table/1/arbiter/#", "bughouse/table/+/device/#", "$SYS/#"] {
        assert!(!public.subscribe(filter).await, "{filter} must be refused");
    }
    assert!(public.subscribe("bughouse/table/1/live/#").await);
    assert!(!public.publish("bughouse/table/1/arbiter/request/pause", "").await);
    assert!(!public.publish("bughouse/table/1/live/state", "forged").await);
    assert!(!public.publish("bughouse/node/hall/state", "forged").await);
    let arbiter = Client::connect(port, ARBITER).await;
    assert!(arbiter.publish("bughouse/table/1/arbiter/request/pause", "").await);
    assert!(!arbiter.publish("bughouse/table/1/live/state", "forged").await);
    let request = requests.recv().await.unwrap().request;
    assert_eq!((request.verb.as_str(), request.by.as_deref()), ("pause", Some("arbiter")));
    assert!(requests.try_recv().is_err(), "only the arbiter's request came through");
    assert!(public.all.is_empty() && public.nothing_more().await);
}

#[tokio::test]
async fn strangers_do_not_get_in_and_cannot_take_the_nodes_place() {
    let broker = broker(loopback()).await;
    let port = broker.address().port();
    let refused = |user, id, will| clients::refused(port, user, id, will);
    assert!(refused(Some(("arbiter", "wrong")), "a", None).await);
    assert!(refused(Some(("display", "")), "b", None).await, "a role without a password is closed");
    assert!(refused(Some(("nobody", "x")), "c", None).await);
    assert!(refused(None, "bughoused-s1", None).await, "the node's client id is its own");
    assert!(refused(None, "d", Some("bughouse/node/hall/state")).await, "a will is a publication, too");
    assert!(!refused(None, "e", None).await);
}

#[tokio::test]
async fn every_request_is_answered_where_the_asker_wants() {
    let broker = broker(loopback()).await;
    let port = broker.address().port();
    let (_session, _task, mut requests) = session(port, "s1");
    let mut arbiter = Client::connect(port, ARBITER).await;
    arbiter.subscribe("bughouse/table/+/arbiter/response/+").await;
    arbiter.subscribe("my/answers").await;
    let code = |seen: &Seen| json(seen)["error"]["code"].as_str().unwrap_or_default().to_owned();

    arbiter.publish("bughouse/table/1/arbiter/request/claim", "{not json").await;
    let answer = arbiter.next().await;
    assert_eq!((answer.topic.as_str(), &*code(&answer)), ("bughouse/table/1/arbiter/response/claim", "bad-json"));
    assert_eq!((&json(&answer)["table"], &json(&answer)["session"]), (&"1".into(), &"s1".into()));

    arbiter.publish("bughouse/table/1/arbiter/request/claim", &" ".repeat(70_000)).await;
    assert_eq!(code(&arbiter.next().await), "too-large");
    arbiter.publish("bughouse/table/1/arbiter/request/", "").await;
    assert_eq!(code(&arbiter.next().await), "bad-verb");
    arbiter.publish("bughouse/table/none/arbiter/request/claim", r#"{"transaction":"t1"}"#).await;
    let answer = arbiter.next().await;
    assert_eq!((&*code(&answer), &json(&answer)["transaction"]), ("no-table", &"t1".into()));

    arbiter.ask("bughouse/table/1/arbiter/request/claim", "[]", "my/answers", b"\x00\x01").await;
    let answer = arbiter.next().await;
    assert_eq!((answer.topic.as_str(), answer.correlation.as_deref()), ("my/answers", Some(&b"\x00\x01"[..])));
    assert_eq!(code(&answer), "bad-json");

    for _ in 0..5 {
        arbiter.publish("bughouse/table/1/arbiter/request/pause", "").await;
    }
    assert_eq!(code(&arbiter.next().await), "busy", "four wait, the fifth is told so");
    assert_eq!(requests.recv().await.unwrap().request.verb, "pause");
}

#[tokio::test]
async fn a_broker_that_is_not_there_stalls_nobody() {
    let closed = closed();
    let (session, task, _requests) = session(closed.port(), "s1");
    for number in 0..60_000 {
        session.publish([event(number), state(&number.to_string())]);
    }
    let health = session.health();
    assert!(!health.connected && health.queued <= 50_000 && health.dropped > 0, "{health:?}");
    let broker = broker(closed).await;
    let mut watch = Client::connect(closed.port(), None).await;
    watch.subscribe("bughouse/table/1/live/state").await;
    watch.until(|seen| seen.payload == b"59999").await;
    drop(broker);
    session.stop();
    tokio::time::timeout(Duration::from_secs(20), task).await.expect("a stopped session ends").unwrap();
}

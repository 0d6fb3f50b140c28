//! Tables without devices in a running node: what one of them does to the others, and what a new configuration does.

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Value, json};

use super::*;
use crate::{
    daemon::{
        node::{Node, Running},
        settings::{Broker, NodeSettings},
    },
    event::{Event, Feed},
    journal::Reader,
};

fn table(id: &str, ruleset: &str) -> TableSettings {
    let device = |board: &str| json!({ "name": board, "driver": "dgt", "port": "/dev/none", "board": board });
    let devices = [device("A"), device("B")];
    serde_json::from_value(json!({ "id": id, "ruleset": ruleset, "device": devices })).unwrap()
}

fn settings(data_dir: &std::path::Path, tables: &[(&str, &str)]) -> NodeSettings {
    let anywhere = ([127, 0, 0, 1], 0).into();
    NodeSettings {
        id: "hall".into(),
        data_dir: data_dir.to_owned(),
        retention: Default::default(),
        prefix: "bughouse".into(),
        broker: Broker::Embedded { listen: anywhere, live_open: true, arbiter: None, display: None },
        web: anywhere,
        arbiter: None,
        tables: tables.iter().map(|(id, ruleset)| table(id, ruleset)).collect(),
        speed: 1,
        shown: json!({ "node": { "id": "hall" } }),
    }
}

/// What the broker keeps below `bughouse/table/`, by topic, once it is as `wanted` says.
async fn kept(node: &Running, wanted: impl Fn(&BTreeMap<String, Value>) -> bool) -> BTreeMap<String, Value> {
    use rumqttc::{AsyncClient, Event, MqttOptions, Packet, QoS};
    let (host, port) = node.addresses.broker.rsplit_once(':').unwrap();
    let mut found = BTreeMap::new();
    let (client, mut events) = AsyncClient::new(MqttOptions::new("reader", host, port.parse().unwrap()), 4);
    client.subscribe("bughouse/table/+/live/#", QoS::AtLeastOnce).await.unwrap();
    let mut take = async |found: &mut BTreeMap<String, Value>| {
        if let Event::Incoming(Packet::Publish(message)) = events.poll().await.unwrap() {
            match message.payload.is_empty() {
                true => found.remove(&message.topic),
                false => {
                    let value = serde_json::from_slice(&message.payload).unwrap_or_default();
                    found.insert(message.topic, value)
                }
            };
        }
    };
    let listen = async {
        while !wanted(&found) {
            take(&mut found).await;
        }
        // What else is kept comes at once.
        let rest = async {
            loop {
                take(&mut found).await;
            }
        };
        let _ = tokio::time::timeout(Duration::from_millis(200), rest).await;
    };
    let came = tokio::time::timeout(Duration::from_secs(20), listen).await;
    assert!(came.is_ok(), "found only {:?}", found.keys());
    found
}

/// Asks a table as soon as it is open; what comes back is the way to it.
async fn ask(node: &Running, table: &str, verb: &str) -> mpsc::Sender<TableRequest> {
    let request = crate::event::Request { verb: verb.into(), ..Default::default() };
    let open = async {
        loop {
            match node.requests().get(table).filter(|way| !way.is_closed()) {
                Some(way) => return way.clone(),
                None => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    };
    let way = tokio::time::timeout(Duration::from_secs(20), open).await.expect("the table is open");
    way.send(TableRequest { request, route: Default::default() }).await.unwrap();
    way
}

fn ruleset_of(kept: &BTreeMap<String, Value>, table: &str) -> Option<String> {
    kept.get(&format!("bughouse/table/{table}/live/state"))?["ruleset"].as_str().map(str::to_owned)
}

fn status_is(kept: &BTreeMap<String, Value>, table: &str, status: &str) -> bool {
    kept.get(&format!("bughouse/table/{table}/live/state")).is_some_and(|state| state["status"] == status)
}

/// What a table told in the last start, its counts and its time going on.
fn recorded(dir: &std::path::Path, table: &str) -> Vec<Event> {
    let reader = Reader::open(dir).unwrap();
    let session = reader.game("last").unwrap()[0].session.clone();
    let events = reader.events_after(&session, table, 0).unwrap();
    let live = events.iter().filter(|event| event.body.feed() == Feed::Live);
    let numbers: Vec<u64> = live.map(|event| event.seq).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>(), "the counts go on");
    assert!(events.windows(2).all(|pair| pair[0].t <= pair[1].t), "time goes on");
    events
}

fn games(events: &[Event]) -> Vec<&'static str> {
    events.iter().map(|event| event.body.kind()).filter(|kind| kind.starts_with("game")).collect()
}

#[tokio::test]
async fn a_table_that_breaks_comes_back_and_touches_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let node = Node::start(settings(dir.path(), &[("1", "wbn-1.00"), ("2", "wbn-1.00")])).await.unwrap();
    for table in ["1", "2"] {
        ask(&node, table, "new-game").await;
    }
    kept(&node, |kept| status_is(kept, "1", "playing") && status_is(kept, "2", "playing")).await;
    // To break takes a while where the panic is printed with everything that it went through.
    ask(&node, "1", "break").await.closed().await;
    ask(&node, "2", "abort").await;
    kept(&node, |kept| status_is(kept, "2", "ended")).await;
    ask(&node, "1", "abort").await;
    kept(&node, |kept| status_is(kept, "1", "ended") && status_is(kept, "2", "ended")).await;
    ask(&node, "1", "new-game").await;
    kept(&node, |kept| status_is(kept, "1", "playing") && status_is(kept, "2", "ended")).await;
    assert_eq!(node.shutdown().await, 0);
    let events = recorded(dir.path(), "1");
    assert_eq!(games(&events), ["game-started", "game-resumed", "game-ended", "game-started"], "the game goes on");
    assert_eq!(events[0].game, events.iter().rfind(|event| event.body.kind() == "game-ended").unwrap().game);
}

#[tokio::test]
async fn a_table_that_is_taken_out_and_added_again_counts_on() {
    let dir = tempfile::tempdir().unwrap();
    let both = [("1", "wbn-1.00"), ("2", "wbn-1.00")];
    let mut node = Node::start(settings(dir.path(), &both)).await.unwrap();
    for (verb, status) in [("new-game", "playing"), ("abort", "ended")] {
        ask(&node, "1", verb).await;
        kept(&node, |kept| status_is(kept, "1", status)).await;
    }
    node.reload(settings(dir.path(), &both[1..])).await;
    kept(&node, |kept| ruleset_of(kept, "1").is_none() && ruleset_of(kept, "2").is_some()).await;
    let mut later = settings(dir.path(), &both);
    later.tables[0].delay = "2 moves".into();
    node.reload(later).await;
    kept(&node, |kept| ruleset_of(kept, "1").is_some()).await;
    ask(&node, "1", "new-game").await;
    kept(&node, |kept| status_is(kept, "1", "playing")).await;
    assert_eq!(node.shutdown().await, 0);
    let events = recorded(dir.path(), "1");
    assert_eq!(games(&events), ["game-started", "game-ended", "game-started"], "nothing is gone on with");
}

#[tokio::test]
async fn tables_are_added_changed_and_taken_out_and_games_are_not_disturbed() {
    let dir = tempfile::tempdir().unwrap();
    let before = [("gone", "wbn-1.00"), ("kept", "wbn-1.00"), ("played", "wbn-1.00")];
    let after = [("kept", "fide-ext"), ("new", "cz-2024.06"), ("played", "fide-ext")];
    let mut node = Node::start(settings(dir.path(), &before)).await.unwrap();
    kept(&node, |kept| before.iter().all(|(id, _)| ruleset_of(kept, id).is_some())).await;
    ask(&node, "played", "new-game").await;
    kept(&node, |kept| status_is(kept, "played", "playing")).await;
    assert!(!node.reload(settings(dir.path(), &after)).await, "only tables differ");
    let now = kept(&node, |kept| {
        ruleset_of(kept, "new").is_some() && ruleset_of(kept, "kept").as_deref() == Some("fide-ext")
    })
    .await;
    assert_eq!(ruleset_of(&now, "played").as_deref(), Some("wbn-1.00"), "its game goes on");
    let mut late = kept(&node, |kept| ruleset_of(kept, "kept").is_some() && ruleset_of(kept, "new").is_some()).await;
    late.retain(|topic, _| topic.starts_with("bughouse/table/gone/"));
    assert!(late.is_empty(), "nothing is kept of a table that is taken out: {late:?}");
    ask(&node, "played", "abort").await;
    kept(&node, |kept| ruleset_of(kept, "played").as_deref() == Some("fide-ext")).await;
    let mut other = settings(dir.path(), &after);
    other.shown = json!({ "node": { "id": "other" } });
    assert!(node.reload(other).await, "what is no table needs a restart");
    assert_eq!(node.shutdown().await, 0);
}

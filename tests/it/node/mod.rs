//! A whole node in this process: boards on pseudo-terminals, machine, journal, bus and web.

mod board;
mod outage;

use std::{net::SocketAddr, path::Path};

use board::Board;
use bughoused::{
    daemon::{
        node::{Node, Running, StartError},
        settings::{Broker, NodeSettings},
    },
    event::{Body, Event, LinkState},
    journal::Reader,
    publish::password::Password,
    record::GameRecord,
    table::settings::TableSettings,
};
use serde_json::{Value, json};

use crate::{
    bus::{
        NODE_PASSWORD,
        clients::{Client, patiently},
        loopback,
    },
    corpus::replay,
};

const ARBITER: Option<(&str, &str)> = Some(("arbiter", "arbiter-secret"));
/// Fields of a DGT board.
const E2: u8 = 52;
const E4: u8 = 36;
const E7: u8 = 12;
const E5: u8 = 28;

fn table(boards: &[&str]) -> TableSettings {
    let devices: Vec<Value> = boards
        .iter()
        .zip(["A", "B"])
        .map(|(port, board)| json!({"name": format!("board-{board}"), "driver": "dgt", "port": port, "board": board}))
        .collect();
    serde_json::from_value(json!({"id": "1", "settle": "50ms", "device": devices})).unwrap()
}

fn settings(data_dir: &Path, boards: &[&str]) -> NodeSettings {
    NodeSettings {
        id: "hall".into(),
        data_dir: data_dir.to_owned(),
        retention: Default::default(),
        prefix: "bughouse".into(),
        broker: Broker::Embedded {
            listen: loopback(),
            live_open: true,
            arbiter: Some(Password::clear("arbiter-secret")),
            display: None,
        },
        web: loopback(),
        arbiter: None,
        tables: vec![table(boards)],
        speed: 1,
        shown: json!({"node": {"id": "hall"}}),
    }
}

fn port(node: &Running) -> u16 {
    node.addresses.broker.parse::<SocketAddr>().unwrap().port()
}

fn json_of(payload: &[u8]) -> Value {
    serde_json::from_slice(payload).unwrap()
}

async fn order(client: &mut Client, verb: &str, data: Value) -> Value {
    client.publish(&format!("bughouse/table/1/arbiter/request/{verb}"), &data.to_string()).await;
    json_of(&client.until(|seen| seen.topic.contains("/arbiter/response/")).await.payload)
}

/// Waits until both boards have shown their men, then begins a game.
async fn begin(node: &Running) -> Client {
    let mut arbiter = Client::connect(port(node), ARBITER).await;
    for filter in ["bughouse/table/1/arbiter/response/+", "bughouse/table/1/live/#", "bughouse/table/1/device/+/state"]
    {
        assert!(arbiter.subscribe(filter).await);
    }
    for board in ["A", "B"] {
        let topic = format!("bughouse/table/1/device/board-{board}/state");
        let known = |payload: &Value| payload["link"] == "up" && payload["rotation"] == 0;
        if !arbiter.all.iter().any(|seen| seen.topic == topic && known(&json_of(&seen.payload))) {
            arbiter.until(|seen| seen.topic == topic && known(&json_of(&seen.payload))).await;
        }
    }
    // A repeated transaction is not carried out again, not even after a restart.
    let transaction = node.addresses.broker.clone();
    let answer = order(&mut arbiter, "new-game", json!({ "transaction": transaction })).await;
    assert_eq!((&answer["status"], &answer["transaction"]), (&"ok".into(), &transaction.into()));
    arbiter
}

async fn next_of(client: &mut Client, kind: &str) -> Value {
    let is = |payload: &[u8]| json_of(payload)["type"] == kind;
    json_of(&client.until(|seen| seen.topic.ends_with("live/event") && is(&seen.payload)).await.payload)
}

#[tokio::test]
async fn a_move_goes_from_the_board_to_the_bus_the_journal_and_the_next_start() {
    let dir = tempfile::tempdir().unwrap();
    let (mut a, b) = (Board::set_up(), Board::set_up());
    let node = Node::start(settings(dir.path(), &[&a.path, &b.path])).await.unwrap();
    let mut arbiter = begin(&node).await;
    a.play(E2, Some(E4));
    let made = next_of(&mut arbiter, "move-made").await;
    assert_eq!((&made["san"], &made["move"]), (&"e4".into(), &"e2e4".into()));
    let played = next_of(&mut arbiter, "move").await;
    assert_eq!((&played["san"], &played["board"]), (&"e4".into(), &"A".into()));
    assert_eq!(played["seq"].as_u64(), made["seq"].as_u64().map(|seq| seq + 1));

    let mut late = Client::connect(port(&node), None).await;
    late.subscribe("bughouse/table/1/live/#").await;
    let state = json_of(&late.until(|seen| seen.topic.ends_with("live/state")).await.payload);
    assert_eq!((&state["status"], &state["seq"]), (&"playing".into(), &played["seq"]));
    let text = |payload: &[u8]| String::from_utf8(payload.to_vec()).unwrap();
    let mut retained = Client::connect(port(&node), None).await;
    retained.subscribe("bughouse/table/1/live/bpgn").await;
    assert!(text(&retained.next().await.payload).contains("1A. e4"));
    retained.subscribe("bughouse/table/1/live/board/a/fen").await;
    assert!(text(&retained.next().await.payload).starts_with("rnbqkbnr/pppppppp/8/8/4P3/"));
    retained.subscribe("bughouse/table/1/live/bfen").await;
    assert_eq!(text(&retained.next().await.payload), state["bfen"].as_str().unwrap());
    assert_eq!(node.shutdown().await, 0, "every row is written");

    let events = Reader::open(dir.path()).unwrap().game("last").unwrap();
    assert!(events.iter().any(|event| matches!(&event.body, Body::Move(played) if played.san == "e4")));
    let node = Node::start(settings(dir.path(), &[&a.path, &b.path])).await.unwrap();
    let mut arbiter = begin(&node).await;
    // What the broker had not acknowledged before is told again, with its old count.
    let another = |payload: &[u8]| json_kind(payload) == "game-started" && json_of(payload)["game"] != played["game"];
    let start = match arbiter.all.iter().find(|seen| another(&seen.payload)).cloned() {
        Some(start) => start,
        None => arbiter.until(|seen| another(&seen.payload)).await,
    };
    let start = json_of(&start.payload);
    assert!(start["seq"].as_u64() > played["seq"].as_u64(), "the counts go on over a restart");
    node.shutdown().await;
}

/// The game's capture replayed, and what the journal has of the same run.
fn replayed_and_recorded(data_dir: &Path, game: &str) -> (Vec<Event>, Vec<Event>) {
    let reader = Reader::open(data_dir).unwrap();
    let mut capture = Vec::new();
    reader.capture(game, &mut capture).unwrap();
    let session = reader.game(game).unwrap()[0].session.clone();
    (replay(&String::from_utf8(capture).unwrap()), reader.events_after(&session, "1", 0).unwrap())
}

#[tokio::test]
async fn a_replay_of_the_exported_capture_writes_what_the_journal_has() {
    let dir = tempfile::tempdir().unwrap();
    let (mut a, b) = (Board::set_up(), Board::set_up());
    for (from, to) in [(E2, E4), (E4, E2)] {
        let node = Node::start(settings(dir.path(), &[&a.path, &b.path])).await.unwrap();
        let mut arbiter = begin(&node).await;
        a.play(from, Some(to));
        if to == E4 {
            next_of(&mut arbiter, "move").await;
            let (verb, data) = ("result", json!({"result": "1-0", "reason": "resigns"}));
            assert_eq!(order(&mut arbiter, verb, data).await["status"], "ok");
        }
        assert_eq!(node.shutdown().await, 0, "every row is written");
        let (replayed, recorded) = replayed_and_recorded(dir.path(), "last");
        assert_eq!(replayed, recorded);
        assert!(recorded.len() > 1 || to == E2, "a start, moves and an end");
    }
    let (_, second) = replayed_and_recorded(dir.path(), "last");
    assert!(second[0].seq > 4, "the second run counts on from the first");
}

#[tokio::test]
async fn a_game_goes_on_after_a_restart_and_its_capture_tells_it_again() {
    let dir = tempfile::tempdir().unwrap();
    let (mut a, b) = (Board::set_up(), Board::set_up());
    let node = Node::start(settings(dir.path(), &[&a.path, &b.path])).await.unwrap();
    let mut arbiter = begin(&node).await;
    a.play(E2, Some(E4));
    let first = next_of(&mut arbiter, "move").await;
    assert_eq!(node.shutdown().await, 0, "every row is written");
    a.play(E7, Some(E5)); // nobody looks

    let node = Node::start(settings(dir.path(), &[&a.path, &b.path])).await.unwrap();
    let mut client = Client::connect(port(&node), None).await;
    assert!(client.subscribe("bughouse/table/1/live/#").await);
    let both = |payload: &[u8]| String::from_utf8_lossy(payload).contains("1a. e5");
    client.until(|seen| seen.topic.ends_with("live/bpgn") && both(&seen.payload)).await;
    let state = client.all.iter().rfind(|seen| seen.topic.ends_with("live/state")).map(|seen| json_of(&seen.payload));
    let state = state.unwrap();
    assert_eq!((&state["game"], &state["boards"][0]["plies"]), (&first["game"], &2.into()));
    assert_eq!(node.shutdown().await, 0, "every row is written");

    let reader = Reader::open(dir.path()).unwrap();
    let record = reader.record("last").unwrap();
    let moves = |record: &GameRecord| record.moves.iter().map(|(_, played)| played.san.clone()).collect::<Vec<_>>();
    assert_eq!((reader.games().unwrap().len(), moves(&record)), (1, vec!["e4".to_owned(), "e5".to_owned()]));
    let events = reader.live_from("1", 1, 1000).unwrap();
    assert!(events.iter().zip(1..).all(|(event, seq)| event.seq == seq), "no number is missing or twice");
    assert!(events.iter().any(|event| matches!(event.body, Body::GameResumed(_))));
    let mut capture = Vec::new();
    reader.capture("last", &mut capture).unwrap();
    let again = GameRecord::fold(&replay(&String::from_utf8(capture).unwrap()));
    assert_eq!(again.iter().map(moves).collect::<Vec<_>>(), [moves(&record)], "the raw bytes tell the same game");
}

#[tokio::test]
async fn the_public_sees_it_later() {
    let dir = tempfile::tempdir().unwrap();
    let (mut a, b) = (Board::set_up(), Board::set_up());
    let mut settings = settings(dir.path(), &[&a.path, &b.path]);
    settings.tables[0].delay = "700ms".into();
    let node = Node::start(settings).await.unwrap();
    let mut public = Client::connect(port(&node), None).await;
    assert!(public.subscribe("bughouse/table/1/public/#").await);
    let mut arbiter = begin(&node).await;
    a.play(E2, Some(E4));
    let played = next_of(&mut arbiter, "move").await;
    let shown = |public: &Client| public.all.iter().any(|seen| json_kind(&seen.payload) == "move");
    assert!(!shown(&public));
    let is_move =
        |seen: &crate::bus::clients::Seen| seen.topic.ends_with("public/event") && json_kind(&seen.payload) == "move";
    let late = json_of(&public.until(is_move).await.payload);
    assert_eq!(late, played, "the same, later");
    let state = json_of(&public.until(|seen| seen.topic.ends_with("public/state")).await.payload);
    assert_eq!(state["boards"][0]["plies"], 1);
    node.shutdown().await;
}

fn json_kind(payload: &[u8]) -> String {
    let value: Value = serde_json::from_slice(payload).unwrap_or_default();
    value["type"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn the_first_state_is_there_before_anything_happens() {
    let dir = tempfile::tempdir().unwrap();
    let node = Node::start(settings(dir.path(), &["/dev/serial/by-id/none", "/dev/serial/by-id/none2"])).await.unwrap();
    let mut client = Client::connect(port(&node), ARBITER).await;
    client.subscribe("bughouse/#").await;
    let state = json_of(&client.until(|seen| seen.topic.ends_with("live/state")).await.payload);
    assert_eq!((&state["status"], &state["table"]), (&"waiting".into(), &"1".into()));
    if !client.all.iter().any(|seen| seen.topic.ends_with("node/hall/health")) {
        client.until(|seen| seen.topic.ends_with("node/hall/health")).await;
    }
    let mut info = Client::connect(port(&node), ARBITER).await;
    info.subscribe("bughouse/node/hall/info").await;
    let info = json_of(&info.next().await.payload);
    assert_eq!((&info["version"], &info["config"]["node"]["id"]), (&env!("CARGO_PKG_VERSION").into(), &"hall".into()));
    let answer = order(&mut client, "dance", json!({})).await;
    assert_eq!(answer["error"]["code"], "unknown-verb", "what the table refuses is answered, too");
    node.shutdown().await;
}

#[tokio::test]
async fn a_cable_that_is_pulled_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (Board::set_up(), Board::set_up());
    let node = Node::start(settings(dir.path(), &[&a.path, &b.path])).await.unwrap();
    let mut arbiter = begin(&node).await;
    drop(a);
    let down = |payload: &[u8]| serde_json::from_value::<LinkState>(json_of(payload)["link"].take()).unwrap();
    let topic = "bughouse/table/1/device/board-A/state";
    arbiter.until(|seen| seen.topic == topic && down(&seen.payload) == LinkState::Down).await;
    node.shutdown().await;
}

#[tokio::test]
async fn without_a_broker_the_game_is_recorded_all_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let (mut a, b) = (Board::set_up(), Board::set_up());
    let closed = std::net::TcpListener::bind(loopback()).unwrap().local_addr().unwrap();
    let login = Some(("node".into(), NODE_PASSWORD.into()));
    let broker =
        Broker::External { host: closed.ip().to_string(), port: closed.port(), login, tls: None, refresh: None };
    let node = Node::start(NodeSettings { broker, ..settings(dir.path(), &[&a.path, &b.path]) }).await.unwrap();
    // No clock runs, so the game is begun by hand, as soon as a broker is there to carry the order.
    let broker = crate::bus::broker(closed).await;
    drop(begin(&node).await);
    broker.stop().await;
    a.play(E2, Some(E4));
    let recorded = async {
        loop {
            let events = Reader::open(dir.path()).and_then(|reader| reader.game("last")).unwrap_or_default();
            if events.iter().any(|event| matches!(event.body, Body::Move(_))) {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    patiently("the move in the journal", recorded).await;
    assert!(!node.health().connected && node.health().queued > 0);
    let _broker = crate::bus::broker(closed).await;
    let mut arbiter = Client::connect(closed.port(), ARBITER).await;
    arbiter.subscribe("bughouse/table/1/live/state").await;
    arbiter.until(|seen| json_of(&seen.payload)["boards"][0]["plies"] == 1).await;
    node.shutdown().await;
}

#[tokio::test]
async fn an_address_that_is_taken_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind(loopback()).unwrap();
    let address = taken.local_addr().unwrap();
    let tables = vec![];
    let wanted = NodeSettings { web: address, tables: tables.clone(), ..settings(dir.path(), &[]) };
    match Node::start(wanted).await {
        Err(e @ StartError::Listen { key: "web.listen", .. }) => assert!(e.to_string().contains(&address.to_string())),
        _ => panic!("the web address is taken"),
    }
    let broker = Broker::Embedded { listen: address, live_open: true, arbiter: None, display: None };
    let wanted = NodeSettings { broker, tables, ..settings(dir.path(), &[]) };
    match Node::start(wanted).await {
        Err(e @ StartError::Listen { key: "mqtt.listen", .. }) => assert!(e.to_string().contains(&address.to_string())),
        _ => panic!("the broker's address is taken"),
    }
}

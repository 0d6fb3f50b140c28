//! From the start of the program to the first event at a subscriber, with a journal of many games.
//!
//! A journal of `GAMES` games (10,000 without) of 100 moves is written through the real writer into `DATA` (a temporary
//! directory without); the last game has no end. Then `bughoused run` is started and killed `ROUNDS` times (5 without):
//! the time runs from the start of the process to the `game-resumed` event at a subscriber on loopback. Run with
//! `cargo bench --bench restart`.
#![allow(clippy::disallowed_methods, reason = "it measures time")]

use std::{
    net::TcpListener,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use bughoused::{
    event::Event,
    journal::{Batch, Journal},
    table::settings::TableSettings,
};
use rumqttc::v5::{
    AsyncClient, Event as Heard, MqttOptions,
    mqttbytes::{QoS, v5::Packet},
};
use serde_json::{Value, json};

const MOVES: usize = 100;
/// Games of one start of the daemon.
const GAMES_A_SESSION: usize = 20;
const PATIENCE: Duration = Duration::from_secs(30);
/// Both boards.
const SET_UP: &str =
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/ w KQkq - | rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/ w KQkq -";
const TOPIC: &str = "bughouse/table/1/live/event";

fn main() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    let games = number("GAMES").unwrap_or(10_000);
    let rounds = number("ROUNDS").unwrap_or(5);
    let temporary = tempfile::tempdir().expect("a temporary directory");
    let data = std::env::var_os("DATA").map_or_else(|| temporary.path().to_owned(), Into::into);
    let written = Instant::now();
    write(&data, games);
    let bytes = std::fs::metadata(data.join("journal.sqlite3")).map_or(0, |found| found.len());
    println!("{games} games, {} MB, written in {:.1} s", bytes >> 20, written.elapsed().as_secs_f64());
    let mut times: Vec<Duration> = (0..rounds).map(|_| restart(&data)).collect();
    times.sort_unstable();
    let ms: Vec<String> = times.iter().map(|time| format!("{}", time.as_millis())).collect();
    println!("start to first event in ms, sorted: {}", ms.join(" "));
}

fn settings() -> TableSettings {
    let port = |name: &str| format!("/dev/serial/by-id/{name}");
    let device = |name: &str, board: &str| json!({"name": name, "driver": "dgt", "port": port(name), "board": board});
    serde_json::from_value(json!({"id": "1", "device": [device("a", "A"), device("b", "B")]})).expect("settings")
}

/// Knights go out and back on board A.
fn body(index: usize) -> Value {
    let moves = [("g1f3", 'N', "Nf3"), ("g8f6", 'n', "Nf6"), ("f3g1", 'N', "Ng1"), ("f6g8", 'n', "Ng8")];
    let (uci, piece, san) = moves[index % 4];
    let ply = index + 1;
    json!({
        "type": "move", "board": "A", "seat": if index.is_multiple_of(2) { "A" } else { "a" }, "ply": ply,
        "number": ply.div_ceil(2), "san": san, "move": uci, "from": &uci[..2], "to": &uci[2..], "piece": piece,
        "captured": null, "promotion": null, "clock": {"white_ms": 100_000, "black_ms": 100_000},
        "bfen": SET_UP,
        "made_at": index, "completed_at": index
    })
}

fn write(dir: &Path, games: usize) {
    let opened = Journal::open(dir).expect("a journal");
    let settings = settings();
    let now = jiff::Timestamp::now();
    let mut seq = 0;
    let mut committed = opened.committed;
    let drained = std::thread::spawn(move || while committed.blocking_recv().is_some() {});
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let mut session = opened.journal.session(0, "s0", now.as_microsecond(), &settings);
    for game in 0..games {
        if game % GAMES_A_SESSION == 0 {
            session = opened.journal.session(0, &format!("s{game}"), now.as_microsecond(), &settings);
        }
        let start = json!({
            "type": "game-started", "ruleset": "wbn-1.00", "time_control": "300+0", "players": {},
            "bfen": SET_UP
        });
        let end = json!({"type": "game-ended", "result": "1-0", "reason": "resigns", "boards": ["A"], "by": "a"});
        let end = Some(end).filter(|_| game + 1 < games);
        let bodies = std::iter::once(start).chain((0..MOVES).map(body)).chain(end);
        let events = bodies.map(|body| {
            seq += 1;
            event(body, seq, game, now)
        });
        let batch = Batch { events: events.collect(), ..Batch::new(&session, bughoused::types::Instant(seq as i64)) };
        runtime.block_on(opened.journal.record_when_free(batch)).expect("the writer lives");
    }
    drop(opened.journal);
    assert_eq!(opened.stopping.wait(), 0, "everything is written");
    drained.join().expect("nothing fails");
}

fn event(body: Value, seq: u64, game: usize, now: jiff::Timestamp) -> Event {
    let mut whole = json!({
        "v": 1, "session": format!("s{}", game / GAMES_A_SESSION * GAMES_A_SESSION), "table": "1",
        "game": format!("{game:08}"), "seq": seq, "t": seq, "time": format!("{now:.3}")
    });
    if let (Value::Object(whole), Value::Object(body)) = (&mut whole, body) {
        whole.extend(body);
    }
    serde_json::from_value(whole).expect("an event")
}

/// Starts the program, waits for its first event and kills it.
fn restart(data: &Path) -> Duration {
    let free = || TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port");
    let (mqtt, web) = (free(), free());
    let config = data.join("bench.toml");
    let device = |name: &str, board: &str| {
        let port = format!("/dev/serial/by-id/{name}");
        format!("[[table.device]]\nname = \"{name}\"\ndriver = \"dgt\"\nport = \"{port}\"\nboard = \"{board}\"\n")
    };
    let text = format!(
        "[node]\ndata_dir = \"{}\"\n[mqtt]\nlisten = \"{mqtt}\"\nlive_open = true\n[web]\nlisten = \"{web}\"\n\
         [[table]]\nid = \"1\"\n{}{}",
        data.display(),
        device("a", "A"),
        device("b", "B")
    );
    std::fs::write(&config, text).expect("a configuration");
    let started = Instant::now();
    let mut daemon = Command::new(env!("CARGO_BIN_EXE_bughoused"))
        .args(["run", "--config"])
        .arg(&config)
        .stderr(Stdio::null())
        .spawn()
        .expect("the program");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let heard = runtime.block_on(async { tokio::time::timeout(PATIENCE, first_event(mqtt.port())).await });
    let took = started.elapsed();
    daemon.kill().expect("it runs");
    daemon.wait().expect("it ends");
    assert!(heard.is_ok(), "no event in {PATIENCE:?}");
    took
}

/// Connects as soon as the broker is there. The event may have gone before: a retained state with a game says the same.
async fn first_event(port: u16) {
    loop {
        let options = MqttOptions::new("bench", "127.0.0.1", port);
        let (client, mut events) = AsyncClient::new(options, 8);
        let filters = [TOPIC, "bughouse/table/1/live/state"];
        for filter in filters {
            client.try_subscribe(filter, QoS::AtLeastOnce).expect("room for two");
        }
        while let Ok(event) = events.poll().await {
            let Heard::Incoming(Packet::Publish(message)) = event else { continue };
            let value: Value = serde_json::from_slice(&message.payload).unwrap_or_default();
            if value["type"] == "game-resumed" || value["game"].is_string() {
                return;
            }
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

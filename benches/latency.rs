//! From the last byte of the frame that shows a move to the message at a subscriber on loopback.
//!
//! A whole node in this process: a DGT board on a pseudo-terminal, the real driver, machine, journal with its fsync,
//! embedded broker. Run with `cargo bench --bench latency`; `MOVES=1000 DATA=/some/disk` choose how many moves and
//! where the journal lies. Prints percentiles in microseconds.
#![allow(clippy::disallowed_methods, reason = "it measures time")]

use std::{
    fs::File,
    io::{Read as _, Write as _},
    net::SocketAddr,
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use bughoused::{
    daemon::{
        node::{Node, Running},
        settings::{Broker, NodeSettings},
    },
    wire::dgt::{Command, Message},
};
use rumqttc::v5::{
    AsyncClient, Event, MqttOptions,
    mqttbytes::{QoS, v5::Packet},
};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};

/// Longest wait for a message.
const PATIENCE: Duration = Duration::from_secs(10);
/// Knights out and back: field from, field to, piece code.
const DANCE: [(u8, u8, u8); 4] = [(62, 45, 3), (6, 21, 9), (45, 62, 3), (21, 6, 9)];
/// Codes of the set-up by rank from a8.
const SET_UP: [[u8; 8]; 4] = [[8, 9, 10, 12, 11, 10, 9, 8], [7; 8], [1; 8], [2, 3, 4, 6, 5, 4, 3, 2]];

type Arrival = (Instant, Value);

fn main() {
    let moves = std::env::var("MOVES").ok().and_then(|moves| moves.parse().ok()).unwrap_or(200);
    let temporary = tempfile::tempdir().expect("a temporary directory");
    let data_dir = std::env::var_os("DATA").map_or_else(|| temporary.path().to_owned(), Into::into);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut boards = [board(), board()];
    let ports: Vec<String> = boards.iter().map(|(_, port)| port.clone()).collect();
    let (started, node) = mpsc::channel();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = thread::spawn(move || {
        runtime.block_on(async {
            let node = Node::start(settings(data_dir, &ports)).await.expect("the node starts");
            started.send(broker(&node)).expect("the bench waits");
            let _ = stopped.await;
            node.shutdown().await;
        });
    });
    let broker = node.recv().expect("the node starts");
    let (arrivals, order) = subscribe(broker);
    await_message(&arrivals, |message| message["link"] == "up" && message["rotation"] == 0);
    await_message(&arrivals, |message| message["link"] == "up" && message["rotation"] == 0);
    order.blocking_send(()).expect("the subscriber runs");
    await_message(&arrivals, |message| message["type"] == "game-started");
    let times: Vec<Duration> = (0..moves).map(|index| one_move(&mut boards[0].0, index, &arrivals)).collect();
    report(times);
    let _ = stop.send(());
    serving.join().expect("the node ends");
}

fn settings(data_dir: std::path::PathBuf, ports: &[String]) -> NodeSettings {
    let device = |(port, board): (&String, &str)| json!({"name": board, "driver": "dgt", "port": port, "board": board});
    let devices: Vec<Value> = ports.iter().zip(["A", "B"]).map(device).collect();
    let table = json!({"id": "1", "settle": "5ms", "device": devices});
    let any: SocketAddr = ([127, 0, 0, 1], 0).into();
    NodeSettings {
        id: "bench".into(),
        data_dir,
        retention: Default::default(),
        prefix: "bughouse".into(),
        broker: Broker::Embedded {
            listen: any,
            live_open: true,
            arbiter: Some(bughoused::publish::password::Password::clear("bench")),
            display: None,
        },
        arbiter: None,
        web: any,
        tables: vec![serde_json::from_value(table).expect("settings of a table")],
        speed: 1,
        shown: Value::Null,
    }
}

fn broker(node: &Running) -> u16 {
    node.addresses.broker.parse::<SocketAddr>().expect("an address").port()
}

/// The device's end of a pseudo-terminal on which a board with all men answers, and the path of the port.
fn board() -> (File, String) {
    let line = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
    grantpt(&line).expect("a pseudo-terminal");
    unlockpt(&line).expect("a pseudo-terminal");
    let path = ptsname(&line, Vec::new()).expect("a name").into_string().expect("a name in UTF-8");
    let line = File::from(line);
    let mut asked = line.try_clone().expect("a descriptor");
    thread::spawn(move || {
        let mut byte = [0];
        loop {
            if asked.read_exact(&mut byte).is_err() {
                thread::sleep(Duration::from_millis(10)); // the port is not open
                continue;
            }
            let message = match Command::from_byte(byte[0]) {
                Some(Command::RequestBoard) => set_up(),
                Some(Command::RequestSerial) => Message::SerialNumber("04711".into()),
                Some(Command::RequestClock) => Message::NoClock,
                _ => continue,
            };
            send(&mut asked, &[message]);
        }
    });
    (line, path)
}

fn set_up() -> Message {
    let mut codes = [0; 64];
    for (rank, men) in [0, 1, 6, 7].into_iter().zip(SET_UP) {
        codes[rank * 8..rank * 8 + 8].copy_from_slice(&men);
    }
    Message::BoardDump(Box::new(codes))
}

fn send(line: &mut File, messages: &[Message]) {
    let mut bytes = Vec::new();
    messages.iter().for_each(|message| message.emit(&mut bytes));
    line.write_all(&bytes).expect("the line takes it");
}

/// Plays one move and answers how long it took until a subscriber knew.
fn one_move(line: &mut File, index: usize, arrivals: &mpsc::Receiver<Arrival>) -> Duration {
    let (from, to, code) = DANCE[index % DANCE.len()];
    send(line, &[Message::FieldUpdate { field: from, code: 0 }]);
    thread::sleep(Duration::from_millis(3));
    let shown = Instant::now();
    send(line, &[Message::FieldUpdate { field: to, code }]);
    let known = await_message(arrivals, |message| message["type"] == "move-made");
    await_message(arrivals, |message| message["type"] == "move");
    thread::sleep(Duration::from_millis(10));
    known - shown
}

fn await_message(arrivals: &mpsc::Receiver<Arrival>, wanted: impl Fn(&Value) -> bool) -> Instant {
    loop {
        let (at, message) = arrivals.recv_timeout(PATIENCE).expect("a message in time");
        if wanted(&message) {
            return at;
        }
    }
}

/// A subscriber on a thread of its own, which begins a game when told to.
fn subscribe(port: u16) -> (mpsc::Receiver<Arrival>, tokio::sync::mpsc::Sender<()>) {
    let (arrived, arrivals) = mpsc::channel();
    let (order, mut ordered) = tokio::sync::mpsc::channel(1);
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let mut options = MqttOptions::new("bench-subscriber", "127.0.0.1", port);
            options.set_max_packet_size(Some(1 << 20)).set_credentials("arbiter", "bench");
            let (client, mut events) = AsyncClient::new(options, 10);
            for filter in ["bughouse/table/1/live/event", "bughouse/table/1/device/+/state"] {
                client.subscribe(filter, QoS::AtLeastOnce).await.expect("room in the channel");
            }
            tokio::spawn(async move {
                let _ = ordered.recv().await;
                let topic = "bughouse/table/1/arbiter/request/new-game";
                client.publish(topic, QoS::AtLeastOnce, false, "").await.expect("room in the channel");
                std::future::pending::<()>().await; // the client must live as long as the event loop
            });
            while let Ok(event) = events.poll().await {
                if let Event::Incoming(Packet::Publish(publish)) = event {
                    let at = Instant::now();
                    let message = serde_json::from_slice(&publish.payload).unwrap_or_default();
                    if arrived.send((at, message)).is_err() {
                        return;
                    }
                }
            }
        });
    });
    (arrivals, order)
}

fn report(mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100].as_micros();
    println!("{} moves, from frame to subscriber in microseconds:", times.len());
    println!("p50 {}  p90 {}  p99 {}  max {}", at(50), at(90), at(99), at(100));
}

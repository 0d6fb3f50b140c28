//! Hosts on real pseudo-terminals. The time limits only turn a hang into a failure.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_serial::{SerialPortBuilderExt, SerialStream};

use super::*;
use crate::{
    event::Players,
    simulate::{
        hands::{
            Profile, play,
            samples::{SHORT, TERMS, plies},
        },
        stage,
    },
    types::{BoardId, Square},
    wire::dgt::{Decoder, Message, code_of},
};

const SPEED: u32 = 200;
const HANG: Duration = Duration::from_secs(60);

fn live(dir: Option<&Path>) -> (Live, crate::simulate::hands::Performance) {
    let performance = play(&plies(SHORT), &TERMS, &Profile::CLEAN, 2);
    let settings = stage::settings(&TERMS, Players::new(), &[]);
    let names: Vec<String> = settings.device.into_iter().map(|device| device.name).collect();
    (Live::open(Stage::new(&performance, 2), &names, dir, SPEED).unwrap(), performance)
}

fn open(path: &Path) -> SerialStream {
    tokio_serial::new(path.to_str().unwrap(), 9600).open_native_async().unwrap()
}

/// Sends commands one by one and hands every message to `sink` until it answers true.
async fn talk(port: &mut SerialStream, commands: &[u8], mut sink: impl FnMut(Message) -> bool) {
    let mut decoder = Decoder::new();
    let mut bytes = [0; 256];
    for command in commands {
        port.write_all(&[*command]).await.unwrap();
        time::sleep(Duration::from_millis(5)).await;
    }
    let mut done = false;
    while !done {
        let count = time::timeout(HANG, port.read(&mut bytes)).await.expect("the board speaks").unwrap();
        assert!(count > 0, "the port is open");
        decoder.push(&bytes[..count], |message| done |= sink(message));
    }
    assert_eq!(decoder.rejects().total(), 0);
}

async fn version(port: &mut SerialStream) {
    talk(port, &[0x40, 0x4d], |message| message == Message::Version { major: 1, minor: 8 }).await;
}

#[tokio::test]
async fn devices_answer_on_their_ports_and_again_after_a_host_left() {
    let (live, _) = live(None);
    let port = live.ports().borrow()[0].clone();
    let task = tokio::spawn(live.run());
    for _ in 0..3 {
        let mut host = open(&port);
        version(&mut host).await;
    }
    task.abort();
}

#[tokio::test]
async fn a_game_played_live_ends_as_it_should() {
    let (live, performance) = live(None);
    let ports = live.ports().borrow().clone();
    let mut progress = live.progress();
    assert_eq!(*progress.borrow(), Progress::Waiting);
    let task = tokio::spawn(live.run());
    let mut trays = open(&ports[2]);
    trays.write_all(b"$HHELO*46\r\n").await.unwrap();
    let mut hosts = Vec::new();
    for (board, port) in [(BoardId::A, &ports[0]), (BoardId::B, &ports[1])] {
        let mut port = open(port);
        hosts.push(tokio::spawn(async move {
            let mut codes = [0; 64];
            let mut ran = false;
            talk(&mut port, &[0x40, 0x42, 0x4b], |message| {
                match message {
                    Message::BoardDump(dump) => codes = *dump,
                    Message::FieldUpdate { field, code } => codes[usize::from(field)] = code,
                    Message::Clock(reading) if reading.running => ran = true,
                    Message::Clock(_) => return ran,
                    _ => {}
                }
                false
            })
            .await;
            (board, codes)
        }));
    }
    let mut world = performance.world.clone();
    performance.script.steps().iter().for_each(|step| world.apply(*step));
    for host in hosts {
        let (board, codes) = host.await.unwrap();
        let field = |square: Square| (7 - square.rank() as usize) * 8 + square.file() as usize;
        let wrong = |turn: usize| {
            Square::ALL.into_iter().filter(|sq| codes[field(*sq) ^ turn] != code_of(world.at(board, *sq))).count()
        };
        assert_eq!(wrong(0).min(wrong(63)), 0, "board {board}");
    }
    let ended = time::timeout(HANG, progress.wait_for(|progress| *progress == Progress::Ended)).await;
    ended.expect("the game ends").unwrap();
    task.abort();
}

#[tokio::test]
async fn a_pulled_plug_is_an_end_and_the_link_leads_to_the_new_port() {
    let dir = tempfile::tempdir().unwrap();
    let (live, _) = live(Some(dir.path()));
    let mut ports = live.ports();
    let plugs = live.plugs();
    let link = dir.path().join("board-a");
    assert_eq!(ports.borrow()[0], link);
    let before = fs::read_link(&link).unwrap();
    let task = tokio::spawn(live.run());
    let mut host = open(&link);
    version(&mut host).await;
    plugs.send(Plug::Out(0)).await.unwrap();
    ports.wait_for(|ports| ports[0].as_os_str().is_empty()).await.unwrap();
    let end = time::timeout(HANG, host.read(&mut [0; 8])).await.expect("the end is noticed");
    assert!(matches!(end, Ok(0) | Err(_)), "{end:?}");
    assert!(!link.exists());
    plugs.send(Plug::In(0)).await.unwrap();
    ports.wait_for(|ports| ports[0] == link).await.unwrap();
    assert_ne!(fs::read_link(&link).unwrap(), before, "the old name is still taken by the old host");
    version(&mut open(&link)).await;
    task.abort();
}

#[tokio::test]
async fn a_file_in_the_place_of_a_link_is_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("board-a"), "precious").unwrap();
    assert!(Terminal::open(Some(dir.path().join("board-a"))).is_err());
    assert_eq!(fs::read_to_string(dir.path().join("board-a")).unwrap(), "precious");
}

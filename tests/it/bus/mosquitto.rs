//! A broker and subscribers of another maker: Eclipse Mosquitto. Debian and Ubuntu: `apt install mosquitto
//! mosquitto-clients`. Without them these tests fail and say so.

use std::{
    io::{BufRead as _, BufReader, Lines},
    process::{Child, ChildStdout, Command, Stdio},
    time::Duration,
};

use super::{Client, event, loopback, session, state};

const INSTALL: &str = "expected the programs mosquitto and mosquitto_sub; apt install mosquitto mosquitto-clients";

struct Mosquitto {
    child: Child,
    port: u16,
    _config: tempfile::NamedTempFile,
}

impl Mosquitto {
    async fn start(port: Option<u16>) -> Mosquitto {
        let port = match port {
            Some(port) => port,
            None => std::net::TcpListener::bind(loopback()).unwrap().local_addr().unwrap().port(),
        };
        let config = tempfile::NamedTempFile::new().unwrap();
        let text = format!("listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\nuser root\n");
        std::fs::write(config.path(), text).unwrap();
        let path =
            if std::path::Path::new("/usr/sbin/mosquitto").exists() { "/usr/sbin/mosquitto" } else { "mosquitto" };
        let child = Command::new(path).arg("-c").arg(config.path()).stderr(Stdio::null()).spawn().expect(INSTALL);
        let up = async {
            while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        super::clients::patiently("mosquitto", up).await;
        Mosquitto { child, port, _config: config }
    }
}

impl Drop for Mosquitto {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A running `mosquitto_sub`, read line by line.
struct Subscriber {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Subscriber {
    /// Ends by itself after `count` messages, or after 20 s.
    fn start(port: u16, version: &str, filter: &str, count: usize) -> Subscriber {
        let mut child = Command::new("mosquitto_sub")
            .args(["-p", &port.to_string(), "-V", version, "-q", "1", "-t", filter, "-F", "%r %t %p"])
            .args(["-C", &count.to_string(), "-W", "20"])
            .stdout(Stdio::piped())
            .spawn()
            .expect(INSTALL);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Subscriber { child, lines }
    }

    /// The next line; needs a runtime that can spare a thread.
    fn next(&mut self) -> String {
        tokio::task::block_in_place(|| self.lines.next().expect("a message in 20 s").unwrap())
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mosquitto_carries_events_in_order_and_gets_the_retained_ones_again() {
    let mosquitto = Mosquitto::start(None).await;
    let port = mosquitto.port;
    let mut watch = Client::connect(port, None).await;
    assert!(watch.subscribe("bughouse/table/1/live/#").await);
    let (session, task, _requests) = session(port, "s1");
    session.publish((0..500).map(event).chain([state("last")]));
    watch.until(|seen| seen.payload == b"last").await;
    let numbers: Vec<usize> = watch.all.iter().filter(|s| s.topic.ends_with("event")).map(super::number_of).collect();
    assert_eq!(numbers, (0..500).collect::<Vec<_>>());

    drop(mosquitto);
    session.publish([event(500), event(501), state("later")]);
    let mosquitto = Mosquitto::start(Some(port)).await;
    let mut watch = Client::connect(mosquitto.port, None).await;
    watch.subscribe("bughouse/table/1/live/state").await;
    watch.until(|seen| seen.payload == b"later").await;
    session.stop();
    task.await.unwrap();
    let mut old = Subscriber::start(port, "mqttv311", "bughouse/node/hall/state", 1);
    assert_eq!(old.next(), r#"1 bughouse/node/hall/state {"v":1,"session":"s1","state":"offline"}"#);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mosquitto_sub_of_either_version_reads_the_embedded_broker() {
    let broker = super::broker(loopback()).await;
    let port = broker.address().port();
    let (session, _task, _requests) = session(port, "s1");
    session.publish([state("now")]);
    for version in ["mqttv311", "mqttv5"] {
        let mut subscriber = Subscriber::start(port, version, "bughouse/table/+/live/#", 3);
        assert!(subscriber.next().ends_with("bughouse/table/1/live/state now"));
        session.publish([event(1), event(2)]);
        assert_eq!(subscriber.next(), "0 bughouse/table/1/live/event 1");
        assert_eq!(subscriber.next(), "0 bughouse/table/1/live/event 2");
    }
}

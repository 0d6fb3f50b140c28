//! `bughoused run` as a process: addresses, signals, exit codes, messages.
#![allow(clippy::disallowed_methods, reason = "a log is waited for, but not for ever")]

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    net::TcpListener,
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::bus::{clients::Client, loopback};

/// How long a line of the log may be waited for.
const LINE_MAX: Duration = Duration::from_secs(60);

/// A daemon, killed when it is dropped.
struct Daemon {
    child: Child,
    stderr: Receiver<String>,
    dir: TempDir,
}

impl Daemon {
    /// Starts one with a port that is not there; `more` is added to the configuration.
    fn start(more: &str) -> Daemon {
        let dir = TempDir::new().unwrap();
        let config = format!(
            "[node]\nid = \"hall\"\ndata_dir = {:?}\n[mqtt]\nlisten = \"127.0.0.1:0\"\nlive_open = true\n\
             [web]\nlisten = \"127.0.0.1:0\"\n{more}\n[[table]]\nid = \"1\"\n\
             [[table.device]]\nname = \"board-a\"\ndriver = \"dgt\"\nport = \"/dev/serial/by-id/none\"\nboard = \"A\"\n\
             [[table.device]]\nname = \"board-b\"\ndriver = \"dgt\"\nport = \"/dev/null\"\nboard = \"B\"\n",
            dir.path().join("data")
        );
        let config = config.replace("[web]\nlisten = \"127.0.0.1:0\"\n[web]", "[web]");
        fs::write(dir.path().join("c.toml"), config).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_bughoused"))
            .arg("run")
            .arg("--config")
            .arg(dir.path().join("c.toml"))
            .env_remove("RUST_LOG")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (lines, stderr) = mpsc::channel();
        let log = BufReader::new(child.stderr.take().unwrap());
        thread::spawn(move || log.lines().try_for_each(|line| lines.send(line.unwrap())));
        Daemon { child, stderr, dir }
    }

    /// The first line of the log that has these words.
    fn line(&self, words: &str) -> String {
        let mut lines = Vec::new();
        while let Ok(line) = self.stderr.recv_timeout(LINE_MAX) {
            if line.contains(words) {
                return line;
            }
            lines.push(line);
        }
        panic!("expected a line with {words:?}, found {lines:#?}");
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn mqtt_port(line: &str) -> u16 {
    line.rsplit(':').next().and_then(|port| port.trim().parse().ok()).unwrap_or_else(|| panic!("no port in {line:?}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_says_where_it_is_and_ends_in_order() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut daemon = Daemon::start("");
        let port = mqtt_port(&daemon.line("web page at http://127.0.0.1:"));
        let mut watch = Client::connect(port, None).await;
        watch.subscribe("bughouse/node/hall/state").await;
        watch.until(|seen| seen.payload.windows(8).any(|bytes| bytes == br#""online""#)).await;
        daemon.signal(signal);
        watch.until(|seen| seen.payload.windows(9).any(|bytes| bytes == br#""offline""#)).await;
        let status = tokio::task::block_in_place(|| daemon.child.wait().unwrap());
        assert_eq!(status.code(), Some(0));
    }
}

#[test]
fn ports_that_do_not_open_are_explained_and_waited_for() {
    let daemon = Daemon::start("");
    let missing = daemon.line("there is no /dev/serial/by-id/none");
    assert!(missing.contains("WARN table 1, board-a"), "{missing}");
    let mut daemon = Daemon::start("");
    daemon.line("/dev/null is not a serial device");
    assert_eq!(daemon.child.try_wait().unwrap(), None, "it runs on");
}

#[test]
fn a_configuration_that_turns_bad_does_not_take_it_down() {
    let mut daemon = Daemon::start("");
    daemon.line("web page at");
    let path = daemon.dir.path().join("c.toml");
    let text = fs::read_to_string(&path).unwrap();
    daemon.signal(Signal::HUP);
    daemon.line("is read again");
    fs::write(&path, text.replace("live_open = true", "live_open = false")).unwrap();
    daemon.signal(Signal::HUP);
    daemon.line("takes effect after a restart");
    fs::write(&path, text.replace("[node]", "[nod]")).unwrap();
    daemon.signal(Signal::HUP);
    daemon.line("the configuration that is in use stays");
    assert_eq!(daemon.child.try_wait().unwrap(), None);
}

#[test]
fn exit_codes_say_what_kind_of_thing_is_wrong() {
    let taken = TcpListener::bind(loopback()).unwrap();
    let address = taken.local_addr().unwrap();
    let mut daemon = Daemon::start(&format!("[web]\nlisten = \"{address}\""));
    assert_eq!(daemon.child.wait().unwrap().code(), Some(69));
    let line = daemon.line("bughoused: ");
    assert!(line.contains(&address.to_string()) && line.contains("web.listen"), "{line}");

    let mut daemon = Daemon::start("[web]\nlisten = \"here\"");
    assert_eq!(daemon.child.wait().unwrap().code(), Some(78));
    assert!(daemon.line("bughoused: ").contains("c.toml:"));

    let mut usage = Command::new(env!("CARGO_BIN_EXE_bughoused"));
    let output = usage.args(["run", "--conf"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));

    let empty = TempDir::new().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_bughoused")).args(["games", "--data"]).arg(empty.path()).output();
    assert_eq!(output.unwrap().status.code(), Some(69));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_bughoused"))
        .args(["adjudicate", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/games.bpgn")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut text = String::new();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!((child.wait().unwrap().code(), text.as_str()), (Some(0), ""));
}

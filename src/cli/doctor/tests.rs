//! What the doctor says of good and bad machines.

use std::fs;

use rusqlite::Connection;
use tempfile::TempDir;

use super::*;
use crate::journal::Journal;

fn findings(dir: &TempDir, port: &str) -> Vec<Finding> {
    let config = dir.path().join("c.toml");
    let data = dir.path().display();
    let device = |name: &str, board: &str| {
        format!("[[table.device]]\nname = \"{name}\"\ndriver = \"dgt\"\nport = \"{port}{name}\"\nboard = \"{board}\"\n")
    };
    let text = format!(
        "[node]\ndata_dir = \"{data}\"\n[mqtt]\nlisten = \"127.0.0.1:0\"\n[web]\nlisten = \"127.0.0.1:0\"\n\
         [[table]]\nid = \"1\"\n{}{}",
        device("a", "A"),
        device("b", "B")
    );
    fs::write(&config, text).unwrap();
    look(&Args { config, json: false, no_devices: true })
}

fn level(findings: &[Finding], what: &str) -> Level {
    findings
        .iter()
        .find(|finding| finding.what.starts_with(what))
        .unwrap_or_else(|| panic!("{what}: {findings:?}"))
        .level
}

#[test]
fn a_machine_without_boards_lacks_its_ports_and_nothing_else() {
    let dir = TempDir::new().unwrap();
    let opened = Journal::open(dir.path()).unwrap();
    drop(opened.journal);
    opened.stopping.wait();
    let found = findings(&dir, "/dev/serial/by-id/none-");
    assert_eq!(level(&found, "configuration"), Level::Ok);
    assert_eq!(level(&found, "journal"), Level::Ok);
    assert_eq!(level(&found, "table 1, a, port"), Level::Bad);
    let ports = found.iter().filter(|finding| finding.level == Level::Bad);
    assert!(ports.clone().all(|finding| finding.advice.starts_with("plug it in")), "{found:?}");
    assert_eq!(ports.count(), 2);
}

#[test]
fn a_journal_with_a_gap_is_bad() {
    let dir = TempDir::new().unwrap();
    let opened = Journal::open(dir.path()).unwrap();
    drop(opened.journal);
    opened.stopping.wait();
    let connection = Connection::open(dir.path().join("journal.sqlite3")).unwrap();
    let rows = "INSERT INTO session (id, name, table_id, started_us, settings) VALUES (1, 's', '1', 5, '{}');
                INSERT INTO event (session, feed, seq, t, kind, json) VALUES (1, 0, 1, 1, 'clock', '{}');
                INSERT INTO event (session, feed, seq, t, kind, json) VALUES (1, 0, 3, 1, 'clock', 'torn');";
    connection.execute_batch(rows).unwrap();
    let finding = journal(dir.path());
    assert_eq!(finding.level, Level::Bad);
    assert!(
        finding.found.contains("event 2 does not read") && finding.found.contains("1 events are missing"),
        "{finding:?}"
    );
}

#[test]
fn a_daemon_that_runs_is_left_alone() {
    let dir = TempDir::new().unwrap();
    let _opened = Journal::open(dir.path()).unwrap();
    let found = findings(&dir, "/dev/null-");
    assert_eq!(level(&found, "daemon"), Level::Ok);
    // Its broker does not listen in this test, and that is no reason to stop.
    assert_eq!(level(&found, "own broker"), Level::Warn);
}

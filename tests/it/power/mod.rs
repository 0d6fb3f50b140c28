//! The power fails at any write of the journal.
//!
//! A child records with the real journal; `shim.c`, loaded before the C library, writes down everything that it does to
//! its files. Then the power is lost, again and again, at random points of that log: what was synced is there, every
//! later write is there, or not, or torn at sectors of 512 bytes. What is left is opened as a daemon opens it. The shim
//! stands in for a VFS of SQLite because those need `unsafe`, which this project forbids; it also sees what a VFS would
//! not, such as the lock file. `CUTS=2000 cargo test --test it power:: -- --nocapture` asks for more.

#![allow(clippy::disallowed_methods, reason = "the child's clock and chance are not the machine's")]

use std::{
    collections::BTreeMap,
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use bughoused::{
    event::Event,
    journal::{Batch, Journal, Reader},
    table::settings::TableSettings,
    types::Instant,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rusqlite::Connection;
use serde_json::json;

/// Set in the child: where its journal is.
const CHILD: &str = "POWER_DIR";
/// Events that the child records; with their size enough for two checkpoints of the log.
const EVENTS: u64 = 160;
const EVENT_BYTES: usize = 60_000;
/// Times that the power fails unless `CUTS` says otherwise.
const CUTS: usize = 60;
const SECTOR: usize = 512;

fn settings() -> TableSettings {
    serde_json::from_str(r#"{"id":"1"}"#).unwrap()
}

fn event(seq: u64) -> Event {
    let text = format!("{seq:08}").repeat(EVENT_BYTES / 8);
    serde_json::from_value(json!({
        "v": 1, "session": "s", "table": "1", "game": null, "seq": seq, "t": seq, "time": "2026-11-20T15:00:00.000Z",
        "type": "resolved", "board": "A", "candidates": [text]
    }))
    .unwrap()
}

/// The child's part; nothing when it is run as a test.
#[test]
fn child() {
    let Some(dir) = env::var_os(CHILD).map(PathBuf::from) else { return };
    let mut opened = Journal::open(&dir).unwrap();
    let session = opened.journal.session(0, "s", 5, &settings());
    let mut heard = fs::File::create(dir.join("heard")).unwrap();
    for seq in 1..=EVENTS {
        let batch = Batch { events: vec![event(seq)], ..Batch::new(&session, Instant(seq as i64)) };
        opened.journal.record(batch).unwrap();
        let committed = opened.committed.blocking_recv().unwrap();
        assert!(committed.durable);
        heard.write_all(&seq.to_le_bytes()).unwrap();
    }
    drop(opened.journal);
    opened.stopping.wait();
}

/// One thing that the child did to a file.
struct Deed<'a> {
    /// Its place among all.
    index: usize,
    kind: u8,
    name: &'a str,
    offset: usize,
    data: &'a [u8],
}

fn deeds(log: &[u8]) -> Vec<Deed<'_>> {
    let number = |at: usize| i64::from_le_bytes(log[at..at + 8].try_into().unwrap()) as usize;
    let mut deeds = Vec::new();
    let mut at = 0;
    while at < log.len() {
        let (kind, size) = (log[at], usize::from(log[at + 1]));
        let name = std::str::from_utf8(&log[at + 2..at + 2 + size]).unwrap();
        at += 2 + size;
        let (offset, length) = (number(at), number(at + 8));
        at += 16;
        let length = if kind == b'W' { length } else { 0 };
        deeds.push(Deed { index: deeds.len(), kind, name, offset, data: &log[at..at + length] });
        at += length;
    }
    deeds
}

/// What is left of a file after the power failed. That a file was deleted is durable with the next sync of any file, as
/// file systems with a log have it; `logged` is the last one.
fn survives(deeds: &[&Deed<'_>], logged: usize, random: &mut ChaCha8Rng) -> Option<Vec<u8>> {
    let synced = deeds.iter().rposition(|deed| deed.kind == b'S').map_or(0, |index| index + 1);
    let mut file: Option<Vec<u8>> = None;
    for (index, deed) in deeds.iter().enumerate() {
        let durable = index < synced;
        match deed.kind {
            b'W' => write(file.get_or_insert_default(), deed, durable, random),
            b'T' if durable || random.random() => file.get_or_insert_default().resize(deed.offset, 0),
            b'U' if deed.index < logged || random.random() => file = None,
            _ => {}
        }
    }
    file
}

/// Writes all, nothing, or some sectors.
fn write(file: &mut Vec<u8>, deed: &Deed<'_>, durable: bool, random: &mut ChaCha8Rng) {
    let fate = if durable { 0 } else { random.random_range(0..3) };
    if fate == 1 {
        return;
    }
    let mut at = 0;
    while at < deed.data.len() {
        let offset = deed.offset + at;
        let size = (SECTOR - offset % SECTOR).min(deed.data.len() - at);
        if fate == 0 || random.random() {
            if file.len() < offset + size {
                file.resize(offset + size, 0);
            }
            file[offset..offset + size].copy_from_slice(&deed.data[at..at + size]);
        }
        at += size;
    }
}

/// Everything that the child did, in order.
fn record(dir: &Path) -> Vec<u8> {
    let shim = dir.join("shim.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/power/shim.c");
    let built = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&shim).arg(source).status().unwrap();
    assert!(built.success(), "the shim is built");
    let (data, log) = (dir.join("data"), dir.join("log"));
    fs::create_dir(&data).unwrap();
    let child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "power::child", "--nocapture"])
        .env(CHILD, &data)
        .env("POWER_LOG", &log)
        .env("LD_PRELOAD", &shim)
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(child.success());
    fs::read(log).unwrap()
}

#[test]
fn the_journal_survives_a_loss_of_power_at_any_write() {
    let wanted: usize = env::var("CUTS").ok().and_then(|text| text.parse().ok()).unwrap_or(CUTS);
    let dir = tempfile::tempdir().unwrap();
    let log = record(dir.path());
    let deeds = deeds(&log);
    let syncs = deeds.iter().filter(|deed| deed.kind == b'S').count();
    assert!(syncs >= EVENTS as usize, "{syncs} syncs");
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let (mut torn, mut kept) = (0, 0);
    for cut in 0..wanted {
        let until = random.random_range(1..=deeds.len());
        let mut files: BTreeMap<&str, Vec<&Deed<'_>>> = BTreeMap::new();
        deeds[..until].iter().for_each(|deed| files.entry(deed.name).or_default().push(deed));
        let logged = deeds[..until].iter().rposition(|deed| deed.kind == b'S').unwrap_or(0);
        let heard = files.remove("heard").unwrap_or_default();
        let heard = heard.iter().filter(|deed| deed.kind == b'W').count() as u64;
        let left = dir.path().join(format!("cut-{cut}"));
        fs::create_dir(&left).unwrap();
        for (name, deeds) in &files {
            if let Some(bytes) = survives(deeds, logged, &mut random) {
                fs::write(left.join(name), bytes).unwrap();
            }
        }
        let found = check(&left, heard).unwrap_or_else(|wrong| panic!("cut {cut} at deed {until}: {wrong}"));
        (torn, kept) = (torn + u64::from(found > heard), kept + found);
        fs::remove_dir_all(&left).unwrap();
    }
    println!("{wanted} losses of power among {} deeds and {syncs} syncs: all journals open,", deeds.len());
    println!("no event that was heard is lost; {kept} events kept, {torn} times more than were heard");
}

/// Opens what is left; answers how many events there are.
fn check(left: &Path, heard: u64) -> Result<u64, String> {
    let opened = Journal::open(left).map_err(|e| format!("it does not open: {e}"))?;
    let next = opened.journal.counts("1").seq;
    drop(opened.journal);
    opened.stopping.wait();
    let connection = Connection::open(left.join("journal.sqlite3")).map_err(|e| e.to_string())?;
    let sound: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).map_err(|e| e.to_string())?;
    if sound != "ok" {
        return Err(sound);
    }
    let events = Reader::open(left).and_then(|reader| reader.live_from("1", 1, EVENTS as usize + 1));
    let events = events.map_err(|e| e.to_string())?;
    if let Some(wrong) = events.iter().zip(1..).find(|(found, seq)| **found != event(*seq)) {
        return Err(format!("event {} is another", wrong.1));
    }
    let count = events.len() as u64;
    if count < heard || next != count + 1 {
        return Err(format!("{count} events, {heard} were heard, the next is {next}"));
    }
    Ok(count)
}

//! What happens to a journal over the years: versions, retention, copies, what a later start must know.
#![allow(clippy::disallowed_methods, reason = "what is old is so by the wall clock")]

use std::time::Duration;

use super::*;
use crate::{event::Ruling, sense::Side, types::SECOND};

/// A journal as version 1 wrote it.
fn old_journal(dir: &Path) {
    let connection = Connection::open(dir.join(FILE_NAME)).unwrap();
    connection.execute_batch(include_str!("../schema.sql")).unwrap();
    connection.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    connection.pragma_update(None, "user_version", 1).unwrap();
    let settings = serde_json::to_string(&settings()).unwrap();
    connection.execute("INSERT INTO session VALUES (1, 's1', '1', 5, ?1)", [settings]).unwrap();
    for (seq, event) in [(1, start(1, "g")), (2, played(2, "g", "e4"))] {
        let (kind, json) = (event.body.kind(), serde_json::to_string(&event).unwrap());
        let sql = "INSERT INTO event (session, feed, seq, t, game, kind, json) VALUES (1, 0, ?1, ?1, 'g', ?2, ?3)";
        connection.execute(sql, rusqlite::params![seq, kind, json]).unwrap();
    }
}

#[test]
fn a_journal_of_an_older_version_is_read_and_brought_up_to_date() {
    let dir = TempDir::new().unwrap();
    old_journal(dir.path());
    let before = Reader::open(dir.path()).unwrap();
    assert_eq!(before.game("g").unwrap().len(), 2);
    assert!(before.past("1", 2, 5).unwrap().is_empty(), "it is not written by reading");
    drop(before);
    let opened = Journal::open(dir.path()).unwrap();
    assert_eq!(opened.journal.counts("1"), Counts { seq: 3, incident: 1 });
    let game = opened.journal.past("1", 5 + SECOND).game.unwrap();
    assert_eq!((game.id.as_str(), game.moves.len()), ("g", 1));
    let session = opened.journal.session(0, "s2", 6, &settings());
    opened.journal.record(batch(&session, vec![end(3, "g")])).unwrap();
    close(opened.journal, opened.stopping);
    assert_eq!(Reader::open(dir.path()).unwrap().integrity().unwrap(), [""; 0]);
    assert_eq!(Reader::open(dir.path()).unwrap().games().unwrap()[0].result, "1-0");
}

#[test]
fn a_later_start_knows_the_unfinished_game_and_how_devices_lay() {
    let dir = TempDir::new().unwrap();
    let opened = Journal::open(dir.path()).unwrap();
    let session = opened.journal.session(0, "s1", SECOND, &settings());
    let pause = Ruling { verb: "pause".into(), data: serde_json::Value::Null, by: None, transaction: None };
    let pause = event(3, Some("g"), Body::Ruling(Box::new(pause)));
    let mut told = incident(2, 2);
    told.game = Some("g".into());
    let mut all = batch(&session, vec![start(1, "f"), end(2, "f"), start(3, "g"), played(4, "g", "e4"), told, pause]);
    all.devices = vec![device(Some(180), None), device(Some(180), Some("left"))];
    opened.journal.record(all).unwrap();
    close(opened.journal, opened.stopping);
    let opened = Journal::open(dir.path()).unwrap();
    let past = opened.journal.past("1", 61 * SECOND);
    let found = past.devices["board-a"];
    assert_eq!((found.turned, found.clock_white), (Some(true), Some(Side::Left)));
    let game = past.game.unwrap();
    assert_eq!((game.id.as_str(), game.moves.len(), game.incidents.len(), game.rulings.len()), ("g", 1, 1, 1));
    assert!(game.moves[0].1.completed_at.micros() < 0, "it was before");
    let hours = |hours: i64| opened.journal.past("1", hours * 3600 * SECOND).game.is_some();
    assert!(hours(11) && !hours(13), "a game of yesterday is not gone on with");
    assert!(opened.journal.past("2", 0).is_empty());
}

fn raw(t: i64) -> RawInput {
    RawInput { t: Instant(t), raw: Raw::Rx(0, vec![7; 100]) }
}

/// Waits until the writer has deleted what it may.
fn until(dir: &Path, inputs: i64) {
    let soon = std::time::Instant::now() + Duration::from_secs(10);
    while count(dir, "SELECT count(*) FROM input") != inputs {
        assert!(std::time::Instant::now() < soon, "{} inputs", count(dir, "SELECT count(*) FROM input"));
        std::thread::yield_now();
    }
}

#[test]
fn raw_bytes_go_by_age_and_events_stay() {
    let dir = TempDir::new().unwrap();
    let day = 86_400 * SECOND;
    let now = jiff::Timestamp::now().as_microsecond();
    let opened = Journal::open(dir.path()).unwrap();
    for (name, ago, game) in [("s1", 10, "old"), ("s2", 3, "new")] {
        let session = opened.journal.session(0, name, now - ago * day, &settings());
        let mut all = batch(&session, vec![start(1, game), end(2, game)]);
        all.inputs = (0..50).map(raw).collect();
        opened.journal.record(all).unwrap();
    }
    close(opened.journal, opened.stopping);
    let keep = Retention { days: Some(5), bytes: None };
    let opened = Journal::open_keeping(dir.path(), keep).unwrap();
    let session = opened.journal.session(0, "s3", now, &settings());
    opened.journal.record(batch(&session, vec![clock(3)])).unwrap();
    until(dir.path(), 50);
    close(opened.journal, opened.stopping);
    let reader = Reader::open(dir.path()).unwrap();
    assert_eq!(reader.games().unwrap().len(), 2);
    assert!(matches!(reader.capture("old", &mut Vec::new()), Err(JournalError::NoInputs(_))));
    assert_eq!(exported(&reader, "new").1.len(), 50);
}

#[test]
fn raw_bytes_go_by_size_but_not_those_of_today() {
    let dir = TempDir::new().unwrap();
    let now = jiff::Timestamp::now().as_microsecond();
    let opened = Journal::open(dir.path()).unwrap();
    for (name, ago) in [("s1", 3 * 86_400 * SECOND), ("s2", SECOND)] {
        let session = opened.journal.session(0, name, now - ago, &settings());
        opened.journal.record(inputs(&session, (0..50).map(raw).collect())).unwrap();
    }
    close(opened.journal, opened.stopping);
    let opened = Journal::open_keeping(dir.path(), Retention { days: None, bytes: Some(1) }).unwrap();
    let session = opened.journal.session(0, "s3", now, &settings());
    opened.journal.record(batch(&session, vec![clock(3)])).unwrap();
    until(dir.path(), 50);
    close(opened.journal, opened.stopping);
    assert_eq!(count(dir.path(), "SELECT min(session) FROM input"), 2);
}

#[test]
fn a_machine_that_learns_the_date_while_it_records_keeps_what_it_records() {
    let dir = TempDir::new().unwrap();
    let opened = Journal::open_keeping(dir.path(), Retention { days: Some(5), bytes: Some(1) }).unwrap();
    // Its clock said now, and the session says the same; what is old by the wall clock alone is another's.
    let now = jiff::Timestamp::now().as_microsecond();
    let session = opened.journal.session(0, "s1", now, &settings());
    let mut all = batch(&session, vec![clock(1)]);
    all.inputs = (0..50).map(raw).collect();
    opened.journal.record(all).unwrap();
    close(opened.journal, opened.stopping);
    assert_eq!(count(dir.path(), "SELECT count(*) FROM input"), 50);
}

#[test]
fn marks_outlive_the_daemon() {
    let dir = TempDir::new().unwrap();
    let mut opened = Journal::open(dir.path()).unwrap();
    assert_eq!((opened.marks.get("published"), opened.newest), (None, 0));
    opened.marks.set("published", 7);
    let session = opened.journal.session(0, "s1", 5, &settings());
    opened.journal.record(batch(&session, vec![clock(1), clock(2)])).unwrap();
    assert_eq!(receive(&mut opened.committed).row, 2);
    opened.marks.set("shown/1", 3);
    let marks = opened.marks.clone();
    close(opened.journal, opened.stopping);
    marks.set("published", 8);
    marks.save(dir.path()).unwrap();
    let opened = Journal::open(dir.path()).unwrap();
    let got = (opened.marks.get("published"), opened.marks.get("shown/1"), opened.newest);
    assert_eq!(got, (Some(8), Some(3), 2));
}

#[test]
fn rows_are_read_in_portions_up_to_what_is_written() {
    let dir = TempDir::new().unwrap();
    let opened = Journal::open(dir.path()).unwrap();
    let sessions = ["1", "2"].map(|id| {
        let settings = TableSettings { id: id.into(), ..settings() };
        opened.journal.session(0, "s1", 5, &settings)
    });
    for seq in 1..=10 {
        sessions.iter().for_each(|session| opened.journal.record(batch(session, vec![clock(seq)])).unwrap());
    }
    close(opened.journal, opened.stopping);
    let reader = Reader::open(dir.path()).unwrap();
    let rows = |table, after, until, most| {
        let (rows, reached) = reader.rows_between(table, after, until, most).unwrap();
        (rows.into_iter().map(|(row, event)| (row, event.seq)).collect::<Vec<_>>(), reached)
    };
    assert_eq!(rows(None, 3, 1000, 3), (vec![(4, 2), (5, 3), (6, 3)], 6));
    assert_eq!(rows(Some("2"), 3, 9, 9), (vec![(4, 2), (6, 3), (8, 4)], 9));
    assert_eq!(rows(None, 18, 1000, 9), (vec![(19, 10), (20, 10)], 20), "no more is written");
    assert_eq!(rows(None, 20, 1000, 9), (vec![], 20));
    let live: Vec<u64> = reader.live_from("2", 8, 2).unwrap().iter().map(|event| event.seq).collect();
    assert_eq!(live, [8, 9]);
}

#[test]
fn a_copy_is_made_while_it_is_written() {
    let dir = TempDir::new().unwrap();
    let mut opened = Journal::open(dir.path()).unwrap();
    let session = opened.journal.session(0, "s1", 5, &settings());
    opened.journal.record(batch(&session, vec![start(1, "g"), played(2, "g", "e4")])).unwrap();
    receive(&mut opened.committed);
    let copy = dir.path().join("copy.sqlite3");
    let reader = Reader::open(dir.path()).unwrap();
    reader.copy_to(&copy).unwrap();
    opened.journal.record(batch(&session, vec![end(3, "g")])).unwrap();
    assert!(receive(&mut opened.committed).durable);
    let copied = Reader::open_file(&copy).unwrap();
    assert_eq!(copied.game("g").unwrap().len(), 2);
    assert_eq!(copied.integrity().unwrap(), [""; 0]);
    assert!(reader.copy_to(&copy).is_err(), "it overwrites nothing");
    let restored = TempDir::new().unwrap();
    fs::copy(&copy, restored.path().join(FILE_NAME)).unwrap();
    assert_eq!(Journal::open(restored.path()).unwrap().journal.counts("1").seq, 3);
}

/// Waits until the journal does as wanted.
fn until_health(health: &mut tokio::sync::watch::Receiver<Health>, wanted: impl Fn(&Health) -> bool) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async { drop(health.wait_for(|health| wanted(health)).await.unwrap()) });
}

#[test]
fn a_disk_that_takes_nothing_at_the_start_stops_nobody() {
    let dir = TempDir::new().unwrap();
    let blocked = dir.path().join(format!("{FILE_NAME}-wal"));
    for start_seq in [1, 3] {
        // A directory where SQLite wants its log: it can be made no more than on a full disk.
        fs::create_dir(&blocked).unwrap();
        let mut opened = Journal::open(dir.path()).unwrap();
        let session = opened.journal.session(0, &format!("s{start_seq}"), 5, &settings());
        opened.journal.record(batch(&session, vec![clock(start_seq), clock(start_seq + 1)])).unwrap();
        let told = opened.committed.blocking_recv().unwrap();
        assert!(!told.durable, "it is told all the same");
        until_health(&mut opened.health, |health| matches!(health, Health::Failing { waiting: 1.., .. }));
        fs::remove_dir(&blocked).unwrap();
        until_health(&mut opened.health, |health| *health == Health::Ok);
        assert_eq!(close(opened.journal, opened.stopping), 0);
    }
    assert_eq!(count(dir.path(), "SELECT count(DISTINCT seq) FROM event"), 4);
    assert_eq!(count(dir.path(), "SELECT count(*) FROM session"), 2);
}

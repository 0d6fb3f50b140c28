//! What the journal promises, against real files, a full disk and a killed process.

mod upkeep;

use std::{
    env, fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Command, Stdio},
};

use proptest::{collection::vec, prelude::*};
use rusqlite::Connection;
use tempfile::TempDir;
use tokio::sync::mpsc;

use super::{
    store::{APPLICATION_ID, FILE_NAME, Store},
    *,
};
use crate::{
    event::{
        Body, ClockShown, ClockTimes, GameEnded, GameStarted, Grade, Incident, IncidentState, LinkState, Move, Request,
    },
    table::{
        capture::{Header, Raw},
        settings::{DeviceSettings, TableSettings},
    },
    types::BoardId,
};

fn settings() -> TableSettings {
    let mut settings: TableSettings = serde_json::from_str(r#"{"id":"1"}"#).unwrap();
    let device = |json: &str| serde_json::from_str::<DeviceSettings>(json).unwrap();
    settings.device.push(device(r#"{"name":"board-a","driver":"dgt","port":"/dev/a","board":"A","clock":true}"#));
    settings.device.push(device(r#"{"name":"trays","driver":"bslp","port":"/dev/t","pockets":["A","a","B","b"]}"#));
    settings
}

fn event(seq: u64, game: Option<&str>, body: Body) -> Event {
    let t = Instant(seq as i64 * 1000);
    let time = format!("2026-11-20T15:00:{:02}.000Z", seq % 60);
    Event { v: 1, session: "s1".into(), table: "1".into(), game: game.map(str::to_owned), seq, t, time, body }
}

fn clock(seq: u64) -> Event {
    let times = ClockTimes { white_ms: seq as i64, black_ms: 7 };
    event(seq, None, Body::Clock(ClockShown { board: BoardId::A, times, running: None }))
}

fn start(seq: u64, game: &str) -> Event {
    let started = GameStarted {
        ruleset: "wbn-1.00".into(),
        time_control: "300+0".into(),
        players: [("A".to_owned(), "Jana \"X\" Nová".to_owned())].into(),
        bfen: "start".into(),
    };
    event(seq, Some(game), Body::GameStarted(started))
}

fn played(seq: u64, game: &str, san: &str) -> Event {
    let played = Move {
        board: BoardId::A,
        seat: BoardId::A.seat(crate::types::Color::White),
        ply: 1,
        number: 1,
        san: san.into(),
        uci: "e2e4".into(),
        from: Some("e2".into()),
        to: "e4".into(),
        piece: 'P',
        captured: None,
        promotion: None,
        clock: None,
        stands: false,
        bfen: "after".into(),
        made_at: Instant(1),
        completed_at: Instant(2),
    };
    event(seq, Some(game), Body::Move(Box::new(played)))
}

fn end(seq: u64, game: &str) -> Event {
    let ended = GameEnded {
        result: "1-0".into(),
        reason: "resigns".into(),
        boards: vec![BoardId::A],
        by: "a".into(),
        half_points: None,
    };
    event(seq, Some(game), Body::GameEnded(ended))
}

fn incident(seq: u64, id: u64) -> Event {
    let incident = Incident {
        id,
        kind: "illegal-move".into(),
        grade: Grade::Decisive,
        law: "WBN".into(),
        article: "5.1".into(),
        board: Some(BoardId::B),
        seat: None,
        reason: "no such move".into(),
        evidence: serde_json::json!({"squares": ["e2", "e5"]}),
        claimable_by: vec![],
        claim_until: None,
        state: IncidentState::Open,
    };
    event(seq, None, Body::Incident(Box::new(incident)))
}

fn batch(session: &Session, events: Vec<Event>) -> Batch {
    let t = events.last().map_or(Instant::ZERO, |event| event.t);
    Batch { events, ..Batch::new(session, t) }
}

fn inputs(session: &Session, inputs: Vec<RawInput>) -> Batch {
    Batch { inputs, ..Batch::new(session, Instant::ZERO) }
}

fn receive(committed: &mut mpsc::Receiver<Committed>) -> Committed {
    committed.blocking_recv().expect("the writer lives")
}

/// Ends the writer and answers how many rows were lost.
fn close(journal: Journal, stopping: Stopping) -> u64 {
    drop(journal);
    stopping.wait()
}

fn count(dir: &Path, sql: &str) -> i64 {
    let connection = Connection::open(dir.join(FILE_NAME)).unwrap();
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

fn open_error(dir: &Path) -> String {
    Journal::open(dir).err().expect("an error").to_string().replace(&dir.display().to_string(), "DIR")
}

#[test]
fn batches_come_out_in_order_and_stand_in_the_file_when_they_do() {
    let dir = TempDir::new().unwrap();
    let mut opened = Journal::open(dir.path()).unwrap();
    let session = opened.journal.session(0, "s1", 5, &settings());
    for seq in 1..=1000 {
        opened.journal.record(batch(&session, vec![clock(seq)])).unwrap();
    }
    for seq in 1..=1000 {
        let heard = receive(&mut opened.committed);
        assert!(heard.durable && heard.missed == 0);
        assert_eq!(heard.batch.events, [clock(seq)]);
        if seq % 100 == 0 {
            assert!(count(dir.path(), "SELECT max(seq) FROM event") >= seq as i64);
        }
    }
    assert_eq!(close(opened.journal, opened.stopping), 0);
    let ordered = "SELECT count(*) FROM event a JOIN event b ON b.id = a.id + 1 WHERE b.seq = a.seq + 1";
    assert_eq!(count(dir.path(), ordered), 999);
}

#[test]
fn what_waits_is_committed_together() {
    let dir = TempDir::new().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let commits = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    let opened = {
        let path = store.path().to_owned();
        let opened = writer::start(store, Retention { days: None, bytes: None }, None).unwrap();
        let session = opened.journal.session(0, "s1", 5, &settings());
        // A foreign lock makes the first commit wait, so that the others queue up behind it.
        let foreign = Connection::open(path).unwrap();
        foreign.execute_batch("BEGIN IMMEDIATE").unwrap();
        for seq in 1..=300 {
            opened.journal.record(batch(&session, vec![clock(seq)])).unwrap();
        }
        let before: i64 = foreign.query_row("SELECT count(*) FROM event", [], |row| row.get(0)).unwrap();
        assert_eq!(before, 0);
        foreign.execute_batch("COMMIT").unwrap();
        opened
    };
    let watcher = Connection::open(dir.path().join(FILE_NAME)).unwrap();
    let version = || watcher.query_row("PRAGMA data_version", [], |row| row.get::<_, i64>(0)).unwrap();
    let mut committed = opened.committed;
    let mut last = version();
    for _ in 1..=300 {
        receive(&mut committed);
        let now = version();
        if now != last {
            commits.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            last = now;
        }
    }
    assert!(commits.load(std::sync::atomic::Ordering::Relaxed) <= 10, "{commits:?} commits for 300 batches");
    close(opened.journal, opened.stopping);
    assert_eq!(count(dir.path(), "SELECT count(*) FROM event"), 300);
}

fn device(rotation: Option<u16>, clock_white: Option<&str>) -> DeviceState {
    DeviceState {
        v: 1,
        session: "s1".into(),
        table: "1".into(),
        t: Instant(9),
        time: String::new(),
        device: "board-a".into(),
        driver: "dgt".into(),
        link: LinkState::Up,
        serial: None,
        firmware: None,
        rotation,
        clock_white: clock_white.map(str::to_owned),
        counters: Default::default(),
    }
}

#[test]
fn raw_inputs_are_kept_without_any_event_and_without_delaying_states() {
    let dir = TempDir::new().unwrap();
    let mut opened = Journal::open(dir.path()).unwrap();
    let session = opened.journal.session(3, "s1", 5, &settings());
    let mut lazy = inputs(&session, vec![RawInput { t: Instant(9), raw: Raw::Rx(0, vec![1, 2]) }]);
    lazy.devices.push(device(None, None));
    opened.journal.record(lazy).unwrap();
    let heard = receive(&mut opened.committed);
    assert_eq!((heard.batch.session.table(), heard.batch.devices.len(), heard.batch.inputs.len()), (3, 1, 0));
    // Nothing else comes: only the writer's own deadline can commit the input.
    while count(dir.path(), "SELECT count(*) FROM input") == 0 {
        std::thread::yield_now();
    }
    let mut quiet = settings();
    quiet.capture = false;
    let session = opened.journal.session(0, "s1", 5, &quiet);
    opened.journal.record(inputs(&session, vec![RawInput { t: Instant(9), raw: Raw::Link(0, true) }])).unwrap();
    close(opened.journal, opened.stopping);
    assert_eq!(count(dir.path(), "SELECT count(*) FROM input"), 1);
}

/// Set in the process that is killed: where it writes.
const CHILD_DIR: &str = "BUGHOUSED_TEST_JOURNAL_DIR";

#[test]
fn what_was_heard_survives_a_kill() {
    if let Some(dir) = env::var_os(CHILD_DIR) {
        return write_until_killed(Path::new(&dir));
    }
    let dir = TempDir::new().unwrap();
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "journal::tests::what_was_heard_survives_a_kill", "--nocapture"])
        .env(CHILD_DIR, dir.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // The harness writes the name of the test before the first number.
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let numbers = lines.filter_map(|line| line.split_once("heard ")?.1.parse::<i64>().ok());
    let heard = numbers.take(200).last();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(heard, Some(200));
    let opened = Journal::open(dir.path()).unwrap();
    let next = opened.journal.counts("1").seq;
    assert!(next > 200, "heard of 200, the file goes on at {next}");
    let total = count(dir.path(), "SELECT count(*) FROM event");
    assert_eq!(total as u64, next - 1, "no gaps");
}

fn write_until_killed(dir: &Path) {
    let mut opened = Journal::open(dir).unwrap();
    let session = opened.journal.session(0, "s1", 5, &settings());
    for seq in 1.. {
        opened.journal.record(batch(&session, vec![clock(seq)])).unwrap();
        println!("heard {}", receive(&mut opened.committed).batch.events[0].seq);
    }
}

#[test]
fn a_copy_made_while_it_is_open_has_everything_heard() {
    let dir = TempDir::new().unwrap();
    let copy = TempDir::new().unwrap();
    let mut opened = Journal::open(dir.path()).unwrap();
    let session = opened.journal.session(0, "s1", 5, &settings());
    for seq in 1..=20 {
        opened.journal.record(batch(&session, vec![clock(seq), incident(seq, seq)])).unwrap();
        receive(&mut opened.committed);
    }
    for name in [FILE_NAME, "journal.sqlite3-wal"] {
        fs::copy(dir.path().join(name), copy.path().join(name)).unwrap();
    }
    let copied = Journal::open(copy.path()).unwrap();
    assert_eq!(copied.journal.counts("1"), Counts { seq: 21, incident: 21 });
    close(copied.journal, copied.stopping);
    assert_eq!(Journal::open(copy.path()).err().map(|e| e.to_string()), None, "its lock went with its owner");
}

#[test]
fn counts_go_on_per_table_and_feed() {
    let dir = TempDir::new().unwrap();
    let opened = Journal::open(dir.path()).unwrap();
    assert_eq!(opened.journal.counts("1"), Counts { seq: 1, incident: 1 });
    let first = opened.journal.session(0, "s1", 5, &settings());
    let second = opened.journal.session(1, "s1", 5, &TableSettings { id: "2".into(), ..settings() });
    opened.journal.record(batch(&first, vec![clock(1), clock(2), incident(1, 1)])).unwrap();
    opened.journal.record(batch(&second, vec![clock(1)])).unwrap();
    close(opened.journal, opened.stopping);
    let opened = Journal::open(dir.path()).unwrap();
    let again = opened.journal.session(0, "s2", 6, &settings());
    assert_eq!(again.0.id, 3);
    assert_eq!(opened.journal.counts("1"), Counts { seq: 3, incident: 2 });
    assert_eq!(opened.journal.counts("2"), Counts { seq: 2, incident: 1 });
}

#[test]
fn what_is_no_journal_is_named() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join(FILE_NAME);
    fs::write(&file, b"this is certainly not a database, but it is long enough to be looked at ...............")
        .unwrap();
    let message = open_error(dir.path());
    assert!(
        message.starts_with("expected a journal at DIR/journal.sqlite3, found a file that is no data"),
        "{message}"
    );
    assert!(Reader::open(dir.path()).err().unwrap().to_string().contains("no database"));

    fs::remove_file(&file).unwrap();
    Connection::open(&file).unwrap().execute_batch("CREATE TABLE other (x)").unwrap();
    let message = open_error(dir.path());
    assert!(message.contains("found a database of another program; move the file away"), "{message}");

    fs::remove_file(&file).unwrap();
    let opened = Journal::open(dir.path()).unwrap();
    close(opened.journal, opened.stopping);
    let connection = Connection::open(&file).unwrap();
    connection.pragma_update(None, "user_version", 9).unwrap();
    drop(connection);
    let message = open_error(dir.path());
    assert!(
        message.starts_with("expected a journal of version 2 or older at DIR/journal.sqlite3, found version 9; use")
    );
}

#[test]
fn a_torn_file_is_an_error_not_a_crash() {
    let dir = TempDir::new().unwrap();
    let opened = Journal::open(dir.path()).unwrap();
    let session = opened.journal.session(0, "s1", 5, &settings());
    for seq in 1..=500 {
        opened.journal.record(batch(&session, vec![played(seq, "g", "e4")])).unwrap();
    }
    opened.journal.record(batch(&session, vec![start(501, "g")])).unwrap();
    close(opened.journal, opened.stopping);
    let file = dir.path().join(FILE_NAME);
    let whole = fs::read(&file).unwrap();
    assert!(whole.len() > 100_000);
    for cut in [100, 4096, 20_000, whole.len() / 2, whole.len() - 4096] {
        fs::write(&file, &whole[..cut]).unwrap();
        let read = Reader::open(dir.path()).and_then(|reader| reader.game("g"));
        assert!(read.is_err(), "{cut} bytes of {} read as {} events", whole.len(), read.unwrap().len());
    }
    fs::write(&file, &whole[..20_000]).unwrap();
    assert!(open_error(dir.path()).contains("is damaged"));
}

#[test]
fn missing_places_and_a_second_daemon_are_named() {
    let dir = TempDir::new().unwrap();
    let missing = dir.path().join("none");
    assert!(open_error(&missing).starts_with("expected the data directory DIR, found none; create it"));
    fs::write(&missing, "").unwrap();
    assert!(open_error(&missing).starts_with("expected DIR to be a directory, found a file"));
    assert!(Reader::open(dir.path()).err().unwrap().to_string().contains("nothing was recorded here yet"));

    let _opened = Journal::open(dir.path()).unwrap();
    let expected = format!("in use by another daemon (process {})", std::process::id());
    assert!(open_error(dir.path()).contains(&expected));
}

/// A journal whose file may not grow, with a filling that a test can take out again.
fn full_journal(dir: &Path) -> Opened {
    let mut store = Store::open(dir).unwrap();
    let connection = store.raw();
    connection.execute_batch("CREATE TABLE filling AS SELECT zeroblob(1000000) AS data").unwrap();
    let pages: i64 = connection.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    connection.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(())).unwrap();
    writer::start(store, Retention { days: None, bytes: None }, None).unwrap()
}

#[test]
fn a_full_disk_stops_nobody_and_everything_is_written_later() {
    let dir = TempDir::new().unwrap();
    let mut opened = full_journal(dir.path());
    let session = opened.journal.session(0, "s1", 5, &settings());
    let text = "x".repeat(50_000);
    let mut durable = 0;
    for seq in 1..=10 {
        opened.journal.record(batch(&session, vec![played(seq, "g", &text)])).unwrap();
        let heard = receive(&mut opened.committed);
        assert_eq!(heard.batch.events[0].seq, seq);
        durable += usize::from(heard.durable);
    }
    assert_eq!(durable, 0);
    match &*opened.health.borrow_and_update() {
        Health::Failing { message, lost_events: 0, .. } => {
            assert!(message.contains("the disk is full: free some space"), "{message}");
        }
        other => panic!("{other:?}"),
    }
    // Somebody frees some space.
    let foreign = Connection::open(dir.path().join(FILE_NAME)).unwrap();
    foreign.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
    foreign.execute_batch("DELETE FROM filling").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(opened.health.wait_for(|health| *health == Health::Ok)).unwrap();
    opened.journal.record(batch(&session, vec![clock(11)])).unwrap();
    assert!(receive(&mut opened.committed).durable);
    assert_eq!(close(opened.journal, opened.stopping), 0);
    let ordered = "SELECT count(*) FROM event a JOIN event b ON b.id = a.id + 1 WHERE b.seq = a.seq + 1";
    assert_eq!(count(dir.path(), ordered), 10);
}

#[test]
fn a_disk_that_stays_full_bounds_the_memory_and_counts_the_losses() {
    let dir = TempDir::new().unwrap();
    let mut opened = full_journal(dir.path());
    let session = opened.journal.session(0, "s1", 5, &settings());
    let text = "x".repeat(1 << 20);
    for seq in 1..=40 {
        let mut big = batch(&session, vec![played(seq, "g", &text)]);
        big.inputs.push(RawInput { t: Instant(0), raw: Raw::Rx(0, vec![7; 1 << 20]) });
        opened.journal.record(big).unwrap();
        assert!(!receive(&mut opened.committed).durable);
    }
    let lost = close(opened.journal, opened.stopping);
    // 31 events fit with or without inputs; whatever was kept is lost, too, when the process ends.
    assert!(lost >= 80, "{lost} of 80 rows and the session");
}

#[test]
fn a_publisher_that_takes_nothing_misses_batches_and_is_told() {
    let dir = TempDir::new().unwrap();
    let mut opened = Journal::open(dir.path()).unwrap();
    let session = opened.journal.session(0, "s1", 5, &settings());
    let total = COMMITTED_BATCHES_MAX as u64 + 10;
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for seq in 1..=total {
        let recorded = opened.journal.record_when_free(batch(&session, vec![clock(seq)]));
        runtime.block_on(recorded).unwrap();
    }
    let committed = || count(dir.path(), "SELECT count(*) FROM event") == total as i64;
    // Batches are handed on after they are committed.
    while !committed() || opened.committed.len() < COMMITTED_BATCHES_MAX {
        std::thread::yield_now();
    }
    let (mut heard, mut missed) = (0, 0);
    while let Ok(next) = opened.committed.try_recv() {
        (missed, heard) = (missed + next.missed, heard + 1);
    }
    assert!(heard >= COMMITTED_BATCHES_MAX, "{heard}");
    opened.journal.record(batch(&session, vec![clock(total + 1)])).unwrap();
    loop {
        let next = receive(&mut opened.committed);
        (missed, heard) = (missed + next.missed, heard + 1);
        if next.batch.events[0].seq == total + 1 {
            break;
        }
    }
    assert_eq!(heard as u64 + missed, total + 1);
    let reader = Reader::open(dir.path()).unwrap();
    assert_eq!(reader.events_after("s1", "1", total).unwrap(), [clock(total + 1)]);
}

#[test]
fn a_reader_sees_the_game_while_it_is_played() {
    let dir = TempDir::new().unwrap();
    let mut opened = Journal::open(dir.path()).unwrap();
    let reader = Reader::open(dir.path()).unwrap();
    assert_eq!(reader.games().unwrap(), []);
    let session = opened.journal.session(0, "s1", 5, &settings());
    opened.journal.record(batch(&session, vec![start(1, "g-1"), start(2, "h-1"), played(3, "g-1", "e4")])).unwrap();
    receive(&mut opened.committed);
    let games = reader.games().unwrap();
    assert_eq!(games.iter().map(|game| (game.plies, game.result.as_str())).collect::<Vec<_>>(), [(1, "*"), (0, "*")]);
    opened.journal.record(batch(&session, vec![end(4, "g-1"), start(5, "g-2")])).unwrap();
    receive(&mut opened.committed);
    assert_eq!(reader.games().unwrap()[0].reason, "resigns");
    assert_eq!(reader.game("g-1").unwrap(), [start(1, "g-1"), played(3, "g-1", "e4"), end(4, "g-1")]);
    assert_eq!(reader.record("g-1").unwrap().moves.len(), 1);
    assert_eq!(reader.find("last").unwrap(), "g-2");
    assert_eq!(reader.find("h").unwrap(), "h-1");
    let message = |wanted: &str| reader.find(wanted).unwrap_err().to_string();
    assert_eq!(message("g"), "expected one game, \"g\" names g-1, g-2; write more of the id");
    assert!(message("x").contains("which names none of 3 games"));
    assert!(message("").contains("which names none of 3 games"));
}

fn exported(reader: &Reader, game: &str) -> (Header, Vec<RawInput>) {
    let mut out = Vec::new();
    reader.capture(game, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let mut lines = text.lines();
    let header = Header::parse(lines.next().unwrap()).unwrap();
    let devices = header.table.device.clone();
    (header, lines.map(|line| RawInput::parse(line, &devices).unwrap()).collect())
}

#[test]
fn a_capture_runs_from_the_start_of_the_session_to_the_end_of_the_game() {
    let dir = TempDir::new().unwrap();
    let opened = Journal::open(dir.path()).unwrap();
    let session = opened.journal.session(0, "s1", 1_795_186_800_000_000, &settings());
    let request = Request { verb: "resign".into(), transaction: Some("t1".into()), ..Request::default() };
    let received = [
        RawInput { t: Instant(0), raw: Raw::Link(0, true) },
        RawInput { t: Instant(10), raw: Raw::Tx(0, vec![0x40]) },
        RawInput { t: Instant(20), raw: Raw::Rx(1, b"$BHELO".to_vec()) },
        RawInput { t: Instant(3_999), raw: Raw::Request(request) },
        RawInput { t: Instant(5_004_000), raw: Raw::Link(1, false) },
        RawInput { t: Instant(5_004_001), raw: Raw::Rx(0, vec![]) },
    ];
    let mut all = batch(&session, vec![start(1, "g"), played(2, "g", "e4"), end(4, "g")]);
    all.inputs = received.to_vec();
    opened.journal.record(all).unwrap();
    let bare = TableSettings { capture: false, ..settings() };
    let second = opened.journal.session(0, "s2", 1_795_186_900_000_000, &bare);
    opened.journal.record(batch(&second, vec![start(1, "bare")])).unwrap();
    close(opened.journal, opened.stopping);
    let reader = Reader::open(dir.path()).unwrap();
    let (header, lines) = exported(&reader, "g");
    assert_eq!((header.started.as_str(), &header.table), ("2026-11-20T15:00:00Z", &settings()));
    assert_eq!((header.session.as_deref(), header.end), (Some("s1"), Some(Instant(5_004_000))));
    assert_eq!(lines, received[..5]);
    let error = reader.capture("bare", &mut Vec::new()).unwrap_err().to_string();
    assert!(error.starts_with("no raw bytes were kept of game bare"), "{error}");
}

#[test]
fn a_game_over_a_restart_is_one_capture() {
    let dir = TempDir::new().unwrap();
    let opened = Journal::open(dir.path()).unwrap();
    for (name, started_us, event) in [("s1", 1_000_000, start(1, "g")), ("s2", 61_000_000, end(2, "g"))] {
        let session = opened.journal.session(0, name, started_us, &settings());
        let mut all = batch(&session, vec![event]);
        all.inputs.push(RawInput { t: Instant(7), raw: Raw::Link(0, true) });
        opened.journal.record(all).unwrap();
    }
    close(opened.journal, opened.stopping);
    let (header, lines) = exported(&Reader::open(dir.path()).unwrap(), "g");
    assert_eq!(lines.iter().map(|line| line.t.micros()).collect::<Vec<_>>(), [7, 60_000_000, 60_000_000, 60_000_007]);
    assert_eq!([&lines[1].raw, &lines[2].raw], [&Raw::Link(0, false), &Raw::Link(1, false)], "ports were closed");
    assert_eq!((header.session.as_deref(), header.end), (Some("s1"), Some(Instant(60_002_000))));
}

#[test]
fn a_capture_counts_from_where_the_table_stood() {
    let dir = TempDir::new().unwrap();
    let opened = Journal::open(dir.path()).unwrap();
    let other = TableSettings { id: "2".into(), ..settings() };
    let sessions = [("s1", settings()), ("t1", other), ("s2", settings())];
    let [first, stranger, second] = sessions.map(|(name, settings)| opened.journal.session(0, name, 5, &settings));
    opened.journal.record(batch(&first, vec![start(1, "g"), incident(1, 1), end(2, "g")])).unwrap();
    opened.journal.record(batch(&stranger, vec![start(50, "h"), incident(60, 60)])).unwrap();
    let mut all = batch(&second, vec![start(3, "i"), end(4, "i")]);
    all.inputs.push(RawInput { t: Instant(9_000), raw: Raw::Link(0, true) });
    opened.journal.record(all).unwrap();
    close(opened.journal, opened.stopping);
    let (header, _) = exported(&Reader::open(dir.path()).unwrap(), "i");
    assert_eq!((header.session.as_deref(), header.seq, header.incident), (Some("s2"), 3, 2));
    assert_eq!(header.end, Some(Instant(9_000)), "nothing is known of later");
}

#[test]
fn the_file_says_whose_it_is() {
    let dir = TempDir::new().unwrap();
    let opened = Journal::open(dir.path()).unwrap();
    assert_eq!(count(dir.path(), "PRAGMA application_id"), APPLICATION_ID);
    assert_eq!(count(dir.path(), "PRAGMA user_version"), 2);
    close(opened.journal, opened.stopping);
}

fn any_event() -> impl Strategy<Value = Event> {
    let text = "[ -~áž♞\u{0}\n]{0,12}";
    (any::<u32>(), proptest::option::of(text), text, any::<(i64, i64)>(), 0..5u8).prop_map(
        |(seq, game, text, (white_ms, black_ms), kind)| {
            let seq = u64::from(seq);
            let times = ClockTimes { white_ms, black_ms };
            let mut event = match kind {
                0 => start(seq, &text),
                1 => played(seq, "", &text),
                2 => end(seq, &text),
                3 => incident(seq, seq),
                _ => event(seq, None, Body::Clock(ClockShown { board: BoardId::B, times, running: None })),
            };
            event.game = game;
            event.table = text;
            event
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn events_written_are_events_read(groups in vec(vec(any_event(), 0..6), 0..12)) {
        let dir = TempDir::new().unwrap();
        let opened = Journal::open(dir.path()).unwrap();
        let session = opened.journal.session(0, "s", 5, &settings());
        for group in &groups {
            opened.journal.record(batch(&session, group.clone())).unwrap();
        }
        close(opened.journal, opened.stopping);
        let read = Reader::open(dir.path()).unwrap().events_after("s", "1", 0).unwrap();
        // Events with `seq` 0 count as read before.
        let cut = |events: &[Event]| events.iter().filter(|e| e.seq > 0).cloned().collect::<Vec<_>>();
        prop_assert_eq!(cut(&read), cut(&groups.concat()));
    }

    #[test]
    fn inputs_written_are_inputs_exported(
        data in vec((vec(any::<u8>(), 0..20), 0..3u8, 0..2usize), 0..20),
    ) {
        let dir = TempDir::new().unwrap();
        let opened = Journal::open(dir.path()).unwrap();
        let session = opened.journal.session(0, "s", 5, &settings());
        let raw = |(bytes, kind, device): (Vec<u8>, u8, usize)| match kind {
            0 => Raw::Rx(device, bytes),
            1 => Raw::Tx(device, bytes),
            _ => Raw::Link(device, bytes.len() % 2 == 0),
        };
        let timed = |(t, data)| RawInput { t: Instant(t as i64), raw: raw(data) };
        let written: Vec<RawInput> = data.into_iter().enumerate().map(timed).collect();
        let mut all = batch(&session, vec![start(1, "g")]);
        all.inputs = written.clone();
        all.inputs.push(RawInput { t: Instant(1000), raw: Raw::Link(0, true) });
        let expected = all.inputs.clone();
        opened.journal.record(all).unwrap();
        close(opened.journal, opened.stopping);
        prop_assert_eq!(exported(&Reader::open(dir.path()).unwrap(), "g").1, expected);
    }
}

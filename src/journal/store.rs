//! The file: schema, migrations, rows.
//!
//! In: [`Row`]s. Out: one durable commit a call. One file `journal.sqlite3` in WAL mode with `synchronous=FULL`; a lock
//! file beside it keeps a second daemon out. It knows neither queues nor threads.

use std::{
    collections::BTreeMap,
    fs::{self, File, TryLockError},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, TransactionBehavior, params};

use super::{
    Counts, JournalError, Marks, SessionRow,
    reader::connect,
    retention::{self, Now, Retention},
};
use crate::{
    event::{Event, Feed, Response},
    table::capture::{Raw, RawInput},
    types::Instant,
};

/// Name of the journal in the data directory.
pub(super) const FILE_NAME: &str = "journal.sqlite3";
/// Name of the lock file in the data directory.
const LOCK_NAME: &str = "journal.lock";
/// Marks the file as ours in its header: "BugH".
pub(super) const APPLICATION_ID: i64 = 0x4275_6748;
/// How long another program that holds the database is waited for.
const BUSY_WAIT: Duration = Duration::from_millis(100);
/// Bytes of the holder's line in the lock file that are shown.
const HOLDER_BYTES_MAX: u64 = 100;

/// One step a version; `PRAGMA user_version` says how many were taken.
const MIGRATIONS: [&str; 2] = [include_str!("schema.sql"), include_str!("schema-2.sql")];
/// The version of the schema that is written.
pub(super) const SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;

/// What goes into the database.
pub(super) enum Row {
    Session(Arc<SessionRow>),
    Input {
        session: i64,
        t: Instant,
        kind: InputKind,
        device: Option<usize>,
        data: Vec<u8>,
    },
    Event {
        id: i64,
        session: i64,
        feed: Feed,
        seq: u64,
        t: Instant,
        game: Option<String>,
        kind: &'static str,
        json: String,
    },
    Response {
        session: i64,
        t: Instant,
        json: String,
    },
    Device {
        session: i64,
        t: Instant,
        name: String,
        turned: Option<bool>,
        clock_white: Option<String>,
    },
}

/// How an input is told apart in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InputKind {
    Rx = 0,
    Tx = 1,
    Link = 2,
    Request = 3,
}

/// Bytes that a row takes beyond its text.
const ROW_OVERHEAD_BYTES: usize = 64;

impl Row {
    pub(super) fn input(session: i64, input: RawInput) -> Row {
        let (kind, device, data) = match input.raw {
            Raw::Rx(device, bytes) => (InputKind::Rx, Some(device), bytes),
            Raw::Tx(device, bytes) => (InputKind::Tx, Some(device), bytes),
            Raw::Link(device, up) => (InputKind::Link, Some(device), vec![u8::from(up)]),
            Raw::Request(request) => (InputKind::Request, None, json(&request).into_bytes()),
        };
        Row::Input { session, t: input.t, kind, device, data }
    }

    pub(super) fn event(id: i64, session: i64, event: &Event) -> Row {
        Row::Event {
            id,
            session,
            feed: event.body.feed(),
            seq: event.seq,
            t: event.t,
            game: event.game.clone(),
            kind: event.body.kind(),
            json: json(event),
        }
    }

    pub(super) fn response(session: i64, t: Instant, response: &Response) -> Row {
        Row::Response { session, t, json: json(response) }
    }

    /// Bytes that it takes, roughly.
    pub(super) fn bytes(&self) -> usize {
        ROW_OVERHEAD_BYTES
            + match self {
                Row::Session(_) | Row::Device { .. } => 0,
                Row::Input { data, .. } => data.len(),
                Row::Event { json, .. } | Row::Response { json, .. } => json.len(),
            }
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("the vocabulary has string keys only and no serializer that fails")
}

/// The file with the right to write, as soon as the disk takes something.
pub(super) struct Store {
    dir: PathBuf,
    path: PathBuf,
    open: Option<Open>,
}

struct Open {
    connection: Connection,
    /// Held as long as the store lives.
    _lock: File,
}

/// What a journal has before anything is added.
pub(super) struct Contents {
    /// The marks of an earlier start.
    pub marks: Marks,
    /// The last row of an event.
    pub newest: i64,
    /// The number of the next session.
    pub next_session: i64,
    /// Where each table's counts go on.
    pub counts: BTreeMap<String, Counts>,
}

impl Store {
    /// Opens or makes the journal in `dir`.
    pub(super) fn open(dir: &Path) -> Result<Store, JournalError> {
        let mut store = Store::closed(dir);
        store.open = Some(open(dir, &store.path)?);
        Ok(store)
    }

    /// A journal in `dir` that is to be opened later.
    pub(super) fn closed(dir: &Path) -> Store {
        Store { dir: dir.to_owned(), path: dir.join(FILE_NAME), open: None }
    }

    /// Opens it unless it is open.
    pub(super) fn try_open(&mut self) -> Result<(), JournalError> {
        if self.open.is_none() {
            fs::create_dir_all(&self.dir).map_err(|e| JournalError::file(&self.dir, "write", &e))?;
            self.open = Some(open(&self.dir, &self.path)?);
        }
        Ok(())
    }

    /// What is in it. One that cannot be opened for writing is read; where that cannot be either, the numbers go on
    /// with `unknown`, which no earlier start can have had.
    pub(super) fn contents(&self, unknown: i64) -> Result<Contents, JournalError> {
        let wrong = |e: rusqlite::Error| JournalError::sqlite(&self.path, &e);
        match &self.open {
            Some(open) => contents(&open.connection).map_err(wrong),
            None => Ok(connect(&self.path).and_then(|connection| contents(&connection).map_err(wrong)).unwrap_or_else(
                |error| {
                    tracing::error!("what the journal has cannot be read: {error}; numbers begin anew");
                    let (marks, counts) = (Marks::default(), BTreeMap::new());
                    Contents { marks, newest: unknown, next_session: unknown, counts }
                },
            )),
        }
    }

    /// The connection, or the error of a file that cannot be opened.
    fn connection(&mut self) -> rusqlite::Result<&mut Connection> {
        let closed = || rusqlite::Error::InvalidPath(self.path.clone());
        match &mut self.open {
            Some(open) => Ok(&mut open.connection),
            None => Err(closed()),
        }
    }

    /// The journal.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the rows and the marks in one durable commit, all or none.
    pub(super) fn write(&mut self, rows: &[Row], marks: &Marks) -> rusqlite::Result<()> {
        let transaction = self.connection()?.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for row in rows {
            insert(&transaction, row)?;
        }
        marks.write(&transaction)?;
        transaction.commit()?;
        marks.written();
        Ok(())
    }

    /// Deletes some raw bytes that need not be kept any more; answers how many rows.
    pub(super) fn retire(&mut self, retention: Retention, now: Now) -> rusqlite::Result<usize> {
        retention::retire(self.connection()?, retention, now)
    }

    /// Moves committed rows from the write-ahead log into the database, as far as no reader is in the way.
    pub(super) fn checkpoint(&mut self) -> rusqlite::Result<()> {
        self.connection()?.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
    }

    #[cfg(test)]
    pub(super) fn raw(&mut self) -> &mut Connection {
        self.connection().unwrap()
    }
}

fn open(dir: &Path, path: &Path) -> Result<Open, JournalError> {
    match fs::metadata(dir) {
        Ok(found) if found.is_dir() => {}
        Ok(_) => return Err(JournalError::NotDirectory(dir.to_owned())),
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Err(JournalError::NoDirectory(dir.to_owned())),
        Err(e) => return Err(JournalError::file(dir, "read", &e)),
    }
    let lock = lock(dir, path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(path, flags);
    let mut connection = opened.map_err(|e| match fs::File::open(path) {
        Err(io) => JournalError::file(path, "write", &io),
        Ok(_) => JournalError::sqlite(path, &e),
    })?;
    prepare(&mut connection, path)?;
    Ok(Open { connection, _lock: lock })
}

fn contents(connection: &Connection) -> rusqlite::Result<Contents> {
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let mut statement = connection.prepare(
        "SELECT table_id,
                max((SELECT coalesce(max(seq), 0) + 1 FROM event WHERE session = session.id AND feed = 0)),
                max((SELECT coalesce(max(seq), 0) + 1 FROM event WHERE session = session.id AND feed = 1))
         FROM session GROUP BY table_id",
    )?;
    let rows = statement.query_map([], |row| {
        let counts = Counts { seq: row.get::<_, i64>(1)? as u64, incident: row.get::<_, i64>(2)? as u64 };
        Ok((row.get(0)?, counts))
    })?;
    Ok(Contents {
        marks: Marks::read(connection)?,
        newest: number("SELECT coalesce(max(id), 0) FROM event")?,
        next_session: number("SELECT coalesce(max(id), 0) + 1 FROM session")?,
        counts: rows.collect::<rusqlite::Result<_>>()?,
    })
}

/// Takes the lock file; it names its holder for the message of a second daemon.
fn lock(dir: &Path, journal: &Path) -> Result<File, JournalError> {
    let path = dir.join(LOCK_NAME);
    let opened = File::options().read(true).write(true).create(true).truncate(false).open(&path);
    let mut file = opened.map_err(|e| JournalError::file(&path, "write", &e))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let _ = (&mut file).take(HOLDER_BYTES_MAX).read_to_string(&mut holder);
            return Err(JournalError::InUse { path: journal.to_owned(), holder: holder.trim().to_owned() });
        }
        Err(TryLockError::Error(e)) => return Err(JournalError::file(&path, "write", &e)),
    }
    // The name of the holder is a courtesy: a full disk must not keep the daemon from starting.
    let _ = file.set_len(0).and_then(|()| writeln!(file, "process {}", std::process::id()));
    Ok(file)
}

/// Who writes the journal in `dir`, if anybody does.
pub fn holder(dir: &Path) -> Option<String> {
    let file = File::open(dir.join(LOCK_NAME)).ok()?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let _ = file.take(HOLDER_BYTES_MAX).read_to_string(&mut holder); // a courtesy
            Some(holder.trim().to_owned())
        }
        _ => None,
    }
}

/// Checks whose file it is, brings the schema up to date and sets the modes.
fn prepare(connection: &mut Connection, path: &Path) -> Result<(), JournalError> {
    let wrong = |e: rusqlite::Error| JournalError::sqlite(path, &e);
    connection.busy_timeout(BUSY_WAIT).map_err(wrong)?;
    let version = check(connection, path)?;
    // Kept in the file, so that it is asked for only once; on a full disk the second start works.
    connection.pragma_update(None, "journal_mode", "WAL").map_err(wrong)?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(wrong)?;
    // The writer checkpoints between commits, not within one.
    connection.pragma_update(None, "wal_autocheckpoint", 0).map_err(wrong)?;
    for (done, step) in MIGRATIONS.iter().enumerate().skip(version as usize) {
        let transaction = connection.transaction().map_err(wrong)?;
        transaction.execute_batch(step).map_err(wrong)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(wrong)?;
        transaction.pragma_update(None, "user_version", done as i64 + 1).map_err(wrong)?;
        transaction.commit().map_err(wrong)?;
    }
    Ok(())
}

/// The schema version of a journal, 0 for an empty file; an error for anything else.
pub(super) fn check(connection: &Connection, path: &Path) -> Result<i64, JournalError> {
    let number = |sql| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let wrong = |e: rusqlite::Error| JournalError::sqlite(path, &e);
    let version = number("PRAGMA user_version").map_err(wrong)?;
    let application = number("PRAGMA application_id").map_err(wrong)?;
    let objects = number("SELECT count(*) FROM sqlite_schema").map_err(wrong)?;
    if application != APPLICATION_ID && (objects > 0 || version != 0) {
        return Err(JournalError::NotJournal { path: path.to_owned(), found: "a database of another program" });
    }
    if version > SCHEMA_VERSION {
        return Err(JournalError::Newer { path: path.to_owned(), found: version, known: SCHEMA_VERSION });
    }
    Ok(version.max(0))
}

fn insert(connection: &Connection, row: &Row) -> rusqlite::Result<()> {
    match row {
        Row::Session(session) => connection
            .prepare_cached("INSERT INTO session (id, name, table_id, started_us, settings) VALUES (?, ?, ?, ?, ?)")?
            .execute(params![
                session.id,
                session.name,
                session.settings.id,
                session.started_us,
                json(&session.settings)
            ])?,
        Row::Input { session, t, kind, device, data } => connection
            .prepare_cached("INSERT INTO input (session, t, kind, device, data) VALUES (?, ?, ?, ?, ?)")?
            .execute(params![session, t.micros(), *kind as i64, device.map(|index| index as i64), data])?,
        Row::Event { id, session, feed, seq, t, game, kind, json } => connection
            .prepare_cached(
                "INSERT INTO event (id, session, feed, seq, t, game, kind, json) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![id, session, feed_number(*feed), *seq as i64, t.micros(), game, kind, json])?,
        Row::Response { session, t, json } => connection
            .prepare_cached("INSERT INTO response (session, t, json) VALUES (?, ?, ?)")?
            .execute(params![session, t.micros(), json])?,
        Row::Device { session, t, name, turned, clock_white } => connection
            .prepare_cached("INSERT INTO device (session, t, name, turned, clock_white) VALUES (?, ?, ?, ?, ?)")?
            .execute(params![session, t.micros(), name, turned, clock_white])?,
    };
    Ok(())
}

fn feed_number(feed: Feed) -> i64 {
    match feed {
        Feed::Live => 0,
        Feed::Arbiter => 1,
    }
}

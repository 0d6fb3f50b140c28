//! The recorded games, from a connection of its own; works while a daemon writes.
//!
//! In: the id of a game, the beginning of one, or `last`. Out: summaries, events, records, capture files. It never
//! writes.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Row, params};
use serde::Serialize;

use super::{Counts, JournalError, past, store};
use crate::{
    event::{Body, Event, GameEnded, Players},
    record::GameRecord,
    table::{
        capture::{Header, Raw, RawInput},
        resume::Resume,
        settings::TableSettings,
    },
    types::{Instant, SECOND},
};

/// Microseconds of inputs in a capture after the last event of an ended game.
const CAPTURE_TAIL: i64 = 5 * SECOND;
/// How long a writer that holds the database is waited for.
const BUSY_WAIT: Duration = Duration::from_secs(2);
/// Games that an ambiguous beginning names in its error.
const AMBIGUOUS_SHOWN_MAX: usize = 5;

/// One recorded game in short.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameSummary {
    /// The game's id: what `show` and `export` take.
    #[serde(rename = "id")]
    pub game: String,
    /// The table's id.
    pub table: String,
    /// RFC 3339 time of the start.
    pub started: String,
    /// Name of the rule set.
    pub ruleset: String,
    /// Time control as configured.
    pub time_control: String,
    /// Names by seat letter.
    pub players: Players,
    /// Completed moves of all boards.
    pub plies: usize,
    /// `1-0`, `0-1`, `1/2-1/2`, or `*` while it is not over.
    pub result: String,
    /// Why it ended; empty before.
    pub reason: String,
}

/// A journal that was opened for reading.
pub struct Reader {
    connection: Connection,
    path: PathBuf,
}

impl Reader {
    /// Opens the journal in `dir`.
    pub fn open(dir: &Path) -> Result<Reader, JournalError> {
        if !dir.exists() {
            return Err(JournalError::NoDirectory(dir.to_owned()));
        }
        Reader::open_file(&dir.join(store::FILE_NAME))
    }

    /// Opens a journal by its own name: a copy.
    pub fn open_file(path: &Path) -> Result<Reader, JournalError> {
        let path = path.to_owned();
        if let Err(error) = File::open(&path) {
            return Err(match error.kind() {
                io::ErrorKind::NotFound => JournalError::Missing(path),
                _ => JournalError::file(&path, "read", &error),
            });
        }
        let connection = connect(&path)?;
        if store::check(&connection, &path)? == 0 {
            return Err(JournalError::Missing(path));
        }
        Ok(Reader { connection, path })
    }

    /// Writes everything that is committed now into a file that does not exist yet. A daemon goes on meanwhile.
    pub fn copy_to(&self, file: &Path) -> Result<(), JournalError> {
        let copied = self.connection.execute("VACUUM INTO ?1", params![file.to_string_lossy()]);
        copied.map(|_| ()).map_err(|e| JournalError::sqlite(file, &e))
    }

    /// What is wrong with the file, with its rows and with their order; nothing if it is sound.
    pub fn integrity(&self) -> Result<Vec<String>, JournalError> {
        let mut faults = Vec::new();
        self.each("PRAGMA integrity_check(20)", &[], |row| {
            faults.extend(Some(row.get::<_, String>(0)?).filter(|line| line != "ok"));
            Ok(Ok(()))
        })?;
        self.each("SELECT id FROM event WHERE NOT json_valid(json) LIMIT 20", &[], |row| {
            faults.push(format!("event {} does not read", row.get::<_, i64>(0)?));
            Ok(Ok(()))
        })?;
        // The arbiter's feed tells an incident again under its number: only the live one has no gaps.
        let gaps =
            "SELECT name, table_id, max(seq) - min(seq) + 1 - count(DISTINCT seq), count(*) - count(DISTINCT seq)
             FROM event JOIN session ON session.id = event.session WHERE feed = 0 GROUP BY event.session LIMIT 1000";
        self.each(gaps, &[], |row| {
            let (name, table): (String, String) = (row.get(0)?, row.get(1)?);
            let (missing, twice): (i64, i64) = (row.get(2)?, row.get(3)?);
            if missing != 0 || twice != 0 {
                faults.push(format!(
                    "table {table}, session {name}: {missing} events are missing, {twice} are there twice"
                ));
            }
            Ok(Ok(()))
        })?;
        Ok(faults)
    }

    /// All games in the order of their starts, but for damaged ones, of which the log warns.
    pub fn games(&self) -> Result<Vec<GameSummary>, JournalError> {
        let mut rows = Vec::new();
        self.each(
            "SELECT id, json, game,
                    (SELECT count(*) FROM event WHERE game = start.game AND kind = 'move'),
                    (SELECT count(*) FROM event WHERE game = start.game AND
                        (kind = 'correction' OR kind = 'ruling' AND json_extract(json, '$.verb') = 'players')),
                    (SELECT json FROM event WHERE game = start.game AND kind = 'game-ended' ORDER BY id DESC LIMIT 1)
             FROM event start WHERE kind = 'game-started' AND game IS NOT NULL ORDER BY id",
            &[],
            |row| {
                let counts = (row.get::<_, i64>(3)? as usize, row.get::<_, i64>(4)?);
                rows.push((row.get(0)?, row.get(1)?, row.get::<_, String>(2)?, counts, row.get(5)?));
                Ok(Ok(()))
            },
        )?;
        let summary = |(id, start, game, (moves, changes), end): (i64, String, String, _, Option<String>)| {
            // Corrections may lengthen or shorten a game, and players get other names: only the fold knows.
            let (plies, players) = match changes {
                0 => (moves, None),
                _ => self.record_of(&game).map(|record| (record.moves.len(), Some(record.players)))?,
            };
            let end = end.map(|json| self.event(id, &json)).transpose()?;
            let summary = summarise(&self.event(id, &start)?, end.as_ref(), plies);
            let summary = summary.ok_or_else(|| self.damaged(id, "no game-started"))?;
            Ok(GameSummary { players: players.unwrap_or(summary.players), ..summary })
        };
        let readable = |game: Result<GameSummary, JournalError>| {
            game.inspect_err(|error| tracing::warn!("a game is left out: {error}")).ok()
        };
        Ok(rows.into_iter().map(summary).filter_map(readable).collect())
    }

    /// The id of the one game that is meant by an id, the beginning of one, or `last`.
    pub fn find(&self, wanted: &str) -> Result<String, JournalError> {
        let mut ids: Vec<String> = Vec::new();
        let sql = "SELECT game FROM event WHERE kind = 'game-started' AND game IS NOT NULL ORDER BY id";
        self.each(sql, &[], |row| {
            ids.push(row.get(0)?);
            Ok(Ok(()))
        })?;
        if wanted == "last"
            && let Some(last) = ids.last()
        {
            return Ok(last.clone());
        }
        if ids.iter().any(|id| id == wanted) {
            return Ok(wanted.to_owned());
        }
        let games = ids.len();
        ids.retain(|id| !wanted.is_empty() && id.starts_with(wanted));
        match ids.len() {
            0 => Err(JournalError::NoGame { found: wanted.to_owned(), games }),
            1 => Ok(ids.remove(0)),
            _ => {
                ids.truncate(AMBIGUOUS_SHOWN_MAX);
                Err(JournalError::Ambiguous { found: wanted.to_owned(), ids })
            }
        }
    }

    /// The events of a game in order, the arbiter's among them.
    pub fn game(&self, wanted: &str) -> Result<Vec<Event>, JournalError> {
        self.events_of(&self.find(wanted)?)
    }

    /// The record of a game, all corrections made.
    pub fn record(&self, wanted: &str) -> Result<GameRecord, JournalError> {
        self.record_of(&self.find(wanted)?)
    }

    /// All events of a table after (not including) the live event `seq` of the named session, in order.
    pub fn events_after(&self, session: &str, table_id: &str, seq: u64) -> Result<Vec<Event>, JournalError> {
        let sql = "SELECT event.id, json FROM event JOIN session ON session.id = event.session
             WHERE session.name = ?1 AND table_id = ?2 AND event.id > coalesce(
                (SELECT max(e.id) FROM event e WHERE e.session = session.id AND e.feed = 0 AND e.seq <= ?3), 0)
             ORDER BY event.id";
        self.events(sql, params![session, table_id, seq as i64])
    }

    /// At most `most` events, of one table or of all, after row `after` up to row `until`, in order, each with its row;
    /// and up to which row there are no others. What is not written yet is not there yet.
    pub fn rows_between(
        &self,
        table_id: Option<&str>,
        after: i64,
        until: i64,
        most: usize,
    ) -> Result<(Vec<(i64, Event)>, i64), JournalError> {
        let newest = self.connection.query_row("SELECT coalesce(max(id), 0) FROM event", [], |row| row.get(0));
        let until = until.min(newest.map_err(|e| JournalError::sqlite(&self.path, &e))?).max(after);
        let sql = "SELECT id, json FROM event WHERE id > ?2 AND id <= ?3
             AND (?1 IS NULL OR (SELECT table_id FROM session WHERE session.id = event.session) = ?1)
             ORDER BY id LIMIT ?4";
        let (mut rows, mut last, mut count) = (Vec::new(), after, 0);
        self.each(sql, params![table_id, after, until, most as i64], |row| {
            let (id, json): (i64, String) = (row.get(0)?, row.get(1)?);
            (last, count) = (id, count + 1);
            // A damaged row must not stop what comes after it.
            match self.event(id, &json) {
                Ok(event) => rows.push((id, event)),
                Err(error) => tracing::error!("{error}"),
            }
            Ok(Ok(()))
        })?;
        Ok((rows, if count < most { until } else { last }))
    }

    /// At most `most` events of a table's live feed from `seq` on, in order.
    pub fn live_from(&self, table_id: &str, seq: u64, most: usize) -> Result<Vec<Event>, JournalError> {
        let mut events = Vec::new();
        for session in self.sessions_from(table_id, seq)? {
            let left = most - events.len();
            let sql = "SELECT id, json FROM event WHERE session = ?1 AND feed = 0 AND seq >= ?2 ORDER BY seq LIMIT ?3";
            events.extend(self.events(sql, params![session, seq as i64, left as i64])?);
            if events.len() == most {
                break;
            }
        }
        Ok(events)
    }

    /// Sessions of a table that have live events from `seq` on, in order.
    fn sessions_from(&self, table_id: &str, seq: u64) -> Result<Vec<i64>, JournalError> {
        let mut sessions = Vec::new();
        let sql = "SELECT id, (SELECT min(seq) FROM event WHERE session = session.id AND feed = 0)
             FROM session WHERE table_id = ?1 ORDER BY id DESC";
        let mut earlier = true;
        self.each(sql, params![table_id], |row| {
            let first: Option<i64> = if earlier { row.get(1)? } else { None };
            if earlier {
                sessions.push(row.get(0)?);
            }
            earlier &= first.is_none_or(|first| first > seq as i64);
            Ok(Ok(()))
        })?;
        sessions.reverse();
        Ok(sessions)
    }

    /// The record of the game that a table played at a row, as it was then, if it has no end there.
    pub fn record_at(&self, table_id: &str, row: i64) -> Result<Option<GameRecord>, JournalError> {
        let sql = "SELECT game FROM event WHERE kind = 'game-started' AND game IS NOT NULL AND id <= ?2
             AND session IN (SELECT id FROM session WHERE table_id = ?1) ORDER BY session DESC, id DESC LIMIT 1";
        let game = self.connection.query_row(sql, params![table_id, row], |row| row.get::<_, String>(0)).optional();
        let Some(game) = game.map_err(|e| JournalError::sqlite(&self.path, &e))? else { return Ok(None) };
        let sql = "SELECT id, json FROM event WHERE game = ?1 AND id <= ?2 ORDER BY id";
        let record = GameRecord::fold(&self.events(sql, params![game, row])?).pop();
        Ok(record.filter(|record| record.ended.is_none()))
    }

    /// What was known of a table before the session with this number, which is opened at `opened_us` microseconds since
    /// 1970 UTC.
    pub fn past(&self, table_id: &str, session: i64, opened_us: i64) -> Result<Resume, JournalError> {
        // A journal of an older version has no table of devices until a daemon has opened it.
        if store::check(&self.connection, &self.path)? < store::SCHEMA_VERSION {
            return Ok(Resume::default());
        }
        past::of(&self.connection, table_id, session, opened_us).map_err(|e| JournalError::sqlite(&self.path, &e))
    }

    /// Writes what the table received, from the start of its session to the end of the game, as a capture file. The
    /// machine must see the set-up and the start-up of the devices, too. A game over several starts of the daemon is
    /// one capture; `t` counts from the first start on.
    pub fn capture(&self, wanted: &str, out: &mut dyn io::Write) -> Result<(), JournalError> {
        let game = self.find(wanted)?;
        let sessions = self.sessions(&game)?;
        let kept = |session: &SessionText| self.has_inputs(session.id) && session.from >= self.inputs_from(session.id);
        let Some(first) = sessions.first().filter(|session| kept(session)) else {
            return Err(JournalError::NoInputs(game));
        };
        let (mut shifts, mut end) = (Vec::new(), 0);
        let mut last: Option<(&str, i64)> = None;
        for session in &sessions {
            let shift = match last {
                // The table was opened again by the same start of the daemon.
                Some((name, shift)) if name == session.name => shift,
                // The wall clock may have been set back between two starts; the capture's time may not.
                _ => (session.started_us - first.started_us).max(end),
            };
            shifts.push((shift, shift.max(end)));
            end = end.max(shift.saturating_add(session.until.min(self.last_instant(session.id)?)));
            last = Some((&session.name, shift));
        }
        self.header(first, end)?.write(out)?;
        for (index, (session, (shift, from))) in sessions.iter().zip(shifts).enumerate() {
            if index > 0 {
                unplug(&session.settings, Instant(from), out)?;
            }
            self.write_inputs(session, shift, out)?;
        }
        Ok(())
    }

    /// The header with which a replay counts as the session did.
    fn header(&self, first: &SessionText, end: i64) -> Result<Header, JournalError> {
        let started = jiff::Timestamp::from_microsecond(first.started_us)
            .map_err(|e| self.row_error("session", first.id, &e.to_string()))?;
        let counts = self.counts_before(first.id)?;
        Ok(Header {
            session: Some(first.name.clone()),
            seq: counts.seq,
            incident: counts.incident,
            resume: self.past(&first.settings.id, first.id, first.started_us)?,
            end: Some(Instant(end)),
            ..Header::new(started.to_string(), first.settings.clone())
        })
    }

    /// What a session's table counted from.
    pub(super) fn counts_before(&self, session: i64) -> Result<Counts, JournalError> {
        let sql = "SELECT coalesce(max(seq), 0) + 1 FROM event JOIN session ON session.id = event.session
             WHERE session.id < ?1 AND feed = ?2 AND table_id = (SELECT table_id FROM session WHERE id = ?1)";
        let next = |feed: i64| -> Result<u64, JournalError> {
            let next = self.connection.query_row(sql, [session, feed], |row| row.get::<_, i64>(0));
            Ok(next.map_err(|e| JournalError::sqlite(&self.path, &e))? as u64)
        };
        Ok(Counts { seq: next(0)?, incident: next(1)? })
    }

    /// The last instant of a session that is recorded.
    pub(super) fn last_instant(&self, session: i64) -> Result<i64, JournalError> {
        let sql = "SELECT max(coalesce((SELECT max(t) FROM input WHERE session = ?1), 0),
                              coalesce((SELECT max(t) FROM event WHERE session = ?1), 0))";
        let last = self.connection.query_row(sql, [session], |row| row.get(0));
        last.map_err(|e| JournalError::sqlite(&self.path, &e))
    }

    /// Writes the inputs of one session, `t` later by `shift`.
    fn write_inputs(&self, session: &SessionText, shift: i64, out: &mut dyn io::Write) -> Result<(), JournalError> {
        let sql = "SELECT id, t, kind, device, data FROM input WHERE session = ?1 AND t <= ?2 ORDER BY id";
        self.each(sql, params![session.id, session.until], |row| {
            let id = row.get(0)?;
            let t = Instant(row.get::<_, i64>(1)?.saturating_add(shift));
            let raw = raw_input(row.get(2)?, row.get::<_, Option<i64>>(3)?, row.get(4)?);
            Ok(match raw {
                Ok(raw) => RawInput { t, raw }.write(&session.settings.device, out).map_err(JournalError::Export),
                Err(found) => Err(self.row_error("input", id, &found)),
            })
        })
    }

    /// The sessions in which a game was played, each with the last instant that belongs to the game.
    pub(super) fn sessions(&self, game: &str) -> Result<Vec<SessionText>, JournalError> {
        let mut sessions = Vec::new();
        let sql = "SELECT session.id, name, started_us, settings, max(t), max(kind = 'game-ended'), min(t)
             FROM event JOIN session ON session.id = event.session WHERE game = ?1
             GROUP BY session.id ORDER BY session.id";
        self.each(sql, params![game], |row| {
            let (id, text): (i64, String) = (row.get(0)?, row.get(3)?);
            let ended: bool = row.get(5)?;
            let until = if ended { row.get::<_, i64>(4)?.saturating_add(CAPTURE_TAIL) } else { i64::MAX };
            let settings = match serde_json::from_str(&text) {
                Ok(settings) => settings,
                Err(e) => return Ok(Err(self.row_error("session", id, &e.to_string()))),
            };
            let (name, started_us, from) = (row.get(1)?, row.get(2)?, row.get(6)?);
            sessions.push(SessionText { id, name, started_us, settings, from, until });
            Ok(Ok(()))
        })?;
        Ok(sessions)
    }

    pub(super) fn has_inputs(&self, session: i64) -> bool {
        let sql = "SELECT 1 FROM input WHERE session = ?1 LIMIT 1";
        self.connection.query_row(sql, [session], |_| Ok(())).optional().is_ok_and(|found| found.is_some())
    }

    /// Since when a session's inputs are kept.
    pub(super) fn inputs_from(&self, session: i64) -> i64 {
        let sql = "SELECT inputs_from FROM session WHERE id = ?1";
        // A journal of an older version has kept all.
        self.connection.query_row(sql, [session], |row| row.get(0)).unwrap_or(0)
    }

    fn events_of(&self, game: &str) -> Result<Vec<Event>, JournalError> {
        self.events("SELECT id, json FROM event WHERE game = ?1 ORDER BY id", params![game])
    }

    fn record_of(&self, game: &str) -> Result<GameRecord, JournalError> {
        let records = GameRecord::fold(&self.events_of(game)?);
        let missing = || JournalError::NoGame { found: game.to_owned(), games: 0 };
        records.into_iter().next().ok_or_else(missing)
    }

    fn events(&self, sql: &str, params: &[&dyn rusqlite::ToSql]) -> Result<Vec<Event>, JournalError> {
        let mut events = Vec::new();
        self.each(sql, params, |row| {
            let (id, json): (i64, String) = (row.get(0)?, row.get(1)?);
            Ok(self.event(id, &json).map(|event| events.push(event)))
        })?;
        Ok(events)
    }

    fn event(&self, id: i64, json: &str) -> Result<Event, JournalError> {
        serde_json::from_str(json).map_err(|e| self.damaged(id, &e.to_string()))
    }

    /// Runs `take` over the rows of a query, up to its first error.
    pub(super) fn each(
        &self,
        sql: &str,
        params: &[&dyn rusqlite::ToSql],
        mut take: impl FnMut(&Row<'_>) -> rusqlite::Result<Result<(), JournalError>>,
    ) -> Result<(), JournalError> {
        let wrong = |e: rusqlite::Error| JournalError::sqlite(&self.path, &e);
        let mut statement = self.connection.prepare_cached(sql).map_err(wrong)?;
        let mut rows = statement.query(params).map_err(wrong)?;
        while let Some(row) = rows.next().map_err(wrong)? {
            take(row).map_err(wrong)??;
        }
        Ok(())
    }

    fn damaged(&self, id: i64, found: &str) -> JournalError {
        self.row_error("event", id, found)
    }

    pub(super) fn row_error(&self, what: &'static str, row: i64, found: &str) -> JournalError {
        JournalError::Row { path: self.path.clone(), what, row, found: found.to_owned() }
    }
}

/// A session of a game as it was recorded.
pub(super) struct SessionText {
    pub id: i64,
    pub name: String,
    pub started_us: i64,
    pub settings: TableSettings,
    /// First instant of the game.
    pub from: i64,
    /// Last instant that belongs to the game.
    until: i64,
}

/// A daemon that starts has no port open.
fn unplug(settings: &TableSettings, t: Instant, out: &mut dyn io::Write) -> Result<(), JournalError> {
    let down = (0..settings.device.len()).map(|device| RawInput { t, raw: Raw::Link(device, false) });
    down.into_iter().try_for_each(|input| input.write(&settings.device, out)).map_err(JournalError::Export)
}

/// Opens the file for reading. Without the right to write the directory and without a running daemon SQLite cannot make
/// its shared memory; a journal that was closed whole is then read as the unchanging file that it is.
pub(super) fn connect(path: &Path) -> Result<Connection, JournalError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let wrong = |e: rusqlite::Error| JournalError::sqlite(path, &e);
    let connection = Connection::open_with_flags(path, flags).map_err(wrong)?;
    connection.busy_timeout(BUSY_WAIT).map_err(wrong)?;
    let probe = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
    match probe {
        Err(e) if e.sqlite_error_code() == Some(rusqlite::ErrorCode::CannotOpen) && !has_log(path) => {
            let uri = format!("file:{}?immutable=1", escape(path));
            Connection::open_with_flags(uri, flags).map_err(wrong)
        }
        _ => Ok(connection),
    }
}

/// Whether committed rows stand in a log beside the file.
fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    fs::metadata(log).is_ok_and(|found| found.len() > 0)
}

/// A path as an URI has it.
fn escape(path: &Path) -> String {
    path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

pub(super) fn raw_input(kind: i64, device: Option<i64>, data: Vec<u8>) -> Result<Raw, String> {
    let device = device.and_then(|index| usize::try_from(index).ok());
    match (kind, device) {
        (0, Some(device)) => Ok(Raw::Rx(device, data)),
        (1, Some(device)) => Ok(Raw::Tx(device, data)),
        (2, Some(device)) => Ok(Raw::Link(device, data == [1])),
        (3, None) => serde_json::from_slice(&data).map(Raw::Request).map_err(|e| e.to_string()),
        _ => Err(format!("kind {kind} with device {device:?}")),
    }
}

fn summarise(start: &Event, end: Option<&Event>, plies: usize) -> Option<GameSummary> {
    let Body::GameStarted(started) = &start.body else { return None };
    let (result, reason) = match end.map(|event| &event.body) {
        Some(Body::GameEnded(GameEnded { result, reason, .. })) => (result.clone(), reason.clone()),
        _ => ("*".to_owned(), String::new()),
    };
    Some(GameSummary {
        game: start.game.clone()?,
        table: start.table.clone(),
        started: start.time.clone(),
        ruleset: started.ruleset.clone(),
        time_control: started.time_control.clone(),
        players: started.players.clone(),
        plies,
        result,
        reason,
    })
}

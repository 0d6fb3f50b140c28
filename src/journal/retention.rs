//! Which raw bytes are kept, and for how long.
//!
//! In: an age and a size. Out: one small deletion a call, the oldest first, so that nobody waits for it. Events are
//! never deleted. The file does not shrink: what was deleted makes room for what comes.

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use crate::types::SECOND;

/// Rows that one call deletes.
const ROWS_MAX: i64 = 2000;
/// Raw bytes that are younger than this are kept whatever the size: a game may be disputed, in µs.
const DAY_US: i64 = 86_400 * SECOND;

/// How long raw bytes are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Days after which they are deleted; none for never.
    pub days: Option<u32>,
    /// Bytes of the journal beyond which the oldest are deleted, but for those of the last day; none for no bound.
    pub bytes: Option<u64>,
}

impl Default for Retention {
    /// A season of tournaments, and a part of a small SD card.
    fn default() -> Retention {
        Retention { days: Some(90), bytes: Some(4 << 30) }
    }
}

/// The time, as sessions tell it that were opened before and after the journal: a machine without a battery learns the
/// date while it records, and what it records must not be old at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Now {
    /// The wall clock, in microseconds since 1970 UTC.
    pub wall_us: i64,
    /// The same as if it had not been set since the journal was opened.
    pub own_us: i64,
    /// The first session since then.
    pub first_own: i64,
}

/// The oldest input: its session, and when it was received in microseconds since 1970 UTC.
struct Oldest {
    session: i64,
    started_us: i64,
    received_us: i64,
}

/// Deletes some of the oldest inputs that need not be kept now. Answers how many.
pub(super) fn retire(connection: &mut Connection, retention: Retention, now: Now) -> rusqlite::Result<usize> {
    let Some(oldest) = oldest(connection)? else { return Ok(0) };
    let now_us = if oldest.session >= now.first_own { now.own_us } else { now.wall_us };
    let age = retention.days.map(|days| now_us.saturating_sub(i64::from(days).saturating_mul(DAY_US)));
    let over = match retention.bytes {
        Some(most) => bytes(connection)? > most,
        None => false,
    };
    let size = over.then_some(now_us.saturating_sub(DAY_US));
    let Some(before_us) = age.into_iter().chain(size).max().filter(|before| oldest.received_us < *before) else {
        return Ok(0);
    };
    let before = before_us.saturating_sub(oldest.started_us);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let deleted = transaction.execute(
        "DELETE FROM input WHERE id IN (SELECT id FROM input WHERE session = ?1 ORDER BY id LIMIT ?2) AND t < ?3",
        params![oldest.session, ROWS_MAX, before],
    )?;
    transaction.execute(
        "UPDATE session SET inputs_from =
            coalesce((SELECT t FROM input WHERE session = ?1 ORDER BY id LIMIT 1), ?2) WHERE id = ?1",
        params![oldest.session, i64::MAX],
    )?;
    transaction.commit()?;
    Ok(deleted)
}

fn oldest(connection: &Connection) -> rusqlite::Result<Option<Oldest>> {
    let sql = "SELECT session, started_us, started_us + t FROM input JOIN session ON session.id = input.session
               ORDER BY input.id LIMIT 1";
    let oldest = |row: &rusqlite::Row<'_>| {
        Ok(Oldest { session: row.get(0)?, started_us: row.get(1)?, received_us: row.get(2)? })
    };
    connection.query_row(sql, [], oldest).optional()
}

/// Bytes of the file that are in use.
fn bytes(connection: &Connection) -> rusqlite::Result<u64> {
    let number = |sql| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let pages = number("PRAGMA page_count")?.saturating_sub(number("PRAGMA freelist_count")?);
    Ok(pages.saturating_mul(number("PRAGMA page_size")?).unsigned_abs())
}

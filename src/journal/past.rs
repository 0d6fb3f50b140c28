//! What a table that is opened again must know of the time before.
//!
//! In: an open journal. Out: [`Resume`]: the game that has no end yet, and how the devices lay. It writes nothing.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::{
    event::Event,
    record,
    sense::Side,
    table::resume::{Found, Resume},
    types::SECOND,
};

/// A game that nobody has touched for so long is not gone on with, in µs.
const RESUME_MAX_US: i64 = 12 * 3600 * SECOND;

/// What was known of a table before the session with this number, which is opened at `opened_us` microseconds since
/// 1970 UTC.
pub(super) fn of(connection: &Connection, table: &str, session: i64, opened_us: i64) -> rusqlite::Result<Resume> {
    let devices = devices(connection, table, session)?;
    let game = match last_game(connection, table, session)? {
        Some(game) if opened_us.saturating_sub(last_told_us(connection, &game, session)?) <= RESUME_MAX_US => {
            record::unfinished(&events(connection, &game, session)?, opened_us)
        }
        _ => None,
    };
    Ok(Resume { devices, game })
}

/// The id of the table's last game.
fn last_game(connection: &Connection, table: &str, session: i64) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT game FROM event WHERE kind = 'game-started' AND game IS NOT NULL
               AND session IN (SELECT id FROM session WHERE table_id = ?1 AND id < ?2)
               ORDER BY session DESC, id DESC LIMIT 1";
    connection.query_row(sql, params![table, session], |row| row.get(0)).optional()
}

/// When the last event of a game was told, in microseconds since 1970 UTC.
fn last_told_us(connection: &Connection, game: &str, session: i64) -> rusqlite::Result<i64> {
    let sql = "SELECT max(started_us + t) FROM event JOIN session ON session.id = event.session
               WHERE game = ?1 AND event.session < ?2";
    connection.query_row(sql, params![game, session], |row| row.get(0))
}

/// The events of a game that outlive a restart. One that does not read is passed over with a warning: a damaged row
/// must not keep a table from opening.
fn events(connection: &Connection, game: &str, session: i64) -> rusqlite::Result<Vec<Event>> {
    let sql = "SELECT id, json FROM event WHERE game = ?1 AND session < ?2
               AND kind IN ('game-started', 'move', 'correction', 'game-ended', 'incident', 'ruling', 'pocket')
               ORDER BY id";
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map(params![game, session], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    let mut events = Vec::new();
    for row in rows {
        let (id, json): (i64, String) = row?;
        match serde_json::from_str(&json) {
            Ok(event) => events.push(event),
            Err(error) => {
                tracing::error!("event {id} of the journal does not read ({error}); the game goes on without")
            }
        }
    }
    Ok(events)
}

/// What was found out last of each device.
fn devices(connection: &Connection, table: &str, session: i64) -> rusqlite::Result<BTreeMap<String, Found>> {
    let sql = "SELECT name, turned, clock_white FROM device
               WHERE session IN (SELECT id FROM session WHERE table_id = ?1 AND id < ?2) ORDER BY id";
    let mut statement = connection.prepare(sql)?;
    let mut devices: BTreeMap<String, Found> = BTreeMap::new();
    let rows = statement.query_map(params![table, session], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    for row in rows {
        let (name, turned, white): (String, Option<bool>, Option<String>) = row?;
        let found = devices.entry(name).or_default();
        found.turned = turned.or(found.turned);
        found.clock_white = white.as_deref().and_then(side).or(found.clock_white);
    }
    Ok(devices)
}

fn side(word: &str) -> Option<Side> {
    match word {
        "left" => Some(Side::Left),
        "right" => Some(Side::Right),
        _ => None,
    }
}

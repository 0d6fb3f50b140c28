//! Everything that a table received since its unfinished game began.
//!
//! In: an open journal. Out: a [`Trail`], if all of it is there and the table is what it was. It writes nothing.

use rusqlite::params;

use super::{
    Counts, JournalError, Reader,
    reader::{SessionText, raw_input},
};
use crate::{
    table::{
        Opening,
        capture::{Raw, RawInput},
        retrace::{Stretch, Trail},
        settings::TableSettings,
    },
    types::Instant,
};

/// Most inputs that are gone through at a start: a day of play on one table.
const INPUTS_MAX: i64 = 400_000;

impl Reader {
    /// What a table with these settings received since the game with this id began; none where the raw bytes were not
    /// kept, are too many or came to a table with other settings.
    pub fn trail(&self, game: &str, settings: &TableSettings) -> Result<Option<Trail>, JournalError> {
        let sessions = self.sessions(game)?;
        let Some(first) = sessions.first() else { return Ok(None) };
        let whole = |session: &SessionText| session.settings == *settings && self.inputs_from(session.id) == 0;
        let ids: Vec<i64> = sessions.iter().map(|session| session.id).collect();
        let kept = self.has_inputs(first.id) && sessions.iter().all(whole);
        if !kept || self.count_inputs(&ids)? > INPUTS_MAX {
            return Ok(None);
        }
        let devices = self.past(&settings.id, first.id, first.started_us)?.devices;
        let (began, seq, incident) = self.beginning(game, &settings.id)?;
        let mut stretches = Vec::with_capacity(sessions.len());
        for (index, session) in sessions.iter().enumerate() {
            let (from, counts) = match index {
                0 => (Instant::ZERO, Counts { seq, incident }),
                _ => (Instant(session.from), self.counts_before(session.id)?),
            };
            let until = Instant(self.last_instant(session.id)?).max(from);
            let Counts { seq, incident } = counts;
            let opening = Opening { session: session.name.clone(), started_us: session.started_us, seq, incident };
            stretches.push(Stretch { opening, from, until, inputs: self.inputs(session.id)? });
        }
        Ok(Some(Trail { devices, began, stretches }))
    }

    fn count_inputs(&self, sessions: &[i64]) -> Result<i64, JournalError> {
        let mut count = 0;
        for session in sessions {
            let sql = "SELECT count(*) FROM input WHERE session = ?1 AND kind <> 1";
            self.each(sql, params![session], |row| {
                count += row.get::<_, i64>(0)?;
                Ok(Ok(()))
            })?;
        }
        Ok(count)
    }

    /// When a game began, with which `seq`, and the first number of its incidents.
    fn beginning(&self, game: &str, table_id: &str) -> Result<(Instant, u64, u64), JournalError> {
        let mut found = (Instant::ZERO, 1, 1);
        let sql = "SELECT start.t, start.seq,
                 (SELECT coalesce(max(event.seq), 0) + 1 FROM event JOIN session ON session.id = event.session
                  WHERE table_id = ?2 AND feed = 1 AND event.id < start.id)
             FROM event AS start WHERE start.game = ?1 AND start.kind = 'game-started'";
        self.each(sql, params![game, table_id], |row| {
            found = (Instant(row.get(0)?), row.get::<_, i64>(1)? as u64, row.get::<_, i64>(2)? as u64);
            Ok(Ok(()))
        })?;
        Ok(found)
    }

    /// What a session's table received.
    fn inputs(&self, session: i64) -> Result<Vec<RawInput>, JournalError> {
        let mut inputs = Vec::new();
        let sql = "SELECT id, t, kind, device, data FROM input WHERE session = ?1 AND kind <> 1 ORDER BY id";
        self.each(sql, params![session], |row| {
            let (id, t) = (row.get(0)?, Instant(row.get(1)?));
            let raw: Result<Raw, String> = raw_input(row.get(2)?, row.get(3)?, row.get(4)?);
            Ok(raw.map(|raw| inputs.push(RawInput { t, raw })).map_err(|found| self.row_error("input", id, &found)))
        })?;
        Ok(inputs)
    }
}

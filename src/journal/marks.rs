//! Numbers that outlive the daemon: how far the bus has got.
//!
//! In: rows of events that the broker has, or that the public feed has shown. Out: the same after the next start. The
//! writer keeps them with whatever it commits next, so that they cost no commit of their own; what they lag behind
//! after a loss of power is told again and known by its `seq`.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use rusqlite::{Connection, params};

/// The marks of one journal. Clones are the same marks.
#[derive(Clone, Debug, Default)]
pub struct Marks(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    values: BTreeMap<String, i64>,
    /// Names whose values are not written yet.
    changed: Vec<String>,
}

impl Marks {
    pub(super) fn read(connection: &Connection) -> rusqlite::Result<Marks> {
        let mut statement = connection.prepare("SELECT name, value FROM mark")?;
        let values = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let values = values.collect::<rusqlite::Result<_>>()?;
        Ok(Marks(Arc::new(Mutex::new(Known { values, changed: Vec::new() }))))
    }

    /// The value of a mark, if it was ever set.
    pub fn get(&self, name: &str) -> Option<i64> {
        self.known().values.get(name).copied()
    }

    /// Sets a mark; it is written with the next commit.
    pub fn set(&self, name: &str, value: i64) {
        let mut known = self.known();
        if known.values.get(name) == Some(&value) {
            return;
        }
        known.values.insert(name.to_owned(), value);
        if !known.changed.iter().any(|changed| changed == name) {
            known.changed.push(name.to_owned());
        }
    }

    /// Writes what has changed. The caller calls [`Marks::written`] once it is committed.
    pub(super) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let known = self.known();
        for name in &known.changed {
            let value = known.values.get(name).copied().unwrap_or_default();
            connection
                .prepare_cached(
                    "INSERT INTO mark (name, value) VALUES (?1, ?2)
                                 ON CONFLICT (name) DO UPDATE SET value = ?2",
                )?
                .execute(params![name, value])?;
        }
        Ok(())
    }

    /// What was changed until now is committed. What changed meanwhile is written again with the next commit.
    pub(super) fn written(&self) {
        self.known().changed.clear();
    }

    /// Writes what has changed since the writer of the journal in `dir` ended.
    pub fn save(&self, dir: &Path) -> rusqlite::Result<()> {
        let connection = Connection::open(dir.join(super::store::FILE_NAME))?;
        self.write(&connection)?;
        self.written();
        Ok(())
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! What may be wrong with a journal, in words that say what to do.
//!
//! In: errors of SQLite and of the file system. Out: [`JournalError`]. It knows nothing of exit codes.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use rusqlite::ErrorCode;

/// The journal cannot be opened, read or exported.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The data directory does not exist.
    #[error(
        "expected the data directory {0}, found none; create it, owned by the user who runs the daemon, or change \
         node.data_dir"
    )]
    NoDirectory(PathBuf),
    /// The data directory is something else.
    #[error("expected {0} to be a directory, found a file; change node.data_dir or move the file away")]
    NotDirectory(PathBuf),
    /// There is no journal yet.
    #[error("expected a journal at {0}, found none; nothing was recorded here yet, or the data directory is another")]
    Missing(PathBuf),
    /// The rights do not suffice.
    #[error("expected to be allowed to {right} {path}, permission denied; run as the daemon's user or mend the rights")]
    Permission {
        /// `read` or `write`.
        right: &'static str,
        /// The file or directory.
        path: PathBuf,
    },
    /// The disk takes nothing: it is full, read-only or fails.
    #[error("the disk takes nothing at {path} ({found}); free some space, or mend the mount or the disk")]
    Unwritable {
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        found: String,
    },
    /// Another daemon writes there.
    #[error("the journal {path} is in use by another daemon ({holder}); stop it or use another data directory")]
    InUse {
        /// The journal.
        path: PathBuf,
        /// What the lock file says of the other one.
        holder: String,
    },
    /// The file is no journal.
    #[error("expected a journal at {path}, found {found}; move the file away, a new journal is made at the next start")]
    NotJournal {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        found: &'static str,
    },
    /// The file is a damaged journal.
    #[error(
        "the journal {path} is damaged ({found}); copy it to a safe place, then move it away or try \
         `sqlite3 {path} .recover`"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        found: String,
    },
    /// The journal was written by a later version.
    #[error(
        "expected a journal of version {known} or older at {path}, found version {found}; use a newer bughoused or \
         another data directory"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest version that is understood.
        known: i64,
    },
    /// No game has that id.
    #[error(
        "expected the id of a recorded game, the beginning of one, or `last`; found {found:?}, which names none of \
             {games} games; `bughoused games` lists them"
    )]
    NoGame {
        /// What was asked for.
        found: String,
        /// How many games there are.
        games: usize,
    },
    /// Several games begin with that.
    #[error("expected one game, {found:?} names {}; write more of the id", .ids.join(", "))]
    Ambiguous {
        /// What was asked for.
        found: String,
        /// The games.
        ids: Vec<String>,
    },
    /// A capture was asked for and nothing was kept.
    #[error("no raw bytes were kept of game {0}; set `capture = true` at its [[table]] to keep them in future")]
    NoInputs(String),
    /// The text of a row is not what was written.
    #[error("the journal {path} is damaged: {what} {row} does not read ({found}); the rest can still be exported")]
    Row {
        /// The file.
        path: PathBuf,
        /// Which kind of row.
        what: &'static str,
        /// Its number.
        row: i64,
        /// What is wrong.
        found: String,
    },
    /// The thread that writes could not be started.
    #[error("the writer of the journal could not be started: {0}; look at the limits of processes and memory")]
    Thread(io::Error),
    /// An export could not be written.
    #[error("the export could not be written: {0}")]
    Export(#[from] io::Error),
    /// Whatever else SQLite says.
    #[error("the journal {path} cannot be used: {found}; look at the disk and at the rights of the data directory")]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        found: String,
    },
}

impl JournalError {
    /// What an error of SQLite means for the journal at `path`.
    pub(super) fn sqlite(path: &Path, error: &rusqlite::Error) -> JournalError {
        let path = path.to_owned();
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => JournalError::NotJournal { path, found: "a file that is no database" },
            Some(ErrorCode::DatabaseCorrupt) => JournalError::Damaged { path, found: error.to_string() },
            Some(ErrorCode::PermissionDenied) => JournalError::Permission { right: "write", path },
            Some(ErrorCode::ReadOnly) => match fs::File::options().append(true).open(&path) {
                Err(io) => JournalError::file(&path, "write", &io),
                Ok(_) => JournalError::Unwritable { path, found: error.to_string() },
            },
            Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure | ErrorCode::CannotOpen) => {
                JournalError::Unwritable { path, found: error.to_string() }
            }
            _ => JournalError::Sqlite { path, found: error.to_string() },
        }
    }

    /// What an error of the file system means for `path`.
    pub(super) fn file(path: &Path, right: &'static str, error: &io::Error) -> JournalError {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::PermissionDenied => JournalError::Permission { right, path },
            _ if takes_nothing(error) => JournalError::Unwritable { path, found: error.to_string() },
            _ => JournalError::Sqlite { path, found: error.to_string() },
        }
    }
}

/// Whether the disk takes nothing, whatever the rights are.
pub fn takes_nothing(error: &io::Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | ReadOnlyFilesystem)
}

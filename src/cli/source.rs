//! Where the recorded games are: `--config FILE` or `--data DIR`.
//!
//! In: those arguments. Out: an open [`Reader`], and errors of the journal with their exit codes.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use super::{Exit, Failure, check::bad_config};
use crate::{
    daemon::config::{Config, DEFAULT_PATH},
    journal::{JournalError, Reader},
};

/// Which journal is read.
#[derive(Debug, Default, clap::Args)]
pub struct Source {
    /// The configuration that names the data directory [default: /etc/bughoused/bughoused.toml]
    #[arg(long, value_name = "FILE", conflicts_with = "data")]
    pub config: Option<PathBuf>,
    /// The data directory, with journal.sqlite3 in it
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
}

impl Source {
    /// Opens the journal.
    pub(super) fn open(&self) -> Result<Reader, Failure> {
        let dir = match (&self.data, &self.config) {
            (Some(dir), _) => dir.clone(),
            (None, Some(file)) => Config::load(file).map_err(bad_config)?.node.data_dir,
            (None, None) if !Path::new(DEFAULT_PATH).exists() => {
                let line = format!(
                    "expected a configuration at {DEFAULT_PATH}, found none; name one with --config FILE or the data \
                     directory with --data DIR"
                );
                return Err(Failure::new(Exit::Unavailable, line));
            }
            (None, None) => Config::load(Path::new(DEFAULT_PATH)).map_err(bad_config)?.node.data_dir,
        };
        Reader::open(&dir).map_err(failure)
    }
}

/// An error of the journal with its exit code; a reader of the output that went away is none.
pub(super) fn failure(error: JournalError) -> Failure {
    let exit = match &error {
        JournalError::NotJournal { .. } | JournalError::Damaged { .. } | JournalError::Row { .. } => Exit::BadInput,
        JournalError::NoGame { .. }
        | JournalError::Ambiguous { .. }
        | JournalError::NoInputs(_)
        | JournalError::Export(_) => Exit::Failed,
        _ => Exit::Unavailable,
    };
    Failure::new(exit, error)
}

/// Whether the output went away while it was written.
pub(super) fn is_broken_pipe(error: &JournalError) -> bool {
    matches!(error, JournalError::Export(io) if io.kind() == ErrorKind::BrokenPipe)
}

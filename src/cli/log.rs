//! Log lines on stderr: how many and how they look.
//!
//! `-q` and `-v` choose how many; `RUST_LOG` overrides them as usual. Colours only on a terminal and not with
//! `NO_COLOR`; no time where the systemd journal writes its own.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::{
    EnvFilter, Layer as _, filter::LevelFilter, fmt, layer::SubscriberExt as _, util::SubscriberInitExt as _,
};

use crate::daemon::log_tap::LogTap;

/// How much is told.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Args {
    /// Tell less: only errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Tell more; twice for everything
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
}

/// What a command logs by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(dead_code, reason = "not every command has come yet")]
pub(super) enum Level {
    /// Only what failed.
    Error,
    /// What needs a look.
    Warn,
    /// What a daemon does.
    Info,
}

impl Args {
    /// Starts logging for the process.
    pub fn start(&self, level: Level) {
        let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(self.filter(level)));
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let lines =
            fmt::layer().with_writer(io::stderr).with_ansi(io::stderr().is_terminal() && !no_color).with_target(false);
        let lines = match std::env::var_os("JOURNAL_STREAM") {
            Some(_) => lines.without_time().with_filter(filter).boxed(),
            None => lines.with_filter(filter).boxed(),
        };
        tracing_subscriber::registry().with(lines).with(LogTap.with_filter(LevelFilter::WARN)).init();
    }

    /// The libraries speak up only when asked.
    fn filter(&self, level: Level) -> &'static str {
        match (self.quiet, self.verbose, level) {
            (true, ..) | (_, 0, Level::Error) => "error",
            (_, 0, Level::Warn) => "error,bughoused=warn",
            (_, 0, Level::Info) => "error,bughoused=info",
            (_, 1, _) => "error,bughoused=debug",
            _ => "debug,bughoused=trace",
        }
    }
}

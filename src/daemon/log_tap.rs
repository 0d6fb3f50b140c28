//! Log lines of warn and above, for `node/N/log`.
//!
//! In: what the program logs, through a layer of the process's subscriber. Out: the same to every node that listens. A
//! node that is slow misses lines; logging waits for nobody.

use std::{
    fmt::{self, Write as _},
    sync::LazyLock,
};

use tokio::sync::broadcast;
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{Layer, layer::Context};

/// Lines that a node may be behind.
const LINES_MAX: usize = 256;
/// Longest line that is passed on, in bytes.
const LINE_BYTES_MAX: usize = 4096;

/// Logging is one for the whole process, so its tap is, too.
static LINES: LazyLock<broadcast::Sender<Line>> = LazyLock::new(|| broadcast::Sender::new(LINES_MAX));

/// One log line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// `warn` or `error`.
    pub level: &'static str,
    /// The text.
    pub message: String,
}

/// All lines from now on.
pub(super) fn lines() -> broadcast::Receiver<Line> {
    LINES.subscribe()
}

/// The layer to add to the process's subscriber.
#[derive(Debug, Default)]
pub struct LogTap;

impl<S: Subscriber> Layer<S> for LogTap {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let level = match *event.metadata().level() {
            Level::ERROR => "error",
            Level::WARN => "warn",
            _ => return,
        };
        if !event.metadata().target().starts_with(env!("CARGO_CRATE_NAME")) {
            return;
        }
        let mut text = Text::default();
        event.record(&mut text);
        let _ = LINES.send(Line { level, message: text.finish() }); // nobody may listen
    }
}

/// The message, then the other fields as `name=value`.
#[derive(Default)]
struct Text {
    message: String,
    fields: String,
}

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a String does not fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

impl Text {
    fn finish(mut self) -> String {
        self.message.push_str(&self.fields);
        let end = (0..=LINE_BYTES_MAX.min(self.message.len())).rev().find(|end| self.message.is_char_boundary(*end));
        self.message.truncate(end.unwrap_or(0));
        self.message
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    #[test]
    fn warnings_pass_and_lesser_lines_do_not() {
        let mut heard = lines();
        tracing::subscriber::with_default(tracing_subscriber::registry().with(LogTap), || {
            tracing::info!("all is well");
            tracing::warn!(port = 3, "{} is gone", "board-a");
            tracing::error!("{}", "é".repeat(LINE_BYTES_MAX));
        });
        let line = heard.try_recv().unwrap();
        assert_eq!((line.level, line.message.as_str()), ("warn", "board-a is gone port=3"));
        let line = heard.try_recv().unwrap();
        assert_eq!((line.level, line.message.len()), ("error", LINE_BYTES_MAX));
        assert!(heard.try_recv().is_err());
    }
}

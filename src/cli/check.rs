//! `bughoused check`: is this configuration good?
//!
//! In: a file. Out: one line when it is, or every problem. No port and no broker is touched.

use std::{io::Write, path::PathBuf};

use super::{Exit, Failure, Outcome, written};
use crate::daemon::config::{Config, DEFAULT_PATH, Problem};

/// Validates a configuration: every problem with its place and how to mend it
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The configuration
    #[arg(default_value = DEFAULT_PATH)]
    pub file: PathBuf,
}

/// Checks the file and says what is in it.
pub fn run(args: &Args, out: &mut dyn Write) -> Outcome {
    let config = Config::load(&args.file).map_err(bad_config)?;
    let plural = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let tables = plural(config.tables.len(), "table");
    written(writeln!(out, "ok: {tables}, {}", plural(config.devices(), "device")))
}

/// What every command answers to a wrong configuration.
pub fn bad_config(problems: Vec<Problem>) -> Failure {
    Failure { exit: Exit::BadConfig, lines: problems.iter().map(Problem::to_string).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> (Outcome, String) {
        let dir = tempfile::TempDir::new().unwrap();
        let file = dir.path().join("c.toml");
        std::fs::write(&file, text).unwrap();
        let mut out = Vec::new();
        let outcome = run(&Args { file }, &mut out);
        (outcome, String::from_utf8(out).unwrap())
    }

    #[test]
    fn a_good_file_is_counted() {
        let (outcome, out) = check(include_str!("../../systemd/bughoused.toml"));
        assert!(outcome.is_ok());
        assert_eq!(out, "ok: 1 table, 3 devices\n");
    }

    #[test]
    fn all_problems_are_lines_and_the_exit_code_is_78() {
        let (outcome, out) = check("[nod]\n[web]\nlisten = 1\n");
        let failure = outcome.unwrap_err();
        assert_eq!((failure.exit, failure.lines.len(), out.as_str()), (Exit::BadConfig, 3, ""));
        assert_eq!(failure.exit as u8, 78);
    }
}

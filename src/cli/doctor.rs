//! `bughoused doctor`: is everything there that a day of games needs?
//!
//! In: a configuration. Out: a line for everything that was looked at, with what to do where something is wrong. It
//! changes nothing; devices are asked who they are only when no daemon talks to them.

mod machine;
mod tables;

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::{Exit, Failure, Outcome};
use crate::{
    daemon::config::{Config, DEFAULT_PATH},
    journal::{JournalError, Reader, holder},
};

/// Look at configuration, disk, journal, ports, devices, broker, clock and service, and say what to do
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The configuration
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    config: PathBuf,
    /// One JSON array instead of lines
    #[arg(long)]
    json: bool,
    /// Do not talk to the devices
    #[arg(long)]
    no_devices: bool,
}

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// As it should be.
    Ok,
    /// Games can be recorded; something may go wrong.
    Warn,
    /// Games cannot be recorded.
    Bad,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    level: Level,
    what: String,
    found: String,
    /// What to do; empty when nothing.
    #[serde(skip_serializing_if = "String::is_empty")]
    advice: String,
}

impl Finding {
    fn ok(what: impl Into<String>, found: impl Into<String>) -> Finding {
        Finding { level: Level::Ok, what: what.into(), found: found.into(), advice: String::new() }
    }

    fn warn(what: impl Into<String>, found: impl Into<String>, advice: impl Into<String>) -> Finding {
        Finding { level: Level::Warn, advice: advice.into(), ..Finding::ok(what, found) }
    }

    fn bad(what: impl Into<String>, found: impl Into<String>, advice: impl Into<String>) -> Finding {
        Finding { level: Level::Bad, advice: advice.into(), ..Finding::ok(what, found) }
    }

    fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let Finding { level, what, found, advice } = self;
        let word = match level {
            Level::Ok => "ok  ",
            Level::Warn => "warn",
            Level::Bad => "bad ",
        };
        match advice.is_empty() {
            true => writeln!(out, "{word} {what}: {found}"),
            false => writeln!(out, "{word} {what}: {found}; {advice}"),
        }
    }
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Outcome {
    let findings = look(args);
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &findings).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else {
        for finding in &findings {
            finding.write(out)?;
        }
    }
    out.flush()?;
    let bad = findings.iter().filter(|finding| finding.level == Level::Bad).count();
    match bad {
        0 => Ok(()),
        _ => Err(Failure::new(Exit::Failed, format!("{bad} of {} things must be mended", findings.len()))),
    }
}

fn look(args: &Args) -> Vec<Finding> {
    let config = match Config::load(&args.config) {
        Ok(config) => config,
        Err(problems) => {
            let finding = |problem: &dyn std::fmt::Display| Finding::bad("configuration", problem.to_string(), "");
            return problems.iter().map(|problem| finding(problem)).chain(machine::look()).collect();
        }
    };
    let tables = config.tables.len();
    let mut findings = vec![Finding::ok("configuration", format!("{}, tables: {tables}", args.config.display()))];
    let daemon = holder(&config.node.data_dir);
    findings.extend(daemon.iter().map(|daemon| Finding::ok("daemon", format!("it runs as {daemon}"))));
    findings.extend(machine::disk(&config.node.data_dir));
    findings.push(journal(&config.node.data_dir));
    findings.push(machine::broker(&config.mqtt.broker, daemon.is_some()));
    findings.extend(machine::look());
    for table in &config.tables {
        findings.extend(tables::look(table, daemon.is_some() || args.no_devices));
    }
    findings
}

/// Whether the journal is sound.
fn journal(dir: &Path) -> Finding {
    let look = || -> Result<(usize, Vec<String>), JournalError> {
        let reader = Reader::open(dir)?;
        Ok((reader.games()?.len(), reader.integrity()?))
    };
    match look() {
        Ok((games, faults)) if faults.is_empty() => Finding::ok("journal", format!("{games} games, sound")),
        Ok((_, faults)) => {
            let advice = "copy it to a safe place with `bughoused backup`, then move it away";
            Finding::bad("journal", faults.join(", "), advice)
        }
        Err(JournalError::Missing(_) | JournalError::NoDirectory(_)) => Finding::ok("journal", "none yet"),
        Err(error) => Finding::bad("journal", error.to_string(), ""),
    }
}

#[cfg(test)]
mod tests;

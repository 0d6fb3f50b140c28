//! One file per subcommand.
//!
//! In: arguments. Out: text on stdout, one line per cause on stderr, an exit code as in sysexits. What a subcommand
//! does lives in the rooms; here are only its arguments, its printing and its errors.

pub mod adjudicate;
pub mod perft;
pub mod replay;
pub mod simulate;

use std::{
    fmt,
    io::{self, IsTerminal, Write},
    process::ExitCode,
};

use clap::{ArgAction, Parser, Subcommand};

use crate::rules::RuleSet;

/// Records bughouse chess over the board: sensor boards, clocks and pocket trays in; moves, incidents and live state out
#[derive(Debug, Parser)]
#[command(name = "bughoused", version, max_term_width = 120)]
struct Arguments {
    /// Fewer messages
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// More messages; twice for all
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Simulate(Box<simulate::Args>),
    Replay(replay::Args),
    Adjudicate(adjudicate::Args),
    Perft(perft::Args),
}

/// Runs the command line and answers the exit code.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    log_to_stderr(&arguments);
    let mut out = io::BufWriter::new(io::stdout().lock());
    let outcome = dispatch(arguments.command, &mut out).and_then(|()| Ok(out.flush()?));
    let Err(failure) = outcome else { return ExitCode::SUCCESS };
    for line in &failure.lines {
        eprintln!("bughoused: {line}");
    }
    ExitCode::from(failure.exit as u8)
}

fn dispatch(command: Command, out: &mut dyn Write) -> Outcome {
    match command {
        Command::Simulate(args) => simulate::run(*args, out),
        Command::Replay(args) => replay::run(args, out),
        Command::Adjudicate(args) => adjudicate::run(args, out),
        Command::Perft(args) => perft::run(args, out),
    }
}

fn log_to_stderr(arguments: &Arguments) {
    let level = match (arguments.quiet, arguments.verbose) {
        (true, _) => "error",
        (_, 0) => "warn,bughoused=info",
        (_, 1) => "warn,bughoused=debug",
        _ => "trace",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_default_env();
    let color = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) && io::stderr().is_terminal();
    tracing_subscriber::fmt()
        .with_env_filter(filter.unwrap_or_else(|_| level.into()))
        .with_writer(io::stderr)
        .with_ansi(color)
        .with_target(false)
        .init();
}

/// Reads the name of a rule set.
fn ruleset(name: &str) -> Result<RuleSet, String> {
    let known = RuleSet::ALL.map(|set| set.name).join(", ");
    RuleSet::by_name(name).ok_or_else(|| format!("expected one of {known}"))
}

/// How a command failed: the exit code and one line per cause.
#[derive(Debug)]
pub struct Failure {
    /// What the process exits with.
    pub exit: Exit,
    /// One line per cause: what was expected, what was found, where, what to do next.
    pub lines: Vec<String>,
}

/// Exit codes of every command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Nobody reads on: there is nothing left to do.
    Done = 0,
    /// It did not work out.
    Failed = 1,
    /// The arguments are wrong.
    Usage = 2,
    /// Input data is bad.
    BadInput = 65,
    /// Something needed is not there.
    Unavailable = 69,
    /// The configuration is wrong.
    BadConfig = 78,
}

impl Failure {
    /// A failure with one line.
    pub fn new(exit: Exit, line: impl fmt::Display) -> Failure {
        Failure { exit, lines: vec![line.to_string()] }
    }
}

impl From<io::Error> for Failure {
    /// Writing the answer failed. A reader that went away has seen enough.
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure { exit: Exit::Done, lines: Vec::new() },
            _ => Failure::new(Exit::Failed, format!("writing the answer failed: {error}")),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines.join("\n"))
    }
}

impl std::error::Error for Failure {}

/// What every subcommand answers.
pub type Outcome = Result<(), Failure>;

//! One file per subcommand.
//!
//! In: arguments. Out: text on stdout, one line per cause on stderr, an exit code as in sysexits. What a subcommand
//! does lives in the rooms; here are only its arguments, its printing and its errors.

pub mod accuracy;
pub mod adjudicate;
pub mod backup;
pub mod check;
pub mod demo;
pub mod doctor;
pub mod explain;
pub mod export;
pub mod games;
mod log;
mod offences;
pub mod password;
pub mod perft;
pub mod replay;
mod rig;
pub mod run;
pub mod schema;
pub mod show;
mod signals;
pub mod simulate;
pub mod source;
pub mod trace;

use std::{
    fmt,
    io::{self, Write as _},
    process::ExitCode,
};

use clap::{Parser, Subcommand};

use crate::{
    notation::letters::Letters,
    rules::{RuleSet, RuleSetError},
};

/// Records bughouse chess over the board: sensor boards, clocks and pocket trays in, moves, incidents, live state out
#[derive(Parser)]
#[command(name = "bughoused", version, max_term_width = 120, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    log: log::Args,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one, once")]
enum Command {
    Demo(demo::Args),
    Run(run::Args),
    Schema(schema::Args),
    Password(password::Args),
    Check(check::Args),
    Doctor(doctor::Args),
    Backup(backup::Args),
    Simulate(simulate::Args),
    Replay(replay::Args),
    Games(games::Args),
    Show(show::Args),
    Export(export::Args),
    Accuracy(accuracy::Args),
    Adjudicate(adjudicate::Args),
    Perft(perft::Args),
    Trace(trace::Args),
}

impl Command {
    fn run(self) -> Outcome {
        let mut out = io::BufWriter::new(io::stdout());
        match self {
            Command::Demo(args) => demo::run(&args),
            Command::Run(args) => run::run(args),
            Command::Password(args) => password::run(&args, &mut out),
            Command::Schema(args) => schema::run(&args, &mut out),
            Command::Check(args) => check::run(&args, &mut out),
            Command::Doctor(args) => doctor::run(&args, &mut out),
            Command::Backup(args) => backup::run(&args, &mut out),
            Command::Games(args) => games::run(&args, &mut out),
            Command::Show(args) => show::run(&args, &mut out),
            Command::Export(args) => export::run(&args, &mut out),
            Command::Simulate(args) => simulate::run(args, &mut out),
            Command::Replay(args) => replay::run(args, &mut out),
            Command::Accuracy(args) => accuracy::run(&args, &mut out),
            Command::Adjudicate(args) => adjudicate::run(args, &mut out),
            Command::Perft(args) => perft::run(args, &mut out),
            Command::Trace(args) => trace::run(&args, &mut out),
        }?;
        Ok(out.flush()?)
    }

    /// What is logged unless `-q` or `-v` says otherwise.
    fn log_level(&self) -> log::Level {
        match self {
            Command::Run(_) => log::Level::Info,
            Command::Demo(_) => log::Level::Error,
            _ => log::Level::Warn,
        }
    }
}

/// Reads a rule set: `NAME[,field=value…]` or `NAME,variant`.
fn ruleset(text: &str) -> Result<RuleSet, String> {
    text.parse().map_err(|e: RuleSetError| e.to_string())
}

/// Reads a language's letters of the men, or `figurines`.
fn letters(code: &str) -> Result<Letters, String> {
    let known = Letters::ALL.map(|letters| letters.code).join(", ");
    Letters::by_code(code).ok_or_else(|| format!("expected one of {known}"))
}

/// Runs the command that the process was started with. Answers the exit code, after one line on stderr per cause.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            let _ = e.print(); // nobody may read it
            return u8::try_from(e.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from);
        }
    };
    cli.log.start(cli.command.log_level());
    match cli.command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
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
    /// Whoever read our output has seen enough.
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

    fn report(&self) -> ExitCode {
        let mut stderr = io::stderr().lock();
        for line in &self.lines {
            let _ = writeln!(stderr, "bughoused: {line}"); // nobody may read it
        }
        ExitCode::from(self.exit as u8)
    }
}

impl From<io::Error> for Failure {
    /// Output could not be written. A reader that went away (`bughoused games | head`) is no failure.
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure { exit: Exit::Done, lines: Vec::new() },
            _ => Failure::new(Exit::Failed, format_args!("the output cannot be written: {error}")),
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

/// The end of writing to stdout: a reader that went away (`| head`) is no failure.
fn written(result: io::Result<()>) -> Outcome {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(Exit::Failed, format!("the output could not be written: {error}")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;

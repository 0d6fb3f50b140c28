//! One file per subcommand.
//!
//! In: arguments. Out: text on stdout, one line per cause on stderr, an exit code as in sysexits. What a subcommand
//! does lives in the rooms; here are only its arguments, its printing and its errors.

mod log;
pub mod run;

use std::{
    fmt,
    io::{self, Write as _},
    process::ExitCode,
};

use clap::{Parser, Subcommand};

/// Records bughouse chess over the board: sensor boards, clocks and pocket trays in; moves, incidents and live state out.
#[derive(Parser)]
#[command(name = "bughoused", version, max_term_width = 120, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    log: log::Args,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Args),
}

impl Command {
    fn run(self) -> Outcome {
        match self {
            Command::Run(args) => run::run(args),
        }
    }

    /// What is logged unless `-q` or `-v` says otherwise.
    fn log_level(&self) -> log::Level {
        match self {
            Command::Run(_) => log::Level::Info,
        }
    }
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

    /// Output could not be written. A reader that went away (`bughoused games | head`) is no failure.
    pub fn output(error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure { exit: Exit::Done, lines: Vec::new() },
            _ => Failure::new(Exit::Failed, format_args!("the output cannot be written: {error}")),
        }
    }

    fn report(&self) -> ExitCode {
        let mut stderr = io::stderr().lock();
        for line in &self.lines {
            let _ = writeln!(stderr, "bughoused: {line}"); // nobody may read it
        }
        ExitCode::from(self.exit as u8)
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

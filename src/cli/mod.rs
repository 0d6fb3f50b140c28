//! One file per subcommand.
//!
//! In: arguments. Out: text on stdout, one line per cause on stderr, an exit code as in sysexits. What a subcommand
//! does lives in the rooms; here are only its arguments, its printing and its errors.

pub mod check;
pub mod export;
pub mod games;
pub mod show;
pub mod source;

use std::{fmt, io};

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
mod record_tests;

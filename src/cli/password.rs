//! `bughoused password`: the line for a password file.

use std::io::{self, BufRead as _, IsTerminal as _, Write};

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use super::{Exit, Failure, Outcome, written};
use crate::{daemon::clock, publish::password};

/// Print the Argon2 hash of a password, for the files of the section auth; the password is read from stdin
#[derive(Clone, Debug, clap::Args)]
pub struct Args {}

/// Reads a line and prints its hash.
pub fn run(_: &Args, out: &mut dyn Write) -> Outcome {
    let unreadable = |e: io::Error| Failure::new(Exit::BadInput, format_args!("the password cannot be read: {e}"));
    let typed = unseen().map_err(unreadable)?;
    let wrong = |found| Failure::new(Exit::BadInput, format_args!("expected a password on stdin, found {found}"));
    let line = password::hash(typed.trim_end_matches(['\r', '\n']), clock::salt()).map_err(wrong)?;
    written(writeln!(out, "{line}"))
}

/// A line of stdin; a terminal does not show it.
fn unseen() -> io::Result<String> {
    let stdin = io::stdin();
    let before = stdin.is_terminal().then(|| tcgetattr(&stdin)).transpose()?;
    if let Some(before) = &before {
        eprint!("Password: ");
        let mut silent = before.clone();
        silent.local_modes -= LocalModes::ECHO;
        tcsetattr(&stdin, OptionalActions::Flush, &silent)?;
    }
    let mut line = String::new();
    let read = stdin.lock().read_line(&mut line);
    if let Some(before) = &before {
        tcsetattr(&stdin, OptionalActions::Flush, before)?;
        eprintln!();
    }
    read.map(|_| line)
}

//! `bughoused backup`: the journal as one file, also while a daemon writes.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

use super::{Exit, Failure, Outcome, source, source::Source};
use crate::journal::Reader;

/// Copy the journal into one file, also while the daemon runs; the copy is checked before it gets its name
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file to write; to restore it, put it into an empty data directory as journal.sqlite3
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Overwrite an earlier copy
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    source: Source,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Outcome {
    if args.file.exists() && !args.force {
        let line = format!("expected no file at {}, found one; name another or add --force", args.file.display());
        return Err(Failure::new(Exit::Failed, line));
    }
    let reader = args.source.open()?;
    let part = part_of(&args.file);
    let copied = copy(&reader, &part, &args.file);
    if copied.is_err() {
        let _ = fs::remove_file(&part); // it may never have been made
    }
    let bytes = copied?;
    Ok(writeln!(out, "{}: {bytes} bytes", args.file.display())?)
}

/// Beside the file, so that it can take its name in one step.
fn part_of(file: &Path) -> PathBuf {
    let mut part = file.as_os_str().to_owned();
    part.push(".part");
    part.into()
}

fn copy(reader: &Reader, part: &Path, file: &Path) -> Result<u64, Failure> {
    let wrong = |e: std::io::Error| {
        let line = format!("cannot write {}: {e}; free some space or name another place", file.display());
        Failure::new(Exit::Unavailable, line)
    };
    if part.exists() {
        fs::remove_file(part).map_err(wrong)?;
    }
    reader.copy_to(part).map_err(source::failure)?;
    let faults = Reader::open_file(part).and_then(|copy| copy.integrity()).map_err(source::failure)?;
    if let Some(fault) = faults.first() {
        let line = format!("the copy is damaged ({fault}); look at both disks, then at `bughoused doctor`");
        return Err(Failure::new(Exit::BadInput, line));
    }
    let copy = File::options().write(true).open(part).map_err(wrong)?;
    copy.sync_all().map_err(wrong)?;
    let bytes = copy.metadata().map_err(wrong)?.len();
    fs::rename(part, file).map_err(wrong)?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(wrong)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Journal;

    #[test]
    fn a_copy_is_made_while_the_daemon_writes_and_no_other_is_overwritten() {
        let dir = tempfile::TempDir::new().unwrap();
        let _opened = Journal::open(dir.path()).unwrap();
        let file = dir.path().join("copy.sqlite3");
        let source = || Source { config: None, data: Some(dir.path().to_owned()) };
        let args = |force| Args { file: file.clone(), force, source: source() };
        run(&args(false), &mut Vec::new()).unwrap();
        let failure = run(&args(false), &mut Vec::new()).unwrap_err();
        assert!(failure.to_string().contains("expected no file at"), "{failure}");
        fs::write(part_of(&file), "left by a copy that was broken off").unwrap();
        run(&args(true), &mut Vec::new()).unwrap();
        assert_eq!(Reader::open_file(&file).unwrap().integrity().unwrap(), [""; 0]);
        assert!(!part_of(&file).exists());
    }

    #[test]
    fn nothing_is_left_where_no_copy_can_be_made() {
        let dir = tempfile::TempDir::new().unwrap();
        let _opened = Journal::open(dir.path()).unwrap();
        let file = dir.path().join("none").join("copy.sqlite3");
        let args =
            Args { file: file.clone(), force: false, source: Source { config: None, data: Some(dir.path().into()) } };
        let failure = run(&args, &mut Vec::new()).unwrap_err();
        assert_eq!(failure.exit, Exit::Unavailable);
        assert!(!file.exists() && !part_of(&file).exists());
    }
}

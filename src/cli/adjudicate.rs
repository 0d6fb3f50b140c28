//! `bughoused adjudicate`: plays game records by the rules.
//!
//! In: BPGN files of any size, read as streams. Out: a line a game in the order of the files, whatever the number of
//! cores; one line on stderr for what could not be read.

mod verdict;
mod work;

use std::{
    fs::File,
    io::{BufReader, IsTerminal, Write, stderr},
    path::PathBuf,
    sync::Mutex,
    thread,
};

use clap::Args as ClapArgs;
use indicatif::{ProgressBar, ProgressStyle};

use super::{Exit, Failure, Outcome};
use crate::{
    notation::{
        bpgn::{RawGame, ReadError, Reader},
        letters::Letters,
    },
    rules::RuleSet,
};
use verdict::Verdict;

/// Plays game records by the rules, several per file
#[derive(Debug, ClapArgs)]
pub struct Args {
    /// Files of BPGN games
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Law text, then changes: wbn-1.00, cz-2024.06 or fide-ext, as in fide-ext,tandem,repetition=3
    #[arg(long, default_value = "wbn-1.00", value_parser = super::ruleset)]
    ruleset: RuleSet,
    /// One JSON line a game
    #[arg(long)]
    json: bool,
    /// Exit 1 when a game is illegal
    #[arg(long)]
    strict: bool,
    /// Letters of the men: a language such as cs, de, fr, or figurines
    #[arg(long, default_value = "en", value_parser = super::letters)]
    letters: Letters,
    /// Threads; as many as the machine has cores without
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
}

/// The most games that a worker takes at once.
const BATCH_GAMES: usize = 64;
/// Bytes after which a batch is full.
const BATCH_BYTES: usize = 1 << 18;
/// The most complaints that are listed.
const COMPLAINTS_MAX: usize = 1000;
/// Games in a row that cannot be read, after which a file is taken for something else.
const UNREADABLE_IN_A_ROW_MAX: usize = 1000;

/// Runs the command.
pub fn run(args: Args, out: &mut dyn Write) -> Outcome {
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.map_or_else(cores, usize::from);
    let progress = progress(&args.files);
    let mut tally = Tally::default();
    let failure = Mutex::new(None);
    let mut source = Source::new(&args.files, progress.clone());
    let next = || {
        source.next().unwrap_or_else(|error| {
            *failure.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(error);
            None
        })
    };
    let done = work::in_order(jobs, next, |batch| adjudicate(&args, batch), |answer| tally.take(answer, out));
    progress.finish_and_clear();
    match done {
        Err(Enough::Failed(error)) => return Err(error),
        Err(Enough::NoBpgn) | Ok(()) => {}
    }
    if let Some(error) = failure.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        return Err(error);
    }
    tally.outcome(&args)
}

/// Bytes of all files, on a terminal.
fn progress(files: &[PathBuf]) -> ProgressBar {
    if !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bytes = files.iter().filter_map(|path| path.metadata().ok()).map(|found| found.len()).sum();
    let style = ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes} {eta}");
    ProgressBar::new(bytes).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Games for one worker, each with its number in its file.
#[derive(Default)]
struct Batch {
    path: PathBuf,
    games: Vec<(usize, Result<RawGame, ReadError>)>,
}

type Input = Reader<BufReader<indicatif::ProgressBarIter<File>>>;

/// All games of all files, in batches.
struct Source<'a> {
    files: std::slice::Iter<'a, PathBuf>,
    open: Option<(&'a PathBuf, Input)>,
    number: usize,
    progress: ProgressBar,
}

impl<'a> Source<'a> {
    fn new(files: &'a [PathBuf], progress: ProgressBar) -> Source<'a> {
        Source { files: files.iter(), open: None, number: 0, progress }
    }

    fn next(&mut self) -> Result<Option<Batch>, Failure> {
        loop {
            if self.open.is_none() {
                let Some(path) = self.files.next() else { return Ok(None) };
                let open = |e: std::io::Error| Failure::new(Exit::Unavailable, format!("{}: {e}", path.display()));
                let file = self.progress.wrap_read(File::open(path).map_err(open)?);
                self.open = Some((path, Reader::new(BufReader::with_capacity(BATCH_BYTES, file))));
                self.number = 0;
            }
            match self.batch() {
                Some(batch) => return Ok(Some(batch)),
                None => self.open = None,
            }
        }
    }

    /// The next games of the open file; none at its end.
    fn batch(&mut self) -> Option<Batch> {
        let (path, reader) = self.open.as_mut()?;
        let mut games = Vec::with_capacity(BATCH_GAMES);
        let mut bytes = 0;
        while games.len() < BATCH_GAMES && bytes < BATCH_BYTES {
            let Some(raw) = reader.next_raw() else { break };
            self.number += 1;
            bytes += raw.as_ref().map_or(0, |raw| raw.bytes.len());
            games.push((self.number, raw));
        }
        (!games.is_empty()).then(|| Batch { path: path.clone(), games })
    }
}

/// What became of a batch.
#[derive(Default)]
struct Answer {
    /// Lines for stdout.
    text: Vec<u8>,
    games: usize,
    illegal: usize,
    /// Complaints in order; none for a game that was read.
    unreadable: Vec<Option<String>>,
    /// The file could not be read on.
    broken: Option<Failure>,
}

fn adjudicate(args: &Args, batch: Batch) -> Answer {
    let mut answer = Answer::default();
    for (number, raw) in batch.games {
        let place = format!("{}: game {number}", batch.path.display());
        let parsed = raw.and_then(|raw| raw.parse().map_err(ReadError::from));
        match parsed {
            Ok(parsed) => answer.game(args, &Verdict::of(number, parsed, &args.ruleset, &args.letters), &place),
            Err(ReadError::Text(error)) => answer.unreadable.push(Some(format!("{place}: {error}"))),
            Err(error) => answer.broken = Some(Failure::new(Exit::Failed, format!("{place}: {error}"))),
        }
    }
    answer
}

impl Answer {
    fn game(&mut self, args: &Args, verdict: &Verdict, place: &str) {
        self.games += 1;
        self.illegal += usize::from(!verdict.legal);
        self.unreadable.push(verdict.unreadable.as_ref().map(|error| format!("{place}: {error}")));
        // Writing to memory does not fail.
        let _ = match args.json {
            true => serde_json::to_writer(&mut self.text, verdict).map_err(std::io::Error::from),
            false => write!(self.text, "{place}: {}", verdict.describe()),
        };
        self.text.push(b'\n');
    }
}

/// Why no more games are read.
enum Enough {
    Failed(Failure),
    /// So many could not be read that this is something else.
    NoBpgn,
}

#[derive(Default)]
struct Tally {
    games: usize,
    illegal: usize,
    unreadable: usize,
    in_a_row: usize,
    complaints: Vec<String>,
}

impl Tally {
    fn take(&mut self, answer: Answer, out: &mut dyn Write) -> Result<(), Enough> {
        out.write_all(&answer.text).map_err(|e| Enough::Failed(e.into()))?;
        self.games += answer.games;
        self.illegal += answer.illegal;
        for complaint in answer.unreadable {
            let Some(complaint) = complaint else {
                self.in_a_row = 0;
                continue;
            };
            self.unreadable += 1;
            self.in_a_row += 1;
            if self.complaints.len() < COMPLAINTS_MAX {
                self.complaints.push(complaint);
            }
        }
        match answer.broken {
            Some(failure) => Err(Enough::Failed(failure)),
            None if self.in_a_row >= UNREADABLE_IN_A_ROW_MAX => Err(Enough::NoBpgn),
            None => Ok(()),
        }
    }

    fn outcome(mut self, args: &Args) -> Outcome {
        if self.unreadable > 0 {
            if self.in_a_row >= UNREADABLE_IN_A_ROW_MAX {
                self.complaints.push(format!("{} games in a row could not be read: is this BPGN?", self.in_a_row));
            } else if self.unreadable > self.complaints.len() {
                self.complaints.push(format!("{} games could not be read in all", self.unreadable));
            }
            return Err(Failure { exit: Exit::BadInput, lines: self.complaints });
        }
        if args.strict && self.illegal > 0 {
            return Err(Failure::new(Exit::Failed, format!("{} of {} games are illegal", self.illegal, self.games)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;

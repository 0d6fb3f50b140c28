//! `bughoused replay`: captures through the same machine in virtual time.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, BufWriter, IsTerminal, Write},
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use clap::{Args as ClapArgs, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

use super::{
    Exit, Failure, Outcome,
    explain::{self, PlyName},
};
use crate::{
    daemon::config::calibration,
    event::{Body, Event, Response},
    record::GameRecord,
    table::{
        Output,
        capture::{LINE_BYTES_MAX, Replay},
        settings::TableSettings,
    },
};

/// Feeds captures to the same machine as live play and writes what it says
#[derive(Debug, ClapArgs)]
pub struct Args {
    /// Capture files
    #[arg(required = true)]
    captures: Vec<PathBuf>,
    /// What to write
    #[arg(long, value_enum, default_value = "events")]
    format: Format,
    /// A [[table]] entry (TOML) instead of the one in the capture
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// One file per capture in this directory instead of stdout
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Tell why this ply was taken instead: A12 is the twelfth ply on board A, 12 that of every board
    #[arg(long, value_name = "PLY,…", value_delimiter = ',', conflicts_with_all = ["format", "out", "jobs"])]
    explain: Vec<PlyName>,
    /// One JSON object a ply that is explained
    #[arg(long, requires = "explain")]
    json: bool,
    /// Captures at a time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
}

/// What a replay writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// JSON Lines: everything that leaves the table
    Events,
    /// The games
    Bpgn,
    /// JSON Lines: incidents only
    Incidents,
}

impl Format {
    const fn extension(self) -> &'static str {
        match self {
            Format::Events | Format::Incidents => "jsonl",
            Format::Bpgn => "bpgn",
        }
    }
}

/// A response as a line among events.
#[derive(serde::Serialize)]
struct ResponseLine<'a> {
    r#type: &'static str,
    #[serde(flatten)]
    response: &'a Response,
}

/// Runs the command.
pub fn run(args: Args, out: &mut dyn Write) -> Outcome {
    let settings = args.table.as_deref().map(read_table).transpose()?;
    if !args.explain.is_empty() {
        return explain_all(&args, settings.as_ref(), out);
    }
    if let Some(dir) = &args.out {
        fs::create_dir_all(dir).map_err(|e| unavailable(dir, e))?;
    }
    let results = replay_all(&args, settings.as_ref());
    let mut failures = Vec::new();
    for (path, result) in args.captures.iter().zip(results) {
        match &args.out {
            None => out.write_all(&result.bytes)?,
            Some(dir) => write_file(&target(dir, path, args.format), &result.bytes)?,
        }
        failures.extend(result.failure);
    }
    match failures.first().map(|failure| failure.exit) {
        None => Ok(()),
        Some(exit) => Err(Failure { exit, lines: failures.into_iter().flat_map(|failure| failure.lines).collect() }),
    }
}

/// Explains plies of every capture.
fn explain_all(args: &Args, settings: Option<&TableSettings>, out: &mut dyn Write) -> Outcome {
    for path in &args.captures {
        let source = BufReader::new(File::open(path).map_err(|e| unavailable(path, e))?);
        let (explained, read) = explain::explain(source, &args.explain, settings.cloned());
        let heading = Some(path).filter(|_| args.captures.len() > 1);
        explain::write(&explained, heading.map(PathBuf::as_path), args.json, out)?;
        read.map_err(|e| Failure::new(Exit::BadInput, format!("{}: {e}", path.display())))?;
        if explained.is_empty() {
            let message = format!("{}: expected a record with this ply, found a shorter one", path.display());
            return Err(Failure::new(Exit::BadInput, message));
        }
    }
    Ok(())
}

/// Where a job leaves one capture's output.
type Slot = Mutex<Option<Replayed>>;

/// What a capture gave, and what stopped it: a torn capture is replayed as far as it goes.
#[derive(Debug, Default)]
pub struct Replayed {
    /// What the machine said.
    pub bytes: Vec<u8>,
    /// Why there is no more.
    pub failure: Option<Failure>,
}

/// Every capture's output in the order of the arguments, whatever the number of jobs.
fn replay_all(args: &Args, settings: Option<&TableSettings>) -> Vec<Replayed> {
    let progress = progress(args.captures.len());
    let next = AtomicUsize::new(0);
    let results: Vec<Slot> = args.captures.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let (Some(path), Some(slot)) = (args.captures.get(index), results.get(index)) else { return };
            let result = replay_file(path, args.format, settings.cloned());
            *slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(result);
            progress.inc(1);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..args.jobs {
            scope.spawn(work);
        }
        work();
    });
    progress.finish_and_clear();
    results.into_iter().map(|slot| slot.into_inner().ok().flatten().unwrap_or_default()).collect()
}

fn progress(files: usize) -> ProgressBar {
    if files < 2 || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} captures, {eta} left");
    ProgressBar::new(files as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// One capture's output as far as it can be read.
pub fn replay_file(path: &Path, format: Format, settings: Option<TableSettings>) -> Replayed {
    let (bytes, failure) = match File::open(path) {
        Ok(file) => {
            let (bytes, read) = replay(BufReader::new(file), format, settings);
            let bad = |e: anyhow::Error| Failure::new(Exit::BadInput, format!("{}: {e}", path.display()));
            (bytes, read.map_err(bad).err())
        }
        Err(error) => (Vec::new(), Some(unavailable(path, error))),
    };
    Replayed { bytes, failure }
}

/// The output for one capture that is read from `source`, and whether it could be read to its end.
pub fn replay(source: impl BufRead, format: Format, settings: Option<TableSettings>) -> (Vec<u8>, anyhow::Result<()>) {
    let mut written = Written { format, bytes: Vec::new(), events: Vec::new() };
    let read = feed(source, settings, &mut written);
    (written.finish(), read)
}

fn feed(mut source: impl BufRead, settings: Option<TableSettings>, written: &mut Written) -> anyhow::Result<()> {
    let mut line = String::new();
    read_line(&mut source, &mut line)?;
    let mut replay = Replay::new(&line, settings)?;
    while read_line(&mut source, &mut line)? {
        replay.feed(&line, |output| written.take(output))?;
    }
    replay.finish(|output| written.take(output));
    Ok(())
}

/// Reads a line into `line`; false at the end.
pub(super) fn read_line(reader: &mut impl BufRead, line: &mut String) -> std::io::Result<bool> {
    line.clear();
    let read = std::io::Read::take(reader, LINE_BYTES_MAX as u64).read_line(line)?;
    if read == LINE_BYTES_MAX {
        let message = format!("expected lines of less than {LINE_BYTES_MAX} bytes, found a longer one");
        return Err(std::io::Error::other(message));
    }
    Ok(read > 0)
}

/// What a replay has written so far.
struct Written {
    format: Format,
    bytes: Vec<u8>,
    events: Vec<Event>,
}

impl Written {
    fn take(&mut self, output: Output) {
        match output {
            Output::Event(event) => match self.format {
                Format::Events => self.line(&event),
                Format::Incidents if matches!(event.body, Body::Incident(_)) => self.line(&event),
                Format::Bpgn if !matches!(event.body, Body::Clock(_)) => self.events.push(event),
                _ => {}
            },
            Output::Response(response) if self.format == Format::Events => {
                self.line(&ResponseLine { r#type: "response", response: &response });
            }
            _ => {}
        }
    }

    fn line(&mut self, value: &impl serde::Serialize) {
        if serde_json::to_writer(&mut self.bytes, value).is_ok() {
            self.bytes.push(b'\n');
        }
    }

    fn finish(mut self) -> Vec<u8> {
        for record in GameRecord::fold(&self.events) {
            self.bytes.extend_from_slice(record.to_bpgn().write().as_bytes());
            self.bytes.push(b'\n');
        }
        self.bytes
    }
}

fn read_table(path: &Path) -> Result<TableSettings, Failure> {
    let text = fs::read_to_string(path).map_err(|e| unavailable(path, e))?;
    let bad = |message: &str| Failure::new(Exit::BadConfig, format!("{}: {message}", path.display()));
    let mut table: TableSettings = toml::from_str(&text).map_err(|e| bad(e.message()))?;
    let problems = calibration::load(std::slice::from_mut(&mut table), path.parent().unwrap_or(Path::new("")));
    match problems.is_empty() {
        true => Ok(table),
        false => Err(super::check::bad_config(problems)),
    }
}

fn target(dir: &Path, capture: &Path, format: Format) -> PathBuf {
    let stem = capture.file_stem().unwrap_or(capture.as_os_str());
    dir.join(stem).with_extension(format.extension())
}

fn write_file(path: &Path, bytes: &[u8]) -> Outcome {
    let file = File::create(path).map_err(|e| unavailable(path, e))?;
    BufWriter::new(file).write_all(bytes).map_err(|e| unavailable(path, e))
}

fn unavailable(path: &Path, error: std::io::Error) -> Failure {
    Failure::new(Exit::Unavailable, format!("{}: {error}", path.display()))
}

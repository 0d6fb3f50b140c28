//! `bughoused export GAME`: a recorded game for other programs.
//!
//! In: the record of a game, its events or its raw inputs. Out: BPGN, BFEN lines, JSON, CSV or a capture file.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::{
    Exit, Failure, Outcome,
    source::{Source, failure, is_broken_pipe},
    written,
};
use crate::{
    event::{Body, Event, GameEnded, Incident, Move, Players},
    journal::{JournalError, Reader},
    notation::{
        bpgn::{self, Stamps},
        letters::Letters,
    },
    record::GameRecord,
};

/// Writes one recorded game in a format of other programs
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Id of the game, the beginning of one, or `last`
    pub game: String,
    /// What to write
    #[arg(long, value_enum, default_value_t = Format::Bpgn)]
    pub format: Format,
    /// Whose form of BPGN
    #[arg(long, value_enum, default_value_t = Profile::Standard)]
    pub profile: Profile,
    /// Letters of the men in BPGN: a language such as cs, de, fr, or figurines
    #[arg(long, default_value = "en", value_parser = super::letters)]
    pub letters: Letters,
    /// Where to write, stdout without
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Which journal.
    #[command(flatten)]
    pub source: Source,
}

/// A format of `export`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// The game in BPGN
    Bpgn,
    /// Positions: the first one and one after every move, a line each
    Bfen,
    /// The record and the incidents as one JSON object
    Json,
    /// The moves as a table with a heading
    Csv,
    /// Everything that the table received, for `bughoused replay`
    Capture,
}

/// A form of BPGN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Profile {
    /// The strict form of the laws
    Standard,
    /// As bughouse.pro exchanges it
    #[value(name = "bughouse.pro")]
    BughousePro,
}

/// Writes the game to `out`, or to the file that was asked for.
pub fn run(args: &Args, out: &mut dyn Write) -> Outcome {
    if args.profile != Profile::Standard && args.format != Format::Bpgn {
        return Err(Failure::new(Exit::Usage, "expected --format bpgn with a --profile, found another; leave one out"));
    }
    if args.letters != Letters::ENGLISH && args.format != Format::Bpgn {
        return Err(Failure::new(Exit::Usage, "expected --format bpgn with --letters, found another; leave one out"));
    }
    let reader = args.source.open()?;
    let exported = match &args.output {
        // Looked up first: a wrong id must not leave an empty file or overwrite a good one.
        Some(path) => reader.find(&args.game).map_err(failure).and_then(|game| {
            let mut file = create(path)?;
            Ok(export(&reader, &game, args, &mut file).and_then(|()| Ok(file.flush()?)))
        })?,
        None => export(&reader, &args.game, args, out),
    };
    match exported {
        Err(error) if is_broken_pipe(&error) => Ok(()),
        Err(JournalError::Export(error)) => written(Err(error)),
        other => other.map_err(failure),
    }
}

/// The record with these letters.
fn bpgn(record: &GameRecord, letters: &Letters) -> bpgn::Game {
    let mut game = record.to_bpgn();
    game.translate(&Letters::ENGLISH, letters);
    game
}

fn create(path: &Path) -> Result<BufWriter<File>, Failure> {
    let advice = "name a file in a directory that exists and may be written";
    let wrong = |e| Failure::new(Exit::Failed, format!("{} could not be made: {e}; {advice}", path.display()));
    File::create(path).map(BufWriter::new).map_err(wrong)
}

fn export(reader: &Reader, game: &str, args: &Args, out: &mut dyn Write) -> Result<(), JournalError> {
    match args.format {
        Format::Bpgn if args.profile == Profile::BughousePro => {
            let record = reader.record(game)?;
            let stamps = stamps(&record, &reader.game(game)?);
            write!(out, "{}", bpgn(&record, &args.letters).write_bughouse_pro(&stamps))?;
        }
        Format::Bpgn => write!(out, "{}", bpgn(&reader.record(game)?, &args.letters).write())?,
        Format::Bfen => write_bfen(&reader.record(game)?, out)?,
        Format::Json => write_json(&reader.record(game)?, &reader.game(game)?, out)?,
        Format::Csv => write_csv(&reader.record(game)?, out)?,
        Format::Capture => reader.capture(game, out)?,
    }
    Ok(())
}

/// When the game began, and when each move was completed since.
fn stamps(record: &GameRecord, events: &[Event]) -> Stamps {
    let started = events.iter().find(|event| matches!(event.body, Body::GameStarted(_)));
    let started_us = started.map_or(0, |event| event.t.micros());
    let since = |us: i64| (us - started_us).max(0) / 1000;
    let completed_ms = record.moves.iter().map(|(_, played)| since(played.completed_at.micros())).collect();
    Stamps { started: record.started.clone(), completed_ms }
}

fn write_bfen(record: &GameRecord, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", record.bfen)?;
    record.moves.iter().try_for_each(|(_, played)| writeln!(out, "{}", played.bfen))
}

/// The JSON form of a record.
#[derive(Serialize)]
struct Document<'a> {
    v: u8,
    game: &'a str,
    table: &'a str,
    started: &'a str,
    ruleset: &'a str,
    time_control: &'a str,
    players: &'a Players,
    bfen: &'a str,
    moves: Vec<&'a Move>,
    ended: Option<&'a GameEnded>,
    /// Each as it was last told.
    incidents: Vec<&'a Incident>,
}

fn write_json(record: &GameRecord, events: &[Event], out: &mut dyn Write) -> io::Result<()> {
    let mut incidents = BTreeMap::new();
    for event in events {
        if let Body::Incident(told) = &event.body {
            incidents.insert(told.id, &**told);
        }
    }
    let document = Document {
        v: crate::event::VERSION,
        game: &record.id,
        table: &record.table,
        started: &record.started,
        ruleset: &record.ruleset,
        time_control: &record.time_control,
        players: &record.players,
        bfen: &record.bfen,
        moves: record.moves.iter().map(|(_, played)| played).collect(),
        ended: record.ended.as_ref(),
        incidents: incidents.into_values().collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &document).map_err(io::Error::from)?;
    writeln!(out)
}

/// The columns of the CSV.
const CSV_HEADING: &str = "index,board,seat,ply,number,san,move,captured,promotion,white_ms,black_ms,stands,\
                           made_us,completed_us,bfen";

fn write_csv(record: &GameRecord, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{CSV_HEADING}\r\n")?;
    for (index, (_, played)) in record.moves.iter().enumerate() {
        let letter = |letter: Option<char>| letter.map_or(String::new(), String::from);
        let (white, black) = played
            .clock
            .map_or_else(Default::default, |clock| (clock.white_ms.to_string(), clock.black_ms.to_string()));
        let fields = [
            (index + 1).to_string(),
            played.board.to_string(),
            played.seat.to_string(),
            played.ply.to_string(),
            played.number.to_string(),
            played.san.clone(),
            played.uci.clone(),
            letter(played.captured),
            letter(played.promotion),
            white,
            black,
            played.stands.to_string(),
            played.made_at.micros().to_string(),
            played.completed_at.micros().to_string(),
            played.bfen.clone(),
        ];
        write!(out, "{}\r\n", fields.map(|field| quoted(&field)).join(","))?;
    }
    Ok(())
}

/// A field as RFC 4180 writes it.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

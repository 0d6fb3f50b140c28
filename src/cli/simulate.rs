//! `bughoused simulate`: a game record played by emulated hands on emulated devices.

use std::{
    fs::{self, File},
    io::{BufReader, BufWriter, Write},
    path::{Path, PathBuf},
};

use clap::Args as ClapArgs;

use super::{
    Exit, Failure, Outcome,
    offences::{self, OffenceArgs},
    rig,
};
use crate::{
    notation::bpgn::{self, Reader},
    rules::RuleSet,
    simulate::{
        capture,
        fork::plies_with,
        hands::{
            Performance, Profile,
            habit::{COLUMNS, Habit},
            play_offending, play_two, players_of,
        },
        host::TableHost,
        live::{Live, Progress},
        random_game::next_game,
        rig::Rig,
        stage::{self, Stage},
    },
    table::{Opening, Table, settings::TableSettings},
};

/// Time of the opening when the record has none.
const STARTED: &str = "2000-01-01T12:00:00Z";

/// Plays a game record on emulated boards, clocks and trays: on pseudo-terminals, or into a capture file
///
/// On pseudo-terminals the paths are printed, and play begins when hosts listen on all of them.
#[derive(Debug, ClapArgs)]
#[command(after_help = help())]
pub struct Args {
    /// File of BPGN games
    game: PathBuf,
    /// How the players behave
    #[arg(long, value_name = "PROFILE", default_value = "clean", value_parser = profile)]
    human: &'static Profile,
    /// Decides everything that is left to chance
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Then another, short game on the same boards, which the players set up for it
    #[arg(long)]
    next_game: bool,
    /// Which game of the file, from 1
    #[arg(long, value_name = "N", default_value_t = 1)]
    number: usize,
    /// Write a capture file in virtual time, and the truth beside it; into a directory: one capture for every game
    #[arg(long, value_name = "FILE")]
    capture: Option<PathBuf>,
    /// So many times as fast
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "capture")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
    speed: u32,
    /// Make links with the devices' names in this directory
    #[arg(long, value_name = "DIR", conflicts_with = "capture")]
    links: Option<PathBuf>,
    /// Write a [[table]] entry with the ports to this file
    #[arg(long, value_name = "FILE", conflicts_with = "capture")]
    table: Option<PathBuf>,
    /// Rule set
    #[arg(long, default_value = "wbn-1.00", value_parser = super::ruleset)]
    ruleset: RuleSet,
    /// The devices.
    #[command(flatten)]
    rig: rig::RigArgs,
    /// The offences.
    #[command(flatten)]
    offences: OffenceArgs,
}

/// Reads the name of a profile.
pub(super) fn profile(name: &str) -> Result<&'static Profile, String> {
    let known = Profile::all().iter().map(|profile| profile.name).collect::<Vec<_>>().join(", ");
    Profile::named(name).ok_or_else(|| format!("expected one of {known}"))
}

/// The help on all that is emulated.
pub(super) fn help() -> String {
    [profiles(), rig::help(), offences::help()].join("\n\n")
}

/// The help on profiles: the kinds of players and their habits.
fn profiles() -> String {
    let habits: String = Habit::all().map(|habit| format!("\n  {:18}{}", habit.name(), habit.about())).collect();
    format!("Profiles: {}, or clean with one habit:{habits}", COLUMNS.join(", "))
}

/// Runs the command.
pub fn run(args: Args, out: &mut dyn Write) -> Outcome {
    match &args.capture {
        Some(dir) if dir.is_dir() => {
            for (index, game) in games(&args.game)?.enumerate() {
                let game = Simulated::new(&args, game?, index + 1)?;
                let file = dir.join(format!("{:04}.jsonl", index + 1));
                game.capture(&args, &file)?;
                writeln!(out, "{}", file.display())?;
            }
            Ok(())
        }
        Some(file) => Simulated::new(&args, chosen(&args)?, args.number)?.capture(&args, file),
        None => Simulated::new(&args, chosen(&args)?, args.number)?.live(&args, out),
    }
}

/// The games of a file.
fn games(path: &Path) -> Result<impl Iterator<Item = Result<bpgn::Game, Failure>> + use<'_>, Failure> {
    let open = |e| Failure::new(Exit::Unavailable, format!("{}: expected a file of BPGN games: {e}", path.display()));
    let file = File::open(path).map_err(open)?;
    let read = Reader::new(BufReader::new(file)).enumerate().map(move |(index, parsed)| {
        let bad = |e| Failure::new(Exit::BadInput, format!("{}: game {}: {e}", path.display(), index + 1));
        parsed.map(|parsed| parsed.game).map_err(bad)
    });
    Ok(read)
}

/// The game of the file that was asked for.
fn chosen(args: &Args) -> Result<bpgn::Game, Failure> {
    let missing = || {
        let line = format!(
            "{}: expected at least {} games, found fewer; choose another --number",
            args.game.display(),
            args.number
        );
        Failure::new(Exit::BadInput, line)
    };
    let index = args
        .number
        .checked_sub(1)
        .ok_or_else(|| Failure::new(Exit::Usage, "--number 0: expected 1 or more, games are counted from 1"))?;
    games(&args.game)?.nth(index).ok_or_else(missing)?
}

/// A game and how it will be played.
struct Simulated {
    performance: Performance,
    rig: Rig,
    settings: TableSettings,
    started: String,
    seed: u64,
}

impl Simulated {
    fn new(args: &Args, game: bpgn::Game, number: usize) -> Result<Simulated, Failure> {
        let offences = args.offences.offences().under(&args.ruleset);
        let rig = offences.rig(&args.rig.rig(args.human));
        let seed = args.seed.wrapping_add(number as u64 - 1);
        let (plies, terms) = plies_with(&game, &args.ruleset, &offences, seed).map_err(|fault| {
            let place = format!("{}: game {number}: board {}, ply {}", args.game.display(), fault.board, fault.ply);
            let line = format!("{place}: expected a legal move: {}", fault.message);
            Failure::new(Exit::BadInput, line)
        })?;
        let ports = ports("/dev/serial/by-id/usb-", terms.boards);
        let on = rig.terms(&terms);
        let mut performance = if args.next_game {
            let (next, next_terms) = next_game(seed, &on, &args.ruleset);
            play_two([(&plies, &on), (&next, &next_terms)], args.human, &offences, seed)
        } else {
            play_offending(&plies, &on, args.human, &offences, seed)
        };
        performance.truth.result.clone_from(&game.result);
        performance.truth.ending.clone_from(&game.ending);
        let mut settings = TableSettings {
            ruleset: args.ruleset.to_string(),
            ..stage::settings_on(&rig, &terms, players_of(&game), &ports)
        };
        stage::tell_makes(&mut settings, &rig, &Stage::on(&rig, &performance, seed));
        Ok(Simulated { performance, rig, settings, started: started(&game), seed })
    }

    fn stage(&self) -> Stage {
        Stage::on(&self.rig, &self.performance, self.seed)
    }

    /// Virtual time: a capture file and the truth.
    fn capture(&self, args: &Args, path: &Path) -> Outcome {
        let started_us = self.started.parse::<jiff::Timestamp>().map_or(0, |started| started.as_microsecond());
        let opening = Opening { session: "simulate".into(), started_us, seq: 1, incident: 1 };
        let table = Table::new(self.settings.clone(), opening);
        let table = table.map_err(|e| Failure::new(Exit::BadConfig, format!("emulated table: {e}")))?;
        let file = File::create(path).map_err(|e| unavailable(path, e))?;
        let (mut host, out) = (TableHost::new(table), BufWriter::new(file));
        let truth = &self.performance.truth;
        let truth = capture::record_stage(self.stage(), truth, &self.settings, &self.started, &mut host, out);
        let truth = truth.map_err(|e| unavailable(path, e))?;
        let beside = path.with_extension("truth.json");
        let text = serde_json::to_string(&truth).map_err(|e| Failure::new(Exit::Failed, e))?;
        tracing::debug!(capture = %path.display(), human = args.human.name, moves = truth.moves.len(), "written");
        fs::write(&beside, text + "\n").map_err(|e| unavailable(&beside, e))
    }

    /// Real time: pseudo-terminals.
    fn live(mut self, args: &Args, out: &mut dyn Write) -> Outcome {
        let failed = |e: std::io::Error| Failure::new(Exit::Unavailable, format!("pseudo-terminals: {e}"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let _inside = runtime.enter();
        let names: Vec<String> = self.settings.device.iter().map(|device| device.name.clone()).collect();
        let stage = self.stage();
        let live = Live::open(stage, &names, args.links.as_deref(), args.speed).map_err(failed)?;
        for (device, port) in self.settings.device.iter_mut().zip(live.ports().borrow().iter()) {
            device.port = Some(port.display().to_string());
            writeln!(out, "{} {}", device.name, port.display())?;
        }
        out.flush()?;
        if let Some(file) = &args.table {
            write_table(file, &self.settings)?;
        }
        let mut progress = live.progress();
        runtime.block_on(async {
            tokio::select! {
                ended = live.run() => ended.map_err(failed),
                _ = progress.wait_for(|progress| *progress == Progress::Ended) => Ok(()),
                _ = tokio::signal::ctrl_c() => Ok(()),
            }
        })
    }
}

/// The settings as the configuration has them.
fn write_table(path: &Path, settings: &TableSettings) -> Outcome {
    let tables = std::collections::BTreeMap::from([("table", [settings])]);
    let text = toml::to_string(&tables).map_err(|e| Failure::new(Exit::Failed, e))?;
    fs::write(path, text).map_err(|e| unavailable(path, e))
}

/// Ports of emulated devices as a real table might have them.
fn ports(prefix: &str, boards: usize) -> Vec<String> {
    let boards = crate::types::BoardId::first(boards).map(|board| format!("board-{}", board.lower()));
    boards.chain(["trays".into()]).map(|name| format!("{prefix}{name}")).collect()
}

/// The record's own date and time as RFC 3339.
fn started(game: &bpgn::Game) -> String {
    let date = game.tag("Date").unwrap_or("").replace('.', "-");
    let time = game.tag("Time").unwrap_or("12:00:00");
    let told = format!("{date}T{time}Z").parse::<jiff::Timestamp>();
    told.map_or_else(|_| STARTED.to_owned(), |started| started.to_string())
}

fn unavailable(path: &Path, error: std::io::Error) -> Failure {
    Failure::new(Exit::Unavailable, format!("{}: cannot be written: {error}; choose another place", path.display()))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    const GAMES: &str = "[Date \"2020.03.31\"]\n\n1A. e4 {119.5} 1B. d4 1a. e5 *\n\n[Date \"?\"]\n\n1A. e4 1a. e4 *\n";

    fn simulate(file: &Path, more: &[&str]) -> Result<String, Failure> {
        let line = ["simulate", file.to_str().unwrap()].into_iter().chain(more.iter().copied());
        let mut out = Vec::new();
        run(Line::try_parse_from(line).unwrap().args, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn a_capture_and_its_truth_are_written_the_same_every_time() {
        let dir = tempfile::tempdir().unwrap();
        let game = dir.path().join("game.bpgn");
        fs::write(&game, GAMES).unwrap();
        let read = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
        for name in ["x.jsonl", "y.jsonl"] {
            simulate(&game, &["--capture", dir.path().join(name).to_str().unwrap()]).unwrap();
        }
        assert_eq!(read("x.jsonl"), read("y.jsonl"));
        assert!(read("x.jsonl").starts_with("{\"capture\":1,\"started\":\"2020-03-31T12:00:00Z\""));
        let truth: crate::simulate::hands::Truth = serde_json::from_str(&read("x.truth.json")).unwrap();
        assert_eq!(truth.moves.iter().map(|played| &*played.san).collect::<Vec<_>>(), ["e4", "d4", "e5"]);
        assert_eq!((truth.base, &*truth.result), (120, "*"));
    }

    #[test]
    fn failures_say_what_and_where() {
        let dir = tempfile::tempdir().unwrap();
        let game = dir.path().join("game.bpgn");
        fs::write(&game, GAMES).unwrap();
        let fails = |more: &[&str]| {
            let failure = simulate(&game, more).unwrap_err();
            (failure.exit, failure.lines.join("\n").replace(dir.path().to_str().unwrap(), ""))
        };
        let (exit, illegal) = fails(&["--number", "2"]);
        assert_eq!(exit, Exit::BadInput);
        let place = "/game.bpgn: game 2: board A, ply 2: expected a legal move: e4 ";
        assert!(illegal.starts_with(place), "{illegal}");
        let few = "/game.bpgn: expected at least 3 games, found fewer; choose another --number";
        assert_eq!(fails(&["--number", "3"]), (Exit::BadInput, few.into()));
        assert_eq!(fails(&["--number", "0"]).0, Exit::Usage);
        assert_eq!(fails(&["--capture", "/nowhere/x.jsonl"]).0, Exit::Unavailable);
        assert_eq!(simulate(Path::new("/nowhere.bpgn"), &[]).unwrap_err().exit, Exit::Unavailable);
    }
}

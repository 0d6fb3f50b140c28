//! `bughoused accuracy`: how well the machine records what emulated hands play.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{BufReader, BufWriter, IsTerminal, Write},
    panic::catch_unwind,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use clap::Args as ClapArgs;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::{
    Exit, Failure, Outcome,
    offences::OffenceArgs,
    rig::{self, RigArgs},
};
use crate::{
    notation::bpgn::{self, Reader},
    rules::RuleSet,
    simulate::{
        accuracy::{Delays, Moves, Recall, Results, Source, Tally, Trial, Tried, Verdict},
        hands::{Profile, habit::Habit},
        offence::Offences,
        rig::{Rig, Sensing},
    },
    types::MS,
};

/// A move is told at once if the event comes no later than this after the frame that decided.
const AT_ONCE: i64 = MS;
/// Random games when no others were named.
const RANDOM_GAMES: u64 = 20;

/// Plays games with emulated hands and devices, records them and compares the record with what was played
///
/// Everything runs in virtual time. The same arguments give the same figures.
#[derive(Debug, ClapArgs)]
#[command(after_help = super::simulate::help())]
pub struct Args {
    /// File of BPGN games
    file: Option<PathBuf>,
    /// So many random games with many drops, castlings, e.p. captures and promotions [default: 20 without a FILE]
    #[arg(long, value_name = "N")]
    random: Option<u64>,
    /// So many random games for every offence, committed once in each, instead of other games
    #[arg(long, value_name = "N", conflicts_with_all = ["file", "random", "offences", "next_game"])]
    each: Option<u64>,
    /// After each game another, short one on the same boards, which the players set up for it; both are judged
    #[arg(long, conflicts_with = "baseline")]
    next_game: bool,
    /// Plies of a random game, at most
    #[arg(long, value_name = "N", default_value_t = 120)]
    plies: usize,
    /// How the players behave
    #[arg(long, value_name = "PROFILE,…", value_delimiter = ',', default_value = "clean,human,blitz,chaos")]
    #[arg(value_parser = super::simulate::profile)]
    profiles: Vec<&'static Profile>,
    /// Every habit alone instead of the profiles
    #[arg(long)]
    habits: bool,
    /// Every kind of devices and every single fault, each with all profiles, without the habits
    #[arg(long, conflicts_with_all = ["habits", "each", "sensing", "no_trays", "no_clocks", "one_clock", "faults"])]
    kinds: bool,
    /// How often each game is played by each kind of players
    #[arg(long, value_name = "N", default_value_t = 1)]
    seeds: u64,
    /// The first seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Only the first games of the file
    #[arg(long, value_name = "N")]
    games: Option<usize>,
    /// The method of one settled ply on the same bytes, for comparison
    #[arg(long)]
    baseline: bool,
    /// Games at a time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
    /// One JSON object a kind of players
    #[arg(long)]
    json: bool,
    /// Save games that are not recorded and reported perfectly here, as capture and truth
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
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

/// What is printed of one kind of players.
#[derive(Serialize)]
struct Row<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    profile: &'a str,
    /// Games in which the machine panicked; they count in nothing else.
    panicked: usize,
    /// Moves that were told within [`AT_ONCE`] of the frame that decided, and how late the others were.
    at_once: usize,
    later_ms: Delays,
    #[serde(flatten)]
    machine: Tally,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<Tally>,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Outcome {
    let sources = sources(args)?;
    if let Some(dir) = &args.keep {
        fs::create_dir_all(dir).map_err(|e| unavailable(dir, e))?;
    }
    let habits = || Habit::all().filter_map(|habit| Profile::named(habit.name())).collect();
    let profiles = if args.habits { habits() } else { args.profiles.clone() };
    if !args.json {
        writeln!(out, "{HEADING}")?;
    }
    let kinds: Vec<(Option<&str>, RigArgs)> = match args.kinds {
        true => RigArgs::kinds().map(|(kind, rig)| (Some(kind), rig)).collect(),
        false => vec![(None, args.rig.clone())],
    };
    for (kind, rig) in kinds {
        if let Some(kind) = kind.filter(|_| !args.json) {
            writeln!(out, "{kind}")?;
        }
        for profile in &profiles {
            let row = Row { kind, ..try_out(args, &sources, profile, &rig.rig(profile))? };
            match args.json {
                true => writeln!(out, "{}", serde_json::to_string(&row).map_err(std::io::Error::from)?)?,
                false => print(out, &row, args.habits || args.kinds)?,
            }
            out.flush()?;
        }
    }
    Ok(())
}

/// The games of the file, and random ones.
fn sources(args: &Args) -> Result<Vec<Source>, Failure> {
    if let Some(each) = args.each {
        return Ok(args.offences.each().flat_map(|offences| offending(args, each, offences)).collect());
    }
    let offences = args.offences.offences();
    let mut sources = Vec::new();
    if let Some(path) = &args.file {
        let file = File::open(path).map_err(|e| unavailable(path, e))?;
        let records = Reader::new(BufReader::new(file)).take(args.games.unwrap_or(usize::MAX));
        for (index, parsed) in records.enumerate() {
            let place = format!("{}: game {}", path.display(), index + 1);
            let bad = |e: &dyn std::fmt::Display| Failure::new(Exit::BadInput, format!("{place}: {e}"));
            let record: bpgn::Game = parsed.map_err(|e| bad(&e))?.game;
            let source =
                Source::of_record(format!("game-{:04}", index + 1), &record, &args.ruleset, &offences, index as u64);
            sources.push(source.map_err(|fault| bad(&fault.message))?);
        }
    }
    let random = args.random.unwrap_or(if args.file.is_none() { RANDOM_GAMES } else { 0 });
    sources.extend((1..=random).map(|seed| Source::random(seed, args.plies, &args.ruleset, &offences)));
    if args.next_game {
        let next = |(seed, source): (u64, Source)| source.with_next(seed, &args.ruleset);
        sources = (1..).zip(sources).map(next).collect();
    }
    Ok(sources)
}

/// So many random games with these offences.
fn offending(args: &Args, games: u64, (number, offences): (u64, Offences)) -> impl Iterator<Item = Source> + '_ {
    let seeds = number * games + 1..=(number + 1) * games;
    seeds.map(move |seed| Source::random(seed, args.plies, &args.ruleset, &offences))
}

/// Where a job leaves what came of one game: nothing if the machine panicked.
type Slot = Mutex<Option<Result<Option<Tried>, Failure>>>;

/// All games by one kind of players, several at a time; the sums do not depend on how many.
fn try_out<'a>(args: &Args, sources: &[Source], profile: &'a Profile, rig: &Rig) -> Result<Row<'a>, Failure> {
    let trial = |(index, (source, seed))| {
        // Games of one seed have devices and hands of their own.
        Trial { source, profile, seed: seed * 1_000 + index as u64, ruleset: &args.ruleset, rig }
    };
    let trials: Vec<Trial<'_>> = sources
        .iter()
        .flat_map(|source| (0..args.seeds).map(move |more| (source, args.seed + more)))
        .enumerate()
        .map(trial)
        .collect();
    let progress = progress(profile.name, trials.len());
    let next = AtomicUsize::new(0);
    let results: Vec<Slot> = trials.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        while let Some((trial, result)) = at_next(&next, &trials, &results) {
            let tried = one(args, trial);
            *result.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(tried);
            progress.inc(1);
        }
    };
    std::thread::scope(|scope| {
        (1..args.jobs).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    progress.finish_and_clear();
    let mut row = Row {
        kind: None,
        profile: profile.name,
        panicked: 0,
        at_once: 0,
        later_ms: Delays::default(),
        machine: Tally::default(),
        baseline: None,
    };
    for result in results {
        let Some(tried) = result.into_inner().ok().flatten().transpose()?.flatten() else {
            row.panicked += 1;
            continue;
        };
        tried.machine.iter().for_each(|verdict| row.machine.add(verdict));
        if let Some(verdict) = &tried.baseline {
            row.baseline.get_or_insert_default().add(verdict);
        }
    }
    (row.at_once, row.later_ms) = row.machine.decided_ms.split(AT_ONCE);
    Ok(row)
}

fn at_next<'a, T, R>(next: &AtomicUsize, trials: &'a [T], results: &'a [R]) -> Option<(&'a T, &'a R)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((trials.get(index)?, results.get(index)?))
}

/// One game; none if the machine panicked. What is not perfect is kept if that was asked.
fn one(args: &Args, trial: &Trial<'_>) -> Result<Option<Tried>, Failure> {
    // The method of one settled ply reads DGT boards alone.
    let identity = trial.rig.boards.iter().all(|sensing| *sensing == Sensing::Identity);
    let tried = catch_unwind(|| trial.run(args.baseline && identity)).ok().transpose();
    let tried = tried.map_err(|e| Failure::new(Exit::Failed, format!("{}: {e}", trial.name())))?;
    let perfect = |verdict: &Verdict| verdict.is_perfect() && verdict.reports_well() && verdict.result != Some(false);
    let perfect = tried.as_ref().is_some_and(|tried| tried.machine.iter().all(perfect));
    if let Some(dir) = args.keep.as_deref().filter(|_| !perfect) {
        // A capture that makes the machine panic ends there.
        catch_unwind(|| keep(dir, trial)).unwrap_or(Ok(())).map_err(|e| unavailable(dir, e))?;
    }
    Ok(tried)
}

fn keep(dir: &Path, trial: &Trial<'_>) -> std::io::Result<()> {
    let capture = dir.join(trial.name() + ".jsonl");
    let (truth, events) = trial.record(BufWriter::new(File::create(&capture)?))?;
    serde_json::to_writer(BufWriter::new(File::create(capture.with_extension("truth.json"))?), &truth)?;
    if trial.rig.restarts.is_some() {
        // No replay of the capture tells what a daemon said that was not always there.
        let mut out = BufWriter::new(File::create(capture.with_extension("events.jsonl"))?);
        for event in events {
            serde_json::to_writer(&mut out, &event)?;
            writeln!(out)?;
        }
    }
    Ok(())
}

fn progress(name: &str, games: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg:18} {bar:40} {pos}/{len} games, {eta} left");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(games as u64).with_style(style).with_message(name.to_owned())
}

const HEADING: &str = "players              games  perfect   candid   moves    right  corr.  unsure  silent  extra  \
                       order  illegal  at once  later p50/p99   press→event p50/p99/max ms";

fn print(out: &mut dyn Write, row: &Row<'_>, alone: bool) -> std::io::Result<()> {
    print_tally(out, row.profile, &row.machine)?;
    if row.panicked > 0 {
        writeln!(out, "  {} more games made the machine panic", row.panicked)?;
    }
    if let Some(baseline) = &row.baseline {
        print_tally(out, "  one settled ply", baseline)?;
    }
    if alone {
        return Ok(());
    }
    for (name, moves) in &row.machine.habits {
        writeln!(out, "  {name:33} {}", figures(moves))?;
    }
    let Results { evident, right } = row.machine.results;
    if evident > 0 {
        writeln!(out, "  {:33} {evident:>7} {:>8}", "results", percent(right, evident))?;
    }
    print_offences(out, &row.machine)?;
    let incidents: Vec<_> = row.machine.incidents.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    if !incidents.is_empty() {
        writeln!(out, "  incidents: {}", incidents.join(", "))?;
    }
    Ok(())
}

/// Every kind of incident: offences, how many of them were reported, and reports that nobody's doing bears out.
fn print_offences(out: &mut dyn Write, tally: &Tally) -> std::io::Result<()> {
    let kinds: BTreeSet<&String> = tally.offences.keys().chain(tally.false_incidents.keys()).collect();
    if !kinds.is_empty() {
        writeln!(
            out,
            "  {:33} {:>7} {:>8} {:>8} {:>6} {:>9}",
            "offence", "done", "reported", "recall", "false", "precision"
        )?;
    }
    for kind in kinds {
        let Recall { committed, reported } = tally.offences.get(kind).copied().unwrap_or_default();
        let falsely = tally.false_incidents.get(kind).copied().unwrap_or(0);
        let (recall, precision) = (percent(reported, committed), percent(reported, reported + falsely));
        writeln!(out, "  {kind:33} {committed:>7} {reported:>8} {recall:>8} {falsely:>6} {precision:>9}")?;
    }
    Ok(())
}

fn print_tally(out: &mut dyn Write, name: &str, tally: &Tally) -> std::io::Result<()> {
    let (perfect, candid) = (percent(tally.perfect, tally.games), percent(tally.candid, tally.games));
    let delay = &tally.delay_ms;
    let delays = [500, 990, 1000].map(|per_mille| delay.ms(per_mille).to_string()).join("/");
    let Tally { games, moves, extra, disorder, false_illegal, decided_ms, .. } = tally;
    let (at_once, later) = decided_ms.split(AT_ONCE);
    let decided = at_once + later.count();
    let at_once = percent(at_once, decided);
    let later = format!("{}/{}", later.ms(500), later.ms(990));
    let moves = figures(moves);
    write!(out, "{name:20} {games:>5} {perfect:>8} {candid:>8} {moves} {extra:>6} {disorder:>6} {false_illegal:>8}")?;
    writeln!(out, " {at_once:>8} {later:>14}   {delays}")
}

fn figures(moves: &Moves) -> String {
    let right = percent(moves.right, moves.moves);
    let Moves { moves, corrected, uncertain, silent, .. } = moves;
    format!("{moves:>7} {right:>8} {corrected:>6} {uncertain:>7} {silent:>7}")
}

/// A share with two decimals that is 100.00 only if nothing is missing.
fn percent(part: usize, whole: usize) -> String {
    let hundredths = (part * 10_000).checked_div(whole).unwrap_or(10_000);
    format!("{}.{:02}%", hundredths / 100, hundredths % 100)
}

fn unavailable(path: &Path, error: std::io::Error) -> Failure {
    Failure::new(Exit::Unavailable, format!("{}: {error}", path.display()))
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

    fn accuracy(line: &[&str]) -> String {
        let args = Line::try_parse_from(["accuracy"].iter().chain(line)).unwrap().args;
        let mut out = Vec::new();
        run(&args, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn figures_do_not_depend_on_the_jobs() {
        let line = ["--random", "3", "--plies", "20", "--profiles", "clean,blitz", "--seeds", "2", "--json"];
        let told = accuracy(&line);
        assert_eq!(told, accuracy(&[&line[..], &["--jobs", "2"]].concat()));
        let rows: Vec<serde_json::Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(rows.len(), 2);
        assert_eq!((&rows[0]["profile"], &rows[0]["games"]), (&"clean".into(), &6.into()));
        assert_eq!(rows[0]["perfect"], 6);
        assert!(rows[1]["delay_ms"]["p50"].as_i64().unwrap() > 0);
    }

    #[test]
    fn every_offence_has_games_of_its_own() {
        let line = ["--each", "2", "--offence", "paused,uneven-start", "--plies", "30", "--profiles", "clean"];
        let row: serde_json::Value = serde_json::from_str(&accuracy(&[&line[..], &["--json"]].concat())).unwrap();
        let two = serde_json::json!({ "committed": 2, "reported": 2 });
        assert_eq!(row["games"], 4);
        assert_eq!(row["offences"], serde_json::json!({ "paused": two, "uneven-start": two }));
        let told = accuracy(&line);
        assert!(
            told.contains("uneven-start                            2        2  100.00%      0   100.00%"),
            "{told}"
        );
    }

    #[test]
    fn every_kind_of_devices_is_reported() {
        let line = ["--random", "1", "--plies", "10", "--profiles", "clean", "--kinds"];
        let rows = accuracy(&[&line[..], &["--json"]].concat());
        let kinds: Vec<serde_json::Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let names: Vec<&str> = kinds.iter().map(|row| row["kind"].as_str().unwrap()).collect();
        assert_eq!(names, rig::KINDS.map(|(name, _)| name));
        assert_eq!((&kinds[0]["perfect"], &kinds[0]["at_once"]), (&1.into(), &10.into()));
        assert!(accuracy(&line).contains("\nlevels\nclean "));
    }

    #[test]
    fn a_share_is_whole_only_if_nothing_is_missing() {
        let shares = [(1, 1), (99_999, 100_000), (0, 3), (0, 0)];
        assert_eq!(shares.map(|(part, whole)| percent(part, whole)), ["100.00%", "99.99%", "0.00%", "100.00%"]);
    }

    #[test]
    fn games_are_kept_as_capture_and_truth() {
        let dir = tempfile::tempdir().unwrap();
        let none = Offences::default();
        let source = Source::random(1, 10, &RuleSet::WBN_1_00, &none);
        let trial = Trial {
            source: &source,
            profile: &Profile::CLEAN,
            seed: 5,
            ruleset: &RuleSet::WBN_1_00,
            rig: &Rig::default(),
        };
        keep(dir.path(), &trial).unwrap();
        let read = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
        assert!(read("clean-random-0001-5.jsonl").starts_with("{\"capture\":1"));
        let truth: crate::simulate::hands::Truth =
            serde_json::from_str(&read("clean-random-0001-5.truth.json")).unwrap();
        assert_eq!((truth.moves.len(), &*truth.game), (10, "random-0001"));
    }
}

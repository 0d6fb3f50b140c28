//! A whole node is killed (SIGKILL) at random moments while emulated hands play on, and started again.
//!
//! The child is this test's own program with a whole node in it: ports on pseudo-terminals, machine, journal, broker.
//! It runs `SPEED` times as fast as time, and so do hands and clocks. `KILLS=500 cargo test --test it kill:: --
//! --nocapture` prints the figures of a long run; without `KILLS` there are a few. A board whose record differs from
//! what was played must have been told to be uncertain. How well moves are found that were made meanwhile depends on
//! how long this machine takes for a start: that is printed, and asserted in virtual time by the tests of resumption.
#![allow(clippy::disallowed_methods, reason = "hands play in real time")]

use std::{
    env,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use bughoused::{
    daemon::{
        node::Node,
        settings::{Broker, NodeSettings},
    },
    event::{Body, Event, Feed},
    journal::{Journal, Reader},
    record::GameRecord,
    rules::RuleSet,
    simulate::{
        hands::{Profile, Truth, play, players_of, plies_of, terms_of},
        live::{Live, Progress},
        stage::{self, Stage},
    },
    table::settings::TableSettings,
    types::BoardId,
};
use jiff::Timestamp;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{bus::loopback, corpus::games, kept::kept};

/// So many times as fast as time.
const SPEED: u32 = 3;
/// Plies of one game: as many kills as possible fall into play.
const PLIES: usize = 60;
/// Kills of a run that nobody asked to be longer.
const KILLS: usize = 10;
/// How long a node lives, in milliseconds.
const LIFE_MS: std::ops::Range<u64> = 300..2000;
/// Longest wait for the last moves after the last start.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long before a kill a press must come to have been heard, and how long after a start the devices show what there
/// is, in the hands' time.
const HEARING: Duration = Duration::from_millis(800);
const START_UP: Duration = Duration::from_millis(2000);
/// Set in the child: where its journal is and where the ports are.
const CHILD: &str = "BUGHOUSED_TEST_NODE";

/// The child's part; nothing when it is run as a test.
#[tokio::test]
async fn child() {
    let Some(dir) = env::var_os(CHILD).map(PathBuf::from) else { return };
    let table: TableSettings = serde_json::from_slice(&std::fs::read(dir.join("table.json")).unwrap()).unwrap();
    let settings = NodeSettings {
        id: "killed".into(),
        data_dir: dir,
        retention: Default::default(),
        prefix: "bughouse".into(),
        broker: Broker::Embedded { listen: loopback(), live_open: true, arbiter: None, display: None },
        arbiter: None,
        web: loopback(),
        tables: vec![table],
        speed: SPEED,
        shown: serde_json::Value::Null,
    };
    let mut node = Node::start(settings).await.unwrap();
    panic!("{}", node.wait().await);
}

fn start(dir: &Path) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "kill::child", "--nocapture"])
        .env(CHILD, dir)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// What came of the kills in one game.
#[derive(Default)]
struct Found {
    kills: usize,
    /// Rows that were there after a kill and not, or otherwise, after a later one.
    lost: usize,
    /// Plies that are recorded twice.
    doubled: usize,
    /// Journals that did not open.
    closed: usize,
    played: usize,
    recorded: usize,
    /// Moves that are not recorded: completed while a node heard the table, and while none did; moves that nobody made.
    unheard: usize,
    unfound: usize,
    extra: usize,
    /// Boards whose moves differ from what was played, with and without that being told to be uncertain.
    unsure: usize,
    wrong: usize,
    /// What must never be: another game, a number that is missing.
    broken: Vec<String>,
}

impl Found {
    fn is_bad(&self) -> bool {
        (self.closed, self.lost, self.doubled, self.wrong) != (0, 0, 0, 0) || !self.broken.is_empty()
    }
}

/// The events of the journal, opened as a daemon opens it. `known` are those of an earlier look.
fn look(dir: &Path, known: &[Event], found: &mut Found) -> Vec<Event> {
    match Journal::open(dir) {
        Ok(opened) => {
            drop(opened.journal);
            opened.stopping.wait();
        }
        Err(_) => found.closed += 1,
    }
    let read = Reader::open(dir).and_then(|reader| reader.rows_between(None, 0, i64::MAX, usize::MAX >> 1));
    let events: Vec<Event> = read.map_or(Vec::new(), |(rows, _)| rows.into_iter().map(|(_, event)| event).collect());
    found.lost += known
        .iter()
        .zip(events.iter().map(Some).chain(std::iter::repeat(None)))
        .filter(|(old, new)| Some(*old) != *new)
        .count();
    events
}

fn moves_of(record: &GameRecord, board: BoardId) -> Vec<String> {
    record.moves.iter().filter(|(_, m)| m.board == board).map(|(_, m)| m.uci.clone()).collect()
}

fn texts(moves: &[String]) -> Vec<&str> {
    moves.iter().map(String::as_str).collect()
}

/// When the kill came and when the next node began, in the hands' time.
type Away = (i64, i64);

/// When no node heard the table.
fn away(kills: &[Timestamp], began: Timestamp, events: &[Event]) -> Vec<Away> {
    let opened = |event: &Event| event.time.parse::<Timestamp>().unwrap().as_microsecond() - event.t.micros();
    let openings: Vec<i64> = events.iter().map(opened).collect();
    let world = |at: i64| (at - began.as_microsecond()) * i64::from(SPEED);
    let interval = |kill: &Timestamp| {
        let kill = kill.as_microsecond();
        (world(kill), world(openings.iter().copied().filter(|opening| *opening > kill).min().unwrap_or(i64::MAX / 8)))
    };
    kills.iter().map(interval).collect()
}

fn compare(truth: &Truth, events: &[Event], away: &[Away], seed: u64, found: &mut Found) {
    let games = GameRecord::fold(events);
    let Some(record) = games.iter().max_by_key(|game| game.moves.len()) else {
        found.broken.push(format!("seed {seed}: no game"));
        return;
    };
    if games.len() != 1 {
        found.broken.push(format!("seed {seed}: {} games", games.len()));
    }
    let live = events.iter().filter(|event| event.body.feed() == Feed::Live);
    if live.zip(1..).any(|(event, seq)| event.seq != seq) {
        found.broken.push(format!("seed {seed}: seq has gaps"));
    }
    for board in [BoardId::A, BoardId::B] {
        let played: Vec<String> = truth.moves.iter().filter(|m| m.board == board).map(|m| m.uci.clone()).collect();
        let recorded = moves_of(record, board);
        (found.played, found.recorded) = (found.played + played.len(), found.recorded + recorded.len());
        let plies: Vec<u32> = record.moves.iter().filter(|(_, m)| m.board == board).map(|(_, m)| m.ply).collect();
        let doubled = plies.iter().zip(1..).filter(|(ply, expect)| **ply < *expect).count();
        if doubled > 0 {
            found.broken.push(format!("seed {seed}: plies of board {board}: {plies:?}"));
        }
        found.doubled += doubled;
        let doubted = events.iter().any(|e| matches!(&e.body, Body::Uncertain(doubt) if doubt.board == board));
        let kept = kept(&texts(&played), &texts(&recorded));
        let presses: Vec<i64> = truth.moves.iter().filter(|m| m.board == board).map(|m| m.press.micros()).collect();
        let (hearing, start_up) = (HEARING.as_micros() as i64, START_UP.as_micros() as i64);
        let deaf = |press: i64| away.iter().any(|(from, to)| (from - hearing..to + start_up).contains(&press));
        for index in &kept.missing {
            let missing = if deaf(presses[*index]) { &mut found.unfound } else { &mut found.unheard };
            *missing += 1;
        }
        found.extra += kept.extra;
        if played != recorded && doubted {
            found.unsure += 1;
        } else if played != recorded {
            found.wrong += 1;
        }
    }
}

/// Plays one game and kills the node again and again.
async fn game(seed: u64, kills: usize) -> Found {
    let dir = tempfile::tempdir().unwrap();
    let record = &games()[seed as usize % games().len()];
    let mut plies = plies_of(record, &RuleSet::WBN_1_00).unwrap();
    plies.truncate(PLIES);
    let performance = play(&plies, &terms_of(record), Profile::named("clean").unwrap(), seed);
    let settings = stage::settings(&terms_of(record), players_of(record), &[]);
    let names: Vec<String> = settings.device.iter().map(|device| device.name.clone()).collect();
    let ports: Vec<String> = names.iter().map(|name| dir.path().join(name).display().to_string()).collect();
    let settings = stage::settings(&terms_of(record), players_of(record), &ports);
    std::fs::write(dir.path().join("table.json"), serde_json::to_vec(&settings).unwrap()).unwrap();
    let live = Live::open(Stage::new(&performance, seed), &names, Some(dir.path()), SPEED).unwrap();
    let mut progress = live.progress();
    let hands = tokio::spawn(live.run());
    let mut node = start(dir.path());
    progress.wait_for(|progress| *progress != Progress::Waiting).await.unwrap();
    let (began, mut kills_at) = (Timestamp::now(), Vec::new());

    let (mut found, mut known) = (Found::default(), Vec::new());
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let set_up = Duration::from_secs(4) / SPEED;
    tokio::time::sleep(set_up).await;
    while found.kills < kills && *progress.borrow() == Progress::Playing {
        tokio::time::sleep(Duration::from_millis(random.random_range(LIFE_MS))).await;
        kills_at.push(Timestamp::now());
        node.kill().unwrap();
        node.wait().unwrap();
        found.kills += 1;
        known = look(dir.path(), &known, &mut found);
        node = start(dir.path());
    }
    let until = Instant::now() + PATIENCE;
    progress.wait_for(|progress| *progress == Progress::Ended).await.unwrap();
    let recorded = || Reader::open(dir.path()).and_then(|reader| reader.record("last")).map_or(0, |r| r.moves.len());
    while recorded() < performance.truth.moves.len() && Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    node.kill().unwrap();
    node.wait().unwrap();
    let events = look(dir.path(), &known, &mut found);
    compare(&performance.truth, &events, &away(&kills_at, began, &events), seed, &mut found);
    if found.is_bad() {
        let lines: Vec<String> = events.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("kill-{seed}.jsonl"));
        std::fs::write(&kept, lines.join("\n")).unwrap();
        println!("what the journal of seed {seed} says is kept in {}", kept.display());
    }
    hands.abort();
    found
}

#[tokio::test]
async fn nothing_is_lost_or_doubled_by_kills() {
    let wanted: usize = env::var("KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS);
    let mut all = Found::default();
    let mut played = 0;
    while all.kills < wanted {
        let found = game(played, wanted - all.kills).await;
        played += 1;
        all.kills += found.kills;
        all.lost += found.lost;
        all.doubled += found.doubled;
        all.closed += found.closed;
        all.played += found.played;
        all.recorded += found.recorded;
        all.unsure += found.unsure;
        all.wrong += found.wrong;
        all.unheard += found.unheard;
        all.unfound += found.unfound;
        all.extra += found.extra;
        all.broken.extend(found.broken);
    }
    let Found { kills, closed, lost, doubled, recorded, unheard, unfound, extra, unsure, wrong, broken, .. } = &all;
    println!(
        "{kills} kills in {played} games: {closed} journals did not open, {lost} rows lost, {doubled} plies doubled"
    );
    println!("{} moves played, {recorded} recorded;", all.played);
    println!(
        "{unheard} lost that a node heard, {unfound} not found that were made while none did, {extra} nobody made;"
    );
    println!("of {} boards {unsure} told to be uncertain, {wrong} wrong", 2 * played);
    assert!(!all.is_bad(), "{}", broken.join("\n"));
}

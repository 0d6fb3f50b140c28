//! `bughoused demo`: the whole chain on one machine with nothing installed.
//!
//! Emulated boards, clocks and trays on pseudo-terminals play a real game through the real drivers, machine, journal
//! and broker; a spectator of the broker shows it in the terminal. With `--once` the record is compared with the game.

mod screen;
mod spectator;
mod verify;

use std::{
    fs::File,
    io::{BufReader, IsTerminal},
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::{sync::watch, time::timeout};

use super::{Exit, Failure, Outcome, signals::Signals};
use crate::{
    daemon::{
        node::{Node, Running, StartError},
        settings::{Broker, NodeSettings},
    },
    notation::bpgn::{self, Reader},
    publish::password::Password,
    rules::RuleSet,
    simulate::{
        hands::{Ply, Profile, Terms, play, players_of, plies_of, terms_of},
        live::{Live, Progress},
        stage::{self, Stage},
    },
    table::settings::TableSettings,
};
use screen::Screen;
use spectator::Spectator;

/// A real game, players renamed.
const GAME: &str = include_str!("demo/game.bpgn");
/// Default addresses; any free port is taken when they are not.
const WEB: ([u8; 4], u16) = ([127, 0, 0, 1], 8080);
const MQTT: ([u8; 4], u16) = ([127, 0, 0, 1], 1883);
/// User and password with which the demo's arbiter enters a result that the boards do not show.
const ARBITER: &str = "demo";
/// How long the record may take to be complete after the last byte.
const RECORD_WAIT_MAX: Duration = Duration::from_secs(5);
/// Rest between two games.
const BETWEEN_GAMES: Duration = Duration::from_secs(8);

/// Play a real game on emulated boards, clocks and trays through everything that a real table uses
#[derive(Debug, clap::Args)]
pub struct Args {
    /// File of BPGN games; the first one is played
    game: Option<PathBuf>,
    /// So many times as fast
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=20))]
    speed: u32,
    /// How the players behave
    #[arg(long, value_name = "PROFILE", default_value = "clean", value_parser = super::simulate::profile)]
    human: &'static Profile,
    /// Decides everything that is left to chance
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// End after one game: exit 0 only if the record equals the game
    #[arg(long)]
    once: bool,
}

/// Runs the demo.
pub fn run(args: &Args) -> Outcome {
    let play = Play::read(args)?;
    let unavailable = |e: std::io::Error| Failure::new(Exit::Unavailable, format!("cannot start: {e}"));
    let folder = tempfile::Builder::new().prefix("bughoused-demo-").tempdir().map_err(unavailable)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(unavailable)?;
    let outcome = runtime.block_on(show(args, &play, folder.path()));
    runtime.shutdown_timeout(Duration::from_millis(200));
    outcome
}

/// The game to be played.
struct Play {
    record: bpgn::Game,
    plies: Vec<Ply>,
    terms: Terms,
}

impl Play {
    fn read(args: &Args) -> Result<Play, Failure> {
        let record = match &args.game {
            Some(path) => read_first(path)?,
            None => bpgn::read_game(GAME, 1).map_err(|e| Failure::new(Exit::Failed, e))?.game,
        };
        let plies = plies_of(&record, &RuleSet::WBN_1_00).map_err(|fault| {
            let place = format!("board {}, ply {}", fault.board, fault.ply);
            Failure::new(Exit::BadInput, format!("{place}: expected a legal move, found {}", fault.message))
        })?;
        let terms = terms_of(&record);
        Ok(Play { record, plies, terms })
    }

    fn settings(&self, ports: &Path) -> TableSettings {
        let mut settings = stage::settings(&self.terms, players_of(&self.record), &[]);
        for device in &mut settings.device {
            device.port = Some(ports.join(&device.name).display().to_string());
        }
        settings
    }
}

fn read_first(path: &Path) -> Result<bpgn::Game, Failure> {
    let place = path.display();
    let file = File::open(path).map_err(|e| Failure::new(Exit::Unavailable, format!("{place}: {e}")))?;
    match Reader::new(BufReader::new(file)).next() {
        Some(Ok(parsed)) => Ok(parsed.game),
        Some(Err(e)) => Err(Failure::new(Exit::BadInput, format!("{place}: {e}"))),
        None => Err(Failure::new(Exit::BadInput, format!("{place}: expected a BPGN game, found none"))),
    }
}

/// Starts the node, plays, shows, and ends all in order.
async fn show(args: &Args, play: &Play, folder: &Path) -> Outcome {
    let mut signals = Signals::new()?;
    let mut node = start(args, play, folder).await?;
    let addresses = node.addresses.clone();
    let mut screen = Screen::new(&addresses, std::io::stdout().is_terminal());
    screen.greet();
    let outcome = tokio::select! {
        outcome = games(args, play, folder, &addresses.broker, &mut screen) => outcome,
        broken = node_breaks(&mut node) => Err(broken),
        _ = signals.next() => Ok(()),
    };
    screen.leave();
    let lost = node_ends(node).await;
    outcome?;
    match lost {
        0 => Ok(()),
        lost => Err(Failure::new(Exit::Failed, format!("{lost} rows could not be written to the journal"))),
    }
}

async fn node_breaks(node: &mut Running) -> Failure {
    Failure::new(Exit::Failed, node.wait().await)
}

async fn node_ends(node: Running) -> u64 {
    node.shutdown().await
}

/// A node with the default addresses, or any that are free.
async fn start(args: &Args, play: &Play, folder: &Path) -> Result<Running, Failure> {
    let mut settings = NodeSettings {
        id: "demo".into(),
        data_dir: folder.to_owned(),
        retention: Default::default(),
        prefix: "bughouse".into(),
        broker: Broker::Embedded {
            listen: MQTT.into(),
            live_open: true,
            arbiter: Some(Password::clear(ARBITER)),
            display: None,
        },
        web: WEB.into(),
        arbiter: Some(Password::clear(ARBITER)),
        tables: vec![play.settings(&folder.join("ports"))],
        speed: args.speed,
        shown: serde_json::json!({ "demo": true }),
    };
    loop {
        match Node::start(settings.clone()).await {
            Ok(node) => return Ok(node),
            Err(StartError::Listen { address, .. }) if address.port() != 0 => take_any_port(&mut settings, address),
            Err(e) => return Err(Failure::new(Exit::Unavailable, e)),
        }
    }
}

fn take_any_port(settings: &mut NodeSettings, taken: SocketAddr) {
    if settings.web == taken {
        settings.web.set_port(0);
    } else if let Broker::Embedded { listen, .. } = &mut settings.broker {
        listen.set_port(0);
    }
}

/// One game after the other; with `--once` one, and its verdict.
async fn games(args: &Args, play: &Play, folder: &Path, broker: &str, screen: &mut Screen) -> Outcome {
    let mut spectator = Spectator::join(broker, ARBITER).await?;
    for round in 0.. {
        let told = one_game(args, play, folder, args.seed.wrapping_add(round), &mut spectator, screen).await?;
        let verdict = verify::compare(&play.plies, folder, &told);
        screen.verdict(&verdict);
        match (args.once, verdict) {
            (true, Ok(_)) => return Ok(()),
            (true, Err(differs)) => return Err(Failure::new(Exit::Failed, differs)),
            (false, _) => watch_for(BETWEEN_GAMES, &mut spectator, screen).await?,
        }
    }
    Ok(())
}

/// Plays one game to its end and answers the moves that the spectator was told.
async fn one_game(
    args: &Args,
    play: &Play,
    folder: &Path,
    seed: u64,
    spectator: &mut Spectator,
    screen: &mut Screen,
) -> Result<Vec<crate::event::Move>, Failure> {
    let failed = |e: std::io::Error| Failure::new(Exit::Unavailable, format!("the emulated devices: {e}"));
    let performance = self::play(&play.plies, &play.terms, args.human, seed);
    let settings = play.settings(&folder.join("ports"));
    let names: Vec<String> = settings.device.iter().map(|device| device.name.clone()).collect();
    let live = Live::open(Stage::new(&performance, seed), &names, Some(&folder.join("ports")), args.speed);
    let live = live.map_err(failed)?;
    let mut progress = live.progress();
    let devices = Abort(tokio::spawn(live.run()).abort_handle());
    spectator.forget();
    let ended = async { progress.wait_for(|progress| *progress == Progress::Ended).await.is_ok() };
    follow(ended, spectator, screen).await?;
    if !spectator.game_ended() {
        spectator.enter_result(&play.record.result, play.record.ending.as_deref().unwrap_or("")).await?;
    }
    let complete = timeout(RECORD_WAIT_MAX, follow_until_end(spectator, screen)).await;
    drop(devices);
    complete.unwrap_or(Ok(()))?; // the comparison says what is missing
    Ok(spectator.moves().to_vec())
}

/// Ends a task with its owner.
struct Abort(tokio::task::AbortHandle);

impl Drop for Abort {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Shows what is published until `ended` is done.
async fn follow(ended: impl Future<Output = bool>, spectator: &mut Spectator, screen: &mut Screen) -> Outcome {
    tokio::pin!(ended);
    loop {
        tokio::select! {
            _ = &mut ended => return Ok(()),
            news = spectator.next() => screen.show(&news?),
        }
    }
}

async fn follow_until_end(spectator: &mut Spectator, screen: &mut Screen) -> Outcome {
    while !spectator.game_ended() {
        let news = spectator.next().await?;
        screen.show(&news);
    }
    Ok(())
}

async fn watch_for(time: Duration, spectator: &mut Spectator, screen: &mut Screen) -> Outcome {
    let (_never, mut never) = watch::channel(());
    let over = async { timeout(time, never.changed()).await.is_err() };
    follow(over, spectator, screen).await
}

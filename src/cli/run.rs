//! `bughoused run`: the daemon.

use std::path::{Path, PathBuf};

use super::{
    Exit, Failure, Outcome,
    check::bad_config,
    signals::{Asked, Signals},
};
use crate::daemon::{
    config::{self, Config},
    node::{Node, Running, StartError},
    settings::NodeSettings,
};

/// How long the runtime may wait for what cannot be cancelled.
const RUNTIME_STOP_MAX: std::time::Duration = std::time::Duration::from_millis(100);

/// Record the games on the configured tables until SIGINT or SIGTERM
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The configuration
    #[arg(long, value_name = "FILE", default_value = config::DEFAULT_PATH)]
    pub config: PathBuf,
}

/// Runs the daemon.
pub fn run(args: Args) -> Outcome {
    let config = Config::load(&args.config).map_err(bad_config)?;
    let settings = NodeSettings::from_config(&config)
        .map_err(|e| Failure::new(Exit::BadConfig, format_args!("{}: {e}", args.config.display())))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|e| {
        Failure::new(Exit::Unavailable, format_args!("cannot start: {e}; see the limits of the system"))
    })?;
    let outcome = runtime.block_on(serve(settings, &args.config));
    runtime.shutdown_timeout(RUNTIME_STOP_MAX);
    outcome
}

async fn serve(settings: NodeSettings, path: &Path) -> Outcome {
    let mut signals = Signals::new()?;
    let mut node = Node::start(settings).await.map_err(|e| not_started(&e))?;
    tracing::info!("web page at http://{}, MQTT at {}", node.addresses.web, node.addresses.broker);
    let broken = loop {
        tokio::select! {
            asked = signals.next() => match asked {
                Asked::Stop(name) => {
                    tracing::info!("{name}: stopping");
                    break None;
                }
                Asked::Reload => reload(&mut node, path).await,
            },
            broken = node.wait() => break Some(broken),
        }
    };
    stop(node, broken.map(|broken| broken.to_string())).await
}

async fn stop(node: Running, broken: Option<String>) -> Outcome {
    let lost = node.shutdown().await;
    let mut lines: Vec<String> = broken.into_iter().collect();
    if lost > 0 {
        lines.push("not everything could be written to the journal; the log says why".to_owned());
    }
    match lines.is_empty() {
        true => Ok(()),
        false => Err(Failure { exit: Exit::Failed, lines }),
    }
}

/// SIGHUP: tables of a good file are taken over, the rest with the next start; a bad file never takes a running daemon
/// down.
async fn reload(node: &mut Running, path: &Path) {
    let problems = match Config::load(path).map(|config| NodeSettings::from_config(&config)) {
        Ok(Ok(settings)) => {
            tracing::info!("{} is read again", path.display());
            if node.reload(settings).await {
                tracing::warn!("{}: what is not a [[table]] takes effect after a restart", path.display());
            }
            return;
        }
        Ok(Err(problem)) => vec![format!("{}: {problem}", path.display())],
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    };
    for problem in problems {
        tracing::error!("{problem}");
    }
    tracing::error!("the configuration that is in use stays");
}

fn not_started(error: &StartError) -> Failure {
    let exit = match error {
        StartError::Table { .. } => Exit::BadConfig,
        StartError::Listen { .. } | StartError::DataDir { .. } | StartError::Journal(_) | StartError::Thread(_) => {
            Exit::Unavailable
        }
    };
    Failure::new(exit, error)
}

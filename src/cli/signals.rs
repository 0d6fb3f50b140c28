//! Signals of the system to a command that runs until it is asked to end.

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::{Exit, Failure};

/// Listens from its making on: a signal that comes before [`Signals::next`] is not lost.
pub struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Signals {
    /// Begins to listen.
    pub fn new() -> Result<Signals, Failure> {
        let listen = |kind| {
            signal(kind).map_err(|e| Failure::new(Exit::Unavailable, format_args!("cannot listen to signals: {e}")))
        };
        Ok(Signals {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hangup: listen(SignalKind::hangup())?,
        })
    }

    /// What the next signal asks for.
    pub async fn next(&mut self) -> Asked {
        tokio::select! {
            _ = self.interrupt.recv() => Asked::Stop("SIGINT"),
            _ = self.terminate.recv() => Asked::Stop("SIGTERM"),
            _ = self.hangup.recv() => Asked::Reload,
        }
    }
}

/// What somebody outside asks for.
pub enum Asked {
    /// To end, and by which signal.
    Stop(&'static str),
    /// To read the configuration again; also that a terminal is gone.
    Reload,
}

//! A performance in real time: the devices of a [`Stage`] on pseudo-terminals.
//!
//! In: hosts that open the ports and speak, and [`Plug`]s being pulled. Out: bytes as they are due. The script begins
//! when all devices stream to their hosts. `speed` runs everything faster alike, hands, scans, lines and clocks, so
//! that what was far enough apart to be seen in order stays so.

use std::{
    fs,
    future::poll_fn,
    io,
    path::{Path, PathBuf},
    task::Poll,
    time::Duration,
};

use tokio::{
    sync::{mpsc, watch},
    time,
};

use crate::types::Instant;

use super::{
    devices::Chunk,
    hands::AFTERWARDS,
    pty::{Heard, Terminal},
    stage::Stage,
};

/// Orders to pull plugs that wait.
const PLUGS_MAX: usize = 16;

/// A cable being pulled out or put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plug {
    /// The device with this index loses its port and its power.
    Out(usize),
    /// It comes back, under another name if it has no link.
    In(usize),
}

/// How far a performance is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Not all devices have a host that listens.
    Waiting,
    /// The game is being played.
    Playing,
    /// All is done and has come to rest; the devices still answer.
    Ended,
}

/// Devices on pseudo-terminals.
pub struct Live {
    stage: Stage,
    terminals: Vec<Option<Terminal>>,
    /// Where links are, by device.
    links: Vec<Option<PathBuf>>,
    speed: u32,
    opened: time::Instant,
    plugs: (mpsc::Sender<Plug>, mpsc::Receiver<Plug>),
    progress: watch::Sender<Progress>,
    ports: watch::Sender<Vec<PathBuf>>,
}

impl Live {
    /// Opens a terminal for every device; `names` are the devices' names. With `dir` a link of each name is made there,
    /// and the directory if it is missing. Must be called within a tokio runtime.
    pub fn open(stage: Stage, names: &[String], dir: Option<&Path>, speed: u32) -> io::Result<Live> {
        if let Some(dir) = dir {
            fs::create_dir_all(dir)?;
        }
        let links: Vec<_> = names.iter().map(|name| dir.map(|dir| dir.join(name))).collect();
        let terminals = links.iter().map(|link| Terminal::open(link.clone()).map(Some));
        let terminals = terminals.collect::<io::Result<Vec<_>>>()?;
        let live = Live {
            stage,
            links,
            speed: speed.max(1),
            opened: time::Instant::now(),
            plugs: mpsc::channel(PLUGS_MAX),
            progress: watch::Sender::new(Progress::Waiting),
            ports: watch::Sender::new(Vec::new()),
            terminals,
        };
        live.tell_ports();
        Ok(live)
    }

    /// The path of every device's port; empty while it is out.
    pub fn ports(&self) -> watch::Receiver<Vec<PathBuf>> {
        self.ports.subscribe()
    }

    /// How far it is.
    pub fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    /// Where to order plugs pulled.
    pub fn plugs(&self) -> mpsc::Sender<Plug> {
        self.plugs.0.clone()
    }

    /// Plays, and keeps the devices alive afterwards. Ends only with an error, or by being dropped.
    pub async fn run(mut self) -> io::Result<()> {
        loop {
            self.advance();
            let wake = self.stage.next().map(|next| self.real(next));
            let sleep = async {
                match wake {
                    Some(wake) => time::sleep_until(wake).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = sleep => {}
                heard = hear(&mut self.terminals) => {
                    let (device, heard) = heard?;
                    self.advance();
                    if let Heard::Bytes(bytes) = heard {
                        self.stage.input(self.now(), device, &bytes);
                    }
                }
                Some(plug) = self.plugs.1.recv() => self.plug(plug)?,
            }
        }
    }

    /// Emulated time.
    fn now(&self) -> Instant {
        Instant(self.opened.elapsed().as_micros() as i64 * i64::from(self.speed))
    }

    /// When an emulated instant is really.
    fn real(&self, at: Instant) -> time::Instant {
        self.opened + Duration::from_micros((at.micros().max(0) as u64).div_ceil(u64::from(self.speed)))
    }

    fn advance(&mut self) {
        let now = self.now();
        let mut arrived: Vec<(usize, Chunk)> = Vec::new();
        self.stage.run_until(now, &mut arrived);
        for (device, chunk) in arrived {
            if let Some(terminal) = &self.terminals[device] {
                terminal.send(&chunk.bytes);
            }
        }
        for (_, device, up) in self.stage.plugs() {
            // A terminal that cannot be opened again stays away, as a broken cable does.
            let _ = self.plug(if up { Plug::In(device) } else { Plug::Out(device) });
        }
        let attended = |terminal: &Option<Terminal>| terminal.as_ref().is_some_and(Terminal::attended);
        if !self.stage.begun()
            && self.terminals.iter().all(attended)
            && self.stage.devices().all(|device| device.streaming())
        {
            self.stage.begin(now);
        }
        let progress = match self.stage.end() {
            None => Progress::Waiting,
            Some(end) if self.stage.ended() && now >= end + AFTERWARDS => Progress::Ended,
            Some(_) => Progress::Playing,
        };
        self.progress.send_if_modified(|told| std::mem::replace(told, progress) != progress);
    }

    fn plug(&mut self, plug: Plug) -> io::Result<()> {
        match plug {
            Plug::Out(device) if device < self.terminals.len() => self.terminals[device] = None,
            Plug::In(device) if device < self.terminals.len() && self.terminals[device].is_none() => {
                self.terminals[device] = Some(Terminal::open(self.links[device].clone())?);
                self.stage.restart(self.now(), device);
            }
            _ => {}
        }
        self.tell_ports();
        Ok(())
    }

    fn tell_ports(&self) {
        let path = |terminal: &Option<Terminal>| terminal.as_ref().map_or(PathBuf::new(), |t| t.path().to_owned());
        self.ports.send_replace(self.terminals.iter().map(path).collect());
    }
}

/// Waits for the first terminal that hears something.
async fn hear(terminals: &mut [Option<Terminal>]) -> io::Result<(usize, Heard)> {
    poll_fn(|cx| {
        for (device, terminal) in terminals.iter_mut().enumerate() {
            if let Some(Poll::Ready(heard)) = terminal.as_mut().map(|terminal| terminal.poll_hear(cx)) {
                return Poll::Ready(heard.map(|heard| (device, heard)));
            }
        }
        Poll::Pending
    })
    .await
}

#[cfg(test)]
mod tests;

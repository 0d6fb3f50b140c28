//! A pseudo-terminal that a host can open like a serial port.
//!
//! The line is raw before anybody opens it: echo and line ends would damage binary frames. Until a host has spoken
//! our own hand keeps the host's side open; from then on the system tells when the host goes away. What is sent while
//! nobody listens is lost, as on a real line. Baud rates mean nothing here.

use std::{
    fs, io,
    os::{
        fd::OwnedFd,
        unix::{ffi::OsStrExt, fs::symlink},
    },
    path::{Path, PathBuf},
    task::{Context, Poll, ready},
};

use rustix::{
    fs::{Mode, OFlags},
    io::Errno,
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{OptionalActions, tcgetattr, tcsetattr},
};
use tokio::io::{Interest, unix::AsyncFd};

/// Bytes read at once.
const READ_MAX: usize = 256;

/// The device's side of a pseudo-terminal.
pub struct Terminal {
    /// None only while it is registered anew.
    master: Option<AsyncFd<OwnedFd>>,
    /// Our hand on the host's side, as long as no host is there.
    held: Option<OwnedFd>,
    path: PathBuf,
    link: Option<PathBuf>,
}

/// What came from the host's side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// Bytes.
    Bytes(Vec<u8>),
    /// The host closed the port.
    Closed,
}

impl Terminal {
    /// A new terminal. With `link` a symbolic link leads to it; an old link of that name is replaced.
    pub fn open(link: Option<PathBuf>) -> io::Result<Terminal> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let name = ptsname(&master, Vec::new())?;
        let path = PathBuf::from(std::ffi::OsStr::from_bytes(name.as_bytes()));
        let held = Some(hold(&path)?);
        rustix::io::ioctl_fionbio(&master, true)?;
        if let Some(link) = &link {
            lead(link, &path)?;
        }
        Ok(Terminal { master: Some(watch(master)?), held, path, link })
    }

    /// What a host opens: the link if there is one.
    pub fn path(&self) -> &Path {
        self.link.as_deref().unwrap_or(&self.path)
    }

    /// Whether a host has the port open, as far as it has spoken.
    pub fn attended(&self) -> bool {
        self.held.is_none()
    }

    /// Sends bytes. Answers how many found room; the others are lost.
    pub fn send(&self, bytes: &[u8]) -> usize {
        match &self.master {
            Some(master) if self.attended() => rustix::io::write(master.get_ref(), bytes).unwrap_or(0),
            _ => 0,
        }
    }

    /// Waits for the host.
    pub fn poll_hear(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Heard>> {
        loop {
            let Some(master) = &self.master else { return Poll::Pending };
            let mut ready = ready!(master.poll_read_ready(cx))?;
            let mut bytes = [0; READ_MAX];
            match rustix::io::read(master.get_ref(), &mut bytes) {
                Ok(count @ 1..) => {
                    self.held = None;
                    return Poll::Ready(Ok(Heard::Bytes(bytes[..count].to_vec())));
                }
                Err(Errno::AGAIN) => ready.clear_ready(),
                Err(Errno::INTR) => {}
                Ok(0) | Err(Errno::IO) => {
                    self.take_hold()?;
                    return Poll::Ready(Ok(Heard::Closed));
                }
                Err(error) => return Poll::Ready(Err(error.into())),
            }
        }
    }

    /// Keeps the host's side open again and watches afresh: an end once seen would be reported for ever.
    fn take_hold(&mut self) -> io::Result<()> {
        self.held = Some(hold(&self.path)?);
        if let Some(master) = self.master.take() {
            self.master = Some(watch(master.into_inner())?);
        }
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(link) = &self.link
            && fs::read_link(link).is_ok_and(|target| target == self.path)
        {
            let _ = fs::remove_file(link); // a link that is left over is replaced next time
        }
    }
}

// Its successor in tokio is `unsafe`, for types that may lose their descriptor; an `OwnedFd` keeps it.
#[allow(deprecated)]
fn watch(master: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(master, Interest::READABLE)
}

/// Opens the host's side and makes it raw.
fn hold(path: &Path) -> io::Result<OwnedFd> {
    let side = rustix::fs::open(path, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
    let mut attributes = tcgetattr(&side)?;
    attributes.make_raw();
    tcsetattr(&side, OptionalActions::Now, &attributes)?;
    Ok(side)
}

/// Makes `link` lead to `path`. Only links are replaced.
fn lead(link: &Path, path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(link).is_ok_and(|found| found.is_symlink()) {
        fs::remove_file(link)?;
    }
    symlink(path, link).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", link.display())))
}

//! One serial port, opened again for as long as the node runs.
//!
//! In: a path, bytes to write. Out: what the device sends, stamped with its arrival, and whether the port is there.
//! What the bytes mean is not known here. Pseudo-terminals are ports like any other.

use std::{
    collections::VecDeque,
    fs,
    io::{self, ErrorKind},
    os::unix::fs::FileTypeExt as _,
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, ReadHalf, WriteHalf},
    sync::mpsc,
    time::sleep,
};
use tokio_serial::SerialStream;

use super::{clock::Clock, finder};
use crate::{
    table::{DeviceIndex, settings::Driver},
    types::Instant,
};

/// Shortest and longest wait before the port is opened again.
const RETRY_MIN: Duration = Duration::from_millis(500);
const RETRY_MAX: Duration = Duration::from_secs(5);
/// Bytes read at once: what the kernel keeps for a port.
const READ_BYTES: usize = 4096;
/// Most bytes that wait for a device that does not take them.
const WRITE_BYTES_MAX: usize = 16 << 10;

/// What a port tells its table.
#[derive(Debug, PartialEq)]
pub(super) enum PortEvent {
    /// Bytes arrived.
    Bytes(DeviceIndex, Instant, Vec<u8>),
    /// The port was opened (true) or is gone (false).
    Link(DeviceIndex, Instant, bool),
}

/// How a port is named in the configuration.
pub(super) enum Place {
    /// By the path of its device file.
    Path(String),
    /// By the serial number of the device that answers there.
    Number(String),
}

/// Which port, and for whom.
pub(super) struct Port {
    /// Index within the table.
    pub device: DeviceIndex,
    /// `table 1, board-a`, for messages.
    pub label: String,
    /// Which port.
    pub place: Place,
    /// Decides the speed.
    pub driver: Driver,
    /// Stamps arrivals.
    pub clock: Clock,
    /// To the table.
    pub events: mpsc::Sender<PortEvent>,
    /// From the table.
    pub writes: mpsc::Receiver<Vec<u8>>,
}

/// The table is gone, so nobody needs the port.
struct TableGone;

impl Port {
    /// Serves until the table is gone.
    pub async fn run(mut self) {
        let mut retry = RETRY_MIN;
        let mut last_cause = None;
        loop {
            let cause = match self.attempt(&mut last_cause, &mut retry).await {
                Ok(cause) => cause,
                Err(TableGone) => return,
            };
            if last_cause.as_ref() != Some(&cause) {
                tracing::warn!("{}: {cause}; trying again", self.label);
                last_cause = Some(cause);
            }
            if !self.pause(retry).await {
                return;
            }
            retry = (retry * 2).min(RETRY_MAX);
        }
    }

    /// Opens the port and serves it. Answers why that ended, or why it did not begin.
    async fn attempt(&mut self, last_cause: &mut Option<String>, retry: &mut Duration) -> Result<String, TableGone> {
        let path = match &self.place {
            Place::Path(path) => path.clone(),
            Place::Number(number) => match finder::find(number, self.driver, self.clock, finder::ports()).await {
                Some(path) => path,
                None => return Ok(not_found(number)),
            },
        };
        let stream = match open(&path, self.driver) {
            Ok(stream) => stream,
            Err(error) => return Ok(diagnosis(&path, &error)),
        };
        *last_cause = None;
        tracing::info!("{}: {path} is open", self.label);
        let (error, heard) = self.serve(stream).await?;
        if heard {
            *retry = RETRY_MIN;
        }
        Ok(format!("{path} is gone ({error}): plug it in again or switch the device on"))
    }

    /// Carries bytes both ways. Answers why the port is gone and whether it ever said something.
    async fn serve(&mut self, stream: SerialStream) -> Result<(io::Error, bool), TableGone> {
        self.tell(PortEvent::Link(self.device, self.clock.now(), true)).await?;
        let (mut reader, mut writer) = tokio::io::split(stream);
        let mut pending = VecDeque::new();
        let mut heard = false;
        let error = loop {
            tokio::select! {
                biased;
                bytes = read(&mut reader) => match bytes {
                    Ok(bytes) => {
                        heard = true;
                        self.tell(PortEvent::Bytes(self.device, self.clock.now(), bytes)).await?;
                    }
                    Err(error) => break error,
                },
                written = write(&mut writer, &pending), if !pending.is_empty() => match written {
                    Ok(count) => drop(pending.drain(..count)),
                    Err(error) => break error,
                },
                bytes = self.writes.recv() => match bytes {
                    Some(bytes) if pending.len() + bytes.len() <= WRITE_BYTES_MAX => pending.extend(bytes),
                    Some(bytes) => {
                        tracing::warn!("{}: {} bytes are not sent, the device takes none", self.label, bytes.len());
                    }
                    None => return Err(TableGone),
                },
            }
        };
        self.tell(PortEvent::Link(self.device, self.clock.now(), false)).await?;
        Ok((error, heard))
    }

    async fn tell(&self, event: PortEvent) -> Result<(), TableGone> {
        self.events.send(event).await.map_err(|_| TableGone)
    }

    /// Waits and forgets what was to be written to a port that is not there; false when the table is gone.
    async fn pause(&mut self, wait: Duration) -> bool {
        let pause = sleep(wait);
        tokio::pin!(pause);
        loop {
            tokio::select! {
                () = &mut pause => return true,
                bytes = self.writes.recv() => if bytes.is_none() { return false },
            }
        }
    }
}

/// Opens a port for us alone, at the speed of the driver.
pub(super) fn open(path: &str, driver: Driver) -> tokio_serial::Result<SerialStream> {
    let baud = match driver {
        Driver::Dgt => 9_600,
        Driver::Bslp => 115_200,
    };
    SerialStream::open(&tokio_serial::new(path, baud))
}

async fn read(reader: &mut ReadHalf<SerialStream>) -> io::Result<Vec<u8>> {
    let mut buffer = [0; READ_BYTES];
    match reader.read(&mut buffer).await? {
        0 => Err(io::Error::new(ErrorKind::UnexpectedEof, "hung up")),
        count => Ok(buffer[..count].to_vec()),
    }
}

async fn write(writer: &mut WriteHalf<SerialStream>, pending: &VecDeque<u8>) -> io::Result<usize> {
    match writer.write(pending.as_slices().0).await? {
        0 => Err(ErrorKind::WriteZero.into()),
        count => Ok(count),
    }
}

fn not_found(number: &str) -> String {
    format!(
        "no device answers with the number {number} on a free port in /dev/serial/by-id or /dev/rfcomm*: plug it in \
         and switch it on, or name its port"
    )
}

/// Why a port could not be opened, and what to do.
fn diagnosis(path: &str, error: &tokio_serial::Error) -> String {
    let found = fs::metadata(path);
    let device = found.as_ref().is_ok_and(|found| found.file_type().is_char_device());
    match (error.kind, found) {
        (_, Err(e)) if e.kind() == ErrorKind::NotFound => {
            format!("there is no {path}: plug the device in, or mend port (ls /dev/serial/by-id shows what is there)")
        }
        (tokio_serial::ErrorKind::Io(ErrorKind::PermissionDenied), _) => format!(
            "no permission for {path}: add the user to the group dialout (usermod -aG dialout USER) and start again"
        ),
        (_, Err(e)) => format!("{path} cannot be looked at: {e}"),
        (_, Ok(_)) if !device => {
            format!("{path} is not a serial device: expected a port such as /dev/serial/by-id/usb-…; mend port")
        }
        (tokio_serial::ErrorKind::NoDevice, _) => {
            format!("another program has {path}: close it (fuser {path} says which)")
        }
        _ if error.description == "Not a typewriter" => {
            format!("{path} is not a serial device: expected a port such as /dev/serial/by-id/usb-…; mend port")
        }
        _ => format!("{path} cannot be opened: {error}"),
    }
}

#[cfg(test)]
mod tests;

//! A look at a table's devices without recording: who answers, how it lies, whether men are set up.
//!
//! In: the settings of a table, and how long to look. Out: the latest state of each device, and what stands otherwise
//! than set up. The machine that is asked is the one that records.

use std::{collections::BTreeMap, time::Duration};

use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{sleep_until, timeout},
};

use super::{
    clock::Clock,
    opening::place,
    port::{Port, PortEvent},
};
use crate::{
    event::DeviceState,
    table::{Input, Opening, Output, SettingsError, Table, settings::TableSettings},
    types::Instant,
};

/// Reads and writes that wait for a device.
const WAITING_MAX: usize = 256;

/// What was found at a table.
#[derive(Clone, Debug)]
pub struct Probe {
    /// By name.
    pub devices: BTreeMap<String, DeviceState>,
    /// Boards that are not set up, each with what is wrong.
    pub not_set_up: Vec<String>,
}

/// Talks to the devices of a table for so long.
pub async fn probe(settings: &TableSettings, long: Duration) -> Result<Probe, SettingsError> {
    let clock = Clock::start();
    let opening = Opening { session: clock.session_name(), started_us: clock.started_us(), seq: 1, incident: 1 };
    let mut table = Table::new(settings.clone(), opening)?;
    let (events_in, mut events) = mpsc::channel(WAITING_MAX);
    let mut ports = JoinSet::new();
    let mut writers = Vec::new();
    for (device, wanted) in settings.device.iter().enumerate() {
        let (writer, writes) = mpsc::channel(WAITING_MAX);
        writers.push(writer);
        let Some(place) = place(wanted) else { continue };
        let (label, events) = (format!("table {}, {}", settings.id, wanted.name), events_in.clone());
        ports.spawn(Port { device, label, place, driver: wanted.driver, clock, events, writes }.run());
    }
    let mut devices = BTreeMap::new();
    let _ = timeout(long, async {
        loop {
            let deadline = drain(&mut table, &writers, &mut devices);
            let wake = deadline.map(|at| clock.deadline(at));
            tokio::select! {
                Some(event) = events.recv() => match event {
                    PortEvent::Bytes(device, at, bytes) => table.handle(at, Input::Bytes(device, &bytes)),
                    PortEvent::Link(device, at, up) => table.handle(at, Input::Link(device, up)),
                },
                () = async { match wake {
                    Some(wake) => sleep_until(wake).await,
                    None => std::future::pending().await,
                } } => table.handle(clock.now(), Input::Timeout),
            }
        }
    })
    .await; // it only ends by the time being over
    Ok(Probe { devices, not_set_up: table.not_set_up() })
}

fn drain(
    table: &mut Table,
    writers: &[mpsc::Sender<Vec<u8>>],
    devices: &mut BTreeMap<String, DeviceState>,
) -> Option<Instant> {
    loop {
        match table.poll() {
            Output::Transmit(device, bytes) => drop(writers.get(device).map(|writer| writer.try_send(bytes))),
            Output::Device(state) => drop(devices.insert(state.device.clone(), state)),
            Output::Event(_) | Output::Response(_) => {}
            Output::Deadline(deadline) => return deadline,
        }
    }
}

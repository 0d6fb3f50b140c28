//! What the node says of itself: `node/N/info` once, `node/N/health` again and again, `node/N/log` as it comes.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{broadcast, watch},
    time::{MissedTickBehavior, interval},
};

use super::{
    clock::Clock,
    log_tap::{self, Line},
};
use crate::{
    event::{DeviceState, VERSION},
    journal::{self, Journal},
    publish::{
        about::{DeviceHealth, JournalHealth, NodeHealth, NodeInfo, NodeLog},
        session::Session,
        topic::{Message, Topics},
    },
    types::SECOND,
};

/// How often the node tells how it does, and how many seconds that is right.
const HEALTH_EVERY: Duration = Duration::from_secs(10);
const HEALTH_EXPIRY_S: u32 = 30;

/// The latest of each device, by table and name.
#[derive(Debug, Default)]
pub(super) struct Devices {
    latest: Mutex<BTreeMap<String, BTreeMap<String, DeviceHealth>>>,
    restarts: Mutex<BTreeMap<String, u64>>,
}

impl Devices {
    /// Notes a new state.
    pub fn note(&self, device: &DeviceState) {
        let health = DeviceHealth { link: device.link, counters: device.counters.clone() };
        let mut devices = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        devices.entry(device.table.clone()).or_default().insert(device.device.clone(), health);
    }

    /// Notes that a table broke and is opened again.
    pub fn note_restart(&self, table: &str) {
        let mut restarts = self.restarts.lock().unwrap_or_else(PoisonError::into_inner);
        *restarts.entry(table.to_owned()).or_default() += 1;
    }

    fn restarts(&self) -> BTreeMap<String, u64> {
        self.restarts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn latest(&self) -> BTreeMap<String, BTreeMap<String, DeviceHealth>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// `node/N/info`: the program's version and the configuration without secrets.
pub(super) fn info(topics: &Topics, session: &str, clock: Clock, config: &serde_json::Value) -> Message {
    let started = clock.rfc3339(crate::types::Instant::ZERO);
    let (version, config) = (env!("CARGO_PKG_VERSION").to_owned(), config.clone());
    let info = NodeInfo { v: VERSION, session: session.to_owned(), version, started, config };
    Message::json(topics.node("info"), &info).retained()
}

/// Tells how the node does for as long as it is polled.
pub(super) struct HealthTask {
    /// Where it goes.
    pub topics: Topics,
    /// Names this start.
    pub name: String,
    /// The time.
    pub clock: Clock,
    /// The bus.
    pub session: Session,
    /// Its queue.
    pub journal: Journal,
    /// Its disk.
    pub disk: watch::Receiver<journal::Health>,
    /// The devices.
    pub devices: Arc<Devices>,
}

impl HealthTask {
    /// Runs until it is dropped.
    pub async fn run(mut self) {
        let mut lines = log_tap::lines();
        let mut ticks = interval(HEALTH_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = ticks.tick() => self.tell(),
                // A disk that fails or recovers is told at once.
                changed = self.disk.changed() => match changed {
                    Ok(()) => self.tell(),
                    Err(_) => return,
                },
                line = lines.recv() => match line {
                    Ok(line) => self.pass_on(line),
                    Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => return,
                },
            }
        }
    }

    fn tell(&mut self) {
        let at = self.clock.now();
        let health = NodeHealth {
            v: VERSION,
            session: self.name.clone(),
            time: self.clock.rfc3339(at),
            uptime_s: at.micros() / SECOND,
            bus: self.session.health(),
            journal: JournalHealth {
                disk: self.disk.borrow_and_update().clone(),
                batches_waiting: self.journal.waiting(),
            },
            tables: self.devices.latest(),
            restarts: self.devices.restarts(),
        };
        let message = Message::json(self.topics.node("health"), &health).retained().expiring(HEALTH_EXPIRY_S);
        self.session.publish([message]);
    }

    fn pass_on(&self, line: Line) {
        let Line { level, message } = line;
        let time = self.clock.rfc3339(self.clock.now());
        let (session, level) = (self.name.clone(), level.to_owned());
        let log = NodeLog { v: VERSION, session, time, level, message };
        self.session.publish([Message::json(self.topics.node("log"), &log)]);
    }
}

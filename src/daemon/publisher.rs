//! From the journal to the bus: what is durable is told.
//!
//! In: committed batches. Out: messages to the MQTT session, answers on the way back of their requests.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::mpsc;

use super::{clock::Clock, health::Devices, table_task::Routes};
use crate::{
    journal::{Batch, Committed},
    publish::{feed::TableFeed, session::Session, topic::Message},
};

/// Openings of one table that are remembered: what an earlier one has recorded may still be on its way.
const OPENINGS_MAX: usize = 2;

/// The way of one opened table to the bus.
pub(super) struct Lane {
    /// The table's id.
    pub table: String,
    /// Makes messages of what it did.
    pub feed: TableFeed,
    /// The ways back of its answers.
    pub routes: Arc<Routes>,
    /// The table is taken out.
    pub gone: bool,
}

/// The lanes of all opened tables by index, and which topics the broker keeps of each table.
#[derive(Default)]
pub(super) struct Lanes(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    lanes: BTreeMap<usize, Lane>,
    kept: BTreeMap<String, BTreeSet<String>>,
}

impl Lanes {
    /// Takes the lane of a table that is about to run.
    pub fn insert(&self, index: usize, lane: Lane) {
        let mut inner = self.inner();
        let openings: Vec<usize> =
            inner.lanes.iter().filter(|(_, old)| old.table == lane.table).map(|(index, _)| *index).collect();
        for old in openings.iter().rev().skip(OPENINGS_MAX - 1) {
            inner.lanes.remove(old);
        }
        inner.lanes.insert(index, lane);
    }

    /// Takes a table back from the broker: empties everything that is kept of it. What it has recorded last and is
    /// still on its way is told, and kept no more.
    pub fn farewell(&self, table: &str) -> Vec<Message> {
        let mut inner = self.inner();
        inner.lanes.values_mut().filter(|lane| lane.table == table).for_each(|lane| lane.gone = true);
        let kept = inner.kept.remove(table).unwrap_or_default();
        kept.into_iter().map(|topic| Message::text(topic, "").retained()).collect()
    }

    /// Usable after a panic of another holder: each of its methods leaves it whole.
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Publishes what the journal has committed.
pub(super) struct Publisher {
    /// Where it goes.
    pub session: Session,
    /// How it becomes messages.
    pub lanes: Arc<Lanes>,
    /// Tells wall-clock times of answers.
    pub clock: Clock,
    /// What the health message tells of devices.
    pub devices: Arc<Devices>,
}

impl Publisher {
    /// Serves until the journal ends.
    pub async fn run(self, mut committed: mpsc::Receiver<Committed>) {
        while let Some(Committed { batch, missed, .. }) = committed.recv().await {
            if missed > 0 {
                tracing::error!("{missed} batches were recorded and not published: this machine is too slow");
            }
            self.publish(&batch);
        }
    }

    fn publish(&self, batch: &Batch) {
        let mut inner = self.lanes.inner();
        let Inner { lanes, kept } = &mut *inner;
        let Some(Lane { table, feed, routes, gone }) = lanes.get_mut(&batch.session.table()) else { return };
        let mut messages = feed.events(&batch.events, batch.state.as_deref());
        messages.extend(batch.arbiter.as_deref().map(|state| feed.arbiter(state)));
        for response in &batch.responses {
            let message = feed.response(response, batch.t, &self.clock.rfc3339(batch.t));
            messages.push(routes.take(response).address(message));
        }
        for device in &batch.devices {
            messages.push(feed.device(device));
            self.devices.note(device);
        }
        if *gone {
            messages.retain(|message| !message.retain);
        }
        let topics = messages.iter().filter(|message| message.retain).map(|message| &message.topic);
        let kept = kept.entry(table.clone()).or_default();
        for topic in topics {
            if !kept.contains(topic) {
                kept.insert(topic.clone());
            }
        }
        self.session.publish(messages);
    }
}

//! From the journal to the bus: what is durable is told.
//!
//! In: committed batches. Out: messages to the MQTT session, answers on the way back of their requests.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::{clock::Clock, health::Devices, table_task::Routes};
use crate::{
    journal::{Batch, Committed},
    publish::{feed::TableFeed, session::Session},
};

/// Publishes what the journal has committed.
pub(super) struct Publisher {
    /// Where it goes.
    pub session: Session,
    /// By index of the table.
    pub feeds: Vec<TableFeed>,
    /// By index of the table.
    pub routes: Vec<Arc<Routes>>,
    /// Tells wall-clock times of answers.
    pub clock: Clock,
    /// What the health message tells of devices.
    pub devices: Arc<Devices>,
}

impl Publisher {
    /// Serves until the journal ends.
    pub async fn run(mut self, mut committed: mpsc::Receiver<Committed>) {
        while let Some(Committed { batch, missed, .. }) = committed.recv().await {
            if missed > 0 {
                tracing::error!("{missed} batches were recorded and not published: this machine is too slow");
            }
            self.publish(&batch);
        }
    }

    fn publish(&mut self, batch: &Batch) {
        let index = batch.session.table();
        let (Some(feed), Some(routes)) = (self.feeds.get_mut(index), self.routes.get(index)) else { return };
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
        self.session.publish(messages);
    }
}

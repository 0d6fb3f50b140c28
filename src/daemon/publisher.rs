//! From the journal to the bus: what is durable is told, at once and later in public.
//!
//! In: committed batches; rows of the journal that the bus has missed; questions for missed events. Out: messages to
//! the MQTT session, answers on the way back of their requests, and marks how far the bus has got.

use std::{path::PathBuf, sync::Arc, time::Duration};

use tokio::{
    sync::mpsc,
    time::{MissedTickBehavior, interval},
};

use super::{clock::Clock, health::Devices, lanes::Lanes, missed};
use crate::{
    event::Event,
    journal::{Batch, Committed, JournalError, Marks, Reader},
    publish::{
        session::{Missed, Session},
        topic::Message,
    },
    types::Instant,
};

/// The mark of what the broker has.
const PUBLISHED: &str = "published";
/// Events that are read from the journal at a time.
const READ_MAX: usize = 2_000;
/// Moments of the public feed that are shown at a time: after a long absence of the broker they come in portions.
const SHOWN_MAX: usize = 200;
/// How often is looked whether the public feed or the broker is due.
const LOOK_EVERY: Duration = Duration::from_millis(100);

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
    /// How far the bus has got.
    pub marks: Marks,
    /// Where the journal is.
    pub data_dir: PathBuf,
    /// Why it could not be read the last time, to say it once.
    pub trouble: Option<String>,
}

/// The mark of what the public feed of a table has shown.
pub(super) fn shown_mark(table: &str) -> String {
    format!("shown/{table}")
}

/// The row up to which the broker had everything when an earlier start ended; a journal that never noted it has nothing
/// to send again.
pub(super) fn published(marks: &Marks, newest: i64) -> i64 {
    marks.get(PUBLISHED).unwrap_or(newest).min(newest)
}

/// Notes what the broker has, after the last message.
pub(super) fn note_published(marks: &Marks, session: &Session) {
    marks.set(PUBLISHED, session.published());
}

impl Publisher {
    /// Serves until the journal ends.
    pub async fn run(mut self, mut committed: mpsc::Receiver<Committed>) {
        let mut asked = self.session.missed();
        let mut ticks = interval(LOOK_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                next = committed.recv() => match next {
                    Some(committed) => self.take(&committed),
                    None => break,
                },
                _ = ticks.tick() => {
                    self.catch_up().await;
                    self.note();
                }
                Some(question) = next_of(&mut asked) => self.answer_missed(&question).await,
            }
            self.show();
        }
        self.note();
    }

    fn take(&mut self, committed: &Committed) {
        let Committed { batch, row, missed, .. } = committed;
        if *missed > 0 {
            tracing::error!("{missed} batches were recorded and not told at once: this machine is too slow");
            self.lanes.inner().fall_behind();
        }
        self.publish(batch, *row);
    }

    fn publish(&self, batch: &Batch, row: i64) {
        let mut inner = self.lanes.inner();
        self.session.publish(inner.first());
        let Some((lane, told)) = inner.find(batch.session.table()) else { return };
        let (events, state) = (&batch.events, batch.state.as_deref());
        let first = row - events.len() as i64;
        let rows = (first + 1..).zip(events).map(|(row, event)| (row, lane.feed.event(event))).collect();
        let mut messages = lane.feed.retained(events, state);
        told.public.push(row, batch.t, events, state);
        messages.extend(batch.arbiter.as_deref().map(|state| lane.feed.arbiter(state)));
        for response in &batch.responses {
            let message = lane.feed.response(response, batch.t, &self.clock.rfc3339(batch.t));
            messages.push(lane.routes.take(response).address(message));
        }
        for device in &batch.devices {
            messages.push(lane.feed.device(device));
            self.devices.note(device);
        }
        self.session.publish_rows(rows, told.keep(messages, lane.gone));
    }

    /// Shows the public what it may see by now, as long as the broker takes it.
    fn show(&self) {
        let now = self.clock.now();
        let mut inner = self.lanes.inner();
        self.session.publish(inner.first());
        for told in inner.tables() {
            while self.session.flows() {
                let messages = told.public.due(now, SHOWN_MAX);
                if messages.is_empty() {
                    break;
                }
                self.session.publish(told.keep(messages, told.gone));
            }
        }
    }

    /// Notes how far the bus has got, for the next start.
    fn note(&self) {
        note_published(&self.marks, &self.session);
        for (table, shown) in self.lanes.inner().shown() {
            self.marks.set(&shown_mark(table), shown);
        }
    }

    /// Reads from the journal what the bus has missed, when it takes it.
    async fn catch_up(&mut self) {
        if let Some((after, until)) = self.session.rows_wanted() {
            let read = self.read(move |reader| reader.rows_between(None, after, until, READ_MAX)).await;
            if let Some((rows, until)) = read {
                self.session.refill(self.told(rows), until);
            }
        }
        let wanted = self.lanes.inner().rows_wanted();
        for (table, after, until) in wanted {
            let of = table.clone();
            let read = self.read(move |reader| reader.rows_between(Some(&of), after, until, READ_MAX)).await;
            let Some((rows, until)) = read else { continue };
            let started_us = self.clock.started_us();
            let told_at = |event: &Event| {
                let told = event.time.parse::<jiff::Timestamp>().map_or(0, jiff::Timestamp::as_microsecond);
                Instant(told.saturating_sub(started_us))
            };
            let rows = rows.into_iter().map(|(row, event)| (row, told_at(&event), event)).collect();
            self.lanes.inner().refill(&table, rows, until);
        }
    }

    /// What rows are told by; those of tables that are no longer configured are nobody's.
    fn told(&self, rows: Vec<(i64, Event)>) -> Vec<(i64, Vec<Message>)> {
        let inner = self.lanes.inner();
        let of = |event: &Event| inner.feed(&event.table).map_or(Vec::new(), |feed| feed.event(event));
        rows.into_iter().map(|(row, event)| (row, of(&event))).collect()
    }

    /// Reads the journal without holding anybody up; nothing when it cannot be read now.
    async fn read<T: Send + 'static>(
        &mut self,
        read: impl FnOnce(&Reader) -> Result<T, JournalError> + Send + 'static,
    ) -> Option<T> {
        let dir = self.data_dir.clone();
        let task = tokio::task::spawn_blocking(move || Reader::open(&dir).and_then(|reader| read(&reader)));
        let found = task.await.ok()?; // the runtime ends
        let trouble = found.as_ref().err().map(JournalError::to_string);
        if let Some(error) = trouble.as_ref().filter(|error| self.trouble.as_ref() != Some(error)) {
            tracing::warn!("what the bus has missed cannot be read now: {error}");
        }
        self.trouble = trouble;
        found.ok()
    }

    async fn answer_missed(&mut self, question: &Missed) {
        let Some(table) = self.lanes.inner().at_level(&question.table) else { return };
        let events = match missed::asked(&question.payload) {
            Ok(asked) => {
                let (of, from) = (table.clone(), asked.from_seq);
                let read = self.read(move |reader| reader.live_from(&of, from, missed::EVENTS_MAX)).await;
                Ok((asked, read.unwrap_or_default()))
            }
            Err(error) => Err(error),
        };
        let now = self.clock.now();
        let inner = self.lanes.inner();
        let Some(feed) = inner.feed(&table) else { return };
        let answer = missed::answer(events, |event| feed.open(event));
        self.session.publish([feed.missed(&answer, question, now, &self.clock.rfc3339(now))]);
    }
}

async fn next_of<T>(receiver: &mut Option<mpsc::Receiver<T>>) -> Option<T> {
    match receiver {
        Some(receiver) => receiver.recv().await,
        None => std::future::pending().await,
    }
}

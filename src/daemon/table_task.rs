//! The task that owns one table.
//!
//! In: what its ports tell and what is requested. Out: bytes to the ports, and one batch for the journal after every
//! input that gave any. It waits for nobody but a journal whose queue is full.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::{mpsc, watch};

use super::{clock::Clock, port::PortEvent};
use crate::{
    event::{Feed, Response, Status},
    journal::{Batch, Counts, Journal, Refused, Session},
    publish::{request::Route, session::TableRequest},
    table::{
        Input, Output, Table,
        capture::{Raw, RawInput},
    },
    types::Instant,
};

/// Most answers under way for which the way back is remembered.
const ROUTES_MAX: usize = 1024;

/// The ways back of requests that a table has got, in order.
#[derive(Debug, Default)]
pub(super) struct Routes(Mutex<VecDeque<Waiting>>);

#[derive(Debug)]
struct Waiting {
    verb: String,
    transaction: Option<String>,
    route: Route,
}

impl Routes {
    fn remember(&self, request: &TableRequest) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() == ROUTES_MAX {
            waiting.pop_front();
        }
        let (verb, transaction) = (request.request.verb.clone(), request.request.transaction.clone());
        waiting.push_back(Waiting { verb, transaction, route: request.route.clone() });
    }

    /// Where this answer goes. Answers come in the order of the requests; one that got lost is passed over.
    pub fn take(&self, response: &Response) -> Route {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let answered = |w: &Waiting| w.verb == response.verb && w.transaction == response.transaction;
        match waiting.iter().position(answered) {
            Some(index) => waiting.drain(..=index).next_back().map(|waiting| waiting.route).unwrap_or_default(),
            None => Route::default(),
        }
    }
}

/// What a table runs with.
pub(super) struct TableTask {
    /// The machine.
    pub table: Table,
    /// Tells the time since the table was opened.
    pub clock: Clock,
    /// Takes the batches.
    pub journal: Journal,
    /// The table's session in the journal.
    pub session: Session,
    /// To the ports, by device.
    pub ports: Vec<mpsc::Sender<Vec<u8>>>,
    /// Ways back, for the publisher.
    pub routes: Arc<Routes>,
    /// Where its counts are.
    pub counts: Counts,
    /// Whether a game is played.
    pub playing: watch::Sender<bool>,
}

/// How a table ended.
#[derive(Debug)]
pub(super) struct Ended {
    /// Where its counts go on.
    pub counts: Counts,
    /// As asked, or because it broke.
    pub outcome: Result<(), TableError>,
}

/// The table broke its promise never to panic, or the journal ended.
#[derive(Debug, thiserror::Error)]
pub(super) enum TableError {
    #[error("stopped on an input that it must survive; the input is in the journal: please report it")]
    Bug,
    #[error("the journal ended: please report it")]
    Journal,
    #[error("its task ended: {0}; please report it")]
    Task(String),
}

impl TableTask {
    /// Serves until `stop` says so.
    pub async fn run(
        mut self,
        events: mpsc::Receiver<PortEvent>,
        requests: mpsc::Receiver<TableRequest>,
        stop: watch::Receiver<bool>,
    ) -> Ended {
        let outcome = self.serve(events, requests, stop).await;
        Ended { counts: self.counts, outcome }
    }

    async fn serve(
        &mut self,
        mut events: mpsc::Receiver<PortEvent>,
        mut requests: mpsc::Receiver<TableRequest>,
        mut stop: watch::Receiver<bool>,
    ) -> Result<(), TableError> {
        let mut at = self.clock.now();
        let mut deadline = self.open(at).await?;
        loop {
            // A table without ports has no sender left; the pattern then disables that branch.
            let step = tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => return Ok(()),
                Some(event) = events.recv() => Step::Port(event),
                Some(request) = requests.recv() => Step::Request(request),
                () = wake(&self.clock, deadline) => Step::Timeout,
            };
            at = at.max(step.arrival().unwrap_or_else(|| self.clock.now()));
            deadline = self.take(at, step).await?;
        }
    }

    /// The first state, before any input.
    async fn open(&mut self, at: Instant) -> Result<Option<Instant>, TableError> {
        let mut batch = Batch::new(&self.session, at);
        let deadline = self.drain(at, &mut batch);
        batch.state = Some(Box::new(self.table.state()));
        batch.arbiter = Some(Box::new(self.table.arbiter_state()));
        self.record(batch).await?;
        Ok(deadline)
    }

    async fn take(&mut self, at: Instant, step: Step) -> Result<Option<Instant>, TableError> {
        let mut batch = Batch::new(&self.session, at);
        let input = match &step {
            Step::Port(PortEvent::Bytes(device, _, bytes)) => {
                batch.inputs.push(RawInput { t: at, raw: Raw::Rx(*device, bytes.clone()) });
                Input::Bytes(*device, bytes)
            }
            Step::Port(PortEvent::Link(device, _, up)) => {
                batch.inputs.push(RawInput { t: at, raw: Raw::Link(*device, *up) });
                Input::Link(*device, *up)
            }
            Step::Request(request) => {
                batch.inputs.push(RawInput { t: at, raw: Raw::Request(request.request.clone()) });
                self.routes.remember(request);
                Input::Request(request.request.clone())
            }
            Step::Timeout => Input::Timeout,
        };
        let handled = catch_unwind(AssertUnwindSafe(|| {
            #[cfg(test)]
            assert!(!matches!(&input, Input::Request(request) if request.verb == "break"), "as a test asked");
            self.table.handle(at, input);
            let deadline = self.drain(at, &mut batch);
            if !batch.events.is_empty() {
                batch.state = Some(Box::new(self.table.state()));
            }
            if self.table.arbiter_changed() {
                batch.arbiter = Some(Box::new(self.table.arbiter_state()));
            }
            deadline
        }));
        self.record(batch).await?;
        handled.map_err(|_| TableError::Bug)
    }

    /// Takes all that the table has to say. Answers its next deadline.
    fn drain(&mut self, at: Instant, batch: &mut Batch) -> Option<Instant> {
        loop {
            match self.table.poll() {
                Output::Transmit(device, bytes) => {
                    batch.inputs.push(RawInput { t: at, raw: Raw::Tx(device, bytes.clone()) });
                    // A port that is away or takes nothing loses it; the table asks again.
                    let _ = self.ports.get(device).map(|port| port.try_send(bytes));
                }
                Output::Event(event) => {
                    match event.body.feed() {
                        Feed::Live => self.counts.seq = event.seq + 1,
                        Feed::Arbiter => self.counts.incident = event.seq + 1,
                    }
                    batch.events.push(event);
                }
                Output::Device(state) => batch.devices.push(state),
                Output::Response(response) => batch.responses.push(response),
                Output::Deadline(deadline) => return deadline,
            }
        }
    }

    async fn record(&self, batch: Batch) -> Result<(), TableError> {
        if let Some(state) = &batch.state {
            let playing = matches!(state.status, Status::Playing | Status::Paused);
            self.playing.send_if_modified(|told| std::mem::replace(told, playing) != playing);
        }
        if batch.inputs.is_empty()
            && batch.devices.is_empty()
            && batch.events.is_empty()
            && batch.state.is_none()
            && batch.arbiter.is_none()
        {
            return Ok(()); // a wake-up that changed nothing
        }
        match self.journal.record(batch) {
            Ok(()) => Ok(()),
            Err(Refused::Full(batch)) => {
                tracing::warn!(
                    "the journal is behind: the disk is too slow; table {} waits",
                    self.session.settings().id
                );
                self.journal.record_when_free(*batch).await.map_err(|_| TableError::Journal)
            }
            Err(Refused::Closed(_)) => Err(TableError::Journal),
        }
    }
}

enum Step {
    Port(PortEvent),
    Request(TableRequest),
    Timeout,
}

impl Step {
    /// When it arrived, if that was noted.
    fn arrival(&self) -> Option<Instant> {
        match self {
            Step::Port(PortEvent::Bytes(_, at, _) | PortEvent::Link(_, at, _)) => Some(*at),
            Step::Request(_) | Step::Timeout => None,
        }
    }
}

async fn wake(clock: &Clock, deadline: Option<Instant>) {
    match deadline {
        Some(at) => tokio::time::sleep_until(clock.deadline(at)).await,
        None => std::future::pending().await,
    }
}

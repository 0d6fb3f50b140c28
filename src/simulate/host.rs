//! Who sits at the other end of the emulated lines in virtual time: the recording machine itself.

use crate::{
    event::{Event, Request},
    table::{Input, Output, Table},
    types::Instant,
};

/// Something that devices are plugged into.
pub trait Host {
    /// A device was plugged in or out.
    fn link(&mut self, at: Instant, device: usize, up: bool);

    /// Bytes of a device arrived.
    fn bytes(&mut self, at: Instant, device: usize, bytes: &[u8]);

    /// Somebody asks for something; a host that knows no commands goes on.
    fn request(&mut self, _at: Instant, _request: &Request) {}

    /// Its deadline has come.
    fn timeout(&mut self, at: Instant);

    /// What it sends now, by device; answers its next deadline.
    fn drain(&mut self, sent: &mut Vec<(usize, Vec<u8>)>) -> Option<Instant>;
}

/// Two hosts that hear the same; only the first one speaks.
pub struct Listened<'a, S, L> {
    /// Who speaks.
    pub speaks: &'a mut S,
    /// Who only listens, if anybody.
    pub listens: Option<&'a mut L>,
}

impl<S: Host, L: Host> Host for Listened<'_, S, L> {
    fn link(&mut self, at: Instant, device: usize, up: bool) {
        self.speaks.link(at, device, up);
        if let Some(listens) = &mut self.listens {
            listens.link(at, device, up);
        }
    }

    fn bytes(&mut self, at: Instant, device: usize, bytes: &[u8]) {
        self.speaks.bytes(at, device, bytes);
        if let Some(listens) = &mut self.listens {
            listens.bytes(at, device, bytes);
        }
    }

    fn request(&mut self, at: Instant, request: &Request) {
        self.speaks.request(at, request);
    }

    fn timeout(&mut self, at: Instant) {
        self.speaks.timeout(at);
    }

    fn drain(&mut self, sent: &mut Vec<(usize, Vec<u8>)>) -> Option<Instant> {
        self.speaks.drain(sent)
    }
}

/// The table machine as a host. It keeps the events that the machine tells.
pub struct TableHost {
    table: Table,
    events: Vec<Event>,
}

impl TableHost {
    /// A host of this table.
    pub fn new(table: Table) -> TableHost {
        TableHost { table, events: Vec::new() }
    }

    /// The events so far.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// All events.
    pub fn into_events(self) -> Vec<Event> {
        self.events
    }
}

impl Host for TableHost {
    fn link(&mut self, at: Instant, device: usize, up: bool) {
        self.table.handle(at, Input::Link(device, up));
    }

    fn bytes(&mut self, at: Instant, device: usize, bytes: &[u8]) {
        self.table.handle(at, Input::Bytes(device, bytes));
    }

    fn request(&mut self, at: Instant, request: &Request) {
        self.table.handle(at, Input::Request(request.clone()));
    }

    fn timeout(&mut self, at: Instant) {
        self.table.handle(at, Input::Timeout);
    }

    fn drain(&mut self, sent: &mut Vec<(usize, Vec<u8>)>) -> Option<Instant> {
        loop {
            match self.table.poll() {
                Output::Transmit(device, bytes) => sent.push((device, bytes)),
                Output::Event(event) => self.events.push(event),
                Output::Device(_) | Output::Response(_) => {}
                Output::Deadline(deadline) => return deadline,
            }
        }
    }
}

//! What a table says, as MQTT messages; the session that carries them; the embedded broker.
//!
//! [`topic`], [`feed`] and [`public`] are pure: events in, plain messages out, at once and later. [`outbox`] holds what
//! the broker has not acknowledged, [`session`] brings it there, [`request`] reads what comes back. [`broker`] is a
//! broker in the same process for who has none. None of them knows a serial port.

pub mod acl;
pub mod broker;
mod connection;
pub mod feed;
pub mod outbox;
pub mod public;
pub mod request;
pub mod session;
pub mod topic;

//! What a table says, as MQTT messages; the session that carries them; the embedded broker.
//!
//! [`topic`], [`feed`] and [`public`] are pure: events in, plain messages out, at once and later. [`outbox`] holds what
//! the broker has not acknowledged, [`session`] brings it there, [`request`] reads what comes back. [`broker`] is a
//! broker in the same process for who has none. None of them knows a serial port.

pub mod about;
pub mod acl;
pub mod attempts;
pub mod broker;
mod client;
mod cloud;
mod connection;
pub mod contract;
mod door;
pub mod feed;
pub mod guests;
pub mod outbox;
pub mod password;
pub mod public;
pub mod request;
pub mod session;
pub mod tls;
pub mod topic;

//! The thin shell: ports, clock, tasks, and the node that puts them together.
//!
//! ```text
//! port ─ bytes ─► table task ─ batch ─► journal ─ committed ─► publisher ─► MQTT session ─► broker ─► web
//!      ◄─ bytes ─            ◄──────────────── requests ────────────────────┘
//! ```
//! In: settings. Out: a running node with its addresses. It is the only reader of clocks, and it knows no chess.

mod bus;
pub mod clock;
pub mod config;
mod finder;
mod from_config;
mod hall;
mod health;
mod lanes;
pub mod log_tap;
mod missed;
pub mod node;
mod opening;
mod port;
pub mod probe;
mod publisher;
pub mod settings;
mod table_task;

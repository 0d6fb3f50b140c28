//! The thin shell: configuration, ports, clock, signals, tasks.

pub mod config;

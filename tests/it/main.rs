//! One binary for all integration tests, a module each.

mod bus;
mod node;
mod tidy;

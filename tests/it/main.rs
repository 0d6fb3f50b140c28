//! One binary for all integration tests, a module each.

mod tidy;

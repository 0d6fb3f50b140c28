//! One binary for all integration tests, a module each.

mod captures;
mod corpus;
mod tidy;

//! One binary for all integration tests, a module each.

mod articles;
mod bus;
mod captures;
mod corpus;
mod hands;
mod node;
mod perft;
mod tidy;

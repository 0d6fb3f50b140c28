//! One binary for all integration tests, a module each.

mod articles;
mod bus;
mod captures;
mod corpus;
mod habits;
mod hands;
mod mutation;
mod node;
mod perft;
mod referee;
mod run;
mod tidy;

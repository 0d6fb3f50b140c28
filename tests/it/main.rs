//! One binary for all integration tests, a module each.

mod articles;
mod bus;
mod captures;
mod corpus;
mod explain;
mod faults;
mod figures;
mod habits;
mod hands;
mod kept;
mod kill;
mod levels;
mod mutation;
mod node;
mod perft;
mod power;
mod referee;
mod resume;
mod run;
mod tidy;

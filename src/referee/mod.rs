//! Facts for the arbiter.

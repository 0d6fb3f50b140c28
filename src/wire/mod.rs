//! Bytes and frames: one file per protocol, parse and emit.

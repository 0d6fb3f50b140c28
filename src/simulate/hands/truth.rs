//! What was really played, and when: beside every emulated capture, to judge a recording by.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    event::ClockTimes,
    types::{BoardId, Instant, Seat},
};

use super::Terms;

/// A performance in facts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truth {
    /// Version of this form.
    pub truth: u8,
    /// Name of the profile.
    pub profile: String,
    /// The seed.
    pub seed: u64,
    /// Seconds of every player.
    pub base: i64,
    /// Seconds added at every press.
    pub increment: i64,
    /// When each clock was set going.
    pub start: BTreeMap<BoardId, Instant>,
    /// When each clock was stopped.
    pub stop: BTreeMap<BoardId, Instant>,
    /// When the capture ends.
    pub end: Instant,
    /// What each device is like.
    #[serde(default)]
    pub devices: BTreeMap<String, serde_json::Value>,
    /// Result as the record has it, for whoever enters it after the clocks were stopped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub result: String,
    /// Why it ended, as the record has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<String>,
    /// The moves in order of completion.
    pub moves: Vec<Played>,
}

/// One completed move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Played {
    /// The board.
    pub board: BoardId,
    /// Who moved.
    pub seat: Seat,
    /// Whether that is White.
    pub white: bool,
    /// Ply on the board, from 1.
    pub ply: u32,
    /// Standard algebraic notation.
    pub san: String,
    /// UCI.
    pub uci: String,
    /// When the clock was pressed.
    pub press: Instant,
    /// When the last man of the move came down.
    pub made: Instant,
    /// The first touch.
    pub first: Instant,
    /// Times left after the press.
    pub clock: ClockTimes,
}

impl Truth {
    /// Nothing played yet.
    pub fn new(profile: &str, terms: &Terms) -> Truth {
        Truth {
            truth: 1,
            profile: profile.to_owned(),
            seed: 0,
            base: terms.base_ms / 1000,
            increment: terms.increment_ms / 1000,
            start: BTreeMap::new(),
            stop: BTreeMap::new(),
            end: Instant::ZERO,
            devices: BTreeMap::new(),
            result: String::new(),
            ending: None,
            moves: Vec::new(),
        }
    }
}

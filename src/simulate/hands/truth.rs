//! What was really played, and when: beside every emulated capture, to judge a recording by.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    event::{ClockTimes, Request},
    simulate::offence::Offended,
    types::{BoardId, Instant, Seat},
};

use super::Terms;

/// A performance in facts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Truth {
    /// Version of this form.
    pub truth: u8,
    /// Names the game.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub game: String,
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
    /// The result that the table alone must come to: the clocks stopped on a mate, kings in the centre, `*` where the
    /// men were swept off without a word. None where nothing tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evident: Option<String>,
    /// Why it ended, as the record has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<String>,
    /// What a referee may report, because hands did it.
    #[serde(default)]
    pub allowed_incidents: Vec<Allowed>,
    /// What hands did against the laws.
    #[serde(default)]
    pub offences: Vec<Offended>,
    /// What people asked of the table while they played.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<Asked>,
    /// The moves in order of completion.
    pub moves: Vec<Played>,
    /// The game that was played next on the same boards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Box<Truth>>,
}

/// A command to the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// When.
    pub t: Instant,
    /// What.
    pub request: Request,
}

/// A fact that a referee may report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowed {
    /// Kind of incident.
    pub kind: String,
    /// Where.
    pub board: BoardId,
    /// Whose doing; none if it is nobody's alone.
    pub seat: Option<Seat>,
    /// Ply on the board that was completed last or is being made, from 1.
    pub ply: u32,
    /// When.
    pub t: Instant,
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
    /// Names of the habits that hands showed in this ply.
    #[serde(default)]
    pub tags: Vec<String>,
}

impl Truth {
    /// Nothing played yet.
    pub fn new(profile: &str, terms: &Terms) -> Truth {
        Truth {
            truth: 1,
            game: String::new(),
            profile: profile.to_owned(),
            seed: 0,
            base: terms.base_ms / 1000,
            increment: terms.increment_ms / 1000,
            start: BTreeMap::new(),
            stop: BTreeMap::new(),
            end: Instant::ZERO,
            devices: BTreeMap::new(),
            result: String::new(),
            evident: None,
            ending: None,
            allowed_incidents: Vec::new(),
            offences: Vec::new(),
            requests: Vec::new(),
            moves: Vec::new(),
            next: None,
        }
    }

    /// The games that were played one after another.
    pub fn games(&self) -> impl Iterator<Item = &Truth> {
        std::iter::successors(Some(self), |truth| truth.next.as_deref())
    }

    /// The same so many µs later.
    pub(super) fn delay(&mut self, by: i64) {
        let later = |t: &mut Instant| *t = *t + by;
        self.start.values_mut().chain(self.stop.values_mut()).for_each(later);
        self.allowed_incidents.iter_mut().for_each(|allowed| later(&mut allowed.t));
        self.offences.iter_mut().for_each(|offended| later(&mut offended.t));
        self.requests.iter_mut().for_each(|asked| later(&mut asked.t));
        for played in &mut self.moves {
            [&mut played.press, &mut played.made, &mut played.first].into_iter().for_each(later);
        }
        later(&mut self.end);
    }
}

//! What one table is configured to be: the `[[table]]` entry of the configuration and the header of a capture.
//!
//! Plain data with the same names in TOML and JSON. Unknown keys are errors. Whether ports exist is not known here.

use serde::{Deserialize, Serialize};

use crate::{
    event::Players,
    rules::RuleSet,
    sense::Calibration,
    types::{BoardId, Seat},
};

/// One `[[table]]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableSettings {
    /// Names the table in topics and records.
    pub id: String,
    /// Rule set: its name, with changes behind commas. A table `{ base = "wbn-1.00", field = value }` reads as that.
    #[serde(default = "default_ruleset", deserialize_with = "ruleset")]
    #[schemars(schema_with = "ruleset_schema")]
    pub ruleset: String,
    /// Seconds + increment, for example `300+0`.
    #[serde(default = "default_time_control")]
    pub time_control: String,
    /// Who ends a game.
    #[serde(default)]
    pub adjudication: Adjudication,
    /// Incident kinds that everybody may see.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub announce: Vec<String>,
    /// Delay of the public feed, for example `30s` or `6 moves`.
    #[serde(default = "default_delay")]
    pub delay: String,
    /// Names by seat letter.
    #[serde(default, skip_serializing_if = "Players::is_empty")]
    pub players: Players,
    /// Rest after which a move counts as completed on a table without a clock.
    #[serde(default = "default_settle")]
    pub settle: String,
    /// How long a man may be out of a pocket before it is missed.
    #[serde(default = "default_lift_grace")]
    pub lift_grace: String,
    /// How long a captured man may be on its way after its capturer completed another move.
    #[serde(default = "default_pass_grace")]
    pub pass_grace: String,
    /// How long a man may stand next to its square.
    #[serde(default = "default_displaced_grace")]
    pub displaced_grace: String,
    /// Whether raw bytes are kept.
    #[serde(default = "yes")]
    pub capture: bool,
    /// The devices.
    #[serde(default)]
    pub device: Vec<DeviceSettings>,
}

/// Who ends a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Adjudication {
    /// An end is pending until claimed, confirmed or evident from the table.
    #[default]
    Advise,
    /// Mate, flag and unanswered illegal moves end the game at once.
    Auto,
}

/// One `[[table.device]]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviceSettings {
    /// Names the device in topics, captures and messages.
    pub name: String,
    /// Protocol.
    pub driver: Driver,
    /// Path of the serial port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<String>,
    /// Serial number to look for instead of a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial: Option<String>,
    /// The board that it senses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<BoardId>,
    /// Whether a clock is read through it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub clock: bool,
    /// Side of the clock at which White sits.
    #[serde(default)]
    pub clock_white: ClockSide,
    /// How the board lies.
    #[serde(default)]
    pub rotation: Rotation,
    /// Seats of tray channels 0, 1, …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pockets: Vec<Seat>,
    /// What the levels of its cells mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibrated>,
}

/// Calibration values, or the file that has them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum Calibrated {
    /// Path of the file. A table is opened with values: whoever reads its settings reads the file.
    File(String),
    /// The values.
    Values(Calibration),
}

/// A serial protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Driver {
    /// DGT boards with their clock.
    Dgt,
    /// Bughouse Sensor Line Protocol: trays, own boards, own clocks.
    Bslp,
}

impl Driver {
    /// The name in the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Driver::Dgt => "dgt",
            Driver::Bslp => "bslp",
        }
    }
}

/// A side of a chess clock as seen from its front.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ClockSide {
    /// White sits at the left display.
    Left,
    /// White sits at the right display.
    Right,
    /// Found when the first clock runs.
    #[default]
    Auto,
}

/// How a board lies under its men: `0`, `180` or `"auto"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rotation {
    /// As the protocol numbers it.
    Straight,
    /// Turned half round.
    Turned,
    /// Found at the set-up.
    #[default]
    Auto,
}

/// `0`, `180` or `"auto"`.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum RotationText {
    Degrees(u16),
    Word(String),
}

impl schemars::JsonSchema for Rotation {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Rotation".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "enum": [0, 180, "auto"], "description": "How a board lies under its men" })
    }
}

impl Serialize for Rotation {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Rotation::Straight => serializer.serialize_u16(0),
            Rotation::Turned => serializer.serialize_u16(180),
            Rotation::Auto => serializer.serialize_str("auto"),
        }
    }
}

impl<'de> Deserialize<'de> for Rotation {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Rotation, D::Error> {
        let expected = "expected 0, 180 or \"auto\"";
        let text = RotationText::deserialize(deserializer).map_err(|_| serde::de::Error::custom(expected))?;
        match text {
            RotationText::Degrees(0) => Ok(Rotation::Straight),
            RotationText::Degrees(180) => Ok(Rotation::Turned),
            RotationText::Word(word) if word == "auto" => Ok(Rotation::Auto),
            RotationText::Degrees(found) => Err(serde::de::Error::custom(format!("{expected}, found {found}"))),
            RotationText::Word(found) => Err(serde::de::Error::custom(format!("{expected}, found {found:?}"))),
        }
    }
}

/// A name stays as it is, so that an unknown one is reported with the other settings; a table is written out.
fn ruleset<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Text(String),
        Table(serde_json::Value),
    }
    match Written::deserialize(deserializer)? {
        Written::Text(text) => Ok(text),
        Written::Table(table) => {
            let rules: Result<RuleSet, _> = serde_json::from_value(table);
            rules.map(|rules| rules.to_string()).map_err(serde::de::Error::custom)
        }
    }
}

fn ruleset_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": ["string", "object"] })
}

fn default_ruleset() -> String {
    "wbn-1.00".into()
}

fn default_time_control() -> String {
    "300+0".into()
}

fn default_delay() -> String {
    "0s".into()
}

fn default_settle() -> String {
    "400ms".into()
}

fn default_lift_grace() -> String {
    "5s".into()
}

fn default_pass_grace() -> String {
    "2s".into()
}

fn default_displaced_grace() -> String {
    "3s".into()
}

fn yes() -> bool {
    true
}

/// How far the public feed is behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delay {
    /// By so many microseconds.
    Time(i64),
    /// By so many completed moves of the table, until the game has ended.
    Moves(usize),
}

impl Delay {
    /// Reads a duration, or a number of moves such as `6 moves`.
    ///
    /// # Errors
    /// What was expected and what was found.
    pub fn parse(text: &str) -> Result<Delay, String> {
        let count = text.strip_suffix(" moves").or_else(|| text.strip_suffix(" move"));
        match count.map(str::parse::<u16>) {
            Some(Ok(moves)) => Ok(Delay::Moves(usize::from(moves))),
            Some(Err(_)) => Err(format!("expected a number of moves such as \"6 moves\", found {text:?}")),
            None => parse_duration(text).map(Delay::Time),
        }
    }
}

/// A duration such as `400ms`, `5s` or `2min` in microseconds.
///
/// # Errors
/// What was expected and what was found.
pub fn parse_duration(text: &str) -> Result<i64, String> {
    let error = || format!("expected a duration such as \"400ms\", \"5s\" or \"2min\", found {text:?}");
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let unit_us = match unit {
        "ms" => 1_000,
        "s" => 1_000_000,
        "m" | "min" => 60_000_000,
        _ => return Err(error()),
    };
    let number = number.parse::<i64>().map_err(|_| error())?;
    number.checked_mul(unit_us).ok_or_else(error)
}

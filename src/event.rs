//! The one vocabulary of what leaves a table: journal, bus, web, replay and tests all speak it.
//!
//! In: what the table knows. Out: plain values with a fixed JSON form, version [`VERSION`]. It knows no transport:
//! which topic, which retention and which file is decided by the rooms behind it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::types::{BoardId, Instant, Seat};
pub use crate::{
    referee::{Frozen, Grade, HalfPoints, Incident, IncidentState},
    sense::LinkState,
    types::ClockTimes,
};

/// Version of the vocabulary, field `v` of every message.
pub const VERSION: u8 = 1;

/// One event with its envelope. `seq` counts per table and feed without gaps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// [`VERSION`].
    pub v: u8,
    /// The start of the daemon (or the replay) that made it.
    pub session: String,
    /// The table's id from the configuration.
    pub table: String,
    /// The game that it belongs to; none between games.
    pub game: Option<String>,
    /// Number within the feed of the table.
    pub seq: u64,
    /// When, in microseconds since the table was opened.
    pub t: Instant,
    /// The same as RFC 3339 in UTC with milliseconds.
    pub time: String,
    /// What happened.
    #[serde(flatten)]
    pub body: Body,
}

/// What happened. The JSON carries `type` in kebab case beside the fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Body {
    /// Set-up boards and running clocks, or the arbiter, began a game.
    GameStarted(GameStarted),
    /// The daemon was started again in the middle of a game, which goes on.
    GameResumed(GameResumed),
    /// Provisional: the man stands on its square and was released.
    MoveMade(Made),
    /// The provisional move was taken back or explained otherwise.
    MoveRetracted(Made),
    /// Completed: the mover started the opponent's clock (WBN 1.4, 6.3).
    Move(Box<Move>),
    /// A pocket or what is in transit to it changed.
    Pocket(Pocket),
    /// A clock showed another time, or another side began to run.
    Clock(ClockShown),
    /// Several explanations remain; none is published as a fact.
    Uncertain(Uncertain),
    /// One explanation remains.
    Resolved(Uncertain),
    /// Moves that were published are replaced.
    Correction(Correction),
    /// The game is over.
    GameEnded(GameEnded),
    /// A fact for the arbiter, never a verdict.
    Incident(Box<Incident>),
    /// A command or a button of the table that was carried out, with who asked.
    Ruling(Box<Ruling>),
}

impl Body {
    /// The `type` of the JSON form.
    pub fn kind(&self) -> &'static str {
        match self {
            Body::GameStarted(_) => "game-started",
            Body::GameResumed(_) => "game-resumed",
            Body::MoveMade(_) => "move-made",
            Body::MoveRetracted(_) => "move-retracted",
            Body::Move(_) => "move",
            Body::Pocket(_) => "pocket",
            Body::Clock(_) => "clock",
            Body::Uncertain(_) => "uncertain",
            Body::Resolved(_) => "resolved",
            Body::Correction(_) => "correction",
            Body::GameEnded(_) => "game-ended",
            Body::Incident(_) => "incident",
            Body::Ruling(_) => "ruling",
        }
    }

    /// Who may hear it.
    pub fn feed(&self) -> Feed {
        match self {
            Body::Incident(_) | Body::Ruling(_) => Feed::Arbiter,
            _ => Feed::Live,
        }
    }
}

/// Who may hear an event. Each feed of a table has its own `seq`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feed {
    /// Everybody who may read `live/`.
    Live,
    /// The arbiter alone (WBN 9.5).
    Arbiter,
}

/// The four (or more) players by seat letter.
pub type Players = std::collections::BTreeMap<String, String>;

/// A game began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GameStarted {
    /// Name of the rule set.
    pub ruleset: String,
    /// Time control as configured.
    pub time_control: String,
    /// Names by seat letter.
    pub players: Players,
    /// Position of all boards.
    pub bfen: String,
}

/// A game goes on after the daemon was started again. Moves that were made meanwhile follow as events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GameResumed {
    /// Position of all boards after the moves that are recorded.
    pub bfen: String,
    /// Recorded moves of all boards.
    pub moves: usize,
}

/// A provisional move, or its retraction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Made {
    /// The board.
    pub board: BoardId,
    /// Who moved.
    pub seat: Seat,
    /// Ply on the board from 1 that it would be.
    pub ply: u32,
    /// UCI; a drop is `N@f5`.
    #[serde(rename = "move")]
    pub uci: String,
    /// Standard algebraic notation.
    pub san: String,
}

/// A completed move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Move {
    /// The board.
    pub board: BoardId,
    /// Who moved.
    pub seat: Seat,
    /// Ply on the board, from 1.
    pub ply: u32,
    /// Move number as BPGN writes it.
    pub number: u32,
    /// Standard algebraic notation.
    pub san: String,
    /// UCI; a drop is `N@f5`.
    #[serde(rename = "move")]
    pub uci: String,
    /// Origin; none for a drop.
    pub from: Option<String>,
    /// Destination of the man (of the king in castling).
    pub to: String,
    /// The man that moved, as a FEN letter.
    pub piece: char,
    /// The man that goes over to the partner, as a FEN letter in its new colour.
    pub captured: Option<char>,
    /// What a pawn became, as a FEN letter.
    pub promotion: Option<char>,
    /// Times left after the move; none for a table without clocks.
    pub clock: Option<ClockTimes>,
    /// An illegal move that nobody claimed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stands: bool,
    /// Position of all boards after the move.
    pub bfen: String,
    /// Arrival of the frame that showed the move made.
    pub made_at: Instant,
    /// Arrival of the frame that showed it completed.
    pub completed_at: Instant,
}

/// Contents of one pocket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pocket {
    /// Whose pocket.
    pub seat: Seat,
    /// The pocket's men as sorted FEN letters.
    pub pieces: String,
    /// What came, as FEN letters.
    pub added: String,
    /// What left, as FEN letters.
    pub removed: String,
    /// Captured and not yet seen in the pocket.
    pub in_transit: String,
}

/// What one board's clock shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClockShown {
    /// The board.
    pub board: BoardId,
    /// Times left.
    #[serde(flatten)]
    pub times: ClockTimes,
    /// Whose time runs.
    pub running: Option<Side>,
}

/// A colour as the messages spell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// White.
    White,
    /// Black.
    Black,
}

impl From<crate::types::Color> for Side {
    fn from(color: crate::types::Color) -> Side {
        color.fold_wb(Side::White, Side::Black)
    }
}

/// Explanations that remain for what a board shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Uncertain {
    /// The board.
    pub board: BoardId,
    /// Number of the ply on its board that may have been another one, or of the first of several that nobody saw; none
    /// where what stands on the board is in doubt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<u32>,
    /// Each a line of moves in SAN, the likeliest first.
    pub candidates: Vec<String>,
}

/// Published moves are replaced by others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Correction {
    /// The board.
    pub board: BoardId,
    /// `seq` of the first `move` event that no longer holds.
    pub supersedes: u64,
    /// The board's moves from that ply on.
    pub moves: Vec<Move>,
}

/// A game is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GameEnded {
    /// `1-0`, `0-1`, `1/2-1/2` or `*`; `1-0` is a win of the team of White on A.
    pub result: String,
    /// Why, in the words of the servers: `checkmated`, `resigns`, `forfeits on time`, …
    pub reason: String,
    /// Boards whose end it is.
    pub boards: Vec<BoardId>,
    /// The seat that lost or asked, the arbiter, or the table itself.
    pub by: String,
    /// Points in halves (WBN 1.18), with what the arbiter has changed (WBN 9.4e, f).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub half_points: Option<HalfPoints>,
}

/// A command that was carried out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ruling {
    /// What was done.
    pub verb: String,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub data: serde_json::Value,
    /// Who asked, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// As in the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
}

/// The whole table at one moment: retained on `live/state`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// [`VERSION`].
    pub v: u8,
    /// As in [`Event`].
    pub session: String,
    /// As in [`Event`].
    pub table: String,
    /// The game on the boards, if one.
    pub game: Option<String>,
    /// The last event of the live feed that is included.
    pub seq: u64,
    /// As in [`Event`].
    pub t: Instant,
    /// As in [`Event`].
    pub time: String,
    /// What the table is doing.
    pub status: Status,
    /// `*` until the game has ended.
    pub result: String,
    /// Why it ended; empty before.
    pub reason: String,
    /// Name of the rule set.
    pub ruleset: String,
    /// Time control as configured.
    pub time_control: String,
    /// Names by seat letter.
    pub players: Players,
    /// Position of all boards with completed moves only.
    pub bfen: String,
    /// One entry a board.
    pub boards: Vec<BoardState>,
}

/// What a table is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// No game, or men being set up.
    Waiting,
    /// A game is played.
    Playing,
    /// All clocks of an unfinished game are stopped (WBN 7.12).
    Paused,
    /// The game has ended.
    Ended,
}

/// One board at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BoardState {
    /// The board.
    pub board: BoardId,
    /// FEN after the completed moves (placement with `~`, side, castling, e.p., counters `0 N`).
    pub fen: String,
    /// Whose move it is after the completed moves.
    pub turn: Side,
    /// Whether the side to move is in check.
    pub check: bool,
    /// Whether it is checkmate, potential drops considered.
    pub mate: bool,
    /// Completed plies.
    pub plies: u32,
    /// The last completed move.
    pub last: Option<Made>,
    /// Moves made and not completed, in order.
    pub made: Vec<Made>,
    /// Placement with the made moves played: what a spectator sees.
    pub shown: String,
    /// White's pocket.
    pub white: PocketState,
    /// Black's pocket.
    pub black: PocketState,
    /// The clock; none for a board without.
    pub clock: Option<ClockShown>,
    /// Squares where the sensors contradict the explanation; the board needs a look.
    pub unexplained: Vec<String>,
}

/// One pocket at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PocketState {
    /// Men in the pocket, sorted QRBNP, in the owner's colour.
    pub pieces: String,
    /// Captured for it and not yet seen there.
    pub in_transit: String,
}

/// What only the arbiter may know, at one moment: retained on `arbiter/state`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArbiterState {
    /// [`VERSION`].
    pub v: u8,
    /// As in [`Event`].
    pub session: String,
    /// As in [`Event`].
    pub table: String,
    /// The game on the boards, if one.
    pub game: Option<String>,
    /// The last event of the arbiter's feed that is included.
    pub seq: u64,
    /// As in [`Event`].
    pub t: Instant,
    /// As in [`Event`].
    pub time: String,
    /// What the table is doing.
    pub status: Status,
    /// `*` until the game has ended.
    pub result: String,
    /// Why it ended.
    pub reason: String,
    /// Points in halves.
    pub half_points: HalfPoints,
    /// Name of the rule set.
    pub ruleset: String,
    /// Time control as configured.
    pub time_control: String,
    /// Who ends games: `advise` or `auto`.
    pub adjudication: String,
    /// Seconds for which the rule set lets a player be frozen.
    pub freezing: Vec<u16>,
    /// Names by seat letter.
    pub players: Players,
    /// Incidents of the game, the open ones first.
    pub incidents: Vec<Incident>,
    /// Men that stand on no board, and men in trays that should not be there.
    pub ledger: Vec<Whereabouts>,
    /// Kinds that seats may not drop: seat letter and man.
    pub restricted: Vec<(Seat, char)>,
    /// Players who must wait.
    pub frozen: Vec<Frozen>,
    /// Seats that offer a draw.
    pub offers: Vec<Seat>,
    /// Seats whose flags have fallen.
    pub flags: Vec<Seat>,
    /// Since when all clocks are stopped, or the arbiter has interrupted the game.
    pub paused_since: Option<Instant>,
    /// One entry a board.
    pub boards: Vec<BoardState>,
    /// What was commanded, the last one first.
    pub rulings: Vec<Event>,
}

/// Where one man is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Whereabouts {
    /// The man as a FEN letter.
    pub man: char,
    /// `transit`, `pocket`, `lifted`, `unaccounted`, or `stray` in a tray where it should not be.
    pub place: String,
    /// Whose.
    pub seat: Option<Seat>,
    /// Since when.
    pub since: Instant,
    /// When it was seen in a pocket last.
    pub seen: Option<Instant>,
}

/// A device of the table at one moment: retained on `device/D/state`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceState {
    /// [`VERSION`].
    pub v: u8,
    /// As in [`Event`].
    pub session: String,
    /// As in [`Event`].
    pub table: String,
    /// As in [`Event`].
    pub t: Instant,
    /// As in [`Event`].
    pub time: String,
    /// Name from the configuration.
    pub device: String,
    /// Driver from the configuration.
    pub driver: String,
    /// Whether it speaks.
    pub link: LinkState,
    /// Serial number that it told.
    pub serial: Option<String>,
    /// Firmware or protocol version that it told.
    pub firmware: Option<String>,
    /// `0` or `180` once it is known.
    pub rotation: Option<u16>,
    /// Side of the clock at which White sits, once it is known.
    pub clock_white: Option<String>,
    /// Frames, bytes and rejects by reason since the link came up.
    pub counters: std::collections::BTreeMap<String, u64>,
}

/// A command to a table (`arbiter/request/VERB`, a button, a line of a capture).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Request {
    /// What to do.
    pub verb: String,
    /// Arguments of the verb.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub data: serde_json::Value,
    /// Names the request; a repeated one is answered again without acting twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// Who asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// The answer to a [`Request`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Response {
    /// `ok` or `error`.
    pub status: ResponseStatus,
    /// The verb that was asked.
    pub verb: String,
    /// As in the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ResponseError>,
    /// What there is to say beyond that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<serde_json::Value>,
}

/// Whether a request was carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResponseStatus {
    /// Carried out.
    Ok,
    /// Nothing changed.
    Error,
}

/// Why a request was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResponseError {
    /// A word for programs.
    pub code: String,
    /// A sentence for people: expected, found, what to do.
    pub message: String,
}

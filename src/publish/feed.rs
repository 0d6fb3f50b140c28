//! One table's committed events, states and answers as messages.
//!
//! In: what the journal has made durable, in order. Out: [`Message`]s in the order in which they go out: an event
//! before the retained topics that follow from it. It is pure; what it remembers is the record of the game that is
//! played.
//!
//! Silence (WBN 9.5): `live/` changes only with an event of the live feed, and never tells that a move stands
//! illegally.

use std::borrow::Cow;

use serde::Serialize;

use super::{
    request::Route,
    session::Missed,
    topic::{Message, Topics},
};
use crate::{
    event::{ArbiterState, Body, ClockShown, DeviceState, Event, Feed, Move, Response, State, VERSION},
    record::{GameRecord, NAMING},
    types::{BoardId, Instant},
};

const LIVE: &str = "live";
const PUBLIC: &str = "public";
/// A running clock that is not sent again within this many seconds is wrong.
const CLOCK_RUNNING_EXPIRY_S: u32 = 10;
/// A stopped clock stays right for longer.
const CLOCK_STOPPED_EXPIRY_S: u32 = 3600;

/// Turns what one table did into messages.
#[derive(Debug)]
pub struct TableFeed {
    /// First level below the table: `live`, or `public`.
    root: &'static str,
    topics: Topics,
    table: String,
    session: String,
    /// Kinds of incidents that everybody may see.
    announce: Vec<String>,
    game: Option<GameRecord>,
    state_sent: bool,
}

/// The envelope of JSON messages that are not events.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "{T}Message")]
pub(super) struct Enveloped<'a, T> {
    v: u8,
    session: &'a str,
    table: &'a str,
    game: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    t: Option<Instant>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<&'a str>,
    #[serde(flatten)]
    body: T,
}

impl TableFeed {
    /// The feed of `table`; incidents of the kinds in `announce` are for everybody.
    pub fn new(topics: Topics, table: &str, session: &str, announce: Vec<String>) -> TableFeed {
        let (table, session) = (table.to_owned(), session.to_owned());
        TableFeed { root: LIVE, topics, table, session, announce, game: None, state_sent: false }
    }

    /// The same below `public/`, without what is the arbiter's alone.
    pub fn public(topics: Topics, table: &str, session: &str, announce: Vec<String>) -> TableFeed {
        TableFeed { root: PUBLIC, ..TableFeed::new(topics, table, session, announce) }
    }

    /// A game that was on before goes on; answers what is retained of it until the next event.
    pub fn take_up(&mut self, game: GameRecord) -> Vec<Message> {
        let bfen = game.moves.last().map_or(&game.bfen, |(_, played)| &played.bfen).clone();
        self.game = Some(game);
        let bfen = Message::text(self.topic("bfen"), bfen).retained();
        std::iter::once(bfen).chain(self.bpgn()).collect()
    }

    /// The table is opened anew with other settings.
    pub fn change(&mut self, announce: Vec<String>) {
        self.announce = announce;
        self.state_sent = false;
    }

    fn topic(&self, leaf: &str) -> String {
        self.topics.table(&self.table, &format!("{}/{leaf}", self.root))
    }

    fn board_topic(&self, board: BoardId, leaf: &str) -> String {
        self.topic(&format!("board/{}/{leaf}", board.lower()))
    }

    /// Messages for events that belong together and the state after them.
    pub fn events(&mut self, events: &[Event], state: Option<&State>) -> Vec<Message> {
        let mut messages: Vec<Message> = events.iter().flat_map(|event| self.event(event)).collect();
        messages.extend(self.retained(events, state));
        messages
    }

    /// The retained topics that follow from events that belong together and the state after them.
    pub fn retained(&mut self, events: &[Event], state: Option<&State>) -> Vec<Message> {
        let mut messages = Vec::new();
        let mut record_changed = false;
        let mut live = false;
        for event in events {
            live |= event.body.feed() == Feed::Live;
            record_changed |= self.record(event);
            if let Body::Clock(clock) = &event.body {
                messages.push(self.clock(event, clock));
            }
        }
        if let Some(state) = state.filter(|_| live || !self.state_sent) {
            self.state_sent = true;
            messages.extend(self.state(state));
        }
        if record_changed {
            messages.extend(self.bpgn());
        }
        messages
    }

    /// The retained state of a device.
    pub fn device(&self, device: &DeviceState) -> Message {
        Message::json(self.topics.device(&self.table, &device.device), device).retained()
    }

    /// The answer to a request, on the topic of its verb.
    pub fn response(&self, response: &Response, t: Instant, time: &str) -> Message {
        let body = Enveloped {
            v: VERSION,
            session: &self.session,
            table: &self.table,
            game: self.game.as_ref().filter(|game| game.ended.is_none()).map(|game| game.id.as_str()),
            seq: None,
            t: Some(t),
            time: Some(time),
            body: response,
        };
        Message::json(self.topics.response(&self.table, &response.verb), &body)
    }

    /// The answer at `t` to who missed events.
    pub fn missed(&self, response: &Response, asked: &Missed, t: Instant, time: &str) -> Message {
        let body = Enveloped {
            v: VERSION,
            session: &self.session,
            table: &self.table,
            game: None,
            seq: None,
            t: Some(t),
            time: Some(time),
            body: response,
        };
        let message = Message::json(self.topic("response/events"), &body);
        Route::to(&self.topics, asked.response_topic.as_deref(), asked.correlation.clone()).address(message)
    }

    /// What only the arbiter may know, retained.
    pub fn arbiter(&self, state: &ArbiterState) -> Message {
        Message::json(self.topics.table(&self.table, "arbiter/state"), state).retained()
    }

    /// What an event is told by, apart from retained topics.
    pub fn event(&self, event: &Event) -> Vec<Message> {
        let open = |leaf: &str, event: &Event| Message::json(self.topic(leaf), event);
        let arbiter = || Message::json(self.topics.table(&self.table, "arbiter/incident"), event);
        let arbiter = (self.root == LIVE && event.body.feed() == Feed::Arbiter).then(arbiter);
        let told = match &event.body {
            Body::Incident(incident) => announced(&self.announce, &incident.kind).then(|| open("incident", event)),
            body if body.feed() == Feed::Arbiter => None,
            _ => Some(open("event", &silent(event, &self.announce))),
        };
        arbiter.into_iter().chain(told).collect()
    }

    /// The event of the live feed as everybody may see it.
    pub fn open(&self, event: Event) -> Event {
        silent(&event, &self.announce).into_owned()
    }

    fn clock(&self, event: &Event, clock: &ClockShown) -> Message {
        let expiry = if clock.running.is_some() { CLOCK_RUNNING_EXPIRY_S } else { CLOCK_STOPPED_EXPIRY_S };
        let topic = self.board_topic(clock.board, "clock");
        let body = Enveloped {
            v: VERSION,
            session: &self.session,
            table: &self.table,
            game: event.game.as_deref(),
            seq: Some(event.seq),
            t: Some(event.t),
            time: Some(&event.time),
            body: clock,
        };
        Message::json(topic, &body).retained().expiring(expiry)
    }

    fn state(&self, state: &State) -> Vec<Message> {
        let mut messages = vec![
            Message::json(self.topic("state"), state).retained(),
            Message::text(self.topic("bfen"), &*state.bfen).retained(),
        ];
        for board in &state.boards {
            messages.push(Message::text(self.board_topic(board.board, "fen"), &*board.fen).retained());
        }
        messages
    }

    /// Folds the event into the record; true when the record changed.
    fn record(&mut self, event: &Event) -> bool {
        match (&event.body, &mut self.game) {
            (Body::GameStarted(started), game) => {
                *game = Some(GameRecord::begin(event, started));
                true
            }
            (Body::Move(_) | Body::Correction(_) | Body::GameEnded(_), Some(game))
                if event.game.as_deref() == Some(&game.id) =>
            {
                game.apply(event);
                true
            }
            (Body::Incident(_), Some(game)) if event.game.as_deref() == Some(&game.id) => {
                game.apply(event); // told once the game has ended
                false
            }
            (Body::Ruling(ruling), Some(game)) if ruling.verb == NAMING && event.game.as_deref() == Some(&game.id) => {
                game.apply(event);
                true
            }
            _ => false,
        }
    }

    fn bpgn(&self) -> Option<Message> {
        let text = self.game.as_ref()?.to_bpgn().write();
        Some(Message::text(self.topic("bpgn"), text).retained())
    }
}

/// The answer to a request that never reached a table. `table` is spelt as in the topic of the request.
pub fn refusal(topics: &Topics, table: &str, session: &str, response: &Response) -> Message {
    let body = Enveloped { v: VERSION, session, table, game: None, seq: None, t: None, time: None, body: response };
    Message::json(topics.response_as_spelt(table, &response.verb), &body)
}

/// The event as everybody may see it.
fn silent<'a>(event: &'a Event, announce: &[String]) -> Cow<'a, Event> {
    let hides = |played: &Move| played.stands && !tells_of(played).iter().all(|kind| announced(announce, kind));
    let tells = match &event.body {
        Body::Move(played) => hides(played),
        Body::Correction(correction) => correction.moves.iter().any(hides),
        _ => false,
    };
    if !tells {
        return Cow::Borrowed(event);
    }
    let mut event = event.clone();
    match &mut event.body {
        Body::Move(played) => played.stands = false,
        Body::Correction(correction) => correction.moves.iter_mut().for_each(|played| played.stands &= !hides(played)),
        _ => {}
    }
    Cow::Owned(event)
}

/// Kinds of incidents of which a move that stands illegally may tell: where a king went as if to castle, the rook may
/// just be missing.
fn tells_of(played: &Move) -> &'static [&'static str] {
    let castles = ["e1g1", "e1c1", "e8g8", "e8c8"].contains(&&*played.uci);
    if castles { &["illegal-move", "incomplete-castling"] } else { &["illegal-move"] }
}

fn announced(announce: &[String], kind: &str) -> bool {
    announce.iter().any(|open| open == kind)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// An event of table 1 from its body as JSON.
    fn event(seq: u64, body: Value) -> Event {
        let envelope = json!({"v": 1, "session": "s", "table": "1", "game": "g", "seq": seq, "t": 5, "time": "now"});
        let mut whole = envelope.as_object().unwrap().clone();
        whole.extend(body.as_object().unwrap().clone());
        serde_json::from_value(whole.into()).unwrap()
    }

    fn started() -> Event {
        event(
            1,
            json!({"type": "game-started", "ruleset": "wbn-1.00", "time_control": "300+0", "players": {}, "bfen": ""}),
        )
    }

    fn played(stands: bool) -> Value {
        json!({
            "board": "A", "seat": "A", "ply": 1, "number": 1, "san": "e4", "move": "e2e4", "from": "e2", "to": "e4",
            "piece": "P", "captured": null, "promotion": null, "clock": null, "stands": stands, "bfen": "",
            "made_at": 1, "completed_at": 2
        })
    }

    fn move_event(seq: u64, stands: bool) -> Event {
        let mut body = played(stands);
        body["type"] = "move".into();
        event(seq, body)
    }

    fn incident() -> Event {
        event(
            1,
            json!({
                "type": "incident", "id": 1, "kind": "illegal-move", "grade": "decisive", "law": "WBN", "article": "9",
                "board": "A", "seat": "A", "reason": "", "evidence": {}, "claimable_by": ["a"], "claim_until": null,
                "state": "open"
            }),
        )
    }

    fn state(seq: u64) -> State {
        serde_json::from_value(json!({
            "v": 1, "session": "s", "table": "1", "game": "g", "seq": seq, "t": 5, "time": "now", "status": "playing",
            "result": "*", "reason": "", "ruleset": "wbn-1.00", "time_control": "300+0", "players": {}, "bfen": "b",
            "boards": []
        }))
        .unwrap()
    }

    fn feed() -> TableFeed {
        TableFeed::new(Topics::new("P", "N"), "1", "s", Vec::new())
    }

    fn topics(messages: &[Message]) -> Vec<&str> {
        messages.iter().map(|message| message.topic.as_str()).collect()
    }

    #[test]
    fn an_event_goes_before_what_follows_from_it() {
        let mut feed = feed();
        let messages = feed.events(&[started(), move_event(2, false)], Some(&state(2)));
        let live = |leaf: &str| format!("P/table/1/live/{leaf}");
        assert_eq!(topics(&messages), [live("event"), live("event"), live("state"), live("bfen"), live("bpgn")]);
        assert_eq!(messages.iter().map(|m| m.retain).collect::<Vec<_>>(), [false, false, true, true, true]);
        assert!(String::from_utf8_lossy(&messages[4].payload).contains("1A. e4"));
    }

    #[test]
    fn an_incident_is_the_arbiters_and_changes_nothing_live() {
        let mut feed = feed();
        assert_eq!(topics(&feed.events(&[], Some(&state(0)))), ["P/table/1/live/state", "P/table/1/live/bfen"]);
        assert_eq!(topics(&feed.events(&[incident()], Some(&state(0)))), ["P/table/1/arbiter/incident"]);
        assert!(feed.events(&[], Some(&state(0))).is_empty(), "no event, no state");
    }

    #[test]
    fn nobody_hears_that_a_move_stands() {
        let mut feed = feed();
        let correction =
            event(3, json!({"type": "correction", "board": "A", "supersedes": 2, "moves": [played(true)]}));
        let messages = feed.events(&[started(), move_event(2, true), correction], None);
        for message in messages.iter().filter(|message| message.topic.contains("/live/")) {
            assert!(!String::from_utf8_lossy(&message.payload).contains("stands"), "{message:?}");
        }
    }

    #[test]
    fn a_clock_that_runs_is_forgotten_soon() {
        let clock = |running: Value| {
            let body = json!({"type": "clock", "board": "B", "white_ms": 1, "black_ms": 2, "running": running});
            feed().events(&[event(1, body)], None).pop().unwrap()
        };
        let running = clock("white".into());
        assert_eq!((running.topic.as_str(), running.retain), ("P/table/1/live/board/b/clock", true));
        assert!(running.expiry < clock(Value::Null).expiry);
        let value: Value = serde_json::from_slice(&running.payload).unwrap();
        assert_eq!((&value["white_ms"], &value["running"], &value["seq"]), (&1.into(), &"white".into(), &1.into()));
    }
}

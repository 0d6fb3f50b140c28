//! At every instant nothing is to be seen that should be hidden: random games, delays, restarts and absences.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// What is told live, with its row; the journal has it.
#[derive(Clone)]
struct Told {
    row: i64,
    at: Instant,
    event: Event,
}

/// A table that plays, and what its journal has.
#[derive(Default)]
struct Hall {
    rows: Vec<Told>,
    seq: u64,
    incident: u64,
    game: usize,
    /// Plies of both boards that are completed in the game that is on; none between games.
    plies: Option<[u32; 2]>,
}

impl Hall {
    fn tell(&mut self, at: Instant, body: Value) {
        let arbiter = body["type"] == "incident";
        let count = if arbiter { &mut self.incident } else { &mut self.seq };
        *count += 1;
        let game = format!("g{}", self.game);
        let mut whole = json!({
            "v": 1, "session": "s", "table": "1", "game": game, "seq": *count, "t": at, "time": "1970-01-01T00:00:00Z"
        });
        whole.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        let row = self.rows.len() as i64 + 1;
        self.rows.push(Told { row, at, event: serde_json::from_value(whole).unwrap() });
    }

    /// Something happens.
    fn happen(&mut self, at: Instant, what: u8) {
        let Some(plies) = self.plies else {
            self.game += 1;
            self.plies = Some([0, 0]);
            let start = json!({
                "type": "game-started", "ruleset": "wbn-1.00", "time_control": "300+0", "players": {}, "bfen": "x|x"
            });
            return self.tell(at, start);
        };
        let board = usize::from(what % 2);
        let name = ["A", "B"][board];
        match what / 2 % 16 {
            0..=7 => {
                let ply = plies[board] + 1;
                self.plies.as_mut().unwrap()[board] = ply;
                let mut played = played(name, ply);
                played["type"] = "move".into();
                self.tell(at, played);
            }
            8..=10 => {
                let made = |kind: &str| {
                    let ply = plies[board] + 1;
                    json!({"type": kind, "board": name, "seat": name, "ply": ply, "move": "e2e4", "san": "e4"})
                };
                self.tell(at, made("move-made"));
                self.tell(at, made("move-retracted"));
            }
            11 => self.tell(at, json!({"type": "clock", "board": name, "white_ms": 1, "black_ms": 1, "running": null})),
            12 => self.tell(at, incident(self.incident + 1)),
            13 if plies[board] > 0 => {
                let first = self.rows.iter().rev().find(|told| {
                    matches!(&told.event.body, Body::Move(m) if m.board.to_string() == name && m.ply == plies[board])
                });
                let supersedes = first.map_or(1, |told| told.event.seq);
                let moves = if what > 128 { vec![] } else { vec![played(name, plies[board])] };
                self.plies.as_mut().unwrap()[board] -= u32::from(moves.is_empty());
                self.tell(at, json!({"type": "correction", "board": name, "supersedes": supersedes, "moves": moves}));
            }
            14 if what > 200 => {
                self.tell(
                    at,
                    json!({"type": "game-ended", "result": "1-0", "reason": "resigns", "boards": ["A"], "by": "a"}),
                );
                self.plies = None;
            }
            _ => self.tell(at, json!({"type": "resolved", "board": name, "candidates": []})),
        }
    }
}

fn played(board: &str, ply: u32) -> Value {
    json!({
        "board": board, "seat": board, "ply": ply, "number": ply.div_ceil(2), "san": "e4", "move": "e2e4", "from": "e2",
        "to": "e4", "piece": "P", "captured": null, "promotion": null, "clock": null, "stands": ply.is_multiple_of(5),
        "bfen": "", "made_at": 1, "completed_at": i64::from(ply)
    })
}

fn incident(id: u64) -> Value {
    json!({
        "type": "incident", "id": id, "kind": "illegal-move", "grade": "decisive", "law": "WBN", "article": "9",
        "board": "A", "seat": "A", "reason": "secret", "evidence": {}, "claimable_by": ["a"], "claim_until": null,
        "state": "open"
    })
}

fn feed(delay: Delay, shown: i64) -> PublicFeed {
    PublicFeed::new(Topics::new("P", "N"), "1", "s", Vec::new(), delay, shown)
}

/// The public's view, checked as it grows.
struct Public {
    heard: u64,
}

impl Public {
    /// Checks what is shown at `now`: `plies` are to be seen at most of the game that is on.
    fn hear(&mut self, messages: &[Message], hall: &Hall, delay: Delay, now: Instant) {
        for message in messages {
            assert!(message.topic.starts_with("P/table/1/public/"), "{}", message.topic);
            let text = String::from_utf8_lossy(&message.payload);
            // A record tells what stood illegally once its game is over.
            let over = message.topic.ends_with("/bpgn") && text.contains("[Result \"1-0\"]");
            let silent = ["secret", "stands", "illegal"].iter().all(|word| !text.contains(word));
            assert!(silent || over, "{text}");
            if !message.topic.ends_with("/event") {
                continue;
            }
            let event: Event = serde_json::from_slice(&message.payload).unwrap();
            assert_eq!(event.seq, self.heard + 1, "in order, none missing, none twice");
            self.heard = event.seq;
            let told = hall
                .rows
                .iter()
                .find(|told| told.event.seq == event.seq && told.event.body.feed() == event.body.feed());
            let told = told.unwrap();
            match delay {
                Delay::Time(late) => {
                    assert!(told.at + late <= now, "{} is shown at {now}, told at {}", event.seq, told.at)
                }
                Delay::Moves(moves) => self.check_plies(&event, hall, moves),
            }
        }
    }

    /// A moment may be seen from when on so many moves were completed after what it shows, also if some were taken back
    /// later.
    fn check_plies(&self, event: &Event, hall: &Hall, moves: usize) {
        let on = hall.plies.is_some() && event.game == Some(format!("g{}", hall.game));
        if !on || !matches!(event.body, Body::Move(_) | Body::MoveMade(_)) {
            return;
        }
        let mut ahead = Ahead::default();
        let (mut seen, mut most) = (0, 0);
        for told in hall.rows.iter().filter(|told| told.event.game == event.game) {
            ahead.apply(&told.event);
            let game = ahead.game.as_ref().expect("it began");
            if told.event == *event {
                seen = game.moves.len() + usize::from(matches!(event.body, Body::MoveMade(_)));
                most = 0;
            }
            most = most.max(game.moves.len());
        }
        assert!(seen + moves <= most, "{seen} plies are seen of {most}, hidden should be {moves}");
    }
}

fn check(delay: Delay, then: Delay, steps: &[(u8, u8, u8)]) {
    let mut hall = Hall::default();
    let (mut public, mut delay) = (feed(delay, 0), delay);
    let mut spectator = Public { heard: 0 };
    let mut now = Instant(0);
    for (what, wait, daemon) in steps {
        now = now + i64::from(*wait) * 100_000;
        let first = hall.rows.len();
        hall.happen(now, *what);
        match daemon {
            // the daemon is started again: the journal tells what was not shown yet
            0..=9 => {
                let shown = public.shown();
                if *daemon < 3 {
                    delay = then;
                }
                public = feed(delay, shown);
                let upto = |row: i64| hall.rows.iter().filter(move |told| told.row <= row).map(|told| &told.event);
                let game = GameRecord::fold(upto(shown)).pop().filter(|game| game.ended.is_none());
                let messages = public.go_on(game, hall.rows.len() as i64);
                spectator.hear(&messages, &hall, delay, now);
            }
            _ => {
                if *daemon < 12 {
                    delay = then;
                    public.change(delay, Vec::new());
                }
                let told = &hall.rows[first..];
                let events: Vec<Event> = told.iter().map(|told| told.event.clone()).collect();
                public.push(hall.rows.len() as i64, now, &events, None);
            }
        }
        if let Some((after, until)) = public.rows_wanted() {
            let rows =
                hall.rows.iter().filter(|told| told.row > after && told.row <= until).take(usize::from(*what % 40));
            let rows: Vec<_> = rows.map(|told| (told.row, told.at, told.event.clone())).collect();
            let until = rows.last().map_or(after, |(row, _, _)| *row);
            public.refill(rows, until);
        }
        // the broker is away now and then
        if *daemon % 4 != 3 {
            let messages = public.due(now, usize::from(*wait) + 1);
            spectator.hear(&messages, &hall, delay, now);
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<(u8, u8, u8)>> {
    proptest::collection::vec((any::<u8>(), 0..30u8, any::<u8>()), 1..400)
}

fn delays() -> impl Strategy<Value = Delay> {
    prop_oneof![(0..20i64).prop_map(|seconds| Delay::Time(seconds * 1_000_000)), (0..12usize).prop_map(Delay::Moves),]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_seen_that_should_be_hidden(delay in delays(), then in delays(), steps in steps()) {
        check(delay, then, &steps);
    }
}

#[test]
fn without_a_delay_everything_is_shown_at_once() {
    let mut hall = Hall::default();
    let mut public = feed(Delay::Time(0), 0);
    for what in 0..100 {
        let first = hall.rows.len();
        hall.happen(Instant(i64::from(what)), what as u8);
        let events: Vec<Event> = hall.rows[first..].iter().map(|told| told.event.clone()).collect();
        public.push(hall.rows.len() as i64, Instant(i64::from(what)), &events, None);
        let shown = public.due(Instant(i64::from(what)), usize::MAX);
        let heard = shown.iter().filter(|message| message.topic.ends_with("public/event")).count();
        assert_eq!(heard, events.iter().filter(|e| e.body.feed() == crate::event::Feed::Live).count());
        assert_eq!(public.shown(), hall.rows.len() as i64);
    }
}

#[test]
fn behind_by_moves_the_end_of_the_game_shows_the_rest() {
    let mut hall = Hall::default();
    let mut public = feed(Delay::Moves(4), 0);
    let mut push = |hall: &mut Hall, what: u8| {
        let first = hall.rows.len();
        hall.happen(Instant(1), what);
        let events: Vec<Event> = hall.rows[first..].iter().map(|told| told.event.clone()).collect();
        public.push(hall.rows.len() as i64, Instant(1), &events, None);
        public.due(Instant(1), usize::MAX).iter().filter(|m| m.topic.ends_with("/event")).count()
    };
    let shown: Vec<usize> = [0, 0, 0, 0, 0, 0].map(|what| push(&mut hall, what)).into();
    assert_eq!(shown, [1, 0, 0, 0, 0, 1], "the start, then the first of five moves");
    assert_eq!(push(&mut hall, 22), 0, "a clock behind the last moves waits, too");
    hall.tell(Instant(1), json!({"type": "game-ended", "result": "*", "reason": "", "boards": [], "by": ""}));
    let end = hall.rows.last().unwrap().event.clone();
    public.push(hall.rows.len() as i64, Instant(1), &[end], None);
    let rest = public.due(Instant(1), usize::MAX);
    assert_eq!(rest.iter().filter(|m| m.topic.ends_with("/event")).count(), 6);
}

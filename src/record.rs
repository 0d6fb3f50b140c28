//! Events folded into the record of a game.
//!
//! In: the events of a table in order. Out: [`GameRecord`]s with the moves as they stand after all corrections. The
//! journal's exports, the retained BPGN and the replay use the same fold.

use std::collections::BTreeMap;

use crate::{
    event::{Body, Correction, Event, GameEnded, GameStarted, Incident, Move, Players, Uncertain},
    notation::bpgn,
    table::resume::Unfinished,
    types::{BoardId, Instant, Seat, by_time},
};

/// The verb by which players get other names.
pub const NAMING: &str = "players";

/// One game as recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    /// The game's id.
    pub id: String,
    /// The table's id.
    pub table: String,
    /// RFC 3339 time of the start.
    pub started: String,
    /// Name of the rule set.
    pub ruleset: String,
    /// Time control as configured.
    pub time_control: String,
    /// Names by seat letter.
    pub players: Players,
    /// Position of all boards at the start.
    pub bfen: String,
    /// Completed moves of all boards in order of completion, each with the `seq` that published it.
    pub moves: Vec<(u64, Move)>,
    /// Why moves that stand are illegal, by the `seq` that published the move.
    pub illegal: BTreeMap<u64, String>,
    /// What plies may have been instead of what is recorded, by board and ply: moves in SAN, or several in a row.
    pub uncertain: BTreeMap<(BoardId, u32), Vec<String>>,
    /// The end, if there was one.
    pub ended: Option<GameEnded>,
    /// Incidents as they were told last, by id.
    incidents: BTreeMap<u64, Incident>,
    /// What instants count from.
    epoch: Epoch,
}

/// The start of the daemon from which the instants of a record count: the one that told its last event.
#[derive(Clone, Debug, PartialEq)]
struct Epoch {
    session: String,
    /// Microseconds since 1970 UTC.
    opened_us: i64,
    /// Of the last event.
    last: Instant,
}

impl Epoch {
    fn of(event: &Event) -> Epoch {
        let told = event.time.parse::<jiff::Timestamp>().map_or(0, jiff::Timestamp::as_microsecond);
        let opened_us = told.saturating_sub(event.t.micros());
        Epoch { session: event.session.clone(), opened_us, last: event.t }
    }
}

impl GameRecord {
    /// The games that `events` tell, in order.
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Vec<GameRecord> {
        let mut games: Vec<GameRecord> = Vec::new();
        for event in events {
            match (&event.body, games.last_mut()) {
                (Body::GameStarted(started), _) => games.push(GameRecord::begin(event, started)),
                (_, Some(game)) if event.game.as_deref() == Some(&game.id) => game.apply(event),
                _ => {}
            }
        }
        games
    }

    /// A game that begins with this event.
    pub fn begin(event: &Event, started: &GameStarted) -> GameRecord {
        GameRecord {
            id: event.game.clone().unwrap_or_default(),
            table: event.table.clone(),
            started: event.time.clone(),
            ruleset: started.ruleset.clone(),
            time_control: started.time_control.clone(),
            players: started.players.clone(),
            bfen: started.bfen.clone(),
            moves: Vec::new(),
            illegal: BTreeMap::new(),
            uncertain: BTreeMap::new(),
            ended: None,
            incidents: BTreeMap::new(),
            epoch: Epoch::of(event),
        }
    }

    /// Takes one event of this game in.
    pub fn apply(&mut self, event: &Event) {
        if event.session != self.epoch.session {
            let Epoch { session, opened_us, .. } = Epoch::of(event);
            self.rebase(session, opened_us);
        }
        self.epoch.last = self.epoch.last.max(event.t);
        match &event.body {
            Body::Move(played) => self.insert(event.seq, (**played).clone()),
            Body::Correction(correction) => self.correct(event.seq, correction),
            Body::GameEnded(ended) => self.ended = Some(ended.clone()),
            Body::Incident(incident) => self.explain(incident),
            Body::Ruling(ruling) if ruling.verb == NAMING => self.name(&ruling.data),
            Body::Uncertain(doubt) => self.doubt(doubt),
            Body::Resolved(answer) => drop(answer.ply.and_then(|ply| self.uncertain.remove(&(answer.board, ply)))),
            _ => {}
        }
    }

    /// Instants count from another start of the daemon: those before it are negative, also where the wall clock was set
    /// back meanwhile.
    pub fn rebase(&mut self, session: String, opened_us: i64) {
        let shift = opened_us.saturating_sub(self.epoch.opened_us).max(self.epoch.last.micros().saturating_add(1));
        for (_, played) in &mut self.moves {
            played.made_at = played.made_at + -shift;
            played.completed_at = played.completed_at + -shift;
        }
        self.incidents.values_mut().for_each(|incident| incident.move_by(-shift));
        self.epoch = Epoch { session, opened_us, last: Instant::ZERO };
    }

    /// Players are called otherwise while the game is on.
    fn name(&mut self, data: &serde_json::Value) {
        if let Ok(players) = serde_json::from_value::<Players>(data.clone()) {
            self.players.extend(players);
        }
    }

    /// An incident of an illegal move follows the move.
    fn explain(&mut self, incident: &Incident) {
        let stands = |(_, played): &&(u64, Move)| played.stands && Some(played.seat) == incident.seat;
        let told = self.moves.iter().rev().find(stands).filter(|_| incident.kind == "illegal-move");
        if let Some((seq, _)) = told {
            self.illegal.entry(*seq).or_insert_with(|| incident.reason.clone());
        }
        self.incidents.insert(incident.id, incident.clone());
    }

    fn doubt(&mut self, doubt: &Uncertain) {
        let ply = doubt.ply.filter(|_| !doubt.candidates.is_empty());
        self.uncertain.extend(ply.map(|ply| ((doubt.board, ply), doubt.candidates.clone())));
    }

    /// Moves stand in the order of their completion, also one that was found late.
    fn insert(&mut self, seq: u64, played: Move) {
        let late = self.moves.last().is_some_and(|(_, last)| last.completed_at > played.completed_at);
        self.moves.push((seq, played));
        if late {
            self.sort();
        }
    }

    /// Replaces the board's moves from the superseded one on; a new move takes the place of the old one of its ply.
    fn correct(&mut self, seq: u64, correction: &Correction) {
        let mut fresh = correction.moves.iter();
        let supersedes = correction.supersedes;
        let uncertain = &mut self.uncertain;
        self.moves.retain_mut(|(old_seq, old)| {
            if old.board != correction.board || *old_seq < supersedes {
                return true;
            }
            let new = fresh.next();
            if new.is_none_or(|new| new.uci != old.uci) {
                uncertain.remove(&(old.board, old.ply));
            }
            new.map(|new| (*old_seq, *old) = (seq, new.clone())).is_some()
        });
        self.moves.extend(fresh.map(|new| (seq, new.clone())));
        self.sort();
    }

    fn sort(&mut self) {
        by_time(&mut self.moves, |(_, played)| (played.board, played.completed_at));
    }

    /// The game in BPGN, strict form. That a move stands illegally is told once the game has ended (WBN 9.5), that it
    /// may have been another one at any time.
    pub fn to_bpgn(&self) -> bpgn::Game {
        let result = self.ended.as_ref().map_or("*", |ended| ended.result.as_str());
        bpgn::Game {
            tags: self.tags(result),
            preamble: Vec::new(),
            moves: self.moves.iter().map(|(seq, played)| self.game_move(*seq, played)).collect(),
            ending: self.ended.as_ref().map(|ended| self.ending(ended)),
            result: result.to_owned(),
        }
    }

    /// What is not known is `?`, an unknown rating `----`, as the laws and PGN have them.
    fn tags(&self, result: &str) -> Vec<(String, String)> {
        let date = self.started.get(..10).map_or_else(|| "????.??.??".into(), |date| date.replace('-', "."));
        let mut tags: Vec<(String, String)> =
            [("Event", "?"), ("Site", "?"), ("Date", &*date), ("Round", "?")].map(owned).into();
        for seat in Seat::all(self.boards()) {
            let name = self.players.get(&seat.letter().to_string()).map_or("?", String::as_str);
            tags.push((tag_of(seat), name.to_owned()));
            tags.push((format!("{}Elo", tag_of(seat)), "----".to_owned()));
        }
        tags.extend([("TimeControl", &*self.time_control), ("Result", result)].map(owned));
        tags
    }

    fn boards(&self) -> usize {
        let bfen = self.bfen.matches('|').count() + 1;
        let played = self.moves.iter().map(|(_, played)| played.board.index() + 1);
        played.max().unwrap_or(0).max(bfen).max(2)
    }

    /// The reason as the servers write it: `Player004 checkmated`. A player without a name has that of the tag.
    fn ending(&self, ended: &GameEnded) -> String {
        match (self.players.get(&ended.by), ended.by.parse::<Seat>()) {
            (Some(name), _) => format!("{name} {}", ended.reason),
            (None, Ok(seat)) => format!("{} {}", tag_of(seat), ended.reason),
            (None, Err(_)) => ended.reason.clone(),
        }
    }

    fn game_move(&self, seq: u64, played: &Move) -> bpgn::GameMove {
        let clock_ms = played.clock.map(|clock| played.seat.color.fold_wb(clock.white_ms, clock.black_ms));
        let told = played.stands && self.ended.is_some();
        let reason = || self.illegal.get(&seq).map_or("not claimed", String::as_str);
        let mark = told.then(|| bpgn::Comment::Text(format!("C:illegal: {}", reason())));
        let doubt = self.uncertain.get(&(played.board, played.ply));
        let doubt = doubt.map(|moves| bpgn::Comment::Text(format!("C:uncertain: {}", moves.join(", "))));
        let comments = mark.into_iter().chain(doubt).collect();
        bpgn::GameMove { number: played.number, seat: played.seat, san: played.san.clone(), clock_ms, comments }
    }
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// The game that `events` tell and that has no end, for a table that is opened at `opened_us` microseconds since 1970
/// UTC.
pub fn unfinished(events: &[Event], opened_us: i64) -> Option<Unfinished> {
    let mut record = GameRecord::fold(events).pop().filter(|record| record.ended.is_none())?;
    record.rebase(String::new(), opened_us);
    let started = events.iter().find_map(|event| match &event.body {
        Body::GameStarted(started) if event.game.as_deref() == Some(&record.id) => Some(started.clone()),
        _ => None,
    })?;
    let mut rulings = Vec::new();
    let mut pockets = BTreeMap::new();
    for event in events.iter().filter(|event| event.game.as_deref() == Some(&record.id)) {
        match &event.body {
            Body::Ruling(_) => rulings.push(event.clone()),
            Body::Pocket(held) => {
                drop(pockets.insert(held.seat.to_string(), (held.pieces.clone(), held.in_transit.clone())));
            }
            _ => {}
        }
    }
    let incidents = record.incidents.into_values().collect();
    Some(Unfinished { id: record.id, started, moves: record.moves, pockets, incidents, rulings })
}

/// `WhiteA`, `BlackA`, …
fn tag_of(seat: Seat) -> String {
    format!("{}{}", seat.color.fold_wb("White", "Black"), seat.board)
}

#[cfg(test)]
mod tests;

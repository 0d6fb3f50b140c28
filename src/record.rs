//! Events folded into the record of a game.
//!
//! In: the events of a table in order. Out: [`GameRecord`]s with the moves as they stand after all corrections. The
//! journal's exports, the retained BPGN and the replay use the same fold.

use crate::{
    event::{Body, Correction, Event, GameEnded, GameStarted, Move, Players},
    notation::bpgn,
};

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
    /// The end, if there was one.
    pub ended: Option<GameEnded>,
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
            ended: None,
        }
    }

    /// Takes one event of this game in.
    pub fn apply(&mut self, event: &Event) {
        match &event.body {
            Body::Move(played) => self.insert(event.seq, (**played).clone()),
            Body::Correction(correction) => self.correct(event.seq, correction),
            Body::GameEnded(ended) => self.ended = Some(ended.clone()),
            _ => {}
        }
    }

    /// Moves stand in the order of their completion, also one that was found late.
    fn insert(&mut self, seq: u64, played: Move) {
        let later = self.moves.iter().rev().take_while(|(_, known)| known.completed_at > played.completed_at).count();
        self.moves.insert(self.moves.len() - later, (seq, played));
    }

    /// Replaces the board's moves from the superseded one on; a new move takes the place of the old one of its ply.
    fn correct(&mut self, seq: u64, correction: &Correction) {
        let mut fresh = correction.moves.iter();
        let supersedes = correction.supersedes;
        self.moves.retain_mut(|(old_seq, old)| {
            if old.board != correction.board || *old_seq < supersedes {
                return true;
            }
            match fresh.next() {
                Some(new) => {
                    *old = new.clone();
                    *old_seq = seq;
                    true
                }
                None => false,
            }
        });
        self.moves.extend(fresh.map(|new| (seq, new.clone())));
    }

    /// The game in BPGN.
    pub fn to_bpgn(&self) -> bpgn::Game {
        let player = |seat: &str| self.players.get(seat).map_or("?", String::as_str);
        let tag = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let date = self.started.get(..10).unwrap_or("????.??.??").replace('-', ".");
        let (result, ending) = match &self.ended {
            Some(ended) => (ended.result.clone(), Some(self.ending(ended))),
            None => ("*".to_owned(), None),
        };
        bpgn::Game {
            tags: vec![
                tag("Event", "?"),
                tag("Site", "?"),
                tag("Date", &date),
                tag("Round", "?"),
                tag("WhiteA", player("A")),
                tag("WhiteAElo", "----"),
                tag("BlackA", player("a")),
                tag("BlackAElo", "----"),
                tag("WhiteB", player("B")),
                tag("WhiteBElo", "----"),
                tag("BlackB", player("b")),
                tag("BlackBElo", "----"),
                tag("TimeControl", &self.time_control),
                tag("Result", &result),
            ],
            preamble: Vec::new(),
            moves: self.moves.iter().map(|(_, played)| game_move(played)).collect(),
            ending,
            result,
        }
    }

    /// The reason as the servers write it: `Player004 checkmated`.
    fn ending(&self, ended: &GameEnded) -> String {
        match self.players.get(&ended.by) {
            Some(name) => format!("{name} {}", ended.reason),
            None => ended.reason.clone(),
        }
    }
}

fn game_move(played: &Move) -> bpgn::GameMove {
    let clock_ms = played.clock.map(|clock| match played.seat.color {
        crate::types::Color::White => clock.white_ms,
        crate::types::Color::Black => clock.black_ms,
    });
    bpgn::GameMove { number: played.number, seat: played.seat, san: played.san.clone(), clock_ms, comments: vec![] }
}

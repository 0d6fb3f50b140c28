//! `bughoused replay --explain PLY`: why a ply was taken, from the machine that took it.
//!
//! In: the notes of the machine and what it told. Out: for each ply that was asked for its decisions with evidence,
//! costs and alternatives, as text or as one JSON object a ply. Times are milliseconds from the press that completed
//! the ply.

use std::{
    fmt::Write as _,
    io::{self, BufRead},
    path::Path,
    str::FromStr,
};

use serde::Serialize;

use super::replay::read_line;
use crate::{
    event::{Body, Event},
    notation::{san, uci},
    rules::{Move, Pocket},
    table::{Output, capture::Replay, settings::TableSettings},
    track::{
        Hand,
        explain::{Deed, How, Item, Look, Note, Weighed, meaning},
    },
    types::{BOARDS_MAX, BoardId, ByColor, Color, Instant, Kinds, MS, Piece, Role},
};

/// Readings of a square that are printed, the last ones.
const READINGS_MAX: usize = 6;

/// A ply of a board, `A12`, or of every board, `12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlyName {
    board: Option<BoardId>,
    ply: usize,
}

impl FromStr for PlyName {
    type Err = String;

    fn from_str(text: &str) -> Result<PlyName, String> {
        let wrong = || format!("expected a ply of a board such as A12, or 12 for every board, found {text:?}");
        let digits = text.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
        let letters = &text[..text.len() - digits.len()];
        let board = Some(letters).filter(|letters| !letters.is_empty());
        let board = board.map(|letters| letters.to_ascii_uppercase().parse()).transpose().map_err(|_| wrong())?;
        let ply = digits.parse().ok().filter(|ply| *ply > 0).ok_or_else(wrong)?;
        Ok(PlyName { board, ply })
    }
}

impl PlyName {
    fn is(self, board: BoardId, ply: usize) -> bool {
        self.ply == ply && self.board.is_none_or(|own| own == board)
    }
}

/// A ply with all that was decided of it.
#[derive(Debug, Serialize)]
pub struct Explained {
    /// The game of the capture, from 1.
    game: usize,
    board: BoardId,
    ply: usize,
    /// µs since the table was opened: what all other times start from.
    press: Instant,
    decisions: Vec<Decision>,
    told: Vec<Said>,
}

/// What was decided, and by what.
#[derive(Debug, Default, Serialize)]
struct Decision {
    ms: f64,
    what: &'static str,
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    played: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    san: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    made_ms: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    illegal: Vec<&'static str>,
    /// The first ply that was read anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    from_ply: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    taken: Option<Account>,
    others: Vec<Account>,
    /// How much more the cheapest other one costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    margin: Option<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unexplained: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    presses: Vec<Pressed>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    readings: Vec<Shown>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hands: Vec<String>,
}

/// A line and its price.
#[derive(Clone, Debug, Serialize)]
struct Account {
    moves: Vec<String>,
    cost: u32,
    items: Vec<(&'static str, i64)>,
}

#[derive(Debug, Serialize)]
struct Pressed {
    by: &'static str,
    ms: f64,
}

/// What a square showed from a time on.
#[derive(Debug, Serialize)]
struct Shown {
    square: String,
    ms: f64,
    shows: String,
}

/// An event about the ply.
#[derive(Debug, Serialize)]
struct Said {
    ms: f64,
    event: String,
}

/// Replays a capture and explains plies of it, as far as it can be read.
pub fn explain(
    mut source: impl BufRead,
    names: &[PlyName],
    settings: Option<TableSettings>,
) -> (Vec<Explained>, anyhow::Result<()>) {
    let mut watch = Watch { names, game: 0, notes: Vec::new(), said: Vec::new(), last: Vec::new() };
    let read = watch.feed(&mut source, settings);
    (watch.finish(), read)
}

/// What was noted and told of the plies that were asked for.
struct Watch<'a> {
    names: &'a [PlyName],
    /// Games that have begun.
    game: usize,
    notes: Vec<(usize, Note)>,
    said: Vec<(usize, BoardId, usize, Instant, String)>,
    /// The last completed ply of each board: doubts are about it.
    last: Vec<(BoardId, usize)>,
}

impl Watch<'_> {
    fn feed(&mut self, source: &mut impl BufRead, settings: Option<TableSettings>) -> anyhow::Result<()> {
        let mut line = String::new();
        read_line(source, &mut line)?;
        let mut replay = Replay::new(&line, settings)?;
        replay.explain();
        while read_line(source, &mut line)? {
            replay.feed(&line, |output| self.take(&output))?;
            self.note(replay.take_notes());
        }
        replay.finish(|output| self.take(&output));
        self.note(replay.take_notes());
        Ok(())
    }

    fn asked(&self, board: BoardId, ply: usize) -> bool {
        self.names.iter().any(|name| name.is(board, ply))
    }

    fn note(&mut self, notes: Vec<Note>) {
        let game = self.game;
        let wanted = notes.into_iter().filter(|note| plies(note).any(|ply| self.asked(note.board, ply)));
        let wanted: Vec<_> = wanted.map(|note| (game, note)).collect();
        self.notes.extend(wanted);
    }

    fn take(&mut self, output: &Output) {
        let Output::Event(Event { t, body, .. }) = output else { return };
        match body {
            Body::GameStarted(_) | Body::GameResumed(_) => {
                self.game += 1;
                self.last.clear();
            }
            Body::MoveMade(made) => self.say(made.board, made.ply as usize, *t, format!("made {}", made.san)),
            Body::MoveRetracted(made) => self.say(made.board, made.ply as usize, *t, format!("retracted {}", made.san)),
            Body::Move(played) => {
                self.last.retain(|(board, _)| *board != played.board);
                self.last.push((played.board, played.ply as usize));
                self.say(played.board, played.ply as usize, *t, format!("move {}", played.san));
            }
            Body::Correction(correction) => {
                for played in &correction.moves {
                    self.say(correction.board, played.ply as usize, *t, format!("correction {}", played.san));
                }
            }
            Body::Uncertain(doubt) => self.say_last(doubt.board, *t, "uncertain", &doubt.candidates),
            Body::Resolved(doubt) => self.say_last(doubt.board, *t, "resolved", &doubt.candidates),
            _ => {}
        }
    }

    fn say(&mut self, board: BoardId, ply: usize, t: Instant, event: String) {
        if self.asked(board, ply) {
            self.said.push((self.game, board, ply, t, event));
        }
    }

    fn say_last(&mut self, board: BoardId, t: Instant, what: &str, candidates: &[String]) {
        let last = self.last.iter().find(|(known, _)| *known == board);
        if let Some((_, ply)) = last.copied() {
            self.say(board, ply, t, format!("{what} {}", candidates.join(" or ")));
        }
    }

    /// The plies that were asked for and that there were, by game, in the order of the question.
    fn finish(self) -> Vec<Explained> {
        let mut explained = Vec::new();
        for game in 0..=self.game {
            let boards = BoardId::first(BOARDS_MAX).filter(|board| self.on(game, *board));
            for board in boards.collect::<Vec<_>>() {
                let asked = self.names.iter().filter(|name| name.board.is_none_or(|own| own == board));
                explained.extend(asked.filter_map(|name| self.explained(game, board, name.ply)));
            }
        }
        explained
    }

    fn on(&self, game: usize, board: BoardId) -> bool {
        self.notes.iter().any(|(at, note)| (*at, note.board) == (game, board))
            || self.said.iter().any(|(at, on, ..)| (*at, *on) == (game, board))
    }

    fn explained(&self, game: usize, board: BoardId, ply: usize) -> Option<Explained> {
        let about = |(at, note): &&(usize, Note)| *at == game && note.board == board && plies(note).any(|p| p == ply);
        let notes: Vec<&Note> = self.notes.iter().filter(about).map(|(_, note)| note).collect();
        let said = self.said.iter().filter(|(at, on, of, ..)| (*at, *on, *of) == (game, board, ply));
        let completed = notes.iter().find_map(|note| match &note.deed {
            Deed::Completed { completed, .. } => Some(completed.completed_at),
            _ => None,
        });
        let press = completed.or_else(|| said.clone().map(|(.., t, _)| *t).next())?;
        let decisions = notes.iter().map(|note| Decision::of(note, ply, press)).collect();
        let told = said.map(|(.., t, event)| Said { ms: since(*t, press), event: event.clone() }).collect();
        Some(Explained { game: game.max(1), board, ply, press, decisions, told })
    }
}

/// The plies that a decision is about.
fn plies(note: &Note) -> std::ops::Range<usize> {
    let count = match &note.deed {
        Deed::Completed { .. } => 1,
        Deed::Stands(look) => look.plies,
        Deed::Revised { moves, look } => moves.len().max(look.as_ref().map_or(0, |look| look.ends(note.ply))),
    };
    note.ply..note.ply + count
}

fn since(t: Instant, press: Instant) -> f64 {
    (t - press) as f64 / MS as f64
}

impl Decision {
    fn of(note: &Note, ply: usize, press: Instant) -> Decision {
        let mut decision = Decision { ms: since(note.at, press), ..Decision::default() };
        match &note.deed {
            Deed::Completed { how, completed, weighing, illegal } => {
                decision.what = match how {
                    How::Line => "completed",
                    How::Illegal => "completed as an illegal move",
                    How::Unseen => "completed as a move that no sensor shows",
                };
                decision.played = Some(uci::write(completed.played));
                decision.san = Some(match note.position.is_legal(completed.played) {
                    true => san::write(&note.position, completed.played, 2),
                    false => san::write_plain(&note.position, completed.played),
                });
                decision.made_ms = Some(since(completed.made_at, press));
                decision.illegal = completed.illegal.iter().map(|reason| reason.as_str()).collect();
                decision.add_evidence(note, press);
                if let Some(weighing) = weighing {
                    decision.others = weighing.others.iter().map(Account::of).collect();
                    decision.unexplained = weighing.unexplained.into_iter().map(|s| s.to_string()).collect();
                    match illegal {
                        Some(illegal) => {
                            decision.others.insert(0, Account::of(&weighing.taken));
                            decision.taken = Some(Account::of(illegal));
                        }
                        None => decision.taken = Some(Account::of(&weighing.taken)),
                    }
                }
            }
            Deed::Stands(look) => {
                decision.what = "read anew, stands";
                decision.add_look(note.ply, look, true);
            }
            Deed::Revised { moves, look } => {
                decision.what = "corrected";
                decision.played = moves.get(ply - note.ply).map(|played| uci::write(*played));
                decision.add_evidence(note, press);
                match look {
                    Some(look) => decision.add_look(note.ply, look, false),
                    None => {
                        decision.what = "corrected: an open question was answered";
                        decision.from_ply = Some(note.ply);
                    }
                }
            }
        }
        decision.margin = decision
            .taken
            .as_ref()
            .zip(decision.others.iter().map(|other| other.cost).min())
            .map(|(taken, other)| i64::from(other) - i64::from(taken.cost));
        decision
    }

    /// The account that was believed, and the other.
    fn add_look(&mut self, from: usize, look: &Look, stands: bool) {
        let other = look.other.as_ref().filter(|other| other.line != look.record.line).map(Account::of);
        let record = Account::of(&look.record);
        self.from_ply = Some(from.min(look.first_ply));
        match (stands, other) {
            (true, other) => (self.taken, self.others) = (Some(record), other.into_iter().collect()),
            (false, other) => (self.taken, self.others) = (other, vec![record]),
        }
    }

    fn add_evidence(&mut self, note: &Note, press: Instant) {
        let by = |color: Color| color.fold_wb("white", "black");
        self.presses = note.presses.iter().map(|p| Pressed { by: by(p.by), ms: since(p.at, press) }).collect();
        let shown = note.readings.iter().map(|reading| Shown {
            square: reading.square.to_string(),
            ms: since(reading.since, press),
            shows: letters(reading.kinds),
        });
        self.readings = shown.collect();
        self.hands = hands(note);
    }
}

impl Account {
    fn of(weighed: &Weighed) -> Account {
        let mut items: Vec<(&'static str, i64)> = Vec::new();
        for Item { name, cost } in &weighed.items {
            match items.iter_mut().find(|(known, _)| known == name) {
                Some((_, sum)) => *sum += cost,
                None => items.push((name, *cost)),
            }
        }
        items.retain(|(_, sum)| *sum != 0);
        let moves = weighed.line.iter().map(|played: &Move| uci::write(*played)).collect();
        Account { moves, cost: weighed.cost, items }
    }

    fn text(&self) -> String {
        let moves = if self.moves.is_empty() { "(nothing)".to_owned() } else { self.moves.join(" ") };
        let items: Vec<String> = self.items.iter().map(|(name, cost)| format!("{name} {cost}")).collect();
        format!("{:>4}  {moves}  = {}", self.cost, items.join(", "))
    }
}

/// What may stand on a square, as letters.
fn letters(kinds: Kinds) -> String {
    let all = Color::ALL.into_iter().flat_map(|color| Role::ALL.map(|role| Piece { color, role }));
    match kinds {
        Kinds::ANY => "?".into(),
        Kinds::OCCUPIED => "x".into(),
        _ => {
            let men = all.filter(|man| kinds.allows(Some(*man))).map(Piece::char);
            kinds.allows(None).then_some('.').into_iter().chain(men).collect()
        }
    }
}

/// What trays tell of hands.
fn hands(note: &Note) -> Vec<String> {
    let names = ByColor { white: "White", black: "Black" };
    let mut said = Vec::new();
    for color in Color::ALL {
        let name = names.get(color);
        if let Some(Hand { men, unknown, .. }) = note.lifted.get(color).filter(|hand| hand.count() > 0) {
            said.push(format!("{name} has taken out of the tray: {}{}", men_of(&men), "x".repeat(unknown.into())));
        }
        let Hand { men, unknown, .. } = *note.arrived.get(color);
        if men != Pocket::default() || unknown > 0 {
            said.push(format!("{name}'s partner has got, and no capture explains it: {}", men_of(&men)));
        }
        if let Some(men) = note.lying.get(color).filter(|men| *men != Pocket::default()) {
            said.push(format!("in {name}'s tray: {}", men_of(&men)));
        }
    }
    said
}

fn men_of(men: &Pocket) -> String {
    let letter = |role: Role| role.upper_char().to_string().repeat(usize::from(*men.get(role)));
    Role::ALL.into_iter().map(letter).collect()
}

impl Explained {
    fn text(&self) -> String {
        let mut text = format!("game {}, {}{}, times in ms from the press\n", self.game, self.board, self.ply);
        let quiet = |decision: &&Decision| decision.what.ends_with("stands") && decision.others.is_empty();
        for decision in self.decisions.iter().filter(|decision| !quiet(decision)) {
            decision.write(&mut text);
        }
        let quiet = self.decisions.iter().filter(quiet).count();
        if quiet > 0 {
            let _ = writeln!(text, "  hindsight looked {quiet} times and found nothing better than the record");
        }
        for said in &self.told {
            let _ = writeln!(text, "  told {:>+9.0}  {}", said.ms, said.event);
        }
        text
    }
}

impl Decision {
    fn write(&self, text: &mut String) {
        let _ = write!(text, "{:>+10.0}  {}", self.ms, self.what);
        if let Some(played) = &self.played {
            let san = self.san.as_ref().map_or(String::new(), |san| format!(" {san}"));
            let _ = write!(text, ":{san} ({played})");
        }
        if let Some(made) = self.made_ms {
            let _ = write!(text, ", made {made:+.0}");
        }
        if let Some(from) = self.from_ply {
            let _ = write!(text, ", from ply {from} on");
        }
        if !self.illegal.is_empty() {
            let _ = write!(text, ", illegal: {}", self.illegal.join(", "));
        }
        text.push('\n');
        if let Some(taken) = &self.taken {
            let _ = writeln!(text, "      taken {}", taken.text());
        }
        for other in &self.others {
            let _ = writeln!(text, "      other {}", other.text());
        }
        if let Some(margin) = self.margin {
            let _ = writeln!(text, "      margin {margin}");
        }
        if !self.unexplained.is_empty() {
            let _ = writeln!(text, "      left unexplained: {}", self.unexplained.join(" "));
        }
        let presses: Vec<String> = self.presses.iter().map(|p| format!("{} {:+.0}", p.by, p.ms)).collect();
        if !presses.is_empty() {
            let _ = writeln!(text, "      presses: {}", presses.join(", "));
        }
        let mut squares: Vec<&str> = self.readings.iter().map(|shown| shown.square.as_str()).collect();
        squares.sort_unstable();
        squares.dedup();
        for square in squares {
            let shown: Vec<String> = self
                .readings
                .iter()
                .filter(|shown| shown.square == square)
                .map(|shown| format!("{} from {:+.0}", shown.shows, shown.ms))
                .collect();
            let last = &shown[shown.len().saturating_sub(READINGS_MAX)..];
            let _ = writeln!(text, "      {square} shows {}", last.join(", "));
        }
        for hand in &self.hands {
            let _ = writeln!(text, "      {hand}");
        }
    }
}

/// Writes explanations, each game's file above them where there are several.
///
/// # Errors
/// `out` takes no more.
pub fn write(explained: &[Explained], file: Option<&Path>, json: bool, out: &mut dyn io::Write) -> io::Result<()> {
    if json {
        for one in explained {
            serde_json::to_writer(&mut *out, one)?;
            out.write_all(b"\n")?;
        }
        return Ok(());
    }
    if let Some(file) = file {
        writeln!(out, "{}", file.display())?;
    }
    for one in explained {
        writeln!(out, "{}", one.text())?;
    }
    write!(out, "{}", legend(explained))
}

/// What the names of costs mean, those that were used.
fn legend(explained: &[Explained]) -> String {
    let decisions = explained.iter().flat_map(|one| &one.decisions);
    let accounts = decisions.flat_map(|decision| decision.taken.iter().chain(&decision.others));
    let mut names: Vec<&str> = accounts.flat_map(|account| account.items.iter().map(|(name, _)| *name)).collect();
    names.sort_unstable();
    names.dedup();
    let line = |name: &&str| format!("  {name:17} {}\n", meaning(name).unwrap_or(""));
    names.iter().map(line).collect()
}

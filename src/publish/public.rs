//! The public feed: what the live feed said, later.
//!
//! In: events and states as they are told live, with the row of the journal that has them. Out: the same as messages
//! below `public/` once they may be seen. Behind by time, or by completed moves while a game is played: then a moment
//! is shown when so many moves have been completed after all that it shows. What was corrected meanwhile is shown as it
//! was told, and corrected when that is due. It is pure; it forgets what it cannot hold and says from which row on it
//! wants to be told again.

use std::collections::{BTreeMap, VecDeque};

use super::{
    feed::TableFeed,
    topic::{Message, Topics},
};
use crate::{
    event::{Body, Event, State},
    record::GameRecord,
    table::settings::Delay,
    types::{BoardId, Instant},
};

/// Moments that wait for one table; an hour of fast play. Beyond that they are read from the journal again, without
/// states.
const ITEMS_MAX: usize = 12_000;
/// Moments are read again when no more than this wait.
const REFILL_BELOW: usize = 1_000;

/// One table's public feed.
#[derive(Debug)]
pub struct PublicFeed {
    feed: TableFeed,
    delay: Delay,
    queue: VecDeque<Item>,
    ahead: Ahead,
    /// The last row that was told live.
    newest: i64,
    /// Rows after this one are in the journal alone.
    behind: Option<i64>,
    /// The last row that was shown.
    shown: i64,
}

/// What was told together.
#[derive(Debug)]
struct Item {
    /// The last row of it.
    row: i64,
    at: Instant,
    events: Vec<Event>,
    state: Option<Box<State>>,
    /// The game that is played, and plies that are to be seen of it; none when what is told is nobody's advantage.
    plies: Option<(String, usize)>,
}

/// What is told live.
#[derive(Debug, Default)]
struct Ahead {
    game: Option<GameRecord>,
    /// The row that told its beginning, if it was told since the start.
    began: i64,
    made: BTreeMap<BoardId, usize>,
}

impl PublicFeed {
    /// The public feed of `table`, behind by `delay`; the journal's rows up to `shown` were shown by an earlier start.
    pub fn new(
        topics: Topics,
        table: &str,
        session: &str,
        announce: Vec<String>,
        delay: Delay,
        shown: i64,
    ) -> PublicFeed {
        let feed = TableFeed::public(topics, table, session, announce);
        let (queue, ahead) = (VecDeque::new(), Ahead::default());
        PublicFeed { feed, delay, queue, ahead, newest: shown, behind: None, shown }
    }

    /// An earlier start told rows up to `newest` that were not shown: they are wanted first. `game` is what it has
    /// shown of a game that is not over. Answers what to show at once.
    pub fn go_on(&mut self, game: Option<GameRecord>, newest: i64) -> Vec<Message> {
        self.newest = newest;
        self.behind = Some(self.shown).filter(|shown| *shown < newest);
        self.ahead.game.clone_from(&game);
        game.map_or(Vec::new(), |game| self.feed.take_up(game))
    }

    /// What is told live at `at`; `row` is the last row of the events.
    pub fn push(&mut self, row: i64, at: Instant, events: &[Event], state: Option<&State>) {
        if events.is_empty() && state.is_none() {
            return;
        }
        let before = self.newest;
        self.newest = row.max(before);
        if self.behind.is_none() && self.queue.len() >= ITEMS_MAX {
            self.behind = Some(before);
        }
        if self.behind.is_none() {
            self.take(row, at, events.to_vec(), state.map(|state| Box::new(state.clone())));
        }
    }

    /// Something that was told live did not come here: it is wanted again.
    pub fn fall_behind(&mut self) {
        self.behind.get_or_insert(self.newest);
    }

    fn take(&mut self, row: i64, at: Instant, events: Vec<Event>, state: Option<Box<State>>) {
        let begins = events.iter().any(|event| matches!(event.body, Body::GameStarted(_)));
        if begins {
            self.ahead.began = row;
        }
        let mut most = 0;
        for event in &events {
            self.ahead.apply(event);
            most = most.max(self.ahead.plies());
        }
        let game = events.last().map_or_else(|| state.as_ref()?.game.clone(), |event| event.game.clone());
        let plies = game.filter(|_| !begins).and_then(|game| match &self.ahead.game {
            Some(known) if known.id == game => known.ended.is_none().then_some((game, most.max(self.ahead.plies()))),
            // Of a game whose beginning is not known everything might be seen.
            _ => Some((game, usize::MAX)),
        });
        self.queue.push_back(Item { row, at, events, state, plies });
    }

    /// After which row, and up to which, events are to be read from the journal now, if they are.
    pub fn rows_wanted(&self) -> Option<(i64, i64)> {
        let behind = self.behind.filter(|_| self.queue.len() <= REFILL_BELOW);
        behind.map(|after| (after, self.newest))
    }

    /// Takes in events that were read from the journal after the row that was asked for, each with its row and when it
    /// was told; `until` is the last row that was looked at.
    pub fn refill(&mut self, rows: Vec<(i64, Instant, Event)>, until: i64) {
        for (row, at, event) in rows {
            self.take(row, at, vec![event], None);
        }
        self.behind = Some(until).filter(|until| *until < self.newest);
    }

    /// What may be seen at `now`, in order, at most `most` moments of it.
    pub fn due(&mut self, now: Instant, most: usize) -> Vec<Message> {
        let mut messages = Vec::new();
        for _ in 0..self.free(now).min(most) {
            let Some(item) = self.queue.pop_front() else { break };
            messages.extend(self.feed.events(&item.events, item.state.as_deref()));
            self.shown = item.row;
        }
        messages
    }

    /// How many moments may be seen.
    fn free(&self, now: Instant) -> usize {
        match self.delay {
            Delay::Time(delay) => self.queue.iter().take_while(|item| item.at + delay <= now).count(),
            Delay::Moves(moves) => self.queue.iter().take_while(|item| self.is_old(item, moves)).count(),
        }
    }

    /// Whether so many moves were completed after all that the moment shows, or its game is over.
    fn is_old(&self, item: &Item, moves: usize) -> bool {
        let Some((game, plies)) = &item.plies else { return true };
        match &self.ahead.game {
            Some(known) if known.id == *game => {
                known.ended.is_some() || known.moves.len() >= plies.saturating_add(moves)
            }
            _ => self.ahead.began > item.row, // another game has begun since
        }
    }

    /// The row up to which everything was shown.
    pub fn shown(&self) -> i64 {
        if self.queue.is_empty() && self.behind.is_none() { self.newest } else { self.shown }
    }

    /// The table is opened anew with other settings; what was shown stays shown.
    pub fn change(&mut self, delay: Delay, announce: Vec<String>) {
        self.delay = delay;
        self.feed.change(announce);
    }
}

impl Ahead {
    fn apply(&mut self, event: &Event) {
        match (&event.body, &mut self.game) {
            (Body::GameStarted(started), game) => {
                *game = Some(GameRecord::begin(event, started));
                self.made.clear();
            }
            (_, Some(game)) if event.game.as_deref() == Some(&game.id) => game.apply(event),
            _ => {}
        }
        match &event.body {
            Body::MoveMade(made) => *self.made.entry(made.board).or_default() += 1,
            Body::MoveRetracted(made) => self.less(made.board),
            Body::Move(played) => self.less(played.board),
            Body::GameResumed(_) => self.made.clear(),
            _ => {}
        }
    }

    fn less(&mut self, board: BoardId) {
        let made = self.made.entry(board).or_default();
        *made = made.saturating_sub(1);
    }

    /// How many plies are to be seen, provisional ones too.
    fn plies(&self) -> usize {
        self.game.as_ref().map_or(0, |game| game.moves.len()) + self.made.values().sum::<usize>()
    }
}

#[cfg(test)]
mod tests;

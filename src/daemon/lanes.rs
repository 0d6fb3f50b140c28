//! The ways of all opened tables to the bus.
//!
//! In: a lane with every opening of a table. Out: what makes messages of what a table did, live and later for the
//! public, and which topics the broker keeps of it. The public feed belongs to the table, not to an opening: what it
//! has not shown yet outlives a change of the table. It knows no broker and no journal.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::table_task::Routes;
use crate::{
    event::Event,
    publish::{
        feed::TableFeed,
        public::PublicFeed,
        topic::{Message, level},
    },
    table::settings::Delay,
    types::Instant,
};

/// Openings of one table that are remembered: what an earlier one has recorded may still be on its way.
const OPENINGS_MAX: usize = 2;

/// The way of one opened table to the bus.
pub(super) struct Lane {
    /// The table's id.
    pub table: String,
    /// Makes messages of what it did.
    pub feed: TableFeed,
    /// The ways back of its answers.
    pub routes: Arc<Routes>,
    /// The table is taken out.
    pub gone: bool,
}

/// What is told of one table, whichever opening of it.
pub(super) struct Told {
    /// For the public, later.
    pub public: PublicFeed,
    /// The table is taken out.
    pub gone: bool,
    /// Topics that the broker keeps.
    kept: BTreeSet<String>,
}

/// The lanes of all opened tables by index, and what is told of each table.
#[derive(Default)]
pub(super) struct Lanes(Mutex<Inner>);

/// The same while nobody else has them.
#[derive(Default)]
pub(super) struct Inner {
    lanes: BTreeMap<usize, Lane>,
    tables: BTreeMap<String, Told>,
    /// What goes out before anything else.
    first: Vec<Message>,
}

impl Lanes {
    /// Whether the table was opened before; then its public feed goes on, from now on with these settings.
    pub fn go_on(&self, table: &str, delay: Delay, announce: &[String]) -> bool {
        let mut inner = self.inner();
        let Some(told) = inner.tables.get_mut(table) else { return false };
        told.public.change(delay, announce.to_vec());
        told.gone = false;
        true
    }

    /// Takes the public feed of a table that was not opened before.
    pub fn insert_public(&self, table: &str, public: PublicFeed) {
        let told = Told { public, gone: false, kept: BTreeSet::new() };
        self.inner().tables.insert(table.to_owned(), told);
    }

    /// Takes the lane of a table that is about to run and whose public feed is here; `first` goes out before all else.
    pub fn insert(&self, index: usize, lane: Lane, first: Vec<Message>) {
        let mut inner = self.inner();
        let openings: Vec<usize> =
            inner.lanes.iter().filter(|(_, old)| old.table == lane.table).map(|(index, _)| *index).collect();
        for old in openings.iter().rev().skip(OPENINGS_MAX - 1) {
            inner.lanes.remove(old);
        }
        let first = inner.tables.get_mut(&lane.table).map_or(Vec::new(), |told| told.keep(first, false));
        inner.first.extend(first);
        inner.lanes.insert(index, lane);
    }

    /// Takes a table back from the broker: empties everything that is kept of it. What it has recorded last and is
    /// still on its way is told, and kept no more.
    pub fn farewell(&self, table: &str) -> Vec<Message> {
        let mut inner = self.inner();
        inner.lanes.values_mut().filter(|lane| lane.table == table).for_each(|lane| lane.gone = true);
        let Some(told) = inner.tables.get_mut(table) else { return Vec::new() };
        told.gone = true;
        let kept = mem::take(&mut told.kept);
        kept.into_iter().map(|topic| Message::text(topic, "").retained()).collect()
    }

    /// Usable after a panic of another holder: each of its methods leaves it whole.
    pub fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// What goes out before anything else; nothing when it is asked for again.
    pub fn first(&mut self) -> Vec<Message> {
        mem::take(&mut self.first)
    }

    /// An opening, and what is told of its table.
    pub fn find(&mut self, index: usize) -> Option<(&mut Lane, &mut Told)> {
        let lane = self.lanes.get_mut(&index)?;
        let told = self.tables.get_mut(&lane.table)?;
        Some((lane, told))
    }

    /// The live feed of the last opening of a table.
    pub fn feed(&self, table: &str) -> Option<&TableFeed> {
        self.lanes.values().rfind(|lane| lane.table == table).map(|lane| &lane.feed)
    }

    /// The table whose id a topic level spells.
    pub fn at_level(&self, wanted: &str) -> Option<String> {
        self.tables.keys().find(|table| level(table) == wanted).cloned()
    }

    /// What is told of each table.
    pub fn tables(&mut self) -> impl Iterator<Item = &mut Told> {
        self.tables.values_mut()
    }

    /// The row up to which everything of a table was shown to the public.
    pub fn shown(&self) -> impl Iterator<Item = (&str, i64)> {
        self.tables.iter().map(|(table, told)| (table.as_str(), told.public.shown()))
    }

    /// Something was not told: the public feeds want it again.
    pub fn fall_behind(&mut self) {
        self.tables().for_each(|told| told.public.fall_behind());
    }

    /// The tables whose public feeds want events from the journal: after which row, and up to which.
    pub fn rows_wanted(&self) -> Vec<(String, i64, i64)> {
        let wanted = self.tables.iter().filter_map(|(table, told)| Some((table, told.public.rows_wanted()?)));
        wanted.map(|(table, (after, until))| (table.clone(), after, until)).collect()
    }

    /// Gives a public feed the rows that it wanted.
    pub fn refill(&mut self, table: &str, rows: Vec<(i64, Instant, Event)>, until: i64) {
        if let Some(told) = self.tables.get_mut(table) {
            told.public.refill(rows, until);
        }
    }
}

impl Told {
    /// Notes which topics the broker keeps; messages that stay from a table that is `gone` are left out.
    pub fn keep(&mut self, mut messages: Vec<Message>, gone: bool) -> Vec<Message> {
        if gone {
            messages.retain(|message| !message.retain);
        }
        for message in messages.iter().filter(|message| message.retain) {
            if !self.kept.contains(&message.topic) {
                self.kept.insert(message.topic.clone());
            }
        }
        messages
    }
}

//! Why plies were taken: what was weighed against what, noted while a tracker works if that was asked.
//!
//! In: the costs that decide, while `search`, `illegal` and `hindsight` add them up. Out: [`Note`]s, one a decision,
//! with every cost by the name of its weight in `cost`. Off, which it is unless somebody asks, nothing is kept. It
//! decides nothing, and what decides does not look at it.

use std::cell::RefCell;

use super::{
    Completed, Press, Seen,
    board::BoardTrack,
    hindsight::Told,
    illegal::Illegal,
    search::{self, Hand, squares_of},
};
use crate::{
    rules::{BoardPosition, Move, Pocket},
    sense::Reading,
    types::{Bitboard, BoardId, ByColor, Instant, SECOND},
};

/// Lines beside the one that was taken that a note keeps.
pub(super) const OTHERS_MAX: usize = 6;
/// Readings that a note keeps, the latest.
const READINGS_MAX: usize = 64;
/// Notes of a board that wait to be taken; later ones are dropped.
const NOTES_MAX: usize = 256;
/// Since how long before the ply before a note tells what squares showed.
const EARLIER_US: i64 = SECOND;

/// One cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its weight, as `cost` names it.
    pub name: &'static str,
    /// What it comes to; less than nothing where another item counts too much.
    pub cost: i64,
}

/// A line of plies with all that speaks against it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weighed {
    /// The plies; none for "nothing was played".
    pub line: Vec<Move>,
    /// The sum.
    pub cost: u32,
    /// What it is made of, in the order in which it was added up.
    pub items: Vec<Item>,
}

/// One search: the line that was taken and others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weighing {
    /// The cheapest.
    pub taken: Weighed,
    /// The cheapest of every other beginning, the cheapest first.
    pub others: Vec<Weighed>,
    /// Squares that the taken line leaves unexplained.
    pub unexplained: Bitboard,
}

/// How a ply came to be completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// As the first of the cheapest line.
    Line,
    /// As an illegal move that explains the board better than legal ones.
    Illegal,
    /// As the legal move to where no sensor shows it, when nothing else was left.
    Unseen,
}

/// Completed plies read anew.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// The first ply that was read, on its board, from 1.
    pub first_ply: usize,
    /// How many were read.
    pub plies: usize,
    /// The record.
    pub record: Weighed,
    /// The cheapest other account, if one was looked for: nobody looks where nothing speaks against the record.
    pub other: Option<Weighed>,
}

/// What was decided.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    /// A ply was completed.
    Completed {
        /// How.
        how: How,
        /// The ply.
        completed: Box<Completed>,
        /// The search that decided; none where the plies were told by others.
        weighing: Option<Weighing>,
        /// The illegal move, and what it was weighed by.
        illegal: Option<Weighed>,
    },
    /// Hindsight looked at plies from [`Note::ply`] on and left them as they are.
    Stands(Look),
    /// Plies from [`Note::ply`] on became others, as many as there are here.
    Revised {
        /// What they are now.
        moves: Vec<Move>,
        /// What hindsight weighed; none where an open question was answered.
        look: Option<Look>,
    },
}

/// A decision with its evidence.
#[derive(Clone, Debug)]
pub struct Note {
    /// When it fell.
    pub at: Instant,
    /// The board.
    pub board: BoardId,
    /// The ply on the board, from 1.
    pub ply: usize,
    /// What.
    pub deed: Deed,
    /// The position of completed moves.
    pub position: BoardPosition,
    /// Presses that waited for plies.
    pub presses: Vec<Press>,
    /// What the squares concerned showed, in order of time.
    pub readings: Vec<Reading>,
    /// Men that had left each player's tray, where one tells.
    pub lifted: ByColor<Option<Hand>>,
    /// Men in partners' trays that no completed capture explained, by the capturer's colour.
    pub arrived: ByColor<Hand>,
    /// Men that lay in each player's tray, where one tells.
    pub lying: ByColor<Option<Pocket>>,
}

/// Takes costs down by name while they are added up. Off, it only passes them on.
#[derive(Debug, Default)]
pub(super) struct Items(Option<RefCell<Taken>>);

#[derive(Debug, Default)]
struct Taken {
    items: Vec<Item>,
    /// How many of them the plies have brought for good.
    kept: usize,
}

impl Items {
    pub fn new(on: bool) -> Items {
        Items(on.then(RefCell::default))
    }

    pub fn take(&self, name: &'static str, cost: u32) -> u32 {
        self.push(name, i64::from(cost));
        cost
    }

    /// What other items have counted too much.
    pub fn back(&self, name: &'static str, cost: u32) -> u32 {
        self.push(name, -i64::from(cost));
        cost
    }

    fn push(&self, name: &'static str, cost: i64) {
        if let Some(taken) = self.0.as_ref().filter(|_| cost != 0) {
            taken.borrow_mut().items.push(Item { name, cost });
        }
    }

    /// Another ply is weighed: what the last position left open is not open any more.
    pub fn next_ply(&self) {
        if let Some(taken) = &self.0 {
            let mut taken = taken.borrow_mut();
            let kept = taken.kept;
            taken.items.truncate(kept);
        }
    }

    /// All that was taken until now stays, whatever is played next.
    pub fn keep(&self) {
        if let Some(taken) = &self.0 {
            let mut taken = taken.borrow_mut();
            taken.kept = taken.items.len();
        }
    }

    /// Gives all away, behind those that were there before.
    pub fn after(&self, before: &[Item]) -> Vec<Item> {
        let Some(taken) = &self.0 else { return Vec::new() };
        let taken = taken.take();
        before.iter().copied().chain(taken.items).collect()
    }

    /// Gives all away, before those of what comes after.
    pub fn before(&self, after: Vec<Item>) -> Vec<Item> {
        self.after(&[]).into_iter().chain(after).collect()
    }
}

/// A cost by its name: `weigh!(items, PLY)`, `weigh!(items, PLY * count)`.
macro_rules! weigh {
    ($items:expr, $name:ident) => {
        $items.take(stringify!($name), cost::$name)
    };
    ($items:expr, $name:ident * $count:expr) => {
        $items.take(stringify!($name), $count * cost::$name)
    };
}
/// A weight with its name.
macro_rules! named {
    ($name:ident) => {
        (stringify!($name), cost::$name)
    };
}
pub(super) use {named, weigh};

/// What a weight stands for: the line above it in the source of `cost`.
pub fn meaning(name: &str) -> Option<&'static str> {
    let source = include_str!("cost.rs");
    let (before, _) = source.split_once(&format!("\npub const {name}: "))?;
    before.rsplit_once("/// ").map(|(_, about)| about)
}

/// What a board's track notes.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// The last search of the present.
    weighing: Option<Weighing>,
    illegal: Option<Weighed>,
    look: Option<Look>,
    told: Vec<Note>,
}

impl Look {
    /// How many plies from this one on were read.
    pub fn ends(&self, ply: usize) -> usize {
        (self.first_ply + self.plies).saturating_sub(ply)
    }
}

impl BoardTrack {
    pub fn set_noting(&mut self) {
        self.notes.get_or_insert_default();
    }

    pub fn take_notes(&mut self) -> Vec<Note> {
        self.notes.as_mut().map_or(Vec::new(), |notes| std::mem::take(&mut notes.told))
    }

    pub(super) fn note_weighing(&mut self, found: &search::Explanation) {
        if let Some(notes) = &mut self.notes {
            notes.weighing.clone_from(&found.weighing);
        }
    }

    pub(super) fn note_illegal(&mut self, found: &Illegal) {
        if let Some(notes) = &mut self.notes {
            let (line, items) = (vec![found.played], found.items.clone());
            notes.illegal = Some(Weighed { line, cost: found.cost, items });
        }
    }

    /// Hindsight has weighed the last `plies`, which end before `position`.
    pub(super) fn look(
        &self,
        position: &BoardPosition,
        plies: usize,
        record: &Told,
        other: Option<&Told>,
    ) -> Option<Look> {
        let first_ply = (position.plies() as usize + 1).saturating_sub(plies);
        let told = self.notes.as_ref().map(|_| (weighed(record), other.map(weighed)));
        told.map(|(record, other)| Look { first_ply, plies, record, other })
    }

    pub(super) fn note_look(&mut self, look: Option<Look>) {
        if let Some(notes) = &mut self.notes {
            notes.look = look;
        }
    }

    /// A ply was completed.
    pub fn note_completed(
        &mut self,
        how: How,
        completed: &Completed,
        position: &BoardPosition,
        seen: Option<&Seen<'_>>,
        at: Instant,
    ) {
        let Some(notes) = &mut self.notes else { return };
        let (weighing, illegal) = (notes.weighing.clone(), notes.illegal.take());
        let open = weighing.as_ref().map_or(Bitboard::EMPTY, |weighing| {
            let lines = std::iter::once(&weighing.taken).chain(&weighing.others);
            lines.flat_map(|weighed| weighed.line.first()).fold(weighing.unexplained, |all, m| all | squares_of(*m))
        });
        let squares = open | squares_of(completed.played);
        let ply = position.plies() as usize + 1;
        let deed = Deed::Completed { how, completed: Box::new(completed.clone()), weighing, illegal };
        self.note(deed, completed.board, ply, squares, position, seen, at);
    }

    /// Hindsight or a question has looked at completed plies, of which there were `count`.
    pub fn note_revised(
        &mut self,
        board: BoardId,
        revised: Option<(usize, Vec<Move>)>,
        count: usize,
        position: &BoardPosition,
        seen: &Seen<'_>,
        at: Instant,
    ) {
        let Some(notes) = &mut self.notes else { return };
        let look = notes.look.take();
        let given = (position.plies() as usize).saturating_sub(count);
        match (revised, look) {
            (Some((from, moves)), look) => {
                let squares = moves.iter().fold(Bitboard::EMPTY, |all, m| all | squares_of(*m));
                self.note(Deed::Revised { moves, look }, board, given + from + 1, squares, position, Some(seen), at);
            }
            (None, Some(look)) => {
                let ply = look.first_ply;
                self.note(Deed::Stands(look), board, ply, Bitboard::EMPTY, position, None, at);
            }
            (None, None) => {}
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of a note")]
    fn note(
        &mut self,
        deed: Deed,
        board: BoardId,
        ply: usize,
        squares: Bitboard,
        position: &BoardPosition,
        seen: Option<&Seen<'_>>,
        at: Instant,
    ) {
        let since = self.past.iter().rev().nth(2).map_or(Instant::ZERO, |past| past.made_at) + -EARLIER_US;
        let mut presses: Vec<Press> = self.heard.iter().copied().filter(|press| press.at >= since).collect();
        presses.sort_by_key(|press| press.at);
        let readings = seen.map_or(Vec::new(), |seen| readings(seen, squares, since));
        let Some(notes) = self.notes.as_mut().filter(|notes| notes.told.len() < NOTES_MAX) else { return };
        notes.told.push(Note {
            at,
            board,
            ply,
            deed,
            position: position.clone(),
            presses,
            readings,
            lifted: seen.map_or(ByColor::default(), |seen| seen.lifted),
            arrived: seen.map_or(ByColor::default(), |seen| seen.arrived),
            lying: seen.map_or(ByColor::default(), |seen| seen.lying),
        });
    }
}

fn weighed(told: &Told) -> Weighed {
    Weighed { line: told.moves().collect(), cost: told.cost, items: told.items.clone() }
}

/// What squares showed since an instant, in order of time.
fn readings(seen: &Seen<'_>, squares: Bitboard, since: Instant) -> Vec<Reading> {
    let all = squares.into_iter().flat_map(|square| seen.placement.readings(square));
    let mut readings: Vec<Reading> = all.filter(|reading| reading.until >= since).collect();
    readings.sort_by_key(|reading| (reading.since, reading.square));
    let more = readings.len().saturating_sub(READINGS_MAX);
    readings.drain(..more);
    readings
}

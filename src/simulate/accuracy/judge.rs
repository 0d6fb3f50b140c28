//! One recording against its truth.
//!
//! Moves are aligned board by board, so that a lost one does not count against all later ones. The list of moves is
//! the one after all corrections.

use std::collections::{BTreeMap, BTreeSet};

use super::referee::{self, Recall};

use crate::{
    event::{Body, Event},
    record::GameRecord,
    simulate::{
        devices::faults::Faults,
        hands::{Played, Truth},
        rig::{Clocks, Rig},
    },
    types::{BoardId, Instant, MS, SECOND},
};

/// Presses of two boards that lie nearer are beyond what clock messages resolve: DGT clocks are asked up to every
/// 480 ms and tell of their lever 20 to 200 ms late.
const ORDER_RESOLUTION: i64 = 660 * MS;
/// The same where no clock tells when a move was completed, and where lines lose what clocks tell.
const ORDER_WITHOUT_CLOCK: i64 = SECOND;
const ORDER_WITH_FAULTS: i64 = 1500 * MS;
/// Presses of both players so close together may fall between two messages of a clock.
const CLOCK_MESSAGE_US: i64 = 250 * MS;
/// How long after its cable is back a device may take to tell of its clock.
const START_UP: i64 = SECOND;
/// How long after a move doubts about it may be told.
const DOUBT: i64 = 4 * SECOND;
/// The end of what has none.
const OPEN: Instant = Instant(i64::MAX);

/// What became of one played move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Told once, as it was played.
    Right,
    /// Told wrongly or not at all, then corrected.
    Corrected,
    /// Wrong at the end, but told to be uncertain.
    Uncertain,
    /// Wrong at the end, and nobody was told.
    Silent,
}

/// One played move, judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// What became of it.
    pub grade: Grade,
    /// Habits of hands in this ply.
    pub tags: Vec<String>,
    /// µs from the press to the event that told it, if it was right.
    pub delay: Option<i64>,
    /// µs from the frame that decided it to the event, if it was right.
    pub decided: Option<i64>,
}

/// A recording, judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The played moves.
    pub moves: Vec<Judged>,
    /// Recorded moves that nobody played.
    pub extra: usize,
    /// Pairs of moves of two boards in the wrong order, beyond what clocks resolve.
    pub disorder: usize,
    /// Games that were begun beside the one that was played.
    pub games: usize,
    /// Illegal moves that nobody made.
    pub false_illegal: usize,
    /// Whether the result is recorded that the table must come to, where one is known.
    pub result: Option<bool>,
    /// Incidents by kind.
    pub incidents: BTreeMap<String, usize>,
    /// Offences by name, and how many were reported.
    pub offences: BTreeMap<String, Recall>,
    /// Incidents of offences that nobody committed, by kind.
    pub false_incidents: BTreeMap<String, usize>,
}

impl Verdict {
    /// Whether the record is what was played, and nothing else was said.
    pub fn is_perfect(&self) -> bool {
        let wrong = |judged: &Judged| judged.grade >= Grade::Uncertain;
        !self.moves.iter().any(wrong) && (self.extra, self.disorder, self.games, self.false_illegal) == (0, 0, 1, 0)
    }

    /// Whether the record is wrong at most where it says that it may be.
    pub fn is_candid(&self) -> bool {
        let graded = |grade: Grade| self.moves.iter().filter(|judged| judged.grade == grade).count();
        let others = (graded(Grade::Silent), self.disorder, self.games, self.false_illegal) == (0, 0, 1, 0);
        others && self.extra <= graded(Grade::Uncertain)
    }

    /// Whether all offences were reported and no others.
    pub fn reports_well(&self) -> bool {
        let all = |recall: &Recall| recall.reported == recall.committed;
        self.offences.values().all(all) && self.false_incidents.is_empty()
    }
}

/// A move that was recorded: its board, its text, when its completion was seen.
pub(super) struct Recorded<'a> {
    pub board: BoardId,
    pub uci: &'a str,
    pub completed: Instant,
}

/// Judges what the machine told, game by game. What is told belongs to a game until the next one was begun that may be
/// the one that was played next.
pub fn judge_games(truth: &Truth, events: &[Event], rig: &Rig) -> Vec<Verdict> {
    let (mut events, mut games) = (events, &GameRecord::fold(events)[..]);
    let played = truth.games().map(|truth| {
        let over = truth.stop.values().max().filter(|_| truth.next.is_some()).copied().unwrap_or(OPEN);
        let next = events.iter().position(|event| event.t >= over && is_begun(event));
        // A game that was never begun has what was told while it was played.
        let starts = truth.next.as_ref().and_then(|next| next.start.values().min());
        let late = || starts.and_then(|starts| events.iter().position(|event| event.t >= *starts));
        let (told, later) = events.split_at(next.or_else(late).unwrap_or(events.len()));
        let (recorded, others) = games.split_at(told.iter().filter(|event| is_begun(event)).count());
        (events, games) = (later, others);
        judge(truth, told, recorded, rig)
    });
    played.collect()
}

fn is_begun(event: &Event) -> bool {
    matches!(event.body, Body::GameStarted(_))
}

/// Judges what was told of one game; `games` are those that were begun.
pub(super) fn judge(truth: &Truth, events: &[Event], games: &[GameRecord], rig: &Rig) -> Verdict {
    let longest = games.iter().max_by_key(|game| game.moves.len());
    let recorded: Vec<Recorded<'_>> = longest.map_or(Vec::new(), |game| {
        let moves = game.moves.iter();
        moves.map(|(_, m)| Recorded { board: m.board, uci: &m.uci, completed: m.completed_at }).collect()
    });
    let mut verdict = compare(truth, &recorded, rig);
    verdict.games = games.len();
    let ended = longest.and_then(|game| game.ended.as_ref()).map(|ended| ended.result.as_str());
    // What an offence makes of the result is the arbiter's matter.
    let evident = truth.evident.as_deref().filter(|_| truth.offences.is_empty());
    verdict.result = evident.map(|evident| ended == Some(evident));
    let told = Told::new(events);
    for (judged, played) in verdict.moves.iter_mut().zip(&truth.moves) {
        told.look_at(judged, played);
    }
    referee::look_at(&mut verdict, truth, events);
    verdict
}

/// Compares the final list of moves with what was played: right or silently wrong.
pub(super) fn compare(truth: &Truth, recorded: &[Recorded<'_>], rig: &Rig) -> Verdict {
    let mut verdict = Verdict { games: 1, ..Verdict::default() };
    // A move that no rule describes ends the game; how it is written is nobody's matter.
    let last = truth.offences.iter().rfind(|offence| referee::is_last(offence));
    let judged = |board: BoardId, ply: usize| last.is_none_or(|last| board != last.board || ply < last.ply as usize);
    let mut right = vec![None; truth.moves.len()];
    let boards: BTreeSet<BoardId> =
        truth.moves.iter().map(|played| played.board).chain(recorded.iter().map(|found| found.board)).collect();
    for board in boards {
        let played: Vec<usize> = (0..truth.moves.len()).filter(|index| truth.moves[*index].board == board).collect();
        let found: Vec<usize> = (0..recorded.len()).filter(|index| recorded[*index].board == board).collect();
        let played: Vec<usize> =
            played.into_iter().enumerate().filter(|(n, _)| judged(board, n + 1)).map(|p| p.1).collect();
        let found: Vec<usize> =
            found.into_iter().enumerate().filter(|(n, _)| judged(board, n + 1)).map(|p| p.1).collect();
        let same = |a: usize, b: usize| truth.moves[played[a]].uci == recorded[found[b]].uci;
        let pairs = align(played.len(), found.len(), same);
        verdict.extra += found.len() - pairs.len();
        pairs.into_iter().for_each(|(a, b)| right[played[a]] = Some(found[b]));
    }
    let mut plies: BTreeMap<BoardId, usize> = BTreeMap::new();
    for (played, found) in truth.moves.iter().zip(&right) {
        let ply = plies.entry(played.board).or_default();
        *ply += 1;
        if !judged(played.board, *ply) {
            continue;
        }
        verdict.moves.push(Judged {
            grade: if found.is_some() { Grade::Right } else { Grade::Silent },
            tags: played.tags.clone(),
            delay: found.map(|index| recorded[index].completed - played.press),
            decided: None,
        });
    }
    verdict.disorder = disorder(truth, &right, rig);
    verdict
}

/// Counts moves that stand behind one that was completed later. `right` is where each played move is recorded.
fn disorder(truth: &Truth, right: &[Option<usize>], rig: &Rig) -> usize {
    let resolution = match rig {
        Rig { faults, restarts, .. } if *faults != Faults::default() || restarts.is_some() => ORDER_WITH_FAULTS,
        Rig { clocks: Clocks::All, .. } => ORDER_RESOLUTION,
        _ => ORDER_WITHOUT_CLOCK,
    };
    let clocked = |m: &Played| rig.clocks.on(m.board) && !is_lost(truth, m);
    let completed = |m: &Played| if clocked(m) { m.press } else { m.made };
    let told = |m: &Played| (!clocked(m) || !is_unheard(truth, m)) && !is_cut_off(truth, m);
    let recorded = right.iter().zip(&truth.moves).filter(|(_, m)| told(m));
    let recorded = recorded.filter_map(|(at, m)| Some(((*at)?, completed(m))));
    let mut recorded: Vec<(usize, Instant)> = recorded.collect();
    recorded.sort_unstable_by_key(|(at, _)| *at);
    let mut latest = Instant::ZERO;
    let behind = recorded.into_iter().filter(|(_, completed)| {
        let before = latest;
        latest = latest.max(*completed);
        *completed < before + -resolution
    });
    behind.count()
}

/// What is particular to the device of a board.
fn device(truth: &Truth, board: BoardId) -> Option<&serde_json::Value> {
    truth.devices.get(&format!("board-{}", board.to_string().to_lowercase()))
}

/// Whether the board's clock was not heard when the move was completed: nothing tells of its press.
fn is_lost(truth: &Truth, played: &Played) -> bool {
    let Some(device) = device(truth, played.board) else { return false };
    let back = device["clock_back"].as_i64().unwrap_or(i64::MAX);
    device["clock_lost"].as_i64().is_some_and(|lost| (lost..back).contains(&played.press.micros()))
}

/// Whether the board's cable was out when the move was completed: nobody heard when that was.
fn is_cut_off(truth: &Truth, played: &Played) -> bool {
    let outages = device(truth, played.board).and_then(|device| device["outages"].as_array());
    let within = |outage: &serde_json::Value| match (outage[0].as_i64(), outage[1].as_i64()) {
        (Some(out), Some(back)) => (out..=back + START_UP).contains(&played.press.micros()),
        _ => false,
    };
    outages.is_some_and(|outages| outages.iter().any(within))
}

/// Whether the lever was back before a clock told of the press, or went back with it: no message says when that was.
fn is_unheard(truth: &Truth, played: &Played) -> bool {
    let others = truth.moves.iter().filter(|other| other.board == played.board && other.ply != played.ply);
    others.into_iter().any(|other| {
        let next = other.ply == played.ply + 1 || other.ply + 1 == played.ply;
        next && (other.press - played.press).abs() < CLOCK_MESSAGE_US
    })
}

/// The longest common subsequence of two lists of these lengths, as pairs of places.
fn align(left: usize, right: usize, same: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let head = (0..left.min(right)).take_while(|index| same(*index, *index)).count();
    let mut pairs: Vec<(usize, usize)> = (0..head).map(|index| (index, index)).collect();
    let (rows, columns) = (left - head, right - head);
    let mut length = vec![vec![0_u32; columns + 1]; rows + 1];
    for a in (0..rows).rev() {
        for b in (0..columns).rev() {
            length[a][b] = match same(head + a, head + b) {
                true => length[a + 1][b + 1] + 1,
                false => length[a + 1][b].max(length[a][b + 1]),
            };
        }
    }
    let (mut a, mut b) = (0, 0);
    while a < rows && b < columns {
        if same(head + a, head + b) {
            pairs.push((head + a, head + b));
            (a, b) = (a + 1, b + 1);
        } else if length[a + 1][b] >= length[a][b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    pairs
}

/// Something that was told to be uncertain.
struct Doubt {
    board: BoardId,
    /// The ply that is meant; none where the board is.
    ply: Option<u32>,
    from: Instant,
    until: Instant,
}

/// What was said about moves on the way.
struct Told<'a> {
    /// First publication by board and ply: the text and two delays' ends.
    first: BTreeMap<(BoardId, u32), (&'a str, Instant, Instant)>,
    /// What was told to be uncertain.
    doubts: Vec<Doubt>,
}

impl<'a> Told<'a> {
    fn new(events: &'a [Event]) -> Told<'a> {
        let mut told = Told { first: BTreeMap::new(), doubts: Vec::new() };
        for event in events {
            match &event.body {
                Body::Move(m) => {
                    told.first.entry((m.board, m.ply)).or_insert((&m.uci, event.t, m.completed_at));
                }
                Body::Uncertain(doubt) => {
                    let (board, ply) = (doubt.board, doubt.ply);
                    told.doubts.push(Doubt { board, ply, from: event.t, until: OPEN });
                }
                Body::Resolved(answer) => {
                    let same = |doubt: &&mut Doubt| (doubt.board, doubt.ply) == (answer.board, answer.ply);
                    let open = told.doubts.iter_mut().filter(same).filter(|doubt| doubt.until == OPEN);
                    open.for_each(|doubt| doubt.until = event.t);
                }
                _ => {}
            }
        }
        told
    }

    fn look_at(&self, judged: &mut Judged, played: &Played) {
        let first = self.first.get(&(played.board, played.ply));
        let as_played = first.filter(|(uci, _, _)| *uci == played.uci);
        judged.delay = as_played.map(|(_, t, _)| *t - played.press).filter(|_| judged.grade == Grade::Right);
        judged.decided = as_played.map(|(_, t, completed)| *t - *completed).filter(|_| judged.grade == Grade::Right);
        judged.grade = match (judged.grade, as_played) {
            (Grade::Right, None) => Grade::Corrected,
            (Grade::Silent, _) if self.doubted(played) => Grade::Uncertain,
            (grade, _) => grade,
        };
    }

    fn doubted(&self, played: &Played) -> bool {
        let about = |doubt: &&Doubt| match doubt.ply {
            Some(ply) if ply == played.ply => doubt.until == OPEN,
            // What comes after a ply that may have been another one may be wrong with it.
            Some(ply) => ply < played.ply && doubt.until >= played.made,
            None => doubt.from <= played.press + DOUBT && doubt.until >= played.made,
        };
        self.doubts.iter().filter(|doubt| doubt.board == played.board).any(|doubt| about(&doubt))
    }
}

//! One board: the line that it shows, the presses that wait for their plies, and the plies that are completed.

use std::collections::VecDeque;

use arrayvec::ArrayVec;

use super::{
    Completed, Completion, HOLD_US, Press, REST_US, SCAN_US, UNEXPLAINED_US, cost,
    deaf::{DEAF_MAX, Deaf},
    declared::Said,
    firm::{Absent, absent},
    illegal,
    pace::Pace,
    past::Past,
    retell::Suspicion,
    search::{self, Alias, Arriving, Evidence, PLIES_MAX},
    seen::Seen,
    settled::{made_first, touched},
    wanted::Wanted,
};
use crate::{
    notation::uci,
    rules::{BoardPosition, Move, Reason},
    sense::{Mismatch, Placement},
    types::{Bitboard, BoardId, ByColor, ClockTimes, Color, Instant, Kinds, MS, Piece, Role, SECOND, Square},
};

/// Presses that may wait for their plies.
pub(super) const PRESSES_MAX: usize = 8;
/// Plies that a board may show beyond the game without a press: the move, the reply, and the next where presses were
/// not seen.
const PLIES_AHEAD: usize = 3;
/// How long a press waits for a man that another board has yet to send.
const ARRIVING_US: i64 = 5 * SECOND;
/// How long after a press an illegal move is looked for where no legal one was found.
pub(super) const ILLEGAL_US: i64 = 400 * MS;
/// So many men in the air without a clock that runs are being swept off.
pub(super) const SWEPT_MEN: usize = 6;
/// So many squares that are not as the game has them while the clock is stopped: men are swept off or set up.
const CLEARED_SQUARES: usize = 12;
/// So many squares that no plies explain after a gap are another position: the men are set up anew.
const ANEW_SQUARES: usize = 8;
/// Play goes on when hardly more than a move's men are not where they should be.
const BACK_MEN: usize = 2;
/// Who is knocked over stands at most so many squares away.
const KNOCKED_SQUARES: u32 = 2;
/// How long after a press the sensors may show its ply.
pub(super) const LATE_US: i64 = SCAN_US + 100 * MS;

/// One provisional ply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinePly {
    /// The move.
    pub played: Move,
    /// Arrival of the frame that made it.
    pub made_at: Instant,
    /// A later ply touches the square where its man went: nothing tells for how long it stood there.
    pub covered: bool,
    /// The man that it captures, in the colour it had, as it goes over.
    pub captured: Option<Piece>,
}

/// Whether the first ply of the line can be completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// Now.
    Ready,
    /// Not before this instant, or before something changes.
    Wait(Instant),
    /// A press has waited too long for a legal ply.
    Unexplained,
    /// There is nothing to complete.
    Nothing,
}

/// One board's hypothesis.
#[derive(Clone, Debug)]
pub struct BoardTrack {
    pub(super) completion: Completion,
    pub(super) past: Vec<Past>,
    pub(super) line: ArrayVec<LinePly, PLIES_MAX>,
    /// First moves of other lines that are hardly worse than the line.
    pub(super) rivals: Vec<Move>,
    pub(super) unexplained: Bitboard,
    /// The man of the line's first ply does not stand where it should.
    pub(super) absent: Option<Absent>,
    /// Men of the player to move that are in the air.
    pub(super) in_air: Bitboard,
    /// One of them left its square in this turn.
    pub(super) lifted_in_turn: bool,
    /// Something that nothing explains may have changed in this turn for the first press, or for an answer to it.
    pub(super) moved_for_press: bool,
    /// When the last of them was lifted that may be a part of the move.
    pub(super) lifted_at: Instant,
    /// When anything but men of the other player changed last.
    pub(super) rested_at: Instant,
    /// The line's first ply is a promotion after which the other player is in check and has no move.
    pub(super) mates: bool,
    /// Men stand where the line has none.
    strangers: bool,
    /// The clock was pressed on a line that costs as much as an illegal move: it may be made up.
    pub(super) made_up: bool,
    /// The pawn of the line's first ply stood where it promotes and is off again: it is being exchanged.
    pub(super) exchanged: bool,
    /// So many plies at the beginning have led to what the board showed later: where men stand is known.
    pub(super) agreed: usize,
    /// The line begins with the drop of a man that still lies in the tray.
    pub(super) dropped_lies: bool,
    /// The clock was pressed on a line that much speaks against, where squares do not tell men or have not shown one: a
    /// man may be another, or stand elsewhere.
    pub(super) strained: bool,
    /// The state of the board in which an illegal move was looked for last.
    pub(super) looked_illegal: Option<(Instant, Instant)>,
    /// The drop on another board for which this one was read anew last, and the state of this one.
    pub(super) wanted: Option<(Wanted, (Instant, Instant))>,
    /// Until when the man of a move that looks illegal may go on.
    pub(super) passes_until: Instant,
    /// Until when the line waits: an illegal move explains the board better, but for a man that another board may be
    /// sending.
    pub(super) outweighed: Option<Instant>,
    /// The same of a ply that no sensor shows and that is answered.
    pub(super) looked_unseen: Option<(Instant, Instant)>,
    /// The man of the line's first ply did not stand where it should at the press.
    pub(super) shaky: bool,
    /// How fast the board tells.
    pub(super) pace: Pace,
    /// The line is not what was seen: a man of it was absent, or a man of the player who moved last stands elsewhere.
    pub(super) doubt: bool,
    /// A man came to a partner's tray that a rival of one of the last plies captures, and the ply does not.
    told: bool,
    pub(super) cost: u32,
    /// When the board's reading changed last.
    pub(super) changed_at: Instant,
    pub(super) presses: VecDeque<Press>,
    /// Presses that were heard, answered or not.
    pub(super) heard: VecDeque<Press>,
    /// When the clock was not heard, the last time last.
    pub(super) deaf: ArrayVec<Deaf, DEAF_MAX>,
    /// Last movements of the lever, answered or not.
    pub(super) toggles: VecDeque<(Color, Instant)>,
    /// The last press for which forgotten ones were added, and how many pairs.
    pub(super) forgotten: (Instant, usize),
    /// Plies that were completed by the press after their own, since one was not.
    pub(super) late_plies: usize,
    pub(super) aliases: ArrayVec<Alias, { search::ALIASES_MAX }>,
    /// The state of the board that was last looked back from, and whether a press had waited for long then.
    pub(super) looked_back: Option<((Instant, Instant), bool)>,
    /// Until when that is rested: it weighed much.
    pub(super) rests_until: Instant,
    /// Plies at the beginning that others told: nothing was seen of them here.
    pub(super) given: usize,
    /// When the board was looked at first.
    pub(super) began: Instant,
    /// Completed plies that were read anew when their time was over.
    pub(super) reviewed: usize,
    /// What speaks against completed plies since they were read anew.
    pub(super) suspicion: Suspicion,
    /// Names of drops that no legal plies follow on.
    pub(super) refused: Vec<super::rename::Name>,
    /// Captures that were put right, each as often as that was done.
    pub(super) put_right: Vec<super::rename::Name>,
    /// Squares that feel nothing.
    pub(super) blind: Bitboard,
    /// Those of them on which a promoted man stands: it may lie there.
    pub(super) laid: Bitboard,
    /// Those of them to which a ply went that nobody saw.
    pub(super) supposed: Bitboard,
    /// Squares that felt nothing of a man that stood there and left: they may feel nothing of the next one, either.
    pub(super) proven: Bitboard,
    /// How many plies were completed when a blind square was learnt.
    pub(super) learnt: Vec<(Square, usize)>,
    /// Presses were lost, and with them, where nobody watched, readings.
    pub(super) gap: bool,
    pub(super) unwatched: bool,
    /// The change that is to be told once more before it accuses anybody.
    pub(super) unsure: Option<Instant>,
    /// What other boards have captured nobody knows.
    pub(super) pockets_unknown: bool,
    /// What was found of it.
    pub(super) guess: super::guess::Guess,
    /// Whose time runs, where a clock tells.
    pub(super) clock_turn: Option<Color>,
    /// No time runs: what men do now is no play.
    pub(super) clock_stopped: bool,
    /// Whose time it ran when it was seen to run last, since the board is heard of.
    pub(super) clock_ran: Option<Color>,
    /// The men are being swept off a board without a clock, or were set up anew in a gap.
    pub(super) swept: bool,
    /// So few of them are away that the plies which were completed may have been others.
    pub(super) may_be_play: bool,
    /// What each player said that a pawn becomes.
    pub(super) said: Said,
    /// The clock was stopped on a made move that ends the game.
    pub(super) ended_at: Option<(Instant, Option<ClockTimes>)>,
    /// Why plies were taken, if that was asked.
    pub(super) notes: Option<Box<super::explain::Notes>>,
}

impl BoardTrack {
    pub fn new(completion: Completion) -> BoardTrack {
        BoardTrack {
            completion,
            past: Vec::new(),
            line: ArrayVec::new(),
            rivals: Vec::new(),
            unexplained: Bitboard::EMPTY,
            absent: None,
            in_air: Bitboard::EMPTY,
            lifted_in_turn: false,
            moved_for_press: false,
            lifted_at: Instant::LONG_AGO,
            rested_at: Instant::LONG_AGO,
            mates: false,
            strangers: false,
            made_up: false,
            exchanged: false,
            agreed: 0,
            dropped_lies: false,
            strained: false,
            looked_illegal: None,
            wanted: None,
            passes_until: Instant::LONG_AGO,
            outweighed: None,
            looked_unseen: None,
            shaky: false,
            pace: Pace::default(),
            doubt: false,
            told: false,
            cost: 0,
            changed_at: Instant::LONG_AGO,
            presses: VecDeque::new(),
            heard: VecDeque::new(),
            deaf: ArrayVec::new(),
            toggles: VecDeque::new(),
            forgotten: (Instant::LONG_AGO, 0),
            late_plies: 0,
            aliases: ArrayVec::new(),
            looked_back: None,
            rests_until: Instant::LONG_AGO,
            given: 0,
            began: Instant(i64::MAX),
            reviewed: 0,
            suspicion: Suspicion::default(),
            refused: Vec::new(),
            put_right: Vec::new(),
            blind: Bitboard::EMPTY,
            laid: Bitboard::EMPTY,
            supposed: Bitboard::EMPTY,
            proven: Bitboard::EMPTY,
            learnt: Vec::new(),
            unsure: None,
            pockets_unknown: false,
            guess: super::guess::Guess::default(),
            gap: false,
            unwatched: false,
            clock_turn: None,
            clock_stopped: false,
            clock_ran: None,
            swept: false,
            may_be_play: true,
            said: Said::default(),
            ended_at: None,
            notes: None,
        }
    }

    pub fn line(&self) -> &[LinePly] {
        &self.line
    }

    pub fn first_press(&self) -> Option<Instant> {
        self.ended_at.map(|(at, _)| at).into_iter().chain(self.presses.front().map(|press| press.at)).min()
    }

    /// Forgets plies and hypotheses, keeps what was learnt of the sensors.
    pub fn forget(&mut self) {
        self.past.clear();
        self.line.clear();
        self.presses.clear();
        self.heard.clear();
        self.deaf.clear();
        self.late_plies = 0;
        self.looked_back = None;
        self.reviewed = 0;
        self.suspicion = Suspicion::default();
        self.agreed = 0;
        self.refused.clear();
        self.put_right.clear();
        self.guess = super::guess::Guess::default();
        self.given = 0;
        self.said = Said::default();
        self.ended_at = None;
    }

    pub fn observe(&mut self, position: &BoardPosition, arriving: &Arriving, seen: &Seen<'_>, at: Instant) {
        self.began = self.began.min(at);
        let position = arriving.apply(position);
        let seen = &seen.with(arriving);
        if self.is_cleared(&position, seen.placement) {
            self.changed_at = seen.placement.latest();
            return;
        }
        self.forget_undeclared(position.turn());
        self.note_confirmed(seen.placement, at);
        let before: ArrayVec<Move, PLIES_MAX> = self.line.iter().map(|ply| ply.played).collect();
        let presses: ArrayVec<Instant, PRESSES_MAX> = self.pressed().take(PRESSES_MAX).collect();
        let gone = self.gone(seen.placement, at);
        let said = self.said.roles();
        let evidence = Evidence { before: &before, presses: &presses, gone, said, ..self.evidence(seen, 0) };
        let ahead = if self.gap { PLIES_MAX } else { PLIES_AHEAD };
        let found = search::explain(&position, evidence, ahead.max(presses.len() + 2));
        let rivals = match before.first() {
            // What was seen first alone was played first, if it was alone for a scan.
            Some(first) if found.line.first() == Some(first) => {
                let still = |m: &Move| found.rivals.contains(m) || search::rivals(&position, evidence, *m, &found);
                let known: Vec<Move> = self.rivals.iter().copied().filter(still).collect();
                let came = |m: Move| seen.placement.changed(uci::destination(m));
                let other = |m: Move| found.rivals.contains(&m) || uci::destination(m) != uci::destination(*first);
                let with_it = |m: &&Move| !known.contains(m) && other(**m) && came(**m) <= came(*first) + SCAN_US;
                let others = found.given_up.iter().filter(with_it).copied();
                known.iter().copied().chain(others).collect()
            }
            _ => found.rivals.to_vec(),
        };
        self.absent = found.line.first().and_then(|first| absent(&position, *first, &found, evidence));
        self.note_weighing(&found);
        self.shaky = found.absent || self.absent.is_some();
        self.in_air = found.mismatch.missing & position.board().by_color(position.turn());
        self.unexplained = found.mismatch.any();
        self.note_movers(&position, seen);
        self.swept = self.is_swept(&position, found.mismatch);
        self.may_be_play = !self.swept || !leaves(&position, found.mismatch) && !self.gap;
        self.strangers = found.mismatch.foreign.any();
        self.dropped_lies = found.line.first().is_some_and(|first| lies(&position, *first, seen));
        let told = self.told_by_tray(seen, &found.line, position.turn());
        if told && !self.told {
            self.looked_back = None;
        }
        self.told = told;
        self.doubt = told || found.absent || self.stray(&position, &found, seen.placement);
        self.cost = found.cost;
        let against = found.cost.saturating_sub(found.line.len() as u32 * cost::PLY);
        let vague = || seen.placement.ambiguous().any() || self.is_in_the_dark(seen.placement);
        self.strained = !presses.is_empty() && against >= cost::STRAINED && vague();
        self.made_up = !presses.is_empty() && against >= cost::ILLEGAL;
        self.exchanged = found.line.first().is_some_and(|first| is_exchanged(&position, *first, seen.placement));
        self.note_agreement(&position, seen.placement);
        self.rivals = rivals;
        self.changed_at = seen.placement.latest();
        if self.completion != Completion::Clock {
            self.watch_rest(&position, found.line.first().copied(), seen.placement);
        }
        let plies = if self.swept && self.gap { 0 } else { found.line.len() };
        self.take_line(position, &found.line[..plies], seen.placement, at);
    }

    /// What there is to go by for a line that begins `back` plies before the present.
    pub(super) fn evidence<'a>(&'a self, seen: &'a Seen<'_>, back: usize) -> Evidence<'a> {
        let ply = |plies: usize| self.past.len().checked_sub(back + plies).and_then(|index| self.past.get(index));
        let made_at = |plies: usize| ply(plies).map_or(Instant::LONG_AGO, |past| past.made_at);
        let completed_at = |plies: usize| ply(plies).map_or(Instant::LONG_AGO, |past| past.completed_at);
        Evidence {
            placement: seen.placement,
            before: &[],
            presses: &[],
            lifted: &seen.lifted,
            arrived: &seen.arrived,
            since: [made_at(2), made_at(1)],
            rest_since: made_at(1),
            pressed: [completed_at(2), completed_at(1)],
            aliases: &self.aliases,
            blind: self.blind,
            still: Bitboard::EMPTY,
            gone: Bitboard::EMPTY,
            said: ByColor::default(),
            unseen: cost::UNSEEN,
            must: false,
            most: u32::MAX,
            noting: self.notes.is_some(),
            gap: self.is_unwatched(),
            slack: self.pace.slack(),
        }
    }

    /// Whether men are being swept off or set up while no time runs: nothing of that is a move.
    fn is_cleared(&self, position: &BoardPosition, placement: &Placement) -> bool {
        let stopped = self.completion == Completion::Clock && self.clock_stopped && self.presses.is_empty();
        stopped && !self.gap && placement.mismatch(position).any().count() >= CLEARED_SQUARES
    }

    /// Whether men are being swept off, or kings put in the centre: too many are in the air for a move, and not yet all
    /// back. After a gap: whether something stands there that plies do not lead to.
    fn is_swept(&self, position: &BoardPosition, mismatch: Mismatch) -> bool {
        if self.gap {
            return mismatch.any().count() > ANEW_SQUARES;
        }
        let away = leaves(position, mismatch) || self.swept && !is_back(mismatch);
        away && self.completion != Completion::Clock
    }

    /// Whether a man stands where none should that the player to move does not have in hand just now.
    fn stray(&self, position: &BoardPosition, found: &search::Explanation, placement: &Placement) -> bool {
        let turn = if found.line.len().is_multiple_of(2) { position.turn() } else { !position.turn() };
        let own = |square: Square| Role::ALL.into_iter().any(|role| placement.allows(role.of(turn)).contains(square));
        let in_hand = self.presses.is_empty();
        found.mismatch.foreign.into_iter().any(|square| !(in_hand && own(square)))
    }

    /// When the pending presses came.
    pub(super) fn pressed(&self) -> impl Iterator<Item = Instant> + '_ {
        self.presses.iter().map(|press| press.at)
    }

    /// Keeps what the line shares with the one before.
    pub(super) fn take_line(&mut self, mut position: BoardPosition, line: &[Move], placement: &Placement, at: Instant) {
        let kept = self.line.iter().zip(line).take_while(|(old, new)| old.played == **new).count();
        self.line.truncate(kept);
        for (index, played) in line.iter().enumerate() {
            let turn = position.turn();
            let captured = position.play(*played);
            if index >= kept {
                let earliest = self.line.last().map_or(Instant::LONG_AGO, |ply| ply.made_at);
                let since = self.past.last().map_or(self.began, |last| last.made_at);
                let later = touched(&line[index + 1..]);
                let pressed = self.presses.get(index).map_or(at, |press| press.at.min(at));
                let made_at = made_first(&line[index..], turn, placement, [since, pressed]).max(earliest).min(at);
                let covered = later.contains(uci::destination(*played));
                self.line.push(LinePly { played: *played, made_at, covered, captured });
            }
        }
    }

    /// The line is this ply, whatever else is seen: what was moved since is no part of it.
    pub(super) fn show_first(&mut self, position: &BoardPosition, first: Move, seen: &Seen<'_>, at: Instant) {
        (self.strangers, self.absent, self.looked_illegal, self.outweighed) = (false, None, None, None);
        self.rivals.clear();
        self.take_line(position.clone(), &[first], seen.placement, at);
    }

    pub fn readiness(&mut self, position: &BoardPosition, at: Instant) -> Readiness {
        self.sort_presses(position.turn(), at);
        let Some(since) = self.due_since() else { return Readiness::Nothing };
        let Some(first) = self.line.first() else {
            return self.unexplained_press(since, at);
        };
        if !self.has(position, first.played) {
            return self.unexplained_press(since + ARRIVING_US, at);
        }
        let firm_at = self.firm_at(position, first).max(since);
        if at >= firm_at { Readiness::Ready } else { Readiness::Wait(firm_at) }
    }

    /// Since when the first ply is due to be completed, if it is.
    pub(super) fn due_since(&self) -> Option<Instant> {
        match self.completion {
            _ if self.swept || self.awaits_sight() => None,
            Completion::Clock => self.first_press(),
            Completion::Settle(rest) => self.settled_at(rest),
        }
    }

    fn unexplained_press(&self, since: Instant, at: Instant) -> Readiness {
        let due = self.unexplained_due(since);
        let clocked = self.completion == Completion::Clock;
        match (clocked, at >= due) {
            (false, _) => Readiness::Nothing,
            (true, true) => Readiness::Unexplained,
            (true, false) => Readiness::Wait(due),
        }
    }

    fn unexplained_due(&self, since: Instant) -> Instant {
        if self.clock_stopped {
            // Whoever claims stops the clocks (WBN 1.14); what stands there is what was done.
            return (since + ILLEGAL_US).max(self.changed_at + SCAN_US);
        }
        (since + UNEXPLAINED_US).max(self.changed_at + REST_US)
    }

    /// Whether a press may hold later presses of other boards back.
    pub fn holds_others(&self, at: Instant) -> bool {
        self.first_press().is_some_and(|press| at - press < HOLD_US)
    }

    pub fn complete(&mut self, position: &BoardPosition, board: BoardId, seen: Option<&Seen<'_>>) -> Option<Completed> {
        let completed_at = self.due_since()?;
        let known = self.knows_where_men_stand() && !self.was_read_anew() && !self.is_guessing(completed_at);
        let strangers = self.strangers && known;
        let second = seen.filter(|_| strangers).and_then(|seen| {
            let first = self.line.first().map(|first| uci::destination(first.played))?;
            let answered = |to| illegal::answered_between(position, [first, to], seen.placement);
            self.second_move(position, seen).filter(|(_, to)| !answered(*to))
        });
        let ply = self.line.pop_at(0)?;
        let said = self.said.completed(position.turn(), ply.played, [ply.made_at, completed_at]);
        let press = self.presses.pop_front();
        self.note_lateness(&ply, press.as_ref());
        let unseen = self.is_unwatched();
        // What was found is up to date where no press is open, or, without a clock, no ply.
        self.gap &= match self.completion {
            Completion::Clock => press.is_none() || !self.presses.is_empty(),
            Completion::Settle(_) => !self.line.is_empty(),
        };
        let ended = if press.is_none() { self.ended_at.take() } else { None };
        let completed_at = match self.completion {
            Completion::Settle(rest) => {
                let stands_since = seen.map_or(ply.made_at, |seen| self.stands_since(&ply, seen.placement));
                completed_at.min(stands_since + self.press_delay().min(rest))
            }
            Completion::Clock if ply.made_at > completed_at + LATE_US => ply.made_at,
            Completion::Clock => completed_at,
        };
        let completed_at = self.past.last().map_or(completed_at, |last| completed_at.max(last.completed_at));
        let clock = press.and_then(|press| press.clock).or(ended.and_then(|(_, clock)| clock));
        let moved_on = |later: &LinePly| search::squares_of(later.played).contains(uci::destination(ply.played));
        let unseen_too = seen.map(|seen| match ply.covered || self.line.iter().any(moved_on) {
            // What nobody heard of is told to be uncertain as a whole.
            true if unseen => Vec::new(),
            true => self.alike_before(position, (ply.played, completed_at), seen.placement),
            false => self.alike(position, ply.played, seen),
        });
        let mut rivals = std::mem::take(&mut self.rivals);
        rivals.extend(unseen_too.into_iter().flatten());
        let (played, made_at) = (ply.played, ply.made_at);
        rivals.extend(self.open_promotions(position, (played, completed_at), said.is_some(), seen));
        let illegal = second.map(|_| Reason::SeveralChanges).into_iter().collect();
        let completed = Completed { board, played, made_at, completed_at, clock, illegal, rivals: rivals.clone() };
        let shaky = std::mem::take(&mut self.shaky);
        let past = Past::new(position, &completed, rivals);
        let past = match seen {
            Some(seen) => {
                self.pace.note(played, completed_at, seen.placement);
                past.felt(seen.placement)
            }
            None => past,
        };
        self.remember(Past { shaky, said, ..past });
        if unseen {
            self.note_guess(completed_at);
        }
        Some(completed)
    }

    /// A second man of the player that made a move with the first ply, and none that is a later ply of the line.
    pub(super) fn second_move(&self, position: &BoardPosition, seen: &Seen<'_>) -> Option<(Square, Square)> {
        let first = self.line.first().filter(|_| self.completion == Completion::Clock)?;
        let presses: Vec<Instant> = self.pressed().collect();
        let evidence = Evidence { presses: &presses, ..self.evidence(seen, 0) };
        let way = |ply: &LinePly| ply.played.from().map(|from| (from, ply.played.to()));
        let later = |second: &(Square, Square)| self.line.iter().any(|ply| way(ply) == Some(*second));
        let second = illegal::second_move(position, first.played, evidence).filter(|second| !later(second));
        second.filter(|(from, to)| from.distance(*to) > KNOCKED_SQUARES || !self.was_knocked(*from, seen))
    }

    /// Whether the man of a move may only have been knocked to the next square before its player's turn.
    pub(super) fn was_knocked_beside(&self, m: Move, seen: &Seen<'_>) -> bool {
        let ahead =
            self.past.last().is_some_and(|last| seen.placement.changed(uci::destination(m)) < last.completed_at);
        let from = m.from().filter(|from| ahead && from.distance(uci::destination(m)) == 1);
        from.is_some_and(|from| self.was_knocked(from, seen))
    }

    /// Whether the hand that made the last ply may have knocked a man off its square: it left after that, before the
    /// clock was pressed, from beside where the hand was.
    fn was_knocked(&self, square: Square, seen: &Seen<'_>) -> bool {
        let left = seen.placement.changed(square);
        let knocked = |past: &Past| {
            let beside = uci::destination(past.played).distance(square) == 1;
            beside && past.made_at <= left && left <= past.completed_at
        };
        self.past.last().is_some_and(knocked)
    }

    /// The press that waits, if the line does not explain all that is seen.
    pub fn doubtful_press(&self) -> Option<Instant> {
        let doubtful = self.line.is_empty() || self.is_doubtful_line() || self.absent.is_some();
        self.presses.front().filter(|_| doubtful).map(|press| press.at)
    }

    /// Since when the board should have told all that it feels: the press that waits, or a change that accuses.
    pub fn doubtful_since(&self) -> Option<Instant> {
        self.doubtful_press().map(|press| self.unsure.map_or(press, |told| told.max(press)))
    }

    /// Whether an illegal move may explain the board as well as the line.
    pub(super) fn is_doubtful_line(&self) -> bool {
        self.strangers || self.dropped_lies || self.made_up
    }

    /// Notes that the board shows what the plies have led to, a man in the air apart: those before the last one, whose
    /// man may go on, were read as they were played or come to the same.
    fn note_agreement(&mut self, position: &BoardPosition, placement: &Placement) {
        let mismatch = placement.mismatch(position);
        if mismatch.foreign.is_empty() && mismatch.missing.count() <= 1 && placement.ambiguous().is_empty() {
            self.agreed = self.past.len().saturating_sub(1).max(self.agreed);
        }
    }

    /// Plies from `from` on are others now.
    pub(super) fn forget_from(&mut self, from: usize) {
        self.unlearn(from);
        self.suspicion.forget(from);
        self.agreed = self.agreed.min(from);
    }

    pub(super) fn completed_by(
        &mut self,
        press: Press,
        position: &BoardPosition,
        board: BoardId,
        (played, made_at): (Move, Instant),
        illegal: Vec<Reason>,
    ) -> Completed {
        let rivals = std::mem::take(&mut self.rivals);
        let (completed_at, clock) = (press.at, press.clock);
        let said = self.said.completed(position.turn(), played, [made_at, completed_at]);
        let completed = Completed { board, played, made_at, completed_at, clock, illegal, rivals };
        self.remember(Past { said, ..Past::new(position, &completed, completed.rivals.clone()) });
        completed
    }

    pub(super) fn remember(&mut self, past: Past) {
        self.outweighed = None;
        self.prove(past.played);
        for alias in &mut self.aliases {
            if past.played.from() == Some(alias.square) {
                alias.square = past.played.to();
            }
        }
        self.past.push(past);
    }

    /// When time alone may change the readiness.
    pub fn deadline(&self, position: &BoardPosition) -> Option<Instant> {
        let Some(since) = self.due_since() else { return self.gap_due() };
        let due = match self.line.first() {
            Some(first) if self.has(position, first.played) => Some(self.firm_at(position, first).max(since)),
            Some(_) if self.completion == Completion::Clock => Some(self.unexplained_due(since + ARRIVING_US)),
            _ if self.completion == Completion::Clock => Some(self.unexplained_due(since)),
            _ => None,
        };
        due.into_iter().chain(self.illegal_due()).chain(self.answered_due()).min()
    }
}

/// Whether hardly more than a move's men are not where they should be.
pub(super) fn is_back(mismatch: Mismatch) -> bool {
    mismatch.any().count() <= BACK_MEN
}

/// Whether too many men are in the air for a move, or both kings.
fn leaves(position: &BoardPosition, mismatch: Mismatch) -> bool {
    let kings = mismatch.missing & position.board().kings();
    mismatch.missing.count() >= SWEPT_MEN || kings.count() == 2
}

/// Whether a pawn that promotes stood where it went and is off it.
fn is_exchanged(position: &BoardPosition, m: Move, placement: &Placement) -> bool {
    let pawn = Kinds::only(Role::Pawn.of(position.turn()));
    let mut readings = placement.readings(m.to()).map(|reading| reading.kinds);
    m.promotion().is_some() && readings.next() == Some(Kinds::EMPTY) && readings.next() == Some(pawn)
}

/// Whether a drop's man left the player's tray: then it was in the pocket, whatever is known of the partner's captures.
pub(super) fn in_hand(m: Move, seen: &Seen<'_>, turn: Color) -> bool {
    let Move::Put { role, .. } = m else { return false };
    seen.lifted.get(turn).is_some_and(|hand| *hand.men.get(role) > 0)
}

/// Whether a dropped man still lies in the tray, with all others of its kind that the player has.
fn lies(position: &BoardPosition, m: Move, seen: &Seen<'_>) -> bool {
    let Move::Put { role, .. } = m else { return false };
    let (turn, has) = (position.turn(), *position.pocket(position.turn()).get(role));
    let lying = seen.lying.get(turn).map_or(0, |tray| *tray.get(role));
    let coming = seen.lifted.get(turn).is_some_and(|hand| *hand.coming.get(role));
    !in_hand(m, seen, turn) && !coming && lying >= has
}

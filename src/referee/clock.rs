//! Clocks against the laws: starts, flags, freezing, and what time cannot have made of a display.
//!
//! In: what the clocks show, with the time control. Out: facts and drafts of incidents. A display is believed when it
//! agrees with the time that passed, or when it stays: one message may be garbled.

use serde_json::json;

use super::{
    docket::{Draft, Window},
    given::Given,
    kind::Kind,
};
use crate::{
    rules::RuleSet,
    sense::ClockView,
    types::{BoardId, ByColor, ClockTimes, Color, Instant, MS, SECOND, Seat, StepMode, TimeControl},
};

/// Starts that are so near are together (WBN 1.2).
const UNEVEN_START_US: i64 = SECOND;
/// A clock that has run for longer when it is first heard was set to another time.
const UNHEARD_START_MS: i64 = 10_000;
/// What a display may be off by before its clock is defective (WBN 7.11): messages come late, seconds are rounded.
const DEFECT_MS: i64 = 4_000;
/// A display that stands still while its time runs is given longer: a lever that is half down stops it.
const STUCK_MS: i64 = 120_000;
/// Beyond that, the percentage of the time that ran.
const DEFECT_PERCENT: i64 = 3;
/// A clock that said nothing for longer may have been pressed meanwhile.
const UNHEARD_US: i64 = 3 * SECOND;
/// How long a display must stand at zero when it was not about to get there.
const ZERO_US: i64 = 1_500 * MS;
/// What a display at set-up may differ from the time control.
const SET_UP_MS: i64 = 2_000;
/// What a frozen player's clock may be off by when it shows that the player went on too early.
const FROZEN_MS: i64 = 500;

/// What is watched on one board's clock.
#[derive(Clone, Debug, Default)]
pub struct ClockWatch {
    started: Option<Instant>,
    last: Option<(Instant, ClockView)>,
    /// A message that time cannot explain: what is wrong, when it showed what. The next one tells whether that was
    /// garbled.
    doubted: Option<(Wrong, Instant, ClockTimes)>,
    /// Where the present run of one side began.
    anchor: Option<(Instant, ClockTimes)>,
    zero_since: ByColor<Option<Instant>>,
    fallen: ByColor<bool>,
    defect_told: bool,
    given: Given,
    /// Two messages agree on the last display: one alone may have been garbled.
    borne_out: bool,
    /// Wrong times at the start of the game, and when they were shown: the next message tells whether that was garbled.
    wrong_start: Option<(Instant, ClockTimes)>,
    /// Times that the arbiter set; the clock must show them when it runs again.
    set: Option<ClockTimes>,
}

/// How a display disagrees with the time that passed: the reason, whose it is, the nearest time that could be.
type Wrong = (&'static str, Color, i64);

/// Time left of a colour in milliseconds.
pub fn time_of(times: ClockTimes, color: Color) -> i64 {
    color.fold_wb(times.white_ms, times.black_ms)
}

impl ClockWatch {
    /// The clock runs as the game begins.
    pub fn begin(&mut self, at: Instant) {
        self.started.get_or_insert(at);
    }

    /// When the clock first ran in this game.
    pub fn started(&self) -> Option<Instant> {
        self.started
    }

    /// Whose flags have fallen.
    pub fn fallen(&self) -> ByColor<bool> {
        self.fallen
    }

    /// The arbiter says what the clock shows from now on.
    pub fn set(&mut self, times: ClockTimes) {
        self.set = Some(times);
        self.lost();
        self.zero_since = ByColor::default();
        self.fallen = ByColor { white: times.white_ms <= 0, black: times.black_ms <= 0 };
    }

    /// The clock is gone: what it will show next is believed.
    pub fn lost(&mut self) {
        self.last = None;
        self.borne_out = false;
        self.doubted = None;
        self.anchor = None;
    }

    /// A clock with a time control is looked at when its game begins (WBN 1.15): `early` while it may tell, for how
    /// many µs it has run beside a wrong set-up. Wrong times are told when two messages in a row show them.
    pub fn wrong_start(
        &mut self,
        board: BoardId,
        times: ClockTimes,
        control: TimeControl,
        (at, early): (Instant, Option<i64>),
        rules: &RuleSet,
    ) -> Option<Draft> {
        if self.wrong_start.is_some_and(|(since, _)| since == at) {
            return None; // the same message
        }
        let doubted = self.wrong_start.take();
        if doubted.is_some_and(|(since, shown)| agree((since, shown), times, at)) {
            return wrong_times(rules, board, doubted?.1, control, 0);
        }
        self.wrong_start = early.and_then(|ran| wrong_times(rules, board, times, control, ran)).map(|_| (at, times));
        None
    }

    /// Takes what the clock shows; `flags` are displays at zero. Answers what is wrong with it, and flags that fell.
    pub fn show(
        &mut self,
        board: BoardId,
        view: ClockView,
        flags: ByColor<bool>,
        at: Instant,
        control: Option<TimeControl>,
    ) -> ClockNews {
        if view.running.is_some() {
            self.started.get_or_insert_with(|| began(view, at, control));
        }
        let mut news = ClockNews { defect: self.not_as_set(board, view), fell: Vec::new() };
        let wrong = self.wrong(view, at, control);
        news.defect = news.defect.or_else(|| self.defect(board, view, wrong, at));
        for color in Color::ALL {
            if self.falls(color, *flags.get(color), at) {
                news.fell.push(board.seat(color));
            }
        }
        if self.doubted.is_none() {
            news.defect = news.defect.or_else(|| self.gives_wrong(board, view, control, at));
            let another = self.last.filter(|(since, _)| *since < at);
            let agrees = another.is_some_and(|(since, last)| agree((since, last.times), view.times, at));
            let compared = view.running.is_some() && self.last.is_some_and(|(_, last)| last.running.is_some());
            self.borne_out = agrees || self.borne_out && compared;
            let heard = |since: Instant| at - since <= UNHEARD_US;
            let same_run = self.last.is_some_and(|(since, last)| last.running == view.running && heard(since));
            if !same_run || self.anchor.is_none() {
                self.anchor = Some((at, view.times));
            }
            self.last = Some((at, view));
        }
        news
    }

    /// Whether a flag falls now: at once when the time was about to be used up, else when zero stays.
    fn falls(&mut self, color: Color, zero: bool, at: Instant) -> bool {
        if !zero || *self.fallen.get(color) || self.started.is_none() {
            *self.zero_since.get_mut(color) = self.zero_since.get(color).filter(|_| zero);
            return false;
        }
        let expected = |(since, last): (Instant, ClockView)| {
            last.running == Some(color) && time_of(last.times, color) <= (at - since) / MS + DEFECT_MS / 2
        };
        let since = *self.zero_since.get_mut(color).get_or_insert(at);
        let falls = self.last.is_some_and(expected) || at - since >= ZERO_US;
        *self.fallen.get_mut(color) = falls;
        falls
    }

    /// When a display that stands at zero is believed.
    pub fn deadline(&self) -> Option<Instant> {
        let waiting = |color: &Color| self.zero_since.get(*color).filter(|_| !self.fallen.get(*color));
        Color::ALL.iter().filter_map(waiting).map(|since| since + ZERO_US).min()
    }

    /// Flags that fell because zero stayed.
    pub fn look(&mut self, board: BoardId, at: Instant) -> Vec<Seat> {
        let due = |watch: &ClockWatch, color: Color| {
            !*watch.fallen.get(color) && watch.zero_since.get(color).is_some_and(|since| at - since >= ZERO_US)
        };
        let fell: Vec<Color> = Color::ALL.into_iter().filter(|color| due(self, *color)).collect();
        fell.iter().for_each(|color| *self.fallen.get_mut(*color) = true);
        fell.into_iter().map(|color| board.seat(color)).collect()
    }

    fn not_as_set(&mut self, board: BoardId, view: ClockView) -> Option<Draft> {
        let set = self.set.take_if(|_| view.running.is_some())?;
        let off = |color| (time_of(view.times, color) - time_of(set, color)).abs() > SET_UP_MS;
        let wrong = Color::ALL.into_iter().any(off);
        let evidence = json!({ "expected": set, "shown": view.times });
        wrong.then(|| Draft::at(Kind::ClockDefect, Some(board), evidence).reason("not-as-set"))
    }

    /// What a display shows that the time since the last message, or since its run began, cannot have made of it.
    /// Stopped clocks are set by people.
    fn wrong(&self, view: ClockView, at: Instant, control: Option<TimeControl>) -> Option<Wrong> {
        let (since, last) = self.last.filter(|_| !self.defect_told)?;
        let ran = last.running?;
        view.running?;
        if at - since > UNHEARD_US {
            return unheard((since, last.times), view.times, ran, control, at);
        }
        let starts = [(since, last.times), self.anchor.unwrap_or((since, last.times))];
        starts.into_iter().find_map(|start| disagreement(start, view.times, ran, control, at))
    }

    /// Whether presses give what the time control does not, or do not give what it does.
    fn gives_wrong(
        &mut self,
        board: BoardId,
        view: ClockView,
        control: Option<TimeControl>,
        at: Instant,
    ) -> Option<Draft> {
        let (last, control) = (self.last.filter(|_| !self.defect_told)?, control?);
        let (reason, presses, most) = self.given.show(last, (at, view), control)?;
        self.defect_told = true;
        let evidence = json!({
            "time_control": control.to_string(), "presses": presses, "given_ms": most / presses,
            "expected_ms": control.step / MS,
        });
        Some(Draft::at(Kind::ClockDefect, Some(board), evidence).reason(reason))
    }

    /// A defect, told once a game, if two messages in a row are wrong in the same way. Where one message alone stands
    /// against both of them, that one was garbled.
    fn defect(&mut self, board: BoardId, view: ClockView, wrong: Option<Wrong>, at: Instant) -> Option<Draft> {
        let doubted = std::mem::replace(&mut self.doubted, wrong.map(|wrong| (wrong, at, view.times)));
        let (reason, color, expected) = wrong?;
        let ((why, whose, _), since, shown) = doubted?;
        if (why, whose) != (reason, color) {
            return None;
        }
        if !self.borne_out && agree((since, shown), view.times, at) {
            self.lost();
            return None;
        }
        (self.defect_told, self.doubted) = (true, None);
        let evidence = json!({
            "seat": board.seat(color), "shown_ms": time_of(view.times, color), "expected_ms": expected,
            "before": self.last.map(|(_, last)| last.times),
        });
        Some(Draft::at(Kind::ClockDefect, Some(board), evidence).reason(reason))
    }
}

/// Whether a display shows what an earlier one can have become: neither side's time came back, or was used faster than
/// time passes.
fn agree((since, before): (Instant, ClockTimes), shown: ClockTimes, at: Instant) -> bool {
    let passed = (at - since) / MS;
    Color::ALL.into_iter().all(|color| {
        let used = time_of(before, color) - time_of(shown, color);
        (-DEFECT_MS..=passed + DEFECT_MS).contains(&used)
    })
}

/// How a display disagrees with the time that passed since `start`, in which the time of `ran` ran.
fn disagreement(
    (since, before): (Instant, ClockTimes),
    shown: ClockTimes,
    ran: Color,
    control: Option<TimeControl>,
    at: Instant,
) -> Option<Wrong> {
    let step_ms = control.map_or(0, |control| control.step / MS);
    let of = |color: Color| {
        let passed = if color == ran { (at - since) / MS } else { 0 };
        let allowed = DEFECT_MS + passed * DEFECT_PERCENT / 100;
        let (before, shown) = (time_of(before, color), time_of(shown, color));
        let (least, most) = (before - passed, before - passed + step_ms);
        if shown < least.max(0) - allowed {
            Some(("too-fast", color, least))
        } else if shown > before + step_ms + allowed {
            Some(("time-came-back", color, most))
        } else if shown > most.max(0) + allowed.max(STUCK_MS) {
            Some(("too-slow", color, most))
        } else {
            None
        }
    };
    Color::ALL.into_iter().find_map(of)
}

/// The same where the clock said nothing for a while: both sides may have run, one after the other, and got what they
/// get for their moves. What neither shows alone is held against `ran`.
fn unheard(
    (since, before): (Instant, ClockTimes),
    shown: ClockTimes,
    ran: Color,
    control: Option<TimeControl>,
    at: Instant,
) -> Option<Wrong> {
    let passed = (at - since) / MS;
    let allowed = DEFECT_MS + passed * DEFECT_PERCENT / 100;
    let used = |color: Color| time_of(before, color) - time_of(shown, color);
    let both = used(Color::White) + used(Color::Black);
    let stepped = control.is_some_and(|control| control.step > 0);
    let fast = Color::ALL.into_iter().find(|color| used(*color) > passed + allowed);
    let back = Color::ALL.into_iter().find(|color| used(*color) < -allowed && !stepped);
    let left = |color: Color| time_of(before, color) - passed;
    match (fast, back) {
        (Some(color), _) => Some(("too-fast", color, left(color))),
        _ if both > passed + allowed => Some(("too-fast", ran, left(ran))),
        (None, Some(color)) => Some(("time-came-back", color, time_of(before, color))),
        (None, None) if both < passed - allowed.max(STUCK_MS) && !stepped => Some(("too-slow", ran, left(ran))),
        (None, None) => None,
    }
}

/// What one message of a clock brought.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClockNews {
    /// What is wrong with the clock.
    pub defect: Option<Draft>,
    /// Whose flags fell.
    pub fell: Vec<Seat>,
}

/// When a clock that is first seen to run began to, by the time that is gone: its first word may have been lost.
fn began(view: ClockView, at: Instant, control: Option<TimeControl>) -> Instant {
    let gone = |base: i64| Color::ALL.map(|color| (base - time_of(view.times, color)).max(0)).iter().sum::<i64>();
    let gone = control.map(|control| gone(control.base / MS)).filter(|gone| *gone <= UNHEARD_START_MS);
    at + -gone.unwrap_or(0) * MS
}

/// All boards' clocks have started: whether they started together (WBN 1.2).
pub fn uneven_start(watches: &[ClockWatch]) -> Option<Draft> {
    let starts: Option<Vec<Instant>> = watches.iter().map(ClockWatch::started).collect();
    let starts = starts.filter(|starts| starts.len() > 1)?;
    let (first, last) = (*starts.iter().min()?, *starts.iter().max()?);
    let late = starts.iter().position(|start| *start == last).and_then(BoardId::new);
    let evidence = json!({ "starts": starts, "skew_ms": (last - first) / MS });
    (last - first > UNEVEN_START_US).then(|| Draft::at(Kind::UnevenStart, late, evidence))
}

/// What is wrong with the times at the start of a game (WBN 1.15). A clock that gives an increment may show the first
/// one already, and one that has run for `ran` µs beside a board that was put right is not set wrongly.
fn wrong_times(rules: &RuleSet, board: BoardId, times: ClockTimes, control: TimeControl, ran: i64) -> Option<Draft> {
    let base = control.base / MS;
    let first = if control.mode == StepMode::Increment { control.step / MS } else { 0 };
    let wrong = |time: i64| time < base - ran / MS - SET_UP_MS || time > base + first + SET_UP_MS;
    let evidence = json!({ "shown": times, "expected_ms": base, "time_control": control.to_string() });
    let citation = (rules.law == RuleSet::FIDE_EXT.law).then_some(("FIDE", "6.10.2"));
    let draft = || Draft::at(Kind::WrongSetup, Some(board), evidence).reason("clock-times");
    let draft = || Draft { citation, window: Window::set_up(rules.law, board), ..draft() };
    (wrong(times.white_ms) || wrong(times.black_ms)).then(draft)
}

/// A player who must wait (WBN 9.4b).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Frozen {
    /// Who.
    pub seat: Seat,
    /// Since when.
    pub since: Instant,
    /// The player goes on when the own clock shows so much or less, in milliseconds.
    pub until_ms: Option<i64>,
    /// Without a clock: when the player goes on.
    pub until: Option<Instant>,
}

impl Frozen {
    /// Freezes a player for some seconds of the own time.
    pub fn new(seat: Seat, seconds: i64, clock: Option<ClockTimes>, now: Instant) -> Frozen {
        let until_ms = clock.map(|times| time_of(times, seat.color) - seconds * 1000);
        let until = clock.is_none().then(|| now + seconds * SECOND);
        Frozen { seat, since: now, until_ms, until }
    }

    /// Whether the player may go on.
    pub fn is_over(&self, clock: Option<ClockTimes>, now: Instant) -> bool {
        let shown = clock.map(|times| time_of(times, self.seat.color));
        let by_clock = self.until_ms.zip(shown).map(|(until, shown)| shown <= until);
        by_clock.unwrap_or_else(|| self.until.is_some_and(|until| now >= until))
    }

    /// The player completed a move: whether that was too early. `given_ms` is what the clock gives for a move.
    pub fn broken_by(&self, clock: Option<ClockTimes>, at: Instant, given_ms: i64) -> Option<Draft> {
        let shown = clock.map(|times| time_of(times, self.seat.color));
        let early = match self.until_ms.zip(shown) {
            Some((until, shown)) => shown - given_ms > until + FROZEN_MS,
            None => self.until.is_some_and(|until| at < until),
        };
        let evidence = json!({
            "frozen_at": self.since, "until_ms": self.until_ms, "until": self.until, "shown_ms": shown,
            "completed_at": at,
        });
        let seat = self.seat;
        early.then(|| Draft::of(Kind::MovedWhileFrozen, seat, evidence))
    }
}

#[cfg(test)]
mod tests;

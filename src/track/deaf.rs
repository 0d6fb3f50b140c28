//! The presses of a board while its clock was not heard.
//!
//! In: presses that were heard, whose men the squares showed to arrive, completed plies. Out: presses, with turns or
//! the completions of plies for those that nobody heard, and when that was. It knows no lines.

use super::{Completion, Press, board::BoardTrack, hindsight, past::Past, seen::Seen, turns};
use crate::types::Instant;

/// Stretches that are remembered.
pub(super) const DEAF_MAX: usize = 4;

/// A stretch of time in which no presses were heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deaf {
    /// The last press that was heard, or long ago.
    pub since: Instant,
    /// When a clock could be read again.
    pub until: Option<Instant>,
}

impl Deaf {
    const ALWAYS: Deaf = Deaf { since: Instant::LONG_AGO, until: None };

    /// Whether a press at this instant would not have been heard.
    pub fn covers(&self, at: Instant) -> bool {
        self.since < at && self.until.is_none_or(|until| at <= until)
    }
}

/// What completes plies.
pub(super) struct Presses {
    /// Presses that are old enough to tell, in order.
    pub old: Vec<Press>,
    /// Later ones.
    pub young: Vec<Press>,
    /// Until when the old ones are.
    pub until: Instant,
    /// When they are turns: no clock was heard.
    pub deaf: Option<Deaf>,
}

impl BoardTrack {
    /// Whether a clock is heard changes.
    pub fn set_completion(&mut self, completion: Completion, at: Instant) {
        let before = std::mem::replace(&mut self.completion, completion);
        if before == completion {
            return;
        }
        if before == Completion::Clock {
            let since = self.heard.back().map_or(Instant::LONG_AGO, |press| press.at);
            self.begin_deaf(Deaf { since, until: None });
        } else if completion == Completion::Clock && !self.is_unwatched() {
            self.end_deaf(at);
        }
        self.presses.clear();
        (self.rested_at, self.lifted_at) = (self.changed_at, Instant::LONG_AGO);
    }

    fn begin_deaf(&mut self, deaf: Deaf) {
        if self.deaf.is_full() {
            self.deaf.remove(0);
        }
        self.deaf.push(deaf);
    }

    /// A clock is heard again: nothing was missed if nothing was completed meanwhile.
    fn end_deaf(&mut self, at: Instant) {
        let open = self.deaf.last().is_some_and(|deaf| deaf.until.is_none());
        let deaf = if open { self.deaf.pop() } else { None }.unwrap_or(Deaf::ALWAYS);
        if self.past.last().is_some_and(|past| deaf.covers(past.completed_at)) {
            self.begin_deaf(Deaf { until: Some(at), ..deaf });
        }
    }

    /// The presses since an instant. Where no clock was heard turns stand for them, or where the sensors do not tell
    /// whose men they feel, the completions of the plies.
    pub(super) fn presses_since(&self, tail: &[Past], seen: &Seen<'_>, since: Instant, at: Instant) -> Presses {
        let completed = tail.last().map_or(since, |last| last.completed_at);
        let until = completed.max(at + -hindsight::LATE_US);
        let clock = self.completion == Completion::Clock;
        let unheard = |deaf: &Deaf| {
            let mut plies = tail.iter().enumerate();
            plies.any(|(index, past)| deaf.covers(past.completed_at) && !self.was_heard(past, tail.get(index + 1)))
        };
        let deaf = match clock {
            true => self.deaf.iter().copied().rfind(unheard),
            false => Some(self.deaf.last().copied().unwrap_or(Deaf::ALWAYS)),
        };
        let turns = deaf.and_then(|deaf| self.with_turns(deaf, seen, since, at));
        match turns {
            Some(mut presses) if !clock => {
                let old = presses.partition_point(|press| press.at <= completed);
                let until = if old == tail.len() { completed } else { at };
                presses.retain(|press| press.at <= until);
                Presses { old: presses, young: Vec::new(), until, deaf }
            }
            turns => {
                let told = turns.is_some();
                let presses = turns.unwrap_or_else(|| self.with_completions(deaf, tail, since));
                let (old, young) = presses.into_iter().partition(|press| press.at <= until);
                Presses { old, young, until, deaf: deaf.filter(|_| told) }
            }
        }
    }

    /// Whether a completed ply has its press, or its player pressed before the next one was completed.
    fn was_heard(&self, ply: &Past, next: Option<&Past>) -> bool {
        let until = next.map_or(Instant(i64::MAX), |next| next.completed_at);
        let own = |press: &Press| press.by == ply.before.turn() && ply.made_at <= press.at && press.at <= until;
        ply.clock.is_some() || self.heard.iter().any(own)
    }

    /// The presses since an instant with turns in place of those that no clock tells of, if the sensors know the
    /// colours of men. What its player still does after a press belongs to that.
    fn with_turns(&self, deaf: Deaf, seen: &Seen<'_>, since: Instant, at: Instant) -> Option<Vec<Press>> {
        let until = deaf.until.unwrap_or(at);
        let mut turns = turns::presses(seen.placement, &seen.lifted, deaf.since.max(since), until)?;
        let heard = self.heard.iter().filter(|press| since < press.at && !deaf.covers(press.at)).copied();
        let (mut presses, after): (Vec<Press>, Vec<Press>) = heard.partition(|press| press.at <= deaf.since);
        let still = |turn: &Press, last: &Press| turn.by == last.by && turn.at <= last.at + hindsight::LATE_US;
        if turns.first().zip(presses.last()).is_some_and(|(turn, last)| still(turn, last)) {
            turns.remove(0);
        }
        // The man had arrived before the clock was heard, and was pressed for after that.
        if turns.last().zip(after.first()).is_some_and(|(turn, next)| turn.by == next.by) {
            turns.pop();
        }
        presses.extend(turns);
        presses.extend(after);
        Some(presses)
    }

    /// The presses since an instant with the completions of plies up to where a clock is heard again.
    fn with_completions(&self, deaf: Option<Deaf>, tail: &[Past], since: Instant) -> Vec<Press> {
        let again = deaf.map_or(since, |deaf| deaf.until.unwrap_or(Instant(i64::MAX)));
        let completed = tail.iter().map(Past::press).filter(|press| press.at <= again);
        completed.chain(self.heard.iter().copied().filter(|press| press.at > again)).collect()
    }
}

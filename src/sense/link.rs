//! Whether a device speaks: from opened ports, arrivals and silence.

use serde::{Deserialize, Serialize};

use crate::types::{Instant, SECOND};

/// Whether a device speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LinkState {
    /// It answers.
    Up,
    /// The port is open and nothing comes.
    Silent,
    /// The port is gone.
    Down,
}

/// Silence after which a link counts as silent (`sensor protocol`: 3 s without any line).
pub const SILENT_AFTER_US: i64 = 3 * SECOND;

/// A device that was silent and answers so soon after it spoke again had been away; another had nothing to say.
const ANSWERS_US: i64 = 2 * SECOND;

/// The link of one device.
#[derive(Clone, Debug)]
pub struct Link {
    up: bool,
    last_rx: Option<Instant>,
    silent_at: Option<Instant>,
    silent: bool,
    away: Option<Away>,
    missed: Option<i64>,
}

/// A device of which nothing is heard.
#[derive(Clone, Copy, Debug)]
struct Away {
    since: Instant,
    /// Its port was gone, or it has never been heard.
    unplugged: bool,
    /// When it said something of its own accord.
    spoke: Option<Instant>,
}

impl Link {
    /// A port that is not open.
    pub fn down() -> Link {
        Link { up: false, last_rx: None, silent_at: None, silent: false, away: None, missed: None }
    }

    /// The port was opened or is gone.
    pub fn set(&mut self, at: Instant, up: bool) {
        let since = self.away.map_or(at, |away| away.since);
        let away = Some(Away { since, unplugged: true, spoke: None });
        *self = Link { up, silent_at: up.then(|| at + SILENT_AFTER_US), away, ..Link::down() };
    }

    /// Something readable came. Bytes of an open port imply that it is open.
    pub fn heard(&mut self, at: Instant) {
        (self.up, self.silent) = (true, false);
        (self.last_rx, self.silent_at) = (Some(at), Some(at + SILENT_AFTER_US));
        match &mut self.away {
            Some(away) if away.unplugged => self.end_absence(at),
            Some(away) => _ = away.spoke.get_or_insert(at),
            None => {}
        }
    }

    /// Something came that was asked for.
    pub fn answered(&mut self, at: Instant) {
        let lately = |away: &Away| away.spoke.is_none_or(|spoke| at - spoke <= ANSWERS_US);
        if self.away.as_ref().is_some_and(lately) {
            self.end_absence(at);
        }
        self.heard(at);
    }

    fn end_absence(&mut self, at: Instant) {
        self.missed = self.away.take().map(|away| at - away.since);
    }

    /// For how long the device was away, once after it is back. Silence alone does not tell: a board on which nothing
    /// is moved says nothing unless it is asked, and a capture may be of somebody who did not ask.
    pub fn take_missed(&mut self) -> Option<i64> {
        self.missed.take()
    }

    /// Notes silence when its time has come.
    pub fn advance(&mut self, at: Instant) {
        if self.silent_at.is_some_and(|deadline| at >= deadline) {
            self.silent = true;
            self.silent_at = None;
            let unheard = self.away.filter(|away| away.spoke.is_none());
            self.away = unheard.or(Some(Away { since: at, unplugged: false, spoke: None }));
        }
    }

    /// When silence would be noted.
    pub fn deadline(&self) -> Option<Instant> {
        self.silent_at
    }

    /// Whether the port is open.
    pub fn is_up(&self) -> bool {
        self.up
    }

    /// When something readable came last.
    pub fn last_rx(&self) -> Option<Instant> {
        self.last_rx
    }

    /// As messages say it: a device that never answered is silent.
    pub fn state(&self) -> LinkState {
        match (self.up, self.silent || self.last_rx.is_none()) {
            (false, _) => LinkState::Down,
            (true, true) => LinkState::Silent,
            (true, false) => LinkState::Up,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::MS;

    /// `up@0` the port was opened, `down@0` it is gone, `says@0` a message came that nobody asked for, `answers@0` one
    /// that was asked for, at so many milliseconds; tells for how many the device was away, each time that it is back.
    fn missed(script: &str) -> Vec<i64> {
        let mut link = Link::down();
        let mut missed = Vec::new();
        for word in script.split(' ') {
            let (what, at) = word.split_once('@').unwrap();
            let at = Instant(at.parse::<i64>().unwrap() * MS);
            link.advance(at);
            match what {
                "up" => link.set(at, true),
                "down" => link.set(at, false),
                "says" => link.heard(at),
                "answers" => link.answered(at),
                other => panic!("{other}"),
            }
            missed.extend(link.take_missed().map(|away| away / MS));
        }
        missed
    }

    #[test]
    fn silence_is_an_absence_only_if_somebody_asked() {
        let check = |script: &str, expect: &[i64]| assert_eq!(missed(script), expect, "{script}");
        check("up@0 answers@100 says@2000 says@4000", &[100]);
        // It had nothing to say, the second time, too, and is asked for all of it much later.
        check("up@0 answers@100 says@9000 says@20000 answers@22500", &[100]);
        // Silence counts from where it is noted.
        check("up@0 answers@100 answers@10000", &[100, 0]);
        check("up@0 answers@100 answers@3000 says@3100 down@4000 up@9000 answers@9500", &[100, 5500]);
        check("up@0 answers@100 down@5000 says@9000", &[100, 4000]);
    }

    #[test]
    fn a_change_before_the_answer_hides_no_absence() {
        let mut link = Link::down();
        link.set(Instant(0), true);
        link.answered(Instant(0));
        link.advance(Instant(3 * SECOND));
        assert_eq!((link.state(), link.take_missed()), (LinkState::Silent, Some(0)));
        link.heard(Instant(9 * SECOND));
        assert_eq!((link.state(), link.take_missed()), (LinkState::Up, None));
        link.answered(Instant(10 * SECOND));
        assert_eq!(link.take_missed(), Some(7 * SECOND));
    }
}

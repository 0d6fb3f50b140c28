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
/// So many answers one soon after the other are of a device that is asked all the time.
const REGULAR: u8 = 4;

/// The link of one device.
#[derive(Clone, Debug)]
pub struct Link {
    up: bool,
    last_rx: Option<Instant>,
    silent_at: Option<Instant>,
    silent: bool,
    away: Option<Away>,
    missed: Option<i64>,
    /// Nobody seems to ask it: its silence tells nothing.
    unasked: bool,
    /// The last answer, and how many came soon after one another.
    answers: Option<(Instant, u8)>,
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
        Link {
            up: false,
            last_rx: None,
            silent_at: None,
            silent: false,
            away: None,
            missed: None,
            unasked: true,
            answers: None,
        }
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
        self.unasked |= self.owes_answer(at);
        match &mut self.away {
            Some(away) if away.unplugged => self.end_absence(at),
            Some(away) => _ = away.spoke.get_or_insert(at),
            None => {}
        }
    }

    /// Something came that was asked for.
    pub fn answered(&mut self, at: Instant) {
        let soon = self.answers.filter(|(last, _)| at - *last <= ANSWERS_US);
        let count = soon.map_or(1, |(_, count)| count.saturating_add(1));
        self.answers = Some((at, count));
        if !self.owes_answer(at) {
            self.end_absence(at);
        }
        self.heard(at);
        self.unasked &= count < REGULAR;
    }

    /// Whether it was silent, has spoken since, and has not said what it is asked for then.
    fn owes_answer(&self, at: Instant) -> bool {
        self.away.and_then(|away| away.spoke).is_some_and(|spoke| at - spoke > ANSWERS_US)
    }

    fn end_absence(&mut self, at: Instant) {
        self.missed = self.away.take().map(|away| at - away.since).or(self.missed);
    }

    /// For how long the device was away, once after it is back. Silence alone does not tell: a board on which nothing
    /// is moved says nothing unless it is asked, and a capture may be of somebody who did not ask. That is seen from a
    /// board that has not yet given answers one soon after the other, or was silent, spoke and gave none; what it says
    /// for other reasons then ends no absence.
    pub fn take_missed(&mut self) -> Option<i64> {
        self.missed.take()
    }

    /// Notes silence when its time has come.
    pub fn advance(&mut self, at: Instant) {
        if self.silent_at.is_some_and(|deadline| at >= deadline) {
            self.silent = true;
            self.silent_at = None;
            self.unasked |= self.owes_answer(at);
            let unheard = self.away.filter(|away| away.spoke.is_none());
            let quiet = Away { since: at, unplugged: false, spoke: None };
            self.away = unheard.or((!self.unasked).then_some(quiet));
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
        let asked = "up@0 answers@100 answers@200 answers@300 answers@400";
        check(&format!("{asked} says@2000 says@4000"), &[100]);
        // It had nothing to say, the second time, too, and is asked for all of it much later.
        check(&format!("{asked} says@9000 says@20000 answers@22500"), &[100]);
        // Silence counts from where it is noted.
        check(&format!("{asked} answers@10000"), &[100, 0]);
        check(&format!("{asked} answers@3000 says@3100 down@4000 up@9000 answers@9500"), &[100, 5500]);
        check("up@0 answers@100 down@5000 says@9000", &[100, 4000]);
    }

    #[test]
    fn what_nobody_asked_for_ends_no_absence() {
        let check = |script: &str, expect: &[i64]| assert_eq!(missed(script), expect, "{script}");
        check("up@0 answers@100 answers@200 answers@300 answers@9000", &[100]);
        // It was asked when it was plugged in, and never again: it tells all of it now and then, once soon after
        // something else.
        let asked = "up@0 answers@100 answers@200 answers@300 answers@400";
        let unasked = format!("{asked} says@5000 says@9000 says@9900 answers@10500 says@20000 answers@21000");
        check(&unasked, &[100]);
        check(&format!("{unasked} answers@22000 answers@23000 answers@24000 answers@33000"), &[100, 0]);
    }

    #[test]
    fn a_change_before_the_answer_hides_no_absence() {
        let mut link = Link::down();
        link.set(Instant(0), true);
        (0..4).for_each(|_| link.answered(Instant(0)));
        link.advance(Instant(3 * SECOND));
        assert_eq!((link.state(), link.take_missed()), (LinkState::Silent, Some(0)));
        link.heard(Instant(9 * SECOND));
        assert_eq!((link.state(), link.take_missed()), (LinkState::Up, None));
        link.answered(Instant(10 * SECOND));
        assert_eq!(link.take_missed(), Some(7 * SECOND));
    }
}

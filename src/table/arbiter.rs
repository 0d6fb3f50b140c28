//! What only the arbiter may know, as one value: what is retained on `arbiter/state`.

use super::Table;
use crate::{
    event::{ArbiterState, Incident, IncidentState, VERSION, Whereabouts},
    referee::Place,
    table::settings::Adjudication,
};

/// Incidents that are shown: the open ones, and the last ones that were decided.
const DECIDED_MAX: usize = 20;

impl Table {
    /// Whether the arbiter's state has changed since this was asked last.
    pub fn arbiter_changed(&mut self) -> bool {
        std::mem::take(&mut self.judge.changed)
    }

    /// What the arbiter may know now.
    pub fn arbiter_state(&self) -> ArbiterState {
        let (play, referee) = (&self.play, &self.judge.referee);
        ArbiterState {
            v: VERSION,
            session: self.opening.session.clone(),
            table: self.settings.id.clone(),
            game: play.id.clone(),
            seq: self.incident.saturating_sub(1),
            t: self.now,
            time: self.time(self.now),
            status: play.status,
            result: play.result.clone(),
            reason: play.reason.clone(),
            half_points: self.judge.points(&play.result),
            ruleset: self.ruleset.to_string(),
            time_control: self.settings.time_control.clone(),
            adjudication: if self.settings.adjudication == Adjudication::Auto { "auto" } else { "advise" }.into(),
            freezing: self.ruleset.freezing().collect(),
            players: self.players.clone(),
            incidents: self.shown_incidents(),
            ledger: self.whereabouts(),
            restricted: referee.restricted.iter().map(|(seat, role, _)| (*seat, role.of(seat.color).char())).collect(),
            frozen: referee.frozen.iter().filter(|frozen| !self.thawed(frozen)).copied().collect(),
            offers: referee.offers.seats().to_vec(),
            flags: referee.fallen(),
            paused_since: self.judge.paused_since,
            boards: self.state().boards,
            rulings: self.judge.rulings.iter().cloned().collect(),
        }
    }

    fn thawed(&self, frozen: &crate::event::Frozen) -> bool {
        frozen.is_over(self.clock_view(frozen.seat.board).map(|view| view.times), self.now)
    }

    /// The open ones first, the last ones before the earlier ones.
    fn shown_incidents(&self) -> Vec<Incident> {
        let incidents = self.judge.referee.docket.entries().iter().rev().map(|entry| &entry.incident);
        let open = |incident: &&Incident| incident.state == IncidentState::Open;
        let decided = incidents.clone().filter(|incident| !open(incident)).take(DECIDED_MAX);
        incidents.filter(open).chain(decided).cloned().collect()
    }

    fn whereabouts(&self) -> Vec<Whereabouts> {
        let men = self.judge.referee.men.men().iter().filter(|man| !matches!(man.place, Place::Board(_)));
        let men = men.map(|man| Whereabouts {
            man: man.piece.char(),
            place: man.place.as_str().into(),
            seat: man.place.owner(),
            since: man.since,
            seen: man.seen,
        });
        let strays = self.judge.referee.men.strays().iter().map(|stray| Whereabouts {
            man: stray.piece.char(),
            place: "stray".into(),
            seat: Some(stray.seat),
            since: stray.since,
            seen: None,
        });
        men.chain(strays).collect()
    }
}

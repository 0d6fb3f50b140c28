//! The incidents of a game: which are open, who may claim them, and until when.
//!
//! In: drafts, completed moves, what people decide. Out: incidents as they change, each change once. It knows neither
//! why something is an incident nor what a claim makes of the game.

use serde_json::Value;

use super::{
    incident::{Grade, Incident, IncidentState, is_of_sight},
    kind::{Citation, Kind},
};
use crate::{
    rules::{Claims, FlagClaim, RuleSet},
    types::{BoardId, ByColor, Instant, Seat},
};

/// Incidents of one game that are remembered; the oldest decided one goes first.
const INCIDENTS_MAX: usize = 512;

/// Where the evidence of an incident says what has taken its ground away.
pub const WITHDRAWN: &str = "withdrawn_by";

/// What somebody noticed, not yet numbered.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// What it is.
    pub kind: Kind,
    /// How much it weighs.
    pub grade: Grade,
    /// The exact reason, if there are several.
    pub reason: String,
    /// The board, if one.
    pub board: Option<BoardId>,
    /// Who did it, if known.
    pub seat: Option<Seat>,
    /// Squares, slots, times.
    pub evidence: Value,
    /// Who may claim it.
    pub claimable_by: Vec<Seat>,
    /// When the claim lapses.
    pub window: Window,
    /// Law and article where the kind's own are not meant.
    pub citation: Option<Citation>,
}

/// When a claim lapses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// There is nothing to claim by time: open until decided.
    Game,
    /// When this seat, the opponent on the board, completes a move (WBN 1.14).
    Until(Seat),
    /// When the claimer completes a move after which the board is not mate any more (WBN 1.16).
    Mate(Seat),
    /// With the next move on the board (WBN 3.3).
    Position(BoardId),
    /// When each side has completed a move on the board (WBN 1.15): which sides have.
    FirstMoves(BoardId, ByColor<bool>),
}

impl Window {
    /// Of what is wrong with the set-up of a board. The FIDE extension sets no time.
    pub fn set_up(law: &str, board: BoardId) -> Window {
        match law {
            "WBN" | "CZ" => Window::FirstMoves(board, ByColor::default()),
            _ => Window::Game,
        }
    }

    /// Whether it closes as a seat completes a move, after which its opponent is mated or not.
    fn closes(&mut self, seat: Seat, mate: bool) -> bool {
        match self {
            Window::Game => false,
            Window::Until(claimer) => *claimer == seat,
            Window::Mate(claimer) => *claimer == seat && !mate,
            Window::Position(board) => *board == seat.board,
            Window::FirstMoves(board, moved) => {
                *moved.get_mut(seat.color) |= *board == seat.board;
                moved.white && moved.black
            }
        }
    }

    /// The window of an incident as its kind has it.
    fn of(kind: Kind, incident: &Incident) -> Window {
        let opponent = incident.seat.map(Seat::opponent).filter(|_| !incident.claimable_by.is_empty());
        let lapses = matches!(
            kind,
            Kind::IllegalMove | Kind::IncompleteCastling | Kind::Premove | Kind::HiddenDrop | Kind::RestrictedPieceUsed
        );
        match (kind, opponent, incident.board) {
            (Kind::Repetition, _, Some(board)) => Window::Position(board),
            (Kind::WrongSetup, _, Some(board)) => Window::set_up(&incident.law, board),
            (Kind::Checkmate, Some(winner), _) => Window::Mate(winner),
            (_, Some(claimer), _) if lapses => Window::Until(claimer),
            _ => Window::Game,
        }
    }
}

impl Draft {
    /// An incident of a seat, a warning for the arbiter.
    pub fn of(kind: Kind, seat: Seat, evidence: Value) -> Draft {
        Draft {
            kind,
            grade: Grade::Warning,
            reason: String::new(),
            board: Some(seat.board),
            seat: Some(seat),
            evidence,
            claimable_by: Vec::new(),
            window: Window::Game,
            citation: None,
        }
    }

    /// An incident that is nobody's.
    pub fn at(kind: Kind, board: Option<BoardId>, evidence: Value) -> Draft {
        Draft { board, seat: None, ..Draft::of(kind, BoardId::A.seat(crate::types::Color::White), evidence) }
    }

    /// The same with another weight.
    pub fn grade(self, grade: Grade) -> Draft {
        Draft { grade, ..self }
    }

    /// The same with a reason.
    pub fn reason(self, reason: impl Into<String>) -> Draft {
        Draft { reason: reason.into(), ..self }
    }

    /// The same, claimable within a window.
    pub fn claimable(self, by: Vec<Seat>, window: Window) -> Draft {
        Draft { claimable_by: by, window, ..self }
    }
}

/// Who may claim for a seat: the team (WBN 1.12), or the player alone (FIDE-ext 4.2).
pub fn claimers(rules: &RuleSet, boards: usize, seat: Seat) -> Vec<Seat> {
    side(boards, seat, rules.claims == Claims::Team)
}

/// Who may claim for a seat that the opponent's flag has fallen (WBN 7.8).
pub fn flag_claimers(rules: &RuleSet, boards: usize, seat: Seat) -> Vec<Seat> {
    side(boards, seat, rules.flag_claim != FlagClaim::Player)
}

fn side(boards: usize, seat: Seat, team: bool) -> Vec<Seat> {
    let partners = seat.partners(boards).filter(|_| team);
    std::iter::once(seat).chain(partners).collect()
}

/// An incident with what only the table needs to know of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// As published.
    pub incident: Incident,
    /// Its kind.
    pub kind: Kind,
    window: Window,
}

impl Entry {
    /// Whether nothing bears it out any more.
    pub fn is_withdrawn(&self) -> bool {
        self.incident.evidence.get(WITHDRAWN).is_some()
    }

    /// Whether it was what a draft says, however that was seen, until nothing bore it out any more.
    fn was_withdrawn(&self, draft: &Draft) -> bool {
        let incident = &self.incident;
        let same = self.kind == draft.kind && incident.seat == draft.seat && incident.board == draft.board;
        same && incident.reason == draft.reason && self.is_withdrawn() && {
            // What one of both does not know contradicts nothing.
            let agrees = |(key, value): (&String, &Value)| {
                let known = &incident.evidence[key.as_str()];
                is_of_sight(key) || value.is_null() || known.is_null() || known == value
            };
            draft.evidence.as_object().into_iter().flatten().all(agrees)
        }
    }

    /// Whether it is nobody's offence: anybody at the table may claim it (WBN 1.12).
    pub fn is_everybodys(&self) -> bool {
        self.incident.seat.is_none() && self.incident.claimable_by.is_empty()
    }

    /// Whether nobody has decided it and its time is not over.
    pub fn is_open(&self) -> bool {
        self.incident.state == IncidentState::Open
    }
}

/// The incidents of one game in the order in which they were noticed.
#[derive(Clone, Debug, Default)]
pub struct Docket {
    entries: Vec<Entry>,
}

impl Docket {
    /// Takes a draft in under a number; one that was withdrawn and is true after all under the number that it had.
    pub fn open(&mut self, id: u64, draft: Draft, rules: &RuleSet) -> Incident {
        if let Some(known) = self.entries.iter_mut().rfind(|entry| entry.was_withdrawn(&draft)) {
            known.incident.evidence.as_object_mut().map(|evidence| evidence.remove(WITHDRAWN));
            (known.incident.state, known.incident.claim_until) = (IncidentState::Open, None);
            return known.incident.clone();
        }
        let (law, article) = draft.citation.unwrap_or_else(|| draft.kind.citation(rules));
        let incident = Incident {
            id,
            kind: draft.kind.as_str().into(),
            grade: draft.grade,
            law: law.into(),
            article: article.into(),
            board: draft.board,
            seat: draft.seat,
            reason: draft.reason,
            evidence: draft.evidence,
            claimable_by: draft.claimable_by,
            claim_until: None,
            state: IncidentState::Open,
        };
        if self.entries.len() == INCIDENTS_MAX {
            let oldest = self.entries.iter().position(|entry| !entry.is_open()).unwrap_or(0);
            self.entries.remove(oldest);
        }
        self.entries.push(Entry { incident: incident.clone(), kind: draft.kind, window: draft.window });
        incident
    }

    /// Takes an incident in that was told before the daemon was started again.
    pub fn remember(&mut self, incident: Incident) {
        let Some(kind) = Kind::from_word(&incident.kind) else { return };
        let window = Window::of(kind, &incident);
        self.entries.retain(|entry| entry.incident.id != incident.id);
        self.entries.push(Entry { incident, kind, window });
        let over = self.entries.len().saturating_sub(INCIDENTS_MAX);
        self.entries.drain(..over);
    }

    /// All incidents of the game.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Open incidents.
    pub fn open_entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.is_open())
    }

    /// The incident with this number.
    pub fn get(&self, id: u64) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.incident.id == id)
    }

    /// How many incidents of some kinds a seat has that were not dismissed; notes do not count.
    pub fn count(&self, seat: Seat, kinds: &[Kind]) -> usize {
        self.counted(seat, kinds).count()
    }

    /// Those incidents.
    pub fn counted(&self, seat: Seat, kinds: &[Kind]) -> impl Iterator<Item = &Entry> {
        let counts = move |entry: &&Entry| {
            entry.incident.seat == Some(seat)
                && kinds.contains(&entry.kind)
                && entry.incident.grade != Grade::Note
                && entry.incident.state != IncidentState::Dismissed
        };
        self.entries.iter().filter(counts)
    }

    /// A seat completed a move: claims that lapse with it, as they are now.
    pub fn completed(&mut self, seat: Seat, mate: bool, at: Instant) -> Vec<Incident> {
        let mut lapsed = Vec::new();
        for entry in self.entries.iter_mut().filter(|entry| entry.is_open()) {
            if !entry.window.closes(seat, mate) {
                continue;
            }
            entry.incident.state = IncidentState::Lapsed;
            entry.incident.claim_until = Some(at);
            lapsed.push(entry.incident.clone());
        }
        lapsed
    }

    /// The claim of an incident had lapsed before it was noticed.
    pub fn lapse(&mut self, id: u64, at: Instant) -> Option<Incident> {
        let entry = self.entries.iter_mut().find(|entry| entry.incident.id == id)?;
        entry.incident.claim_until = Some(at);
        self.decide(id, IncidentState::Lapsed)
    }

    /// Time runs again: what was told of the pause is over.
    pub fn went_on(&mut self, at: Instant) -> Vec<Incident> {
        let mut lapsed = Vec::new();
        for entry in self.entries.iter_mut().filter(|entry| entry.is_open() && entry.kind == Kind::Paused) {
            entry.incident.state = IncidentState::Lapsed;
            entry.incident.claim_until = Some(at);
            lapsed.push(entry.incident.clone());
        }
        lapsed
    }

    /// Nothing bears an incident out any more: it is dismissed, and its evidence says by what.
    pub fn withdraw(&mut self, id: u64, by: &str) -> Option<Incident> {
        let entry = self.entries.iter_mut().find(|entry| entry.incident.id == id)?;
        if let Some(evidence) = entry.incident.evidence.as_object_mut() {
            evidence.insert(WITHDRAWN.into(), by.into());
        }
        self.decide(id, IncidentState::Dismissed)
    }

    /// Somebody decided an incident.
    pub fn decide(&mut self, id: u64, state: IncidentState) -> Option<Incident> {
        let entry = self.entries.iter_mut().find(|entry| entry.incident.id == id)?;
        entry.incident.state = state;
        Some(entry.incident.clone())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn seat(letter: &str) -> Seat {
        letter.parse().unwrap()
    }

    fn docket(window: Window) -> Docket {
        let mut docket = Docket::default();
        let draft = Draft::of(Kind::IllegalMove, seat("A"), json!({})).claimable(vec![seat("a")], window);
        docket.open(7, draft, &RuleSet::WBN_1_00);
        docket
    }

    #[test]
    fn a_claim_lapses_when_the_claimer_completes_a_move() {
        // WBN 1.14
        let mut docket = docket(Window::Until(seat("a")));
        for other in ["A", "B", "b"] {
            assert!(docket.completed(seat(other), false, Instant(1)).is_empty(), "{other}");
        }
        let lapsed = docket.completed(seat("a"), false, Instant(5));
        assert_eq!(
            (lapsed[0].id, lapsed[0].state, lapsed[0].claim_until),
            (7, IncidentState::Lapsed, Some(Instant(5)))
        );
        assert!(docket.completed(seat("a"), false, Instant(6)).is_empty(), "once");
    }

    #[test]
    fn mate_is_claimable_while_it_stands() {
        // WBN 1.16
        let mut docket = docket(Window::Mate(seat("a")));
        assert!(docket.completed(seat("A"), false, Instant(1)).is_empty(), "the mated player escapes illegally");
        assert!(docket.completed(seat("a"), true, Instant(2)).is_empty());
        assert_eq!(docket.completed(seat("a"), false, Instant(3)).len(), 1);
    }

    #[test]
    fn a_repetition_is_claimable_before_the_next_move_on_its_board() {
        // WBN 3.3
        let mut docket = docket(Window::Position(BoardId::A));
        assert!(docket.completed(seat("B"), false, Instant(1)).is_empty());
        assert_eq!(docket.completed(seat("A"), false, Instant(2)).len(), 1);
    }

    #[test]
    fn a_wrong_set_up_is_claimable_until_each_side_has_moved() {
        // WBN 1.15, CZ 1.15
        let mut docket = docket(Window::set_up("CZ", BoardId::A));
        for other in ["B", "b", "a", "a"] {
            assert!(docket.completed(seat(other), false, Instant(1)).is_empty(), "{other}");
        }
        assert_eq!(docket.completed(seat("A"), false, Instant(2)).len(), 1);
        assert_eq!(Window::set_up("FIDE-ext", BoardId::A), Window::Game);
    }

    #[test]
    fn the_team_claims_where_the_rule_set_says_so() {
        // WBN 1.12
        let check = |rules: &str, claims: &str, flags: &str| {
            let rules: RuleSet = rules.parse().unwrap();
            let letters = |seats: Vec<Seat>| seats.into_iter().map(Seat::letter).collect::<String>();
            let found = [claimers, flag_claimers].map(|who| letters(who(&rules, 2, seat("a"))));
            assert_eq!(found, [claims, flags], "{rules}");
        };
        check("wbn-1.00", "aB", "aB"); // WBN 1.12, WBN 7.8
        check("cz-2024.06", "aB", "aB"); // CZ 1.12, CZ 7.8
        check("fide-ext", "a", "a"); // FIDE-ext 4.2
        check("wbn-1.00,flag_claim=player", "aB", "a");
        check("wbn-1.00,claims=player", "a", "aB");
        check("fide-ext,flag_claim=team", "a", "aB");
    }

    #[test]
    fn what_is_remembered_is_bounded_and_open_incidents_stay() {
        let mut docket = docket(Window::Game);
        for id in 100..100 + INCIDENTS_MAX as u64 {
            docket.open(id, Draft::of(Kind::Displaced, seat("b"), json!({})), &RuleSet::WBN_1_00);
            docket.decide(id, IncidentState::Dismissed);
        }
        assert_eq!(docket.entries().len(), INCIDENTS_MAX);
        assert!(docket.get(7).is_some() && docket.get(100).is_none());
    }
}

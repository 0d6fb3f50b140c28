//! Incidents whose ground a correction of the record, or a move that was found late, has taken away.
//!
//! In: what the plies of a board were and what they are now. Out: incidents that are dismissed, and facts about the
//! position that are true only now. An incident that says what a sensor saw stays unless the new plies explain it. The
//! arbiter's own decisions stand.

use serde_json::Value;
use shakmaty::Move;

use super::{Table, history::Effect};
use crate::{
    event,
    notation::uci,
    referee::{Draft, Entry, HIDING, IncidentState, Kind, Turn},
    track::Completed,
    types::{BoardId, Instant, MS, Role, SECOND, Seat, Square},
};

/// How much a ply's completion may shift when it is read anew.
const SHIFT_US: i64 = SECOND;
/// How much one instant may differ where it was told by several starts: events have the time of day in milliseconds.
const ROUNDED_US: i64 = 5 * MS;
/// How much later than it landed a square may be read.
const SCAN_US: i64 = 300 * MS;
/// How long before its capture is made a man may come to a tray.
const EARLY_US: i64 = 3 * SECOND / 2;
/// Plies that are so new that the squares of castling show what it did.
const LAST_PLIES: usize = 2;
/// Hidings that make them repeated (WBN 1.8d).
const REPEATED: usize = 3;

/// The plies of a board before and after a correction.
#[derive(Clone, Copy)]
pub(super) struct Change<'a> {
    pub old: &'a [Effect],
    pub new: &'a [Effect],
}

impl Change<'_> {
    fn counts(&self, is: impl Fn(&Effect) -> bool) -> (usize, usize) {
        let count = |effects: &[Effect]| effects.iter().filter(|effect| is(effect)).count();
        (count(self.old), count(self.new))
    }

    /// Whether a ply of this kind is gone.
    fn lost(&self, is: impl Fn(&Effect) -> bool) -> bool {
        let (old, new) = self.counts(is);
        old > new
    }

    /// Whether a ply of this kind was found.
    fn gained(&self, is: impl Fn(&Effect) -> bool) -> bool {
        let (old, new) = self.counts(is);
        old < new
    }
}

/// What an incident's evidence names.
#[derive(Clone, Copy)]
struct Evidence<'a>(&'a Value);

impl Evidence<'_> {
    fn at(&self, key: &str) -> Option<Instant> {
        self.0.get(key)?.as_i64().map(Instant)
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.as_str()
    }

    fn seat(&self, key: &str) -> Option<Seat> {
        self.text(key)?.parse().ok()
    }

    fn role(&self) -> Option<Role> {
        self.text("man").and_then(|man| man.chars().next()).and_then(Role::from_char)
    }

    /// Men that stood elsewhere: from where, to where.
    fn ways(&self) -> Vec<(Square, Square)> {
        let men = self.0.get("men").and_then(Value::as_array).into_iter().flatten();
        let square = |man: &Value, key: &str| man.get(key)?.as_str()?.parse::<Square>().ok();
        men.filter_map(|man| Some((square(man, "from")?, square(man, "to")?))).collect()
    }

    /// Whether this names the ply by its squares.
    fn names_move(&self, effect: &Effect) -> bool {
        let from = effect.played.from().map(|square| square.to_string());
        from.as_deref() == self.text("from") && Some(&*uci::destination(effect.played).to_string()) == self.text("to")
    }

    /// Whether a man went over that this names, to this seat, about when the key says.
    fn names_capture(&self, effect: &Effect, to: &str, at: Option<&str>) -> bool {
        let Some(transfer) = effect.transfer else { return false };
        let when = at.is_none_or(|key| self.at(key).is_some_and(|at| near(effect.completed_at, at)));
        self.seat(to) == Some(transfer.to) && self.role() == Some(transfer.man.role) && when
    }
}

impl Table {
    /// Completed moves of a board were other ones: men are where the game has them now, incidents without ground are
    /// dismissed, and mate or repetition that stands now is told.
    pub(super) fn judge_revised(&mut self, board: BoardId, change: Change<'_>) {
        self.judge.referee.men.sync(&self.play.game, self.now);
        self.judge_trays();
        self.judge.referee.revised(board, &self.play.game);
        let turns = self.plies_of(board).rev().map(|entry| Turn::of(entry.event.seat, &entry.completed));
        let turns: Vec<Turn> = turns.collect();
        self.judge.referee.boards[board.index()].retold(turns);
        self.withdraw_where(|table, entry| table.is_groundless(entry, board, change));
        self.withdraw_repeated();
        self.tell_found(board, change);
        self.tell_position(board);
    }

    /// What the new plies say of the rules that the old ones did not: a restricted kind was dropped, a rook came late.
    fn tell_found(&mut self, board: BoardId, change: Change<'_>) {
        let known = |effect: &Effect, is: fn(&Effect) -> bool| {
            let same = |old: &&Effect| (old.seat, &old.played) == (effect.seat, &effect.played);
            change.old.iter().filter(same).any(is)
        };
        let found: Vec<&Effect> = change.new.iter().filter(|effect| !known(effect, |_| true)).collect();
        let plies: Vec<_> = found.iter().filter_map(|effect| self.ply_of(board, effect)).collect();
        self.consult(|referee, around, _| {
            let drop = |(completed, told): &(Completed, event::Move)| {
                referee.restricted_drop(told.seat, completed, None, around)
            };
            plies.iter().filter_map(drop).collect()
        });
        // A move that was legal may be illegal after other ones.
        let illegal = change.new.iter().filter(|effect| effect.illegal && !known(effect, |old| old.illegal));
        let illegal = illegal.filter_map(|effect| self.ply_of(board, effect));
        let illegal: Vec<(Completed, event::Move)> =
            illegal.filter(|(completed, told)| !self.is_illegal_unseen(told.seat, completed)).collect();
        let last: Vec<Completed> =
            self.plies_of(board).rev().take(LAST_PLIES).map(|entry| entry.completed.clone()).collect();
        for completed in last {
            let castled = |effect: &&&Effect| effect.completed_at == completed.completed_at;
            let Some(seat) = found.iter().find(castled).map(|effect| effect.seat) else { continue };
            let told = |entry: &Entry| entry.kind == Kind::IncompleteCastling && entry.incident.seat == Some(seat);
            if self.judge.referee.docket.entries().iter().any(|entry| told(entry) && !entry.is_withdrawn()) {
                continue;
            }
            self.judge.referee.boards[board.index()].castled_anew(seat, &completed);
        }
        illegal.into_iter().for_each(|(completed, told)| self.tell_illegal(&completed, &told));
    }

    /// A ply as the record has it now and as it was told.
    fn ply_of(&self, board: BoardId, effect: &Effect) -> Option<(Completed, event::Move)> {
        let ply = self.plies_of(board).find(|entry| {
            let completed = &entry.completed;
            (completed.completed_at, completed.played) == (effect.completed_at, effect.played)
        })?;
        Some((ply.completed.clone(), ply.event.clone()))
    }

    /// An illegal move that was found late: the time to claim it is over with the opponent's next move.
    fn tell_illegal(&mut self, completed: &Completed, event::Move { seat, san, .. }: &event::Move) {
        let (board, at, seat) = (completed.board, completed.completed_at, *seat);
        let replied =
            self.plies_of(board).find(|entry| entry.event.seat == seat.opponent() && entry.completed.completed_at > at);
        let reply = replied.map(|entry| entry.completed.completed_at);
        let before = self.judge.referee.docket.entries().len();
        self.consult(|referee, _, sights| {
            let draft = referee.judge_move(&sights[board.index()], seat, completed, san, false);
            draft.into_iter().collect()
        });
        // Nothing may have been told: then nothing lapses.
        let told = self.judge.referee.docket.entries().get(before).map(|entry| entry.incident.id);
        let lapsed = told.zip(reply).and_then(|(id, at)| self.judge.referee.docket.lapse(id, at));
        lapsed.into_iter().for_each(|incident| self.tell(incident));
    }

    /// Whether nothing is left of what an incident said.
    fn is_groundless(&self, entry: &Entry, board: BoardId, change: Change<'_>) -> bool {
        let (incident, evidence) = (&entry.incident, Evidence(&entry.incident.evidence));
        let here = incident.board == Some(board);
        let seat = |effect: &Effect| incident.seat == Some(effect.seat);
        let completed = |key: &str| {
            let at = evidence.at(key);
            move |effect: &Effect| at.is_some_and(|at| near(effect.completed_at, at))
        };
        match entry.kind {
            Kind::IllegalMove => {
                here && match evidence.at("completed_at") {
                    Some(at) => !self.is_illegal_at(board, at),
                    None => change.gained(|effect| seat(effect) && evidence.names_move(effect)),
                }
            }
            Kind::IncompleteCastling => {
                let then = completed("completed_at");
                here && change.lost(|effect| then(effect) && is_castling(effect.played))
            }
            Kind::Checkmate => here && entry.is_open() && self.play.game.loser(board).is_none(),
            Kind::Repetition => here && entry.is_open() && self.play.game.occurrences(board) < self.ruleset.repetition,
            Kind::NotPassed => change.lost(|effect| evidence.names_capture(effect, "pocket_of", Some("captured_at"))),
            Kind::EarlyPass => change.lost(|effect| evidence.names_capture(effect, "pocket_of", Some("completed_at"))),
            Kind::WrongPocket => {
                change.lost(|effect| evidence.names_capture(effect, "belongs_to", None))
                    || change.gained(|effect| evidence.names_capture(effect, "pocket_of", None))
            }
            Kind::ForeignPiece => change.gained(|effect| evidence.names_capture(effect, "pocket_of", None)),
            Kind::Concealed => self.has_landed(evidence, incident.seat, change) || was_another(evidence, change),
            Kind::HiddenDrop | Kind::RestrictedPieceUsed => {
                change.lost(|effect| seat(effect) && drops(effect, evidence.role(), evidence.text("to")))
            }
            Kind::Premove => {
                let made = evidence.text("move");
                made.is_some_and(|made| change.lost(|effect| seat(effect) && uci::write(effect.played) == made))
            }
            Kind::Displaced => {
                let ways = evidence.ways();
                let is = |effect: &Effect| {
                    let from = effect.played.from();
                    ways.iter().any(|(left, to)| from == Some(*left) && uci::destination(effect.played) == *to)
                };
                let back = |effect: &Effect| {
                    let to = uci::destination(effect.played);
                    ways.iter().any(|(left, stands)| effect.played.from() == Some(*stands) && to == *left)
                };
                here && (change.gained(is) || change.lost(back))
            }
            Kind::ClockWithoutMove => {
                let then = completed("pressed_at");
                let answered = change.gained(|effect| seat(effect) && then(effect));
                answered || here && evidence.at("pressed_at").is_some_and(|at| self.had_moved(board, incident.seat, at))
            }
            Kind::MovedWhileFrozen => {
                let then = completed("completed_at");
                change.lost(|effect| seat(effect) && then(effect))
            }
            _ => false,
        }
    }

    /// Whether a seat had made the last move before some instant: it only pressed back what the other one had pressed.
    fn had_moved(&self, board: BoardId, seat: Option<Seat>, at: Instant) -> bool {
        let last = self.plies_of(board).rfind(|entry| entry.completed.completed_at < at);
        last.is_some_and(|entry| Some(entry.event.seat) == seat)
    }

    /// Whether an illegal move was completed then: the record has it, or it was taken back.
    fn is_illegal_at(&self, board: BoardId, at: Instant) -> bool {
        let then = |other: Instant| (other - at).abs() <= ROUNDED_US;
        self.play.taken_back.iter().any(|(on, taken)| *on == board && then(*taken))
            || self
                .plies_of(board)
                .any(|entry| !entry.completed.illegal.is_empty() && then(entry.completed.completed_at))
    }

    /// Whether a man that was out of its pocket was on its way to a square, as the record has it now.
    fn has_landed(&self, evidence: Evidence<'_>, seat: Option<Seat>, change: Change<'_>) -> bool {
        let Some(since) = evidence.at("since") else { return false };
        let until = since + self.judge.referee.graces.lift + SHIFT_US;
        // Its wait may have begun anew, as long as it seemed to be on the board.
        let left = evidence.at("last_seen").map_or(since, |left| left.min(since));
        let then = |effect: &Effect| (left + -SCAN_US..=until).contains(&effect.made_at);
        change.gained(|effect| seat == Some(effect.seat) && drops(effect, evidence.role(), None) && then(effect))
    }

    /// An incident that nothing bears out any more; its evidence says why.
    fn withdraw(&mut self, id: u64) {
        let withdrawn = self.judge.referee.docket.withdraw(id, "correction");
        withdrawn.into_iter().for_each(|incident| self.tell(incident));
    }

    /// The sides of a board's clock were mistaken: who pressed for nothing did not, or was the other player.
    pub(super) fn withdraw_presses(&mut self, board: BoardId) {
        self.judge.referee.revised(board, &self.play.game);
        self.withdraw_where(|_, entry| entry.kind == Kind::ClockWithoutMove && entry.incident.board == Some(board));
    }

    /// A press that was told to be for nothing has completed a move, which was found later.
    pub(super) fn withdraw_answered(&mut self, seat: Seat, pressed_at: Instant) {
        self.withdraw_where(|_, entry| {
            let told = Evidence(&entry.incident.evidence).at("pressed_at");
            let same = told.is_some_and(|told| (told - pressed_at).abs() <= ROUNDED_US);
            entry.kind == Kind::ClockWithoutMove && entry.incident.seat == Some(seat) && same
        });
    }

    /// Withdraws those incidents among them that nobody has decided, also where the time to claim is over.
    fn withdraw_where(&mut self, gone: impl Fn(&Table, &Entry) -> bool) {
        let undecided =
            |entry: &&Entry| !matches!(entry.incident.state, IncidentState::Dismissed | IncidentState::Claimed);
        let entries = self.judge.referee.docket.entries().iter().filter(undecided);
        let gone: Vec<u64> = entries.filter(|entry| gone(self, entry)).map(|entry| entry.incident.id).collect();
        gone.into_iter().for_each(|id| self.withdraw(id));
    }

    /// Who has hidden men less than three times has not done so repeatedly (WBN 1.8d).
    pub(super) fn withdraw_repeated(&mut self) {
        let docket = &self.judge.referee.docket;
        let few = |entry: &&Entry| {
            let seat = entry.incident.seat.filter(|_| entry.kind == Kind::RepeatedlyHiding);
            seat.is_some_and(|seat| docket.count(seat, HIDING) < REPEATED)
        };
        let gone: Vec<u64> = docket.open_entries().filter(few).map(|entry| entry.incident.id).collect();
        gone.into_iter().for_each(|id| self.withdraw(id));
    }

    /// Mate and repetition that the corrected record has, unless they are told or decided already.
    fn tell_position(&mut self, board: BoardId) {
        let Some(at) = self.plies_of(board).next_back().map(|entry| entry.completed.completed_at) else { return };
        let drafts = self.judge.referee.position(board, &self.play.game, at);
        let docket = &self.judge.referee.docket;
        let told = |draft: &Draft| {
            let same = |entry: &&Entry| entry.kind == draft.kind && entry.incident.board == draft.board;
            let stands = |entry: &Entry| entry.incident.state != IncidentState::Lapsed && !entry.is_withdrawn();
            docket.entries().iter().filter(same).any(stands)
        };
        let drafts: Vec<Draft> = drafts.into_iter().filter(|draft| !told(draft)).collect();
        self.report(drafts);
    }
}

/// Whether a man that was out of its pocket was never captured, or what came back may be one that was captured
/// meanwhile.
fn was_another(evidence: Evidence<'_>, change: Change<'_>) -> bool {
    let captured = |until: Instant| {
        move |effect: &Effect| effect.made_at <= until && evidence.names_capture(effect, "pocket_of", None)
    };
    let this = |effect: &Effect| evidence.names_capture(effect, "pocket_of", Some("captured_at"));
    let never = evidence.at("captured_at").is_none() || change.lost(this);
    let never = never && evidence.at("since").is_some_and(|since| change.lost(captured(since)));
    never || evidence.at("back_at").is_some_and(|back| change.gained(captured(back + EARLY_US)))
}

fn near(at: Instant, other: Instant) -> bool {
    (at - other).abs() <= SHIFT_US
}

/// Whether a ply is castling, or a king that went as in castling.
fn is_castling(played: Move) -> bool {
    let leapt = |from: Square| from.rank() == played.to().rank() && from.distance(played.to()) == 2;
    matches!(played, Move::Castle { .. }) || played.role() == Role::King && played.from().is_some_and(leapt)
}

/// Whether a ply drops a man of this kind, on this square if one is named.
fn drops(effect: &Effect, role: Option<Role>, square: Option<&str>) -> bool {
    let Move::Put { role: dropped, to } = effect.played else { return false };
    Some(dropped) == role && square.is_none_or(|square| square == to.to_string())
}

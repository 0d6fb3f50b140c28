//! Offences of hands: men hidden, clocks misused. Illegal moves come with the plies.

use rand::{Rng, seq::IndexedRandom};
use serde_json::json;

use crate::{
    event::Request,
    simulate::{
        offence::{Offence, Offended},
        world::Action,
    },
    types::{BoardId, Color, Instant, MS, Piece, SECOND, Seat},
    wire::bslp::Button,
};

use super::{
    Allowed, Asked, Hands, Held, Motion, Ply, Spent, Timing,
    habit::Habit,
    motion::{Displaced, targets},
    pass::REACH,
    profile::draw,
};

/// How long a man is hidden, longer than any grace, in ms.
const HIDDEN: std::ops::RangeInclusive<i64> = 6000..=9000;
/// How long a man must stand beside its square to be an offence: hands are given time.
const NEGLECTED: i64 = 4500 * MS;
/// What counts as hiding.
const HIDING: [Offence; 3] = [Offence::Concealed, Offence::HiddenDrop, Offence::RestrictedPiece];
/// How long after a press the arbiter orders something.
const ORDERED: i64 = 150 * MS;
/// Plies after an order in which it is broken.
const RESTRICTED_PLIES: usize = 12;
/// How long clocks rest, in ms.
const PAUSED: std::ops::RangeInclusive<i64> = 3000..=8000;
/// Plies of the table that may be made while a man is hidden.
const HIDDEN_PLIES: usize = 16;
/// Plies of a seat in which it must not need a man that is hidden.
const NOT_NEEDED: usize = 3;
/// How long before the press a man must be passed to be early: clocks and trays are read one after the other.
const PASSED_EARLY: i64 = 800 * MS;
/// What is claimed that is not so.
const CLAIMS: [&str; 3] = ["illegal-move", "flag-fall", "checkmate"];
/// Plies that are played yet after a claim.
const CLAIMED_PLIES: usize = 4;
/// By how much a defective clock jumps, in ms.
const JUMP: std::ops::RangeInclusive<i64> = 15_000..=30_000;

/// A captured man that its capturer keeps.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    pub by: Seat,
    pub man: Piece,
    /// Own plies of the capturer until it is passed.
    pub plies: u32,
}

impl Hands<'_> {
    /// The habit that is an offence if it is forced.
    pub(super) fn forced_by(offence: Option<Offence>) -> Option<Habit> {
        match offence? {
            Offence::ClockWithoutMove => Some(Habit::PressEmpty),
            Offence::Premove => Some(Habit::PremoveBack),
            Offence::Displaced => Some(Habit::Displaced),
            _ => None,
        }
    }

    /// Books an offence of a seat.
    pub(super) fn offended(&mut self, kind: &str, reason: &str, seat: Seat, t: Instant) {
        if HIDING.iter().any(|hiding| hiding.kind() == kind) {
            // The third time is one more incident.
            let kind = Offence::RepeatedlyHiding.kind().to_owned();
            let allowed = Allowed { kind, board: seat.board, seat: Some(seat), ply: self.number, t };
            self.truth.allowed_incidents.push(allowed);
        }
        let (kind, reason, ply) = (kind.to_owned(), reason.to_owned(), self.number);
        self.truth.offences.push(Offended { kind, reason, board: seat.board, seat, ply, t });
    }

    /// Commits what belongs to a completed ply. True if it was done.
    pub(super) fn commit(&mut self, offence: Offence, ply: &Ply, motion: &Motion, timing: &Timing) -> bool {
        let seat = ply.seat;
        if let Some(habit) = Self::forced_by(Some(offence)) {
            let shown = motion.tags.contains(&habit.name());
            if shown && habit == Habit::PressEmpty {
                let (empty, _) = timing.empty.unwrap_or((timing.press, timing.press));
                self.offended(offence.kind(), "", seat, empty);
            }
            return shown;
        }
        match offence {
            // Books itself where the man is dropped, or the clock pressed.
            Offence::RestrictedPiece | Offence::MovedWhileFrozen => false,
            Offence::Concealed => self.conceal(seat, timing.press),
            Offence::RepeatedlyHiding => {
                // The second and third time follow as soon as there is something to hide.
                let begun = self.hiding.is_none() && self.conceal(seat, timing.press);
                if begun {
                    self.hiding = Some((seat, 2));
                }
                begun
            }
            Offence::ForeignPiece => self.smuggle(seat, timing.press),
            Offence::Paused => self.pause(seat),
            Offence::ClockDefect => self.jump(seat.opponent(), timing.press),
            Offence::ClockSlow => self.stand_still(ply, self.boards[seat.board.index()].since),
            Offence::WrongClaim | Offence::EmptyClaim => self.claim(offence, seat, timing.press),
            Offence::NotYourTurn => self.move_again(ply, timing.press),
            Offence::IncompleteCastling if motion.tags.contains(&offence.kind()) => {
                self.offended(offence.kind(), "", seat, timing.press);
                true
            }
            _ => false,
        }
    }

    /// Men that stood beside their squares until now: long enough to be an offence (WBN 6.4)?
    pub(super) fn book_displaced(&mut self, put_right: &[Displaced], until: Instant) {
        for displaced in put_right {
            let Some((ply, since)) = displaced.offence.filter(|(_, since)| until - *since >= NEGLECTED) else {
                continue;
            };
            let seat = self.seat_of(displaced.board, ply);
            let kind = Offence::Displaced.kind().to_owned();
            let (reason, board) = (String::new(), displaced.board);
            self.truth.offences.push(Offended { kind, reason, board, seat, ply, t: since });
        }
    }

    /// Who made a ply of a board.
    fn seat_of(&self, board: BoardId, ply: u32) -> Seat {
        board.seat(Color::from_white(ply % 2 == 1))
    }

    /// What the opponent or the arbiter must have ordered before it can be an offence. True if it was.
    pub(super) fn ask_arbiter(&mut self, offence: Offence, index: usize, spent: Spent, timing: &Timing) -> bool {
        let seat = self.plies[index].seat;
        let since = self.boards[seat.board.index()].since;
        match offence {
            Offence::MovedWhileFrozen => {
                let t = since + ORDERED;
                let possible = t + ORDERED < timing.press && timing.empty.is_none();
                if possible {
                    let seconds = spent.used / SECOND + 10;
                    self.ask(t, "penalty", json!({ "kind": "freeze", "seat": seat, "seconds": seconds }));
                    self.offended(offence.kind(), "", seat, timing.press);
                }
                possible
            }
            Offence::RestrictedPiece => {
                let later = self.plies[index + 1..].iter().take(RESTRICTED_PLIES);
                let Some(drop) = later.into_iter().find(|ply| ply.seat != seat && ply.from.is_none()) else {
                    return false;
                };
                let (man, owner) = (drop.man, drop.seat);
                self.restricted.push((owner, man));
                self.ask(timing.press, "invisible", json!({ "seat": owner, "piece": man.role.upper_char() }));
                true
            }
            _ => false,
        }
    }

    pub(super) fn ask(&mut self, t: Instant, verb: &str, data: serde_json::Value) {
        let request = Request { verb: verb.into(), data, transaction: None, by: Some("arbiter".into()) };
        self.truth.requests.push(Asked { t, request });
    }

    /// Goes on with what takes several plies.
    pub(super) fn keep_offending(&mut self, ply: &Ply, since: Instant) {
        if let Some((seat, times)) = self.hiding.filter(|(seat, _)| *seat == ply.seat.opponent())
            && self.conceal(seat, since)
        {
            self.hiding = (times > 1).then_some((seat, times - 1));
            if times == 1 {
                self.offended(Offence::RepeatedlyHiding.kind(), "", seat, since);
            }
        }
        let mut due = Vec::new();
        self.kept.retain_mut(|kept| {
            let own = kept.by == ply.seat;
            kept.plies = kept.plies.saturating_sub(u32::from(own));
            let over = kept.plies == 0;
            if over {
                due.push(*kept);
            }
            !over
        });
        for kept in due {
            self.offended(Offence::NotPassed.kind(), "", kept.by, since);
            let at = since + draw(&mut self.rng, &HIDDEN);
            self.hand_over(kept.by, kept.man, at);
        }
    }

    /// A man that goes into the partner's tray at last.
    fn hand_over(&mut self, by: Seat, man: Piece, at: Instant) {
        let Some(partner) = by.partners(self.boards.len()).next() else { return };
        if let Some(slot) = self.free_slot(partner, at) {
            self.act(at, Action::PlaceSlot(partner, slot, man));
        }
    }

    /// What is done with a captured man against the laws. True if it was done.
    pub(super) fn hide(
        &mut self,
        offence: Offence,
        index: usize,
        (man, taken): (Piece, Instant),
        timing: &Timing,
    ) -> bool {
        let seat = self.plies[index].seat;
        let Some(partner) = seat.partners(self.boards.len()).next().filter(|seat| seat.color == man.color) else {
            return false;
        };
        let at = timing.press + self.draw(|profile| &profile.pass);
        let has = self.world.tray(partner).contains(&Some(man));
        match offence {
            Offence::NotPassed => {
                let Some(next) = self.plies[index + 1..].iter().position(|ply| ply.seat == seat) else { return false };
                let until = (index + 1 + next + 4).min(self.plies.len());
                // Of two men of a kind nobody could tell which one came late.
                let takes_again = self.plies[index + 1 + next].captured.is_some();
                if has || takes_again || self.plies[index + 1..until].iter().any(|ply| drops(ply, partner, man)) {
                    return false;
                }
                self.kept.push(Kept { by: seat, man, plies: 2 });
            }
            Offence::HiddenDrop => {
                let mut own = self.plies[index + 1..].iter().filter(|ply| ply.seat == partner).take(4);
                if has || !own.any(|ply| drops(ply, partner, man)) {
                    return false;
                }
                self.players[partner.index()].held.push(Held { man, since: at, hidden: true });
                self.allow(Offence::NotPassed.kind(), &self.plies[index], at);
            }
            Offence::EarlyPass => {
                let early = taken + REACH;
                let slot = self.free_slot(partner, early).filter(|_| timing.press - early >= PASSED_EARLY);
                let Some(slot) = slot else { return false };
                self.act(early, Action::PlaceSlot(partner, slot, man));
                self.offended(offence.kind(), "", seat, timing.press);
            }
            Offence::WrongPocket => {
                let wrong = if self.rng.random() { seat } else { partner.opponent() };
                let back = at + draw(&mut self.rng, &(2000..=6000));
                let Some(slot) = self.free_slot(wrong, at) else { return false };
                self.act(at, Action::PlaceSlot(wrong, slot, man));
                self.act(back, Action::LiftSlot(wrong, slot));
                let right = back + draw(&mut self.rng, &(300..=900));
                self.hand_over(seat, man, right);
                self.allow(Offence::NotPassed.kind(), &self.plies[index], at);
                self.offended(offence.kind(), "", seat, at);
            }
            _ => return false,
        }
        true
    }

    /// A man that the seat does not need soon leaves its tray and comes back long after.
    fn conceal(&mut self, seat: Seat, since: Instant) -> bool {
        let at = since + draw(&mut self.rng, &(100..=500));
        let played = self.truth.moves.len();
        let needed: Vec<Piece> = self.plies[played..]
            .iter()
            .filter(|ply| ply.seat == seat)
            .take(NOT_NEEDED)
            .filter(|ply| ply.from.is_none())
            .map(|ply| ply.man)
            .collect();
        // Of a man that comes meanwhile and one that is gone nobody could tell which is missing.
        let partners: Vec<Seat> = seat.partners(self.boards.len()).collect();
        let coming = |ply: &Ply| partners.contains(&ply.seat) && ply.captured.is_some();
        if self.plies[played..].iter().take(HIDDEN_PLIES).any(coming) {
            return false;
        }
        let tray = self.world.tray(seat);
        let idle = |slot: &usize| {
            tray[*slot].is_some_and(|man| !needed.contains(&man)) && self.marks.slot(seat, *slot) + SECOND < at
        };
        let idle: Vec<usize> = (0..tray.len()).filter(idle).collect();
        let Some((slot, man)) = idle.choose(&mut self.rng).and_then(|slot| Some((*slot, tray[*slot]?))) else {
            return false;
        };
        let back = at + draw(&mut self.rng, &HIDDEN);
        self.act(at, Action::LiftSlot(seat, slot));
        self.act(back, Action::PlaceSlot(seat, slot, man));
        self.offended(Offence::Concealed.kind(), "", seat, at);
        true
    }

    /// A man that no board has lost lies in the own tray.
    fn smuggle(&mut self, seat: Seat, since: Instant) -> bool {
        let at = since + draw(&mut self.rng, &(200..=1000));
        let roles = [crate::types::Role::Knight, crate::types::Role::Bishop, crate::types::Role::Rook];
        let role = *roles.choose(&mut self.rng).unwrap_or(&roles[0]);
        let Some(slot) = self.free_slot(seat, at) else { return false };
        self.act(at, Action::PlaceSlot(seat, slot, Piece { color: seat.color, role }));
        self.offended(Offence::ForeignPiece.kind(), "", seat, at);
        true
    }

    /// A clock shows another time than it should while it runs.
    fn jump(&mut self, seat: Seat, since: Instant) -> bool {
        let at = since + SECOND;
        let by = draw(&mut self.rng, &JUMP);
        let back = self.rng.random() || self.world.clock(seat.board).left(seat.color, at) < 3 * by;
        self.act(at, Action::Jump(seat, if back { by } else { -by }));
        self.offended(Offence::ClockDefect.kind(), "", seat, at);
        true
    }

    /// A player claims what is not so. True if it was done.
    fn claim(&mut self, offence: Offence, seat: Seat, press: Instant) -> bool {
        // A mate that comes meanwhile would make the claim right.
        let ends_soon = self.truth.moves.len() + CLAIMED_PLIES > self.plies.len();
        // Whoever has anything to claim claims that with the button.
        let note = |fact: &Allowed| fact.kind == Offence::HiddenDrop.kind();
        let own = |fact: &Allowed| fact.seat.is_some_and(|by| by.team() == seat.team());
        let claims = self.truth.allowed_incidents.iter().any(|fact| !note(fact) && !own(fact));
        if ends_soon || !self.truth.offences.is_empty() || offence == Offence::EmptyClaim && (claims || !self.buttons) {
            return false;
        }
        let at = press + draw(&mut self.rng, &(200..=1500));
        match offence {
            Offence::EmptyClaim => self.act(at, Action::Button(seat, Button::Claim)),
            _ => {
                let kind = CLAIMS.choose(&mut self.rng).copied().unwrap_or(CLAIMS[0]);
                self.ask(at, "claim", json!({ "kind": kind, "by": seat }));
            }
        }
        self.offended(offence.kind(), offence.word(), seat, at);
        true
    }

    /// Who has moved moves another man, sees that it is the opponent's turn and takes that back. True if it was done.
    fn move_again(&mut self, ply: &Ply, press: Instant) -> bool {
        let (seat, board) = (ply.seat, ply.seat.board);
        let at = press.max(self.players[seat.index()].busy) + draw(&mut self.rng, &(1500..=3000));
        let Some((from, man)) = self.idle_man(seat, at).filter(|(from, _)| *from != ply.to) else { return false };
        let free = targets(&self.world, board, from).into_iter();
        let free = free.filter(|to| from.distance(*to) > 1 && self.world.free(board, *to) && !ply.touches(*to));
        let Some(to) = free.collect::<Vec<_>>().choose(&mut self.rng).copied() else { return false };
        let down = at + draw(&mut self.rng, &(200..=500));
        let taken = down + draw(&mut self.rng, &(5000..=7000));
        let back = taken + draw(&mut self.rng, &(200..=500));
        self.act(at, Action::Lift(board, from));
        self.act(down, Action::Place(board, to, man));
        self.act(taken, Action::Lift(board, to));
        self.act(back, Action::Place(board, from, man));
        for player in [seat, seat.opponent()] {
            let busy = &mut self.players[player.index()].busy;
            *busy = (back + SECOND).max(*busy);
        }
        self.offended(Offence::NotYourTurn.kind(), Offence::NotYourTurn.word(), seat, down);
        true
    }

    /// All clocks rest after everything that was begun.
    fn pause(&mut self, seat: Seat) -> bool {
        let over = self.steps.iter().map(|step| step.at).max().unwrap_or_default() + 200 * MS;
        let length = draw(&mut self.rng, &PAUSED);
        for board in BoardId::first(self.boards.len()) {
            self.act(over, Action::Pause(board));
            self.act(over + length, Action::Resume(board));
            self.boards[board.index()].paused += length;
        }
        self.players.iter_mut().for_each(|player| player.busy = player.busy.max(over + length + 300 * MS));
        self.offended(Offence::Paused.kind(), "", seat, over);
        true
    }
}

/// Whether a ply is a drop of this man by a seat.
fn drops(ply: &Ply, seat: Seat, man: Piece) -> bool {
    ply.seat == seat && ply.from.is_none() && ply.man == man
}

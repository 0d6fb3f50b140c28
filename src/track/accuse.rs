//! When an illegal move is believed: what it waits for, and what must not explain the board better.
//!
//! In: a press that no legal line explains well, and the illegal move that does (`illegal`). Out: that move, completed.
//! A man may go on, a plain reading of earlier plies may be cheaper, and a record that was wrong lately accuses nobody
//! at once.

use shakmaty::attacks;

use super::{
    ADJUSTS_US, AWAITED_US, Completed, Completion, Press, REST_US, Revision, SCAN_US, Tracker, UNEXPLAINED_US,
    board::{BoardTrack, ILLEGAL_US, in_hand},
    cost,
    illegal::{self, Illegal},
    past::Past,
    search::{self, Alias, Arriving, Evidence},
    seen::Seen,
    settled::made_at,
};
use crate::{
    notation::uci,
    rules::{Attempt, BoardPosition, Game, Move, Reason},
    sense::{Placement, Reading},
    types::{Bitboard, BoardId, ByRole, Color, Instant, Kinds, MS, Role, SECOND, Square},
};

/// Plies that must have been read without doubt before an illegal move is believed at once.
const TRUSTED_PLIES: usize = 12;
/// The same where it is only felt that something stands there: a man that was taken for another one stays so.
const FELT_TRUSTED_PLIES: usize = 40;
/// The same for castling: king and rook do not come to those squares by chance.
const CASTLING_TRUSTED_PLIES: usize = 4;
/// Plies that were read otherwise at first so lately accuse nobody of two moves.
const REVISED_PLIES: usize = 4;
/// How long it is waited for what a board feels in all.
const LOOK_US: i64 = 3 * SECOND;
/// Within this time a board tells all that it feels when it is asked.
const ANSWER_US: i64 = 500 * MS;
/// How long it is waited for the press of the second move of a man that seems to have been dropped where that one led
/// it: on the man that it takes, or as a pawn on the last rank.
const CAPTURES_US: i64 = 1300 * MS;
/// How long an own man may be off its square before another one is put there in its place.
const TAKEN_OFF_US: i64 = 3 * SECOND;

impl Tracker {
    /// A drop that was illegal, by its index on the board, is legal: another board has captured such a man.
    pub fn pardon(&mut self, game: &Game, board: BoardId, index: usize, seen: &Seen<'_>) -> Option<Revision> {
        let position = self.arriving(game, board).apply(game.board(board));
        let track = &mut self.boards[board.index()];
        let played = track.past.get(index).filter(|past| !past.illegal.is_empty())?.played;
        Some(track.revise(board, &position, seen, index, &[played]))
    }
}

impl BoardTrack {
    /// When an illegal move is looked for that explains the board better than legal ones, if there is anything to
    /// explain: all squares have been read since the press.
    pub fn illegal_due(&self) -> Option<Instant> {
        let press = self.doubtful_press().filter(|_| self.completion == Completion::Clock)?;
        let wait = if self.line.is_empty() { ILLEGAL_US } else { SCAN_US };
        let due = (press + wait).max(self.passes_until);
        (!self.is_unwatched() && self.looked_illegal != Some(self.state())).then_some(due)
    }

    /// The illegal move that explains the board, if there is one.
    pub(super) fn illegal(&self, position: &BoardPosition, seen: &Seen<'_>) -> Option<Illegal> {
        let presses: Vec<Instant> = self.pressed().collect();
        illegal::explain(position, Evidence { presses: &presses, ..self.evidence(seen, 0) })
    }

    /// Completes the illegal move that explains the board better than legal ones, and than other readings of the last
    /// plies.
    pub fn complete_likely_illegal(
        &mut self,
        position: &BoardPosition,
        board: BoardId,
        arriving: &Arriving,
        awaits: &ByRole<bool>,
        seen: &Seen<'_>,
        at: Instant,
    ) -> Option<Completed> {
        if self.is_guessing(at) {
            return None;
        }
        if self.add_forgotten_illegal(position, seen, at) {
            return None;
        }
        let own = self.presses.front().is_some_and(|press| press.by == position.turn());
        let felt = |found: &Illegal| is_felt(found, seen.placement);
        let made_up = |found: &Illegal| found.own && !felt(found) && found.cost + cost::MADE_UP < self.cost;
        let trusted = |found: &Illegal| {
            (self.is_known(found, seen.placement) || made_up(found))
                && !self.is_barred_by_unseen(position, found, seen.placement)
                && !self.was_held_before(position, found, seen)
        };
        let found = self.illegal(position, seen).filter(|found| own && trusted(found));
        if let Some(found) = found.as_ref().filter(|found| found.is_awaited(awaits)) {
            let made_up = found.cost + illegal::CONTESTED < self.cost;
            self.outweighed = self.first_press().filter(|_| made_up).map(|press| press + AWAITED_US);
            return None;
        }
        if found.as_ref().is_some_and(|found| self.pressed_back_on(found.played)) {
            return None;
        }
        let passes = |found: &Illegal| self.passes(position, found.played, seen).filter(|until| at < *until);
        if let Some(until) = found.as_ref().and_then(passes) {
            self.passes_until = until;
            return None;
        }
        if found.as_ref().is_some_and(|found| self.is_hearsay(found, seen, at)) {
            return None;
        }
        let until = self.first_press().map_or(at, |press| press + AWAITED_US);
        if at < until && found.as_ref().is_some_and(|found| self.may_have_taken(position, found.played, seen)) {
            self.passes_until = until;
            return None;
        }
        self.looked_illegal = Some(self.state());
        let found = found.filter(|_| !self.may_have_bounced())?;
        // Rest will tell: the other player may have the man in hand, another board may send one, or it came from where
        // such a man is in the air.
        let moved = self.line.is_empty() && self.may_have_moved(position, found.played, seen);
        let legal = self.cost + if self.dropped_lies { cost::LIES } else { 0 };
        let coming = found.coming && legal < found.cost + illegal::CONTESTED;
        let outweighs = coming && found.cost < legal;
        self.outweighed = self.first_press().filter(|_| outweighs).map(|press| press + UNEXPLAINED_US);
        if found.contested || coming || found.open || !found.own || moved || self.was_knocked_beside(found.played, seen)
        {
            return None;
        }
        let stood = self.stood_at_press(position, found.played, seen);
        let most = if stood { u32::MAX } else { legal + cost::ILLEGAL_GONE };
        let margin = if !stood && self.goes_on(found.played) { cost::ILLEGAL_ON } else { 0 };
        let better = self.line.is_empty() && found.cost <= most || found.cost + margin < legal;
        let better = better && (stood || !self.is_explained(position, seen, found.cost));
        let root = arriving.apply(position);
        let otherwise = better
            && (self.questioned(&root, seen, true).is_some() || self.reads_otherwise(&root, seen, at, found.cost));
        if better && !otherwise { self.complete_as(found, position, board, seen, at) } else { None }
    }

    /// Whether a man that seems dropped from nowhere may be one that still seems to stand where it came from: the
    /// message that it left was lost. The board is asked for all that it feels.
    pub(super) fn awaits_look(&self, position: &BoardPosition, seen: &Seen<'_>, at: Instant) -> bool {
        let press = self.presses.front().filter(|press| at < press.at + LOOK_US && seen.placement.looked() < press.at);
        let found = press.and_then(|_| self.illegal(position, seen));
        let found = found.filter(|found| found.reasons.contains(&Reason::DropNotInPocket));
        found.is_some_and(|Illegal { played, .. }| {
            let alike =
                |m: &Move| m.from().is_some() && m.role() == played.role() && m.to() == uci::destination(played);
            position.legal_moves().iter().any(alike)
        })
    }

    /// Whether the change that makes an illegal move was told by one message alone, which may have been garbled unseen:
    /// the board is asked for all that it feels, and for the answer it is waited.
    fn is_hearsay(&mut self, found: &Illegal, seen: &Seen<'_>, at: Instant) -> bool {
        let placement = seen.placement;
        let by = self.presses.front().map_or(Color::White, |press| press.by);
        // What is seen last may yet answer which of several the last ply was.
        let open = self.past.iter().rev().take(2).any(|past| !past.rivals.is_empty());
        let since = |square| match open {
            true => placement.changed(square),
            false => self.accuses_since(found.played, by, square, seen),
        };
        let told = search::squares_of(found.played).into_iter().map(since).max();
        let told = told.filter(|told| seen.may_garble && placement.looked() < *told && at < *told + ANSWER_US);
        if let Some(told) = told {
            self.unsure = Some(told);
            self.passes_until = told + ANSWER_US;
        }
        told.is_some()
    }

    /// The board has told all that it feels since the change that accuses somebody: nothing is waited for.
    pub(super) fn note_confirmed(&mut self, placement: &Placement, at: Instant) {
        if self.unsure.take_if(|told| placement.looked() >= *told).is_some() {
            self.passes_until = self.passes_until.min(at);
        }
    }

    /// Since when a square shows what makes a move illegal; what it shows since may be the reply.
    fn accuses_since(&self, m: Move, by: Color, square: Square, seen: &Seen<'_>) -> Instant {
        let press = self.presses.front().map_or(Instant(i64::MAX), |press| press.at);
        let man = Kinds::only(m.promotion().unwrap_or(m.role()).of(by));
        let shows = |reading: &Reading| match square == uci::destination(m) {
            true => reading.kinds == man,
            false => reading.since <= press + SCAN_US,
        };
        let reading = seen.placement.readings(square).find(shows);
        reading.map_or(seen.placement.changed(square), |reading| reading.since)
    }

    /// Until when the man of a move may go on, if it stands there, came after the press and was not there at it. Where
    /// nothing tells which man that is, it is waited for longer, and for a legal line, too.
    fn passes(&self, position: &BoardPosition, m: Move, seen: &Seen<'_>) -> Option<Instant> {
        let (placement, to) = (seen.placement, uci::destination(m));
        let (came, told) = (placement.changed(to), placement.kinds(to).single().is_some());
        let stands = placement.kinds(to).allows(Some(m.role().of(position.turn())));
        let after = self.presses.front().is_some_and(|press| press.at < came);
        let was_there = told && self.stood_at_press(position, m, seen);
        let passes = stands && after && (self.line.is_empty() || !told) && !was_there;
        // Who comes from a pocket to where another man stood rather took that one from a square where nobody saw it,
        // and a pawn on the last rank came from the one before.
        let caught = position.board().piece_at(to).is_some();
        let promotes = m.role() == Role::Pawn && Bitboard::BACKRANKS.contains(to);
        let wait = match told {
            true if m.from().is_none() && (caught || promotes) => CAPTURES_US,
            true => SCAN_US,
            false => REST_US,
        };
        // Who was only adjusted while another man was dropped there comes back.
        let left = m.from().filter(|_| !told).map(|from| placement.changed(from) + ADJUSTS_US);
        passes.then_some(came + wait).max(left)
    }

    /// Whether the man of a move stood where it went when the clock was pressed.
    fn stood_at_press(&self, position: &BoardPosition, m: Move, seen: &Seen<'_>) -> bool {
        let man = m.role().of(position.turn());
        let stood = |press: &Press| seen.placement.kinds_at(uci::destination(m), press.at).allows(Some(man));
        self.presses.front().is_some_and(stood)
    }

    /// Whether some legal line explains all that stands there for no more than an illegal move costs: the shortest of
    /// equal explanations is that nothing was played, which explains nothing.
    fn is_explained(&self, position: &BoardPosition, seen: &Seen<'_>, illegal: u32) -> bool {
        let presses: Vec<Instant> = self.pressed().collect();
        let evidence = Evidence { presses: &presses, must: true, ..self.evidence(seen, 0) };
        let found = search::explain(position, evidence, presses.len() + 2);
        found.cost <= illegal && found.mismatch.any().is_empty()
    }

    /// Whether the line brings the man of a move to the same square in two moves of its player.
    fn goes_on(&self, m: Move) -> bool {
        let [first, _, second, ..] = &self.line[..] else { return false };
        let [stop, to] = [first, second].map(|ply| uci::destination(ply.played));
        first.played.from() == m.from() && second.played.from() == Some(stop) && to == uci::destination(m)
    }

    /// Whether a man that seems dropped is one of the board's that is in the air, and was not knocked off its square
    /// before: none of its kind left the tray.
    fn may_have_moved(&self, position: &BoardPosition, m: Move, seen: &Seen<'_>) -> bool {
        let Move::Put { role, .. } = m else { return false };
        // The pawn that stands for a promoted man is read as one as soon as it no longer lies.
        let promoted = position.promoted() & position.board().by_color(position.turn());
        let pawns = if role == Role::Pawn { promoted & (self.in_air | self.laid) } else { Bitboard::EMPTY };
        let alike = self.in_air & position.board().by_piece(role.of(position.turn())) | pawns;
        let [since, _] = self.evidence(seen, 0).since;
        let lately = |square: Square| seen.placement.changed(square) >= since || self.laid.contains(square);
        alike.into_iter().any(lately) && !in_hand(m, seen, position.turn())
    }

    /// Whether the man of a move, which came there when the clock had been pressed, may have taken one that is off its
    /// square: the reply knocked it from there to the square beside, or it went on ahead of its turn before a scan.
    fn may_have_taken(&self, position: &BoardPosition, m: Move, seen: &Seen<'_>) -> bool {
        let Some(from) = m.from() else { return false };
        let (placement, to) = (seen.placement, uci::destination(m));
        let came = self.first_press().is_some_and(|press| press < placement.changed(to));
        if !came || placement.kinds(to) != Kinds::only(m.role().of(position.turn())) {
            return false;
        }
        let others = position.board().by_color(!position.turn());
        let off = self.unexplained & others & placement.allows_empty();
        let man = m.role().of(position.turn());
        let goes_on = |square: Square| search::may_go(man, square, to, position.board().occupied());
        let near = off.into_iter().filter(|square| square.distance(to) == 1 || goes_on(*square));
        let takes = |to| position.as_move(Attempt::Move { from, to, promotion: None });
        near.filter_map(takes).any(|taking| position.is_legal(taking))
    }

    /// Whether the last plies are hardly others than they were read: a wrong record makes legal moves look illegal.
    pub(super) fn is_trusted(&self) -> bool {
        self.is_trusted_for(TRUSTED_PLIES)
    }

    fn is_trusted_for(&self, plies: usize) -> bool {
        self.past.iter().rev().take(plies).all(Past::is_trusted)
    }

    /// Whether what an illegal move is held against is known. Where men stand is known as soon as the board has shown
    /// it, and what is in the pocket if no drop of that kind was read anew; of rights to castle only the plies tell.
    fn is_known(&self, found: &Illegal, placement: &Placement) -> bool {
        use Reason::{CastlingBlocked, CastlingRights, CastlingThroughCheck, DropNotInPocket};
        let felt = is_felt(found, placement);
        if felt && self.past.iter().rev().take(FELT_TRUSTED_PLIES).any(Past::is_open) {
            return false;
        }
        let plies = if felt { FELT_TRUSTED_PLIES } else { trusted_plies(found) };
        let castles = |reason: &Reason| matches!(reason, CastlingBlocked | CastlingRights | CastlingThroughCheck);
        if found.reasons.iter().any(castles) {
            return self.is_trusted_for(plies);
        }
        let dropped = found.reasons.contains(&DropNotInPocket).then(|| found.played.role());
        let doubted = |past: &Past| dropped.is_some_and(|role| *past.doubted.get(role));
        let doubted = self.past.iter().rev().take(plies).any(doubted);
        !doubted && self.is_trusted_for(plies.min(self.past.len().saturating_sub(self.agreed)))
    }

    /// Whether the man that stands in the way, or where the move went, came there by a ply of which no sensor told, had
    /// left the square long before, or left it while its own player was to move: a sensor may feel nothing.
    fn is_barred_by_unseen(&self, position: &BoardPosition, found: &Illegal, placement: &Placement) -> bool {
        use Reason::{Blocked, DropOnOccupied, OwnPieceCaptured};
        if !found.reasons.iter().any(|reason| matches!(reason, Blocked | OwnPieceCaptured | DropOnOccupied)) {
            return false;
        }
        let to = uci::destination(found.played);
        let way = found.played.from().map_or(Bitboard::EMPTY, |from| attacks::between(from, to));
        let unseen = |square: Square| {
            let man = position.board().piece_at(square)?;
            let came = self.past.iter().rev().find(|past| uci::destination(past.played) == square)?;
            let showed = placement.showed(square, man, came.made_at + -SCAN_US, Instant(i64::MAX));
            (!showed).then_some(())
        };
        // Who takes an own man off puts the other one there at once.
        let before = placement.readings(to).nth(1).filter(|before| before.kinds == Kinds::EMPTY);
        let gone = before.filter(|_| found.reasons.contains(&OwnPieceCaptured));
        let gone = gone.is_some_and(|before| placement.changed(to) - before.since > TAKEN_OFF_US);
        // Who left while its own player was to move has moved.
        let moved = before.filter(|_| found.reasons.contains(&DropOnOccupied)).zip(self.past.last());
        let moved = moved.is_some_and(|(before, last)| before.since < last.completed_at);
        gone || moved || way.with(to).into_iter().any(|square| unseen(square).is_some())
    }

    /// Whether the man that is dropped on another one had left its tray before an earlier press of its player that no
    /// ply answers: rather it was dropped then, where no sensor felt it, and captures now.
    fn was_held_before(&self, position: &BoardPosition, found: &Illegal, seen: &Seen<'_>) -> bool {
        let (Move::Put { role, .. }, true) = (found.played, found.reasons.contains(&Reason::DropOnOccupied)) else {
            return false;
        };
        let (by, hand) = (position.turn(), seen.lifted.get(position.turn()).as_ref());
        let taken = hand.filter(|hand| *hand.men.get(role) > 0).map(|hand| *hand.taken.get(role));
        let own = self.heard.iter().rev().filter(|press| press.by == by).skip(1);
        let answers = |past: &Past, press: &Press| (past.completed_at - press.at).abs() <= SCAN_US;
        let mut idle = own.filter(|press| !self.past.iter().rev().any(|past| answers(past, press)));
        taken.zip(idle.next()).is_some_and(|(taken, before)| taken < before.at)
    }

    /// Whether the last plies were read without doubt, or the board has shown what they led to.
    pub(super) fn knows_where_men_stand(&self) -> bool {
        self.is_trusted_for(TRUSTED_PLIES.min(self.past.len().saturating_sub(self.agreed)))
    }

    /// Whether one of the last plies was read otherwise at first: if they are read anew once more, two moves may be but
    /// one.
    pub(super) fn was_read_anew(&self) -> bool {
        self.past.iter().rev().take(REVISED_PLIES).any(|past| past.revised)
    }

    /// Completes the illegal move that explains the board, if there is one, after all else was tried.
    pub fn complete_illegal(
        &mut self,
        position: &BoardPosition,
        board: BoardId,
        seen: &Seen<'_>,
        at: Instant,
    ) -> Option<Completed> {
        let doubted = |found: &Illegal| is_felt(found, seen.placement) && !self.is_known(found, seen.placement);
        let most = |found: &Illegal| {
            found.cost <= cost::ILLEGAL_MOST
                && !self.is_guessing(at)
                && !doubted(found)
                && !self.is_barred_by_unseen(position, found, seen.placement)
                && !self.was_held_before(position, found, seen)
        };
        let found = self.illegal(position, seen).filter(most).filter(|found| !self.slid_on(found, seen.placement))?;
        if self.is_hearsay(&found, seen, at) {
            return None;
        }
        self.complete_as(found, position, board, seen, at)
    }

    /// Whether the other player's man that seems to have been moved is that of the last ply, which went on as soon as
    /// it stood: it was slid farther, to where it may go.
    fn slid_on(&self, found: &Illegal, placement: &Placement) -> bool {
        let theirs = found.reasons.contains(&Reason::NotYourPiece);
        let Some((last, from)) = self.past.last().zip(found.played.from()).filter(|_| theirs) else { return false };
        let at_once = placement.changed(from) < last.made_at + REST_US;
        let farther = |from| last.before.as_move(Attempt::Move { from, to: found.played.to(), promotion: None });
        let legal = last.played.from().and_then(farther).is_some_and(|m| last.before.is_legal(m));
        at_once && legal && last.played.to() == from
    }

    /// Completes an illegal move. What was played after it is found by the next observation.
    fn complete_as(
        &mut self,
        found: Illegal,
        position: &BoardPosition,
        board: BoardId,
        seen: &Seen<'_>,
        at: Instant,
    ) -> Option<Completed> {
        let press = self.presses.pop_front()?;
        if found.reasons.contains(&Reason::DropWrongColour) {
            let square = uci::destination(found.played);
            self.aliases.truncate(search::ALIASES_MAX - 1);
            self.aliases.push(Alias { square, reads: seen.placement.kinds(square), learnt: self.past.len() + 1 });
        }
        self.note_illegal(&found);
        self.line.clear();
        self.rivals.clear();
        let made_at = made_at(found.played, Bitboard::EMPTY, seen.placement, at).min(press.at);
        let held = in_hand(found.played, seen, position.turn());
        let reasons = if held && found.reasons == [Reason::DropNotInPocket] { Vec::new() } else { found.reasons };
        Some(self.completed_by(press, position, board, (found.played, made_at), reasons))
    }
}

/// Whether it is only felt that something stands where the man of an illegal move went.
fn is_felt(found: &Illegal, placement: &Placement) -> bool {
    placement.kinds(uci::destination(found.played)) == Kinds::OCCUPIED
}

/// How many plies must have been read without doubt: none where the very man that stands there is what is illegal.
fn trusted_plies(found: &Illegal) -> usize {
    match found.played {
        Move::Castle { .. } => CASTLING_TRUSTED_PLIES,
        // The king stood there in check because the ply before was illegal.
        _ if [[Reason::PromotionPiece], [Reason::KingCaptured]].iter().any(|only| found.reasons == *only) => 0,
        _ => TRUSTED_PLIES,
    }
}

//! Men that stand where they should not: ahead of their turn, or beside their squares.
//!
//! In: a line, men that are missing and men that stand elsewhere. Out: what it costs that they are the same men. It
//! does not know which lines there are.

use shakmaty::attacks;

use super::{Evidence, HESITATES_US, Line, Search};
use crate::{
    notation::uci,
    rules::BoardPosition,
    sense::Mismatch,
    track::{AT_PRESS_US, CARRIED_US, GONE_ON_US, SCAN_US, cost, explain::named},
    types::{Bitboard, Color, Instant, Kinds, Piece, Rank, Role, Square},
};

impl Search<'_> {
    /// What is too much if men went ahead of their turn or stand beside their squares.
    pub(super) fn strays(&self, line: &Line, position: &BoardPosition, mismatch: Mismatch, left: Bitboard) -> u32 {
        let arrived = line.last().map_or(Instant(i64::MAX), |m| self.evidence.placement.changed(uci::destination(*m)));
        let mut missing = mismatch.missing;
        let mut saved = 0;
        for to in mismatch.foreign & !self.evidence.still {
            let kinds = self.evidence.placement.kinds(to);
            let stray = |from: Square| {
                let man = man_reading(position, from, kinds)?;
                Some((stray(position, man, from, to), man.color, from))
            };
            let alike = missing & may_read(position, kinds) & !left;
            let from = alike.into_iter().filter_map(stray).min_by_key(|((_, cost), ..)| *cost);
            let Some(((name, cost), color, from)) = from else { continue };
            if cost < cost::FOREIGN {
                missing.discard(from);
                let ahead = (cost == cost::PREMOVE).then(|| sooner(from, to));
                let later =
                    (color != position.turn()).then(|| self.later((line, position), (from, to, ahead), arrived));
                let still = self.evidence.still.contains(from);
                let (there, known) = if still { (named!(STILL), cost::LACKING) } else { (named!(MISSING), 0) };
                let there = self.items.back("FOREIGN", cost::FOREIGN) + self.items.back(there.0, there.1);
                let later = later.map_or(0, |(name, cost)| self.items.take(name, cost));
                saved += there - self.items.take(name, cost.saturating_sub(known)) - later;
            }
        }
        saved
    }

    /// Whether a man of a pressed ply that had `left` where it went stands elsewhere.
    pub(super) fn went_elsewhere(&self, position: &BoardPosition, mismatch: Mismatch, left: Bitboard) -> bool {
        let reads = |from: Square, to: Square| man_reading(position, from, self.evidence.placement.kinds(to)).is_some();
        let foreign = mismatch.foreign & !self.evidence.still;
        (mismatch.missing & left).into_iter().any(|from| foreign.into_iter().any(|to| reads(from, to)))
    }

    /// Squares of pressed plies that their men had left just before the clock was pressed. Who was away for longer, or
    /// left while the other player moved ahead, may have been knocked over.
    pub(super) fn had_gone_on(&self, line: &Line, after: &BoardPosition) -> Bitboard {
        let placement = self.evidence.placement;
        let gone = |(to, press): (Square, &Instant)| {
            let by = after.board().color_at(to).filter(|_| placement.kinds(to) == Kinds::EMPTY)?;
            let left = placement.changed(to);
            let theirs = |square| placement.kinds(square).single().flatten().is_some_and(|man| man.color != by);
            let alone = || !placement.changed_since(left + -SCAN_US).into_iter().any(theirs);
            let soon = *press < left + SCAN_US || *press < left + AT_PRESS_US + SCAN_US && alone();
            (soon && left + GONE_ON_US < *press).then_some(to)
        };
        let pressed = line.iter().map(|m| uci::destination(*m)).zip(self.evidence.presses);
        pressed.filter_map(gone).collect()
    }

    /// What it costs that a man of the player who moved last came to a square after the line's last man, or went ahead
    /// before it, by name; `from`: the square that it left, `ahead`: what that costs, if it may have.
    fn later(
        &self,
        (line, after): (&Line, &BoardPosition),
        (from, to, ahead): (Square, Square, Option<u32>),
        arrived: Instant,
    ) -> (&'static str, u32) {
        let Evidence { placement, pressed: [_, turn_since], .. } = self.evidence;
        let came = placement.changed(to);
        let sooner = ahead.map_or(("", 0), |cost| ("SOONER", cost));
        if line.is_empty() {
            // Beside its square it is displaced as well.
            let far = sooner.1 == cost::SOONER && came + CARRIED_US < self.evidence.rest_since;
            return if far { sooner } else { ("", 0) };
        }
        let pressed = line.len().checked_sub(1).and_then(|last| self.evidence.presses.get(last));
        // Boards may be read after presses are heard.
        let at_press = |press: Instant| came <= press || came <= press + SCAN_US && placement.changed(from) <= press;
        match pressed {
            _ if ahead.is_some() && came + CARRIED_US < arrived && self.is_first(line, after, came) => sooner,
            _ if came <= arrived => ("", 0),
            Some(press) if at_press(*press) && turn_since + CARRIED_US < came && self.came_before_turn(line) => {
                named!(IN_TURN)
            }
            Some(press) if came <= *press && came - arrived > HESITATES_US => named!(LATER_PRESSED),
            _ => named!(LATER),
        }
    }

    /// Whether the man of a line's one ply stands where it went since before the other player pressed the clock.
    fn came_before_turn(&self, line: &Line) -> bool {
        let Evidence { placement, pressed: [_, turn_since], .. } = self.evidence;
        let [only] = line[..] else { return false };
        let to = uci::destination(only);
        placement.kinds(to) != Kinds::EMPTY && placement.changed(to) < turn_since
    }

    /// Whether the man of a line's last ply had not been on its square before some instant: it was not put there again.
    fn is_first(&self, line: &Line, after: &BoardPosition, until: Instant) -> bool {
        let to = line.last().map(|last| uci::destination(*last));
        let Some((to, man)) = to.and_then(|to| Some((to, after.board().piece_at(to)?))) else { return false };
        let since = self.evidence.since[(line.len() - 1) % 2];
        !self.evidence.placement.showed(to, man, since, until)
    }
}

/// What a man costs that is missing on `from` and stands on `to`, by name.
pub fn stray(position: &BoardPosition, man: Piece, from: Square, to: Square) -> (&'static str, u32) {
    let own = position.board().by_color(man.color).contains(to);
    let ahead = man.color != position.turn() && !own && may_go(man, from, to, position.board().occupied());
    match from.distance(to) {
        _ if ahead => named!(PREMOVE),
        _ if position.board().occupied().contains(to) => named!(FOREIGN),
        0..=1 => named!(DISPLACED),
        // A king two squares off has castled.
        2 if man.role != Role::King => named!(DISPLACED_FAR),
        _ => named!(FOREIGN),
    }
}

/// What it costs beside `PREMOVE` that a man went ahead before its player's move itself: no more than that it stands
/// beside its square.
fn sooner(from: Square, to: Square) -> u32 {
    match from.distance(to) {
        0..=1 => cost::SOONER.min(cost::DISPLACED - cost::PREMOVE),
        _ => cost::SOONER,
    }
}

/// What a man costs at least that is missing on `from` and stands on `to`, whatever stands between; `ahead`: it may
/// have gone ahead of its turn.
pub fn may_stray(man: Piece, from: Square, to: Square, ahead: bool) -> u32 {
    match from.distance(to) {
        _ if ahead && could_go(man, from, to) => cost::PREMOVE,
        0..=1 => cost::DISPLACED,
        2 if man.role != Role::King => cost::DISPLACED_FAR,
        _ => cost::FOREIGN + cost::MISSING,
    }
}

/// Squares of a position without which no man is that reads so: of many that are missing most are others.
pub fn may_read(position: &BoardPosition, kinds: Kinds) -> Bitboard {
    match kinds.single().flatten() {
        Some(man @ Piece { role: Role::Pawn, color }) => {
            position.board().by_piece(man) | position.promoted() & position.board().by_color(color)
        }
        Some(man) => position.board().by_piece(man),
        None => position.board().occupied(),
    }
}

/// The man on a square if it may read so: a promoted one also as the pawn that it is (WBN 5.7).
pub fn man_reading(position: &BoardPosition, square: Square, kinds: Kinds) -> Option<Piece> {
    let man = position.board().piece_at(square)?;
    let pawn = Piece { role: Role::Pawn, ..man };
    let reads = kinds.allows(Some(man)) || position.promoted().contains(square) && kinds.allows(Some(pawn));
    reads.then_some(man)
}

/// Whether a man on `from` may go to `to` when it is its turn.
pub fn may_go(man: Piece, from: Square, to: Square, occupied: Bitboard) -> bool {
    let attacked = attacks::attacks(from, man, occupied).contains(to);
    match man.role {
        Role::Pawn if !occupied.contains(to) => may_push(man.color, from, to, occupied),
        _ => attacked,
    }
}

/// Whether a pawn may go straight on to a free square.
fn may_push(color: Color, from: Square, to: Square, occupied: Bitboard) -> bool {
    let ahead = |square: Square| square.offset(color.fold_wb(8, -8)).filter(|ahead| !occupied.contains(*ahead));
    let home = from.rank() == color.fold_wb(Rank::Second, Rank::Seventh);
    let one = ahead(from);
    one == Some(to) || home && one.and_then(ahead) == Some(to)
}

/// The same on a board where anything may stand elsewhere.
fn could_go(man: Piece, from: Square, to: Square) -> bool {
    attacks::attacks(from, man, Bitboard::EMPTY).contains(to) || may_go(man, from, to, Bitboard::EMPTY)
}

//! What speaks against one ply: the board when its clock was pressed, and what else was seen on the way.

use shakmaty::attacks;

use super::{
    Account, HELD_US, LATE_US, Ply, STILL,
    log::{BRIEF_US, Log, Squares},
};
use crate::{
    notation::uci,
    rules::{BoardPosition, Move},
    sense::Reading,
    track::{
        AT_PRESS_US, CARRIED_US, GONE_ON_US, SCAN_US, TAKES_US, cost,
        explain::{Items, named, weigh},
        search,
    },
    types::{Bitboard, Instant, Kinds, MS, Piece, Square},
};

/// A man that stood so long on a square was left there.
const LINGERING_US: i64 = 2500 * MS;
/// Nobody answers sooner.
const FASTEST_US: i64 = 200 * MS;
/// Who captures a man before any sensor has shown it has touched the captor so soon after its press.
const UNSEEN_US: i64 = 700 * MS;
/// A man that was knocked over is put back within that.
const BACK_US: i64 = 2000 * MS;
/// A man that was read on a square for so long after its player's press stood there when the clock was pressed.
const STOOD_US: i64 = 200 * MS;
/// How long before the press of the other player a man may have been taken in hand.
const IN_HAND_US: i64 = 1500 * MS;

/// A ply with its stretch of time.
pub struct Charge<'a> {
    pub account: &'a Account<'a>,
    /// The ply.
    pub played: Move,
    /// The squares before it.
    pub before: &'a Squares,
    /// The squares after it.
    pub after: &'a Squares,
    /// The position after it.
    pub position: &'a BoardPosition,
    /// The next ply, and the squares after that. Where it matters, [`Charged::open`] has the squares.
    pub next: Option<(Move, &'a Squares)>,
    /// The ply before it, if that is one of the line.
    pub last: Option<Ply>,
    /// Its man was seen where it went.
    pub seen: bool,
    /// Since when its player may have touched something for it.
    pub earlier: Instant,
    /// When the ply before was completed.
    pub from: Instant,
    /// When the ply was completed.
    pub at: Instant,
    /// Its player pressed the clock then.
    pub pressed: bool,
    /// Squares that were wrong at the press before.
    pub wrong: Bitboard,
    /// When the clock was pressed for the next ply.
    pub until: Instant,
}

/// What a ply costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Charged {
    pub cost: u32,
    /// Nobody saw its man where it went.
    pub never: bool,
    /// Squares that were wrong when the clock was pressed.
    pub wrong: Bitboard,
    /// A next ply that touches none of these changes nothing of it.
    pub open: Bitboard,
}

impl Charge<'_> {
    pub fn sum(&self, log: &Log<'_>, items: &Items) -> Charged {
        let shown = log.shown(self.at + -AT_PRESS_US, self.at + LATE_US);
        let touched_next = self.next.map_or(Bitboard::EMPTY, |(next, _)| search::squares_of(next));
        let to = uci::destination(self.played);
        let apart = self.after.apart(&shown);
        let going_on = |square: &Square| {
            let next = self.next.map_or(Kinds::EMPTY, |(_, squares)| squares.at(*square)).or(Kinds::EMPTY);
            touched_next.contains(*square) && shown.at(*square).meets(next)
        };
        let going_on: Bitboard = apart.into_iter().filter(going_on).collect();
        let wrong = self.known(log, apart & !going_on & !Bitboard::from(to), &shown);
        let (name, absence) = match () {
            () if self.is_blind(log, to) => ("", 0),
            () if apart.contains(to) => self.absence(log, wrong),
            () if self.had_left(log) => named!(LEFT),
            () => ("", 0),
        };
        let never = absence == cost::NEVER;
        let absence = items.take(name, absence);
        let (passing, odd) = self.in_passing(log, wrong, touched_next, items);
        let untouched = if absence == 0 { self.untouched(log, to, items) } else { 0 };
        // Only what is known without the next ply is asked for others.
        let like_wrong = if self.next.is_none() { self.like_wrong(log, wrong) } else { Bitboard::EMPTY };
        let open = apart | Bitboard::from(to) | odd | like_wrong;
        let (standing, wrong) = self.standing_wrong(log, wrong, apart & touched_next, items);
        Charged { cost: absence + standing + passing + untouched, never, wrong, open }
    }

    /// Whether the man came to a square that feels nothing.
    fn is_blind(&self, log: &Log<'_>, to: Square) -> bool {
        log.blind(self.from, self.at).contains(to) && self.account.may_be_blind(to, !self.position.turn())
    }

    /// Squares without those that are known to read wrong.
    fn known(&self, log: &Log<'_>, mut squares: Bitboard, shown: &Squares) -> Bitboard {
        let empty = |square: &Square| !shown.at(*square).meets(Kinds::OCCUPIED);
        let blind: Bitboard = (squares & log.blind(self.from, self.at)).into_iter().filter(empty).collect();
        // What comes there after the press captures it.
        let told = (self.from + LATE_US).min(self.at);
        let lies =
            |square: &Square| log.kinds_at(*square, self.at) == Kinds::EMPTY && log.stayed(*square, told, self.at);
        let laid: Bitboard = (squares & self.position.promoted()).into_iter().filter(lies).collect();
        squares &= !blind & !laid;
        for alias in self.account.aliases {
            let reads = |square: &Square| {
                shown.at(*square).meets(alias.reads) && self.position.board().occupied().contains(*square)
            };
            let aliased: Bitboard = squares.into_iter().filter(reads).collect();
            squares &= !aliased;
        }
        squares
    }

    /// The ply's man did not stand where it went when the clock was pressed.
    fn absence(&self, log: &Log<'_>, wrong: Bitboard) -> (&'static str, u32) {
        let to = uci::destination(self.played);
        let kinds = self.after.at(to);
        let since = log.shown(self.earlier, self.at + LATE_US).at(to);
        let caught = self.next.is_some_and(|(next, _)| next.is_capture() && search::victim(next) == to);
        let left = |from| log.kinds_at(from, self.at + LATE_US).meets(Kinds::EMPTY);
        let laid =
            self.played.promotion().is_some() && since.meets(Kinds::EMPTY) && self.played.from().is_some_and(left);
        let came = |square| self.after.at(square) == log.kinds_at(square, self.at + LATE_US);
        let castled = search::castled_rook(self.played).is_some_and(came);
        // It was not captured where nobody saw it if it stands on another square.
        let stands = |square: Square| log.last(square, self.at + LATE_US).is_some_and(|reading| reading.kinds == kinds);
        let elsewhere = !self.seen && wrong.into_iter().any(stands);
        let caught = caught && !elsewhere && !self.had_no_room(log) && (self.seen || !self.showed_another(log, to));
        let landed = self.pressed && log.landed(self.played.from(), (to, kinds), self.at).is_some();
        match self.played {
            _ if self.seen && caught && !self.was_taken_back(log) => named!(ABSENT_CAUGHT),
            _ if landed => named!(LANDED),
            _ if self.seen && self.went_by(log, kinds) => named!(WENT_BY),
            _ if self.seen => named!(ABSENT),
            _ if laid => named!(LAID),
            _ if self.pressed && since == Kinds::EMPTY && self.had_lain(log) => named!(LIES_ON),
            _ if castled && self.played.from().is_some_and(left) => named!(HALF_CASTLED),
            Move::Put { .. } if caught => named!(CAUGHT_DROP),
            _ if caught && self.next.is_some_and(|(next, _)| next.is_en_passant()) => named!(CAUGHT_PASSING),
            _ if caught => named!(CAUGHT),
            _ if self.played.is_capture() && since.meets(Kinds::EMPTY) => named!(TAKEN),
            _ if self.pressed && self.was_put_back(log, to) => named!(RESTORED),
            _ => named!(NEVER),
        }
    }

    /// Whether the ply's man had gone on to another square where it may go, and stood there when the clock was pressed.
    fn went_by(&self, log: &Log<'_>, kinds: Kinds) -> bool {
        let (to, man) = (uci::destination(self.played), kinds.single().flatten());
        let Some((man, left)) = man.zip(log.last(to, self.at)).filter(|_| self.pressed) else { return false };
        let occupied = self.position.board().occupied() & !Bitboard::from(to);
        let goes = |to: Square| self.played.from().is_none_or(|from| search::may_go(man, from, to, occupied));
        let new = |square: Square| !self.before.at(square).meets(kinds) && !self.after.at(square).meets(kinds);
        Square::ALL.into_iter().filter(|square| new(*square) && goes(*square)).any(|square| {
            // It may be read a moment after the press.
            let stood = [self.at, self.at + LATE_US].map(|at| log.last(square, at));
            stood.into_iter().flatten().any(|stood| stood.kinds == kinds && stood.since >= left.since)
        })
    }

    /// Whether the square where nobody saw the ply's man showed another one of its player's when the clock was pressed.
    fn showed_another(&self, log: &Log<'_>, to: Square) -> bool {
        let other = |man: Piece| man.color != self.position.turn() && !self.after.at(to).allows(Some(man));
        log.placement.told_of(to, other, self.earlier, [self.at + -AT_PRESS_US, self.at])
    }

    /// Whether the man of the ply is a promoted one that lay on its side where it was: nothing has felt it leave.
    fn had_lain(&self, log: &Log<'_>) -> bool {
        let promoted = self.position.promoted().contains(uci::destination(self.played));
        let from = self.played.from().filter(|_| promoted && self.played.promotion().is_none());
        from.is_some_and(|from| {
            let empty = log.kinds_at(from, self.at) == Kinds::EMPTY;
            empty && log.stayed(from, self.earlier, self.at + LATE_US)
        })
    }

    /// Whether the man of the ply came there after the press and before the reply's: it had been knocked over.
    fn was_put_back(&self, log: &Log<'_>, to: Square) -> bool {
        let until = if self.until == STILL { log.placement.latest() } else { self.until };
        let came = log.arrived(to, self.after.at(to), self.at, until);
        came.is_some_and(|came| came > self.at) && self.after.at(to) == log.kinds_at(to, until)
    }

    /// Whether the square showed the same for so long that a man which nobody saw there did not stand on it: its captor
    /// would have been on the way.
    fn had_no_room(&self, log: &Log<'_>) -> bool {
        let captor = self.next.and_then(|(next, _)| next.from());
        let stood = |square: Square| log.stayed(square, self.at, self.at + UNSEEN_US);
        // One that was in the hand when the clock was pressed may have taken the man at once.
        let captor = captor.filter(|from| !log.kinds_at(*from, self.at).meets(Kinds::EMPTY));
        let reading = log.last(uci::destination(self.played), self.at).filter(|_| !self.seen);
        reading.is_some_and(|reading| match reading.kinds {
            Kinds::EMPTY => stood(reading.square) && captor.is_some_and(stood),
            _ => !self.played.is_capture() && reading.since < self.from + -SCAN_US && reading.until > self.at + LATE_US,
        })
    }

    /// Whether the square of the ply's man was empty for longer than a capture takes before its captor left its own:
    /// rather its player had taken it back.
    fn was_taken_back(&self, log: &Log<'_>) -> bool {
        let Some(from) = self.next.and_then(|(next, _)| next.from()) else { return false };
        let empty = log.last(uci::destination(self.played), self.at).filter(|reading| reading.kinds == Kinds::EMPTY);
        let stood = |since| log.stayed(from, since, since + TAKES_US) && !log.kinds_at(from, since).meets(Kinds::EMPTY);
        empty.is_some_and(|empty| stood(empty.since))
    }

    /// The ply's man had gone on when the clock was pressed, and nothing took it there.
    fn had_left(&self, log: &Log<'_>) -> bool {
        let to = uci::destination(self.played);
        let caught = self.next.is_some_and(|(next, _)| next.is_capture() && search::victim(next) == to);
        let reading = log.last(to, self.at + -GONE_ON_US);
        let seen = reading.is_some_and(|reading| reading.since > self.earlier && reading.kinds == Kinds::EMPTY);
        seen && !caught && log.stayed(to, self.at + -GONE_ON_US, self.at + LATE_US)
    }

    /// What squares cost that were wrong when the clock was pressed, and those that no hand of the next player
    /// explains.
    fn standing_wrong(&self, log: &Log<'_>, wrong: Bitboard, leaving: Bitboard, items: &Items) -> (u32, Bitboard) {
        let (mut cost, mut lasting) = (0, wrong);
        let stands = |square: &Square| {
            let last = log.last(*square, self.at + LATE_US);
            last.is_some_and(|reading| !reading.kinds.meets(Kinds::EMPTY))
        };
        let foreign: Bitboard = wrong.into_iter().filter(stands).collect();
        let mut missing = wrong & !foreign;
        // A promoted man that lies on no square may stand elsewhere.
        let lying = |square: &Square| log.kinds_at(*square, self.at + LATE_US) == Kinds::EMPTY;
        let lying: Bitboard = self.position.promoted().into_iter().filter(lying).collect();
        let in_hand = self.next.and_then(|(next, _)| self.position.board().piece_at(next.from()?));
        for square in foreign {
            let reading = log.last(square, self.at + LATE_US);
            let kinds = reading.map_or(Kinds::EMPTY, |reading| reading.kinds);
            let recent = reading.is_some_and(|reading| reading.since > self.at + -IN_HAND_US);
            let stray = |from: Square| {
                let man = search::man_reading(self.position, from, kinds)?;
                // That the man was missing at the press before has been charged.
                let known = if self.wrong.contains(from) { cost::LACKING } else { 0 };
                let (name, stray) = self.stray(man, from, square, recent);
                Some(((name, stray.saturating_sub(known)), from, man))
            };
            let from = (missing | leaving | lying).into_iter().filter_map(stray).min_by_key(|((_, cost), ..)| *cost);
            let man = kinds.single().flatten();
            let theirs = |man: Piece| recent && man.color == self.position.turn();
            match from {
                _ if self.wrong.contains(square) => {
                    from.into_iter().for_each(|(_, from, _)| missing.discard(from));
                    cost += weigh!(items, STILL);
                }
                None if recent && man.is_some() && man == in_hand => {
                    lasting.discard(square);
                    cost += weigh!(items, STOOD);
                }
                Some(((name, stray), from, man)) if stray < cost::FOREIGN => {
                    missing.discard(from);
                    if theirs(man) {
                        lasting.discard(square);
                        lasting &= !Bitboard::from(from) | self.wrong;
                    }
                    let own = man.color != self.position.turn();
                    cost += weigh!(items, IN_TURN * u32::from(own && self.is_in_turn(log, square)));
                    // A man that was knocked to the next square captures nothing.
                    let went = from.distance(square) > 1 || self.position.board().occupied().contains(square);
                    if own && name == named!(PREMOVE).0 && went && self.is_sooner(log, square) {
                        cost += weigh!(items, SOONER);
                    }
                    let ahead =
                        name == named!(STOOD).0 && reading.is_some_and(|stood| self.stood_ahead(log, from, &stood));
                    cost += if ahead { weigh!(items, STOOD_AHEAD) } else { items.take(name, stray) };
                }
                _ => cost += weigh!(items, FOREIGN),
            }
        }
        (cost + self.missing(log, missing, wrong, items), lasting)
    }

    /// What men cost that were missing when the clock was pressed, of all squares that were wrong.
    fn missing(&self, log: &Log<'_>, missing: Bitboard, wrong: Bitboard, items: &Items) -> u32 {
        let left = |square: &Square| {
            log.last(*square, self.at + LATE_US).is_some_and(|reading| reading.since > self.at + -IN_HAND_US)
        };
        let theirs: Bitboard =
            (missing & self.position.board().by_color(self.position.turn())).into_iter().filter(left).collect();
        let fresh = missing & !self.wrong;
        // One that is away for so long is rather not felt than held.
        let away = |square: &Square| log.stayed(*square, self.at + -HELD_US, self.at);
        let long: Bitboard = (missing & self.wrong).into_iter().filter(away).collect();
        // A king that stands where castling puts it has castled.
        let king = self.position.king(!self.position.turn()).filter(|king| (wrong & !self.wrong).contains(*king));
        let king_off = king.is_some_and(|king| search::castles_with(self.played, king));
        weigh!(items, KING_OFF * u32::from(king_off))
            + weigh!(items, MISSING * (fresh & theirs).count() as u32)
            + weigh!(items, LACKING * (fresh & !theirs).count() as u32)
            + weigh!(items, GONE * (missing & self.wrong & !long).count() as u32)
            + weigh!(items, STILL * (missing & self.wrong & long).count() as u32)
    }

    /// Men of the kinds that stand on some squares: the next player may have moved one and put it back.
    fn like_wrong(&self, log: &Log<'_>, wrong: Bitboard) -> Bitboard {
        let man = |square| log.kinds_at(square, self.at + LATE_US).single().flatten();
        let alike = |man| self.position.board().by_piece(man);
        wrong.into_iter().filter_map(man).map(alike).fold(Bitboard::EMPTY, |all, men| all | men)
    }

    /// Whether a man came to a square after the other player had pressed the clock, and the ply's man before.
    fn is_in_turn(&self, log: &Log<'_>, square: Square) -> bool {
        self.arrivals(log, square).is_some_and(|[came, arrived]| arrived < self.from && self.from + CARRIED_US < came)
    }

    /// Whether what stood on a square came before the ply's man, and after that of the ply before, and was not on its
    /// way to where the next ply goes.
    fn came_ahead(&self, log: &Log<'_>, reading: &Reading) -> bool {
        let way = self.next.and_then(|(next, _)| Some(attacks::between(next.from()?, uci::destination(next))));
        let before =
            self.last.map_or(Some(self.account.made[1]), |last| Some(last.made_at).filter(|_| last.came.is_some()));
        let after = before.is_some_and(|before| before < reading.since);
        let passes = way.is_some_and(|way| way.contains(reading.square));
        after && !passes && self.arrived(log).is_some_and(|arrived| reading.since + CARRIED_US < arrived)
    }

    /// The same of what stands there still and left its square after the press of the ply before: what left sooner was
    /// knocked there.
    fn stood_ahead(&self, log: &Log<'_>, from: Square, stood: &Reading) -> bool {
        let left = log.last(from, stood.since).is_some_and(|left| left.since > self.from);
        self.pressed && left && self.came_ahead(log, stood)
    }

    /// Whether the man of the next ply, which was read elsewhere, came where it goes before the ply's man, too: that is
    /// held against the next ply.
    fn went_ahead(&self, log: &Log<'_>, reading: &Reading) -> bool {
        let Some((next, _)) = self.next else { return false };
        let stands = log.last(uci::destination(next), self.at).filter(|stands| stands.kinds == reading.kinds);
        stands.zip(self.arrived(log)).is_some_and(|(stands, arrived)| stands.since + SCAN_US < arrived)
    }

    /// Whether a man came to a square before the ply's man.
    fn is_sooner(&self, log: &Log<'_>, square: Square) -> bool {
        self.arrivals(log, square).is_some_and(|[came, arrived]| came + CARRIED_US < arrived)
    }

    /// When a man came to a square, and the ply's man to its own.
    fn arrivals(&self, log: &Log<'_>, square: Square) -> Option<[Instant; 2]> {
        Some([log.last(square, self.at)?.since, self.arrived(log)?])
    }

    /// When what stood on the ply's square at the press came there.
    fn arrived(&self, log: &Log<'_>) -> Option<Instant> {
        let last = log.last(uci::destination(self.played), self.at);
        last.filter(|last| last.kinds != Kinds::EMPTY).map(|last| last.since)
    }

    /// What it costs that a man of `from` stands on `to`: the next player may have it in hand.
    fn stray(&self, man: Piece, from: Square, to: Square, recent: bool) -> (&'static str, u32) {
        let theirs = man.color == self.position.turn();
        // No ply follows: what is coming may have been made before the ply itself.
        let coming = theirs && self.next.is_none() && self.until == STILL;
        match search::stray(self.position, man, from, to) {
            _ if recent && theirs => named!(STOOD),
            _ if coming && search::may_go(man, from, to, self.position.board().occupied()) => named!(PREMOVE),
            stray => stray,
        }
    }

    /// What was seen since the ply before and fits neither before nor after: what it costs, and where that was.
    fn in_passing(&self, log: &Log<'_>, wrong: Bitboard, touched_next: Bitboard, items: &Items) -> (u32, Bitboard) {
        let touched = search::squares_of(self.played);
        // What came just before the ply is held against none before, unless it stayed until after the press.
        let begun = log.begun(self.from, self.at + LATE_US).iter();
        let color = |reading: &Reading| reading.kinds.single().flatten().map(|man| man.color);
        let stayed = |reading: &Reading| {
            let own = color(reading) == Some(!self.position.turn());
            reading.until > self.at + if own { 0 } else { LATE_US }
        };
        let begun = begun.filter(|reading| reading.since > self.from + LATE_US || stayed(reading));
        let until = if self.until == STILL { STILL } else { self.until + LATE_US };
        let odd = begun.filter(|reading| {
            let Reading { square, kinds, .. } = **reading;
            let next = touched_next.contains(square);
            // What stays is held against the next ply.
            let passes = reading.until <= until;
            let fits = kinds.meets(self.before.at(square))
                || kinds.meets(self.after.at(square))
                || (next || touched.contains(square)) && kinds.meets(Kinds::EMPTY)
                || next && self.next.is_some_and(|(_, squares)| kinds.meets(squares.at(square)));
            !fits && passes && !wrong.contains(square)
        });
        odd.fold((0, Bitboard::EMPTY), |(sum, squares), reading| {
            let (name, cost) = self.passing(log, reading);
            (sum + items.take(name, cost), squares.with(reading.square))
        })
    }

    /// What it costs that something was seen for a while which no ply explains.
    fn passing(&self, log: &Log<'_>, reading: &Reading) -> (&'static str, u32) {
        // The ply's own man may have been on its way, if it had not come.
        let man = reading.kinds.single().flatten();
        let to = uci::destination(self.played);
        let had_come = log.stayed(to, reading.since + -SCAN_US, reading.since + SCAN_US)
            && log.kinds_at(to, reading.since) == self.after.at(to);
        let is_own = |man: Piece| man.role == self.played.role() && !had_come;
        let mover = man.filter(|man| man.color != self.position.turn());
        let other = mover.is_some_and(|man| !is_own(man));
        let stands = self.pressed && reading.since < self.at;
        let stood = other && stands && self.at < reading.until;
        let ahead =
            || man.is_some() && mover.is_none() && self.came_ahead(log, reading) && !self.went_ahead(log, reading);
        let back = || {
            let back = log.arrived(reading.square, reading.kinds, reading.until, reading.until + BACK_US);
            reading.until <= self.at && back.is_some_and(|back| back > self.at)
        };
        // It may be read a moment after the press.
        let came = stands || reading.since < self.at + LATE_US && log.kinds_at(to, reading.since) != self.after.at(to);
        let stayed = || self.pressed && came && self.at.max(reading.since) + LATE_US < reading.until;
        match reading.until - reading.since {
            _ if !reading.kinds.meets(Kinds::OCCUPIED) => named!(LIFTED),
            _ if mover.is_some() && back() => named!(LIFTED_AGAIN),
            // It stood there when the other player pressed, too.
            _ if mover.is_some() && !other && stands && self.until < reading.until => named!(FOREIGN),
            _ if mover.is_some() && !other && stayed() => named!(STOOD_THERE),
            LINGERING_US.. => named!(LINGERED),
            _ if stood => named!(STOOD_PRESSED),
            _ if mover.is_some() && !other && stands && self.at + STOOD_US < reading.until => named!(STOOD_LONGER),
            _ if mover.is_some() && self.pressed && self.is_another(log, reading) => named!(LIFTED_ANOTHER),
            ..BRIEF_US => named!(LIFTED),
            _ if ahead() => named!(STOOD_AHEAD),
            _ if mover.is_some() && self.pressed && self.was_answered(log, reading) => named!(STOOD_ANSWERED),
            _ => named!(STOOD),
        }
    }

    /// Whether a man like the ply's was seen while the ply's and all others stood on their squares: it was in the hand.
    fn is_another(&self, log: &Log<'_>, reading: &Reading) -> bool {
        let Some(from) = self.played.from().filter(|_| self.before.at(reading.square) == Kinds::EMPTY) else {
            return false;
        };
        let around = log.shown(reading.since + -SCAN_US, reading.since + CARRIED_US);
        let alike = |square: &Square| self.before.at(*square) == reading.kinds;
        let stood = |square: Square| around.at(square) == reading.kinds;
        alike(&from) && Square::ALL.into_iter().filter(alike).all(stood)
    }

    /// Whether a man of the next player came to a square that was not its own while something stood elsewhere.
    fn was_answered(&self, log: &Log<'_>, stood: &Reading) -> bool {
        let by = self.position.turn();
        log.begun(stood.since + FASTEST_US, stood.until).iter().any(|reading| {
            let man = reading.kinds.single().flatten().filter(|man| man.color == by);
            man.is_some() && !reading.kinds.meets(self.before.at(reading.square))
        })
    }

    /// Squares that the ply must have touched and whose reading never changed.
    fn untouched(&self, log: &Log<'_>, to: Square, items: &Items) -> u32 {
        let touched = search::squares_of(self.played) & !log.blind(self.from, self.at);
        let differs = |square: &Square| self.before.at(*square) != self.after.at(*square) && *square != to;
        // A man that lay or stood elsewhere has been charged for that.
        let empty =
            |square: &Square| log.last(*square, self.at + LATE_US).is_some_and(|reading| reading.kinds == Kinds::EMPTY);
        let stayed = |square: &Square| log.stayed(*square, self.earlier, self.at + LATE_US);
        // Since the man came with its player's last ply.
        let came = (self.earlier + 2 * SCAN_US).min(self.at);
        let felt = |square: &Square| log.kinds_at(*square, self.at + LATE_US) == Kinds::OCCUPIED;
        let stood = |square: &Square| felt(square) && log.stayed(*square, came, self.at + LATE_US);
        let captured = self.played.is_capture() && (stayed(&to) || self.victim_stayed(log, to));
        let walked = self.played.from().filter(|_| !matches!(self.played, Move::Castle { .. }));
        let before = |from| log.came_before(from, (to, self.after.at(to)), self.earlier, self.at + LATE_US);
        let captured = captured || walked.is_some_and(before);
        let never = |square: &Square| (stayed(square) || stood(square)) && !empty(square);
        let others = touched.into_iter().filter(differs).filter(never).count() as u32;
        // A promoted man may have lain there, where nothing felt it, since it came.
        let told = (came + SCAN_US).min(self.at);
        let lay = |from: &Square| {
            let man = self.before.at(*from);
            // One that stood there before was seen to leave.
            let stood = log.kinds_at(*from, self.earlier).meets(man);
            man.single().is_none() && !stood && empty(from) && log.stayed(*from, told, self.at + LATE_US)
        };
        weigh!(items, UNTOUCHED * (others + u32::from(captured)))
            + weigh!(items, RISEN * u32::from(walked.as_ref().is_some_and(lay)))
    }

    /// Whether a sensor that feels only that something is there has felt no change since the man came that is captured.
    fn victim_stayed(&self, log: &Log<'_>, to: Square) -> bool {
        // Who is captured there in turn is seen to leave soon after the press.
        let recaptured = self.next.is_some_and(|(next, _)| next.is_capture() && search::victim(next) == to);
        let late = if recaptured { 0 } else { LATE_US };
        let came = self.last.filter(|last| uci::destination(last.played) == to).and_then(|last| last.came);
        let reading = log.last(to, self.at + late).filter(|reading| reading.kinds == Kinds::OCCUPIED);
        came.zip(reading).is_some_and(|(came, reading)| reading.since <= came)
    }
}

//! Whose turn a board without a clock shows: a press for every stretch in which only one player's men arrived.
//!
//! In: what the squares showed. Out: presses of a clock that nobody has, for hindsight to hang plies on. It knows no
//! plies: a stretch may be a move, one that was taken back, or a man that was adjusted.

use super::{Press, SCAN_US, declared::before_last_rank, search::Hand};
use crate::{
    sense::{Placement, Reading},
    types::{Bitboard, ByColor, Color, Instant, Kinds, Role, SECOND, Square},
};

/// How long after the last man of a stretch its player's turn ends at the latest.
const AFTER_US: i64 = SCAN_US / 2;
/// Men of one player that come so long after one another may come in two turns.
const TURN_US: i64 = 2 * SECOND;
/// A man that had stood for so long had not just been put there.
const STOOD_US: i64 = SECOND;
/// A man that is put back was not away for longer.
const AWAY_US: i64 = 2 * SECOND;

/// A man came to a square, or left it.
#[derive(Clone, Copy)]
struct Change {
    at: Instant,
    square: Square,
    color: Color,
    kinds: Kinds,
}

/// What happened between two men of one player that came.
struct Between<'a> {
    placement: &'a Placement,
    departures: &'a [Change],
    first: Change,
    second: Change,
}

impl Between<'_> {
    /// Men of the other player that left their squares.
    fn left(&self) -> impl Iterator<Item = &Change> {
        let between = self.first.at + -SCAN_US..self.second.at;
        self.departures.iter().filter(move |left| left.color != self.first.color && between.contains(&left.at))
    }

    /// The colour of the man that came next where one left.
    fn comes_next(&self, left: &Change) -> Option<Color> {
        let later = self.placement.readings(left.square).take_while(|reading| reading.since > left.at);
        later.filter(|reading| reading.kinds != Kinds::EMPTY).last().and_then(|reading| color(reading.kinds))
    }

    /// Whether a man of the other player left its square that nobody had captured there.
    fn replied(&self) -> bool {
        let before = |left: &Change| left.square == self.first.square && left.at < self.first.at;
        let captured = |left: &Change| before(left) || self.comes_next(left) == Some(self.first.color);
        self.left().any(|left| !captured(left))
    }

    /// Whether a pawn of the other player left its square for the last rank, and lies there.
    fn promoted(&self) -> bool {
        let rises = |left: &Change| {
            let pawn = left.kinds == Kinds::only(Role::Pawn.of(left.color));
            pawn && before_last_rank(left.color).contains(left.square)
        };
        self.left().any(|left| rises(left) && self.comes_next(left).is_none())
    }

    /// Whether a man was taken out of the other player's tray that does not stand anywhere.
    fn dropped(&self, hands: &ByColor<Option<Hand>>) -> bool {
        let hand = hands.get(!self.first.color).filter(|_| self.second.at - self.first.at > TURN_US);
        let taken = |hand: Hand| {
            Role::ALL.into_iter().filter(move |role| *hand.men.get(*role) > 0).map(move |role| *hand.taken.get(role))
        };
        hand.into_iter().flat_map(taken).any(|at| self.first.at < at && at < self.second.at)
    }
}

/// The presses that a clock would have heard between two instants, in order. None where the sensors do not tell the
/// colours of men.
pub fn presses(
    placement: &Placement,
    hands: &ByColor<Option<Hand>>,
    since: Instant,
    until: Instant,
) -> Option<Vec<Press>> {
    let arrivals = arrivals(placement, since, until)?;
    let departures = departures(placement, since + -SCAN_US);
    let between = |first: &Change, second: &Change| Between {
        placement,
        departures: &departures,
        first: *first,
        second: *second,
    };
    let mut presses: Vec<Press> = Vec::new();
    let mut squares = Bitboard::EMPTY;
    for (index, arrival) in arrivals.iter().enumerate() {
        squares.add(arrival.square);
        let next = arrivals.get(index + 1);
        let gap = next.map_or(until, |next| next.at) - arrival.at;
        let mut press = |by, after: i64| presses.push(Press { by, at: arrival.at + after, clock: None });
        match next {
            // The first of two men on one square was captured in between, by a man that nobody saw there; or the second
            // one captured a man that nobody saw.
            Some(next)
                if next.color == arrival.color
                    && (squares.contains(next.square) && between(arrival, next).replied()
                        || between(arrival, next).dropped(hands)
                        || between(arrival, next).promoted()) =>
            {
                press(arrival.color, AFTER_US.min(gap / 3));
                press(!arrival.color, gap / 2);
                squares = Bitboard::EMPTY;
            }
            Some(next) if next.color == arrival.color => {}
            _ => {
                // Who left without being captured there went on to where nobody saw it.
                let caught = next.is_some_and(|next| next.square == arrival.square);
                let left = left(placement, arrival).filter(|left| !caught && *left < arrival.at + gap);
                let stays = left.map_or(0, |left| left - arrival.at);
                press(arrival.color, stays + AFTER_US.min((gap - stays) / 2));
                squares = Bitboard::EMPTY;
            }
        }
    }
    Some(presses)
}

/// Men that came to squares between two instants, in order. One that is put back where it had stood was knocked over or
/// adjusted.
fn arrivals(placement: &Placement, since: Instant, until: Instant) -> Option<Vec<Change>> {
    let all = || Square::ALL.into_iter().flat_map(|square| placement.readings(square));
    let within = |at: Instant| since < at && at <= until;
    let came = |reading: &Reading| within(reading.since) && !reading.kinds.meets(Kinds::EMPTY);
    let elsewhere = |back: &Reading, left: Instant| {
        let mut others = all().filter(|other| other.square != back.square && other.kinds == back.kinds);
        others.any(|other| left < other.since && other.since <= back.since)
    };
    let mut arrivals = Vec::new();
    for reading in all().filter(came) {
        if put_back(placement, &reading).is_some_and(|left| !elsewhere(&reading, left)) {
            continue;
        }
        let Reading { square, kinds, since: at, .. } = reading;
        arrivals.push(Change { at, square, color: color(kinds)?, kinds });
    }
    arrivals.sort_by_key(|arrival| arrival.at);
    Some(arrivals)
}

/// When the man of a reading had left its square before, if it or its like had stood there for a while.
fn put_back(placement: &Placement, reading: &Reading) -> Option<Instant> {
    let mut before = placement.readings(reading.square).skip_while(|other| other.since >= reading.since);
    let (gone, stood) = (before.next()?, before.next()?);
    let same = gone.kinds == Kinds::EMPTY && stood.kinds == reading.kinds;
    let brief = stood.until - stood.since >= STOOD_US && gone.until - gone.since <= AWAY_US;
    (same && brief).then_some(gone.since)
}

/// When the man of an arrival left its square.
fn left(placement: &Placement, arrival: &Change) -> Option<Instant> {
    let later = placement.readings(arrival.square).take_while(|reading| reading.since > arrival.at);
    later.last().filter(|reading| reading.kinds == Kinds::EMPTY).map(|reading| reading.since)
}

/// Men that left squares since some instant.
fn departures(placement: &Placement, since: Instant) -> Vec<Change> {
    let all =
        Square::ALL.into_iter().flat_map(|square| placement.readings(square).zip(placement.readings(square).skip(1)));
    let gone = all.filter(|(now, _)| now.since > since && now.kinds == Kinds::EMPTY);
    let left = |(now, before): (Reading, Reading)| {
        Some(Change { at: now.since, square: now.square, color: color(before.kinds)?, kinds: before.kinds })
    };
    gone.filter_map(left).collect()
}

/// The colour of all men that may stand there.
fn color(kinds: Kinds) -> Option<Color> {
    let mut colors = Color::ALL.into_iter().filter(|color| kinds.meets(Kinds::of(*color)));
    colors.next().filter(|_| colors.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{MS, Piece};

    /// `e4P@700` a man came to a square at so many milliseconds, `e2.@500` it left one; answers the presses.
    fn turns(script: &str, hands: &ByColor<Option<Hand>>) -> String {
        let mut placement = Placement::default();
        for square in Square::ALL {
            placement.set(square, Kinds::EMPTY, Instant::ZERO);
        }
        for word in script.split(' ') {
            let (reading, at) = word.split_once('@').unwrap();
            let square: Square = reading[..2].parse().unwrap();
            let kinds = match &reading[2..] {
                "x" => Kinds::OCCUPIED,
                man => Kinds::exactly(man.chars().next().and_then(Piece::from_char)),
            };
            placement.set(square, kinds, Instant(at.parse::<i64>().unwrap() * MS));
        }
        let Some(presses) = presses(&placement, hands, Instant(100 * MS), Instant(9000 * MS)) else {
            return "unknown".into();
        };
        let told = presses.iter().map(|press| format!("{}{}", press.by.char(), press.at.micros() / MS));
        told.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn men_of_one_player_are_one_turn() {
        let begin = "e2P@50 e7p@50 d8q@50 ";
        let turns = |script: &str| turns(&format!("{begin}{script}"), &ByColor::default());
        let check = |script: &str, expect: &str| assert_eq!(turns(script), expect, "{script}");
        check("e2.@500 e4P@700 e7.@1500 e5p@1800", "w850 b1950");
        // A hesitation is a part of the turn, a man that is put back, too.
        check("e2.@500 e3P@700 e3.@1500 e4P@1800 e7.@1900 e5p@2000", "w1900 b2150");
        check("e2.@500 e3P@700 e3.@1500 e2P@1800 e2.@2500 e4P@2900", "w3050");
        // A queen took the first man off and was taken by the second: nobody saw her there.
        check("g5B@700 g5.@1300 d8.@1400 g5N@2000", "w850 b1350 w2150");
        // A man that is put back where it stood has been adjusted.
        check("e7.@1500 e7p@1800 e2.@2500 e4P@2900", "w3050");
        // One that stood elsewhere meanwhile may have moved.
        check("e7.@1500 e6p@1800 e6.@2200 e7p@2500 e2.@2900 e4P@3100", "b2650 w3250");
        // A man that went on to where nobody saw it, and was captured there.
        check("e7.@500 e6q@700 e6.@900 d2.@1900 e3B@3000", "b1050 w3150");
        // Whom a man captured that was adjusted then has not replied.
        check("h6b@50 h6.@900 h5.@950 h6Q@1100 h6.@1300 h6Q@1500", "w1650");
        // Who was captured by the second one had not replied.
        check("f7p@50 g6B@700 f7.@1100 g6.@1130 g6B@1350 g6.@2000 f7B@2200", "w2350");
        // A pawn that promotes and lies is seen only to leave its square.
        check("b2p@50 d2.@600 d4P@700 b2.@1700 f3.@3200 d1B@3800", "w850 b2250 w3950");
        // Nobody else had a man in hand: it was put there twice.
        check("g5B@700 g5.@1300 g5N@2000", "w2150");
        check("e2.@500 e4x@700", "unknown");
    }

    #[test]
    fn a_drop_that_nobody_saw_ends_a_turn() {
        let check = |taken_ms: i64, expect: &str| {
            let mut hand = Hand::default();
            *hand.men.get_mut(Role::Knight) = 1;
            *hand.taken.get_mut(Role::Knight) = Instant(taken_ms * MS);
            let hands = ByColor { white: Some(hand), black: None };
            assert_eq!(turns("b7b@50 b7.@400 f3b@700 f3.@5000 g2b@5700", &hands), expect, "taken at {taken_ms} ms");
        };
        // White's knight was taken from the tray, and the bishop went on to where it must have come down.
        check(3000, "b850 w3200 b5850");
        check(300, "b5850");
        check(6000, "b5850");
    }
}

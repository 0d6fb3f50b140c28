//! Whose turn a board without a clock shows: a press for every stretch in which only one player's men arrived.
//!
//! In: what the squares showed. Out: presses of a clock that nobody has, for hindsight to hang plies on. It knows no
//! plies: a stretch may be a move, one that was taken back, or a man that was adjusted.

use super::{Press, SCAN_US, search::Hand};
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

/// A man came to a square.
#[derive(Clone, Copy)]
struct Arrival {
    at: Instant,
    square: Square,
    color: Color,
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
    let replied = |first: &Arrival, second: &Arrival| {
        let between =
            |(at, color): &&(Instant, Color)| first.at + -SCAN_US < *at && *at < second.at && *color != first.color;
        departures.iter().any(|departure| between(&departure))
    };
    // A man was taken out of the other player's tray, and does not stand anywhere.
    let dropped = |first: &Arrival, second: &Arrival| {
        let hand = hands.get(!first.color).filter(|_| second.at - first.at > TURN_US);
        let taken = |hand: Hand| {
            Role::ALL.into_iter().filter(move |role| *hand.men.get(*role) > 0).map(move |role| *hand.taken.get(role))
        };
        hand.into_iter().flat_map(taken).any(|at| first.at < at && at < second.at)
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
                    && (squares.contains(next.square) && replied(arrival, next) || dropped(arrival, next)) =>
            {
                press(arrival.color, AFTER_US.min(gap / 3));
                press(!arrival.color, gap / 2);
                squares = Bitboard::EMPTY;
            }
            Some(next) if next.color == arrival.color => {}
            _ => {
                press(arrival.color, AFTER_US.min(gap / 2));
                squares = Bitboard::EMPTY;
            }
        }
    }
    Some(presses)
}

/// Men that came to squares between two instants, in order. One that is put back where it had stood was knocked over or
/// adjusted.
fn arrivals(placement: &Placement, since: Instant, until: Instant) -> Option<Vec<Arrival>> {
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
        arrivals.push(Arrival { at: reading.since, square: reading.square, color: color(reading.kinds)? });
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

/// When men left squares since some instant, and whose.
fn departures(placement: &Placement, since: Instant) -> Vec<(Instant, Color)> {
    let all =
        Square::ALL.into_iter().flat_map(|square| placement.readings(square).zip(placement.readings(square).skip(1)));
    let left = all.filter(|(now, _)| now.since > since && now.kinds == Kinds::EMPTY);
    left.filter_map(|(now, before)| Some((now.since, color(before.kinds)?))).collect()
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

//! Whose turn a board without a clock shows: a press for every stretch in which only one player's men arrived.
//!
//! In: what the squares showed. Out: presses of a clock that nobody has, for hindsight to hang plies on. It knows no
//! plies: a stretch may be a move, one that was taken back, or a man that was adjusted.

use super::{Press, SCAN_US};
use crate::{
    sense::Placement,
    types::{Bitboard, Color, Instant, Kinds, Square},
};

/// How long after the last man of a stretch its player's turn ends at the latest.
const AFTER_US: i64 = SCAN_US / 2;

/// A man came to a square.
#[derive(Clone, Copy)]
struct Arrival {
    at: Instant,
    square: Square,
    color: Color,
}

/// The presses that a clock would have heard between two instants, in order. None where the sensors do not tell the
/// colours of men.
pub fn presses(placement: &Placement, since: Instant, until: Instant) -> Option<Vec<Press>> {
    let arrivals = arrivals(placement, since)?;
    let departures = departures(placement, since + -SCAN_US);
    let replied = |first: &Arrival, second: &Arrival| {
        let between =
            |(at, color): &&(Instant, Color)| first.at + -SCAN_US < *at && *at < second.at && *color != first.color;
        departures.iter().any(|departure| between(&departure))
    };
    let mut presses: Vec<Press> = Vec::new();
    let mut squares = Bitboard::EMPTY;
    for (index, arrival) in arrivals.iter().enumerate() {
        squares.add(arrival.square);
        let next = arrivals.get(index + 1);
        let gap = next.map_or(until, |next| next.at) - arrival.at;
        let mut press =
            |by, share: i64| presses.push(Press { by, at: arrival.at + (gap / share).min(AFTER_US), clock: None });
        match next {
            // The first of two men on one square was captured in between, by a man that nobody saw there.
            Some(next) if next.color == arrival.color && squares.contains(next.square) && replied(arrival, next) => {
                press(arrival.color, 3);
                press(!arrival.color, 2);
                squares = Bitboard::EMPTY;
            }
            Some(next) if next.color == arrival.color => {}
            _ => {
                press(arrival.color, 2);
                squares = Bitboard::EMPTY;
            }
        }
    }
    Some(presses)
}

/// Men that came to squares since some instant, in order.
fn arrivals(placement: &Placement, since: Instant) -> Option<Vec<Arrival>> {
    let mut arrivals = Vec::new();
    for square in Square::ALL {
        for reading in placement.readings(square).take_while(|reading| reading.since > since) {
            if !reading.kinds.meets(Kinds::EMPTY) {
                arrivals.push(Arrival { at: reading.since, square, color: color(reading.kinds)? });
            }
        }
    }
    arrivals.sort_by_key(|arrival| arrival.at);
    Some(arrivals)
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

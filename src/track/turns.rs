//! Whose turn a board without a clock shows: a press for every stretch in which only one player's men arrived.
//!
//! In: what the squares showed. Out: presses of a clock that nobody has, for hindsight to hang plies on. It knows no
//! plies: a stretch may be a move, one that was taken back, or a man that was adjusted.

use super::{Press, SCAN_US};
use crate::{
    sense::{Placement, Reading},
    types::{Color, Instant, Kinds, SECOND, Square},
};

/// A man that is back on its square so soon was adjusted.
const ADJUSTED_US: i64 = SECOND;
/// How long after the last man of a stretch its player's turn ends at the latest.
const AFTER_US: i64 = SCAN_US / 2;

/// The presses that a clock would have heard between two instants, in order. None where the sensors do not tell the
/// colours of men.
pub fn presses(placement: &Placement, since: Instant, until: Instant) -> Option<Vec<Press>> {
    let mut arrivals = Vec::new();
    for square in Square::ALL {
        let readings: Vec<Reading> = placement.readings(square).collect();
        for (index, reading) in readings.iter().enumerate().take_while(|(_, reading)| reading.since > since) {
            if reading.kinds.meets(Kinds::EMPTY) || adjusted(&readings[index + 1..], reading) {
                continue;
            }
            arrivals.push((reading.since, color(reading.kinds)?));
        }
    }
    arrivals.sort_by_key(|(at, _)| *at);
    let mut presses: Vec<Press> = Vec::new();
    for (index, (at, by)) in arrivals.iter().enumerate() {
        let next = arrivals.get(index + 1);
        if next.is_some_and(|(_, color)| color == by) {
            continue;
        }
        let end = next.map_or(until, |(next, _)| *at + (*next - *at) / 2);
        presses.push(Press { by: *by, at: (*at + AFTER_US).min(end), clock: None });
    }
    Some(presses)
}

/// Whether the same man had stood there until just before.
fn adjusted(earlier: &[Reading], reading: &Reading) -> bool {
    let stood = earlier.iter().find(|earlier| !earlier.kinds.meets(Kinds::EMPTY));
    stood.is_some_and(|stood| stood.kinds == reading.kinds && reading.since - stood.until < ADJUSTED_US)
}

/// The colour of all men that may stand there.
fn color(kinds: Kinds) -> Option<Color> {
    let mut colors = Color::ALL.into_iter().filter(|color| kinds.meets(Kinds::of(*color)));
    colors.next().filter(|_| colors.next().is_none())
}

//! Whether the record equals the game: moves, order across the boards, clocks; in the journal and on the bus.

use std::path::Path;

use crate::{event::Move, journal::Reader, simulate::hands::Ply, types::Color};

/// Difference that clock messages of whole seconds leave, in milliseconds.
const CLOCK_TOLERANCE_MS: i64 = 1000;

/// What a record that equals the game is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Equal {
    /// Completed moves.
    pub moves: usize,
    /// Largest difference of a clock in milliseconds.
    pub clock_ms: i64,
}

/// Compares the last game of the journal and what the bus told with what was played.
pub fn compare(plies: &[Ply], data_dir: &Path, told: &[Move]) -> Result<Equal, String> {
    let record =
        Reader::open(data_dir).and_then(|reader| reader.record("last")).map_err(|e| format!("journal: {e}"))?;
    let recorded: Vec<&Move> = record.moves.iter().map(|(_, played)| played).collect();
    let clock_ms = compare_moves("the journal", plies, &recorded)?;
    compare_moves("the bus", plies, &told.iter().collect::<Vec<_>>())?;
    Ok(Equal { moves: plies.len(), clock_ms })
}

fn compare_moves(who: &str, plies: &[Ply], moves: &[&Move]) -> Result<i64, String> {
    let mut largest = 0;
    for (index, ply) in plies.iter().enumerate() {
        let place = format!("{who}, move {}", index + 1);
        let Some(found) = moves.get(index) else {
            return Err(format!("{place}: expected {} {}, found no more moves", ply.seat, ply.san));
        };
        if (found.seat, &found.uci) != (ply.seat, &ply.uci) {
            return Err(format!("{place}: expected {} {}, found {} {}", ply.seat, ply.san, found.seat, found.san));
        }
        if let Some(off) = clock_difference(ply, found) {
            if off > CLOCK_TOLERANCE_MS {
                return Err(format!("{place}: the clock of {} is {off} ms off", ply.seat));
            }
            largest = largest.max(off);
        }
    }
    match moves.len() - plies.len() {
        0 => Ok(largest),
        more => Err(format!("{who}: expected {} moves, found {more} more", plies.len())),
    }
}

fn clock_difference(ply: &Ply, found: &Move) -> Option<i64> {
    let clock = found.clock?;
    let own = if ply.seat.color == Color::White { clock.white_ms } else { clock.black_ms };
    Some((own - ply.clock_ms?).abs())
}

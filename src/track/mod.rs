//! Placements and clocks over time to moves.

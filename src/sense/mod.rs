//! Frames to placements.

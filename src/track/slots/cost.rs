//! What evidence about trays is worth: all weights of `assign` in one place.
//!
//! Men come to trays at other times than boards change: these are held against each other, never against `track::cost`.

/// Of accounts that differ by no more either may be true.
pub const DOUBT: u32 = 32;
/// Of accounts that differ by no more neither is published as certain.
pub const OPEN: u32 = 12;

/// A man came before its capture, as far as that was seen at all.
pub const TOO_EARLY: u32 = 48;
/// A man came long before the capture was made.
pub const LONG_BEFORE_MADE: u32 = 16;
/// A man came while the capture was being made.
pub const BEFORE_MADE: u32 = 8;
/// A man came before the press.
pub const EARLY: u32 = 4;
/// A man came as the clock was pressed.
pub const AT_PRESS: u32 = 1;
/// A man came seconds after the press.
pub const LATE: u32 = 16;
/// A man came long after the press.
pub const VERY_LATE: u32 = 24;
/// A man came that was captured later than another one that has not come.
pub const ORDER: u32 = 4;
/// A man was put back.
pub const PUT_BACK: u32 = 12;
/// The same for each tenth of a second that it was in the hand for longer than that takes, up to the most.
pub const HELD: u32 = 2;
/// The most of it.
pub const HELD_MOST: u32 = 24;
/// A man came that nobody captured.
pub const UNKNOWN: u32 = 56;
/// A man was dropped straight from the partner's hand.
pub const DIRECT: u32 = 16;
/// A man was dropped that nobody saw leave the tray.
pub const UNSEEN_TAKEN: u32 = 48;
/// A man was dropped that nobody captured.
pub const FROM_NOWHERE: u32 = 64;
/// The record calls the dropped man otherwise.
pub const MISNAMED: u32 = 8;
/// The dropped man is not what the record says that was captured, but something else that may have been.
pub const OTHERWISE: u32 = 16;
/// The same of a man that was hardly captured.
pub const HARDLY: u32 = 32;
/// The dropped man moved later as no such man does.
pub const IMPOSSIBLE: u32 = 80;

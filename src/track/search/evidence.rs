//! What a search goes by.
//!
//! In: what the sensors show, when clocks were pressed, what players said. It weighs nothing.

use super::{Alias, Hand};
use crate::{
    rules::Move,
    sense::Placement,
    types::{Bitboard, ByColor, Instant, Role},
};

/// What there is to go by.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// What the sensors show.
    pub placement: &'a Placement,
    /// The line that was believed until now.
    pub before: &'a [Move],
    /// When the clock was pressed for the plies of the line, as far as it was.
    pub presses: &'a [Instant],
    /// Men that left the pocket of each player, where a tray tells.
    pub lifted: &'a ByColor<Option<Hand>>,
    /// Men in partners' trays that no completed capture explains, by the capturer's colour.
    pub arrived: &'a ByColor<Hand>,
    /// Since when the first and the second player of the line may have touched something for it.
    pub since: [Instant; 2],
    /// When the last completed ply before the line was made.
    pub rest_since: Instant,
    /// When the clock was pressed for the two plies before the line, the first player's own first.
    pub pressed: [Instant; 2],
    /// Men known to read as others.
    pub aliases: &'a [Alias],
    /// Squares known to feel nothing.
    pub blind: Bitboard,
    /// Squares that have been wrong since before the last completed ply.
    pub still: Bitboard,
    /// Squares that have shown the same for so long that a man missing there is in no hand.
    pub gone: Bitboard,
    /// What each player said that its next pawn becomes (WBN 5.7).
    pub said: ByColor<Option<Role>>,
    /// What a ply costs whose man has not been seen on its destination.
    pub unseen: u32,
    /// Some ply was made, whatever speaks against it.
    pub must: bool,
    /// A line that costs so much is as good as none.
    pub most: u32,
    /// Whether the answer says what was weighed.
    pub noting: bool,
    /// Nobody looked while the line was played: only where the men stand in the end speaks against it.
    pub gap: bool,
    /// By how long a man of unknown kind may seem to have come before it left, in µs.
    pub slack: i64,
}

//! What stands at an emulated table: how its boards feel men, whether there are trays and clocks, and what is broken.

use crate::types::BoardId;

use super::devices::faults::Faults;

/// How boards feel their men.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sensing {
    /// DGT boards: every man's kind.
    #[default]
    Identity,
    /// BSLP boards that tell every man's kind.
    Piece,
    /// BSLP boards that tell only whether something stands there.
    Occupancy,
    /// BSLP boards that tell the tag of every man.
    Tags,
    /// BSLP boards that tell how strong the magnet of the man is.
    Levels,
}

impl Sensing {
    /// All, with their names on the command line.
    pub const ALL: [(&'static str, Sensing); 5] = [
        ("identity", Sensing::Identity),
        ("piece", Sensing::Piece),
        ("occupancy", Sensing::Occupancy),
        ("tags", Sensing::Tags),
        ("levels", Sensing::Levels),
    ];
}

/// What the trays feel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trays {
    /// Every man's kind.
    #[default]
    Piece,
    /// Whether something lies there.
    Occupancy,
    /// There are none.
    Absent,
}

/// Which boards have clocks that a machine can read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clocks {
    /// All.
    #[default]
    All,
    /// Only the first board.
    First,
    /// None.
    Absent,
}

impl Clocks {
    /// Whether a board has one.
    pub fn on(self, board: BoardId) -> bool {
        match self {
            Clocks::All => true,
            Clocks::First => board == BoardId::A,
            Clocks::Absent => false,
        }
    }
}

/// All of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rig {
    /// The boards.
    pub sensing: Sensing,
    /// The trays.
    pub trays: Trays,
    /// The clocks.
    pub clocks: Clocks,
    /// What is broken, and how often.
    pub faults: Faults,
}

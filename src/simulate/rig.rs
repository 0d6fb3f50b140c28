//! What stands at an emulated table: how its boards feel men, whether there are trays and clocks, and what is broken.

use std::ops::Range;

use crate::types::BoardId;

use super::{devices::faults::Faults, hands::Terms};

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
    /// BSLP boards that tell how strong the magnet of the man is, with calibration values.
    Levels,
    /// The same without: what levels mean is learnt at the set-up.
    LearntLevels,
}

impl Sensing {
    /// All, with their names on the command line.
    pub const ALL: [(&'static str, Sensing); 6] = [
        ("identity", Sensing::Identity),
        ("piece", Sensing::Piece),
        ("occupancy", Sensing::Occupancy),
        ("tags", Sensing::Tags),
        ("levels", Sensing::Levels),
        ("learnt-levels", Sensing::LearntLevels),
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
    /// How strong the magnet of the man is, with calibration values.
    Levels,
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
    /// The boards; a table may mix kinds: board B has the second one, and so on in turn. Without any all have
    /// [`Sensing::Identity`].
    pub boards: Vec<Sensing>,
    /// µs in which a BSLP board reads all its squares, if that is another time than its kind takes.
    pub board_scan_us: Option<i64>,
    /// The trays.
    pub trays: Trays,
    /// The clocks.
    pub clocks: Clocks,
    /// What is broken, and how often.
    pub faults: Faults,
    /// How long the daemon is away each time it dies and is started again in mid-game, in µs, if it does.
    pub restarts: Option<Range<i64>>,
}

impl Rig {
    /// The terms of a game as it is played on these boards.
    pub fn terms(&self, terms: &Terms) -> Terms {
        let spoken = self.boards.iter().any(|sensing| matches!(sensing, Sensing::Occupancy | Sensing::Tags));
        Terms { spoken, buttons: self.trays != Trays::Absent, ..*terms }
    }

    /// How a board feels its men.
    pub fn sensing(&self, board: BoardId) -> Sensing {
        let turn = board.index().checked_rem(self.boards.len());
        turn.map_or(Sensing::Identity, |turn| self.boards[turn])
    }
}

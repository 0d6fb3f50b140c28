//! What there is to see of one board and its trays.
//!
//! In: what the senses and the slots of the trays hold. Out: a view of it, for one search. It decides nothing.

use super::{
    Slots,
    search::{Arriving, Hand},
};
use crate::{
    rules::Pocket,
    sense::Placement,
    types::{ByColor, Color, Role},
};

/// What there is to see of a board.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// What the sensors show.
    pub placement: &'a Placement,
    /// Men that left the pocket of each player, where a tray tells.
    pub lifted: ByColor<Option<Hand>>,
    /// Men in partners' trays that no completed capture explains, by the capturer's colour.
    pub arrived: ByColor<Hand>,
    /// Men that lie in the tray of each player, where one tells.
    pub lying: ByColor<Option<Pocket>>,
    /// The tray of each player that feels only that something is there.
    pub slots: ByColor<Option<&'a Slots>>,
    /// Another board is not heard: what it has captured nobody knows.
    pub others_unheard: bool,
    /// The board may tell a change that was none, and can be asked for all that it feels.
    pub may_garble: bool,
}

impl Seen<'_> {
    /// The same where men are on their way that other boards capture just now: they may be handed over straight.
    pub(super) fn with(&self, arriving: &Arriving) -> Self {
        let lifted = ByColor::new_with(|color| {
            let hand = *self.lifted.get(color);
            hand.map(|hand| Hand { coming: hand.coming.zip(arriving.to(color)).map(|(has, more)| has || more), ..hand })
        });
        Seen { lifted, ..*self }
    }

    /// The same where such a man came from a player of this board, by what was dropped on another one.
    pub(super) fn wanting(&self, capturer: Color, role: Role) -> Self {
        let mut arrived = self.arrived;
        let men = &mut arrived.get_mut(capturer).men;
        *men.get_mut(role) = men.get(role).saturating_add(1);
        Seen { arrived, ..*self }
    }
}

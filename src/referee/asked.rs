//! Clocks that the opponent may start again without a move, to ask for something (FIDE-ext 3.2, 3.3, 3.6).
//!
//! In: the rule set, the men, the last completed move. Out: what may be asked for when a player presses. Whether a
//! press had a move is not known here.

use super::{
    kind::Citation,
    men::{Man, Men, Place},
};
use crate::{
    rules::{Hiding, RuleSet},
    track::Completed,
    types::Seat,
};

/// What the opponent of a player may ask for by starting the player's clock again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// To what the pawn was promoted.
    Promotion,
    /// The man that was captured with the last move.
    Man,
    /// A man of the stock that is not to be seen.
    Hidden,
}

impl Asked {
    /// The word in messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Asked::Promotion => "promotion-not-said",
            Asked::Man => "man-not-passed",
            Asked::Hidden => "man-hidden",
        }
    }

    /// What gives the right.
    pub const fn citation(self) -> Citation {
        match self {
            Asked::Promotion => ("FIDE-ext", "3.6"),
            Asked::Man => ("FIDE-ext", "3.2"),
            Asked::Hidden => ("FIDE-ext", "3.3"),
        }
    }

    /// What the opponent of `player` may ask for now, whose last completed move this is. A table without trays does not
    /// know whether a man was passed: that may be asked for.
    pub fn of(rules: &RuleSet, men: &Men, player: Seat, last: Option<&Completed>) -> Option<Asked> {
        let unsaid = |last: &&Completed| {
            last.played.promotion().is_some() && last.rivals.iter().any(|rival| rival.promotion().is_some())
        };
        if rules.promotion_must_be_said && last.filter(unsaid).is_some() {
            return Some(Asked::Promotion);
        }
        if rules.hiding != Hiding::RestartClock {
            return None;
        }
        let with_it = last.map(|last| (player, last.completed_at));
        let captured =
            |man: &Man| matches!(man.place, Place::Transit(_)) && with_it.is_some_and(|it| man.captured == Some(it));
        let hidden = |man: &Man| match man.place {
            Place::Lifted(seat) => seat == player,
            Place::Transit(seat) => seat == player && man.told,
            _ => false,
        };
        let may = |ask: Asked, found: &dyn Fn(&Man) -> bool| men.men().iter().any(found).then_some(ask);
        may(Asked::Man, &captured).or_else(|| may(Asked::Hidden, &hidden))
    }
}

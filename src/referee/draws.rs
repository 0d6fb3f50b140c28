//! Draws by agreement (WBN 2.2a, 3.1, FIDE-ext 4.5): who has offered, and when all who must have agreed.
//!
//! In: offers, acceptances, completed moves. Out: whether the draw is agreed, or why not. It knows no positions.

use crate::{
    rules::{DrawAgreement, RuleSet},
    types::{BoardId, Seat},
};

/// Who offers a draw that is still valid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    seats: Vec<Seat>,
}

/// What an offer or an acceptance leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Others must agree yet.
    Offered,
    /// The draw is agreed on these boards.
    Agreed(Vec<BoardId>),
    /// There is no offer to accept.
    NoOffer,
}

impl Offers {
    /// Seats whose offers are valid.
    pub fn seats(&self) -> &[Seat] {
        &self.seats
    }

    /// A seat offers a draw, or joins the partner's offer.
    pub fn offer(&mut self, rules: &RuleSet, boards: usize, by: Seat) -> Agreement {
        if !self.seats.contains(&by) {
            self.seats.push(by);
        }
        self.agreed(rules, boards, by)
    }

    /// A seat accepts what the other team offers: on its board, or anywhere where all players must agree.
    pub fn accept(&mut self, rules: &RuleSet, boards: usize, by: Seat) -> Agreement {
        let offered = |seat: &Seat| match rules.draw_agreement {
            DrawAgreement::Board => *seat == by.opponent(),
            DrawAgreement::All => seat.team() != by.team(),
        };
        if !self.seats.iter().any(offered) {
            return Agreement::NoOffer;
        }
        self.offer(rules, boards, by)
    }

    fn agreed(&self, rules: &RuleSet, boards: usize, by: Seat) -> Agreement {
        let agrees = |seat: Seat| self.seats.contains(&seat);
        match rules.draw_agreement {
            DrawAgreement::Board if agrees(by.opponent()) => Agreement::Agreed(vec![by.board]),
            DrawAgreement::All if Seat::all(boards).all(agrees) => Agreement::Agreed(BoardId::first(boards).collect()),
            _ => Agreement::Offered,
        }
    }

    /// A seat completed a move: the opponent's offer to it has lapsed (WBN 3.1a).
    pub fn completed(&mut self, seat: Seat) {
        self.seats.retain(|offering| *offering != seat.opponent());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps such as `A?` (offers), `a=` (accepts), `a.` (completes a move); what the last one led to.
    fn check(rules: &RuleSet, script: &str, expect: Agreement) {
        let mut offers = Offers::default();
        let mut last = Agreement::Offered;
        for step in script.split_whitespace() {
            let seat = step[..1].parse().unwrap();
            match &step[1..] {
                "?" => last = offers.offer(rules, 2, seat),
                "=" => last = offers.accept(rules, 2, seat),
                _ => offers.completed(seat),
            }
        }
        assert_eq!(last, expect, "{script} under {}", rules.name);
    }

    #[test]
    fn who_must_agree_is_the_rule_sets() {
        let a = || Agreement::Agreed(vec![BoardId::A]);
        for rules in [RuleSet::WBN_1_00, RuleSet::CZ_2024_06] {
            check(&rules, "A?", Agreement::Offered); // WBN 3.1
            check(&rules, "A? a=", a()); // WBN 2.2a
            check(&rules, "A? a?", a());
            check(&rules, "A? b=", Agreement::NoOffer);
            check(&rules, "A? A. a=", a()); // WBN 3.1: it cannot be withdrawn by moving on
            check(&rules, "A? a. a=", Agreement::NoOffer); // WBN 3.1: valid until the opponent's move
        }
        // FIDE-ext 4.5
        check(&RuleSet::FIDE_EXT, "A? a=", Agreement::Offered);
        check(&RuleSet::FIDE_EXT, "A? b? a= B=", Agreement::Agreed(vec![BoardId::A, BoardId::B]));
        check(&RuleSet::FIDE_EXT, "A? b=", Agreement::NoOffer);
    }
}

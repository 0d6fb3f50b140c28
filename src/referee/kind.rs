//! The kinds of incidents, and the article of each law text that they are about.
//!
//! In: a kind and a rule set. Out: its word in messages, law text and article. It knows nothing of what happened.

use crate::rules::RuleSet;

/// A law text with an article of it.
pub type Citation = (&'static str, &'static str);

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $word:literal, $wbn:literal, $cz:literal, $fide:expr;)+) => {
        /// What an incident is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Kind {
            $($(#[$doc])* $variant,)+
        }

        impl Kind {
            /// All kinds.
            pub const ALL: &[Kind] = &[$(Kind::$variant),+];

            /// The word in messages.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Kind::$variant => $word,)+
                }
            }

            /// The articles under WBN, under CZ, and law text with article under the FIDE extension.
            const fn articles(self) -> (&'static str, &'static str, Citation) {
                match self {
                    $(Kind::$variant => ($wbn, $cz, $fide),)+
                }
            }
        }
    };
}

kinds! {
    /// A completed move that is against the laws; the incident cites the article of the rule that was broken.
    IllegalMove = "illegal-move", "1.14", "1.14", ("FIDE-ext", "4.2");
    /// The king has castled and the rook has not at the press.
    IncompleteCastling = "incomplete-castling", "6.1", "6.1", ("FIDE", "3.8.2");
    /// Mate, potential drops considered.
    Checkmate = "checkmate", "1.5", "1.5", ("FIDE-ext", "3.7");
    /// A position stands as often as makes a draw.
    Repetition = "repetition", "2.2b", "2.2b", ("FIDE-ext", "4.1");
    /// A clock is at zero.
    FlagFall = "flag-fall", "7.8", "7.8", ("FIDE", "6.9");
    /// A captured man was not in the partner's pocket in time.
    NotPassed = "not-passed", "1.6", "1.6", ("FIDE-ext", "3.2");
    /// A man was passed before its capture was completed.
    EarlyPass = "early-pass", "1.6", "1.6", ("FIDE-ext", "3.2");
    /// A captured man is in another seat's pocket.
    WrongPocket = "wrong-pocket", "1.6", "1.6", ("FIDE-ext", "3.2");
    /// A man left a pocket and neither landed nor came back.
    Concealed = "concealed", "1.7", "1.7", ("FIDE-ext", "3.3");
    /// A man was dropped that was never seen in the pocket.
    HiddenDrop = "hidden-drop", "1.8b", "1.7", ("FIDE-ext", "3.3");
    /// A kind was dropped whose use the opponent has restricted.
    RestrictedPieceUsed = "restricted-piece-used", "1.8c", "1.8", ("FIDE-ext", "3.3");
    /// A player hid men for the third time in the game.
    RepeatedlyHiding = "repeatedly-hiding", "1.8d", "1.8b", ("FIDE-ext", "3.3");
    /// A man that no board has lost.
    ForeignPiece = "foreign-piece", "5.10", "5.10", ("FIDE-ext", "3.2");
    /// A move made before the opponent had made theirs.
    Premove = "premove", "6.5", "6.4", ("FIDE-ext", "3.9");
    /// Men stand next to their squares.
    Displaced = "displaced", "6.4", "6.3", ("FIDE", "7.4");
    /// The clock was pressed and no move was made.
    ClockWithoutMove = "clock-without-move", "7.7a", "7.7a", ("FIDE", "6.2");
    /// The set-up is wrong.
    WrongSetup = "wrong-setup", "1.15", "1.15", ("FIDE", "2.3");
    /// The games of the boards did not start together.
    UnevenStart = "uneven-start", "1.2", "1.2", ("FIDE-ext", "3.1");
    /// All clocks were stopped in the middle of a game.
    Paused = "paused", "7.12", "7.12", ("FIDE", "6.11");
    /// A frozen player went on too early.
    MovedWhileFrozen = "moved-while-frozen", "9.4b", "9.4b", ("FIDE", "12.9");
    /// A clock shows what time cannot have made of it.
    ClockDefect = "clock-defect", "7.11", "7.11", ("FIDE", "6.10");
    /// A claim that nothing bears out.
    WrongClaim = "wrong-claim", "7.12d", "7.12d", ("FIDE", "11.5");
    /// A player asks for the arbiter, or claims what the table cannot tell.
    ArbiterCalled = "arbiter-called", "7.12b", "7.12b", ("FIDE-ext", "3.12");
}

impl Kind {
    /// The kind with this word.
    pub fn from_word(word: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.as_str() == word)
    }

    /// Law text and article under a rule set.
    pub fn citation(self, rules: &RuleSet) -> Citation {
        let (wbn, cz, fide) = self.articles();
        match rules.law {
            "FIDE-ext" => fide,
            "CZ" => (rules.law, cz),
            law => (law, wbn),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: Kind, rules: &RuleSet, expect: Citation) {
        assert_eq!(kind.citation(rules), expect, "{} under {}", kind.as_str(), rules.name);
    }

    #[test]
    fn each_law_text_has_its_own_article() {
        check(Kind::Displaced, &RuleSet::WBN_1_00, ("WBN", "6.4"));
        check(Kind::Displaced, &RuleSet::CZ_2024_06, ("CZ", "6.3"));
        check(Kind::Premove, &RuleSet::WBN_1_00, ("WBN", "6.5"));
        check(Kind::Premove, &RuleSet::CZ_2024_06, ("CZ", "6.4"));
        check(Kind::Premove, &RuleSet::FIDE_EXT, ("FIDE-ext", "3.9"));
        check(Kind::FlagFall, &RuleSet::FIDE_EXT, ("FIDE", "6.9"));
    }

    #[test]
    fn words_are_read_back() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_word(kind.as_str()), Some(*kind));
        }
        assert_eq!(Kind::from_word("illegal"), None);
    }
}

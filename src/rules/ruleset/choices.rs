//! The words that fields of a rule set choose from: each is a type, its choices are words of configurations.

macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident { $($(#[$word_doc:meta])* $variant:ident = $word:literal,)+ })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$word_doc])* $variant,)+
        }

        impl $name {
            /// All choices.
            pub const ALL: &[$name] = &[$($name::$variant),+];
            /// The words of all choices for people.
            pub const EXPECTED: &str = concat!("one of", $(" ", $word),+);

            /// The word in configurations.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)+
                }
            }

            /// The choice with this word.
            pub fn from_word(word: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|choice| choice.as_str() == word)
            }
        }
    )+};
}

choices! {
    /// What may happen to kings.
    ///
    /// ```
    /// use bughoused::rules::{Kings, RuleSet};
    ///
    /// let rules: RuleSet = "wbn-1.00,king-capture".parse().unwrap();
    /// assert_eq!(rules.moves.kings, Kings::Captured);
    /// assert_eq!(Kings::from_word("mated"), Some(Kings::Mated));
    /// ```
    Kings {
        /// They are never captured; the game ends with mate (WBN 1.5).
        Mated = "mated",
        /// They are not subject to check; the game ends when one is captured.
        Captured = "captured",
        /// They are captured, go over like other men, and the team that holds all of them wins.
        Collected = "collected",
    }
    /// Who agrees to a draw.
    DrawAgreement {
        /// The two players of a board (WBN 2.2a).
        Board = "board",
        /// All players (FIDE-ext 4.5).
        All = "all",
    }
    /// Moving while the opponent's time runs.
    Premove {
        /// A move over a made move that waits for its completion is allowed (WBN 6.5).
        NonDisruptive = "non-disruptive",
        /// Nothing may be touched (FIDE-ext 3.9).
        Forbidden = "forbidden",
    }
    /// When a captured man is passed to the partner.
    Passing {
        /// At once after completion, not later than before the capturer's next turn (WBN 1.6).
        BeforeOwnTurn = "before-own-turn",
        /// Not before the clock is started, and before the capturer's next move (FIDE-ext 3.2).
        BeforeOwnMove = "before-own-move",
    }
    /// What an opponent may do about a hidden man.
    Hiding {
        /// Warn, and forbid the use of a kind that was dropped hidden (WBN 1.8b, c).
        Restrict = "restrict",
        /// Warn (CZ 1.8).
        Warn = "warn",
        /// Start the clock again and ask (FIDE-ext 3.3).
        RestartClock = "restart-clock",
    }
    /// Who claims what the opponent did.
    Claims {
        /// The player or the partner (WBN 1.12).
        Team = "team",
        /// The player (FIDE-ext 4.2).
        Player = "player",
    }
    /// Who claims a fallen flag.
    FlagClaim {
        /// The player or the partner (WBN 7.8).
        Team = "team",
        /// These or the arbiter (CZ 7.8).
        TeamOrArbiter = "team-or-arbiter",
        /// The player (blitz).
        Player = "player",
    }
    /// What becomes of a man that was taken just before its capturer is mated.
    LastDropRule {
        /// The partner who has the move may drop it: mate or repetition draws (WBN 1.9, 2.2c).
        Draws = "draws",
        /// A mate that it makes ends both boards simultaneously, a draw (FIDE-ext 4.4).
        SimultaneousMate = "simultaneous-mate",
        /// Nothing.
        Never = "never",
    }
    /// What a wrong claim, or stopping the clocks without reason, counts as.
    WrongClaim {
        /// An illegal move (WBN 3.4, 7.12d).
        IllegalMove = "illegal-move",
        /// An illegal move unless the arbiter rules otherwise (CZ 3.4).
        IllegalMoveUnlessArbiter = "illegal-move-unless-arbiter",
        /// What the arbiter says.
        Arbiter = "arbiter",
    }
    /// Time that a move gives back or does not cost.
    ClockDelay {
        /// Bronstein is possible (WBN 1.1).
        Bronstein = "bronstein",
        /// Bronstein or delay up to two seconds (CZ 1.1).
        UpToTwoSeconds = "up-to-two-seconds",
        /// None: blitz.
        Blitz = "blitz",
    }
    /// When the game of all boards is over.
    Ending {
        /// With the first board that ends (WBN 1.3).
        FirstBoard = "first-board",
        /// When all boards have ended; scores are added.
        AllBoards = "all-boards",
    }
    /// Who may move when.
    Order {
        /// Each board on its own.
        Free = "free",
        /// One clock, one move at a time: White of A, B, …, then Black of …, B, A.
        Ring = "ring",
    }
}

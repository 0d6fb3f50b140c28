//! The habits of hands, each with a name and a rate per occasion in every profile.
//!
//! What people do at a bughouse table and sensor boards feel. How often is data, in one table; what is done is written
//! in the files beside. Nothing here is an offence: the game that is played stays the one that was given.

/// Profiles that are made of a column of the table.
pub const COLUMNS: [&str; 4] = ["clean", "human", "blitz", "chaos"];
/// Of how many occasions a rate counts.
pub const OF: u16 = 1000;

/// A row: the habit, its name, in how many of [`OF`] occasions it shows in each of [`COLUMNS`] and, the fifth, when
/// it is all that clean hands add, and what it is.
type Row = (Habit, &'static str, [u16; 5], &'static str);

macro_rules! habits {
    ($($habit:ident $name:literal [$($rate:literal),*] $about:literal)*) => {
        /// Something that hands may do on an occasion.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Habit {
            $(#[doc = $about] $habit,)*
        }

        const TABLE: &[Row] = &[$((Habit::$habit, $name, [$($rate),*], $about),)*];
    };
}

habits! {
    Slide "slide" [0, 60, 120, 250, 700] "a man is dragged over the squares between"
    Pause "slide-pause" [0, 150, 150, 250, 700] "a dragged man rests on a square between; the occasion is a slide"
    OwnFirst "own-first" [300, 450, 450, 400, 1000] "a capture: the own man is lifted first"
    Replace "replace" [0, 100, 250, 300, 1000] "a capture: the own man replaces the other in one motion"
    Beside "placed-beside" [0, 20, 30, 60, 700] "a capture: the own man stands beside while the other is taken"
    EpLast "ep-last" [0, 300, 300, 300, 1000] "an e.p. capture: the pawn is taken off last"
    RookFirst "rook-first" [150, 200, 250, 300, 1000] "castling begins with the rook"
    BothHands "both-hands" [150, 200, 250, 300, 1000] "castling with both hands at once"
    Swapped "swapped-promotion" [0, 250, 150, 200, 1000] "a pawn is exchanged for a real man"
    Laid "laid-promotion" [0, 100, 150, 200, 1000] "a promoted pawn is laid on its side, sensors read nothing"
    SaidLate "late-declaration" [0, 100, 200, 300, 1000] "what a pawn becomes is said only after the press"
    Direct "direct-drop" [0, 80, 150, 250, 1000] "a man goes from hand to hand, never into the tray"
    EarlyLift "early-lift" [0, 80, 150, 250, 800] "a man is taken from the tray long before it lands"
    Hover "hover" [0, 60, 100, 200, 700] "a man hovers so low that squares around feel it"
    EarlyPass "early-pass" [0, 60, 150, 200, 800] "a captured man is passed before the press"
    LatePass "late-pass" [0, 20, 40, 100, 500] "a captured man is thrown over seconds later"
    Scatter "scatter" [0, 500, 800, 900, 1000] "a man lands in any slot, not the first"
    Shuffle "shuffle" [0, 15, 20, 80, 200] "men of a tray are put into other slots"
    Adjust "adjust" [0, 20, 20, 60, 300] "an own man is adjusted in place before the move"
    AdjustSeveral "adjust-several" [0, 5, 5, 20, 150] "several men are adjusted in place"
    AdjustOther "adjust-other" [0, 5, 5, 20, 150] "a man of the opponent is adjusted in place"
    AdjustAfter "adjust-after" [0, 40, 40, 80, 400] "the man that moved is adjusted before the press"
    AdjustWaiting "adjust-waiting" [0, 15, 15, 40, 200] "men are adjusted while the opponent thinks"
    Knock "knock" [0, 8, 15, 60, 100] "men beside are knocked over and restored"
    KnockWrong "knock-wrong" [0, 3, 5, 20, 60] "a knocked man is restored to a wrong square first"
    Displaced "displaced" [0, 3, 5, 15, 40] "a knocked man stands beside its square for some plies"
    TakeBack "take-back" [0, 10, 10, 30, 150] "a move is taken back and another made before the press"
    IllegalBack "illegal-take-back" [0, 2, 3, 10, 100] "an illegal move is made and taken back before the press"
    WrongSquare "wrong-square" [0, 15, 20, 50, 300] "a man is released on a square beside, then put right"
    Hesitate "hesitate" [0, 25, 20, 50, 300] "a man is put on a square, held, and moved on"
    QuickReply "quick-reply" [0, 120, 350, 450, 800] "a reply begins before the press of the opponent was seen"
    Premove "premove" [0, 0, 40, 120, 400] "a move that does not disturb is made before the opponent's"
    PremoveBack "premove-back" [0, 0, 0, 30, 100] "a premove is taken back because another will be made"
    Scramble "scramble" [0, 20, 150, 250, 400] "everything within 300 ms"
    Bounce "lever-bounce" [0, 10, 20, 40, 300] "the lever springs back for a moment"
    PressEmpty "press-empty" [0, 3, 5, 15, 60] "a press without a move, pressed back by the opponent"
    Forgotten "forgotten-press" [0, 8, 8, 20, 80] "the press comes seconds late, after a reminder"
    PressedFor "pressed-for" [0, 8, 8, 20, 150] "the opponent replies, then presses for both"
    Kings "kings-centre" [0, 300, 300, 400, 1000] "the kings are put in the centre to show the result"
    Sweep "sweep" [0, 300, 300, 400, 1000] "the men are swept off and set up for the next game"
    SetUpWrongly "set-up-wrongly" [0, 150, 150, 300, 1000] "next game: men set up on each other's squares, put right"
    SetUpAdjusted "set-up-adjusted" [0, 400, 300, 500, 1000] "next game: men that were set up are adjusted in place"
    Hurried "hurried-start" [0, 150, 250, 400, 1000] "next game: clocks are set going before the last man stands"
}

/// How often each habit shows, of [`OF`] occasions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates([u16; TABLE.len()]);

impl Habit {
    /// All habits.
    pub fn all() -> impl Iterator<Item = Habit> {
        TABLE.iter().map(|row| row.0)
    }

    /// As the command line and the truth spell it.
    pub const fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// What it is, in a few words.
    pub const fn about(self) -> &'static str {
        TABLE[self as usize].3
    }
}

impl Rates {
    /// The rates of a profile, by its place in [`COLUMNS`].
    pub(super) const fn of_column(column: usize) -> Rates {
        let mut rates = [0; TABLE.len()];
        let mut row = 0;
        while row < TABLE.len() {
            rates[row] = TABLE[row].2[column];
            row += 1;
        }
        Rates(rates)
    }

    /// Clean hands with this habit alone. Others that are needed for an occasion come with it.
    pub(super) fn alone(habit: Habit) -> Rates {
        let mut rates = Rates::of_column(0);
        let needed = if habit == Habit::Pause { &[Habit::Slide][..] } else { &[] };
        for habit in needed.iter().chain([&habit]) {
            rates.0[*habit as usize] = TABLE[*habit as usize].2[4];
        }
        rates
    }

    /// The same with a habit that shows on every occasion.
    pub(super) fn with(mut self, habit: Habit) -> Rates {
        self.0[habit as usize] = OF;
        self
    }

    /// Of how many of [`OF`] occasions it shows.
    pub const fn of(&self, habit: Habit) -> u16 {
        self.0[habit as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_habit_has_its_row_and_grows_from_clean_to_chaos() {
        for (index, (habit, name, rates, _)) in TABLE.iter().enumerate() {
            assert_eq!((*habit as usize, habit.name()), (index, *name));
            assert!(rates.iter().all(|rate| *rate <= OF) && rates[4] > 0, "{name}: {rates:?}");
            assert!(rates[0] < rates[3] || rates[0] == 0, "{name}");
        }
    }

    #[test]
    fn a_habit_alone_is_the_only_odd_one() {
        let rates = Rates::alone(Habit::Laid);
        let odd = Habit::all().filter(|habit| rates.of(*habit) != Profile::CLEAN.rates.of(*habit));
        assert_eq!(odd.collect::<Vec<_>>(), [Habit::Laid]);
    }

    use super::super::Profile;
}

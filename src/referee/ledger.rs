//! Whereabouts of captured men: in transit, in a pocket, lifted from one.
//!
//! In: captures and drops of completed moves, and what the trays show. Out: what a pocket holds and what is on its way.
//! A seat without a tray holds what its partner captured and it has not dropped.

use arrayvec::ArrayVec;

use crate::{
    notation::placement::write_pocket,
    rules::{Move, Pocket, Transfer},
    sense::TrayChange,
    types::{BOARDS_MAX, ByRole, Instant, MS, Role, Seat},
};

/// Men of one kind that left a tray, of which is known when.
const TAKEN_MAX: usize = 8;
/// How long a man may have been in the tray when its capture, or a drop of the one that it was taken for, is recorded.
const EARLY_US: i64 = 1500 * MS;

/// One seat's captured men.
#[derive(Clone, Debug, Default)]
struct Whereabouts {
    tray: bool,
    /// In the tray, or without one what must be there.
    pocket: Pocket,
    /// Captured for the seat, not yet seen in its tray.
    transit: Pocket,
    /// In the tray before the capture was completed.
    early: Pocket,
    /// When a man of each kind came there so last.
    came: ByRole<Instant>,
    /// Taken from the tray, not yet dropped or put back.
    lifted: Pocket,
    /// When men of each kind were taken from the tray that have not come back, the latest last.
    taken: ByRole<ArrayVec<Instant, TAKEN_MAX>>,
    /// One that came to the tray last and is taken for the one that had left it.
    returned: ByRole<Returned>,
    /// Dropped, though none had left the tray nor was on its way.
    nowhere: Pocket,
    /// When that was done last.
    nowhere_at: ByRole<Instant>,
}

/// A man that came to a tray and is taken for one that had left it.
#[derive(Clone, Copy, Debug, Default)]
struct Returned {
    at: Instant,
    /// When that one had left it.
    taken: Instant,
}

/// The captured men of all seats.
#[derive(Clone, Debug)]
pub struct Ledger {
    seats: [Whereabouts; BOARDS_MAX * 2],
}

fn take(pocket: &mut Pocket, role: Role) -> bool {
    let count = pocket.get_mut(role);
    let held = *count > 0;
    *count = count.saturating_sub(1);
    held
}

fn put(pocket: &mut Pocket, role: Role) {
    let count = pocket.get_mut(role);
    *count = count.saturating_add(1);
}

impl Whereabouts {
    /// A man left the tray.
    fn lift(&mut self, role: Role, at: Instant) {
        put(&mut self.lifted, role);
        let taken = self.taken.get_mut(role);
        if taken.is_full() {
            taken.remove(0);
        }
        taken.push(at);
    }

    /// When the man had left the tray that one of its kind which came just before was taken for: that was another one.
    fn came_just_before(&mut self, role: Role, at: Instant) -> Option<Instant> {
        let returned = self.returned.get_mut(role);
        let Returned { at: came, taken } = *returned;
        let just_before = came > Instant::default() && came + EARLY_US > at;
        just_before.then(|| {
            *returned = Returned::default();
            taken
        })
    }
}

impl Ledger {
    /// A new game; `tray` tells which seats have one.
    pub fn new(tray: impl Fn(Seat) -> bool) -> Ledger {
        let mut ledger = Ledger { seats: Default::default() };
        for seat in Seat::all(BOARDS_MAX) {
            ledger.seats[seat.index()].tray = tray(seat);
        }
        ledger
    }

    /// A man was captured for a seat.
    pub fn captured(&mut self, seat: Seat, role: Role, at: Instant) {
        let men = &mut self.seats[seat.index()];
        if !men.tray {
            put(&mut men.pocket, role);
        } else if !take(&mut men.early, role) {
            match men.came_just_before(role, at) {
                Some(taken) => men.lift(role, taken),
                None => put(&mut men.transit, role),
            }
        }
    }

    /// A seat dropped a man.
    pub fn dropped(&mut self, seat: Seat, role: Role, at: Instant) {
        let men = &mut self.seats[seat.index()];
        if !men.tray {
            take(&mut men.pocket, role);
        } else if !take(&mut men.lifted, role) {
            match men.came_just_before(role, at) {
                Some(_) => put(&mut men.early, role),
                None if take(&mut men.transit, role) => {}
                None => {
                    put(&mut men.nowhere, role);
                    *men.nowhere_at.get_mut(role) = at;
                }
            }
        }
    }

    /// A seat played a move that may be a drop or a capture.
    pub fn play(&mut self, seat: Seat, played: Move, transfer: Option<Transfer>, at: Instant) {
        if let Move::Put { role, .. } = played {
            self.dropped(seat, role, at);
        }
        if let Some(transfer) = transfer {
            self.passed(transfer, at);
        }
    }

    /// A man was captured that a seat may have dropped already.
    pub fn passed(&mut self, transfer: Transfer, at: Instant) {
        let Transfer { to, man, dropped, .. } = transfer;
        let men = &mut self.seats[to.index()];
        if dropped {
            let _ = take(&mut men.early, man.role) || take(&mut men.nowhere, man.role);
        } else {
            self.captured(to, man.role, at);
        }
    }

    /// A seat's tray was seen like this last, with these men on their way; what else is the seat's is in its hand.
    pub fn remember(&mut self, seat: Seat, pocket: Pocket, transit: Pocket) {
        let men = &mut self.seats[seat.index()];
        if !men.tray {
            return;
        }
        let accounted = pocket.zip(transit).map(|(held, coming)| held.saturating_add(coming));
        let owned = men.transit;
        men.lifted = owned.zip(accounted).map(|(all, known)| all.saturating_sub(known));
        men.early = accounted.zip(owned).map(|(known, all)| known.saturating_sub(all));
        (men.pocket, men.transit) = (pocket, transit);
    }

    /// A capture for a seat is taken back: what came of it is unexplained.
    pub fn uncaptured(&mut self, seat: Seat, role: Role) {
        let men = &mut self.seats[seat.index()];
        if !men.tray {
            take(&mut men.pocket, role);
        } else if !take(&mut men.transit, role) {
            put(&mut men.early, role);
        }
    }

    /// A drop of a seat is taken back: the man is in the hand, or where it was.
    pub fn undropped(&mut self, seat: Seat, role: Role) {
        let men = &mut self.seats[seat.index()];
        if !take(&mut men.nowhere, role) {
            put(if men.tray { &mut men.lifted } else { &mut men.pocket }, role);
        }
    }

    /// A seat's tray changed.
    pub fn tray(&mut self, seat: Seat, change: &TrayChange, seen: &Pocket, at: Instant) {
        let men = &mut self.seats[seat.index()];
        men.pocket = *seen;
        for role in Role::ALL {
            for _ in 0..*change.removed.get(role) {
                men.lift(role, at);
            }
            for _ in 0..*change.added.get(role) {
                // One that was awaited is not the one that has just been taken: that may be dropped already.
                match () {
                    () if take(&mut men.transit, role) => {}
                    () if take(&mut men.lifted, role) => {
                        let taken = men.taken.get_mut(role).pop().unwrap_or_default();
                        *men.returned.get_mut(role) = Returned { at, taken };
                    }
                    () => {
                        put(&mut men.early, role);
                        *men.came.get_mut(role) = at;
                    }
                }
            }
        }
    }

    /// Men in a seat's pocket.
    pub fn pocket(&self, seat: Seat) -> &Pocket {
        &self.seats[seat.index()].pocket
    }

    /// Men that left a seat's tray and are neither dropped nor back; none for a seat without a tray.
    pub fn lifted(&self, seat: Seat) -> Option<Pocket> {
        let men = &self.seats[seat.index()];
        men.tray.then_some(men.lifted)
    }

    /// When a man of each kind left a seat's tray last that is not back.
    pub fn taken(&self, seat: Seat) -> ByRole<Instant> {
        self.seats[seat.index()].taken.as_ref().map(|taken| taken.last().copied().unwrap_or_default())
    }

    /// When one left it before that.
    pub fn taken_before(&self, seat: Seat) -> ByRole<Instant> {
        let before =
            |taken: &ArrayVec<Instant, TAKEN_MAX>| taken.iter().rev().nth(1).copied().unwrap_or(Instant::LONG_AGO);
        self.seats[seat.index()].taken.as_ref().map(before)
    }

    /// When a man of each kind was dropped last that had not left a seat's tray and was not on its way there.
    pub fn from_nowhere(&self, seat: Seat) -> ByRole<Option<Instant>> {
        let men = &self.seats[seat.index()];
        men.nowhere.zip(men.nowhere_at).map(|(count, at)| (count > 0).then_some(at))
    }

    /// When a man of each kind came to a seat's tray last whose capture is not completed.
    pub fn came(&self, seat: Seat) -> ByRole<Instant> {
        self.seats[seat.index()].came
    }

    /// When a man of each kind came to a seat's tray last that is taken for the one that had left it: it may be another
    /// one, whose capture is not completed.
    pub fn returned(&self, seat: Seat) -> ByRole<Instant> {
        self.seats[seat.index()].returned.map(|returned| returned.at)
    }

    /// A pocket and what is in transit to it, as sorted FEN letters.
    pub fn letters(&self, seat: Seat) -> (String, String) {
        let men = &self.seats[seat.index()];
        (write_pocket(&men.pocket, seat.color), write_pocket(&men.transit, seat.color))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::SECOND;

    fn seat() -> Seat {
        "b".parse().unwrap()
    }

    fn change(added: &[Role], removed: &[Role]) -> TrayChange {
        let mut change = TrayChange::default();
        added.iter().for_each(|role| put(&mut change.added, *role));
        removed.iter().for_each(|role| put(&mut change.removed, *role));
        change
    }

    fn show(ledger: &mut Ledger, seen: &[Role], change: TrayChange) {
        let mut pocket = Pocket::default();
        seen.iter().for_each(|role| put(&mut pocket, *role));
        ledger.tray(seat(), &change, &pocket, Instant::ZERO);
    }

    #[test]
    fn a_captured_man_is_in_transit_until_the_tray_shows_it() {
        let mut ledger = Ledger::new(|_| true);
        ledger.captured(seat(), Role::Knight, Instant::ZERO);
        assert_eq!(ledger.letters(seat()), ("".into(), "n".into()));
        show(&mut ledger, &[Role::Knight], change(&[Role::Knight], &[]));
        assert_eq!(ledger.letters(seat()), ("n".into(), "".into()));
        show(&mut ledger, &[], change(&[], &[Role::Knight]));
        ledger.dropped(seat(), Role::Knight, Instant::ZERO);
        assert_eq!(ledger.letters(seat()), ("".into(), "".into()));
    }

    #[test]
    fn a_man_passed_early_or_dropped_from_the_hand_leaves_nothing_behind() {
        let mut ledger = Ledger::new(|_| true);
        show(&mut ledger, &[Role::Pawn], change(&[Role::Pawn], &[]));
        ledger.captured(seat(), Role::Pawn, Instant::ZERO);
        assert_eq!(ledger.letters(seat()), ("p".into(), "".into()));
        ledger.captured(seat(), Role::Queen, Instant::ZERO);
        ledger.dropped(seat(), Role::Queen, Instant::ZERO);
        assert_eq!(ledger.letters(seat()), ("p".into(), "".into()));
    }

    #[test]
    fn a_drop_that_took_nothing_from_the_tray_puts_nothing_into_the_hand_when_it_is_taken_back() {
        let mut ledger = Ledger::new(|_| true);
        show(&mut ledger, &[Role::Knight], change(&[Role::Knight], &[]));
        ledger.captured(seat(), Role::Knight, Instant::ZERO);
        let lifted = |ledger: &Ledger| ledger.lifted(seat()).map(|lifted| lifted.knight);
        let nowhere = |ledger: &Ledger| *ledger.from_nowhere(seat()).get(Role::Knight);
        ledger.dropped(seat(), Role::Knight, Instant(SECOND));
        assert_eq!((lifted(&ledger), nowhere(&ledger)), (Some(0), Some(Instant(SECOND))));
        ledger.undropped(seat(), Role::Knight);
        assert_eq!((lifted(&ledger), nowhere(&ledger)), (Some(0), None));
        show(&mut ledger, &[], change(&[], &[Role::Knight]));
        ledger.dropped(seat(), Role::Knight, Instant(2 * SECOND));
        assert_eq!((lifted(&ledger), nowhere(&ledger)), (Some(0), None));
        ledger.undropped(seat(), Role::Knight);
        assert_eq!(lifted(&ledger), Some(1));
    }

    #[test]
    fn a_man_that_is_laid_back_was_not_taken() {
        let mut ledger = Ledger::new(|_| true);
        let mut show = |removed: &[Role], added: &[Role], at: i64| {
            ledger.tray(seat(), &change(added, removed), &Pocket::default(), Instant(at));
            *ledger.taken(seat()).get(Role::Bishop)
        };
        assert_eq!(show(&[Role::Bishop], &[], 5), Instant(5));
        assert_eq!(show(&[Role::Bishop], &[], 9), Instant(9), "to another slot");
        assert_eq!(show(&[], &[Role::Bishop], 10), Instant(5));
        assert_eq!((11..30).map(|at| show(&[Role::Bishop], &[], at)).last(), Some(Instant(29)), "a tray that flickers");
    }

    #[test]
    fn a_man_that_was_awaited_is_not_the_one_that_has_just_been_taken() {
        let mut ledger = Ledger::new(|_| true);
        ledger.captured(seat(), Role::Pawn, Instant::ZERO);
        show(&mut ledger, &[Role::Pawn], change(&[Role::Pawn], &[]));
        ledger.captured(seat(), Role::Pawn, Instant::ZERO);
        show(&mut ledger, &[], change(&[], &[Role::Pawn]));
        show(&mut ledger, &[Role::Pawn], change(&[Role::Pawn], &[]));
        assert_eq!(ledger.lifted(seat()).map(|lifted| lifted.pawn), Some(1));
        assert_eq!(ledger.letters(seat()), ("p".into(), "".into()));
    }

    #[test]
    fn a_man_that_came_just_before_its_capture_is_not_the_one_that_was_taken_before() {
        let check = |captured_at: i64, lifted: u8, transit: &str| {
            let mut ledger = Ledger::new(|_| true);
            ledger.tray(seat(), &change(&[], &[Role::Pawn]), &Pocket::default(), Instant(2 * SECOND));
            ledger.tray(seat(), &change(&[Role::Pawn], &[]), &Pocket::default(), Instant(3 * SECOND));
            ledger.captured(seat(), Role::Pawn, Instant(captured_at));
            assert_eq!(ledger.lifted(seat()).map(|lifted| lifted.pawn), Some(lifted), "{captured_at}");
            assert_eq!(ledger.letters(seat()).1, transit, "{captured_at}");
            ledger
        };
        let ledger = check(3 * SECOND + 200_000, 1, "");
        assert_eq!(*ledger.taken(seat()).get(Role::Pawn), Instant(2 * SECOND));
        check(5 * SECOND, 0, "p");
    }

    #[test]
    fn a_man_that_came_just_before_another_was_dropped_is_not_that_one() {
        let mut ledger = Ledger::new(|_| true);
        ledger.tray(seat(), &change(&[], &[Role::Pawn]), &Pocket::default(), Instant(2 * SECOND));
        ledger.tray(seat(), &change(&[Role::Pawn], &[]), &Pocket::default(), Instant(3 * SECOND));
        ledger.dropped(seat(), Role::Pawn, Instant(3 * SECOND + 100_000));
        ledger.captured(seat(), Role::Pawn, Instant(3 * SECOND + 200_000));
        assert_eq!(ledger.lifted(seat()).map(|lifted| lifted.pawn), Some(0));
        assert_eq!(ledger.letters(seat()).1, "");
    }

    #[test]
    fn without_a_tray_the_pocket_is_what_was_captured() {
        let mut ledger = Ledger::new(|_| false);
        ledger.captured(seat(), Role::Rook, Instant::ZERO);
        assert_eq!(ledger.letters(seat()), ("r".into(), "".into()));
    }
}

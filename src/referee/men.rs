//! Every man of the table at its one whereabouts.
//!
//! In: captures and drops of completed moves, what the trays show, and the game itself after a correction. Out: where
//! each man is and since when, and men in trays that should not be there. The number of men never changes but for men
//! that nobody has lost, which are counted.

mod slots;
mod sync;
mod view;

use std::collections::VecDeque;

use slots::{Changed, Slots, Tray};
use view::Open;
pub use view::TrayView;

use crate::{
    rules::{Game, Transfer, men_of_a_kind},
    types::{BOARDS_MAX, BoardId, ByRole, Instant, Kinds, MS, Piece, Role, SECOND, Seat, Square},
};

/// How long before a drop another man of its kind may have come to the tray in its stead.
const EXCHANGE_US: i64 = 5 * SECOND;
/// A man that was told to be foreign for so long is not the one whose capture is completed now.
const FOREIGN_US: i64 = 10 * SECOND;
/// How long before its capture is completed a man may come to the tray.
const EARLY_US: i64 = 3 * SECOND / 2;
/// What trays and boards may differ in time.
const LATENESS_US: i64 = 300 * MS;
/// Strays that are kept for one table: more than a tray has slots is noise.
const STRAYS_MAX: usize = 64;

/// Where a man is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On a board.
    Board(BoardId),
    /// Captured for a seat and not yet seen in its pocket.
    Transit(Seat),
    /// Seen in the pocket of a seat.
    Pocket(Seat),
    /// It left the pocket of a seat and has not landed.
    Lifted(Seat),
    /// Nobody knows, after the game was set otherwise.
    Nowhere,
}

impl Place {
    /// The seat that may drop the man.
    pub fn owner(self) -> Option<Seat> {
        match self {
            Place::Transit(seat) | Place::Pocket(seat) | Place::Lifted(seat) => Some(seat),
            Place::Board(_) | Place::Nowhere => None,
        }
    }

    /// The word in messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Place::Board(_) => "board",
            Place::Transit(_) => "transit",
            Place::Pocket(_) => "pocket",
            Place::Lifted(_) => "lifted",
            Place::Nowhere => "unaccounted",
        }
    }
}

/// One man.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Man {
    /// The man; a promoted one is the pawn that it is.
    pub piece: Piece,
    /// Where it is.
    pub place: Place,
    /// Since when.
    pub since: Instant,
    /// Who captured it last, and when that was completed.
    pub captured: Option<(Seat, Instant)>,
    /// When that was made.
    pub off: Option<Instant>,
    /// On which square of the capturer's board it stood then.
    pub stood: Option<Square>,
    /// When it was seen in a pocket first since it was captured.
    pub first_seen: Option<Instant>,
    /// When it was seen there last.
    pub seen: Option<Instant>,
    /// The slot that it left last, unless it is back there, and when.
    pub slot: Option<(u8, Instant)>,
    /// Its absence from the slot that it is back in, or was until it was dropped, if nobody has asked yet why.
    pub away: Option<Away>,
    /// Of a man on a board: whose tray it had left to be dropped.
    pub taken: Option<Taken>,
    /// When it was said last of a lifted man that it was dropped.
    pub doubted: Option<Instant>,
    /// When a lifted man seemed to be on its board last.
    pub landing: Option<Instant>,
    /// Of a man on a board: whose tray still shows it though it was dropped, if the record is right.
    pub lies: Option<Seat>,
    /// When it came back to the pocket last, or another one of its kind in its stead.
    pub back: Option<Instant>,
    /// When a man of its kind came to the pocket that had been taken from there, or was this one.
    pub alike: Option<Instant>,
    /// When its capturer completed another move before it was seen.
    pub late: Option<Instant>,
    /// When its owner completed another move while it was lifted, or on its way and not seen.
    pub passed_over: Option<Instant>,
    /// An incident was told of where it is now.
    pub told: bool,
}

/// An absence from a slot that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Away {
    /// The slot.
    pub slot: u8,
    /// When the man left its slot.
    pub left: Instant,
    /// Since when it seemed to be nowhere: it may have been on its board at first.
    pub since: Instant,
    /// When it was back.
    pub back: Instant,
    /// When it was asked last what explains that; at first, when it was back.
    pub looked_at: Instant,
}

/// How a man that was dropped had left its tray.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Whose tray.
    pub seat: Seat,
    /// When.
    pub at: Instant,
    /// The slot that it had left.
    pub slot: Option<(u8, Instant)>,
}

/// A man in a tray that the game does not have there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stray {
    /// Whose tray.
    pub seat: Seat,
    /// What it looks like.
    pub piece: Piece,
    /// Since when.
    pub since: Instant,
    /// Since when it lies in its slot: of several men the one that came last.
    pub lies_since: Instant,
    /// When it was asked last what it is; at first, since when it is there.
    pub looked_at: Instant,
    /// An incident was told of it.
    pub told: bool,
}

/// A completed capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The man that goes over.
    pub transfer: Transfer,
    /// The square that it stood on.
    pub square: Option<Square>,
    /// When the capture was made.
    pub made: Instant,
    /// Until when the man was seen on its board.
    pub stood: Instant,
    /// When the capture was completed.
    pub at: Instant,
}

/// What a drop took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The man as it was before; none when no man of the kind was the seat's to drop.
    pub man: Option<Man>,
}

/// All men of a table.
#[derive(Clone, Debug)]
pub struct Men {
    men: Vec<Man>,
    strays: Vec<Stray>,
    trays: [Tray; 2 * BOARDS_MAX],
    open: [Open; 2 * BOARDS_MAX],
    /// Men of their own colour that left trays before a capture explained them, or whose capture was withdrawn, the
    /// last one last.
    gone: VecDeque<(Stray, Instant)>,
    /// Foreign men that were told of, since when they were there: whoever uses them does not make them others.
    foreign_told: Vec<(Seat, Piece, Instant)>,
    /// Drops of men that the seat did not have.
    from_nowhere: VecDeque<(Seat, Piece, Instant)>,
    /// Men that came to a board from nowhere.
    foreign: usize,
}

impl Men {
    /// The men as a game has them.
    pub fn new(game: &Game, at: Instant) -> Men {
        let mut men = Vec::new();
        for board in game.ids() {
            for piece in TrayView::pieces() {
                men.extend(std::iter::repeat_n(Man::at(piece, Place::Board(board), at), men_of_a_kind(piece.role)));
            }
        }
        let mut ledger = Men {
            men,
            strays: Vec::new(),
            trays: Default::default(),
            open: [Open::NONE; 2 * BOARDS_MAX],
            gone: VecDeque::new(),
            foreign_told: Vec::new(),
            from_nowhere: VecDeque::new(),
            foreign: 0,
        };
        ledger.sync(game, at);
        ledger
    }

    /// All men.
    pub fn men(&self) -> &[Man] {
        &self.men
    }

    /// All men, to note what was told of them.
    pub(super) fn men_mut(&mut self) -> impl Iterator<Item = &mut Man> {
        self.men.iter_mut()
    }

    /// Men in trays that should not be there.
    pub fn strays(&self) -> &[Stray] {
        &self.strays
    }

    /// A man in a tray was told to be one that no board has lost.
    pub(super) fn told_foreign(&mut self, stray: Stray) {
        if self.foreign_told.len() < STRAYS_MAX {
            self.foreign_told.push((stray.seat, stray.piece, stray.since));
        }
    }

    pub(super) fn strays_mut(&mut self) -> impl Iterator<Item = &mut Stray> {
        self.strays.iter_mut()
    }

    /// The slots of a seat's tray that show such a man.
    pub fn slots(&self, seat: Seat, piece: Piece) -> Vec<u8> {
        self.trays[seat.index()].slots(piece)
    }

    /// Men beyond those that the table was set up with.
    pub fn foreign(&self) -> usize {
        self.foreign
    }

    /// A capture was completed: the man leaves the board for a seat's pocket. Answers since when it had been seen there
    /// already, if it had.
    pub fn captured(&mut self, capture: Capture) -> Option<Instant> {
        let Capture { transfer: Transfer { from, to, man, .. }, square, made, stood, at } = capture;
        let board = Place::Board(from.board);
        // where promoted men keep their rank the man is the pawn that was promoted
        let pawn = Role::Pawn.of(man.color);
        let index = self.position(|m| m.place == board && m.piece == man);
        let index = index.or_else(|| self.position(|m| m.place == board && m.piece == pawn))?;
        // What lay in the tray while the man stood on its board is another one.
        let passed =
            |stray: &Stray| (!stray.told || at - stray.since <= FOREIGN_US) && stray.since + LATENESS_US >= stood;
        let early = self.strays.iter().position(|stray| stray.seat == to && stray.piece == man && passed(stray));
        let early = early.map(|stray| self.strays.remove(stray).since);
        let taken = if early.is_none() { self.take_gone((to, man), stood, at) } else { None };
        let (place, early, seen) = match (early, taken) {
            (Some(since), _) => (Place::Pocket(to), Some(since), Some(at)),
            (None, Some((since, left))) => (Place::Lifted(to), Some(since), Some(left)),
            (None, None) => (Place::Transit(to), None, None),
        };
        // Before the capture was completed a man came back that had been taken from there, or was this one.
        let alike = |other: &&Man| {
            let came = other.since + EXCHANGE_US >= at && other.first_seen.is_some_and(|first| first < other.since);
            other.place == Place::Pocket(to) && other.piece == man && came
        };
        let alike = self.men.iter().find(alike).map(|other| other.since);
        let alike = alike.or_else(|| self.take_back(to, man, made)).filter(|_| place == Place::Transit(to));
        let may_be_seen = self.open[to.index()].shows(man, at).then_some(at);
        let first_seen = early.or(alike).or(may_be_seen);
        // Nobody waits for a man that was dropped before its capture was completed.
        let told = place == Place::Transit(to) && self.take_from_nowhere(to, man, at);
        let (captured, off) = (Some((from, at)), Some(made));
        // What came back may be this one.
        self.not_away(to, man, |away| away.back + EARLY_US >= made);
        let seized = Man { captured, off, stood: square, ..Man::at(man, place, at) };
        self.men[index] = Man { first_seen, seen, alike, told, ..seized };
        if place == Place::Transit(to) {
            self.came_instead(index, to);
        }
        early
    }

    /// Nobody knows whether the men of a kind that came back to a seat's tray then are those that had left it.
    fn not_away(&mut self, seat: Seat, piece: Piece, unknown: impl Fn(Away) -> bool) {
        for man in self.men.iter_mut().filter(|man| man.tray() == Some(seat) && man.piece == piece) {
            man.away = man.away.filter(|away| !unknown(*away));
        }
    }

    /// A man was captured for a seat while one of its kind, captured before, lies in a tray of the other colour: what
    /// has come to the seat's tray lately is not that one, but this.
    fn came_instead(&mut self, index: usize, to: Seat) {
        let Man { piece, since: at, .. } = self.men[index];
        let came = |man: &Man| man.place == Place::Pocket(to) && man.piece == piece && man.since + EARLY_US >= at;
        let Some(other) = self.position(|man| came(man) && self.lies_elsewhere(man)) else { return };
        let Man { since, first_seen, seen, slot, .. } = self.men[other];
        self.men[index] = Man { place: Place::Pocket(to), since, first_seen, seen, slot, ..self.men[index] };
        let captured = self.men[other].captured.map_or(since, |(_, at)| at);
        let away = self.men[other].moved(Place::Transit(to), captured);
        self.men[other] = Man { first_seen: None, seen: None, slot: None, ..away };
    }

    /// Whether a man that was captured for a seat may be one that lies in a tray of the other colour.
    fn lies_elsewhere(&self, man: &Man) -> bool {
        let Some((_, captured)) = man.captured else { return false };
        let wrong = |stray: &&Stray| stray.piece == man.piece && stray.seat.color != man.piece.color;
        self.strays.iter().filter(wrong).any(|stray| captured <= stray.lies_since)
    }

    /// Whether a seat dropped such a man a short time ago that it did not have.
    fn take_from_nowhere(&mut self, seat: Seat, piece: Piece, at: Instant) -> bool {
        self.from_nowhere.retain(|(_, _, then)| at - *then <= FOREIGN_US);
        let place = self.from_nowhere.iter().position(|(by, man, _)| (*by, *man) == (seat, piece));
        place.is_some_and(|place| self.from_nowhere.remove(place).is_some())
    }

    /// When a man came that was taken for one which had left the tray and is out of it again, or was dropped since, if
    /// that was after this one was captured: it may have been this one.
    fn take_back(&mut self, seat: Seat, piece: Piece, made: Instant) -> Option<Instant> {
        let out = [Place::Lifted(seat), Place::Board(seat.board)];
        let came = |man: &Man| man.back.is_some_and(|back| back + LATENESS_US >= made);
        let index = self.position(|man| man.piece == piece && out.contains(&man.place) && came(man))?;
        self.men[index].back.take()
    }

    /// A man that was in a seat's tray, where it came no sooner than this one had left its board, and left it before
    /// its capture was completed: since when, until when.
    fn take_gone(&mut self, of: (Seat, Piece), stood: Instant, at: Instant) -> Option<(Instant, Instant)> {
        self.gone.retain(|(_, left)| at - *left <= EXCHANGE_US);
        let fits = |stray: &Stray| (stray.seat, stray.piece) == of && stray.since + LATENESS_US >= stood;
        let place = self.gone.iter().position(|(stray, _)| fits(stray))?;
        self.gone.remove(place).map(|(stray, left)| (stray.since, left))
    }

    /// A drop was completed that was made at `made`: of the seat's men of the kind the one that left the pocket first
    /// goes to the board.
    pub fn dropped(&mut self, seat: Seat, role: Role, made: Instant, at: Instant) -> Dropped {
        let piece = role.of(seat.color);
        self.landed_before(seat, piece, made);
        self.exchange(seat, piece, made);
        let places = [Place::Lifted(seat), Place::Transit(seat), Place::Pocket(seat)];
        let index = places.into_iter().find_map(|place| self.oldest(|man| man.place == place && man.piece == piece));
        let man = index.map(|index| self.men[index]);
        let index = index.or_else(|| self.position(|man| man.piece == piece && man.place == Place::Nowhere));
        let index = index.or_else(|| {
            self.position(|man| man.piece == piece && man.place.owner().is_some_and(|owner| owner != seat))
        });
        // What came back may be another one, if this one was in the hand all the time.
        self.not_away(seat, piece, |away| away.back >= made);
        let away = index.and_then(|index| self.men[index].away);
        if man.is_none() {
            self.from_nowhere.retain(|(_, _, then)| at - *then <= FOREIGN_US);
            self.from_nowhere.push_back((seat, piece, at));
        }
        let index = index.unwrap_or_else(|| self.adopt(piece, at));
        let lifted = man.filter(|man| man.place == Place::Lifted(seat));
        let taken = lifted.map(|man| Taken { seat, at: man.slot.map_or(man.since, |(_, left)| left), slot: man.slot });
        // Who puts a man back for a moment and drops it has hidden it until then.
        let away = away.filter(|_| taken.is_some());
        let captured = man.and_then(|man| man.captured).filter(|_| away.is_some());
        let stood = man.and_then(|man| man.stood).filter(|_| away.is_some());
        // Of two that lay there the one left that no capture had explained.
        let lies = man.filter(|man| {
            // One left its slot for the hand, and another one came to another slot before it was dropped.
            let another = man.slot.is_some() && man.since + EXCHANGE_US >= made;
            man.place == Place::Pocket(seat)
                && self.take_gone((seat, piece), Instant::LONG_AGO, made).is_none()
                && !another
        });
        let lies = lies.map(|_| seat);
        // If it was not dropped after all, what was told of it is not told again.
        let told = taken.is_some() && man.is_some_and(|man| man.told);
        let back = man.and_then(|man| man.back);
        let dropped = Man::at(piece, Place::Board(seat.board), at);
        self.men[index] = Man { taken, lies, told, back, away, captured, stood, ..dropped };
        Dropped { man }
    }

    /// What left a seat's tray when the man that was dropped had landed already is another one. If none is known to
    /// have come, its capture is not completed yet.
    fn landed_before(&mut self, seat: Seat, piece: Piece, made: Instant) {
        let lifted = |man: &Man| man.place == Place::Lifted(seat) && man.piece == piece;
        let came = |man: &Man| man.place == Place::Transit(seat) && man.piece == piece && man.alike.is_some();
        if self.position(|man| lifted(man) && man.since <= made || came(man)).is_none() {
            let Some(other) = self.position(lifted) else { return };
            let Man { since: left, first_seen, back, .. } = self.men[other];
            // When it came nobody knows, unless it was taken for the one that has landed.
            self.note_gone(other, first_seen.map(|_| back.unwrap_or(left)));
        }
    }

    /// Men of a kind are alike: the one that came to the tray shortly before a drop is the one that had been on its
    /// way, and the one that was dropped is the one that had been there.
    fn exchange(&mut self, seat: Seat, piece: Piece, made: Instant) {
        let of_kind = |man: &Man, place: Place| man.place == place && man.piece == piece;
        if self.position(|man| of_kind(man, Place::Lifted(seat))).is_some() {
            let gone = self.position(|man| of_kind(man, Place::Pocket(seat))).is_none();
            let both = self.oldest(|man| of_kind(man, Place::Transit(seat)) && man.alike.is_some());
            if let Some(index) = both.filter(|_| gone) {
                // Two were there one after the other, and none is left: both are in the hand, as far as one can tell.
                self.men[index] = Man { told: true, ..self.men[index].moved(Place::Lifted(seat), made) };
            }
            return;
        }
        let came = |man: &Man| man.since + EXCHANGE_US >= made && man.first_seen.is_some_and(|first| first < man.since);
        let back = self.position(|man| of_kind(man, Place::Pocket(seat)) && came(man));
        let coming = |man: &Man| of_kind(man, Place::Transit(seat));
        let coming = self.oldest(|man| coming(man) && !self.lies_elsewhere(man)).or_else(|| self.oldest(coming));
        if let (Some(back), Some(coming)) = (back, coming) {
            let since = self.men[back].since;
            self.men[back].place = Place::Lifted(seat);
            let arrived = self.men[coming].moved(Place::Pocket(seat), since);
            let first_seen = arrived.first_seen.or(Some(since));
            self.men[coming] = Man { first_seen, seen: Some(since), late: None, ..arrived };
        }
    }

    /// A seat's tray shows something else. Men of its own colour are matched with those that the seat may drop; what is
    /// left over strays.
    pub fn tray(&mut self, seat: Seat, view: &TrayView, at: Instant) {
        let known = self.known(seat);
        let any_lies = self.men.iter().any(|man| man.lies == Some(seat));
        for piece in TrayView::pieces() {
            let held = usize::from(view.count(piece));
            let changed = self.trays[seat.index()].show(piece, slots::of(&view.slots, piece), at);
            let any_left = !changed.left.is_empty();
            let own = piece.color == seat.color;
            let known = *known.get(piece.role);
            // Mostly nothing has changed.
            let same = held <= known && known <= held + usize::from(view.unclear);
            let extra = match own {
                true if same => 0,
                true => self.match_pocket(seat, piece, view, changed, at),
                false => held,
            };
            if any_lies && extra == 0 && own {
                self.men
                    .iter_mut()
                    .filter(|man| man.piece == piece && man.lies == Some(seat))
                    .for_each(|man| man.lies = None);
            }
            self.set_strays(seat, piece, extra, (at, any_left));
        }
        self.open[seat.index()].change(view.open, at);
        if view.open == Kinds::EMPTY {
            return;
        }
        let on_its_way = |man: &&mut Man| man.place == Place::Transit(seat) && view.open.allows(Some(man.piece));
        for man in self.men.iter_mut().filter(on_its_way) {
            man.first_seen = man.first_seen.or(Some(at));
            man.late = None;
        }
    }

    /// Men of a seat's own colour that were seen in its pocket.
    fn known(&self, seat: Seat) -> ByRole<usize> {
        let mut known = ByRole::default();
        let own = |man: &&Man| man.place == Place::Pocket(seat) && man.piece.color == seat.color;
        self.men.iter().filter(own).for_each(|man| *known.get_mut(man.piece.role) += 1);
        known
    }

    /// Puts as many men of a kind into the pocket as are seen there; answers how many more are seen.
    fn match_pocket(&mut self, seat: Seat, piece: Piece, view: &TrayView, mut changed: Changed, at: Instant) -> usize {
        let (seen, unclear) = (usize::from(view.count(piece)), view.unclear);
        let count = |men: &[Man]| men.iter().filter(|m| m.place == Place::Pocket(seat) && m.piece == piece).count();
        while count(&self.men) < seen {
            let Some(index) = self.comes(seat, piece, changed.came) else { break };
            let on_its_way = self.oldest(|m| m.place == Place::Transit(seat) && m.piece == piece && m.alike.is_none());
            if let Some(other) = on_its_way.filter(|_| self.men[index].place == Place::Lifted(seat)) {
                let first_seen = self.men[other].first_seen.or(Some(at));
                // If this one has come to another slot, it is the other one that has left that.
                let slot = self.men[index].slot.filter(|(slot, _)| !changed.came.contains(*slot));
                self.men[other] = Man { alike: Some(at), first_seen, slot, ..self.men[other] };
            }
            let returns = self.men[index].place == Place::Lifted(seat);
            let man = self.men[index].moved(Place::Pocket(seat), at);
            let Man { told: was_told, landing, .. } = self.men[index];
            let own = man.slot.filter(|(slot, _)| changed.came.take(*slot));
            let slot = man.slot.filter(|_| own.is_none());
            // While its capturer is not late it may be passed only now.
            let left = own.filter(|_| !was_told && (returns || man.late.is_some()));
            let since = |left: Instant| landing.map_or(left, |landing| left.max(landing));
            let away = left.map(|(slot, left)| Away { slot, left, since: since(left), back: at, looked_at: at });
            let away = away.or(man.away);
            let (first_seen, back) = (man.first_seen.or(Some(at)), returns.then_some(at));
            self.men[index] = Man { first_seen, seen: Some(at), late: None, slot, away, back, ..man };
        }
        while count(&self.men) > seen + usize::from(unclear) {
            let Some(index) = self.oldest(|m| m.place == Place::Pocket(seat) && m.piece == piece) else { break };
            let slot = changed.left.take_first().map(|slot| (slot, at));
            self.men[index] = Man { seen: Some(at), slot, ..self.men[index].moved(Place::Lifted(seat), at) };
        }
        seen.saturating_sub(count(&self.men))
    }

    /// The man of a kind that comes to a seat's tray: one that had left it, else the one that is longest on its way;
    /// one that was told to be missing, one that the record alone has on its way and one that may lie elsewhere last.
    /// Of those that had left it the one that is back in its slot, whatever was told.
    fn comes(&self, seat: Seat, piece: Piece, came: Slots) -> Option<usize> {
        let out = |man: &Man| [Place::Lifted(seat), Place::Transit(seat)].contains(&man.place) && man.piece == piece;
        let away = self.men.iter().enumerate().filter(|(_, man)| out(man));
        let key = |(index, man): &(usize, &Man)| {
            let elsewhere = man.place == Place::Transit(seat) && self.lies_elsewhere(man);
            let doubtful = man.told || man.captured.is_none() || elsewhere;
            (doubtful, man.place == Place::Transit(seat), man.since, *index)
        };
        let (index, _) = away.min_by_key(key)?;
        let back = |man: &Man| out(man) && man.slot.is_some_and(|(slot, _)| came.contains(slot));
        self.oldest(back).or(Some(index))
    }

    /// So many men of a kind stray in a tray; one that did and does no more has left it, if any has, or was explained.
    fn set_strays(&mut self, seat: Seat, piece: Piece, count: usize, (at, any_left): (Instant, bool)) {
        let fits = |stray: &Stray| stray.seat == seat && stray.piece == piece;
        let mut left = count;
        let gone = &mut self.gone;
        self.strays.retain(|stray| {
            let stays = !fits(stray) || left > 0;
            left -= usize::from(fits(stray) && left > 0);
            if !stays && any_left && piece.color == seat.color {
                gone.truncate(STRAYS_MAX - 1);
                gone.push_back((*stray, at));
            }
            stays
        });
        for _ in 0..left.min(STRAYS_MAX.saturating_sub(self.strays.len())) {
            let told = self.strays.iter().filter(|stray| fits(stray) && stray.told).count();
            let known = self.foreign_told.iter().filter(|(by, man, _)| (*by, *man) == (seat, piece)).nth(told);
            let since = known.map_or(at, |(_, _, since)| *since);
            let lies_since = self.trays[seat.index()].since(piece).unwrap_or(at);
            self.strays.push(Stray { seat, piece, since, lies_since, looked_at: at, told: known.is_some() });
        }
    }

    /// A seat completed a move: what it has captured before and was not passed is late, what it holds lifted was not
    /// dropped.
    pub fn completed(&mut self, seat: Seat, at: Instant) {
        for man in &mut self.men {
            let captured_before = man.captured.is_some_and(|(by, when)| by == seat && when < at);
            match man.place {
                Place::Transit(_) if captured_before && man.late.is_none() => man.late = Some(at),
                Place::Transit(owner) | Place::Lifted(owner) if owner == seat && man.passed_over.is_none() => {
                    man.passed_over = Some(at);
                }
                _ => {}
            }
        }
    }

    /// A seat's tray tells nothing for the time being: nothing is late, what is there may have been seen, and all waits
    /// begin anew.
    pub fn blind(&mut self, seat: Seat, at: Instant) {
        for man in self.men.iter_mut().filter(|man| man.place.owner() == Some(seat)) {
            man.since = at;
            man.first_seen = man.first_seen.or(Some(at));
            man.late = None;
            man.passed_over = None;
            (man.slot, man.away) = (None, None);
        }
        for man in &mut self.men {
            if let Some(taken) = man.taken.as_mut().filter(|taken| taken.seat == seat) {
                (taken.at, taken.slot, man.away) = (at, None, None);
            }
        }
        self.strays.retain(|stray| stray.seat != seat);
    }

    /// Whether every man is on a board or seen in the pocket that it belongs to, and no other one left a tray lately.
    pub fn all_seen(&self, at: Instant) -> bool {
        let seen = |man: &Man| matches!(man.place, Place::Board(_) | Place::Pocket(_));
        let lately = self.gone.iter().any(|(_, left)| at - *left <= FOREIGN_US);
        self.strays.is_empty() && !lately && self.men.iter().all(seen)
    }

    fn position(&self, fits: impl Fn(&Man) -> bool) -> Option<usize> {
        self.men.iter().position(fits)
    }

    /// Of the men that fit the one that is there for the longest time, none that was told of if there is another.
    fn oldest(&self, fits: impl Fn(&Man) -> bool) -> Option<usize> {
        let fitting = self.men.iter().enumerate().filter(|(_, man)| fits(man));
        fitting.min_by_key(|(index, man)| (man.told, man.since, *index)).map(|(index, _)| index)
    }

    fn adopt(&mut self, piece: Piece, at: Instant) -> usize {
        self.foreign += 1;
        self.men.push(Man::at(piece, Place::Nowhere, at));
        self.men.len() - 1
    }
}

impl Man {
    fn at(piece: Piece, place: Place, since: Instant) -> Man {
        Man {
            piece,
            place,
            since,
            captured: None,
            off: None,
            stood: None,
            first_seen: None,
            seen: None,
            slot: None,
            away: None,
            taken: None,
            doubted: None,
            landing: None,
            lies: None,
            back: None,
            alike: None,
            late: None,
            passed_over: None,
            told: false,
        }
    }

    /// Whose tray it belongs in, or had left to be dropped.
    pub(super) fn tray(&self) -> Option<Seat> {
        self.place.owner().or(self.taken.map(|taken| taken.seat))
    }

    /// The same at another place.
    fn moved(self, place: Place, since: Instant) -> Man {
        Man { place, since, alike: None, passed_over: None, doubted: None, landing: None, told: false, ..self }
    }
}

#[cfg(test)]
mod tests;

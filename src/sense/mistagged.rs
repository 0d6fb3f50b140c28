//! Men that read as others wherever they stand, on all boards and trays of a table: wrongly tagged ones.
//!
//! In: raw readings of every place in the order in which they came; which man reads wrongly, told when the boards are
//! set up. Out: what stands there in truth. The man is followed by its reading: what leaves a place with that reading
//! comes to the next one that shows it. It knows no rules and no moves.

use std::collections::BTreeMap;

use crate::types::{BoardId, Instant, Kinds, MS, Piece, Role, SECOND, Seat};

/// A man that is seen to come before it is seen to leave came by so much: boards are scanned field by field.
const EARLY_US: i64 = 400 * MS;
/// Places that may read otherwise on a board that is set up; one with more is not.
const APART_MAX: usize = 2;
/// Places whose readings are remembered: four boards, and trays of 64 slots.
const PLACES_MAX: usize = 1024;
/// Readings that are followed.
const URNS_MAX: usize = 4;
/// What left so long ago has rather left play than that it comes down now: a pawn that was promoted, a hidden man.
const FRESH_US: i64 = 20 * SECOND;
/// Men of one reading that may be in the air; what leaves beyond that is forgotten.
const AIR_MAX: usize = 8;

/// Where a man may stand or lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A board's cell as its device numbers it.
    Cell(BoardId, u8),
    /// A slot of a seat's tray.
    Slot(Seat, u16),
}

/// All places that show one reading, and what stands there.
#[derive(Clone, Debug)]
struct Urn {
    reads: Kinds,
    told: BTreeMap<Place, Kinds>,
    /// Men that have left a place and come to none yet, and when they left.
    air: Vec<(Kinds, Instant)>,
    /// Places to which a man came while none was in the air.
    early: Vec<(Place, Instant)>,
}

/// What every place reads, and which men read wrongly.
#[derive(Clone, Debug, Default)]
pub struct Mistagged {
    raw: BTreeMap<Place, Kinds>,
    urns: Vec<Urn>,
}

/// A place at which something else stands than was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retag {
    /// Where.
    pub place: Place,
    /// What stands there.
    pub kinds: Kinds,
}

impl Place {
    /// Whether one of these may be there: in a tray there are men of its owner's colour, and no king.
    fn holds(self, kinds: Kinds) -> bool {
        let Place::Slot(seat, _) = self else { return true };
        Role::ALL.into_iter().any(|role| role != Role::King && kinds.allows(Some(role.of(seat.color))))
    }
}

impl Mistagged {
    /// A game begins with these men on a board, which shows them but for a place or two. A man that reads as another
    /// while one of that other's reading is too many is wrongly tagged; men that have changed places are not.
    pub fn set_up(&mut self, men: &[(Place, Piece)]) {
        let stands = |place: &Place| self.raw.get(place).copied().unwrap_or(Kinds::ANY);
        let surplus = |reads: Kinds| {
            let shown = men.iter().filter(|(place, _)| stands(place) == reads).count();
            shown > men.iter().filter(|(_, man)| Kinds::only(*man) == reads).count()
        };
        let wrong = |(place, man): &&(Place, Piece)| {
            let reads = stands(place);
            matches!(reads.single(), Some(Some(read)) if read != *man) && surplus(reads)
        };
        let apart = men.iter().filter(|(place, man)| stands(place) != Kinds::only(*man)).count();
        let wrong: Vec<(Place, Piece)> = men.iter().filter(wrong).filter(|_| apart <= APART_MAX).copied().collect();
        wrong.into_iter().for_each(|(place, man)| self.learn(place, man));
    }

    /// All men read as what they are.
    pub fn forget(&mut self) {
        self.urns.clear();
    }

    /// What stands on each place that has said anything.
    pub fn told(&self) -> impl Iterator<Item = (Place, Kinds)> + '_ {
        let told = |place: &Place| self.urns.iter().find_map(|urn| urn.told.get(place).copied());
        self.raw.iter().map(move |(place, raw)| (*place, told(place).unwrap_or(*raw)))
    }

    /// The man that stands on `place` reads as something else: it is this one.
    fn learn(&mut self, place: Place, is: Piece) {
        let Some(reads) = self.raw.get(&place).copied() else { return };
        let at = match self.urns.iter().position(|urn| urn.reads == reads) {
            Some(at) => at,
            None if self.urns.len() < URNS_MAX => {
                let told = self.raw.iter().filter(|(_, raw)| **raw == reads).map(|(place, raw)| (*place, *raw));
                self.urns.push(Urn { reads, told: told.collect(), air: Vec::new(), early: Vec::new() });
                self.urns.len() - 1
            }
            None => return,
        };
        self.urns[at].told.insert(place, Kinds::only(is));
    }

    /// What stands on a place that reads so; and where that shows that something else stands than was said.
    pub fn read(&mut self, place: Place, raw: Kinds, at: Instant) -> (Kinds, Option<Retag>) {
        if self.raw.len() >= PLACES_MAX && !self.raw.contains_key(&place) {
            return (raw, None);
        }
        self.raw.insert(place, raw);
        let (mut kinds, mut retag) = (raw, None);
        for urn in &mut self.urns {
            if raw == urn.reads {
                kinds = urn.stands(place, at);
            } else if let Some(told) = urn.told.remove(&place) {
                retag = urn.leave(place, told, at);
            }
        }
        (kinds, retag)
    }
}

impl Urn {
    /// What stands on a place with this reading.
    fn stands(&mut self, place: Place, at: Instant) -> Kinds {
        if let Some(told) = self.told.get(&place) {
            return *told;
        }
        if self.air.is_empty() {
            self.early.push((place, at));
        }
        let kinds = self.land(place, at);
        self.told.insert(place, kinds);
        kinds
    }

    /// A man comes down: which of several that left lately nobody can tell.
    fn land(&mut self, place: Place, at: Instant) -> Kinds {
        let may_be = |lately: bool| {
            let fits = |(kinds, since): &(Kinds, Instant)| place.holds(*kinds) && (!lately || at - *since <= FRESH_US);
            (0..self.air.len()).filter(|index| fits(&self.air[*index])).collect::<Vec<_>>()
        };
        let fresh = may_be(true);
        let landing = if fresh.is_empty() { may_be(false) } else { fresh };
        let Some(kinds) = landing.iter().map(|index| self.air[*index].0).reduce(Kinds::or) else { return self.reads };
        for index in &landing {
            self.air[*index].0 = kinds;
        }
        self.air.remove(landing[0]);
        kinds
    }

    /// A man leaves a place: it is in the air, or was seen already where it went.
    fn leave(&mut self, place: Place, told: Kinds, at: Instant) -> Option<Retag> {
        self.early.retain(|(early, since)| *early != place && at - *since <= EARLY_US);
        let early = self.early.iter().position(|(place, _)| self.told.contains_key(place));
        if let Some((place, _)) = early.map(|index| self.early.remove(index)) {
            let before = self.told.insert(place, told);
            return (before != Some(told)).then_some(Retag { place, kinds: told });
        }
        if self.air.len() < AIR_MAX {
            self.air.push((told, at));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Color;

    const PAWN: Kinds = Kinds::only(Piece { color: Color::Black, role: Role::Pawn });
    const BISHOP: Kinds = Kinds::only(Piece { color: Color::Black, role: Role::Bishop });

    fn cell(field: u8) -> Place {
        Place::Cell(BoardId::A, field)
    }

    /// A pawn on field 1 that reads as a bishop, a bishop on field 2, another one on field 3.
    fn set_up() -> Mistagged {
        let mut men = Mistagged::default();
        (1..4).for_each(|field| assert_eq!(men.read(cell(field), BISHOP, Instant(0)), (BISHOP, None)));
        let role = |field| if field == 1 { Role::Pawn } else { Role::Bishop };
        men.set_up(&[1, 2, 3].map(|field| (cell(field), role(field).of(Color::Black))));
        assert_eq!(men.read(cell(1), BISHOP, Instant(0)).0, PAWN);
        assert_eq!(men.told().map(|(_, kinds)| kinds).collect::<Vec<_>>(), [PAWN, BISHOP, BISHOP]);
        men
    }

    /// Readings as field and man, `B` a bishop's, `.` none, a millisecond each; what the last one says.
    fn check(readings: &[(u8, char)], expect: (Kinds, Option<Retag>)) {
        let mut men = set_up();
        let mut said = None;
        for ((field, man), at) in readings.iter().zip(1..) {
            let raw = if *man == 'B' { BISHOP } else { Kinds::EMPTY };
            said = Some(men.read(cell(*field), raw, Instant(at * MS)));
        }
        assert_eq!(said, Some(expect), "{readings:?}");
    }

    #[test]
    fn a_man_is_followed_by_its_reading() {
        check(&[(1, '.'), (9, 'B')], (PAWN, None));
        check(&[(2, '.'), (9, 'B')], (BISHOP, None));
        check(&[(1, '.'), (9, 'B'), (2, '.'), (10, 'B')], (BISHOP, None));
        check(&[(1, '.'), (9, 'B'), (9, '.'), (10, 'B')], (PAWN, None));
        check(&[(1, '.'), (1, 'B')], (PAWN, None));
    }

    #[test]
    fn it_may_be_seen_to_come_before_it_is_seen_to_leave() {
        check(&[(9, 'B'), (1, '.')], (Kinds::EMPTY, Some(Retag { place: cell(9), kinds: PAWN })));
        check(&[(9, 'B'), (2, '.')], (Kinds::EMPTY, None));
    }

    #[test]
    fn which_of_two_in_the_air_comes_down_nobody_knows() {
        check(&[(1, '.'), (2, '.'), (9, 'B')], (PAWN.or(BISHOP), None));
        check(&[(1, '.'), (2, '.'), (9, 'B'), (10, 'B')], (PAWN.or(BISHOP), None));
        check(&[(2, '.'), (3, '.'), (9, 'B')], (BISHOP, None));
    }

    #[test]
    fn what_left_lately_comes_down_before_what_left_long_ago() {
        let mut men = set_up();
        for (field, second) in [(1, 1), (2, 30)] {
            men.read(cell(field), Kinds::EMPTY, Instant(second * SECOND));
        }
        assert_eq!(men.read(cell(9), BISHOP, Instant(31 * SECOND)).0, BISHOP);
        assert_eq!(men.read(cell(10), BISHOP, Instant(90 * SECOND)).0, PAWN);
    }

    #[test]
    fn what_comes_to_a_tray_is_no_king_and_has_the_owners_colour() {
        let men = [Role::King.of(Color::Black), Role::Pawn.of(Color::White), Role::Pawn.of(Color::Black)];
        let mut known = Mistagged::default();
        for field in 1..4 {
            known.read(cell(field), Kinds::only(men[0]), Instant(0));
        }
        known.set_up(&[1, 2, 3].map(|field| (cell(field), men[usize::from(field) - 1])));
        for field in 1..4 {
            known.read(cell(field), Kinds::EMPTY, Instant(1));
        }
        let tray = Place::Slot(BoardId::B.seat(Color::White), 0);
        assert_eq!(known.read(tray, Kinds::only(men[0]), Instant(2)).0, Kinds::only(men[1]));
    }

    #[test]
    fn what_is_forgotten_reads_as_it_reads() {
        let mut men = set_up();
        men.forget();
        assert_eq!(men.read(cell(1), BISHOP, Instant(9)), (BISHOP, None));
    }

    #[test]
    fn men_that_have_changed_places_and_places_that_show_none_are_no_wrong_tags() {
        let mut men = Mistagged::default();
        for (field, kinds) in [(1, BISHOP), (2, PAWN), (3, Kinds::EMPTY)] {
            men.read(cell(field), kinds, Instant(0));
        }
        let roles = [Role::Pawn, Role::Bishop, Role::Knight, Role::Rook].into_iter();
        let expected: Vec<_> = (1..).zip(roles).map(|(field, role)| (cell(field), role.of(Color::Black))).collect();
        men.set_up(&expected);
        assert!(men.urns.is_empty());
    }

    #[test]
    fn a_board_that_is_not_set_up_has_no_wrong_tags() {
        let mut men = Mistagged::default();
        let expected: Vec<_> = (1..9).map(|field| (cell(field), Role::Pawn.of(Color::Black))).collect();
        for field in 1..9 {
            men.read(cell(field), if field < 4 { BISHOP } else { PAWN }, Instant(0));
        }
        men.set_up(&expected);
        assert!(men.urns.is_empty());
        men.read(cell(1), PAWN, Instant(1));
        men.set_up(&expected);
        assert_eq!(men.urns[0].told.values().copied().collect::<Vec<_>>(), [PAWN, PAWN]);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut men = set_up();
        for at in 0..1000 {
            let place = cell(10 + u8::try_from(at % 40).unwrap());
            men.read(place, BISHOP, Instant(at * MS));
            men.read(place, Kinds::EMPTY, Instant(at * MS + 500 * MS));
        }
        assert!(men.urns[0].air.len() <= AIR_MAX && men.urns[0].early.len() <= 2);
        for slot in 0..u16::MAX {
            men.read(Place::Slot(BoardId::A.seat(Color::White), slot), PAWN, Instant(0));
        }
        assert_eq!(men.raw.len(), PLACES_MAX);
    }
}

//! Trays as scripts of captures, slots and drops.

use super::*;
use crate::types::{MS, SECOND};

fn kinds(letters: &str) -> ByRole<bool> {
    ByRole::new_with(|role| letters.is_empty() || letters.contains(role.char()))
}

/// What happened, in words of a time in tenths of a second and a deed: `30xn` a knight was captured and the clock
/// pressed, `30xn:p` that or a pawn, `30xn?p` hardly a pawn, by ply 30 of board A, `30cn` it was captured and not
/// pressed, `36+0` slot 0 fills, `60-0` it empties, `70dp` the record says that a pawn was dropped, `70dp:nb` that it
/// is a knight or a bishop by its later moves.
fn slots(script: &str) -> Slots {
    let mut slots = Slots::default();
    let (mut captures, mut drops, mut coming) = (Vec::new(), Vec::new(), Vec::new());
    for word in script.split(' ') {
        let (time, deed) = word.split_at(word.find(|c: char| !c.is_ascii_digit()).unwrap());
        let at = Instant(time.parse::<i64>().unwrap() * 100 * MS);
        let (deed, rest) = deed.split_at(1);
        let role = || Role::from_char(rest.chars().next().unwrap()).unwrap();
        let made_at = at + -400 * MS;
        match deed {
            "x" => {
                let known = Captured::certain(role(), made_at, Some(at));
                let more = |mark: &str| rest[1..].strip_prefix(mark).map_or(ByRole::default(), kinds);
                let with = |mark| known.kinds.zip(more(mark)).map(|(one, other)| one || other);
                let ply = (rest.len() > 1).then(|| (BoardId::A, time.parse().unwrap()));
                captures.push(Captured { kinds: with(":"), might: with("?"), ply, ..known });
            }
            "c" => coming.push(Captured::certain(role(), at, None)),
            "d" => drops.push(Dropped { role: role(), kinds: kinds(rest.get(2..).unwrap_or("")), made_at: at }),
            _ => {
                let kinds = if deed == "+" { Kinds::OCCUPIED } else { Kinds::EMPTY };
                assert!(slots.slot(rest.parse().unwrap(), kinds, at), "{word} is news");
            }
        }
    }
    slots.record(captures, drops);
    slots.coming(coming);
    slots
}

/// The men in the hand, `?` for one that nobody knows.
fn hand(slots: &Slots) -> String {
    let Held { men, unknown, .. } = slots.held();
    let known = Role::ALL.into_iter().flat_map(|role| std::iter::repeat_n(role.char(), usize::from(*men.get(role))));
    known.chain(std::iter::repeat_n('?', usize::from(unknown))).collect()
}

/// The drops that were of other kinds than the record says.
fn misnamed(slots: &Slots) -> String {
    slots.misnamed().iter().map(|(index, role)| format!("{index}{}", role.char())).collect::<Vec<_>>().join(" ")
}

#[test]
fn captures_name_the_men_in_the_hand() {
    for (script, expect, why) in [
        ("30xn 36+0 60-0", "n", "the only one"),
        ("30xn 27+0 60-0", "n", "passed before the press"),
        ("30cn 34+0 60-0", "n", "and before it was heard of"),
        ("30xn 36+0 50xp 56+1 60-0", "n", "the first that came"),
        ("30xn 36+0 50xp 56+1 60-1", "p", "the second"),
        ("30xn 50xp 56+0 80+1 90-0", "p", "the other one was thrown over late"),
        ("30xn 60xp 53+0 70-0", "p", "passed while it was captured rather than thrown over late"),
        ("30xn 60cp 62+0 70-0", "p", "passed before the press rather than thrown over late"),
        ("30xn 36+0 60-0 70xp 64+1", "n", "still in the hand: the pawn was passed rather than the knight laid back"),
        ("30xn 60xp 46+0 70-0", "n", "thrown over late rather than passed before it was captured"),
        ("30xn 36+0 50xp 56+1 60-0 64+2 90-2", "n", "put into another slot"),
        ("30xn 36+0 60-0 69dn", "", "dropped"),
        ("30xn 36+0 60xp 61dp 90-0", "n", "the pawn went from hand to hand"),
        ("36+0 60-0", "?", "nobody captured it"),
    ] {
        assert_eq!(hand(&slots(script)), expect, "{script}: {why}");
    }
}

#[test]
fn a_drop_is_named_after_what_lay_in_the_slot() {
    for (script, expect, why) in [
        ("30xn 36+0 50xp 56+1 60-0 69dn", "", "as the record says"),
        ("30xn 36+0 50xp 56+1 60-0 69dp", "0n", "the knight lay there"),
        ("30xn 36+0 50xp 56+1 60-0 69dp 80-1 89dn", "0n 1p", "both"),
        ("30xn 36+0 50xp 56+1 60-0 69dn:p 80-1 89dp:n", "0p 1n", "they moved as each other"),
        ("30xn 36+0 50xp 51dn 80-0 89dp", "0p 1n", "the pawn never lay in the tray"),
    ] {
        assert_eq!(misnamed(&slots(script)), expect, "{script}: {why}");
    }
}

#[test]
fn what_is_known_later_gives_the_same_as_what_is_known_at_once() {
    let mut later = slots("36+0 56+1 60-0");
    assert_eq!(hand(&later), "?");
    let captured = |role, at| Captured::certain(role, Instant(at), Some(Instant(at + SECOND / 2)));
    later.record(vec![captured(Role::Knight, 3 * SECOND), captured(Role::Pawn, 5 * SECOND)], Vec::new());
    assert_eq!(hand(&later), "n");
}

#[test]
fn either_of_two_men_that_came_together_may_have_been_dropped() {
    let kinds = slots("30xn 31xp 36+0 37+1 60-0 69dn").kinds();
    assert_eq!(kinds.len(), 1);
    assert!(kinds[0].may_be.knight && kinds[0].may_be.pawn && !kinds[0].may_be.queen);
    let kinds = slots("30xn 36+0 90xp 96+1 120-0 129dn").kinds();
    assert!(kinds[0].may_be.knight && !kinds[0].may_be.pawn, "seconds apart they are not mixed up");
}

#[test]
fn a_man_whose_capture_is_doubted_is_what_it_moves_as() {
    for (script, renamed, open) in [
        ("30xn:p 36+0 60-0 69dn", "", "np"),
        ("30xn:p 36+0 60-0 69dn:n", "", "n"),
        ("30xn:p 36+0 60-0 69dn:p", "0p", "p"),
        ("30xn:p 36+0 60-0 69dn:b", "", "b"),
    ] {
        let slots = slots(script);
        let letters = |kinds: ByRole<bool>| Role::ALL.into_iter().filter(move |role| *kinds.get(*role));
        assert_eq!(misnamed(&slots), renamed, "{script}");
        let mut last: Vec<char> = letters(slots.kinds()[0].open).map(Role::char).collect();
        last.sort_unstable();
        assert_eq!(last.into_iter().collect::<String>(), open, "{script}");
    }
}

#[test]
fn a_man_that_moves_as_another_was_captured_as_that() {
    for (script, renamed, mistaken) in [
        ("30xn:q 36+0 60-0 69dn", "", ""),
        ("30xn:q 36+0 60-0 69dn:q", "0q", "30q"),
        ("30xn?q 36+0 60-0 69dn", "", ""),
        ("30xn?q 36+0 60-0 69dn:q", "0q", "30q"),
        ("30xn?q 36+0 60-0 69dn:b", "", ""),
        ("30xn?q 36+0 50xp 56+1 60-0 69dn:q 80-1 89dp", "0q", "30q"),
    ] {
        let slots = slots(script);
        let told: Vec<String> = slots.mistaken().iter().map(|(_, ply, role)| format!("{ply}{}", role.char())).collect();
        assert_eq!((misnamed(&slots).as_str(), told.join(" ").as_str()), (renamed, mistaken), "{script}");
    }
}

#[test]
fn two_men_that_came_together_may_have_been_dropped_as_each_other() {
    let slots = slots("30xn 31xp 36+0 37+1 60-0 69dn 80-1 89dp");
    assert_eq!(misnamed(&slots), "", "as the record says");
    assert!(slots.kinds().iter().all(|lay| lay.open.knight && lay.open.pawn), "and it may be the other way round");
    let swapped = vec![(0, Role::Pawn), (1, Role::Knight)];
    assert_eq!(slots.renamed(0, Role::Pawn), Some(Renamed { names: swapped, mistaken: Vec::new() }));
    assert_eq!(slots.renamed(0, Role::Queen), None, "nobody captured a queen");
    assert_eq!(slots.renamed(2, Role::Pawn), None, "there is no third drop");
}

#[test]
fn a_new_game_begins_with_what_lies_in_the_tray() {
    let mut slots = slots("30xn 36+0");
    slots.begin();
    assert!(slots.slot(0, Kinds::EMPTY, Instant(SECOND)), "it lay there");
    assert_eq!(hand(&slots), "?");
    assert!(!slots.slot(999, Kinds::OCCUPIED, Instant(SECOND)), "no tray has so many slots");
}

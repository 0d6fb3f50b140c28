//! Passing and hiding (WBN 1.6 to 1.8): what the men's whereabouts say about hands.
//!
//! In: the ledger of men, which trays can be believed, which men are in the air. Out: drafts of incidents. A wait is
//! only over when nothing explains it better: a man that lands, a tray that says nothing, a kind that was misread.

use serde_json::json;

use super::{
    docket::{Docket, Draft, Window, claimers},
    incident::{Grade, Incident, RAW},
    kind::Kind,
    men::{Away, Capture, Dropped, Man, Men, Place, Stray},
};
use crate::{
    notation::uci,
    rules::{Passing, RuleSet, Transfer},
    track::Completed,
    types::{BoardId, ClockTimes, Instant, MS, Piece, Role, SECOND, Seat},
};

/// How long a man may be in a tray where it should not be: hands lay men down in passing, captures complete late.
const STRAY_US: i64 = 1900 * MS;
/// How long a man may be there that no board has lost: a capture may be found late, in a record that is read anew.
const FOREIGN_US: i64 = 4 * SECOND;
/// A man that is lifted for so short a time when its owner completes another move was only touched.
const TOUCH_US: i64 = SECOND;
/// How long before the capture is completed its man may be in a tray.
const IN_HAND_US: i64 = 1500 * MS;
/// A man that is back in its slot must lie there for so long: a capture may be made that explains it better.
const BACK_US: i64 = SECOND;
/// How long after its capture a man may come to a tray, where an illegal move seems to have taken it away.
const UNLAWFUL_US: i64 = 15 * SECOND;
/// How long before its capture is seen it may be in the tray.
const UNLAWFUL_EARLY_US: i64 = 2 * SECOND;
/// What trays and clocks may differ in time.
const LATENESS_US: i64 = 300 * MS;
/// Incidents of hiding that make it repeated (WBN 1.8d).
const REPEATED: usize = 3;
/// What is said again of each of those.
const REPEATED_OF: [&str; 4] = ["man", "to", "slots", "last_seen"];

/// How long hands may take, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Graces {
    /// A man out of its pocket.
    pub lift: i64,
    /// A captured man after its capturer completed the next move.
    pub pass: i64,
    /// A man next to its square.
    pub displaced: i64,
}

/// What else there is to see when waits are over.
pub struct Around<'a> {
    /// The rule set.
    pub rules: &'a RuleSet,
    /// How many boards.
    pub boards: usize,
    /// Now.
    pub now: Instant,
    /// How long hands may take.
    pub graces: Graces,
    /// Whether what stands on a board tells nothing of its players: no time runs, men are swept off and set up, or what
    /// was played there is not known.
    pub idle: &'a dyn Fn(BoardId) -> bool,
    /// What a board's clock shows.
    pub clock: &'a dyn Fn(BoardId) -> Option<ClockTimes>,
    /// Whether a seat's tray can be believed.
    pub tells: &'a dyn Fn(Seat) -> bool,
    /// Whether a seat has a man of a kind on the board that is no completed drop yet.
    pub landing: &'a dyn Fn(Seat, Role) -> bool,
    /// Whether a man of this kind is off its square or captured by a move that is not completed.
    pub in_air: &'a dyn Fn(Piece) -> bool,
    /// Whether a move that is made and not completed captures such a man for a seat.
    pub captured: &'a dyn Fn(Seat, Piece) -> bool,
    /// When such men may have been captured for a seat, where those stood that illegal moves seem to have taken away:
    /// others came from nowhere then, one with each.
    pub unlawful: &'a dyn Fn(Seat, Piece) -> Vec<Instant>,
}

/// When a man's wait is over, if it is told nothing of yet.
fn due(man: &Man, graces: &Graces) -> Option<Instant> {
    match man.place {
        _ if man.told => None,
        Place::Transit(_) => man.late.map(|late| late + graces.pass),
        Place::Lifted(_) => {
            let held = man.passed_over.filter(|over| *over - man.since >= TOUCH_US);
            let forgotten = held.map(|over| over + graces.pass);
            // Boards are read later than trays.
            let over = man.since + graces.lift + LATENESS_US;
            let due = forgotten.map_or(over, |at| at.min(over));
            Some(man.doubted.map_or(due, |doubted| due.max(doubted + graces.pass)))
        }
        _ => None,
    }
}

/// When it is told of a man that is back in its slot that it was away for too long, if it was.
fn back_due(man: &Man) -> Option<Instant> {
    man.away.map(|away| away.looked_at + BACK_US)
}

/// When something may have to be told.
pub fn deadline(men: &Men, graces: &Graces) -> Option<Instant> {
    let strays = men.strays().iter().filter(|stray| !stray.told).map(stray_due);
    let back = men.men().iter().filter_map(back_due);
    men.men().iter().filter_map(|man| due(man, graces)).chain(strays).chain(back).min()
}

/// When it is asked next what a man is that should not be in a tray.
fn stray_due(stray: &Stray) -> Instant {
    let foreign = stray.since + FOREIGN_US;
    let again = stray.looked_at + STRAY_US;
    if stray.looked_at < foreign { again.min(foreign) } else { again }
}

/// Tells of every man and stray whose wait is over.
pub fn look(men: &mut Men, around: &Around<'_>) -> Vec<Draft> {
    let mut drafts = strays(men, around);
    let stray_kinds: Vec<Seat> =
        men.strays().iter().filter(|stray| stray.piece.color == stray.seat.color).map(|stray| stray.seat).collect();
    drafts.extend(men.men_mut().filter_map(|man| was_away(man, around)));
    let is_due = |man: &Man| due(man, &around.graces).is_some_and(|due| due <= around.now);
    for man in men.men_mut().filter(|man| is_due(man)) {
        let Some(owner) = man.place.owner() else { continue };
        let landing = (around.landing)(owner, man.piece.role);
        let explained = man.alike.is_some() || landing || stray_kinds.contains(&owner) || !(around.tells)(owner);
        if explained {
            wait_again(man, landing, around.now);
            continue;
        }
        man.told = true;
        drafts.push(missing(man, owner, around));
    }
    drafts
}

/// A man that is back where it was, and had been away for too long: while it was, the record had it elsewhere.
fn was_away(man: &mut Man, around: &Around<'_>) -> Option<Draft> {
    back_due(man).filter(|due| *due <= around.now)?;
    let Away { slot, left, since, back, .. } = man.away.take()?;
    let owner = man.tray()?;
    let long = back - since > around.graces.lift + LATENESS_US;
    let landing = (around.landing)(owner, man.piece.role);
    // What lands may be this one, which has left its slot again: its drop will tell.
    if long && landing && matches!(man.place, Place::Lifted(_)) {
        man.away = Some(Away { slot, left, since, back, looked_at: around.now });
        return None;
    }
    // Another one may have come in its stead.
    let explained = landing || (around.captured)(owner, man.piece) || !(around.tells)(owner) || !long;
    (!explained).then(|| {
        let slot = Some((slot, left));
        let away = Man { place: Place::Lifted(owner), since, seen: Some(left), slot, ..*man };
        let mut draft = missing(&away, owner, around);
        draft.evidence["back_at"] = json!(back);
        draft
    })
}

fn wait_again(man: &mut Man, landing: bool, now: Instant) {
    match man.place {
        Place::Transit(_) => man.late = Some(now),
        _ => {
            // It seemed to be on its board until now; or nobody knows where it was, and its absence begins anew.
            if landing {
                man.landing = Some(now);
            } else {
                man.slot = man.slot.map(|(slot, _)| (slot, now));
            }
            man.since = now;
            man.passed_over = None;
        }
    }
}

/// A man that should be in its owner's pocket and is not.
fn missing(man: &Man, owner: Seat, around: &Around<'_>) -> Draft {
    let waiting_since = man.late.unwrap_or(man.since);
    let coming = matches!(man.place, Place::Transit(_));
    let last_seen = man.seen.or(man.off.filter(|_| coming));
    let evidence = json!({
        "pocket_of": owner, "place": man.place.as_str(), "since": man.since, "last_seen": last_seen,
        "captured_at": man.captured.map(|(_, at)| at), "waiting_since": waiting_since,
        "slots": man.slot.map(|(slot, _)| [slot]),
    });
    let (kind, seat) = match man.captured.filter(|_| coming) {
        Some((capturer, _)) => (Kind::NotPassed, capturer),
        None => (Kind::Concealed, owner),
    };
    let from = last_seen.unwrap_or(man.since).min(man.since);
    let draft = Draft::of(kind, seat, evidence).claimable(against(seat, around), Window::Game);
    witnessed(of_man(draft, man.piece, Some(man)), from, around)
}

/// Which man it is about, and where it was captured.
fn of_man(mut draft: Draft, piece: Piece, man: Option<&Man>) -> Draft {
    draft.evidence["man"] = json!(piece.char().to_string());
    let captured = man.and_then(|man| Some((man.captured?.0.board, man.stood?)));
    // A page marks the squares that it reads on the incident's board.
    let here = captured.filter(|(board, _)| draft.board == Some(*board)).map(|(_, square)| [square.to_string()]);
    draft.evidence["squares"] = json!(here);
    draft.evidence["captured_on"] = json!(captured.map(|(board, square)| format!("{board}:{square}")));
    draft
}

/// What the clock shows when it is noticed, and which part of what was received bears it out.
fn witnessed(mut draft: Draft, from: Instant, around: &Around<'_>) -> Draft {
    draft.evidence["clock"] = json!(draft.board.and_then(around.clock));
    draft.evidence[RAW] = json!({ "from": from, "to": around.now });
    draft
}

/// The same of what a completed move did: the clock as it was pressed.
fn witnessed_at(draft: Draft, from: Instant, completed: &Completed, around: &Around<'_>) -> Draft {
    let mut draft = witnessed(draft, from, around);
    draft.evidence["clock"] = json!(completed.clock);
    draft
}

/// Who may claim what a seat did with men: who plays against it, for a man that is not passed too (FIDE-ext 3.2).
fn against(seat: Seat, around: &Around<'_>) -> Vec<Seat> {
    claimers(around.rules, around.boards, seat.opponent())
}

fn strays(men: &mut Men, around: &Around<'_>) -> Vec<Draft> {
    let due = |stray: &Stray| !stray.told && stray_due(stray) <= around.now;
    // Two that came at once are two.
    let all: Vec<Stray> = men.strays().to_vec();
    let ready = all.into_iter().enumerate().filter(|(_, stray)| due(stray));
    let mut drafts = Vec::new();
    for (index, stray) in ready {
        let (draft, told) = judge_stray(men, (index, stray), around);
        drafts.extend(draft);
        for known in men.strays_mut().skip(index).take(1) {
            known.told = told;
            known.looked_at = around.now;
        }
    }
    drafts
}

/// Whether a stray is one of the men that illegal moves seem to have taken away: each excuses the first that came then.
fn is_unlawful(men: &Men, index: usize, stray: Stray, around: &Around<'_>) -> bool {
    let mut captures = (around.unlawful)(stray.seat, stray.piece);
    captures.sort();
    let like = |other: &Stray| (other.seat, other.piece) == (stray.seat, stray.piece) && !other.told;
    let like = men.strays().iter().enumerate().filter(|(_, other)| like(other));
    let mut like: Vec<(Instant, usize)> = like.map(|(index, other)| (other.since, index)).collect();
    like.sort();
    like.into_iter().any(|(since, other)| {
        let about = |at: &Instant| (-UNLAWFUL_EARLY_US..=UNLAWFUL_US).contains(&(since - *at));
        let excused = captures.iter().position(about).map(|first| captures.remove(first)).is_some();
        excused && other == index
    })
}

/// What a man that should not be in a tray is, and whether that is the last word.
fn judge_stray(men: &mut Men, (index, stray): (usize, Stray), around: &Around<'_>) -> (Option<Draft>, bool) {
    if !(around.tells)(stray.seat) {
        return (None, false);
    }
    // A drop of a man that has not left its tray is no drop: the record is wrong.
    if men.men().iter().any(|man| man.lies == Some(stray.seat) && man.piece == stray.piece) {
        return (None, false);
    }
    // It was passed before the clock was pressed for its capture.
    if (around.captured)(stray.seat, stray.piece) {
        return (None, false);
    }
    let slots = men.slots(stray.seat, stray.piece);
    let evidence = json!({ "pocket_of": stray.seat, "slots": slots, "since": stray.since, "last_seen": around.now });
    let away = |man: &Man| matches!(man.place, Place::Transit(_) | Place::Lifted(_)) && !man.told;
    // What was on a board or in another tray when the stray came is not the stray.
    let there = |man: &Man| {
        let left = matches!(man.place, Place::Lifted(_)).then(|| man.seen.unwrap_or(man.since));
        man.captured.is_none_or(|(_, at)| at - stray.lies_since <= IN_HAND_US)
            && left.is_none_or(|left| left <= stray.lies_since + LATENESS_US)
    };
    let lands = |man: &Man| match man.place {
        Place::Lifted(owner) => (around.landing)(owner, man.piece.role),
        _ => false,
    };
    let elsewhere = |man: &&mut Man| {
        let other = man.piece == stray.piece && man.place.owner() != Some(stray.seat);
        other && away(man) && there(man) && !lands(man)
    };
    // What was captured before the stray came rather than after; who captures puts the man into the nearest tray rather
    // than into the partner's.
    let later = |man: &Man| man.captured.is_some_and(|(_, at)| at > stray.lies_since + LATENESS_US);
    let likely = |man: &&mut Man| {
        let transit = matches!(man.place, Place::Transit(_));
        (later(man), man.captured.is_none_or(|(by, _)| by != stray.seat || !transit), !transit)
    };
    if let Some(man) = men.men_mut().filter(elsewhere).min_by_key(likely) {
        // One that was captured after the stray came, and by somebody else than whose tray that is, may still be on its
        // way to where it belongs.
        let own = man.captured.is_some_and(|(by, _)| by == stray.seat);
        if later(man) && !own && around.now - man.since < STRAY_US {
            return (None, false);
        }
        man.told = true;
        let owner = man.place.owner().unwrap_or(stray.seat);
        let doer = man.captured.filter(|_| man.place == Place::Transit(owner)).map_or(owner, |(by, _)| by);
        let mut evidence = evidence;
        evidence["belongs_to"] = json!(owner);
        let draft = Draft::of(Kind::WrongPocket, doer, evidence).claimable(against(doer, around), Window::Game);
        let from = stray.since.min(man.off.unwrap_or(man.since));
        return (Some(witnessed(of_man(draft, man.piece, Some(man)), from, around)), true);
    }
    let own = stray.piece.color == stray.seat.color;
    let misread = |man: &Man| away(man) && there(man) && man.place.owner() == Some(stray.seat);
    let misread = own && men.men().iter().any(misread);
    let early = around.now - stray.since < FOREIGN_US;
    if early || misread || (around.in_air)(stray.piece) {
        return (None, false);
    }
    // It was captured, and what came from nowhere was told as an illegal move.
    if is_unlawful(men, index, stray, around) {
        return (None, false);
    }
    men.told_foreign(stray);
    let draft = of_man(Draft::of(Kind::ForeignPiece, stray.seat, evidence), stray.piece, None);
    let draft = draft.claimable(against(stray.seat, around), Window::Game);
    (Some(witnessed(draft, stray.since, around)), true)
}

/// A capture was completed and the man had been in the pocket since `seen` already.
pub fn early_pass(
    men: &Men,
    capture: Capture,
    seen: Option<Instant>,
    completed: &Completed,
    around: &Around<'_>,
) -> Option<Draft> {
    let Capture { transfer: Transfer { from, to, man, .. }, square, made, at, .. } = capture;
    let seen = seen.filter(|seen| at - *seen > LATENESS_US && around.rules.passing == Passing::BeforeOwnMove)?;
    let square = square.map(|square| square.to_string());
    let evidence = json!({
        "man": man.char().to_string(), "pocket_of": to, "slots": men.slots(to, man), "seen_at": seen, "last_seen": at,
        "squares": square.as_ref().map(|square| [square]),
        "captured_on": square.as_ref().map(|square| format!("{}:{square}", from.board)),
        "made_at": made, "completed_at": at,
    });
    let draft = Draft::of(Kind::EarlyPass, from, evidence).grade(Grade::Note);
    let draft = draft.claimable(against(from, around), Window::Game);
    Some(witnessed_at(draft, seen.min(made), completed, around))
}

/// A drop was completed of a man that had never been seen in the pocket. Straight from the partner's hand, with no
/// other move of the player in between, is a note.
pub fn hidden_drop(seat: Seat, completed: &Completed, dropped: Dropped, around: &Around<'_>) -> Option<Draft> {
    let (made, to) = (completed.made_at, uci::destination(completed.played));
    let man = dropped.man.filter(|man| man.first_seen.is_none() && (around.tells)(seat))?;
    let captured = man.captured.map(|(_, at)| at).unwrap_or(man.since);
    if made < man.off.unwrap_or(captured) {
        return None; // it landed before its capture was made, so another man did
    }
    let from_hand = made - captured <= around.graces.lift || man.passed_over.is_none();
    let evidence = json!({
        "pocket_of": seat, "to": to.to_string(), "captured_at": captured,
        "captured_by": man.captured.map(|(by, _)| by), "made_at": made, "completed_at": completed.completed_at,
        "last_seen": man.off,
    });
    let (grade, reason) =
        if from_hand { (Grade::Note, "from-the-partners-hand") } else { (Grade::Warning, "never-seen-in-the-pocket") };
    let draft = Draft::of(Kind::HiddenDrop, seat, evidence).grade(grade).reason(reason);
    let draft = of_man(draft, man.piece, Some(&man)).claimable(against(seat, around), Window::Until(seat.opponent()));
    Some(witnessed_at(draft, man.off.unwrap_or(captured), completed, around))
}

/// A seat dropped a kind that the opponent has restricted at `since` (WBN 1.8b, c).
pub fn restricted_use(
    seat: Seat,
    since: Instant,
    completed: &Completed,
    man: Option<&Man>,
    around: &Around<'_>,
) -> Draft {
    let piece = completed.played.role().of(seat.color);
    let evidence = json!({
        "pocket_of": seat, "to": uci::destination(completed.played).to_string(), "restricted_at": since,
        "completed_at": completed.completed_at, "last_seen": man.and_then(|man| man.seen),
        "slots": man.and_then(|man| man.slot).map(|(slot, _)| [slot]),
    });
    let draft = Draft::of(Kind::RestrictedPieceUsed, seat, evidence).reason("restricted-piece");
    let draft = of_man(draft, piece, man).claimable(against(seat, around), Window::Until(seat.opponent()));
    witnessed_at(draft, since, completed, around)
}

/// Whether a seat has hidden men as often as makes it repeated (WBN 1.8d): its incidents, with what each was about.
pub fn repeated(docket: &Docket, seat: Seat, around: &Around<'_>) -> Option<Draft> {
    let hidings: Vec<&Incident> = docket.counted(seat, HIDING).map(|entry| &entry.incident).collect();
    let said = |incident: &Incident| {
        let told = REPEATED_OF.iter().map(|key| ((*key).to_owned(), incident.evidence[*key].clone()));
        let named = [("id", json!(incident.id)), ("kind", json!(incident.kind))];
        named.into_iter().map(|(key, value)| (key.to_owned(), value)).chain(told).collect::<serde_json::Map<_, _>>()
    };
    let began = |incident: &&Incident| incident.evidence[RAW]["from"].as_i64().map(Instant);
    let from = hidings.iter().filter_map(began).min().unwrap_or(around.now);
    let hidden: Vec<_> = hidings.iter().map(|incident| said(incident)).collect();
    let last_seen = hidings.iter().filter_map(|incident| incident.evidence["last_seen"].as_i64()).max();
    let evidence = json!({ "incidents": hidings.len(), "hidden": hidden, "pocket_of": seat, "last_seen": last_seen });
    let draft = Draft::of(Kind::RepeatedlyHiding, seat, evidence).claimable(against(seat, around), Window::Game);
    (hidings.len() == REPEATED).then(|| witnessed(draft, from, around))
}

/// Incidents that count as hiding.
pub const HIDING: &[Kind] = &[Kind::Concealed, Kind::HiddenDrop, Kind::RestrictedPieceUsed];

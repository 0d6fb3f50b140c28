//! The illegal move that explains a placement when no legal one does, or none as well.
//!
//! In: a position, what is seen, the presses that wait. Out: what was done, why it is illegal and what believing it
//! costs (`cost`). A man must have stood there when the clock was pressed: what hands do in passing is no move.

use arrayvec::ArrayVec;
use shakmaty::attacks;

use super::{
    AT_PRESS_US, CARRIED_US, SCAN_US, TAKES_US, cost,
    explain::{Item, Items, named, weigh},
    search::{self, Alias, Evidence, Hand},
};
use crate::{
    notation::uci,
    rules::{Attempt, BoardPosition, Move, Reason},
    sense::{Mismatch, Placement, Reading},
    types::{Bitboard, ByRole, CastlingSide, Color, Instant, Kinds, MS, Piece, Role, Square},
};

/// Things that somebody may have done that are looked into for one state of a board.
const ATTEMPTS_MAX: usize = 16;
/// A man that left its square sooner after the press was read late: its player had put it elsewhere before.
const STOOD_US: i64 = 150 * MS;
/// How long after the press a man may be put down that was in the air.
const LANDS_US: i64 = 700 * MS;
/// Two squares that changed within this time were read by one scan, or changed by one motion.
const TOGETHER_US: i64 = 100 * MS;
/// How much later than a man that was put down after it a press may be heard of.
const HEARD_US: i64 = 150 * MS;
/// So long after the press a man may be read that was lifted well before it: its player's hand still had it.
const LIFTED_US: i64 = 200 * MS;
/// Men next to their squares are displaced (WBN 6.4); a second move goes farther.
const SECOND_MOVE_SQUARES: u32 = 2;

/// An explanation that costs so little more than another one is as good.
pub const CONTESTED: u32 = cost::FROM_NOWHERE + cost::ARRIVED + cost::MARGIN;

/// A weight with its name.
type Weight = (&'static str, u32);

/// An illegal move that explains a board, alone or with legal plies after it.
pub struct Illegal {
    /// The move.
    pub played: Move,
    /// Why it is illegal.
    pub reasons: Vec<Reason>,
    /// What it costs to believe it, with all that it leaves open.
    pub cost: u32,
    /// A man of the player's own, moved in its turn: neither displaced nor in the other one's hand.
    pub own: bool,
    /// A drop explains all that is seen for hardly more.
    pub contested: bool,
    /// A man of its kind may be on its way from another board and be dropped where it went.
    pub coming: bool,
    /// Another man of the player's is in the air: it may be the one that was moved.
    pub open: bool,
    /// Every later press has a ply.
    pub answers: bool,
    /// What that is made of, if it was asked.
    pub items: Vec<Item>,
}

impl Illegal {
    /// Whether the man of a drop that nothing else forbids is not known to have been captured for the player.
    pub fn is_from_nowhere(&self) -> bool {
        self.reasons == [Reason::DropNotInPocket]
    }

    /// Whether it is a drop from no pocket of a kind that another board may be sending, or that may have come from
    /// another square.
    pub fn is_awaited(&self, awaits: &ByRole<bool>) -> bool {
        self.reasons.contains(&Reason::DropNotInPocket) && *awaits.get(self.played.role())
    }
}

/// The illegal move of the side to move that explains the placement without a man where none should stand, alone or
/// with legal plies after it: the cheapest, of equal ones the one with the fewest reasons, then the first square.
pub fn explain(position: &BoardPosition, evidence: Evidence<'_>) -> Option<Illegal> {
    let (press, placement) = (*evidence.presses.first()?, evidence.placement);
    let attempts = attempts(position, evidence, press).into_iter();
    let found = attempts.filter_map(|(attempt, weight)| tried(position, evidence, press, attempt, weight));
    let found: Vec<(Illegal, bool)> = found.filter(|(found, _)| !found.reasons.is_empty()).collect();
    let drop = |(found, whole): &&(Illegal, bool)| *whole && found.is_from_nowhere();
    let drop = found.iter().filter(drop).map(|(found, _)| found.cost).min();
    let best = found.into_iter().map(|(found, _)| found).min_by_key(|found| (found.cost, found.reasons.len()))?;
    let moved = best.played.from().is_some();
    let felt = placement.kinds(uci::destination(best.played)) == Kinds::OCCUPIED;
    let has_one = |hand: &Hand| felt && (hand.count() > 0 || !hand.alone);
    let handed = evidence.lifted.get(position.turn()).as_ref().is_some_and(has_one);
    // Such a man is on its way from another board and may be dropped there, while the one of the board is adjusted.
    let man = Move::Put { role: best.played.role(), to: uci::destination(best.played) };
    let coming = |hand: &Hand| *hand.coming.get(best.played.role());
    let coming = evidence.lifted.get(position.turn()).as_ref().is_some_and(coming) && position.is_legal(man);
    let contested = moved && (handed || drop.is_some_and(|drop| drop < best.cost + CONTESTED));
    Some(Illegal { contested, coming: moved && coming, ..best })
}

/// What was done, if it is illegal and nothing stands where none should, and whether it explains all that is seen.
fn tried(
    position: &BoardPosition,
    evidence: Evidence<'_>,
    press: Instant,
    attempt: Attempt,
    weight: Weight,
) -> Option<(Illegal, bool)> {
    let placement = evidence.placement;
    let (played, reasons) = as_played(position, attempt)?;
    let own = weight.1 != cost::ILLEGAL_AHEAD && !reasons.contains(&Reason::NotYourPiece);
    let items = Items::new(evidence.noting);
    let weight = items.take(weight.0, weight.1) + weigh!(items, PLY);
    let aliases = with_stranger(position, evidence, attempt);
    let Rest { cost: rest, mismatch, beside, air, taken, late, answers, items } =
        rest(position, Evidence { aliases: &aliases, ..evidence }, played, &items);
    // Who then takes the king shows that it was left in check.
    let weight = if taken { weight.min(cost::ILLEGAL_KING + cost::PLY) } else { weight };
    let whole = mismatch.any().is_empty();
    let air = air & position.board().by_color(position.turn()) & !evidence.still & !evidence.gone;
    // What left later may be what the reply captures. A man of the opponent's is rather the reply itself.
    let theirs = reasons.iter().any(|reason| matches!(reason, Reason::NotYourPiece | Reason::DropWrongColour));
    let open = air.into_iter().any(|square| theirs || placement.changed(square) + AT_PRESS_US <= press);
    let open = open || late && placement.changed(uci::destination(played)) > press;
    // A real man stands there: that does not come about because something else is read wrongly. What stood or was
    // knocked beside its square before the turn is no part of the move, nor is what the other player has put down
    // meanwhile. And no hand that castled, promoted, took the king or came from the tray plays another move.
    let sure = [Reason::PromotionPiece, Reason::KingCaptured].iter().any(|sure| reasons.contains(sure));
    let done = sure
        || match played {
            Move::Castle { .. } => true,
            Move::Put { .. } if reasons.contains(&Reason::DropWrongColour) => false,
            Move::Put { role, .. } => evidence.lifted.get(position.turn()).is_some_and(|hand| *hand.men.get(role) > 0),
            _ => false,
        };
    let beside = beside == Beside::Before || beside == Beside::InTurn && done;
    let known = (beside || replies(position, placement, mismatch, press, done)) && !(theirs && open);
    let found =
        Illegal { played, reasons, cost: weight + rest, own, contested: false, coming: false, open, answers, items };
    known.then_some((found, whole))
}

/// Whether the one man that stands where none should is one of the other player's, or where a move is `done` any one,
/// that is missing elsewhere and was put down after the press.
fn replies(position: &BoardPosition, placement: &Placement, mismatch: Mismatch, press: Instant, done: bool) -> bool {
    let square = mismatch.foreign.single_square().filter(|square| placement.changed(*square) > press);
    let man = square.and_then(|square| placement.kinds(square).single().flatten());
    let man = man.filter(|man| done || man.color != position.turn());
    man.is_some_and(|man| (mismatch.missing & position.board().by_piece(man)).any())
}

/// The best legal plies after an illegal move.
struct Rest {
    /// What it costs to believe them.
    cost: u32,
    /// What they leave open.
    mismatch: Mismatch,
    /// Whether all men that stand where none should stand, if any do, are beside their squares.
    beside: Beside,
    /// Missing men apart from those.
    air: Bitboard,
    /// The king was taken.
    taken: bool,
    /// A man of the same player that had left its square before the press has come to another one after that.
    late: bool,
    /// Every press has a ply.
    answers: bool,
    items: Vec<Item>,
}

/// What it costs to believe the best legal plies after an illegal move, and what they leave open.
fn rest(position: &BoardPosition, evidence: Evidence<'_>, played: Move, items: &Items) -> Rest {
    let mut after = position.clone();
    after.play(played);
    let (press, presses) =
        evidence.presses.split_first().map_or((Instant::LONG_AGO, &[][..]), |(first, rest)| (*first, rest));
    let mut lifted = *evidence.lifted;
    let placement = evidence.placement;
    let from_nowhere = match (played, lifted.get_mut(position.turn())) {
        (Move::Put { role, to }, Some(hand)) => {
            let stood = placement.kinds_at(to, press) == Kinds::only(role.of(position.turn()));
            let later = stood && hand.took_later(role, placement.since_at(to, press));
            match hand.take(role, press) {
                true if later => weigh!(items, TAKEN_LATER),
                true => 0,
                false => weigh!(items, FROM_NOWHERE),
            }
        }
        _ => 0,
    };
    let turn_since = evidence.rest_since.max(evidence.pressed[1]);
    let [first, second] = evidence.since;
    let since = [second, first];
    let evidence = Evidence {
        presses,
        since,
        rest_since: press,
        pressed: [evidence.pressed[1], press],
        before: &[],
        lifted: &lifted,
        ..evidence
    };
    let mut found = search::explain(&after, evidence, presses.len() + 2);
    let taken = king_taken(&after, placement, found.mismatch);
    if let Some((from, king)) = taken {
        found.mismatch.foreign.discard(king);
        found.mismatch.missing.discard(from);
        let unanswered = if found.line.len() < presses.len() { cost::PRESS } else { 0 };
        let open = cost::FOREIGN + cost::MISSING + unanswered;
        found.cost = found.cost.saturating_sub(open) + weigh!(items, PLY);
    }
    for m in &found.line {
        after.play(*m);
    }
    let comes = |m: &Move| {
        let left = m.from().is_some_and(|from| placement.changed(from) + AT_PRESS_US <= press);
        left && placement.changed(uci::destination(*m)) > press
    };
    let late = found.line.iter().skip(1).step_by(2).any(comes);
    let (beside, air) = stand_beside(&after, placement, found.mismatch, (!position.turn(), turn_since));
    let rest = found.weighing.map_or(Vec::new(), |weighing| weighing.taken.items);
    let answers = found.line.len() >= presses.len();
    let (cost, taken, items) = (found.cost + from_nowhere, taken.is_some(), items.before(rest));
    Rest { cost, mismatch: found.mismatch, beside, air, taken, late, answers, items }
}

/// Whether men stand beside their squares.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Beside {
    /// All of them stood there before the turn, or are the other player's and had left their squares before it.
    Before,
    /// All of them, some since they were touched in the turn.
    InTurn,
    /// Not all.
    No,
}

/// Whether all men that stand where none should are men that are missing beside, or a square farther where they have
/// stood since before the `turn`, and the others that are missing. `them`: who had moved before that.
fn stand_beside(
    after: &BoardPosition,
    placement: &Placement,
    mismatch: Mismatch,
    (them, turn): (Color, Instant),
) -> (Beside, Bitboard) {
    let (mut missing, board) = (mismatch.missing, after.board());
    let beside = mismatch.foreign.into_iter().map(|to| {
        let before = placement.changed(to) < turn;
        let beside = |from: &Square| {
            let free = board.piece_at(to).is_none();
            let near = if before { 2 } else { 1 };
            free && from.distance(to) <= near && placement.kinds(to).allows(board.piece_at(*from))
        };
        let Some(from) = missing.into_iter().find(beside) else { return Beside::No };
        missing.discard(from);
        // Its own player had knocked it off.
        let knocked = board.color_at(from) == Some(them) && placement.changed(from) < turn;
        if before || knocked { Beside::Before } else { Beside::InTurn }
    });
    let beside = beside.max().unwrap_or(Beside::Before);
    (beside, missing)
}

/// The man of the player to move that has taken the king, which no rule knows: from where, and where.
fn king_taken(after: &BoardPosition, placement: &Placement, mismatch: Mismatch) -> Option<(Square, Square)> {
    let king = after.king(!after.turn()).filter(|king| mismatch.foreign.contains(*king))?;
    let man = placement.kinds(king).single().flatten().filter(|man| man.color == after.turn())?;
    let board = after.board();
    let taker = mismatch.missing & board.by_piece(man) & board.attacks_to(king, man.color, board.occupied());
    taker.into_iter().next().map(|from| (from, king))
}

/// A man of the player who made `first` that made a move, too, and stood there at the press: from where, to where.
pub fn second_move(position: &BoardPosition, first: Move, evidence: Evidence<'_>) -> Option<(Square, Square)> {
    let press = *evidence.presses.first()?;
    let mut after = position.clone();
    after.play(first);
    let placement = evidence.placement;
    let mismatch = placement.mismatch(&after);
    let own = mismatch.missing & after.board().by_color(position.turn());
    // Both may have been made ahead, while the other player still thought.
    let ahead = placement.changed(uci::destination(first)) < evidence.rest_since;
    let since = if ahead { evidence.pressed[0] } else { evidence.rest_since };
    let touched = |square: Square| placement.changed(square) >= since;
    let alone = first.from().is_some_and(|from| from.distance(first.to()) < SECOND_MOVE_SQUARES && !first.is_capture());
    if alone || !touched(uci::destination(first)) {
        return None;
    }
    // Who lifts a man as the press is heard has pressed, and goes ahead.
    let early = |square: &Square| touched(*square) && placement.changed(*square) + TOGETHER_US <= press;
    let ways = own.into_iter().filter(early).flat_map(|from| mismatch.foreign.into_iter().map(move |to| (from, to)));
    let mut ways = ways.filter(|(from, to)| {
        let Some(man) = after.board().piece_at(*from) else { return false };
        let stands = placement.kinds(*to) == Kinds::only(man) && placement.changed(*to) <= press + LIFTED_US;
        stands && from.distance(*to) >= SECOND_MOVE_SQUARES && goes(position, *from, *to)
    });
    ways.next().filter(|_| ways.next().is_none())
}

/// Whether a man of the other player's that stands where none should came between two moves: then it has answered the
/// first one, and two presses were forgotten.
pub fn answered_between(position: &BoardPosition, moves: [Square; 2], placement: &Placement) -> bool {
    let [one, other] = moves.map(|to| placement.changed(to));
    let theirs = |man: Piece| man.color != position.turn();
    let theirs = |square: &Square| placement.kinds(*square).single().flatten().is_some_and(theirs);
    let between = |square| (one.min(other)..one.max(other)).contains(&placement.changed(square));
    placement.mismatch(position).foreign.into_iter().filter(theirs).any(between)
}

/// Whether the man may go there by the rules.
fn goes(position: &BoardPosition, from: Square, to: Square) -> bool {
    let attempt = Attempt::Move { from, to, promotion: None };
    position.as_move(attempt).is_some_and(|m| position.is_legal(m))
}

/// What is played if somebody did this, and why it is illegal.
fn as_played(position: &BoardPosition, attempt: Attempt) -> Option<(Move, Vec<Reason>)> {
    let played = match attempt {
        // The game knows no man of the wrong colour that may be dropped: one of the right colour takes its place.
        Attempt::Drop { man, to } => Move::Put { role: man.role, to },
        _ => position.as_move(attempt)?,
    };
    Some((played, position.reasons(attempt)))
}

/// The men known to read as others, and a dropped one of the wrong colour, which reads as what it is.
fn with_stranger(position: &BoardPosition, evidence: Evidence<'_>, attempt: Attempt) -> Vec<Alias> {
    let mut aliases = evidence.aliases.to_vec();
    if let Attempt::Drop { man, to } = attempt
        && man.color != position.turn()
    {
        aliases.push(Alias { square: to, reads: Kinds::only(man), learnt: 0 });
    }
    aliases
}

/// What somebody may have done, and what it costs to believe it: a man of a contradicted square stood on another one at
/// the press, or a man came from nowhere.
fn attempts(
    position: &BoardPosition,
    evidence: Evidence<'_>,
    press: Instant,
) -> ArrayVec<(Attempt, Weight), ATTEMPTS_MAX> {
    let placement = evidence.placement;
    // The reply may have changed already what stood there at the press.
    let replied = |square: &Square| placement.changed(*square) > press && !agreed(position, placement, *square, press);
    let replied: Bitboard = Square::ALL.into_iter().filter(replied).collect();
    let open = placement.mismatch(position).any() | replied | exchanged(position, evidence, press);
    let mut attempts = ArrayVec::new();
    let castlings = [CastlingSide::KingSide, CastlingSide::QueenSide].into_iter();
    let castled = castlings.filter(|side| castled(position, evidence, *side));
    attempts.extend(castled.map(|side| (Attempt::Castle(side), named!(ILLEGAL_CASTLING))));
    let left = open & position.board().occupied();
    for to in open {
        let moved = left.into_iter().filter(|from| *from != to);
        let moved = moved.filter_map(|from| moved_to(position, evidence, from, to, press));
        let [now, then] = [placement.kinds(to), placement.kinds_at(to, press)];
        let shown = if now == Kinds::EMPTY || replied.contains(to) { then } else { now };
        // The reply may have taken at once what was read a little late.
        let late = placement.readings(to).find(|reading| (press..=press + STOOD_US).contains(&reading.since));
        let late = late.map(|reading| reading.kinds).filter(|late| *late != shown);
        // Or have been made before the press: it stood there until its captor came.
        let own = |kinds: Kinds| kinds.single().flatten().filter(|man| man.color == position.turn());
        let caught =
            own(shown).is_none().then(|| placement.readings(to).skip(1).find_map(|reading| own(reading.kinds)));
        let caught = caught.flatten().map(Kinds::only).filter(|caught| Some(*caught) != late);
        let men = [Some(shown), late, caught].into_iter().flatten().filter_map(|kinds| kinds.single().flatten());
        let men = men.filter(|man| dropped(position, evidence, to, *man, press));
        let dropped = men.map(|man| (Attempt::Drop { man, to }, named!(ILLEGAL)));
        attempts.extend(moved.chain(dropped).take(attempts.remaining_capacity()));
    }
    attempts
}

/// Squares of the other player's men on which it was felt that one went and one came in this turn.
fn exchanged(position: &BoardPosition, evidence: Evidence<'_>, press: Instant) -> Bitboard {
    let Evidence { placement, rest_since, .. } = evidence;
    let exchanged = |square: &Square| {
        let came = placement.readings(*square).find(|reading| reading.since <= press);
        let left = placement.readings(*square).find(|reading| came.is_some_and(|came| reading.since < came.since));
        came.is_some_and(|came| came.kinds == Kinds::OCCUPIED)
            && left.is_some_and(|left| left.kinds == Kinds::EMPTY && left.since > rest_since)
    };
    position.board().by_color(!position.turn()).into_iter().filter(exchanged).collect()
}

/// Whether a square showed at some instant what stands there by a position.
fn agreed(position: &BoardPosition, placement: &Placement, square: Square, at: Instant) -> bool {
    let kinds = placement.kinds_at(square, at);
    match position.board().piece_at(square) {
        Some(_) => search::man_reading(position, square, kinds).is_some(),
        None => kinds.allows(None),
    }
}

/// Whether king and rook stand as after castling. What only feels that something is there must have felt them come.
fn castled(position: &BoardPosition, evidence: Evidence<'_>, side: CastlingSide) -> bool {
    let Evidence { placement, since, .. } = evidence;
    let turn = position.turn();
    let told = |square: Square| placement.kinds(square).single().is_some() || placement.changed(square) >= since[0];
    let stands = |role: Role, square: Square| {
        let other = position.board().piece_at(square) != Some(role.of(turn));
        placement.allows(role.of(turn)).contains(square) && other && told(square)
    };
    stands(Role::King, side.king_to(turn)) && stands(Role::Rook, side.rook_to(turn))
}

/// The man of `from` as it stood on `to` at the press, if it did and was moved since it was the player's turn.
fn moved_to(
    position: &BoardPosition,
    evidence: Evidence<'_>,
    from: Square,
    to: Square,
    press: Instant,
) -> Option<(Attempt, Weight)> {
    let Evidence { placement, since, rest_since, pressed, .. } = evidence;
    let man = position.board().piece_at(from)?;
    let last = man.role == Role::Pawn && BoardPosition::is_last_rank(man.color, to);
    let becomes = placement.kinds(to).single().flatten().filter(|seen| last && seen.color == man.color);
    // What stood beside its square before the other player had moved was displaced rather than moved ahead of its turn;
    // also what was lifted before, by more than a scan or to be put down before that player pressed, or where it cannot
    // go at all.
    let looks = looks(position, placement, from, man);
    // Another man may have come there, or over it, since.
    let stayed = placement.readings(from).find(|reading| reading.kinds.allows(Some(looks)));
    let left = stayed.map_or(placement.changed(from), |reading| reading.until.min(placement.changed(from)));
    let left = displaced_until(position, evidence, (from, looks), to).filter(|_| left < since[0]).unwrap_or(left);
    let goes = search::may_go(man, from, to, position.board().occupied());
    let down = placement.changed(to) + HEARD_US < pressed[1];
    // What left its square as the other player's man came beside was knocked, whoever put it back.
    let knocked = !goes && left < pressed[1].min(rest_since + TOGETHER_US);
    let long = left + SCAN_US < rest_since || knocked || down && (left < rest_since || !goes);
    let before = placement.changed(to) < rest_since || long && position.board().piece_at(to).is_none();
    let ahead = before && from.distance(to) < SECOND_MOVE_SQUARES;
    let weight = match becomes {
        Some(seen) if seen.role != Role::Pawn && !position.rules().may_promote_to(seen.role) => {
            named!(ILLEGAL_PROMOTION)
        }
        _ if takes_king(position, from, to) => named!(ILLEGAL_KING),
        _ if ahead => named!(ILLEGAL_AHEAD),
        _ if man.role == Role::Pawn && from.distance(to) > SECOND_MOVE_SQUARES => named!(ILLEGAL_FAR),
        _ => named!(ILLEGAL),
    };
    // Men of the opponent are next to their squares more often than somebody moves them. Men that came there before
    // their player had pressed the clock were displaced by its own hand.
    let own = man.color == position.turn();
    let (since, until) = if own { (since[0], press + SCAN_US) } else { (rest_since, press) };
    let went = (since..=until).contains(&left) && placement.changed(to) >= pressed[usize::from(!own)];
    // Who has lifted a man of the opponent's in the own turn has put it down, too, though it may be read later.
    let stood = stood(position, evidence, to, becomes.unwrap_or(looks), [press, press + STOOD_US]);
    let lands = own && !stood && left <= press && weight.1 == cost::ILLEGAL;
    let landed = lands && landed(position, placement, (to, looks), press);
    let weight = if landed { named!(ILLEGAL_LANDED) } else { weight };
    let taken = lands && man.role == Role::King && goes && taken_unseen(position, placement, from, to);
    let promotion = becomes.filter(|seen| seen.role != Role::Pawn).map(|seen| seen.role);
    let another = both_stood(evidence, (from, looks), (to, becomes.unwrap_or(looks)));
    (went && (stood || landed || taken) && !another).then_some((Attempt::Move { from, to, promotion }, weight))
}

/// Whether a man that was in the air at the press was put down on a square soon after, and stands there.
fn landed(position: &BoardPosition, placement: &Placement, (to, man): (Square, Piece), press: Instant) -> bool {
    let comes = position.board().piece_at(to) != Some(man);
    comes && placement.kinds(to) == Kinds::only(man) && (press..=press + LANDS_US).contains(&placement.changed(to))
}

/// Whether a king that stands nowhere may have gone to a square where a man of the other player's has taken it before
/// anybody saw it there.
fn taken_unseen(position: &BoardPosition, placement: &Placement, from: Square, to: Square) -> bool {
    let (board, them) = (position.board(), !position.turn());
    let taker = placement.kinds(to).single().flatten().filter(|man| man.color == them);
    let left = |man: Piece| placement.mismatch(position).missing & board.by_piece(man);
    let takes = |man: Piece| (left(man) & board.attacks_to(to, them, board.occupied())).any();
    let gone = placement.kinds(from) == Kinds::EMPTY && placement.changed(from) < placement.changed(to);
    gone && board.piece_at(to).is_none_or(|man| man.color == them) && taker.is_some_and(takes)
}

/// Until when a man that is missing on its square stood on a free one beside it, since its player's last ply.
fn displaced_until(
    position: &BoardPosition,
    evidence: Evidence<'_>,
    (from, man): (Square, Piece),
    to: Square,
) -> Option<Instant> {
    let placement = evidence.placement;
    let beside = attacks::king_attacks(from) & !position.board().occupied() & !Bitboard::from(to);
    let stood = |square| {
        let mut readings = placement.readings(square).filter(|reading| reading.kinds == Kinds::only(man));
        readings.next().map(|reading| reading.until).filter(|until| *until < placement.latest())
    };
    let missing = placement.kinds(from) == Kinds::EMPTY;
    beside.into_iter().filter_map(stood).max().filter(|until| missing && *until >= evidence.since[0])
}

/// What the man of a square read as there last: a promoted one may stand as the pawn that it is (WBN 5.7).
fn looks(position: &BoardPosition, placement: &Placement, square: Square, man: Piece) -> Piece {
    let pawn = Piece { role: Role::Pawn, ..man };
    let last = placement.readings(square).find_map(|reading| reading.kinds.single().flatten());
    if position.promoted().contains(square) && last == Some(pawn) { pawn } else { man }
}

/// Whether what stands on `to` came while the man still stood on `from`: then it is another one.
fn both_stood(evidence: Evidence<'_>, (from, man): (Square, Piece), (to, seen): (Square, Piece)) -> bool {
    let placement = evidence.placement;
    let since = placement.readings(to).find(|reading| reading.kinds == Kinds::only(seen)).map(|reading| reading.since);
    let stood = placement.readings(from).find(|reading| reading.kinds == Kinds::only(man));
    since.zip(stood).is_some_and(|(since, stood)| since + CARRIED_US < stood.surely)
}

/// Whether the man takes the king of the other player, which stood in check.
fn takes_king(position: &BoardPosition, from: Square, to: Square) -> bool {
    let (board, turn) = (position.board(), position.turn());
    let attackers = board.attacks_to(to, turn, board.occupied());
    position.king(!turn) == Some(to) && attackers.contains(from)
}

/// Whether a man that may have come from a pocket stood on a square at the press, and in no hand that replies already.
fn dropped(position: &BoardPosition, evidence: Evidence<'_>, square: Square, man: Piece, press: Instant) -> bool {
    // A promoted pawn that was not exchanged stands there as what it was.
    if position.promoted().contains(square) && agreed(position, evidence.placement, square, press) {
        return false;
    }
    // A king comes from no pocket but where kings are collected.
    if man.role == Role::King && *position.pocket(position.turn()).get(Role::King) == 0 {
        return false;
    }
    let now = evidence.placement.mismatch(position).missing;
    let then = |square: &Square| !agreed(position, evidence.placement, *square, press);
    let alike = position.board().by_piece(man);
    // What stands there still while all others are at home is none of those.
    let stays = evidence.placement.kinds(square) == Kinds::only(man);
    let then = if stays { Bitboard::EMPTY } else { alike.into_iter().filter(then).collect() };
    let missing = alike & now | then;
    // One that stood there before the other player's move and is missing beside was knocked there.
    let stands = evidence.placement.readings(square).find(|reading| reading.since <= press);
    let before = stands.is_some_and(|reading| reading.since < evidence.rest_since);
    let another = |from: Square| both_stood(evidence, (from, man), (square, man));
    let knocked = |from: Square| from.distance(square) <= SECOND_MOVE_SQUARES && !another(from);
    if before && missing.into_iter().any(knocked) {
        return false;
    }
    let own = man.color == position.turn();
    // Who has taken such a man out of the own tray has dropped it ahead of the turn.
    let theirs = |hand: &Hand| *hand.men.get(man.role) > 0 || hand.unknown > 0;
    let ahead = !own && evidence.lifted.get(man.color).as_ref().is_some_and(theirs);
    // What is read after the press may be the reply to a drop that nobody has seen.
    let drops = |hand: &Hand| hand.unknown > 0 || hand.men.into_iter().any(|men| men > 0);
    let holds = evidence.lifted.get(position.turn()).as_ref().is_some_and(drops);
    let until = if holds { press } else { press + STOOD_US };
    // Who has taken a man from the tray drops that one.
    (own || missing.is_empty() && !holds) && !ahead && stood(position, evidence, square, man, [press, until])
}

/// Whether a man came to a square and stood there when the clock was pressed. One of the opponent's was read there
/// until some instant and has stood there since, alone: else it replies.
fn stood(
    position: &BoardPosition,
    evidence: Evidence<'_>,
    square: Square,
    man: Piece,
    [press, until]: [Instant; 2],
) -> bool {
    let Evidence { placement, rest_since, .. } = evidence;
    let came = position.board().piece_at(square) != Some(man);
    let turn = position.turn();
    if man.color == turn {
        // The reply may have taken it at once.
        let taken = is_taken(position, placement, square, man).then(|| placement.changed(square) + -TAKES_US);
        // It stands there: what was off in between was adjusted.
        let stands = placement.kinds(square) == Kinds::only(man);
        let since = match (taken, stands) {
            (Some(taken), _) => taken.min(press + -AT_PRESS_US),
            (_, true) => press,
            _ => press + STOOD_US,
        };
        // What the other player's last man shows there is no other one.
        let turn = if position.board().piece_at(square).is_some() { rest_since + 1 } else { evidence.since[0] };
        return came && showed(evidence, square, man, (since, press + SCAN_US), turn);
    }
    if placement.kinds(square) == Kinds::OCCUPIED {
        // It must have been felt to come.
        return came && (rest_since..=until).contains(&placement.changed(square));
    }
    let taken = position.board().piece_at(square).is_none()
        && Role::ALL.into_iter().any(|role| placement.showed(square, role.of(turn), rest_since, press));
    came && !taken && placement.kinds(square) == Kinds::only(man) && placement.changed(square) <= until
}

/// Whether what stands on a square is a man of the other player's that left its own once `taken` had come, and captures
/// there: others hover.
fn is_taken(position: &BoardPosition, placement: &Placement, square: Square, taken: Piece) -> bool {
    let (board, kinds) = (position.board(), placement.kinds(square));
    let theirs = kinds.single().flatten().is_some_and(|man| man.color != position.turn());
    let came = placement.readings(square).find(|reading| reading.kinds == Kinds::only(taken));
    let later = |from: Square| came.is_none_or(|came| came.since < placement.changed(from) + CARRIED_US);
    let occupied = board.occupied() & !placement.mismatch(position).missing;
    let captures = |from: Square| {
        let left = |man: &Piece| !placement.kinds(from).allows(Some(*man)) && later(from);
        let man = board.piece_at(from).filter(left);
        man.is_some_and(|man| attacks::attacks(from, man, occupied).contains(square))
    };
    theirs && search::may_read(position, kinds).into_iter().any(captures)
}

/// Whether a square showed a man at some time between two instants: one that feels only that something is there must
/// have felt it come in the player's `turn`.
fn showed(evidence: Evidence<'_>, square: Square, man: Piece, (from, to): (Instant, Instant), turn: Instant) -> bool {
    // What has stood there since the set-up has not come.
    let first = evidence.placement.readings(square).last().map(|reading| reading.since);
    let came = |reading: &Reading| reading.since >= turn && Some(reading.since) != first;
    let told = |reading: &Reading| reading.kinds.single().is_some() || came(reading);
    let shows = |reading: &Reading| reading.kinds.allows(Some(man)) && reading.since <= to && reading.until >= from;
    evidence.placement.readings(square).any(|reading| shows(&reading) && told(&reading))
}

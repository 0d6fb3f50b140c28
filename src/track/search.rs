//! The cheapest line of plies that explains a placement.
//!
//! A line is legal from its first position on. Its cost (`cost`) counts its plies, the men in the air and the men that
//! should not stand there, squares that must have been touched and were not, and something for leaving the line that
//! was believed before, so that a man that is lifted for a moment changes nothing. Levels of plies are searched one
//! after the other until no man is left that should not be there. Only moves that touch a contradicted or restless
//! square are tried: any other makes the line worse. Of lines of equal cost the shorter is taken, then the one that is
//! generated first.

mod arriving;
mod came;
mod carried;
mod caught;
mod evidence;
mod floor;
mod frontier;
mod knocked;
mod lying;
mod reach;
mod refund;
mod returned;
mod rivals;
mod stray;
mod touched;
mod unlikely;
mod went_by;

use arrayvec::ArrayVec;

pub use self::{
    arriving::Arriving,
    came::recaptured,
    evidence::Evidence,
    rivals::rivals,
    stray::{man_reading, may_go, may_read, stray},
    touched::{castled_rook, castles_with, squares_of, victim},
};
use self::{floor::least, frontier::Frontier, reach::Reach};

use super::{
    cost,
    explain::{self, Items, Weighed, Weighing, named, weigh},
    slots::Held,
};
use crate::{
    notation::uci,
    rules::{BoardPosition, Move, MoveList, Pocket},
    sense::Mismatch,
    types::{Bitboard, ByRole, Color, Instant, Kinds, MS, Role, SECOND, Square},
};

/// Most plies of a line.
pub const PLIES_MAX: usize = 8;
/// Most lines that are kept a level.
const FRONTIER_MAX: usize = 48;
/// The same where nobody looked: what may have been played is seldom asked for and has many orders.
const GAP_FRONTIER_MAX: usize = 192;
/// Who has moved presses the clock sooner than so, before another man is touched.
const HESITATES_US: i64 = 1500 * MS;
/// How long after its press a man may be captured that no sensor has shown.
const CAUGHT_US: i64 = 2 * SECOND;
/// A tray may tell so much later than the board that a man has left it.
const TRAY_LATE_US: i64 = 500 * MS;
/// Plies in which a man makes a move and comes back.
const BACK_PLIES: usize = 3;
/// No line costs as much: some ply was made.
const MADE_UP: u32 = 1000;
/// The least time from when a tray tells that a man has left it to when it may be seen on the board.
const REACH_US: i64 = 100 * MS;
/// First moves whose best lines are compared.
const RIVALS_MAX: usize = 8;
/// Men of a board that may be known to read as another man.
pub const ALIASES_MAX: usize = 4;

/// A line of moves.
pub type Line = ArrayVec<Move, PLIES_MAX>;

/// A man that reads as something else wherever it stands: a wrongly tagged one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alias {
    /// Where it stands before the line.
    pub square: Square,
    /// How it reads.
    pub reads: Kinds,
    /// How many plies were completed when that was learnt.
    pub learnt: usize,
}

/// Men that left a player's pocket, or that came to a tray and are not accounted for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hand {
    /// Of known kinds.
    pub men: Pocket,
    /// Of unknown kinds.
    pub unknown: u8,
    /// When a man of each kind was taken from the tray last.
    pub taken: ByRole<Instant>,
    /// When one was taken before that.
    pub before: ByRole<Instant>,
    /// When a man of each kind was dropped last that had not left the tray.
    pub nowhere: ByRole<Option<Instant>>,
    /// All men that were captured for the player have come to the tray: none is handed over straight.
    pub alone: bool,
    /// The tray tells kinds.
    pub told: bool,
    /// Kinds of which the player has one that was never in the tray, or not seen there: it may be handed over straight.
    pub coming: ByRole<bool>,
    /// Men that a partner has dropped or has had for a while and that no capture explains.
    pub owed: Pocket,
}

impl Hand {
    /// What a tray tells that feels only that something is there.
    pub fn of(held: Held) -> Hand {
        Hand { men: held.men, unknown: held.unknown, taken: held.taken, alone: held.open == 0, ..Hand::default() }
    }

    /// Takes a man out that is dropped, and what it costs if none was taken from the tray, by name.
    pub(super) fn drop(&mut self, role: Role, seen: Instant) -> (&'static str, u32) {
        let later = self.took_later(role, seen);
        match self.take(role, seen) {
            true if later => named!(TAKEN_LATER),
            true => ("", 0),
            false if self.alone || self.lies(role) => named!(FROM_NOBODY),
            false => named!(FROM_NOWHERE),
        }
    }

    /// Whether the only man of a kind was taken from the tray too late to be seen on the board then: hands need longer
    /// for that than trays to tell of it.
    pub fn took_later(&self, role: Role, seen: Instant) -> bool {
        *self.men.get(role) == 1 && seen < *self.taken.get(role) + REACH_US
    }

    /// Whether all men of a kind that the player has lie in the tray.
    pub fn lies(&self, role: Role) -> bool {
        self.told && !*self.coming.get(role)
    }

    /// All of them.
    pub fn count(&self) -> u32 {
        self.men.into_iter().map(u32::from).sum::<u32>() + u32::from(self.unknown)
    }

    /// Takes a man of this kind out, or one of unknown kind. One that was seen on the board before it left the tray is
    /// another.
    pub fn take(&mut self, role: Role, seen: Instant) -> bool {
        let known = self.men.get_mut(role);
        if *known == 1 && seen + TRAY_LATE_US < *self.taken.get(role) {
            return false;
        }
        let held = if *known > 0 { known } else { &mut self.unknown };
        let taken = *held > 0;
        *held = held.saturating_sub(1);
        taken
    }
}

/// The best explanation of a placement.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The moves beyond the first position.
    pub line: Line,
    /// What the line leaves unexplained.
    pub mismatch: Mismatch,
    /// Its cost.
    pub cost: u32,
    /// A man of the line did not stand where it should when its clock was pressed.
    pub absent: bool,
    /// First moves of other lines that cost hardly more, the cheapest first.
    pub rivals: ArrayVec<Move, RIVALS_MAX>,
    /// The same, if it is nothing against them that they were not believed before.
    pub given_up: ArrayVec<Move, RIVALS_MAX>,
    /// What was weighed, if that was asked.
    pub weighing: Option<Weighing>,
}

#[derive(Clone)]
struct Node {
    line: Line,
    position: BoardPosition,
    mismatch: Mismatch,
    /// Squares that the line's plies touch.
    handled: Bitboard,
    /// Costs that the plies bring for good.
    spent: u32,
    /// What of it the absence of the last ply's man brought.
    absence: u32,
    /// What drops and captures cost that do not agree with what left pockets and came to trays.
    hands: u32,
    cost: u32,
    /// How unlikely its plies are: of lines that cost the same the likelier is taken.
    unlikely: u32,
}

impl Node {
    /// By what the best line is found.
    fn rank(&self) -> (u32, u32) {
        (self.cost, self.unlikely)
    }
}

/// What one more ply brings, whatever stands where after it.
struct Ply {
    played: Move,
    /// Squares that it touches.
    squares: Bitboard,
    /// Costs of the whole line that it brings for good.
    spent: u32,
    /// What of it the absence of its man brought.
    absence: u32,
    /// No sensor felt all that it touches.
    unfelt: bool,
}

/// Explains the evidence by at most `plies` plies.
pub fn explain(position: &BoardPosition, evidence: Evidence<'_>, plies: usize) -> Explanation {
    let search = Search::new(position, evidence);
    let root = search.root(position);
    let mut best = search.believed(&root);
    if evidence.must && best.line.is_empty() {
        best.cost = MADE_UP;
    }
    let mut tried = Tried::default();
    search.note(&mut tried, std::slice::from_ref(&root));
    if !search.worth_looking(&root) {
        let weighing = search.weighing(&root, &best, tried);
        return explanation(best, &[], weighing);
    }
    let mut firsts: ArrayVec<(Move, u32), RIVALS_MAX> = ArrayVec::new();
    let mut frontier = vec![root.clone()];
    let plies = plies.min(PLIES_MAX);
    for ply in 1..=plies {
        let enough = search.enough(&best);
        if least(ply) >= enough {
            break;
        }
        let last = ply == plies || least(ply + 1) >= enough;
        frontier = search.expand(&frontier, if last { enough } else { u32::MAX });
        frontier.iter().for_each(|node| note_first(&mut firsts, node));
        search.note(&mut tried, &frontier);
        if let Some(found) = frontier.first().filter(|found| found.rank() < best.rank()) {
            best = found.clone();
        }
        // Of two men in the air one may have been captured where its captor was captured in turn.
        let airy = evidence.gap || best.mismatch.missing.count() > 1;
        let open = if airy { best.mismatch.any() } else { best.mismatch.foreign };
        let answered = !best.line.is_empty() && best.line.len() >= evidence.presses.len();
        // Who is back has made two moves: fewer plies may explain the board and not be what was played.
        let back = search.returned.any() && frontier.first().is_some_and(|node| node.line.len() < BACK_PLIES);
        // Where nobody looked, hands tell of plies that left nothing on the board.
        let hands = evidence.gap && best.cost > best.line.len() as u32 * cost::PLY;
        if open.is_empty() && answered && !back && !hands {
            break;
        }
    }
    if best.line.is_empty() {
        best.cost = root.cost;
    }
    let weighing = search.weighing(&root, &best, tried);
    explanation(best, &firsts, weighing)
}

/// The cheapest line of each beginning.
type Tried = Vec<(Line, u32)>;

/// Keeps the cheapest cost of each first move, and the cheapest of those.
fn note_first(firsts: &mut ArrayVec<(Move, u32), RIVALS_MAX>, node: &Node) {
    let Some(first) = node.line.first() else { return };
    if let Some((_, cost)) = firsts.iter_mut().find(|(known, _)| known == first) {
        *cost = node.cost.min(*cost);
    } else if let Err(full) = firsts.try_push((*first, node.cost)) {
        let dearest = firsts.iter_mut().max_by_key(|(_, cost)| *cost);
        dearest.into_iter().filter(|(_, cost)| node.cost < *cost).for_each(|dearest| *dearest = full.element());
    }
}

fn explanation(best: Node, firsts: &[(Move, u32)], weighing: Option<Weighing>) -> Explanation {
    let within = |margin: u32| {
        let near = |(first, cost): &&(Move, u32)| Some(first) != best.line.first() && *cost < best.cost + margin;
        let mut rivals: ArrayVec<(Move, u32), RIVALS_MAX> = firsts.iter().filter(near).copied().collect();
        rivals.sort_by_key(|(_, cost)| *cost);
        rivals.into_iter().map(|(first, _)| first).collect()
    };
    let (rivals, given_up) = (within(cost::MARGIN), within(cost::MARGIN + cost::GIVE_UP_MADE));
    let absent = best.spent > 0;
    Explanation { line: best.line, mismatch: best.mismatch, cost: best.cost, absent, rivals, given_up, weighing }
}

struct Search<'a> {
    evidence: Evidence<'a>,
    /// Men of unknown kind that were lifted and put back.
    restless: Bitboard,
    /// Men that are back from the move that was pressed for.
    returned: Bitboard,
    /// Squares whose sensor says nothing.
    dark: Bitboard,
    /// What costs are made of, while a line is told.
    items: Items,
}

impl<'a> Search<'a> {
    fn new(position: &BoardPosition, evidence: Evidence<'a>) -> Search<'a> {
        let placement = evidence.placement;
        let ambiguous = placement.ambiguous();
        let dark = ambiguous & placement.allows_empty() | evidence.blind;
        let men = ambiguous & !dark & position.board().occupied();
        // Before the first ply men are set up.
        let men = if evidence.rest_since == Instant::LONG_AGO { Bitboard::EMPTY } else { men };
        let restless = men.into_iter().filter(|square| placement.changed(*square) > evidence.rest_since).collect();
        let returned = returned::returned(position, &evidence);
        Search { evidence, restless, returned, dark, items: Items::default() }
    }

    fn root(&self, position: &BoardPosition) -> Node {
        self.node(Line::new(), position.clone(), Bitboard::EMPTY, 0)
    }

    /// Men at home or in the air explain themselves; a press asks what the man in the air did.
    fn worth_looking(&self, root: &Node) -> bool {
        let air = root.mismatch.missing.any();
        let blind = self.restless.any() || self.evidence.placement.ambiguous().any() && air;
        let white = root.mismatch.missing & root.position.board().white();
        // A man of either colour: they may have been exchanged where another one of the same kind stands again.
        let exchanged = white.any() && root.mismatch.missing != white;
        let turn = root.position.turn();
        let held = self.evidence.lifted.get(turn).as_ref().is_some_and(|hand| hand.count() > 0);
        let dropped = held && (self.evidence.blind & !root.position.board().occupied()).any();
        // As the last resort a man that lies may have been moved, and lie there.
        let lying = self.evidence.unseen == 0 && (self.evidence.blind & root.position.promoted()).any();
        root.mismatch.foreign.any()
            || exchanged
            || blind
            || self.returned.any()
            || air && self.evidence.gap
            || !self.evidence.presses.is_empty() && (air || dropped || lying || !self.evidence.before.is_empty())
    }

    /// The cheapest of the line that was believed and what it begins with; the shortest of equal ones.
    fn believed(&self, root: &Node) -> Node {
        let mut best = root.clone();
        let mut node = root.clone();
        for believed in self.evidence.before.iter().take(PLIES_MAX) {
            if !node.position.is_legal(*believed) {
                break;
            }
            node = self.child(&node, *believed);
            if node.cost < best.cost {
                best = node.clone();
            }
        }
        best
    }

    /// Lines one ply longer that cost less than `enough`, the cheapest first; equal ones in the order of generation.
    fn expand(&self, frontier: &[Node], enough: u32) -> Vec<Node> {
        let mut next = Frontier::new(if self.evidence.gap { GAP_FRONTIER_MAX } else { FRONTIER_MAX }, enough);
        let mut moves = MoveList::new();
        for parent in frontier {
            let reach = Reach::after(self, parent);
            let rest = self.rest(parent);
            parent.position.legal_moves_among(reach.among, &mut moves);
            for m in moves.drain(..) {
                if reach.has(self, parent, m) {
                    let floor = self.floor(parent, m, &rest);
                    // What it brings for good is seldom asked for; at least it may spare what the last one brought.
                    if parent.spent - parent.absence + floor >= next.enough {
                        continue;
                    }
                    let ply = self.ply(parent, m);
                    if ply.spent + floor < next.enough {
                        let node = self.follow(parent, &ply);
                        if node.cost < next.enough {
                            next.push(self.with_likelihood(node, parent, &ply));
                        }
                    }
                }
            }
        }
        next.finish()
    }

    /// A pawn becomes what nothing contradicts: what its player said or else the first kind of the rule set, or the man
    /// that stands there.
    fn may_promote(&self, parent: &Node, m: Move) -> bool {
        let Some(role) = m.promotion() else { return true };
        let said = *self.evidence.said.get(parent.position.turn());
        let first = said.or_else(|| parent.position.rules().promotions().next()) == Some(role);
        let here = Bitboard::from(m.to());
        let stands = |role: Role| (self.evidence.placement.allows(role.of(parent.position.turn())) & here).any();
        first || stands(role) && !stands(Role::Pawn)
    }

    fn child(&self, parent: &Node, m: Move) -> Node {
        let ply = self.ply(parent, m);
        self.with_likelihood(self.follow(parent, &ply), parent, &ply)
    }

    /// What a ply brings that goes on from a line.
    fn ply(&self, parent: &Node, m: Move) -> Ply {
        self.items.next_ply();
        let squares = squares_of(m);
        let index = parent.line.len();
        let absence = if self.evidence.gap { 0 } else { self.absence(m, parent, index) };
        let felt = absence == 0 && self.evidence.unseen > 0;
        let to = if felt { Bitboard::EMPTY } else { uci::destination(m).into() };
        let touched = squares & !parent.mismatch.missing & !to;
        let stayed = m.is_capture() && touched.contains(m.to()) && self.victim_stayed(m.to(), parent);
        let by = parent.position.turn();
        let since = self.evidence.since[index % 2];
        let stayed = u32::from(stayed || self.came_before(m, by, since) || self.caught_sooner(m, parent, since));
        let told = !self.evidence.gap && !self.lies_on(m, parent, index);
        let untouched = if told { self.untouched(m, touched, index, stayed) } else { 0 };
        let knocked = absence == 0 && self.was_knocked(m, parent, index);
        let knocked = weigh!(self.items, KNOCKED * u32::from(knocked));
        let early = told && absence == 0 && untouched == 0 && knocked == 0;
        let early = if early { self.early(m, parent) } else { 0 };
        let unpressed = if absence == 0 { self.unpressed(m, index) } else { 0 };
        let replaced = weigh!(self.items, REPLACED * u32::from(told && self.was_replaced(m, parent)));
        let seen = matches!(absence, 0 | cost::ABSENT | cost::WENT_BY);
        let carried = weigh!(self.items, CARRIED * u32::from(self.carried(m, parent, index, seen)));
        let (name, lain) = self.lain(m, parent, index);
        let lain = self.items.take(name, lain);
        let (name, refund) = self.refund(parent, m, index);
        let spent = parent.spent - self.items.back(name, refund)
            + untouched
            + absence
            + early
            + unpressed
            + replaced
            + knocked
            + carried
            + lain;
        Ply { played: m, squares, spent, absence, unfelt: untouched > 0 }
    }

    /// The line with one more ply.
    fn follow(&self, parent: &Node, ply: &Ply) -> Node {
        let mut line = parent.line.clone();
        line.push(ply.played);
        let mut position = parent.position.clone();
        position.play(ply.played);
        let node = self.node(line, position, parent.handled | ply.squares, ply.spent);
        Node { absence: ply.absence, ..node }
    }

    fn with_likelihood(&self, node: Node, parent: &Node, ply: &Ply) -> Node {
        let unlikely = self.unlikely(ply.played, parent, parent.line.len(), ply.unfelt, ply.absence > 0);
        Node { unlikely: parent.unlikely + unlikely, ..node }
    }

    /// What it costs that the ply's man came to stand there before the ply before it was made.
    fn early(&self, m: Move, parent: &Node) -> u32 {
        let changed = |m: Move| self.evidence.placement.changed(uci::destination(m));
        let before = match parent.line.last() {
            None => self.evidence.rest_since + -super::CARRIED_US,
            Some(last) if self.evidence.before.is_empty() => changed(*last) + -super::SCAN_US,
            Some(_) => return 0,
        };
        if changed(m) < before { weigh!(self.items, EARLY) } else { 0 }
    }

    /// What it costs that the ply's man stood there when its player pressed for the one before: two presses between
    /// them were not heard.
    fn unpressed(&self, m: Move, index: usize) -> u32 {
        let Evidence { placement, presses, .. } = self.evidence;
        let to = uci::destination(m);
        let pressed = index.checked_sub(2).and_then(|own| presses.get(own)).filter(|_| presses.len() < index);
        let stood = pressed.is_some_and(|press| placement.changed(to) + super::AT_PRESS_US <= *press);
        weigh!(self.items, UNPRESSED * if stood && !self.dark.contains(to) { 2 } else { 0 })
    }

    /// Whether the man stood on its destination when its clock was pressed, or at all.
    fn absence(&self, m: Move, parent: &Node, index: usize) -> u32 {
        let Evidence { placement, presses, since, aliases, .. } = self.evidence;
        let to = uci::destination(m);
        let aliased = m.from().is_some_and(|from| aliases.iter().any(|alias| alias.square == from));
        if aliased || self.dark.contains(to) || self.evidence.unseen == 0 {
            return 0;
        }
        let color = parent.position.turn();
        let was_promoted = m.from().is_some_and(|from| parent.position.promoted().contains(from));
        let pawn = (was_promoted || m.promotion().is_some()).then_some(Role::Pawn);
        let kinds = [Some(m.promotion().unwrap_or(m.role())), pawn];
        let showed =
            |from, until| kinds.into_iter().flatten().any(|role| placement.showed(to, role.of(color), from, until));
        let since = since[index % 2];
        let press = presses.get(index).copied();
        let until = press.map_or(Instant(i64::MAX), |press| press + super::SCAN_US);
        let at_press = press.map_or(since, |press| (press + -super::AT_PRESS_US).max(since));
        match () {
            () if showed(at_press, until) => 0,
            () if m.promotion().is_some() && showed(since, until) => 0,
            () if self.is_laid(m, press) => weigh!(self.items, LAID),
            () if self.has_half_castled(m, color) => weigh!(self.items, HALF_CASTLED),
            () if showed(since, until) && self.went_by(m, parent, press) => weigh!(self.items, WENT_BY),
            () if showed(since, until) => weigh!(self.items, ABSENT),
            () if m.is_capture() && placement.allows_empty().contains(to) => weigh!(self.items, TAKEN),
            () => weigh!(self.items, NEVER),
        }
    }

    /// Whether a pawn that promotes may lie on its side: its square had felt it leave when the clock was pressed.
    fn is_laid(&self, m: Move, press: Option<Instant>) -> bool {
        let placement = self.evidence.placement;
        let left = |from: Square| press.is_none_or(|press| placement.changed(from) <= press + super::SCAN_US);
        m.promotion().is_some() && placement.allows_empty().contains(m.to()) && m.from().is_none_or(left)
    }

    /// Whether the rook has castled and the king has left its square.
    fn has_half_castled(&self, m: Move, color: Color) -> bool {
        let Some(rook) = castled_rook(m) else { return false };
        let kinds = |square: Square| self.evidence.placement.kinds(square);
        let king = m.from().is_some_and(|king| kinds(king) == Kinds::EMPTY);
        king && kinds(rook) == Kinds::only(Role::Rook.of(color))
    }

    /// What the squares cost that the ply must have touched in its time and whose reading never changed.
    fn untouched(&self, m: Move, squares: Bitboard, index: usize, stayed: u32) -> u32 {
        let since = self.evidence.since[index % 2];
        let still = |square: &Square| self.evidence.placement.changed(*square) < since;
        let count = (squares & !self.dark).into_iter().filter(still).count() as u32;
        match m {
            Move::Put { .. } => weigh!(self.items, UNTOUCHED_DROP * count),
            _ => weigh!(self.items, UNTOUCHED * count.max(stayed)),
        }
    }

    /// Whether a sensor that feels only that something is there has felt no change since the man came that is captured.
    fn victim_stayed(&self, to: Square, parent: &Node) -> bool {
        let placement = self.evidence.placement;
        let came = parent.line.is_empty() && placement.changed(to) == self.evidence.rest_since;
        came && placement.kinds(to) == Kinds::OCCUPIED
    }

    /// Whether what stands where a man went had come before the man left its square.
    fn came_before(&self, m: Move, by: Color, since: Instant) -> bool {
        let placement = self.evidence.placement;
        let Some(from) = m.from().filter(|_| !matches!(m, Move::Castle { .. }) && !self.evidence.gap) else {
            return false;
        };
        if placement.kinds(m.to()) == Kinds::OCCUPIED {
            let left = placement.kinds(from) == Kinds::EMPTY;
            return left && placement.changed(m.to()) + self.evidence.slack < placement.changed(from);
        }
        let man = Kinds::only(m.role().of(by));
        let came = placement.readings(m.to()).find(|reading| reading.kinds == man && reading.since >= since);
        self.left(from, man).zip(came).is_some_and(|(left, came)| came.since + super::CARRIED_US < left)
    }

    /// How many plies a line shares with what was believed.
    fn kept(&self, line: &Line) -> usize {
        line.iter().zip(self.evidence.before).take_while(|(new, old)| new == old).count()
    }

    fn node(&self, line: Line, position: BoardPosition, handled: Bitboard, spent: u32) -> Node {
        self.items.keep();
        let mismatch = self.without_known(&line, self.evidence.placement.mismatch(&position));
        let kept = self.kept(&line);
        // Nothing holds back a line that leaves nothing open.
        let given_up = if mismatch.is_empty() { 0 } else { self.evidence.before.len() - kept };
        let arrivals: Bitboard = line[kept..].iter().map(|m| uci::destination(*m)).collect();
        let unseen = arrivals & mismatch.missing & !position.promoted();
        let restless = self.restless & !handled;
        let still = self.evidence.still;
        let strangers = (mismatch.foreign & !still).any();
        let left = if strangers { self.had_gone_on(&line, &position) } else { Bitboard::EMPTY };
        let cost = spent
            + weigh!(self.items, PLY * line.len() as u32)
            + weigh!(self.items, MISSING * (mismatch.missing & !still).count() as u32)
            + self.items.take(
                "LACKING",
                (mismatch.missing & !still & self.evidence.gone & !position.promoted()).count() as u32
                    * (cost::LACKING - cost::MISSING),
            )
            + weigh!(self.items, KING_OFF * u32::from(self.king_off(&line, &position, mismatch.missing & !still)))
            + weigh!(self.items, FOREIGN * (mismatch.foreign & !still).count() as u32)
            + weigh!(self.items, WENT_ELSEWHERE * u32::from(self.went_elsewhere(&position, mismatch, left)))
            + weigh!(self.items, STILL * (mismatch.any() & still).count() as u32)
            + self.items.take("UNSEEN", unseen.count() as u32 * self.evidence.unseen)
            + weigh!(self.items, TOUCHED * restless.count() as u32)
            + weigh!(self.items, PRESS * self.evidence.presses.len().saturating_sub(line.len()) as u32);
        let hands = self.hands(&line, &position);
        let cost = cost + hands + weigh!(self.items, GIVE_UP_MADE * given_up as u32);
        let cost = cost - self.strays(&line, &position, mismatch, left);
        Node { line, position, mismatch, handled, spent, absence: 0, hands, cost, unlikely: 0 }
    }

    /// Whether the player who pressed first had the own king off its square then, and the man that was moved instead is
    /// said to be captured: it was the king; or went where castling puts a rook.
    fn king_off(&self, line: &Line, position: &BoardPosition, missing: Bitboard) -> bool {
        let by = if line.len().is_multiple_of(2) { position.turn() } else { !position.turn() };
        let caught = line.len() > 1 && line[1].is_capture() && victim(line[1]) == uci::destination(line[0]);
        let king = position.king(by).filter(|king| missing.contains(*king));
        let king = king.filter(|king| caught || line.first().is_some_and(|first| castles_with(*first, *king)));
        let moved = |king: Square| line.iter().any(|m| uci::destination(*m) == king);
        let press = self.evidence.presses.first();
        king.zip(press).is_some_and(|(king, press)| !moved(king) && self.evidence.placement.changed(king) <= *press)
    }

    /// A man that is known to read as another is no contradiction where it stands now, nor is an empty blind square.
    fn without_known(&self, line: &Line, mut mismatch: Mismatch) -> Mismatch {
        for alias in self.evidence.aliases {
            let square =
                line.iter().fold(alias.square, |square, m| if m.from() == Some(square) { m.to() } else { square });
            if self.evidence.placement.kinds(square) == alias.reads {
                mismatch.foreign.discard(square);
            }
        }
        mismatch.missing &= !self.evidence.blind;
        mismatch
    }

    /// When a dropped man had left the tray: it stands where it went, or its clock was pressed.
    fn by_when(&self, index: usize, m: Move, by: Color) -> Instant {
        let placement = self.evidence.placement;
        let stands = [Kinds::only(m.role().of(by)), Kinds::OCCUPIED].contains(&placement.kinds(m.to()));
        let pressed = self.evidence.presses.get(index).copied().unwrap_or(Instant(i64::MAX));
        if stands { placement.changed(m.to()) } else { pressed }
    }

    /// Whether a dropped man was seen where it went.
    fn showed_drop(&self, index: usize, m: Move, by: Color) -> bool {
        let since = self.evidence.since[index % 2];
        self.evidence.placement.showed(m.to(), m.role().of(by), since, Instant(i64::MAX))
    }

    /// Keeps the cheapest line of each beginning, if that was asked.
    fn note(&self, tried: &mut Tried, lines: &[Node]) {
        for node in lines.iter().filter(|_| self.evidence.noting) {
            match tried.iter_mut().find(|(line, _)| line.first() == node.line.first()) {
                Some((_, cost)) if *cost <= node.cost => {}
                Some(known) => *known = (node.line.clone(), node.cost),
                None => tried.push((node.line.clone(), node.cost)),
            }
        }
    }

    /// The best line and the cheapest others with what their costs are made of, if that was asked.
    fn weighing(self, root: &Node, best: &Node, mut tried: Tried) -> Option<Weighing> {
        if !self.evidence.noting {
            return None;
        }
        let search = Search { items: Items::new(true), ..self };
        tried.retain(|(line, _)| line.first() != best.line.first());
        tried.sort_by_key(|(_, cost)| *cost);
        tried.truncate(explain::OTHERS_MAX);
        let others = tried.into_iter().map(|(line, cost)| search.weighed(root, &line, cost)).collect();
        let taken = search.weighed(root, &best.line, best.cost);
        Some(Weighing { taken, others, unexplained: best.mismatch.any() })
    }

    /// A line is weighed once more, and what is added up noted. `cost` is what it came to before.
    fn weighed(&self, root: &Node, line: &[Move], cost: u32) -> Weighed {
        let start = self.node(Line::new(), root.position.clone(), Bitboard::EMPTY, 0);
        let node = line.iter().fold(start, |node, m| self.child(&node, *m));
        debug_assert_eq!(node.cost, cost, "the same line costs the same");
        Weighed { line: line.to_vec(), cost, items: self.items.after(&[]) }
    }

    /// How well drops agree with what left the pockets, and captures with what came to the partners' trays.
    fn hands(&self, line: &Line, after: &BoardPosition) -> u32 {
        let (mut hands, mut arrived) = (*self.evidence.lifted, *self.evidence.arrived);
        let mut cost = 0;
        let turn = after.turn();
        let mut mover = if line.len().is_multiple_of(2) { turn } else { !turn };
        for (index, m) in line.iter().enumerate() {
            if let (Move::Put { role, .. }, Some(hand)) = (m, hands.get_mut(mover)) {
                let by_when = self.by_when(index, *m, mover);
                let (name, nowhere) = hand.drop(*role, by_when);
                cost += self.items.take(name, nowhere);
                if nowhere >= cost::FROM_NOBODY && !self.showed_drop(index, *m, mover) {
                    cost += weigh!(self.items, BY_NOBODY);
                }
            }
            if let Some(role) = m.capture() {
                arrived.get_mut(mover).explain(role);
            }
            mover = !mover;
        }
        let held = |hand: &Option<Hand>| hand.map_or(0, |hand| hand.count());
        let owed = |hand: &Hand| hand.owed.into_iter().map(u32::from).sum::<u32>();
        let owed = owed(&arrived.white) + owed(&arrived.black);
        cost + weigh!(self.items, IN_HAND * (held(&hands.white) + held(&hands.black)))
            + weigh!(self.items, ARRIVED * (arrived.white.count() + arrived.black.count()))
            // Where nobody looked, other boards have captured what nobody knows of, too.
            + if self.evidence.gap { weigh!(self.items, ARRIVED * owed) } else { weigh!(self.items, OWED * owed) }
    }
}

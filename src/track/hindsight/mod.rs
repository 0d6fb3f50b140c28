//! Completed plies read anew with everything that the board has shown since.
//!
//! In: the position some plies ago, the presses since, what every square showed since. Out: the plies that explain all
//! of it best, one a press. The line of the present (`search`) sees a board as it stands; here each ply is held against
//! its own stretch of time: its man has come to its square, has left the other, and nothing else has changed when the
//! clock was pressed.
//!
//! # How
//! Presses are taken in order. A ply that answers a press must have been seen; a press may have been for nothing, and
//! a ply may have gone unpressed, both at a cost (`cost`). What a ply has cost is known when the next one is: squares
//! that the reply touches may have changed before the press. The cheapest lines are kept after every press; the last
//! ones are finished by the search of the present.

mod alike;
mod candidates;
mod carried;
mod charge;
mod coming;
mod effort;
mod idle;
mod log;
mod recorded;
mod went_on;

use self::{
    charge::{Charge, Charged},
    coming::Coming,
    log::Squares,
    went_on::WENT_ON,
};
pub use self::{effort::Effort, log::Log, recorded::recorded};
use super::{
    Press, SCAN_US, cost,
    deaf::Deaf,
    explain::{Item, Items, weigh},
    search::{self, Alias, Evidence, Hand, Line},
};
use crate::{
    notation::uci,
    rules::{Among, BoardPosition, Move, MoveList},
    sense::Mismatch,
    types::{Bitboard, ByColor, ByRole, Color, Instant, Kinds, MS, Role, SECOND, Square},
};

/// How long after a press the sensors and the clock may tell of it.
pub const LATE_US: i64 = SCAN_US;
/// How long after a press the capture of a man may be seen that nobody saw arrive.
const CAUGHT_US: i64 = 4 * SECOND;
/// A man that is missing for longer is not in the hand of the player to move.
pub const GONE_US: i64 = 1500 * MS;
/// Nobody holds a man for so long before it is moved.
const HELD_US: i64 = 8 * SECOND;
/// A man that came so long before the other player's was moved ahead of its turn.
const EARLY_US: i64 = SCAN_US;
/// Two plies that were made within that may have been pressed for between two messages of the clock.
const BETWEEN_US: i64 = 500 * MS;
/// Nobody has pressed the clock for the next ply yet: what a square shows now it shows still.
const STILL: Instant = Instant(i64::MAX - 1);
/// Plies of a line.
const PLIES_MAX: usize = 24;
/// Plies in a row that nobody pressed the clock for.
const UNPRESSED_MAX: usize = 4;

/// What there is to go by.
#[derive(Clone, Copy, Debug)]
pub struct Account<'a> {
    /// The position before the first ply.
    pub root: &'a BoardPosition,
    /// The two plies before it, the last one second, each with the position that it was played in.
    pub earlier: [Option<(&'a BoardPosition, Move)>; 2],
    /// When they were completed.
    pub completed: [Instant; 2],
    /// When they were made.
    pub made: [Instant; 2],
    /// Presses since that are old enough to tell, in order.
    pub presses: &'a [Press],
    /// Until when those are.
    pub until: Instant,
    /// Later presses.
    pub young: &'a [Press],
    /// When nobody heard the presses: they are told by whose men arrived.
    pub deaf: Option<Deaf>,
    /// What the squares show and showed.
    pub log: &'a Log<'a>,
    /// Men that had left the pocket of each player before the first ply.
    pub lifted: &'a ByColor<Option<Hand>>,
    /// Men in partners' trays that no completed capture explains.
    pub arrived: &'a ByColor<Hand>,
    /// Men known to read as others.
    pub aliases: &'a [Alias],
    /// Squares known to feel nothing.
    pub blind: Bitboard,
    /// Those of them of which that was learnt from plies of the record.
    pub fresh: Bitboard,
    /// The record: promotions and drops whose kinds were known.
    pub promoted: &'a [Move],
    /// The promotions of the record whose players said what the pawn becomes.
    pub declared: &'a [Move],
    /// What the players said that a pawn becomes, of promotions that are not in the record.
    pub said: ByColor<Option<Role>>,
    /// Kinds that the dropped men of the record may be by what lay in trays that tell none.
    pub kinds: &'a [ByRole<bool>],
    /// A line may have an illegal ply that costs no more.
    pub accuses: u32,
    /// Whether the answer says what was weighed.
    pub noting: bool,
    /// Lines that are kept after a press.
    pub lines: usize,
}

impl Account<'_> {
    /// Whether a press at this instant is a turn that the men tell of.
    fn is_turn(&self, at: Instant) -> bool {
        self.deaf.is_some_and(|deaf| deaf.covers(at))
    }

    /// Whether a man of a colour may have come to a square that feels nothing: what the record has taught of the square
    /// speaks for the record alone.
    fn may_be_blind(&self, square: Square, by: Color) -> bool {
        let first = if by == self.root.turn() { 0 } else { 1 };
        let mut own = self.promoted.iter().skip(first).step_by(2);
        !self.fresh.contains(square) || own.any(|played| uci::destination(*played) == square)
    }
}

/// One ply of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ply {
    /// The move.
    pub played: Move,
    /// Since when its man was seen where it went, or the press.
    pub made_at: Instant,
    /// Since when its man was seen there, if it was: later than a press that the clock told sooner than the board.
    pub came: Option<Instant>,
    /// When it was completed: by its press, or when it was made.
    pub completed_at: Instant,
    /// The press that it answers.
    pub press: Option<Press>,
}

/// What was played, as far as it can be told.
#[derive(Clone, Debug)]
pub struct Told {
    /// Plies that are completed.
    pub plies: Vec<Ply>,
    /// Plies that are made and not completed.
    pub line: Line,
    /// What speaks against it.
    pub cost: u32,
    /// What spoke against the plies of the record before anything else was made.
    pub before: u32,
    /// What of it men cost that the next player may have in hand: its own, and one that they capture.
    pub in_hand: u32,
    /// Presses that were for nothing.
    pub idle: usize,
    /// Presses until then are answered or were for nothing.
    pub until: Instant,
    /// What the cost is made of, if that was asked.
    pub items: Vec<Item>,
}

impl Told {
    /// All moves.
    pub fn moves(&self) -> impl Iterator<Item = Move> + '_ {
        self.plies.iter().map(|ply| ply.played).chain(self.line.iter().copied())
    }

    /// What so many moves cost if nothing speaks against them.
    pub fn least(&self) -> u32 {
        self.moves().count() as u32 * cost::PLY
    }

    /// What speaks against them, apart from men in hand.
    pub fn doubt(&self) -> u32 {
        self.cost.saturating_sub(self.least() + self.in_hand)
    }
}

/// A ply that was tried, after which.
struct Tried {
    ply: Ply,
    after: Option<usize>,
    /// What the line costs with it.
    cost: u32,
}

/// A line that has been followed up to some press.
#[derive(Clone)]
struct Node {
    /// Its last ply, among all that were tried.
    last: Option<usize>,
    /// How many plies it has.
    len: usize,
    position: BoardPosition,
    squares: Squares,
    /// The position before the last ply.
    before: Squares,
    /// When the plies before the next one were completed, the last one second.
    completed: [Instant; 2],
    /// Plies at the end that nobody pressed the clock for.
    unpressed: usize,
    /// Presses that were for nothing.
    idles: usize,
    /// The last press was for nothing and has not been pressed back.
    idle: bool,
    /// Since when the player who is next, and the other one, may have touched something.
    since: [Instant; 2],
    /// Squares that were wrong at the last press.
    wrong: Bitboard,
    hands: ByColor<Option<Hand>>,
    /// One of its plies is illegal.
    illegal: bool,
    /// Nobody saw the man of the last ply but one where it went.
    never: bool,
    cost: u32,
    /// What it is made of, if that was asked.
    items: Vec<Item>,
}

/// The best account of what was played; its first plies are those of `record`. Lines that cost more than `most` are not
/// followed. None if no line is left that has so many plies.
pub fn tell(account: Account<'_>, record: &[Move], most: u32) -> Option<Told> {
    let mut teller = Teller::new(account, record);
    let mut lines = vec![teller.root()];
    for (press, left) in account.presses.iter().zip((0..account.presses.len() as u32).rev()) {
        // Every press to come costs a ply at least.
        teller.most = most.saturating_sub(left * cost::PLY);
        lines = teller.answer(lines, *press);
    }
    teller.answered = true;
    let mut lines: Vec<Node> = lines.into_iter().map(|line| teller.unheard(line)).collect();
    lines.retain(|line| line.len >= record.len());
    let cheaper = |told: Option<Told>, line: Node| match told {
        // What is made since makes no line cheaper.
        Some(told) if told.cost <= line.cost => Some(told),
        told => {
            let below = told.as_ref().map_or(u32::MAX, |told| told.cost);
            let other = teller.finish(line, below);
            told.filter(|told| told.cost <= other.cost).or(Some(other))
        }
    };
    lines.into_iter().fold(None, cheaper)
}

/// The record if every press completed one of its plies, with what each costs beyond itself. None where presses and
/// plies do not pair.
pub fn straight(account: Account<'_>, record: &[Move]) -> Option<(Told, Vec<u32>)> {
    if account.presses.len() != record.len() {
        return None;
    }
    let mut teller = Teller::new(account, record);
    let mut node = teller.root();
    let mut costs = Vec::with_capacity(record.len());
    for (m, press) in record.iter().zip(account.presses) {
        if node.position.turn() != press.by || !node.position.is_legal(*m) {
            return None;
        }
        let next = teller.child(&node, *m, Some(*press), press.at);
        costs.push(next.cost.saturating_sub(node.cost + cost::PLY));
        node = next;
    }
    Some((teller.finish(node, u32::MAX), costs))
}

struct Teller<'a> {
    account: Account<'a>,
    record: &'a [Move],
    log: &'a Log<'a>,
    /// All plies that were tried.
    tried: Vec<Tried>,
    /// What a line may cost after the present press.
    most: u32,
    /// Plies that had been weighed before.
    weighed_before: usize,
    /// All presses are answered.
    answered: bool,
    /// A list to take moves.
    moves: MoveList,
    items: Items,
}

impl<'a> Teller<'a> {
    fn new(account: Account<'a>, record: &'a [Move]) -> Teller<'a> {
        Teller {
            account,
            record,
            log: account.log,
            tried: Vec::new(),
            most: u32::MAX,
            weighed_before: account.log.effort.weighed(),
            answered: false,
            moves: MoveList::new(),
            items: Items::new(account.noting),
        }
    }

    fn root(&self) -> Node {
        let Account { root, earlier, completed, made, lifted, .. } = self.account;
        let squares = Squares::of(root);
        let before = earlier[1].map_or(squares, |(position, _)| Squares::of(position));
        Node {
            last: None,
            len: 0,
            position: root.clone(),
            squares,
            before,
            completed,
            unpressed: 0,
            idles: 0,
            idle: false,
            since: made.map(|made| made + -SCAN_US),
            wrong: Bitboard::EMPTY,
            hands: *lifted,
            illegal: false,
            never: false,
            cost: 0,
            items: Vec::new(),
        }
    }

    /// The lines after a press: with a ply that it completes, with unpressed ones before, or with none.
    fn answer(&mut self, lines: Vec<Node>, press: Press) -> Vec<Node> {
        let mut answered: Vec<Node> = lines.iter().filter_map(|node| self.idle(node, press)).collect();
        let mut open = lines;
        for _ in 0..=UNPRESSED_MAX {
            let mut unpressed = Vec::new();
            for node in &open {
                let mut alone = None;
                if node.position.turn() == press.by {
                    self.plies((node, &mut alone), Some(press), press.at, &mut answered);
                }
                if node.unpressed < UNPRESSED_MAX {
                    self.plies((node, &mut alone), None, press.at, &mut unpressed);
                }
            }
            open = self.cheapest(unpressed);
        }
        self.cheapest(answered)
    }

    /// A line with the last plies of the record, whose presses were forgotten, or have been heard too late to tell.
    fn unheard(&mut self, mut line: Node) -> Node {
        let missing = self.record.len().saturating_sub(line.len);
        for m in self.record.iter().skip(line.len).take(if missing > UNPRESSED_MAX { 0 } else { missing }) {
            line = self.child(&line, *m, None, self.account.until);
        }
        line
    }

    /// Every ply that may follow until some instant; `alone`: what the last one costs by itself then, once known.
    fn plies(
        &mut self,
        (node, alone): (&Node, &mut Option<Charged>),
        press: Option<Press>,
        until: Instant,
        out: &mut Vec<Node>,
    ) {
        // A ply that moves a man on that nobody saw may cost less than nothing.
        let most = self.most.saturating_add(if node.never { WENT_ON } else { 0 });
        if node.len == PLIES_MAX || node.cost + cost::PLY > most {
            return;
        }
        if let Some(recorded) = self.record.get(node.len).copied() {
            let child = self.child(node, recorded, press, until);
            let legal = node.position.is_legal(recorded);
            out.extend(Some(child).filter(|child| !legal || child.cost <= self.most));
            return;
        }
        // One that goes unpressed is followed by another one.
        let more = if press.is_some() { 0 } else { cost::PLY };
        let felt = press.is_some() || self.account.is_turn(until);
        let unpressed = if node.unpressed > 0 { cost::UNPRESSED_BETWEEN } else { cost::UNPRESSED };
        let least = node.cost + cost::PLY + if felt { 0 } else { unpressed };
        if least + more > most {
            return;
        }
        let (from, to) = (node.since[0], until + LATE_US);
        let shown = self.log.shown(from, to);
        let later = self.log.shown(until, to + CAUGHT_US);
        let pressed = press.is_some() && !self.account.is_turn(until);
        // Most plies change nothing of what the last one costs, and many are too dear by that.
        let alone = *alone.get_or_insert_with(|| self.charge(node, None, until));
        let dear = least + more + alone.cost > most;
        let touching = if dear { alone.open } else { Bitboard::FULL };
        if self.account.accuses > 0 && !node.illegal && !self.account.is_turn(until) {
            self.illegal_plies(node, (press, until), out);
        }
        let mut moves = std::mem::take(&mut self.moves);
        let mut among = Among { touching, ..self.changed(node, &shown, &later) };
        let passed = self.passed(node, &among, until, pressed);
        among.to |= passed.squares(false);
        among.drops |= passed.squares(true);
        node.position.legal_moves_among(among, &mut moves);
        for m in moves.drain(..) {
            let charged = Some(alone).filter(|alone| (alone.open & search::squares_of(m)).is_empty());
            let least = least + more;
            let landed = || pressed && self.may_land(node, m, until, &later);
            let may_be = || self.may_have(node, m, &shown, &later) || passed.has(m) || landed();
            if least + charged.map_or(0, |charged| charged.cost) > most || !may_be() {
                continue;
            }
            let coming = self.came(node, m, until);
            let least = least + coming.cost();
            if least + charged.map_or(0, |charged| charged.cost) > most {
                continue;
            }
            // Most are too dear by what the last one costs then: a line is only made for those that are not.
            let squares = || node.squares.played(m, standing(&node.position, m));
            let charged = charged.unwrap_or_else(|| self.charge(node, Some((m, &squares())), until));
            if least + charged.cost <= most {
                let child = self.follow(node, m, coming, Some(charged), (press, until));
                if child.cost + more <= self.most {
                    out.push(child);
                }
            }
        }
        self.moves = moves;
    }

    /// Every illegal ply that may have been made until some instant, pressed for then or not.
    fn illegal_plies(&mut self, node: &Node, (press, until): (Option<Press>, Instant), out: &mut Vec<Node>) {
        let (illegal, dearest) = (self.illegal(node, until), self.account.accuses);
        for (m, illegal) in illegal.into_iter().filter(|(_, (_, cost))| *cost <= dearest) {
            let coming = Coming { illegal, ..self.came(node, m, until) };
            if node.cost + cost::PLY + coming.cost() <= self.most {
                let child = self.follow(node, m, coming, None, (press, until));
                out.extend(Some(child).filter(|child| child.cost <= self.most));
            }
        }
    }

    fn child(&mut self, node: &Node, m: Move, press: Option<Press>, until: Instant) -> Node {
        let coming = self.came(node, m, until);
        self.follow(node, m, coming, None, (press, until))
    }

    /// How the man of a ply came to its square.
    fn came(&self, node: &Node, m: Move, until: Instant) -> Coming {
        let to = uci::destination(m);
        let kinds = standing(&node.position, m);
        let (from, late) = (node.since[0], until + LATE_US);
        let left = m.from().filter(|_| m.is_capture() && search::victim(m) == to);
        let before = || self.account.earlier[1].map(|(_, last)| (last, self.account.made[1]));
        let last = self.back(node).next().map(|last| (last.played, last.made_at)).or_else(before);
        let other = last.filter(|(last, _)| uci::destination(*last) == to);
        let came = other.map_or(Instant::LONG_AGO, |(_, came)| came);
        let replaced = left.and_then(|left| self.log.replaced(left, (to, came), from, late));
        let from = self.vacated(node, to).map_or(from, |vacated| vacated.max(from));
        // Who came before was the man that is captured.
        let from = if left.is_some() { from.max(came + 1) } else { from };
        let from = self.left_at(m, from, late).map_or(from, |left| left.max(from));
        let since = if self.left_behind(node, to, kinds) { from } else { Instant::LONG_AGO };
        // Who lies on its side is felt by no sensor: it was the man that the pawn captured.
        let promotes = left.is_some() && m.promotion().is_some();
        let victim = |came: Instant| promotes && came < from && self.log.kinds_at(to, came) == Kinds::OCCUPIED;
        let came = self.log.arrived(to, kinds, from, late).filter(|came| *came >= since && !victim(*came));
        let stood = replaced.or_else(|| self.log.settled(to, kinds, from, late));
        self.coming(node, m, (replaced.or(came), stood), until)
    }

    /// The line with one more ply, whose man came so; `charged`: what the ply before costs, where that is known.
    fn follow(
        &mut self,
        node: &Node,
        m: Move,
        coming: Coming,
        charged: Option<Charged>,
        (press, until): (Option<Press>, Instant),
    ) -> Node {
        let Coming { arrived, hands, early, disordered, ahead, held, another, nowhere, carried, illegal } = coming;
        let (name, nowhere) = nowhere;
        // Where no clock tells of a turn, who has not seen a man come has seen it leave.
        let untold = press.is_none() || self.account.is_turn(until);
        let left = m.from().filter(|_| arrived.is_none() && untold);
        // It had come to the square that it left with its player's last ply.
        let came = |from: Square| self.back(node).nth(1).filter(|own| uci::destination(own.played) == from);
        let since = |from: Square| came(from).map_or(node.since[0], |own| own.made_at);
        let left = left.and_then(|from| self.log.arrived(from, Kinds::EMPTY, since(from), until));
        let made_at = arrived.or(left).unwrap_or(until).max(node.since[0]).min(until);
        let at = press.map_or(made_at.max(node.completed[1]), |press| press.at);
        let mut position = node.position.clone();
        position.play(m);
        let squares = node.squares.after(&position, search::squares_of(m));
        debug_assert!(!node.position.is_legal(m) || squares == node.squares.played(m, standing(&node.position, m)));
        let charged = charged.unwrap_or_else(|| self.charge(node, Some((m, &squares)), until));
        if self.account.noting {
            self.sum(node, Some((m, &squares)), until, &self.items);
        }
        // Whose turn it is that no clock tells is told by the men that came.
        let unfelt = self.account.is_turn(until) && arrived.is_none();
        let by_nobody = nowhere > 0 && (unfelt || arrived.is_none() && nowhere >= cost::FROM_NOBODY);
        let spent = weigh!(self.items, PLY)
            + if early { weigh!(self.items, PREMOVE) } else { 0 }
            + weigh!(self.items, DISORDERED * u32::from(disordered))
            + if ahead { weigh!(self.items, UNANSWERED) } else { 0 }
            + if held { weigh!(self.items, HELD) } else { 0 }
            + self.items.take(another.0, another.1)
            + self.items.take(name, nowhere)
            + if by_nobody { weigh!(self.items, BY_NOBODY) } else { 0 }
            + self.items.take(carried.0, carried.1)
            + self.items.take(illegal.0, illegal.1)
            + if self.moves_on(node, m, until) { weigh!(self.items, MOVED_ON) } else { 0 }
            + if press.is_some() || unfelt || self.answered { 0 } else { self.unpressed(node, m, arrived) };
        let ply = Ply { played: m, made_at, came: arrived, completed_at: at, press };
        let went_on = if arrived.is_some_and(|came| self.goes_on(node, m, came)) { WENT_ON } else { 0 };
        let cost = node.cost + charged.cost + spent - self.items.back("NEVER", went_on);
        self.tried.push(Tried { ply, after: node.last, cost });
        Node {
            last: Some(self.tried.len() - 1),
            len: node.len + 1,
            position,
            squares,
            before: node.squares,
            completed: [node.completed[1], at],
            idles: node.idles,
            idle: false,
            since: [node.since[1], made_at + -SCAN_US],
            unpressed: if press.is_some() { 0 } else { node.unpressed + 1 },
            wrong: charged.wrong,
            hands,
            illegal: illegal.1 > 0 || node.illegal,
            never: charged.never,
            cost,
            items: self.items.after(&node.items),
        }
    }

    /// What it costs that nobody pressed for this ply, whose man came then.
    fn unpressed(&self, node: &Node, m: Move, arrived: Option<Instant>) -> u32 {
        let own = self.back(node).nth(1).filter(|_| node.unpressed > 1).map(|own| own.played);
        let went = |played: Move| (played.from(), Some(uci::destination(played)));
        if own.map(went).is_some_and(|(from, to)| went(m) == (to, from)) {
            return weigh!(self.items, TAKEN_BACK);
        }
        let before = self.back(node).next().filter(|_| node.unpressed > 0).map(|last| last.made_at);
        let soon = before.zip(arrived).is_some_and(|(before, came)| (0..BETWEEN_US).contains(&(came - before)));
        if soon { weigh!(self.items, UNPRESSED_BETWEEN) } else { weigh!(self.items, UNPRESSED) }
    }

    /// Whether such a man stood on a square that the player's last ply left, or the other one's captured on: what was
    /// seen of it is not the next one's coming.
    fn left_behind(&self, node: &Node, square: Square, kinds: Kinds) -> bool {
        let earlier = |back: usize| self.account.earlier.get(back).copied().flatten().map(|(_, played)| played);
        let own = self.back(node).nth(1).map(|own| own.played).or_else(|| earlier(node.len));
        let left = own.is_some_and(|own| own.from() == Some(square));
        left || node.before.at(square).meets(kinds) && !node.squares.at(square).meets(kinds)
    }

    /// Since when a square was empty that the last ply left: who came before that was its man, put back.
    fn vacated(&self, node: &Node, square: Square) -> Option<Instant> {
        let last = self.back(node).next().filter(|last| last.played.from() == Some(square))?;
        let empty = self.log.last(square, last.made_at).filter(|reading| reading.kinds == Kinds::EMPTY)?;
        Some(empty.since)
    }

    /// The plies of a line, the last first.
    fn back(&self, node: &Node) -> impl Iterator<Item = &Ply> {
        self.tried(node).map(|tried| &tried.ply)
    }

    fn tried(&self, node: &Node) -> impl Iterator<Item = &Tried> {
        let tried = |at: Option<usize>| at.and_then(|at| self.tried.get(at));
        std::iter::successors(tried(node.last), move |last| tried(last.after))
    }

    /// What the last ply of a line costs if this one is next, and pressed for then.
    fn charge(&self, node: &Node, next: Option<(Move, &Squares)>, until: Instant) -> Charged {
        self.log.effort.weigh();
        self.sum(node, next, until, &Items::new(false))
    }

    /// The same, and what it is made of.
    fn sum(&self, node: &Node, next: Option<(Move, &Squares)>, until: Instant, items: &Items) -> Charged {
        let mut plies = self.back(node);
        let Some(last) = plies.next() else { return Charged::default() };
        let before = plies.next().copied();
        let from = before.map_or(self.account.completed[1], |ply| ply.completed_at);
        let made = plies.next().map_or(self.account.made[usize::from(node.len > 1)], |ply| ply.made_at);
        let Ply { played, came, press, .. } = *last;
        drop(plies);
        Charge {
            account: &self.account,
            played,
            before: &node.before,
            after: &node.squares,
            position: &node.position,
            next,
            last: before,
            seen: came.is_some(),
            earlier: made + -SCAN_US,
            from,
            at: node.completed[1],
            pressed: press.is_some_and(|press| !self.account.is_turn(press.at)),
            wrong: node.wrong,
            until,
        }
        .sum(self.log, items)
    }

    /// A line with what has been made since the last press; one that costs as much as `below` may be told dearer.
    fn finish(&mut self, node: Node, below: u32) -> Told {
        let made = |back: usize| self.back(&node).nth(back - 1).map_or(Instant::LONG_AGO, |ply| ply.made_at);
        let since = [made(2), made(1)];
        let Account { aliases, blind, young, noting, .. } = self.account;
        let placement = self.log.placement;
        let arrived = &self.arrived(&node, usize::MAX);
        let timely = young.first().is_some_and(|press| press.by == node.position.turn());
        let presses: Vec<Instant> = young.iter().filter(|_| timely).map(|press| press.at).collect();
        // Where a press was forgotten, that of the next player was, too, and the next one heard is the player's own.
        let idle = if timely || young.is_empty() || node.unpressed > 0 { 0 } else { cost::IDLE };
        let evidence = Evidence {
            placement,
            before: &[],
            presses: &presses,
            lifted: &node.hands,
            arrived,
            since,
            rest_since: since[1],
            pressed: node.completed,
            aliases,
            blind,
            still: Bitboard::EMPTY,
            gone: placement.unchanged_since(placement.latest() + -GONE_US),
            said: self.account.said,
            unseen: cost::UNSEEN,
            must: false,
            most: below.saturating_sub(node.cost),
            noting,
            gap: false,
            slack: self.log.slack,
        };
        let wrong = self.charge(&node, None, STILL).wrong;
        // Men of the player who pressed the clock, and what the other one has not had in hand since.
        let theirs = node.position.board().by_color(!node.position.turn());
        let long = |square: &Square| theirs.contains(*square) || placement.changed(*square) < node.completed[0];
        let still = wrong.into_iter().filter(long).collect();
        let mut after = node.position.clone();
        let found = search::explain(&after, Evidence { still, ..evidence }, young.len() + 2);
        let next = found.line.first().map(|next| {
            after.play(*next);
            (*next, node.squares.after(&after, search::squares_of(*next)))
        });
        self.log.effort.weigh();
        let charged = self.sum(&node, next.as_ref().map(|(next, squares)| (*next, squares)), STILL, &self.items);
        let cost = node.cost + charged.cost + found.cost + idle;
        let recorded = self.tried(&node).nth(node.len.saturating_sub(self.record.len()));
        let before = recorded.map_or(0, |last| last.cost);
        let mut plies: Vec<Ply> = self.back(&node).copied().collect();
        plies.reverse();
        let turn = node.position.turn();
        let next = if found.line.len().is_multiple_of(2) { turn } else { !turn };
        let in_hand = self.in_hand(&node, found.mismatch, next);
        let found_items = found.weighing.map_or(Vec::new(), |weighing| weighing.taken.items);
        self.items.take("IDLE", idle);
        let items = self.items.after(&[node.items, found_items].concat());
        Told { plies, line: found.line, cost, before, in_hand, idle: node.idles, until: self.account.until, items }
    }

    /// What men cost that a player may have in hand: its own, wherever it holds them now, and one that it captures.
    fn in_hand(&self, node: &Node, mismatch: Mismatch, by: Color) -> u32 {
        let placement = self.log.placement;
        let own = mismatch.missing & node.position.board().by_color(by);
        // A man that was missing before is in no hand.
        let just_now = |square: &Square| placement.changed(*square) >= node.completed[1] + -SCAN_US;
        let pressed = node.completed[usize::from(by != node.position.turn())];
        let own: Bitboard = own.into_iter().filter(|square| placement.changed(*square) >= pressed).collect();
        let others = (mismatch.missing & !own).into_iter().filter(just_now).count().min(1);
        let held = |square: Square| {
            let man = placement.kinds(square).single().flatten().filter(|man| man.color == by)?;
            let strays = own.into_iter().map(|from| search::stray(&node.position, man, from, square).1);
            strays.chain([cost::FOREIGN]).min()
        };
        let held: u32 = mismatch.foreign.into_iter().filter(just_now).filter_map(held).sum();
        (own.count() + others) as u32 * cost::MISSING + held
    }
}

/// What may be seen of the man of a move where it goes.
fn standing(position: &BoardPosition, m: Move) -> Kinds {
    let color = position.turn();
    let promoted = m.from().is_some_and(|from| position.promoted().contains(from)) || m.promotion().is_some();
    let man = Kinds::only(m.promotion().unwrap_or(m.role()).of(color));
    if promoted { man.or(Kinds::only(Role::Pawn.of(color))) } else { man }
}

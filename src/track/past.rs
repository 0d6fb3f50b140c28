//! Completed plies of one board, kept so that later evidence can put them right.

use super::{Completed, Press, SCAN_US, seen::Seen, slots::Lay};
use crate::{
    rules::{Attempt, BoardPosition, Move, Reason},
    sense::Placement,
    types::{ByRole, CastlingSide, ClockTimes, Instant, Kinds, Role, Square},
};

/// One completed ply.
#[derive(Clone, Debug)]
pub struct Past {
    /// The position that it was played in; its pockets are those of then.
    pub before: BoardPosition,
    /// The move.
    pub played: Move,
    /// Arrival of the frame that showed it made.
    pub made_at: Instant,
    /// Arrival of the frame that completed it.
    pub completed_at: Instant,
    /// Times left, if there is a clock.
    pub clock: Option<ClockTimes>,
    /// Why it is illegal; empty for a legal move.
    pub illegal: Vec<Reason>,
    /// When its player said what the pawn becomes.
    pub said: Option<Instant>,
    /// Its man did not stand on its destination when the clock was pressed.
    pub shaky: bool,
    /// It was read otherwise at first.
    pub revised: bool,
    /// Kinds of men that it was said to drop and did not, or the other way round.
    pub doubted: ByRole<bool>,
    /// Kinds of men that it was said to capture and did not, or the other way round.
    pub uncaught: ByRole<bool>,
    /// Moves that explained as much when it was completed.
    pub rivals: Vec<Move>,
    /// It captured in one motion where only that is felt that something stands there: what it took, no square told.
    pub unfelt: bool,
    /// What a dropped man was by what lay in a tray that feels only that something is there.
    pub lay: Lay,
    /// Since when nobody can tell of which kind the dropped man is.
    pub unsure: Option<Instant>,
    /// Kinds of which it was told that the dropped man may be one.
    pub told: ByRole<bool>,
}

impl Past {
    /// A ply that is being completed.
    pub fn new(before: &BoardPosition, completed: &Completed, rivals: Vec<Move>) -> Past {
        let Completed { played, made_at, completed_at, clock, illegal, .. } = completed.clone();
        let before = before.clone();
        Past {
            before,
            played,
            made_at,
            completed_at,
            clock,
            illegal,
            said: None,
            shaky: false,
            revised: false,
            doubted: ByRole::default(),
            uncaught: ByRole::default(),
            rivals,
            unfelt: false,
            lay: Lay::default(),
            unsure: None,
            told: ByRole::default(),
        }
    }

    /// The same with what the squares showed of it.
    pub fn felt(self, placement: &Placement) -> Past {
        let to = self.played.to();
        let captured = self.played.is_capture() && !self.played.is_en_passant();
        let stood = placement.readings(to).find(|reading| reading.since <= self.completed_at);
        let vague = stood.filter(|reading| captured && reading.kinds == Kinds::OCCUPIED);
        let unfelt = vague.is_some_and(|reading| reading.since + SCAN_US < self.made_at);
        Past { unfelt, ..self }
    }

    /// Moves that its touches may have been in another position, the same one if it is legal: a capture that nothing
    /// felt may have taken any man.
    pub fn again(&self, position: &BoardPosition) -> Vec<Move> {
        let same = reread(position, self.played);
        match same {
            None if self.unfelt => self.captures(position),
            same => same.into_iter().collect(),
        }
    }

    /// Other captures that it may have been, where nothing felt which.
    pub fn others_captured(&self) -> impl Iterator<Item = Move> {
        let others = if self.unfelt { self.captures(&self.before) } else { Vec::new() };
        let played = self.played;
        others.into_iter().filter(move |m| *m != played)
    }

    fn captures(&self, position: &BoardPosition) -> Vec<Move> {
        let from = self.played.from();
        let takes = |m: &Move| m.from() == from && m.is_capture() && !m.is_en_passant();
        position.legal_moves().into_iter().filter(takes).collect()
    }

    /// The ply in its new reading, where the old one was `old`: of which kinds nobody knows how many are in the pocket,
    /// and which may have been captured.
    pub fn read_anew(self, old: &Past) -> Past {
        let changed = self.played != old.played;
        let (mut doubted, mut uncaught) = (old.doubted, old.uncaught);
        for role in [&self, old].into_iter().filter(|_| changed).filter_map(|past| past.captured(past.played)) {
            *uncaught.get_mut(role) = true;
        }
        for m in [self.played, old.played].into_iter().filter(|_| changed) {
            if let Move::Put { role, .. } = m {
                *doubted.get_mut(role) = true;
            }
        }
        Past { revised: old.revised || changed, doubted, uncaught, ..self }
    }

    /// The kind as which what a move captures goes to the partner.
    pub fn captured(&self, m: Move) -> Option<Role> {
        self.before.captured_square(m).and_then(|square| self.before.kind_when_captured(square))
    }

    /// Whether it may have captured such a man after all: a rival did, or it was told once.
    pub fn may_have_captured(&self, role: Role) -> bool {
        let now = self.captured(self.played) == Some(role);
        let rival = |rival: &Move| self.captured(*rival) == Some(role);
        !now && (*self.uncaught.get(role) || self.rivals.iter().any(rival))
    }

    /// Whether it is legal and was read so from the first.
    pub fn is_trusted(&self) -> bool {
        self.illegal.is_empty() && !self.revised
    }

    /// Whether another move explains as much, or nothing tells which man it dropped or captured.
    pub fn is_open(&self) -> bool {
        let told = self.told.iter().any(|told| *told);
        !self.rivals.is_empty() || self.unsure.is_some() || self.unfelt || told
    }

    /// Its completion, as a press of the clock.
    pub fn press(&self) -> Press {
        Press { by: self.before.turn(), at: self.completed_at, clock: self.clock }
    }

    /// Other moves that the same touches may have been: rivals, and what else a pawn may have become.
    pub fn alternatives(&self) -> impl Iterator<Item = Move> + '_ {
        let promoted = self.played.promotion();
        let kinds = self.before.rules().promotions().filter(move |role| promoted.is_some_and(|known| known != *role));
        let promotions = kinds.map(|role| promoting_to(self.played, role));
        self.rivals.iter().copied().chain(promotions).chain(self.castling())
    }

    /// Whether another move would have captured what came to a partner's tray and no capture explains.
    pub fn is_told_otherwise(&self, other: Move, seen: &Seen<'_>) -> bool {
        let caught = other.capture().filter(|role| self.played.capture() != Some(*role));
        caught.is_some_and(|role| seen.arrived.get(self.before.turn()).unexplained(role) > 0)
    }

    /// The castling whose rook had not jumped when the clock was pressed, and may have since.
    fn castling(&self) -> Option<Move> {
        let Move::Normal { role: Role::King, from, to, .. } = self.played else { return None };
        let side = CastlingSide::from_queen_side(to < from);
        let leapt = from.rank() == to.rank() && from.distance(to) == 2;
        let castling = self.before.as_move(Attempt::Castle(side)).filter(|_| leapt && !self.illegal.is_empty());
        castling.filter(|castling| self.before.is_legal(*castling))
    }
}

pub(super) fn promoting_to(m: Move, becomes: Role) -> Move {
    match m {
        Move::Normal { role, from, capture, to, .. } => {
            Move::Normal { role, from, capture, to, promotion: Some(becomes) }
        }
        other => other,
    }
}

/// The legal move in `position` that touches the same squares as `m` did in another.
pub fn reread(position: &BoardPosition, m: Move) -> Option<Move> {
    let attempt = match m {
        Move::Put { role, to } => Attempt::Drop { man: role.of(position.turn()), to },
        Move::Castle { king, rook } => Attempt::Castle(CastlingSide::from_king_side(rook > king)),
        _ => return reread_from(position, m, m.from()?),
    };
    legal(position, attempt)
}

/// The legal move in `position` by which the man of `from` goes where that of `m` went in another.
pub fn reread_from(position: &BoardPosition, m: Move, from: Square) -> Option<Move> {
    legal(position, Attempt::Move { from, to: m.to(), promotion: m.promotion() })
}

/// The legal move in `position` by which the man that `m` moved in another goes to `to`.
pub fn reread_to(position: &BoardPosition, m: Move, to: Square) -> Option<Move> {
    legal(position, Attempt::Move { from: m.from()?, to, promotion: m.promotion() })
}

fn legal(position: &BoardPosition, attempt: Attempt) -> Option<Move> {
    position.as_move(attempt).filter(|played| position.is_legal(*played))
}

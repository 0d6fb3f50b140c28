//! One board: the line that it shows, and the presses that wait for their plies.

use std::collections::VecDeque;

use arrayvec::ArrayVec;

use super::{
    Completed, Completion, HOLD_US, ILLEGAL_REST_US, Press, SCAN_US, UNEXPLAINED_US, illegal,
    search::{self, Arriving, Evidence, PLIES_MAX},
};
use crate::{
    rules::{BoardPosition, Game, Move, Pocket},
    sense::Placement,
    types::{Bitboard, BoardId, ByColor, ClockTimes, Color, File, Instant, Piece, Rank, Role, Square},
};

/// Presses that may wait for their plies.
const PRESSES_MAX: usize = 8;
/// Plies that a board may show beyond the game without a press: the move and the reply.
const PLIES_AHEAD: usize = 2;

/// One provisional ply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinePly {
    /// The move.
    pub played: Move,
    /// Arrival of the frame that made it the best explanation.
    pub made_at: Instant,
    /// The man that it captures, in the colour it had, as it goes over.
    pub captured: Option<Piece>,
}

/// One board's hypothesis.
#[derive(Debug)]
pub struct BoardTrack {
    completion: Completion,
    line: ArrayVec<LinePly, PLIES_MAX>,
    unexplained: Bitboard,
    /// When the board's explanation changed last.
    changed_at: Instant,
    presses: VecDeque<Press>,
    /// What each player said that a pawn becomes.
    declared: ByColor<Option<Role>>,
    /// The clock was stopped on a made move that ends the game.
    ended_at: Option<(Instant, Option<ClockTimes>)>,
}

/// What there is to see of a board.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// What the sensors show.
    pub placement: &'a Placement,
    /// Men that left the pocket of each player, where a tray tells.
    pub lifted: &'a ByColor<Option<Pocket>>,
    /// Men that partners capture.
    pub arriving: &'a Arriving,
}

/// Whether the first ply of the line can be completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// Now.
    Ready,
    /// Not before this instant, or before something changes.
    Wait(Instant),
    /// A press has waited too long for a legal ply.
    Unexplained,
    /// There is nothing to complete.
    Nothing,
}

impl BoardTrack {
    pub fn new(completion: Completion) -> BoardTrack {
        BoardTrack {
            completion,
            line: ArrayVec::new(),
            unexplained: Bitboard::EMPTY,
            changed_at: Instant::ZERO,
            presses: VecDeque::new(),
            declared: ByColor::default(),
            ended_at: None,
        }
    }

    pub fn line(&self) -> &[LinePly] {
        &self.line
    }

    pub fn unexplained(&self) -> Bitboard {
        self.unexplained
    }

    pub fn first_press(&self) -> Option<Instant> {
        self.ended_at.map(|(at, _)| at).into_iter().chain(self.presses.front().map(|press| press.at)).min()
    }

    pub fn observe(&mut self, game: &Game, board: BoardId, seen: Seen<'_>, at: Instant) {
        let mut position = seen.arriving.apply(game.board(board));
        if let Some(role) = *self.declared.get(position.turn()) {
            position.declare_promotion(role);
        }
        let before: ArrayVec<Move, PLIES_MAX> = self.line.iter().map(|ply| ply.played).collect();
        let plies = PLIES_AHEAD.max(self.presses.len() + 1);
        let (placement, lifted, presses) = (seen.placement, seen.lifted, self.presses.len());
        let evidence = Evidence { placement, before: &before, presses, lifted };
        let found = search::explain(&position, evidence, plies);
        self.unexplained = found.mismatch.any();
        self.changed_at = at;
        let kept = before.iter().zip(&found.line).take_while(|(old, new)| old == new).count();
        self.line.truncate(kept);
        for (index, played) in found.line.into_iter().enumerate() {
            let captured = position.play(played);
            if index >= kept {
                self.line.push(LinePly { played, made_at: at, captured });
            }
        }
    }

    pub fn declare(&mut self, color: Color, role: Role) {
        *self.declared.get_mut(color) = Some(role);
        self.line.retain(|ply| ply.played.promotion().is_none());
    }

    pub fn press(&mut self, press: Press) {
        if self.presses.len() == PRESSES_MAX {
            self.presses.pop_front();
        }
        self.presses.push_back(press);
    }

    pub fn stopped(&mut self, game: &Game, board: BoardId, clock: Option<ClockTimes>, at: Instant) {
        let mates = self.line.first().is_some_and(|ply| {
            let mut after = game.board(board).clone();
            after.play(ply.played);
            after.is_mate(game.len())
        });
        if mates && self.presses.is_empty() {
            self.ended_at = Some((at, clock));
        }
    }

    pub fn readiness(&mut self, game: &Game, board: BoardId, at: Instant) -> Readiness {
        let position = game.board(board);
        self.forget_stale_presses(position, at);
        let Some(since) = self.due_since() else { return Readiness::Nothing };
        let Some(first) = self.line.first() else {
            return self.unexplained_press(since, at);
        };
        if !droppable(position, first.played) {
            return self.unexplained_press(since, at);
        }
        let firm_at = self.firm_at(position, first).max(since);
        if at >= firm_at { Readiness::Ready } else { Readiness::Wait(firm_at) }
    }

    /// Since when the first ply is due to be completed, if it is.
    fn due_since(&self) -> Option<Instant> {
        match self.completion {
            Completion::Clock => self.first_press(),
            Completion::Settle(rest) => match self.line.as_slice() {
                [] => None,
                [_] => Some(self.changed_at + rest),
                [_, reply, ..] => Some(reply.made_at),
            },
        }
    }

    /// A press by the side that is not to move is a bounce of the lever; two that nothing explains for long cancel.
    fn forget_stale_presses(&mut self, position: &BoardPosition, at: Instant) {
        while self.presses.front().is_some_and(|press| press.by != position.turn()) {
            self.presses.pop_front();
        }
        let unexplained = |press: &Press| at - press.at >= UNEXPLAINED_US;
        if self.line.is_empty() && self.unexplained.is_empty() {
            while self.presses.len() >= 2 && self.presses.iter().take(2).all(unexplained) {
                self.presses.drain(..2);
            }
        }
    }

    fn unexplained_press(&self, since: Instant, at: Instant) -> Readiness {
        let due = (since + UNEXPLAINED_US).max(self.changed_at + ILLEGAL_REST_US);
        let clocked = self.completion == Completion::Clock;
        match (clocked, at >= due) {
            (false, _) => Readiness::Nothing,
            (true, true) => Readiness::Unexplained,
            (true, false) => Readiness::Wait(due),
        }
    }

    /// When the ply can no longer be one square of a slide: its man was seen there by two scans.
    fn firm_at(&self, position: &BoardPosition, ply: &LinePly) -> Instant {
        if slides(position, ply.played) { ply.made_at + SCAN_US } else { ply.made_at }
    }

    /// Whether a press may hold later presses of other boards back.
    pub fn holds_others(&self, at: Instant) -> bool {
        self.first_press().is_some_and(|press| at - press < HOLD_US)
    }

    pub fn complete(&mut self, game: &Game, board: BoardId) -> Option<Completed> {
        let completed_at = self.due_since()?;
        let ply = self.line.pop_at(0)?;
        debug_assert!(droppable(game.board(board), ply.played));
        if ply.played.promotion().is_some() {
            *self.declared.get_mut(game.board(board).turn()) = None;
        }
        let press = self.presses.pop_front();
        let ended = self.ended_at.take();
        let clock = press.map(|press| press.clock).or(ended.and_then(|(_, clock)| clock));
        Some(Completed { board, played: ply.played, made_at: ply.made_at, completed_at, clock, illegal: Vec::new() })
    }

    /// Completes the illegal move that explains the board, if there is one.
    pub fn complete_illegal(
        &mut self,
        game: &Game,
        board: BoardId,
        seen: &Placement,
        at: Instant,
    ) -> Option<Completed> {
        let (played, illegal) = illegal::explain(game.board(board), seen)?;
        let press = self.presses.pop_front()?;
        self.line.clear();
        let clock = Some(press.clock);
        Some(Completed { board, played, made_at: at.min(press.at), completed_at: press.at, clock, illegal })
    }

    /// When time alone may change the readiness.
    pub fn deadline(&self, game: &Game, board: BoardId) -> Option<Instant> {
        let since = self.due_since()?;
        let position = game.board(board);
        match self.line.first() {
            Some(first) if droppable(position, first.played) => Some(self.firm_at(position, first).max(since)),
            _ if self.completion == Completion::Clock => {
                Some((since + UNEXPLAINED_US).max(self.changed_at + ILLEGAL_REST_US))
            }
            _ => None,
        }
    }
}

/// Whether a drop's man is in the pocket of the confirmed game.
fn droppable(position: &BoardPosition, m: Move) -> bool {
    match m {
        Move::Put { role, .. } => *position.pocket(position.turn()).get(role) > 0,
        _ => true,
    }
}

/// Whether one scan may show the move where something else is played: the man goes on in the same motion, or the man
/// that seems dropped came from a square that the scan has not visited yet.
fn slides(position: &BoardPosition, m: Move) -> bool {
    match m {
        Move::Normal { role: Role::Bishop | Role::Rook | Role::Queen, .. } => true,
        Move::Normal { role: Role::Pawn, capture: None, from, to, .. } => {
            from.distance(to) == 1 && could_step_on(position, from)
        }
        Move::Normal { role: Role::King, from, .. } => {
            position.castles().has_color(position.turn()) && from.file() == File::E
        }
        Move::Put { role, to } => reaches(position, role, to),
        _ => false,
    }
}

/// Whether a man of this kind on the board could move to the square.
fn reaches(position: &BoardPosition, role: Role, to: Square) -> bool {
    let moves = position.legal_moves();
    moves.iter().any(|m| m.role() == role && m.to() == to && m.from().is_some())
}

/// Whether a pawn on this square may still step two.
fn could_step_on(position: &BoardPosition, from: Square) -> bool {
    from.rank()
        == match position.turn() {
            Color::White => Rank::Second,
            Color::Black => Rank::Seventh,
        }
}

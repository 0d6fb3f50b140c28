//! The method of existing programs, for comparison: one ply between two settled snapshots.
//!
//! When the board has rested, or when the clock is pressed, what stands on it is compared with every position that is
//! one legal ply ahead; an equal one is taken. With a clock a move counts only after the mover's press, which is
//! kinder to the method than to take whatever rests. Boards that tell every man (DGT) only.

use shakmaty::Move;

use super::{
    Verdict,
    judge::{Recorded, compare},
};
use crate::{
    notation::uci,
    rules::{BoardPosition, Game, RuleSet},
    simulate::{hands::Truth, host::Host, rig::Rig},
    types::{BoardId, Color, Instant, MS, Piece, Role, Square},
    wire::dgt::{ClockReading, Decoder, Message, piece_of},
};

/// A board that did not change for so long is settled.
const SETTLED: i64 = 300 * MS;
/// More squares than a move changes.
const CHANGES_MAX: usize = 4;

/// One board as it is felt.
struct Board {
    decoder: Decoder,
    fields: [Option<Piece>; 64],
    /// Whether it lies turned, once the set-up told.
    turned: Option<bool>,
    changed: Instant,
    /// Whether White's lever is the right one, once a clock ran.
    white_right: Option<bool>,
    right_high: bool,
    /// The side to move has pressed and its move was not found yet.
    pressed: bool,
}

/// The method and what it recorded.
pub struct Baseline {
    game: Game,
    boards: Vec<Board>,
    moves: Vec<(BoardId, String, Instant)>,
}

impl Baseline {
    /// Nothing recorded; the first devices are the boards.
    pub fn new(ruleset: &RuleSet, boards: usize) -> Baseline {
        let board = || Board {
            decoder: Decoder::new(),
            fields: [None; 64],
            turned: None,
            changed: Instant::ZERO,
            white_right: None,
            right_high: false,
            pressed: false,
        };
        let game = Game::new(ruleset.clone(), boards);
        Baseline { game, boards: (0..boards).map(|_| board()).collect(), moves: Vec::new() }
    }

    /// What it recorded, judged.
    pub fn verdict(&self, truth: &Truth) -> Verdict {
        let recorded = self.moves.iter().map(|(board, uci, at)| Recorded { board: *board, uci, completed: *at });
        compare(truth, &recorded.collect::<Vec<_>>(), &Rig::default())
    }

    /// Takes the position one ply ahead that equals what stands on a board.
    fn try_ply(&mut self, id: BoardId, at: Instant) {
        let board = &self.boards[id.index()];
        let position = self.game.board(id);
        if board.turned.is_none() || !board.pressed {
            return;
        }
        let differs = |square: &Square| !agrees(position, *square, board.at(*square));
        let changed: Vec<Square> = Square::ALL.into_iter().filter(differs).collect();
        if changed.is_empty() || changed.len() > CHANGES_MAX {
            return;
        }
        let equal = |m: &&Move| {
            let mut after = position.clone();
            after.play(**m);
            Square::ALL.into_iter().all(|square| agrees(&after, square, board.at(square)))
        };
        let moves = position.legal_moves();
        let near = moves.iter().filter(|m| changed.contains(&uci::destination(**m)));
        let Some(found) = near.clone().find(equal).copied() else { return };
        self.moves.push((id, uci::write(found), at));
        self.game.play(id, found);
        self.boards[id.index()].pressed = false;
    }

    fn message(&mut self, id: BoardId, at: Instant, message: &Message) {
        let board = &mut self.boards[id.index()];
        match message {
            Message::BoardDump(codes) => {
                board.fields = codes.map(|code| piece_of(code).flatten());
                board.changed = at;
                board.orient();
            }
            Message::FieldUpdate { field, code } => {
                board.fields[usize::from(*field)] = piece_of(*code).flatten();
                board.changed = at;
            }
            Message::Clock(reading) => {
                if let Some(by) = board.press(reading) {
                    // A press of the other side undoes one without a move.
                    board.pressed = by == self.game.board(id).turn();
                    self.try_ply(id, at);
                }
            }
            _ => {}
        }
    }
}

impl Board {
    fn at(&self, square: Square) -> Option<Piece> {
        let field = square as usize ^ 0b111_000;
        self.fields[if self.turned == Some(true) { field ^ 63 } else { field }]
    }

    /// Finds how it lies from White's king.
    fn orient(&mut self) {
        let king = |field: usize| self.fields[field] == Some(Color::White.king());
        if self.turned.is_none() {
            self.turned = if king(60) { Some(false) } else { king(3).then_some(true) };
        }
    }

    /// Notes a clock reading; answers who pressed.
    fn press(&mut self, reading: &ClockReading) -> Option<Color> {
        let high = reading.right_high;
        let before = std::mem::replace(&mut self.right_high, high);
        let Some(white_right) = self.white_right else {
            self.white_right = reading.running.then_some(high);
            return None;
        };
        (high != before).then(|| Color::from_white(before == white_right))
    }
}

/// Whether a square of a position looks like this. A promoted man may be the pawn that it was.
fn agrees(position: &BoardPosition, square: Square, seen: Option<Piece>) -> bool {
    let man = position.board().piece_at(square);
    let pawn = |man: Piece| Piece { role: Role::Pawn, ..man };
    man == seen || position.promoted().contains(square) && man.map(pawn) == seen
}

impl Host for Baseline {
    fn link(&mut self, _: Instant, _: usize, _: bool) {}

    fn bytes(&mut self, at: Instant, device: usize, bytes: &[u8]) {
        let Some(id) = BoardId::new(device).filter(|_| device < self.boards.len()) else { return };
        if at - self.boards[device].changed >= SETTLED {
            self.try_ply(id, at);
        }
        let mut messages = Vec::new();
        self.boards[device].decoder.push(bytes, |message| messages.push(message));
        messages.iter().for_each(|message| self.message(id, at, message));
    }

    fn timeout(&mut self, _: Instant) {}

    fn drain(&mut self, _: &mut Vec<(usize, Vec<u8>)>) -> Option<Instant> {
        None
    }
}

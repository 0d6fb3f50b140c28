//! The legal moves of one board (WBN 5).
//!
//! Pins and checks are found once; every other man then moves freely within its mask. A king is never captured: the
//! rule that the game has ended before says so. A side without exactly one king has nothing to keep safe.

use arrayvec::ArrayVec;
use shakmaty::{Move, attacks};

use super::BoardPosition;
use crate::types::{Bitboard, CastlingSide, Color, Rank, Role, Square};

/// The most moves of men on a board that any position has, whatever stands on it ([`shakmaty::MoveList`]).
const BOARD_MOVES_MAX: usize = 270;
/// Drops of five kinds onto every square.
const DROPS_MAX: usize = 5 * 64;

/// Legal moves of one board, those of men on it first. One man of each kind in a pocket and few men on the board make
/// more than the list of the library holds.
pub type MoveList = ArrayVec<Move, { BOARD_MOVES_MAX + DROPS_MAX }>;

/// What holds for all men of the side to move.
struct Frame {
    ours: Bitboard,
    occupied: Bitboard,
    /// Where a man may go: not onto its own men, not onto kings, and parrying a check.
    targets: Bitboard,
    pinned: Bitboard,
    king: Option<Square>,
}

impl BoardPosition {
    /// All legal moves, drops included.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        let frame = self.board_moves(&mut list);
        if let Some(frame) = frame {
            self.drops(frame.targets & !frame.occupied, &mut list);
        }
        list
    }

    /// Whether any legal move of a man on the board exists.
    pub(super) fn has_board_move(&self) -> bool {
        let mut list = MoveList::new();
        self.board_moves(&mut list);
        !list.is_empty()
    }

    /// Moves of men on the board; none is answered when only the king may move (double check).
    fn board_moves(&self, list: &mut MoveList) -> Option<Frame> {
        let ours = self.board.by_color(self.turn);
        let king = self.king(self.turn);
        self.king_moves(ours, king, list);
        let parry = self.parry_squares();
        if parry.is_empty() {
            return None;
        }
        let frame = Frame {
            ours,
            occupied: self.board.occupied(),
            targets: !ours & !self.board.kings() & parry,
            pinned: king.map_or(Bitboard::EMPTY, |king| self.pinned(king)),
            king,
        };
        self.piece_moves(&frame, list);
        self.pawn_moves(&frame, list);
        if parry == Bitboard::FULL {
            self.castling(&frame, list);
        }
        Some(frame)
    }

    /// Own men between the king and a slider that would give check without them.
    fn pinned(&self, king: Square) -> Bitboard {
        let theirs = self.board.by_color(!self.turn);
        let straight = attacks::rook_attacks(king, Bitboard::EMPTY) & self.board.rooks_and_queens();
        let diagonal = attacks::bishop_attacks(king, Bitboard::EMPTY) & self.board.bishops_and_queens();
        let mut pinned = Bitboard::EMPTY;
        for sniper in (straight | diagonal) & theirs {
            let between = attacks::between(king, sniper) & self.board.occupied();
            if between.single_square().is_some() {
                pinned |= between;
            }
        }
        pinned & self.board.by_color(self.turn)
    }

    fn king_moves(&self, ours: Bitboard, king: Option<Square>, list: &mut MoveList) {
        let kings = self.board.kings() & ours;
        for from in kings {
            let occupied = self.board.occupied().without(from);
            for to in attacks::king_attacks(from) & !ours & !self.board.kings() {
                if king.is_none() || self.attackers(to, !self.turn, occupied).is_empty() {
                    self.push(Role::King, from, to, list);
                }
            }
        }
    }

    fn push(&self, role: Role, from: Square, to: Square, list: &mut MoveList) {
        list.push(Move::Normal { role, from, capture: self.board.role_at(to), to, promotion: None });
    }

    fn piece_moves(&self, frame: &Frame, list: &mut MoveList) {
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            for from in self.board.by_role(role) & frame.ours {
                let reach = match role {
                    Role::Knight => attacks::knight_attacks(from),
                    Role::Bishop => attacks::bishop_attacks(from, frame.occupied),
                    Role::Rook => attacks::rook_attacks(from, frame.occupied),
                    _ => attacks::queen_attacks(from, frame.occupied),
                };
                for to in frame.unpinned(from, reach & frame.targets) {
                    self.push(role, from, to, list);
                }
            }
        }
    }

    fn pawn_moves(&self, frame: &Frame, list: &mut MoveList) {
        let theirs = self.board.by_color(!self.turn);
        for from in self.board.pawns() & frame.ours {
            let captures = attacks::pawn_attacks(self.turn, from) & theirs;
            let steps = self.pawn_steps(from, frame.occupied);
            for to in frame.unpinned(from, (captures | steps) & frame.targets) {
                self.push_pawn(from, to, list);
            }
        }
        self.en_passant(frame, list);
    }

    /// Squares straight ahead that a pawn may step to (WBN 5.7 a, b; 5.11).
    pub(super) fn pawn_steps(&self, from: Square, occupied: Bitboard) -> Bitboard {
        let forward = self.turn.fold_wb(8, -8);
        let Some(one) = from.offset(forward).filter(|to| !occupied.contains(*to)) else {
            return Bitboard::EMPTY;
        };
        let home = from.rank() == self.turn.fold_wb(Rank::Second, Rank::Seventh);
        let two = one.offset(forward).filter(|to| home && !occupied.contains(*to));
        Bitboard::from_square(one) | two.map_or(Bitboard::EMPTY, Bitboard::from_square)
    }

    fn push_pawn(&self, from: Square, to: Square, list: &mut MoveList) {
        let capture = self.board.role_at(to);
        if Bitboard::BACKRANKS.contains(to) {
            for promotion in self.rules.promotions() {
                list.push(Move::Normal { role: Role::Pawn, from, capture, to, promotion: Some(promotion) });
            }
        } else {
            list.push(Move::Normal { role: Role::Pawn, from, capture, to, promotion: None });
        }
    }

    fn en_passant(&self, frame: &Frame, list: &mut MoveList) {
        let Some(to) = self.ep else { return };
        for from in attacks::pawn_attacks(!self.turn, to) & self.board.pawns() & frame.ours {
            if self.en_passant_is_safe(from, to, frame) {
                list.push(Move::EnPassant { from, to });
            }
        }
    }

    /// Two men leave one rank at once, so that masks do not tell; the position afterwards does.
    fn en_passant_is_safe(&self, from: Square, to: Square, frame: &Frame) -> bool {
        let Some(king) = frame.king else { return true };
        let victim = Square::from_coords(to.file(), from.rank());
        let occupied = frame.occupied.without(from).without(victim).with(to);
        self.attackers(king, !self.turn, occupied).without(victim).is_empty()
    }

    fn castling(&self, frame: &Frame, list: &mut MoveList) {
        let Some(king) = frame.king else { return };
        for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
            let Some(rook) = self.castles.rook(self.turn, side) else { continue };
            let blocked = (self.castles.path(self.turn, side) & frame.occupied).any();
            if !blocked && self.castling_attack(king, side).is_none() {
                list.push(Move::Castle { king, rook });
            }
        }
    }

    /// First square from the king's origin to its destination that is attacked.
    pub(super) fn castling_attack(&self, king: Square, side: CastlingSide) -> Option<Square> {
        let to = side.king_to(self.turn);
        let occupied = self.board.occupied().without(king);
        let way = attacks::between(king, to).with(king).with(to);
        way.into_iter().find(|square| self.attackers(*square, !self.turn, occupied).any())
    }

    fn drops(&self, targets: Bitboard, list: &mut MoveList) {
        let pocket = self.pocket(self.turn);
        for role in [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            if *pocket.get(role) > 0 {
                for to in targets & self.rules.drop_squares(self.turn, role) {
                    list.push(Move::Put { role, to });
                }
            }
        }
    }

    /// Whether this move is legal here.
    pub fn is_legal(&self, m: Move) -> bool {
        match m {
            Move::Put { role, to } => self.is_legal_drop(role, to) && *self.pocket(self.turn).get(role) > 0,
            _ => {
                let mut list = MoveList::new();
                self.board_moves(&mut list);
                list.contains(&m)
            }
        }
    }

    /// Whether a man of this kind could be dropped here if the side to move had it.
    pub fn is_legal_drop(&self, role: Role, to: Square) -> bool {
        self.rules.drop_squares(self.turn, role).contains(to)
            && !self.board.occupied().contains(to)
            && self.parry_squares().contains(to)
    }

    /// Whether a pawn of `color` stands on its last rank when on `square`.
    pub fn is_last_rank(color: Color, square: Square) -> bool {
        square.rank() == color.fold_wb(Rank::Eighth, Rank::First)
    }
}

impl Frame {
    /// `reach` as far as a pin lets the man go.
    fn unpinned(&self, from: Square, reach: Bitboard) -> Bitboard {
        match self.king {
            Some(king) if self.pinned.contains(from) => reach & attacks::ray(king, from),
            _ => reach,
        }
    }
}

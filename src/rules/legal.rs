//! The legal moves of one board (WBN 5).
//!
//! Pins and checks are found once; every other man then moves freely within its mask. What is found goes to a
//! [`Sink`] as sets of squares, which makes a list, a number, or just an answer. A king is never captured where the
//! game ends before; a side without exactly one king has nothing to keep safe.

use shakmaty::{Move, attacks};

use super::{BoardPosition, Kings, position::king_home};
use crate::types::{Bitboard, CastlingSide, Color, Rank, Role, Square};

/// Legal moves of one board, those of men on it first. One man of each kind in a pocket and few men on the board make
/// more than the list of the library holds.
pub type MoveList = Vec<Move>;

/// Most positions have fewer moves; others make the list grow.
const MOVES_USUAL: usize = 160;

/// Kinds that are dropped, in the order of generation.
const DROPPED: [Role; 6] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

/// What holds for all men of the side to move.
struct Frame {
    /// The men that move, as far as they are asked for.
    ours: Bitboard,
    occupied: Bitboard,
    /// Where a man may go: not onto its own men, not onto kings that are safe, and parrying a check.
    targets: Bitboard,
    pinned: Bitboard,
    /// The king that must not be left in check.
    king: Option<Square>,
}

/// Takes moves as they are found.
trait Sink {
    /// Men on these squares are asked for.
    fn from(&self) -> Bitboard {
        Bitboard::FULL
    }
    /// A man other than a pawn on its last rank goes to any of these squares.
    fn men(&mut self, position: &BoardPosition, role: Role, from: Square, to: Bitboard);
    /// A pawn becomes something on one of these squares.
    fn promotions(&mut self, position: &BoardPosition, from: Square, to: Bitboard);
    /// A man is dropped on any of these squares.
    fn drops(&mut self, role: Role, to: Bitboard);
    /// Castling or en passant.
    fn other(&mut self, m: Move);
}

impl Sink for MoveList {
    #[inline]
    fn men(&mut self, position: &BoardPosition, role: Role, from: Square, to: Bitboard) {
        for to in to & !position.board.occupied() {
            self.push(Move::Normal { role, from, capture: None, to, promotion: None });
        }
        for to in to & position.board.occupied() {
            self.push(Move::Normal { role, from, capture: position.board.role_at(to), to, promotion: None });
        }
    }

    fn promotions(&mut self, position: &BoardPosition, from: Square, to: Bitboard) {
        for to in to {
            let capture = position.board.role_at(to);
            for promotion in position.rules.promotions() {
                self.push(Move::Normal { role: Role::Pawn, from, capture, to, promotion: Some(promotion) });
            }
        }
    }

    #[inline]
    fn drops(&mut self, role: Role, to: Bitboard) {
        self.extend(to.into_iter().map(|to| Move::Put { role, to }));
    }

    fn other(&mut self, m: Move) {
        self.push(m);
    }
}

/// Squares that moves are asked for.
#[derive(Clone, Copy, Debug)]
pub struct Among {
    /// Where men of the board come from.
    pub from: Bitboard,
    /// Where they go.
    pub to: Bitboard,
    /// Where men are dropped.
    pub drops: Bitboard,
    /// Squares of which a move comes from one or goes to one.
    pub touching: Bitboard,
}

impl Among {
    /// Where a man from this square goes.
    fn to(&self, from: Square) -> Bitboard {
        if self.touching.contains(from) { self.to } else { self.to & self.touching }
    }
}

/// A list of the moves among some squares. Castling and en passant are always in it.
struct Narrow<'a> {
    among: Among,
    list: &'a mut MoveList,
}

impl Sink for Narrow<'_> {
    fn from(&self) -> Bitboard {
        self.among.from
    }

    #[inline]
    fn men(&mut self, position: &BoardPosition, role: Role, from: Square, to: Bitboard) {
        self.list.men(position, role, from, to & self.among.to(from));
    }

    fn promotions(&mut self, position: &BoardPosition, from: Square, to: Bitboard) {
        self.list.promotions(position, from, to & self.among.to(from));
    }

    #[inline]
    fn drops(&mut self, role: Role, to: Bitboard) {
        self.list.drops(role, to & self.among.drops & self.among.touching);
    }

    fn other(&mut self, m: Move) {
        self.list.push(m);
    }
}

/// How many moves there are.
#[derive(Default)]
struct Count(usize);

impl Sink for Count {
    #[inline]
    fn men(&mut self, _: &BoardPosition, _: Role, _: Square, to: Bitboard) {
        self.0 += to.count();
    }

    fn promotions(&mut self, position: &BoardPosition, _: Square, to: Bitboard) {
        self.0 += to.count() * position.rules.promotions().count();
    }

    #[inline]
    fn drops(&mut self, _: Role, to: Bitboard) {
        self.0 += to.count();
    }

    fn other(&mut self, _: Move) {
        self.0 += 1;
    }
}

impl BoardPosition {
    /// All legal moves, drops included.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::with_capacity(MOVES_USUAL);
        self.legal_moves_into(&mut list);
        list
    }

    /// The same in a list that was used before: what was in it goes.
    pub fn legal_moves_into(&self, list: &mut MoveList) {
        list.clear();
        if let Some(frame) = self.board_moves(list) {
            self.drops(frame.targets & !frame.occupied, list);
        }
    }

    /// The legal moves among some squares, in the same order and in such a list; castling and en passant in any case.
    pub fn legal_moves_among(&self, among: Among, list: &mut MoveList) {
        list.clear();
        let mut narrow = Narrow { among, list };
        if let Some(frame) = self.board_moves(&mut narrow) {
            self.drops(frame.targets & !frame.occupied, &mut narrow);
        }
    }

    /// How many legal moves there are, without making a list of them.
    pub fn count_legal_moves(&self) -> usize {
        let mut count = Count::default();
        if let Some(frame) = self.board_moves(&mut count) {
            self.drops(frame.targets & !frame.occupied, &mut count);
        }
        count.0
    }

    /// Whether any legal move of a man on the board exists.
    pub(super) fn has_board_move(&self) -> bool {
        let mut count = Count::default();
        self.king_moves(self.board.by_color(self.turn), self.royal(), &mut count);
        if count.0 == 0 {
            self.board_moves(&mut count);
        }
        count.0 > 0
    }

    /// The e.p. captures among the legal moves.
    pub(super) fn legal_en_passant(&self) -> impl Iterator<Item = Move> + '_ {
        let pawns = self.board.pawns() & self.board.by_color(self.turn);
        let captures = self.ep.into_iter().flat_map(move |to| {
            let from = attacks::pawn_attacks(!self.turn, to) & pawns;
            from.into_iter().map(move |from| (from, to))
        });
        captures.filter(|(from, to)| self.en_passant_is_safe(*from, *to)).map(|(from, to)| Move::EnPassant { from, to })
    }

    /// The king that must not be left in check: the only one of the side, where kings are not captured.
    #[inline]
    pub(super) fn royal(&self) -> Option<Square> {
        if self.rules.kings == Kings::Mated { self.king(self.turn) } else { None }
    }

    /// Moves of men on the board; none is answered when only the king may move (double check).
    fn board_moves(&self, sink: &mut impl Sink) -> Option<Frame> {
        let ours = self.board.by_color(self.turn);
        let king = self.royal();
        self.king_moves(ours, king, sink);
        let parry = self.parry_squares();
        if parry.is_empty() {
            return None;
        }
        let frame = Frame {
            ours: ours & sink.from(),
            occupied: self.board.occupied(),
            targets: !ours & !self.untouchable() & parry,
            pinned: king.map_or(Bitboard::EMPTY, |king| self.pinned(king)),
            king,
        };
        self.piece_moves(&frame, sink);
        self.pawn_moves(&frame, sink);
        if parry == Bitboard::FULL {
            self.castling(sink);
        }
        Some(frame)
    }

    /// Kings, where they are not captured.
    pub(super) fn untouchable(&self) -> Bitboard {
        if self.rules.kings == Kings::Mated { self.board.kings() } else { Bitboard::EMPTY }
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

    fn king_moves(&self, ours: Bitboard, king: Option<Square>, sink: &mut impl Sink) {
        for from in self.board.kings() & ours & sink.from() {
            let mut reach = attacks::king_attacks(from) & !ours & !self.untouchable();
            if king.is_some() {
                let occupied = self.board.occupied().without(from);
                for to in reach {
                    if self.attackers(to, !self.turn, occupied).any() {
                        reach.discard(to);
                    }
                }
            }
            sink.men(self, Role::King, from, reach);
        }
    }

    fn piece_moves(&self, frame: &Frame, sink: &mut impl Sink) {
        for from in self.board.knights() & frame.ours & !frame.pinned {
            sink.men(self, Role::Knight, from, attacks::knight_attacks(from) & frame.targets);
        }
        for from in self.board.bishops() & frame.ours {
            let reach = attacks::bishop_attacks(from, frame.occupied);
            sink.men(self, Role::Bishop, from, frame.unpinned(from, reach & frame.targets));
        }
        for from in self.board.rooks() & frame.ours {
            let reach = attacks::rook_attacks(from, frame.occupied);
            sink.men(self, Role::Rook, from, frame.unpinned(from, reach & frame.targets));
        }
        for from in self.board.queens() & frame.ours {
            let reach = attacks::queen_attacks(from, frame.occupied);
            sink.men(self, Role::Queen, from, frame.unpinned(from, reach & frame.targets));
        }
    }

    fn pawn_moves(&self, frame: &Frame, sink: &mut impl Sink) {
        let theirs = self.board.by_color(!self.turn);
        let promotes = self.rules.promotions[0].is_some();
        let last = if promotes { Bitboard::from_rank(last_rank(self.turn)) } else { Bitboard::EMPTY };
        for from in self.board.pawns() & frame.ours {
            let captures = attacks::pawn_attacks(self.turn, from) & theirs;
            let steps = self.pawn_steps(self.turn, from, frame.occupied);
            let to = frame.unpinned(from, (captures | steps) & frame.targets);
            if (to & last).any() {
                sink.promotions(self, from, to & last);
            }
            sink.men(self, Role::Pawn, from, to & !last);
        }
        self.legal_en_passant().for_each(|m| sink.other(m));
    }

    /// Squares straight ahead that a pawn of this colour may step to (WBN 5.7 a, b; 5.11).
    #[inline]
    pub(super) fn pawn_steps(&self, color: Color, from: Square, occupied: Bitboard) -> Bitboard {
        let pawn = Bitboard::from_square(from);
        let ahead = |men: Bitboard| color.fold_wb(Bitboard(men.0 << 8), Bitboard(men.0 >> 8)) & !occupied;
        let one = ahead(pawn);
        let home = from.rank() == color.fold_wb(Rank::Second, Rank::Seventh) && !self.resting.contains(from);
        if home { one | ahead(one) } else { one }
    }

    /// Two men leave one rank at once, so that masks do not tell; the position afterwards does.
    fn en_passant_is_safe(&self, from: Square, to: Square) -> bool {
        let Some(king) = self.royal() else { return true };
        let victim = Square::from_coords(to.file(), from.rank());
        let occupied = self.board.occupied().without(from).without(victim).with(to);
        self.attackers(king, !self.turn, occupied).without(victim).is_empty()
    }

    fn castling(&self, sink: &mut impl Sink) {
        for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
            self.legal_castling(side).into_iter().for_each(|m| sink.other(m));
        }
    }

    /// Castling to this side, if it is legal.
    pub(super) fn legal_castling(&self, side: CastlingSide) -> Option<Move> {
        let rook = self.castles.rook(self.turn, side)?;
        let king = self.king(self.turn).filter(|king| *king == king_home(self.turn))?;
        let free = (self.castles.path(self.turn, side) & self.board.occupied()).is_empty();
        let safe = || self.royal().is_none() || self.castling_attack(king, side).is_none();
        (free && safe()).then_some(Move::Castle { king, rook })
    }

    /// First square from the king's origin to its destination that is attacked.
    pub(super) fn castling_attack(&self, king: Square, side: CastlingSide) -> Option<Square> {
        let to = side.king_to(self.turn);
        let occupied = self.board.occupied().without(king);
        let way = attacks::between(king, to).with(king).with(to);
        way.into_iter().find(|square| self.attackers(*square, !self.turn, occupied).any())
    }

    fn drops(&self, targets: Bitboard, sink: &mut impl Sink) {
        let pocket = self.pocket(self.turn);
        for role in DROPPED {
            if *pocket.get(role) > 0 {
                sink.drops(role, self.allowed_drops(role, targets & self.rules.drop_squares(self.turn, role)));
            }
        }
    }

    /// Whether a pawn of `color` stands on its last rank when on `square`.
    pub fn is_last_rank(color: Color, square: Square) -> bool {
        square.rank() == last_rank(color)
    }
}

fn last_rank(color: Color) -> Rank {
    color.fold_wb(Rank::Eighth, Rank::First)
}

impl Frame {
    /// `reach` as far as a pin lets the man go.
    #[inline]
    fn unpinned(&self, from: Square, reach: Bitboard) -> Bitboard {
        match self.king {
            Some(king) if self.pinned.contains(from) => reach & attacks::ray(king, from),
            _ => reach,
        }
    }
}

#[cfg(test)]
mod tests;

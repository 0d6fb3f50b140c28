//! One board with its pockets: the position that moves are legal in.
//!
//! It can hold anything, also what no legal play reaches, because an illegal move may stand. Implements shakmaty's
//! [`Position`] so that everything written for that trait works on it.

use std::num::NonZeroU32;

use shakmaty::{
    Board, Castles, CastlingMode, EnPassantMode, Move, MoveList, Outcome, Position, RemainingChecks, Setup, attacks,
};

use super::{Kings, MoveRules};
use crate::types::{Bitboard, ByColor, ByRole, Color, Piece, Role, Square};

/// How many men of each kind a seat may drop (pocket and transit together).
pub type Pocket = ByRole<u8>;

/// Where kings stand at first.
const KING_HOMES: Bitboard = Bitboard(0x1000_0000_0000_0010);

/// Where the king of this colour stands at first.
pub(super) fn king_home(color: Color) -> Square {
    color.fold_wb(Square::E1, Square::E8)
}

/// The castling rights that king and rook at home bear out. The library knows them of a lone king only; where kings
/// are collected another one may stand beside the one at home.
pub(super) fn castles_of(setup: &Setup) -> Castles {
    let mut setup = setup.clone();
    for color in Color::ALL {
        let kings = setup.board.kings() & setup.board.by_color(color);
        if kings.contains(king_home(color)) {
            kings.without(king_home(color)).into_iter().for_each(|other| setup.board.discard_piece_at(other));
        }
    }
    Castles::from_setup(&setup, CastlingMode::Standard).unwrap_or_else(|valid| valid)
}

/// One board and its two pockets.
///
/// ```
/// use bughoused::{rules::{BoardPosition, RuleSet}, types::{Color, Role, Square}};
///
/// let mut board = BoardPosition::new(RuleSet::WBN_1_00.moves);
/// assert_eq!(board.legal_moves().len(), 20);
/// board.add_to_pocket(Color::White, Role::Knight); // the partner took one
/// assert_eq!(board.count_legal_moves(), 20 + 32);
/// assert_eq!((board.turn(), board.king(Color::White)), (Color::White, Some(Square::E1)));
/// ```
#[derive(Clone, Debug)]
pub struct BoardPosition {
    pub(super) board: Board,
    pub(super) promoted: Bitboard,
    pub(super) pockets: ByColor<Pocket>,
    pub(super) turn: Color,
    pub(super) castles: Castles,
    pub(super) ep: Option<Square>,
    /// Pawns dropped on their second rank, where the rule set lets them step one only.
    pub(super) resting: Bitboard,
    /// Home squares of kings that have not moved, where a dropped rook may castle.
    pub(super) unmoved_kings: Bitboard,
    pub(super) plies: u32,
    pub(super) rules: MoveRules,
}

impl BoardPosition {
    /// The initial position (WBN 4.3).
    pub fn new(rules: MoveRules) -> BoardPosition {
        BoardPosition {
            board: Board::new(),
            promoted: Bitboard::EMPTY,
            pockets: ByColor::default(),
            turn: Color::White,
            castles: Castles::new(),
            ep: None,
            resting: Bitboard::EMPTY,
            unmoved_kings: KING_HOMES,
            plies: 0,
            rules,
        }
    }

    /// Any position. Castling rights that no king and rook at home bear out are dropped, and an e.p. square that no
    /// double step explains. A king at home counts as unmoved: nothing says more, and castling with a rook that is
    /// dropped later (FIDE-ext 3.5) is not called illegal on a guess.
    pub fn from_setup(setup: &Setup, plies: u32, rules: MoveRules) -> BoardPosition {
        let castles = castles_of(setup);
        let mut position = BoardPosition {
            board: setup.board.clone(),
            promoted: setup.promoted & setup.board.occupied(),
            pockets: setup.pockets.unwrap_or_default(),
            turn: setup.turn,
            castles,
            ep: None,
            resting: Bitboard::EMPTY,
            unmoved_kings: Bitboard::EMPTY,
            plies,
            rules,
        };
        let at_home = |color: &Color| position.kings(*color).contains(king_home(*color));
        position.unmoved_kings = Color::ALL.into_iter().filter(at_home).map(king_home).collect();
        position.ep = setup.ep_square.filter(|square| position.explains_ep(*square));
        position
    }

    /// Whether a pawn of the side that does not move may just have stepped over `square`.
    fn explains_ep(&self, square: Square) -> bool {
        let forward = self.turn.fold_wb(8, -8);
        let rank_fits = square.rank() == self.turn.fold_wb(shakmaty::Rank::Sixth, shakmaty::Rank::Third);
        let pawn = square.offset(-forward).and_then(|behind| self.board.piece_at(behind));
        rank_fits
            && pawn == Some(Piece { color: !self.turn, role: Role::Pawn })
            && self.board.piece_at(square).is_none()
    }

    /// Men on squares, promoted men as what they are now.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Squares of promoted men.
    pub fn promoted(&self) -> Bitboard {
        self.promoted
    }

    /// What the side may drop.
    pub fn pocket(&self, color: Color) -> &Pocket {
        self.pockets.get(color)
    }

    /// Puts a man into a pocket. Saturates at 255.
    pub fn add_to_pocket(&mut self, color: Color, role: Role) {
        let count = self.pockets.get_mut(color).get_mut(role);
        *count = count.saturating_add(1);
    }

    /// Puts these men into a pocket instead of what is there.
    pub fn set_pocket(&mut self, color: Color, pocket: Pocket) {
        *self.pockets.get_mut(color) = pocket;
    }

    /// Takes a man out of a pocket if there is one.
    pub fn take_from_pocket(&mut self, color: Color, role: Role) -> bool {
        let count = self.pockets.get_mut(color).get_mut(role);
        let held = *count > 0;
        *count = count.saturating_sub(1);
        held
    }

    /// Who is to move.
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Completed plies.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Whether the same may be played from here as from another position of the same rule set, however long ago it
    /// began.
    ///
    /// ```
    /// use bughoused::{
    ///     rules::{BoardPosition, RuleSet},
    ///     types::{Color, Role},
    /// };
    ///
    /// let board = BoardPosition::new(RuleSet::WBN_1_00.moves);
    /// let mut other = board.clone();
    /// assert!(other.continues_as(&board));
    /// other.add_to_pocket(Color::White, Role::Knight); // it may be dropped
    /// assert!(!other.continues_as(&board));
    /// ```
    pub fn continues_as(&self, other: &BoardPosition) -> bool {
        let rights = |position: &BoardPosition| {
            let BoardPosition { promoted, pockets, turn, ep, resting, unmoved_kings, .. } = *position;
            (promoted, pockets, turn, ep, resting, unmoved_kings, position.castles.castling_rights())
        };
        self.board == other.board && rights(self) == rights(other)
    }

    /// Move number as BPGN writes it: from 1, one more after Black's move.
    pub fn move_number(&self) -> u32 {
        self.plies / 2 + 1
    }

    /// The castling rights.
    pub fn castles(&self) -> &Castles {
        &self.castles
    }

    /// Square that a pawn has just stepped over, whether or not it can be taken.
    pub fn passed_over(&self) -> Option<Square> {
        self.ep
    }

    /// The e.p. square if a legal e.p. capture exists (FIDE 9.2).
    pub fn ep_square(&self) -> Option<Square> {
        self.ep.filter(|_| self.legal_en_passant().next().is_some())
    }

    /// What the generator knows of the rule set.
    pub fn rules(&self) -> &MoveRules {
        &self.rules
    }

    /// The one king of a colour; none if there are no or several.
    pub fn king(&self, color: Color) -> Option<Square> {
        (self.board.kings() & self.board.by_color(color)).single_square()
    }

    /// All kings of a colour.
    pub fn kings(&self, color: Color) -> Bitboard {
        self.board.kings() & self.board.by_color(color)
    }

    /// Men of `attacker` that attack `square` with these squares occupied.
    pub fn attackers(&self, square: Square, attacker: Color, occupied: Bitboard) -> Bitboard {
        self.board.attacks_to(square, attacker, occupied)
    }

    /// Men that give check to the side to move.
    pub fn checkers(&self) -> Bitboard {
        self.checkers_of(self.turn)
    }

    /// Men that attack the king of `color`.
    pub fn checkers_of(&self, color: Color) -> Bitboard {
        self.king(color).map_or(Bitboard::EMPTY, |king| self.attackers(king, !color, self.board.occupied()))
    }

    /// The man on a square as it goes over when it is captured.
    pub fn kind_when_captured(&self, square: Square) -> Option<Role> {
        let role = self.board.role_at(square)?;
        let as_pawn = self.rules.promoted_captured_as_pawn && self.promoted.contains(square);
        Some(if as_pawn { Role::Pawn } else { role })
    }

    /// Squares between and including a lone checker and the king, everything if there is no check, nothing in double
    /// check: where a man other than the king must go.
    pub(super) fn parry_squares(&self) -> Bitboard {
        let Some(king) = self.royal() else { return Bitboard::FULL };
        let checkers = self.attackers(king, !self.turn, self.board.occupied());
        match checkers.single_square() {
            Some(checker) => attacks::between(king, checker).with(checker),
            None if checkers.is_empty() => Bitboard::FULL,
            None => Bitboard::EMPTY,
        }
    }
}

impl Position for BoardPosition {
    fn board(&self) -> &Board {
        &self.board
    }

    fn promoted(&self) -> Bitboard {
        self.promoted
    }

    fn pockets(&self) -> Option<&ByColor<ByRole<u8>>> {
        Some(&self.pockets)
    }

    fn turn(&self) -> Color {
        self.turn
    }

    fn castles(&self) -> &Castles {
        &self.castles
    }

    fn maybe_ep_square(&self) -> Option<Square> {
        self.ep
    }

    fn remaining_checks(&self) -> Option<&ByColor<RemainingChecks>> {
        None
    }

    fn halfmoves(&self) -> u32 {
        0
    }

    fn fullmoves(&self) -> NonZeroU32 {
        NonZeroU32::new(self.move_number()).unwrap_or(NonZeroU32::MIN)
    }

    /// As many as the library's list holds; what does not fit are drops.
    fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        let room = list.capacity();
        list.extend(BoardPosition::legal_moves(self).into_iter().take(room));
        list
    }

    /// The library's own way would make a list of all moves for it.
    fn en_passant_moves(&self) -> MoveList {
        self.legal_en_passant().collect()
    }

    fn is_variant_end(&self) -> bool {
        self.rules.kings == Kings::Captured && Color::ALL.into_iter().any(|color| self.kings(color).is_empty())
    }

    fn has_insufficient_material(&self, _color: Color) -> bool {
        false
    }

    fn variant_outcome(&self) -> Outcome {
        Outcome::Unknown
    }

    fn play_unchecked(&mut self, m: Move) {
        self.play(m);
    }
}

impl From<&BoardPosition> for Setup {
    fn from(position: &BoardPosition) -> Setup {
        position.to_setup(EnPassantMode::Legal)
    }
}

//! The boards of one table: what is captured on one goes to the partner on another.
//!
//! Boards are values; what crosses is an explicit [`Transfer`].

use std::collections::BTreeMap;

use arrayvec::ArrayVec;
use shakmaty::Move;

use super::{Attempt, BoardEnd, BoardPosition, Kings, Order, Pocket, Reason, RuleSet};
use crate::types::{BOARDS_MAX, Bitboard, BoardId, ByRole, Color, Piece, Role, Seat, Square, Team};

/// A captured man on its way to a partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The capturer.
    pub from: Seat,
    /// Whose pocket receives it.
    pub to: Seat,
    /// The man as it goes over; its colour is the receiver's.
    pub man: Piece,
    /// The receiver has dropped it before it was known to be captured.
    pub dropped: bool,
}

/// All boards of a table with the positions that they have had.
///
/// ```
/// use bughoused::{notation::san, rules::{Game, RuleSet}, types::{BoardId, Role}};
///
/// let mut game = Game::new(RuleSet::WBN_1_00, 2);
/// let mut transfer = None;
/// for text in ["e4", "d5", "exd5"] {
///     let m = san::read(text, game.board(BoardId::A)).unwrap();
///     transfer = game.play(BoardId::A, m);
/// }
/// let transfer = transfer.unwrap(); // White on A took a pawn for the partner, Black on B
/// assert_eq!((transfer.from.letter(), transfer.to.letter(), transfer.man.role), ('A', 'b', Role::Pawn));
/// assert_eq!(game.board(BoardId::B).pocket(transfer.to.color).pawn, 1);
/// assert_eq!(game.board_end(BoardId::A), None);
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    ruleset: RuleSet,
    boards: ArrayVec<BoardPosition, BOARDS_MAX>,
    /// The positions that each board has had.
    history: ArrayVec<History, BOARDS_MAX>,
    /// What each seat has done, by [`Seat::index`].
    seats: ArrayVec<SeatState, { 2 * BOARDS_MAX }>,
}

/// What the rules remember of a seat.
#[derive(Clone, Debug, Default)]
struct SeatState {
    /// What its last move sent to a partner.
    sent: Option<Transfer>,
    /// Moves of partners since it has the move.
    waited: u32,
    /// Kinds that it may not drop because they were dropped hidden (WBN 1.8b).
    restricted: ByRole<bool>,
    /// Men that it has dropped and that no partner is known to have captured, the last one last.
    owed: Vec<Owed>,
}

/// A man that was dropped and that no partner is known to have captured.
#[derive(Clone, Copy, Debug)]
struct Owed {
    role: Role,
    /// Plies of the partners' boards when it was dropped.
    plies: u32,
}

/// In so many plies of a partner's board after a drop its capture may be completed: the clock is pressed late.
const PAID_PLIES: u32 = 2;
/// For so many plies of a partner's board it is asked where a man was captured that was dropped.
const OWED_PLIES: u32 = 6;

/// How often each position has stood on a board.
#[derive(Clone, Debug, Default)]
struct History {
    counts: BTreeMap<Identity, u32>,
    /// How often the present one has.
    present: u32,
}

/// What makes two positions identical for repetition: placement with promoted marks, side, castling rights and a
/// capturable e.p. square; pockets ignored (WBN 2.2b, FIDE 9.2).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Identity {
    placement: [Bitboard; 8],
    promoted: Bitboard,
    white_to_move: bool,
    castling: Bitboard,
    ep: Option<Square>,
}

impl Game {
    /// `boards` initial positions.
    pub fn new(ruleset: RuleSet, boards: usize) -> Game {
        let start = BoardPosition::new(ruleset.moves);
        Game::from_positions(ruleset, std::iter::repeat_n(start, boards.clamp(1, BOARDS_MAX)))
    }

    /// Any positions, at most [`BOARDS_MAX`].
    pub fn from_positions(ruleset: RuleSet, positions: impl IntoIterator<Item = BoardPosition>) -> Game {
        let mut boards: ArrayVec<BoardPosition, BOARDS_MAX> = positions.into_iter().take(BOARDS_MAX).collect();
        let sets = boards.len() as u8; // at most BOARDS_MAX
        boards.iter_mut().for_each(|position| position.rules.sets = sets);
        let history = boards.iter().map(History::new).collect();
        let seats = Seat::all(boards.len()).map(|_| SeatState::default()).collect();
        Game { ruleset, boards, history, seats }
    }

    /// The rule set.
    pub fn ruleset(&self) -> &RuleSet {
        &self.ruleset
    }

    /// How many boards the table has.
    pub fn len(&self) -> usize {
        self.boards.len()
    }

    /// Never: a table has a board.
    pub fn is_empty(&self) -> bool {
        self.boards.is_empty()
    }

    /// The boards' ids.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = BoardId> + Clone + use<> {
        BoardId::first(self.boards.len())
    }

    /// One board.
    ///
    /// # Panics
    /// If the table has no such board: ids come from [`Game::ids`] or were checked against [`Game::len`].
    pub fn board(&self, board: BoardId) -> &BoardPosition {
        &self.boards[board.index()]
    }

    /// Whether a move is legal on a board.
    pub fn is_legal(&self, board: BoardId, m: Move) -> bool {
        self.board(board).is_legal(m)
    }

    /// Plays a move, legal or not, and hands the captured man to the first partner.
    pub fn play(&mut self, board: BoardId, m: Move) -> Option<Transfer> {
        self.play_to(board, m, None)
    }

    /// Plays a move, legal or not, and hands the captured man to the partner that the capturer chose; to the first
    /// partner if none was chosen or the chosen seat is no partner. On two boards there is no choice.
    pub fn play_to(&mut self, board: BoardId, m: Move, to: Option<Seat>) -> Option<Transfer> {
        let mover = board.seat(self.board(board).turn());
        let over = self.boards[board.index()].play(m);
        self.history[board.index()].enter(&self.boards[board.index()]);
        // The own man is nobody's to drop: a partner plays the other colour.
        let over = over.filter(|over| over.color != mover.color);
        let transfer = over.and_then(|over| self.transfer(mover, over, to));
        if let Some(Transfer { to, man, dropped: false, .. }) = transfer {
            self.boards[to.board.index()].add_to_pocket(to.color, man.role);
        }
        self.remember(mover, transfer);
        transfer
    }

    /// A seat drops a man that no partner is known to have captured: the one that is captured next is that one.
    pub fn owe(&mut self, seat: Seat, role: Role) {
        let plies = self.partners_plies(seat);
        if let Some(state) = self.seats.get_mut(seat.index()) {
            state.owed.retain(|owed| owed.plies + OWED_PLIES >= plies);
            state.owed.push(Owed { role, plies });
        }
    }

    /// Men that a seat has dropped lately and that no partner is known to have captured.
    pub fn owed(&self, seat: Seat) -> Pocket {
        let plies = self.partners_plies(seat);
        let mut pocket = Pocket::default();
        let owed = self.seats.get(seat.index()).map_or(&[][..], |state| &state.owed);
        for owed in owed.iter().filter(|owed| owed.plies + OWED_PLIES >= plies) {
            *pocket.get_mut(owed.role) += 1;
        }
        pocket
    }

    /// Whether a man that a seat receives was dropped before.
    fn pay(&mut self, seat: Seat, role: Role) -> bool {
        let plies = self.partners_plies(seat);
        let Some(state) = self.seats.get_mut(seat.index()) else { return false };
        let paid = |owed: &Owed| owed.role == role && owed.plies + PAID_PLIES >= plies;
        state.owed.iter().position(paid).map(|index| state.owed.remove(index)).is_some()
    }

    fn partners_plies(&self, seat: Seat) -> u32 {
        seat.partners(self.len()).map(|partner| self.board(partner.board).plies()).sum()
    }

    /// Where a captured man goes, in the partner's colour. A captured king goes nowhere unless kings are collected.
    fn transfer(&mut self, from: Seat, over: Piece, to: Option<Seat>) -> Option<Transfer> {
        if over.role == Role::King && self.ruleset.moves.kings != Kings::Collected {
            return None;
        }
        let mut partners = from.partners(self.len());
        let to = to.filter(|to| partners.clone().any(|partner| partner == *to)).or_else(|| partners.next())?;
        let dropped = self.pay(to, over.role);
        Some(Transfer { from, to, man: Piece { color: to.color, role: over.role }, dropped })
    }

    fn remember(&mut self, mover: Seat, transfer: Option<Transfer>) {
        for partner in mover.partners(self.len()) {
            if self.has_the_move(partner) {
                self.seats[partner.index()].waited += 1;
            }
        }
        self.seats[mover.index()].sent = transfer;
        self.seats[mover.index()].waited = 0;
        self.seats[mover.opponent().index()].waited = 0;
    }

    /// What the last move of a seat sent to a partner.
    pub fn sent(&self, seat: Seat) -> Option<Transfer> {
        self.seats.get(seat.index())?.sent
    }

    /// Whether the side to move on the seat's board is the seat's.
    pub fn has_the_move(&self, seat: Seat) -> bool {
        self.boards.get(seat.board.index()).is_some_and(|position| position.turn() == seat.color)
    }

    /// Whether a seat may move now: it has the move on its board, and in the order of the boards where one clock runs.
    pub fn may_move(&self, seat: Seat) -> bool {
        self.has_the_move(seat) && (self.ruleset.order == Order::Free || self.next_in_ring() == Some(seat))
    }

    /// Who moves next where one clock runs: White of A, B, …, then Black of …, B, A.
    pub fn next_in_ring(&self) -> Option<Seat> {
        let count = self.len();
        let plies: u64 = self.boards.iter().map(|position| u64::from(position.plies())).sum();
        let place = usize::try_from(plies % (2 * count.max(1)) as u64).ok()?;
        let (index, color) = if place < count { (place, Color::White) } else { (2 * count - 1 - place, Color::Black) };
        Some(BoardId::new(index)?.seat(color))
    }

    /// Whether a seat has let its partners make more moves than a game without clocks allows.
    pub fn stalls(&self, seat: Seat) -> bool {
        let waited = self.seats.get(seat.index()).map_or(0, |state| state.waited);
        self.ruleset.stall_limit > 0 && waited > self.ruleset.stall_limit
    }

    /// Restricts the use of a kind by a seat, or lifts the restriction (WBN 1.8b, c).
    pub fn restrict(&mut self, seat: Seat, role: Role, restricted: bool) {
        if let Some(state) = self.seats.get_mut(seat.index()) {
            *state.restricted.get_mut(role) = restricted;
        }
    }

    /// Takes over what another game of the same table restricts: the moves before it were put right.
    pub fn restrict_as(&mut self, other: &Game) {
        for (state, other) in self.seats.iter_mut().zip(&other.seats) {
            state.restricted = other.restricted;
        }
    }

    /// Every reason why the attempt of a seat is illegal, the leading one first: those of the board, and those that
    /// only the table knows. Empty for a legal move.
    pub fn reasons(&self, seat: Seat, attempt: Attempt) -> Vec<Reason> {
        let mut reasons = self.board(seat.board).reasons(attempt);
        if !self.may_move(seat) {
            reasons.push(Reason::NotYourTurn);
        }
        let dropped = if let Attempt::Drop { man, .. } = attempt { Some(man.role) } else { None };
        let restricted = |role| self.seats.get(seat.index()).is_some_and(|state| *state.restricted.get(role));
        if dropped.is_some_and(restricted) {
            reasons.push(Reason::RestrictedPiece);
        }
        reasons.sort_unstable();
        reasons
    }

    /// How a board has ended by what stands on it: mate, a king captured, stalemate where it counts.
    pub fn board_end(&self, board: BoardId) -> Option<BoardEnd> {
        let position = self.board(board);
        let kingless = |color: &Color| position.kings(*color).is_empty();
        match self.ruleset.moves.kings {
            Kings::Mated if self.is_mate(board) => Some(BoardEnd::won(board, !position.turn())),
            Kings::Captured => Color::ALL.into_iter().find(kingless).map(|loser| BoardEnd::won(board, !loser)),
            _ if self.ruleset.stalemate && position.is_stalemate(self.len()) => Some(BoardEnd::drawn(board)),
            _ => None,
        }
    }

    /// Who has lost a board by what stands: who is mated there, whose king was captured, whose team has no king left.
    pub fn loser(&self, board: BoardId) -> Option<Seat> {
        let of = |team: Team| Color::ALL.map(|color| board.seat(color)).into_iter().find(|seat| seat.team() == team);
        let without = self.holds_all_kings().and_then(|holds| of(holds.other()));
        without.or_else(|| Some(board.seat(!self.board_end(board)?.winner?)))
    }

    /// Whether a board is drawn because the side to move has no move, where a rule set says so.
    pub fn is_drawn_by_stalemate(&self, board: BoardId) -> bool {
        self.board_end(board) == Some(BoardEnd::drawn(board))
    }

    /// The team that holds all kings of the table, on boards and in pockets, where kings are collected.
    pub fn holds_all_kings(&self) -> Option<Team> {
        let kings = |seat: Seat| {
            let position = self.board(seat.board);
            position.kings(seat.color).count() + usize::from(*position.pocket(seat.color).get(Role::King))
        };
        let of = |team: Team| Seat::all(self.len()).filter(|seat| seat.team() == team).map(kings).sum::<usize>();
        match (self.ruleset.moves.kings, of(Team::WhiteA), of(Team::BlackA)) {
            (Kings::Collected, 1.., 0) => Some(Team::WhiteA),
            (Kings::Collected, 0, 1..) => Some(Team::BlackA),
            _ => None,
        }
    }

    /// Whether the side to move on a board is checkmated (WBN 1.5).
    pub fn is_mate(&self, board: BoardId) -> bool {
        self.board(board).is_mate(self.len())
    }

    /// How often the present position of a board has stood there, pockets ignored (WBN 2.2b).
    pub fn occurrences(&self, board: BoardId) -> u32 {
        self.history[board.index()].present
    }

    /// How often the position that a move leads to will have stood on the board (WBN 2.2b: "is about to appear").
    pub fn occurrences_after(&self, board: BoardId, m: Move) -> u32 {
        let mut after = self.board(board).clone();
        after.play(m);
        1 + self.history[board.index()].counts.get(&Identity::of(&after)).copied().unwrap_or(0)
    }

    /// Whether the player who has the move on a board claims a draw by repetition rightly: the position stands there
    /// as often as the rule set says, or will after the move that the player is about to make (WBN 2.2b, 3.2). Who
    /// moves without a claim has lost the right to it (WBN 3.3): the position is another then.
    pub fn claims_repetition(&self, board: BoardId, about: Option<Move>) -> bool {
        let enough = self.ruleset.repetition;
        let appears = |m: Move| self.is_legal(board, m) && self.occurrences_after(board, m) >= enough;
        self.occurrences(board) >= enough || about.is_some_and(appears)
    }

    /// Hands a man from one pocket to another of the team, as when a capturer with several partners turns out to have
    /// chosen the other one. False if the pocket has no such man.
    pub fn pass_on(&mut self, from: Seat, to: Seat, role: Role) -> bool {
        let passed = from.team() == to.team() && self.has_the_seat(to) && self.take_from_pocket(from, role);
        if passed {
            self.boards[to.board.index()].add_to_pocket(to.color, role);
        }
        passed
    }

    fn has_the_seat(&self, seat: Seat) -> bool {
        seat.board.index() < self.len()
    }

    /// Takes one man from a pocket, as when a transfer is undone.
    pub fn take_from_pocket(&mut self, seat: Seat, role: Role) -> bool {
        self.boards[seat.board.index()].take_from_pocket(seat.color, role)
    }
}

impl History {
    fn new(position: &BoardPosition) -> History {
        let mut history = History::default();
        history.enter(position);
        history
    }

    /// A position has come about.
    fn enter(&mut self, position: &BoardPosition) {
        let count = self.counts.entry(Identity::of(position)).or_default();
        *count += 1;
        self.present = *count;
    }
}

impl Identity {
    fn of(position: &BoardPosition) -> Identity {
        let (roles, colors) = position.board().clone().into_bitboards();
        Identity {
            placement: [
                roles.pawn,
                roles.knight,
                roles.bishop,
                roles.rook,
                roles.queen,
                roles.king,
                colors.white,
                colors.black,
            ],
            promoted: position.promoted(),
            white_to_move: position.turn().is_white(),
            castling: position.castles().castling_rights(),
            ep: position.ep_square(),
        }
    }
}

#[cfg(test)]
mod tests;

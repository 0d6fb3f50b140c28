//! A board whose sensors, or the daemon, were away for long: the moves in between are found, or the gap is recorded and
//! play goes on.
//!
//! In: when a board's device fell silent and spoke again, what it shows then. Out: nothing where a line of plies
//! explains that (it is told to be uncertain); else the end of the game without a result, with the gap as its reason,
//! and the next game from what stands on the boards. It guesses no moves.

use super::{DeviceIndex, Table, devices::Wired, play::seen};
use crate::{
    event::LinkState,
    notation::bfen::Bfen,
    rules::{BoardPosition, Game, Pocket},
    types::{Bitboard, BoardId, Color, Instant, Kinds, MS, Role, SECOND, Square},
};

/// Sensors that were away for a shorter time have missed presses rather than moves.
const UNWATCHED_US: i64 = 2 * SECOND;
/// A shorter absence hides few plies: the tracker finds them.
const LONG_US: i64 = 10 * SECOND;
/// How long devices take to show their boards after their first word, and how often boards are looked at after that.
const START_UP_US: i64 = SECOND;
const AGAIN_US: i64 = 200 * MS;
/// A board that has rested so long has no man in the air.
const REST_US: i64 = 400 * MS;
/// How long a moment is waited for in which nothing is open. After twice that, a board on which not every square tells
/// is left to the tracker.
const PATIENCE_US: i64 = 20 * SECOND;

/// One board that nobody knows any more.
#[derive(Clone, Copy, Debug)]
pub struct Adrift {
    /// When its sensors were back.
    since: Instant,
    /// When it is looked at next.
    due: Instant,
}

impl Table {
    /// A device is understood again: presses were lost, and where it was away for longer, moves. After long, nobody
    /// knows what its board shows until it is looked at.
    pub(super) fn sensors_back(&mut self, device: DeviceIndex, away_us: i64) {
        let Some(board) = self.sensors.devices.get(device).and_then(|wired| wired.settings.board) else { return };
        if away_us >= UNWATCHED_US {
            self.play.tracker.unwatched(board, self.now);
            self.judge_link(device);
            self.judge.pockets_doubted = self.play.is_on();
        } else {
            self.play.tracker.gap(board);
        }
        if self.is_adrift(board) || away_us >= LONG_US && self.play.is_on() {
            self.adrift[board.index()] = Some(Adrift { since: self.now, due: self.now + START_UP_US });
        }
    }

    /// Nobody knows what was played on a board while the daemon was away.
    pub(super) fn cast_adrift(&mut self, board: BoardId) {
        self.adrift[board.index()] = Some(Adrift { since: self.now, due: self.now });
    }

    pub(super) fn is_adrift(&self, board: BoardId) -> bool {
        self.adrift[board.index()].is_some()
    }

    pub(super) fn adrift_deadline(&self) -> Option<Instant> {
        self.adrift.iter().flatten().map(|adrift| adrift.due).min()
    }

    /// Looks at boards that are due.
    pub(super) fn watch_adrift(&mut self) {
        for board in self.play.game.ids() {
            let Some(adrift) = self.adrift[board.index()].filter(|adrift| self.now >= adrift.due) else { continue };
            let speaks =
                |wired: &Wired| wired.settings.board == Some(board) && wired.device.speaks().state() == LinkState::Up;
            if !self.sensors.devices.iter().any(speaks) {
                self.adrift[board.index()] = Some(Adrift { due: self.now + START_UP_US, ..adrift });
            } else if !self.play.is_on() {
                self.adrift[board.index()] = None;
            } else if self.is_found(board) || self.now - adrift.since >= 2 * PATIENCE_US {
                self.found(board);
            } else if let Some(position) = self.standing(board, self.now - adrift.since >= PATIENCE_US) {
                self.go_on(board, position);
            } else {
                self.adrift[board.index()] = Some(Adrift { due: self.now + AGAIN_US, ..adrift });
            }
        }
    }

    /// Whether the tracker explains all that the board shows, or nobody can tell what stands there.
    fn is_found(&self, board: BoardId) -> bool {
        let seen = seen(&self.sensors, &self.play.game, &self.play.ledger, board);
        let mut tracker = self.play.tracker.clone();
        tracker.gap(board);
        tracker.observe(&self.play.game, board, &seen, self.now);
        let vague = Square::ALL.into_iter().any(|square| seen.placement.kinds(square) == Kinds::OCCUPIED);
        vague || tracker.unexplained(board).is_empty()
    }

    /// Play goes on as after a short absence.
    fn found(&mut self, board: BoardId) {
        self.adrift[board.index()] = None;
        self.play.tracker.gap(board);
        self.observe(board);
        self.settle();
    }

    /// What stands on the board if every square tells and both kings are there. It must rest, and no press of another
    /// board wait for its ply, unless that was waited for in vain.
    fn standing(&self, board: BoardId, at_once: bool) -> Option<BoardPosition> {
        let placement = self.sensors.boards[board.index()].sense.placement();
        let others = self.play.game.ids().filter(|other| *other != board);
        let quiet = others.into_iter().all(|other| !self.play.tracker.is_pressed(other));
        let rests = quiet && self.now - placement.latest() >= REST_US;
        if !rests && !at_once {
            return None;
        }
        let before = self.play.game.board(board);
        let mut setup = shakmaty::Setup::from(before);
        setup.board = shakmaty::Board::empty();
        let mut promoted = Bitboard::EMPTY;
        for square in Square::ALL {
            match placement.kinds(square).single()? {
                // It became something else and looks as before (WBN 5.7).
                Some(pawn) if pawn.role == Role::Pawn && BoardPosition::is_last_rank(pawn.color, square) => {
                    let role = before.rules().promotions().next().unwrap_or(Role::Queen);
                    setup.board.set_piece_at(square, role.of(pawn.color));
                    promoted.add(square);
                }
                Some(man) => setup.board.set_piece_at(square, man),
                None => {}
            }
        }
        let same = |square: &Square| setup.board.piece_at(*square) == before.board().piece_at(*square);
        setup.promoted = promoted | before.promoted().into_iter().filter(same).collect::<Bitboard>();
        setup.ep_square = None;
        setup.turn = self.clock_view(board).and_then(|view| view.to_move).unwrap_or(setup.turn);
        let kings = |color| (setup.board.kings() & setup.board.by_color(color)).count() == 1;
        Color::ALL.into_iter().all(kings).then(|| BoardPosition::from_setup(&setup, before.plies(), *before.rules()))
    }

    /// The gap is recorded, and the next game begins with what stands on the boards.
    fn go_on(&mut self, board: BoardId, position: BoardPosition) {
        let game = self.with_pockets(board, position);
        let ran = self.play.clock_ran.clone();
        let reason = format!("a gap: what was played on board {board} while its sensors were away is not known");
        self.end("*", &reason, vec![board], "table");
        self.adrift[board.index()] = None;
        // A position without history, as a text has it.
        let game = Bfen::of_game(&game, |_| None).to_game(&self.ruleset);
        self.go_on_from(game, ran);
        (self.judge.goes_on, self.judge.pockets_doubted) = (true, true);
    }

    /// All boards with one of them as it stands now. Fewer men than before are captured ones, more are dropped ones;
    /// trays may hold more than that tells.
    fn with_pockets(&self, board: BoardId, mut position: BoardPosition) -> Game {
        let mut positions: Vec<BoardPosition> =
            self.play.game.ids().map(|id| self.play.game.board(id).clone()).collect();
        let before = &positions[board.index()];
        let count = |position: &BoardPosition, color, role: Role| position.board().by_piece(role.of(color)).count();
        let mut captured = Vec::new();
        for color in Color::ALL {
            let mut pocket = *before.pocket(color);
            for role in Role::ALL {
                let (was, is) = (count(before, color, role), count(&position, color, role));
                let dropped = u8::try_from(is.saturating_sub(was)).unwrap_or(u8::MAX);
                *pocket.get_mut(role) = pocket.get(role).saturating_sub(dropped);
                captured.extend((is..was).map(|_| (color, role)));
            }
            position.set_pocket(color, pocket);
        }
        positions[board.index()] = position;
        for (color, role) in captured {
            let partner = board.seat(color).opponent().partners(positions.len()).next();
            if let Some(partner) = partner {
                positions[partner.board.index()].add_to_pocket(partner.color, role);
            }
        }
        for (index, position) in positions.iter_mut().enumerate() {
            let Some(id) = BoardId::new(index) else { continue };
            for color in Color::ALL {
                let tray = self.sensors.trays.get(id.seat(color).index()).and_then(Option::as_ref);
                // What is on its way or in a hand lies in no tray.
                let seen = tray.map_or(Pocket::default(), |tray| *tray.seen());
                position.set_pocket(color, most(*position.pocket(color), seen));
            }
        }
        Game::from_positions(self.ruleset.clone(), positions)
    }
}

fn most(left: Pocket, right: Pocket) -> Pocket {
    left.zip(right).map(|(left, right)| left.max(right))
}

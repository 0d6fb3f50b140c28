"""Four players who play a script: when they act, in which manner, with which habits.

In:   a script of plies, a profile, a seed, the clocks' time.
Out:  a `Play`: the world's history, both clocks, the buttons that were pressed, and the turns with their times and
      habits (the truth).
Knows nothing of: sensors and bytes. Players see only what stands on the table, and react after 0.2 s at the earliest.
"""

import random

import chess

from acts import POLL, Hand
from clock import LeverClock
from world import BESIDE, PARTNER, Stage, World, is_white

REACTION = (0.20, 0.32)
LONGEST_GAME = 3600.0
CASTLED = {chess.G1: (chess.H1, chess.F1), chess.C1: (chess.A1, chess.D1)}
CASTLED |= {chess.square_mirror(king): tuple(map(chess.square_mirror, rook)) for king, rook in CASTLED.items()}


class Turn:
    """A ply being played. Times in seconds: first touch, men released, lever pressed, completed in whatever way."""

    def __init__(self, ply, previous):
        self.ply = ply
        self.previous = previous
        self.next = None
        self.first = self.made = self.pressed = self.done = None
        self.forgotten = False
        self.habits = []

    @property
    def cell(self):
        return (self.ply.board, self.ply.move.to_square)


class Play:
    """A game under way: world, clocks, turns, which man is meant to stand where, which buttons were pressed when."""

    def __init__(self, script, profile, seed, base):
        self.stage = Stage()
        self.world = World(self.stage)
        self.clocks = {board: LeverClock(base) for board in "AB"}
        self.turns = _turns(script)
        self.profile = profile
        self.over = False
        self.men = {board: {} for board in "AB"}
        self.pawn_of = {}
        self.usable = {}
        self.buttons = []
        rng = random.Random(f"{seed}-players")
        self.players = {seat: Player(seat, self, random.Random(rng.random())) for seat in "AaBb"}
        self.world.set_up()
        for (board, square), man in list(self.world.men_at.items()):
            self.men[board][square] = man
        for board in "AB":
            self.stage.start(self._begin(board), after=3.5 + rng.uniform(0.0, 0.4))
        for player in self.players.values():
            self.stage.start(player.play_all())
        self.stage.run(LONGEST_GAME)
        self.end = self.stage.now
        for clock in self.clocks.values():
            clock.stop(self.end + rng.uniform(0.6, 1.4))

    def played(self):
        """The turns that were played, in the order of their completion."""
        return sorted((turn for turn in self.turns if turn.done is not None), key=lambda turn: turn.done)

    def _begin(self, board):
        self.clocks[board].press(self.stage.now, white=False)
        yield 0.0


class Player(Hand):
    """One seat's mind and hands."""

    def __init__(self, seat, play, rng):
        super().__init__(seat, play.world, play.profile.pace, rng)
        self.play = play
        self.board = seat.upper()
        self.clock = play.clocks[self.board]
        self.passing = 0
        self.hasty = False

    @property
    def now(self):
        return self.play.stage.now

    def shows(self, habit, turn):
        """Whether a habit shows at this turn; if so it is noted."""
        if not self.play.profile.shows(self.rng, habit):
            return False
        turn.habits.append(habit)
        return True

    def manner(self, group, turn):
        manner = self.play.profile.manner(self.rng, group)
        turn.habits.append(manner)
        return manner

    def play_all(self):
        for turn in self.play.turns:
            if turn.ply.seat != self.seat:
                continue
            yield from self.await_turn(turn)
            if self.play.over:
                return
            yield from self.fidget(turn)
            yield from self.move(turn)
            yield from self.complete(turn)
            yield from self.afterwards(turn)

    # --- waiting -------------------------------------------------------------------------------------------------

    def await_turn(self, turn):
        """Until this player's hand starts to move."""
        how = self._readiness(turn)
        while self._moment(turn, how) is None or not self._has_man(turn):
            if self.play.over:
                return
            yield from self.idle(turn)
            yield POLL
        seen = self._moment(turn, how)
        reaction = self.rng.uniform(*REACTION) + self._thought(how)
        if turn.previous and turn.previous.forgotten:
            reaction += self.rng.uniform(1.0, 2.5)
        yield max(0.0, seen + reaction - self.now, REACTION[0] if turn.ply.drop else 0.0)

    def idle(self, turn):
        """What hands do while the opponent thinks."""
        opponents_time = turn.previous and turn.previous.first is None
        if not opponents_time or "looked" in turn.habits:
            return
        turn.habits.append("looked")
        man = self._man_to_drop(turn)
        if man and man in self.world.in_tray(self.seat):
            if self.shows("prepared-drop", turn):
                yield from self.reach()
                yield from self.lift(man, self.world.where[man])
            elif self.shows("prepared-back", turn):
                yield from self.reach()
                yield from self.lift(man, self.world.where[man])
                yield self.span(0.4, 2.0)
                self._lay_down(man)
        if self.shows("adjust-waiting", turn):
            yield from self.adjust_one(turn, own=True)
        if self.shows("shuffle", turn):
            yield from self.shuffle()

    def _readiness(self, turn):
        if turn.previous and self.shows("premove", turn):
            return "premove"
        return "quick" if self.shows("quick-reply", turn) else "normal"

    def _moment(self, turn, how):
        """When the sight came that this player waits for, or None."""
        if turn.previous is None:
            return self.now if self.clock.running is not None else None
        return turn.previous.made if how == "premove" else turn.previous.done

    def _thought(self, how):
        if how == "quick":
            return 0.0
        if how == "premove":
            return self.rng.uniform(0.0, 0.2)
        return min(10.0, self.play.profile.thinking * self.rng.lognormvariate(0.0, 0.7))

    def _man_to_drop(self, turn):
        if not turn.ply.drop:
            return None
        held = [man for man, place in self.world.where.items() if place == ("hand", self.seat)]
        mine = [man for man in held if man not in self.play.pawn_of]
        for man in [*mine, *self.world.in_tray(self.seat)]:
            fits = man.kind == turn.ply.drop and man.white == is_white(self.seat)
            if fits and self.play.usable.get(man, self.now) < self.now:
                return man
        return None

    def _has_man(self, turn):
        return turn.ply.drop is None or self._man_to_drop(turn) is not None

    # --- before the move -----------------------------------------------------------------------------------------

    def fidget(self, turn):
        """What happens between the opponent's move and the own one."""
        turn.first = self.now
        if self.shows("adjust", turn):
            yield from self.adjust_one(turn, own=True)
        if self.shows("adjust-several", turn):
            for _ in range(self.rng.choice((2, 3))):
                yield from self.adjust_one(turn, own=True)
        if self.shows("adjust-opponent", turn):
            yield from self.adjust_one(turn, own=False)
        if self.shows("touch", turn):
            yield from self.touch(turn)
        if self.shows("take-back", turn):
            yield from self.take_back(turn)
        if self.shows("illegal-take-back", turn):
            yield from self.illegal_take_back(turn)
        if self.shows("knock-several", turn):
            yield from self.sweep(turn)
        if self.shows("hover", turn):
            self.hold = self.span(0.7, 2.5)

    def adjust_one(self, turn, own):
        choice = self._standing(turn, own)
        if choice:
            yield from self.adjust(*choice)

    def sweep(self, turn):
        """A sleeve lays men flat; they are stood up one by one."""
        first = self._standing(turn, own=True)
        if first is None:
            return
        around = chess.SquareSet(chess.BB_KING_ATTACKS[first[1][1]])
        meant = [(man, (self.board, square)) for square, man in self.play.men[self.board].items() if square in around]
        beside = [(man, cell) for man, cell in meant if self.world.at(cell) is man and man not in self.world.lying]
        fallen = [first, *beside][: self.rng.choice((2, 3, 4))]
        for man, _ in fallen:
            self.world.fall(man)
        yield self.span(0.4, 1.0)
        for man, cell in fallen:
            yield self.span(0.2, 0.6)
            if self.world.at(cell) is man:
                self.world.raise_up(man)

    def touch(self, turn):
        choice = self._standing(turn, own=True)
        if choice:
            man, cell = choice
            yield from self.reach()
            yield from self.lift(man, cell)
            yield self.span(0.3, 1.2)
            yield from self.put(man, cell)

    def take_back(self, turn):
        moves = [move for move in turn.ply.others if self._can_be_tried(move)]
        if moves:
            answered = turn.next and not self.play.over and self.shows("premove-back", turn)
            yield from self._try(self.rng.choice(moves), turn.next if answered else None)

    def illegal_take_back(self, turn):
        choice = self._standing(turn, own=True)
        free = [square for square in chess.SQUARES if self._free(square)]
        if choice and free:
            yield from self._try(chess.Move(choice[1][1], self.rng.choice(free)))

    def _try(self, move, answered=None):
        start, cell = (self.board, move.from_square), (self.board, move.to_square)
        man = self.world.at(start)
        yield from self.reach()
        yield from self.quiet(man, move.from_square, cell)
        if answered:
            opponent = self.play.players[answered.ply.seat]
            opponent.hasty = True
            self.play.stage.start(opponent.answer_hastily(answered, man, start))
            yield self.span(0.7, 1.2)
        yield self.span(0.3, 1.5)
        yield from self.back_to(man, start)
        yield self.span(0.3, 1.2)
        if answered:
            yield from self.until(lambda: not opponent.hasty)

    def answer_hastily(self, turn, other, home):
        """Answers a move of another man that goes home again, and takes the answer back too."""
        moves = [move for move in turn.ply.others if self._can_be_tried(move) and move.to_square != home[1]]

        def taken_back():
            return self.world.at(home) is other

        yield self.rng.uniform(*REACTION)
        move = self.rng.choice(moves) if moves else None
        if move and self._can_be_tried(move) and not taken_back():
            man = self.world.at((self.board, move.from_square))
            yield from self.reach()
            yield from self.quiet(man, move.from_square, (self.board, move.to_square))
            yield from self.until(taken_back)
            yield self.rng.uniform(*REACTION)
            yield from self.back_to(man, (self.board, move.from_square))
        self.hasty = False

    def _can_be_tried(self, move):
        man = self.world.at((self.board, move.from_square))
        if not man or man in self.world.lying or not self._free(move.to_square):
            return False
        castling = man.kind == "K" and chess.square_distance(move.from_square, move.to_square) > 1
        return not castling and not move.promotion

    def _free(self, square):
        """Whether no man stands there, nor is about to come back there from the opponent's hand."""
        return self.world.at((self.board, square)) is None and square not in self.play.men[self.board]

    def _near(self, cell):
        """A free cell beside one, or None."""
        free = [square for square in chess.SquareSet(chess.BB_KING_ATTACKS[cell[1]]) if self._free(square)]
        return (self.board, self.rng.choice(free)) if free else None

    def _standing(self, turn, own):
        """A man that stands where it is meant to, and its cell; not one of this turn's."""
        spared = {turn.ply.move.from_square, turn.ply.move.to_square, turn.ply.victim}
        if turn.previous:
            spared.add(turn.previous.ply.move.to_square)
        cells = [
            (man, (self.board, square))
            for square, man in sorted(self.play.men[self.board].items())
            if square not in spared
            and (man.white == is_white(self.seat)) == own
            and self.world.at((self.board, square)) is man
            and man not in self.world.lying
        ]
        return self.rng.choice(cells) if cells else None

    # --- the move ------------------------------------------------------------------------------------------------

    def move(self, turn):
        """Plays the move on the board, up to the release of the last man."""
        ply, men = turn.ply, self.play.men[self.board]
        if ply.knight and not self.shows("said-late", turn):
            yield from self.declare_knight()
        if self._plain(turn) and self.shows("early-press", turn):
            self.other_hand = lambda: self._press_if_on_move(turn)
        accident = None if self.other_hand else self.knocked(turn)
        if ply.drop:
            yield from self.drop(turn)
        else:
            man, victim = men.pop(ply.move.from_square), men.pop(ply.victim, None)
            men[ply.move.to_square] = man
            yield from self.reach()
            if ply.castling:
                yield from self.castles(turn, man)
            elif ply.move.promotion:
                yield from self.promote(turn, man, victim)
            elif victim and ply.victim != ply.move.to_square:
                yield from self.en_passant(turn, man, victim)
            elif victim:
                yield from self.take(turn, man, victim)
            else:
                yield from self.walk(turn, man)
            if victim:
                self.play.usable[victim] = float("inf")
                self.passing += 1
                self.play.stage.start(self.pass_on(turn, victim))
        self.other_hand = None
        if accident:
            yield from self.stand_up(*accident)
        turn.made = self.now

    def _plain(self, turn):
        """Whether one man is put down and this player's time runs."""
        ply = turn.ply
        quiet = not (ply.castling or ply.move.promotion or ply.victim is not None)
        return quiet and self.clock.running is is_white(self.seat)

    def walk(self, turn, man):
        start = turn.ply.move.from_square
        far = bool(chess.between(start, turn.ply.move.to_square))
        wrong = self._beside(turn, "wrong-square")
        if wrong:
            yield from self.quiet(man, start, wrong)
            yield self.span(0.15, 0.7)
            yield from self.back_to(man, turn.cell)
        elif man in self.world.lying and self.shows("lies-on", turn):
            yield from self.lift(man, (self.board, start))
            yield from self.carry(man, start, turn.cell, lying=True)
        elif self.shows("between-squares", turn):
            yield from self.lift(man, (self.board, start))
            yield from self.carry(man, start, turn.cell, lying=True)
            self.play.stage.start(self._stand_up_late(turn, man, turn.cell))
        elif far and self.shows("slide-rest", turn):
            yield from self.slide(man, start, turn.cell, rest=True)
        elif far and self.shows("slide", turn):
            yield from self.slide(man, start, turn.cell)
        else:
            yield from self.quiet(man, start, turn.cell)

    def _beside(self, turn, habit):
        """Where the man is put down by mistake; whose other hand presses does not see it in time."""
        if self.other_hand or not self.shows(habit, turn):
            return None
        return self._near(turn.cell)

    def take(self, turn, man, victim):
        act = getattr(self, "capture_" + self.manner("capture", turn).replace("-", "_"))
        yield from act(man, turn.ply.move.from_square, victim, turn.cell)

    def en_passant(self, turn, man, victim):
        place, start = (self.board, turn.ply.victim), turn.ply.move.from_square
        manner = self.manner("en-passant", turn)
        if manner == "ep-first":
            yield from self.lift(victim, place)
            yield self.span(0.1, 0.3)
            yield from self.quiet(man, start, turn.cell)
        elif manner == "ep-together":
            yield from self.lift(man, (self.board, start))
            yield from self.lift(victim, place)
            yield from self.carry(man, start, turn.cell)
        else:
            yield from self.quiet(man, start, turn.cell)
            if self.shows("ep-late", turn):
                self.play.stage.start(self._take_off_late(turn, victim, place))
                return
            yield self.span(0.1, 0.3)
            yield from self.lift(victim, place)

    def _take_off_late(self, turn, victim, place):
        yield from self.until(lambda: turn.done is not None)
        yield self.span(0.1, 0.5)
        yield from self.lift(victim, place)

    def castles(self, turn, king):
        king_to = turn.ply.move.to_square
        rook_from, rook_to = CASTLED[king_to]
        men = self.play.men[self.board]
        rook = men[rook_to] = men.pop(rook_from)
        squares = (turn.ply.move.from_square, king_to, rook_from, rook_to)
        yield from self.castle(self.manner("castling", turn), self.board, king, rook, squares)

    def drop(self, turn):
        man = self._man_to_drop(turn)
        place = self.world.where[man]
        self.play.men[self.board][turn.ply.move.to_square] = man
        yield from self.reach()
        if place != ("hand", self.seat):
            yield from self.lift(man, place)
        wrong = self._beside(turn, "drop-nudged")
        yield from self.carry(man, None, wrong or turn.cell)
        if wrong:
            yield self.span(0.1, 0.5)
            yield from self.back_to(man, turn.cell)

    # --- promotion -----------------------------------------------------------------------------------------------

    def declare_knight(self):
        """Presses the button beside the own tray; without it a queen is meant."""
        yield self.span(0.3, 0.7)
        self.play.buttons.append((self.now, self.seat, "knight"))

    def promote(self, turn, pawn, victim):
        start = turn.ply.move.from_square
        manner = self.manner("promotion", turn)
        other = self._spare(turn.ply.move.promotion)
        if other is None and "swapped" in manner:
            turn.habits[-1] = manner = "left-standing"
        if "swapped" in manner:
            self.play.pawn_of[other] = pawn
        if victim and manner != "left-standing":
            yield from self.lift(victim, turn.cell)
            yield self.span(0.1, 0.3)
        if manner == "laid":
            yield from self.lift(pawn, (self.board, start))
            yield from self.carry(pawn, start, turn.cell, lying=True)
        elif manner == "swapped":
            yield from self.lift(pawn, (self.board, start))
            yield from self.enthrone(turn, pawn, other)
        elif victim and manner == "left-standing":
            yield from self.take(turn, pawn, victim)
        else:
            yield from self.quiet(pawn, start, turn.cell)
        if manner == "pushed-swapped":
            yield self.span(0.2, 0.6)
            yield from self.lift(pawn, turn.cell)
            yield from self.enthrone(turn, pawn, other)
        if manner == "left-standing" and other and self.shows("promotion-late", turn):
            self.play.stage.start(self._exchange_late(turn, pawn, other))

    def enthrone(self, turn, pawn, other):
        """The pawn is in the hand: the other man comes from the box to its place."""
        self.play.men[self.board][turn.ply.move.to_square] = other
        self.play.pawn_of[other] = pawn
        self.world.lift(other, self.seat)
        self.world.put(pawn, BESIDE)
        yield self.span(0.3, 0.8)
        yield from self.put(other, turn.cell)

    def _exchange_late(self, turn, pawn, other):
        yield from self.until(lambda: turn.done is not None)
        yield self.span(0.1, 0.3)
        busy = turn.next and turn.next.first is not None
        if not busy and self.world.at(turn.cell) is pawn and other not in self.play.pawn_of:
            self.world.lift(pawn, self.seat)
            yield from self.enthrone(turn, pawn, other)

    def _spare(self, kind):
        """A man in the box that no pawn's promotion has lent, or None."""
        letter = chess.piece_symbol(kind).upper() if is_white(self.seat) else chess.piece_symbol(kind)
        box = (man for man in self.world.box if man.letter == letter and man not in self.play.pawn_of)
        return next(box, None)

    # --- accidents -----------------------------------------------------------------------------------------------

    def knocked(self, turn):
        """A man that falls while the hand passes, with its cell and how it is put right; or None."""
        for habit in ("knock", "knock-late", "knock-away"):
            if not turn.ply.castling and self.shows(habit, turn):
                choice = self._standing(turn, own=self.rng.random() < 0.6)
                away = self._near(choice[1]) if choice and habit == "knock-away" else None
                if choice and away not in (turn.cell, (self.board, turn.ply.move.from_square)):
                    self._topple(*choice, away)
                    return (turn, *choice, habit)
                turn.habits.remove(habit)
        return None

    def _topple(self, man, cell, away):
        if away:
            self.world.put(man, away)
        else:
            self.world.fall(man)

    def stand_up(self, turn, man, cell, habit):
        if habit == "knock-late":
            self.play.stage.start(self._stand_up_late(turn, man, cell))
            return
        yield self.span(0.3, 0.9)
        yield from self._raise(man, cell)

    def _stand_up_late(self, turn, man, cell):
        yield from self.until(lambda: turn.done is not None)
        yield self.span(0.2, 1.0)
        yield from self._raise(man, cell)

    def _raise(self, man, cell):
        """Puts a man right that nobody has moved in the meantime."""
        if self.play.men[self.board].get(cell[1]) is not man:
            return
        if man in self.world.lying and self.world.at(cell) is man:
            self.world.raise_up(man)
        elif self.world.at(cell) is None and self.world.where[man][0] == self.board:
            yield from self.back_to(man, cell)

    # --- completing ----------------------------------------------------------------------------------------------

    def complete(self, turn):
        """Presses the clock, unless it was pressed already, is forgotten or cannot be pressed."""
        if turn.done is not None:
            return
        if "said-late" in turn.habits:
            yield from self.declare_knight()
        yield from self.until(lambda: self._may_press(turn) or self._cannot_press(turn))
        if self._cannot_press(turn):
            turn.habits.append("unpressed")
        elif turn.next and turn.next.next and not turn.ply.mate and self.shows("forgotten-press", turn):
            turn.forgotten = True
        else:
            if "premove" in turn.habits:
                yield max(0.0, turn.previous.done + self.rng.uniform(*REACTION) - self.now)
            yield self.span(0.15, 0.35)
            yield from self.until(lambda: self.passing == 0 or turn.ply.victim is not None)
            self._press_if_on_move(turn)
            return
        yield self.span(0.1, 0.2)
        self._done(turn)

    def _may_press(self, turn):
        before = turn.previous
        return (before is None or before.done is not None) and self.clock.running is is_white(self.seat)

    def _cannot_press(self, turn):
        before = turn.previous
        return before is not None and before.forgotten and self.clock.running is not is_white(self.seat)

    def _press_if_on_move(self, turn):
        if self.clock.press(self.now, is_white(self.seat)):
            turn.pressed = self.now
            self._done(turn)

    def _done(self, turn):
        turn.done = self.now
        if turn.ply.mate:
            self.play.over = True

    def afterwards(self, turn):
        if self.shows("adjust-after", turn):
            yield from self.reach()
            busy = turn.next and turn.next.first is not None
            man = self.world.at(turn.cell)
            if not busy and man and man is self.play.men[self.board].get(turn.cell[1]):
                yield from self.adjust(man, turn.cell)

    # --- captured men --------------------------------------------------------------------------------------------

    def pass_on(self, turn, victim):
        """Gives a captured man to the partner, as the pawn that it was."""
        manner = self.manner("passing", turn)
        if manner != "early-pass":
            yield from self.until(lambda: turn.done is not None)
        if manner == "late-pass":
            yield self.rng.uniform(1.0, 4.0)
        yield self.span(0.2, 0.6)
        yield from self.until(lambda: self.world.where[victim] in (BESIDE, ("hand", self.seat)))
        man = self.play.pawn_of.pop(victim, victim)
        if man is not victim:
            self.world.put(victim, BESIDE)
        partner = self.play.players[PARTNER[self.seat]]
        self.world.lift(man, self.seat)
        if manner == "direct" and partner.wants(man):
            self.world.lift(man, partner.seat)
        else:
            self.world.put(man, ("tray", partner.seat, self._slot(partner.seat, turn)))
        self.play.stage.start(self._release_for_use(turn, man))
        self.passing -= 1

    def _release_for_use(self, turn, man):
        """The partner may drop it after the capture was completed and the man was seen."""
        self.play.usable[man] = float("inf")
        yield self.rng.uniform(*REACTION)
        if not self.shows("drop-early", turn):
            yield from self.until(lambda: turn.done is not None)
        self.play.usable[man] = self.now

    def wants(self, man):
        """Whether this player waits for such a man with an open hand."""
        turn = next((turn for turn in self.play.turns if turn.ply.seat == self.seat and turn.first is None), None)
        return turn is not None and turn.ply.drop == man.kind and self._man_to_drop(turn) is None

    def _slot(self, seat, turn):
        free = self.world.free_slots(seat)
        return self.rng.choice(free) if self.shows("scatter", turn) else free[0]

    def shuffle(self):
        for man in self.world.in_tray(self.seat)[:3]:
            yield self.span(0.2, 0.5)
            place = self.world.where[man]
            if place[0] == "tray":
                yield from self.lift(man, place)
                yield self.span(0.1, 0.3)
                self._lay_down(man)

    def _lay_down(self, man):
        """Lays a man into any free slot of the own tray."""
        self.world.put(man, ("tray", self.seat, self.rng.choice(self.world.free_slots(self.seat))))


def _turns(script):
    turns, last = [], {}
    for ply in script:
        turn = Turn(ply, last.get(ply.board))
        if turn.previous:
            turn.previous.next = turn
        last[ply.board] = turn
        turns.append(turn)
    return turns

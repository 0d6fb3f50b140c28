"""The table as a thing of wood: every man has an identity and is in one place at every moment.

In:   hands that lift men and put them down, at the stage's time.
Out:  `history`: for every cell of boards and trays, what a perfect sensor there would have read since when.
Knows nothing of: the rules, whose turn it is, how sensors scan.

A place is a tuple: `("A", square)`, `("tray", seat, slot)`, `("hand", seat)`, or `("beside",)` for table and box.
Boards and trays are made of cells: a cell holds one man. A man that lies on its side is in its cell and not read.
"""

import heapq
from bisect import bisect_right
from itertools import count

import chess

BESIDE = ("beside",)
EMPTY = "."
SLOTS = 24
SEATS = "AaBb"
PARTNER = {"A": "b", "b": "A", "a": "B", "B": "a"}


def is_white(seat):
    """Whether the seat plays the white men."""
    return seat.isupper()


class Impossible(Exception):
    """The model did what nobody can do: a fault of the model."""


class Stage:
    """Virtual time in seconds. A process is a generator that yields how long it waits."""

    def __init__(self):
        self.now = 0.0
        self._order = count()
        self._queue = []

    def start(self, process, after=0.0):
        heapq.heappush(self._queue, (self.now + after, next(self._order), process))

    def run(self, until):
        while self._queue:
            self.now, _, process = heapq.heappop(self._queue)
            if self.now > until:
                raise Impossible(f"the game does not end within {until} s")
            wait = next(process, None)
            if wait is not None:
                self.start(process, wait)


class Man:
    """A wooden man."""

    def __init__(self, number, letter):
        self.number = number
        self.letter = letter

    @property
    def white(self):
        return self.letter.isupper()

    @property
    def kind(self):
        return self.letter.upper()

    def __repr__(self):
        return f"{self.letter}{self.number}"


class World:
    """Two boards, four trays, hands, and the box."""

    def __init__(self, stage):
        self.stage = stage
        self.where = {}
        self.men_at = {}
        self.lying = set()
        self.box = []
        self.history = {}

    def add(self, letter, place):
        man = Man(len(self.where), letter)
        self.where[man] = BESIDE
        self.put(man, place)
        return man

    def set_up(self):
        """Both boards in the first position; spare queens and knights in the box."""
        for board in "AB":
            for square, piece in sorted(chess.Board().piece_map().items()):
                self.add(piece.symbol(), (board, square))
        self.box = [self.add(letter, BESIDE) for letter in "QQNqqn"]

    def at(self, cell):
        return self.men_at.get(cell)

    def put(self, man, place, lying=False):
        """Puts a man down in a cell, into a hand or beside the boards."""
        self._leave(man)
        self.where[man] = place
        if not self._is_cell(place):
            return
        if place in self.men_at:
            raise Impossible(f"{man} is put on {self.men_at[place]} at {place}, {self.stage.now:.3f} s")
        self.men_at[place] = man
        if lying:
            self.lying.add(man)
        self._note(place)

    def lift(self, man, seat):
        self.put(man, ("hand", seat))

    def replace(self, man, victim, seat):
        """One motion: the victim is in the hand in the moment in which the man stands."""
        cell = self.where[victim]
        self._leave(victim, silent=True)
        self.where[victim] = ("hand", seat)
        self.put(man, cell)

    def fall(self, man):
        self.lying.add(man)
        self._note(self.where[man])

    def raise_up(self, man):
        self.lying.discard(man)
        self._note(self.where[man])

    def free_slots(self, seat):
        return [slot for slot in range(SLOTS) if ("tray", seat, slot) not in self.men_at]

    def in_tray(self, seat):
        return [self.men_at[("tray", seat, slot)] for slot in range(SLOTS) if ("tray", seat, slot) in self.men_at]

    def reading(self, cell, time):
        """The letter that stands in a cell at a time."""
        changes = self.history.get(cell, [])
        index = bisect_right(changes, time, key=lambda change: change[0])
        return changes[index - 1][1] if index else EMPTY

    def _leave(self, man, silent=False):
        place = self.where[man]
        self.lying.discard(man)
        if self._is_cell(place):
            del self.men_at[place]
            if not silent:
                self._note(place)

    def _note(self, cell):
        man = self.men_at.get(cell)
        letter = EMPTY if man is None or man in self.lying else man.letter
        self.history.setdefault(cell, []).append((self.stage.now, letter))

    @staticmethod
    def _is_cell(place):
        return place[0] in ("A", "B", "tray")

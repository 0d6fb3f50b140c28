"""What hands do with men: the motions of which moves are made, each a process in virtual time.

In:   a `Hand` (whose it is, the world, a pace, a random generator) and men with their squares.
Out:  changes of the world. A motion ends when the last man is released.
Knows nothing of: the rules, turns, clocks, sensors.

Times are those of arms: about 0.1 s to grip, 0.1-0.4 s to carry, more over a longer way.
"""

import chess

from world import BESIDE

POLL = 0.02


class Hand:
    """The hands of one player. All methods but `span` and `carrying` are processes."""

    def __init__(self, seat, world, pace, rng):
        self.seat = seat
        self.world = world
        self.pace = pace
        self.rng = rng
        self.hold = 0.0
        self.other_hand = None

    # --- times ---------------------------------------------------------------------------------------------------

    def span(self, low, high):
        return self.pace * self.rng.uniform(low, high)

    def reach(self):
        yield self.span(0.15, 0.40)

    def carrying(self, start, end):
        """Seconds that a man takes from square to square."""
        way = chess.square_distance(start, end) if start is not None else 5
        held, self.hold = self.hold, 0.0
        return held + self.span(0.10, 0.18) + self.pace * 0.025 * way

    # --- single men ----------------------------------------------------------------------------------------------

    def until(self, condition):
        """Waits for what another hand is about to finish."""
        while not condition():
            yield POLL

    def lift(self, man, cell):
        """Grips a man that stands or lies in a cell, and lifts it."""
        yield self.span(0.05, 0.12)
        yield from self.until(lambda: self.world.at(cell) is man)
        self.world.lift(man, self.seat)

    def put(self, man, cell, lying=False):
        """Puts a man down in an empty cell and lets go of it. `other_hand` has its turn just before."""
        if self.other_hand:
            act, self.other_hand = self.other_hand, None
            act()
            yield self.rng.uniform(0.01, 0.15)
        yield from self.until(lambda: self.world.at(cell) is None)
        self.world.put(man, cell, lying)
        yield self.span(0.03, 0.08)

    def carry(self, man, start, cell, lying=False):
        yield self.carrying(start, cell[1])
        yield from self.put(man, cell, lying)

    # --- moves ---------------------------------------------------------------------------------------------------

    def quiet(self, man, start, cell):
        yield from self.lift(man, (cell[0], start))
        yield from self.carry(man, start, cell)

    def slide(self, man, start, cell, rest=False):
        """Drags a man over the squares between: it is felt on each of them that is free."""
        yield from self.lift(man, (cell[0], start))
        between = list(chess.SquareSet(chess.between(start, cell[1])))
        if start > cell[1]:
            between.reverse()
        resting = self.rng.choice(between) if rest and between else None
        for square in between:
            yield self.span(0.03, 0.07)
            under = (cell[0], square)
            if self.world.at(under) is None:
                self.world.put(man, under)
                yield self.span(0.4, 0.9) if square == resting else self.span(0.04, 0.10)
                self.world.lift(man, self.seat)
        yield self.span(0.03, 0.07)
        yield from self.put(man, cell)

    def capture_victim_first(self, man, start, victim, cell):
        """The victim is taken away, then the own man comes."""
        yield from self.lift(victim, cell)
        yield self.span(0.15, 0.35)
        yield from self.quiet(man, start, cell)

    def capture_own_first(self, man, start, victim, cell):
        """The hand comes with the own man, takes the victim with two fingers, and puts the own man there."""
        yield from self.lift(man, (cell[0], start))
        yield self.carrying(start, cell[1])
        yield from self.lift(victim, cell)
        yield self.span(0.05, 0.15)
        yield from self.put(man, cell)

    def capture_replace(self, man, start, victim, cell):
        """The own man pushes the victim off its square: no moment in which the square is empty."""
        yield from self.lift(man, (cell[0], start))
        yield self.carrying(start, cell[1])
        yield from self.until(lambda: self.world.at(cell) is victim)
        self.world.replace(man, victim, self.seat)
        yield self.span(0.05, 0.10)

    def capture_two_hands(self, man, start, victim, cell):
        """One hand takes the victim while the other comes with the own man."""
        yield from self.lift(man, (cell[0], start))
        yield from self.lift(victim, cell)
        yield from self.carry(man, start, cell)

    def capture_victim_aside(self, man, start, victim, cell):
        """The victim is taken by the hand that then takes the own man; it is laid beside the board first."""
        yield from self.lift(victim, cell)
        yield self.span(0.30, 0.60)
        self.world.put(victim, BESIDE)
        yield self.span(0.30, 0.60)
        yield from self.quiet(man, start, cell)

    def castle(self, manner, board, king, rook, squares):
        """`squares`: king from, king to, rook from, rook to."""
        king_from, king_to, rook_from, rook_to = squares
        if manner == "both-hands":
            yield from self.lift(king, (board, king_from))
            yield from self.lift(rook, (board, rook_from))
            yield self.carrying(king_from, king_to)
            yield from self.put(king, (board, king_to))
            yield from self.put(rook, (board, rook_to))
            return
        steps = [(king, king_from, king_to), (rook, rook_from, rook_to)]
        if manner == "rook-first":
            steps.reverse()
        for index, (man, start, end) in enumerate(steps):
            if index:
                yield self.span(0.10, 0.30)
            yield from self.quiet(man, start, (board, end))

    # --- besides moves -------------------------------------------------------------------------------------------

    def adjust(self, man, cell):
        """Lifts a man a little and puts it back in the middle of its square."""
        yield from self.reach()
        if self.world.at(cell) is not man:
            return
        lying = man in self.world.lying
        self.world.lift(man, self.seat)
        yield self.span(0.10, 0.40)
        yield from self.put(man, cell, lying)

    def back_to(self, man, cell):
        """Puts a man that stands somewhere on the board back into a cell."""
        place = self.world.where[man]
        if place != cell:
            yield from self.lift(man, place)
            yield from self.carry(man, place[1], cell)

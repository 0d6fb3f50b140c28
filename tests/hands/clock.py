"""A chess clock with a lever.

In:   presses at times.
Out:  what the clock shows and how its lever lies at any time, also in the past.
Knows nothing of: moves, cables, how a board asks for the time.
"""

from bisect import bisect_right


class LeverClock:
    """Times in seconds. `running` is True while White's time runs, False for Black's, None when the clock stands."""

    def __init__(self, base):
        self._log = [(0.0, None, True, float(base), float(base))]

    @property
    def running(self):
        return self._log[-1][1]

    def press(self, now, white):
        """The player presses the own side: the opponent's time runs. A lever that is down stays down."""
        if self.running is (not white):
            return False
        self._note(now, not white, not white)
        return True

    def stop(self, now):
        self._note(now, None, self._log[-1][2])

    def at(self, time):
        """(running, whose lever is high, white's time left, black's time left)."""
        index = bisect_right(self._log, time, key=lambda entry: entry[0]) - 1
        since, running, high, white, black = self._log[max(index, 0)]
        spent = max(0.0, time - since)
        if running is True:
            white = max(0.0, white - spent)
        elif running is False:
            black = max(0.0, black - spent)
        return running, high, white, black

    def _note(self, now, running, high):
        _, _, white, black = self.at(now)
        self._log.append((now, running, high, white, black))

"""Reads BPGN in the clean form of `tests/data/games.bpgn`. Anything else is an error: a referee must not guess."""

import re
from dataclasses import dataclass

TAG = re.compile(r'\[(\w+) "([^"]*)"\]\s*')
COMMENT = re.compile(r"\{([^}]*)\}\s*")
CLOCK = re.compile(r"\{(-?[0-9.]+)\}\s*")
NUMBER = re.compile(r"(\d+)([AaBb])\.\s*")
WORD = re.compile(r"(\S+)\s*")
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
UNKNOWN = "None"  # as some engines write "*"


@dataclass(frozen=True)
class Ply:
    """One written move: `12a. P@h6 {82.526}`."""

    number: int
    seat: str
    san: str
    clock: str | None


@dataclass(frozen=True)
class Game:
    """One game as written."""

    tags: dict[str, str]
    plies: list[Ply]
    ending: str | None
    result: str


class Reader:
    """A cursor over the text of a file with any number of games."""

    def __init__(self, text: str):
        self.text = text
        self.at = 0

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What stands here, if it has this form."""
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def game(self) -> Game:
        """The next game."""
        tags: dict[str, str] = {}
        while tag := self.take(TAG):
            tags[tag[1]] = tag[2]
        plies: list[Ply] = []
        ending = None
        while True:
            if number := self.take(NUMBER):
                san = self.take(WORD)
                clock = self.take(CLOCK)
                assert san, f"a move after {number[0]!r}"
                plies.append(Ply(int(number[1]), number[2], san[1], clock and clock[1]))
            elif comment := self.take(COMMENT):
                ending = comment[1]
            else:
                word = self.take(WORD)
                around = self.text[max(self.at - 20, 0) : self.at + 20]
                assert word and word[1] in (*RESULTS, UNKNOWN), f"expected a result at {around!r}"
                return Game(tags, plies, ending, "*" if word[1] == UNKNOWN else word[1])


def read(text: str) -> list[Game]:
    """All games of a file."""
    reader = Reader(text.lstrip())
    games = []
    while reader.at < len(reader.text):
        games.append(reader.game())
    return games

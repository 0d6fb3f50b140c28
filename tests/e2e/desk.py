"""Devices of one table on pseudo-terminals: two DGT boards with clocks, four trays that speak BSLP, and hands.

Hands do what a script says, one step a word, in the language of `tests/it/referee/mod.rs`. `e2-` the square is empty,
`e4P` a white pawn stands there, `w` White presses, `b` Black presses: all on board A, on B with `B:` before it.
`b=p...` tray b shows a pawn in the first of four slots, `b!claim` a button of seat b, `go` both clocks run, `stop` they
stand, `.` hands rest, `2s` they wait. `anew` everything is set up for another game, `stand:ROWS` men stand as in a FEN,
`left:60,3` a clock shows so many seconds for White and for Black.
"""

import os
import pty
import re
import select
import threading
import time
import tty
from dataclasses import dataclass

STEP_SECONDS = 0.03
REST_SECONDS = 0.2
# What was set up is told once more and believed within this time.
SETTLED_SECONDS = 0.5
LOOK_SECONDS = 0.02
BASE_SECONDS = 180
FIRST_ROWS = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
CODES = ".PRNBKQprnbkq"
SEATS = "AaBb"
NO_SLOTS = "...."
DUMP, TIMES, FIELD, SERIAL, LONG_SERIAL, TRADEMARK, VERSION = 0x06, 0x0D, 0x0E, 0x11, 0x22, 0x12, 0x13


def codes(rows):
    """Piece codes of all fields, from a8 to h1."""
    squares = re.sub(r"\d", lambda digit: "." * int(digit[0]), rows).replace("/", "")
    return [CODES.index(man) for man in squares]


class Port:
    """One end of a pseudo-terminal; the other is kept open, so that a daemon may come and go."""

    def __init__(self):
        self.end, self.other = pty.openpty()
        tty.setraw(self.other)
        self.path = os.ttyname(self.other)

    def send(self, data):
        """All of it: what devices say is short."""
        os.write(self.end, data)

    def close(self):
        os.close(self.end)
        os.close(self.other)


@dataclass
class Clock:
    """A clock with a lever, in seconds. White sits at the right."""

    white: float = BASE_SECONDS
    black: float = BASE_SECONDS
    white_runs: bool = True
    running: bool = False

    def tick(self, seconds):
        """Time passes."""
        if self.running and self.white_runs:
            self.white = max(0.0, self.white - seconds)
        elif self.running:
            self.black = max(0.0, self.black - seconds)

    def display(self):
        """What it shows and how its lever lies, as a board tells it: a begun second is shown."""
        return bytes([*face(self.white), *face(self.black), self.running + 2 * self.white_runs])


def face(seconds):
    """Hours with the flag, minutes and seconds in BCD."""
    whole = int(-(-seconds // 1))
    hours, rest = divmod(whole, 3600)
    flag = 0 if whole else 0x10
    return [hours | flag, *(value // 10 * 16 + value % 10 for value in divmod(rest, 60))]


class Board(Port):
    """A DGT board with its clock."""

    def __init__(self):
        super().__init__()
        self.codes = codes(FIRST_ROWS)
        self.clock = Clock()
        self.speaks = False
        self.shown = b""
        self.answers = {
            0x42: lambda: (DUMP, bytes(self.codes)),
            0x45: lambda: (SERIAL, b"04711"),
            0x55: lambda: (LONG_SERIAL, b"0000004711"),
            0x47: lambda: (TRADEMARK, b"a board of the tests"),
            0x4D: lambda: (VERSION, b"\1\x08"),
        }

    def tell(self, kind, payload):
        """One message."""
        length = len(payload) + 3
        self.send(bytes([0x80 | kind, length >> 7, length & 0x7F]) + payload)

    def hear(self, data):
        """Commands of one byte."""
        for command in data:
            if command == 0x4B:
                self.speaks, self.shown = True, b""
            elif answer := self.answers.get(command):
                self.tell(*answer())

    def pass_time(self, seconds):
        """The clock is told where it shows something else."""
        self.clock.tick(seconds)
        if self.speaks and self.clock.display() != self.shown:
            self.shown = self.clock.display()
            self.tell(TIMES, self.shown)

    def put(self, field, code):
        """A field changes."""
        if self.codes[field] != code:
            self.codes[field] = code
            self.tell(FIELD, bytes([field, code]))


class Trays(Port):
    """A unit of four trays that tell men apart."""

    def __init__(self):
        super().__init__()
        self.slots = dict.fromkeys(SEATS, NO_SLOTS)
        self.seq = 0
        self.heard = b""
        self.began = self.beaten = time.monotonic()
        self.speaks = False

    def tell(self, name, *fields, numbered=True):
        """One line with its sum."""
        if numbered:
            fields = (self.seq, *fields)
            self.seq = (self.seq + 1) % 65536
        body = ",".join([name, *map(str, fields)])
        total = 0
        for byte in body.encode():
            total ^= byte
        self.send(f"${body}*{total:02X}\r\n".encode())

    def show(self, seat):
        """All slots of a tray."""
        self.tell("BSNAP", SEATS.index(seat), self.slots[seat])

    def hear(self, data):
        """Lines of the host: who are you, and what lies there."""
        *lines, self.heard = (self.heard + data).split(b"\n")
        for line in lines:
            if b"HHELO" in line:
                kind = ("tray", "0815", "tests", "1.0", "piece", len(SEATS), len(NO_SLOTS))
                self.tell("BHELO", 1, *kind, numbered=False)
            elif asked := re.search(rb"HSNAP,(\d)", line):
                self.speaks = True
                self.show(SEATS[int(asked[1])])

    def pass_time(self, seconds):
        """A beat every second."""
        now = time.monotonic()
        if self.speaks and now - self.beaten >= 1:
            self.beaten = now
            self.tell("BBEAT", int((now - self.began) * 1000), 0)


class Desk:
    """The table. `play` does what a script says; `ports` are for the configuration."""

    def __init__(self):
        self.boards = [Board(), Board()]
        self.trays = Trays()
        self.devices = [*self.boards, self.trays]
        self.ports = dict(zip(["board-a", "board-b", "trays"], (device.path for device in self.devices), strict=True))
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self.then = time.monotonic()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        """Answers the daemon and lets time pass."""
        ends = {device.end: device for device in self.devices}
        while not self.ended.is_set():
            ready, _, _ = select.select(list(ends), [], [], LOOK_SECONDS)
            with self.lock:
                for end in ready:
                    ends[end].hear(os.read(end, 4096))
                self.pass_time()

    def pass_time(self):
        """Clocks run by the time that has really passed."""
        now = time.monotonic()
        passed, self.then = now - self.then, now
        for device in self.devices:
            device.pass_time(passed)

    def attended(self):
        """Whether a host listens to everything."""
        return all(device.speaks for device in self.devices)

    def play(self, script):
        """Does all of it."""
        for word in script.split():
            self.step(word)

    def step(self, word):
        """Does one word of a script."""
        if word == ".":
            time.sleep(REST_SECONDS)
        elif waits := re.fullmatch(r"(\d+)(m?)s", word):
            time.sleep(int(waits[1]) / (1000 if waits[2] else 1))
        else:
            time.sleep(STEP_SECONDS)
            with self.lock:
                self.pass_time()
                self.touch(word.removeprefix("B:"), self.boards[word.startswith("B:")])
                self.pass_time()
            if word == "anew" or "stand:" in word:
                time.sleep(SETTLED_SECONDS)

    def touch(self, word, board):
        """One touch, on a board where it is one of a board."""
        if word in ("go", "stop"):
            for each in self.boards:
                each.clock.running = word == "go"
        elif word == "anew":
            self.set_up()
        elif word in ("w", "b"):
            board.clock.white_runs = word == "b"
        elif word.startswith("stand:"):
            self.stand(board, word.removeprefix("stand:"))
        elif word.startswith("left:"):
            board.clock.white, board.clock.black = map(float, word.removeprefix("left:").split(","))
        elif "=" in word:
            seat, self.trays.slots[seat] = word[0], word[2:]
            self.trays.show(seat)
        elif "!" in word:
            self.trays.tell("BBUTN", SEATS.index(word[0]), word[2:])
        else:
            board.put((8 - int(word[1])) * 8 + "abcdefgh".index(word[0]), CODES.index(word[2].replace("-", ".")))

    def stand(self, board, rows):
        """The men of a board stand otherwise, one after the other."""
        for field, code in enumerate(codes(rows)):
            board.put(field, code)

    def set_up(self):
        """Clocks are stopped and set, by way of other times; men, trays and clocks are as at the beginning."""
        for board in self.boards:
            board.clock.running = False
            board.pass_time(0)
            board.clock = Clock(BASE_SECONDS / 2, BASE_SECONDS / 2)
            board.pass_time(0)
            self.stand(board, FIRST_ROWS)
            board.clock = Clock()
        for seat in SEATS:
            if self.trays.slots[seat] != NO_SLOTS:
                self.trays.slots[seat] = NO_SLOTS
                self.trays.show(seat)

    def close(self):
        """Ends it."""
        self.ended.set()
        self.thread.join()
        for device in self.devices:
            device.close()

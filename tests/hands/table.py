"""What the devices of the table send: two boards with clocks and a tray unit, as bytes over time.

In:   a finished `Play`, a seed, a `Setup` (sensing, clocks, trays, faults), the clocks' time.
Out:  a capture: the header with the table's configuration, and lines in order of time; facts about the devices.
Knows nothing of: why men moved. The host is imitated by its questions' answers: boards send a dump now and then.

Sources: a DGT board reads its squares one after another, about 225 ms for all, and tells each that changed; its clock
is asked a few times a second; a line of 9600 baud carries a byte in 1.04 ms. Trays and boards of occupancy speak BSLP:
a change is told when two scans agree, a button when it is pressed.
"""

import random
from dataclasses import dataclass

import chess

from world import SEATS, SLOTS

START = "2026-11-20T15:00:00Z"
CODES = {letter: code for code, letter in enumerate(".PRNBKQprnbkq")}
DGT_BYTE = 10 / 9600
BSLP_BYTE = 10 / 115200
DUMP_EVERY = 8.0
DUMP_EVERY_WITH_FAULTS = 1.0  # a host asks when it sees what it cannot explain
AFTER_THE_END = 5.0


@dataclass
class Setup:
    """Of which kind the devices are."""

    sensing: str = "piece"
    clocks: bool = True
    trays: bool = True
    faults: bool = False


class Line:
    """A serial line: messages wait for their turn and arrive in one or two reads."""

    def __init__(self, name, byte_time, rng, faults):
        self.name = name
        self.byte_time = byte_time
        self.rng = rng
        self.faults = faults
        self.free = self.last = 0.0
        self.reads = []
        self.damaged = []

    def send(self, time, message):
        """Whether the message was damaged so that a host notices and asks again."""
        start = max(time, self.free)
        self.free = start + len(message) * self.byte_time
        data, noticed = self._damage(start, message) if self.faults else (message, False)
        cut = self.rng.randrange(1, len(data)) if len(data) > 1 and self.rng.random() < 0.1 else 0
        if cut:
            self._arrive(start + cut * self.byte_time, data[:cut])
        self._arrive(self.free, data[cut:])
        return noticed

    def _arrive(self, time, data):
        """A read comes up to 2 ms late, never before an earlier one."""
        if data:
            self.last = max(self.last, time + self.rng.uniform(0.0, 0.002))
            self.reads.append((self.last, {"dev": self.name, "rx": data.hex()}))

    def _damage(self, time, message):
        """Now and then a byte is lost, doubled or garbled, or the whole message is lost; and whether that is noticed.

        DGT messages have no sum: what is garbled inside or lost as a whole goes unnoticed. Lines of BSLP are numbered.
        """
        if self.rng.random() >= 0.003:
            return message, False
        self.damaged.append(time)
        at = self.rng.randrange(len(message))
        kind = self.rng.choice(("lost-byte", "doubled-byte", "garbled-byte", "lost-message"))
        noticed = message[0] == ord("$") or kind in ("lost-byte", "doubled-byte")
        if kind == "lost-byte":
            return message[:at] + message[at + 1 :], noticed
        if kind == "doubled-byte":
            return message[: at + 1] + message[at:], noticed
        if kind == "garbled-byte":
            return message[:at] + bytes([message[at] ^ (1 << self.rng.randrange(7))]) + message[at + 1 :], noticed
        return b"", noticed


class DgtBoard:
    """A DGT board in UPDATE_NICE mode, with or without a clock at its socket."""

    def __init__(self, name, play, line, rng, clocks):
        self.name = name
        self.world = play.world
        self.clock = play.clocks[name]
        self.line = line
        self.rng = rng
        self.clocks = clocks
        self.turned = rng.random() < 0.3
        self.white_left = rng.random() < 0.5
        self.scan = rng.uniform(0.200, 0.250)
        self.serial = f"{rng.randrange(100000):05d}"

    def facts(self):
        return {"rotated": self.turned, "clock_white": "left" if self.white_left else "right", "scan_s": self.scan}

    def configuration(self):
        return {"driver": "dgt", "board": self.name, "clock": self.clocks, "clock_white": "auto", "rotation": "auto"}

    def run(self, end):
        self.line.send(0.07, frame(0x93, [1, 8]))
        self.line.send(0.09, frame(0x91, self.serial.encode()))
        messages = [*self._fields(end), *(self._times(end) if self.clocks else [])]
        for time, message in sorted(messages, key=lambda message: message[0]):
            if self.line.send(time, message):
                self.line.send(time + 0.4, frame(0x86, [self._read(field, time + 0.4) for field in range(64)]))

    def _fields(self, end):
        """Field updates, and a dump of what was read last."""
        known = [self._read(field, 0.0) for field in range(64)]
        dump_at, start = 0.12, 0.12
        while start < end:
            if start >= dump_at:
                yield start, frame(0x86, known)
                every = DUMP_EVERY_WITH_FAULTS if self.line.faults else DUMP_EVERY
                dump_at = start + self.rng.uniform(0.8, 1.2) * every
            for field in range(64):
                time = start + self.scan * field / 64
                code = self._read(field, time)
                if code != known[field]:
                    known[field] = code
                    yield time, frame(0x8E, [field, code])
            start += self.scan

    def _read(self, field, time):
        square = chess.square_mirror(63 - field if self.turned else field)
        return CODES[self.world.reading((self.name, square), time)]

    def _times(self, end):
        """The clock's display, when it changed since it was asked last."""
        time, last = 0.2, None
        while time < end:
            shown = self._display(time)
            if shown != last:
                last = shown
                yield time, frame(0x8D, shown)
            time += self.rng.uniform(0.22, 0.30)

    def _display(self, time):
        running, high, white, black = self.clock.at(time)
        left, right = (white, black) if self.white_left else (black, white)
        right_high = high != self.white_left
        return [*digits(right), *digits(left), (running is not None) + 2 * right_high]


class BslpDevice:
    """A device of the line protocol: changes of cells when two scans agree, and a beat every second."""

    scan = 0.1

    def __init__(self, play, line, rng):
        self.world = play.world
        self.line = line
        self.rng = rng
        self.seq = 0
        self.serial = str(rng.randrange(1000, 9999))

    def run(self, end):
        for time, body in sorted([*self._greeting(), *self._changes(end), *self._beats(end)], key=lambda line: line[0]):
            if self.line.send(time, self._sentence(body)):
                for later, snapshot in self._snapshots(time + 0.15):
                    self.line.send(later, self._sentence(snapshot))

    def _greeting(self):
        channels, cells = len(self.channels()), len(self.channels()[0])
        yield 0.05, f"BHELO,1,{self.kind},{self.serial},imitated,1.0,{self.sensing},{channels},{cells}"
        yield from self._snapshots(0.1)

    def _snapshots(self, time):
        """All channels, as the host asks for them at first and after a damaged line."""
        for channel, places in enumerate(self.channels()):
            content = "".join(self.reading(cell, time) for cell in places)
            yield time + 0.01 * channel, f"BSNAP,@,{channel},{content}"

    def _changes(self, end):
        cells = [
            (channel, index, cell)
            for channel, row in enumerate(self.channels())
            for index, cell in enumerate(row)
            if cell in self.world.history
        ]
        told = {cell: self.reading(cell, 0.1) for _, _, cell in cells}
        before, time = dict(told), 0.2
        while time < end:
            for channel, index, cell in cells:
                now = self.reading(cell, time)
                if now == before[cell] and now != told[cell]:
                    told[cell] = now
                    yield time, f"BCELL,@,{channel},{index},{now}"
                before[cell] = now
            time += self.scan

    def _beats(self, end):
        shift = self.rng.random()
        for second in range(1, int(end)):
            yield second + shift, f"BBEAT,@,{1000 * second},0"

    def _sentence(self, body):
        """Fills in the number of the line, and adds the sum."""
        if "@" in body:
            body = body.replace("@", str(self.seq), 1)
            self.seq = (self.seq + 1) % 65536
        return sentence(body)


class Trays(BslpDevice):
    """Four trays that know men, with buttons."""

    kind, sensing, scan = "tray", "piece", 0.15

    def __init__(self, play, line, rng):
        super().__init__(play, line, rng)
        self.buttons = play.buttons

    def configuration(self):
        return {"driver": "bslp", "pockets": list(SEATS)}

    def channels(self):
        return [[("tray", seat, slot) for slot in range(SLOTS)] for seat in SEATS]

    def reading(self, cell, time):
        return self.world.reading(cell, time)

    def _changes(self, end):
        yield from super()._changes(end)
        for time, seat, name in self.buttons:
            yield time + self.rng.uniform(0.0, 0.03), f"BBUTN,@,{SEATS.index(seat)},{name}"


class OccupancyBoard(BslpDevice):
    """A board that feels only whether something stands on a square; a clock may be wired to it."""

    kind, sensing, scan = "board", "occupancy", 0.05

    def __init__(self, name, play, line, rng, clocks):
        super().__init__(play, line, rng)
        self.name = name
        self.clock = play.clocks[name]
        self.clocks = clocks

    def facts(self):
        return {"rotated": False, "clock_white": "left", "scan_s": self.scan}

    def configuration(self):
        return {"driver": "bslp", "board": self.name, "clock": self.clocks, "clock_white": "auto", "rotation": "auto"}

    def channels(self):
        return [[(self.name, chess.square_mirror(cell)) for cell in range(64)]]

    def reading(self, cell, time):
        return "." if self.world.reading(cell, time) == "." else "x"

    def _beats(self, end):
        yield from super()._beats(end)
        if self.clocks:
            yield from self._times(end)

    def _times(self, end):
        """Both displays at once when the lever moves, else every second."""
        time, last, told = 0.3, None, 0.0
        while time < end:
            running, _, white, black = self.clock.at(time)
            if running != last or time - told >= 0.9:
                last, told = running, time
                run = {None: "-", True: "L", False: "R"}[running]
                yield time, f"BCLOK,@,0,{int(white * 1000)},{int(black * 1000)},{run}"
            time += 0.02


def capture(play, setup, seed, base):
    """The header, the lines in order of time, and facts about the devices."""
    rng = random.Random(f"{seed}-devices")
    end = play.end + AFTER_THE_END
    devices, facts, lines = [], {}, []
    for name, make in _devices(play, setup):
        rate = BSLP_BYTE if name == "trays" or setup.sensing == "occupancy" else DGT_BYTE
        own = random.Random(rng.random())
        line = Line(name, rate, own, setup.faults)
        device = make(line, own)
        device.run(end)
        devices.append({"name": name, "port": f"/dev/serial/by-id/usb-{name}", **device.configuration()})
        facts[name] = {"damaged_us": [micros(time) for time in line.damaged]}
        if name != "trays":
            facts[name] |= device.facts()
        lines += [(0.0, {"dev": name, "link": "up"}), *line.reads]
    lines.sort(key=lambda entry: entry[0])
    table = {"id": "1", "ruleset": "wbn-1.00", "time_control": f"{base}+0", "device": devices}
    header = {"capture": 1, "started": START, "table": table}
    return [header, *({"t": micros(time)} | line for time, line in lines)], facts


def _devices(play, setup):
    """Names, and what makes the device on a line."""
    kind = OccupancyBoard if setup.sensing == "occupancy" else DgtBoard
    for board in "AB":
        yield f"board-{board.lower()}", lambda line, rng, board=board: kind(board, play, line, rng, setup.clocks)
    if setup.trays:
        yield "trays", lambda line, rng: Trays(play, line, rng)


def frame(code, payload):
    """A message of a DGT board."""
    length = len(payload) + 3
    return bytes([0x80 | (code & 0x7F), length >> 7, length & 0x7F, *payload])


def sentence(body):
    """A line of BSLP with its sum."""
    total = 0
    for byte in body.encode():
        total ^= byte
    return f"${body}*{total:02X}\r\n".encode()


def digits(seconds):
    """Hours, minutes and seconds as a DGT clock tells them; a begun second counts as whole."""
    whole = int(-(-seconds // 1))
    hours, rest = divmod(whole, 3600)
    return [hours, *(value // 10 * 16 + value % 10 for value in divmod(rest, 60))]


def micros(seconds):
    return round(seconds * 1_000_000)

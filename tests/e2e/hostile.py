#!/usr/bin/env python3
"""Strangers while a game is played: random and mutated bytes on serial lines, MQTT, WebSocket and HTTP.

    tests/.cache/venv/bin/python tests/e2e/hostile.py --seconds 600

One table plays game after game with emulated hands, each game is compared with its record; a second table's lines carry
nonsense. The daemon must not end, and its memory must not grow. $BUGHOUSED names the program; --seed repeats a run.
"""

import argparse
import base64
import json
import os
import pty
import random
import socket
import tempfile
import threading
import time
import tty
from pathlib import Path

import brokers
import live
import load
from load import truth

GROWTH_MIB_MAX = 48
WARM_UP_SHARE = 0.3
IDLE_SOCKETS = 64
FILTERS = ["bughouse/#", "bughouse/table/1/live/#", "bughouse/table/1/public/#", "#", "$SYS/#", "a/+/b"]
HTTP = [
    b"GET / HTTP/1.1\r\nhost: x\r\n\r\n",
    b"POST /login HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nguess",
    b"GET /assets/app.js HTTP/1.1\r\nhost: x\r\nif-none-match: *\r\n\r\n",
    b"GET /mqtt HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
    b"GET /mqtt?role=arbiter HTTP/1.1\r\nhost: x\r\ncookie: bughoused=0\r\n\r\n",
]


def field(text):
    """Bytes with their length before them."""
    data = text if isinstance(text, bytes) else text.encode()
    return len(data).to_bytes(2, "big") + data


def packet(kind, body):
    """An MQTT packet."""
    length, head = len(body), bytes([kind])
    while True:
        head += bytes([length & 0x7F | (0x80 if length > 0x7F else 0)])
        length >>= 7
        if not length:
            return head + body


def connect(chance, version):
    """A CONNECT that may be accepted; some ask for a session that is kept."""
    flags = chance.choice([2, 2, 0])
    name = field(f"stranger-{chance.randrange(10**9)}")
    properties = b"\x05\x11" + (3600).to_bytes(4, "big") if version == 5 else b""
    return packet(0x10, field("MQTT") + bytes([version, flags, 0, 30]) + properties + name)


def conversation(chance):
    """What an MQTT client might say, well-formed."""
    version = chance.choice([4, 5])
    none = b"\0" if version == 5 else b""
    topic = chance.choice(FILTERS)
    request = "bughouse/table/1/arbiter/request/" + chance.choice(["abort", "new-game", "result"])
    said = connect(chance, version)
    for _ in range(chance.randrange(4)):
        subscribe = packet(0x82, b"\0\1" + none + field(topic) + b"\1")
        publish = packet(chance.choice([0x30, 0x31]), field(request) + none + b'{"result":"1-0"}')
        said += chance.choice([subscribe, publish, packet(0xC0, b""), packet(0xE0, b"")])
    return said


def mutated(chance, data):
    """The bytes with some of them changed, cut, doubled or swapped for noise."""
    data = bytearray(data)
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(4):
            case 0:
                data[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del data[at : at + chance.randrange(8)]
            case 2:
                data[at:at] = data[at : at + chance.randrange(64)]
            case 3:
                data[at:at] = chance.randbytes(chance.randrange(64))
    return bytes(data)


def nonsense(chance, samples):
    """Noise, or a mutated sample."""
    kind = chance.randrange(4)
    if kind == 0:
        return chance.randbytes(chance.choice([1, 16, 256, 4096, 65536]))
    sample = chance.choice(samples) if not callable(samples) else samples(chance)
    return sample if kind == 1 else mutated(chance, sample)


def frame(chance, data):
    """A WebSocket frame of a browser, sometimes of a wrong kind."""
    opcode = chance.choice([0x82, 0x82, 0x82, 0x81, 0x80, 0x02, 0x89, 0xFF])
    size = len(data)
    if size < 126:
        head = bytes([opcode, 0x80 | size])
    elif size < 65536:
        head = bytes([opcode, 0xFE]) + size.to_bytes(2, "big")
    else:
        head = bytes([opcode, 0xFF]) + size.to_bytes(8, "big")
    mask = chance.randbytes(4)
    return head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))


class Strangers:
    """Threads that attack until they are told to stop."""

    def __init__(self, seed, mqtt_port, web_port, lines, only=""):
        self.stopped, self.counts, self.threads = threading.Event(), {}, []
        attacks = {"mqtt": (self.mqtt, mqtt_port), "web": (self.web, web_port), "socket": (self.socket, web_port)}
        attacks |= {f"serial {name}": (self.serial, line) for name, line in lines.items()}
        for name, (attack, target) in attacks.items():
            if only not in name:
                continue
            self.counts[name] = 0
            chance = random.Random(f"{seed} {name}")
            thread = threading.Thread(target=self.go, args=(name, attack, chance, target), daemon=True)
            self.threads.append(thread)
        self.idle = []
        self.idle_ports = (mqtt_port, web_port)

    def start(self):
        """Begins, with some sockets that never say anything."""
        for port in self.idle_ports:
            self.idle += [socket.create_connection(("127.0.0.1", port)) for _ in range(IDLE_SOCKETS)]
        for thread in self.threads:
            thread.start()

    def go(self, name, attack, chance, target):
        """One attack after the other."""
        while not self.stopped.is_set():
            try:
                attack(chance, target)
            except OSError:
                pass  # thrown out, as it should be
            self.counts[name] += 1
            time.sleep(0.02)

    def talk(self, port, parts):
        """Sends parts and reads a little."""
        with socket.create_connection(("127.0.0.1", port), timeout=2) as line:
            line.settimeout(0.05)
            for part in parts:
                line.sendall(part)
                try:
                    line.recv(65536)
                except TimeoutError:
                    pass

    def mqtt(self, chance, port):
        """Straight at the broker."""
        self.talk(port, [nonsense(chance, conversation) for _ in range(chance.randrange(1, 4))])

    def web(self, chance, port):
        """At the web server."""
        self.talk(port, [nonsense(chance, HTTP)])

    def socket(self, chance, port):
        """Through the WebSocket."""
        key = base64.b64encode(chance.randbytes(16))
        head = b"GET /mqtt HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
        head += b"sec-websocket-version: 13\r\nsec-websocket-protocol: mqtt\r\nsec-websocket-key: " + key + b"\r\n\r\n"
        self.talk(port, [head, *(frame(chance, nonsense(chance, conversation)) for _ in range(chance.randrange(1, 4)))])

    def serial(self, chance, line):
        """Along a serial line: noise, frames of boards and trays, and those frames damaged."""
        board = bytes([0x86, 0, 67]) + bytes(chance.randrange(13) for _ in range(64))
        field_update = bytes([0x8E, 0, 5, chance.randrange(64), chance.randrange(13)])
        tray = b"$BSNAP,1,0,P...n...*4A\r\n"
        os.write(line, nonsense(chance, [board, field_update, tray])[:4096])

    def stop(self):
        """Ends them."""
        self.stopped.set()
        for thread in self.threads:
            thread.join(5)
        for line in self.idle:
            line.close()


def second_table(ports):
    """The entry of the table whose lines carry nonsense."""
    device = '[[table.device]]\nname = "{0}"\ndriver = "{1}"\nport = "{2}"\n{3}\n'.format
    boards = [device(f"board-{x.lower()}", "dgt", ports[x], f'board = "{x}"\nclock = true') for x in "AB"]
    tray = device("trays", "bslp", ports["trays"], 'pockets = ["A", "a", "B", "b"]')
    return f'\n[[table]]\nid = "2"\n{"".join(boards)}{tray}'


def one_game(binary, daemon, ear, folder, game, links, seed):
    """Plays one game; how many of its moves were recorded, and whether all were right."""
    before = len(ear.heard())
    command = [binary, "simulate", game, "--human", "clean", "--seed", seed, "--links", links]
    simulator = live.Process(command, folder / f"simulate-{seed}.log")
    moves = truth.moves_of(truth.games(load.CORPUS)[load.GAME])
    played = {(move["board"], move["ply"]): move["move"] for move in moves}
    record = lambda: load.moves_of(event for _, event in ear.heard()[before:] if event["table"] == "1")  # noqa: E731
    try:
        live.wait_for("the game's moves", lambda: daemon.process.poll() is not None or record() == played, 120)
    except AssertionError:
        pass
    simulator.stop()
    return record() == played, record()


def run(binary, seconds, seed, folder, only=""):
    """The whole attack; the figures."""
    game = folder / "game.bpgn"
    game.write_text(truth.text_of(load.CORPUS, load.GAME))
    links = folder / "links"
    links.mkdir()
    lines, ports = {}, {}
    for name in ("A", "B", "trays"):
        lines[name], slave = pty.openpty()
        tty.setraw(slave)
        os.set_blocking(lines[name], False)
        ports[name] = os.ttyname(slave)
    own = {name: str(links / name) for name in ("board-a", "board-b", "trays")}
    broker = brokers.Embedded(folder, binary)
    web = live.free_port()
    mqtt = broker.mqtt + "\nlive_open = true"
    config = live.configuration(folder, mqtt, web, own, more=broker.more)
    config.write_text(config.read_text() + second_table(ports))
    daemon = live.Process([binary, "run", "--config", config], folder / "daemon.log")
    live.wait_for("the daemon", lambda: live.listens(broker.port) and live.listens(web))
    ear, strangers = load.Ear(broker.port), Strangers(seed, broker.port, web, lines, only)
    memory, games, began = [], [], time.monotonic()

    def sample():
        while not strangers.stopped.wait(2):
            if daemon.process.poll() is None:
                memory.append(load.memory_mib(daemon.process.pid))

    sampler = threading.Thread(target=sample, daemon=True)
    strangers.start()
    sampler.start()
    while not games or time.monotonic() - began < seconds:
        games.append(one_game(binary, daemon, ear, folder, game, links, len(games) + 1))
        if daemon.process.poll() is not None:
            break
    strangers.stop()
    ear.close()
    code = daemon.stop()
    output = daemon.output()
    warm = memory[int(len(memory) * WARM_UP_SHARE) :] or memory
    third = max(1, len(warm) // 3)
    return {
        "seconds": round(time.monotonic() - began),
        "games": len(games),
        "games exact": sum(exact for exact, _ in games),
        "exit code": code,
        "panics": output.count("panicked"),
        "attacks": strangers.counts,
        "memory MiB at first, warm, at last": [
            round(memory[0], 1), round(sum(warm[:third]) / third, 1), round(sum(warm[-third:]) / third, 1),
        ],  # fmt: skip
        "log lines": output.count("\n"),
    }


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="attacks whose names have this in them")
    arguments = parser.parse_args()
    binary = Path(os.environ.get("BUGHOUSED", load.ROOT / "target/debug/bughoused")).resolve()
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(run(binary, arguments.seconds, arguments.seed, Path(folder), arguments.only), indent=2))


if __name__ == "__main__":
    main()

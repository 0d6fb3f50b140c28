#!/usr/bin/env python3
"""Writes `fuzz/corpus/TARGET/` from `tests/data`: good input of every reader, for the fuzzer to spoil."""

import json
from pathlib import Path

FUZZ = Path(__file__).resolve().parent
DATA = FUZZ.parent / "tests/data"
# Bytes of a stream or of a capture in one seed.
CHUNK = 4096


def records() -> list[bytes]:
    games = (DATA / "games.bpgn").read_bytes().split(b"[Event ")[1:]
    return [b"[Event " + game for game in games] + [path.read_bytes() for path in (DATA / "raw").iterdir()]


def positions() -> list[bytes]:
    lines = (DATA / "perft.txt").read_text().splitlines()
    return [line.split(" ;")[0].encode() for line in lines if line and not line.startswith("#")]


def moves() -> list[bytes]:
    """Every position with moves that fit somewhere: drops, castling, promotions, captures, both spellings."""
    words = "e4 e5 Nf3 Nbd7 exd5 O-O O-O-O a8=Q a8=N exd6 N@f3+ P@e6 p@e3 B@h7 R@a1# Q@d4 K@e4 e2e4 e1g1 a7a8n n@f5"
    return [position + b"\n" + words.replace(" ", "\n").encode() for position in positions()]


def captures() -> list[Path]:
    return sorted((DATA / "captures").glob("*.jsonl"))


def received(trays: bool) -> list[bytes]:
    """What the devices of the captures sent, in chunks."""
    chunks = []
    for path in captures():
        lines = [json.loads(line) for line in path.read_text().splitlines()[1:]]
        sent = [bytes.fromhex(line["rx"]) for line in lines if "rx" in line and (line["dev"] == "trays") == trays]
        stream = b"".join(sent)
        chunks += [stream[at : at + CHUNK] for at in range(0, len(stream), CHUNK)]
    return chunks


def beginnings() -> list[bytes]:
    """The first lines of every capture."""
    return [path.read_bytes()[:CHUNK].rsplit(b"\n", 1)[0] for path in captures()]


SEEDS = {
    "bpgn": records,
    "bfen": positions,
    "san": moves,
    "dgt": lambda: received(trays=False),
    "bslp": lambda: received(trays=True),
    "capture": beginnings,
    "config": lambda: [(FUZZ.parent / "systemd/bughoused.toml").read_bytes()],
}

for target, seeds in SEEDS.items():
    folder = FUZZ / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds()):
        (folder / f"seed-{number:03}").write_bytes(seed)

#!/usr/bin/env python3
"""Many tables on one node, all played at once by emulated hands: is a move lost, how late is it, what does it cost?

    tests/.cache/venv/bin/python tests/e2e/load.py --tables 64 --human blitz     one run
    tests/.cache/venv/bin/python tests/e2e/load.py --growth 128                  1, 2, 4 ... 128 tables, and growth.svg

Each table plays the same short game with other hands. What is published is compared with the game, and with what the
same hands give in virtual time, where nothing is ever late. Latency is from the input that decided (stamped when it
arrived) to the subscriber. CPU and memory are the daemon's alone. $BUGHOUSED names the program. `--growth` also draws what one table costs beside
many, each line with what strictly linear growth would be.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import live
import paho.mqtt.client as mqtt

ROOT = Path(__file__).resolve().parent.parent.parent
# Where pytest finds the referee; as a command this file looks there itself.
sys.path.append(str(ROOT / "tests/differential"))

import truth  # noqa: E402

CORPUS = ROOT / "tests/data/games.bpgn"
# 27 plies in about 20 s.
GAME = 31
GAME_SECONDS_MAX = 240
SETTLE_SECONDS = 3
TICKS = os.sysconf("SC_CLK_TCK")


class Ear:
    """A subscriber to the events of all tables that notes when each one came."""

    def __init__(self, port):
        self.events, self.lock = [], threading.Lock()
        self.ready = threading.Event()
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self.client.on_connect = lambda client, *_: client.subscribe("bughouse/table/+/live/event", 1)
        self.client.on_subscribe = lambda *_: self.ready.set()
        self.client.on_message = self.on_message
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        assert self.ready.wait(20)

    def on_message(self, client, userdata, message):
        """Notes one event."""
        came = time.time()
        with self.lock:
            self.events.append((came, json.loads(message.payload)))

    def heard(self):
        """All until now."""
        with self.lock:
            return list(self.events)

    def close(self):
        """Ends it."""
        self.client.disconnect()
        self.client.loop_stop()


def cpu_seconds(pid):
    """Processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory_mib(pid):
    """Resident memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def percentile(values, share):
    """The value below which that share lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


def configure(folder, count, simulators, mqtt_port):
    """A node with a table for every simulator, which wrote its own entry."""
    entries = []
    for index in range(count):
        file = folder / f"table-{index}.toml"
        live.wait_for(str(file), lambda file=file: file.exists() and file.read_text().count("[[table.device]]") == 3)
        lines = [line for line in file.read_text().splitlines() if not line.startswith("id")]
        entries.append("\n".join(lines).replace("[[table]]", f'[[table]]\nid = "{index + 1}"', 1))
    head = f"""[node]
id = "load"
data_dir = "{folder / "data"}"
[mqtt]
broker = "embedded"
listen = "127.0.0.1:{mqtt_port}"
live_open = true
[web]
listen = "127.0.0.1:{live.free_port()}"
"""
    path = folder / "bughoused.toml"
    path.write_text(head + "\n".join(entries))
    return path


def virtually(binary, game, human, seed, folder):
    """The moves that the same hands give when nothing is ever late."""
    capture = folder / f"virtual-{seed}.jsonl"
    command = [binary, "simulate", game, "--human", human, "--seed", str(seed), "--capture", capture]
    subprocess.run(command, check=True, capture_output=True)
    replayed = subprocess.run([binary, "replay", capture], check=True, capture_output=True, text=True).stdout
    return moves_of(map(json.loads, replayed.splitlines()))


def moves_of(events):
    """A table's record after corrections: `(board, ply) -> move`."""
    moves = {}
    for event in events:
        if event["type"] == "move":
            moves[event["board"], event["ply"]] = event["move"]
        elif event["type"] == "correction" and event["moves"]:
            first = event["moves"][0]["ply"]
            moves = {at: move for at, move in moves.items() if at[0] != event["board"] or at[1] < first}
            moves |= {(move["board"], move["ply"]): move["move"] for move in event["moves"]}
    return moves


def run(binary, tables, human, folder, seconds=GAME_SECONDS_MAX):
    """Plays on that many tables; the figures."""
    game = folder / "game.bpgn"
    game.write_text(truth.text_of(CORPUS, GAME))
    played = {(move["board"], move["ply"]): move["move"] for move in truth.moves_of(truth.games(CORPUS)[GAME])}
    play = lambda index: [  # noqa: E731
        binary, "simulate", game, "--human", human, "--seed", index + 1, "--table", folder / f"table-{index}.toml"
    ]  # fmt: skip
    simulators = [live.Process(play(index), folder / f"simulate-{index}.log") for index in range(tables)]
    port = live.free_port()
    config = configure(folder, tables, simulators, port)
    daemon = live.Process([binary, "run", "--config", config], folder / "daemon.log")
    try:
        live.wait_for("the daemon", lambda: live.listens(port), 60)
        ear = Ear(port)
        began, used = time.monotonic(), cpu_seconds(daemon.process.pid)
        count = lambda: len([1 for _, event in ear.heard() if event["type"] == "move"])  # noqa: E731
        quiet, last = time.monotonic(), 0
        while time.monotonic() - quiet < 15 and time.monotonic() - began < seconds:
            time.sleep(0.5)
            if (now := count()) != last:
                quiet, last = time.monotonic(), now
            if now >= len(played) * tables:
                break
        lasted, used = time.monotonic() - began, cpu_seconds(daemon.process.pid) - used
        memory = memory_mib(daemon.process.pid)
        time.sleep(SETTLE_SECONDS)
        heard = ear.heard()
        ear.close()
        code = daemon.stop()
    finally:
        for process in [daemon, *simulators]:
            process.stop()
    assert code == 0 and "panicked" not in daemon.output(), daemon.output()[-2000:]
    assert "journal is behind" not in daemon.output() and "not published" not in daemon.output()
    return figures(binary, tables, human, folder, game, played, heard, lasted, used, memory)


def figures(binary, tables, human, folder, game, played, heard, lasted, used, memory):
    """What the run shows."""
    by_table = {str(index + 1): [] for index in range(tables)}
    for _, event in heard:
        by_table[event["table"]].append(event)
    gaps = 0
    for events in by_table.values():
        numbers = [event["seq"] for event in events]
        gaps += sum(1 for one, other in zip(numbers, numbers[1:]) if other != one + 1)
    with ThreadPoolExecutor(2) as pool:
        virtual = list(pool.map(lambda seed: virtually(binary, game, human, seed + 1, folder), range(tables)))
    records = [moves_of(by_table[str(index + 1)]) for index in range(tables)]
    stamps = [(came * 1e6, stamp(event), event) for came, event in heard]
    started = max(stamped - event["t"] for _, stamped, event in stamps)
    moves = [(came, event) for came, _, event in stamps if event["type"] == "move"]
    late = [(came - started - event["t"]) / 1000 for came, event in moves]
    since = [(came - started - event["completed_at"]) / 1000 for came, event in moves]
    return {
        "tables": tables,
        "human": human,
        "moves played": len(played) * tables,
        "moves recorded": sum(len(record) for record in records),
        "moves recorded in virtual time": sum(len(record) for record in virtual),
        "tables exact": sum(record == played for record in records),
        "tables exact in virtual time": sum(record == played for record in virtual),
        "gaps in seq": gaps,
        "messages/s": round(len(heard) / lasted, 1),
        "input to subscriber ms p50": round(percentile(late, 0.5), 2),
        "input to subscriber ms p99": round(percentile(late, 0.99), 2),
        "input to subscriber ms max": round(max(late), 2),
        "press to subscriber ms p50": round(percentile(since, 0.5), 1),
        "press to subscriber ms p99": round(percentile(since, 0.99), 1),
        "cpu % of one core": round(100 * used / lasted, 1),
        "cpu % of one core per table": round(100 * used / lasted / tables, 2),
        "memory MiB": round(memory, 1),
    }


def draw(runs, file):
    """A picture of cost, memory and delay over the number of tables, each beside linear growth from the first run."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    tables = [run["tables"] for run in runs]
    drawn = {"processor, % of one core": "cpu % of one core", "memory, MiB": "memory MiB"}
    figure, axes = pyplot.subplots(1, 3, figsize=(12, 4), layout="constrained")
    for axis, (title, key) in zip(axes, drawn.items()):
        values = [run[key] for run in runs]
        axis.plot(tables, values, marker="o", label="measured")
        axis.plot(tables, [values[0] * count / tables[0] for count in tables], linestyle=":", label="linear")
        axis.set_title(title)
    for share in ("p50", "p99"):
        delays = [run[f"input to subscriber ms {share}"] for run in runs]
        axes[2].plot(tables, delays, marker="o", label=share)
    axes[2].set_title("input to subscriber, ms")
    for axis in axes:
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        axis.set_xticks(tables, tables)
        axis.set_xlabel("tables")
        axis.legend()
    figure.suptitle(f"{runs[0]['human']} on {os.cpu_count()} cores")
    figure.savefig(file)


def stamp(event):
    """The event's wall-clock time in microseconds since 1970, to the millisecond."""
    from datetime import datetime

    return datetime.fromisoformat(event["time"]).timestamp() * 1e6


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=64)
    parser.add_argument("--human", default="blitz")
    parser.add_argument("--growth", type=int, metavar="MAX", help="1, 2, 4 … MAX tables, drawn into --picture")
    parser.add_argument("--picture", default="growth.svg", metavar="FILE", help="SVG, PNG or PDF (growth.svg)")
    arguments = parser.parse_args()
    binary = Path(os.environ.get("BUGHOUSED", ROOT / "target/debug/bughoused")).resolve()
    counts = [arguments.tables]
    if arguments.growth:
        counts = [1 << power for power in range(arguments.growth.bit_length()) if 1 << power <= arguments.growth]
    runs = []
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            found = run(binary, count, arguments.human, Path(folder))
        runs.append(found)
        print(json.dumps(found), flush=True)
    if arguments.growth:
        draw(runs, arguments.picture)
        print(f"drawn into {arguments.picture}")


if __name__ == "__main__":
    main()

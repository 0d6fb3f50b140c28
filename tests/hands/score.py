"""Compares what the daemon recorded with what was played.

In:   a `bughoused` binary, a folder of captures with their truths.
Out:  `Verdict`s, one a game: moves right, missed, invented; illegal moves that nobody made; the first wrong ply.
Knows nothing of: how captures are made, how the daemon works. It reads the events of `bughoused replay` alone.
"""

import json
import subprocess
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path


@dataclass
class Verdict:
    """A game's record beside its truth."""

    name: str
    played: int = 0
    right: int = 0
    recorded: int = 0
    uncertain: int = 0
    first_wrong: list = field(default_factory=list)
    false_illegal: list = field(default_factory=list)
    missed_illegal: list = field(default_factory=list)

    @property
    def perfect(self):
        return self.right == self.played == self.recorded and not self.false_illegal


def replay(binary, captures, out, jobs=1):
    """Replays captures; the events of each are in a file of the folder `out`."""
    out.mkdir(parents=True, exist_ok=True)
    command = [str(binary), "replay", "--quiet", "--jobs", str(jobs), "--out", str(out), *map(str, captures)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def score(binary, folder, jobs=1):
    """The verdicts on all captures of a folder, by name."""
    captures = sorted(folder.glob("*.jsonl"))
    out = folder / "events"
    replay(binary, captures, out, jobs)
    verdicts = []
    for capture in captures:
        truth = json.loads(capture.with_suffix(".truth.json").read_text())
        events = [json.loads(line) for line in _events_of(out, capture).read_text().splitlines()]
        verdicts.append(judge(truth, events))
    return verdicts


def judge(truth, events):
    """Compares a truth with the events of its replay."""
    verdict = Verdict(truth["game"])
    record = final_record(events)
    verdict.uncertain = open_uncertainties(events)
    for board in "AB":
        played = [move for move in truth["moves"] if move["board"] == board]
        recorded = _without_open(record[board], len(played), [m["uci"] for m in truth["open"] if m["board"] == board])
        matcher = SequenceMatcher(None, [move["uci"] for move in played], recorded, autojunk=False)
        verdict.played += len(played)
        verdict.recorded += len(recorded)
        verdict.right += sum(block.size for block in matcher.get_matching_blocks())
        verdict.first_wrong += _first_wrong(board, played, recorded)
    told = illegal_moves(events)
    made = {(move["board"], move["uci"]) for move in truth["moves"] if move["illegal"]}
    verdict.false_illegal = sorted(told - made)
    verdict.missed_illegal = sorted(made - told)
    return verdict


def final_record(events):
    """The moves of each board as they stand at the end, corrections applied."""
    record, ply_of = {"A": {}, "B": {}}, {}
    for event in events:
        if event["type"] == "move":
            ply_of[event["seq"]] = event["ply"]
            record[event["board"]][event["ply"]] = event["move"]
        elif event["type"] == "correction":
            start = ply_of[event["supersedes"]]
            ply_of[event["seq"]] = start
            _correct(record[event["board"]], start, event["moves"])
    return {board: [moves[ply] for ply in sorted(moves)] for board, moves in record.items()}


def open_uncertainties(events):
    """Uncertainties that were never resolved."""
    opened = sum(event["type"] == "uncertain" for event in events)
    return max(0, opened - sum(event["type"] == "resolved" for event in events))


def illegal_moves(events):
    """(board, move) of incidents of illegal moves as they stand at the end; dismissed ones are none."""
    last = {}
    for event in events:
        if event["type"] == "incident" and event["kind"] == "illegal-move":
            last[event["id"]] = event
    return {(event["board"], event["evidence"].get("uci")) for event in last.values() if event["state"] != "dismissed"}


def _correct(moves, start, corrected):
    for ply in [ply for ply in moves if ply >= start]:
        del moves[ply]
    moves.update({move["ply"]: move["move"] for move in corrected})


def _without_open(recorded, length, loose):
    """A record without the plies at its end that were never completed by a press."""
    extra = recorded[length:]
    return recorded[:length] if extra and extra == loose[: len(extra)] else recorded


def _first_wrong(board, played, recorded):
    """The first ply of a board that is not as it was played, in a list; with the habits of the plies around."""
    for index in range(max(len(played), len(recorded))):
        move = played[index] if index < len(played) else None
        told = recorded[index] if index < len(recorded) else None
        if move is None or told != move["uci"]:
            around = [near["habits"] for near in played[max(0, index - 1) : index + 2]]
            return [{"board": board, "ply": index + 1, "played": move, "recorded": told, "around": around}]
    return []


def _events_of(out, capture):
    found = sorted(Path(out).glob(f"{capture.stem}*"))
    if not found:
        raise FileNotFoundError(f"no events of {capture.name} in {out}")
    return found[0]

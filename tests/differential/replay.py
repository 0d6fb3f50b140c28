#!/usr/bin/env python3
"""Replays game records on two boards with python-chess and pyffish and says what a referee has to find.

    replay.py FILE.bpgn                     one JSON line a game, in the form of `bughoused adjudicate --json`
    replay.py FILE.bpgn --against OURS      compares with the lines that bughoused wrote; exit 1 on any difference

At every ply the two libraries have to agree on the whole set of legal moves, and at the end on the position; a
disagreement between them is an error of the referee and stops it.
"""

import argparse
import json
import multiprocessing
import sys
from pathlib import Path

import bpgn
import fairy
import two_boards

COMPARED = ("legal", "plies", "bfen", "mate", "result")


class RefereesDisagree(Exception):
    """python-chess and pyffish say different things about the same position."""


class Referee:
    """One game under both libraries."""

    def __init__(self):
        self.table = two_boards.Table()
        self.second = fairy.Table()

    def play(self, ply: bpgn.Ply) -> None:
        """Plays a written move. ValueError if it is illegal."""
        if not self.table.on_turn(ply.seat):
            raise ValueError("not this seat's turn")
        name = ply.seat.upper()
        board = self.table.boards[name]
        ours = {move.uci() for move in board.legal_moves}
        theirs = self.second.boards[name].legal()
        if ours != theirs:
            raise RefereesDisagree(f"{board.fen()}: {sorted(ours ^ theirs)}")
        move = board.parse_san(ply.san)
        if move.promotion not in two_boards.PROMOTIONS:
            raise ValueError("no promotion of wbn-1.00")
        self.table.push(ply.seat, move)
        self.second.push(ply.seat, move.uci())
        self.compare_positions()

    def compare_positions(self) -> None:
        """Both libraries hold the same placement, holdings, side and castling rights."""
        for name in two_boards.BOARDS:
            first = self.table.boards[name].bfen().rsplit(" ", 1)[0]
            second = self.second.boards[name].bfen()
            if first != second:
                raise RefereesDisagree(f"board {name}: {first} / {second}")


def judge(number: int, game: bpgn.Game) -> dict:
    """What `adjudicate` has to say about a game. The first mate decides; legal plies behind it are played on."""
    referee = Referee()
    plies, end, fault, mate, result = 0, 0, None, [], game.result
    for index, ply in enumerate(game.plies, start=1):
        try:
            referee.play(ply)
        except ValueError as error:
            fault = {"index": index, "move": ply.san, "seat": ply.seat, "why": str(error)}
            break
        plies = index
        decided, mate = bool(mate), referee.table.mated()
        if mate and not decided:
            result = two_boards.result_of_mate(mate[0], referee.table.boards[mate[0]])
            end = index
    return {
        "game": number,
        "legal": fault is None,
        "plies": plies,
        "fault": fault,
        "bfen": referee.table.bfen(),
        "mate": mate,
        "result": result,
        "written": {"after_the_end": plies - end if mate else 0, "result": game.result, "ending": game.ending},
    }


def judge_all(games: list[bpgn.Game]) -> list[dict]:
    """All games of a file, on all cores."""
    with multiprocessing.Pool() as pool:
        return pool.starmap(judge, enumerate(games, start=1))


def plain_bfen(bfen: str) -> str:
    """Placement, holdings, side, castling and e.p. of all boards: no times, no empty holdings."""
    boards = (board.split() for board in bfen.split("|"))
    return " | ".join(" ".join([fields[0].removesuffix("/"), *fields[1:4]]) for fields in boards)


def differences(expected: dict, found: dict) -> list[str]:
    """Where a line of bughoused differs from the referee's, one sentence each."""
    listed = []
    for key in COMPARED:
        want, got = expected[key], found.get(key)
        if key == "bfen" and isinstance(got, str):
            got = plain_bfen(got)
        if want != got:
            listed.append(f"game {expected['game']}: {key}: expected {want!r}, found {got!r}")
    return listed


def main() -> int:
    parser = argparse.ArgumentParser(description="judges bughouse records with python-chess and pyffish")
    parser.add_argument("file", type=Path)
    parser.add_argument("--against", type=Path, help="JSON lines of bughoused adjudicate --json")
    arguments = parser.parse_args()
    expected = judge_all(bpgn.read(arguments.file.read_text()))
    if arguments.against is None:
        for line in expected:
            print(json.dumps(line))
        return 0
    found = [json.loads(line) for line in arguments.against.read_text().splitlines()]
    listed = [f"expected {len(expected)} games, found {len(found)}"] if len(expected) != len(found) else []
    for want, got in zip(expected, found, strict=False):
        listed += differences(want, got)
    print("\n".join(listed) or f"{len(expected)} games agree")
    return 1 if listed else 0


if __name__ == "__main__":
    sys.exit(main())

"""What a game has to look like in the event stream, worked out by the referee of `../differential`."""

from collections import defaultdict
from dataclasses import replace as with_changes
from pathlib import Path

import bpgn
import replay
import two_boards

# Clock messages carry whole seconds.
CLOCK_MS_MAX = 1000
# Two boards read by a busy machine: presses so close together may be seen in either order.
TOGETHER_SECONDS_MAX = 0.5


def games(corpus: Path) -> list[bpgn.Game]:
    """The games of the corpus; the first has index 0."""
    return bpgn.read(corpus.read_text())


def text_of(corpus: Path, index: int) -> str:
    """One game of the corpus as it stands in the file."""
    return "[Event " + corpus.read_text().split("[Event ")[index + 1]


def moves_of(game: bpgn.Game) -> list[dict]:
    """Every ply as the `move` event has it."""
    table = two_boards.Table()
    plies = {name: 0 for name in two_boards.BOARDS}
    moves = []
    for ply in game.plies:
        name = ply.seat.upper()
        plies[name] += 1
        move = table.boards[name].parse_san(ply.san)
        table.push(ply.seat, move)
        moves.append(
            {
                "board": name,
                "seat": ply.seat,
                "ply": plies[name],
                "number": (plies[name] + 1) // 2,
                "move": move.uci(),
                "bfen": table.bfen(),
            }
        )
    return moves


def shown(event: dict) -> dict:
    """The fields of a `move` event that [`moves_of`] knows, in its form."""
    return {
        "board": event["board"],
        "seat": event["seat"],
        "ply": event["ply"],
        "number": event["number"],
        "move": event["move"],
        "bfen": replay.plain_bfen(event["bfen"]),
    }


def elapsed_of(game: bpgn.Game) -> list[float]:
    """For every ply the seconds that had run on its board when its clock was pressed."""
    base = float(game.tags["TimeControl"].split("+")[0])
    left = defaultdict(lambda: base)
    elapsed = []
    for ply in game.plies:
        left[ply.seat] = float(ply.clock)
        elapsed.append(2 * base - left[ply.seat] - left[ply.seat.swapcase()])
    return elapsed


def as_told(game: bpgn.Game, events: list[dict]) -> bpgn.Game:
    """The game with its two boards interleaved as the `move` events have them.

    Only plies pressed nearly at once may change places; a game told in any other order comes back as it was.
    """
    written: dict[str, list] = {name: [] for name in two_boards.BOARDS}
    for ply, seconds in zip(game.plies, elapsed_of(game), strict=True):
        written[ply.seat.upper()].append((seconds, ply))
    told = [event["board"] for event in events if event["type"] == "move"]
    if any(told.count(name) != len(plies) for name, plies in written.items()):
        return game
    order = [written[name].pop(0) for name in told]
    for index, (seconds, ply) in enumerate(order):
        for earlier, before in order[:index]:
            swapped = game.plies.index(before) > game.plies.index(ply)
            if swapped and earlier - seconds > TOGETHER_SECONDS_MAX:
                return game
    return with_changes(game, plies=[ply for _, ply in order])


def check_moves(events: list[dict], game: bpgn.Game) -> None:
    """Every move of the game once, in order, with its position and a true SAN."""
    found = [event for event in events if event["type"] == "move"]
    expected = moves_of(game)
    assert [(event["seat"], event["move"]) for event in found] == [(want["seat"], want["move"]) for want in expected]
    for event, want in zip(found, expected, strict=True):
        assert shown(event) == want
        assert event["made_at"] <= event["completed_at"] <= event["t"]
    for event, ply in zip(found, game.plies, strict=True):
        assert event["san"].rstrip("+#") == ply.san.rstrip("+#")


def check_clocks(events: list[dict], game: bpgn.Game) -> None:
    """The mover's time left after every move, as the record has it, within what clock messages carry."""
    found = [event for event in events if event["type"] == "move"]
    assert len(found) == len(game.plies)
    for event, ply in zip(found, game.plies, strict=True):
        if ply.clock is None:
            continue
        side = "white_ms" if ply.seat.isupper() else "black_ms"
        written = round(float(ply.clock) * 1000)
        told = f"{ply.number}{ply.seat}. {ply.san}: the record has {written} ms, found {event['clock']}"
        assert event["clock"] is not None and abs(event["clock"][side] - written) <= CLOCK_MS_MAX, told


def check_envelope(events: list[dict]) -> None:
    """One version, one session, one table; `seq` without gaps or repetitions; time does not go back."""
    assert events
    assert {(event["v"], event["session"], event["table"]) for event in events} == {(1, events[0]["session"], "1")}
    assert [event["seq"] for event in events] == list(range(events[0]["seq"], events[0]["seq"] + len(events)))
    times = [event["t"] for event in events]
    assert times == sorted(times)
    in_game = [event["game"] for event in events if event["type"] in ("game-started", "move", "game-ended")]
    assert len(set(in_game)) == 1 and in_game[0]

"""The truth beside a capture: what was played, when, and with which habits.

In:   a finished `Play`, facts about the devices.
Out:  a JSON value; times in microseconds as in the capture. `habits` are those at work at the ply.
"""

from table import micros

QUIET = {"looked", "pass-after", "victim-first", "king-first", "left-standing", "scatter"}


def truth(play, name, facts):
    moves = [_move(turn) for turn in play.played()]
    return {
        "truth": 1,
        "game": name,
        "profile": play.profile.name,
        "end": micros(play.end),
        "devices": facts,
        "moves": moves,
    }


def _move(turn):
    ply = turn.ply
    return {
        "board": ply.board,
        "seat": ply.seat,
        "ply": ply.number,
        "san": ply.san,
        "uci": ply.uci,
        "illegal": ply.illegal,
        "first": micros(turn.first),
        "made": micros(turn.made),
        "press": None if turn.pressed is None else micros(turn.pressed),
        "completed": micros(turn.done),
        "habits": [habit for habit in turn.habits if habit not in QUIET],
    }

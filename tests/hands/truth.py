"""The truth beside a capture: what was played, when, and with which habits.

In:   a finished `Play`, facts about the devices.
Out:  a JSON value; times in microseconds as in the capture. `habits` are those at work at the ply.

`open` holds the last plies of a board that stand and that no press completed: a record may have them or not.
"""

from table import micros

QUIET = {"looked", "pass-after", "victim-first", "king-first", "left-standing", "scatter"}


def truth(play, name, facts):
    turns = play.played()
    loose = [turn for turn in turns if _is_open(turn, turns)]
    return {
        "truth": 1,
        "game": name,
        "profile": play.profile.name,
        "end": micros(play.end),
        "devices": facts,
        "moves": [_move(turn) for turn in turns if turn not in loose],
        "open": [_move(turn) for turn in loose],
    }


def _is_open(turn, turns):
    """Whether neither this ply nor a later one of its board was completed by a press."""
    later = (other for other in turns if other.ply.board == turn.ply.board and other.ply.number >= turn.ply.number)
    return all(other.pressed is None for other in later)


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

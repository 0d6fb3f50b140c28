"""The truth beside a capture: what was played, when, and with which habits.

In:   a finished `Play`, the game's name, facts about the devices.
Out:  a JSON value. Times are in microseconds as in the capture.
Knows nothing of: how the devices tell what happened, what the daemon makes of it.

`truth`    1, the version of this form
`game`     the name, as of the files; `profile` who played; `end` when the last hand rested
`devices`  by name: `damaged_us`, when a line was damaged; of boards `rotated` (turned by half a turn),
           `clock_white` (`left` or `right`), `scan_s` (seconds that one reading of all squares takes)
`moves`    the plies of both boards in the order of their completion
`open`     in the same form the last plies of a board that stand and that no press completed: a record may have
           them or not

A ply has `board`, `seat` (`A` `a` `B` `b`: White in capitals), `ply` (counted on its board from 1), `san`, `uci`
(drops are `N@f3`), `illegal` (None, or why: `geometry`, `leaves-king-in-check`), and
`first`      when the player turned to it; what the hand puts right or tries before the move comes after this
`made`       when the last man of the move was let go
`press`      when the lever was pressed, with `early-press` before `made`; None if no press came: it was forgotten, or
             the opponent had forgotten his and the lever was down already. In `open` it never came: the game was
             over on the other board before anybody went on
`completed`  the press, or when the player was done with the ply without one
`habits`     those of `profiles` that were at work, but for the most usual ones; `unpressed`: could not be pressed
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

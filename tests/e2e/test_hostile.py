"""Strangers attack while a game is played; `hostile.py` does the same for as long as one likes."""

import hostile


def test_a_game_among_strangers_is_recorded_exactly(binary, tmp_path):
    found = hostile.run(binary, 20, 1, tmp_path)
    assert found["games exact"] == found["games"], found
    assert (found["exit code"], found["panics"]) == (0, 0), found
    assert min(found["attacks"].values()) > 20, found
    _, warm, last = found["memory MiB at first, warm, at last"]
    assert last - warm < hostile.GROWTH_MIB_MAX, found

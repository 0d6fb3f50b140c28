"""Several tables on one node at once; `load.py` does the same with as many as one likes."""

import load


def test_eight_tables_at_once_lose_nothing(binary, tmp_path):
    found = load.run(binary, 8, "clean", tmp_path)
    assert found["tables exact"] == 8, found
    assert found["moves recorded"] == found["moves played"], found
    assert found["gaps in seq"] == 0, found

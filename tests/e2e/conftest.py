"""Fixtures of the suites that look at the whole program from outside."""

import pytest
import truth

# 27 plies in about 20 s, with captures that cross over, drops, checks and a mate.
SHORT_GAME = 31


@pytest.fixture(scope="session")
def short_game(data):
    """A short game as the referee reads it."""
    return truth.games(data / "games.bpgn")[SHORT_GAME]


@pytest.fixture(scope="session")
def short_file(data, tmp_path_factory):
    """The same game in a file of its own."""
    path = tmp_path_factory.mktemp("game") / "short.bpgn"
    path.write_text(truth.text_of(data / "games.bpgn", SHORT_GAME))
    return path

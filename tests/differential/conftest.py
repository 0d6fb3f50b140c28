"""Fixtures of the differential suites."""

import bpgn
import pytest
import replay


@pytest.fixture(scope="session")
def expected(data) -> list[dict]:
    """What the referee says of every game of the corpus."""
    return replay.judge_all(bpgn.read((data / "games.bpgn").read_text()))

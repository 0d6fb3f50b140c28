"""What the Python suites share: where the binary and the data are."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
COMMAND_SECONDS_MAX = 300


@pytest.fixture(scope="session")
def binary() -> Path:
    """The program under test: `$BUGHOUSED`, else the debug build."""
    path = Path(os.environ.get("BUGHOUSED", ROOT / "target/debug/bughoused")).resolve()
    if not path.is_file():
        pytest.fail(f"expected the program at {path}: run `cargo build`, or set BUGHOUSED to its path")
    return path


@pytest.fixture(scope="session")
def bughoused(binary):
    """Runs a command to its end and answers the finished process."""

    def run(*arguments, **more):
        return subprocess.run(
            [binary, *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS_MAX,
            **more,
        )

    return run


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of games, captures and positions."""
    return ROOT / "tests/data"

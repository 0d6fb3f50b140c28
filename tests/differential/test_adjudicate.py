"""`bughoused adjudicate` against two other libraries: whole games, and games made wrong on purpose."""

import json
import random

import bpgn
import pytest
import replay

GAMES = 105
SPOILED_MIN = 60
# What a line of `adjudicate --json` always has.
KEYS = {"game", "legal", "plies", "fault", "bfen", "mate", "result", "warnings"}


def lines_of(process) -> list[dict]:
    """The JSON lines of a finished `adjudicate`."""
    assert process.returncode == 0, process.stderr
    return [json.loads(line) for line in process.stdout.splitlines()]


@pytest.fixture(scope="module")
def found(bughoused, data) -> list[dict]:
    """What bughoused says of every game of the corpus."""
    return lines_of(bughoused("adjudicate", data / "games.bpgn", "--json"))


def test_there_is_one_line_a_game(found):
    assert [line["game"] for line in found] == list(range(1, GAMES + 1))
    assert all(KEYS <= line.keys() for line in found)


@pytest.mark.parametrize("number", range(1, GAMES + 1))
def test_game_of_the_corpus(found, expected, number):
    assert replay.differences(expected[number - 1], found[number - 1]) == []


def test_what_contradicts_the_record_is_a_warning(found, expected):
    for want, got in zip(expected, found, strict=True):
        contradiction = want["mate"] and want["written"]["result"] in ("1-0", "0-1", "1/2-1/2")
        contradiction = contradiction and want["written"]["result"] != want["result"]
        if contradiction or want["written"]["after_the_end"]:
            assert got["warnings"], f"game {got['game']}"


def write(game: bpgn.Game, plies: list[bpgn.Ply]) -> str:
    """A game as BPGN, with these plies instead of its own."""
    tags = "\n".join(f'[{name} "{value}"]' for name, value in game.tags.items())
    moves = " ".join(f"{ply.number}{ply.seat}. {ply.san}" + (f" {{{ply.clock}}}" if ply.clock else "") for ply in plies)
    return f"{tags}\n\n{moves}\n*\n\n"


def spoil(game: bpgn.Game, chance: random.Random) -> list[bpgn.Ply]:
    """The game's plies, one of them replaced by the words of another ply from the same game."""
    plies = list(game.plies)
    at = chance.randrange(len(plies) // 4, len(plies))
    other = chance.choice(game.plies)
    plies[at] = bpgn.Ply(plies[at].number, plies[at].seat, other.san, plies[at].clock)
    return plies


@pytest.fixture(scope="module")
def spoiled(data) -> list[tuple[str, dict]]:
    """Texts of games with one strange ply, each with what the referee says of it."""
    chance = random.Random(20)
    games = [game for game in bpgn.read((data / "games.bpgn").read_text()) if len(game.plies) >= 8]
    texts = [write(game, spoil(game, chance)) for game in games]
    verdicts = replay.judge_all([bpgn.read(text)[0] for text in texts])
    return [(text, verdict) for text, verdict in zip(texts, verdicts, strict=True) if is_plain(verdict)]


def is_plain(verdict: dict) -> bool:
    """Illegal for certain: not a matter of how leniently SAN is read, and not after the end of the game."""
    return not verdict["legal"] and "ambiguous" not in verdict["fault"]["why"]


def test_spoiled_games_are_refused_at_the_same_ply(bughoused, spoiled, tmp_path):
    assert len(spoiled) > SPOILED_MIN
    file = tmp_path / "spoiled.bpgn"
    file.write_text("".join(text for text, _ in spoiled))
    found = lines_of(bughoused("adjudicate", file, "--json"))
    for line, (text, want) in zip(found, spoiled, strict=True):
        told = f"game {line['game']}: {want['fault']}, found {line['fault']}\n{text}"
        assert not line["legal"], told
        assert line["plies"] == want["plies"], told
        assert line["fault"]["index"] == want["fault"]["index"], told
        assert line["fault"]["board"] == want["fault"]["seat"].upper(), told
        assert line["fault"]["reason"] and line["fault"]["article"], told
        assert replay.plain_bfen(line["bfen"]) == want["bfen"], told


def test_strict_says_so_with_the_exit_code(bughoused, data, spoiled, tmp_path):
    text, _ = spoiled[0]
    file = tmp_path / "spoiled.bpgn"
    file.write_text(text)
    assert bughoused("adjudicate", file, "--json").returncode == 0
    assert bughoused("adjudicate", file, "--json", "--strict").returncode == 1
    assert bughoused("adjudicate", data / "games.bpgn", "--json", "--strict").returncode == 0


def test_unreadable_text_is_bad_input_with_its_place(bughoused, tmp_path):
    file = tmp_path / "damaged.bpgn"
    file.write_text('[Event "x"]\n\n1A. e4 {1.0} 1a. \x01\x02 {never closed\n')
    process = bughoused("adjudicate", file, "--json")
    assert process.returncode == 65
    assert "damaged.bpgn" in process.stderr
    assert "panicked" not in process.stderr


def test_a_file_that_is_not_there_is_named(bughoused, tmp_path):
    process = bughoused("adjudicate", tmp_path / "absent.bpgn")
    assert process.returncode not in (0, 101)
    assert "absent.bpgn" in process.stderr

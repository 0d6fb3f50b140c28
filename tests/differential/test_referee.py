"""The referee itself: two libraries and two sources of truth agree before it judges anybody."""

import json

import bpgn
import pytest
import replay
import two_boards

GAMES = 105
CAPTURES = [f"clean-31-{number:04}" for number in range(8)] + [f"human-32-{number:04}" for number in range(4)]


def test_every_game_of_the_corpus_is_legal(expected):
    assert len(expected) == GAMES
    assert [line["game"] for line in expected if not line["legal"]] == []


def test_records_that_tell_of_a_mate_end_in_one(expected):
    told = [line for line in expected if "checkmate" in (line["written"]["ending"] or "")]
    assert len(told) > 60
    assert [line["game"] for line in told if not line["mate"]] == []


@pytest.mark.parametrize("name", CAPTURES)
def test_captures_end_where_their_truth_says(data, name):
    truth = json.loads((data / f"captures/{name}.truth.json").read_text())
    table = two_boards.Table()
    for move in truth["moves"]:
        board = table.boards[move["board"]]
        table.push(move["seat"], board.parse_uci(move["uci"]))
    for board, final in truth["final"].items():
        assert table.boards[board].bfen().split()[:2] == final.split()


# All white knights, bishops, rooks and queens of a table stand on this board and none can parry on a1, b1 or c1.
ALL_HERE = "RR2B2R/BNQ1B2B/8/1Q1N2N1/5RNk/2ppppp1/PPp5/K1r5 w - -"


@pytest.mark.parametrize(
    ("bfen", "mate"),
    [
        pytest.param("7k/6Q1/5P2/8/8/8/8/K7/qrbnp b - -", True, id="the queen stands next to the king"),
        pytest.param("4k3/8/8/8/8/8/3PPP2/r3K3 w - -", False, id="a man that may still come parries"),
        pytest.param("4k3/8/8/8/8/3n4/3PPP2/3RKB2 w - -", False, id="a pawn takes the knight"),
        pytest.param("4k3/8/8/8/8/5n2/3PRP2/3RKR2/QRBNP w - -", True, id="nothing comes between a knight and the king"),
        pytest.param("6rk/5Nbp/8/8/8/8/8/K7 b - -", True, id="smothered"),
        pytest.param(ALL_HERE, True, id="nothing that could come is left but pawns, and they cannot"),
        pytest.param(ALL_HERE.replace("BNQ1B2B", "B1Q1B2B"), False, id="one knight is elsewhere"),
        pytest.param(ALL_HERE.replace("1Q1N2N1", "1Q~1N2N1"), False, id="a promoted queen is a pawn: one is elsewhere"),
    ],
)
def test_mate_considers_what_may_still_come(bfen, mate):
    assert two_boards.board_from_bfen(bfen).mate() == mate


def test_the_comparison_sees_every_kind_of_difference(expected):
    line = expected[0]
    assert replay.differences(line, line) == []
    for key in replay.COMPARED:
        other = {**line, key: "something else"}
        assert len(replay.differences(line, other)) == 1, key


def test_the_reader_refuses_what_it_does_not_know():
    with pytest.raises(AssertionError):
        bpgn.read('[Event "x"]\n\n1A. e4 {1.0} e5 {2.0} 1-0\n')

"""Tests of the model of the table, and one of the daemon by it.

In:   BUGHOUSED in the environment, the daemon's binary; without it the model alone is tested.
Out:  of the model that scripts are legal, men are conserved, nobody waits for ever, players react late enough, bytes
      decode to what stood there; of the daemon that a few fixed games come out as they were played.
Knows nothing of: how the daemon works. What it records of many games is for `run` to tell.
"""

import os
import random
import sys
import unittest
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent))

import chess

import games
import profiles
import score
import table
import write
from clock import LeverClock
from player import REACTION, Play, Turn
from world import Impossible, Stage, World

NAMES = ("clean", "human", "blitz")
# Profile, devices, seed, games: all of them come out as they were played.
REPLAYED = [
    ("clean", {}, 1, 4),
    ("human", {}, 1, 6),
    ("blitz", {}, 1, 6),
    ("human", {"clocks": False}, 2, 4),
    ("human", {"sensing": "occupancy"}, 2, 4),
]


def played(name, seed, plies=40):
    return Play(games.random_game(random.Random(seed), plies), profiles.profile(name), seed, 300)


def decode(reads):
    """The messages of a DGT board."""
    data, at, messages = b"".join(bytes.fromhex(read["rx"]) for read in reads), 0, []
    while at < len(data):
        length = data[at + 1] * 128 + data[at + 2]
        messages.append((data[at], data[at + 3 : at + length]))
        at += length
    return messages


class Scripts(unittest.TestCase):
    def test_random_games_are_legal(self):
        for seed in range(20):
            match = games.Match()
            for ply in games.random_game(random.Random(seed), 60):
                self.assertIn(ply.move, match.legal(ply.board))
                match.play(ply.board, ply.move)

    def test_real_games_have_both_boards(self):
        scripts = games.real_games()
        self.assertEqual(len(scripts), 24)
        for script in scripts:
            self.assertEqual({ply.board for ply in script}, {"A", "B"})

    def test_one_promotion_in_five_is_to_a_knight_if_it_can_be_declared(self):
        plies = [ply for seed in range(60) for ply in games.random_game(random.Random(seed), 80)]
        promotions = Counter(ply.move.promotion for ply in plies if ply.move.promotion)
        self.assertTrue(0.1 < promotions[chess.KNIGHT] / promotions.total() < 0.3, promotions)
        undeclared = [ply for seed in range(20) for ply in games.random_game(random.Random(seed), 80, knights=False)]
        self.assertFalse([ply for ply in undeclared if ply.knight])

    def test_a_captured_promoted_man_is_a_pawn(self):
        match = games.Match()
        match.boards["A"].set_fen("4k2r/6P1/8/8/8/8/8/4K3[] w k - 0 1")
        match.play("A", chess.Move.from_uci("g7g8q"))
        match.play("A", chess.Move.from_uci("h8g8"))
        self.assertEqual(match.pockets["B"], Counter("p"))

    def test_a_mate_that_a_drop_may_parry_is_none(self):
        match = games.Match()
        match.boards["A"].set_fen("R5k1/5ppp/8/8/8/8/8/4K3[] b - - 0 1")
        self.assertFalse(match.is_mate("A"))
        match.boards["A"].set_fen("6rk/5Npp/8/8/8/8/8/4K3[] b - - 0 1")
        self.assertTrue(match.is_mate("A"))

    def test_offences_are_illegal_and_play_goes_on(self):
        illegal = [ply for seed in range(10) for ply in games.random_game(random.Random(seed), 60, 0.05) if ply.illegal]
        self.assertTrue({ply.illegal for ply in illegal} <= {"geometry", "leaves-king-in-check"})
        self.assertGreater(len(illegal), 10)


class Things(unittest.TestCase):
    def test_no_two_men_on_a_square(self):
        world = World(Stage())
        world.add("P", ("A", 8))
        with self.assertRaises(Impossible):
            world.add("N", ("A", 8))

    def test_a_man_that_lies_is_not_read(self):
        world = World(Stage())
        man = world.add("P", ("A", 8))
        world.fall(man)
        self.assertEqual(world.reading(("A", 8), 0.0), ".")

    def test_the_lever_hands_over_the_time(self):
        clock = LeverClock(60)
        clock.press(1.0, white=False)
        self.assertFalse(clock.press(2.0, white=False))
        self.assertTrue(clock.press(3.0, white=True))
        self.assertEqual(clock.at(4.0), (False, False, 58.0, 59.0))


class Players(unittest.TestCase):
    def test_every_game_ends_with_all_men_where_the_script_says(self):
        for name in [*NAMES, *(f"clean+{habit}" for habit in profiles.names())]:
            with self.subTest(name):
                self._check_end(played(name, 3))

    def _check_end(self, play):
        end = games.Match()
        for turn in play.turns:
            if turn.done is not None:
                end.play(turn.ply.board, turn.ply.move)
        self.assertEqual(len(play.world.where), 70)
        self.assertEqual(Counter(man.letter for man in play.world.where)["P"], 16)
        for name, board in end.boards.items():
            for square in chess.SQUARES:
                man, piece = play.world.at((name, square)), board.piece_at(square)
                promoted = piece and board.promoted & chess.BB_SQUARES[square]
                letter = man and man.letter
                wanted = piece and piece.symbol()
                self.assertTrue(letter == wanted or promoted and letter.upper() == "P", (name, square, letter, wanted))

    def test_nobody_reacts_sooner_than_people_can(self):
        for name in NAMES:
            for turn in played(name, 5).turns:
                if turn.done is not None and turn.previous:
                    self.assertGreaterEqual(turn.first - turn.previous.made, REACTION[0] - 0.16)

    def test_nobody_waits_for_a_square_whose_man_is_in_another_hand(self):
        for tried in (chess.Move.from_uci("e1e2"), None):
            play = Play([], profiles.profile("clean"), 9, 300)
            player, pawn, cell = play.players["A"], play.world.at(("A", chess.E2)), ("A", chess.E2)
            for square in chess.SquareSet(chess.BB_RANK_3 | chess.BB_RANK_4 | chess.BB_RANK_5 | chess.BB_RANK_6):
                if tried is None:
                    play.men["A"][square] = play.world.add("p", ("A", square))
            turn = Turn(games.Ply("A", "A", 1, chess.Move.from_uci("b1c3"), "Nc3"), None)
            turn.ply.others = [tried]
            play.world.lift(pawn, "a")
            play.stage.start(player.take_back(turn) if tried else player.illegal_take_back(turn))
            play.stage.start(player.put(pawn, cell), after=0.3)
            play.stage.run(60.0)
            self.assertIs(play.world.at(cell), pawn)
            self.assertIsNone(player._near(("A", chess.E1)))

    def test_a_knight_is_declared_before_the_press_and_nothing_else_is(self):
        for name, late in (("human", None), ("blitz", None), ("clean+said-late", True), ("clean", False)):
            knights = 0
            for seed in range(20, 28):
                play = played(name, seed, 60)
                turns = [turn for turn in play.played() if turn.ply.knight]
                self.assertEqual(len(turns), len(play.buttons))
                for turn in turns:
                    own = [time for time, seat, _ in play.buttons if seat == turn.ply.seat]
                    said = [time for time in own if turn.first < time < turn.done]
                    self.assertEqual(len(said), 1)
                    if late is not None:
                        self.assertEqual(said[0] > turn.made, late)
                knights += len(turns)
            self.assertGreater(knights, 1)

    def test_a_lent_man_is_neither_lent_again_nor_dropped(self):
        play = Play([], profiles.profile("clean"), 9, 300)
        player = play.players["A"]
        knight, pawn = player._spare(chess.KNIGHT), play.world.at(("A", chess.E2))
        play.pawn_of[knight] = pawn
        play.world.lift(knight, "A")
        self.assertIsNone(player._spare(chess.KNIGHT))
        drop = games.Ply("A", "A", 1, chess.Move.from_uci("N@e4"), "N@e4")
        self.assertIsNone(player._man_to_drop(Turn(drop, None)))

    def test_presses_alternate(self):
        for name in ("clean", "blitz"):
            for board in "AB":
                turns = [turn for turn in played(name, 6).turns if turn.ply.board == board and turn.pressed]
                self.assertEqual([turn.pressed for turn in turns], sorted(turn.pressed for turn in turns))


class Bytes(unittest.TestCase):
    def test_updates_and_dumps_end_with_what_stands(self):
        play = played("human", 7)
        lines, facts = table.capture(play, table.Setup(), 7, 300)
        for name in "AB":
            device = f"board-{name.lower()}"
            fields = [0] * 64
            for code, payload in decode([line for line in lines[1:] if line.get("dev") == device and "rx" in line]):
                if code == 0x86:
                    fields = list(payload)
                elif code == 0x8E:
                    fields[payload[0]] = payload[1]
            if facts[device]["rotated"]:
                fields.reverse()
            for square in chess.SQUARES:
                letter = play.world.reading((name, square), play.end)
                self.assertEqual(fields[chess.square_mirror(square)], table.CODES[letter])

    def test_lines_come_in_order_of_time(self):
        lines, _ = table.capture(played("blitz", 8), table.Setup(faults=True), 8, 300)
        times = [line["t"] for line in lines[1:]]
        self.assertEqual(times, sorted(times))

    def test_the_button_of_a_tray_is_told(self):
        play = played("clean", 7)
        play.buttons.append((20.0, "B", "knight"))
        lines, _ = table.capture(play, table.Setup(), 7, 300)
        told = b"".join(bytes.fromhex(line["rx"]) for line in lines[1:] if line.get("dev") == "trays" and "rx" in line)
        self.assertEqual(told.count(b"$BBUTN"), len(play.buttons))
        self.assertRegex(told, rb"\$BBUTN,\d+,2,knight\*")

    def test_known_vectors(self):
        self.assertEqual(table.frame(0x8E, [36, 1]).hex(), "8e00052401")
        self.assertEqual(table.sentence("BCELL,1,0,3,N"), b"$BCELL,1,0,3,N*38\r\n")
        self.assertEqual(table.digits(89 * 60 + 57.5), [1, 0x29, 0x58])


@unittest.skipUnless(os.environ.get("BUGHOUSED"), "BUGHOUSED names no binary")
class Recorded(unittest.TestCase):
    def test_games_are_recorded_as_they_were_played(self):
        for name, setup, seed, count in REPLAYED:
            with self.subTest(name, **setup), TemporaryDirectory() as scratch:
                options = {"profile": name, "seed": seed, "setup": setup, "offences": False}
                write.games(Path(scratch), count, options, jobs=2)
                for verdict in score.score(os.environ["BUGHOUSED"], Path(scratch)):
                    self.assertTrue(verdict.perfect, verdict)


if __name__ == "__main__":
    unittest.main()

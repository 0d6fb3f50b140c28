"""Plays games and writes each as a capture with its truth.

In:   a folder, a number of games, what is asked for (profile, seed, devices, offences).
Out:  `NAME.jsonl` and `NAME.truth.json` in the folder; the same arguments give the same bytes.
Knows nothing of: the daemon.
"""

import json
import random
from concurrent.futures import ProcessPoolExecutor

import profiles
import table
from games import random_game, real_games
from player import Play
from truth import truth

BASE = 300


def games(folder, count, options, jobs):
    """`options`: profile, seed, setup (fields of `table.Setup`), offences."""
    folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(jobs) as pool:
        list(pool.map(game, [folder] * count, range(count), [options] * count))


def game(folder, number, options):
    """Every second game is a real one, unless offences are asked for."""
    seed = options["seed"] * 100_003 + number
    setup = table.Setup(**options["setup"])
    profile = profiles.profile(options["profile"], setup.clocks)
    play = Play(_script(seed, number, options, setup.trays), profile, seed, BASE)
    lines, facts = table.capture(play, setup, seed, BASE)
    name = f"{options['profile'].replace('+', '-')}-{options['seed']}-{number:04d}"
    (folder / f"{name}.jsonl").write_text("".join(_json(line) + "\n" for line in lines))
    (folder / f"{name}.truth.json").write_text(_json(truth(play, name, facts)))


def _script(seed, number, options, buttons):
    """Without buttons nobody can declare a knight, and a pawn that promotes is a queen."""
    rng = random.Random(f"{seed}-game")
    if number % 2 and not options["offences"]:
        return rng.choice(real_games())
    plies, offences = rng.randrange(40, 90), 0.02 if options["offences"] else 0.0
    return random_game(rng, plies, offences, knights=buttons)


def _json(value):
    return json.dumps(value, separators=(",", ":"))

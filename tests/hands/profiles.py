"""How people play: rates of habits, seeded.

In:   a name: `clean`, `human`, `blitz`, or `clean+HABIT` for one habit alone; whether there are clocks.
Out:  a `Profile`: pace, thinking times, how often a habit shows, which of several manners is taken.
Knows nothing of: what a habit does (`acts`, `player`).
"""

from dataclasses import dataclass, replace

# Manners: exactly one of each group is taken whenever the occasion is there.
GROUPS = {
    "capture": ["victim-first", "own-first", "replace", "two-hands", "victim-aside"],
    "castling": ["king-first", "rook-first", "both-hands"],
    "en-passant": ["ep-last", "ep-first", "ep-together"],
    "promotion": ["left-standing", "laid", "pushed-swapped", "swapped"],
    "passing": ["pass-after", "early-pass", "late-pass", "direct"],
}

CLEAN_MANNERS = {
    "capture": {"victim-first": 1},
    "castling": {"king-first": 1},
    "en-passant": {"ep-last": 1},
    "promotion": {"left-standing": 1},
    "passing": {"pass-after": 1},
}

HUMAN_MANNERS = {
    "capture": {"victim-first": 30, "own-first": 35, "replace": 20, "two-hands": 10, "victim-aside": 5},
    "castling": {"king-first": 65, "rook-first": 12, "both-hands": 23},
    "en-passant": {"ep-last": 50, "ep-first": 30, "ep-together": 20},
    "promotion": {"left-standing": 70, "laid": 12, "pushed-swapped": 10, "swapped": 8},
    "passing": {"pass-after": 62, "early-pass": 15, "late-pass": 8, "direct": 15},
}

# How often a habit shows that is played alone, where one occasion in four would be too many or too few.
ALONE = {"forgotten-press": 0.05, "drop-early": 1.0, "lies-on": 1.0, "premove-back": 1.0, "said-late": 1.0}
NEEDS = {"drop-early": "early-pass", "lies-on": "laid"}

# Habits: each shows at a ply with its rate. One line says what is seen of it.
HABITS = {
    "premove": "the reply is made after the opponent's move stands and before it is pressed",
    "quick-reply": "the hand waits above the board and moves as soon as the press is seen",
    "slide": "a man is dragged over the squares between",
    "slide-rest": "a dragged man rests on a square between for a moment",
    "hover": "a man is lifted and held for seconds",
    "touch": "another own man is lifted first and put back",
    "adjust": "an own man is put right on its square before the move",
    "adjust-several": "two or three own men are put right one after the other",
    "adjust-opponent": "a man of the opponent is put right",
    "adjust-after": "the man that moved is put right after the press",
    "adjust-waiting": "an own man is put right while the opponent thinks",
    "knock": "a man falls over and is stood up again before the press",
    "knock-late": "a man falls over and is stood up again after the press",
    "knock-away": "a man falls and rolls to an empty square beside, and is put back",
    "knock-several": "two to four men fall at once and are stood up one after the other",
    "between-squares": "the man stands on a line, unread, until it is put right after the press",
    "wrong-square": "the man is put down beside its square and put right before the press",
    "take-back": "another legal move is made, taken back before the press",
    "premove-back": "a move is answered before its press, then taken back; the answer is taken back too",
    "illegal-take-back": "an impossible move is made, taken back before the press",
    "early-press": "one hand presses while the other still puts the man down",
    "ep-late": "the pawn taken en passant leaves the board after the press",
    "promotion-late": "the pawn is exchanged for the promoted man after the press",
    "said-late": "the button that declares a knight is pressed after the move, before the press",
    "forgotten-press": "the press is forgotten; the opponent replies after a while",
    "prepared-drop": "a man is taken from the tray before the own turn",
    "prepared-back": "a man is taken from the tray and laid back",
    "drop-early": "a man that was passed before the press is dropped before the capture is completed",
    "lies-on": "a promoted man that lies is laid again where it goes",
    "shuffle": "men of the own tray are moved to other slots",
    "scatter": "a captured man lands in any slot",
    "drop-nudged": "a dropped man is put down beside its square and shifted",
}

HUMAN_RATES = {
    "premove": 0.06, "quick-reply": 0.12, "slide": 0.10, "slide-rest": 0.01, "hover": 0.04, "touch": 0.03,
    "adjust": 0.02, "adjust-several": 0.006, "adjust-opponent": 0.004, "adjust-after": 0.03, "adjust-waiting": 0.01,
    "knock": 0.010, "knock-late": 0.005, "knock-away": 0.004, "wrong-square": 0.02, "take-back": 0.02,
    "premove-back": 0.1, "illegal-take-back": 0.004, "knock-several": 0.002, "between-squares": 0.004,
    "drop-early": 0.3, "lies-on": 0.5,
    "early-press": 0.03, "ep-late": 0.1, "promotion-late": 0.08, "said-late": 0.15, "forgotten-press": 0.004,
    "prepared-drop": 0.3, "prepared-back": 0.02, "shuffle": 0.01, "scatter": 0.5, "drop-nudged": 0.03,
}  # fmt: skip

BLITZ_RATES = HUMAN_RATES | {
    "premove": 0.22, "quick-reply": 0.40, "slide": 0.15, "hover": 0.01, "adjust": 0.005, "knock": 0.015,
    "knock-late": 0.012, "wrong-square": 0.03, "early-press": 0.10, "forgotten-press": 0.008, "prepared-drop": 0.5,
    "ep-late": 0.2, "drop-nudged": 0.05,
}  # fmt: skip


@dataclass
class Profile:
    """Pace 1 is unhurried play; thinking times are log-normal with this median, in seconds."""

    name: str
    pace: float
    thinking: float
    rates: dict
    manners: dict

    def shows(self, rng, habit):
        return rng.random() < self.rates.get(habit, 0.0)

    def manner(self, rng, group):
        choice = self.manners[group]
        return rng.choices(list(choice), list(choice.values()))[0]


def profile(name, clocks=True):
    """The profile of this name. Without clocks nobody takes back a move and the answer to it: what is left at the table
    is what four plies leave, two moves and two that lead back, and no press tells that they were none."""
    found = _profile(name)
    return found if clocks else replace(found, rates=found.rates | {"premove-back": 0.0})


def _profile(name):
    base, _, habit = name.partition("+")
    if base == "human" and not habit:
        return Profile(name, 1.0, 1.6, HUMAN_RATES, HUMAN_MANNERS)
    if base == "blitz" and not habit:
        return Profile(name, 0.6, 0.45, BLITZ_RATES, HUMAN_MANNERS)
    if base == "clean":
        return Profile(name, 1.25, 2.0, *_alone(habit))
    raise ValueError(f"no profile {name}; there are: clean, human, blitz, clean+HABIT with {', '.join(names())}")


def names():
    """Every habit and manner that can be had alone."""
    return [*HABITS, *(manner for group in GROUPS.values() for manner in group)]


def _alone(habit):
    if not habit:
        return {}, CLEAN_MANNERS
    for group, manners in GROUPS.items():
        if habit in manners:
            return {}, CLEAN_MANNERS | {group: {habit: 1}}
    if habit in NEEDS:
        return {habit: ALONE[habit]}, _alone(NEEDS[habit])[1]
    if habit == "premove-back":
        return {"take-back": 0.25, habit: ALONE[habit]}, CLEAN_MANNERS
    if habit in HABITS:
        return {habit: ALONE.get(habit, 0.25)}, CLEAN_MANNERS
    raise ValueError(f"no habit {habit}; there are: {', '.join(names())}")

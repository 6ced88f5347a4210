"""The raw board as TD-Gammon read it: 198 numbers.

G. Tesauro, "Temporal difference learning and TD-Gammon", Communications of the ACM 38(3), 1995, as
R. Sutton and A. Barto give it, "Reinforcement learning" (1998), section 11.1. For each side and
point four: whether it has one checker or more, two or more, three or more, and half of those beyond
three; half of its checkers on the bar; a fifteenth of those borne off; and whether the side is to
move, here always the player. Each side counts its own points.
"""

from __future__ import annotations

from typing import Any

from samuel.features.feature import feature
from samuel.games.backgammon.checkers import BAR, CHECKERS, MINE, OFF, POINTS, THEIRS, count_at
from samuel.games.interface import Row

UNITS = 4
_SIDES = ("player", "opponent")
_EACH = POINTS * UNITS + 3
_NAMES = [
    f"{side}_{name}"
    for side in _SIDES
    for name in (
        *(f"{point}_{unit}" for point in range(1, POINTS + 1) for unit in ("1", "2", "3", "more")),
        *("bar", "off", "to_move"),
    )
]


@feature(game="backgammon", outputs=_NAMES, ignores_chance=True)
def tesauro(position: Row, values: Any) -> None:
    """The 198 inputs of TD-Gammon: four a point and side, the bar, checkers off, who is to move."""
    for side in range(2):
        at, words = side * _EACH, THEIRS if side else MINE
        low, high = position[words], position[words + 1]
        for point in range(1, POINTS + 1):
            n = count_at(low, high, point)
            for unit in range(1, UNITS):
                values[at + unit - 1] = 1.0 if n >= unit else 0.0
            values[at + UNITS - 1] = (n - 3) / 2 if n > 3 else 0.0
            at += UNITS
        values[at] = count_at(low, high, BAR) / 2
        values[at + 1] = count_at(low, high, OFF) / CHECKERS
        values[at + 2] = 1.0 - side

"""Features of backgammon; of two numbers the player's (who is to move) comes first.

The numbers that players count on the board, in the vocabulary of P. Magriel, "Backgammon" (1976),
each side its own points; how many of the 36 rolls hit a blot, or bring a side's last checker out;
and the raw board, as TD-Gammon read it. Tesauro's benchmark of 1993 is in pubeval.py beside it,
what else networks read in expert.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import int64, uint64

from samuel.games.backgammon.checkers import (
    BAR,
    CHECKERS,
    MINE,
    OFF,
    POINTS,
    THEIRS,
    count_at,
    has_contact,
    held,
    own_places,
    pips_of,
)
from samuel.games.backgammon.expert import BOARD, ROLLS, expert, hits, phase, plan  # noqa: F401
from samuel.games.backgammon.pubeval import pubeval  # noqa: F401
from samuel.games.feature import Feature, feature
from samuel.games.rules import Row
from samuel.kernels.bits import Word, popcount
from samuel.kernels.jit import jit

_BOTH = ("player", "opponent")


def of_both_sides(count: Callable[[Word, Word], int]) -> Feature:
    """Make a count of a side's two words a feature of two numbers."""
    of_side = jit(count)

    def both(position: Row, values: Any) -> None:
        values[0] = of_side(position[MINE], position[MINE + 1])
        values[1] = of_side(position[THEIRS], position[THEIRS + 1])

    both.__name__, both.__doc__ = count.__name__, count.__doc__
    both.__module__ = count.__module__
    made: Feature = feature(game="backgammon", outputs=_BOTH, ignores_chance=True)(both)
    return made


@of_both_sides
def pips(low: Word, high: Word) -> int:
    """Pip count: sum of the points that the checkers still have to go."""
    return pips_of(low, high)


@of_both_sides
def blots(low: Word, high: Word) -> int:
    """Number of points with one checker."""
    return popcount(uint64(own_places(low, high, 1) & ~own_places(low, high, 2) & BOARD))


@of_both_sides
def prime(low: Word, high: Word) -> int:
    """Length of the longest run of points made; six in a row block all checkers."""
    longest = row = 0
    for point in range(1, POINTS + 1):
        row = row + 1 if count_at(low, high, point) > 1 else 0
        longest = max(longest, row)
    return longest


@feature(game="backgammon", ignores_chance=True)
def contact(position: Row) -> float:
    """Flag: 1 while checkers still have to pass each other, 0 in a race."""
    return 1.0 if has_contact(position) else 0.0


_PRIME = 6


@feature(game="backgammon", outputs=_BOTH, ignores_chance=True)
def shots(position: Row, values: Any) -> None:
    """Share of rolls that hit a blot of the other side."""
    for side in range(2):
        mine, theirs = (MINE, THEIRS) if side == 0 else (THEIRS, MINE)
        low, high = position[mine], position[mine + 1]
        made = held(position[theirs], position[theirs + 1], 2)
        blots = held(position[theirs], position[theirs + 1], 1) & ~made
        on_bar = count_at(low, high, BAR)
        found = int64(0)
        if blots != 0:
            found = hits(own_places(low, high, 1), BOARD & ~made, on_bar, blots)
        values[side] = found / ROLLS


@feature(game="backgammon", outputs=_BOTH, ignores_chance=True)
def escapes(position: Row, values: Any) -> None:
    """Share of rolls that move a side's last checker more than six points."""
    for side in range(2):
        mine, theirs = (MINE, THEIRS) if side == 0 else (THEIRS, MINE)
        low, high = position[mine], position[mine + 1]
        made = held(position[theirs], position[theirs + 1], 2)
        last = BAR
        while last > 0 and count_at(low, high, last) == 0:
            last -= 1
        beyond = (int64(1) << last >> _PRIME) - 1
        values[side] = hits(int64(1) << last, BOARD & ~made, int64(0), beyond) / ROLLS


UNITS = 4
_EACH = POINTS * UNITS + 3
_NAMES = [
    f"{side}_{name}"
    for side in _BOTH
    for name in (
        *(f"{point}_{unit}" for point in range(1, POINTS + 1) for unit in ("1", "2", "3", "more")),
        *("bar", "off", "to_move"),
    )
]


@feature(game="backgammon", outputs=_NAMES, ignores_chance=True)
def tesauro(position: Row, values: Any) -> None:
    """Inputs of TD-Gammon, per side: four numbers per point, the bar, checkers off, the turn."""
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

"""What players count on a backgammon board.

The vocabulary is that of P. Magriel, "Backgammon" (1976). Each side counts its own points.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from samuel.games.backgammon.checkers import (
    BAR,
    HOME,
    MINE,
    OFF,
    POINTS,
    THEIRS,
    count_at,
    has_contact,
    pips_of,
)
from samuel.games.feature import Feature, feature
from samuel.games.interface import Row
from samuel.kernels.bits import Word
from samuel.kernels.jit import jit

_BOTH = ("player", "opponent")
_FARTHEST_BACK = 18
"""Places beyond it are in the other side's home, or on the bar."""


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
    """Count the points that the checkers still have to go, all together."""
    return pips_of(low, high)


@of_both_sides
def blots(low: Word, high: Word) -> int:
    """Count points with one checker."""
    n = 0
    for point in range(1, POINTS + 1):
        n += 1 if count_at(low, high, point) == 1 else 0
    return n


@of_both_sides
def points_made(low: Word, high: Word) -> int:
    """Count points with two checkers or more."""
    n = 0
    for point in range(1, POINTS + 1):
        n += 1 if count_at(low, high, point) > 1 else 0
    return n


@of_both_sides
def home_points(low: Word, high: Word) -> int:
    """Count points made in the side's own home."""
    n = 0
    for point in range(1, HOME + 1):
        n += 1 if count_at(low, high, point) > 1 else 0
    return n


@of_both_sides
def prime(low: Word, high: Word) -> int:
    """The length of the longest row of points made: six in a row let nobody pass."""
    longest = row = 0
    for point in range(1, POINTS + 1):
        row = row + 1 if count_at(low, high, point) > 1 else 0
        longest = max(longest, row)
    return longest


@of_both_sides
def on_the_bar(low: Word, high: Word) -> int:
    """Count checkers on the bar."""
    return count_at(low, high, BAR)


@of_both_sides
def at_home(low: Word, high: Word) -> int:
    """Count checkers in the side's own home, those borne off not."""
    n = 0
    for point in range(1, HOME + 1):
        n += count_at(low, high, point)
    return n


@of_both_sides
def back_checkers(low: Word, high: Word) -> int:
    """Count checkers in the other side's home and on the bar."""
    n = 0
    for place in range(_FARTHEST_BACK + 1, BAR + 1):
        n += count_at(low, high, place)
    return n


@of_both_sides
def borne_off(low: Word, high: Word) -> int:
    """Count checkers borne off."""
    return count_at(low, high, OFF)


@feature(game="backgammon", ignores_chance=True)
def contact(position: Row) -> float:
    """1 while checkers still have to pass one another, 0 in a race."""
    return 1.0 if has_contact(position) else 0.0

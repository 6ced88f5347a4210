"""Where the checkers of a side stand, in two words.

The n-th four bits hold how many of its 15 checkers the side has at place n: 0 those borne off, 1
to 24 the points as the side itself numbers them, 25 the bar; places 0 to 15 in the low word, the
others in the high one. A position is the low and the high word of the side to move, those of the
other side, and the dice.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numba import int64, uint64

from samuel.games.interface import Row
from samuel.kernels.bits import ONE, ZERO, Word
from samuel.kernels.jit import jit

CHECKERS, POINTS, HOME, OFF, BAR = 15, 24, 6, 0, 25
MINE, THEIRS, DICE = 0, 2, 4
"""Places in a position: the low words of both sides, and the dice (0 until they are thrown)."""

Side: TypeAlias = tuple[Word, Word]

_COUNT = np.uint64(15)
_BAR_AT = np.uint64(4 * (BAR - 16))
_BEYOND_HOME = np.uint64(4 * (HOME + 1))


@jit
def count_at(low: Word, high: Word, place: int) -> int:
    """Return how many checkers a side has at a place."""
    word = high if place >= 16 else low
    return int64((word >> uint64(4 * (place & 15))) & _COUNT)


@jit
def mine_at(position: Row, place: int) -> int:
    """Return how many checkers the side to move has at one of its places."""
    return count_at(position[MINE], position[MINE + 1], place)


@jit
def theirs_at(position: Row, place: int) -> int:
    """Return how many checkers the other side has at one of its own places."""
    return count_at(position[THEIRS], position[THEIRS + 1], place)


@jit
def with_moved(low: Word, high: Word, start: int, end: int) -> Side:
    """Return a side's words after one checker went from one place to another."""
    taken, put = ONE << uint64(4 * (start & 15)), ONE << uint64(4 * (end & 15))
    if start >= 16:
        high -= taken
    else:
        low -= taken
    if end >= 16:
        high += put
    else:
        low += put
    return low, high


@jit
def held(low: Word, high: Word, least: int) -> int:
    """Return the places where the other side has at least so many checkers, as bits.

    They are numbered as the side to move numbers them; `low` and `high` are the other side's.
    """
    places = int64(0)
    for point in range(1, POINTS + 1):
        if count_at(low, high, point) >= least:
            places |= int64(1) << (BAR - point)
    return places


@jit
def can_step(low: Word, high: Word, blocked: int, start: int, die: int) -> bool:
    """Return whether a checker of a side may go from a place by one die; `blocked` is of `held`.

    From the bar first; off only once all are home, and by more than is needed only from the
    farthest point.
    """
    if count_at(low, high, start) == 0 or (start != BAR and (high >> _BAR_AT) & _COUNT != ZERO):
        return False
    end = start - die
    if end > OFF:
        return (blocked >> end) & 1 == 0
    if high != ZERO or low >> _BEYOND_HOME != ZERO:
        return False
    return end == OFF or low >> uint64(4 * (start + 1)) == ZERO


@jit
def pips_of(low: Word, high: Word) -> int:
    """Return how many points a side has still to go, all checkers together."""
    pips = int64(0)
    for place in range(1, BAR + 1):
        pips += place * count_at(low, high, place)
    return pips


@jit
def has_contact(position: Row) -> bool:
    """Return whether a checker of either side still has to pass one of the other."""
    farthest = BAR
    while farthest > OFF and mine_at(position, farthest) == 0:
        farthest -= 1
    for place in range(BAR, BAR - farthest, -1):
        if theirs_at(position, place) > 0:
            return farthest > OFF
    return False

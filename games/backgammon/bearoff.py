"""Bearing off, solved for each side alone: the probability of each number of throws.

With all checkers at home no side is in the other's way. A table has the probabilities that a side
needs 0, 1, 2, ... throws if it plays for the fewest throws on average. Another table has those of
the throws until the first of 15 checkers is off. Values are computed backward from the end, by pips
(R. Bellman, "Dynamic programming", 1957).

The number of a position is its rank among the multisets of points, by the combinatorial number
system: the number of checkers on the first k points, plus k - 1, for k = 1 to 6.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import float32, float64, int64, types, uint64
from numpy.typing import NDArray

from samuel.games.backgammon.checkers import (
    CHECKERS,
    DICE,
    HOME,
    MINE,
    MOST_PLAYS,
    OFF,
    THEIRS,
    count_at,
    do_play,
    list_plays,
    pips_of,
)
from samuel.games.backgammon.identifiers import words_of
from samuel.kernels.bits import ZERO, Word
from samuel.kernels.jit import jit, make_ready

THROWS = HOME * CHECKERS // 3 + 1
"""Length of a row: each throw takes at least 3 of at most 90 pips."""
_OTHER_LOW, _OTHER_HIGH = (np.uint64(word) for word in words_of({1: 1}))
"""Words of the other side, out of the way."""
_CHOOSE = np.array(
    [[math.comb(n, k) for k in range(HOME + 1)] for n in range(CHECKERS + HOME + 1)], np.int64
)


class Tables(NamedTuple):
    """Probabilities of each number of throws, float32 (rows, THROWS).

    The first rows are those until all checkers are off, one for each number of a position. If 15
    checkers are solved, rows until the first checker is off follow, one for each position of 15.
    """

    pieces: int
    chances: NDArray[np.float32]


def size_of(pieces: int) -> int:
    """Return the number of positions of at most so many checkers."""
    return math.comb(pieces + HOME, HOME)


def rows_of(pieces: int) -> int:
    """Return the number of rows of the tables of at most so many checkers."""
    return size_of(pieces) + max(0, size_of(pieces) - size_of(CHECKERS - 1))


@jit
def number_of(low: Word) -> int:
    """Return the number of a side whose checkers are at home or off, by its low word."""
    number = passed = int64(0)
    for place in range(1, HOME + 1):
        passed += count_at(low, ZERO, place)
        number += _CHOOSE[passed + place - 1, place]
    return number


@jit
def _low_of(number: int) -> Word:
    """Return the low word of the side that has a number."""
    low, beyond = ZERO, int64(0)
    for place in range(HOME, 0, -1):
        passed = int64(0)
        while _CHOOSE[passed + place, place] <= number:
            passed += 1
        number -= _CHOOSE[passed + place - 1, place]
        if place == HOME:
            low |= uint64(CHECKERS - passed)
        else:
            low |= uint64(beyond - passed) << uint64(4 * (place + 1))
        beyond = passed
    return low | uint64(beyond) << uint64(4)


@jit(types.void(uint64[::1], int64[::1]))
def _list(lows: Any, pips: Any) -> None:
    """Fill in the low words of all positions, and their pips, by their numbers."""
    for number in range(len(lows)):
        lows[number] = _low_of(number)
        pips[number] = pips_of(lows[number], ZERO)


@jit(types.void(float32[:, ::1], uint64[::1], int64[::1], int64))
def _fill(chances: Any, lows: Any, order: Any, left: int) -> None:
    """Fill in the probabilities of the throws until at most `left` checkers are left."""
    position, child = np.zeros(DICE + 1, np.uint64), np.zeros(DICE + 1, np.uint64)
    moves = np.zeros(MOST_PLAYS, np.int32)
    means = np.zeros(len(lows), np.float64)
    position[THEIRS], position[THEIRS + 1] = _OTHER_LOW, _OTHER_HIGH
    for number in order:
        if CHECKERS - count_at(lows[number], ZERO, OFF) <= left:
            chances[number, 0] = float32(1)
            continue
        position[MINE] = lows[number]
        for larger in range(1, HOME + 1):
            for smaller in range(1, larger + 1):
                best, fewest = int64(0), float64(np.inf)
                for i in range(list_plays(position, larger, smaller, moves)):
                    do_play(position, int64(moves[i]), child)
                    after = number_of(child[THEIRS])
                    if means[after] < fewest:
                        best, fewest = after, means[after]
                share = (1 if larger == smaller else 2) / HOME**2
                means[number] += share * (1 + fewest)
                for throws in range(1, THROWS):
                    chances[number, throws] += float32(share * chances[best, throws - 1])


def solve(pieces: int, say: Callable[[str], None] = lambda text: None) -> Tables:
    """Return the tables of all positions of at most so many checkers at home.

    Parameters
    ----------
    say
        Called with a description of the step.
    """
    make_ready([_list, _fill])
    say(f"solving {size_of(pieces):,} positions of a side")
    lows, pips = np.zeros(size_of(pieces), np.uint64), np.zeros(size_of(pieces), np.int64)
    _list(lows, pips)
    order = np.argsort(pips, kind="stable")
    rows = []
    for left in (0, CHECKERS - 1):
        chances = np.zeros((len(lows), THROWS), np.float32)
        _fill(chances, lows, order, left)
        rows.append(chances)
    return Tables(pieces, np.concatenate([rows[0], rows[1][size_of(CHECKERS - 1) :]]))

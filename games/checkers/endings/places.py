"""The number of a position with few pieces: a place in the table of its material.

A material is how many men and kings each side has: (mover's men, opponent's men, mover's kings,
opponent's kings). Each of the four sets of squares has its rank among the sets of its size, by the
combinatorial number system (D. Lehmer, "The machine tools of combinatorics", 1964). Men have 28
squares, for none stands where it would be crowned. Where sets meet there is no position.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numba import int64, uint8

from samuel.games.checkers.listing import KINGS, MEN, THEIR_KINGS, THEIR_MEN, WHITES_TURN
from samuel.games.checkers.squares import PLACES, place_of, square_at
from samuel.games.interface import Row
from samuel.kernels.bits import ONE, ZERO, Word, bit, popcount, trailing_zeros
from samuel.kernels.jit import jit
from samuel.kernels.records import array, array_type, record

MOST_PIECES = 5
"""Of both sides together."""
FREE = PLACES - 4
"""Squares that men of a side may stand on."""
Material: TypeAlias = tuple[int, int, int, int]

_CHOOSE = np.array(
    [[math.comb(n, k) for k in range(MOST_PIECES + 1)] for n in range(PLACES + 1)], np.int64
)


def size_of(material: Material) -> int:
    """Return how many numbers a material has."""
    men, theirs, kings, their_kings = material
    ways = math.comb(FREE, men) * math.comb(FREE, theirs)
    return ways * math.comb(PLACES, kings) * math.comb(PLACES, their_kings)


def materials(pieces: int) -> list[Material]:
    """Return the materials of at most so many pieces, both sides with one, in solving order.

    What a jump or a crowning leads to comes before: fewer pieces first, then fewer men. A material
    and the one that is the same for the other side follow one another.
    """
    sides = range(pieces + 1)
    found = [
        (a, b, c, d)
        for a, b, c, d in itertools.product(sides, repeat=4)
        if a + c > 0 and b + d > 0 and a + b + c + d <= pieces
    ]

    def rank(material: Material) -> tuple[Any, ...]:
        a, b, c, d = material
        return a + b + c + d, a + b, max(material, (b, a, d, c)), material

    return sorted(found, key=rank)


@record
class Tables(NamedTuple):
    """Tables of several materials, one after the other; n is one more than the pieces."""

    values: Any = array(uint8, ("length",), "one for each number of each material (retrograde.py)")
    starts: Any = array(
        int64, ("n", "n", "n", "n"), "where a material begins; -1 where it is not there"
    )


TABLES = array_type(Tables)


def starts_of(pieces: int) -> Any:
    """Return where each material of at most so many pieces begins, and the length of all."""
    starts = np.full((pieces + 1,) * 4, -1, np.int64)
    length = 0
    for material in materials(pieces):
        starts[material] = length
        length += size_of(material)
    return starts, length


@jit
def _rank(squares: Word, first: int) -> int:
    """Return the rank of a set among those of its size; places are counted from `first`."""
    rank, k = int64(0), 1
    while squares != ZERO:
        rank += _CHOOSE[place_of(trailing_zeros(squares)) - first, k]
        squares &= squares - ONE
        k += 1
    return rank


@jit
def _unranked(rank: int, size: int, first: int, places: int) -> Word:
    """Return the set of so many squares that has a rank."""
    squares, place = ZERO, places - 1
    for k in range(size, 0, -1):
        while _CHOOSE[place, k] > rank:
            place -= 1
        rank -= _CHOOSE[place, k]
        squares |= bit(square_at(place + first))
    return squares


@jit
def number_of(position: Row) -> int:
    """Return the number of a position within its material."""
    theirs, kings = popcount(position[THEIR_MEN]), popcount(position[KINGS])
    number = _rank(position[MEN], 0) * _CHOOSE[FREE, theirs] + _rank(position[THEIR_MEN], 4)
    number = number * _CHOOSE[PLACES, kings] + _rank(position[KINGS], 0)
    their_kings = popcount(position[THEIR_KINGS])
    return number * _CHOOSE[PLACES, their_kings] + _rank(position[THEIR_KINGS], 0)


@jit
def set_up(number: int, a: int, b: int, c: int, d: int, position: Row) -> bool:
    """Write the position that has a number within a material; False where there is none.

    Black is to move in it: who moves does not matter.
    """
    position[THEIR_KINGS] = _unranked(number % _CHOOSE[PLACES, d], d, 0, PLACES)
    number //= _CHOOSE[PLACES, d]
    position[KINGS] = _unranked(number % _CHOOSE[PLACES, c], c, 0, PLACES)
    number //= _CHOOSE[PLACES, c]
    position[THEIR_MEN] = _unranked(number % _CHOOSE[FREE, b], b, 4, FREE)
    position[MEN] = _unranked(number // _CHOOSE[FREE, b], a, 0, FREE)
    position[WHITES_TURN] = ZERO
    together = position[MEN] | position[THEIR_MEN] | position[KINGS] | position[THEIR_KINGS]
    return popcount(together) == a + b + c + d

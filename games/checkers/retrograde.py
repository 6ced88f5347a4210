"""Values of all positions with few pieces, by how far they are from the end.

A position has a number, its place in the table of its material. A material is how many men and
kings each side has: (mover's men, opponent's men, mover's kings, opponent's kings). Each of the
four sets of squares has its rank among the sets of its size, by the combinatorial number system (D.
Lehmer, "The machine tools of combinatorics", 1964). Men have 28 squares, for none stands where it
would be crowned. Where sets meet there is no position.

In turn n it is seen which positions end in n plies: those with a move to a loss in fewer are won,
those all of whose moves lead to wins in fewer are lost. The side that wins hurries, the other
delays. Positions never decided are draws; there is no draw by rule here. R. Bellman, "On the
application of dynamic programming to the determination of optimal play in chess and checkers",
1965; K. Thompson, "Retrograde analysis of certain endgames", 1986.

A value is 0 for a draw, else the plies to the end and one: odd where the side to move loses.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numba import int32, int64, types, uint8, uint64

from samuel.games.checkers.listing import (
    KINGS,
    MEN,
    THEIR_KINGS,
    THEIR_MEN,
    WHITES_TURN,
    legal_moves,
)
from samuel.games.checkers.rules import GAME, play
from samuel.games.checkers.squares import PLACES, place_of, square_at
from samuel.games.interface import Row
from samuel.kernels.bits import ONE, ZERO, Word, bit, popcount, trailing_zeros
from samuel.kernels.jit import jit, make_ready
from samuel.kernels.records import array, array_type, record

MOST_PIECES = 5
"""Most pieces of both sides together."""
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

    Materials after a jump or a crowning come before: fewer pieces first, then fewer men. A material
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

    values: Any = array(uint8, ("length",), "one for each number of each material")
    starts: Any = array(
        int64, ("n", "n", "n", "n"), "where a material begins; -1 where it is not there"
    )


TABLES = array_type(Tables)


def starts_of(pieces: int) -> Any:
    """Return where each material of at most so many pieces begins, and the total length."""
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


DRAW, IMPOSSIBLE = 0, 255
MOST_PLIES = 253
_ROW = uint64[::1]
_MOVES = int32[::1]


@jit
def value_at(tables: Tables, position: Any) -> int:
    """Return the value of a position of a material that is there, or where no piece is left."""
    if position[MEN] | position[KINGS] == ZERO:
        return int64(1)
    men, theirs = popcount(position[MEN]), popcount(position[THEIR_MEN])
    kings, their_kings = popcount(position[KINGS]), popcount(position[THEIR_KINGS])
    start = tables.starts[men, theirs, kings, their_kings]
    return int64(tables.values[start + number_of(position)])


@jit
def _decided(tables: Tables, position: Any, moves: Any, child: Any, plies: int) -> bool:
    """Return whether a position that was not decided before is, in so many plies."""
    n = legal_moves(position, moves)
    all_won = True
    for i in range(n):
        play(position, int64(moves[i]), child)
        value = value_at(tables, child)
        if value & 1 and value <= plies:
            return True
        all_won &= value != DRAW and value & 1 == 0 and value <= plies
    return all_won and (plies & 1 == 0)


@jit(int64(TABLES, int64, int64, int64, int64, int64, int64, int64, _ROW, _ROW, _MOVES))
def _turn(
    tables: Tables,
    start: int,
    size: int,
    a: int,
    b: int,
    c: int,
    d: int,
    plies: int,
    position: Any,
    child: Any,
    moves: Any,
) -> int:
    """Note which positions of a material end in so many plies; return how many do."""
    found = int64(0)
    for number in range(size):
        if tables.values[start + number] != DRAW or not set_up(number, a, b, c, d, position):
            continue
        if _decided(tables, position, moves, child, plies):
            tables.values[start + number] = uint8(plies + 1)
            found += 1
    return found


@jit(types.void(TABLES, int64, int64, int64, int64, int64, int64, _ROW))
def _mark(
    tables: Tables, start: int, size: int, a: int, b: int, c: int, d: int, position: Any
) -> None:
    """Note which numbers of a material are no position's."""
    for number in range(size):
        if not set_up(number, a, b, c, d, position):
            tables.values[start + number] = IMPOSSIBLE


def solve(pieces: int, say: Callable[[str], None] = lambda text: None) -> Tables:
    """Return the values of all positions of at most so many pieces, both sides having some.

    Parameters
    ----------
    say
        Called with what is being done.
    """
    starts, length = starts_of(pieces)
    tables = Tables(np.zeros(length, np.uint8), starts)
    make_ready([_turn, _mark])
    for pair in _pairs(materials(pieces)):
        for material in pair:
            _mark(tables, starts[material], size_of(material), *material, np.zeros(5, np.uint64))
        _solve_together(tables, pair, say)
    return tables


def _pairs(every: list[Material]) -> Iterator[list[Material]]:
    """Yield each material with what it is for the other side: moves lead from one to the other."""
    done: set[Material] = set()
    for a, b, c, d in every:
        pair = list(dict.fromkeys([(a, b, c, d), (b, a, d, c)]))
        if done.isdisjoint(pair):
            done.update(pair)
            yield pair


def _solve_together(tables: Tables, pair: list[Material], say: Callable[[str], None]) -> None:
    """Decide the positions of materials that lead to each other and to those solved before."""
    position, child = np.zeros((2, 5), np.uint64)
    moves = np.zeros(GAME.max_moves, np.int32)
    solved = tables.values[tables.values != IMPOSSIBLE]
    longest = int(solved.max(initial=0))
    plies = quiet = 0
    while plies <= longest or quiet < 2:
        say(f"solving {sum(pair[0])} pieces, {plies} plies deep")
        found = sum(
            _turn(
                *(tables, tables.starts[one], size_of(one), *one, plies, position, child, moves),
            )
            for one in pair
        )
        quiet = 0 if found else quiet + 1
        plies += 1
        if plies > MOST_PLIES:
            raise OverflowError("an ending takes more plies than a byte can store")

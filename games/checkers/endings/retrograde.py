"""Values of all positions with few pieces, by how far they are from the end.

In turn n it is seen which positions end in n plies: those with a move to a loss in fewer are won,
those all of whose moves lead to wins in fewer are lost. The side that wins hurries, the other
delays. What is never decided is a draw; there is no draw by rule here. R. Bellman, "On the
application of dynamic programming to the determination of optimal play in chess and checkers",
1965; K. Thompson, "Retrograde analysis of certain endgames", 1986.

A value is 0 for a draw, else the plies to the end and one: odd where the side to move loses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numba import int64, types, uint8

from samuel.games.checkers.endings.places import (
    TABLES,
    Material,
    Tables,
    materials,
    number_of,
    set_up,
    size_of,
    starts_of,
)
from samuel.games.checkers.listing import KINGS, MEN, THEIR_KINGS, THEIR_MEN, legal_moves
from samuel.games.checkers.rules import GAME, play
from samuel.kernels.bits import ZERO, popcount
from samuel.kernels.jit import jit, make_ready

DRAW, IMPOSSIBLE = 0, 255
MOST_PLIES = 253
_ROW = types.Array(types.uint64, 1, "C")
_MOVES = types.Array(types.int32, 1, "C")


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


def solve(
    pieces: int, progress: Callable[[Material, int], None] = lambda material, plies: None
) -> Tables:
    """Return the values of all positions of at most so many pieces, both sides having some.

    Parameters
    ----------
    progress
        called with the material that is being solved, and the plies so far.
    """
    starts, length = starts_of(pieces)
    tables = Tables(np.zeros(length, np.uint8), starts)
    make_ready([_turn, _mark])
    for pair in _pairs(materials(pieces)):
        for material in pair:
            _mark(tables, starts[material], size_of(material), *material, np.zeros(5, np.uint64))
        _solve_together(tables, pair, progress)
    return tables


def _pairs(every: list[Material]) -> Iterator[list[Material]]:
    """Yield each material with what it is for the other side: moves lead from one to the other."""
    done: set[Material] = set()
    for a, b, c, d in every:
        pair = list(dict.fromkeys([(a, b, c, d), (b, a, d, c)]))
        if done.isdisjoint(pair):
            done.update(pair)
            yield pair


def _solve_together(
    tables: Tables, pair: list[Material], progress: Callable[[Material, int], None]
) -> None:
    """Decide the positions of materials that lead to each other and to those solved before."""
    position, child = np.zeros((2, 5), np.uint64)
    moves = np.zeros(GAME.max_moves, np.int32)
    solved = tables.values[tables.values != IMPOSSIBLE]
    longest = int(solved.max(initial=0))
    plies = quiet = 0
    while plies <= longest or quiet < 2:
        progress(pair[0], plies)
        found = sum(
            _turn(
                *(tables, tables.starts[one], size_of(one), *one, plies, position, child, moves),
            )
            for one in pair
        )
        quiet = 0 if found else quiet + 1
        plies += 1
        if plies > MOST_PLIES:
            raise OverflowError("an ending takes more plies than a byte holds")

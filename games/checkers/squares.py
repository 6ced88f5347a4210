"""The board of checkers, 32 dark squares in 35 bits, so that each step is one shift; its moves.

A. Samuel's numbering (1959): two rows are eight squares, and after each two stands a bit that is no
square. A step forward is then 4 or 5 bits up from every square, and one that leaves the board comes
to such a bit, or beyond the last. Turned by half, bit i is bit 34 - i.

People number the squares 1 to 32 row by row from Black's side; those are the places here, from 0.

A move is a number: the place that it starts from (5 bits), whether it jumps (1), and its steps, two
bits each for the direction (STEPS) as Black sees it, the first the lowest, and a 1 above the last.
"""

from __future__ import annotations

import numpy as np
from numba import int64

from samuel.games.board import Board
from samuel.kernels.bits import Word, reversed_bits
from samuel.kernels.jit import jit

LAST = 34
PLACES = 32
VALID = np.uint64(sum(1 << k for k in range(LAST + 1) if k % 9 != 8))
"""The bits that are squares."""
LAST_ROW = np.uint64(0b1111 << 31)
"""Squares on which the mover's men are crowned."""
STEPS = (4, 5, -4, -5)
"""The bits that a step in each direction is away; men go in the first two."""

_UNUSED = np.uint64(63 - LAST)


@jit
def turned(squares: Word) -> Word:
    """Return a set of squares as the other side sees it."""
    return reversed_bits(squares) >> _UNUSED


@jit
def place_of(square: int) -> int:
    """Return the place, 0 to 31, of the square of a bit."""
    return int64(square - square // 9)


@jit
def square_at(place: int) -> int:
    """Return the bit of the square at a place."""
    return int64(place + place // 8)


@jit
def shifted(squares: Word, direction: int) -> Word:
    """Return where pieces come to by a step in a direction; what leaves the board is no square."""
    if direction == 0:
        return squares << np.uint64(4)
    if direction == 1:
        return squares << np.uint64(5)
    if direction == 2:
        return squares >> np.uint64(4)
    return squares >> np.uint64(5)


def _bits() -> list[int]:
    """Return the bit of each of the 64 squares; the light ones have those that are no dark one."""
    dark = {
        (row, column): 4 * row + column // 2 + row // 2
        for row, column in _SQUARES
        if (row + column) % 2
    }
    rest = iter([bit for bit in range(64) if bit not in dark.values()])
    return [dark[square] if square in dark else next(rest) for square in _SQUARES]


_SQUARES = [(row, column) for row in range(8) for column in range(8)]
BOARD = Board(
    *(8, 8, _bits()),
    pieces=("bw", "BW"),
    row_names="87654321",
    unused=[k for k, (row, column) in enumerate(_SQUARES) if (row + column) % 2 == 0],
)
"""Black's men `b` and kings `B`, White's `w` and `W`; a1, dark, at White's left."""


JUMPS_AT, STEPS_AT = 5, 6
"""Places in a move: a bit for a jump, and its steps."""
MOST_JUMPS = 9
"""In a move: they lead along the diagonals of a 4 by 4 board, which has as many."""

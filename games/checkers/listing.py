"""The board of checkers, 32 dark squares in 35 bits, so that each step is one shift; its moves.

A. Samuel's numbering (1959): two rows are eight squares, and after each two stands a bit that is no
square. A step forward is then 4 or 5 bits up from every square, and one that leaves the board comes
to such a bit, or beyond the last. Turned by half, bit i is bit 34 - i.

People number the squares 1 to 32 row by row from Black's side; those are the places here, from 0.

A move is a number: the place that it starts from (5 bits), whether it jumps (1), and its steps, two
bits each for the direction (STEPS) as Black sees it, the first the lowest, and a 1 above the last.

Legal moves are the jumps, or where there is none the steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int32, int64

from samuel.games.board import Board
from samuel.games.rules import Row
from samuel.kernels.bits import ONE, ZERO, Word, bit, reversed_bits, trailing_zeros
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


MEN, THEIR_MEN, KINGS, THEIR_KINGS, WHITES_TURN = range(5)
"""The words of a position."""
MOST_MOVES = 128
"""Kings alone have at most 124 steps; of paths to jump along, no more are listed."""
FORWARD, DIRECTIONS = 2, 4
_STEPS = np.array(STEPS, np.int64)
_BACKWARD = int("10" * MOST_JUMPS, 2)
"""Turned by half, a direction is two on."""


@jit
def all_of(position: Row) -> tuple[Word, Word, Word, Word]:
    """Return the mover's pieces, the opponent's, the empty squares, and the mover's kings."""
    mine = position[MEN] | position[KINGS]
    theirs = position[THEIR_MEN] | position[THEIR_KINGS]
    return mine, theirs, VALID & ~(mine | theirs), position[KINGS]


@jit
def landings(pieces: Word, theirs: Word, empty: Word, direction: int) -> Word:
    """Return where pieces come to by a jump in a direction."""
    return shifted(shifted(pieces, direction) & theirs, direction) & empty


@jit
def can_jump(mine: Word, theirs: Word, empty: Word, kings: Word) -> bool:
    """Return whether the side to move has a jump."""
    found = landings(mine, theirs, empty, 0) | landings(mine, theirs, empty, 1)
    if kings != ZERO:
        found |= landings(kings, theirs, empty, 2) | landings(kings, theirs, empty, 3)
    return found != ZERO


@jit
def can_step(mine: Word, empty: Word, kings: Word) -> bool:
    """Return whether the side to move has a step."""
    found = shifted(mine, 0) | shifted(mine, 1) | shifted(kings, 2) | shifted(kings, 3)
    return found & empty != ZERO


@jit
def _move(position: Row, square: int, jumps: int, steps: int, n: int) -> int:
    """Return the number of a move of n steps, which are as the mover sees them."""
    if position[WHITES_TURN] != ZERO:
        square, steps = LAST - square, steps ^ (_BACKWARD & ((1 << 2 * n) - 1))
    return place_of(square) | jumps << JUMPS_AT | (steps | 1 << 2 * n) << STEPS_AT


@jit
def _list_jumps(position: Row, square: int, moves: Any, listed: int) -> int:
    """Add the moves of a piece that jumps to those listed; return how many there are then."""
    _, theirs, empty, kings = all_of(position)
    empty |= bit(square)
    directions = DIRECTIONS if kings & bit(square) != ZERO else FORWARD
    here, steps, n, direction, went_on = square, int64(0), int64(0), int64(0), False
    while True:
        if direction < directions and n < MOST_JUMPS:
            landing = landings(bit(here), theirs, empty, direction)
            if landing == ZERO:
                direction += 1
                continue
            theirs ^= shifted(bit(here), direction)
            here += 2 * _STEPS[direction]
            steps |= direction << 2 * n
            n += 1
            direction, went_on = int64(0), False
            if directions == FORWARD and landing & LAST_ROW != ZERO:
                direction = int64(directions)  # crowned: the move ends
            continue
        if not went_on and n > 0 and listed < MOST_MOVES:
            moves[listed] = int32(_move(position, square, 1, steps, n))
            listed += 1
        if n == 0:
            return listed
        n -= 1
        direction = (steps >> 2 * n) & 3
        steps ^= direction << 2 * n
        here -= 2 * _STEPS[direction]
        theirs ^= shifted(bit(here), direction)
        direction, went_on = direction + 1, True


@jit
def _jumpers(mine: Word, theirs: Word, empty: Word, kings: Word) -> Word:
    """Return the pieces that have a jump: a landing's jump back."""
    found = landings(empty, theirs, mine, 2) | landings(empty, theirs, mine, 3)
    return found | landings(empty, theirs, kings, 0) | landings(empty, theirs, kings, 1)


@jit
def jumps_of(position: Row, moves: Any) -> int:
    """List the moves that jump; return how many."""
    mine, theirs, empty, kings = all_of(position)
    n, left = int64(0), _jumpers(mine, theirs, empty, kings)
    while left != ZERO:
        n = _list_jumps(position, trailing_zeros(left), moves, n)
        left &= left - ONE
    return n


@jit
def legal_moves(position: Row, moves: Any) -> int:
    """List the jumps, or where there is none the steps."""
    mine, theirs, empty, kings = all_of(position)
    if can_jump(mine, theirs, empty, kings):
        return jumps_of(position, moves)
    n = int64(0)
    for direction in range(DIRECTIONS):
        movers = shifted(empty, direction ^ 2) & (mine if direction < FORWARD else kings)
        while movers != ZERO:
            moves[n] = int32(_move(position, trailing_zeros(movers), 0, direction, 1))
            n += 1
            movers &= movers - ONE
    return n

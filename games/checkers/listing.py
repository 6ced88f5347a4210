"""The legal moves of checkers: the jumps, or where there is none the steps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int32, int64

from samuel.games.checkers.squares import (
    JUMPS_AT,
    LAST,
    LAST_ROW,
    MOST_JUMPS,
    STEPS,
    STEPS_AT,
    VALID,
    place_of,
    shifted,
)
from samuel.games.rules import Row
from samuel.kernels.bits import ONE, ZERO, Word, bit, trailing_zeros
from samuel.kernels.jit import jit

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

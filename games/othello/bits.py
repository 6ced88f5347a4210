"""Bitboards of Othello: moves, flips, neighbours, stable discs.

`moves_of` and `flips_of` are vector code where the processor has it, and the plain forms here
elsewhere. a1 is bit 0, b1 bit 1, a2 bit 8. `player` and `opponent` are words of discs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from samuel.games.othello import vector
from samuel.games.othello.vector import DOWNWARD, UPWARD
from samuel.kernels.bits import ONE, ZERO, Word, bit, leading_zeros, popcount, trailing_zeros
from samuel.kernels.jit import jit

MOST_MOVES = 64
"""No position has more legal moves; one typed in may have more than the 33 known from play."""

CORNERS = np.uint64(0x8100000000000081)
NOT_A = np.uint64(0xFEFEFEFEFEFEFEFE)
NOT_H = np.uint64(0x7F7F7F7F7F7F7F7F)
_INNER_FILES = NOT_A & NOT_H
_TOP = np.uint64(1 << 63)
_1, _2, _7, _8, _9, _14, _16, _18, _32 = (np.uint64(k) for k in (1, 2, 7, 8, 9, 14, 16, 18, 32))
_4 = np.uint64(4)
_FILE_A = ~NOT_A
_RANK = np.uint64(0xFF)


@jit
def _along(player: Word, through: Word, step: Word, two_steps: Word) -> Word:
    """Return the squares just past an unbroken run of `through`, both ways along one axis."""
    up = through & (player << step)
    down = through & (player >> step)
    up |= through & (up << step)
    down |= through & (down >> step)
    pairs_up = through & (through << step)
    pairs_down = through & (through >> step)
    up |= pairs_up & (up << two_steps)
    down |= pairs_down & (down >> two_steps)
    up |= pairs_up & (up << two_steps)
    down |= pairs_down & (down >> two_steps)
    return (up << step) | (down >> step)


@jit
def moves_of_plain(player: Word, opponent: Word) -> Word:
    """Return the squares where `player` may move."""
    inner = opponent & _INNER_FILES
    reached = _along(player, inner, _1, _2) | _along(player, opponent, _8, _16)
    reached |= _along(player, inner, _7, _14) | _along(player, inner, _9, _18)
    return reached & ~(player | opponent)


@jit
def flips_of_plain(player: Word, opponent: Word, square: int) -> Word:
    """Return the discs that `player` turns by moving at `square`; none if that is no move.

    Toward higher bits, adding one to the ray with all but the opponent's discs set carries to
    the first square that is not the opponent's; toward lower bits, counting leading zeros
    finds it. If it is the player's, all between are flipped.
    """
    flips = ZERO
    for axis in range(4):
        ray = UPWARD[np.uint64(square), axis]
        end = ((opponent | ~ray) + ONE) & player & ray
        flips |= (end - np.uint64(end != ZERO)) & ray
        ray = DOWNWARD[np.uint64(square), axis]
        end = (_TOP >> leading_zeros((~opponent & ray) | ONE)) & player & ray
        flips |= ((ZERO - end) << ONE) & ray
    return flips


@jit
def replies_to_plain(player: Word, opponent: Word, empty: Word, moves: Word) -> int:
    """Return the number of replies to the lowest of `moves`, at least 1: a pass, or the end."""
    square = trailing_zeros(moves)
    flips = flips_of_plain(player, opponent, square)
    replies = moves_of_plain(opponent ^ flips, player ^ flips ^ bit(square))
    return max(1, popcount(replies & empty))


class Bits(NamedTuple):
    """One form of what the rules ask of bitboards."""

    moves_of: Any
    flips_of: Any
    replies_to: Any
    at_once: int


PLAIN = Bits(moves_of_plain, flips_of_plain, replies_to_plain, 1)
VECTOR = Bits(vector.moves_of, vector.flips_of, vector.replies_to, vector.AT_ONCE)
FASTEST = VECTOR if vector.AVAILABLE else PLAIN
"""Fastest code on this processor."""
moves_of, flips_of = FASTEST.moves_of, FASTEST.flips_of


@jit
def final_difference(player: Word, opponent: Word, empty: Word) -> int:
    """Return the disc difference of a finished game, empty squares to the winner."""
    difference = popcount(player) - popcount(opponent)
    if difference > 0:
        return difference + popcount(empty)
    if difference < 0:
        return difference - popcount(empty)
    return 0


@jit
def neighbours(discs: Word) -> Word:
    """Return `discs` and all squares next to one, in the eight directions."""
    row = discs | ((discs << _1) & NOT_A) | ((discs >> _1) & NOT_H)
    return row | (row << _8) | (row >> _8)


@jit
def _full_rows(occupied: Word) -> Word:
    row = occupied & (occupied >> _4)
    row &= row >> _2
    return (row & (row >> _1) & _FILE_A) * _RANK


@jit
def _full_columns(occupied: Word) -> Word:
    column = occupied & ((occupied << _32) | (occupied >> _32))
    column &= (column << _16) | (column >> np.uint64(48))
    return column & ((column << _8) | (column >> np.uint64(56)))


def _beyond(row_step: int, column_step: int) -> Any:
    """Return the squares from which 1, 2 and 4 steps leave the board."""
    masks = []
    for steps in (1, 2, 4):
        mask = 0
        for square in range(64):
            row, column = square // 8 + steps * row_step, square % 8 + steps * column_step
            if not (0 <= row < 8 and 0 <= column < 8):
                mask |= 1 << square
        masks.append(np.uint64(mask))
    return tuple(masks)


_BEYOND_9, _BEYOND_MINUS_9 = _beyond(1, 1), _beyond(-1, -1)
_BEYOND_7, _BEYOND_MINUS_7 = _beyond(1, -1), _beyond(-1, 1)
_BORDER = np.uint64(0xFF818181818181FF)
_SIDES = ~_INNER_FILES
_ENDS = np.uint64(0xFF000000000000FF)


@jit
def _full_diagonals(occupied: Word, step: Word, beyond_up: Any, beyond_down: Any) -> Word:
    """Return the squares of full diagonals: doubling, with what lies off the board as full."""
    up = occupied & (beyond_up[0] | (occupied >> step))
    down = occupied & (beyond_down[0] | (occupied << step))
    up &= beyond_up[1] | (up >> (step * _2))
    down &= beyond_down[1] | (down << (step * _2))
    up &= beyond_up[2] | (up >> (step * _4))
    down &= beyond_down[2] | (down << (step * _4))
    return up & down


@jit
def stable_discs_within(player: Word, opponent: Word, wall: Word) -> Word:
    """Return discs of `player` that can never be flipped; `wall` holds the squares off the board.

    The least fixed point of: a disc is stable if on each of the four axes its line is full, or
    one neighbour is off the board or a stable disc of the same colour. (A sufficient condition:
    discs stable for deeper reasons are not found.)
    """
    occupied = player | opponent | wall
    rows, columns = _full_rows(occupied), _full_columns(occupied)
    if wall == ZERO and rows | columns | (player & CORNERS) == ZERO:
        return ZERO  # no seed: the first stable disc is a corner or on a full row or column
    rows |= _SIDES
    columns |= _ENDS
    falling = _full_diagonals(occupied, _9, _BEYOND_9, _BEYOND_MINUS_9) | _BORDER
    rising = _full_diagonals(occupied, _7, _BEYOND_7, _BEYOND_MINUS_7) | _BORDER
    stable, grown = wall, ~ZERO
    while stable != grown:
        grown = stable
        left, right = stable & NOT_A, stable & NOT_H
        stable |= (
            player
            & (rows | (left >> _1) | (right << _1))
            & (columns | (stable << _8) | (stable >> _8))
            & (falling | (right << _9) | (left >> _9))
            & (rising | (left << _7) | (right >> _7))
        )
    return stable & player

"""The last squares of Othello: null windows without a table, without sorting.

A null window asks whether the score is more than `alpha`; the answer is fail-soft: more than
`alpha` it is a lower bound of the score, otherwise an upper bound. Squares that are alone in
their quadrant of the board come first, since who moves last in a region usually gains by it
(parity; B. Rose, "Othello: a minute to learn, a lifetime to master").
"""

from __future__ import annotations

import numpy as np
from numba import int64, uint64
from numpy.typing import NDArray

from samuel.games.othello.bits import final_difference, flips_of, moves_of, neighbours
from samuel.kernels.bits import ONE, ZERO, Word, bit, popcount, trailing_zeros
from samuel.kernels.budget import NODES, count_node
from samuel.kernels.jit import jit
from samuel.kernels.pointers import COUNTS, Pointer

WORST = -100
"""Below any score."""

_1, _2, _8, _16, _56 = (np.uint64(k) for k in (1, 2, 8, 16, 56))


_PARITY = np.uint64(0x0000001100000011)
_QUADRANT = np.uint64(0x0F0F0F0F)


@jit
def odd_parity(empty: Word) -> Word:
    """Return the quadrants that hold an odd number of empty squares."""
    parity = empty ^ (empty >> _16)
    parity ^= parity >> _8
    parity ^= parity >> _2
    parity ^= parity >> _1
    return (parity & _PARITY) * _QUADRANT


def _turned_on_lines() -> NDArray[np.uint8]:
    """Return (8, 256): twice the discs turned by moving at a place of a line."""
    turned = np.zeros((8, 256), np.uint8)
    for place in range(8):
        for discs in range(256):
            for ray in (range(place + 1, 8), range(place - 1, -1, -1)):
                run = [k for k, at in enumerate(ray) if discs >> at & 1]
                turned[place, discs] += 2 * run[0] if run else 0
    return turned


def _diagonals() -> NDArray[np.uint64]:
    """Return (64, 2): the two diagonals through each square."""
    diagonals = np.zeros((64, 2), np.uint64)
    for square in range(64):
        for other in range(64):
            rows, columns = other // 8 - square // 8, other % 8 - square % 8
            if rows == columns:
                diagonals[square, 0] |= ONE << np.uint64(other)
            if rows == -columns:
                diagonals[square, 1] |= ONE << np.uint64(other)
    return diagonals


_TURNED, _DIAGONALS = _turned_on_lines(), _diagonals()
# as plain Python: compiling it now would cost every start
_neighbours = getattr(neighbours, "py_func", neighbours)
_NEIGHBOURS = np.array([_neighbours(ONE << np.uint64(k)) for k in range(64)], np.uint64)
_FILE_A, _COLLECT = np.uint64(0x0101010101010101), np.uint64(0x0102040810204080)
_LAST_THREE_BITS, _BYTE = np.uint64(7), np.uint64(0xFF)


@jit
def _turned_by_last(discs: Word, square: int) -> int:
    """Return twice the number of discs that the side with `discs` turns on the last square."""
    at = np.uint64(square)
    column, row = at & _LAST_THREE_BITS, at >> np.uint64(3)
    on_row = (discs >> (at & _56)) & _BYTE
    on_column = (((discs >> column) & _FILE_A) * _COLLECT) >> _56
    falling = ((discs & _DIAGONALS[at, 0]) * _FILE_A) >> _56
    rising = ((discs & _DIAGONALS[at, 1]) * _FILE_A) >> _56
    return (
        int64(_TURNED[column, on_row])
        + int64(_TURNED[row, on_column])
        + int64(_TURNED[column, falling])
        + int64(_TURNED[column, rising])
    )


@jit
def _last_one(player: Word, opponent: Word, square: int) -> int:
    """Return the score with one empty square left, without making a move."""
    difference = popcount(player) - popcount(opponent)  # odd, since boards have an even size
    turned = _turned_by_last(player, square)
    if turned:
        return difference + turned + 1
    turned = _turned_by_last(opponent, square)
    if turned:
        return difference - turned - 1
    return difference + 1 if difference > 0 else difference - 1


@jit
def _flips_at(player: Word, opponent: Word, square: int) -> Word:
    """Return `flips_of` at an empty square, sooner where no opponent's disc is next to it."""
    if _NEIGHBOURS[np.uint64(square)] & opponent == ZERO:
        return ZERO
    return flips_of(player, opponent, square)


@jit(int64(uint64, uint64, int64, int64, int64, COUNTS))
def _last_two(player: Word, opponent: Word, alpha: int, a: int, b: int, counters: Pointer) -> int:
    counters[NODES] += 1
    best = int64(WORST)
    flips = _flips_at(player, opponent, a)
    if flips != ZERO:
        counters[NODES] += 1
        best = -_last_one(opponent ^ flips, player ^ flips ^ bit(a), b)
        if best > alpha:
            return best
    flips = _flips_at(player, opponent, b)
    if flips != ZERO:
        counters[NODES] += 1
        return max(best, -_last_one(opponent ^ flips, player ^ flips ^ bit(b), a))
    if best > WORST:
        return best
    if _flips_at(opponent, player, a) | _flips_at(opponent, player, b):
        return -_last_two(opponent, player, -alpha - 1, a, b, counters)
    return final_difference(player, opponent, bit(a) | bit(b))


@jit
def _share_quadrant(a: int, b: int) -> bool:
    """Return whether two squares agree in the upper bits of row and column."""
    return (a ^ b) & 0b100100 == 0


@jit(int64(uint64, uint64, int64, int64, int64, int64, COUNTS))
def _last_three(
    player: Word, opponent: Word, alpha: int, a: int, b: int, c: int, counters: Pointer
) -> int:
    counters[NODES] += 1
    if _share_quadrant(a, b):
        a, c = c, a
    elif _share_quadrant(a, c):
        a, b = b, a
    best = int64(WORST)
    for _ in range(3):
        flips = _flips_at(player, opponent, a)
        if flips != ZERO:
            score = -_last_two(
                opponent ^ flips, player ^ flips ^ bit(a), -alpha - 1, b, c, counters
            )
            best = max(best, score)
            if best > alpha:
                return best
        a, b, c = b, c, a
    if best > WORST:
        return best
    if (
        _flips_at(opponent, player, a)
        | _flips_at(opponent, player, b)
        | _flips_at(opponent, player, c)
    ):
        return -_last_three(opponent, player, -alpha - 1, a, b, c, counters)
    return final_difference(player, opponent, bit(a) | bit(b) | bit(c))


@jit(int64(uint64, uint64, int64, int64, int64, int64, int64, COUNTS))
def _last_four(
    player: Word, opponent: Word, alpha: int, a: int, b: int, c: int, d: int, counters: Pointer
) -> int:
    counters[NODES] += 1
    best = int64(WORST)
    for _ in range(4):
        flips = _flips_at(player, opponent, a)
        if flips != ZERO:
            score = -_last_three(
                opponent ^ flips, player ^ flips ^ bit(a), -alpha - 1, b, c, d, counters
            )
            best = max(best, score)
            if best > alpha:
                return best
        a, b, c, d = b, c, d, a
    if best > WORST:
        return best
    empty = bit(a) | bit(b) | bit(c) | bit(d)
    if moves_of(opponent, player) & empty:
        return -_last_four(opponent, player, -alpha - 1, a, b, c, d, counters)
    return final_difference(player, opponent, empty)


@jit
def _first_of(squares: Word, otherwise: Word) -> int:
    return trailing_zeros(squares if squares != ZERO else otherwise)


@jit
def _four_squares(player: Word, opponent: Word, empty: Word, alpha: int, counters: Pointer) -> int:
    """Solve four empty squares, those of odd quadrants first."""
    odd = odd_parity(empty)
    a = _first_of(empty & odd, empty)
    empty ^= bit(a)
    b = _first_of(empty & odd, empty)
    empty ^= bit(b)
    c = _first_of(empty & odd, empty)
    d = trailing_zeros(empty ^ bit(c))
    return _last_four(player, opponent, alpha, a, b, c, d, counters)


@jit(int64(uint64, uint64, uint64, int64, COUNTS))
def solve_few(player: Word, opponent: Word, empty: Word, alpha: int, counters: Pointer) -> int:
    """Solve a null window with few empty squares, at least four."""
    empties = popcount(empty)
    if empties == 4:
        return _four_squares(player, opponent, empty, alpha, counters)
    count_node(counters)
    moves = moves_of(player, opponent) & empty
    if moves == ZERO:
        if moves_of(opponent, player) & empty == ZERO:
            return final_difference(player, opponent, empty)
        return -solve_few(opponent, player, empty, -alpha - 1, counters)
    odd = odd_parity(empty)
    best = int64(WORST)
    for squares in (moves & odd, moves & ~odd):
        while squares:
            move = squares & (ZERO - squares)
            squares ^= move
            flips = flips_of(player, opponent, trailing_zeros(move))
            child, other = opponent ^ flips, player ^ flips ^ move
            score = -solve_few(child, other, empty ^ move, -alpha - 1, counters)
            best = max(best, score)
            if best > alpha:
                return best
    return best

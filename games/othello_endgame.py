"""Exact endgames of Othello, much faster than the general search.

Alpha-beta with null windows, a table with both bounds, moves ordered by the mobility they leave
and by the parity of the board's quadrants, and a cut where the opponent's stable discs leave too
little to win. Near the end, first-come order by parity alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int64, uint64

from games.abi import SOLVE
from games.bits import ONE, ZERO, Word, bit, mix, popcount, trailing_zeros
from games.budget import STOPPED, count_node
from games.othello_bits import (
    CORNERS,
    MOST_MOVES,
    final_difference,
    flips_of,
    moves_of,
    neighbours,
    stable_discs,
)
from games.pointers import COUNTS, INTS, WORDS, Pointer, offset
from jit import jit

_WORST = -100
"""Below any score; also the offset that makes scores positive inside a table entry."""

_SHALLOW = 6
"""From this many empty squares down, sorting and the table cost more than they save."""

_STABILITY_FROM = 20
"""Stable discs are counted only where alpha is so high that they may decide."""

_QUADRANT = np.uint64(0x0F0F0F0F)
_QUADRANTS = tuple(_QUADRANT << np.uint64(shift) for shift in (0, 4, 32, 36))
_8, _16, _63, _255 = (np.uint64(k) for k in (8, 16, 63, 255))


@jit
def _odd_quadrants(empty: Word) -> Word:
    """Return the quadrants that hold an odd number of empty squares: play there first."""
    odd = ZERO
    for quadrant in _QUADRANTS:
        if popcount(empty & quadrant) & 1:
            odd |= quadrant
    return odd


@jit
def _last_square(player: Word, opponent: Word, square: int) -> int:
    """Return the score with one empty square left, without making a move."""
    flips = flips_of(player, opponent, square)
    if flips != ZERO:
        return 2 * (popcount(player) + popcount(flips) + 1) - 64
    flips = flips_of(opponent, player, square)
    if flips != ZERO:
        return 64 - 2 * (popcount(opponent) + popcount(flips) + 1)
    return final_difference(player, opponent)


@jit(int64(uint64, uint64, int64, int64, int64, COUNTS))
def _solve_shallow(
    player: Word, opponent: Word, alpha: int, beta: int, empties: int, counters: Pointer
) -> int:
    """Alpha-beta (fail-soft) for the last few squares; `empties` is at least 1."""
    count_node(counters)
    empty = ~(player | opponent)
    if empties == 1:
        return _last_square(player, opponent, trailing_zeros(empty))
    moves = moves_of(player, opponent)
    if moves == ZERO:
        if moves_of(opponent, player) == ZERO:
            return final_difference(player, opponent)
        return -_solve_shallow(opponent, player, -beta, -alpha, empties, counters)
    odd = _odd_quadrants(empty)
    best = int64(_WORST)
    for squares in (moves & odd, moves & ~odd):
        while squares:
            square = trailing_zeros(squares)
            squares &= squares - ONE
            flips = flips_of(player, opponent, square)
            score = -_solve_shallow(
                opponent ^ flips, player ^ flips ^ bit(square), -beta, -alpha, empties - 1, counters
            )
            if score > best:
                best = score
                alpha = max(alpha, score)
                if alpha >= beta:
                    return best
    return best


@jit
def _rate_moves(
    player: Word, opponent: Word, moves: Word, first: int, deep: bool, rated: Pointer
) -> int:
    """Fill `rated` with rating * 64 + square, `first` (a square or -1) rated highest."""
    odd = _odd_quadrants(~(player | opponent))
    n = 0
    while moves:
        square = trailing_zeros(moves)
        moves &= moves - ONE
        flips = flips_of(player, opponent, square)
        then_player, then_opponent = opponent ^ flips, player ^ flips ^ bit(square)
        replies = moves_of(then_player, then_opponent)
        frontier = neighbours(then_opponent) & ~(then_player | then_opponent)
        rating = 4096 - 32 * (popcount(replies) + popcount(replies & CORNERS))
        rating -= 4 * popcount(frontier)
        if bit(square) & CORNERS:
            rating += 18
        if bit(square) & odd:
            rating += 12
        if deep:
            rating += 2 * popcount(moves_of(then_opponent, then_player))
        if square == first:
            rating = 1 << 20
        rated[n] = rating * 64 + square
        n += 1
    return n


@jit
def next_best(rated: Pointer, i: int, n: int) -> int:
    """Bring the largest of rated[i:n] to place i and return it (selection sort, one step)."""
    best = i
    for j in range(i + 1, n):
        if rated[j] > rated[best]:
            best = j
    rated[i], rated[best] = rated[best], rated[i]
    return int64(rated[i])


@jit(int64(uint64, uint64, int64, int64, int64, WORDS, int64, INTS, COUNTS))
def _solve(
    player: Word,
    opponent: Word,
    alpha: int,
    beta: int,
    empties: int,
    table: Pointer,
    rows: int,
    scratch: Pointer,
    counters: Pointer,
) -> int:
    if empties <= _SHALLOW:
        if empties == 0:
            count_node(counters)
            return final_difference(player, opponent)
        return _solve_shallow(player, opponent, alpha, beta, empties, counters)
    count_node(counters)
    if counters[STOPPED]:
        return int64(0)
    moves = moves_of(player, opponent)
    if moves == ZERO:
        if moves_of(opponent, player) == ZERO:
            return final_difference(player, opponent)
        return -_solve(opponent, player, -beta, -alpha, empties, table, rows, scratch, counters)
    if alpha >= _STABILITY_FROM:
        most = 64 - 2 * popcount(stable_discs(opponent, player))
        if most <= alpha:
            return most

    key = mix(mix(ZERO, player), opponent)
    slot = (key & np.uint64(rows - 1)) << ONE
    low, high, first = int64(_WORST), int64(-_WORST), int64(-1)
    if table[slot] == key:
        entry = table[slot | ONE]
        first = int64(entry & _63)
        low = int64((entry >> _8) & _255) + _WORST
        high = int64((entry >> _16) & _255) + _WORST
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        alpha = max(alpha, low)
        beta = min(beta, high)

    rated = offset(scratch, empties * MOST_MOVES)
    n = _rate_moves(player, opponent, moves, first, empties >= 13, rated)
    best, best_square = int64(_WORST), int64(0)
    reached = alpha
    for i in range(n):
        square = next_best(rated, i, n) & 63
        flips = flips_of(player, opponent, square)
        child, other = opponent ^ flips, player ^ flips ^ bit(square)
        if i == 0:
            score = -_solve(
                child, other, -beta, -alpha, empties - 1, table, rows, scratch, counters
            )
        else:
            score = -_solve(
                child, other, -reached - 1, -reached, empties - 1, table, rows, scratch, counters
            )
            if reached < score < beta:
                score = -_solve(
                    child, other, -beta, -score, empties - 1, table, rows, scratch, counters
                )
        if counters[STOPPED]:
            return int64(0)
        if score > best:
            best, best_square = score, square
            reached = max(reached, score)
            if reached >= beta:
                break
    if best > alpha:
        low = max(low, best)
    if best < beta:
        high = min(high, best)
    table[slot] = key
    table[slot | ONE] = (
        (uint64(high - _WORST) << _16) | (uint64(low - _WORST) << _8) | uint64(best_square)
    )
    return best


@jit(SOLVE)
def solve(
    position: Pointer,
    alpha: int,
    beta: int,
    table: Pointer,
    rows: int,
    scratch: Pointer,
    counters: Pointer,
    evaluate: Any,
    integers: Pointer,
    floats: Pointer,
    guided: int,
) -> int:
    """Return the exact final disc difference, fail-soft in the window (alpha, beta).

    See games.abi.Game for the arguments.
    """
    empties = 64 - popcount(position[0] | position[1])
    return _solve(position[0], position[1], alpha, beta, empties, table, rows, scratch, counters)

"""Order of the moves in the endgame solver, and what its selective pass leaves out.

Fastest first: a move that leaves the opponent few replies has a small subtree, and often is good.
With many squares left a rough measure of mobility, corners and stability at the leaves of a shallow
search sees more, and an evaluator, where there is one, sees as much at once. The weights were found
by coordinate descent on the nodes that 24 positions of self-play with 20 empty squares take.

The selective pass leaves out what the evaluator is sure enough of. As in Multi-ProbCut
(search/alphabeta/probcut.py) a shallow search stands for the whole one where it lies beyond the
window by a margin; here the whole one goes to the end of the game. Whatever the pass leaves out,
the exact one that follows searches, so that a wrong margin costs time and nothing else: it is the
same for all evaluators.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import float32, int32, int64, uint64

from samuel.games.othello.bits import (
    CORNERS,
    final_difference,
    flips_of,
    moves_of,
    neighbours,
    stable_discs_within,
)
from samuel.games.othello.endgame_table import best_of, second_of
from samuel.games.othello.last_squares import odd_parity
from samuel.games.rules import EVALUATE
from samuel.kernels.bits import ONE, ZERO, Word, bit, popcount, trailing_zeros
from samuel.kernels.budget import STOPPED, count_node
from samuel.kernels.jit import jit
from samuel.kernels.pointers import COUNTS, WORDS, Pointer
from samuel.kernels.records import array, entry, number, pointer_type, record


@record
class MoveOrdering(NamedTuple):
    """An evaluator as the solver passes it on; not asked where `guided` is 0."""

    evaluate: Any = entry(EVALUATE, "returns the score of a position")
    integers: Pointer = array(int32, ("integers",), "its parameters")
    floats: Pointer = array(float32, ("floats",), "its parameters, and its room")
    guided: int = number("1 where it is used, else 0")
    selective: int = number(
        "1 in a pass that leaves out what the evaluator is sure enough of "
        "(games/othello/endgame_order.py), else 0"
    )


MOVE_ORDERING = pointer_type(MoveOrdering)

_SECOND, _BEST = 1 << 21, 1 << 22
"""The ratings of the moves that the table knows."""

_PLACES, _SIX_BITS = np.uint64(6), np.uint64(63)

_HIGHEST = 1 << 20
"""Above any rating of a shallow search, in its units: about 20 a disc."""

_FINISHED, _EVALUATED, _ROUGH = 1000, np.float32(20.0), 1
"""Value of a disc in a finished game and in an evaluator's score, and weight of the rough measure.

The rough measure stands beside the evaluator, which alone orders worse: it knows nothing of effort.
"""

_CORNERS_AND_X = tuple(
    (np.uint64(1 << c), np.uint64(1 << x)) for c, x in ((0, 9), (7, 14), (56, 49), (63, 54))
)


@jit
def next_best(rated: Pointer, n: int) -> tuple[int, int]:
    """Take the largest of `rated` out, and return its move's number and square."""
    best = ZERO
    for i in range(n):
        best = max(best, rated[i])
    move = (best >> _PLACES) & _SIX_BITS
    rated[move] = ZERO
    return int64(move), int64(best & _SIX_BITS)


@jit
def _packed(rating: int, i: int, square: int) -> Word:
    """Return a positive rating, with a move's number and square, as `next_best` takes it."""
    return uint64((rating << 12) | (i << 6) | square)


@jit
def put_off(rated: Pointer, i: int, square: int) -> None:
    """Give a move back that `next_best` took, as the last one."""
    rated[i] = _packed(1, i, square)


@jit
def turn_moves(player: Word, opponent: Word, moves: Word, flips: Pointer) -> None:
    """Fill `flips` with what each of `moves` turns."""
    n = 0
    while moves:
        flips[n] = flips_of(player, opponent, trailing_zeros(moves))
        moves &= moves - ONE
        n += 1


@jit
def rate_moves(
    player: Word,
    opponent: Word,
    empty: Word,
    moves: Word,
    flips: Pointer,
    entry: Word,
    rated: Pointer,
) -> None:
    """Fill `rated` with the rating of each of `moves`, which turn `flips`."""
    odd = odd_parity(empty)
    best, second = best_of(entry), second_of(entry)
    n = 0
    while moves:
        square = trailing_zeros(moves)
        moves &= moves - ONE
        move = bit(square)
        child, other, left = opponent ^ flips[n], player ^ flips[n] ^ move, empty ^ move
        replies = moves_of(child, other) & left
        rating = (1 << 14) - 32 * (popcount(replies) + popcount(replies & CORNERS))
        rating += 4 * (popcount(moves_of(other, child) & left) - popcount(neighbours(other) & left))
        if move & CORNERS:
            rating += 18
        if move & odd:
            rating += 12
        if square == best:
            rating = _BEST
        elif square == second:
            rating = _SECOND
        rated[n] = _packed(rating, n, square)
        n += 1


@jit
def _beside_empty_corners(discs: Word, empty: Word) -> int:
    """Count discs diagonally next to an empty corner (of the board of 64 squares)."""
    n = 0
    for corner, x_square in _CORNERS_AND_X:
        if empty & corner and discs & x_square:
            n += 1
    return n


@jit
def _rough_value(player: Word, opponent: Word, empty: Word) -> int:
    mine, theirs = moves_of(player, opponent) & empty, moves_of(opponent, player) & empty
    value = 21 * popcount(mine) - 11 * popcount(theirs)
    value += 21 * (popcount(mine & CORNERS) - popcount(theirs & CORNERS))
    value += 4 * (popcount(neighbours(opponent) & empty) - popcount(neighbours(player) & empty))
    value += 30 * (popcount(player & CORNERS) - popcount(opponent & CORNERS))
    value -= 26 * (_beside_empty_corners(player, empty) - _beside_empty_corners(opponent, empty))
    wall = ~(player | opponent | empty)
    safe = popcount(stable_discs_within(player, opponent, wall))
    return int64(value + 10 * (safe - popcount(stable_discs_within(opponent, player, wall))))


SELECT_FROM = 15
"""From this many empty squares on a position may be left out."""

_DISC = 100
_MARGIN = 7 * _DISC
"""By how much a score must lie beyond the window. With a good evaluator FFO #40 to #44 took 84 M
nodes, 120 M with 5 discs, 89 M in passes of 10 and 7, 107 M without; tried on other positions."""
_MOST = 100 * _DISC
"""Above any score."""
_SHALLOWEST, _DEEPER_EVERY = 2, 5
"""Plies of the shallow search, and two more for each so many squares above `SELECT_FROM`; one more
where the number is odd, so that all see the same side to move at their ends."""


@jit
def _static(player: Word, opponent: Word, ordering: MoveOrdering, place: Pointer) -> int:
    """Return what the evaluator says, within what a game can end with."""
    place[0], place[1] = player, opponent
    value = np.float64(ordering.evaluate(place, ordering.integers, ordering.floats)) * _DISC
    return int64(max(-_MOST + 1.0, min(_MOST - 1.0, value)))


@jit(int64(uint64, uint64, uint64, int64, int64, int64, int64, COUNTS, MOVE_ORDERING, WORDS))
def _shallow_value(
    player: Word,
    opponent: Word,
    empty: Word,
    depth: int,
    alpha: int,
    beta: int,
    is_score: int,
    counters: Pointer,
    ordering: MoveOrdering,
    place: Pointer,
) -> int:
    """Return the value by alpha-beta to `depth`, in units of _DISC; `place` is room."""
    rest = is_score, counters, ordering, place
    count_node(counters)
    if counters[STOPPED]:
        return int64(0)
    if depth == 0:
        if is_score:
            return _static(player, opponent, ordering, place)
        rough = _rough_value(player, opponent, empty)
        if not ordering.guided:
            return rough
        place[0], place[1] = player, opponent
        return _ROUGH * rough + int64(
            _EVALUATED * ordering.evaluate(place, ordering.integers, ordering.floats)
        )
    moves = moves_of(player, opponent) & empty
    if moves == ZERO:
        if moves_of(opponent, player) & empty == ZERO:
            disc = int64(_DISC if is_score else _FINISHED)
            return disc * final_difference(player, opponent, empty)
        return -_shallow_value(opponent, player, empty, depth, -beta, -alpha, *rest)
    best = int64(-_HIGHEST)
    while moves:
        move = moves & (ZERO - moves)
        moves ^= move
        flips = flips_of(player, opponent, trailing_zeros(move))
        child, other, left = opponent ^ flips, player ^ flips ^ move, empty ^ move
        score = -_shallow_value(child, other, left, depth - 1, -beta, -alpha, *rest)
        best = max(best, score)
        alpha = max(alpha, score)
        if alpha >= beta:
            break
    return best


@jit(
    int64(
        *(uint64, uint64, uint64, uint64, WORDS, uint64),
        *(int64, WORDS, COUNTS, MOVE_ORDERING, WORDS),
    )
)
def rate_by_search(
    player: Word,
    opponent: Word,
    empty: Word,
    moves: Word,
    flips: Pointer,
    entry: Word,
    depth: int,
    rated: Pointer,
    counters: Pointer,
    ordering: MoveOrdering,
    place: Pointer,
) -> int:
    """Rate as `rate_moves` does, by a search to `depth` after each move."""
    odd = odd_parity(empty)
    best, second = best_of(entry), second_of(entry)
    window = int64(-_HIGHEST), int64(_HIGHEST)
    n = 0
    while moves:
        square = trailing_zeros(moves)
        moves &= moves - ONE
        move = bit(square)
        child, other, left = opponent ^ flips[n], player ^ flips[n] ^ move, empty ^ move
        rating = -_shallow_value(
            child, other, left, depth, *window, int64(0), counters, ordering, place
        )
        if counters[STOPPED]:
            break
        rating += _HIGHEST - 15 * popcount(moves_of(child, other) & left)
        if move & odd:
            rating += 6
        if square == best:
            rating = _BEST
        elif square == second:
            rating = _SECOND
        rated[n] = _packed(rating, n, square)
        n += 1
    return int64(n)


@jit
def selective_cut(
    player: Word,
    opponent: Word,
    empty: Word,
    alpha: int,
    counters: Pointer,
    ordering: MoveOrdering,
    place: Pointer,
) -> int:
    """Return 1 if the score is almost surely > alpha, -1 if almost surely <= alpha, else 0."""
    empties = popcount(empty)
    depth = _SHALLOWEST + 2 * ((empties - SELECT_FROM) // _DEEPER_EVERY) + (empties & 1)
    now = _static(player, opponent, ordering, place)
    above, below = (alpha + 1) * _DISC + _MARGIN, alpha * _DISC - _MARGIN
    rest = int64(1), counters, ordering, place
    if now >= above:
        score = _shallow_value(player, opponent, empty, depth, above - 1, above, *rest)
        return int64(score >= above)
    if now <= below:
        score = _shallow_value(player, opponent, empty, depth, below, below + 1, *rest)
        return -int64(score <= below)
    return int64(0)

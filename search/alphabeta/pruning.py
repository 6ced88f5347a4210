"""Order, reductions and omissions of moves in a search that prunes (search/alphabeta/pruned.py).

Quiet moves are ordered by their history and half the history of the pair of previous move and move:
continuation history, after J. Uiterwijk, "The countermove heuristic", 1992.
"""

from __future__ import annotations

from numba import int32, int64, uint64

from samuel.kernels.bits import GOLDEN
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer
from samuel.search.alphabeta.context import thaw
from samuel.search.alphabeta.options import EXCHANGE, FUTILITY, HISTORY, LATE_MOVES
from samuel.search.alphabeta.ordering import history_of, keep_killer, known_rating
from samuel.search.alphabeta.stack import (
    MOST_REDUCED,
    SearchStack,
    hints_at,
    is_on,
    margin_of,
    moves_at,
    position_at,
)

GOOD, KILLER = 1 << 28, 1 << 27
"""Ratings: noisy moves that lose nothing from GOOD on, killers from KILLER on, quiet moves by
both histories, and from -KILLER down noisy moves that lose material."""
_MOST_HISTORY = 1 << 14
_FUTILE_TO, _LATE_TO, _LOSING_TO = 6, 6, 5
"""Depths to which each is done."""
_REDUCE_FROM, _IN_FULL = 3, 2


@jit
def rate(context: Pointer, ply: int, start: int, n: int) -> None:
    """Rate the moves `start` to n of a ply."""
    rules, _, _, stack = thaw(context)
    position, moves, hints = position_at(stack, ply), moves_at(stack, ply), hints_at(stack, ply)
    rules.order(position, moves, n, hints)
    for i in range(start, n):
        if hints[i] > 0:
            lost = int64(0)
            if is_on(stack, EXCHANGE):
                lost = min(int64(0), rules.exchange(position, int64(moves[i])))
            hints[i] = hints[i] + int32(GOOD) if lost == 0 else int32(lost - GOOD)
        else:
            hints[i] = int32(_quiet_rating(stack, ply, int64(moves[i])))


@jit
def _continuation_of(stack: SearchStack, ply: int, move: int) -> int:
    """Return the place of a move, after the move that led to a ply, in the continuations.

    It is a product's upper half (D. Knuth, "The Art of Computer Programming", 6.4).
    """
    pair = uint64((stack.moved[ply] & 0xFFFF) << 16 | move & 0xFFFF)
    return int64((pair * GOLDEN >> uint64(32)) & uint64(stack.continuation_count - 1))


@jit
def _move_score(scores: Pointer, place: int, step: int) -> None:
    """Move a number of the history by a step, the less the farther out it is."""
    now = int64(scores[place])
    scores[place] = int32(now + step - now * abs(step) // _MOST_HISTORY)


@jit
def _learn_history(stack: SearchStack, ply: int, move: int, step: int) -> None:
    """Move the history and the continuation history of a move at a ply by a step."""
    _move_score(stack.history_scores, history_of(stack, ply, move), step)
    _move_score(stack.continuations, _continuation_of(stack, ply, move), step)


@jit
def _quiet_rating(stack: SearchStack, ply: int, move: int) -> int:
    """Return the rating of a quiet move: as a killer, or by both histories."""
    rating = known_rating(stack, ply, move, int64(KILLER + 1))
    if rating < KILLER and is_on(stack, HISTORY):
        rating += int64(stack.continuations[_continuation_of(stack, ply, move)]) // 2
    return rating


@jit
def keep_quiet_cutoff(stack: SearchStack, ply: int, depth: int, i: int, known: int) -> None:
    """Remember that the quiet move at place i made a cutoff, and those before it made none."""
    moves, hints = moves_at(stack, ply), hints_at(stack, ply)
    move, step = int64(moves[i]), min(32 * depth * depth, 1600)
    keep_killer(stack, ply, move)
    if not is_on(stack, HISTORY):
        return
    _learn_history(stack, ply, move, step)
    for k in range(known, i):
        if -KILLER < hints[k] < GOOD:
            _learn_history(stack, ply, int64(moves[k]), -step)


@jit
def reduction(
    stack: SearchStack, depth: int, i: int, rating: int, is_pv: bool, worsens: bool, checks: bool
) -> int:
    """Return by how many plies the search of the move at place i is cut short."""
    if depth < _REDUCE_FROM or i < _IN_FULL or not is_on(stack, LATE_MOVES):
        return int64(0)
    if rating >= GOOD:
        return int64(0)
    row = min(depth, MOST_REDUCED - 1) * MOST_REDUCED
    plies = stack.reductions[row + min(i, MOST_REDUCED - 1)]
    plies += int64(worsens) - int64(is_pv) - int64(checks) - int64(rating >= KILLER)
    if -KILLER < rating < KILLER:
        plies -= int64(rating) // stack.history_divisor
    return max(int64(0), min(plies, depth - 2))


@jit
def is_left_out(
    stack: SearchStack, depth: int, quiet: int, rating: int, static: int, alpha: int, worsens: bool
) -> bool:
    """Return whether a move that gives no check is not worth a search near the leaves."""
    if rating >= KILLER:
        return False
    if rating <= -KILLER:
        lost = -int64(rating) - GOOD
        return (
            is_on(stack, EXCHANGE)
            and depth <= _LOSING_TO
            and lost > margin_of(stack, stack.exchange_margin * depth)
        )
    if is_on(stack, LATE_MOVES) and depth <= _LATE_TO:
        most = stack.late_move_count + stack.late_move_growth * depth * depth // 100
        if quiet > (most // 2 if worsens else most):
            return True
    return (
        is_on(stack, FUTILITY)
        and depth <= _FUTILE_TO
        and static + margin_of(stack, stack.futility_margin * depth + stack.futility_base) <= alpha
    )

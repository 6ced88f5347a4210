"""Late moves of a selective search, at first searched less deep.

Where moves are well ordered, one that comes late is seldom the best. In a null window it is first
searched two plies less deep, so that (where sides move in turn) the same side is to move at the
leaves, and in full only where it then seems to reach the window (T. Romstad, "An introduction to
late move reductions", 2006). How many moves come first grows with the confidence that is asked
for: with enough of it none is late.
"""

from __future__ import annotations

from numba import int64

from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer
from samuel.search.alphabeta.chance import child_score
from samuel.search.alphabeta.memory import SearchStack, is_on, is_selective
from samuel.search.alphabeta.switches import LATE_MOVES

_REDUCTION = 2
_REDUCE_FROM = 5
"""Plies from which on: a late move is then searched two at least."""
_EARLY = 3.0
"""Moves in full for each sigma of confidence."""


@jit
def moves_in_full(stack: SearchStack, ply: int, depth: int, n: int) -> int:
    """Return how many of the n moves of a node are searched to its whole depth at once."""
    if depth < _REDUCE_FROM or not is_selective(stack, ply, depth) or not is_on(stack, LATE_MOVES):
        return int64(n)
    return min(int64(n), max(int64(1), int64(_EARLY * stack.confidence + 0.5)))


@jit(forceinline=False)
def late_score(context: Pointer, ply: int, depth: int, turn: int, alpha: int, beta: int) -> int:
    """Return `child_score` of a late move, in a null window, for a node searched to `depth`."""
    score = child_score(context, ply, depth - 1 - _REDUCTION, turn, alpha, beta)
    if score > alpha:
        score = child_score(context, ply, depth - 1, turn, alpha, beta)
    return score

"""Late moves of a selective search, at first searched less deep.

Where moves are well ordered, one that comes late is seldom the best. In a null window it is first
searched two plies less deep, so that the same side is to move at the leaves, and in full only
where it then seems to reach the window (T. Romstad, "An introduction to late move reductions",
2006). How many moves come first grows with the confidence that is asked for: with enough of it
none is late.
"""

from __future__ import annotations

from numba import int64

from samuel.kernels.jit import jit
from samuel.search.alphabeta.memory import Work
from samuel.search.alphabeta.probcut import CONFIDENCE

LESS_DEEP = 2
_FROM = 5
"""Plies from which on: a late move is then searched two at least."""
_EARLY = 3.0
"""Moves in full for each sigma of confidence."""


@jit
def moves_in_full(work: Work, depth: int, n: int) -> int:
    """Return how many of the n moves of a node are searched to its whole depth at once."""
    if depth < _FROM:
        return int64(n)
    return max(int64(1), int64(_EARLY * work.cuts[CONFIDENCE] + 0.5))

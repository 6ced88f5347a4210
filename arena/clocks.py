"""Time of moves: the share of a clock that a search takes, and when a move is too late."""

from __future__ import annotations

import math

from numba import int64

from samuel.games.rules import USUAL_PLIES
from samuel.kernels.jit import jit
from samuel.search.limits import Limits

TIME_MARGIN = 1.0
"""Seconds that pipes, and a machine with other work, may add to what a side takes."""
_ROUNDING = 1.0
"""Seconds more for an engine whose protocol has only whole seconds."""
SHORTEST = 1e-3
"""Seconds for a move where a clock has no more."""


@jit
def moves_left(plies_left: int) -> int:
    """Return how many moves a clock is shared out among: about half of the plies are a side's."""
    return max(int64(2), min(plies_left, USUAL_PLIES) // 2 + 1)


@jit
def share_of_clock(left: int, increment: int, moves: int) -> int:
    """Return the nanoseconds to spend on a move, of those `left` for so many moves."""
    # Before the last move it never takes more than half of what is left, so that the increment
    # is not spent before it comes.
    return max(int64(1), min(left // moves + increment, left // min(moves, 2)))


def seconds_for(
    seconds: float | None, left: float | None, increment: float, moves: int
) -> float | None:
    """Return the seconds that a move may take, of its own and of those left on a clock."""
    found = [] if seconds is None else [seconds]
    if left is not None:
        found.append(share_of_clock(int(left * 1e9), int(increment * 1e9), moves) / 1e9)
    return min(found, default=None)


def latest(
    limits: Limits, left: float | None, margin: float = TIME_MARGIN, *, fractions: bool = True
) -> float:
    """Return the seconds after which a move is too late; inf without such a limit."""
    found = [math.inf]
    if limits.seconds is not None:
        found.append((limits.seconds if fractions else max(1, math.ceil(limits.seconds))) + margin)
    if left is not None:
        found.append(left + margin + (0.0 if fractions else _ROUNDING))
    return min(found)

"""How long a side takes to its far corner if nobody stands in the way, as the dice will have it.

What counts is how many moves each stone is away, diagonally where it can: the larger of the
columns and rows left. W. Hsueh and T. Hsu, "Zweistein: a dynamic programming evaluation function
for Einstein Würfelt Nicht!" (2025), tabulate the same; H. G. Muller's Pips takes the fastest stone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import float32, int64, types
from numpy.typing import NDArray

from samuel.kernels.jit import jit


def expected_turns(size: int, stones: int) -> NDArray[np.float32]:
    """Return the least expected number of turns for each way in which the stones of a side stand.

    Float32 ((size + 1)^stones,). The index has a digit in base size + 1 for each stone, the
    first one's the lowest: the moves it is away, or `size` where it is gone. A side without stones
    takes size * stones turns, longer than any other.
    """
    turns = np.zeros((size + 1) ** stones, np.float32)
    turns[-1] = size * stones
    _fill(turns, np.zeros(stones, np.int64), size)
    return turns


@jit(types.void(types.Array(float32, 1, "C"), types.Array(int64, 1, "C"), int64))
def _fill(turns: Any, away: Any, gone: int) -> None:
    """Fill in all but the last from the first on, as a move makes an index smaller."""
    for index in range(turns.shape[0] - 1):
        rest = index
        for k in range(away.shape[0]):
            away[k] = rest % (gone + 1)
            rest //= gone + 1
        if away.min() > 0:
            turns[index] = _turns_at(turns, away, index, gone)


@jit
def _turns_at(turns: Any, away: Any, index: int, gone: int) -> float:
    """Return the turns of an index: this one, and over all dice the mean of what is left then."""
    stones, total = away.shape[0], np.float64(0)
    for die in range(stones):
        lower = higher = die
        while lower >= 0 and away[lower] == gone:
            lower -= 1
        while higher < stones and away[higher] == gone:
            higher += 1
        best = turns[-1]
        if lower >= 0:
            best = min(best, turns[index - (gone + 1) ** lower])
        if higher < stones:
            best = min(best, turns[index - (gone + 1) ** higher])
        total += np.float64(best)
    return 1.0 + total / stones

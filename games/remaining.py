"""How much is left of many games at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int64, types
from numpy.typing import ArrayLike, NDArray

from samuel.games.interface import ROWS, RULES, Game, Rules
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at


@jit(types.void(RULES, ROWS, types.Array(int64, 1, "C")))
def _remaining(rules: Rules, positions: Any, counts: Any) -> None:
    for i in range(positions.shape[0]):
        counts[i] = rules.remaining(at(positions, i))


def remaining_of(game: Game, positions: ArrayLike) -> NDArray[np.int64]:
    """Return how many squares remain (`Game.remaining`) in each of positions (n, K)."""
    rows = game.rows(positions)
    counts = np.zeros(len(rows), np.int64)
    _remaining(game.rules_of_play, rows, counts)
    return counts

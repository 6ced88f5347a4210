"""How much is left of games, many at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int64, types
from numpy.typing import ArrayLike, NDArray

from samuel.games.interface import ROWS, RULES, Game, Rules
from samuel.games.possible import possible_rows
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at


@jit(types.void(RULES, ROWS, types.Array(int64, 1, "C")))
def _left(rules: Rules, positions: Any, counts: Any) -> None:
    for i in range(positions.shape[0]):
        counts[i] = rules.left(at(positions, i))


def left_of(game: Game, positions: ArrayLike) -> NDArray[np.int64]:
    """Return how much of the game is left (`Game.left`) in each of positions (n, K)."""
    rows = possible_rows(game, positions)
    counts = np.zeros(len(rows), np.int64)
    _left(game.rules_of_play, rows, counts)
    return counts

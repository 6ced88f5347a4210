"""Positions of xiangqi that no game reaches although its pieces stand where they may."""

from __future__ import annotations

import numpy as np
from numba import boolean
from numpy.typing import NDArray

from samuel.games.interface import ROWS
from samuel.games.xiangqi.moves import is_in_check, turn
from samuel.kernels.jit import jit


@jit(boolean[::1](ROWS))
def are_checking(rows: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return in which positions (n, K) the mover could take the general (bool, (n,)).

    Generals that face each other could be taken by either side.
    """
    found, other = np.empty(len(rows), np.bool_), np.zeros(rows.shape[1], np.uint64)
    for k in range(len(rows)):
        turn(rows[k], other)
        found[k] = is_in_check(other)
    return found

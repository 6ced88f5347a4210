"""Positions of xiangqi that no game reaches although its pieces stand where they may."""

from __future__ import annotations

import numpy as np
from numba import boolean
from numpy.typing import NDArray

from samuel.games.interface import ROWS, Row
from samuel.games.xiangqi.moves import OPPONENT, WORDS_A_KIND, is_in_check
from samuel.games.xiangqi.squares import HIGH, KINDS, LOW, turned
from samuel.kernels.jit import jit


@jit
def _turn(position: Row, other: Row) -> None:
    """Write into `other` the pieces as the opponent sees them."""
    for kind in KINDS:
        for side in (0, OPPONENT):
            from_here, to = WORDS_A_KIND * kind + side, WORDS_A_KIND * kind + OPPONENT - side
            other[to + LOW] = turned(position[from_here + HIGH])
            other[to + HIGH] = turned(position[from_here + LOW])


@jit(boolean[::1](ROWS))
def are_checking(rows: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return in which positions (n, K) the mover could take the general (bool, (n,)).

    Generals that face each other could be taken by either side.
    """
    found, other = np.empty(len(rows), np.bool_), np.zeros(rows.shape[1], np.uint64)
    for k in range(len(rows)):
        _turn(rows[k], other)
        found[k] = is_in_check(other)
    return found

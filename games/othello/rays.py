"""The rays of the board: for each square and axis, the squares that lie beyond it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def _rays(sign: int) -> NDArray[np.uint64]:
    """Return (64, 4): the squares one way along each axis, those of the steps 1, 8, 7 and 9."""
    rays = np.zeros((64, 4), np.uint64)
    for square in range(64):
        for axis, (row_step, column_step) in enumerate([(0, 1), (1, 0), (1, -1), (1, 1)]):
            row, column = square // 8 + sign * row_step, square % 8 + sign * column_step
            while 0 <= row < 8 and 0 <= column < 8:
                rays[square, axis] |= np.uint64(1 << (8 * row + column))
                row, column = row + sign * row_step, column + sign * column_step
    return rays


UPWARD, DOWNWARD = _rays(1), _rays(-1)
"""Toward higher bits, and toward lower bits."""

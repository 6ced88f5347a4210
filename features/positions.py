"""Positions as scikit-learn hands them on, checked where they come in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samuel.games.catalog import known_game


def positions_in(X: ArrayLike, game: str) -> NDArray[np.uint64]:
    """Return positions (n, K) as uint64, laid out as kernels take them.

    Raises
    ------
    ValueError
        They are of another shape, or no whole numbers.
    """
    positions: NDArray[Any] = np.asarray(X)
    words = known_game(game).words
    if positions.ndim != 2 or positions.shape[1] != words:
        raise ValueError(
            f"positions of {game} are an array (n, {words}) of uint64, "
            f"not one of shape {positions.shape}"
        )
    if positions.dtype.kind not in "ui":
        raise ValueError(f"positions are uint64 words, not {positions.dtype}")
    return known_game(game).rows(positions)

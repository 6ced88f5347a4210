"""Positions as scikit-learn hands them on, checked where they come in."""

from __future__ import annotations

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
    rules, given = known_game(game), np.asarray(X)
    if given.ndim != 2 or given.shape[1] != rules.words:
        raise ValueError(
            f"positions of {game} are an array (n, {rules.words}) of uint64, "
            f"not one of shape {given.shape}"
        )
    return rules.rows(X if isinstance(X, list | tuple) else given)

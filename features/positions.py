"""Positions as scikit-learn hands them on, checked where they come in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samuel.games.catalog import known_game
from samuel.games.interface import PositionsLike
from samuel.games.rows import possible_rows


def positions_in(X: PositionsLike, game: str) -> NDArray[np.uint64]:
    """Return positions (n, K), or `Position` objects, as uint64, laid out as kernels take them.

    Raises
    ------
    ValueError
        They are of another shape, no whole numbers, or no positions of the game (ImpossibleError).
    """
    words = known_game(game).words_of(X)
    rows = possible_rows(known_game(game), words)
    shape = np.asarray(words).shape  # what only calls itself an array has no np.ndim
    if len(shape) != 2:
        raise ValueError(
            f"positions of {game} are an array (n, {rows.shape[1]}) of uint64, "
            f"not one of shape {shape}"
        )
    return rows

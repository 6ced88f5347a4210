"""What stands on each square: the most literal feature of a board game."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.games.interface import Game, Row
from samuel.kernels.bits import ONE, trailing_zeros
from samuel.kernels.jit import jit


def columns_of_bits(game: Game) -> NDArray[np.int64]:
    """Return for each bit of a word the place of its square in `game.squares`."""
    columns = np.zeros(64, np.int64)
    for column, (_, bit) in enumerate(game.squares):
        columns[bit] = column
    return columns


@jit
def fill_squares(position: Row, columns: Any, n: int, values: Any) -> None:
    """Fill in +1 for a stone of the player, -1 for one of the opponent, 0 for none."""
    for k in range(n):
        values[k] = 0
    stones = position[0]
    while stones:
        values[columns[np.uint64(trailing_zeros(stones))]] = 1
        stones &= stones - ONE
    stones = position[1]
    while stones:
        values[columns[np.uint64(trailing_zeros(stones))]] = -1
        stones &= stones - ONE

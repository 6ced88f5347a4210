"""Features' numbers that stand for squares of the board, such as piece-square tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from samuel.games.game import Game


def square_tables(columns: Sequence[str], game: Game) -> dict[str, NDArray[np.int64]]:
    """Return which of some columns stand for squares, by what is common to their names."""
    if game.board is None:
        return {}
    squares = {name: k for k, name in enumerate(game.squares)}
    found: dict[str, NDArray[np.int64]] = {}
    for place, column in enumerate(columns):
        table, _, square = column.rpartition("_")
        if square in squares:
            found.setdefault(table, np.full(len(squares), -1))[squares[square]] = place
    tables = {name: places for name, places in found.items() if np.sum(places >= 0) > 1}
    for places in tables.values():
        for image in game.symmetries:
            places[:] = np.where(places < 0, places[image], places)
    return tables

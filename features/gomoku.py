"""Features of five in a row, and of k in a row on boards of any size."""

from __future__ import annotations

from typing import Any

from samuel.features.feature import feature
from samuel.features.squares import columns_of_bits, fill_squares
from samuel.games.interface import Game, Row


def define(game: Game) -> None:
    """Define them for one board."""
    (columns, counts), size = columns_of_bits(game), len(game.squares)

    @feature(game=game.name, outputs=game.squares)
    def squares(position: Row, values: Any) -> None:
        """+1 for a stone of the player on the square, -1 for one of the opponent."""
        fill_squares(position, columns, counts, size, values)

"""Features of Nim, normal and misère."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from samuel.games.feature import feature
from samuel.games.interface import Row
from samuel.games.nim.heaps import BITS, heaps_from, objects_of, wins, wins_misere
from samuel.games.nim.heaps import nim_sum as sum_of
from samuel.games.nim.rules import GAME, GAME_MISERE
from samuel.kernels.bits import ONE


def _of(game: str, is_won: Callable[..., Any]) -> None:
    """Define them for a game, whose side to move wins where `is_won`."""

    @feature(game=game)
    def heaps(position: Row) -> float:
        """Heaps that are not empty."""
        return heaps_from(position, 1)

    @feature(game=game)
    def ones(position: Row) -> float:
        """Heaps of one object."""
        return heaps_from(position, 1) - heaps_from(position, 2)

    @feature(game=game)
    def nim_sum(position: Row) -> float:
        """The exclusive or of the heaps."""
        return float(sum_of(position))

    @feature(game=game)
    def objects(position: Row) -> float:
        """Objects of all heaps: the most plies that are left."""
        return objects_of(position)

    @feature(game=game, outputs=tuple(str(1 << k) for k in range(BITS)))
    def nim_sum_bits(position: Row, values: Any) -> None:
        """1 where the nim sum has the bit, else 0."""
        total = sum_of(position)
        for k in range(BITS):
            values[k] = np.int64(total >> np.uint64(k) & ONE)

    @feature(game=game)
    def winner(position: Row) -> float:
        """1 where the side to move wins, else -1 (Bouton 1901): the game's closed form."""
        return 1.0 if is_won(position) else -1.0


for rules, is_won in ((GAME, wins), (GAME_MISERE, wins_misere)):
    _of(rules.name, is_won)

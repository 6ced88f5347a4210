"""Features of Pig, to any target."""

from __future__ import annotations

from typing import Any

from samuel.games.feature import feature
from samuel.games.interface import Game, Row
from samuel.games.pig.rules import BROUGHT, MINE, OTHERS

_BOTH = ("player", "opponent")


def define(game: Game) -> None:
    """Define them for Pig to some target."""
    target = game.progress_max

    @feature(game=game.name, outputs=_BOTH)
    def points(position: Row, values: Any) -> None:
        """Points that are held."""
        values[0], values[1] = target - position[MINE], target - position[OTHERS]

    @feature(game=game.name, outputs=_BOTH)
    def missing(position: Row, values: Any) -> None:
        """Points missing to the target, this turn's not counted."""
        values[0], values[1] = position[MINE], position[OTHERS]

    @feature(game=game.name)
    def turn_total(position: Row) -> float:
        """Points that the turn has brought so far."""
        return float(position[BROUGHT])

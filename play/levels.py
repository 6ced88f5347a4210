"""Levels: how strong a person's opponent is, from a beginner's to the strongest."""

from __future__ import annotations

import math
from dataclasses import dataclass

from samuel.games.game import Game


@dataclass(frozen=True)
class Level:
    """A strength."""

    depth: int | None = None
    errors: float = 0.0
    exact_from: int | None = None
    nodes: int | None = None


_USUAL = (
    *((1, 0.75), (1, 0.45), (1, 0.27), (1, 0.15)),
    *((2, 0.19), (3, 0.21), (4, 0.2), (5, 0.17), (6, 0.13), (7, 0.08)),
    *((9, 0.05), (11, 0.0)),
)
"""Plies and errors, for games that say nothing of their own (`Defaults.levels`)."""
_FEWEST_NODES = 100
"""Nodes of the first level, where methods sample; each further one has twice as many."""
USUAL_LEVEL = 10
"""Level where nothing else is asked for, and there is no clock."""

_SOLVED_IN_A_SECOND = 20
_GROWTH = 2.3
"""Time of an exact endgame: its median is 0.3 s from 20 empty squares, and so many times that for
each further one (from 1.1 ms at 14 to 290 ms at 20, measured on one core)."""
_MOST_SOLVED = 26


def levels_of(game: Game) -> tuple[Level, ...]:
    """Return the levels of a game, from the weakest, 1, to the strongest."""
    return tuple(
        Level(depth, errors, 0 if errors else None, _FEWEST_NODES << number)
        for number, (depth, errors) in enumerate(game.defaults.levels or _USUAL)
    )


def solved_within(seconds: float) -> int:
    """Return how many empty squares Othello's solver may take on, given so long."""
    further = math.log(max(seconds, 1e-9)) / math.log(_GROWTH)
    return max(0, min(_MOST_SOLVED, _SOLVED_IN_A_SECOND + math.floor(further)))

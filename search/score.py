"""Scores inside the kernels: integers, in points; a unit of the game is `SCORE_UNIT` points.

In a game whose unit is the result, a win at ply p from the root is worth p points less than a
unit, so a sooner win scores more. Such scores are "proven": they lie beyond any static
evaluation. The table keeps them relative to the node they stand in, not to the root.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int64
from numpy.typing import ArrayLike, NDArray

from samuel.games.draws import DRAWN, WON
from samuel.games.game import Game
from samuel.kernels.jit import jit

SCORE_UNIT = 1000
INFINITY = (1 << 23) - 1
"""Beyond every score; with its sign it fits the 24 bits of a bound in a table's row."""

MAX_PLY = 120
"""Plies that a proven score can be away; a bound on the depth of any search."""


MOST_DEPTH = MAX_PLY - 1
"""The deepest search that can be asked for."""
MOST_SECONDS = 1e9
"""The longest that a limit of time can be; about thirty years."""
MOST_REMAINING = 1000
"""The most squares from which an exact result can be asked for."""

PLIES = 2 * MAX_PLY + 16
"""Rows of everything that a search has one of a ply; what chance does takes one as well."""


def limits(game: Game) -> tuple[int, int]:
    """Return (`proven`, `static_limit`) in points for a game."""
    best = round(game.scores.max_utility * SCORE_UNIT)
    if game.sooner_is_better:
        return best - MAX_PLY, best - MAX_PLY - 1
    return INFINITY, best


def score_of_mate(moves: ArrayLike, game: Game) -> NDArray[np.float64]:
    """Return the scores of mates in so many moves; where not positive, by the opponent."""
    counts = np.asarray(moves, np.float64)
    plies = np.where(counts > 0, 2 * counts - 1, -2 * counts)
    win = game.scores.max_utility - np.minimum(plies, MAX_PLY) / SCORE_UNIT
    return np.where(counts > 0, win, -win)


@jit
def from_evaluation(evaluation: Any, static_limit: int) -> int:
    """Return a static evaluation (float, in units) as clipped points."""
    points = np.float64(evaluation) * SCORE_UNIT
    # clipped before it is made an integer: what 64 bits cannot hold would change its sign
    return int64(round(max(-static_limit, min(static_limit, points))))


@jit
def from_utility(utility: Any, ply: int, proven: int) -> int:
    """Return the score of a finished game `ply` plies from the root."""
    return shift_proven(int64(round(np.float64(utility) * SCORE_UNIT)), -ply, proven)


@jit
def from_past(end: int, ply: int, proven: int, static_limit: int) -> int:
    """Return the score of a position `ply` plies from the root that its past has ended."""
    if end == DRAWN:
        return int64(0)
    best = static_limit if proven == INFINITY else proven + MAX_PLY
    return shift_proven(best if end == WON else -best, -ply, proven)


@jit
def shift_proven(points: int, plies: int, proven: int) -> int:
    """Move a proven score `plies` plies nearer (positive) or farther; leave others."""
    if points >= proven:
        return points + plies
    if points <= -proven:
        return points - plies
    return points


@jit(int64(int64, int64))
def from_outcomes(total: int, chances: int) -> int:
    """Return the score of a node where chance is to move: sum(weight * score) / `chances`."""
    half_up = (2 * abs(total) + chances) // (2 * chances)
    return half_up if total > 0 else -half_up


@jit
def least_total(mean: int, chances: int) -> int:
    """Return the least sum(weight * score) of which `from_outcomes` is `mean` or more."""
    half = chances // 2 if mean > 0 else (chances - 1) // 2
    return mean * chances - half


@jit
def static_score(
    rules: Any, evaluation: Any, position: Any, ply: int, proven: int, static_limit: int
) -> int:
    """Return the score of a position without search: its utility, or the clipped evaluation."""
    if rules.is_terminal(position):
        return from_utility(rules.utility(position), ply, proven)
    static = evaluation.evaluate(position, evaluation.integers, evaluation.floats)
    return from_evaluation(static, static_limit)

"""Chances of a win, a draw and a loss as functions of a score and of the game's progress."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samuel.games.game import Game

Floats = NDArray[np.float64]
COEFFICIENTS = 4
"""Coefficients of a cubic."""
_BINOMIAL, _DEGREES = np.array([1.0, 3.0, 3.0, 1.0]), np.arange(COEFFICIENTS)


@dataclass(frozen=True, eq=False)
class WinDrawLoss:
    """Chances of a win, a draw and a loss for the side to move.

    A score s wins with the chance 1 / (1 + exp((a(x) - s) / b(x))) and loses with that of -s; the
    rest is a draw. The form is Stockfish's (github.com/official-stockfish/WDL_model). The cubics a
    and b are sums of Bernstein polynomials, so coefficients of at least 0 keep the draw chance at 0
    or above. Their variable x goes from 0 to 1 over the progress that was fitted, and is constant
    outside.

    Attributes
    ----------
    a
        Coefficients (4,) of the score that wins half of the games, at least 0, in the game's unit.
    b
        Coefficients (4,) of the units of score per logit, above 0.
    first, last
        Progress of the game where x is 0 and 1. Progress is 0 at the start of a game and 1 where
        nothing is left.

    Raises
    ------
    ValueError
        A number is not finite or too small, or there are not four.
    """

    a: Floats
    b: Floats
    first: float = 0.0
    last: float = 1.0

    def __post_init__(self) -> None:
        for name, least in (("a", 0.0), ("b", np.finfo(np.float64).tiny)):
            given = np.array(getattr(self, name), np.float64)
            if given.shape != (COEFFICIENTS,) or not np.all((given >= least) & (given < np.inf)):
                bound = "above" if least else "at least"
                raise ValueError(f"{name} must be four finite numbers, each {bound} 0")
            object.__setattr__(self, name, given)
        if not 0 <= self.first < self.last <= 1:
            raise ValueError("first and last must be from 0 to 1, first the smaller")

    def __call__(self, scores: ArrayLike, progress: ArrayLike) -> Floats:
        """Return the chances (..., 3) of a win, a draw and a loss at scores (...)."""
        x = (np.asarray(progress, np.float64) - self.first) / (self.last - self.first)
        scores, rows = np.asarray(scores, np.float64), bernstein(x)
        a, b = rows @ self.a, rows @ self.b
        with np.errstate(over="ignore"):
            win, loss = 1 / (1 + np.exp((a - scores) / b)), 1 / (1 + np.exp((a + scores) / b))
        return np.stack([win, np.maximum(1 - win - loss, 0), loss], axis=-1)


def bernstein(x: Floats) -> Floats:
    """Return the four cubic Bernstein polynomials (..., 4) of x (...), cut to [0, 1]."""
    x = np.clip(x, 0, 1)[..., None]
    rows: Floats = _BINOMIAL * x**_DEGREES * (1 - x) ** _DEGREES[::-1]
    return rows


def progress_of(game: Game, left: ArrayLike) -> Floats:
    """Return the share of the game that is gone: 0 at the start, 1 where nothing is left."""
    return 1 - np.asarray(left, np.float64) / max(game.most_left, 1)

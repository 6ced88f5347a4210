"""Chances of a win, a draw and a loss as functions of a score and of the game's progress."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Cubic = tuple[float, float, float, float]
_BINOMIAL, _DEGREES = np.array([1.0, 3.0, 3.0, 1.0]), np.arange(4)
_LEAST = 1e-300
"""Least b: sums of smaller ones would be 0."""


@dataclass(frozen=True)
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
        Coefficients of the score that wins half of the games, at least 0, in the game's unit.
    b
        Coefficients of the units of score per logit, above 0.
    first, last
        Progress of the game where x is 0 and 1. Progress is 0 at the start of a game and 1 where
        nothing is left.

    Raises
    ------
    ValueError
        A number is out of range or not finite.
    """

    a: Cubic
    b: Cubic
    first: float = 0.0
    last: float = 1.0

    def __post_init__(self) -> None:
        is_sound = np.isfinite([self.a, self.b]).all() and min(self.a) >= 0 and min(self.b) > _LEAST
        if not (is_sound and 0 <= self.first < self.last <= 1):
            raise ValueError(
                "chances need finite numbers: a at least 0, b above 0, and first below last, both "
                "from 0 to 1"
            )

    def __call__(self, scores: ArrayLike, progress: ArrayLike) -> Floats:
        """Return the chances (..., 3) of a win, a draw and a loss at scores (...)."""
        gone, scores = np.asarray(progress, np.float64) - self.first, np.asarray(scores, np.float64)
        with np.errstate(over="ignore"):
            rows = bernstein(gone / (self.last - self.first))
            a, b = rows @ self.a, rows @ self.b
            win, loss = 1 / (1 + np.exp((a - scores) / b)), 1 / (1 + np.exp((a + scores) / b))
        return np.stack([win, np.maximum(1 - win - loss, 0), loss], axis=-1)


def bernstein(x: Floats) -> Floats:
    """Return the four cubic Bernstein polynomials (..., 4) of x (...), cut to [0, 1]."""
    x = np.clip(x, 0, 1)[..., None]
    rows: Floats = _BINOMIAL * x**_DEGREES * (1 - x) ** _DEGREES[::-1]
    return rows


def progress_of(left: ArrayLike, most_left: int) -> Floats:
    """Return the share of the game that is gone: 0 at the start, 1 where nothing is left."""
    return 1 - np.asarray(left, np.float64) / max(most_left, 1)

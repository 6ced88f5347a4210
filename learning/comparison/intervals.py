"""Intervals of figures, by a bootstrap over held-out games.

The positions of a game share its outcome, so the game and not the position is the independent
unit: games are drawn with replacement, and all figures follow from sums by game. Every model and
every stage sees the same draws, so that differences between models are paired.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samuel.learning.fitting.metrics import Floats, figures_of_sums

DRAWS = 1000
_LEVEL = 0.95
_AT_ONCE, _ROUNDING = 100, 1e-12

Interval: TypeAlias = tuple[float, float]
Draws: TypeAlias = dict[str, Floats]
"""A figure's name, and its value in each draw."""


class Resampling:
    """Games drawn with replacement, `DRAWS` times."""

    def __init__(self, game_id: ArrayLike, seed: int) -> None:
        _, self._game = np.unique(np.asarray(game_id), return_inverse=True)
        games = int(self._game.max()) + 1
        rng = np.random.default_rng((seed, 3))
        self._times = np.zeros((DRAWS, games), np.uint8)
        for times in self._times:
            times[:] = np.bincount(rng.integers(games, size=games), minlength=games)

    @property
    def games(self) -> int:
        """The number of games."""
        return int(self._times.shape[1])

    def by_game(self, columns: Floats, rows: Any = slice(None)) -> Floats:
        """Return the sums (games, k) of columns (m, k); `rows` says which m rows they are of."""
        return np.stack([np.bincount(self._game[rows], c, self.games) for c in columns.T], axis=1)

    def drawn(self, by_game: Floats) -> Floats:
        """Return the sums (DRAWS, k) over each draw of sums by game (games, k)."""
        parts = range(0, DRAWS, _AT_ONCE)
        return np.concatenate([self._times[i : i + _AT_ONCE] @ by_game for i in parts])

    def figures(self, terms: Floats, rows: Any = slice(None)) -> Draws:
        """Return each draw's figures from the terms (m, 8) of rows, as `metrics.terms` has them."""
        return figures_of_sums(self.drawn(self.by_game(terms, rows)))


def interval(draws: Floats) -> Interval | None:
    """Return the 95 % percentile interval; None where all draws agree or have no value."""
    known: NDArray[np.float64] = draws[np.isfinite(draws)]
    if not len(known) or np.ptp(known) <= _ROUNDING * np.abs(known).max():
        return None
    low, high = np.quantile(known, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return float(low), float(high)


def intervals(draws: Draws) -> dict[str, Interval | None]:
    """Return the interval of each figure."""
    return {name: interval(values) for name, values in draws.items()}


def with_bounds(
    figures: Mapping[str, Any], bounds: Mapping[str, Interval | None]
) -> dict[str, Any]:
    """Return figures with `name_low` and `name_high` behind each that has an interval."""
    row: dict[str, Any] = {}
    for name, value in figures.items():
        row[name] = value
        if name in bounds:
            row[f"{name}_low"], row[f"{name}_high"] = bounds[name] or (None, None)
    return row

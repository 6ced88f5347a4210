"""The loop of learning.growth: a shape after another, and the weights fitted anew now and then."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GroupShuffleSplit

from samuel.common.errors import UserError
from samuel.features.shapes import PatternSet, Shape
from samuel.games.catalog import known_game
from samuel.learning.fitting.split import rows_of_games
from samuel.learning.fitting.training_data import TrainingData
from samuel.learning.growth.candidates import Candidates
from samuel.learning.growth.sample import Sample
from samuel.models.patterns.estimators import PatternRegressor

_ASIDE = 0.2
"""Share of the training games that evaluate the model after each fit."""
_SAMPLE = 150_000
"""Rows to rate shapes by, at most."""
_REFIT = 1.1
"""The weights are fitted anew when there are so many times as many configurations."""
_ROUGH = {"max_iter": 30, "tol": 1e-3}
"""Parameters of the fits on the way."""


def inner_and_aside(whole: TrainingData, rows: int, seed: int) -> tuple[TrainingData, TrainingData]:
    """Return about so many training rows in two parts, by games: to fit to, and set aside.

    Raises
    ------
    UserError
        There are fewer than 4 games.
    """
    if len(np.unique(whole.groups)) < 4:
        raise UserError("growing shapes needs at least 4 training games, better 1,000")
    some = whole[rows_of_games(whole.groups, rows, seed)]
    parts = GroupShuffleSplit(1, test_size=_ASIDE, random_state=seed)
    inner, aside = next(parts.split(some.y, groups=some.groups))
    return some[inner], some[aside]


@dataclass(frozen=True)
class GrowthStep:
    """A shape added.

    Attributes
    ----------
    shape, dropped
        The shape, and those that it contains and replaced; at the start None, and nothing.
    gain
        The share of the target's variance that it was expected to explain besides.
    size, n_weights
        Configurations of all shapes then, and weights after folding; at each stage.
    r2
        Of the target on the games set aside, where the model was fitted anew, else None.
    """

    shape: Shape | None
    dropped: tuple[Shape, ...]
    gain: float
    size: int
    n_weights: int
    r2: float | None = None


class Growing:
    """Shapes on their way.

    Parameters
    ----------
    start
        The shapes to begin with.
    inner, aside
        The rows to fit to, and those that evaluate each fit.
    model
        The unfitted model, whose shapes are set.
    seed
        Of what is random.

    Attributes
    ----------
    steps
        What was done; the first is the start.
    best
        The shapes of the step with the best r2.
    sample
        What shapes are rated by.
    """

    def __init__(
        self,
        start: PatternSet,
        inner: TrainingData,
        aside: TrainingData,
        model: PatternRegressor,
        seed: int,
    ) -> None:
        self._game = known_game(start.game)
        self._inner, self._aside, self._shapes = inner, aside, list(start.shapes)
        self._model = clone(model).set_params(**_ROUGH)
        some = inner[rows_of_games(inner.groups, _SAMPLE, seed)]
        self.sample = Sample.of(self._game, some.positions, some.y, some.groups, model.stages, seed)
        self._pool = Candidates(self._game, self._shapes)
        self.steps: list[GrowthStep] = []
        self.best: tuple[Shape, ...] = ()
        self._note(None, (), 0.0)
        self._refit()

    def run(
        self,
        budget: int,
        steps: int | None = None,
        seconds: float | None = None,
        progress: Callable[[str], None] = lambda doing: None,
    ) -> str:
        """Add shapes until one of the limits (learning.growth.growth.grow); return why it ended."""
        began, ended = time.perf_counter(), ""
        try:
            while not ended:
                if steps is not None and len(self.steps) > steps:
                    ended = "the steps asked for were done"
                elif seconds is not None and time.perf_counter() - began > seconds:
                    ended = "the time was over"
                elif not self._add(budget):
                    ended = "no shape that fits the budget gains anything"
                if ended or self.steps[-1].size >= _REFIT * self._fitted_size:
                    self._refit()
                last = self.steps[-1]
                progress(
                    f"{len(self.steps) - 1} shapes added, {last.size:,} configurations, "
                    f"R2 {self._r2:.4f}"
                )
        except KeyboardInterrupt:
            return "it was interrupted"
        return ended

    def _add(self, budget: int) -> bool:
        """Add the best shape; return whether there is one."""
        found = self._pool.best(self.sample, self._shapes, budget - self.steps[-1].size)
        if found is None:
            return False
        shape, dropped, gain = found
        self._shapes = [s for s in self._shapes if s not in dropped] + [shape]
        self._pool.extend([shape])
        self.sample.take_out(shape)
        self._note(shape, tuple(dropped), gain)
        return True

    def _note(self, shape: Shape | None, dropped: tuple[Shape, ...], gain: float) -> None:
        found = PatternSet(self._game.name, tuple(self._shapes))
        self.steps.append(GrowthStep(shape, dropped, gain, found.size, found.n_weights))

    def _refit(self) -> None:
        """Fit all weights, unless they are fitted, and evaluate them on the rows set aside."""
        if self.steps[-1].r2 is not None:
            return
        model = refitted(self._model, self._shapes, self._inner)
        r2 = float(model.score(self._aside.positions, self._aside.y))
        if all(step.r2 is None or step.r2 < r2 for step in self.steps):
            self.best = tuple(self._shapes)
        self.steps[-1] = replace(self.steps[-1], r2=r2)
        self.sample.renew(model)
        self._model, self._fitted_size, self._r2 = model, self.steps[-1].size, r2


def refitted(model: PatternRegressor, shapes: Sequence[Shape], rows: TrainingData) -> Any:
    """Return `model` with other shapes, fitted to rows from the weights that it has, if any."""
    other = clone(model).set_params(shapes=list(shapes))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # its limit on passes is meant
        init = model if hasattr(model, "coef_") else None
        return other.fit(rows.positions, rows.y, init=init)

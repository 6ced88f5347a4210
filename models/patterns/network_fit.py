"""`PatternNetwork`: a linear model of patterns, and a small network fitted to what it leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

import numpy as np
from numba import int32, int64, types
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from samuel.common.errors import UserError
from samuel.features.pattern_index import INDEX, fill_numbers, index_of
from samuel.features.shapes import Shapes, pattern_set
from samuel.games.catalog import known_game
from samuel.games.rows import left_of
from samuel.games.rules import ROWS
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from samuel.models.compiled.model import taken
from samuel.models.estimator_methods import (
    SCALE,
    FitRows,
    PositionEstimator,
    ScoreRegressor,
    require_finite,
    require_settings,
)
from samuel.models.networks.learner import Learner, Rows, plan_of
from samuel.models.networks.steps import SEEN, SQUARED, Inputs, Numbers
from samuel.models.patterns.base_estimator import shapes_in
from samuel.models.patterns.estimators import PatternRegressor
from samuel.models.patterns.network import CEILING, NetworkModel
from samuel.models.patterns.network_kernel import INNER, WIDTHS, layers_of

_RATES, _TOGETHER = (1, 0.03, 0.02), 64
"""Rates of configurations, biases and layers: all positions teach the last. Rows of a batch."""
_BEGUN = 0.5
"""The biases of the first layer before it learns: its units count, and are free to fall to 0."""
_REMEMBERED = 0.2
"""Share of such sums that a fit which goes on begins with: the games are of a better player."""
_WITHIN, _SAMPLE = 0.95, 1 << 17
"""Share of the rows, of so many, of which the limit lets all that the network adds be added."""


@dataclass(eq=False, repr=False)
class PatternNetwork(ScoreRegressor, PositionEstimator):
    """Neural network over patterns: least squares by stochastic gradients.

    A linear model is fitted first. The network then learns the residuals, from rows in random
    order, with step sizes that fall evenly. Rows and residuals come from one set of games.

    The numbers of configurations start at 0. Their steps follow J. Duchi, E. Hazan and Y. Singer,
    "Adaptive subgradient methods", 2011, with one sum of squares per configuration: a rare
    configuration stays near 0. The later layers take steps of Adam for batches of rows.

    Parameters
    ----------
    linear
        A PatternRegressor; None for one over `shapes`.
    shapes, game
        As for PatternRegressor.
    units
        Number of units of the first layer, 64 or 128.
    stages
        Number of stages of the layers after the first, evenly spread over the plies left; fewer in
        a game with fewer plies.
    epochs
        Number of passes over the rows.
    learning_rate
        Learning rate of the first step, for targets of variance 1.
    warm_start
        Continue from the last fit; the linear model stays.
    random_state
        Seed of the first weights and the order of the rows.

    Attributes
    ----------
    linear_
        The fitted linear model.
    model_
        The compiled form, without the factor of its scores. Its limit is the largest absolute
        number that the network adds to the linear score: its 95 % quantile over the training rows.
    squares_
        Sums of squared gradients of each configuration, float32 (n_weights,), which set its step
        sizes. Those of earlier fits count a fifth.
    n_features_in_
        K, the words of a position.
    """

    linear_: PatternRegressor = field(init=False)
    model_: NetworkModel = field(init=False)
    squares_: NDArray[np.float32] = field(init=False)

    linear: PatternRegressor | None = None
    shapes: Shapes = "logistello"
    game: str = "othello"
    _: KW_ONLY
    units: int = 64
    stages: int = 12
    epochs: int = 3
    learning_rate: float = 0.02
    warm_start: bool = False
    random_state: Any = None

    def _fit_rows(self, rows: FitRows, _groups: ArrayLike | None) -> None:
        with np.errstate(over="ignore", invalid="ignore"):  # refused below
            self.linear_, self.model_, self.squares_ = self._learned(rows)
        self.n_features_in_ = rows[0].shape[1]

    def _learned(
        self, given: FitRows
    ) -> tuple[PatternRegressor, NetworkModel, NDArray[np.float32]]:
        """Return the linear model, the network and its sums of squares, fitted to checked rows."""
        positions, target, weight = given[0], given[1].astype(np.float32), given[2]
        random = np.random.default_rng(check_random_state(self.random_state).randint(1 << 31))
        unit = np.float32(target.std() or 1)
        require_finite((unit,), SCALE)
        goes_on = self.warm_start and hasattr(self, "squares_")
        if goes_on:
            linear, numbers = self.linear_, self.model_.numbers(float(unit))
            seen = np.maximum(_REMEMBERED * self.squares_, np.float32(SEEN))
        else:
            linear = self._own_linear().fit(positions, target, weight)
            numbers = self._begin(linear, random)
            seen = np.full(len(numbers.rows), SEEN, np.float32)
        base, layers = linear.predict(positions) / unit, layers_of(self.units)
        rows = _rows(
            linear, numbers, positions, base=base, targets=target[:, None] / unit, weights=weight
        )
        plan = plan_of(layers, SQUARED, ceiling=CEILING)
        Learner(plan, numbers, seen=seen, rates=_RATES).learn(
            rows,
            random,
            epochs=self.epochs,
            learning_rate=self.learning_rate,
            batch=_TOGETHER,
            goes_on=goes_on,
        )
        require_finite((seen,), "lower learning_rate")
        model = NetworkModel.of(linear.compiled(), numbers, float(unit))
        some = random.choice(len(target), min(len(target), _SAMPLE), replace=False)
        held = model.numbers()
        added = _rows(linear, held, positions[some]).outputs(held, plan)
        limit = float(np.quantile(np.abs(added), _WITHIN))
        require_finite((limit,), "lower learning_rate")
        return linear, replace(model, limit=limit), seen

    def _own_linear(self) -> PatternRegressor:
        if self.linear is None:
            return PatternRegressor(self.shapes, self.game)
        if not isinstance(self.linear, PatternRegressor):
            raise UserError(
                f"linear must be a PatternRegressor or None (got {self.linear!r}); for a set "
                "of patterns use PatternNetwork(shapes=...)"
            )
        return clone(self.linear)

    def _check(self) -> None:
        """Raise ValueError where the parameters cannot be used, or are not those to go on with."""
        require_settings(self, {"units": 1, "stages": 1, "epochs": 0}, {"learning_rate": 0})
        if self.units not in WIDTHS:
            raise ValueError(
                f"units must be one of {', '.join(map(str, WIDTHS))} (got {self.units})"
            )
        linear = self._own_linear()
        if known_game(linear.game) is not known_game(self.game):
            raise ValueError(f"linear is for {linear.game}, the network for {self.game}")
        if self.warm_start and hasattr(self, "squares_"):
            known = self.linear_.terms_.patterns
            patterns = pattern_set(shapes_in(linear.shapes), linear.game)
            if known != patterns or self.model_.rows.shape[1] != self.units:
                raise ValueError("a warm start must keep the game, the shapes and the units")

    def _begin(self, linear: PatternRegressor, random: np.random.Generator) -> Numbers:
        """Return the numbers to begin with, which add nothing to a linear model."""
        counts, units = known_game(self.game).most_left + 1, self.units
        stages = min(self.stages, counts)
        # every stage begins with the same layers, whose first weights tell their units apart
        inner = np.tile(random.normal(0, units**-0.5, (units, INNER)), (stages, 1, 1))
        parts = [(inner, np.zeros((stages, INNER)))]
        parts += [(np.zeros((stages, INNER, 1)), np.zeros((stages, 1)))]
        return Numbers(
            np.zeros((linear.terms_.patterns.n_weights, units), np.float32),
            np.full((counts, units), _BEGUN, np.float32),
            layers_of(units).joined(parts),
        )

    def _fitted_arrays(self) -> dict[str, NDArray[Any]]:
        return {"squares": self.squares_, **self.linear_.warm_start_arrays()}

    def _restore(self, form: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
        if not isinstance(form, NetworkModel):
            raise ValueError("it is not a network over patterns")
        squares = taken(arrays, "squares", np.float32).copy()
        if squares.shape != (len(form.rows),) or not (squares > 0).all():
            raise ValueError("its sums of squares are not those of its rows")
        require_finite((squares,), "train it again")
        linear = self._own_linear()
        linear.start_from(form.linear, arrays)
        self.linear_, self.squares_, self.model_ = linear, squares, form
        self.n_features_in_ = form.game.words

    def compiled(self, factor: float = 1.0) -> NetworkModel:  # noqa: D102
        check_is_fitted(self)
        return self.model_.times(factor, self.linear_.compiled(factor))


def _rows(
    linear: PatternRegressor, numbers: Numbers, positions: NDArray[np.uint64], **given: Any
) -> Rows:
    """Return positions as rows, whose inputs are the configurations of all instances."""
    patterns, counts = linear.terms_.patterns, len(numbers.biases)
    index, n = index_of(patterns), len(patterns.instances)
    left = np.clip(left_of(known_game(linear.game), positions), 0, counts - 1)

    def inputs(chosen: NDArray[np.int64]) -> Inputs:
        found = np.zeros((1, n * len(chosen)), np.int32)
        _list_weights(positions, chosen, index, patterns.weight_of, found)
        starts = np.arange(0, n * len(chosen) + 1, n)
        return starts, found, np.ones(found.shape[1], np.float32)

    stages = left * len(numbers.layers) // counts
    return Rows(len(positions), inputs, sets=left, stages=stages, **given)


@jit(types.void(ROWS, int64[::1], INDEX, int32[::1], int32[:, ::1]))
def _list_weights(positions: Any, chosen: Any, index: Any, weight_of: Any, found: Any) -> None:
    """List the weight of the configuration of each instance, a position's behind another's."""
    place, numbers = 0, at(index.numbers, 0)
    for i in chosen:
        fill_numbers(index, at(positions, i))
        for k in range(index.middle.shape[0]):
            found[0, place] = weight_of[index.middle[k] + numbers[k]]
            place += 1

"""`PatternNetwork`: a linear model of patterns, and a small network fitted to what it leaves."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from samuel.common.errors import UserError
from samuel.features.extraction import positions_in
from samuel.features.pattern_index import index_of
from samuel.features.shapes import Shapes, pattern_set
from samuel.games.catalog import known_game
from samuel.games.rows import left_of
from samuel.models.checked import SCALE, checked_rows, require_finite, require_settings
from samuel.models.compiled.arrays import taken
from samuel.models.estimator_methods import ScoreRegressor, WarmStart, passes
from samuel.models.patterns.base_estimator import shapes_in
from samuel.models.patterns.estimators import PatternRegressor
from samuel.models.patterns.network import NetworkModel, held_rows
from samuel.models.patterns.network_kernel import INNER, WIDTHS
from samuel.models.patterns.network_steps import SEEN, go_over, joined, split

_AT_ONCE = 1 << 18
"""Rows between two looks at whether somebody wants to stop."""
_BEGUN = 0.5
"""The biases of the first layer before it learns: its units count, and are free to fall to 0."""
_REMEMBERED = 0.2
"""Share of such sums that a fit which goes on begins with: the games are of a better player."""
_WITHIN, _SAMPLE = 0.95, 1 << 17
"""Share of the rows, of so many, of which the limit lets all that the network adds be added."""


class PatternNetwork(WarmStart, ScoreRegressor, BaseEstimator):
    """Neural network over patterns: least squares by stochastic gradients.

    A linear model is fitted first. The network then learns the residuals, from rows in random
    order, with step sizes that fall evenly to 0. Rows and residuals come from one set of games.

    The numbers of configurations start at 0. Their steps follow J. Duchi, E. Hazan and Y. Singer,
    "Adaptive subgradient methods", 2011, with one sum of squares per configuration: a rare
    configuration stays near 0. The later layers take one step for every four rows of a stage, by
    the root of a running mean of squares (T. Tieleman and G. Hinton, "RMSProp", 2012).

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
    rows_, steps_
        First layer: int8 (n_weights, units), and the value of one count of each unit, float32
        (units,).
    squares_
        Sums of squared gradients of each configuration, float32 (n_weights,), which set its step
        sizes. Those of earlier fits count a fifth.
    biases_
        Biases of the first layer, float32 (numbers of plies left, units).
    inner_, inner_biases_, outputs_
        Further layers: float32 (stages, units, INNER), (stages, INNER) and (stages, INNER).
    limit_
        Largest absolute number that the network adds to the linear score: its 95 % quantile over
        the training rows.
    n_features_in_
        K, the words of a position.
    """

    rows_: NDArray[np.int8]
    squares_: NDArray[np.float32]

    def __init__(
        self,
        linear: PatternRegressor | None = None,
        shapes: Shapes = "logistello",
        game: str = "othello",
        *,
        units: int = 64,
        stages: int = 12,
        epochs: int = 3,
        learning_rate: float = 0.02,
        warm_start: bool = False,
        random_state: Any = None,
    ) -> None:
        self.linear = linear
        self.shapes = shapes
        self.game = game
        self.units = units
        self.stages = stages
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> PatternNetwork:
        """Fit to positions and targets, which may be weighted.

        Parameters
        ----------
        X
            Positions, uint64 (n, K), each row from its side to move.
        y
            Targets (n,).
        sample_weight
            Weights (n,); by default all are 1.

        Returns
        -------
        PatternNetwork
            The estimator itself.

        Raises
        ------
        ValueError
            A parameter cannot be used; a warm start would change game, shapes or units; rows and
            targets do not fit together, are not finite or too large; or the fit diverges, which
            leaves the network unchanged.
        """
        self._check()
        positions, given, weight = checked_rows(X, y, sample_weight, self.game)
        target = given.astype(np.float32)
        fitted = copy.copy(self)
        with np.errstate(over="ignore", invalid="ignore"):  # refused below
            fitted._learn(positions, target, weight)
        found = (fitted.squares_, fitted.steps_, *fitted._layers().values(), fitted.limit_)
        require_finite(found, f"lower learning_rate, which is {self.learning_rate:g}")
        self.__dict__.update(vars(fitted))
        return self

    def _learn(
        self,
        positions: NDArray[np.uint64],
        target: NDArray[np.float32],
        weight: NDArray[np.float32],
    ) -> None:
        """Fit to checked positions (n, K), targets (n,) and weights (n,)."""
        random = np.random.default_rng(check_random_state(self.random_state).randint(1 << 31))
        unit = float(target.std()) or 1.0
        require_finite((unit,), SCALE)
        if self.warm_start and hasattr(self, "squares_"):
            layers = self._layers(unit)
            seen = np.maximum(_REMEMBERED * self.squares_, np.float32(SEEN))
        else:
            layers = self._begin(positions, target, weight, random)
            seen = np.full(len(layers["rows"]), SEEN, np.float32)
        learner = _Learner(self, positions, **layers)
        learner.learn(target / np.float32(unit), weight, seen, unit, random)
        self.squares_ = seen
        self.rows_, self.steps_ = held_rows(learner.rows)
        self.biases_ = learner.biases
        self.inner_, self.inner_biases_, outputs = split(learner.layers)
        self.outputs_ = outputs * np.float32(unit)  # max(0, unit * x) is unit * max(0, x)
        some = random.choice(len(target), min(len(target), _SAMPLE), replace=False)
        as_held = _Learner(self, positions[some], **self._layers())
        self.limit_ = float(np.quantile(np.abs(as_held.added()), _WITHIN))

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
            if known != patterns or self.rows_.shape[1] != self.units:
                raise ValueError("a warm start must keep the game, the shapes and the units")

    def _begin(
        self,
        positions: NDArray[np.uint64],
        target: NDArray[np.float32],
        weight: NDArray[np.float32],
        random: np.random.Generator,
    ) -> dict[str, NDArray[np.float32]]:
        """Fit the linear model; return the first layers beside it."""
        game, units = known_game(self.game), self.units
        self.linear_ = self._own_linear().fit(positions, target, weight)
        self.n_features_in_ = positions.shape[1]
        counts = game.most_left + 1
        stages = min(self.stages, counts)
        # every stage begins with the same layers, whose first weights tell their units apart
        inner = random.normal(0, units**-0.5, (units, INNER))
        return {
            "rows": np.zeros((self.linear_.terms_.patterns.n_weights, units), np.float32),
            "biases": np.full((counts, units), _BEGUN, np.float32),
            "inner": np.tile(inner, (stages, 1, 1)).astype(np.float32),
            "inner_biases": np.zeros((stages, INNER), np.float32),
            "outputs": np.zeros((stages, INNER), np.float32),
        }

    def _layers(self, unit: float = 1.0) -> dict[str, NDArray[np.float32]]:
        """Return the layers as they are learned, for scores in `unit`s."""
        return {
            "rows": self.rows_ * self.steps_,
            "biases": np.array(self.biases_),  # not read-only, as arrays mapped from a file are
            "inner": self.inner_,
            "inner_biases": self.inner_biases_,
            "outputs": self.outputs_ / np.float32(unit),
        }

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
        self.linear_, self.squares_ = linear, squares
        self.rows_, self.steps_, self.biases_ = form.rows, form.steps, form.biases
        self.inner_, self.inner_biases_ = form.inner, form.inner_biases
        self.outputs_, self.limit_ = form.outputs, form.limit
        self.n_features_in_ = form.game.words

    def _scores(self, X: ArrayLike) -> NDArray[np.float32]:
        learner = _Learner(self, positions_in(X, self.game), **self._layers())
        return learner.base + np.clip(learner.added(), -self.limit_, self.limit_)

    def compiled(self, factor: float = 1.0) -> NetworkModel:
        """Return the compiled form, its scores multiplied by `factor`.

        Parameters
        ----------
        factor
            Factor that all scores are multiplied by.

        Returns
        -------
        NetworkModel
            Form that the search runs.
        """
        check_is_fitted(self)
        layers = (self.rows_, self.steps_, self.biases_, self.inner_, self.inner_biases_)
        outputs = (factor * self.outputs_).astype(np.float32)
        return NetworkModel(self.linear_.compiled(factor), *layers, outputs, factor * self.limit_)


class _Learner:
    """The layers of a network beside its linear model, and positions to go over."""

    def __init__(
        self, network: PatternNetwork, positions: NDArray[np.uint64], **layers: NDArray[np.float32]
    ) -> None:
        game = known_game(network.linear_.game)  # of the fit, whatever the parameter is now
        self.network, self.positions = network, positions
        self.base = network.linear_.predict(positions)
        self.left = np.clip(left_of(game, positions), 0, game.most_left)
        self.rows, self.biases = layers["rows"], layers["biases"]
        self.layers = joined(layers["inner"], layers["inner_biases"], layers["outputs"])

    def learn(
        self,
        target: NDArray[np.float32],
        weight: NDArray[np.float32],
        seen: NDArray[np.float32],
        unit: float,
        random: np.random.Generator,
    ) -> None:
        """Go over the rows `epochs` times, adding to `seen`; targets are in `unit`s."""
        self.base /= np.float32(unit)
        epochs, rate = self.network.epochs, self.network.learning_rate
        squares = seen, np.full_like(self.layers, 1e-2)
        for part, first, last in passes(random, len(target), epochs, rate, _AT_ONCE):
            self._run(part, target, weight, squares, first, last)

    def added(self) -> NDArray[np.float32]:
        """Return what the network, without a limit, adds to the linear scores (n,)."""
        found = np.zeros(len(self.base), np.float32)
        none = np.zeros(0, np.float32), np.zeros((0, 0, 0), np.float32)
        self._run(np.arange(len(found)), found, found, none, 0.0, 0.0, found)
        return found

    def _run(
        self,
        order: NDArray[np.int64],
        target: NDArray[np.float32],
        weight: NDArray[np.float32],
        squares: tuple[NDArray[np.float32], NDArray[np.float32]],
        rate: float,
        last: float,
        found: NDArray[np.float32] | None = None,
    ) -> None:
        patterns = self.network.linear_.terms_.patterns
        go_over(
            *(self.positions, order, target, weight, self.base, self.left),
            *(index_of(patterns), patterns.weight_of),
            *(self.rows, self.biases, self.layers),
            *(*squares, rate, last, np.zeros(0, np.float32) if found is None else found),
        )

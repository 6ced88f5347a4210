"""`PatternNetwork`: a linear model of patterns, and hidden units fitted to what it leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import float32, float64, int32, int64, types
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from samuel.features.pattern_index import INDEX, fill_numbers, index_of
from samuel.features.positions import positions_in
from samuel.features.shapes import Shapes
from samuel.games.catalog import known_game
from samuel.games.interface import ROWS
from samuel.games.progress import left_of
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from samuel.models.patterns.estimators import PatternRegressor
from samuel.models.patterns.network import UNITS, NetworkForm, held_rows

_F32, _F32_2 = types.Array(float32, 1, "C"), types.Array(float32, 2, "C")
_SPREAD = 0.5


class PatternNetwork(RegressorMixin, BaseEstimator):
    """A network over patterns (models.pattern_network): least squares by stochastic gradients.

    First the linear model is fitted. Then the hidden units learn what it leaves, row by row in
    random order, with steps that fall evenly to 0. Their rows start at 0, and a row that is seldom
    met takes few steps, so that it stays near 0: rare configurations count for little. What the
    linear model leaves of rows that it was fitted to is less than of others; both get their weights
    from the same games all the same, as half of them would cost more.

    Parameters
    ----------
    linear
        A PatternRegressor; None for one over `shapes`.
    shapes, game
        As for PatternRegressor.
    epochs
        How often the rows are gone over.
    learning_rate
        Of the first step, for targets of variance 1.
    random_state
        Of the first weights and the order of the rows.

    Attributes
    ----------
    linear_
        The fitted linear model, less what the hidden units gave before they learned.
    rows_
        int16 (n_weights, UNITS), and `step_`, what one of its numbers is worth.
    biases_, outputs_
        float32 (counts of squares left, UNITS).
    n_features_in_
        K, the words of a position.
    """

    def __init__(
        self,
        linear: PatternRegressor | None = None,
        shapes: Shapes = "logistello",
        game: str = "othello",
        *,
        epochs: int = 5,
        learning_rate: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.linear = linear
        self.shapes = shapes
        self.game = game
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.random_state = random_state

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> PatternNetwork:
        """Fit to positions (n, K) and targets (n,), which may be weighted."""
        positions, target = positions_in(X, self.game), np.asarray(y, np.float32)
        weight = _check_sample_weight(sample_weight, positions, dtype=np.float32)
        random = np.random.default_rng(check_random_state(self.random_state).randint(1 << 31))
        model = clone(self.linear) if self.linear else PatternRegressor(self.shapes, self.game)
        if known_game(model.game) is not known_game(self.game):
            raise ValueError(f"linear is a model of {model.game}, the network of {self.game}")
        self.linear_ = model.fit(positions, target, weight)
        self.n_features_in_ = positions.shape[1]
        unit = float(target.std()) or 1.0
        learner = _Learner(self, positions, target / unit, weight, unit)
        for epoch in range(self.epochs):
            rates = self.learning_rate * (1 - np.arange(epoch, epoch + 2) / self.epochs)
            learner.go_over(random.permutation(len(positions)), *rates)
        self.biases_, self.outputs_ = learner.biases, learner.outputs * np.float32(unit)
        self.linear_.intercept_ -= unit * learner.start
        self.rows_, self.step_ = held_rows(learner.rows)
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return the scores (n,) of positions (n, K), for the side to move."""
        check_is_fitted(self)
        positions = positions_in(X, self.game)
        zeros = np.zeros(len(positions), np.float32)
        learner = _Learner(self, positions, zeros, zeros, 1.0, fitted=True)
        return learner.scores(np.arange(len(positions)))

    def form(self, factor: float = 1.0) -> NetworkForm:
        """Return the compiled form, its scores multiplied by `factor`."""
        check_is_fitted(self)
        outputs = (factor * self.outputs_).astype(np.float32)
        return NetworkForm(self.linear_.form(factor), self.rows_, self.step_, self.biases_, outputs)


class _Learner:
    """The hidden units of a network, while they learn."""

    def __init__(
        self,
        network: PatternNetwork,
        positions: NDArray[np.uint64],
        target: NDArray[np.float32],
        weight: NDArray[np.float32],
        unit: float,
        *,
        fitted: bool = False,
    ) -> None:
        game = known_game(network.game)
        self.positions, self.target, self.weight = positions, target, weight
        self.base = network.linear_.predict(positions) / np.float32(unit)
        self.left = np.clip(left_of(game, positions), 0, game.most_left)
        self.patterns = network.linear_.terms_.patterns
        counts = game.most_left + 1
        self.rows: NDArray[np.float32]
        self.biases: NDArray[np.float32]
        self.outputs: NDArray[np.float32]
        self.start = 0.0
        if fitted:
            self.rows = network.rows_.astype(np.float32) * np.float32(network.step_)
            self.biases, self.outputs = np.array(network.biases_), np.array(network.outputs_)
            return
        # biases and the signs of the outputs tell the units apart, whose rows start at 0
        random = np.random.default_rng(check_random_state(network.random_state).randint(1 << 31))
        biases, signs = random.normal(_SPREAD, _SPREAD, UNITS), random.choice([-1, 1], UNITS)
        self.rows = np.zeros((self.patterns.n_weights, UNITS), np.float32)
        self.biases = np.tile(biases, (counts, 1)).astype(np.float32)
        self.outputs = np.tile(signs, (counts, 1)).astype(np.float32)
        self.start = float(np.maximum(biases, 0) @ signs)
        self.base -= np.float32(self.start)

    def go_over(self, order: NDArray[np.int64], rate: float, last: float) -> None:
        """Take a step for each of some rows, at a rate that falls evenly to `last`."""
        self._run(order, rate, last, np.zeros(0, np.float32))

    def scores(self, order: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the scores of some rows."""
        found = np.zeros(len(order), np.float32)
        self._run(order, 0.0, 0.0, found)
        return found

    def _run(
        self, order: NDArray[np.int64], rate: float, last: float, found: NDArray[np.float32]
    ) -> None:
        patterns = self.patterns
        _go_over(
            *(self.positions, order, self.target, self.weight, self.base, self.left),
            *(index_of(patterns), patterns.weight_of),
            *(self.rows, self.biases, self.outputs, rate, last, found),
        )


@jit(
    types.void(
        *(ROWS, types.Array(int64, 1, "C"), _F32, _F32, _F32, types.Array(int64, 1, "C")),
        *(INDEX, types.Array(int32, 1, "C")),
        *(_F32_2, _F32_2, _F32_2, float64, float64, _F32),
    ),
    fastmath={"contract", "reassoc"},
)
def _go_over(
    positions: Any,
    order: Any,
    target: Any,
    weight: Any,
    base: Any,
    left: Any,
    index: Any,
    weight_of: Any,
    rows: Any,
    biases: Any,
    outputs: Any,
    rate: float,
    last: float,
    found: Any,
) -> None:
    """Go over rows in an order: fill in their scores where `found` has room, else take steps."""
    numbers, middle = at(index.numbers, 0), index.middle
    n = middle.shape[0]
    chosen = np.zeros(n, np.int64)
    hidden, steps = np.zeros(UNITS, np.float32), np.zeros(UNITS, np.float32)
    for place in range(order.shape[0]):
        i = order[place]
        r = left[i]
        fill_numbers(index, at(positions, i))
        for u in range(UNITS):
            hidden[u] = biases[r, u]
        for k in range(n):
            row = int64(weight_of[middle[k] + numbers[k]])
            chosen[k] = row
            for u in range(UNITS):
                hidden[u] += rows[row, u]
        score = base[i]
        for u in range(UNITS):
            score += outputs[r, u] * max(hidden[u], np.float32(0))
        if found.shape[0] > 0:
            found[place] = score
            continue
        now = rate + (last - rate) * place / order.shape[0]
        slope = np.float32(now) * weight[i] * (score - target[i])
        for u in range(UNITS):
            active = np.float32(1 if hidden[u] > 0 else 0)
            steps[u] = slope * outputs[r, u] * active
            outputs[r, u] -= slope * max(hidden[u], np.float32(0))
            biases[r, u] -= steps[u]
        for k in range(n):
            row = chosen[k]
            for u in range(UNITS):
                rows[row, u] -= steps[u]

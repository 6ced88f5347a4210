"""`SparseNetwork`: one layer of hidden units over columns most of which are 0."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numba import float32, float64, int32, int64, types
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from samuel.kernels.jit import jit
from samuel.models.checked import require_finite, require_settings, weights_of
from samuel.models.compiled.arrays import taken
from samuel.models.estimator_methods import WarmStart, passes

_HALVINGS = 12
"""Most halvings of the steps after a fit that diverges."""
_DIVERGED, _LOOKED_AT = 10.0, 10_000
"""Mean squared error, of targets of variance 1, that only a fit that diverges has; the number of
rows that it is measured on."""


class SparseNetwork(WarmStart, RegressorMixin, BaseEstimator):
    """Neural network with one hidden layer, fitted row by row by stochastic gradients.

    Its score is b + sum over units u of w_u * max(0, b_u + x . W_u), as of an MLPRegressor with one
    layer. A step visits only the columns of its row that are not 0, so a row of a raw board costs a
    tenth. The steps fall evenly to 0, which averages out the noise of the targets. This noise is
    large in games with dice.

    Parameters
    ----------
    units
        Hidden units.
    epochs
        Number of passes over the rows, each in a new random order.
    learning_rate
        Learning rate of the first step, for rows of length 1 and targets of variance 1. If the fit
        diverges, it is halved with a ConvergenceWarning.
    warm_start
        Continue from the last fit, as MLPRegressor does.
    random_state
        Seed of the first weights and the order of the rows.

    Attributes
    ----------
    coefs_, intercepts_
        As an MLPRegressor has them: float32 (columns, units) and (units, 1); (units,) and (1,).
    n_features_in_
        Number of columns.

    Examples
    --------
    >>> import samuel
    >>> data = samuel.training_data("data/games", "ridge")
    >>> model = samuel.SparseNetwork(random_state=1).fit(data.X, data.y)
    >>> model.predict(data.test.X).shape == data.test.y.shape
    True
    """

    activation = "relu"
    out_activation_ = "identity"
    n_outputs_ = 1
    coefs_: list[NDArray[np.float32]]
    intercepts_: list[NDArray[np.float32]]

    def __init__(
        self,
        units: int = 80,
        *,
        epochs: int = 4,
        learning_rate: float = 0.6,
        warm_start: bool = False,
        random_state: Any = None,
    ) -> None:
        self.units = units
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> SparseNetwork:
        """Fit to rows of features and targets, which may be weighted.

        Parameters
        ----------
        X
            Rows of features (n, columns).
        y
            Targets (n,).
        sample_weight
            Weights (n,); by default all are 1.

        Returns
        -------
        SparseNetwork
            The estimator itself.

        Raises
        ------
        ValueError
            A parameter cannot be used, a weight is negative, a number is not finite or too large,
            or the fit diverges with much smaller steps too.
        """
        require_settings(self, {"units": 1, "epochs": 0}, {"learning_rate": 0})
        found, target = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float32, y_numeric=True
        )
        with np.errstate(over="ignore"):
            target = target.astype(np.float32)
        rows = csr_array(found)
        weight = weights_of(sample_weight, rows, np.float32)
        seed = check_random_state(self.random_state).randint(1 << 31)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused below
            middle, unit = target.mean(), target.std() or np.float32(1)
            target = (target - middle) / unit
            length = 1.0 + float(rows.data @ rows.data) / len(target)
        require_finite((middle, unit), "scale the targets, as StandardScaler does")
        matrix = (rows.indptr.astype("i8"), rows.indices.astype("i4", copy=False), rows.data)
        for halvings in range(_HALVINGS + 1):
            rate = self.learning_rate / 2**halvings / length
            random = np.random.default_rng(seed)
            network = self._begin(random, rows.shape[1], length, middle, unit)
            rows_of = len(target)
            for order, first, last in passes(random, rows_of, self.epochs, rate, rows_of):
                _go_over(*matrix, order, target, weight, *network, first, last)
            with np.errstate(all="ignore"):
                error = _scores(rows[:_LOOKED_AT], *network) - target[:_LOOKED_AT]
                if np.square(error).mean() < _DIVERGED and np.isfinite(network[0]).all():
                    break
        else:
            raise ValueError(
                f"the fit diverges, with a learning_rate of {self.learning_rate / 2**halvings:.2g} "
                "too: scale the columns, as StandardScaler does, and the weights to a mean of 1"
            )
        if halvings:
            warnings.warn(
                f"learning_rate={self.learning_rate} diverges on these rows; "
                f"{self.learning_rate / 2**halvings:.2g} was used",
                ConvergenceWarning,
                stacklevel=2,
            )
        hidden, biases, outputs, intercept = network
        self.coefs_ = [hidden, unit * outputs[:, None]]
        self.intercepts_ = [biases, middle + unit * intercept]
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _begin(
        self, random: np.random.Generator, columns: int, length: float, middle: Any, unit: Any
    ) -> tuple[NDArray[np.float32], ...]:
        """Return the first weights, biases, outputs and intercept: of (targets - middle) / unit."""
        if self.warm_start and hasattr(self, "coefs_"):
            (hidden, outputs), (biases, intercept) = self.coefs_, self.intercepts_
            shapes = (hidden.shape, outputs.shape, biases.shape, intercept.shape)
            if shapes != ((columns, self.units), (self.units, 1), (self.units,), (1,)):
                raise ValueError("a warm start must keep the columns and the units")
            return hidden.copy(), biases.copy(), outputs[:, 0] / unit, (intercept - middle) / unit
        return tuple(one.astype("f4") for one in first_weights(random, columns, self.units, length))

    def _fitted_arrays(self) -> dict[str, NDArray[Any]]:
        names = ("hidden", "outputs", "biases", "intercept")
        return dict(zip(names, (*self.coefs_, *self.intercepts_), strict=True))

    def _restore(self, form: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.coefs_ = [taken(arrays, name, np.float32, 2) for name in ("hidden", "outputs")]
        self.intercepts_ = [taken(arrays, name, np.float32) for name in ("biases", "intercept")]
        require_finite((*self.coefs_, *self.intercepts_), "train it again")
        self.n_features_in_ = len(self.coefs_[0])

    def predict(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return the scores (n,) of rows (n, columns).

        Parameters
        ----------
        X
            Rows of features (n, columns).

        Returns
        -------
        NDArray[np.float32]
            Scores float32 (n,) for the side to move.
        """
        check_is_fitted(self)
        rows = validate_data(self, X, accept_sparse="csr", dtype=np.float32, reset=False)
        (hidden, outputs), (biases, intercept) = self.coefs_, self.intercepts_
        return _scores(rows, hidden, biases, outputs[:, 0], intercept)


def first_weights(
    random: np.random.Generator, columns: int, units: int, length: float
) -> tuple[NDArray[np.float64], ...]:
    """Return weights, biases, outputs and intercept for rows of a mean squared `length`."""
    weights = random.normal(0, length**-0.5, (columns, units))
    outputs = random.normal(0, 0.5 * units**-0.5, units)
    return weights, np.zeros(units), outputs, np.zeros(1)


def _scores(
    rows: Any,
    hidden: NDArray[np.float32],
    biases: NDArray[np.float32],
    outputs: NDArray[np.float32],
    intercept: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Return what a network makes of rows (n, columns)."""
    scores: NDArray[np.float32] = np.maximum(rows @ hidden + biases, 0) @ outputs + intercept
    return scores


@jit(
    types.void(
        *(int64[::1], int32[::1], float32[::1]),
        *(int64[::1], float32[::1], float32[::1]),
        *(float32[:, ::1], float32[::1], float32[::1], float32[::1], float64, float64),
    ),
    fastmath={"contract", "reassoc"},
)
def _go_over(
    starts: Any,
    columns: Any,
    values: Any,
    order: Any,
    target: Any,
    weight: Any,
    hidden: Any,
    biases: Any,
    outputs: Any,
    intercept: Any,
    rate: float,
    last: float,
) -> None:
    """Take a step for each row, in an order, at a rate that falls evenly to `last`."""
    units = biases.shape[0]
    sums, steps = np.zeros(units, np.float32), np.zeros(units, np.float32)
    for place in range(order.shape[0]):
        i = order[place]
        for u in range(units):
            sums[u] = biases[u]
        for k in range(starts[i], starts[i + 1]):
            value, column = values[k], columns[k]
            for u in range(units):
                sums[u] += value * hidden[column, u]
        score = intercept[0]
        for u in range(units):
            sums[u] = max(sums[u], np.float32(0))
            score += outputs[u] * sums[u]
        now = rate + (last - rate) * place / order.shape[0]
        slope = np.float32(now) * weight[i] * (score - target[i])
        intercept[0] -= slope
        for u in range(units):
            steps[u] = slope * outputs[u] if sums[u] > 0 else np.float32(0)
            outputs[u] -= slope * sums[u]
            biases[u] -= steps[u]
        for k in range(starts[i], starts[i + 1]):
            value, column = values[k], columns[k]
            for u in range(units):
                hidden[column, u] -= value * steps[u]

"""`SparseNetwork`: one layer of hidden units over columns most of which are 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from samuel.models.compiled.layers import Layers
from samuel.models.compiled.model import taken
from samuel.models.estimator_methods import WarmStart, require_finite, require_settings, weights_of
from samuel.models.networks.learner import (
    Learner,
    Rows,
    batch_of,
    first_numbers,
    inputs_of,
    plan_of,
    rates_of,
)
from samuel.models.networks.steps import SQUARED, Numbers


@dataclass(eq=False, repr=False)
class SparseNetwork(WarmStart, RegressorMixin, BaseEstimator):
    """Neural network with one hidden layer, fitted by steps of Adam over batches of rows.

    Its score is b + sum over units u of w_u * max(0, b_u + x . W_u), as of an MLPRegressor with one
    layer. A step visits only the columns of its row that are not 0, so a row of a raw board takes a
    tenth of the time. The steps fall evenly, which averages out the noise of the targets. This
    noise is large in games with dice.

    Parameters
    ----------
    units
        Hidden units.
    epochs
        Number of passes over the rows, each in a new random order.
    learning_rate
        Learning rate of the first step, for targets of variance 1.
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
    coefs_: list[NDArray[np.float32]] = field(init=False)
    intercepts_: list[NDArray[np.float32]] = field(init=False)

    units: int = 80
    _: KW_ONLY
    epochs: int = 4
    learning_rate: float = 0.005
    warm_start: bool = False
    random_state: Any = None

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
            A parameter cannot be used, a weight is negative, or a number is not finite or too
            large.
        """
        require_settings(self, {"units": 1, "epochs": 0}, {"learning_rate": 0})
        found, target = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float32, y_numeric=True
        )
        with np.errstate(over="ignore"):
            target = target.astype(np.float32)
        rows = csr_array(found)
        weight = weights_of(sample_weight, rows, np.float32)
        random = np.random.default_rng(check_random_state(self.random_state).randint(1 << 31))
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused below
            middle, unit = target.mean(), target.std() or np.float32(1)
            target = (target - middle) / unit
            length = 1.0 + float(rows.data @ rows.data) / len(target)
        require_finite((middle, unit, length), "scale columns and targets, as StandardScaler does")
        numbers = self._begin(random, rows.shape[1], length, middle, unit)
        learner = Learner(plan_of(self._layers, SQUARED), numbers, rates=rates_of(length))
        learner.learn(
            Rows(
                len(target),
                lambda chosen: inputs_of(rows[chosen]),
                targets=target[:, None],
                weights=weight,
            ),
            random,
            epochs=self.epochs,
            learning_rate=self.learning_rate,
            batch=batch_of(len(target)),
            goes_on=self._goes_on,
        )
        ((outputs, intercept),) = self._layers.parts(learner.numbers.layers[0])
        self.coefs_ = [learner.numbers.rows, unit * outputs]
        self.intercepts_ = [learner.numbers.biases[0], middle + unit * intercept]
        return self

    @property
    def _goes_on(self) -> bool:
        return self.warm_start and hasattr(self, "coefs_")

    @property
    def _layers(self) -> Layers:
        return Layers((self.units, 1), "relu")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _begin(
        self, random: np.random.Generator, columns: int, length: float, middle: Any, unit: Any
    ) -> Numbers:
        """Return the numbers to begin with, for (targets - middle) / unit."""
        if not self._goes_on:
            return first_numbers(random, columns, length, self._layers)
        (hidden, outputs), (biases, intercept) = self.coefs_, self.intercepts_
        shapes = (hidden.shape, outputs.shape, biases.shape, intercept.shape)
        if shapes != ((columns, self.units), (self.units, 1), (self.units,), (1,)):
            raise ValueError("a warm start must keep the columns and the units")
        last = outputs / unit, (intercept - middle) / unit
        return Numbers(hidden.copy(), biases[None].copy(), self._layers.joined([last])[None])

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
        scores: NDArray[np.float32] = np.maximum(rows @ hidden + biases, 0) @ outputs + intercept
        return scores[:, 0]

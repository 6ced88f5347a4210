"""Ridge and least squares over features, fitted to batches that are read once.

The sums of products of the columns (learning/fitting/moments.py) are all that a fit needs. Those of
a stage count rows as models/staged.py does. The weights equal those of scikit-learn, to rounding.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import Pipeline

from samuel.common.errors import UserError
from samuel.features import Features, column_names, extract, features_named
from samuel.features.terms import Stages
from samuel.games.catalog import known_game
from samuel.games.rows import left_of
from samuel.learning.fitting.metrics import Floats
from samuel.learning.fitting.moments import products_of
from samuel.learning.fitting.training_data import TrainingData
from samuel.models import Staged
from samuel.models.estimator_methods import weights_of
from samuel.models.staged import FEWEST, nearest_fitted, require_stages, set_weights

_AT_ONCE = 1 << 16
_NOTHING = 1e-11
"""Rounding: share of its mean square that a column's variance, or of the largest variance in any
direction that another's, must exceed."""


def is_by_moments(estimator: Any) -> bool:
    """Return whether an estimator is Ridge or LinearRegression over features, staged or not."""
    inner = estimator.estimator if isinstance(estimator, Staged) else estimator
    if not isinstance(inner, Pipeline) or len(inner.steps) != 2:
        return False
    (_, reader), (_, model) = inner.steps
    if type(reader) is not Features or getattr(model, "positive", True):
        return False
    return type(model) is LinearRegression or (
        type(model) is Ridge and model.solver == "auto" and np.isscalar(model.alpha)
    )


def fit_by_moments(estimator: Any, batches: Iterable[TrainingData]) -> int:
    """Fit an estimator in place; return the number of different rows."""
    inner = estimator.estimator if isinstance(estimator, Staged) else estimator
    reader, model = inner[0], inner[-1]
    model._validate_params()
    if isinstance(estimator, Staged):
        require_stages(estimator)
    game, features = known_game(reader.game), features_named(reader.features, reader.game)
    knots = estimator.knots if isinstance(estimator, Staged) else (0,)
    stages = Stages.of(knots, game.most_left)
    size = len(column_names(features)) + 2
    products, counts, rows = np.zeros((len(knots), size, size)), np.zeros(len(knots)), 0
    for data in batches:
        rows += data.different_rows
        weights = weights_of(data.sample_weight, data.positions, np.float64)
        for start in range(0, len(data), _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            columns = np.ones((len(data.y[some]), size), np.float32)
            columns[:, 1:-1] = extract(features, data.positions[some])
            columns[:, -1] = data.y[some]
            shares = stages.hats(left_of(game, data.positions[some]))
            shares *= weights[some, None]
            products += products_of(columns, shares)
            counts += np.count_nonzero(shares, axis=0)
    if not rows:
        raise UserError("there are no games to fit to; play more")
    if not isinstance(estimator, Staged):
        _solve(estimator, products[0])
        return rows
    enough = counts >= FEWEST
    fitted = [
        _solve(clone(inner), each) if one else None
        for each, one in zip(products, enough, strict=True)
    ]
    if not enough.any():
        fitted = [_solve(clone(inner), products.sum(axis=0))] * len(knots)
    estimator.stages_ = [nearest_fitted(fitted, knots, k) for k in range(len(knots))]
    estimator.n_features_in_ = game.words
    return rows


def _solve(pipeline: Pipeline, products: Floats) -> Pipeline:
    """Fit a pipeline in place to products of columns: ones, those of the features, the target."""
    model, mean = pipeline[-1], np.zeros(len(products) - 1)
    if model.fit_intercept:
        mean = products[0, 1:] / products[0, 0]
    centred: NDArray[Any] = products[1:, 1:] - products[0, 0] * np.outer(mean, mean)
    matrix, sides = centred[:-1, :-1], centred[:-1, -1]
    penalty = model.alpha if isinstance(model, Ridge) else 0.0
    varies = np.diag(matrix) > _NOTHING * np.diag(products)[1:-1]
    weights = np.zeros(len(matrix))
    inner = matrix[np.ix_(varies, varies)]
    weights[varies] = _least_squares(inner + penalty * np.eye(len(inner)), sides[varies])
    return set_weights(pipeline, weights, float(mean[-1] - mean[:-1] @ weights))


def _least_squares(matrix: Floats, sides: Floats) -> Floats:
    """Return the shortest solution of equations, whatever the units of the columns."""
    size = np.sqrt(np.diag(matrix))
    values, vectors = np.linalg.eigh(matrix / np.outer(size, size))
    directions, known = vectors / size[:, None], values > _NOTHING * values.max(initial=0)
    weights = directions[:, known] @ (directions[:, known].T @ sides / values[known])
    free = np.linalg.qr(directions[:, ~known])[0]
    found: Floats = weights - free @ (free.T @ weights)
    return found

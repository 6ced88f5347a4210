"""Rankings of features, whose numbers join together.

    forward         the next feature is the one with which the squared error on games left out of
                    the fit falls most, over folds of whole games
    by_lasso        the order in which features enter as the penalty of the Lasso falls
    by_permutation  how much the error of boosted trees, on games left out of the fit, grows when a
                    feature is shuffled; of features that say the same, each seems worth little

The first two rank for a model staged as the recipe `ridge` is, each row counting for a stage by
hat weight, as if the stages were models apart. Their blend errs no more, the square being convex.

scikit-learn has SequentialFeatureSelector, which fits anew for each candidate, and
permutation_importance; both take single columns, and a feature has several.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lasso_path

from samuel.features import features_named
from samuel.learning.fitting.estimators import fit, unfitted
from samuel.learning.fitting.metrics import Floats
from samuel.learning.fitting.moments import absorb, fall, penalized
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.split import Split
from samuel.learning.fitting.training_data import TrainingData

Groups = dict[str, NDArray[np.int64]]
"""The columns of each feature, by number."""
_PENALTIES, _LEAST_PENALTY = 200, 1e-3
"""Penalties of the Lasso, and the least as a share of that under which all weights are 0."""


def forward(products: Floats, groups: Groups) -> dict[str, float]:
    """Return the features by forward selection, each with the fall of the squared error it brings.

    `products` (S, F, D, D) are those of each stage and fold (learning.fitting.moments). The
    column of ones, and then each chosen feature, is projected out of all sums of products, so that
    the next choice is again among single features.
    """
    fit = penalized(products.sum(axis=1, keepdims=True) - products)
    fit, held_out = absorb(fit, products, np.array([0]))
    rows = products[..., 0, 0].sum()
    scores: dict[str, float] = {}
    while len(scores) < len(groups):
        falls = {n: fall(fit, held_out, c) for n, c in groups.items() if n not in scores}
        name = max(falls, key=lambda name: falls[name])
        scores[name] = falls[name] / rows
        fit, held_out = absorb(fit, held_out, groups[name])
    return scores


def by_lasso(products: Floats, groups: Groups) -> dict[str, float]:
    """Return the features by the penalty under which the first of their weights is not 0."""
    columns = np.concatenate(list(groups.values()))
    sums = penalized(products.sum(axis=1)) / products[..., 0, 0].sum()
    sums, _ = absorb(sums, sums, np.array([0]))
    penalties = np.abs(sums[:, columns, -1]).max() * np.geomspace(1, _LEAST_PENALTY, _PENALTIES)
    entry = np.zeros(sums.shape[-1])
    for of_stage in sums:
        # to the Lasso rows are their products: those of this triangle are the same
        root = np.linalg.cholesky(of_stage[np.ix_(columns, columns)]).T
        target = np.linalg.solve(root.T, of_stage[columns, -1])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # hardly to be seen in the order
            _, path, _ = lasso_path(
                root, target, alphas=penalties / len(root), tol=1e-3, max_iter=200
            )
        enters = np.argmax(path != 0, axis=1)
        at = np.where(np.any(path != 0, axis=1), penalties[enters], 0)
        entry[columns] = np.maximum(entry[columns], at)
    scores = {name: float(entry[of].max()) for name, of in groups.items()}
    return dict(sorted(scores.items(), key=lambda item: -item[1]))


def by_permutation(
    split: Split, data: TrainingData, left_out: NDArray[np.bool_], names: Sequence[str]
) -> dict[str, float]:
    """Return the features by the fall of R2 of boosted trees on rows left out of their fit."""
    model = unfitted("boosting", split.game, FitOptions(features=names), split.seed)
    fit(model, data[~left_out], "boosting")
    outside, reader, trees = data[left_out], model[0], model[-1]
    matrix, draw = reader.transform(outside.positions), np.random.default_rng(split.seed)

    def error() -> float:
        return float(np.mean(np.square(trees.predict(matrix) - outside.y)))

    whole, spread, start = error(), float(np.var(outside.y)) or 1.0, 0
    scores: dict[str, float] = {}
    for feature in features_named(reader.features, reader.game):
        columns = slice(start, start := start + len(feature.columns))
        before = matrix[:, columns].copy()
        matrix[:, columns] = draw.permutation(before)
        scores[feature.name] = (error() - whole) / spread
        matrix[:, columns] = before
    return dict(sorted(scores.items(), key=lambda item: -item[1]))

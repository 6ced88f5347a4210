"""The trees of fitted estimators, as the block that the search runs (models/compiled/trees.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)
from sklearn.utils.validation import check_is_fitted

from samuel.games.feature import LARGEST_FEATURE
from samuel.models.compiled.boosters import is_booster, trees_in
from samuel.models.compiled.log_odds import decision_factor
from samuel.models.compiled.trees import FlatTree, Trees, trees_block

_TREES = (DecisionTreeRegressor, DecisionTreeClassifier, ExtraTreeRegressor, ExtraTreeClassifier)
_FORESTS = (
    RandomForestRegressor,
    RandomForestClassifier,
    ExtraTreesRegressor,
    ExtraTreesClassifier,
)
_BOOSTED = (GradientBoostingRegressor, GradientBoostingClassifier)
_HISTOGRAM = (HistGradientBoostingRegressor, HistGradientBoostingClassifier)
_IDENTITY_LOSSES = {"squared_error", "absolute_error", "quantile"}


def are_trees(model: Any) -> bool:
    """Return whether an estimator is made of trees that can be read."""
    return is_booster(model) or type(model) in (*_TREES, *_FORESTS, *_BOOSTED, *_HISTOGRAM)


def ensemble_block(scalers: Sequence[Any], model: Any, columns: int, factor: float) -> Trees | None:
    """Return the block of a fitted estimator made of trees, behind scalers; None where it has none.

    `factor` is units of score per logit; of a regressor what its predictions are multiplied by.
    """
    check_is_fitted(model)
    if is_booster(model):
        return _dumped_trees(scalers, model, columns, factor)
    if type(model) in _HISTOGRAM:
        return _histogram_trees(scalers, model, columns, factor)
    if type(model) in _BOOSTED:
        return _boosted_trees(scalers, model, columns, factor)
    fitted = [model] if type(model) in _TREES else model.estimators_
    if fitted[0].n_outputs_ != 1:
        return None
    # a regressor's node holds its mean, a classifier's the shares of the two classes
    share = (1.0 if is_classifier(model) else factor) / len(fitted)
    grown = _grown(fitted, [share * tree.tree_.value[:, 0, -1] for tree in fitted])
    ensemble = _unscaled(scalers, grown, columns, np.float32)
    return trees_block(ensemble, 0.0, factor if is_classifier(model) else None)


def _boosted_trees(scalers: Sequence[Any], model: Any, columns: int, factor: float) -> Trees | None:
    if not (model.init is None or model.init == "zero"):
        return None
    if is_classifier(model):
        factor *= decision_factor(model) or 1.0
    fitted = [tree for (tree,) in model.estimators_]
    probe = np.zeros((1, columns), np.float32)
    at_probe = model.decision_function(probe) if is_classifier(model) else model.predict(probe)
    start = at_probe[0] - model.learning_rate * sum(tree.predict(probe)[0] for tree in fitted)
    values = [factor * model.learning_rate * tree.tree_.value[:, 0, 0] for tree in fitted]
    ensemble = _unscaled(scalers, _grown(fitted, values), columns, np.float32)
    return trees_block(ensemble, factor * start)


def _grown(fitted: Sequence[Any], values: Sequence[NDArray[Any]]) -> list[FlatTree]:
    """Return fitted trees of scikit-learn, which compares in single precision."""
    return [
        FlatTree(t.children_left, t.children_right, t.feature, t.threshold, value)
        for t, value in zip((tree.tree_ for tree in fitted), values, strict=True)
    ]


def _histogram_trees(
    scalers: Sequence[Any], model: Any, columns: int, factor: float
) -> Trees | None:
    """Return the block of histogram boosting, whose trees scikit-learn keeps to itself."""
    fitted = [predictor.nodes for (predictor,) in model._predictors]
    if any(nodes["is_categorical"].any() for nodes in fitted):
        return None
    if not is_classifier(model) and model.loss not in _IDENTITY_LOSSES:
        return None
    inner = [~nodes["is_leaf"].astype(bool) for nodes in fitted]
    grown = [
        FlatTree(
            np.where(i, n["left"].astype(np.int64), -1),
            np.where(i, n["right"].astype(np.int64), -1),
            np.where(i, n["feature_idx"], 0),
            np.where(i, n["num_threshold"], 0.0),
            factor * n["value"],
        )
        for i, n in zip(inner, fitted, strict=True)
    ]
    start = factor * float(np.ravel(model._baseline_prediction)[0])
    return trees_block(_unscaled(scalers, grown, columns, np.float64), start)


def _unscaled(
    scalers: Sequence[Any], trees: Sequence[FlatTree], columns: int, dtype: Any
) -> list[FlatTree]:
    feature = np.maximum(np.concatenate([t.feature for t in trees]), 0)  # a leaf has a negative one
    limits = np.concatenate([t.threshold for t in trees])
    flat = thresholds_before(scalers, columns, feature, limits, dtype)
    before = np.split(flat, np.cumsum([len(t.feature) for t in trees])[:-1])
    return [replace(t, threshold=limit) for t, limit in zip(trees, before, strict=True)]


def _dumped_trees(scalers: Sequence[Any], model: Any, columns: int, factor: float) -> Trees | None:
    """Return the block of trees of LightGBM or XGBoost."""
    found = trees_in(model, columns)
    if found is None:
        return None
    grown = [replace(tree, value=factor * tree.value) for tree in found.trees]
    return trees_block(_unscaled(scalers, grown, columns, found.dtype), factor * found.start)


def thresholds_before(
    scalers: Sequence[Any],
    columns: int,
    feature: NDArray[np.int64],
    threshold: NDArray[np.float64],
    dtype: Any,
) -> NDArray[np.float32]:
    """Return for each threshold on a scaled column the same threshold on the column itself.

    It is the largest float32 that goes left (`dtype(scaled) <= threshold`) in the arithmetic of
    the scalers themselves, which rounds but never turns an order round: found by bisection over
    the float32 numbers, all thresholds at once.
    """
    pairs = np.empty(len(feature), np.complex128)  # sorted by real part first, and fast
    pairs.real, pairs.imag = feature, threshold
    pairs, inverse = np.unique(pairs, return_inverse=True)
    column = pairs.real.astype(np.int64)
    row = np.arange(len(pairs)) - np.searchsorted(column, column)
    limits = np.zeros((int(row.max(initial=0)) + 1, columns))
    limits[row, column] = pairs.imag
    # scaling a number of this size does not overflow
    most = int(np.array(LARGEST_FEATURE, np.float32).view(np.int32))
    low, high = np.full(limits.shape, -most), np.full(limits.shape, most)
    while (low < high).any():
        middle = (low + high + 1) // 2
        X = _float_of_rank(middle)
        for scaler in scalers:
            X = scaler.transform(X)
        left = X.astype(dtype, copy=False) <= limits
        low, high = np.where(left, middle, low), np.where(left, high, middle - 1)
    return np.asarray(_float_of_rank(low)[row, column][inverse])


def _float_of_rank(rank: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the float32 numbers in their order: rank 0 is 0, the next is the smallest above."""
    bits = rank.astype(np.int32)
    bits ^= (bits >> 31) & 0x7FFFFFFF  # a negative number's bits fall as it rises
    floats: NDArray[np.float32] = bits.view(np.float32)
    return floats

"""Fitted models of LightGBM and XGBoost, read from their own dumps.

Neither is imported: who has such a model has imported what made it. Their dumps are trusted as far
as they agree with what the model itself says of a few random rows.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier

from samuel.models.compiled.trees import FlatTree

_KNOWN = {
    "lightgbm": ("LGBMClassifier", "LGBMRegressor"),
    "xgboost": ("XGBClassifier", "XGBRegressor", "XGBRFClassifier", "XGBRFRegressor"),
}
_PROBES = 48
_TOLERANCE = 1e-4


class Dumped(NamedTuple):
    """Sum that a model adds up: `start` and a leaf of each tree."""

    trees: list[FlatTree]
    start: float
    dtype: Any


def is_booster(model: Any) -> bool:
    """Return whether an estimator is one of LightGBM's or XGBoost's that can be read."""
    return type(model).__name__ in _KNOWN.get(_package_of(model), ())


def margins(model: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return what a fitted model says of rows before any link: a classifier's log-odds."""
    if _package_of(model) == "xgboost":
        return np.asarray(model.predict(X, output_margin=True), np.float64)
    return _weight(model) * np.asarray(model.predict(X, raw_score=True), np.float64)


def trees_in(model: Any, columns: int) -> Dumped | None:
    """Return the trees of a fitted model over so many columns, or None where they are not all."""
    if model.n_features_in_ != columns:
        return None
    read, dtype = (
        (_of_xgboost, np.float32) if _package_of(model) == "xgboost" else (_of_lightgbm, np.float64)
    )
    trees = read(model)
    if trees is None:
        return None
    sizes = 10.0 ** np.linspace(-2, 2, _PROBES - 1)[:, None]
    draws = np.random.default_rng(0).normal(size=(_PROBES - 1, columns))
    probes = np.concatenate([np.zeros((1, columns)), sizes * draws]).astype(np.float32)
    said = margins(model, probes)
    if not is_classifier(model) and not _agree(np.asarray(model.predict(probes)), said):
        return None
    found = sum((_leaves(tree, probes.astype(dtype)) for tree in trees), np.zeros(_PROBES))
    start = float(said[0] - found[0])
    return Dumped(trees, start, dtype) if _agree(start + found, said) else None


def _package_of(model: Any) -> str:
    return type(model).__module__.partition(".")[0]


def _agree(found: NDArray[Any], said: NDArray[Any]) -> bool:
    return found.shape == said.shape and np.allclose(found, said, _TOLERANCE, _TOLERANCE)


def _leaves(tree: FlatTree, X: NDArray[Any]) -> NDArray[np.float64]:
    node = np.zeros(len(X), np.int64)
    while (inner := tree.left[node] >= 0).any():
        goes_left = X[np.arange(len(X)), tree.feature[node]] <= tree.threshold[node]
        below = np.where(goes_left, tree.left[node], tree.right[node])
        node = np.where(inner, below, node)
    return tree.value[node]


def _of_xgboost(model: Any) -> list[FlatTree] | None:
    """Return the trees of XGBoost, which sends what is less than a condition left."""
    booster, missing = model.get_booster(), model.missing
    if not (missing is None or np.isnan(missing)):
        return None
    if getattr(model, "early_stopping_rounds", None):
        booster = booster[: model.best_iteration + 1]
    grown = json.loads(booster.save_raw("json"))["learner"]["gradient_booster"]
    dropped = grown.get("weight_drop")  # of dart, what each tree counts
    grown = grown.get("gbtree", grown)
    if grown["name"] != "gbtree" or set(grown["model"]["tree_info"]) - {0}:
        return None
    trees = []
    for number, tree in enumerate(grown["model"]["trees"]):
        if any(tree["split_type"]):
            return None
        conditions = np.array(tree["split_conditions"], np.float32)
        trees.append(
            FlatTree(
                np.array(tree["left_children"], np.int64),
                np.array(tree["right_children"], np.int64),
                np.array(tree["split_indices"], np.int64),
                np.nextafter(conditions, np.float32(-np.inf)),
                conditions.astype(np.float64) * (dropped[number] if dropped else 1.0),
            )
        )
    return trees


def _of_lightgbm(model: Any) -> list[FlatTree] | None:
    dump, weight = model.booster_.dump_model(), _weight(model)
    if weight == 0 or dump["num_tree_per_iteration"] != 1:
        return None
    trees = []
    for grown in dump["tree_info"]:
        tree = _flat(grown["tree_structure"], weight)
        if tree is None:
            return None
        trees.append(tree)
    return trees


def _flat(root: dict[str, Any], weight: float) -> FlatTree | None:
    """Return a nested tree of LightGBM as arrays; a node is numbered as it is met."""
    nodes, rows = [root], []
    for node in nodes:  # which grows
        if "split_index" not in node:
            if "leaf_coeff" in node:
                return None
            rows.append((-1, -1, 0, 0.0, weight * node.get("leaf_value", 0.0)))
        elif node["decision_type"] != "<=" or node["missing_type"] == "Zero":
            return None
        else:
            rows.append((len(nodes), len(nodes) + 1, node["split_feature"], node["threshold"], 0.0))
            nodes += [node["left_child"], node["right_child"]]
    left, right, feature = np.array([row[:3] for row in rows], np.int64).T
    threshold, value = np.array([row[3:] for row in rows], np.float64).T
    return FlatTree(left, right, feature, threshold, value)


def _weight(model: Any) -> float:
    """Return what the sum of LightGBM's trees is multiplied by; 0 where it is no score.

    For two classes it makes log-odds: for `binary sigmoid:2` it is 2. A forest is a mean.
    """
    booster = model.booster_
    share = 1.0
    if model.get_params()["boosting_type"] == "rf":
        share /= booster.current_iteration()
    if not is_classifier(model):
        return share
    words = str(booster.dump_model(num_iteration=1)["objective"]).split()
    if not words or words[0] != "binary":
        return 0.0
    settings = dict(word.split(":", 1) for word in words[1:] if ":" in word)
    return share * float(settings.get("sigmoid", 1.0))

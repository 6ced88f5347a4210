"""Parts of a fitted estimator that reports show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from samuel.features import column_names, features_named
from samuel.learning import Split, feature_importance, linear_weights
from samuel.learning.selection.introspect import partial_dependence

_SAMPLE = 4000
_DEPENDENCES = 6
"""Numbers whose partial dependence is told, those of the most important features."""
_FEW = 6
"""Numbers that such a feature may have; squares and their classes have more."""
_PHASES = (0.75, 0.5, 0.25)
"""Shares of the game still to play at which patterns are told."""


@dataclass(frozen=True, eq=False)
class Insight:
    """Learned parts of an estimator, as far as it shows them.

    Attributes
    ----------
    weights
        Of a linear model, by stage (learning.linear_weights).
    importance
        Of features, by stage (learning.feature_importance).
    dependence
        Of the score on numbers of the most important features
        (learning.selection.introspect.partial_dependence).
    patterns
        By plies left, what patterns weigh: `shape`, the squares (str); `squares`, their
        names; `contents`, X (the side to move), O or - for each; `weight`, in the game's unit;
        `count`, how many training positions had it.
    """

    weights: pd.DataFrame | None = None
    importance: pd.DataFrame | None = None
    dependence: pd.DataFrame | None = None
    patterns: Mapping[int, pd.DataFrame] = field(default_factory=dict)


def insight_of(estimator: Any, split: Split, scale: float | None) -> Insight:
    """Return what a fitted estimator shows of itself, on some held-out positions.

    Estimators with a method `weight_table(remaining)`, which returns a frame of patterns, show
    these.

    Parameters
    ----------
    estimator
        A fitted estimator over positions.
    split
        Whose held-out rows to take.
    scale
        Of a classifier: units of score per logit.
    """
    with threadpool_limits(1, "openmp"):  # predictions so small only wait for other threads
        return _insight_of(estimator, split, scale)


def _insight_of(estimator: Any, split: Split, scale: float | None) -> Insight:
    sample = np.random.default_rng(split.seed).permutation(len(split.held_out))[:_SAMPLE]
    positions, outcomes = split.held_out_positions[sample], split.outcomes[split.held_out[sample]]
    importance = feature_importance(estimator, positions, outcomes, scale=scale, seed=split.seed)
    dependence = None
    if importance is not None:
        order = list(map(str, importance.mean(axis=1).sort_values(ascending=False).index))
        single = [f for f in features_named(order, split.game.name) if len(f.columns) <= _FEW]
        numbers = column_names(single)[:_DEPENDENCES]
        dependence = partial_dependence(estimator, positions, numbers, scale=scale)
    patterns = {}
    if hasattr(estimator, "weight_table"):
        factor = 1.0 if scale is None else scale  # a classifier's weights are log-odds
        for share in _PHASES:
            plies_left = round(share * split.game.most_left)
            table = estimator.weight_table(plies_left)
            patterns[plies_left] = table.assign(weight=factor * table["weight"])
    return Insight(linear_weights(estimator, scale), importance, dependence, patterns)

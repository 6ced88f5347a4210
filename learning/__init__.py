"""Learning from positions: targets, recipes of estimators, splits by game, metrics."""

from learning.introspect import (
    evaluation_time,
    feature_importance,
    linear_weights,
    parameter_count,
)
from learning.metrics import Metrics, fit_scale, measure, results_of, win_probability
from learning.recipes import default_features, is_recipe, recipe, recipe_names, stage_knots
from learning.split import Split
from learning.targets import TARGETS, Examples, score_targets, win_targets

__all__ = [
    "TARGETS",
    "Examples",
    "Metrics",
    "Split",
    "default_features",
    "evaluation_time",
    "feature_importance",
    "fit_scale",
    "is_recipe",
    "linear_weights",
    "measure",
    "parameter_count",
    "recipe",
    "recipe_names",
    "results_of",
    "score_targets",
    "stage_knots",
    "win_probability",
    "win_targets",
]

"""Learning from positions: targets, recipes of estimators, splits by game, metrics."""

from samuel.learning.fitting.metrics import Metrics, fit_scale, measure, results_of, win_probability
from samuel.learning.fitting.options import TARGETS, WEIGHTINGS, FitOptions
from samuel.learning.fitting.reading import default_features, stage_knots
from samuel.learning.fitting.recipes import is_recipe, recipe, recipe_names
from samuel.learning.fitting.split import Split
from samuel.learning.fitting.targets import Examples, score_targets, win_targets
from samuel.learning.selection.introspect import (
    evaluation_time,
    feature_importance,
    linear_weights,
    parameter_count,
)
from samuel.learning.selection.selection import Selection, select_features

__all__ = [
    "TARGETS",
    "WEIGHTINGS",
    "Examples",
    "FitOptions",
    "Metrics",
    "Selection",
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
    "select_features",
    "stage_knots",
    "win_probability",
    "win_targets",
]

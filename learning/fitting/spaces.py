"""Search spaces for tuning each recipe: numbers to choose from, and distributions to draw from."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import loguniform, uniform

from samuel.common.errors import UserError
from samuel.games.interface import Game
from samuel.learning.fitting.estimators import ModelLike, text_of, unfitted
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.pattern_recipes import shapes_of
from samuel.learning.fitting.recipes import TEXEL, is_texel
from samuel.models.saved.saving import learner_of

_STAGES = {"stages": (1, 2, 3, 5, 7, 9)}
_NETWORK = {
    "hidden_layer_sizes": ((16,), (32,), (64,), (32, 16), (64, 16)),
    "alpha": loguniform(0.01, 10),
    "learning_rate_init": loguniform(1e-3, 1e-2),
    "max_iter": (12, 24, 48),
}
_NNUE = {
    "units": (32, 64, 128, 256),
    "epochs": (5, 10, 20),
    "learning_rate": loguniform(5e-4, 1e-2),
    "activation": ("crelu", "screlu"),
}
_PATTERNS = {
    "alpha": loguniform(1, 100),
    "smoothing": loguniform(10, 3000),
    "stages": (1, 5, 8, 11, 16),
}
_PATTERN_NETWORK = {
    "linear__alpha": loguniform(1, 100),
    "learning_rate": loguniform(5e-3, 5e-2),
    "epochs": (2, 3, 5),
}
_OVER = {
    "": _PATTERNS,
    "-logistic": {**_PATTERNS, "alpha": loguniform(0.1, 30), "smoothing": loguniform(1, 300)},
    "-tables": _PATTERNS,
    "-network": _PATTERN_NETWORK,
    "-wide-network": _PATTERN_NETWORK,
}
"""Spaces of models of patterns, by how their names end (learning.fitting.recipes)."""

SPACES: dict[str, dict[str, Any]] = {
    "linear": _STAGES,
    "ridge": {"alpha": loguniform(1, 1e4), **_STAGES},
    "lasso": {"alpha": loguniform(1e-3, 0.3), **_STAGES},
    "elasticnet": {"alpha": loguniform(1e-3, 0.3), "l1_ratio": uniform(0.1, 0.8), **_STAGES},
    "sgd": {"alpha": loguniform(1e-6, 1e-2), "eta0": loguniform(1e-4, 1e-2), **_STAGES},
    "logistic": {"C": loguniform(1e-3, 10), **_STAGES},
    "texel": {"alpha": loguniform(1e-7, 1e-1), **_STAGES},
    "tree": {"max_depth": (6, 8, 10, 12, 14, 16), "min_samples_leaf": (10, 20, 50, 100, 200)},
    "forest": {
        "max_depth": (10, 12, 14, 16, 18),
        "min_samples_leaf": (5, 10, 20, 50),
        "max_features": uniform(0.2, 0.6),
    },
    "boosting": {
        "learning_rate": loguniform(0.03, 0.3),
        "max_iter": (50, 100, 200, 400),
        "max_leaf_nodes": (7, 15, 31, 63),
        "min_samples_leaf": (20, 50, 100, 200),
        "l2_regularization": loguniform(0.01, 100),
    },
    "lightgbm": {
        "learning_rate": loguniform(0.03, 0.3),
        "n_estimators": (50, 100, 200, 400),
        "num_leaves": (7, 15, 31, 63),
        "min_child_samples": (20, 50, 100, 200),
        "reg_lambda": loguniform(0.01, 100),
    },
    "xgboost": {
        "learning_rate": loguniform(0.03, 0.3),
        "n_estimators": (50, 100, 200, 400),
        "max_leaves": (7, 15, 31, 63),
        "min_child_weight": (20, 50, 100, 200),
        "reg_lambda": loguniform(0.01, 100),
    },
    "gradient-boosting": {
        "learning_rate": loguniform(0.03, 0.3),
        "n_estimators": (50, 100, 200),
        "max_depth": (3, 4, 5, 6),
        "min_samples_leaf": (20, 50, 100, 200),
    },
    "network": {
        "units": (40, 80, 160),
        "epochs": (2, 4, 6, 8),
        "learning_rate": loguniform(0.1, 1),
    },
    "mlp": _NETWORK,
    "mlp-classifier": _NETWORK,
    "outcome-networks": {
        "units": (32, 64, 128, 256),
        "epochs": (1, 2, 4),
        "learning_rate": loguniform(0.2, 2),
    },
    "nnue": _NNUE,
    "linear-nnue": _NNUE,
}
"""Numbers or distributions of each recipe, for `stages` and for parameters of its estimator."""


def space_of(model: ModelLike, game: Game, fitting: FitOptions) -> dict[str, Any]:
    """Return what is free: the space of a recipe without what the estimator or game has not.

    Raises
    ------
    UserError
        The recipe has no space, or `fitting` says all of it.
    """
    over = shapes_of(model, game) if isinstance(model, str) else None
    model = TEXEL if is_texel(model, game) else model
    if over is None and not (isinstance(model, str) and model in SPACES):
        raise UserError(
            f"{text_of(model)} has no settings to tune; --tune works for {', '.join(SPACES)} "
            "and models of patterns"
        )
    every = SPACES[model] if over is None else _OVER[over[1]]
    known = learner_of(unfitted(model, game, fitting)).get_params()
    space = {k: v for k, v in every.items() if k in known and k not in fitting.parameters}
    space.pop("stages", None)
    if "stages" in every and fitting.stages is None:
        space["stages"] = tuple(n for n in every["stages"] if n <= game.most_left + 1)
    if not space:
        raise UserError(f"{model} has no settings left to tune: all of them are given")
    return space


def draw_value(choice: Any, rng: np.random.Generator) -> Any:
    """Return a value of a distribution, to three digits so that it reads as it is, or of a list."""
    if hasattr(choice, "rvs"):
        return float(f"{choice.rvs(random_state=rng):.3g}")
    return choice[int(rng.integers(len(choice)))]
